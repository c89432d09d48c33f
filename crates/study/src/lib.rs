//! The language of study files. It is declared like that of scenarios: one declaration gives the parser, the defaults
//! with their sources, the JSON Schema and the reference page.
//!
//! What a study makes of its scenario (points, settings, plans, ids of runs) is Python's.

mod axis;
mod by_size;
mod evaluate;
mod limits;
mod measure;
mod schema;
mod seeds;
mod source;
mod spec;
mod text;

pub use axis::{Axis, Range, Settings, Values};
pub use by_size::{BySize, SizeMetric, SizeSource};
pub use limits::{MOST_RUNS, MOST_VALUES};
pub use measure::Measure;
pub use schema::{declarations_json, schema};
pub use seeds::Seeds;
pub use source::{Kept, Source};
pub use spec::{Arm, Base, Metric, Stop, Study};
pub use text::{Label, Name};

use dumbbell_core::config::At;
use dumbbell_core::{Config, ConfigError, Value};

impl Study {
    /// Reads a study. Of the error, [`ConfigError::more`] says what else is wrong.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(v: &Value) -> Result<Study, ConfigError> {
        Study::from_value(v, &At::root(""))
    }
}
