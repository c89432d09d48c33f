//! Adaptive link rate with two queue thresholds.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Bytes, Time, Validate, config};

use super::{Policy, PolicyParams, Setting, Target, View};

config! {
    /// The highest rate while much waits, the lowest once little does.
    pub struct Params {
        /// The port goes to the lowest rate when the backlog is this or less.
        low: Bytes = "6kB", "choice: four full packets, so that a lone burst does not hold the rate up";
        /// The port goes to the highest rate when the backlog exceeds this.
        high: Bytes = "31250B", "choice: half of the buffer of Panarello et al.";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.low > self.high {
            return Err(at
                .key("low")
                .error(format!("{} is above `high`, {}", self.low, self.high), "lower it"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "alr";
    const TITLE: &'static str = "Adaptive link rate: lowest and highest rate by two queue thresholds";
    const REFERENCE: &'static str =
        "Gunaratne et al., IEEE Transactions on Computers 57(4), 2008: dual-threshold policy";
}

impl PolicyParams for Params {
    type Machine = Alr;

    fn build(&self, _setting: Setting) -> Alr {
        Alr { low: 8.0 * self.low.get() as f64, high: 8.0 * self.high.get() as f64 }
    }
}

/// The policy, with its thresholds in bits.
#[derive(Clone, Debug)]
pub struct Alr {
    low: f64,
    high: f64,
}

impl Policy for Alr {
    fn decide(&mut self, _now: Time, view: &View<'_>) -> Target {
        Target::Level(if view.backlog > self.high {
            view.rates.len() - 1
        } else if view.backlog <= self.low {
            0
        } else {
            view.level
        })
    }

    fn watches_departures(&self) -> bool {
        true
    }
}
