//! Runs that a failing test shows: the last packet events of the thread's latest run are printed when it panics.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::panic;
use std::sync::Once;

use dumbbell_core::{Packet, Results, Time, Way};
use dumbbell_sim::{Event, LastEvents, Observer, Opened, Plan, run_observed};

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
pub fn run(plan: &Plan) -> Results {
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
