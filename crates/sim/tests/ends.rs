//! Flows that end in a run in parts: the tables of one loop, byte for byte.

use proptest::prelude::*;

use crate::threads::{assert_same, plan, same_on_any_cut};

const W2: &str = include_str!("../../../scenarios/w2-dumbbell-web.toml");
const POWER: &str = include_str!("../../../scenarios/power-practra.toml");
const W4S: &str = include_str!("../../../scenarios/w4s-long-fat.toml");
const FAT_TREE: &str = include_str!("../../../scenarios/fat-tree-permutation.toml");

/// Web traffic over a fat-tree.
const WEB: &str = "flows=[]";
const SHORT_FLOWS: &str = "workloads=[{ kind = \"poisson\", name = \"web\", from = \"senders\", to = \"receivers\", \
                           pairing = \"all\", rate = 50000.0, size = { kind = \"pareto\", shape = 1.2, mean = \"20kB\" } }]";

#[test]
fn flows_that_end_are_the_same() {
    // Slots are used again: those that come later are more than those in progress.
    let flows = "flows=[{ from = \"senders\", to = \"receivers\", count = 20, size = \"200kB\", stagger = \"20ms\" }]";
    let settings = ["duration=4s", "warmup=1s", "topology.bottleneck.rate=400Mbit/s", flows];
    assert_same(&plan(W4S, &settings));
    assert_same(&plan(W4S, &[&settings[..], &["drain=2s"]].concat()));
    let sampled = "record={ samples = true, queues = \"all\", period = \"7ms\" }";
    assert_same(&plan(W4S, &[&settings[..], &[sampled]].concat()));
}

#[test]
fn arrivals_of_an_open_loop_are_the_same() {
    assert_same(&plan(W2, &["duration=60s", "warmup=5s"]));
    let sampled =
        ["workloads[0].sampled=true", "record={ samples = true, queues = \"all\", period = \"33ms\" }"];
    assert_same(&plan(W2, &[&["duration=20s", "warmup=5s"], &sampled[..]].concat()));
}

#[test]
fn queues_that_tell_flows_apart_are_the_same() {
    for queue in ["fq-codel", "sfq", "cake"] {
        let queue = format!("topology.bottleneck.queue={queue}");
        assert_same(&plan(W2, &["duration=30s", "warmup=5s", &queue]));
    }
}

#[test]
fn tables_that_events_write_are_the_same() {
    let record =
        "record={ drops = true, controllers = true, delays = true, samples = true, period = \"33ms\" }";
    for end in ["drain=0s", "drain=5s"] {
        assert_same(&plan(W2, &["duration=30s", "warmup=5s", "workloads[0].sampled=true", record, end]));
    }
    // Many events at once, in queues that drop.
    let settings =
        ["duration=8ms", "warmup=2ms", "topology.k=4", "topology.fabric.queue.limit=10pkt", record];
    assert_same(&plan(FAT_TREE, &settings));
}

#[test]
fn web_traffic_over_a_fat_tree_is_the_same() {
    for paths in ["ecmp", "spray"] {
        let paths = format!("paths={paths}");
        let settings = ["duration=8ms", "warmup=2ms", "topology.k=4", "drain=4ms", WEB, SHORT_FLOWS, &paths];
        assert_same(&plan(FAT_TREE, &settings));
    }
}

#[test]
fn ports_with_events_of_their_own_are_the_same() {
    assert_same(&plan(POWER, &["duration=3s", "warmup=1s"]));
}

/// Flows of several kinds that end, with few times to choose from, so that many end and begin at once.
fn scenario() -> impl Strategy<Value = String> {
    let delay = || prop::sample::select(vec!["8us", "100us", "1ms", "0s"]);
    let rate = || prop::sample::select(vec!["10Mbit/s", "100Mbit/s", "1Gbit/s"]);
    let queue = || {
        prop::sample::select(vec![
            "\"droptail\"",
            "{ kind = \"droptail\", limit = \"8pkt\" }",
            "\"codel\"",
            "{ kind = \"fq-codel\", limit = \"20pkt\" }",
            "\"sfq\"",
        ])
    };
    let link = move || {
        let loss = prop::sample::select(vec!["", "", ", loss = 0.02"]);
        (delay(), rate(), queue(), loss)
            .prop_map(|(d, r, q, l)| format!("{{ delay = \"{d}\", rate = \"{r}\", queue = {q}{l} }}"))
    };
    let topology = (0..3_u32, link(), link(), 1..4_u32).prop_map(|(kind, a, b, n)| match kind {
        0 => format!("kind = \"dumbbell\"\npairs = {n}\nbottleneck = {a}\naccess = {b}"),
        1 => format!("kind = \"leaf-spine\"\nleaves = 3\nspines = 2\nhosts = {n}\nuplink = {a}\nhost = {b}"),
        _ => format!("kind = \"fat-tree\"\nk = {}\nfabric = {a}\nhost = {b}", 2 * n.min(2)),
    });
    let transport = prop::sample::select(vec![
        "{ kind = \"tcp\", controller = \"newreno\", profile = \"rfc\" }",
        "{ kind = \"tcp\", controller = \"cubic\", rto_min = \"5ms\", rto_initial = \"5ms\" }",
        "{ kind = \"cbr\", rate = \"5Mbit/s\" }",
    ]);
    let paths = prop::sample::select(vec!["ecmp", "spray", "single"]);
    let size = prop::sample::select(vec!["1B", "1460B", "20kB", "60kB"]);
    let drain = prop::sample::select(vec!["0s", "40ms"]);
    let several = (1..4_u32, any::<bool>(), any::<bool>(), 0..1000_u64, 100..3000_u32, any::<bool>());
    (topology, transport, paths, size, drain, several).prop_map(
        |(topology, transport, paths, size, drain, (count, samples, endless, seed, rate, events))| {
            let endless = if endless { "[[flows]]\nfrom = \"senders\"\nto = \"receivers\"\n" } else { "" };
            format!(
                "seed = {seed}\nduration = \"60ms\"\nwarmup = \"10ms\"\ndrain = \"{drain}\"\npaths = \"{paths}\"\n\
                 transport = {transport}\n[topology]\n{topology}\n{endless}[[flows]]\nfrom = \"senders\"\n\
                 to = \"receivers\"\ncount = {count}\nsize = \"{size}\"\nstagger = \"1ms\"\n\
                 [[workloads]]\nkind = \"poisson\"\nfrom = \"senders\"\nto = \"receivers\"\nrate = {rate}.0\n\
                 sampled = true\nsize = {{ kind = \"exponential\", mean = \"8kB\" }}\n\
                 [record]\ndrops = {events}\ncontrollers = {events}\ndelays = {events}\nsamples = {samples}\nqueues = \"all\"\nperiod = \"1ms\"\n"
            )
        },
    )
}

proptest! {
    // Each runs several times on several threads.
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 8))]

    #[test]
    fn any_flows_that_end_are_the_same_in_parts(text in scenario(), threads in 2..4_usize) {
        same_on_any_cut(&plan(&text, &[]), threads)?;
    }
}
