//! A run is a value: whatever pauses it makes, whoever looks at it in between, and whatever runs take turns with it, its tables are
//! the same, byte for byte.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use dumbbell_core::table::{Column, ColumnData};
use dumbbell_core::{Duration, Results, Time, Value};
use dumbbell_net::queue::QueueSpec;
use dumbbell_proto::ControllerSpec;
use dumbbell_sim::{Advanced, Interrupted, Plan, Progress, Run, Scenario, built_in, run, toml};
use proptest::prelude::*;

const SCENARIOS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios");

fn go_on(_: &mut Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn ms(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}

fn planned(text: &str, settings: &[&str]) -> Result<Arc<Plan>, String> {
    let mut value: Value = toml::parse(text).map_err(|e| e.to_string())?;
    for setting in settings {
        toml::apply_set(&mut value, setting, built_in()).map_err(|e| e.to_string())?;
    }
    let scenario = Scenario::from_value(&value, built_in()).map_err(|e| e.to_string())?;
    Plan::new(&scenario, Path::new(SCENARIOS)).map_err(|e| e.to_string())
}

fn plan(text: &str, settings: &[&str]) -> Arc<Plan> {
    planned(text, settings).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// All tables as text, in which what is missing is equal to what is missing.
fn tables(results: Results) -> String {
    let shortage = results.shortage;
    format!("{shortage:?} {:?}", results.into_tables())
}

fn whole(plan: &Arc<Plan>) -> String {
    tables(run(plan, u64::MAX, go_on).unwrap())
}

/// Who looks at a paused run.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Look {
    Nobody,
    Peeks,
    Tables,
}

/// Advances a run, and looks at it.
fn pause(run: &mut Run, at: Time, look: Look) {
    let before = run.now();
    match run.advance(at, go_on).unwrap() {
        Advanced::Paused => assert_eq!(run.now(), before.max(at)),
        Advanced::Done => assert!(run.is_done()),
    }
    match look {
        Look::Nobody => {}
        Look::Peeks => drop(run.peek()),
        Look::Tables => drop(run.tables()),
    }
}

/// A transport, and what links or routers it needs.
fn transport() -> impl Strategy<Value = (String, &'static str, &'static str)> {
    let controllers = ControllerSpec::descriptors().into_iter().map(|descriptor| descriptor.name);
    let controllers: Vec<&str> = controllers.filter(|name| !matches!(*name, "xcp" | "hpcc")).collect();
    let tcp = prop::sample::select(controllers)
        .prop_map(|name| (format!("{{ kind = 'tcp', controller = '{name}', ecn = 'classic' }}"), "", ""));
    let with_router = prop::sample::select(vec![
        ("{ kind = 'tcp', profile = 'rfc', controller = 'xcp', ack_every = 1 }", ", router = 'xcp'", ""),
        ("{ kind = 'tcp', controller = 'hpcc' }", ", router = 'hpcc'", ""),
        ("'rcp'", ", router = 'rcp'", ""),
        ("'trump'", "", "nodes = [{ name = 'left', agent = 'rbcc' }, { name = 'right', agent = 'rbcc' }]"),
        ("'tfrc'", "", ""),
        ("'lttp'", "", ""),
        ("{ kind = 'nada', rmax = '5Mbit/s' }", "", ""),
        ("{ kind = 'cbr', rate = '3Mbit/s' }", "", ""),
        ("{ kind = 'poisson', rate = '3Mbit/s' }", "", ""),
        ("{ kind = 'on-off', rate = '6Mbit/s' }", "", ""),
    ]);
    prop_oneof![2 => tcp, 1 => with_router.prop_map(|(kind, link, nodes)| (kind.to_owned(), link, nodes))]
}

/// Any discipline with its defaults, or DropTail with room for a few packets.
fn queue() -> impl Strategy<Value = String> {
    let names: Vec<&str> = QueueSpec::all_defaults().into_iter().map(|queue| queue.name()).collect();
    prop_oneof![
        prop::sample::select(names).prop_map(|name| match name {
            "token-bucket-filter" => "{ kind = 'token-bucket-filter', rate = '8Mbit/s' }".to_owned(),
            "threshold" => "{ kind = 'threshold', limit = '20pkt' }".to_owned(),
            name => format!("'{name}'"),
        }),
        Just("{ kind = 'droptail', limit = '9pkt' }".to_owned()),
    ]
}

fn scenario() -> impl Strategy<Value = String> {
    let load = prop_oneof![
        Just(""),
        Just("{ kind = 'poisson', rate = 40, size = { kind = 'pareto', mean = '10kB' }"),
        Just("{ kind = 'rounds', size = '10kB', rounds = 5"),
        Just(
            "{ kind = 'request-response', request = { kind = 'exponential', mean = '1kB' }, response = 'campus-web'"
        ),
        Just("{ kind = 'on-close', size = { kind = 'exponential', mean = '10kB' }, max_flows = 9"),
        Just("{ kind = 'shuffle', size = { kind = 'exponential', mean = '10kB' }"),
    ];
    let record = prop_oneof![
        Just("samples = false, queues = 'none'"),
        Just("samples = true, period = '10ms', queues = 'all'"),
        Just("samples = false, drops = true, controllers = true"),
    ];
    let more = prop_oneof![
        5 => Just(""),
        1 => Just("drain = '200ms'"),
        1 => Just("replay = { link = 'left->right' }"),
    ];
    (transport(), queue(), load, record, more, 0..1000_u32).prop_map(
        |((transport, link, nodes), queue, load, record, more, seed)| {
            let ends = "from = 'senders', to = 'receivers'";
            let load = if load.is_empty() { String::new() } else { format!("workloads = [{load}, {ends} }}]") };
            format!(
                "seed = {seed}\nduration = '300ms'\nwarmup = '50ms'\n{more}\n{nodes}\n{load}\nrecord = {{ {record} }}\n\
                 transport = {transport}\nflows = [{{ {ends}, stagger = '7ms' }}]\n\
                 topology = {{ kind = 'dumbbell', pairs = 3, access = {{ rate = '100Mbit/s', delay = '1ms'{link} }}, \
                 bottleneck = {{ rate = '10Mbit/s', delay = '2ms', queue = {queue}{link} }} }}"
            )
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pauses_and_turns_change_no_byte(
        texts in [scenario(), scenario()],
        pauses in prop::collection::vec(
            (0..2_usize, 0..400_000_u64, prop::sample::select(vec![Look::Nobody, Look::Peeks, Look::Tables])),
            1..12,
        ),
    ) {
        // Not every transport goes with every queue.
        let plans: Vec<_> = texts.iter().filter_map(|text| planned(text, &[]).ok()).collect();
        prop_assume!(plans.len() == texts.len());
        let mut runs: Vec<Run> = plans.iter().map(|plan| Run::new(plan, u64::MAX)).collect();
        for (which, at, look) in pauses {
            pause(&mut runs[which], Time::ZERO + Duration::from_micros(at), look);
        }
        for ((run, plan), text) in runs.into_iter().zip(&plans).zip(&texts) {
            prop_assert!(tables(run.finish(go_on).unwrap()) == whole(plan), "other tables with pauses:\n{text}");
        }
    }
}

#[test]
fn most_drawn_scenarios_can_run() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let drawn = (0..300).map(|_| scenario().new_tree(&mut runner).unwrap().current());
    let refused: Vec<String> = drawn.filter_map(|text| planned(&text, &[]).err()).collect();
    assert!(refused.len() < 90, "{} of 300 are refused: {:#?}", refused.len(), &refused[..9]);
}

/// The shipped scenarios, shortened: all kinds of topologies, routers and policies.
#[test]
fn shipped_scenarios_may_pause() {
    let mut names: Vec<_> = fs::read_dir(SCENARIOS).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    let files = names.iter().filter(|path| path.extension().is_some_and(|kind| kind == "toml"));
    let mut count = 0;
    for path in files {
        let all: u64 = if path.ends_with("fat-tree-permutation.toml") { 4 } else { 300 };
        let settings = [format!("duration={all}ms"), format!("warmup={}ms", all / 4)];
        let plan = plan(&fs::read_to_string(path).unwrap(), &settings.each_ref().map(String::as_str));
        let mut run = Run::new(&plan, u64::MAX);
        for (eighth, look) in (1..8).zip([Look::Peeks, Look::Nobody, Look::Tables].iter().cycle()) {
            pause(&mut run, ms(0) + Duration::from_micros(all * 1000 * eighth / 8), *look);
        }
        assert!(tables(run.finish(go_on).unwrap()) == whole(&plan), "{}", path.display());
        count += 1;
    }
    assert!(count > 20, "{count} scenarios");
}

/// Two flows over a queue that is sampled; nothing puts anything off.
const TWO: &str = r#"
duration = "2s"
warmup = "100ms"
transport = { kind = "tcp", controller = "cubic" }
record = { samples = true, period = "10ms", queues = "all" }
[topology]
kind = "dumbbell"
pairs = 2
bottleneck = { rate = "10Mbit/s", delay = "5ms", queue = { kind = "droptail", limit = "20pkt" } }
access = { rate = "100Mbit/s", delay = "1ms" }
[[flows]]
from = "senders"
to = "receivers"
stagger = "50ms"
"#;

/// All columns: their names, and values as text.
fn cells(results: Results) -> Vec<(&'static str, String)> {
    let tables = results.into_tables();
    let columns = tables.iter().flat_map(|table| table.columns.iter().map(|column| (&table.labels, column)));
    let text = |(labels, (column, data)): (&Arc<[Arc<str>]>, &(Column, ColumnData))| match data {
        ColumnData::Label(codes) => {
            let texts: Vec<&str> = codes.iter().map(|code| &*labels[*code as usize]).collect();
            (column.name, format!("{texts:?}"))
        }
        data => (column.name, format!("{data:?}")),
    };
    columns.map(text).collect()
}

#[test]
fn a_paused_run_has_the_tables_of_a_shorter_one() {
    for half in [101, 700, 1999] {
        let mut run = Run::new(&plan(TWO, &[]), u64::MAX);
        assert_eq!(run.advance(ms(half), go_on), Ok(Advanced::Paused));
        let paused = run.tables();
        assert_eq!(&*paused.labels.all()[paused.runs.ended[0] as usize], "paused");
        let shorter = plan(TWO, &[&format!("duration={half}ms")]);
        let shorter = dumbbell_sim::run(&shorter, u64::MAX, go_on).unwrap();
        let pairs = cells(paused).into_iter().zip(cells(shorter));
        let differ: Vec<_> = pairs.filter(|(paused, shorter)| paused != shorter).collect();
        // How long packets stayed at a queue that has some now is not known before the end.
        let names: Vec<&str> = differ.iter().map(|((name, _), _)| *name).collect();
        assert_eq!(names, ["ended", "sojourn_mean"], "{half} ms: {differ:#?}");
    }
}

#[test]
fn a_peek_counts_what_the_tables_count() {
    let mut run = Run::new(&plan(TWO, &["warmup=0s"]), u64::MAX);
    assert_eq!(run.peek(), dumbbell_sim::Peek::default());
    assert_eq!(run.advance(ms(1500), go_on), Ok(Advanced::Paused));
    let (peek, tables) = (run.peek(), run.tables());
    let links = |f: fn(&dumbbell_sim::LinkNow) -> u64| peek.links.iter().map(f).collect::<Vec<u64>>();
    assert_eq!(links(|l| l.sent_bytes), tables.links.sent_bytes);
    assert_eq!(links(|l| l.dropped), tables.links.dropped);
    let flows = |f: fn(&dumbbell_sim::FlowNow) -> u64| peek.flows.iter().map(f).collect::<Vec<u64>>();
    assert_eq!(flows(|f| f.delivered), tables.flows.delivered);
    assert_eq!(peek.flows.iter().map(|f| (f.flow, f.group)).collect::<Vec<_>>(), [(0, 0), (1, 0)]);
    let states = ["slow-start", "congestion-avoidance", "recovery", "loss"];
    assert!(peek.flows.iter().all(|f| f.state.is_some_and(|state| states.contains(&state))));
    // The latest samples are those of this time.
    let of = |name: &str, id: u32| {
        let (samples, labels) = (&tables.samples, tables.labels.all());
        let row = (0..samples.time.len())
            .rfind(|i| &*labels[samples.metric[*i] as usize] == name && samples.id[*i] == id);
        samples.value[row.unwrap()]
    };
    for (row, link) in (0..).zip(&peek.links) {
        assert_eq!(link.queue as f64, of("queue", row), "link {row}");
    }
    for flow in &peek.flows {
        assert_eq!(flow.window as f64, of("cwnd", flow.flow));
        assert_eq!(flow.rtt.as_secs_f64(), of("rtt", flow.flow));
    }
}

#[test]
fn what_is_past_changes_nothing() {
    let mut run = Run::new(&plan(TWO, &[]), u64::MAX);
    assert_eq!((run.advance(ms(900), go_on), run.now()), (Ok(Advanced::Paused), ms(900)));
    assert_eq!((run.advance(ms(800), go_on), run.now()), (Ok(Advanced::Paused), ms(900)));
    assert_eq!((run.advance(ms(2000), go_on), run.now()), (Ok(Advanced::Done), ms(2000)));
    assert!(run.is_done());
    assert_eq!(run.advance(ms(100), go_on), Ok(Advanced::Done));
    assert_eq!(tables(run.tables()), whole(&plan(TWO, &[])));
}

#[test]
fn an_interrupted_run_goes_on() {
    let plan = plan(TWO, &[]);
    let mut run = Run::new(&plan, u64::MAX);
    let mut stops = 0;
    let mut stop = |p: &mut Progress| {
        stops += 1;
        p.step = 500;
        if stops % 3 == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut times = vec![Time::ZERO];
    while let Err(Interrupted) = run.advance(Time::NEVER, &mut stop) {
        times.push(run.now());
    }
    assert!(times.len() > 5 && times.is_sorted(), "{times:?}");
    assert!(tables(run.into_results().unwrap()) == whole(&plan));
}

#[test]
fn a_run_in_parts_that_is_interrupted_begins_again() {
    let plan = plan(TWO, &[]);
    let cut = plan.finest_cut(1).unwrap_or_else(|whole| panic!("{whole}"));
    let mut run = Run::new(&plan, u64::MAX).in_parts(Some(cut.clone()));
    assert_eq!(run.advance(Time::NEVER, |_| ControlFlow::Break(())), Err(Interrupted));
    assert_eq!(run.now(), Time::ZERO);
    assert!(tables(run.finish(go_on).unwrap()) == whole(&plan));
    let mut run = Run::new(&plan, u64::MAX).in_parts(Some(cut));
    assert_eq!(run.advance(ms(1000), go_on), Ok(Advanced::Paused));
    assert!(tables(run.finish(go_on).unwrap()) == whole(&plan));
}

#[test]
fn a_run_may_move_to_another_thread() {
    let plan = plan(TWO, &[]);
    let mut run = Run::new(&plan, 1 << 30);
    for at in (0..20).map(|i| ms(100 * i)) {
        run = thread::spawn(move || {
            run.advance(at, go_on).unwrap();
            run
        })
        .join()
        .unwrap();
    }
    assert!(tables(run.finish(go_on).unwrap()) == whole(&plan));
}

/// Ten times what the link drains, into a queue without a limit.
const FLOOD: &str = r#"
duration = "2s"
transport = { kind = "cbr", rate = "1Gbit/s" }
topology = { kind = "chain", hops = 1, link = { rate = "100Mbit/s", delay = "1ms", queue = "droptail" } }
flows = [{ from = "node0", to = "node1" }]
"#;

#[test]
fn runs_that_take_turns_keep_to_their_own_memory() {
    let (flood, two) = (plan(FLOOD, &[]), plan(TWO, &[]));
    let limit = 5_000_000;
    let alone = run(&flood, limit, go_on).unwrap();
    let short = alone.shortage.expect("the limit is too high for the test");
    let mut others: Vec<Run> = (0..4).map(|_| Run::new(&two, u64::MAX)).collect();
    let mut tight = Run::new(&flood, limit);
    let mut held = Vec::new();
    let mut at = Time::ZERO;
    while !tight.is_done() {
        at += Duration::from_millis(3);
        for other in &mut others {
            other.advance(at, go_on).unwrap();
        }
        // Nor does it pay for what its caller takes.
        held.push(vec![0_u8; 1_000_000]);
        tight.advance(at, go_on).unwrap();
    }
    assert_eq!(tight.now(), short.time);
    assert_eq!(tables(tight.tables()), tables(alone));
    assert!(tables(others.remove(0).finish(go_on).unwrap()) == whole(&two));
}
