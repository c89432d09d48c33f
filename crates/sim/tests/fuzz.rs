//! Whatever a user writes, the parser answers: with a plan, or with one line that has a place and a remedy.

use std::path::Path;

use dumbbell_core::{ConfigError, Value};
use dumbbell_sim::{Plan, Scenario, built_in, toml};
use proptest::prelude::*;

const BASE: &str = r#"
duration = "10s"
warmup = "1s"

[topology]
kind = "dumbbell"
pairs = 2
bottleneck = { rate = "10Mbit/s", queue = { kind = "codel", target = "5ms" } }

[[flows]]
from = "senders"
to = "receivers"
start = "1s"
transport = { kind = "tcp", controller = "newreno" }

[[workloads]]
kind = "poisson"
from = "senders"
to = "receivers"
load = 0.1
size = { kind = "pareto", mean = "30kB" }
"#;

fn answered(result: Result<(), ConfigError>) -> Result<(), TestCaseError> {
    if let Err(e) = result {
        prop_assert!(!e.path.is_empty(), "no place: {e}");
        prop_assert!(!e.message.is_empty() && !e.remedy.is_empty(), "{e}");
        prop_assert!(!e.to_string().contains('\n'), "{e}");
    }
    Ok(())
}

fn plan(scenario: &Scenario) -> Result<(), ConfigError> {
    Plan::new(scenario, Path::new("/nowhere")).map(|plan| drop(plan.explain()))
}

/// Fragments that get a text past the first checks.
fn fragment() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z_]{1,8}",
        "[0-9]{1,3}",
        "\"[0-9]{0,3}(ms|s|pkt|bdp|Mbit/s|kB|B|%)?\"",
        Just("-1".to_owned()),
        Just("nan".to_owned()),
        Just("inf".to_owned()),
        Just("9223372036854775807".to_owned()),
        Just("\"\"".to_owned()),
        Just("[]".to_owned()),
        Just("{}".to_owned()),
        Just("true".to_owned()),
        Just("2020-01-01".to_owned()),
        Just("\"left->right\"".to_owned()),
        Just("\"sender0\"".to_owned()),
        Just("\"codel\"".to_owned()),
        Just("\"replay\"".to_owned()),
        Just("\"campus-web\"".to_owned()),
        Just("{ kind = \"graph\" }".to_owned()),
        Just("\"leaf-spine\"".to_owned()),
        Just("{ kind = \"fat-tree\", k = 2 }".to_owned()),
        Just("\"spray\"".to_owned()),
        Just("{ kind = \"change\", at = \"10ms\" }".to_owned()),
        ".{0,6}",
    ]
}

fn path() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(
            &[
                "seed",
                "duration",
                "warmup",
                "routing",
                "paths",
                "paths.kind",
                "paths.order",
                "transport",
                "transport.kind",
                "topology",
                "topology.kind",
                "topology.pairs",
                "topology.rtts",
                "topology.access.delay",
                "topology.access.mtu",
                "topology.bottleneck.rate",
                "topology.bottleneck.queue",
                "topology.bottleneck.queue.limit",
                "topology.bottleneck.loss",
                "topology.bottleneck.drop_list",
                "topology.bottleneck.impairments",
                "topology.bottleneck.reverse.rate",
                "flows",
                "flows[0]",
                "flows[0].from",
                "flows[0].count",
                "flows[0].size",
                "flows[0].stagger",
                "flows[0].transport",
                "flows[0].packets",
                "workloads[0].load",
                "workloads[0].rate",
                "workloads[0].size",
                "workloads[0].size.shape",
                "workloads[0].size.mean",
                "workloads[0].link",
                "workloads[0].start",
                "workloads[0].stop",
                "workloads[0].max_flows",
                "record.period",
                "record.queues",
                "record",
            ][..]
        )
        .prop_map(str::to_owned),
        "[a-z.\\[\\]0-9]{0,16}",
    ]
}

proptest! {
    #[test]
    fn any_text_is_answered(text in "(\\[{0,2}[a-z]{1,9}\\]{0,2}( = ('[a-z0-9]{0,6}'|[0-9.]{1,4}))?\n?){0,12}|.{0,80}") {
        answered(Scenario::from_toml(&text).and_then(|s| plan(&s)))?;
    }

    #[test]
    fn a_scenario_with_a_piece_replaced_is_answered(at in 0..BASE.len(), length in 0..12_usize, piece in fragment()) {
        let text = format!("{}{piece}{}", &BASE[..at], &BASE[(at + length).min(BASE.len())..]);
        answered(Scenario::from_toml(&text).and_then(|s| plan(&s)))?;
    }

    #[test]
    fn any_setting_is_answered(settings in prop::collection::vec((path(), fragment()), 1..4)) {
        let mut value: Value = toml::parse(BASE).unwrap();
        for (path, piece) in settings {
            answered(toml::apply_set(&mut value, &format!("{path}={piece}"), built_in()))?;
        }
        answered(Scenario::from_value(&value, built_in()).and_then(|s| plan(&s)))?;
    }

    #[test]
    fn any_trace_is_answered(text in "((start,source,destination,size\n)?([0-9.]{1,4}[, ](sender[01]|left)[, ]receiver[01][, ][0-9]{1,5}\n?){0,6}|.{0,60})",
                             name in "[a-z]{8}") {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        std::fs::write(folder.join(&name), text).unwrap();
        for entry in [format!("[[workloads]]\nkind = 'trace'\nfile = '{name}'\n"),
                      format!("[[flows]]\nfrom = 'left'\nto = 'right'\ntransport = 'replay'\npackets = '{name}'\n")] {
            let text = format!("duration = '1s'\ntopology = {{ kind = 'dumbbell', pairs = 2 }}\n{entry}");
            let scenario = Scenario::from_toml(&text).unwrap();
            let result = Plan::new(&scenario, folder).map(|plan| plan.arrivals().for_each(drop));
            answered(result)?;
        }
        std::fs::remove_file(folder.join(&name)).unwrap();
    }
}
