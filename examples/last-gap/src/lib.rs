//! Last gap: the rate of the last packet over the time since the one before.

use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Duration, Time, Validate, config};
use dumbbell_net::power::predictor::{Predictor, PredictorParams};

config! {
    /// The bits of the last packet, over the time since the packet before it, or since the last one if that is longer.
    pub struct Params {}
}

impl Validate for Params {}

impl Algorithm for Params {
    const NAME: &'static str = "last-gap";
    const TITLE: &'static str = "The last packet over the gap before it";
    const REFERENCE: &'static str = "choice: the predictor with the shortest memory";
}

impl PredictorParams for Params {
    type Machine = LastGap;

    fn build(&self, rate: f64) -> LastGap {
        LastGap { rate, bits: 0.0, last: Time::ZERO }
    }
}

/// The predictor.
#[derive(Clone, Debug)]
pub struct LastGap {
    /// At the last arrival, in bits per second.
    rate: f64,
    /// Of the last packet.
    bits: f64,
    last: Time,
}

impl LastGap {
    fn over(&self, now: Time) -> f64 {
        self.bits / now.since(self.last).as_secs_f64().max(1e-9)
    }
}

impl Predictor for LastGap {
    fn arrived(&mut self, now: Time, size: u32) {
        self.bits = 8.0 * f64::from(size);
        self.rate = self.over(now);
        self.last = now;
    }

    fn value(&self, now: Time) -> f64 {
        if self.bits == 0.0 { self.rate } else { self.rate.min(self.over(now)) }
    }

    fn below(&self, now: Time, rate: f64) -> Time {
        if self.bits == 0.0 || self.value(now) < rate {
            return Time::NEVER;
        }
        // The condition is strict, and the seconds are rounded.
        let at = self.last + Duration::from_secs_f64(self.bits / rate) + Duration::from_nanos(1);
        at.max(now + Duration::from_nanos(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_gap_lowers_the_rate_before_it_ends() {
        let mut predictor = Params::default().build(5e6);
        let ms = |n| Time::ZERO + Duration::from_millis(n);
        predictor.arrived(ms(10), 1250);
        predictor.arrived(ms(20), 1250);
        assert_eq!(
            (predictor.value(ms(20)), predictor.value(ms(30)), predictor.value(ms(40))),
            (1e6, 1e6, 5e5)
        );
        assert!(predictor.below(ms(20), 5e5) > ms(40));
    }
}
