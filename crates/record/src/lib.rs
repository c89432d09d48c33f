//! Result tables outside the simulator: Arrow in memory, Parquet on disk.
//!
//! The metadata hold what [`dumbbell_core::table`] declares: those of an Arrow field the unit and meaning of the column
//! (`unit`, `doc`), those of the schema the name and meaning of the table (`table`, `doc`).

mod arrow;
mod parquet;

pub use arrow::{from_arrow, renumber, to_arrow};
pub use parquet::{
    Cause, FileError, Metadata, from_bytes, read_parquet, read_result, to_bytes, write_parquet,
};
