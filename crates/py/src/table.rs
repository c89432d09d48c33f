//! Result tables in Python: NumPy columns, the Arrow PyCapsule protocol, Parquet.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, UInt64Array};
use arrow_schema::DataType;
use arrow_schema::ffi::FFI_ArrowSchema;
use dumbbell_record::{Cause, FileError, Metadata};
use numpy::{PyArray1, PyReadonlyArray1, ToPyArray};
use pyo3::exceptions::{PyIndexError, PyKeyError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};

use crate::rows::{Rows, value};

/// A result table, as Arrow.
#[pyclass(frozen, module = "dumbbell._native")]
pub struct Table {
    batch: RecordBatch,
    metadata: Metadata,
}

impl Table {
    pub fn new(batch: RecordBatch, metadata: Metadata) -> Table {
        Table { batch, metadata }
    }

    fn array(&self, name: &str) -> PyResult<&dyn Array> {
        self.batch.column_by_name(name).map(AsRef::as_ref).ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }
}

#[pymethods]
impl Table {
    /// The name: `flows`, `links`.
    #[getter]
    fn name(&self) -> String {
        self.batch.schema().metadata().get("table").cloned().unwrap_or_default()
    }

    /// What a row is.
    #[getter]
    fn doc(&self) -> String {
        self.batch.schema().metadata().get("doc").cloned().unwrap_or_default()
    }

    /// Name, unit and meaning of each column.
    #[getter]
    fn columns(&self) -> Vec<(String, String, String)> {
        let about = |field: &arrow_schema::Field, key| field.metadata().get(key).cloned().unwrap_or_default();
        let schema = self.batch.schema();
        schema.fields().iter().map(|f| (f.name().clone(), about(f, "unit"), about(f, "doc"))).collect()
    }

    /// Where the table comes from: version, plan hash, seed, scenario.
    #[getter]
    fn metadata(&self) -> Metadata {
        self.metadata.clone()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// The values of a column of numbers or truth values; null becomes not-a-number. For labels, their codes.
    fn values<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let array = self.array(name)?;
        Ok(match array.data_type() {
            DataType::UInt32 => array.as_primitive::<UInt32Type>().values().to_pyarray(py).into_any(),
            DataType::UInt64 => array.as_primitive::<UInt64Type>().values().to_pyarray(py).into_any(),
            DataType::Float64 if array.null_count() == 0 => {
                array.as_primitive::<Float64Type>().values().to_pyarray(py).into_any()
            }
            DataType::Float64 => {
                let values = array.as_primitive::<Float64Type>().iter().map(|v| v.unwrap_or(f64::NAN));
                PyArray1::from_iter(py, values).into_any()
            }
            DataType::Boolean => PyArray1::from_iter(py, array.as_boolean().values().iter()).into_any(),
            DataType::Dictionary(_, _) => {
                array.as_dictionary::<UInt32Type>().keys().values().to_pyarray(py).into_any()
            }
            other => return Err(PyValueError::new_err(format!("{name}: no NumPy form of {other}"))),
        })
    }

    /// The labels by code, or `None` if the column does not hold labels.
    fn labels(&self, name: &str) -> PyResult<Option<Vec<String>>> {
        let labels = self.array(name)?.as_dictionary_opt::<UInt32Type>();
        Ok(labels
            .and_then(|d| d.values().as_string_opt::<i32>())
            .map(|texts| texts.iter().map(|text| text.unwrap_or_default().to_owned()).collect()))
    }

    /// The values of a row, in the order of the columns; what is absent is `None`.
    fn row<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
        if index >= self.batch.num_rows() {
            return Err(PyIndexError::new_err(format!("row {index} of {}", self.batch.num_rows())));
        }
        self.batch.columns().iter().map(|column| value(py, column, index)).collect()
    }

    /// The rows of each label of a column, in the order of their first row.
    fn groups(&self, name: &str) -> PyResult<Vec<(String, Rows)>> {
        Rows::by_label(&self.batch, name)
    }

    /// The table with the values of a column of numbers replaced, one for each row; not-a-number becomes null.
    fn with_values(&self, name: &str, values: PyReadonlyArray1<'_, f64>) -> PyResult<Table> {
        let index = self.batch.schema().index_of(name).map_err(|_| PyKeyError::new_err(name.to_owned()))?;
        let values = values.as_array();
        let array: ArrayRef = match self.batch.column(index).data_type() {
            DataType::UInt64 => Arc::new(values.iter().map(|v| *v as u64).collect::<UInt64Array>()),
            DataType::Float64 => {
                let present = values.iter().map(|v| (!v.is_nan()).then_some(*v));
                Arc::new(present.collect::<Float64Array>())
            }
            other => return Err(PyValueError::new_err(format!("{name}: values of {other} stay"))),
        };
        let mut columns = self.batch.columns().to_vec();
        columns[index] = array;
        let batch = RecordBatch::try_new(self.batch.schema(), columns)
            .map_err(|e| PyValueError::new_err(format!("{name}: {e}")))?;
        Ok(Table { batch, metadata: self.metadata.clone() })
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.batch.schema().as_ref())
            .map_err(|e| PyValueError::new_err(e.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// One batch. A requested schema is not honoured, as the protocol allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let batches = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// Writes a Parquet file: whole or not at all.
    fn write_parquet(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| dumbbell_record::write_parquet(&path, &self.batch, &self.metadata)).map_err(refuse_file)
    }

    /// The bytes of its Parquet file, which hold all of it.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| dumbbell_record::to_bytes(&self.batch, &self.metadata));
        Ok(PyBytes::new(py, &bytes.map_err(|e| PyValueError::new_err(e.to_string()))?))
    }

    /// The table of which [`Table::to_bytes`] gave the bytes.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: Vec<u8>) -> PyResult<Table> {
        let read = py.detach(|| dumbbell_record::from_bytes(bytes));
        let (batch, metadata) = read.map_err(|e| PyValueError::new_err(e.to_string()))?;
        Ok(Table { batch, metadata })
    }
}

/// Reads the result table `name` back from a Parquet file.
#[pyfunction]
pub fn read_parquet(py: Python<'_>, path: PathBuf, name: &str) -> PyResult<Table> {
    let (batch, metadata) = py.detach(|| dumbbell_record::read_result(&path, name)).map_err(refuse_file)?;
    Ok(Table { batch, metadata })
}

/// `OSError` with its number, message and path, so that Python picks `FileNotFoundError` and its like; `ValueError`
/// for a file of another format.
fn refuse_file(error: FileError) -> PyErr {
    let path = error.path.display().to_string();
    match &error.cause {
        Cause::Io(io) => match io.raw_os_error() {
            Some(number) => PyOSError::new_err((number, io.to_string(), path)),
            None => PyOSError::new_err(error.to_string()),
        },
        Cause::Format(_) => PyValueError::new_err(error.to_string()),
    }
}
