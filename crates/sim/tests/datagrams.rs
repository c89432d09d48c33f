//! Transports over datagrams that adapt to the network: TFRC, and LTTP on it.

use crate::traced::simulate;

const SHARED: &str = r#"
duration = "200s"
warmup = "50s"
[topology]
kind = "dumbbell"
pairs = 4
bottleneck = { rate = "10Mbit/s", delay = "20ms", queue = { kind = "red" } }
[[flows]]
name = "tcp"
from = ["sender0", "sender1"]
to = ["receiver0", "receiver1"]
transport = { kind = "tcp", profile = "rfc", controller = "newreno" }
[[flows]]
name = "tfrc"
from = ["sender2", "sender3"]
to = ["receiver2", "receiver3"]
transport = "tfrc"
[record]
samples = false
"#;

#[test]
fn tfrc_and_tcp_share_a_link_within_a_factor_of_two() {
    // RFC 5348 section 1: "reasonably fair", within a factor of two of a TCP under the same conditions.
    let results = simulate(SHARED, &[]);
    let goodput = &results.flows.goodput;
    let (tcp, tfrc) = (goodput[0] + goodput[1], goodput[2] + goodput[3]);
    assert!((0.5..2.0).contains(&(tfrc / tcp)), "{tfrc} beside {tcp}");
    assert!(tcp + tfrc > 8.5e6, "the link is used: {}", tcp + tfrc);
}

const INCAST: &str = r#"
duration = "20s"
transport = "lttp"
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
rounds = 5
[record]
samples = false
"#;

#[test]
fn the_goodput_of_lttp_does_not_collapse_with_many_senders() {
    // A fresh connection knows no round-trip time: of 64 first packets at once 43 find room, and the others go again a second
    // later (RFC 5348 section 4.2).
    for (connections, most) in [("persistent", 64), ("fresh", 32)] {
        for senders in [4, 32, 64].into_iter().filter(|senders| *senders <= most) {
            let set =
                [format!("topology.senders={senders}"), format!("workloads[0].connections={connections}")];
            let results = simulate(INCAST, &set.each_ref().map(String::as_str));
            let transfers = &results.transfers;
            assert_eq!(transfers.flow.len(), 5 * senders);
            let end = (0..transfers.flow.len()).map(|i| transfers.start[i] + transfers.completion_time[i]);
            let end = end.fold(0.0, f64::max);
            let goodput = 5.0 * senders as f64 * 256e3 * 8.0 / end;
            assert!(goodput > 0.3e9, "{senders} senders, {connections}: {goodput}");
        }
    }
}
