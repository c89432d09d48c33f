//! Runs: a plan in progress, as a value. Somebody advances it up to a time, looks at it, and advances it again.

use std::mem;
use std::ops::ControlFlow;
use std::sync::Arc;

use dumbbell_core::results::Results;
use dumbbell_core::{Duration, Time};

use super::going::{Advanced, Going, Interrupted, Progress, Report, go_on};
use super::observer::Observer;
use super::parts::{Cut, run_parts};
use super::peek::Peek;
use crate::plan::Plan;

/// A run of a plan.
///
/// It has all that it needs, and no thread holds any of it: runs may take turns on a thread, and move from one to another.
/// Whatever pauses it makes, its tables are the same, byte for byte.
///
/// # Examples
/// ```
/// # use std::{ops::ControlFlow, path::Path, sync::Arc};
/// # use dumbbell_core::{Duration, Time};
/// # use dumbbell_sim::{Advanced, Plan, Run, Scenario, toml};
/// let text = "duration = '2s'
/// topology = { kind = 'dumbbell' }
/// flows = [{ from = 'senders', to = 'receivers' }]";
/// let scenario = Scenario::from_value(&toml::parse(text).unwrap(), dumbbell_sim::built_in()).unwrap();
/// let plan = Arc::new(Plan::new(&scenario, Path::new(".")).unwrap());
/// let mut run = Run::new(&plan, u64::MAX);
/// let second = Time::ZERO + Duration::from_millis(1000);
/// let paused = run.advance(second, |_| ControlFlow::Continue(())).unwrap();
/// assert_eq!((paused, run.now()), (Advanced::Paused, second));
/// assert!(run.peek().flows[0].delivered > 0);
/// let results = run.finish(|_| ControlFlow::Continue(())).unwrap();
/// assert_eq!(results.flows.flow.len(), 1);
/// ```
pub struct Run {
    plan: Arc<Plan>,
    memory: u64,
    cut: Option<Cut>,
    /// What a recording before it took, of a replay.
    before: Duration,
    state: State,
}

enum State {
    /// Nothing has happened.
    New,
    /// Something has.
    Going(Box<Going<()>>),
    /// Everything has.
    Ended(Box<Results>),
}

/// A run can go on in another thread.
const _: fn() = || {
    fn moves<T: Send>() {}
    moves::<Run>();
};

impl Run {
    /// A run of a plan that takes at most so many bytes of memory. One that would take more is cut short: what was measured up to
    /// then is kept, with [`Results::shortage`]. A run that fits does not depend on the limit.
    pub fn new(plan: &Arc<Plan>, memory: u64) -> Run {
        Run { plan: Arc::clone(plan), memory, cut: None, before: Duration::ZERO, state: State::New }
    }

    /// Goes in turns or on threads where the run goes from its beginning to its end without a pause. The tables do not depend on it.
    #[must_use]
    pub fn in_parts(self, cut: Option<Cut>) -> Run {
        Run { cut, ..self }
    }

    /// The time that it has come to.
    pub fn now(&self) -> Time {
        match &self.state {
            State::New => Time::ZERO,
            State::Going(going) => going.now(),
            State::Ended(results) => match &results.shortage {
                Some(shortage) => shortage.time,
                None => self.end(),
            },
        }
    }

    /// The time at which it ends at the latest, with its drain.
    pub fn end(&self) -> Time {
        Time::ZERO + self.plan.duration + self.plan.drain
    }

    /// True if it has ended.
    pub fn is_done(&self) -> bool {
        matches!(self.state, State::Ended(_))
    }

    /// Goes on up to and with `until`, or to the end of the run. A time that is past changes nothing.
    ///
    /// `progress` is called after as many events as it has asked for, see [`Progress::step`], and may stop the run.
    ///
    /// # Errors
    /// [`Interrupted`] if `progress` said so. The run may go on from there; one in parts, or a recording for a replay, begins again.
    pub fn advance(
        &mut self,
        until: Time,
        mut progress: impl FnMut(&mut Progress) -> ControlFlow<()>,
    ) -> Result<Advanced, Interrupted> {
        self.advance_told(until, &mut progress)
    }

    fn advance_told(&mut self, until: Time, progress: Report<'_>) -> Result<Advanced, Interrupted> {
        let going = match mem::replace(&mut self.state, State::New) {
            State::New => match self.begin(until, progress)? {
                Begun::Going(going) => going,
                Begun::Ended(results) => {
                    self.state = State::Ended(results);
                    return Ok(Advanced::Done);
                }
            },
            State::Going(going) => going,
            ended @ State::Ended(_) => {
                self.state = ended;
                return Ok(Advanced::Done);
            }
        };
        let (going, advanced) = go_on(going, until, &mut after(self.before, progress));
        self.state = match advanced {
            Ok(Advanced::Done) => State::Ended(Box::new(going.engine.finish())),
            _ => State::Going(going),
        };
        advanced
    }

    /// Goes on to the end, and returns the tables.
    ///
    /// # Errors
    /// As [`Run::advance`]; nothing is kept.
    pub fn finish(
        mut self,
        progress: impl FnMut(&mut Progress) -> ControlFlow<()>,
    ) -> Result<Results, Interrupted> {
        self.advance(Time::NEVER, progress)?;
        Ok(self.into_results().expect("a run ends before the end of time"))
    }

    /// The tables of a run that has ended; nothing of another.
    pub fn into_results(self) -> Option<Results> {
        match self.state {
            State::Ended(results) => Some(*results),
            State::New | State::Going(_) => None,
        }
    }

    /// The tables of a run that has ended; of one that is paused, those of a run that ends here.
    ///
    /// Flows in progress stand as they are. Of a link that is neither sampled nor limited, what it has sent is an estimate, as in a
    /// run that is cut short. Late decisions of an idle queue are in the row of the link, and not yet in those of flows.
    pub fn tables(&self) -> Results {
        match &self.state {
            State::New => Results::default(),
            State::Going(going) => going.engine.tables_at(going.now()),
            State::Ended(results) => Results::clone(results),
        }
    }

    /// The rows of samples, drops, states and estimates since the last call, in order. The run keeps them no longer: [`Run::tables`]
    /// and the results have the rows since then. Only a paused run gives any.
    pub fn take(&mut self) -> Results {
        match &mut self.state {
            State::Going(going) => going.engine.take_rows(),
            State::New | State::Ended(_) => Results::default(),
        }
    }

    /// How links and flows stand. Nothing of the run changes; a run that has not begun, or has ended, has none.
    pub fn peek(&mut self) -> Peek {
        match &mut self.state {
            State::Going(going) => {
                let now = going.now();
                going.engine.peek(now)
            }
            State::New | State::Ended(_) => Peek::default(),
        }
    }

    /// Calls `steer` with the number and the words of each flow of a group in progress whose controller is a law, in no order. It may
    /// change the words. The same changes at the same times give the same tables. Only a paused run has flows.
    pub fn steer(&mut self, group: u32, mut steer: impl FnMut(u32, &mut [i64])) {
        match &mut self.state {
            State::Going(going) => going.engine.steer(group, &mut steer),
            State::New | State::Ended(_) => {}
        }
    }

    /// Begins the run; one that is to go to its end at once may be over with that.
    fn begin(&mut self, until: Time, progress: Report<'_>) -> Result<Begun, Interrupted> {
        if let Some(cut) = self.cut.as_ref().filter(|_| until >= self.end())
            && let Some(results) = run_parts(&self.plan, cut, self.memory, progress)?
        {
            return Ok(Begun::Ended(Box::new(results)));
        }
        Ok(match Prepared::of(&self.plan, self.memory, progress)? {
            Prepared::Short(results) => Begun::Ended(results),
            Prepared::Ready { plan, memory, before } => {
                self.before = before;
                Begun::Going(Box::new(Going::new(&plan, memory, ())))
            }
        })
    }
}

enum Begun {
    Going(Box<Going<()>>),
    Ended(Box<Results>),
}

/// Runs a plan to its end: see [`Run`].
///
/// # Errors
/// [`Interrupted`] if `progress` said so; nothing is kept.
pub fn run(
    plan: &Arc<Plan>,
    memory: u64,
    progress: impl FnMut(&mut Progress) -> ControlFlow<()>,
) -> Result<Results, Interrupted> {
    Run::new(plan, memory).finish(progress)
}

/// The same, watched by an observer. Of a replay it sees the second run, whose tables these are.
///
/// # Errors
/// As [`run`].
pub fn run_observed<O: Observer>(
    plan: &Arc<Plan>,
    memory: u64,
    mut progress: impl FnMut(&mut Progress) -> ControlFlow<()>,
    observer: &mut O,
) -> Result<Results, Interrupted> {
    match Prepared::of(plan, memory, &mut progress)? {
        Prepared::Short(results) => Ok(*results),
        Prepared::Ready { plan, memory, before } => {
            let mut going = Going::new(&plan, memory, observer);
            going.advance(Time::NEVER, &mut after(before, &mut progress))?;
            Ok(going.engine.finish())
        }
    }
}

/// Reports of a run that comes after another one, and is shown with it as one that lasts as long as both.
fn after(before: Duration, progress: Report<'_>) -> impl FnMut(&mut Progress) -> ControlFlow<()> {
    move |p| {
        (p.now, p.duration) = (p.now + before, p.duration + before);
        progress(p)
    }
}

/// A plan that a loop can run.
enum Prepared {
    Ready {
        plan: Arc<Plan>,
        memory: u64,
        /// What its recording took, of a replay.
        before: Duration,
    },
    /// The recording of a replay was short of memory.
    Short(Box<Results>),
}

impl Prepared {
    /// The plan itself; of a replay, that of its second run, behind the first.
    fn of(plan: &Arc<Plan>, memory: u64, progress: Report<'_>) -> Result<Prepared, Interrupted> {
        let Some(replay) = &plan.replay else {
            return Ok(Prepared::Ready { plan: Arc::clone(plan), memory, before: Duration::ZERO });
        };
        // Two runs, shown as one that lasts as long as both.
        let before = replay.source.duration;
        let duration = before + plan.duration;
        // What is recorded stays until it is packets to be sent, which take more than half of its bytes as often as they are copied.
        let mut recorded = run(&replay.source, memory / 2, |p| {
            p.duration = duration;
            progress(p)
        })?;
        if let Some(shortage) = &mut recorded.shortage {
            shortage.limit = memory;
            return Ok(Prepared::Short(Box::new(recorded)));
        }
        let packets =
            replay.packets(&recorded.arrivals, plan.links[replay.link as usize].direction.largest_packet());
        drop(recorded);
        let memory = memory.saturating_sub(size_of_val(&*packets) as u64);
        Ok(Prepared::Ready { plan: Arc::new(plan.replaying(replay.link, packets)), memory, before })
    }
}
