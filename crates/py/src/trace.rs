//! Traces: what happens to packets, written to files or as tables.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::results::Shortage;
use dumbbell_core::{Config, Duration, Time, Value};
use dumbbell_sim::Plan;
use dumbbell_sim::trace::{Collector, Cut, Limit, Output, Selection, TraceTables, Traced, trace};
use dumbbell_trace::{Capture, JsonLines, Lines, Pcapng, Perfetto, Qlog, Sink};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use crate::errors::{DumbbellError, TraceLimitError};
use crate::stdout::{Patient, Raised};
use crate::watcher::Watcher;

/// Bytes that are written at once.
pub const BUFFER: usize = 1 << 16;

/// Where a trace goes: its form, the name for errors, and the file; without a file, the standard output.
pub type Place = (String, String, Option<PathBuf>);

/// A file, which keeps the number of the error that ended it.
struct Kept {
    file: Box<dyn Write>,
    error: Rc<Cell<Option<i32>>>,
}

impl Kept {
    fn note<T>(&self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result {
            self.error.set(error.raw_os_error());
        }
        result
    }
}

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes);
        self.note(written)
    }
    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.file.flush();
        self.note(flushed)
    }
}

/// Counts bytes down, and keeps none.
struct Counted(Rc<Cell<u64>>);

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.0.get().checked_sub(bytes.len() as u64);
        self.0.set(left.ok_or(io::ErrorKind::FileTooLarge)?);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What to show: flows by number, links by index, and two times as users write them.
pub fn selection(
    flows: Option<BTreeSet<u32>>,
    links: Option<BTreeSet<u32>>,
    times: [Option<String>; 2],
) -> Result<Selection, ConfigError> {
    let [from, until] = times;
    let read = |text: Option<String>, place: &str, absent: Time| match text {
        Some(text) => Duration::from_value(&Value::from(&*text), &At::root(place)).map(|d| Time::ZERO + d),
        None => Ok(absent),
    };
    let (from, until) = (read(from, "from", Time::ZERO)?, read(until, "until", Time::NEVER)?);
    if from >= until {
        return Err(At::root("until").error("is not after `from`", "give a later time"));
    }
    Ok(Selection { flows, links, from, until })
}

/// The sink of a form.
pub fn sink<'o, W: Write + 'o>(form: &str, out: W, capture: Capture) -> Box<dyn Sink + 'o> {
    match form {
        "json" => Box::new(JsonLines::new(out)),
        "pcapng" => Box::new(Pcapng::new(out, capture)),
        "qlog" => Box::new(Qlog::new(out)),
        "perfetto" => Box::new(Perfetto::new(out)),
        _ => Box::new(Lines::new(out)),
    }
}

/// A run that is traced.
pub struct TracedRun<'a> {
    pub plan: &'a Arc<Plan>,
    pub memory: u64,
    pub selection: &'a Selection,
    pub watcher: &'a mut Watcher,
}

impl TracedRun<'_> {
    /// Writes the trace to files. Returns the events, and how it went.
    ///
    /// # Errors
    /// What a file answered; nothing where Python ended the run.
    pub fn write(&mut self, places: &[Place], at_sources: bool) -> Result<(u64, Traced), Option<PyErr>> {
        let count = Limit::new(u64::MAX);
        let mut outputs = vec![(String::new(), Output::Chosen(Box::new(count.clone())))];
        let mut errors = Vec::new();
        let raised = Raised::default();
        for (form, name, path) in places {
            let refused = |error: io::Error| Some(os_error(error.raw_os_error(), &error, name));
            let file: Box<dyn Write> = match path {
                Some(path) => Box::new(File::options().write(true).open(path).map_err(refused)?),
                None => Box::new(Patient::new(io::stdout(), raised.clone())),
            };
            let error = Rc::new(Cell::new(None));
            errors.push((name, error.clone()));
            let out = BufWriter::with_capacity(BUFFER, Kept { file, error });
            outputs.push((name.clone(), self.output(form, out, at_sources)));
        }
        let traced = self.run(outputs).map_err(|cut| {
            let error = match cut {
                Cut::Interrupted => return None,
                Cut::Memory(shortage) => return Some(self.short(&shortage)),
                Cut::Sink(error) => error,
            };
            if let Some(error) = raised.take() {
                return Some(error);
            }
            let failed = errors.iter().find_map(|(name, number)| number.get().map(|n| (*name, n)));
            Some(match failed {
                Some((name, number)) => os_error(Some(number), &error, name),
                None => os_error(None, &error, ""),
            })
        })?;
        Ok((count.counted().0, traced))
    }

    /// Collects the tables of the trace.
    ///
    /// # Errors
    /// Nothing, where Python ended the run.
    pub fn collect(&mut self) -> Result<(TraceTables, Traced), Option<PyErr>> {
        let tables = Collector::default();
        let outputs = vec![(String::new(), Output::Chosen(Box::new(tables.clone())))];
        let traced = self.run(outputs).map_err(|cut| match cut {
            Cut::Memory(shortage) => Some(self.short(&shortage)),
            Cut::Interrupted | Cut::Sink(_) => None,
        })?;
        Ok((tables.take(), traced))
    }

    /// Counts what [`TracedRun::write`] would write, in bytes or in events, and stops above the limit.
    ///
    /// # Errors
    /// That there is more; nothing where Python ended the run.
    pub fn check(
        &mut self,
        (most, in_bytes): (u64, bool),
        places: &[Place],
        at_sources: bool,
    ) -> Result<(), Option<PyErr>> {
        let events = Limit::new(if in_bytes { u64::MAX } else { most });
        let mut outputs = vec![(String::new(), Output::Chosen(Box::new(events.clone())))];
        if in_bytes {
            let left = Rc::new(Cell::new(most));
            for (form, ..) in places {
                outputs.push((String::new(), self.output(form, Counted(left.clone()), at_sources)));
            }
        }
        match self.run(outputs) {
            Ok(_) => Ok(()),
            Err(Cut::Interrupted) => Err(None),
            Err(Cut::Memory(shortage)) => Err(Some(self.short(&shortage))),
            Err(Cut::Sink(_)) => {
                let (_, time) = events.counted();
                Err(Some(TraceLimitError::new_err((most, in_bytes, time.as_secs_f64()))))
            }
        }
    }

    fn output<'o, W: Write + 'o>(&self, form: &str, out: W, at_sources: bool) -> Output<'o> {
        let sink = sink(form, out, self.capture(at_sources));
        // A capture chooses links itself.
        if form == "pcapng" { Output::EveryLink(sink) } else { Output::Chosen(sink) }
    }

    fn short(&self, shortage: &Shortage) -> PyErr {
        DumbbellError::new_err(self.plan.explain_shortage(shortage).to_string())
    }

    fn run(&mut self, outputs: Vec<(String, Output<'_>)>) -> Result<Traced, Cut> {
        trace(self.plan, self.memory, self.selection, outputs, |p| self.watcher.look(p))
    }

    fn capture(&self, at_sources: bool) -> Capture {
        match &self.selection.links {
            Some(links) => Capture::Links(links.iter().copied().collect()),
            None if at_sources => Capture::Sources,
            None => Capture::Destinations,
        }
    }
}

/// As Python has it: the number chooses the class.
pub fn os_error(number: Option<i32>, error: &io::Error, name: &str) -> PyErr {
    let Some(number) = number else { return PyOSError::new_err(error.to_string()) };
    let words = io::Error::from_raw_os_error(number).to_string();
    let words = words.split(" (os error").next().unwrap_or_default().to_owned();
    PyOSError::new_err((number, words, name.to_owned()))
}
