//! End points on links that delay, reorder and duplicate, and what the tables say of such links.

use std::path::Path;

use dumbbell_core::{Results, Value};
use dumbbell_sim::{Plan, Scenario, built_in, toml};

fn results(text: &str, settings: &[&str], folder: &Path) -> Results {
    let mut value: Value = toml::parse(text).unwrap();
    for setting in settings {
        toml::apply_set(&mut value, setting, built_in()).unwrap();
    }
    let scenario = Scenario::from_value(&value, built_in()).unwrap_or_else(|e| panic!("{e}"));
    let plan = Plan::new(&scenario, folder).unwrap_or_else(|e| panic!("{e}"));
    crate::traced::run(&plan)
}

fn simulate(text: &str, settings: &[&str]) -> Results {
    results(text, settings, Path::new("."))
}

/// Twenty short flows, one after the other, over a path that does everything to packets, both ways.
const ROUGH: &str = r#"
duration = "20s"
drain = "2000s"
[topology]
kind = "dumbbell"
pairs = 4
access = { rate = "100Mbit/s", delay = "2ms" }
[topology.bottleneck]
rate = "10Mbit/s"
delay = "20ms"
loss = 0.01
impairments = [
    { kind = "jitter", spread = "5ms", keep_order = false },
    { kind = "reordering", probability = 0.02, packets = 4 },
    { kind = "reordering", probability = 0.02, packets = 4, place = "ahead" },
    { kind = "duplication", probability = 0.05 },
]
reverse = { loss = 0.01, impairments = [
    { kind = "reordering", probability = 0.05, delay = "15ms" },
    { kind = "duplication", probability = 0.05 },
] }
[[flows]]
from = "senders"
to = "receivers"
count = 20
stagger = "500ms"
size = "200kB"
"#;

#[test]
fn every_controller_delivers_every_byte_over_a_rough_path() {
    for controller in ["tahoe", "reno", "newreno", "cubic"] {
        for (sack, timestamps) in [(true, false), (false, false), (true, true), (false, true)] {
            let transport = format!(
                "transport={{ kind = 'tcp', controller = '{controller}', sack = {sack}, timestamps = {timestamps} }}"
            );
            let r = simulate(ROUGH, &[&transport]);
            let what = format!("{controller}, sack {sack}, timestamps {timestamps}");
            assert_eq!(r.flows.delivered, [200_000; 20], "{what}");
            assert!(r.flows.completion_time.iter().all(|t| t.is_finite()), "{what}");
            assert!(r.flows.sender_completion_time.iter().all(|t| t.is_finite()), "{what}");
            assert!(r.runs.total_duplicated[0] > 100, "{what}: the case must be worth checking");
            assert!(r.links.reordered.iter().sum::<u64>() > 100, "{what}: the case must be worth checking");
        }
    }
}

#[test]
fn packets_and_their_copies_are_conserved() {
    for settings in [&[][..], &["warmup=5s"], &["warmup=5s", "drain=0s", "duration=7s"]] {
        let r = simulate(ROUGH, settings).runs;
        let out = r.total_delivered[0] + r.total_dropped[0] + r.packets_inside[0];
        assert_eq!(r.total_sent[0] + r.total_duplicated[0], out);
        assert!(r.total_duplicated[0] > 0 && r.total_dropped[0] > 0, "the case must be worth checking");
    }
}

#[test]
fn the_run_and_its_links_count_the_same_interval() {
    let codel = "topology.bottleneck.queue=codel";
    for settings in [
        &[][..],
        &["warmup=5s"],
        &["warmup=5s", codel],
        &["warmup=5s", "topology.bottleneck.impairments=[]", codel],
    ] {
        let all: Vec<&str> = settings.iter().copied().chain(["flows[0].size=2MB"]).collect();
        let r = simulate(ROUGH, &all);
        assert_eq!(r.runs.packets_dropped[0], r.links.dropped.iter().sum::<u64>(), "{settings:?}");
        assert_eq!(r.runs.packets_duplicated[0], r.links.duplicated.iter().sum::<u64>(), "{settings:?}");
        assert!(r.runs.packets_dropped[0] > 0, "the case must be worth checking");
        assert!(
            r.runs.packets_sent[0] < r.runs.total_sent[0],
            "warm-up and drain are of the whole run alone"
        );
    }
}

#[test]
fn a_drop_is_noted_at_the_link_that_dropped() {
    // Where the link behind is entered ahead of time, CoDel drops in the same event in which another packet leaves.
    let text = r#"
        duration = "20s"
        record = { drops = true }
        [topology]
        kind = "dumbbell"
        bottleneck = { rate = "10Mbit/s", queue = "codel" }
        [[flows]]
        from = "senders"
        to = "receivers"
    "#;
    let r = simulate(text, &[]);
    let bottleneck = r.links.dropped.iter().position(|n| *n > 0).unwrap() as u32;
    assert_eq!(r.drops.link.len() as u64, r.links.dropped.iter().sum::<u64>());
    assert!(r.drops.link.len() > 10, "the case must be worth checking");
    assert!(r.drops.link.iter().all(|link| *link == bottleneck), "{:?}", r.drops.link);
}

#[test]
fn a_flow_of_datagrams_counts_no_byte_twice() {
    let text = r#"
        duration = "100s"
        transport = { kind = "cbr", rate = "1Mbit/s" }
        [topology]
        kind = "chain"
        link = { rate = "10Mbit/s", delay = "10ms", loss = 0.01, impairments = [
            { kind = "duplication", probability = 0.2 }, { kind = "reordering", probability = 0.1, packets = 3 } ] }
        [[flows]]
        from = "node0"
        to = "node1"
    "#;
    let r = simulate(text, &[]);
    assert!(r.links.duplicated[0] > 1000 && r.links.reordered[0] > 500, "the case must be worth checking");
    let payload = r.runs.total_sent[0] * 1472;
    let delivered = r.flows.delivered[0];
    assert!(delivered < payload, "{delivered} of {payload}");
    // Lost are those whose only copy is: 0.8 * 0.01 + 0.2 * 0.01^2 of 8,500; standard deviation 8.
    assert!(payload - delivered < 110 * 1472, "{delivered} of {payload}");
}

#[test]
fn the_utilisation_of_a_recorded_link_is_of_its_offer() {
    let folder = tempfile::tempdir().unwrap();
    // Slow for five seconds, then ten times as fast.
    let slow = (1..=500).map(|i| i * 10);
    let fast = (5_001..=10_000).chain(5_001..=10_000);
    let mut times: Vec<u32> = slow.chain(fast).collect();
    times.sort_unstable();
    let lines: Vec<String> = times.iter().map(u32::to_string).collect();
    std::fs::write(folder.path().join("steps.trace"), lines.join("\n") + "\n").unwrap();
    let text = r#"
        duration = "10s"
        transport = { kind = "cbr", rate = "50Mbit/s", packet_size = 1500 }
        [topology]
        kind = "chain"
        link = { rate = "1Mbit/s", queue = { kind = "droptail", limit = "50pkt" }, trace = { file = "steps.trace" } }
        [[flows]]
        from = "node0"
        to = "node1"
    "#;
    for settings in [
        &[][..],
        &["warmup=5s"],
        &["duration=4s"],
        &["duration=15s", "warmup=12s"],
        &["transport.packet_size=300"],
    ] {
        let utilisation = results(text, settings, folder.path()).links.utilisation[0];
        assert!((utilisation - 1.0).abs() < 0.005, "{settings:?}: {utilisation}");
    }
}

#[test]
fn a_changing_capacity_is_sampled_as_the_link_has_it() {
    let folder = tempfile::tempdir().unwrap();
    // A packet every 10 ms for five seconds, then every millisecond.
    let times = (1..=500).map(|i| i * 10).chain(5_001..=10_000);
    let lines: Vec<String> = times.map(|time: u32| time.to_string()).collect();
    std::fs::write(folder.path().join("steps.trace"), lines.join("\n") + "\n").unwrap();
    let text = |link: &str| {
        format!(
            r#"
            duration = "10s"
            transport = {{ kind = "cbr", rate = "50Mbit/s", packet_size = 1500 }}
            record = {{ period = "1s" }}
            [topology]
            kind = "chain"
            link = {{ rate = "1.2Mbit/s", queue = {{ kind = "droptail", limit = "50pkt" }}, {link} }}
            [[flows]]
            from = "node0"
            to = "node1"
            "#
        )
    };
    let trace = r#"trace = { file = "steps.trace" }"#;
    let steps = r#"rate_changes = [{ at = "5s", rate = "12Mbit/s" }]"#;
    for (link, links) in [(trace, 1), (steps, 1), ("loss = 0.0", 0)] {
        let results = results(&text(link), &[], folder.path());
        let (samples, labels) = (&results.samples, results.labels.all());
        let of = |name: &str| -> Vec<f64> {
            let rows = (0..samples.value.len()).filter(|i| *labels[samples.metric[*i] as usize] == *name);
            rows.map(|i| samples.value[i]).collect()
        };
        let capacity = of("capacity");
        let expected: Vec<f64> = [[1.2e6; 5], [12e6; 5]].concat();
        assert_eq!(capacity, expected.repeat(links), "{link}");
        // A link that always has something to send sends as much.
        for (could, sent) in capacity.iter().zip(of("throughput")) {
            assert!((sent / could - 1.0).abs() < 0.02, "{link}: {sent} of {could}");
        }
    }
}

#[test]
fn a_queue_that_starts_no_packet_in_a_silence_uses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("silent.trace"), "1\n60000\n").unwrap();
    let text = r#"
        duration = "10s"
        warmup = "1s"
        transport = { kind = "cbr", rate = "1Mbit/s" }
        [topology]
        kind = "chain"
        link = { rate = "1Mbit/s", trace = { file = "silent.trace" } }
        [[flows]]
        from = "node0"
        to = "node1"
    "#;
    assert_eq!(results(text, &[], folder.path()).links.utilisation[0], 0.0);
}

#[test]
fn a_round_trip_time_too_short_for_the_jitter_is_refused() {
    let refused = |settings: &[&str]| {
        let mut value: Value = toml::parse(ROUGH).unwrap();
        settings.iter().for_each(|setting| toml::apply_set(&mut value, setting, built_in()).unwrap());
        Scenario::from_value(&value, built_in()).unwrap_err().to_string()
    };
    let jitter = "topology.access.impairments=[{ kind = 'jitter', spread = '1ms' }]";
    assert_eq!(
        refused(&[jitter, "topology.rtts=['100ms', '80ms', '43ms', '90ms']"]),
        "topology.access.impairments[0].spread: 1ms less than a delay of 750us would be negative; \
         lower it or raise the link's `delay`"
    );
    assert_eq!(
        refused(&["topology.bottleneck.reverse.impairments=[{ kind = 'jitter', spread = '21ms' }]"]),
        "topology.bottleneck.reverse.impairments[0].spread: 21ms less than a delay of 20ms would be negative; \
         lower it or raise the link's `delay`"
    );
}
