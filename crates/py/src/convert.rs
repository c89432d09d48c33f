//! Values between Python and Rust.

use dumbbell_core::config::At;
use dumbbell_core::{ConfigError, Value};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde::Serialize;

use crate::ScenarioError;

/// The Python exception for an error in a scenario.
pub fn refuse(error: ConfigError) -> PyErr {
    ScenarioError::new_err((error.path, error.message, error.remedy))
}

/// A Python object as a value: `None`, `bool`, `int`, `float`, `str`, a path, a list or tuple, a `dict`.
pub fn to_value(object: &Bound<'_, PyAny>, at: &At<'_>) -> PyResult<Value> {
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
        return Ok(Value::Str(v.to_string()));
    }
    if let Ok(entries) = object.cast::<PyDict>() {
        return table(entries, at);
    }
    if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        let items = object.try_iter()?.enumerate().map(|(i, item)| to_value(&item?, &at.index(i)));
        return items.collect::<PyResult<_>>().map(Value::List);
    }
    if let Ok(path) = object.call_method0("__fspath__") {
        return to_value(&path, at);
    }
    // The scalars of NumPy, which are neither `int` nor `float`.
    if let Ok(scalar) = object.call_method0("item") {
        return to_value(&scalar, at);
    }
    let kind = object.get_type().name()?;
    Err(refuse(at.error(
        format!("an object of type {kind} stands here"),
        "use None, bool, int, float, str, list or dict",
    )))
}

fn table(entries: &Bound<'_, PyDict>, at: &At<'_>) -> PyResult<Value> {
    let mut read = Vec::with_capacity(entries.len());
    for (key, object) in entries {
        let Ok(key) = key.cast::<PyString>().map(ToString::to_string) else {
            return Err(refuse(at.error(format!("the key {key} is not text"), "use str keys")));
        };
        let value = to_value(&object, &at.key(&key))?;
        read.push((key, value));
    }
    Ok(Value::Table(read))
}

/// Anything that can be serialised, as `dict`s and `list`s in the order serialised.
pub fn to_python<'py>(py: Python<'py>, data: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(data).expect("values have text keys and no way to fail");
    py.import("json")?.call_method1("loads", (text,))
}
