//! Applications that write and read when they want, through a whole network: what is written arrives, at the pace of the slower of
//! both, and every packet is accounted for.

use dumbbell_core::Results;

const BASE: &str = r#"
duration = "30s"
[topology]
kind = "dumbbell"
pairs = 1
bottleneck = { rate = "10Mbit/s", delay = "10ms", queue = { kind = "droptail", limit = "1bdp" } }
access = { rate = "100Mbit/s", delay = "5ms" }
[[flows]]
from = "senders"
to = "receivers"
"#;

fn simulate(settings: &[&str]) -> Results {
    let results = crate::traced::simulate(BASE, settings);
    let r = &results.runs;
    assert_eq!(
        r.total_sent[0] + r.total_originated[0] + r.total_duplicated[0],
        r.total_delivered[0] + r.total_dropped[0] + r.packets_inside[0],
        "{settings:?}"
    );
    results
}

/// The values of a series of flow 0, with their times.
fn series(results: &Results, name: &str) -> Vec<(f64, f64)> {
    let (s, labels) = (&results.samples, results.labels.all());
    (0..s.time.len())
        .filter(|i| *labels[s.metric[*i] as usize] == *name && s.id[*i] == 0)
        .map(|i| (s.time[i], s.value[i]))
        .collect()
}

#[test]
fn a_list_gives_a_flow_its_size_and_its_end() {
    let list = "flows[0].application={ kind = 'listed', actions = [{ at = '0s', bytes = '100kB' }, \
        { at = '5s', bytes = '1B' }, { at = '10s', bytes = '200kB' }] }";
    for profile in ["transport.profile=linux", "transport.profile=rfc"] {
        let results = simulate(&[profile, list]);
        assert_eq!(results.flows.size[0], 300_001.0);
        assert_eq!(results.flows.delivered[0], 300_001);
        let end = results.flows.completion_time[0];
        // 200 kB take 0.166 s at 10 Mbit/s with headers, and some round trips.
        assert!((10.16..10.5).contains(&end), "{profile}: {end}");
        assert!(results.flows.sender_completion_time[0] > end, "{profile}");
    }
}

#[test]
fn an_application_of_a_rate_is_not_faster_than_its_rate() {
    let rate = "flows[0].application={ kind = 'rate', rate = '2Mbit/s' }";
    for profile in ["transport.profile=linux", "transport.profile=rfc"] {
        let results = simulate(&[profile, rate, "warmup=5s"]);
        let goodput = results.flows.goodput[0];
        assert!((goodput / 2e6 - 1.0).abs() < 0.01, "{profile}: {goodput}");
        assert!(results.flows.completion_time[0].is_nan(), "it has no end");
    }
}

#[test]
fn a_slow_reader_holds_the_sender_to_its_rate() {
    let reader = "flows[0].reader={ kind = 'rate', rate = '1Mbit/s' }";
    let buffer = ["transport.receive_window=200kB", "transport.initial_receive_window=200kB"];
    for profile in ["transport.profile=linux", "transport.profile=rfc"] {
        let results = simulate(&[&[profile, reader, "warmup=10s"], &buffer[..]].concat());
        let goodput = results.flows.goodput[0];
        assert!((goodput / 1e6 - 1.0).abs() < 0.02, "{profile}: {goodput}");
        let unread = series(&results, "unread");
        assert!(unread.iter().all(|(_, value)| *value <= 200_000.0), "{profile}");
        assert!(unread.iter().any(|(_, value)| *value > 180_000.0), "{profile}: {unread:?}");
        assert_eq!(results.flows.timeouts[0], 0, "{profile}");
    }
    // Without a reader nothing waits, and nothing is written about it.
    assert!(series(&simulate(&[]), "unread").is_empty());
}

#[test]
fn pauses_of_a_reader_end_with_everything_read_whatever_is_lost() {
    let reader =
        "flows[0].reader={ kind = 'on-off', rate = '8Mbit/s', mean_on = '300ms', mean_off = '700ms' }";
    let lossy = "topology.bottleneck.loss=0.05";
    for profile in ["transport.profile=linux", "transport.profile=rfc", "transport.profile=bsd"] {
        for seed in ["seed=1", "seed=2", "seed=3"] {
            let results = simulate(&[profile, reader, lossy, seed, "flows[0].size=1MB", "duration=600s"]);
            assert!(results.flows.completion_time[0].is_finite(), "{profile}, {seed}");
        }
    }
}

#[test]
fn every_flow_of_a_group_has_draws_of_its_own() {
    let app =
        "flows[0].application={ kind = 'on-off', rate = '1Mbit/s', mean_on = '100ms', mean_off = '100ms' }";
    let run = |seed: &str| {
        let results = simulate(&[app, "topology.pairs=3", seed]);
        results.flows.delivered
    };
    let first = run("seed=1");
    assert_eq!(first, run("seed=1"));
    assert_ne!(first, run("seed=2"));
    assert!(first[0] != first[1] && first[1] != first[2], "{first:?}");
}

#[test]
fn a_large_window_drops_no_more_than_the_kernel_does() {
    // The kernel, measured: 2.359 s and no drop.
    let path = [
        "topology.bottleneck.rate=100Mbit/s",
        "topology.bottleneck.delay=48ms",
        "topology.access={ rate = '10Gbit/s', delay = '1ms' }",
        "topology.bottleneck.queue={ kind = 'droptail', limit = '2bdp' }",
        "flows[0].size=20MB",
        "transport.controller=newreno",
    ];
    let ours = simulate(&path);
    assert_eq!(ours.flows.dropped[0], 0);
    let end = ours.flows.completion_time[0];
    assert!((end / 2.359 - 1.0).abs() < 0.02, "{end}");
    let unlimited = simulate(&[&path[..], &["transport.send_buffer=unlimited"]].concat());
    assert!(unlimited.flows.dropped[0] > 1000);
}
