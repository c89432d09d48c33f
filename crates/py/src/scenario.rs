//! Scenarios in Python: parse, check, explain, run.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::quantity::UNITS;
use dumbbell_core::{BitRate, Bytes, Config, Value};
use dumbbell_proto::TransportSpec;
use dumbbell_sim::files::{self, Base, Unreadable};
use dumbbell_sim::{Plan, Whole};
use numpy::PyArray1;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::{from_value, refuse, to_python, to_value};
use crate::errors::TheoryError;
use crate::fluid;
use crate::metrics::Metrics;
use crate::outcome::{Outcome, Raw, as_toml, provenance};
use crate::run::Run;
use crate::table::Table;
use crate::trace::{self, Place, TracedRun};
use crate::watcher::Watcher;

/// The plan of a valid scenario.
#[pyclass(frozen, module = "dumbbell._native")]
pub struct Scenario {
    /// What the user has written, settings applied.
    source: Arc<Value>,
    pub(crate) plan: Arc<Plan>,
    /// The folder that file names count from, and whether the scenario opens no file outside it.
    base: (PathBuf, bool),
}

impl Scenario {
    fn new(mut source: Value, settings: &[String], base: Base<'_>) -> Result<Scenario, ConfigError> {
        for setting in settings {
            dumbbell_sim::toml::apply_set(&mut source, setting, dumbbell_sim::built_in())?;
        }
        let scenario = dumbbell_sim::Scenario::from_value(&source, dumbbell_sim::built_in())?;
        let plan = Plan::from_base(&scenario, base)?;
        Ok(Scenario { source: Arc::new(source), plan, base: (base.folder.to_owned(), base.confined) })
    }

    pub(crate) fn planned(&self, seed: u64) -> Result<Arc<Plan>, ConfigError> {
        self.plan.with_seed(seed, Base { folder: &self.base.0, confined: self.base.1 })
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
        self.plan.origin.name()
    }

    /// Every field, defaults filled in.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        from_value(py, &self.plan.origin.scenario())
    }

    /// Every field, defaults filled in, as TOML that `from_toml` reads.
    fn to_toml(&self) -> String {
        as_toml(&self.plan.origin)
    }

    /// The plan: resolved rates, delays, bandwidth-delay products, buffers, offered load.
    fn explain<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.plan.explain())
    }

    /// The libraries whose code the experiment runs: the file as the scenario names it, and the name of the controller in it.
    #[getter]
    fn libraries(&self) -> Vec<(&str, &str)> {
        let tcp = self.plan.groups.iter().filter_map(|group| match &group.transport {
            TransportSpec::Tcp(params) => Some(&params.controller),
            _ => None,
        });
        let mut found: Vec<_> =
            tcp.filter_map(|choice| choice.library().map(|file| (file, choice.name()))).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// SHA-256 of the resolved scenario, in hexadecimal.
    #[getter]
    fn plan_hash(&self) -> String {
        self.plan.origin.hash()
    }

    /// The seed of every random stream.
    #[getter]
    fn seed(&self) -> u64 {
        self.plan.seed
    }

    /// The same scenario under another seed; without planning it again, unless its topology is drawn by the seed.
    fn with_seed(&self, py: Python<'_>, seed: u64) -> PyResult<Scenario> {
        let plan = py.detach(|| self.planned(seed)).map_err(refuse)?;
        Ok(Scenario { source: self.source.clone(), plan, base: self.base.clone() })
    }

    /// The same scenario with another value at a path, planned anew.
    fn with_value(&self, py: Python<'_>, path: &str, value: &Bound<'_, PyAny>) -> PyResult<Scenario> {
        let value = to_value(value, &At::root(path))?;
        let made = py.detach(|| {
            let mut source = Value::clone(&self.source);
            let seed = i64::try_from(self.plan.seed).expect("a seed has 63 bits");
            let registry = dumbbell_sim::built_in();
            dumbbell_sim::toml::set(&mut source, "seed", Value::from(seed), registry)?;
            dumbbell_sim::toml::set(&mut source, path, value, registry)?;
            Scenario::new(source, &[], Base { folder: &self.base.0, confined: self.base.1 })
        });
        made.map_err(refuse)
    }

    /// Arguments with which `from_dict` makes this scenario again.
    fn again<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Vec<String>, PathBuf, bool)> {
        let seed = format!("seed={}", self.plan.seed);
        Ok((from_value(py, &self.source)?, vec![seed], self.base.0.clone(), self.base.1))
    }

    /// Begins a run of the experiment, which may take so many bytes. `threads` and `cores` are as for `threads`; the tables do not
    /// depend on them.
    #[pyo3(signature = (memory, threads=None, cores=1))]
    fn start(&self, memory: u64, threads: Option<usize>, cores: usize) -> Run {
        Run::new(&self.plan, memory, (threads, cores))
    }

    /// Makes runs one after the other without holding the interpreter lock in between: each of a scenario under a seed. Small
    /// runs on several threads would else wait for the lock for longer than they take.
    ///
    /// Returns, for each that has ended, the numbers of `metrics` and what [`Run::advance`] would; the tables only where
    /// `metrics` or nobody asks for them, or memory was short. And what kept the next from it, if anything has. The first that
    /// is short of memory is the last.
    #[staticmethod]
    #[pyo3(signature = (runs, memory, progress=None, metrics=None))]
    #[allow(clippy::needless_pass_by_value, reason = "Python's arguments")]
    fn run_seeds(
        py: Python<'_>,
        runs: Vec<(Py<Scenario>, u64)>,
        memory: u64,
        progress: Option<Py<PyAny>>,
        metrics: Option<Py<Metrics>>,
    ) -> (Vec<(Vec<f64>, Outcome)>, Option<PyErr>) {
        let metrics = metrics.as_ref().map(Py::get);
        let mut watcher = Watcher::new(progress);
        let mut ended = Vec::with_capacity(runs.len());
        let failure = py.detach(|| {
            for (scenario, seed) in &runs {
                let plan = scenario.get().planned(*seed).map_err(|error| Some(refuse(error)))?;
                let run = dumbbell_sim::Run::new(&plan, memory).in_parts(plan.cut(Some(1), 1).ok());
                let results = run.finish(|p| watcher.look(p)).map_err(|_| None)?;
                let mut raw = Raw::of(&plan, results);
                let numbers = metrics.map_or_else(Vec::new, |metrics| metrics.evaluate(&raw.tables));
                let short = raw.shortage.is_some();
                if !short && metrics.is_some_and(|metrics| !metrics.tables) {
                    raw.tables.clear();
                }
                ended.push((numbers, raw.outcome(&plan)));
                if short {
                    break;
                }
            }
            Ok(())
        });
        let failure = failure.err().map(|error: Option<PyErr>| error.unwrap_or_else(|| watcher.raised()));
        (ended, failure)
    }

    /// On how many threads the experiment runs if that many are asked for, or if as many as pay may be taken of so many idle
    /// cores; how many times faster that is than one, as far as can be told before; and why it is one, if it is.
    #[pyo3(signature = (threads, cores))]
    fn threads(&self, py: Python<'_>, threads: Option<usize>, cores: usize) -> (usize, f64, Option<String>) {
        match py.detach(|| self.plan.cut(threads, cores)) {
            Ok(cut) if cut.parts > 1 => (cut.parts, cut.gain, None),
            Ok(_) if threads == Some(1) || cores < 2 => (1, 1.0, Some(Whole::Asked.to_string())),
            Ok(_) => (1, 1.0, Some(Whole::Small.to_string())),
            Err(whole) => (1, 1.0, Some(whole.to_string())),
        }
    }

    /// What a fluid network makes of the flows under each of some seeds: completion times, see [`fluid::completion_times`].
    #[allow(clippy::needless_pass_by_value, reason = "Python's arguments")]
    fn fluid<'py>(
        &self,
        py: Python<'py>,
        seeds: Vec<u64>,
        group: Option<String>,
        share: f64,
    ) -> PyResult<Vec<Bound<'py, PyArray1<f64>>>> {
        let of = |seed: u64| {
            let plan = self.planned(seed).map_err(refuse)?;
            fluid::completion_times(&plan, group.as_deref(), share).map_err(TheoryError::new_err)
        };
        let times: Vec<Vec<f64>> = py.detach(|| seeds.into_iter().map(of).collect::<PyResult<_>>())?;
        Ok(times.into_iter().map(|times| PyArray1::from_vec(py, times)).collect())
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
                return Ok((Table::all(tables.into_tables(), provenance(&self.plan)), 0, traced));
            }
            let (events, traced) = tracing.write(&places, at_sources)?;
            Ok((Vec::new(), events, traced))
        });
        let (tables, events, traced) =
            traced.map_err(|error: Option<PyErr>| error.unwrap_or_else(|| watcher.raised()))?;
        Ok((tables, events, traced.flows, traced.missing))
    }
}

/// A number of bytes as users write it: `"4GB"`.
#[pyfunction]
pub fn parse_size(text: &str, place: &str) -> PyResult<u64> {
    Bytes::from_value(&Value::from(text), &At::root(place)).map(Bytes::get).map_err(refuse)
}

/// A time with its unit, such as `20ms`, in seconds.
#[pyfunction]
pub fn parse_time(text: &str, place: &str) -> PyResult<f64> {
    let time = dumbbell_core::Duration::from_value(&Value::from(text), &At::root(place));
    time.map(dumbbell_core::Duration::as_secs_f64).map_err(refuse)
}

/// The units that users may write, of rates, times and sizes: how many of the first of their list each is.
#[pyfunction]
pub fn units() -> Vec<Vec<(&'static str, f64)>> {
    UNITS.iter().map(|units| units.to_vec()).collect()
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
    py.detach(|| files::read(&path, most)).map_err(|error| {
        // The number by which the system calls the error, or one like it.
        let number = match &error {
            Unreadable::Io(e) => e.raw_os_error(),
            Unreadable::NotAFile => Some(libc::EINVAL),
            Unreadable::TooLarge(_) => Some(libc::EFBIG),
        };
        PyOSError::new_err((number, error.to_string(), path))
    })
}

/// Lets the code of libraries in folders of others run, until the process ends: the user has said so.
#[pyfunction]
pub fn trust_libraries() {
    files::trust_libraries();
}
