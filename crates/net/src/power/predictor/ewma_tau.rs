//! Exponential average over continuous time: every byte counts at once and fades with a time constant.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Duration, Time, Validate, config};

use super::{Predictor, PredictorParams};

config! {
    /// r(t) = r(s) exp(-(t - s) / tau) between arrivals, and r += 8 L / tau when L bytes arrive.
    pub struct Params {
        /// The time constant.
        tau: Duration = "40ms", "choice: the delay constraint of Panarello et al., who give no weight";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.tau.is_zero() {
            return Err(at.key("tau").error("an average over no time", "give a time above zero"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "ewma-tau";
    const TITLE: &'static str = "Exponential average of the arrival rate over continuous time";
    const REFERENCE: &'static str =
        "choice: decays while nothing arrives, so that a step down needs no arrival";
}

impl PredictorParams for Params {
    type Machine = EwmaTau;

    fn build(&self, rate: f64) -> EwmaTau {
        EwmaTau::new(self, rate)
    }
}

/// The predictor.
#[derive(Clone, Debug)]
pub struct EwmaTau {
    /// In seconds.
    tau: f64,
    value: f64,
    at: Time,
}

impl EwmaTau {
    /// A predictor that begins with `rate` bits per second.
    pub fn new(params: &Params, rate: f64) -> EwmaTau {
        EwmaTau { tau: params.tau.as_secs_f64(), value: rate, at: Time::ZERO }
    }
}

impl Predictor for EwmaTau {
    fn arrived(&mut self, now: Time, size: u32) {
        self.value = self.value(now) + 8.0 * f64::from(size) / self.tau;
        self.at = now;
    }

    fn value(&self, now: Time) -> f64 {
        if now == self.at {
            return self.value;
        }
        self.value * (-now.since(self.at).as_secs_f64() / self.tau).exp()
    }

    fn below(&self, now: Time, rate: f64) -> Time {
        if self.value(now) < rate {
            return Time::NEVER;
        }
        let reached = (self.value / rate).ln() * self.tau;
        // One nanosecond on, since the condition is strict and the seconds are rounded.
        let at = self.at + Duration::from_secs_f64(reached) + Duration::from_nanos(1);
        at.max(now + Duration::from_nanos(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_rate_is_found_and_forgotten() {
        let mut p = EwmaTau::new(&Params::default(), 0.0);
        let mut now = Time::ZERO;
        for _ in 0..2000 {
            now += Duration::from_micros(100);
            p.arrived(now, 50);
        }
        // 4 Mb/s; just after an arrival the sum of the geometric series (x / (1 - e^-x)) with x = 0.1/40.
        let x: f64 = 0.1 / 40.0;
        let exact = 4e6 * x / (1.0 - (-x).exp()) * (1.0 - (-5.0_f64).exp());
        assert!((p.value(now) / exact - 1.0).abs() < 1e-9, "{}", p.value(now));
        let half = p.below(now, p.value(now) / 2.0);
        assert_eq!(half.since(now).as_nanos(), (0.04 * 2f64.ln() * 1e9).round() as u64 + 1);
        assert!(p.value(half) < p.value(now) / 2.0);
        assert!(p.value(half - Duration::from_nanos(2)) >= p.value(now) / 2.0);
    }
}
