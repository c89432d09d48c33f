//! One run on several threads: the tables of one thread, byte for byte.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use dumbbell_core::{Results, Value};
use dumbbell_sim::{Cut, Interrupted, Plan, Progress, Run, Scenario, Whole, built_in, run, toml};
use proptest::prelude::*;

pub(crate) fn plan(text: &str, settings: &[&str]) -> Arc<Plan> {
    let mut value: Value = toml::parse(text).expect("TOML");
    for setting in settings {
        toml::apply_set(&mut value, setting, built_in()).expect("a setting");
    }
    let scenario = Scenario::from_value(&value, built_in()).expect("a scenario");
    Plan::new(&scenario, Path::new(".")).expect("a plan")
}

fn cut(plan: &Plan, threads: usize) -> Cut {
    plan.cut(Some(threads), 1).unwrap_or_else(|whole| panic!("it can be cut: {whole}"))
}

/// All tables as text.
fn tables(results: Results) -> String {
    let shortage = results.shortage;
    format!("{shortage:?} {:?}", results.into_tables())
}

fn on_one(plan: &Arc<Plan>) -> String {
    tables(run(plan, u64::MAX, |_| ControlFlow::Continue(())).expect("nobody stops it"))
}

fn on_cut(plan: &Arc<Plan>, cut: &Cut) -> String {
    tables(run_cut(plan, cut, u64::MAX, |_| ControlFlow::Continue(())).expect("nobody stops it"))
}

fn run_cut(
    plan: &Arc<Plan>,
    cut: &Cut,
    memory: u64,
    progress: impl FnMut(&mut Progress) -> ControlFlow<()>,
) -> Result<Results, Interrupted> {
    Run::new(plan, memory).in_parts(Some(cut.clone())).finish(progress)
}

#[track_caller]
pub(crate) fn assert_same(plan: &Arc<Plan>) {
    let one = on_one(plan);
    for threads in [2, 3] {
        assert!(one == on_cut(plan, &cut(plan, threads)), "tables on {threads} threads are not those on one");
    }
    for threads in [1, 2] {
        let cut = plan.finest_cut(threads).unwrap_or_else(|whole| panic!("it can be cut: {whole}"));
        assert!(cut.layout.regions.len() > threads, "no regions");
        assert!(
            one == on_cut(plan, &cut),
            "tables in {} regions are not those of one loop",
            cut.layout.regions.len()
        );
    }
}

const W4S: &str = include_str!("../../../scenarios/w4s-long-fat.toml");
const W1: &str = include_str!("../../../scenarios/w1-dumbbell-bulk.toml");
const QUENCH: &str = include_str!("../../../scenarios/source-quench.toml");
const INCAST: &str = include_str!("../../../scenarios/w3-incast-rounds.toml");
const FAT_TREE: &str = include_str!("../../../scenarios/fat-tree-permutation.toml");

#[test]
fn long_flows_over_a_long_fat_pipe_are_the_same() {
    assert_same(&plan(W4S, &["duration=1500ms", "warmup=500ms"]));
}

#[test]
fn a_dumbbell_is_the_same_with_samples_and_queues() {
    assert_same(&plan(
        W1,
        &["duration=4s", "warmup=1s", "record={samples=true,queues=\"all\",period=\"10ms\"}"],
    ));
}

#[test]
fn a_fat_tree_is_the_same_whatever_the_choice_of_paths() {
    for paths in ["ecmp", "spray", "single"] {
        assert_same(&plan(
            FAT_TREE,
            &["duration=8ms", "warmup=2ms", &format!("paths={paths}"), "topology.k=4"],
        ));
    }
}

#[test]
fn parts_of_several_forms_of_links_are_the_same() {
    // CoDel at the bottleneck, whose far end is its own part's; a lossy and a jittery link; a shared buffer.
    let codel = "topology.bottleneck.queue=codel";
    assert_same(&plan(W1, &["duration=3s", "warmup=1s", codel]));
    assert_same(&plan(W1, &["duration=3s", "warmup=1s", "topology.bottleneck.loss=0.001"]));
    let jitter = "topology.bottleneck.impairments=[{ kind = \"jitter\", spread = \"1ms\" }]";
    assert_same(&plan(W1, &["duration=3s", "warmup=1s", jitter]));
}

#[test]
fn agents_of_routers_are_the_same() {
    assert_same(&plan(QUENCH, &["duration=6s", "warmup=1s"]));
    let sampled = "record={samples=true,queues=\"all\",drops=true,controllers=true,period=\"10ms\"}";
    assert_same(&plan(QUENCH, &["duration=3s", "warmup=1s", "nodes[0].agent.threshold=5", sampled]));
}

#[test]
fn flow_control_between_some_links_is_the_same() {
    // The bottleneck pauses what leads to it; the links behind it are those of other parts.
    let pause = "nodes=[{ name = \"left\", pause = { xoff = \"6kB\" } }]";
    let settings = ["duration=3s", "warmup=1s", "topology.bottleneck.queue.limit=2000pkt", pause];
    assert_same(&plan(W1, &settings));
}

#[test]
#[allow(clippy::disallowed_methods, reason = "what is tested is how long it takes")]
fn turns_take_no_longer_with_many_regions() {
    // What a turn does must not grow with the number of regions: 20,002 links here.
    let settings = [
        "flows=[{ from = 'senders', to = 'receivers', count = 5000, stagger = '10us', sampled = false }]",
        "topology.pairs=5000",
        "topology.bottleneck.rate=12Gbit/s",
        "topology.bottleneck.queue.limit=150000pkt",
        "topology.access.rate=50Gbit/s",
        // The router between all has most of the events of a round.
        "transport.initial_window=60",
        "warmup=0s",
    ];
    let lasting = |duration: &str| plan(W4S, &[&settings[..], &[duration]].concat());
    // Turns pay in a long run, and the regions of a short one are the same.
    let cut = lasting("duration=2s").cut(None, 1).expect("turns pay");
    assert!(cut.layout.regions.len() > 1000, "few regions");
    let plan = lasting("duration=120ms");
    let seconds = |work: &dyn Fn() -> String| {
        let begun = std::time::Instant::now();
        assert!(!work().is_empty());
        begun.elapsed().as_secs_f64()
    };
    // The least of three: other work of the machine only adds.
    let least = |work: &dyn Fn() -> String| (0..3).map(|_| seconds(work)).fold(f64::INFINITY, f64::min);
    let (one, turns) = (least(&|| on_one(&plan)), least(&|| on_cut(&plan, &cut)));
    assert!(turns < 3.0 * one, "{turns:.3} s in turns, {one:.3} s in one loop");
}

#[test]
fn parts_that_look_too_rarely_at_each_other_are_found_out() {
    // A packet takes 12 ms at least from one part to the other, and there are always some on their way.
    let plan = plan(W1, &["duration=1s", "warmup=200ms"]);
    let mut cut = cut(&plan, 2);
    assert!(on_one(&plan) == on_cut(&plan, &cut));
    cut.window = cut.window * 4;
    let late = std::thread::scope(|scope| scope.spawn(|| on_cut(&plan, &cut)).join());
    assert!(
        late.is_err() || late.is_ok_and(|late| late != on_one(&plan)),
        "packets that come late change nothing"
    );
}

#[test]
fn what_all_parts_share_keeps_a_run_on_one_thread_and_is_named() {
    let whole =
        |text: &str, settings: &[&str]| plan(text, settings).cut(Some(2), 2).expect_err("whole").to_string();
    assert!(whole(INCAST, &[]).contains("a closed loop"));
    assert!(whole(QUENCH, &["flows[0].size=1MB"]).contains("agents of routers"));
    assert!(
        whole(W1, &["topology.bottleneck.delay=0s", "topology.access.delay=0s"])
            .contains("no link with a delay")
    );
    let auto = |text: &str, cores: usize| plan(text, &[]).cut(None, cores);
    assert_eq!(auto(FAT_TREE, 1), Err(Whole::Asked));
    assert_eq!(auto(W1, 2), Err(Whole::Small));
    let many = |cut: Cut| (cut.parts, cut.layout.regions.len() > cut.parts);
    assert_eq!(auto(W4S, 1).map(many), Ok((1, true)));
    // Each of the parts gets what the other sends it, and is in turns too.
    assert_eq!(auto(W4S, 2).map(many), Ok((2, true)));
    assert_eq!(auto(FAT_TREE, 2).map(|cut| cut.parts), Ok(2));
}

#[test]
fn a_stopped_run_ends_all_its_threads() {
    let plan = plan(W4S, &["duration=3s", "warmup=500ms"]);
    let cuts = [cut(&plan, 2), plan.finest_cut(1).expect("it can be cut into regions")];
    for cut in cuts {
        assert_ends_early(&plan, &cut);
    }
}

fn assert_ends_early(plan: &Arc<Plan>, cut: &Cut) {
    let stopped = run_cut(plan, cut, u64::MAX, |_| ControlFlow::Break(()));
    assert!(stopped.is_err());
    // Short of memory, it is cut short where one thread would be.
    let memory = 3 << 20;
    let one = tables(run(plan, memory, |_| ControlFlow::Continue(())).expect("nobody stops it"));
    let two = tables(run_cut(plan, cut, memory, |_| ControlFlow::Continue(())).expect("nobody stops it"));
    assert!(one.starts_with("Some"), "the limit is too high for the test");
    assert!(one == two);
}

/// A scenario of any kind that can be cut, with many events at the same time: few delays, rates and starts to choose from.
fn scenario() -> impl Strategy<Value = String> {
    let delay = || prop::sample::select(vec!["8us", "100us", "100us", "1ms", "0s"]);
    let rate = || prop::sample::select(vec!["10Mbit/s", "100Mbit/s", "100Mbit/s", "1Gbit/s"]);
    let queue = || {
        prop::sample::select(vec![
            "\"droptail\"",
            "{ kind = \"droptail\", limit = \"20pkt\" }",
            "{ kind = \"droptail\", limit = \"20pkt\" }",
            "\"codel\"",
            "\"fq-codel\"",
            "{ kind = \"red\" }",
        ])
    };
    let link = move || {
        let loss = prop::sample::select(vec!["", "", "", ", loss = 0.01"]);
        (delay(), rate(), queue(), loss)
            .prop_map(|(d, r, q, l)| format!("{{ delay = \"{d}\", rate = \"{r}\", queue = {q}{l} }}"))
    };
    let topology = (0..4_u32, link(), link(), 1..4_u32).prop_map(|(kind, a, b, n)| match kind {
        0 => format!("kind = \"dumbbell\"\npairs = {n}\nbottleneck = {a}\naccess = {b}"),
        1 => format!("kind = \"parking-lot\"\nhops = {n}\nbottleneck = {a}\naccess = {b}"),
        2 => format!("kind = \"leaf-spine\"\nleaves = 3\nspines = 2\nhosts = {n}\nuplink = {a}\nhost = {b}"),
        _ => format!("kind = \"fat-tree\"\nk = {}\nfabric = {a}\nhost = {b}", 2 * n.min(2)),
    });
    let transport = prop::sample::select(vec![
        "{ kind = \"tcp\", controller = \"newreno\", profile = \"rfc\" }",
        "{ kind = \"tcp\", controller = \"cubic\" }",
        "{ kind = \"tcp\", controller = \"vegas\" }",
        "{ kind = \"cbr\", rate = \"5Mbit/s\" }",
        "{ kind = \"poisson\", rate = \"5Mbit/s\" }",
        "{ kind = \"tfrc\" }",
        "{ kind = \"nada\", rmin = \"2Mbit/s\", rmax = \"5Mbit/s\" }",
    ]);
    let paths = prop::sample::select(vec!["ecmp", "spray", "single"]);
    let stagger = prop::sample::select(vec!["0s", "0s", "1ms"]);
    (topology, transport, paths, stagger, 1..4_u32, any::<bool>(), 0..1000_u64).prop_map(
        |(topology, transport, paths, stagger, count, samples, seed)| {
            format!(
                "seed = {seed}\nduration = \"60ms\"\nwarmup = \"10ms\"\npaths = \"{paths}\"\ntransport = {transport}\n\
                 [topology]\n{topology}\n[[flows]]\nfrom = \"senders\"\nto = \"receivers\"\ncount = {count}\n\
                 stagger = \"{stagger}\"\n[record]\nsamples = {samples}\nqueues = \"all\"\nperiod = \"1ms\"\n"
            )
        },
    )
}

/// Compares one loop with so many threads, and with the finest regions on one thread and on so many.
pub(crate) fn same_on_any_cut(plan: &Arc<Plan>, threads: usize) -> Result<(), TestCaseError> {
    let cut = plan.cut(Some(threads), 1);
    prop_assume!(cut.is_ok());
    let one = on_one(plan);
    prop_assert!(one == on_cut(plan, &cut.expect("assumed")), "not the same on {threads} threads");
    for threads in [1, threads] {
        let cut = plan.finest_cut(threads).expect("it can be cut into parts");
        let regions = cut.layout.regions.len();
        prop_assert!(one == on_cut(plan, &cut), "not the same in {regions} regions on {threads} threads");
    }
    Ok(())
}

proptest! {
    // Each runs several times on several threads.
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 8))]

    #[test]
    fn any_run_that_can_be_cut_is_the_same_on_any_number_of_threads(text in scenario(), threads in 2..4_usize) {
        same_on_any_cut(&plan(&text, &[]), threads)?;
    }
}
