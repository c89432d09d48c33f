//! Logs of end points over UDP, as `dumbbell replay` reads them: parsed, and fed to the state machines of both ends.
//!
//! Input: the first byte says whose log it is, and over which protocol; the others are its lines after the first.

#![no_main]

use std::path::Path;
use std::sync::{Arc, LazyLock};

use dumbbell_fuzz::answered;
use dumbbell_live::endpoint::events::What;
use dumbbell_live::endpoint::replay::replay;
use dumbbell_sim::{Plan, Scenario};
use libfuzzer_sys::fuzz_target;

const SCENARIO: &str = r#"
duration = "2s"
transport = "rcp"
topology = { kind = "dumbbell", pairs = 2, bottleneck = { router = "rcp" } }
flows = [{ from = "senders", to = "receivers", size = "100kB" }]
"#;

static PLAN: LazyLock<Arc<Plan>> = LazyLock::new(|| {
    let scenario = Scenario::from_toml(SCENARIO).expect("a scenario");
    Plan::new(&scenario, Path::new("/nowhere")).expect("a plan")
});

fuzz_target!(|data: &[u8]| {
    let Some((form, lines)) = data.split_first() else { return };
    let Ok(lines) = std::str::from_utf8(lines) else { return };
    // Over IPv4, or over IPv6.
    let header = if form & 2 == 0 { 76 } else { 96 };
    let what = if form & 1 == 0 {
        What::Send { header, plan: PLAN.origin.hash() }
    } else {
        What::Receive { header, transport: PLAN.groups[0].transport.clone() }
    };
    if let Err(error) = replay(&format!("{}\n{lines}", what.head()), Some(&PLAN)) {
        answered(&error);
    }
});
