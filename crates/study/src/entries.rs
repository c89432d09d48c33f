//! Arms and metrics: what a study and its companions list.

use dumbbell_core::{Validate, config};

use crate::axis::Settings;
use crate::measure::Measure;
use crate::source::{Kept, Source};
use crate::text::{Label, Name};

config! {
    /// One of the designs that are compared. At the same seed all arms meet the same arrivals.
    pub struct Arm {
        /// What claims and queries call it.
        name: Name;
        /// What figures and tables call it.
        label: Option<Label> = (), "absent: the name";
        /// What it changes in the scenario: `path=value`, or a list of these.
        set: Settings = [], "choice: nothing";
    }
}
impl Validate for Arm {}

config! {
    /// A number that each run gives.
    pub struct Metric {
        /// Where it comes from: the `table` of results, and what that table takes.
        source: Kept<Source>;
        ..measure: Measure {}
    }
}
impl Validate for Metric {}
