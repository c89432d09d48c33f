//! No control: the port keeps the rate that it starts with.

use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Time, Validate, config};

use super::{Policy, PolicyParams, Setting, Target, View};

config! {
    /// Stays at the initial rate.
    pub struct Params {}
}

impl Validate for Params {}

impl Algorithm for Params {
    const NAME: &'static str = "fixed";
    const TITLE: &'static str = "Stays at the initial rate";
    const REFERENCE: &'static str = "choice: the reference without control, with the same account of energy";
}

impl PolicyParams for Params {
    type Machine = Fixed;

    fn build(&self, _setting: Setting) -> Fixed {
        Fixed
    }
}

/// The policy.
#[derive(Clone, Debug)]
pub struct Fixed;

impl Policy for Fixed {
    fn decide(&mut self, _now: Time, view: &View<'_>) -> Target {
        Target::Level(view.level)
    }
}
