//! Values between Python and Rust.

use dumbbell_cc::{Control, Rate, Time};
use dumbbell_core::config::At;
use dumbbell_core::{ConfigError, Value};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};
use serde::Serialize;

use crate::errors::ScenarioError;

/// The Python exception for an error in a scenario.
pub fn refuse(error: ConfigError) -> PyErr {
    // Once more: not every error is made by `ConfigError::new`.
    let error = ConfigError::new(error.path, error.message, error.remedy);
    ScenarioError::new_err((error.path, error.message, error.remedy))
}

/// Tables and lists within each other: as many as the TOML parser takes. A scenario needs eight.
const MOST_LEVELS: usize = 80;

/// A Python object as a value: `None`, `bool`, `int`, `float`, `str`, a path, a list or tuple, a `dict` or another mapping.
pub fn to_value(object: &Bound<'_, PyAny>, at: &At<'_>) -> PyResult<Value> {
    value_below(object, at, MOST_LEVELS)
}

fn value_below(object: &Bound<'_, PyAny>, at: &At<'_>, levels: usize) -> PyResult<Value> {
    if levels == 0 {
        return Err(refuse(at.error(
            format!("more than {MOST_LEVELS} tables or lists stand within each other"),
            "write it without so many levels",
        )));
    }
    if object.is_none() {
        return Ok(Value::Null);
    }
    // Before `int`, of which `bool` is a subclass.
    if let Ok(v) = object.cast::<PyBool>() {
        return Ok(Value::Bool(v.is_true()));
    }
    if object.is_instance_of::<PyInt>() {
        let whole = object.extract().map_err(|_| {
            refuse(at.error(format!("{object} is out of range"), "give a number that fits into 63 bits"))
        })?;
        return Ok(Value::Int(whole));
    }
    if let Ok(v) = object.cast::<PyFloat>() {
        return Ok(Value::Float(v.extract()?));
    }
    if let Ok(v) = object.cast::<PyString>() {
        // Text of half a character (a lone surrogate) has no bytes.
        let text = v.to_str().map_err(|_| refuse(at.error("the text is not Unicode", "write it anew")))?;
        return Ok(Value::Str(text.to_owned()));
    }
    if let Ok(entries) = object.cast::<PyDict>() {
        return table(entries, at, levels);
    }
    if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        let items =
            object.try_iter()?.enumerate().map(|(i, item)| value_below(&item?, &at.index(i), levels - 1));
        return items.collect::<PyResult<_>>().map(Value::List);
    }
    if let Ok(mapping) = object.cast::<PyMapping>() {
        let entries = PyDict::new(object.py());
        entries.update(mapping)?;
        return table(&entries, at, levels);
    }
    if let Ok(path) = object.call_method0("__fspath__") {
        return value_below(&path, at, levels - 1);
    }
    // The scalars of NumPy, which are neither `int` nor `float`.
    if let Ok(scalar) = object.call_method0("item") {
        return value_below(&scalar, at, levels - 1);
    }
    let kind = object.get_type().name()?;
    Err(refuse(at.error(
        format!("an object of type {kind} stands here"),
        "use None, bool, int, float, str, list or dict",
    )))
}

fn table(entries: &Bound<'_, PyDict>, at: &At<'_>, levels: usize) -> PyResult<Value> {
    let mut read = Vec::with_capacity(entries.len());
    for (key, object) in entries {
        let Ok(key) = key.cast::<PyString>().map(ToString::to_string) else {
            return Err(refuse(at.error(format!("the key {key} is not text"), "use str keys")));
        };
        let value = value_below(&object, &at.key(&key), levels - 1)?;
        read.push((key, value));
    }
    Ok(Value::Table(read))
}

/// A value as a Python object.
pub fn from_value<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(v) => PyBool::new(py, *v).to_owned().into_any(),
        Value::Int(v) => v.into_pyobject(py)?.into_any(),
        Value::Float(v) => PyFloat::new(py, *v).into_any(),
        Value::Str(v) => PyString::new(py, v).into_any(),
        Value::List(items) => {
            let items = items.iter().map(|item| from_value(py, item)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, items)?.into_any()
        }
        Value::Table(entries) => {
            let table = PyDict::new(py);
            for (key, item) in entries {
                table.set_item(key, from_value(py, item)?)?;
            }
            table.into_any()
        }
    })
}

/// Anything that can be serialised, as `dict`s and `list`s in the order serialised.
pub fn to_python<'py>(py: Python<'py>, data: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(data).expect("values have text keys and no way to fail");
    py.import("json")?.call_method1("loads", (text,))
}

/// A control of the numbers that Python has.
pub fn control_of([window, threshold, pacing, wake_at, request, quantum]: [u64; 6]) -> Control {
    let (pacing, wake_at) = (Rate::from_raw(pacing), Time::from_nanos(wake_at));
    Control { window, threshold, pacing, wake_at, request: request.cast_signed(), quantum }
}

/// The numbers of a control.
pub fn numbers_of(control: &Control) -> [u64; 6] {
    let Control { window, threshold, pacing, wake_at, request, quantum } = *control;
    [window, threshold, pacing.raw(), wake_at.as_nanos(), request.cast_unsigned(), quantum]
}
