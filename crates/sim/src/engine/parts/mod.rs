//! One run in turns, and over several threads.
//!
//! Each thread runs the loop of the engine for a part of the nodes: it has all links, flows and owners of events under the same
//! numbers, and touches only those of its part. A packet that enters a link in one part and comes out in another is handed
//! over at the end of a window. At the end the parts are put together into one engine, which writes the tables.
//!
//! Within a part, regions of nodes take turns: each handles its events for as long as nothing from another can matter. A run on one
//! thread may be one such part.
//!
//! The results are those of one thread, byte for byte, whatever the number of threads: each part handles its events in the
//! same order, and draws from the same streams.

mod board;
mod cut;
mod ending;
mod ends;
mod graph;
mod merge;
pub(super) mod part;
mod pulse;
mod rows;
mod turns;

use std::sync::Arc;
use std::{panic, thread};

use dumbbell_core::Time;
use dumbbell_core::memory::{Budget, Pool};
use dumbbell_core::results::Results;

use self::board::{Board, Lifeline};
pub use self::cut::{Cut, MAX_PARTS};
pub use self::graph::{Graph, PacketRates};
use self::merge::Remains;
use self::part::Part;
use self::pulse::Pulse;
use super::Engine;
use super::going::{Going, Interrupted, Report, go_on};
use crate::plan::Plan;

/// Runs a plan that is cut into parts, each on a thread. `None` if it takes one thread after all: a flow has failed, or memory
/// is short.
pub(super) fn run_parts(
    plan: &Arc<Plan>,
    cut: &Cut,
    memory: u64,
    progress: Report<'_>,
) -> Result<Option<Results>, Interrupted> {
    let board = Board::new(cut.parts);
    let pool = Pool::new(memory, cut.parts);
    let end = Time::ZERO + plan.duration;
    thread::scope(|scope| {
        let others: Vec<_> = (1..cut.parts)
            .map(|number| {
                let (board, pool) = (&board, &pool);
                scope.spawn(move || run_other(plan, cut, number as u8, pool, board))
            })
            .collect();
        let _lifeline = Lifeline(&board);
        let budget = Budget::new(&pool, end);
        let mut engine = Engine::new(plan, budget, (), |owners| Part::new(cut, 0, owners, plan.epoch()));
        let labels = engine.results.labels.all().len();
        let mut pulse = Pulse::new(&board, 0, plan.duration, Some(&mut *progress));
        let events = engine.run_part(&mut pulse, end);
        let interrupted = pulse.interrupted;
        if events.is_err() {
            board.give_up();
        }
        let others: Option<Vec<Remains>> = others
            .into_iter()
            .map(|other| other.join().unwrap_or_else(|panic| panic::resume_unwind(panic)))
            .collect();
        if interrupted {
            return Err(Interrupted);
        }
        let (Ok(mut events), Some(others)) = (events, others) else { return Ok(None) };
        events += others.iter().map(|other| other.events).sum::<u64>();
        let entered = engine.budget.enter();
        engine.merge(cut, others, labels);
        drop(entered);
        // Where no flow is to end, parts do not look for one that has failed. One loop would have closed it before the end.
        let failed = !plan.has_ends() && engine.slots.iter().any(|slot| slot.sender.is_closed());
        if failed || engine.budget.is_exhausted() {
            return Ok(None);
        }
        let going = Box::new(Going::behind(engine.into_whole(), events));
        let (going, advanced) = go_on(going, Time::NEVER, progress);
        advanced.map(|_| Some(going.engine.finish()))
    })
}

/// Runs a part that is not the first.
fn run_other(plan: &Arc<Plan>, cut: &Cut, number: u8, pool: &Arc<Pool>, board: &Board) -> Option<Remains> {
    let _lifeline = Lifeline(board);
    let end = Time::ZERO + plan.duration;
    let budget = Budget::new(pool, end);
    let mut engine = Engine::new(plan, budget, (), |owners| Part::new(cut, number, owners, plan.epoch()));
    let labels = engine.results.labels.all().len();
    let mut pulse = Pulse::new(board, number.into(), plan.duration, None);
    let events = engine.run_part(&mut pulse, end);
    if events.is_err() {
        board.give_up();
    }
    events.ok().map(|events| engine.into_remains(events, labels))
}
