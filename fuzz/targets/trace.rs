//! Files of recorded traffic: Mahimahi traces of a link, lists of packets, lists of flows.
//!
//! Input: the first byte says which, the others are the file.

#![no_main]

use std::sync::LazyLock;

use dumbbell_fuzz::{answered, exercise, file};
use dumbbell_sim::{Plan, Scenario};
use libfuzzer_sys::fuzz_target;

const FORMS: [&str; 3] = [
    r#"
    duration = "2s"
    topology = { kind = "chain", link = { rate = "8Mbit/s", trace = { file = "FILE" } } }
    flows = [{ from = "node0", to = "node1" }]
    "#,
    r#"
    duration = "2s"
    topology = { kind = "dumbbell", pairs = 2 }
    flows = [{ from = "senders", to = "receivers", transport = "replay", packets = "FILE" }]
    "#,
    r#"
    duration = "2s"
    topology = { kind = "dumbbell", pairs = 2 }
    workloads = [{ kind = "trace", file = "FILE" }]
    "#,
];

static SCENARIOS: LazyLock<Vec<Scenario>> = LazyLock::new(|| {
    let name = file().file_name().expect("a name").to_string_lossy().into_owned();
    FORMS.iter().map(|form| Scenario::from_toml(&form.replace("FILE", &name)).expect("a scenario")).collect()
});

fuzz_target!(|data: &[u8]| {
    let Some((form, content)) = data.split_first() else { return };
    let path = file();
    std::fs::write(&path, content).expect("a file of our own");
    let scenario = &SCENARIOS[usize::from(*form) % FORMS.len()];
    match Plan::new(scenario, path.parent().expect("a folder")) {
        Ok(plan) => exercise(&plan),
        Err(error) => answered(&error),
    }
});
