//! What the fuzz targets share: what an answer has to look like, and runs that end soon.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use dumbbell_core::ConfigError;
use dumbbell_core::memory::Counting;
use dumbbell_sim::{Plan, run};

/// Runs keep to a limit of memory.
#[global_allocator]
static COUNTING: Counting = Counting;

/// Events of a run, at most.
const EVENTS: u64 = 1 << 17;

/// Links and flows of a plan that is run, at most: an input is to take milliseconds.
const SMALL: usize = 32;

/// Bytes that a run may hold: a fraction of what an input may.
const MEMORY: u64 = 256 << 20;

/// Panics unless a refusal is one line with a place, what is wrong, and the remedy.
pub fn answered(error: &ConfigError) {
    assert!(!error.path.is_empty(), "no place: {error}");
    assert!(!error.message.is_empty() && !error.remedy.is_empty(), "no reason or no remedy: {error}");
    assert!(!error.to_string().chars().any(|c| c.is_control()), "more than a line: {error:?}");
}

/// Explains a plan, draws its first flows, and runs it, if it is small, up to a number of events.
pub fn exercise(plan: &Arc<Plan>) {
    drop(plan.explain());
    let end = plan.duration;
    for flow in plan.arrivals().take(1000) {
        assert!((flow.pair as usize) < plan.pairs.len() && (flow.group as usize) < plan.groups.len());
        assert!(flow.size != Some(0) && flow.start.as_nanos() <= end.as_nanos().max(flow.start.as_nanos()));
    }
    let small = |plan: &Plan| plan.links.len() <= SMALL && plan.flows.len() <= SMALL;
    if small(plan) && plan.replay.as_ref().is_none_or(|replay| small(&replay.source)) {
        let _ = run(plan, MEMORY, |p| {
            if p.events < EVENTS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
    }
}

/// A file for the input of this process, to be written anew for every input.
pub fn file() -> PathBuf {
    std::env::temp_dir().join(format!("dumbbell-fuzz-{}", std::process::id()))
}
