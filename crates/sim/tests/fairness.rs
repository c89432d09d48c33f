//! What queues do for flows that slow down against one that does not.

#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;
use std::path::Path;

use dumbbell_core::{Results, Value};
use dumbbell_sim::{Plan, Scenario, run, toml};

fn simulate(text: &str, settings: &[&str]) -> Results {
    let mut value: Value = toml::parse(text).unwrap();
    for setting in settings {
        toml::apply_set(&mut value, setting).unwrap();
    }
    let scenario = Scenario::from_value(&value).unwrap_or_else(|e| panic!("{e}"));
    let plan = Plan::new(&scenario, Path::new(".")).unwrap_or_else(|e| panic!("{e}"));
    run(&plan, u64::MAX, |_| ControlFlow::Continue(())).unwrap()
}

/// Many TCP flows, and one of datagrams (the last pair) at `RATE`, over 10 Mbit/s.
const MIX: &str = r#"
duration = "120s"
warmup = "40s"
record = { samples = false }
[topology]
kind = "dumbbell"
pairs = PAIRS
bottleneck = { rate = "10Mbit/s", delay = "20ms", queue = "QUEUE" }
access = { rate = "100Mbit/s", delay = "5ms" }
[[flows]]
from = [SENDERS]
to = [RECEIVERS]
stagger = "20ms"
transport = { kind = "tcp", profile = "rfc", controller = "newreno" }
[[flows]]
from = "senderLAST"
to = "receiverLAST"
start = "5s"
transport = { kind = "cbr", rate = "RATE" }
"#;

/// The share of the bottleneck that the datagrams get at this rate beside so many TCP flows.
fn share_of_datagrams(queue: &str, flows: usize, rate: &str, settings: &[&str]) -> f64 {
    let side = |name: &str| (0..flows).map(|i| format!("\"{name}{i}\"")).collect::<Vec<_>>().join(", ");
    let text = MIX
        .replace("PAIRS", &(flows + 1).to_string())
        .replace("SENDERS", &side("sender"))
        .replace("RECEIVERS", &side("receiver"))
        .replace("LAST", &flows.to_string())
        .replace("RATE", rate)
        .replace("QUEUE", queue);
    let results = simulate(&text, settings);
    let goodput = &results.flows.goodput;
    goodput.last().unwrap() / goodput.iter().sum::<f64>()
}

#[test]
fn under_choke_datagrams_get_less_the_more_they_send() {
    let share = |rate| share_of_datagrams("choke", 64, rate, &[]);
    // Tang, Wang & Low, Understanding CHOKe, ToN 12(1), 2004, theorem 2: with infinitely many TCP flows the share is largest where the
    // datagrams arrive at (2e - 1) / (e + 1) of the rate of the link, and is 1 / (e + 1) = 26.9 % there; it tends to nothing beyond.
    let largest = share("11.93Mbit/s");
    assert!((0.23..0.269).contains(&largest), "{largest}");
    let shares = [largest, share("20Mbit/s"), share("50Mbit/s"), share("90Mbit/s")];
    assert!(shares.is_sorted_by(|a, b| a > b) && shares[3] < 0.05, "{shares:?}");
    assert!(share("5Mbit/s") < largest);
    // RED compares nothing, and the datagrams have the link.
    let red = &[
        "topology.bottleneck.queue={ kind = 'red', min_threshold = '100pkt', max_threshold = '200pkt', limit = '300pkt' }",
    ];
    assert!(share_of_datagrams("red", 64, "20Mbit/s", red) > 0.9);
}
