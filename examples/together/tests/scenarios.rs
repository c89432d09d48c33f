//! Scenarios that name the members of the examples.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::LazyLock;

use dumbbell_core::memory::Counting;
use dumbbell_core::registry::Registry;
use dumbbell_core::{Config, Results};
use dumbbell_net::queue::QueueSpec;
use dumbbell_sim::files::Base;
use dumbbell_sim::{Plan, Scenario, built_in, run, schema, toml};

/// A replay records within a limit of memory.
#[global_allocator]
static COUNTING: Counting = Counting;

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| dumbbell_example_together::registry().unwrap());

fn scenario(text: &str) -> Scenario {
    Scenario::from_value(&toml::parse(text).unwrap(), &REGISTRY).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn results(text: &str) -> Results {
    let plan = Plan::new(&scenario(text), Path::new(".")).unwrap_or_else(|e| panic!("{e}\n{text}"));
    run(&plan, u64::MAX, |_| ControlFlow::Continue(())).unwrap()
}

/// The row of a link in a table with a label in each row.
fn row(results: &Results, link: &str) -> usize {
    let labels = results.labels.all();
    results.links.link.iter().position(|label| &*labels[*label as usize] == link).unwrap()
}

const ALL: &str = r#"
duration = "10s"
transport = { kind = "tcp", controller = "binomial", ecn = true }
[topology]
kind = "dumbbell"
[topology.bottleneck]
queue = "headdrop"
power = { policy = "ondemand" }
router = "phantom"
impairments = ["bursts"]
[[workloads]]
kind = "poisson"
from = "senders"
to = "receivers"
load = 0.5
size = { kind = "triangular", min = "1kB", max = "9kB" }
[[workloads]]
kind = "periodic"
from = "senders"
to = "receivers"
every = "1s"
size = "10kB"
[[workloads]]
kind = "relay"
from = "senders"
to = "receivers"
size = "10kB"
"#;

#[test]
fn members_of_many_families_run_together() {
    let results = results(ALL);
    let ended = results.flows.sender_completion_time.iter().filter(|t| t.is_finite()).count();
    assert!(ended > 10, "{ended}");
}

#[test]
fn a_scenario_reads_back_what_it_says() {
    let first = scenario(ALL);
    let again = Scenario::from_value(&first.to_value(), &REGISTRY).unwrap();
    assert_eq!(again, first);
    let other = scenario(&ALL.replace("\"headdrop\"", "{ kind = \"headdrop\", limit = \"9pkt\" }"));
    assert_ne!(other, first);
}

#[test]
fn another_seed_and_a_replay_know_the_members_too() {
    let replay = format!("{ALL}\n[replay]\nlink = \"left->right\"\n");
    let replay = replay.replace("duration = \"10s\"", "duration = \"1s\"");
    assert!(results(&replay).links.arrived.iter().any(|packets| *packets > 0));
    // A setting enters the table of a default member only if the registry reads the rest.
    let set = ALL.replace("queue = \"headdrop\"\n", "").replace("duration = \"10s\"", "duration = \"1s\"");
    let set = format!(
        "{set}\n[replay]\nlink = \"left->right\"\nset = [\"topology.bottleneck.queue.limit=9pkt\"]\n"
    );
    assert!(results(&set).links.arrived.iter().any(|packets| *packets > 0));
    // Another seed draws another network, so the scenario is read again.
    let drawn = r#"
duration = "1s"
transport = "stop-and-wait"
topology = { kind = "random-tree", link = { queue = "headdrop" } }
flows = [{ from = "hosts", to = "hosts", pairing = "all" }]
"#;
    let plan = Plan::new(&scenario(drawn), Path::new(".")).unwrap();
    assert!(plan.drawn_topology);
    let again = plan.with_seed(7, Base { folder: Path::new("."), confined: false }).unwrap();
    assert_eq!(again.links[0].direction.queue.name(), "headdrop");
}

#[test]
fn members_stand_within_built_in_ones() {
    let within = r#"{ kind = "token-bucket-filter", rate = "1Mbit/s", queue = "headdrop" }"#;
    // A port under power control holds no packets back.
    let text = ALL.replace("\"headdrop\"", within).replace("power = { policy = \"ondemand\" }\n", "");
    assert!(results(&text).links.arrived.iter().any(|packets| *packets > 0));
    let text = toml::parse(&text.replace("headdrop", "haeddrop")).unwrap();
    let error = Scenario::from_value(&text, &REGISTRY).unwrap_err().to_string();
    assert_eq!(
        error,
        "topology.bottleneck.queue.queue: \"haeddrop\" is not a queue; did you mean \"headdrop\"?"
    );
}

#[test]
fn only_the_registry_knows_them() {
    let refused = |registry| Scenario::from_value(&toml::parse(ALL).unwrap(), registry).unwrap_err().all();
    let errors: Vec<String> = refused(built_in()).iter().map(ToString::to_string).collect();
    assert!(
        errors.iter().any(|e| e.starts_with("topology.bottleneck.queue: \"headdrop\" is not a queue; ")),
        "{errors:?}"
    );
    let text = ALL.replace("\"headdrop\"", "\"haeddrop\"");
    let error = Scenario::from_value(&toml::parse(&text).unwrap(), &REGISTRY).unwrap_err().to_string();
    assert_eq!(error, "topology.bottleneck.queue: \"haeddrop\" is not a queue; did you mean \"headdrop\"?");
    let text = ALL.replace("\"headdrop\"", "{ kind = \"headdrop\", limti = 3 }");
    let error = Scenario::from_value(&toml::parse(&text).unwrap(), &REGISTRY).unwrap_err().to_string();
    assert_eq!(error, "topology.bottleneck.queue.limti: unknown key; did you mean \"limit\"?");
}

#[test]
fn a_name_stands_once_in_a_family() {
    let mut registry = REGISTRY.clone();
    let error =
        registry.add(QueueSpec::member::<dumbbell_example_headdrop::Params>()).unwrap_err().to_string();
    let of = "dumbbell_example_headdrop::Params";
    assert_eq!(
        error,
        format!("queue: two members are called \"headdrop\": {of} and {of}; give the second another `NAME`")
    );
}

#[test]
fn schema_and_lists_have_them() {
    let schema = schema(&REGISTRY);
    let names = schema["$defs"]["queue"]["anyOf"][0]["enum"].as_array().unwrap();
    assert!(names.contains(&"headdrop".into()) && names.contains(&"droptail".into()), "{names:?}");
    let described: Vec<_> =
        REGISTRY.families().iter().flat_map(|f| &f.members).map(|m| m.describe()).collect();
    assert!(
        described.iter().any(|d| (d.family, d.name) == ("queue", "headdrop") && d.fields[0].name == "limit")
    );
}

#[test]
fn the_model_that_paces_fills_the_link_and_not_the_queue() {
    // A queue of four bandwidth-delay products: a controller that waits for losses fills it.
    let text = |controller: &str| {
        format!(
            r#"
duration = "20s"
warmup = "5s"
transport = {{ kind = "tcp", controller = "{controller}" }}
[topology]
kind = "dumbbell"
pairs = 1
bottleneck = {{ rate = "10Mbit/s", delay = "10ms", queue = {{ kind = "droptail", limit = "4bdp" }} }}
access = {{ rate = "100Mbit/s", delay = "5ms" }}
[[flows]]
from = "senders"
to = "receivers"
"#
        )
    };
    let bdp = 10e6 / 8.0 * 40e-3 / 1500.0;
    let queue = |controller| {
        let results = results(&text(controller));
        let link = row(&results, "left->right");
        assert!(results.links.utilisation[link] > 0.95, "{controller}");
        results.links.queue_mean[link]
    };
    let (model, cubic) = (queue("maxrate"), queue("cubic"));
    assert!(model < 0.5 * bdp && cubic > 2.0 * bdp, "{model} {cubic}");
}

#[test]
fn the_header_comes_back_to_the_controller() {
    let results = results(
        r#"
duration = "20s"
warmup = "5s"
transport = { kind = "tcp", controller = "headroom" }
flows = [{ from = "senders", to = "receivers", count = 4, stagger = "100ms" }]
[topology]
kind = "chain"
link = { rate = "20Mbit/s", delay = "20ms", router = "headroom" }
"#,
    );
    // Four flows fill the link to the target of 0.95, and no queue.
    assert!((results.links.utilisation[0] - 0.95).abs() < 0.03, "{}", results.links.utilisation[0]);
    assert!(results.links.queue_mean[0] < 5.0, "{}", results.links.queue_mean[0]);
}

#[test]
fn the_class_that_is_protected_loses_nothing() {
    // Datagrams at 18 Mbit/s into 10: 6 are protected, and 8 of the rest find no room.
    let results = results(
        r#"
duration = "20s"
warmup = "5s"
transport = { kind = "cbr", rate = "18Mbit/s" }
flows = [{ from = "senders", to = "receivers" }]
[topology]
kind = "chain"
[topology.link]
rate = "10Mbit/s"
delay = "5ms"
queue = { kind = "partial-sharing", limit = "60pkt" }
marker = { kind = "every", period = 3 }
"#,
    );
    let (arrived, dropped) = (&results.classes.arrived, &results.classes.dropped);
    let packets = 15.0 * 18e6 / 8.0 / 1500.0;
    assert!(((arrived[0] + arrived[1]) as f64 - packets).abs() <= 2.0, "{arrived:?}");
    assert!((arrived[0] as f64 - packets / 3.0).abs() <= 2.0, "{arrived:?}");
    assert_eq!(dropped[0], 0);
    assert!((dropped[1] as f64 / (packets * 8.0 / 18.0) - 1.0).abs() < 0.01, "{dropped:?}");
}

#[test]
fn parallel_paths_are_all_taken() {
    // A datagram a millisecond, a hundred of each of two flows; the paths differ by more than that.
    let sent = |paths: &str| {
        let results = results(&format!(
            r#"
duration = "1s"
paths = {paths}
transport = {{ kind = "cbr", rate = "12Mbit/s" }}
flows = [{{ from = "senders", to = "receivers", size = "147200B", stagger = "200ms" }}]
[topology]
kind = "parallel"
pairs = 2
paths = 4
skew = "3ms"
bottleneck = {{ rate = "20Mbit/s", delay = "5ms" }}
"#
        ));
        [0, 1, 2, 3].map(|i| results.links.sent[row(&results, &format!("left->middle{i}"))])
    };
    assert_eq!(sent("\"single\""), [200, 0, 0, 0]);
    let mut ecmp = sent("\"ecmp\"");
    ecmp.sort_unstable();
    assert!([[0, 0, 0, 200], [0, 0, 100, 100]].contains(&ecmp), "{ecmp:?}");
    assert_eq!(sent("\"spray\""), [50, 50, 50, 50]);
    // The second flow starts at 200 ms.
    assert_eq!(sent("{ kind = \"backup-path\", fails = \"150ms\" }"), [100, 100, 0, 0]);
}

#[test]
fn quenched_sources_slow_down_before_the_queue_is_full() {
    // Ten flows share a port of 50 packets.
    let lost = |agent: &str| {
        let results = results(&format!(
            r#"
duration = "20s"
warmup = "5s"
transport = {{ kind = "tcp", controller = "newreno" }}
flows = [{{ from = "senders", to = "receivers", stagger = "50ms" }}]
nodes = [{{ name = "left"{agent} }}]
[topology]
kind = "dumbbell"
pairs = 10
access = {{ rate = "100Mbit/s", delay = "2ms" }}
bottleneck = {{ rate = "20Mbit/s", delay = "10ms", queue = {{ kind = "droptail", limit = "50pkt" }} }}
"#
        ));
        results.links.loss[row(&results, "left->right")]
    };
    let (quenched, without) = (lost(", agent = \"periodic-quench\""), lost(""));
    assert!(quenched < 0.5 * without && without > 0.001, "{quenched} {without}");
}

#[test]
fn stop_and_wait_takes_a_round_trip_for_each_datagram() {
    let results = results(
        r#"
duration = "10s"
transport = "stop-and-wait"
flows = [{ from = "senders", to = "receivers", size = "14720B" }]
[topology]
kind = "chain"
link = { rate = "12Mbit/s", delay = "9ms" }
"#,
    );
    // Ten datagrams of 1 ms, and answers of 28 bytes; 9 ms each way.
    let expected = 10.0 * (1e-3 + 28.0 * 8.0 / 12e6 + 18e-3);
    let took = results.flows.sender_completion_time[0];
    assert!((took / expected - 1.0).abs() < 1e-6, "{took} {expected}");
}

#[test]
fn a_host_an_application_and_a_port_have_members_of_their_own() {
    let text = r#"
duration = "5s"
nodes = [{ name = "receiver0", host = "first-come" }]
[topology]
kind = "dumbbell"
bottleneck = { power = { policy = { kind = "practra", predictor = "last-gap" } } }
[[flows]]
from = "senders"
to = "receivers"
application = "spurts"
size = "40kB"
"#;
    // Ten pieces, the last of them 3.27 s after the first, and round trips of some ten milliseconds.
    let took = results(text).flows.sender_completion_time[0];
    assert!((3.27..3.4).contains(&took), "{took}");
}
