//! What users can write and what runs leave behind, as declared: schemas, the registry, the parser of study files.

use dumbbell_core::Config;
use dumbbell_core::config::{At, suggest as nearest};
use dumbbell_core::registry::About;
use dumbbell_sim::aliases::{ALIASES, Alias};
use dumbbell_study::{Name, Report, Study};
use pyo3::prelude::*;

use crate::convert::{from_value, refuse, to_python, to_value};

/// The JSON Schema of scenarios.
#[pyfunction]
pub fn schema(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    to_python(py, &dumbbell_sim::schema(dumbbell_sim::built_in()))
}

/// The JSON Schema of study files.
#[pyfunction]
pub fn study_schema(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    to_python(py, &dumbbell_study::schema(dumbbell_sim::schema(dumbbell_sim::built_in())))
}

/// The contract of controllers for C: `controller.h`.
#[pyfunction]
pub fn controller_header() -> String {
    dumbbell_proto::controller_header()
}

/// What runs leave behind: tables with their columns, series, names in columns of labels.
#[pyfunction]
pub fn declarations(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    to_python(py, &dumbbell_sim::declarations_json())
}

/// Every registered algorithm, every table of a scenario and of a study file, with their fields; with them what
/// [`declarations`] gives.
#[pyfunction]
pub fn registry(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let mut registry = dumbbell_sim::registry_json();
    registry["study"] = dumbbell_study::declarations_json(dumbbell_sim::fields_json);
    to_python(py, &registry)
}

/// The algorithms of a family that have this name, each with its parameters, as [`registry`] has them.
#[pyfunction]
pub fn members<'py>(py: Python<'py>, family: &str, name: &str) -> PyResult<Bound<'py, PyAny>> {
    to_python(py, &dumbbell_sim::members_json(family, name))
}

/// The modules of builders, as [`registry`] has them.
#[pyfunction]
pub fn modules(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    to_python(py, &dumbbell_sim::modules_json())
}

/// The names of the tables of a scenario that are no algorithms.
#[pyfunction]
pub fn tables() -> Vec<&'static str> {
    dumbbell_sim::TABLES.to_vec()
}

/// The table of this name with its keys, in a list; none if there is none of this name.
#[pyfunction]
pub fn table<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    to_python(py, &dumbbell_sim::tables_json(name))
}

/// Name, title and reference of an algorithm.
type Listed = (&'static str, &'static str, &'static str);

/// The algorithms that can be named, family by family: name, title and reference of each.
#[pyfunction]
pub fn algorithms() -> Vec<(&'static str, Vec<Listed>)> {
    let rows = |members: &[About]| members.iter().map(|a| (a.name, a.title, a.reference)).collect();
    dumbbell_sim::algorithms().into_iter().map(|(family, members)| (family, rows(&members))).collect()
}

/// A name that others use, what it is, the settings that give it, and the family and the name of what describes it.
type OtherName = (&'static str, &'static str, Vec<&'static str>, (&'static str, &'static str));

/// The names that papers, kernels and tools have for what scenarios write in another way.
#[pyfunction]
pub fn aliases() -> Vec<OtherName> {
    let each = |alias: &'static Alias| {
        alias.names.iter().map(|name| (*name, alias.title, alias.settings.to_vec(), alias.place))
    };
    ALIASES.iter().flat_map(each).collect()
}

/// What a study file says, every default filled in, or `None`; and everything that is wrong with it.
///
/// Sources of metrics stay as they are written. The scenario is not parsed.
#[pyfunction]
pub fn read_study<'py>(
    py: Python<'py>,
    values: &Bound<'py, PyAny>,
) -> PyResult<(Option<Bound<'py, PyAny>>, Vec<String>)> {
    let value = to_value(values, &At::root(""))?;
    match py.detach(|| Study::read(&value)) {
        Ok(study) => Ok((Some(from_value(py, &study.to_value())?), Vec::new())),
        Err(error) => Ok((None, error.all().iter().map(ToString::to_string).collect())),
    }
}

/// What a file says that a study file includes, as [`read_study`] says what a study file does.
#[pyfunction]
pub fn read_report<'py>(
    py: Python<'py>,
    values: &Bound<'py, PyAny>,
) -> PyResult<(Option<Bound<'py, PyAny>>, Vec<String>)> {
    let value = to_value(values, &At::root(""))?;
    match py.detach(|| Report::read(&value)) {
        Ok(report) => Ok((Some(from_value(py, &report.to_value())?), Vec::new())),
        Err(error) => Ok((None, error.all().iter().map(ToString::to_string).collect())),
    }
}

/// Refuses what a study file does not take as the name of an axis, an arm or a metric; `place` names it.
#[pyfunction]
pub fn check_name(value: &Bound<'_, PyAny>, place: &str) -> PyResult<()> {
    let at = At::root(place);
    Name::from_value(&to_value(value, &at)?, &at).map(drop).map_err(refuse)
}

/// A remedy for an unknown name: the nearest known one if there is one near, else the first of them.
#[pyfunction]
pub fn suggest(name: &str, known: Vec<String>) -> String {
    nearest(name, &known.iter().map(String::as_str).collect::<Vec<_>>())
}
