//! The text of a scenario, and settings as `--set` gives them: parsed, planned, explained, run.
//!
//! Input: TOML; every line after a form feed is a setting.

#![no_main]

use std::path::Path;

use dumbbell_fuzz::{answered, exercise};
use dumbbell_sim::{Plan, Scenario, toml};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (text, settings) = text.split_once('\u{c}').unwrap_or((text, ""));
    let plan = || {
        let mut value = toml::parse(text)?;
        for setting in settings.lines() {
            toml::apply_set(&mut value, setting, dumbbell_sim::built_in())?;
        }
        Plan::new(&Scenario::from_value(&value, dumbbell_sim::built_in())?, Path::new("/nowhere"))
    };
    match plan() {
        Ok(plan) => exercise(&plan),
        Err(error) => answered(&error),
    }
});
