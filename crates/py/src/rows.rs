//! Rows of a result table in Python, and what they amount to.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use dumbbell_core::Statistics;
use numpy::PyReadonlyArray1;
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};

/// Some rows of a table.
#[pyclass(frozen, module = "dumbbell._native")]
pub struct Rows {
    batch: RecordBatch,
    rows: Vec<u32>,
}

impl Rows {
    /// The rows of each label of a column, in the order of their first row.
    pub fn by_label(batch: &RecordBatch, name: &str) -> PyResult<Vec<(String, Rows)>> {
        let refusal = || PyKeyError::new_err(name.to_owned());
        let column = batch.column_by_name(name).ok_or_else(refusal)?;
        let labels = column.as_dictionary_opt::<UInt32Type>().ok_or_else(refusal)?;
        let texts = labels.values().as_string_opt::<i32>().ok_or_else(refusal)?;
        let mut places = vec![usize::MAX; texts.len()];
        let mut found: Vec<(String, Rows)> = Vec::new();
        for (row, code) in (0..).zip(labels.keys().values()) {
            let place = &mut places[*code as usize];
            if *place == usize::MAX {
                *place = found.len();
                let rows = Rows { batch: batch.clone(), rows: Vec::new() };
                found.push((texts.value(*code as usize).to_owned(), rows));
            }
            found[*place].1.rows.push(row);
        }
        Ok(found)
    }

    fn column(&self, name: &str) -> PyResult<&dyn Array> {
        self.batch.column_by_name(name).map(AsRef::as_ref).ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }

    /// The values of a column of real numbers; null is not-a-number.
    fn numbers(&self, name: &str) -> PyResult<impl Fn(u32) -> f64> {
        let refusal = || PyValueError::new_err(format!("{name}: holds no real numbers"));
        let column = self.column(name)?.as_primitive_opt::<Float64Type>().ok_or_else(refusal)?;
        Ok(move |row| if column.is_null(row as usize) { f64::NAN } else { column.value(row as usize) })
    }
}

#[pymethods]
impl Rows {
    fn __len__(&self) -> usize {
        self.rows.len()
    }

    /// The value of the first of them in a column.
    fn first<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        value(py, self.column(name)?, self.rows[0] as usize)
    }

    /// The sum of a column of counts.
    fn sum(&self, name: &str) -> PyResult<u64> {
        let column = self.column(name)?;
        if let Some(counts) = column.as_primitive_opt::<UInt64Type>() {
            return Ok(self.rows.iter().map(|row| counts.value(*row as usize)).sum());
        }
        let refusal = || PyValueError::new_err(format!("{name}: holds no counts"));
        let counts = column.as_primitive_opt::<UInt32Type>().ok_or_else(refusal)?;
        Ok(self.rows.iter().map(|row| u64::from(counts.value(*row as usize))).sum())
    }

    /// How many have a value in a column of real numbers.
    fn present(&self, name: &str) -> PyResult<usize> {
        let number = self.numbers(name)?;
        Ok(self.rows.iter().filter(|row| number(**row).is_finite()).count())
    }

    /// What a column of real numbers amounts to, in those rows that have a column of truth values set.
    #[pyo3(signature = (name, only=None))]
    fn statistics<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        only: Option<&str>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let number = self.numbers(name)?;
        let chosen = match only {
            None => None,
            Some(only) => {
                let refusal = || PyValueError::new_err(format!("{only}: holds no truth values"));
                Some(self.column(only)?.as_boolean_opt().ok_or_else(refusal)?)
            }
        };
        let rows = self.rows.iter().filter(|row| chosen.is_none_or(|chosen| chosen.value(**row as usize)));
        to_dict(py, Statistics::of(rows.map(|row| number(*row))))
    }
}

/// What numbers amount to: see [`Statistics`].
#[pyfunction]
pub fn statistics<'py>(py: Python<'py>, values: PyReadonlyArray1<'_, f64>) -> PyResult<Bound<'py, PyDict>> {
    to_dict(py, Statistics::of(values.as_array().iter().copied()))
}

fn to_dict(py: Python<'_>, found: Statistics) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("count", found.count)?;
    let Statistics { mean, p50, p90, p99, max, .. } = found;
    for (name, value) in [("mean", mean), ("p50", p50), ("p90", p90), ("p99", p99), ("max", max)] {
        dict.set_item(name, value)?;
    }
    Ok(dict)
}

/// A value of a column; what is absent is `None`.
pub fn value<'py>(py: Python<'py>, column: &dyn Array, row: usize) -> PyResult<Bound<'py, PyAny>> {
    Ok(match column.data_type() {
        _ if column.is_null(row) => py.None().into_bound(py),
        DataType::UInt32 => column.as_primitive::<UInt32Type>().value(row).into_pyobject(py)?.into_any(),
        DataType::UInt64 => column.as_primitive::<UInt64Type>().value(row).into_pyobject(py)?.into_any(),
        DataType::Float64 => {
            let value = column.as_primitive::<Float64Type>().value(row);
            Some(value).filter(|value| !value.is_nan()).into_pyobject(py)?
        }
        DataType::Boolean => PyBool::new(py, column.as_boolean().value(row)).to_owned().into_any(),
        DataType::Dictionary(_, _) => {
            let labels = column.as_dictionary::<UInt32Type>();
            let code = labels.keys().value(row) as usize;
            let text = labels.values().as_string_opt::<i32>().map_or("", |texts| texts.value(code));
            text.into_pyobject(py)?.into_any()
        }
        other => return Err(PyValueError::new_err(format!("no value of {other}"))),
    })
}
