//! Random early detection from end to end: the averages that it keeps, what it drops and marks, and who is dropped first.

use crate::traced::untraced as simulate;

/// Sixteen flows, and `more` from the twentieth second on; what is measured begins twenty seconds later.
const STEP: &str = r#"
duration = "100s"
warmup = "40s"
transport = { kind = "tcp", profile = "rfc", controller = "newreno", ecn = true }
record = { samples = false }
[topology]
kind = "dumbbell"
pairs = 48
bottleneck = { rate = "20Mbit/s", delay = "20ms", queue = { kind = "red", min_threshold = "20pkt", max_threshold = "60pkt", limit = "500pkt" } }
access = { rate = "100Mbit/s", delay = "5ms" }
[[flows]]
from = "SENDERS"
to = "RECEIVERS"
stagger = "100ms"
[[flows]]
from = "senders"
to = "receivers"
start = "20s"
stagger = "10ms"
"#;

/// The mean queue of the bottleneck.
fn queue_mean(settings: &[&str]) -> f64 {
    let side = |name: &str| (0..16).map(|i| format!("\"{name}{i}\"")).collect::<Vec<_>>().join(", ");
    let sides = [("SENDERS", "sender"), ("RECEIVERS", "receiver")];
    let named = |text: String, (word, name): (&str, &str)| {
        text.replace(&format!("\"{word}\""), &format!("[{}]", side(name)))
    };
    let results = simulate(&sides.into_iter().fold(STEP.to_owned(), named), settings);
    results.links.queue_mean.iter().copied().fold(0.0, f64::max)
}

#[test]
fn adaptive_red_recovers_from_a_step_of_the_load() {
    // Floyd, Gummadi & Shenker 2001: from 20 to 60 the band is 36 to 44. A packet in transmission counts in the table, and not in
    // the average.
    let adaptive = "topology.bottleneck.queue.adaptive={}";
    let before = "flows[1].start=100s";
    let [few, many] = [vec![before, adaptive], vec![adaptive]].map(|settings| queue_mean(&settings) - 1.0);
    assert!((36.0..=44.0).contains(&few) && (36.0..=44.0).contains(&many), "{few}, {many}");
    // RED that does not adapt leaves the band: more flows have a longer queue.
    let [few, many] = [vec![before], vec![]].map(|settings| queue_mean(&settings) - 1.0);
    assert!(few < 44.0 && many > 50.0, "{few}, {many}");
}

/// Datagrams of 1500 bytes at 18 Mbit/s into 12, of which a token bucket marks 6 as protected.
const MARKED: &str = r#"
duration = "20s"
warmup = "5s"
transport = { kind = "poisson", rate = "18Mbit/s" }
record = { drops = true, samples = false }
flows = [{ from = "senders", to = "receivers" }]
[topology]
kind = "chain"
[topology.link]
rate = "12Mbit/s"
delay = "1ms"
queue = "rio"
marker = { kind = "token-bucket", rate = "6Mbit/s", burst = "6kB" }
"#;

#[test]
fn unprotected_packets_are_dropped_first() {
    let rio = simulate(MARKED, &[]);
    let arrived = &rio.classes.arrived[..2];
    // 500 of 1500 packets a second are protected, nearly: tokens are lost where Poisson arrivals leave the bucket full.
    assert!(arrived[0] > 7_000 && arrived[0] < 7_600 && arrived[1] > 14_000, "{arrived:?}");
    let dropped = &rio.classes.dropped[..2];
    assert!(dropped[0] == 0 && dropped[1] > 7_000, "{dropped:?}");
    assert!(rio.drops.class.iter().all(|class| *class == 1));
    // A queue that tells nothing apart drops both alike.
    let unmarked: Vec<&str> = MARKED.lines().filter(|line| !line.starts_with("marker")).collect();
    let plain = simulate(&unmarked.join("\n"), &["topology.link.queue=red"]);
    assert!((plain.links.loss[0] - 1.0 / 3.0).abs() < 0.02, "{:?}", plain.links.loss);
    // One average for both, and thresholds that differ: the first class loses nothing either.
    let classes = "{ min_threshold = '50pkt', max_threshold = '70pkt', max_probability = 0.1 }, { min_threshold = '10pkt', max_threshold = '30pkt', max_probability = 0.2 }";
    let wred =
        simulate(MARKED, &[&format!("topology.link.queue={{ kind = 'wred', classes = [{classes}] }}")]);
    let dropped = &wred.classes.dropped[..2];
    assert!(dropped[0] == 0 && dropped[1] > 7_000, "{dropped:?}");
}

#[test]
fn red_marks_and_drops_by_what_transports_understand() {
    let queue = |ecn: bool| format!("topology.bottleneck.queue.ecn={ecn}");
    let counts = |ecn| {
        let text = STEP.replace("SENDERS", "sender0").replace("RECEIVERS", "receiver0");
        let results =
            simulate(&text, &[queue(ecn).as_str(), "topology.bottleneck.queue.max_probability=0.2"]);
        let sum = |column: &[u64]| column.iter().sum::<u64>();
        (sum(&results.links.marked), sum(&results.links.dropped))
    };
    let (marked, dropped) = counts(true);
    assert!(marked > 1_000 && dropped < marked / 10, "{marked} {dropped}");
    let (marked, dropped) = counts(false);
    assert!(marked == 0 && dropped > 1_000, "{marked} {dropped}");
}
