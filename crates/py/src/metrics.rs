//! The metrics of a study, evaluated as soon as a run has ended: threads that measure in Python wait for the interpreter lock.

use dumbbell_core::Config;
use dumbbell_core::config::At;
use dumbbell_core::table::Table as Raw;
use dumbbell_study::Source;
use pyo3::prelude::*;

use crate::convert::{refuse, to_value};
use crate::table::Table;

/// What a study asks of each run.
#[pyclass(frozen, module = "dumbbell._native")]
pub struct Metrics {
    sources: Vec<Option<Source>>,
    /// Whether Python evaluates more, and so needs the tables.
    pub tables: bool,
}

#[pymethods]
impl Metrics {
    /// From the source of each metric; `None`: Python evaluates it.
    #[new]
    fn new(sources: Vec<Option<Bound<'_, PyAny>>>, tables: bool) -> PyResult<Metrics> {
        let at = At::root("source");
        let read =
            |source: Bound<'_, PyAny>| Source::from_value(&to_value(&source, &at)?, &at).map_err(refuse);
        let sources =
            sources.into_iter().map(|source| source.map(read).transpose()).collect::<PyResult<_>>()?;
        Ok(Metrics { sources, tables })
    }

    /// A number for each metric from all tables of a run: see [`Metrics::evaluate`].
    #[allow(clippy::needless_pass_by_value, reason = "Python's arguments")]
    fn of(&self, tables: Vec<Py<Table>>) -> Vec<f64> {
        let tables: Vec<Raw> = tables.iter().map(|table| Raw::clone(&table.get().values_of_run())).collect();
        self.evaluate(&tables)
    }
}

impl Metrics {
    /// A number for each metric; not-a-number for what the run does not tell, and for what Python evaluates.
    pub fn evaluate(&self, tables: &[Raw]) -> Vec<f64> {
        let number = |source: &Option<Source>| source.as_ref()?.evaluate(tables);
        self.sources.iter().map(|source| number(source).unwrap_or(f64::NAN)).collect()
    }
}
