//! Hosts whose flows share something.

use crate::traced::simulate;
use dumbbell_core::Results;

/// Rounds of reads: senders answer together over 1 Gbit/s into a port of 43 packets; 100 us of propagation.
const INCAST: &str = r#"
duration = "20s"
transport = { kind = "tcp", profile = "rfc", controller = "newreno" }
[topology]
kind = "star"
senders = 32
receivers = 1
link = { rate = "1Gbit/s", delay = "25us" }
port = { kind = "droptail", limit = "43pkt" }
[[workloads]]
kind = "rounds"
from = "senders"
to = "receivers"
size = "256kB"
rounds = 10
[record]
samples = false
"#;

const FAIR: &str = "nodes=[{ name = 'receivers', host = 'fair-window' }]";

fn timeouts(results: &Results) -> u32 {
    results.flows.timeouts.iter().sum()
}

#[test]
fn fair_windows_end_incast() {
    for connections in ["persistent", "fresh"] {
        let connections = format!("workloads[0].connections={connections}");
        let plain = simulate(INCAST, &[&connections]);
        let fair = simulate(INCAST, &[&connections, FAIR]);
        assert!(timeouts(&plain) > 20, "the case must be worth checking");
        assert_eq!(timeouts(&fair), 0);
        assert_eq!(fair.links.dropped.iter().sum::<u64>(), 0);
        assert_eq!(fair.transfers.flow.len(), 320);
        // 32 times 256 kB take 65.5 ms, and more with headers.
        let rounds = fair.transfers.start.iter().copied().fold(0.0, f64::max) / 9.0;
        assert!((0.066..0.07).contains(&rounds), "a round takes {rounds} s");
    }
}

#[test]
fn a_segment_of_each_fits_the_port_or_not() {
    // The share is a segment at least: with more senders than the port and the path hold segments, packets are dropped. The
    // paper delays acknowledgements there.
    let results = |senders: u32| simulate(INCAST, &[FAIR, &format!("topology.senders={senders}")]);
    assert_eq!(timeouts(&results(40)), 0);
    assert!(timeouts(&results(64)) > 0);
}

const AGGREGATOR: &str = "nodes=[{ name = 'receivers', host = 'ia-tcp' }]";

// The port counts bytes: of 100 SYNs at once, 43 packets would have no room for many, and nothing can pace those.
#[test]
fn an_aggregator_sees_no_timeout_with_any_fan_in() {
    for senders in [1, 8, 9, 32, 64, 100] {
        for more in ["connections=persistent", "connections=fresh", "size=10kB", "request=64B"] {
            for profile in ["rfc", "linux"] {
                let (size, more) = (format!("topology.senders={senders}"), format!("workloads[0].{more}"));
                let profile = format!("transport.profile={profile}");
                let port = "topology.port.limit=64kB";
                let set = [
                    AGGREGATOR,
                    port,
                    &size,
                    "workloads[0].size=64kB",
                    "workloads[0].rounds=3",
                    &more,
                    &profile,
                ];
                let results = simulate(INCAST, &set);
                let place = format!("{senders} senders, {more}, {profile}");
                assert_eq!(timeouts(&results), 0, "{place}");
                assert_eq!(results.links.dropped.iter().sum::<u64>(), 0, "{place}");
                let answers = results.transfers.size.iter().filter(|size| **size > 64.0).count();
                assert_eq!(answers, 3 * senders, "{place}");
            }
        }
    }
}

#[test]
fn small_windows_and_sent_copies_save_timeouts() {
    // Zhang et al., ICNP 2013: lost full windows at the start, lost segments at the end. Lost retransmissions remain.
    let count = |more: &[&str]| {
        let set = ["topology.senders=20", "workloads[0].rounds=20", "transport.profile=ns2"];
        let flows = simulate(INCAST, &[&set, more].concat()).flows;
        let sum = |counts: &[u32]| counts.iter().sum::<u32>();
        (sum(&flows.timeouts_full_window), sum(&flows.timeouts_tail))
    };
    let (heads, tails) = count(&[]);
    assert!(heads > 20 && tails > 10, "the case must be worth checking: {heads}, {tails}");
    let copied = count(&["transport.unit_copies=2"]);
    assert!(copied.1 < tails / 3, "tails: {} of {tails}", copied.1);
    let gip = count(&["transport.unit_window=2", "transport.unit_copies=2"]);
    assert!(gip.0 < heads / 2 && gip.1 < tails / 2, "{gip:?} of {heads}, {tails}");
}

#[test]
fn an_aggregator_uses_its_link() {
    // Shares are whole segments, and the product knows of no transmission times: eight of eight segments in 125 us. Paced
    // acknowledgements let out what the link carries, of which 1460 of 1500 bytes are data.
    for (senders, least) in [(8, 0.73e9), (32, 0.95e9), (100, 0.95e9)] {
        let set = [AGGREGATOR, "topology.port.limit=64kB", &format!("topology.senders={senders}")];
        let results = simulate(INCAST, &set);
        let begins = results.transfers.start.iter().copied().fold(0.0, f64::max);
        let goodput = 9.0 * f64::from(senders) * 256e3 * 8.0 / begins;
        assert!((least..0.974e9).contains(&goodput), "{senders} senders: {goodput}");
    }
}

#[test]
fn a_host_without_policy_and_flows_elsewhere_are_as_before() {
    // A policy that grants all there is changes nothing, wherever it stands.
    let wide = "nodes=[{ name = 'receivers', host = { kind = 'fair-window', bdp = '32GB' } }]";
    let window = "transport.receive_window=1GB";
    let shown = |settings: &[&str]| format!("{:?}", simulate(INCAST, settings).into_tables());
    assert_eq!(shown(&[window]), shown(&[window, wide]));
}

#[test]
fn senders_that_do_not_ask_for_a_window_are_not_given_one() {
    let udp = ["transport={ kind = 'cbr', rate = '10Mbit/s' }", "workloads=[]", "duration=100ms"];
    let flows = "flows=[{ from = 'senders', to = 'receivers', size = '100kB' }]";
    let shown = |nodes: &str| {
        format!("{:?}", simulate(INCAST, &[&udp[..1], &[flows], &udp[1..], &[nodes]].concat()).into_tables())
    };
    assert_eq!(shown("nodes=[]"), shown(FAIR));
}
