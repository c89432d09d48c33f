//! practRA: one rate up or down at a time.

use dumbbell_core::Validate;
use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;

use super::adaptation::{Adaptation, Reach};
use super::{PolicyParams, Setting, Timing};

adaptation! {
    /// Adapts the rate to the arrivals under a bound on the queueing delay, one step at a time.
    pub struct Params {}
}

impl Validate for Params {}

impl Algorithm for Params {
    const NAME: &'static str = "practra";
    const TITLE: &'static str = "Practical rate adaptation, to the next rate up or down";
    const REFERENCE: &'static str = "Panarello et al., e-Energy 2012, section 2; Nedevschi et al., NSDI 2008";
}

impl PolicyParams for Params {
    type Machine = Adaptation;

    fn build(&self, setting: Setting) -> Adaptation {
        self.law().build(Reach::Single, setting)
    }

    fn check(&self, timing: Timing, at: &At<'_>) -> Result<(), ConfigError> {
        self.law().check(timing.pause, at)
    }
}
