//! Power policies: one file each, one line each in the registry.

#[macro_use]
mod adaptation;
pub mod alr;
pub mod buffer_and_burst;
mod contract;
pub mod fixed;
pub mod multi_both;
pub mod multi_up;
pub mod practra;
pub mod sleep_and_scale;
mod sleeper;

use dumbbell_core::{Time, registry};

pub use contract::{Policy, PolicyParams, Setting, Target, Timing, View};
pub use sleeper::Placement;

registry! {
    /// A power policy with its parameters.
    pub enum PolicySpec in "power policy" as PolicyParams {
        Fixed(fixed::Params),
        PractRa(practra::Params),
        MultiUp(multi_up::Params),
        MultiBoth(multi_both::Params),
        Alr(alr::Params),
        BufferAndBurst(buffer_and_burst::Params),
        SleepAndScale(sleep_and_scale::Params),
    }

    /// Any policy.
    #[derive(Clone, Debug)]
    pub enum AnyPolicy [] = Machine or Box<dyn contract::Own>, whichever!($);

    build(setting: Setting) or own => own.open(setting);
}

impl Policy for AnyPolicy {
    #[inline]
    fn arrived(&mut self, now: Time, size: u32, accepted: bool) {
        whichever!(self, p => p.arrived(now, size, accepted));
    }
    #[inline]
    fn decide(&mut self, now: Time, view: &View<'_>) -> Target {
        whichever!(self, p => p.decide(now, view))
    }
    #[inline]
    fn wake_at(&self, now: Time, view: &View<'_>) -> Time {
        whichever!(self, p => p.wake_at(now, view))
    }
    #[inline]
    fn watches_departures(&self) -> bool {
        whichever!(self, p => p.watches_departures())
    }
    fn predicted(&self, now: Time) -> Option<f64> {
        whichever!(self, p => p.predicted(now))
    }
}
