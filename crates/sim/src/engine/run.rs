//! Runs: one of a plan, or the two of a replay; the loop over events, its progress and its end.

use std::ops::ControlFlow;

use dumbbell_core::memory::{self, Budget, Pool};
use dumbbell_core::results::Results;
use dumbbell_core::{Duration, Time};

use super::Engine;
use super::observer::Observer;
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

/// The most events between two reports: some milliseconds, where an event is that of a packet.
pub const LONGEST_STEP: u64 = 1 << 17;

/// Events up to the first report. One event may look at thousands of links, so the first steps are short.
pub(super) const FIRST_STEP: u64 = 64;

/// Runs a plan to its end.
///
/// `progress` is called after as many events as it has asked for, see [`Progress::step`], and may stop the run. A run that would
/// take more than `memory` bytes is cut short: what was measured up to then is returned, with [`Results::shortage`]. A run
/// that fits does not depend on the limit.
///
/// # Errors
/// [`Interrupted`] if `progress` said so; nothing is kept.
pub fn run(
    plan: &Plan,
    memory: u64,
    progress: impl FnMut(&mut Progress) -> ControlFlow<()>,
) -> Result<Results, Interrupted> {
    run_parts(plan, memory, progress, run_unobserved)
}

/// The same, watched by an observer. Of a replay it sees the second run, whose tables these are.
///
/// # Errors
/// As [`run`].
pub fn run_observed<O: Observer>(
    plan: &Plan,
    memory: u64,
    progress: impl FnMut(&mut Progress) -> ControlFlow<()>,
    observer: &mut O,
) -> Result<Results, Interrupted> {
    run_parts(plan, memory, progress, |plan, memory, progress| {
        run_flows(plan, memory, progress, &mut *observer)
    })
}

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

/// Runs a plan, or the two runs of a replay.
fn run_parts(
    plan: &Plan,
    memory: u64,
    mut progress: impl FnMut(&mut Progress) -> ControlFlow<()>,
    mut run: impl FnMut(&Plan, u64, Report<'_>) -> Result<Results, Interrupted>,
) -> Result<Results, Interrupted> {
    let Some(replay) = &plan.replay else { return run(plan, memory, &mut progress) };
    // Two runs, shown as one that lasts as long as both.
    let first = replay.source.duration;
    let duration = first + plan.duration;
    // What is recorded stays until it is packets to be sent, which take more than half of its bytes as often as they are copied.
    let mut recorded = run_unobserved(&replay.source, memory / 2, &mut |p| {
        p.duration = duration;
        progress(p)
    })?;
    if let Some(shortage) = &mut recorded.shortage {
        shortage.limit = memory;
        return Ok(recorded);
    }
    let packets =
        replay.packets(&recorded.arrivals, plan.links[replay.link as usize].direction.largest_packet());
    drop(recorded);
    let left = memory.saturating_sub(size_of_val(&*packets) as u64);
    let again = plan.replaying(replay.link, packets);
    run(&again, left, &mut |p| {
        (p.now, p.duration) = (p.now + first, duration);
        progress(p)
    })
}

/// Not generic, so that there is one such loop, into which the compiler puts what each event does.
fn run_unobserved(plan: &Plan, memory: u64, progress: Report<'_>) -> Result<Results, Interrupted> {
    run_flows(plan, memory, progress, ())
}

#[inline(always)]
fn run_flows<O: Observer>(
    plan: &Plan,
    memory: u64,
    progress: Report<'_>,
    observer: O,
) -> Result<Results, Interrupted> {
    let budget = Budget::enter(&Pool::new(memory, 1), Time::ZERO + plan.duration);
    run_to_end(Engine::new(plan, &budget, |_| observer), 0, progress)
}

/// The loop of a run that has handled so many events.
#[inline(always)]
pub(super) fn run_to_end<O: Observer>(
    mut engine: Engine<'_, O>,
    mut events: u64,
    progress: Report<'_>,
) -> Result<Results, Interrupted> {
    let (budget, duration) = (engine.budget, engine.plan.duration);
    let end = Time::ZERO + duration;
    let mut step = FIRST_STEP;
    let mut left = step;
    loop {
        let (now, owner) = engine.network.tree.first();
        if now >= budget.until() {
            if engine.is_over(now) {
                return Ok(engine.finish());
            }
            continue;
        }
        engine.network.observer.clock(now);
        engine.step(now, owner);
        left -= 1;
        if left == 0 {
            events += step;
            let mut told = Progress { now: now.min(end), duration, events, step };
            report(progress, &mut told)?;
            (step, left) = (told.step, told.step);
        }
    }
}
