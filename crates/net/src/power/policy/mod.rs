//! Power policies: one file each, one line each in `policies!`.

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

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{Duration, Time};

pub use contract::{Policy, PolicyParams, Setting, Target, Timing, View};
pub use sleeper::Placement;

/// Registers the policies: `Variant(module)` gives the name in scenarios, the parameters with their defaults, dispatch,
/// and the law tests.
macro_rules! policies {
    ($( $variant:ident($module:ident) ),+ $(,)?) => {
        dumbbell_core::registry! {
            /// A power policy with its parameters.
            pub enum PolicySpec in "power policy" { $( $variant($module::Params) ),+ }
        }

        /// Any registered policy.
        #[derive(Clone, Debug)]
        pub(super) enum AnyPolicy { $( $variant(<$module::Params as PolicyParams>::Machine) ),+ }

        impl PolicySpec {
            pub(super) fn build(&self, setting: Setting) -> AnyPolicy {
                match self { $( PolicySpec::$variant(p) => AnyPolicy::$variant(p.build(setting)) ),+ }
            }

            pub(super) fn check(&self, timing: Timing, at: &At<'_>) -> Result<(), ConfigError> {
                match self { $( PolicySpec::$variant(p) => p.check(timing, at) ),+ }
            }

            pub(super) fn shaping(&self) -> Option<Duration> {
                match self { $( PolicySpec::$variant(p) => p.shaping() ),+ }
            }

            /// Every registered policy with its default parameters.
            pub fn all_defaults() -> Vec<PolicySpec> {
                vec![ $( PolicySpec::$variant(Default::default()) ),+ ]
            }
        }

        impl Policy for AnyPolicy {
            #[inline]
            fn arrived(&mut self, now: Time, size: u32, accepted: bool) {
                match self { $( AnyPolicy::$variant(p) => p.arrived(now, size, accepted) ),+ }
            }
            #[inline]
            fn decide(&mut self, now: Time, view: &View<'_>) -> Target {
                match self { $( AnyPolicy::$variant(p) => p.decide(now, view) ),+ }
            }
            #[inline]
            fn wake_at(&self, now: Time, view: &View<'_>) -> Time {
                match self { $( AnyPolicy::$variant(p) => p.wake_at(now, view) ),+ }
            }
            #[inline]
            fn watches_departures(&self) -> bool {
                match self { $( AnyPolicy::$variant(p) => p.watches_departures() ),+ }
            }
            fn predicted(&self, now: Time) -> Option<f64> {
                match self { $( AnyPolicy::$variant(p) => p.predicted(now) ),+ }
            }
        }
    };
}

policies! {
    Fixed(fixed),
    PractRa(practra),
    MultiUp(multi_up),
    MultiBoth(multi_both),
    Alr(alr),
    BufferAndBurst(buffer_and_burst),
    SleepAndScale(sleep_and_scale),
}
