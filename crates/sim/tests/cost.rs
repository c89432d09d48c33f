//! What `dumbbell check` expects of a run, held to runs.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use dumbbell_core::Value;
use dumbbell_sim::{Plan, Scenario, built_in, run, toml};

fn plan(file: &str, settings: &[&str]) -> Arc<Plan> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut value: Value = toml::parse(&std::fs::read_to_string(folder.join(file)).unwrap()).unwrap();
    settings.iter().for_each(|s| toml::apply_set(&mut value, s, built_in()).unwrap());
    Plan::new(&Scenario::from_value(&value, built_in()).unwrap(), &folder).unwrap()
}

#[test]
fn packet_hops_are_expected_within_a_factor_of_two() {
    let files = [
        "four-flows-cubic.toml",
        "campus-web.toml",
        "udp-mix.toml",
        "parking-lot.toml",
        "rcp-web.toml",
        "w1-dumbbell-bulk.toml",
        "bufferbloat-codel.toml",
        "power-practra.toml",
    ]; // fmt: skip
    for file in files {
        let plan = plan(file, &["duration=30s", "warmup=0s"]);
        let expected = plan.explain().cost.packet_hops;
        let made = run(&plan, u64::MAX, |_| ControlFlow::Continue(())).unwrap().runs.packet_hops[0] as f64;
        assert!((0.5..2.0).contains(&(expected / made)), "{file}: {expected} expected, {made} made");
    }
}

#[test]
fn memory_is_expected_where_it_goes() {
    let flood = "duration = '2s'\ntransport = { kind = 'cbr', rate = '1Gbit/s' }\n[topology]\nkind = 'chain'\n\
        link = { rate = '100Mbit/s', queue = 'droptail' }\n[[flows]]\nfrom = 'node0'\nto = 'node1'";
    let scenario = Scenario::from_toml(flood).unwrap();
    let plan = Plan::new(&scenario, Path::new(".")).unwrap();
    let cost = plan.explain().cost;
    assert_eq!(cost.parts[0].what, "queue of node0->node1");
    let results = run(&plan, cost.memory as u64 * 3 / 2, |_| ControlFlow::Continue(())).unwrap();
    assert!(results.shortage.is_none(), "it fits what is expected and half more");
    let results = run(&plan, cost.memory as u64 / 2, |_| ControlFlow::Continue(())).unwrap();
    assert!(results.shortage.is_some(), "and not half of it");
}

#[test]
fn flows_and_rows_are_expected() {
    let many = plan("campus-web.toml", &["workloads[0].load=5.0", "duration=100s"]);
    let parts =
        |plan: &Plan| plan.explain().cost.parts.into_iter().map(|p| p.what).take(3).collect::<Vec<_>>();
    assert!(parts(&many).contains(&"flows in progress".to_owned()), "{:?}", parts(&many));
    let rows = plan("four-flows-cubic.toml", &["record.period=10us"]);
    assert_eq!(parts(&rows)[0], "table of samples");
}
