//! The loop over events, its progress and its pauses.

use std::ops::ControlFlow;
use std::sync::Arc;

use dumbbell_core::memory::{self, Budget, Pool};
use dumbbell_core::{Duration, Time};

use super::observer::Observer;
use super::share::{Share, Whole};
use super::{Engine, TICK};
use crate::plan::Plan;

/// How far a run has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Simulated time.
    pub now: Time,
    /// Simulated time at which the run ends.
    pub duration: Duration,
    /// Events handled.
    pub events: u64,
    /// Events until the next report, set by the caller, who has a clock. Without one the steps grow up to [`LONGEST_STEP`].
    pub step: u64,
}

/// The caller asked the run to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interrupted;

/// Where [`Run::advance`](crate::Run::advance) has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Advanced {
    /// The time asked for. Everything up to and at it has happened, and nothing after it.
    Paused,
    /// The end of the run.
    Done,
}

/// The most events between two reports: some milliseconds, where an event is that of a packet.
pub const LONGEST_STEP: u64 = 1 << 17;

/// Events up to the first report. One event may look at thousands of links, so the first steps are short.
pub(super) const FIRST_STEP: u64 = 64;

/// What the loop reports its progress to.
pub(super) type Report<'a> = &'a mut dyn FnMut(&mut Progress) -> ControlFlow<()>;

/// Reports the progress of a run, and sets the next step. What the caller does is not the run's.
pub(super) fn report(progress: Report<'_>, told: &mut Progress) -> Result<(), Interrupted> {
    let longer = (2 * told.step).min(LONGEST_STEP);
    told.step = longer;
    let go_on = memory::aside(|| progress(told));
    told.step = told.step.clamp(1, longer);
    if go_on.is_break() { Err(Interrupted) } else { Ok(()) }
}

/// An engine between two events.
pub(super) struct Going<O, S = Whole> {
    pub engine: Engine<O, S>,
    /// The time that it has come to.
    now: Time,
    /// Events handled up to the last report.
    events: u64,
    /// Events from that report to the next, and those of them to come.
    step: u64,
    left: u64,
}

impl<O: Observer> Going<O> {
    /// The beginning of a run, which may take so many bytes of memory.
    pub fn new(plan: &Arc<Plan>, memory: u64, observer: O) -> Going<O> {
        let budget = Budget::new(&Pool::new(memory, 1), Time::ZERO + plan.duration);
        Going::behind(Engine::new(plan, budget, observer, |_| Whole), 0)
    }
}

impl<O: Observer, S: Share> Going<O, S> {
    /// That of an engine that has handled so many events.
    pub fn behind(engine: Engine<O, S>, events: u64) -> Going<O, S> {
        Going { engine, now: Time::ZERO, events, step: FIRST_STEP, left: FIRST_STEP }
    }

    /// The time that it has come to.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The loop over events, up to and with `until`, or to the end of the run. A time that is past changes nothing.
    #[inline(always)]
    pub fn advance(&mut self, until: Time, progress: Report<'_>) -> Result<Advanced, Interrupted> {
        if until < self.now {
            return Ok(Advanced::Paused);
        }
        let engine = &mut self.engine;
        let budget = Arc::clone(&engine.budget);
        let _entered = budget.enter();
        engine.pause = until + TICK;
        engine.arm_stop();
        let duration = engine.plan.duration;
        let end = Time::ZERO + duration;
        let mut left = self.left;
        loop {
            let (now, owner) = engine.network.tree.first();
            if now >= budget.until() {
                if engine.is_at_pause() {
                    (self.now, self.left) = (until, left);
                    return Ok(Advanced::Paused);
                }
                if engine.is_over(now) {
                    return Ok(Advanced::Done);
                }
                continue;
            }
            engine.network.observer.clock(now);
            engine.step(now, owner);
            left -= 1;
            if left == 0 {
                self.events += self.step;
                let mut told = Progress { now: now.min(end), duration, events: self.events, step: self.step };
                let go_on = report(progress, &mut told);
                (self.now, self.step, self.left) = (now, told.step, told.step);
                left = told.step;
                go_on?;
            }
        }
    }
}

/// Not generic, so that there is one such loop, into which the compiler puts what each event does. The engine lies on the stack
/// meanwhile: a pointer to it would take a register from each event.
pub(super) fn go_on(
    mut kept: Box<Going<()>>,
    until: Time,
    progress: Report<'_>,
) -> (Box<Going<()>>, Result<Advanced, Interrupted>) {
    let mut going = *kept;
    let advanced = going.advance(until, progress);
    *kept = going;
    (kept, advanced)
}
