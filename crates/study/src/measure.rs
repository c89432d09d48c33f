//! What metrics of a run and metrics by size have in common.

use dumbbell_core::{Validate, config, words};

use crate::text::{Label, Name};

words! {
    /// Which way a metric improves.
    pub enum Better { Lower = "lower", Higher = "higher" }
}

config! {
    /// What any metric has.
    pub struct Measure {
        /// Name of the column in the study's table.
        name: Name;
        /// What figures and tables call it.
        label: Option<Label> = (), "absent: the name";
        /// Unit of the number.
        unit: Label = "", "choice: a number without a unit";
        /// Which way it improves.
        better: Option<Better> = (), "absent: neither";
    }
}
impl Validate for Measure {}
