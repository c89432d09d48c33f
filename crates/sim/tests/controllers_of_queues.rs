//! Laws that hold a queue, or the time that packets wait, at a target: from end to end.

use crate::traced::untraced as simulate;

/// So many TCP flows over 15 Mbit/s with round-trip times of 60 ms.
const LONG: &str = r#"
duration = "150s"
warmup = "50s"
transport = { kind = "tcp", profile = "rfc", controller = "newreno", ecn = true }
record = { samples = false }
[topology]
kind = "dumbbell"
pairs = FLOWS
bottleneck = { rate = "15Mbit/s", delay = "20ms", queue = QUEUE }
access = { rate = "100Mbit/s", delay = "5ms" }
[[flows]]
from = "senders"
to = "receivers"
stagger = "50ms"
"#;

/// The mean queue of the bottleneck without the packet in transmission, and the share of packets that is marked.
fn queue_and_marks(queue: &str, flows: usize, settings: &[&str]) -> (f64, f64) {
    let text = LONG.replace("FLOWS", &flows.to_string()).replace("QUEUE", queue);
    let results = simulate(&text, settings);
    let links = &results.links;
    let i =
        (0..links.link.len()).max_by(|a, b| links.queue_mean[*a].total_cmp(&links.queue_mean[*b])).unwrap();
    (links.queue_mean[i] - links.utilisation[i], links.marked[i] as f64 / links.arrived[i] as f64)
}

#[test]
fn pi_and_rem_hold_the_target_for_any_number_of_flows() {
    // The probability of PI moves by some 1e-5 a second for each packet beyond the target.
    let slow = &["duration=400s", "warmup=250s"];
    for (queue, target) in
        [(r#"{ kind = "pi", limit = "500pkt" }"#, 50.0), (r#"{ kind = "rem", limit = "500pkt" }"#, 20.0)]
    {
        let found = [10, 20, 40].map(|flows| queue_and_marks(queue, flows, slow));
        assert!(found.iter().all(|(mean, _)| (mean - target).abs() < 0.25 * target), "{queue}: {found:?}");
        // Not the queue tells of more flows, but the marks.
        assert!(found.is_sorted_by(|a, b| 1.5 * a.1 < b.1), "{queue}: {found:?}");
    }
    // Under RED the queue grows with the flows.
    let red = r#"{ kind = "red", min_threshold = "20pkt", max_threshold = "150pkt", max_probability = 0.1, limit = "500pkt" }"#;
    let [few, many] = [10, 40].map(|flows| queue_and_marks(red, flows, &[]).0);
    assert!(many > 2.0 * few, "{few} {many}");
}

#[test]
fn codel_pie_and_their_like_hold_the_wait_near_the_target() {
    // RFC 7928 section 5: TCP-friendly senders, from few to many. At 15 Mbit/s a packet of 1500 bytes takes 0.8 ms.
    for (queue, flows, most) in [
        ("\"codel\"", 5, 12.0),
        ("\"codel\"", 30, 25.0),
        ("\"pie\"", 5, 20.0),
        ("\"pie\"", 30, 20.0),
        ("\"cobalt\"", 5, 12.0),
        ("\"cobalt\"", 30, 25.0),
        ("\"dualpi2\"", 5, 22.0),
        ("\"dualpi2\"", 30, 22.0),
    ] {
        let (mean, _) = queue_and_marks(queue, flows, &[]);
        let wait = 0.8 * mean;
        assert!(wait < most, "{queue} with {flows} flows: {wait} ms");
    }
    let (droptail, _) = queue_and_marks(r#"{ kind = "droptail", limit = "1000pkt" }"#, 30, &[]);
    assert!(0.8 * droptail > 200.0);
}
