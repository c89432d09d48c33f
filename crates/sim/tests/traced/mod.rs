//! Runs that a failing test shows: the last packet events of the thread's latest run are printed when it panics.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::panic;
use std::path::Path;
use std::sync::{Arc, Once};

use dumbbell_core::memory::Counting;
use dumbbell_core::{Packet, Results, Time, Value, Way};
use dumbbell_sim::{Event, LastEvents, Observer, Opened, Plan, Scenario, built_in, run_observed, toml};

/// Runs keep to a limit of memory.
#[global_allocator]
static COUNTING: Counting = Counting;

/// Events that are kept.
const MOST: usize = 200;

thread_local! {
    static LATEST: RefCell<LastEvents> = RefCell::default();
}

/// Writes into the thread's events, which the hook finds.
struct Latest;

impl Observer for Latest {
    fn packet(&mut self, now: Time, packet: &Packet, way: Way, event: Event) {
        LATEST.with_borrow_mut(|latest| latest.packet(now, packet, way, event));
    }
    fn opened(&mut self, now: Time, opened: &Opened) {
        LATEST.with_borrow_mut(|latest| latest.opened(now, opened));
    }
}

/// The last packet events of the thread's latest run.
pub fn latest() -> String {
    LATEST.with_borrow(|latest| match latest.len() {
        0 => String::new(),
        n => format!("the last {n} packet events of the latest run (time, event, link, flow, seq, size, class):\n{latest}"),
    })
}

/// Runs a plan to its end.
pub fn run(plan: &Arc<Plan>) -> Results {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            usual(info);
            eprint!("{}", latest());
        }));
    });
    LATEST.set(LastEvents::new(plan, MOST));
    run_observed(plan, u64::MAX, |_| ControlFlow::Continue(()), &mut Latest)
        .unwrap_or_else(|_| panic!("nobody stops it"))
}

/// The plan of a scenario with settings, each `path=value`; or why there is none.
pub fn planned(text: &str, settings: &[&str]) -> Result<Arc<Plan>, String> {
    let mut value: Value = toml::parse(text).unwrap_or_else(|e| panic!("{e}"));
    for setting in settings {
        toml::apply_set(&mut value, setting, built_in()).unwrap_or_else(|e| panic!("{e}"));
    }
    let scenario = Scenario::from_value(&value, built_in()).map_err(|e| e.to_string())?;
    Plan::new(&scenario, Path::new(".")).map_err(|e| e.to_string())
}

/// The same of a scenario that has one.
pub fn plan(text: &str, settings: &[&str]) -> Arc<Plan> {
    planned(text, settings).unwrap_or_else(|e| panic!("{e}"))
}

/// Runs a scenario with settings, without a trace: for long runs, which take a third of the time.
pub fn untraced(text: &str, settings: &[&str]) -> Results {
    dumbbell_sim::run(&plan(text, settings), u64::MAX, |_| ControlFlow::Continue(()))
        .unwrap_or_else(|_| panic!("nobody stops it"))
}

/// Runs a scenario with settings.
pub fn simulate(text: &str, settings: &[&str]) -> Results {
    run(&plan(text, settings))
}
