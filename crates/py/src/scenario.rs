//! Scenarios in Python: parse, check, explain, run.

use std::collections::BTreeSet;
use std::path::PathBuf;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{BitRate, Bytes, Config, Results, Value};
use dumbbell_record::{Metadata, to_arrow};
use dumbbell_sim::Plan;
use dumbbell_sim::files::{self, Base};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::{from_value, refuse, to_python, to_value};
use crate::table::Table;
use crate::trace::{self, Place, TracedRun};
use crate::watcher::Watcher;

/// A valid scenario and the plan made from it.
#[pyclass(frozen, module = "dumbbell._native")]
pub struct Scenario {
    /// What the user has written, settings applied.
    source: Value,
    scenario: dumbbell_sim::Scenario,
    pub(crate) plan: Plan,
    /// The folder that file names count from, and whether the scenario opens no file outside it.
    base: (PathBuf, bool),
}

impl Scenario {
    fn new(mut source: Value, settings: &[String], base: Base<'_>) -> Result<Scenario, ConfigError> {
        for setting in settings {
            dumbbell_sim::toml::apply_set(&mut source, setting)?;
        }
        let scenario = dumbbell_sim::Scenario::from_value(&source)?;
        let plan = Plan::from_base(&scenario, base)?;
        Ok(Scenario { source, scenario, plan, base: (base.folder.to_owned(), base.confined) })
    }
}

#[pymethods]
impl Scenario {
    /// From TOML text, changed by settings `path=value`; relative file names count from the folder `base`. A `confined`
    /// scenario opens no file outside it.
    #[staticmethod]
    fn from_toml(
        py: Python<'_>,
        text: &str,
        settings: Vec<String>,
        base: PathBuf,
        confined: bool,
    ) -> PyResult<Scenario> {
        let base = Base { folder: &base, confined };
        py.detach(|| Scenario::new(dumbbell_sim::toml::parse(text)?, &settings, base)).map_err(refuse)
    }

    /// From a dictionary.
    #[staticmethod]
    fn from_dict(
        py: Python<'_>,
        values: &Bound<'_, PyDict>,
        settings: Vec<String>,
        base: PathBuf,
        confined: bool,
    ) -> PyResult<Scenario> {
        let value = to_value(values, &At::root(""))?;
        let base = Base { folder: &base, confined };
        py.detach(|| Scenario::new(value, &settings, base)).map_err(refuse)
    }

    /// The name that the scenario gives itself.
    #[getter]
    fn name(&self) -> Option<&str> {
        self.scenario.name.as_deref()
    }

    /// Every field, defaults filled in.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        from_value(py, &self.scenario.to_value())
    }

    /// Every field, defaults filled in, as TOML that `from_toml` reads.
    fn to_toml(&self) -> String {
        toml::to_string(&self.scenario.to_value()).expect("a scenario has a TOML form")
    }

    /// The plan: resolved rates, delays, bandwidth-delay products, buffers, offered load.
    fn explain<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.plan.explain())
    }

    /// SHA-256 of the resolved scenario, in hexadecimal.
    #[getter]
    fn plan_hash(&self) -> &str {
        &self.plan.hash
    }

    /// The seed of every random stream.
    #[getter]
    fn seed(&self) -> u64 {
        self.plan.seed
    }

    /// The same scenario under another seed; without planning it again, unless its topology is drawn by the seed.
    fn with_seed(&self, py: Python<'_>, seed: u64) -> PyResult<Scenario> {
        let made = py.detach(|| {
            let mut scenario = self.scenario.clone();
            let base = Base { folder: &self.base.0, confined: self.base.1 };
            let plan = self.plan.with_seed(&mut scenario, seed, base)?;
            Ok(Scenario { source: self.source.clone(), scenario, plan, base: self.base.clone() })
        });
        made.map_err(refuse)
    }

    /// The same scenario with another value at a path, planned anew.
    fn with_value(&self, py: Python<'_>, path: &str, value: &Bound<'_, PyAny>) -> PyResult<Scenario> {
        let value = to_value(value, &At::root(path))?;
        let made = py.detach(|| {
            let mut source = self.source.clone();
            let seed = i64::try_from(self.plan.seed).expect("a seed has 63 bits");
            dumbbell_sim::toml::set(&mut source, "seed", Value::from(seed))?;
            dumbbell_sim::toml::set(&mut source, path, value)?;
            Scenario::new(source, &[], Base { folder: &self.base.0, confined: self.base.1 })
        });
        made.map_err(refuse)
    }

    /// Arguments with which `from_dict` makes this scenario again.
    fn again<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Vec<String>, PathBuf, bool)> {
        let seed = format!("seed={}", self.plan.seed);
        Ok((from_value(py, &self.source)?, vec![seed], self.base.0.clone(), self.base.1))
    }

    /// Runs the experiment without holding the interpreter lock; the tables in the order of their declaration.
    ///
    /// `progress(now_s, duration_s, events)` is called about ten times a second. What it raises, or a signal
    /// handler (Ctrl-C), ends the run. With the tables comes the line to show of a run that `memory` bytes are not
    /// enough for: it is cut short.
    #[pyo3(signature = (memory, progress=None))]
    fn run(
        &self,
        py: Python<'_>,
        memory: u64,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Vec<Table>, Option<String>)> {
        let mut watcher = Watcher::new(progress);
        let outcome = py.detach(|| {
            dumbbell_sim::run(&self.plan, memory, |p| watcher.look(p)).map(|results| {
                let line = results.shortage.map(|s| self.plan.explain_shortage(&s).to_string());
                (self.tables(results), line)
            })
        });
        outcome.map_err(|_| watcher.raised())
    }

    /// The names of the links, in order.
    #[getter]
    fn links(&self) -> Vec<&str> {
        self.plan.links.iter().map(|link| &*link.name).collect()
    }

    /// Runs the experiment without holding the interpreter lock, and traces it: see [`crate::trace`]. Writes to `places`, or
    /// collects tables where there are none; not if that is more than `limit`, in bytes or in events.
    ///
    /// Returns the tables, the events written, how many flows started, and those asked for that did not.
    #[pyo3(signature = (memory, places, at_sources, flows, links, times, limit, progress=None))]
    #[allow(clippy::too_many_arguments, clippy::type_complexity, reason = "those of the Python method")]
    fn trace(
        &self,
        py: Python<'_>,
        memory: u64,
        places: Vec<Place>,
        at_sources: bool,
        flows: Option<BTreeSet<u32>>,
        links: Option<BTreeSet<u32>>,
        times: [Option<String>; 2],
        limit: Option<(u64, bool)>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Vec<Table>, u64, u32, Vec<u32>)> {
        let selection = trace::selection(flows, links, times).map_err(refuse)?;
        let mut watcher = Watcher::new(progress);
        let traced = py.detach(|| {
            let mut tracing =
                TracedRun { plan: &self.plan, memory, selection: &selection, watcher: &mut watcher };
            limit.map_or(Ok(()), |most| tracing.check(most, &places, at_sources))?;
            if places.is_empty() {
                let (tables, traced) = tracing.collect()?;
                let metadata = self.metadata();
                let tables = tables.into_tables().into_iter();
                let tables = tables.map(|table| Table::new(to_arrow(table), metadata.clone())).collect();
                return Ok((tables, 0, traced));
            }
            let (events, traced) = tracing.write(&places, at_sources)?;
            Ok((Vec::new(), events, traced))
        });
        let (tables, events, traced) =
            traced.map_err(|error: Option<PyErr>| error.unwrap_or_else(|| watcher.raised()))?;
        Ok((tables, events, traced.flows, traced.missing))
    }
}

impl Scenario {
    /// The tables of a run, with where they come from.
    pub(crate) fn tables(&self, results: Results) -> Vec<Table> {
        let metadata = self.metadata();
        let tables = results.into_tables().into_iter();
        tables.map(|table| Table::new(to_arrow(table), metadata.clone())).collect()
    }

    fn metadata(&self) -> Metadata {
        let pairs = [
            ("dumbbell.version", env!("CARGO_PKG_VERSION").to_owned()),
            ("dumbbell.plan_hash", self.plan.hash.clone()),
            ("dumbbell.seed", self.plan.seed.to_string()),
            ("dumbbell.scenario", self.to_toml()),
        ];
        pairs.map(|(key, value)| (key.to_owned(), value)).to_vec()
    }
}

/// A number of bytes as users write it: `"4GB"`.
#[pyfunction]
pub fn parse_size(text: &str, place: &str) -> PyResult<u64> {
    Bytes::from_value(&Value::from(text), &At::root(place)).map(Bytes::get).map_err(refuse)
}

/// Refuses what is no quantity as scenarios have them: a `rate`, a `delay`, or anything for another key.
#[pyfunction]
pub fn check_quantity(key: &str, value: &Bound<'_, PyAny>, place: &str) -> PyResult<()> {
    let at = At::root(place);
    let value = to_value(value, &at)?;
    match key {
        "rate" => BitRate::from_value(&value, &at).map(drop),
        "delay" => dumbbell_core::Duration::from_value(&value, &at).map(drop),
        _ => Ok(()),
    }
    .map_err(refuse)
}

/// What a TOML text says, as a dictionary; `ScenarioError` with line and column.
#[pyfunction]
pub fn parse_toml<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let value = py.detach(|| dumbbell_sim::toml::parse(text)).map_err(refuse)?;
    from_value(py, &value)
}

/// The bytes of a file that a user names; `OSError` for anything but a file that ends, and has at most `most` bytes.
#[pyfunction]
#[pyo3(signature = (path, most=dumbbell_sim::limits::MAX_TEXT_BYTES))]
pub fn read_file(py: Python<'_>, path: PathBuf, most: u64) -> PyResult<Vec<u8>> {
    py.detach(|| files::read(&path, most))
        .map_err(|error| PyOSError::new_err((error.number(), error.to_string(), path)))
}
