//! What metrics of a run and metrics by size have in common.

use dumbbell_core::config::At;
use dumbbell_core::{ConfigError, Validate, config, words};

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
        /// The least value there can be: no interval reaches below it.
        least: Option<f64> as "as the metric" = (), "absent: what the source tells";
        /// The largest value there can be, such as the rate of the link: no interval reaches above it.
        most: Option<f64> as "as the metric" = (), "absent: what the source tells";
    }
}

impl Validate for Measure {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        match (self.least, self.most) {
            (Some(least), Some(most)) if least >= most => {
                let wrong = format!("no value lies between {least} and {most}");
                Err(at.key("most").error(wrong, "give more than `least`"))
            }
            _ => Ok(()),
        }
    }
}
