//! Parquet files with provenance.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Schema};
use bytes::Bytes;
use dumbbell_core::Results;
use dumbbell_core::config::is_plain;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::ChunkReader;

use crate::to_arrow;

/// Keys and values in the footer of a file: where the table comes from. Order is kept.
pub type Metadata = Vec<(String, String)>;

/// Why a file could not be written or read.
#[derive(Debug)]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// What was wrong.
    pub cause: Cause,
}

/// What was wrong with a file.
#[derive(Debug)]
pub enum Cause {
    /// The operating system refused.
    Io(io::Error),
    /// The content is not Parquet, or not what the format allows.
    Format(ParquetError),
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cause {
            Cause::Io(e) => write!(f, "{}: {e}", self.path.display()),
            Cause::Format(e) => {
                // The library quotes what stands in the file.
                let about: String =
                    e.to_string().chars().map(|c| if c.is_control() { '?' } else { c }).collect();
                write!(f, "{}: not a usable Parquet file: {about}", self.path.display())
            }
        }
    }
}

impl std::error::Error for FileError {}

impl From<io::Error> for Cause {
    fn from(e: io::Error) -> Cause {
        Cause::Io(e)
    }
}

impl From<ParquetError> for Cause {
    fn from(e: ParquetError) -> Cause {
        match e {
            // The writer wraps what the disk said, for example that it is full.
            ParquetError::External(inner) => match inner.downcast::<io::Error>() {
                Ok(io) => Cause::Io(*io),
                Err(other) => Cause::Format(ParquetError::External(other)),
            },
            other => Cause::Format(other),
        }
    }
}

impl From<arrow_schema::ArrowError> for Cause {
    fn from(e: arrow_schema::ArrowError) -> Cause {
        Cause::Format(e.into())
    }
}

/// Writes the batch to `path`, compressed with Snappy, with `metadata` in the footer.
///
/// The same batch and metadata give the same bytes. The file appears whole or not at all: it is written beside
/// its place under another name, then renamed over the regular file that stood there. A link stays, and its target is
/// replaced.
///
/// # Errors
/// If something else than a regular file is there, a link leads nowhere, or the file system refuses.
pub fn write_parquet(path: &Path, batch: &RecordBatch, metadata: &Metadata) -> Result<(), FileError> {
    let refused = |cause| FileError { path: path.to_owned(), cause };
    let place = place(path).map_err(|e| refused(e.into()))?;
    let mut name = OsString::from(".");
    name.push(place.file_name().unwrap_or_default());
    name.push(".part");
    let part = place.with_file_name(name);
    let written = File::create(&part)
        .map_err(Cause::from)
        .and_then(|file| write(file, batch, metadata))
        .and_then(|_| Ok(fs::rename(&part, &place)?));
    written.map_err(|cause| {
        // Nothing more can be done if even removing it fails: the first cause is the one to report.
        let _ = fs::remove_file(&part);
        refused(cause)
    })
}

/// Where a file at `path` goes: where a link leads.
fn place(path: &Path) -> io::Result<PathBuf> {
    if fs::symlink_metadata(path).is_err() {
        // Nothing is there, or the file system says what is wrong when it is written.
        return Ok(path.to_owned());
    }
    regular(path)?;
    fs::canonicalize(path)
}

/// Refuses a device, a pipe, which may have no end or no reader, and a folder.
fn regular(path: &Path) -> io::Result<()> {
    if fs::metadata(path)?.is_file() {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
}

/// The bytes of the file that [`write_parquet`] writes.
///
/// # Errors
/// If the batch has no Parquet form.
pub fn to_bytes(batch: &RecordBatch, metadata: &Metadata) -> Result<Vec<u8>, ParquetError> {
    write(Vec::new(), batch, metadata).map_err(in_memory)
}

/// The batch and the metadata that [`to_bytes`] was given.
///
/// # Errors
/// If the bytes are not those of a Parquet file.
pub fn from_bytes(bytes: Vec<u8>) -> Result<(RecordBatch, Metadata), ParquetError> {
    read(Bytes::from(bytes)).map_err(in_memory)
}

fn in_memory(cause: Cause) -> ParquetError {
    match cause {
        Cause::Format(error) => error,
        Cause::Io(error) => ParquetError::External(error.into()),
    }
}

fn write<W: Write + Send>(mut to: W, batch: &RecordBatch, metadata: &Metadata) -> Result<W, Cause> {
    let pairs = metadata.iter().map(|(k, v)| KeyValue::new(k.clone(), v.clone())).collect();
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_key_value_metadata(Some(pairs))
        .build();
    let mut writer = ArrowWriter::try_new(&mut to, batch.schema(), Some(properties))?;
    writer.write(batch)?;
    // It flushes. The writer's `into_inner` does too, but makes a text of an error, which nobody knows for a full disk.
    writer.close()?;
    Ok(to)
}

/// Rows for each byte of a file: above it, what claims to be a table was made to fill a memory. The sparsest tables that
/// runs write, series of zeros, come to two.
const ROWS_PER_BYTE: u64 = 64;

/// Reads a file that [`write_parquet`] wrote: the batch and the metadata, as they were given.
///
/// # Errors
/// If the file cannot be read or is not Parquet.
pub fn read_parquet(path: &Path) -> Result<(RecordBatch, Metadata), FileError> {
    let read = regular(path).and_then(|()| File::open(path)).map_err(Cause::from).and_then(read);
    read.map_err(|cause| FileError { path: path.to_owned(), cause })
}

/// Reads a file that [`write_parquet`] wrote of the result table `name`.
///
/// # Errors
/// If the file cannot be read, is not Parquet, or holds something else than that table.
pub fn read_result(path: &Path, name: &str) -> Result<(RecordBatch, Metadata), FileError> {
    let (batch, metadata) = read_parquet(path)?;
    match differs(&batch, name) {
        None => Ok((batch, metadata)),
        Some(what) => Err(FileError {
            path: path.to_owned(),
            cause: Cause::Format(ParquetError::General(format!(
                "not the table {name} of this version: {what}"
            ))),
        }),
    }
}

/// What a batch has that the result table `name` cannot have.
fn differs(batch: &RecordBatch, name: &str) -> Option<String> {
    let Some(table) = Results::default().into_tables().into_iter().find(|table| table.name == name) else {
        return Some("there is no such table".to_owned());
    };
    let declared = to_arrow(table).schema();
    let found = batch.schema();
    for field in declared.fields() {
        match found.field_with_name(field.name()) {
            Err(_) => return Some(format!("the column {} is missing", field.name())),
            Ok(other) if other.data_type() != field.data_type() => {
                return Some(format!("the column {} holds {}", field.name(), other.data_type()));
            }
            Ok(_) => {}
        }
    }
    if found.fields().len() != declared.fields().len() {
        return Some(format!("{} columns instead of {}", found.fields().len(), declared.fields().len()));
    }
    for (field, column) in found.fields().iter().zip(batch.columns()) {
        let nullable = matches!(field.data_type(), DataType::Float64);
        if !nullable && column.null_count() > 0 {
            return Some(format!("the column {} has gaps", field.name()));
        }
        let labels = column.as_dictionary_opt::<UInt32Type>().and_then(|d| d.values().as_string_opt::<i32>());
        if labels.is_some_and(|texts| texts.iter().flatten().any(|text| !text.chars().all(is_plain))) {
            return Some(format!("the column {} holds control characters", field.name()));
        }
    }
    None
}

fn read<R: ChunkReader + 'static>(from: R) -> Result<(RecordBatch, Metadata), Cause> {
    let bytes = from.len();
    let builder = ParquetRecordBatchReaderBuilder::try_new(from)?;
    let file = builder.metadata().file_metadata();
    let claimed = u64::try_from(file.num_rows()).unwrap_or(u64::MAX);
    if claimed > bytes.saturating_mul(ROWS_PER_BYTE) {
        let message = format!("{claimed} rows in {bytes} bytes");
        return Err(Cause::Format(ParquetError::General(message)));
    }
    let rows = usize::try_from(claimed).unwrap_or(usize::MAX).max(1);
    let pairs = file.key_value_metadata().cloned().unwrap_or_default();
    let metadata: Metadata = pairs
        .into_iter()
        .filter(|pair| pair.key != parquet::arrow::ARROW_SCHEMA_META_KEY)
        .map(|pair| (pair.key, pair.value.unwrap_or_default()))
        .collect();
    // The reader adds the footer to the metadata of the schema; here it is handed out beside it.
    let mut about = builder.schema().metadata().clone();
    about.retain(|key, _| metadata.iter().all(|(k, _)| k != key));
    let schema = Arc::new(Schema::new_with_metadata(builder.schema().fields().clone(), about));
    // One batch: the tables of a run fit in memory, for they came from there.
    let batch = builder.with_batch_size(rows).build()?.next().transpose()?;
    Ok((batch.map_or(Ok(RecordBatch::new_empty(schema.clone())), |b| b.with_schema(schema))?, metadata))
}

#[cfg(test)]
mod tests {
    use arrow_array::{ArrayRef, UInt64Array};
    use dumbbell_core::table::{Column, ColumnData, Table};
    use proptest::prelude::*;

    use super::*;
    use crate::to_arrow;

    fn batch(numbers: Vec<u32>, reals: Vec<f64>) -> RecordBatch {
        let column = |name| Column { name, unit: "s", kind: "number", doc: "meaning" };
        let codes = numbers.iter().map(|n| n % 3).collect();
        to_arrow(Table {
            name: "samples",
            doc: "One row per sample.",
            columns: vec![
                (column("wide"), ColumnData::U64(numbers.iter().map(|n| u64::from(*n) << 30).collect())),
                (column("odd"), ColumnData::Bool(numbers.iter().map(|n| n % 2 == 1).collect())),
                (column("number"), ColumnData::U32(numbers)),
                (column("value"), ColumnData::F64(reals)),
                (column("metric"), ColumnData::Label(codes)),
            ],
            labels: ["cwnd", "rtt", "queue"].map(Arc::from).into(),
        })
    }

    fn provenance() -> Metadata {
        vec![("dumbbell.version".into(), "1.2.3".into()), ("dumbbell.seed".into(), "7".into())]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn what_is_written_is_read(rows in prop::collection::vec(any::<(u32, f64)>(), 0..3000)) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("t.parquet");
            let (numbers, reals) = rows.into_iter().unzip();
            let batch = batch(numbers, reals);
            write_parquet(&path, &batch, &provenance()).unwrap();
            let (read, metadata) = read_parquet(&path).unwrap();
            prop_assert_eq!(&read, &batch);
            prop_assert_eq!(&metadata, &provenance());
            let bytes = to_bytes(&batch, &metadata).unwrap();
            prop_assert_eq!(&bytes, &fs::read(&path).unwrap());
            prop_assert_eq!(from_bytes(bytes).unwrap(), (batch, metadata));
        }
    }

    #[test]
    fn the_same_batch_gives_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = |name: &str| {
            let path = folder.path().join(name);
            write_parquet(&path, &batch(vec![1, 2, 3], vec![0.5, f64::NAN, 2.5]), &provenance()).unwrap();
            fs::read(path).unwrap()
        };
        let first = bytes("0");
        for i in 1..20 {
            assert_eq!(bytes(&i.to_string()), first);
        }
    }

    #[test]
    fn a_file_that_cannot_be_written_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("t.parquet")).unwrap();
        let error =
            write_parquet(&folder.path().join("t.parquet"), &batch(vec![1], vec![1.0]), &provenance());
        assert!(matches!(error.unwrap_err().cause, Cause::Io(_)));
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left, ["t.parquet"]);
    }

    #[test]
    fn tables_of_results_are_held_to_their_declaration() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        let message = || read_result(&path, "runs").unwrap_err().to_string();
        for table in Results::default().into_tables() {
            let name = table.name;
            write_parquet(&path, &to_arrow(table), &provenance()).unwrap();
            assert!(read_result(&path, name).is_ok());
            assert!(name == "runs" || message().contains("not the table runs of this version: the column"));
        }
        write_parquet(&path, &batch(vec![1], vec![1.0]), &provenance()).unwrap();
        assert!(message().contains("the column seed is missing"), "{}", message());
        assert!(read_result(&path, "nothing").unwrap_err().to_string().contains("there is no such table"));
    }

    #[test]
    fn far_more_rows_than_bytes_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        let zeros: ArrayRef = Arc::new(UInt64Array::from(vec![0; 2_000_000]));
        let zeros = RecordBatch::try_from_iter([("x", zeros)]).unwrap();
        write_parquet(&path, &zeros, &provenance()).unwrap();
        let error = read_parquet(&path).unwrap_err().to_string();
        assert!(error.contains("2000000 rows in "), "{error}");
    }

    #[test]
    fn damaged_and_missing_files_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        assert!(matches!(read_parquet(&path).unwrap_err().cause, Cause::Io(_)));
        fs::write(&path, "not Parquet").unwrap();
        assert!(matches!(read_parquet(&path).unwrap_err().cause, Cause::Format(_)));
    }
}
