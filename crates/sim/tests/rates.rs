//! Rates over time cannot exceed the link that they cross: what a receiver gets in a period is what the link has sent in one.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use dumbbell_core::Results;
use dumbbell_sim::{Plan, Scenario, run};
use proptest::prelude::*;

const PERIOD: f64 = 0.02;

fn simulate(text: &str) -> Results {
    let scenario = Scenario::from_toml(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let plan = Plan::new(&scenario, Path::new(".")).unwrap_or_else(|e| panic!("{e}\n{text}"));
    run(&plan, u64::MAX, |_| ControlFlow::Continue(())).expect("an unlimited run ends")
}

/// The values of a series, in bytes a period: for each time the sum over flows.
fn bytes_by_period(results: &Results, name: &str) -> Vec<f64> {
    let (s, labels) = (&results.samples, results.labels.all());
    let mut sums: BTreeMap<u64, f64> = BTreeMap::new();
    for i in (0..s.time.len()).filter(|i| *labels[s.metric[*i] as usize] == *name) {
        *sums.entry(s.time[i].to_bits()).or_default() += s.value[i] * PERIOD / 8.0;
    }
    sums.into_values().collect()
}

/// One bottleneck behind which all paths are equally long, so that packets arrive as they left it.
fn scenario() -> impl Strategy<Value = (u64, String)> {
    let transport = prop::sample::select(
        &[
            "{ kind = 'tcp', controller = 'cubic' }",
            "{ kind = 'tcp', profile = 'rfc', controller = 'newreno' }",
            "{ kind = 'tcp', controller = 'bbr' }",
            "{ kind = 'tcp', profile = 'rfc', controller = 'reno', sack = false }",
            "{ kind = 'cbr', rate = '5Mbit/s' }",
            "'tfrc'",
            "{ kind = 'nada', rmax = '5Mbit/s' }",
        ][..],
    );
    let queue = prop_oneof![
        (3..40_u32).prop_map(|limit| format!("{{ kind = 'droptail', limit = '{limit}pkt' }}")),
        Just("'codel'".to_owned()),
        Just("'fq-codel'".to_owned()),
    ];
    let loss = prop_oneof![2 => Just("0.0"), 1 => Just("0.005"), 1 => Just("0.03")];
    (transport, queue, loss, 2_000_000..40_000_000_u64, 1..30_u32, 1..4_u32, 0..1000_u32).prop_map(
        |(transport, queue, loss, rate, delay, pairs, seed)| {
            let text = format!(
                "seed = {seed}\nduration = '3s'\ntransport = {transport}\nrecord = {{ period = '{PERIOD}s' }}\n\
                 [topology]\nkind = 'dumbbell'\npairs = {pairs}\n\
                 bottleneck = {{ rate = '{rate}bit/s', delay = '{delay}ms', queue = {queue}, loss = {loss} }}\n\
                 access = {{ rate = '1Gbit/s', delay = '1ms' }}\n\
                 [[flows]]\nfrom = 'senders'\nto = 'receivers'\nstagger = '100ms'"
            );
            (rate, text)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn receivers_get_at_most_what_the_link_sends_in_a_period((rate, text) in scenario()) {
        let results = simulate(&text);
        let periods = bytes_by_period(&results, "received");
        let most = rate as f64 * PERIOD / 8.0 + 1500.0;
        for (period, bytes) in periods.iter().enumerate() {
            prop_assert!(*bytes <= most, "{bytes} B in period {period}, {most} at most\n{text}");
        }
        // Nothing is counted twice, and nothing is forgotten: what is in order has been received.
        let (received, delivered): (f64, u64) = (periods.iter().sum(), results.flows.delivered.iter().sum());
        let in_order: f64 = bytes_by_period(&results, "goodput").iter().sum();
        prop_assert!((in_order - delivered as f64).abs() < 1.0, "{in_order} {delivered}\n{text}");
        prop_assert!(received > delivered as f64 - 1.0, "{received} {delivered}\n{text}");
    }
}

/// Twenty segments wait behind one that was lost, and count as goodput at once.
#[test]
fn what_waits_behind_a_hole_is_received_when_it_arrives() {
    let results = simulate(
        "duration = '3s'\nrecord = { period = '0.02s' }\n[topology]\nkind = 'dumbbell'\npairs = 1\n\
         bottleneck = { rate = '10Mbit/s', delay = '20ms', queue = { kind = 'droptail', limit = '1bdp' }, drop_list = [60] }\n\
         [[flows]]\nfrom = 'senders'\nto = 'receivers'",
    );
    let sent = 10e6 * PERIOD / 8.0;
    let largest = |name| bytes_by_period(&results, name).into_iter().fold(0.0, f64::max);
    assert!(largest("goodput") > 2.0 * sent, "{}", largest("goodput"));
    assert!(largest("received") <= sent + 1500.0, "{}", largest("received"));
    let sum = |name| bytes_by_period(&results, name).iter().sum::<f64>();
    assert!((sum("received") - sum("goodput")).abs() < 1.0, "{} {}", sum("received"), sum("goodput"));
}

/// Whichever packet is lost, the one with the FIN among those that wait: each byte counts once, and the FIN is none.
#[test]
fn of_a_transfer_each_byte_is_received_once() {
    for (transport, router) in [("tcp", ""), ("rcp", ", router = 'rcp'"), ("lttp", "")] {
        for lost in 0..25 {
            let results = simulate(&format!(
                "duration = '5s'\ntransport = '{transport}'\nrecord = {{ period = '0.02s' }}\n\
                 [topology]\nkind = 'dumbbell'\npairs = 1\n\
                 bottleneck = {{ rate = '10Mbit/s', drop_list = [{lost}]{router} }}\n\
                 [[flows]]\nfrom = 'senders'\nto = 'receivers'\nsize = '30kB'",
            ));
            let sum: f64 = bytes_by_period(&results, "received").iter().sum();
            assert!((sum - 30_000.0).abs() < 1e-3, "{transport}, packet {lost}: {sum}");
        }
    }
}
