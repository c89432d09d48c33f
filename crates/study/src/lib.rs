//! The language of study files. It is declared like that of scenarios: one declaration gives the parser, the defaults
//! with their sources, the JSON Schema and the reference page.
//!
//! What a study makes of its scenario (points, settings, plans, ids of runs) is Python's.

mod axis;
mod by_size;
mod claim;
mod companion;
mod entries;
mod evaluate;
mod figure;
mod limits;
mod measure;
mod rows;
mod schema;
mod seeds;
mod shapes;
mod source;
mod spec;
mod text;

pub use axis::{Axis, Range, Settings, Values};
pub use by_size::{BySize, SizeMetric, SizeSource};
pub use claim::{Claim, Crossing, Difference, Direction, Level, Monotone, Order, Ratio, Reason, Rule};
pub use companion::{ChosenAxis, ChosenBySize, Companion, Fewer, Quick};
pub use entries::{Arm, Metric};
pub use figure::{Answers, Figure, IndexRow, Middle, Reference};
pub use limits::{MOST_RUNS, MOST_VALUES};
pub use measure::Measure;
pub use rows::{Chosen, Rows};
pub use schema::{declarations_json, schema};
pub use seeds::Seeds;
pub use shapes::{Numbers, Part, Places, Texts};
pub use source::{Kept, Source};
pub use spec::{Base, Control, Decisive, Report, Stop, Study};
pub use text::{Id, Label, Name};

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

impl Report {
    /// Reads a file that a study file includes. Of the error, [`ConfigError::more`] says what else is wrong.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(v: &Value) -> Result<Report, ConfigError> {
        Report::from_value(v, &At::root(""))
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
