//! The tests of the crate as one program: what each would link anew is linked once.

#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect fails")]

mod applications;
mod broken;
mod buffers;
mod classes;
mod controllers_of_queues;
mod cost;
mod data_centre;
mod datagrams;
mod delays;
mod draws;
mod early;
mod ends;
mod engine;
mod extremes;
mod fairness;
mod fuzz;
mod general;
mod hosts;
mod impairments;
mod l4s;
mod marks;
mod memory;
mod nodes;
mod observer;
mod paths;
mod pauses;
mod phase;
mod power;
mod rates;
mod records;
mod routers;
mod scenarios;
mod sessions;
mod shares;
mod threads;
mod trace;
mod traced;
mod trump;

use std::path::Path;

#[test]
fn every_file_of_tests_is_part_of_this_program() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        if path.extension().is_some_and(|e| e == "rs") && !["all", "idle", "links"].contains(&name) {
            assert!(include_str!("all.rs").contains(&format!("mod {name};")), "{name}");
        }
    }
}
