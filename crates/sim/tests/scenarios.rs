//! From a scenario to a plan: topologies, routes, workloads, defaults, the hash, the schema.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use dumbbell_core::config::{At, Field};
use dumbbell_core::{Config, Duration, Time};
use dumbbell_net::queue::{Limit, QueueSpec};
use dumbbell_sim::files::Base;
use dumbbell_sim::plan::PlannedLink;
use dumbbell_sim::topology::TopologySpec;
use dumbbell_sim::{Plan, Scenario, built_in, descriptors, registry_json, schema, toml};
use serde_json::{Value as Json, json};

fn scenario(text: &str) -> Scenario {
    Scenario::from_toml(text).unwrap()
}

fn plan(text: &str) -> Arc<Plan> {
    Plan::new(&scenario(text), Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn link<'p>(plan: &'p Plan, name: &str) -> &'p PlannedLink {
    plan.links.iter().find(|l| *l.name == *name).unwrap_or_else(|| panic!("no link {name}"))
}

const BULK: &str = "\n[[flows]]\nname = 'bulk'\nfrom = 'senders'\nto = 'receivers'\n";

const WEB: &str = "\n[[workloads]]\nkind = 'poisson'\nname = 'web'\nfrom = 'senders'\nto = 'receivers'\nload = 0.5\nsize = 'campus-web'\n";

#[test]
fn the_default_dumbbell_is_the_test_bed_of_the_literature() {
    let plan = plan(&format!("duration = '10s'\ntopology = 'dumbbell'{BULK}"));
    assert_eq!(plan.nodes, ["sender0", "left", "right", "receiver0"].map(Arc::from));
    assert_eq!(plan.pairs[0].base_rtt, Duration::from_millis(50));
    let bottleneck = link(&plan, "left->right");
    assert_eq!(bottleneck.bdp, 62_500);
    let facts = plan.explain();
    let shown = facts.links.iter().find(|l| l.name == "left->right").unwrap();
    assert_eq!((shown.buffer_packets, shown.buffer_bytes), (Some(42), Some(63_000)));
    assert_eq!(facts.pairs[0].path, ["sender0", "left", "right", "receiver0"]);
    assert_eq!(
        plan.links.iter().filter(|l| l.sampled).map(|l| &*l.name).collect::<Vec<_>>(),
        ["left->right"]
    );
}

#[test]
fn round_trip_times_of_a_dumbbell_are_exact() {
    let rtts = ["10000001ns", "10000002ns", "32ms"];
    let plan = plan(&format!(
        "duration = '1s'\ntopology = {{ kind = 'dumbbell', pairs = 3, rtts = {rtts:?} }}{BULK}"
    ));
    let base: Vec<u64> = plan.pairs.iter().map(|p| p.base_rtt.as_nanos()).collect();
    assert_eq!(base, [10_000_001, 10_000_002, 32_000_000]);
    assert_eq!(link(&plan, "sender2->left").direction.delay, Duration::from_micros(5_500));
    // The product for limits in BDPs goes by the mean round-trip time of the pairs.
    assert_eq!(
        link(&plan, "left->right").bdp,
        (10_000_001_u64 + 10_000_002 + 32_000_000) / 3 * 10 / 8 / 1000
    );
}

#[test]
fn the_way_back_may_differ() {
    let plan = plan(&format!(
        "duration = '1s'\n[topology]\nkind = 'dumbbell'\n[topology.bottleneck]\nrate = '8Mbit/s'\nqueue = 'codel'\ndrop_list = [7, 3]\nloss = 0.01\n\
         [topology.bottleneck.reverse]\nrate = '1Mbit/s'\nqueue = {{ kind = 'droptail', limit = '20pkt' }}\n{BULK}"
    ));
    let (forward, reverse) = (&link(&plan, "left->right").direction, &link(&plan, "right->left").direction);
    assert_eq!((forward.queue.name(), forward.loss.get()), ("codel", 0.01));
    assert_eq!(forward.drop_list, [7, 3]);
    assert_eq!((reverse.rate.as_bps(), reverse.loss.get(), reverse.drop_list.len()), (1_000_000, 0.0, 0));
    assert_eq!(reverse.queue.limit(0, 1500), Limit { packets: 20, ..Limit::NONE });
}

#[test]
fn ports_of_a_star_are_limited_and_hosts_are_not() {
    let plan = plan(&format!(
        "duration = '1s'\ntopology = {{ kind = 'star', senders = 3, port = {{ kind = 'droptail', limit = '43pkt' }} }}{BULK}"
    ));
    for l in &plan.links {
        let packets = if l.name.starts_with("switch->") { 43 } else { u64::MAX };
        assert_eq!(l.direction.queue.limit(0, 1500), Limit { packets, ..Limit::NONE }, "{}", l.name);
        assert_eq!(l.sampled, *l.name == *"switch->receiver0");
    }
    assert_eq!(plan.flows.len(), 3);
    assert_eq!(plan.pairs[0].base_rtt, Duration::from_micros(100));
}

#[test]
fn the_receivers_of_a_star_may_have_a_link_of_their_own() {
    let plan = plan(&format!(
        "duration = '1s'
        topology = {{ kind = 'star', port = {{ kind = 'droptail', limit = '43pkt' }}, link = {{ rate = '10Mbit/s', delay = '2ms' }}, receiver_link = {{ rate = '10kbit/s', delay = '1ms' }} }}{BULK}"
    ));
    for l in &plan.links {
        let (rate, ms) = if l.name.contains("receiver") { (10_000, 1) } else { (10_000_000, 2) };
        assert_eq!(
            (l.direction.rate.as_bps(), l.direction.delay),
            (rate, Duration::from_millis(ms)),
            "{}",
            l.name
        );
        let packets = if l.name.starts_with("switch->") { 43 } else { u64::MAX };
        assert_eq!(l.direction.queue.limit(0, 1500).packets, packets, "{}", l.name);
    }
}

#[test]
fn a_parking_lot_has_cross_traffic_at_every_hop() {
    let plan = plan(&format!(
        "duration = '1s'\ntopology = {{ kind = 'parking-lot', hops = 3 }}{BULK}[[flows]]\nfrom = 'cross-senders'\nto = 'cross-receivers'\n"
    ));
    let paths: Vec<usize> =
        plan.flows.iter().map(|f| plan.pairs[f.pair as usize].forward.first().len()).collect();
    assert_eq!(paths, [5, 3, 3, 3]);
    let facts = plan.explain();
    for name in ["router0->router1", "router1->router2", "router2->router3"] {
        assert_eq!(facts.links.iter().find(|l| l.name == name).unwrap().pairs, 2);
    }
}

#[test]
fn flows_go_round_the_pairs_and_are_sorted_by_start() {
    let plan = plan(
        "duration = '10s'\ntopology = { kind = 'dumbbell', pairs = 2 }\n\
         [[flows]]\nfrom = 'senders'\nto = 'receivers'\ncount = 4\nstart = '1s'\nstagger = '1s'\nsize = '1MB'\n\
         [[flows]]\nfrom = 'receivers'\nto = 'senders'\nstart = '1500ms'\n",
    );
    let starts: Vec<(u32, u32, u64)> =
        plan.flows.iter().map(|f| (f.group, f.pair, f.start.as_nanos() / 1_000_000)).collect();
    assert_eq!(starts, [(0, 0, 1000), (1, 2, 1500), (1, 3, 1500), (0, 1, 2000), (0, 0, 3000), (0, 1, 4000)]);
    assert_eq!(plan.groups.iter().map(|g| g.name.as_str()).collect::<Vec<_>>(), ["flows0", "flows1"]);
}

#[test]
fn pairing_all_leaves_out_the_node_itself() {
    let plan = plan(
        "duration = '1s'\ntopology = { kind = 'star', senders = 2, receivers = 1 }\n\
         [[flows]]\nfrom = 'hosts'\nto = 'hosts'\npairing = 'all'\n",
    );
    assert_eq!((plan.pairs.len(), plan.flows.len()), (6, 6));
}

#[test]
fn offered_load_is_what_was_asked_for() {
    let facts =
        plan(&format!("duration = '60s'\ntopology = {{ kind = 'dumbbell', pairs = 4 }}{WEB}")).explain();
    let load = |name: &str| facts.links.iter().find(|l| l.name == name).unwrap().load;
    assert!((load("left->right") - 0.5).abs() < 1e-9);
    assert!((load("sender0->left") - 0.5 * 10.0 / 100.0 / 4.0).abs() < 1e-9);
    assert_eq!(load("right->left"), 0.0);
    let web = &facts.groups[0];
    assert!((web.arrival_rate.unwrap() * web.mean_wire.unwrap() * 8.0 / 5e6 - 1.0).abs() < 1e-9);
    assert!((web.flows - 60.0 * web.arrival_rate.unwrap()).abs() < 1e-6);
}

#[test]
fn sources_that_do_not_adapt_count_towards_the_load() {
    let facts = plan(
        "duration = '10s'\ntopology = 'chain'\n[[flows]]\nfrom = 'senders'\nto = 'receivers'\ncount = 3\n\
         transport = { kind = 'cbr', rate = '4Mbit/s' }\n",
    )
    .explain();
    let link = facts.links.iter().find(|l| l.name == "node0->node1").unwrap();
    assert!((link.load - 1.2).abs() < 1e-9);
    assert_eq!(facts.notes, ["node0->node1: the offered load is 1.200 of its rate"]);
}

#[test]
fn arrivals_follow_the_rate_end_in_time_and_repeat() {
    let text = format!("duration = '1000s'\ntopology = {{ kind = 'dumbbell', pairs = 4 }}{WEB}");
    let plan = plan(&text);
    let flows: Vec<_> = plan.arrivals().collect();
    let expected = plan.explain().flows;
    assert!((flows.len() as f64 - expected).abs() < 5.0 * expected.sqrt(), "{} of {expected}", flows.len());
    assert!(flows.windows(2).all(|w| w[0].start <= w[1].start));
    assert!(flows.iter().all(|f| f.start < Time::ZERO + plan.duration));
    for pair in 0..4 {
        let share = flows.iter().filter(|f| f.pair == pair).count() as f64 / expected;
        assert!((share - 0.25).abs() < 5.0 * (0.25_f64 * 0.75 / expected).sqrt(), "pair {pair}: {share}");
    }
    assert_eq!(flows, plan.arrivals().collect::<Vec<_>>());
    assert_ne!(flows, self::plan(&format!("seed = 2\n{text}")).arrivals().collect::<Vec<_>>());
}

#[test]
fn a_workload_starts_and_stops_when_told() {
    let text =
        format!("duration = '60s'\ntopology = 'dumbbell'{WEB}start = '10s'\nstop = '20s'\nmax_flows = 50\n");
    let flows: Vec<_> = plan(&text).arrivals().collect();
    assert_eq!(flows.len(), 50);
    assert!(flows.iter().all(|f| (10.0..20.0).contains(&f.start.as_secs_f64())));
}

/// Common random numbers: two designs can be compared on the same arrivals.
#[test]
fn what_else_happens_does_not_change_the_arrivals_of_a_workload() {
    let web = |text: &str| -> Vec<(u64, u32, Option<u64>)> {
        let plan = plan(text);
        let group = plan.groups.iter().position(|g| g.name == "web").unwrap() as u32;
        let own = plan.arrivals().filter(|f| f.group == group);
        own.map(|f| (f.start.as_nanos(), plan.pairs[f.pair as usize].source, f.size)).collect()
    };
    let head = "duration = '60s'\ntopology = { kind = 'dumbbell', pairs = 4 }";
    let alone = web(&format!("{head}{WEB}"));
    assert!(alone.len() > 500);
    let other = WEB.replace("web'\nfrom", "other'\nfrom");
    assert_eq!(alone, web(&format!("{head}{BULK}{other}{WEB}")));
    assert_eq!(alone, web(&format!("transport = {{ kind = 'tcp', controller = 'newreno' }}\n{head}{WEB}")));
    // Another size distribution at the same rate keeps starts and pairs.
    let rated = |size| {
        web(&format!("{head}{}", WEB.replace("load = 0.5", "rate = 20").replace("'campus-web'", size)))
    };
    let without_size =
        |flows: Vec<(u64, u32, Option<u64>)>| flows.into_iter().map(|(t, n, _)| (t, n)).collect::<Vec<_>>();
    assert_eq!(without_size(rated("'campus-10M'")), without_size(rated("{ kind = 'fixed', size = '1kB' }")));
}

#[test]
fn traces_and_recorded_packets_are_replayed_as_listed() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("traces");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("flows.csv"), "start,source,destination,size\n# two\n0.5,sender0,receiver1,1000\n0.75,sender1,receiver0,1\n99,sender0,receiver0,5\n").unwrap();
    fs::write(folder.join("packets.txt"), "0 1500\n0.000000001 40\n").unwrap();
    let text = "duration = '10s'\ntopology = { kind = 'dumbbell', pairs = 2 }\n\
                [[flows]]\nfrom = 'sender0'\nto = 'receiver0'\ntransport = 'replay'\npackets = 'packets.txt'\n\
                [[workloads]]\nkind = 'trace'\nfile = 'flows.csv'\n";
    let plan = Plan::new(&scenario(text), &folder).unwrap();
    assert_eq!(
        plan.groups[0].replay.as_deref(),
        Some(&[(Duration::ZERO, 1500), (Duration::from_nanos(1), 40)][..])
    );
    let flows: Vec<_> = plan.arrivals().map(|f| (f.start.as_nanos(), f.size)).collect();
    assert_eq!(flows, [(0, None), (500_000_000, Some(1000)), (750_000_000, Some(1))]);
    assert_eq!(plan.explain().notes, ["workload0: 1 flows start after the end of the run"]);

    let before = plan.origin.hash();
    fs::write(folder.join("packets.txt"), "0 1500\n0.000000002 40\n").unwrap();
    assert_ne!(before, Plan::new(&scenario(text), &folder).unwrap().origin.hash());
}

#[test]
fn the_hash_sees_values_and_not_spelling() {
    let hash = |text: &str| plan(text).origin.hash();
    let base = hash(&format!("duration = '10s'\ntopology = 'dumbbell'{BULK}"));
    assert_eq!(base.len(), 64);
    assert_eq!(
        base,
        hash(&format!(
            "topology = {{ kind = 'dumbbell', pairs = 1 }}\nduration = '10000ms' # the same{BULK}"
        ))
    );
    assert_ne!(base, hash(&format!("duration = '10s'\ntopology = 'dumbbell'\nseed = 2{BULK}")));
    assert_ne!(base, hash(&format!("duration = '10s'\ntopology = {{ kind = 'dumbbell', pairs = 2 }}{BULK}")));
}

#[test]
fn a_plan_names_the_profile_and_what_follows_from_it() {
    let text = "duration = '1s'\ntopology = 'dumbbell'\n[[flows]]\nfrom = 'senders'\nto = 'receivers'\n";
    let transport = |settings: &[&str]| {
        let mut value = toml::parse(text).unwrap();
        settings.iter().for_each(|setting| toml::apply_set(&mut value, setting, built_in()).unwrap());
        Scenario::from_value(&value, built_in()).unwrap().to_value().get("transport").unwrap().clone()
    };
    for (settings, profile, losses) in [
        (&[][..], "linux", "rack"),
        (&["transport=tcp"], "linux", "rack"),
        (&["transport.profile=rfc"], "rfc", "duplicates"),
        (&["transport=tcp", "transport.profile=rfc"], "rfc", "duplicates"),
    ] {
        let found = transport(settings);
        assert_eq!(found.get("profile"), Some(&profile.into()), "{settings:?}");
        assert_eq!(found.get("loss_detection"), Some(&losses.into()), "{settings:?}");
    }
}

#[test]
fn a_resolved_scenario_reads_back_the_same() {
    let scenario = scenario(&format!("duration = '10s'\ntopology = 'dumbbell'{BULK}{WEB}"));
    assert_eq!(Scenario::from_value(&scenario.to_value(), built_in()), Ok(scenario));
}

#[test]
fn every_scenario_of_the_house_makes_a_plan() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut count = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "toml") {
            let plan =
                Scenario::from_toml(&fs::read_to_string(&path).unwrap()).and_then(|s| Plan::new(&s, &folder));
            let facts = plan.unwrap_or_else(|e| panic!("{}: {e}", path.display())).explain();
            assert!(facts.flows > 0.0);
            count += 1;
        }
    }
    assert!(count > 0);
}

#[test]
fn large_networks_are_planned_in_linear_time() {
    let plan = plan(&format!(
        "duration = '10s'\ntopology = {{ kind = 'dumbbell', pairs = 5000 }}{BULK}count = 100000\nstagger = '10us'\n"
    ));
    assert_eq!((plan.links.len(), plan.flows.len(), plan.pairs.len()), (20_002, 100_000, 5000));
    assert!(plan.pairs.iter().all(|p| p.forward.first().len() == 3 && p.reverse.first().len() == 3));
}

#[test]
fn every_topology_is_ready_to_use_by_its_name() {
    for descriptor in TopologySpec::descriptors().iter().filter(|d| d.name != "graph") {
        let spec = TopologySpec::from_value(&descriptor.name.into(), &At::root("topology")).unwrap();
        let network = spec.build(1, &At::root("topology")).unwrap();
        for group in ["senders", "receivers"] {
            assert!(network.groups.iter().any(|(name, nodes)| name == group && !nodes.is_empty()));
        }
        assert!(network.bottlenecks.is_sorted() && !network.bottlenecks.is_empty());
    }
}

#[test]
fn every_parameter_has_a_meaning_and_every_default_a_source() {
    let known = descriptors();
    for family in ["topology", "queue", "transport", "controller", "workload", "size"] {
        assert!(known.iter().any(|d| d.family == family), "{family}");
    }
    for descriptor in &known {
        assert!(!descriptor.title.is_empty() && !descriptor.reference.is_empty(), "{}", descriptor.name);
        check_fields(descriptor.name, &descriptor.fields);
    }
    for field in registry_json()["tables"].as_object().unwrap().values().flat_map(|t| t.as_array().unwrap()) {
        assert!(!field["doc"].as_str().unwrap().is_empty(), "{}", field["name"]);
    }
}

fn check_fields(above: &str, fields: &[Field]) {
    for field in fields {
        let place = format!("{above}.{}", field.name);
        assert!(!field.doc.is_empty() && field.doc.ends_with('.'), "{place}: {}", field.doc);
        assert_eq!(field.default.is_some(), !field.source.is_empty(), "{place}");
        check_fields(&place, &field.nested);
    }
}

#[test]
fn the_schema_names_every_family_once_and_resolves() {
    let schema = schema(built_in());
    assert_eq!(schema["$schema"], json!("https://json-schema.org/draft/2020-12/schema"));
    assert_eq!(schema["required"], json!(["duration", "topology"]));
    assert_eq!(schema["properties"]["topology"]["$ref"], json!("#/$defs/topology"));
    let bottleneck = &schema["$defs"]["topology"]["anyOf"][1]["properties"]["bottleneck"];
    assert_eq!(bottleneck["properties"]["queue"]["$ref"], json!("#/$defs/queue"));
    let mut references = 0;
    check_references(&schema, &schema, &mut references);
    assert!(references > 10);
    let text = serde_json::to_string(&schema).unwrap();
    for (family, members) in registry_json()["families"].as_object().unwrap() {
        let names: Vec<&Json> = members.as_array().unwrap().iter().map(|member| &member["name"]).collect();
        let list = serde_json::to_string(&json!({ "enum": names })).unwrap();
        assert_eq!(text.matches(&list).count(), 1, "{family}");
    }
}

fn check_references(schema: &Json, root: &Json, count: &mut u32) {
    match schema {
        Json::Object(object) => {
            if let Some(Json::String(reference)) = object.get("$ref") {
                let name = reference.strip_prefix("#/$defs/").unwrap();
                assert!(root["$defs"][name].is_object(), "{reference}");
                *count += 1;
            }
            object.values().for_each(|v| check_references(v, root, count));
        }
        Json::Array(items) => items.iter().for_each(|v| check_references(v, root, count)),
        _ => {}
    }
}

#[test]
fn queues_without_a_limit_have_no_buffer_to_show() {
    let facts = plan(&format!("duration = '10s'\ntopology = 'dumbbell'{BULK}")).explain();
    let access = facts.links.iter().find(|l| l.name == "sender0->left").unwrap();
    assert_eq!((access.buffer_packets, access.buffer_bytes, access.buffer_time), (None, None, None));
    assert!(matches!(QueueSpec::descriptors().first().map(|d| d.name), Some("droptail")));
}

#[test]
fn an_explanation_shows_what_moves_the_rate_of_a_link() {
    let facts = |bottleneck: &str, more: &str| {
        let topology = format!("{{ kind = 'dumbbell', bottleneck = {{ {bottleneck} }} }}");
        plan(&format!("duration = '10s'\n{more}topology = {topology}{BULK}")).explain()
    };
    let shown =
        facts("power = { rates = { levels = 5 } }, router = 'rcp'", "replay = { link = 'left->right' }\n");
    let link = shown.links.iter().find(|l| l.name == "left->right").unwrap();
    let power = link.power.as_ref().unwrap();
    assert_eq!((power.policy, link.router, link.service), ("practra", Some("rcp"), "constant"));
    assert_eq!(power.rates, [2e6, 4e6, 6e6, 8e6, 1e7]);
    assert_eq!((power.pause, power.guard, power.wake), (0.002, 0.016, 0.001));
    assert!(shown.notes[0].starts_with("two runs: what arrives at left->right"), "{:?}", shown.notes);
    let back = shown.links.iter().find(|l| l.name == "right->left").unwrap();
    assert_eq!((&back.power, back.router), (&None, Some("rcp")));
    let steps = facts("rate_changes = [{ at = '1s', rate = '1Mbit/s' }]", "");
    assert_eq!(steps.links.iter().find(|l| l.name == "left->right").unwrap().service, "steps");
}

#[test]
fn a_confined_scenario_opens_nothing_outside_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    fs::create_dir(&home).unwrap();
    let secret = folder.path().join("secret.csv");
    fs::write(&secret, "root:x:0:0\n").unwrap();
    std::os::unix::fs::symlink(&secret, home.join("link.csv")).unwrap();
    fs::write(home.join("own.csv"), "root:x:0:0\n").unwrap();
    let plan = |file: &str, confined| {
        let text = format!(
            "duration = '1s'\ntopology = {{ kind = 'dumbbell', pairs = 1 }}\n\
             workloads = [{{ kind = 'trace', name = 'web', file = {file:?} }}]"
        );
        let base = Base { folder: &home, confined };
        Plan::from_base(&scenario(&text), base).map(drop).unwrap_err().to_string()
    };
    let absolute = secret.to_str().unwrap();
    for file in [absolute, "../secret.csv", "link.csv", "../home/own.csv", "/nowhere/at/all"] {
        let message = plan(file, true);
        assert!(message.contains("lies outside") && !message.contains("root"), "{message}");
    }
    for (file, confined) in [("own.csv", true), (absolute, false), ("link.csv", false)] {
        assert!(plan(file, confined).contains("1 fields instead of 4"));
    }
    assert!(plan("none.csv", true).contains("there is no such file"));
}

#[test]
fn a_message_quotes_the_beginning_of_a_long_field() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("long.csv"), format!("{},a,b,1\n", "x".repeat(10_000))).unwrap();
    let text = "duration = '1s'\ntopology = { kind = 'dumbbell', pairs = 1 }\n\
                workloads = [{ kind = 'trace', name = 'web', file = 'long.csv' }]";
    let message = Plan::new(&scenario(text), folder.path()).map(drop).unwrap_err().to_string();
    assert!(message.contains("xxx\"... is not a ") && message.len() < 300, "{message}");
}

#[test]
fn texts_hold_no_control_characters_and_names_are_short() {
    let text = |name: &str| {
        format!(
            "duration = '1s'\ndescription = \"two\\nlines\"\ntopology = {{ kind = 'dumbbell', pairs = 1 }}\n\
             flows = [{{ name = \"{name}\", from = 'senders', to = 'receivers' }}]"
        )
    };
    for code in ["0000", "0007", "001B", "009B", "000A", "202E", "2066", "2028", "FEFF"] {
        let error = Scenario::from_toml(&text(&format!("a\\u{code}b"))).unwrap_err().to_string();
        let expected = format!("flows[0].name: the text holds the control character U+{code}; ");
        assert!(error.starts_with(&expected), "{error}");
    }
    assert!(Scenario::from_toml(&text("[/nope] $x^{bad$ <script> été 流")).is_ok());
    assert!(Scenario::from_toml(&text(&"x".repeat(100))).is_ok());
    let error = Scenario::from_toml(&text(&"x".repeat(101))).unwrap_err().to_string();
    assert_eq!(error, "flows[0].name: a name of 101 characters is above the limit of 100; shorten it");
}
