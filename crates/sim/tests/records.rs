//! Records of runs: the counts and a hash of every table of each shipped scenario, shortened, and of plans with what else
//! the engine does.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use dumbbell_core::table::{ColumnData, Table};
use dumbbell_core::testing::Record;
use dumbbell_core::{Results, Value};
use dumbbell_sim::{Plan, Scenario, built_in, run, toml};

const SCENARIOS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios");

/// Simulated milliseconds of a shipped scenario.
fn milliseconds(name: &str) -> u64 {
    match name {
        "fat-tree-permutation" => 20,
        "dctcp-multihop" => 150,
        "w4s-long-fat" => 1000,
        _ => 2000,
    }
}

fn results(value: &Value) -> Results {
    let plan = Scenario::from_value(value, built_in())
        .and_then(|scenario| Plan::new(&scenario, Path::new(SCENARIOS)))
        .expect("a plan");
    run(&plan, u64::MAX, |_| ControlFlow::Continue(())).expect("nobody stops it")
}

/// Adds a table to the hash: names, then values column by column.
fn hash(record: &mut Record, table: &Table) {
    record.text(table.name);
    for (column, data) in &table.columns {
        record.text(column.name);
        match data {
            ColumnData::U32(values) => values.iter().for_each(|value| record.hash(*value)),
            ColumnData::U64(values) => values.iter().for_each(|value| record.hash(*value)),
            ColumnData::F64(values) => values.iter().for_each(|value| record.float(*value)),
            ColumnData::Bool(values) => values.iter().for_each(|value| record.hash(*value)),
            ColumnData::Label(values) => {
                values.iter().for_each(|value| record.text(&table.labels[*value as usize]));
            }
        }
    }
}

fn note(record: &mut Record, name: &str, value: &Value) {
    let results = results(value);
    let runs = &results.runs;
    let text = format!(
        "hops {} sent {} delivered {} dropped {} inside {}",
        runs.packet_hops[0],
        runs.total_sent[0],
        runs.total_delivered[0],
        runs.total_dropped[0],
        runs.packets_inside[0],
    );
    results.into_tables().iter().for_each(|table| hash(record, table));
    record.line(name, &text);
}

fn changed(mut value: Value, settings: &[&str]) -> Value {
    settings.iter().for_each(|setting| toml::apply_set(&mut value, setting, built_in()).expect("a setting"));
    value
}

#[test]
fn shipped_scenarios_run_as_recorded() {
    let mut record = Record::new(&Path::new(env!("CARGO_MANIFEST_DIR")).join("records/scenarios.txt"));
    let mut names: Vec<_> = fs::read_dir(SCENARIOS).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    for path in names.iter().filter(|path| path.extension().is_some_and(|kind| kind == "toml")) {
        let value = toml::parse(&fs::read_to_string(path).unwrap()).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let all = milliseconds(name);
        let settings = [format!("duration={all}ms"), format!("warmup={}ms", all / 10)];
        note(&mut record, name, &changed(value, &settings.each_ref().map(String::as_str)));
    }
    record.finish();
}

/// What the engine does besides: settings of a shipped scenario.
const MORE: &[(&str, &str, &[&str])] = &[
    ("all tables", "w1-dumbbell-bulk", &[ALL, "duration=3s"]),
    ("all tables of a law", "bufferbloat-codel", &[ALL, "duration=3s"]),
    ("all tables of the web", "w2-dumbbell-web", &[ALL, "duration=3s"]),
    (
        "arrivals of a link",
        "four-flows-cubic",
        &["record.arrivals=['left->right', 'right->left']", "duration=3s"],
    ),
    ("a warm-up that ends the run", "four-flows-newreno", &["duration=3s", "warmup=2900ms"]),
    ("a drain", "w2-dumbbell-web", &["duration=1s", "drain=2s"]),
    ("a drain of all", "w3-incast-rounds", &["duration=1s", "drain=60s"]),
    ("a replay", "four-flows-newreno", &["duration=3s", "replay={ link = 'left->right' }"]),
    (
        "a replay of rates",
        "four-flows-newreno",
        &["duration=3s", "replay={ link = 'left->right', bin = '10ms' }"],
    ),
    (
        "sizes and starts",
        "four-flows-cubic",
        &[
            "duration=4s",
            "flows[0].size=200kB",
            "flows[0].start=100ms",
            "flows[0].stagger=70ms",
            "flows[0].jitter=30ms",
        ],
    ),
    (
        "a packet lost by number",
        "four-flows-newreno",
        &["duration=3s", "topology.bottleneck.drop_list=[40, 41, 90]"],
    ),
    (
        "random losses",
        "four-flows-newreno",
        &["duration=3s", "topology.bottleneck.loss=0.01", "topology.bottleneck.reverse.loss=0.02"],
    ),
    (
        "rates that change",
        "four-flows-cubic",
        &[
            "duration=3s",
            "topology.bottleneck.rate_changes=[{ at = '1s', rate = '5Mbit/s' }, { at = '2s', rate = '20Mbit/s' }]",
        ],
    ),
    (
        "packets twice",
        "four-flows-cubic",
        &["duration=3s", "topology.bottleneck.impairments=[{ kind = 'duplication', probability = 0.02 }]"],
    ),
    ("one flow", "four-flows-cubic", &["duration=3s", "topology.pairs=1"]),
    ("overhead of hosts", "four-flows-cubic", &["duration=3s", "transport.overhead=1us"]),
    ("paths that spray", "fat-tree-permutation", &["duration=15ms", "warmup=2ms", "paths=spray"]),
    ("paths by hash", "fat-tree-permutation", &["duration=15ms", "warmup=2ms", "paths=ecmp"]),
    ("single paths", "fat-tree-permutation", &["duration=15ms", "warmup=2ms", "paths=single"]),
    ("another seed", "w2-dumbbell-web", &["duration=2s", "seed=7"]),
    ("a run of nothing", "four-flows-cubic", &["duration=1ms", "warmup=0s"]),
    ("power and drops", "power-practra", &[ALL, "duration=8s", "warmup=1s"]),
    ("quenches and drops", "source-quench", &[ALL, "duration=4s", "warmup=1s"]),
    ("rates of routers", "trump-rbcc", &[ALL, "duration=6s"]),
    ("classes", "two-classes", &[ALL, "duration=4s", "warmup=1s"]),
    ("one bottleneck after another", "parking-lot", &[ALL, "duration=4s", "warmup=1s"]),
    ("sessions", "partition-aggregate", &[ALL, "duration=2s"]),
    ("readers", "slow-reader", &[ALL, "duration=6s"]),
    ("datagrams", "udp-mix", &[ALL, "duration=4s", "warmup=1s"]),
];

const ALL: &str = "record={ period = '20ms', drops = true, controllers = true, queues = 'all' }";

#[test]
fn other_plans_run_as_recorded() {
    let mut record = Record::new(&Path::new(env!("CARGO_MANIFEST_DIR")).join("records/plans.txt"));
    for (name, scenario, settings) in MORE {
        let text = fs::read_to_string(Path::new(SCENARIOS).join(format!("{scenario}.toml"))).unwrap();
        let first = changed(toml::parse(&text).unwrap(), &["warmup=200ms"]);
        note(&mut record, name, &changed(first, settings));
    }
    record.finish();
}
