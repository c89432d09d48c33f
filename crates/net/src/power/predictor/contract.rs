//! The contract of rate predictors: observations and answers.

use std::fmt::Debug;

use dumbbell_core::Time;

/// A predictor of the arrival rate.
pub trait Predictor: Debug + Send {
    /// `size` bytes arrived at `now`.
    fn arrived(&mut self, now: Time, size: u32);

    /// The prediction at `now`, in bits per second.
    fn value(&self, now: Time) -> f64;

    /// The first time after `now` at which the prediction may have fallen below `rate` if nothing arrives;
    /// [`Time::NEVER`] if it is below already.
    fn below(&self, now: Time, rate: f64) -> Time;
}

/// The parameters of a predictor.
pub trait PredictorParams: Open + Send + Sync {
    /// The predictor.
    type Machine: Predictor + Clone + 'static
    where
        Self: Sized;

    /// A predictor that begins with `rate` bits per second.
    fn build(&self, rate: f64) -> Self::Machine
    where
        Self: Sized;
}

/// Makes a machine of parameters whose type nobody knows: those of another crate.
pub trait Open {
    /// See [`PredictorParams::build`].
    fn open(&self, rate: f64) -> Box<dyn Own>;
}

impl<P: PredictorParams> Open for P {
    fn open(&self, rate: f64) -> Box<dyn Own> {
        Box::new(self.build(rate))
    }
}

/// A machine whose type nobody knows.
pub trait Own: Predictor {
    /// Another one like it.
    fn copy(&self) -> Box<dyn Own>;
}

impl<M: Predictor + Clone + 'static> Own for M {
    fn copy(&self) -> Box<dyn Own> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Own> {
    fn clone(&self) -> Box<dyn Own> {
        (**self).copy()
    }
}
