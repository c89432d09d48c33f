//! A look at Python now and then, while a run goes on without the interpreter lock.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use dumbbell_sim::Progress;
use pyo3::prelude::*;

/// Wall time between two looks at Python: short enough for Ctrl-C to feel immediate, long enough to cost nothing.
const PROGRESS_PERIOD: Duration = Duration::from_millis(100);

/// Looks at Python now and then while a run goes on.
pub struct Watcher {
    progress: Option<Py<PyAny>>,
    last: Instant,
    raised: Option<PyErr>,
}

impl Watcher {
    /// Calls `progress(now_s, duration_s, events)` about ten times a second.
    pub fn new(progress: Option<Py<PyAny>>) -> Watcher {
        Watcher { progress, last: now(), raised: None }
    }

    /// Looks, if it is time to. What Python raises ends the run.
    pub fn look(&mut self, p: &Progress) -> ControlFlow<()> {
        if self.last.elapsed() < PROGRESS_PERIOD {
            return ControlFlow::Continue(());
        }
        self.last = now();
        let told = Python::attach(|py| {
            py.check_signals()?;
            let args = (p.now.as_secs_f64(), p.duration.as_secs_f64(), p.events);
            self.progress.as_ref().map_or(Ok(()), |f| f.call1(py, args).map(|_| ()))
        });
        match told {
            Ok(()) => ControlFlow::Continue(()),
            Err(e) => {
                self.raised = Some(e);
                ControlFlow::Break(())
            }
        }
    }

    /// What Python raised.
    pub fn raised(self) -> PyErr {
        self.raised.expect("only an exception interrupts a run")
    }
}

#[allow(clippy::disallowed_methods, reason = "wall time for the progress bar; the simulation never sees it")]
fn now() -> Instant {
    Instant::now()
}
