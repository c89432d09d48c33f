//! Random runs give the same bytes whatever forms their links take: all links in the general form, with two events a hop and
//! nothing ahead of time, are the oracle for the forms that take one event or none.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use dumbbell_core::Probability;
use dumbbell_core::table::Table;
use dumbbell_net::queue::QueueSpec;
use dumbbell_sim::{Plan, Scenario, run};
use proptest::prelude::*;

/// A link in TOML, without its braces.
fn link(queue: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    // Rates that divide nothing, and even ones, at which things happen at the same time.
    let rate = prop_oneof![2_000_003..40_000_000_u64, Just(10_000_000), Just(40_000_000)];
    let delay = prop_oneof![0..6_000_000_u64, Just(1_000_000)];
    let loss = prop_oneof![4 => Just(""), 1 => Just(", loss = 0.02"), 1 => Just(", drop_list = [4, 9]")];
    let more = prop_oneof![
        8 => Just(""),
        1 => Just(", rate_changes = [{ at = '300ms', rate = '5Mbit/s' }]"),
        1 => Just(", impairments = [{ kind = 'duplication', probability = 0.02 }]"),
    ];
    (rate, delay, queue, loss, more).prop_map(|(rate, delay, queue, loss, more)| {
        format!("rate = '{rate}bit/s', delay = '{delay}ns', queue = {queue}{loss}{more}")
    })
}

/// Disciplines that put flows into buckets by hash. The hash of a flow comes from its slot, and a drop that is told of late
/// frees the slot of a flow that is over late: which slot the next flow gets is then another.
const BY_HASH: [&str; 4] = ["fq-codel", "fq-pie", "sfq", "sfb"];

/// Any discipline without classes with its defaults, or DropTail with room for a few packets.
fn queue() -> impl Strategy<Value = String> {
    let alone = QueueSpec::all_defaults().into_iter().filter(|queue| queue.classes() == 1);
    let names: Vec<&str> = alone.map(|queue| queue.name()).collect();
    prop_oneof![
        prop::sample::select(names).prop_map(|name| match name {
            "token-bucket-filter" => "{ kind = 'token-bucket-filter', rate = '8Mbit/s' }".to_owned(),
            "threshold" => "{ kind = 'threshold', limit = '20pkt' }".to_owned(),
            name => format!("'{name}'"),
        }),
        (3..30_u32).prop_map(|limit| format!("{{ kind = 'droptail', limit = '{limit}pkt' }}")),
    ]
}

fn topology() -> impl Strategy<Value = String> {
    let two = |kind: &'static str, own: &'static str, first: &'static str, second: &'static str| {
        let classes =
            Just("'strict-priority', marker = { kind = 'token-bucket', rate = '2Mbit/s' }".to_owned());
        (
            link(prop_oneof![6 => queue(), 1 => classes]),
            link(prop_oneof![3 => Just("'droptail'".to_owned()), 1 => queue()]),
        )
            .prop_map(move |(a, b)| {
                format!("kind = '{kind}', {own}, {first} = {{ {a} }}, {second} = {{ {b} }}")
            })
    };
    prop_oneof![
        two("dumbbell", "pairs = 3", "bottleneck", "access"),
        two("parking-lot", "hops = 3", "bottleneck", "access"),
        two("leaf-spine", "leaves = 2, spines = 2, hosts = 2", "uplink", "host"),
        two("fat-tree", "k = 2", "fabric", "host"),
        link(queue()).prop_map(|l| format!("kind = 'chain', hops = 3, link = {{ {l} }}")),
        (link(queue()), queue())
            .prop_map(|(l, port)| format!("kind = 'star', senders = 3, link = {{ {l} }}, port = {port}")),
    ]
}

/// The scenario: everything that decides which forms links may take.
fn scenario() -> impl Strategy<Value = String> {
    let transport = prop_oneof![
        Just("'tcp'"),
        Just("{ kind = 'tcp', profile = 'rfc', controller = 'newreno', ecn = 'classic' }"),
        Just("{ kind = 'tcp', controller = 'vegas' }"),
        Just("{ kind = 'cbr', rate = '3Mbit/s' }"),
    ];
    let load = prop_oneof![
        Just("[[workloads]]\nkind = 'poisson'\nrate = 20\nsize = { kind = 'pareto', mean = '20kB' }"),
        Just("[[workloads]]\nkind = 'rounds'\nsize = '20kB'\nrounds = 3"),
    ];
    let warmup = prop_oneof![Just("0s"), Just("150ms"), Just("200000001ns")];
    let record = prop_oneof![
        Just("samples = false, queues = 'none'"),
        Just("samples = true, period = '10ms', queues = 'all'"),
        Just("samples = false, drops = true"),
    ];
    let paths = prop::sample::select(&["single", "ecmp", "spray"][..]);
    (topology(), transport, load, warmup, record, paths, 0..1000_u32, any::<bool>()).prop_map(
        |(topology, transport, load, warmup, record, paths, seed, drain)| {
            let drain = if drain { "drain = '1s'" } else { "" };
            format!(
                "seed = {seed}\nduration = '600ms'\nwarmup = '{warmup}'\n{drain}\npaths = '{paths}'\nrecord = {{ {record} }}\n\
                 topology = {{ {topology} }}\n\
                 [[flows]]\nfrom = 'senders'\nto = 'receivers'\nstagger = '10ms'\ntransport = {transport}\n\
                 {load}\nfrom = 'senders'\nto = 'receivers'\ntransport = {{ kind = 'tcp', controller = 'cubic' }}"
            )
        },
    )
}

/// The tables of a run that delivers something, or of one in which chance may drop every SYN: a run is over before one is sent
/// again (RFC 6298 section 2.1).
fn tables(plan: &Arc<Plan>) -> Vec<Table> {
    let results = run(plan, u64::MAX, |_| ControlFlow::Continue(())).unwrap();
    let chance = plan.links.iter().any(|link| link.direction.loss != Probability::default());
    assert!(chance || results.runs.total_delivered[0] > 0);
    results.into_tables()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_tables_are_those_of_links_in_the_general_form(text in scenario()) {
        let scenario = Scenario::from_toml(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let plan = Plan::new(&scenario, Path::new(".")).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let mut plan = Plan::clone(&plan);
        let queues = || plan.links.iter().map(|link| &link.direction.queue);
        if queues().any(|queue| queue.laziness().drops_late) && queues().any(|queue| BY_HASH.contains(&queue.name())) {
            plan.workloads.clear();
        }
        compare(&plan, &text)?;
    }

    /// Routers of XCP on all links. One that sees its queue late does what it would have done in time.
    #[test]
    fn routers_of_xcp_do_the_same_in_the_general_form(
        link in link(queue()), hops in 1..4_u32, seed in 0..1000_u32, samples: bool, drops: bool,
    ) {
        let text = format!(
            "seed = {seed}\nduration = '1500ms'\nwarmup = '150ms'\nrecord = {{ samples = {samples}, drops = {drops} }}\n\
             topology = {{ kind = 'chain', hops = {hops}, link = {{ {link}, router = 'xcp' }} }}\n\
             [[flows]]\nfrom = 'senders'\nto = 'receivers'\ncount = 3\nstagger = '10ms'\n\
             transport = {{ kind = 'tcp', profile = 'rfc', controller = 'xcp', ack_every = 1 }}"
        );
        let scenario = Scenario::from_toml(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let plan = Plan::new(&scenario, Path::new(".")).unwrap_or_else(|e| panic!("{e}\n{text}"));
        compare(&plan, &text)?;
    }
}

/// All tables of a run are those with all links in the general form.
fn compare(plan: &Plan, text: &str) -> Result<(), TestCaseError> {
    let mut general = plan.clone();
    general.links.iter_mut().for_each(|link| link.general = true);
    for (table, wanted) in tables(&Arc::new(plan.clone())).into_iter().zip(tables(&Arc::new(general))) {
        for ((column, cells), (_, wanted)) in table.columns.into_iter().zip(wanted.columns) {
            // As text, in which what is missing is equal to what is missing.
            let (cells, wanted) = (format!("{cells:?}"), format!("{wanted:?}"));
            prop_assert_eq!(cells, wanted, "{}.{}\n{}", table.name, column.name, text);
        }
    }
    Ok(())
}
