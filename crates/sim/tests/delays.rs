//! One-way delays of packets, and the times that they stay at links.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use dumbbell_core::table::{ColumnData, Table};
use dumbbell_core::{Results, Value};
use dumbbell_sim::{Plan, Scenario, built_in, run, toml};

fn plan(text: &str, settings: &[&str]) -> Arc<Plan> {
    let mut value: Value = toml::parse(text).unwrap();
    settings.iter().for_each(|setting| toml::apply_set(&mut value, setting, built_in()).unwrap());
    let scenario = Scenario::from_value(&value, built_in()).unwrap_or_else(|e| panic!("{e}"));
    Plan::new(&scenario, Path::new(".")).unwrap_or_else(|e| panic!("{e}"))
}

fn simulate(text: &str, settings: &[&str]) -> Results {
    run(&plan(text, settings), u64::MAX, |_| ControlFlow::Continue(())).expect("nobody stops it")
}

/// The bottleneck takes 1.2 ms for a packet of 1500 bytes, the two access links 0.12 ms each; 7 ms on the way.
const DUMBBELL: &str = r#"
    duration = "10s"
    warmup = "1s"
    transport = { kind = "tcp", controller = "cubic" }
    [topology]
    kind = "dumbbell"
    pairs = 2
    bottleneck = { rate = "10Mbit/s", delay = "5ms", queue = { kind = "droptail", limit = "30pkt" } }
    access = { rate = "100Mbit/s", delay = "1ms" }
    [[flows]]
    from = "senders"
    to = "receivers"
    stagger = "300ms"
"#;

const ALL: [&str; 2] = ["record.delays=true", "record.sojourns=all"];

fn near(value: f64, expected: f64, within: f64) -> bool {
    (value / expected - 1.0).abs() <= within
}

#[test]
fn delays_of_a_lone_stream_are_those_of_the_path() {
    let cbr = ["transport={ kind = \"cbr\", rate = \"2Mbit/s\" }", "topology.pairs=1"];
    let results = simulate(DUMBBELL, &[&cbr[..], &ALL].concat());
    let bits = 8.0 * results.links.sent_bytes[0] as f64 / results.links.sent[0] as f64;
    let path = 0.007 + bits / 10e6 + 2.0 * bits / 100e6;
    let flows = &results.flows;
    for value in
        [flows.delay_mean[0], flows.delay_p50[0], flows.delay_p95[0], flows.delay_p99[0], flows.delay_max[0]]
    {
        assert!(near(value, path, 1e-6), "{value} of {path}");
    }
    assert!(flows.delay_sd[0] < 1e-8);
    assert!(near(results.links.sojourn_p50[0], bits / 10e6, 1e-6));
}

#[test]
fn delays_of_tcp_lie_between_the_path_and_a_full_queue() {
    let results = simulate(DUMBBELL, &ALL);
    let (flows, link) = (&results.flows, &results.links);
    let (shortest, longest) = (0.007 + 1.44e-3, 0.007 + 1.44e-3 + 31.0 * 1.2e-3);
    for flow in 0..2 {
        let [p50, p95, p99, max] = [&flows.delay_p50, &flows.delay_p95, &flows.delay_p99, &flows.delay_max]
            .map(|column| column[flow]);
        assert!(shortest <= p50 && p50 <= p95 && p95 <= p99 && p99 <= max && max <= longest, "{p50} {max}");
        assert!(shortest < flows.delay_mean[flow] && flows.delay_mean[flow] < longest);
    }
    let bottleneck = (0..link.rate.len()).find(|i| link.rate[*i] == 10e6 && link.dropped[*i] > 0).unwrap();
    // A packet with its queue: the buffer, the one in transmission and itself.
    assert!(near(link.sojourn_max[bottleneck], 31.0 * 1.2e-3, 0.02), "{}", link.sojourn_max[bottleneck]);
    assert!(link.sojourn_p50[bottleneck] < link.sojourn_p99[bottleneck]);
    // What a flow meets besides the queue is constant.
    let waits = flows.delay_p50[0] - link.sojourn_p50[bottleneck];
    assert!((waits - 0.00724).abs() < 0.003, "{waits}");
}

#[test]
fn the_warm_up_does_not_count() {
    // The queue is full in slow start, and later half so.
    let early = simulate(DUMBBELL, &["warmup=0s", ALL[0], ALL[1], "duration=9s", "flows[0].stagger=0s"]);
    let late = simulate(DUMBBELL, &["warmup=8990ms", ALL[0], ALL[1], "duration=9s", "flows[0].stagger=0s"]);
    assert!(late.flows.delay_max[0] < early.flows.delay_max[0]);
    assert!(late.links.sojourn_max[0] < early.links.sojourn_max[0]);
    assert_eq!(late.flows.delay_mean, early.flows.delay_mean, "of the whole run");
}

/// The columns of a table but those of delays, and of samples the rows that are none.
fn but_delays(table: &Table) -> Vec<(String, Vec<u64>)> {
    let text = |table: &Table, code: u32| table.labels[code as usize].to_string();
    let kept: Vec<usize> = match table.columns.iter().find(|(column, _)| column.name == "metric") {
        Some((_, ColumnData::Label(codes))) => {
            (0..codes.len()).filter(|row| !text(table, codes[*row]).starts_with("delay")).collect()
        }
        _ => (0..table.rows()).collect(),
    };
    let noted =
        |name: &str| name.starts_with("delay_") || (name.starts_with("sojourn_") && name != "sojourn_mean");
    let columns = table.columns.iter().filter(|(column, _)| !noted(column.name));
    let bits = |data: &ColumnData| -> Vec<u64> {
        let all: Vec<u64> = match data {
            ColumnData::U32(values) => values.iter().map(|v| u64::from(*v)).collect(),
            ColumnData::U64(values) => values.clone(),
            ColumnData::F64(values) => values.iter().map(|v| v.to_bits()).collect(),
            ColumnData::Bool(values) => values.iter().map(|v| u64::from(*v)).collect(),
            // By their text: the codes depend on what else is labelled.
            ColumnData::Label(values) => values
                .iter()
                .map(|v| text(table, *v).bytes().fold(7_u64, |hash, b| hash.wrapping_mul(31) + u64::from(b)))
                .collect(),
        };
        kept.iter().map(|row| all[*row]).collect()
    };
    columns.map(|(column, data)| (format!("{} {}", table.name, column.name), bits(data))).collect()
}

fn tables(results: Results) -> Vec<(String, Vec<u64>)> {
    results.into_tables().iter().filter(|table| table.name != "quantiles").flat_map(but_delays).collect()
}

#[test]
fn noting_delays_changes_nothing_else() {
    let aqm = ["codel", "fq-codel", "red", "pie"].map(|kind| format!("topology.bottleneck.queue={kind}"));
    let lossy = "topology.bottleneck.loss=0.01".to_owned();
    let bbr = "transport.controller=bbr".to_owned();
    for setting in aqm.iter().chain([&lossy, &bbr]) {
        let plain = tables(simulate(DUMBBELL, &["duration=3s", "record.drops=true", setting]));
        let noted =
            tables(simulate(DUMBBELL, &["duration=3s", "record.drops=true", setting, ALL[0], ALL[1]]));
        for ((name, plain), (same, noted)) in plain.iter().zip(&noted) {
            assert_eq!(name, same);
            assert!(plain == noted, "{setting}: {name}");
        }
        assert_eq!(plain.len(), noted.len());
    }
}

#[test]
fn nothing_is_noted_that_is_not_asked_for() {
    let results = simulate(DUMBBELL, &["duration=2s"]);
    assert!(results.quantiles.id.is_empty());
    assert!(results.flows.delay_p50.iter().all(|v| v.is_nan()));
    assert!(results.links.sojourn_p50.iter().chain(&results.links.sojourn_max).all(|v| v.is_nan()));
    assert!(!results.labels.all().iter().enumerate().any(|(code, label)| {
        label.starts_with("delay") && results.samples.metric.contains(&(code as u32))
    }));
}

#[test]
fn delays_over_time_are_the_means_of_their_periods() {
    let results = simulate(DUMBBELL, &["duration=5s", "warmup=0s", "topology.pairs=1", ALL[0]]);
    let (samples, labels) = (&results.samples, results.labels.all());
    let series = |name: &str| -> Vec<f64> {
        let rows = (0..samples.time.len()).filter(|i| *labels[samples.metric[*i] as usize] == *name);
        rows.map(|i| samples.value[i]).collect()
    };
    let (means, longest) = (series("delay"), series("delay_max"));
    assert_eq!(means.len(), longest.len());
    assert!(means.len() >= 48, "{}", means.len());
    assert!(means.iter().zip(&longest).all(|(mean, longest)| mean <= longest));
    let whole = longest.iter().fold(0.0, |a: f64, b| a.max(*b));
    assert!((whole - results.flows.delay_max[0]).abs() < 1e-9);
}

#[test]
fn every_transport_tells_when_its_packets_left() {
    for transport in ["tcp", "cbr", "tfrc", "lttp", "nada", "rcp", "trump"] {
        let mut settings = vec![format!("transport={{ kind = \"{transport}\" }}"), "duration=3s".to_owned()];
        match transport {
            "rcp" => settings.push("topology.bottleneck.router=rcp".to_owned()),
            "trump" => settings.push("nodes=[{ name = [\"left\", \"right\"], agent = \"rbcc\" }]".to_owned()),
            "lttp" => settings.push("flows[0].size=1MB".to_owned()),
            _ => {}
        }
        settings.push(ALL[0].to_owned());
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        let results = simulate(DUMBBELL, &settings);
        let (shortest, longest) = (results.flows.delay_p50[0], results.flows.delay_max[0]);
        assert!(shortest > 0.007 && longest < 1.0, "{transport}: {shortest} to {longest}");
    }
}
