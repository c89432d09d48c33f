//! A look at Python now and then, while a run goes on without the interpreter lock.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use dumbbell_sim::Progress;
use pyo3::prelude::*;

use crate::interpreted;

/// Wall time between two looks at Python: short enough for Ctrl-C to feel immediate, long enough to cost nothing.
const PERIOD: Duration = Duration::from_millis(50);

/// Wall time between two looks at the clock. An event may take nanoseconds or, where thousands of links are sampled, milliseconds:
/// steps are as many events as take this long.
const STEP: Duration = Duration::from_millis(20);

/// Looks at Python now and then while a run goes on.
pub struct Watcher {
    progress: Option<Py<PyAny>>,
    /// When Python was looked at last.
    last: Instant,
    /// When the clock was.
    stepped: Instant,
    raised: Option<PyErr>,
}

impl Watcher {
    /// Calls `progress(now_s, duration_s, events)` about twenty times a second.
    pub fn new(progress: Option<Py<PyAny>>) -> Watcher {
        Watcher { progress, last: now(), stepped: now(), raised: None }
    }

    /// Looks, if it is time to. What Python raises ends the run.
    pub fn look(&mut self, p: &mut Progress) -> ControlFlow<()> {
        let took = self.stepped.elapsed();
        self.stepped += took;
        if took > STEP {
            // The next step would be twice as long.
            p.step = (p.step as f64 / 2.0 * (STEP.as_secs_f64() / took.as_secs_f64())) as u64;
        }
        if self.stepped.duration_since(self.last) < PERIOD {
            return ControlFlow::Continue(());
        }
        self.last = self.stepped;
        let told = Python::attach(|py| {
            py.check_signals()?;
            interpreted::raised(py)?;
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
