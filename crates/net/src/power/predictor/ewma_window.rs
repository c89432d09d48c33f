//! Exponential average over fixed windows, as a processor that reads a counter computes it.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Duration, Time, Validate, config};

use super::{Predictor, PredictorParams};

config! {
    /// Every window, r becomes (1 - weight) r + weight * 8 A / window, where A bytes arrived in it.
    pub struct Params {
        /// Length of a window.
        window: Duration = "10ms", "choice: a quarter of the delay constraint of Panarello et al.";
        /// Weight of the latest window.
        weight: f64 as "dimensionless" = 0.2, "choice: a memory of five windows, 50 ms, the mean round-trip time";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.window < Duration::from_micros(10) {
            let message = format!("windows of {} see no packet", self.window);
            return Err(at.key("window").error(message, "give 10us or more"));
        }
        at.above_zero("weight", self.weight, 1.0)
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "ewma-window";
    const TITLE: &'static str = "Exponential average of the arrivals in fixed windows";
    const REFERENCE: &'static str = "Nedevschi et al., NSDI 2008; choice: the constants, which are not given";
}

impl PredictorParams for Params {
    type Machine = EwmaWindow;

    fn build(&self, rate: f64) -> EwmaWindow {
        EwmaWindow::new(self, rate)
    }
}

/// The predictor. Windows are closed when somebody looks.
#[derive(Clone, Debug)]
pub struct EwmaWindow {
    window: Duration,
    weight: f64,
    /// The average when the open window began.
    value: f64,
    /// Bytes in the open window.
    bytes: u64,
    /// When the open window ends.
    end: Time,
}

impl EwmaWindow {
    /// A predictor that begins with `rate` bits per second.
    pub fn new(params: &Params, rate: f64) -> EwmaWindow {
        let Params { window, weight } = *params;
        EwmaWindow { window, weight, value: rate, bytes: 0, end: Time::ZERO + window }
    }

    /// Windows that have ended at `now`.
    fn ended(&self, now: Time) -> u64 {
        if now < self.end { 0 } else { 1 + now.since(self.end).as_nanos() / self.window.as_nanos() }
    }
}

impl Predictor for EwmaWindow {
    fn arrived(&mut self, now: Time, size: u32) {
        let ended = self.ended(now);
        if ended > 0 {
            self.value = self.value(now);
            self.bytes = 0;
            self.end += self.window * ended;
        }
        self.bytes += u64::from(size);
    }

    fn value(&self, now: Time) -> f64 {
        let ended = self.ended(now);
        if ended == 0 {
            return self.value;
        }
        let seen = 8.0 * self.bytes as f64 / self.window.as_secs_f64();
        let first = (1.0 - self.weight) * self.value + self.weight * seen;
        first * (1.0 - self.weight).powi(i32::try_from(ended - 1).unwrap_or(i32::MAX))
    }

    fn below(&self, now: Time, rate: f64) -> Time {
        if self.value(now) < rate {
            return Time::NEVER;
        }
        self.end + self.window * self.ended(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_averaged_one_by_one() {
        let mut p = EwmaWindow::new(&Params::default(), 10e6);
        let at = |us: u64| Time::from_nanos(us * 1000);
        p.arrived(at(3_000), 1000);
        p.arrived(at(9_999), 1500);
        assert_eq!(p.value(at(9_999)), 10e6);
        // The first window saw 2500 B in 10 ms: 2 Mb/s.
        assert!((p.value(at(10_000)) - (0.8 * 10e6 + 0.2 * 2e6)).abs() < 1e-6);
        // Two empty windows behind it.
        assert!((p.value(at(30_000)) - 8.4e6 * 0.64).abs() < 1e-6);
        assert_eq!(p.below(at(30_000), 1.0), at(40_000));
        p.arrived(at(35_000), 1250);
        assert!((p.value(at(40_000)) - (8.4e6 * 0.64 * 0.8 + 0.2 * 1e6)).abs() < 1e-6);
    }
}
