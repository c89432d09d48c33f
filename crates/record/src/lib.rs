//! Result tables outside the simulator: Arrow in memory, Parquet on disk.
//!
//! The declarations of [`dumbbell_core::table`] carry over: units and meanings of columns stand in the metadata of
//! the Arrow fields (`unit`, `doc`), the name and meaning of the table in the metadata of the schema (`table`, `doc`).

mod arrow;
mod parquet;

pub use arrow::to_arrow;
pub use parquet::{Cause, FileError, Metadata, read_parquet, read_result, write_parquet};
