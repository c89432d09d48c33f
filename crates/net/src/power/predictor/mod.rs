//! Predictors of the arrival rate: one file each, one line each in the registry.

mod contract;
pub mod ewma_tau;
pub mod ewma_window;

use dumbbell_core::{Time, registry};

pub use contract::{Predictor, PredictorParams};

registry! {
    /// A predictor with its parameters.
    pub enum PredictorSpec in "rate predictor" as PredictorParams {
        EwmaTau(ewma_tau::Params),
        EwmaWindow(ewma_window::Params),
    }

    /// Any predictor.
    #[derive(Clone, Debug)]
    pub enum AnyPredictor [] = Machine or Box<dyn contract::Own>, whichever!($);

    build(rate: f64) or own => own.open(rate);
}

impl Predictor for AnyPredictor {
    #[inline]
    fn arrived(&mut self, now: Time, size: u32) {
        whichever!(self, p => p.arrived(now, size));
    }
    #[inline]
    fn value(&self, now: Time) -> f64 {
        whichever!(self, p => p.value(now))
    }
    #[inline]
    fn below(&self, now: Time, rate: f64) -> Time {
        whichever!(self, p => p.below(now, rate))
    }
}
