//! Buffers that the ports of a switch share.

use std::path::Path;

use crate::traced::simulate;
use dumbbell_core::Results;
use dumbbell_sim::{Plan, Scenario};

/// Two sources of datagrams of 1500 bytes to each receiver, which overload its port.
const HOT: &str = r#"
duration = "1s"
warmup = "500ms"
transport = { kind = "cbr", rate = "90Mbit/s" }
nodes = [{ name = "switch", buffer = { size = "300kB" } }]
record = { queues = "all", period = "1ms", samples = false, drops = true }
[topology]
kind = "star"
senders = 8
receivers = 4
link = { rate = "100Mbit/s", delay = "10us" }
port = "droptail"
[[flows]]
from = ["sender0", "sender1", "sender2", "sender3", "sender4", "sender5", "sender6", "sender7"]
stagger = "37us"
to = ["receiver0", "receiver0", "receiver1", "receiver1", "receiver2", "receiver2", "receiver3", "receiver3"]
"#;

/// Of each port to a receiver the median number of packets that waited, without the one in transmission.
fn waiting(results: &Results) -> Vec<f64> {
    let links = &results.links;
    let is_port = |i: &usize| results.labels.all()[links.link[*i] as usize].starts_with("switch->receiver");
    let waiting = |i: usize| (links.queue_p50[i] - 1.0).max(0.0);
    (0..links.rows()).filter(is_port).map(waiting).collect()
}

#[test]
fn hot_ports_get_their_closed_form() {
    for (alpha, hot) in [0.25, 1.0, 4.0].into_iter().flat_map(|alpha| (1..=4_u8).map(move |hot| (alpha, hot)))
    {
        let settings = [format!("nodes[0].buffer.alpha={alpha:?}"), format!("flows[0].count={}", 2 * hot)];
        let results = simulate(HOT, &settings.each_ref().map(String::as_str));
        // Choudhury & Hahne: alpha / (1 + k alpha) of the buffer for each of k ports. More than two that
        // send at about the same time take a packet or two of one another's share.
        let share = alpha * 300_000.0 / (1.0 + f64::from(hot) * alpha) / 1500.0;
        let found = waiting(&results);
        let (full, empty) = found.split_at(hot.into());
        let mean = full.iter().sum::<f64>() / full.len() as f64;
        assert!((mean - share).abs() <= 1.0, "{hot} ports, alpha {alpha}: {found:?}, not {share}");
        let each = full.iter().all(|n| (n - share).abs() <= 1.0);
        assert!(each || hot > 2, "{hot} ports, alpha {alpha}: {found:?}, not {share}");
        assert!(empty.iter().all(|n| *n == 0.0));
        let reasons: Vec<&str> =
            results.drops.reason.iter().map(|code| &*results.labels.all()[*code as usize]).collect();
        assert!(reasons.len() > 1000 && reasons.iter().all(|reason| *reason == "shared-buffer"));
    }
}

#[test]
fn the_limit_of_a_port_holds_beside_the_buffer() {
    let results = simulate(HOT, &["topology.port={ kind = 'droptail', limit = '7pkt' }"]);
    assert!(waiting(&results).iter().all(|n| [6.0, 7.0].contains(n)), "{:?}", waiting(&results));
    let reasons = results.drops.reason.iter().map(|code| &*results.labels.all()[*code as usize]);
    assert!(reasons.clone().count() > 1000 && reasons.clone().all(|reason| reason == "overflow"));
}

#[test]
fn a_buffer_that_is_never_short_changes_nothing() {
    // TCP into two ports, through CoDel, which drops what has waited too long.
    let tcp = ["transport=tcp", "topology.port=codel", "flows[0].count=4"];
    let shown = |settings: &[&str]| {
        let results = simulate(HOT, settings);
        format!("{:?} {:?}", results.flows, results.drops)
    };
    let large = shown(&[&tcp[..], &["nodes[0].buffer.size=1GB"]].concat());
    assert_eq!(large, shown(&[&tcp[..], &["nodes=[]"]].concat()));
    assert_ne!(large, shown(&[&tcp[..], &["nodes[0].buffer.size=6kB"]].concat()));
}

#[test]
fn check_shows_what_one_port_may_fill() {
    let scenario = Scenario::from_toml(HOT).unwrap();
    let facts = Plan::new(&scenario, Path::new(".")).unwrap().explain();
    let link = |name: &str| facts.links.iter().find(|l| l.name == name).unwrap();
    assert_eq!(
        (link("switch->receiver0").shared_buffer, link("switch->receiver0").buffer_bytes),
        (Some(300_000), Some(150_000))
    );
    assert_eq!((link("sender0->switch").shared_buffer, link("sender0->switch").buffer_bytes), (None, None));
}
