//! Result tables in Python: NumPy columns, the Arrow PyCapsule protocol, Parquet.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, UInt64Array};
use arrow_schema::DataType;
use arrow_schema::ffi::FFI_ArrowSchema;
use dumbbell_core::Results;
use dumbbell_core::table::{ColumnData, Table as Raw};
use dumbbell_record::{Cause, FileError, Metadata, from_arrow, renumber, to_arrow};
use numpy::{PyArray1, PyReadonlyArray1, ToPyArray};
use pyo3::exceptions::{PyIndexError, PyKeyError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};

use crate::rows::{Rows, value};

/// Where the tables of a run come from: names and texts, made when somebody asks.
#[derive(Clone)]
pub struct Provenance(Arc<LazyLock<Metadata, Box<dyn FnOnce() -> Metadata + Send>>>);

impl Provenance {
    pub fn new(make: impl FnOnce() -> Metadata + Send + 'static) -> Provenance {
        Provenance(Arc::new(LazyLock::new(Box::new(make))))
    }
}

/// A result table: Arrow, as soon as somebody asks for more than numbers. A study asks for a few columns of the many
/// tables of each run.
#[pyclass(frozen, module = "dumbbell._native")]
pub struct Table {
    /// As the engine has left it, until it becomes Arrow.
    raw: Mutex<Option<Arc<Raw>>>,
    arrow: OnceLock<RecordBatch>,
    provenance: Provenance,
}

impl Table {
    /// The tables of a run.
    pub fn all(tables: Vec<Raw>, provenance: Provenance) -> Vec<Table> {
        let table = |raw| Table {
            raw: Mutex::new(Some(Arc::new(raw))),
            arrow: OnceLock::new(),
            provenance: provenance.clone(),
        };
        tables.into_iter().map(table).collect()
    }

    fn of_arrow(batch: RecordBatch, provenance: Provenance) -> Table {
        Table { raw: Mutex::new(None), arrow: batch.into(), provenance }
    }

    /// The table if it is not Arrow yet. The lock is not held while Python makes objects, which may run anything.
    fn raw(&self) -> Option<Arc<Raw>> {
        self.raw.lock().expect("nobody panics with this lock").clone()
    }

    /// The table as the engine has left it, or as it is read back from Arrow.
    pub fn values_of_run(&self) -> Arc<Raw> {
        self.raw().unwrap_or_else(|| {
            let name = self.name();
            let declared = Results::TABLES.iter().find(|declared| declared.name == name);
            from_arrow(self.batch(), declared.expect("tables are read against their declaration")).into()
        })
    }

    fn batch(&self) -> &RecordBatch {
        self.arrow.get_or_init(|| {
            let raw = self.raw.lock().expect("nobody panics with this lock").take();
            let raw = raw.expect("a table is raw until it is Arrow");
            to_arrow(Arc::try_unwrap(raw).unwrap_or_else(|shared| (*shared).clone()))
        })
    }

    fn array(&self, name: &str) -> PyResult<&dyn Array> {
        self.batch()
            .column_by_name(name)
            .map(AsRef::as_ref)
            .ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }
}

#[pymethods]
impl Table {
    /// The name: `flows`, `links`.
    #[getter]
    fn name(&self) -> String {
        match self.raw() {
            Some(raw) => raw.name.to_owned(),
            None => self.batch().schema().metadata().get("table").cloned().unwrap_or_default(),
        }
    }

    /// What a row is.
    #[getter]
    fn doc(&self) -> String {
        self.batch().schema().metadata().get("doc").cloned().unwrap_or_default()
    }

    /// Name, unit and meaning of each column.
    #[getter]
    fn columns(&self) -> Vec<(String, String, String)> {
        let about = |field: &arrow_schema::Field, key| field.metadata().get(key).cloned().unwrap_or_default();
        let schema = self.batch().schema();
        schema.fields().iter().map(|f| (f.name().clone(), about(f, "unit"), about(f, "doc"))).collect()
    }

    /// Where the table comes from: version, plan hash, seed, scenario.
    #[getter]
    fn metadata(&self) -> Metadata {
        self.provenance.0.to_vec()
    }

    fn __len__(&self) -> usize {
        match self.raw() {
            Some(raw) => raw.rows(),
            None => self.batch().num_rows(),
        }
    }

    /// The values of a column of numbers or truth values; null becomes not-a-number. For labels, their codes.
    fn values<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        if let Some(raw) = self.raw()
            && let Some(data) = column(&raw, name)
        {
            return Ok(match data {
                ColumnData::U32(values) => values.to_pyarray(py).into_any(),
                ColumnData::U64(values) => values.to_pyarray(py).into_any(),
                ColumnData::F64(values) => values.to_pyarray(py).into_any(),
                ColumnData::Bool(values) => values.to_pyarray(py).into_any(),
                ColumnData::Label(codes) => {
                    let mut codes = codes.clone();
                    renumber(&mut codes, &raw.labels);
                    codes.to_pyarray(py).into_any()
                }
            });
        }
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
        if let Some(raw) = self.raw()
            && let Some(data) = column(&raw, name)
        {
            let ColumnData::Label(codes) = data else {
                return Ok(None);
            };
            let used = renumber(&mut codes.clone(), &raw.labels);
            return Ok(Some(used.into_iter().map(str::to_owned).collect()));
        }
        let labels = self.array(name)?.as_dictionary_opt::<UInt32Type>();
        Ok(labels
            .and_then(|d| d.values().as_string_opt::<i32>())
            .map(|texts| texts.iter().map(|text| text.unwrap_or_default().to_owned()).collect()))
    }

    /// The values of a row, in the order of the columns; what is absent is `None`.
    fn row<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let batch = self.batch();
        if index >= batch.num_rows() {
            return Err(PyIndexError::new_err(format!("row {index} of {}", batch.num_rows())));
        }
        batch.columns().iter().map(|column| value(py, column, index)).collect()
    }

    /// The rows of each label of a column, in the order of their first row.
    fn groups(&self, name: &str) -> PyResult<Vec<(String, Rows)>> {
        Rows::by_label(self.batch(), name)
    }

    /// The table with the values of a column of numbers replaced, one for each row; not-a-number becomes null.
    fn with_values(&self, name: &str, values: PyReadonlyArray1<'_, f64>) -> PyResult<Table> {
        let index = self.batch().schema().index_of(name).map_err(|_| PyKeyError::new_err(name.to_owned()))?;
        let values = values.as_array();
        let array: ArrayRef = match self.batch().column(index).data_type() {
            DataType::UInt64 => Arc::new(values.iter().map(|v| *v as u64).collect::<UInt64Array>()),
            DataType::Float64 => {
                let present = values.iter().map(|v| (!v.is_nan()).then_some(*v));
                Arc::new(present.collect::<Float64Array>())
            }
            other => return Err(PyValueError::new_err(format!("{name}: values of {other} stay"))),
        };
        let mut columns = self.batch().columns().to_vec();
        columns[index] = array;
        let batch = RecordBatch::try_new(self.batch().schema(), columns)
            .map_err(|e| PyValueError::new_err(format!("{name}: {e}")))?;
        Ok(Table::of_arrow(batch, self.provenance.clone()))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.batch().schema().as_ref())
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
        let batches = RecordBatchIterator::new([Ok(self.batch().clone())], self.batch().schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// Writes a Parquet file: whole or not at all.
    fn write_parquet(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| dumbbell_record::write_parquet(&path, self.batch(), &self.provenance.0))
            .map_err(refuse_file)
    }

    /// The bytes of its Parquet file, which hold all of it.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| dumbbell_record::to_bytes(self.batch(), &self.provenance.0));
        Ok(PyBytes::new(py, &bytes.map_err(|e| PyValueError::new_err(e.to_string()))?))
    }

    /// The table of which [`Table::to_bytes`] gave the bytes.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: Vec<u8>) -> PyResult<Table> {
        let read = py.detach(|| dumbbell_record::from_bytes(data));
        let (batch, metadata) = read.map_err(|e| PyValueError::new_err(e.to_string()))?;
        Ok(Table::of_arrow(batch, Provenance::new(move || metadata)))
    }
}

fn column<'a>(table: &'a Raw, name: &str) -> Option<&'a ColumnData> {
    table.columns.iter().find(|(column, _)| column.name == name).map(|(_, data)| data)
}

/// Reads the result table `name` back from a Parquet file.
#[pyfunction]
pub fn read_parquet(py: Python<'_>, path: PathBuf, name: &str) -> PyResult<Table> {
    let (batch, metadata) = py.detach(|| dumbbell_record::read_result(&path, name)).map_err(refuse_file)?;
    Ok(Table::of_arrow(batch, Provenance::new(move || metadata)))
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
