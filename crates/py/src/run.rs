//! Runs in Python: advanced up to a time, looked at, and advanced again.

use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use dumbbell_core::config::At;
use dumbbell_core::{Config, ConfigError, Duration, Time, Value};
use dumbbell_sim::{Advanced, Plan, Run as Simulated};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::convert::refuse;
use crate::errors::DumbbellError;
use crate::outcome::{Outcome, Raw, provenance};
use crate::table::Table;
use crate::watcher::Watcher;

/// A run of a scenario in progress.
#[pyclass(frozen, module = "dumbbell._native")]
pub struct Run {
    plan: Arc<Plan>,
    /// As for [`crate::scenario::Scenario::threads`].
    threads: (Option<usize>, usize),
    state: Mutex<State>,
}

struct State {
    /// Until its tables are Python's.
    run: Option<Simulated>,
    now: Time,
}

/// A time as users write it: text with a unit, or seconds.
#[derive(FromPyObject)]
pub enum Moment {
    Seconds(f64),
    Text(String),
}

impl Moment {
    fn read(&self) -> Result<Time, ConfigError> {
        let at = At::root("until");
        match self {
            Moment::Text(text) => Duration::from_value(&Value::from(&**text), &at).map(|d| Time::ZERO + d),
            Moment::Seconds(seconds) if *seconds >= 0.0 => Ok(Time::ZERO + Duration::from_secs_f64(*seconds)),
            Moment::Seconds(seconds) => Err(
                at.error(format!("{seconds} is no time"), "give seconds from 0 on, or text such as \"1.5s\"")
            ),
        }
    }
}

/// What kept a run from going on.
enum Kept {
    Busy,
    Ended(Time),
    Backwards(Time, Time),
    Interrupted,
}

impl Run {
    pub fn new(plan: &Arc<Plan>, memory: u64, threads: (Option<usize>, usize)) -> Run {
        let run = Some(Simulated::new(plan, memory));
        Run { plan: Arc::clone(plan), threads, state: Mutex::new(State { run, now: Time::ZERO }) }
    }

    /// The run, if nobody else has it: whoever waited here with the interpreter lock would wait for ever.
    fn state(&self) -> Result<MutexGuard<'_, State>, Kept> {
        self.state.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock | TryLockError::Poisoned(_) => Kept::Busy,
        })
    }

    /// Goes on up to a time. Returns the tables of a run that has ended with that.
    fn go_on(&self, until: Time, watcher: &mut Watcher) -> Result<Option<Raw>, Kept> {
        let mut state = self.state()?;
        let State { run, now } = &mut *state;
        let Some(mut going) = run.take() else { return Err(Kept::Ended(*now)) };
        if until < *now {
            let come_to = *now;
            *run = Some(going);
            return Err(Kept::Backwards(come_to, until));
        }
        if going.now() == Time::ZERO && until >= going.end() {
            going = going.in_parts(self.plan.cut(self.threads.0, self.threads.1).ok());
        }
        let advanced = going.advance(until, |p| watcher.look(p));
        *now = going.now();
        match advanced {
            Ok(Advanced::Done) => Ok(going.into_results().map(|results| Raw::of(&self.plan, results))),
            Ok(Advanced::Paused) => {
                *run = Some(going);
                Ok(None)
            }
            Err(_) => {
                *run = Some(going);
                Err(Kept::Interrupted)
            }
        }
    }

    /// Looks at a run that is paused.
    fn look<T>(&self, look: impl FnOnce(&mut Simulated) -> T) -> Result<T, Kept> {
        let mut state = self.state()?;
        let now = state.now;
        state.run.as_mut().map(look).ok_or(Kept::Ended(now))
    }
}

impl Kept {
    /// What Python raises.
    fn raised(&self, watcher: Option<Watcher>) -> PyErr {
        let at = At::root("until");
        match self {
            Kept::Busy => DumbbellError::new_err(
                "run: another thread has it, or its own progress function; give each thread a run of its own: `scenario.start()`",
            ),
            Kept::Ended(time) => {
                refuse(at.error(format!("the run has ended at {time}"), "begin another: `scenario.start()`"))
            }
            Kept::Backwards(now, until) => refuse(at.error(
                format!("the run has come to {now}, and does not go back to {until}"),
                "give a later time, or begin another run: `scenario.start()`",
            )),
            Kept::Interrupted => watcher.expect("only a run that goes on is interrupted").raised(),
        }
    }
}

/// Columns about links: rows in the plan, packets in the queue, bytes sent, packets dropped, packets marked.
type Links<'py> = (
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u64>>,
);

/// Columns about flows: numbers, windows in bytes, round-trip times in seconds, bytes delivered, packets sent again.
type Flows<'py> = (
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u64>>,
);

#[pymethods]
impl Run {
    /// Goes on up to a time, or to the end, without holding the interpreter lock. Returns what [`crate::scenario::Scenario`] says of
    /// a run that has ended; nothing of one that is paused.
    #[pyo3(signature = (until=None, progress=None))]
    #[allow(clippy::needless_pass_by_value, reason = "Python's arguments")]
    fn advance(
        &self,
        py: Python<'_>,
        until: Option<Moment>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Option<Outcome>> {
        let until = until.map_or(Ok(Time::NEVER), |moment| moment.read()).map_err(refuse)?;
        let mut watcher = Watcher::new(progress);
        let advanced = py.detach(|| self.go_on(until, &mut watcher));
        let ended = advanced.map_err(|kept| kept.raised(Some(watcher)))?;
        Ok(ended.map(|raw| raw.outcome(&self.plan)))
    }

    /// Simulated time in seconds.
    #[getter]
    fn now(&self) -> PyResult<f64> {
        Ok(self.state().map_err(|kept| kept.raised(None))?.now.as_secs_f64())
    }

    /// The tables of a run that would end here.
    fn tables(&self, py: Python<'_>) -> PyResult<Vec<Table>> {
        let tables = py.detach(|| self.look(|run| run.tables().into_tables()));
        let tables = tables.map_err(|kept| kept.raised(None))?;
        Ok(Table::all(tables, provenance(&self.plan)))
    }

    /// The rows since the last call, which leave the run: see [`Simulated::take`].
    fn take(&self, py: Python<'_>) -> PyResult<Vec<Table>> {
        let tables = py.detach(|| self.look(|run| run.take().into_tables()));
        let tables = tables.map_err(|kept| kept.raised(None))?;
        Ok(Table::all(tables, provenance(&self.plan)))
    }

    /// The flows in progress: numbers, groups as indices, and states of congestion control, empty without.
    #[allow(clippy::type_complexity, reason = "columns")]
    fn states<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>, Vec<&'static str>)> {
        let flows = self.look(Simulated::peek).map_err(|kept| kept.raised(None))?.flows;
        Ok((
            PyArray1::from_iter(py, flows.iter().map(|flow| flow.flow)),
            PyArray1::from_iter(py, flows.iter().map(|flow| flow.group)),
            flows.iter().map(|flow| flow.state.unwrap_or_default()).collect(),
        ))
    }

    /// How links whose queue is sampled and flows in progress stand: see [`dumbbell_sim::Peek`].
    fn peek<'py>(&self, py: Python<'py>) -> PyResult<(Links<'py>, Flows<'py>)> {
        let peek = self.look(Simulated::peek).map_err(|kept| kept.raised(None))?;
        let (links, flows) = (&peek.links, &peek.flows);
        Ok((
            (
                PyArray1::from_iter(py, links.iter().map(|link| link.link)),
                PyArray1::from_iter(py, links.iter().map(|link| link.queue)),
                PyArray1::from_iter(py, links.iter().map(|link| link.sent_bytes)),
                PyArray1::from_iter(py, links.iter().map(|link| link.dropped)),
                PyArray1::from_iter(py, links.iter().map(|link| link.marked)),
            ),
            (
                PyArray1::from_iter(py, flows.iter().map(|flow| flow.flow)),
                PyArray1::from_iter(py, flows.iter().map(|flow| flow.window)),
                PyArray1::from_iter(py, flows.iter().map(|flow| flow.rtt.as_secs_f64())),
                PyArray1::from_iter(py, flows.iter().map(|flow| flow.delivered)),
                PyArray1::from_iter(py, flows.iter().map(|flow| flow.retransmissions)),
            ),
        ))
    }
}
