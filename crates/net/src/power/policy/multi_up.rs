//! practRA that rises in one step.

use dumbbell_core::Validate;
use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;

use super::adaptation::{Adaptation, Reach};
use super::{PolicyParams, Setting, Timing};

adaptation! {
    /// Adapts the rate to the arrivals as practRA does, but rises at once to the first rate that meets the constraint, or to
    /// the highest.
    pub struct Params {}
}

impl Validate for Params {}

impl Algorithm for Params {
    const NAME: &'static str = "multi-up";
    const TITLE: &'static str = "practRA that rises over several rates at once";
    const REFERENCE: &'static str =
        "Panarello et al., e-Energy 2012, section 4: non-consecutive rates; choice: the exact form";
}

impl PolicyParams for Params {
    type Machine = Adaptation;

    fn build(&self, setting: Setting) -> Adaptation {
        self.law().build(Reach::Up, setting)
    }

    fn check(&self, timing: Timing, at: &At<'_>) -> Result<(), ConfigError> {
        self.law().check(timing.pause, at)
    }
}
