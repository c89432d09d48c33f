//! Remedies against flows in step: random overhead of a sender, random starts.

use std::path::Path;

use crate::traced::simulate;
use dumbbell_core::Value;
use dumbbell_sim::files::Base;
use dumbbell_sim::plan::PlannedLink;
use dumbbell_sim::{Plan, Scenario, built_in, toml};

fn scenario(text: &str, settings: &[&str]) -> Scenario {
    let mut value: Value = toml::parse(text).unwrap();
    for setting in settings {
        toml::apply_set(&mut value, setting, built_in()).unwrap();
    }
    Scenario::from_value(&value, built_in()).unwrap_or_else(|e| panic!("{e}"))
}

/// Two flows with base round-trip times of 60 and 120 ms over a link that takes 12 ms for a packet: all times are
/// multiples of it.
const IN_STEP: &str = r#"
duration = "200s"
warmup = "50s"
transport = { kind = "tcp", profile = "rfc", controller = "newreno", sack = false, ack_every = 1, limited_transmit = false }
record = { samples = false, queues = "none" }
[topology]
kind = "dumbbell"
pairs = 2
rtts = ["60ms", "120ms"]
bottleneck = { rate = "1Mbit/s", delay = "10ms", queue = { kind = "droptail", limit = "15pkt" } }
access = { rate = "10Mbit/s" }
[[flows]]
from = "senders"
to = "receivers"
"#;

#[test]
fn a_random_overhead_removes_the_phase_effect_of_droptail() {
    let share = |settings: &[&str]| {
        let goodput = simulate(IN_STEP, settings).flows.goodput;
        goodput[0] / (goodput[0] + goodput[1])
    };
    // Round-trip times with the queue, 12 to 15 packets of 12 ms: about 220 and 280 ms. The rate goes with a power of them
    // between -1 and -2: shares of 0.56 to 0.62.
    let in_step = share(&[]);
    assert!(in_step > 0.75, "{in_step}: the case must be worth checking");
    for seed in 1..=4 {
        let random = share(&["transport.overhead=12ms", &format!("seed={seed}")]);
        assert!((0.5..0.65).contains(&random), "seed {seed}: {random}");
    }
}

#[test]
fn overhead_keeps_the_order_of_each_flow() {
    let r = simulate(
        IN_STEP,
        &["transport.overhead=5ms", "topology.bottleneck.queue=droptail", "flows[0].size=500kB"],
    );
    assert_eq!(r.flows.out_of_order, [0, 0]);
    assert!(r.flows.completion_time.iter().all(|t| t.is_finite()));
    let other = simulate(
        IN_STEP,
        &["transport.overhead=5ms", "topology.bottleneck.queue=droptail", "flows[0].size=500kB", "seed=2"],
    );
    assert_ne!(r.flows.completion_time, other.flows.completion_time);
    let none = simulate(IN_STEP, &["topology.bottleneck.queue=droptail", "flows[0].size=500kB", "seed=2"]);
    let none_again = simulate(IN_STEP, &["topology.bottleneck.queue=droptail", "flows[0].size=500kB"]);
    assert_eq!(none.flows.completion_time, none_again.flows.completion_time, "no overhead, no draw");
}

const STARTS: &str = r#"
duration = "10s"
[topology]
kind = "dumbbell"
pairs = 4
[[flows]]
name = "random"
from = "senders"
to = "receivers"
count = 40
start = "1s"
stagger = "50ms"
jitter = "400ms"
size = "1kB"
[[flows]]
name = "exact"
from = "senders"
to = "receivers"
count = 4
start = "1100ms"
stagger = "1s"
size = "1kB"
"#;

#[test]
fn listed_flows_start_at_random_times_within_their_jitter() {
    let starts = |settings: &[&str], group: &str| {
        let r = simulate(STARTS, settings);
        assert!(r.flows.start.is_sorted(), "flows are numbered by their start");
        let of_group = |i: &usize| *r.labels.all()[r.flows.group[*i] as usize] == *group;
        let starts: Vec<f64> = (0..r.flows.start.len()).filter(of_group).map(|i| r.flows.start[i]).collect();
        starts
    };
    assert_eq!(starts(&[], "exact"), [1.1, 2.1, 3.1, 4.1]);
    assert_eq!(
        starts(&["flows[0].jitter=0s"], "random"),
        starts(&["flows[0].jitter=0s", "seed=2"], "random")
    );
    let random = starts(&[], "random");
    assert_eq!(random.len(), 40);
    // The n-th start of all is no earlier than the n-th without jitter, and no later than 400 ms behind it.
    for (n, start) in random.iter().enumerate() {
        let plain = 1.0 + 0.05 * n as f64;
        assert!((plain..plain + 0.4).contains(start), "{n}: {start}");
    }
    let late = random.iter().enumerate().map(|(n, start)| start - 1.0 - 0.05 * n as f64).sum::<f64>() / 40.0;
    // Mean of 40 draws from 0 to 400 ms: standard deviation 18 ms.
    assert!((0.12..0.28).contains(&late), "{late}");
    assert_ne!(random, starts(&["seed=2"], "random"));
    assert_eq!(random, starts(&["flows[1].count=2"], "random"), "a stream of its own");
}

#[test]
fn another_seed_of_the_same_plan_draws_other_starts() {
    let plan = Plan::new(&scenario(STARTS, &[]), Path::new(".")).unwrap();
    let base = Base { folder: Path::new("."), confined: false };
    let other = plan.with_seed(2, base).unwrap();
    assert_ne!(plan.listed_flows(), other.listed_flows());
    assert_eq!(plan.flows, other.flows);
    assert_eq!(shape(&plan), shape(&other), "the network is no draw");
    let fresh = Plan::new(&scenario(STARTS, &["seed=2"]), Path::new(".")).unwrap();
    assert_eq!(fresh.origin.hash(), other.origin.hash());
    assert_ne!(plan.origin.hash(), other.origin.hash());
}

/// The links of a plan: their ends, rates and delays.
fn shape(plan: &Plan) -> Vec<(u32, u32, String)> {
    let described = |link: &PlannedLink| format!("{:?}", link.direction);
    plan.links.iter().map(|link| (link.from, link.to, described(link))).collect()
}

#[test]
fn another_seed_of_a_random_network_is_another_network() {
    let random = ["topology={ kind = 'random-tree' }", "flows[1].count=15"];
    let plan = Plan::new(&scenario(STARTS, &random), Path::new(".")).unwrap();
    let base = Base { folder: Path::new("."), confined: false };
    let other = plan.with_seed(2, base).unwrap();
    let fresh = Plan::new(&scenario(STARTS, &[random[0], random[1], "seed=2"]), Path::new(".")).unwrap();
    assert_ne!(shape(&plan), shape(&other));
    assert_eq!(shape(&fresh), shape(&other));
    assert_eq!(fresh.origin.hash(), other.origin.hash());
}
