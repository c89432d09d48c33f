//! Runs: one of a plan, or the two of a replay; the loop over events, its progress and its end.

use std::ops::ControlFlow;

use dumbbell_core::memory::Budget;
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
}

/// The caller asked the run to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interrupted;

/// Events between two calls of the progress function: some milliseconds.
pub(super) const EVENTS_PER_REPORT: u64 = 1 << 17;

/// Runs a plan to its end.
///
/// `progress` is called every few milliseconds of computing and may stop the run. A run that would take more than `memory`
/// bytes is cut short: what was measured up to then is returned, with [`Results::shortage`]. A run that fits does not
/// depend on the limit.
///
/// # Errors
/// [`Interrupted`] if `progress` said so; nothing is kept.
pub fn run(
    plan: &Plan,
    memory: u64,
    progress: impl FnMut(&Progress) -> ControlFlow<()>,
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
    progress: impl FnMut(&Progress) -> ControlFlow<()>,
    observer: &mut O,
) -> Result<Results, Interrupted> {
    run_parts(plan, memory, progress, |plan, memory, progress| {
        run_flows(plan, memory, progress, &mut *observer)
    })
}

/// What the loop reports its progress to.
pub(super) type Report<'a> = &'a mut dyn FnMut(&Progress) -> ControlFlow<()>;

/// Runs a plan, or the two runs of a replay.
fn run_parts(
    plan: &Plan,
    memory: u64,
    mut progress: impl FnMut(&Progress) -> ControlFlow<()>,
    mut run: impl FnMut(&Plan, u64, Report<'_>) -> Result<Results, Interrupted>,
) -> Result<Results, Interrupted> {
    let Some(replay) = &plan.replay else { return run(plan, memory, &mut progress) };
    // Two runs, shown as one that lasts as long as both.
    let first = replay.source.duration;
    let duration = first + plan.duration;
    let recorded = run_unobserved(&replay.source, memory, &mut |p| progress(&Progress { duration, ..*p }))?;
    if recorded.shortage.is_some() {
        return Ok(recorded);
    }
    let packets =
        replay.packets(&recorded.arrivals, plan.links[replay.link as usize].direction.largest_packet());
    drop(recorded);
    let left = memory.saturating_sub(size_of_val(&*packets) as u64);
    let again = plan.replaying(replay.link, packets);
    run(&again, left, &mut |p| progress(&Progress { now: p.now + first, duration, ..*p }))
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
    let budget = Budget::enter(memory, Time::ZERO + plan.duration);
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
    loop {
        let (now, owner) = engine.network.tree.first();
        if now > budget.stop() {
            if engine.is_over(now) {
                return Ok(engine.finish());
            }
            continue;
        }
        engine.network.observer.clock(now);
        engine.step(now, owner);
        events += 1;
        if events.is_multiple_of(EVENTS_PER_REPORT) {
            engine.count_memory();
            if progress(&Progress { now: now.min(end), duration, events }).is_break() {
                return Err(Interrupted);
            }
        }
    }
}
