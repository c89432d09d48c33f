//! Files of measured flow sizes: their mean, and draws from them.
//!
//! Input: the first byte gives unit and interpolation, the others are the file.

#![no_main]

use std::sync::LazyLock;

use dumbbell_fuzz::{answered, exercise, file};
use dumbbell_sim::workload::Traffic;
use dumbbell_sim::{Plan, Scenario};
use libfuzzer_sys::fuzz_target;

static SCENARIOS: LazyLock<Vec<Scenario>> = LazyLock::new(|| {
    let name = file().file_name().expect("a name").to_string_lossy().into_owned();
    let forms =
        ["step", "linear", "log"].into_iter().flat_map(|i| ["1B", "1460B", "1GB"].map(|unit| (i, unit)));
    forms
        .map(|(interpolation, unit)| {
            let text = format!(
                r#"
                duration = "1s"
                topology = {{ kind = "dumbbell", pairs = 2 }}
                [[workloads]]
                kind = "poisson"
                from = "senders"
                to = "receivers"
                rate = 50.0
                size = {{ kind = "empirical", file = "{name}", unit = "{unit}", interpolation = "{interpolation}" }}
                "#
            );
            Scenario::from_toml(&text).expect("a scenario")
        })
        .collect()
});

fuzz_target!(|data: &[u8]| {
    let Some((form, content)) = data.split_first() else { return };
    let path = file();
    std::fs::write(&path, content).expect("a file of our own");
    let scenario = &SCENARIOS[usize::from(*form) % SCENARIOS.len()];
    match Plan::new(scenario, path.parent().expect("a folder")) {
        Ok(plan) => {
            for workload in &plan.workloads {
                let Traffic::Open(source) = &workload.traffic else { unreachable!("Poisson arrivals") };
                let facts = source.facts();
                // Sizes are one byte at least; means are held to a millionth (`Law::mean`).
                assert!(facts.mean_size.is_finite() && facts.mean_size >= 1.0 - 1e-6, "{facts:?}");
                assert!(facts.mean_wire.is_finite() && facts.mean_wire >= facts.mean_size, "{facts:?}");
            }
            exercise(&plan);
        }
        Err(error) => answered(&error),
    }
});
