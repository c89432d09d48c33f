//! The language of study files. It is declared like that of scenarios: one declaration gives the parser, the defaults
//! with their sources, the JSON Schema and the reference page.
//!
//! What a study makes of its scenario (points, settings, plans, ids of runs) is Python's.

mod axis;
mod by_size;
mod schema;
mod seeds;
mod source;
mod spec;
mod text;

pub use axis::{Axis, Range, Settings, Values};
pub use by_size::{BySize, SizeMetric, SizeSource};
pub use schema::{declarations_json, schema};
pub use seeds::Seeds;
pub use source::{Kept, Source};
pub use spec::{Arm, Base, Measure, Metric, Stop, Study};
pub use text::{Label, Name};

use dumbbell_core::config::At;
use dumbbell_core::{Config, ConfigError, Value};

/// Values of an axis, seeds, and bins of sizes at most.
pub const MOST_VALUES: usize = 10_000;

/// Runs of a study at most; above this it is taken for a mistake.
pub const MOST_RUNS: u128 = 1_000_000;

impl Study {
    /// Reads a study. Of the error, [`ConfigError::more`] says what else is wrong.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(v: &Value) -> Result<Study, ConfigError> {
        Study::from_value(v, &At::root(""))
    }
}

/// A number with commas between the thousands.
fn thousands(number: impl ToString) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
