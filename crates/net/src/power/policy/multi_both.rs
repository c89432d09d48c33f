//! practRA that rises and falls in one step.

use dumbbell_core::Validate;
use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;

use super::adaptation::{Adaptation, Reach};
use super::{PolicyParams, Setting, Timing};

adaptation! {
    /// Adapts the rate to the arrivals as multi-up does, and falls at once to the first rate above the prediction.
    pub struct Params {
        /// Share by which the new rate exceeds the predicted rate after a step down.
        headroom: f64 as "dimensionless" = 0.1, "choice: a tenth, one step of the default rates";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.headroom < 0.0 {
            return Err(at
                .key("headroom")
                .error(format!("{} is negative", self.headroom), "leave out the minus sign"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "multi-both";
    const TITLE: &'static str = "practRA that rises and falls over several rates at once";
    const REFERENCE: &'static str =
        "Panarello et al., e-Energy 2012, section 4: non-consecutive rates; choice: the exact form";
}

impl PolicyParams for Params {
    type Machine = Adaptation;

    fn build(&self, setting: Setting) -> Adaptation {
        self.law().build(Reach::Both(self.headroom), setting)
    }

    fn check(&self, timing: Timing, at: &At<'_>) -> Result<(), ConfigError> {
        self.law().check(timing.pause, at)
    }
}
