//! Every field of every table and algorithm, at the ends of what can be written: a message, or a run that ends.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use dumbbell_core::{Config, Value};
use dumbbell_sim::{Plan, Scenario, built_in, descriptors, run, toml};

/// Events of a run, at most.
const EVENTS: u64 = 1 << 17;

/// A chain, so that a link has all its fields; a flow and a workload.
const BASE: &str = r#"
duration = "1ms"
transport = { kind = "cbr", rate = "20Mbit/s" }
nodes = [{ name = "node1", buffer = { size = "300kB" } }]
[topology]
kind = "chain"
[topology.link]
rate = "10Mbit/s"
delay = "10us"
rate_changes = [{ at = "500us", rate = "5Mbit/s" }]
[[flows]]
from = "senders"
to = "receivers"
[[workloads]]
kind = "poisson"
from = "senders"
to = "receivers"
load = 0.5
size = { kind = "fixed", size = "2000B" }
[record]
period = "100us"
"#;

/// Where an algorithm of a family stands, and what it needs around it. Algorithms that read files have no values to try.
fn place(family: &str, name: &str) -> (&'static str, Vec<String>) {
    let still = "topology.link.rate_changes=[]".to_owned();
    let set = |place: &str| format!("{place}={name}");
    match family {
        "topology" => ("topology", vec![set("topology")]),
        "queue" => {
            // One that tells classes apart may ask for packets of another than the default.
            let classes = ["rio", "wred"].contains(&name);
            let class =
                classes.then(|| ["flows[0].class=1", "workloads[0].class=1"].map(str::to_owned).to_vec());
            let place = "topology.link.queue";
            (place, [vec![set(place)], class.unwrap_or_default()].concat())
        }
        "router" => {
            ("topology.link.router", vec![set("topology.link.router"), format!("transport={}", sender(name))])
        }
        "marker" => {
            let needs = match name {
                "tsw3cm" | "trtcm" => ", rate = '1Mbit/s', peak_rate = '2Mbit/s'",
                "static" => ", share = 0.5",
                "head-tail" => ", block = '64kB'",
                _ => ", rate = '1Mbit/s'",
            };
            let marker = format!("topology.link.marker={{ kind = '{name}'{needs} }}");
            let three = "topology.link.queue={ kind = 'strict-priority', classes = ['droptail', 'droptail', 'droptail'] }";
            ("topology.link.marker", vec![three.to_owned(), marker])
        }
        "node agent" => {
            let set = format!("nodes=[{{ name = 'node1', agent = {{ kind = '{name}' }} }}]");
            let transport = if name == "rbcc" { "transport=trump" } else { "transport=tcp" };
            ("nodes[0].agent", vec!["topology.hops=2".to_owned(), transport.to_owned(), set])
        }
        "host policy" => {
            let set = format!("nodes=[{{ name = 'receivers', host = {{ kind = '{name}' }} }}]");
            ("nodes[0].host", vec!["transport=tcp".to_owned(), set])
        }
        "impairment" => {
            let needs = match name {
                "jitter" => "spread = '5us'",
                "reordering" => "probability = 0.5, packets = 3",
                "delay-list" => "packets = [3], delay = '5ms'",
                "delay-steps" => "steps = [{ at = '3ms', extra = '2ms' }]",
                _ => "probability = 0.5",
            };
            let set = format!("topology.link.impairments=[{{ kind = '{name}', {needs} }}]");
            ("topology.link.impairments[0]", vec![set])
        }
        "power policy" => ("topology.link.power", vec![still, set("topology.link.power.policy")]),
        "rate predictor" => (
            "topology.link.power.policy.predictor",
            vec![
                still,
                "topology.link.power.policy=practra".to_owned(),
                set("topology.link.power.policy.predictor"),
            ],
        ),
        "transport" => {
            let routers = ["topology.link.router=rcp", "topology.hops=2"].map(str::to_owned);
            let agent = "nodes=[{ name = 'node1', agent = 'rbcc' }]".to_owned();
            ("transport", [&routers[..], &[agent, set("transport")]].concat())
        }
        "controller" => {
            let around = ["transport=tcp", "topology.link.router=xcp"].map(str::to_owned);
            ("transport.controller", [&around[..], &[set("transport.controller")]].concat())
        }
        "workload" => {
            let size = "{ kind = 'fixed', size = '2000B' }";
            let own = match name {
                "rounds" => "size = '2000B'".to_owned(),
                "request-response" => format!("response = {size}"),
                "shuffle" | "on-close" => format!("size = {size}"),
                _ => return ("workloads[0]", vec![]),
            };
            let set = format!("workloads=[{{ kind = '{name}', from = 'senders', to = 'receivers', {own} }}]");
            ("workloads[0]", vec!["transport=tcp".to_owned(), set])
        }
        "schedule" => {
            let own = match name {
                "listed" => "actions = [{ at = '100us', bytes = '2000B' }]",
                _ => "rate = '1Mbit/s'",
            };
            let set = format!("flows[0].application={{ kind = '{name}', {own} }}");
            ("flows[0].application", vec!["transport=tcp".to_owned(), set])
        }
        "path choice" => ("paths", vec![set("paths")]),
        "size" => ("workloads[0].size", vec![set("workloads[0].size")]),
        other => panic!("{other}: say here where it stands"),
    }
}

fn sender(router: &str) -> &str {
    if router == "rcp" { "rcp" } else { "tcp" }
}

/// What may stand instead of any value.
fn extremes() -> Vec<Value> {
    let quantities = [
        "0s",
        "1ns",
        "100000s",
        "1e9h",
        "-1s",
        "1bit/s",
        "1000Tbit/s",
        "1e6Tbit/s",
        "0B",
        "1B",
        "1000000TB",
        "9e18B",
        "1pkt",
        "1e-9bdp",
        "1e18bdp",
        "unlimited",
        "nans",
        "",
    ];
    let numbers = [0.0, -0.0, 1e-300, -1.0, 0.5, 1e18, f64::MAX, f64::NAN, f64::INFINITY];
    let integers = [0, 1, -1, i64::from(u16::MAX), i64::from(u32::MAX), i64::MAX, i64::MIN];
    let lists = [Value::List(vec![]), Value::from([Value::from(1), Value::from(0)]), Value::table()];
    (quantities.map(Value::from).into_iter())
        .chain(numbers.map(Value::from))
        .chain(integers.map(Value::from))
        .chain(lists)
        .chain([Value::from(true), Value::from(false), Value::Null])
        .collect()
}

/// The paths of all values below a place, lists by their first entry.
fn leaves(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    let dot = if path.is_empty() { "" } else { "." };
    match value {
        Value::Table(entries) => {
            entries.iter().for_each(|(k, v)| leaves(v, &format!("{path}{dot}{k}"), found));
        }
        Value::List(items) if !items.is_empty() => {
            found.insert(path.to_owned());
            leaves(&items[0], &format!("{path}[0]"), found);
        }
        _ => drop(found.insert(path.to_owned())),
    }
}

fn at<'v>(value: &'v mut Value, path: &str) -> &'v mut Value {
    let mut here = value;
    for step in path.split(['.', '[']) {
        here = match (here, step.strip_suffix(']')) {
            (Value::List(items), Some(index)) => &mut items[index.parse::<usize>().unwrap()],
            (Value::Table(entries), None) => &mut entries.iter_mut().find(|(k, _)| k == step).unwrap().1,
            (other, _) => panic!("{path}: {other}"),
        };
    }
    here
}

/// Tries every value at every path: all are answered.
fn try_all(base: &Value, paths: &BTreeSet<String>) -> (u32, u32) {
    let (mut refused, mut ended) = (0, 0);
    for path in paths {
        for extreme in extremes() {
            let mut value = base.clone();
            *at(&mut value, path) = extreme.clone();
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                let scenario = Scenario::from_value(&value, built_in())?;
                let plan = Plan::new(&scenario, Path::new("/nowhere"))?;
                plan.explain();
                // Long runs are stopped, those of many packets by their memory.
                drop(run(&plan, 30_000_000, |p| {
                    if p.events < EVENTS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                }));
                Ok(())
            }));
            match outcome.unwrap_or_else(|_| panic!("{path} = {extreme}: panics")) {
                Ok(()) => ended += 1,
                Err(e) => {
                    let e: dumbbell_core::ConfigError = e;
                    let line = e.to_string();
                    assert!(!line.contains('\n') && line.len() < 1500, "{path} = {extreme}: {line}");
                    refused += 1;
                }
            }
        }
    }
    (refused, ended)
}

fn resolved(settings: &[String]) -> Value {
    let mut value = toml::parse(BASE).unwrap();
    settings.iter().for_each(|s| toml::apply_set(&mut value, s, built_in()).unwrap());
    let read = Scenario::from_value(&value, built_in());
    read.unwrap_or_else(|e| panic!("{settings:?}: {e}")).to_value()
}

#[test]
fn every_field_of_a_scenario_answers_to_extremes() {
    let base = resolved(&[]);
    let mut paths = BTreeSet::new();
    leaves(&base, "", &mut paths);
    let (refused, ended) = try_all(&base, &paths);
    assert!(paths.len() > 60 && refused > 1000 && ended > 150, "{} paths: {refused}, {ended}", paths.len());
}

#[test]
fn every_parameter_of_every_algorithm_answers_to_extremes() {
    for algorithm in descriptors() {
        let required: Vec<_> = algorithm.fields.iter().filter(|f| f.default.is_none()).collect();
        if required.iter().any(|f| f.name == "file") || ["graph", "replay"].contains(&algorithm.name) {
            continue;
        }
        let (place, mut settings) = place(algorithm.family, algorithm.name);
        if ["size", "path choice"].contains(&algorithm.family) {
            let given = required.iter().map(|field| match (field.name, field.kind) {
                ("sigma", _) => format!("{place}.sigma=1.0"),
                ("max", _) => format!("{place}.max=1MB"),
                (name, "duration") => format!("{place}.{name}=5ms"),
                (name, _) => format!("{place}.{name}=2000B"),
            });
            settings.extend(given);
        }
        let base = resolved(&settings);
        let mut paths = BTreeSet::new();
        leaves(at(&mut base.clone(), place), place, &mut paths);
        // The links of the others have the fields of the chain's.
        paths.retain(|path| algorithm.family != "topology" || path.matches('.').count() == 1);
        try_all(&base, &paths);
    }
}
