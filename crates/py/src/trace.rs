//! Traces: what happens to packets, written to files.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::rc::Rc;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{Config, Duration, Time, Value};
use dumbbell_sim::Plan;
use dumbbell_sim::trace::{Cut, Limit, Selection, trace};
use dumbbell_trace::{JsonLines, Lines, Sink};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use crate::errors::TraceLimitError;
use crate::scenario::Watcher;

/// Bytes that are written at once.
const BUFFER: usize = 1 << 16;

/// A file, which keeps the number of the error that ended it.
struct Output {
    file: Box<dyn Write>,
    error: Rc<Cell<Option<i32>>>,
}

impl Output {
    fn note<T>(&self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result {
            self.error.set(error.raw_os_error());
        }
        result
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes);
        self.note(written)
    }
    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.file.flush();
        self.note(flushed)
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

/// Runs a plan and writes its trace to outputs: of each the form, the name for errors and the file; without a file, the standard
/// output. If more than `limit` events are to be written, nothing is. Returns the events, how many flows started, and those
/// asked for that did not.
///
/// # Errors
/// What a file answered, or that the limit was exceeded; nothing where Python ended the run.
pub fn write(
    plan: &Plan,
    memory: u64,
    selection: &Selection,
    outputs: &[(String, String, Option<PathBuf>)],
    limit: Option<u64>,
    watcher: &mut Watcher,
) -> Result<(u64, u32, Vec<u32>), Option<PyErr>> {
    if let Some(most) = limit {
        let count = Limit::new(most);
        let sinks: Vec<(String, Box<dyn Sink>)> = vec![(String::new(), Box::new(count.clone()))];
        match trace(plan, memory, selection, sinks, |p| watcher.look(p)) {
            Ok(_) => {}
            Err(Cut::Interrupted) => return Err(None),
            Err(Cut::Sink(_)) => {
                let (_, time) = count.counted();
                return Err(Some(TraceLimitError::new_err((most, time.as_secs_f64()))));
            }
        }
    }
    let count = Limit::new(u64::MAX);
    let mut sinks: Vec<(String, Box<dyn Sink>)> = vec![(String::new(), Box::new(count.clone()))];
    let mut errors = Vec::new();
    for (form, name, path) in outputs {
        let refused = |error: io::Error| Some(os_error(error.raw_os_error(), &error, name));
        let file: Box<dyn Write> = match path {
            Some(path) => Box::new(File::options().write(true).open(path).map_err(refused)?),
            None => Box::new(io::stdout()),
        };
        let error = Rc::new(Cell::new(None));
        errors.push((name, error.clone()));
        let out = BufWriter::with_capacity(BUFFER, Output { file, error });
        let sink: Box<dyn Sink> = match &**form {
            "json" => Box::new(JsonLines::new(out)),
            _ => Box::new(Lines::new(out)),
        };
        sinks.push((name.clone(), sink));
    }
    match trace(plan, memory, selection, sinks, |p| watcher.look(p)) {
        Ok(traced) => Ok((count.counted().0, traced.flows, traced.missing)),
        Err(Cut::Interrupted) => Err(None),
        Err(Cut::Sink(error)) => {
            let failed = errors.iter().find_map(|(name, number)| number.get().map(|n| (*name, n)));
            let (name, number) = failed.map_or(("", None), |(name, n)| (&**name, Some(n)));
            Err(Some(os_error(number, &error, name)))
        }
    }
}

/// As Python has it: the number chooses the class.
fn os_error(number: Option<i32>, error: &io::Error, name: &str) -> PyErr {
    match number {
        Some(number) => {
            let words = io::Error::from_raw_os_error(number).to_string();
            let words = words.split(" (os error").next().unwrap_or_default().to_owned();
            PyOSError::new_err((number, words, name.to_owned()))
        }
        None => PyOSError::new_err(error.to_string()),
    }
}
