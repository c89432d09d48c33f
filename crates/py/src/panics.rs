//! Panics: faults of dumbbell itself, told in one place by the command line.

use std::panic;
use std::sync::Mutex;

use pyo3::prelude::*;

static LAST: Mutex<Option<String>> = Mutex::new(None);

/// From now on a panic prints nothing; `last_panic` tells it.
///
/// For the command line alone: elsewhere the lines that Rust prints are all that says where it happened.
#[pyfunction]
pub fn keep_panics() {
    panic::set_hook(Box::new(|info| {
        // Poisoned or not, there is nothing in it but text.
        *LAST.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(info.to_string());
    }));
}

/// Where the last panic happened and what it said, if there was one since `keep_panics`.
#[pyfunction]
pub fn last_panic() -> Option<String> {
    LAST.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
}

/// Panics: a test has no other way to see what becomes of a panic.
#[pyfunction]
pub fn panic_for_test() {
    panic!("asked to");
}
