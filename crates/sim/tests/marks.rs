//! Explicit congestion notification: every queue that has a law marks what may be marked, and drops the rest.

use crate::traced::simulate;

/// Four flows over 10 Mbit/s, behind their slow start; half of what arrives is protected, for queues that look at that.
const FOUR: &str = r#"
duration = "40s"
warmup = "10s"
transport = { kind = "tcp", profile = "rfc", controller = "newreno", ecn = true }
[topology]
kind = "graph"
nodes = ["source", "edge", "sink"]
[[topology.links]]
from = "source"
to = "edge"
rate = "100Mbit/s"
delay = "5ms"
[[topology.links]]
from = "edge"
to = "sink"
rate = "10Mbit/s"
delay = "20ms"
[[flows]]
from = "source"
to = "sink"
count = 4
stagger = "100ms"
[record]
samples = false
"#;

/// Marks and drops of the queue at the bottleneck.
fn verdicts(queue: &str, more: &[&str]) -> (u64, u64) {
    let queue = format!("topology.links[1].queue={queue}");
    let results = simulate(FOUR, &[&[queue.as_str()], more].concat());
    (results.links.marked.iter().sum(), results.links.dropped.iter().sum())
}

#[test]
fn every_law_marks_ecn_packets_and_drops_others() {
    let marker = "topology.links[0].marker={ kind = 'static', share = 0.5 }";
    for (queue, more) in [
        ("codel", None),
        ("{ kind = 'red', limit = '200pkt', ecn_above_max = true }", None),
        ("{ kind = 'rio', limit = '200pkt', ecn_above_max = true }", Some(marker)),
        ("{ kind = 'wred', limit = '200pkt', ecn_above_max = true }", Some(marker)),
        ("{ kind = 'threshold', threshold = '20pkt', limit = '200pkt' }", None),
        ("{ kind = 'drr', classes = ['codel', 'codel'] }", Some(marker)),
    ] {
        let more: Vec<&str> = more.into_iter().collect();
        let (marked, dropped) = verdicts(queue, &more);
        assert!(marked > 10, "{queue}: {marked} marked");
        assert_eq!(dropped, 0, "{queue}: {marked} marked");
        let (marked, dropped) = verdicts(queue, &[&more[..], &["transport.ecn=false"]].concat());
        assert_eq!(marked, 0, "{queue}: nobody understands a mark");
        assert!(dropped > 10 || queue.contains("threshold"), "{queue}: {dropped} dropped");
    }
}
