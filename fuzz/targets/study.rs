//! The text of a study: read, and everything that is wrong told, each in a line.
//!
//! Input: TOML.

#![no_main]

use dumbbell_core::Config;
use dumbbell_fuzz::answered;
use dumbbell_sim::toml;
use dumbbell_study::Study;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match toml::parse(text).and_then(|value| Study::read(&value)) {
        Ok(study) => assert_eq!(Study::read(&study.to_value()).expect("what was written"), study),
        Err(error) => error.all().iter().for_each(answered),
    }
});
