//! What a predictor is told and what it answers.

use dumbbell_core::Time;

/// A predictor of the arrival rate.
pub trait Predictor {
    /// `size` bytes arrived at `now`.
    fn arrived(&mut self, now: Time, size: u32);

    /// The prediction at `now`, in bits per second.
    fn value(&self, now: Time) -> f64;

    /// The first time after `now` at which the prediction may have fallen below `rate` if nothing arrives;
    /// [`Time::NEVER`] if it is below already.
    fn below(&self, now: Time, rate: f64) -> Time;
}
