//! Power control in whole runs: what must hold whatever the traffic does, and what replays must reproduce.

use std::path::Path;

use dumbbell_core::{Results, Value};
use dumbbell_sim::{Plan, Scenario, built_in, toml};

/// The test bed of Panarello et al., shortened.
const TEST_BED: &str = r#"
seed = 5
duration = "60s"
warmup = "10s"
transport = { kind = "tcp", profile = "rfc", controller = "newreno", max_window = 20, initial_window = 2, rto_min = "200ms", ack_every = 1, sack = false }
[topology]
kind = "dumbbell"
pairs = 20
access = { rate = "100Mbit/s", delay = "10ms" }
[topology.bottleneck]
rate = "10Mbit/s"
delay = "5ms"
queue = { kind = "droptail", limit = "42pkt" }
[[workloads]]
kind = "poisson"
name = "web"
from = "senders"
to = "receivers"
link = "left->right"
load = 0.9
size = "campus-web"
[record]
drops = true
queues = "none"
samples = false
arrivals = ["left->right"]
"#;

fn simulate(text: &str, settings: &[&str]) -> Results {
    let mut value: Value = toml::parse(text).expect("TOML");
    for setting in settings {
        toml::apply_set(&mut value, setting, built_in()).expect("a setting");
    }
    let scenario = Scenario::from_value(&value, built_in()).expect("a scenario");
    let plan = Plan::new(&scenario, Path::new(".")).expect("a plan");
    crate::traced::run(&plan)
}

/// The row of the bottleneck.
fn bottleneck(results: &Results) -> usize {
    let code = results.labels.all().iter().position(|l| **l == *"left->right").expect("its name") as u32;
    results.links.link.iter().position(|l| *l == code).expect("its row")
}

/// Energy as a share of that at full rate throughout.
fn energy(results: &Results, seconds: f64) -> f64 {
    results.links.energy[bottleneck(results)] / seconds
}

#[test]
fn one_rate_is_no_control_packet_for_packet() {
    let plain = simulate(TEST_BED, &[]);
    assert!(plain.runs.packets_dropped[0] > 50, "the case must be worth checking");
    for power in ["{ policy = 'practra', rates = ['10Mbit/s'] }", "{ policy = 'fixed' }"] {
        let one = simulate(TEST_BED, &[&format!("topology.bottleneck.power={power}")]);
        assert_eq!(format!("{:?}", plain.flows), format!("{:?}", one.flows));
        assert_eq!(format!("{:?}", plain.arrivals), format!("{:?}", one.arrivals));
        assert_eq!(plain.drops.time, one.drops.time);
        assert_eq!(plain.runs.packet_hops, one.runs.packet_hops);
        let row = bottleneck(&one);
        assert_eq!(plain.links.queue_mean[row], one.links.queue_mean[row]);
        assert_eq!(one.links.transitions[row], 0);
        assert!((energy(&one, 50.0) - 1.0).abs() < 1e-12);
    }
}

#[test]
fn a_replay_without_control_loses_exactly_what_was_lost() {
    let tcp = simulate(TEST_BED, &[]);
    let udp = simulate(TEST_BED, &["replay={ link = 'left->right' }"]);
    assert_eq!(udp.flows.flow.len(), 1);
    // Time and size of every arrival, and of every loss.
    assert_eq!((&tcp.arrivals.time, &tcp.arrivals.size), (&udp.arrivals.time, &udp.arrivals.size));
    let lost = |r: &Results| -> Vec<(f64, u32)> {
        let row = bottleneck(r) as u32;
        let rows = (0..r.drops.time.len()).filter(|i| r.drops.link[*i] == row);
        rows.map(|i| (r.drops.time[i], r.drops.size[i])).collect()
    };
    assert!(lost(&tcp).len() > 50);
    assert_eq!(lost(&tcp), lost(&udp));
    let (a, b) = (bottleneck(&tcp), bottleneck(&udp));
    assert_eq!(tcp.links.sent_bytes[a], udp.links.sent_bytes[b]);
    assert_eq!(tcp.links.queue_mean[a], udp.links.queue_mean[b]);
}

#[test]
fn the_recorded_run_may_differ_from_the_replaying_one() {
    // With control in the scenario and without it in the recorded run, the packets are those of TCP alone.
    let tcp = simulate(TEST_BED, &[]);
    let replay = "replay={ link = 'left->right', set = ['topology.bottleneck.power.policy=fixed'] }";
    let udp = simulate(TEST_BED, &["topology.bottleneck.power={}", replay]);
    assert_eq!((&tcp.arrivals.time, &tcp.arrivals.size), (&udp.arrivals.time, &udp.arrivals.size));
    assert!(udp.links.transitions[bottleneck(&udp)] > 100);
    let binned =
        simulate(TEST_BED, &[&replay.replace(" set", " bin = '10ms', set"), "topology.bottleneck.power={}"]);
    let bytes = |r: &Results| r.arrivals.size.iter().map(|s| u64::from(*s)).sum::<u64>();
    assert_eq!(bytes(&binned), bytes(&tcp));
}

#[test]
fn energy_is_the_sum_over_states() {
    for policy in ["practra", "multi-up", "multi-both", "alr", "buffer-and-burst", "sleep-and-scale"] {
        let model = "{ scaling = 'dvs', static_share = 0.25, idle_share = 0.6 }";
        let power = format!("topology.bottleneck.power={{ policy = '{policy}', model = {model} }}");
        let r = simulate(TEST_BED, &[&power, "workloads[0].load=0.3", "duration=20s"]);
        let time: f64 = r.states.time.iter().sum();
        assert!((time - 10.0).abs() < 1e-9, "{policy}: {time}");
        let sum: f64 = r.states.time.iter().zip(&r.states.power).map(|(t, p)| t * p).sum();
        assert!((sum - 10.0 * energy(&r, 10.0)).abs() < 1e-9, "{policy}");
        assert!(sum < 10.0, "{policy} saves something");
        if ["practra", "multi-up", "multi-both", "alr"].contains(&policy) {
            // Without sleep and with power linear in the rate set, what is saved is at most what the carried load leaves, and what
            // the lowest of the ten rates leaves: (1 - P_s) (1 - max(0.1, load)). A packet may straddle each end.
            let linear = simulate(
                TEST_BED,
                &[&power.replace("dvs", "fs").replace("0.6", "1.0"), "workloads[0].load=0.3", "duration=20s"],
            );
            let load = linear.links.utilisation[bottleneck(&linear)];
            let most = (1.0 - 0.25) * (1.0 - f64::max(0.1, load));
            let saving = 1.0 - energy(&linear, 10.0);
            assert!(saving <= most + 0.0012 / 10.0, "{policy}: {saving} above {most}");
        }
        // Same seed, same packets: the model changes nothing but the energy.
        let fixed = simulate(
            TEST_BED,
            &[
                &power.replace("0.25", "1.0"),
                "workloads[0].load=0.3",
                "duration=20s",
                "topology.bottleneck.power.model.sleep_share=1.0",
            ],
        );
        assert!((energy(&fixed, 10.0) - 1.0).abs() < 1e-12, "{policy}");
    }
}

#[test]
fn without_pause_guard_or_patience_the_rate_is_the_load() {
    // Poisson datagrams at load 0.5. With no pause, no guard, hardly any patience and hardly any memory, the port runs at
    // the highest rate while it has something to send and at the lowest while not, so the energy saved is (1 - load)(1 - 1/n)
    // with n uniform levels, and (1 - load) in the limit.
    let text = r#"
duration = "20s"
[topology]
kind = "dumbbell"
access = { rate = "1Gbit/s", delay = "1ms" }
[topology.bottleneck]
rate = "10Mbit/s"
power = { pause = "0s", guard = "0s", in_service = "hold", policy = { kind = "practra", delay = "10ns", predictor = { kind = "ewma-tau", tau = "1us" } } }
[[flows]]
from = "senders"
to = "receivers"
transport = { kind = "poisson", rate = "5Mbit/s", packet_size = 1500 }
[record]
queues = "none"
samples = false
"#;
    for (levels, share) in [(2, 0.0), (10, 0.5), (100, 0.0), (100, 0.75)] {
        let n = f64::from(levels);
        let settings = [
            format!("topology.bottleneck.power.rates.levels={levels}"),
            format!("topology.bottleneck.power.model.static_share={share}"),
        ];
        let r = simulate(text, &settings.each_ref().map(String::as_str));
        let load = r.links.utilisation[bottleneck(&r)];
        let saving = 1.0 - energy(&r, 20.0);
        // What the carried load permits at most, and the way up and down: some microseconds for each packet.
        assert!(saving <= (1.0 - share) * (1.0 - load) + 1e-9, "{levels}: {saving}");
        let expected = (1.0 - share) * (1.0 - load) * (1.0 - 1.0 / n);
        let steps = r.links.sent[bottleneck(&r)] as f64 * 20e-6 / 20.0;
        assert!((saving - expected).abs() <= steps, "{levels}: {saving} against {expected}");
    }
}
