//! Controllers of data centres, from end to end: what their papers promise of rates and queues.

use std::path::Path;

use dumbbell_core::{Results, Value};
use dumbbell_sim::{Plan, Scenario, built_in, toml};

/// Hosts around a switch, 9 us of round trip; all send to one, whose link may tell how busy it is.
const STAR: &str = r#"
duration = "20ms"
warmup = "10ms"
record = { period = "10us", queues = ["switch->receiver0"] }
transport = { kind = "tcp", profile = "rfc", controller = "CONTROLLER", ack_every = 1, initial_window = 1, ecn = true }
flows = [{ from = "senders", to = "receivers" }]
[topology]
kind = "star"
senders = SENDERS
link = { rate = "RATE", delay = "2us" }
receiver_link = { rate = "RATE", delay = "2us" }
port = { kind = "droptail", limit = "100MB" }
"#;

fn run(controller: &str, senders: u32, rate: &str, settings: &[&str]) -> Results {
    let text =
        STAR.replace("CONTROLLER", controller).replace("SENDERS", &senders.to_string()).replace("RATE", rate);
    let mut value: Value = toml::parse(&text).unwrap_or_else(|e| panic!("{e}"));
    for setting in settings {
        toml::apply_set(&mut value, setting, built_in()).unwrap_or_else(|e| panic!("{e}"));
    }
    let scenario = Scenario::from_value(&value, built_in()).unwrap_or_else(|e| panic!("{e}"));
    let plan = Plan::new(&scenario, Path::new(".")).unwrap_or_else(|e| panic!("{e}"));
    crate::traced::run(&plan)
}

/// What the port to the receiver did: the share of its capacity used, the mean of packets there, drops.
fn port(results: &Results) -> (f64, f64, u64) {
    let links = &results.links;
    let i =
        (0..links.link.len()).max_by(|a, b| links.queue_mean[*a].total_cmp(&links.queue_mean[*b])).unwrap();
    (links.utilisation[i], links.queue_mean[i], links.dropped[i])
}

#[test]
fn hpcc_keeps_the_link_at_its_target_and_the_queue_near_zero() {
    let results = run("hpcc", 2, "100Gbit/s", &["topology.receiver_link.router=hpcc"]);
    let (used, queue, dropped) = port(&results);
    // U = eta / (1 - W_AI / W) at the fixed point: 0.952 with half of a round trip for each.
    assert!((used - 0.952).abs() < 0.01, "{used}");
    assert!(queue < 3.0 && dropped == 0, "{queue} {dropped}");
    assert!(results.runs.fairness[0] > 0.99, "{}", results.runs.fairness[0]);
}

#[test]
fn hpcc_stops_an_incast_as_soon_as_it_is_heard_of() {
    let settings = ["topology.receiver_link.router=hpcc", "duration=1ms", "warmup=0s", "record.period=1us"];
    let results = run("hpcc", 16, "100Gbit/s", &settings);
    let (samples, labels) = (&results.samples, results.labels.all());
    let queue: Vec<(f64, f64)> = (0..samples.time.len())
        .filter(|i| *labels[samples.metric[*i] as usize] == *"queue")
        .map(|i| (samples.time[i], samples.value[i]))
        .collect();
    let longest = queue.iter().map(|(_, packets)| *packets).fold(0.0, f64::max);
    // Each sends a round trip's worth before it hears anything: that is 15 too many, for which the link needs 15 round trips.
    assert!((700.0..1600.0).contains(&longest), "{longest}");
    // What it takes to send them at 100 Gbit/s, and six round trips.
    let (peak, _) = queue.iter().find(|(_, packets)| *packets == longest).unwrap();
    let gone = peak + longest * 0.12e-6 + 6.0 * 9e-6;
    let late: Vec<f64> = queue.iter().filter(|(time, _)| *time > gone).map(|(_, packets)| *packets).collect();
    let most = late.iter().copied().fold(0.0, f64::max);
    assert!(late.len() > 500 && most < 20.0, "{most} packets wait six round trips later");
}

/// The round-trip time in microseconds at which `flows` flows of Swift send `rate` packets a microsecond together: that which is their
/// target at the window that it takes.
fn fixed_point(flows: f64, rate: f64) -> f64 {
    let alpha = 100.0 / (1.0 / 0.1_f64.sqrt() - 1.0 / 100.0_f64.sqrt());
    let mut rtt = 40.0;
    for _ in 0..200 {
        let window: f64 = rate * rtt / flows;
        rtt = 0.5 * rtt + 0.5 * (20.0 + (alpha / window.sqrt() - alpha / 10.0).clamp(0.0, 100.0));
    }
    rtt
}

#[test]
fn swift_keeps_the_delay_at_the_target_of_its_window() {
    let results = run("swift", 10, "10Gbit/s", &["duration=60ms", "warmup=30ms"]);
    let (used, queue, dropped) = port(&results);
    assert!(used > 0.99 && dropped == 0 && results.runs.fairness[0] > 0.99, "{used} {dropped}");
    // Packets of 1500 bytes in 1.2 us: 8 us of propagation, and one transmission at the host.
    let (rate, base) = (1.0 / 1.2, 9.2);
    let expected = (fixed_point(10.0, rate) - base) * rate;
    assert!((queue / expected - 1.0).abs() < 0.15, "{queue} packets, expected {expected}");
}

#[test]
fn a_thousand_flows_of_swift_share_a_link_without_loss() {
    let settings = ["duration=60ms", "warmup=30ms", "topology.port.limit=3MB"];
    let results = run("swift", 1000, "100Gbit/s", &settings);
    let (used, queue, dropped) = port(&results);
    assert!(used > 0.99 && dropped == 0, "{used} {dropped}");
    assert!(results.runs.fairness[0] > 0.99, "{}", results.runs.fairness[0]);
    // With one segment of each in the network 1000 would wait, but for some 70 on the way; by the target it is 450.
    let rate = 100.0 / 12.0;
    let expected = (fixed_point(1000.0, rate) - 8.3) * rate;
    assert!((queue / expected - 1.0).abs() < 0.35, "{queue} packets, expected {expected}");
    assert_eq!(results.flows.timeouts.iter().map(|n| u64::from(*n)).sum::<u64>(), 0);
}

#[test]
fn timely_fills_the_link_with_a_delay_below_its_thresholds() {
    let results = run("timely", 2, "10Gbit/s", &["duration=100ms", "warmup=50ms"]);
    let (used, queue, dropped) = port(&results);
    // 50 us are 42 packets. It has no unique fixed point (Zhu et al., CoNEXT 2016), so shares may be anything.
    assert!(used > 0.9 && queue < 42.0 && dropped == 0, "{used} {queue} {dropped}");
}

#[test]
fn dcqcn_shares_a_link_between_its_thresholds() {
    let settings = ["duration=60ms", "warmup=30ms", "topology.port={ kind = 'ramp', limit = '100MB' }"];
    let results = run("dcqcn", 2, "40Gbit/s", &settings);
    let (used, queue, dropped) = port(&results);
    assert!(used > 0.97 && dropped == 0, "{used} {dropped}");
    // Kmin 5 kB and Kmax 200 kB.
    assert!((3.3..133.0).contains(&queue), "{queue}");
    assert!(results.runs.fairness[0] > 0.99, "{}", results.runs.fairness[0]);
}
