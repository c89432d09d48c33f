//! Metrics by size: bins of flow sizes, and what is measured in each.

use dumbbell_core::config::At;
use dumbbell_core::{ConfigError, Validate, config, words};

use crate::limits::MOST_VALUES;
use crate::measure::Measure;
use crate::source::{FlowColumn, Kept, Statistic};

config! {
    /// Numbers for each bin of flow sizes. A flow larger than the last bin belongs to none.
    pub struct BySize {
        /// Bytes of data in a packet: the size of a flow in packets is its bytes over this.
        packet: u64 as "bytes";
        /// The largest size of each bin, in packets, rising; a bin begins after the one before.
        up_to: Vec<u64> as "packets";
        /// The name of the flow group or workload.
        group: Option<String> = (), "absent: all flows";
        /// What is measured.
        metrics: Vec<SizeMetric>;
    }
}

impl Validate for BySize {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.packet == 0 {
            return Err(at.key("packet").error("0 are not bytes", "give the bytes of data in a packet"));
        }
        let rising =
            self.up_to.first().is_some_and(|first| *first > 0) && self.up_to.is_sorted_by(|a, b| a < b);
        if !rising || self.up_to.len() > MOST_VALUES {
            let wrong = "not whole numbers above zero that rise";
            return Err(at.key("up_to").error(wrong, "give the largest size of each bin, in packets"));
        }
        if self.metrics.is_empty() {
            return Err(at.key("metrics").error("nothing is measured", "add [[by_size.metrics]]"));
        }
        Ok(())
    }
}

config! {
    /// A number that each run gives for each bin.
    pub struct SizeMetric {
        /// Where it comes from.
        source: Kept<SizeSource>;
        ..measure: Measure {}
    }
}
impl Validate for SizeMetric {}

words! {
    /// What makes one number of the flows of one size.
    pub enum Each { Mean = "mean", Median = "median", Min = "min", Max = "max", Count = "count" }
}

config! {
    /// A metric by size: `each` makes one number of the flows of one size, `statistic` one of the sizes of a bin.
    pub struct SizeSource {
        /// A column of numbers of the table `flows`.
        column: Option<FlowColumn> = (), "absent: `sharing` says it";
        /// In its place: the time under exact processor sharing.
        sharing: Option<Sharing> = (), "absent: `column` says it";
        /// What makes one number of the flows of one size.
        each: Each = "mean", "choice: what most papers show";
        /// What makes one number of the sizes of a bin. Quantiles interpolate linearly.
        statistic: Statistic = "mean", "choice: what most papers show";
        /// Leave out flows whose time ends later than this, in s.
        finished_by: Option<f64> as "s" = (), "absent: none is left out";
        /// Leave out flows that started in the warm-up.
        counted: bool = true, "choice: what the warm-up is for";
        /// Multiplies the number.
        factor: f64 as "dimensionless" = 1, "choice: the unit of the column";
    }
}

impl Validate for SizeSource {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.column.is_some() == self.sharing.is_some() {
            let wrong = "needs either `column` or `sharing`";
            return Err(at.error(wrong, r#"write column = "completion_time""#));
        }
        positive("finished_by", self.finished_by, "give seconds above zero", at)
    }
}

config! {
    /// Exact processor sharing of the flows of the run, as they arrived and as large as they were.
    pub struct Sharing {
        /// What the flows share equally, in packets per second.
        capacity: f64 as "packets/s";
        /// Seconds added to each time, for what no sharing can save.
        added: Option<f64> as "s" = (), "absent: nothing is added";
        /// The most that a flow has, in packets per second.
        cap: Option<f64> as "packets/s" = (), "absent: no limit";
    }
}

impl Validate for Sharing {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        for (key, value) in [("capacity", Some(self.capacity)), ("added", self.added), ("cap", self.cap)] {
            positive(key, value, "give a number above zero", at)?;
        }
        Ok(())
    }
}

fn positive(key: &str, value: Option<f64>, remedy: &str, at: &At<'_>) -> Result<(), ConfigError> {
    match value {
        Some(x) if x <= 0.0 => Err(at.key(key).error(format!("{x} is not above zero"), remedy)),
        _ => Ok(()),
    }
}
