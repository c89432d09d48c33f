//! Predictors of the arrival rate: one file each, one line each in `predictors!`.

mod contract;
pub mod ewma_tau;
pub mod ewma_window;

use dumbbell_core::Time;

pub use contract::Predictor;

/// Registers the predictors: `Variant(module) => Type`.
macro_rules! predictors {
    ($( $variant:ident($module:ident) => $type:ident ),+ $(,)?) => {
        dumbbell_core::registry! {
            /// A predictor with its parameters.
            pub enum PredictorSpec in "rate predictor" { $( $variant($module::Params) ),+ }
        }

        /// Any registered predictor.
        #[derive(Clone, Debug)]
        pub(super) enum AnyPredictor { $( $variant($module::$type) ),+ }

        impl PredictorSpec {
            /// A predictor that begins with `rate` bits per second.
            pub(super) fn build(&self, rate: f64) -> AnyPredictor {
                match self { $( PredictorSpec::$variant(p) => AnyPredictor::$variant($module::$type::new(p, rate)) ),+ }
            }
        }

        impl Predictor for AnyPredictor {
            #[inline]
            fn arrived(&mut self, now: Time, size: u32) {
                match self { $( AnyPredictor::$variant(p) => p.arrived(now, size) ),+ }
            }
            #[inline]
            fn value(&self, now: Time) -> f64 {
                match self { $( AnyPredictor::$variant(p) => p.value(now) ),+ }
            }
            #[inline]
            fn below(&self, now: Time, rate: f64) -> Time {
                match self { $( AnyPredictor::$variant(p) => p.below(now, rate) ),+ }
            }
        }
    };
}

predictors! {
    EwmaTau(ewma_tau) => EwmaTau,
    EwmaWindow(ewma_window) => EwmaWindow,
}
