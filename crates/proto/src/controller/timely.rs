//! TIMELY: the rate follows the gradient of the round-trip time.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{BitRate, Bytes, ConfigError, Duration, Validate, config};

use super::rate::{self, Bounds};
use super::{Build, Class, Control, Controller, Estimate, Event, Needs, Signals};

/// Updates without a decrease after which the rate grows `N` times as fast, and `N`.
// Mittal et al., SIGCOMM 2015: five, and five times.
const CALM: u32 = 5;
const FAST: f64 = 5.0;

config! {
    /// The sender starts at `line_rate` and changes its rate once for each `segment` of data that is acknowledged. It adds `step`
    /// if the round-trip time is below `low`, or if it does not rise; it slows down in proportion to the rise, or, above `high`,
    /// to the excess. The window does not limit. It needs no marks; give `line_rate` the rate of the sender's own link.
    pub struct Params {
        /// Below this round-trip time the rate always grows.
        low: Duration = "50us", "Mittal et al., SIGCOMM 2015 (published HPCC simulator: the same)";
        /// Above this round-trip time the rate always shrinks.
        high: Duration = "500us", "Mittal et al., SIGCOMM 2015 (published HPCC simulator: the same)";
        /// What one update adds to the rate: delta.
        step: BitRate = "10Mbit/s", "Mittal et al., SIGCOMM 2015";
        /// How much of an excess or a rise the rate gives up: beta.
        decrease: f64 as "dimensionless" = 0.8, "Mittal et al., SIGCOMM 2015 (published HPCC simulator: the same)";
        /// Weight of the latest difference of round-trip times.
        gain: f64 as "dimensionless" = 0.875, "published HPCC simulator: TimelyAlpha";
        /// The round-trip time that makes a difference a gradient.
        base_rtt: Duration = "20us", "Mittal et al., SIGCOMM 2015 (published HPCC simulator: the same)";
        /// Bytes acknowledged from one update to the next.
        segment: Bytes = "16kB", "choice: the smallest segment that the paper measures (16 to 64 kB)";
        /// The rate at the start, and the largest.
        line_rate: BitRate = "10Gbit/s", "Mittal et al., SIGCOMM 2015: the links of the testbed";
        /// The smallest rate.
        min_rate: BitRate = "10Mbit/s", "choice: one step";
        /// Share of the rate that a loss leaves.
        loss_decrease: f64 as "dimensionless" = 0.5, "choice: the paper assumes a fabric without losses (priority flow control); 1 does nothing";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        rate::check_bounds(self.min_rate, self.line_rate, at)?;
        at.above_zero("decrease", self.decrease, 1.0)?;
        at.above_zero("gain", self.gain, 1.0)?;
        at.above_zero("loss_decrease", self.loss_decrease, 1.0)?;
        if self.base_rtt.is_zero() {
            return Err(at.key("base_rtt").error("is no round-trip time", "give a time above 0"));
        }
        if self.high < self.low {
            let message = format!("{} is below `low`, {}", self.high, self.low);
            return Err(at.key("high").error(message, "give more"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "timely";
    const TITLE: &'static str = "TIMELY: the rate follows the gradient of the round-trip time";
    const REFERENCE: &'static str = "Mittal et al., SIGCOMM 2015";
}

impl Build for Params {
    type Controller = Box<Timely>;

    fn build(&self) -> Box<Timely> {
        let bounds = Bounds::new(self.min_rate, self.line_rate);
        Box::new(Timely {
            params: self.clone(),
            bounds,
            rate: bounds.most,
            previous: 0.0,
            rise: 0.0,
            calm: 0,
            update_at: 0,
        })
    }
}

/// The controller. Times are seconds, rates bytes a second.
#[derive(Clone, Debug)]
pub struct Timely {
    params: Params,
    bounds: Bounds,
    rate: f64,
    /// The round-trip time of the latest update; 0 before the first.
    previous: f64,
    /// The smoothed difference of round-trip times.
    rise: f64,
    /// Updates in a row that found no rise.
    calm: u32,
    /// The next update comes when so much is delivered.
    update_at: u64,
}

impl Timely {
    /// An update of the rate (Mittal et al., algorithm 1).
    fn update(&mut self, rtt: f64) {
        let Params { gain, decrease, step, .. } = self.params;
        let (low, high) = (self.params.low.as_secs_f64(), self.params.high.as_secs_f64());
        let difference = if self.previous > 0.0 { rtt - self.previous } else { 0.0 };
        self.previous = rtt;
        self.rise = (1.0 - gain) * self.rise + gain * difference;
        let gradient = self.rise / self.params.base_rtt.as_secs_f64();
        let step = rate::bytes(step);
        let next = if rtt < low {
            self.calm = 0;
            self.rate + step
        } else if rtt > high {
            self.calm = 0;
            self.rate * (1.0 - decrease * (1.0 - high / rtt))
        } else if gradient <= 0.0 {
            self.calm += 1;
            self.rate + if self.calm >= CALM { FAST * step } else { step }
        } else {
            self.calm = 0;
            self.rate * (1.0 - decrease * gradient)
        };
        self.rate = self.bounds.clamp(next);
    }
}

impl Controller for Timely {
    const CLASS: Class = Class::Rate;
    const NEEDS: Needs = Needs::RATES.and(Needs::PACING);

    fn on(&mut self, signals: &Signals, control: &mut Control) {
        match signals.event {
            Event::Ack | Event::Recovered => {
                if !signals.rtt.is_zero() && signals.delivered >= self.update_at {
                    self.update_at = signals.delivered + self.params.segment.get();
                    self.update(signals.rtt.as_secs_f64());
                }
            }
            Event::Loss | Event::Timeout => {
                self.calm = 0;
                self.rate = self.bounds.clamp(self.rate * self.params.loss_decrease);
            }
            Event::Start
            | Event::Ecn
            | Event::Idle
            | Event::Wake
            | Event::Lost
            | Event::Undone
            | Event::Restart => {}
        }
        rate::send_at(self.rate, control);
    }

    fn estimates(&self, tell: &mut dyn FnMut(Estimate)) {
        tell(Estimate { name: "gradient", unit: "", value: self.rise / self.params.base_rtt.as_secs_f64() });
        tell(Estimate { name: "R", unit: "bit/s", value: self.rate * 8.0 });
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::Time;

    use super::super::growth::tests::signals;
    use super::*;

    /// Acknowledges a segment for each of the round-trip times, in microseconds; the rates in Mbit/s that follow.
    fn rates(timely: &mut Timely, rtts: &[u64]) -> Vec<f64> {
        let mut control = Control::default();
        let told = rtts.iter().map(|rtt| {
            let rtt = Duration::from_micros(*rtt);
            let delivered = timely.update_at + 16_000;
            timely.on(&Signals { delivered, rtt, ..signals(Event::Ack, Time::ZERO, 1000, 0) }, &mut control);
            assert_eq!(control.window, rate::OPEN);
            control.pacing.as_f64() * 8.0 / 1e6
        });
        told.collect()
    }

    fn at(mbps: f64) -> Box<Timely> {
        let mut timely = Params::default().build();
        timely.rate = mbps * 1e6 / 8.0;
        timely
    }

    #[test]
    fn below_the_low_threshold_the_rate_only_rises() {
        let rising: Vec<u64> = (30..40).collect();
        let found = rates(&mut at(1000.0), &rising);
        let expected: Vec<f64> = (1..=10).map(|n| 1000.0 + 10.0 * f64::from(n)).collect();
        assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?}");
    }

    #[test]
    fn above_the_high_threshold_it_shrinks_by_the_excess() {
        // 1 - 0.8 (1 - 500/1000) = 0.6, although the round-trip time falls.
        let found = rates(&mut at(1000.0), &[2000, 1000]);
        assert!((found[0] - 1000.0 * 0.4).abs() < 1e-6 && (found[1] - 400.0 * 0.6).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn the_gradient_decides_between_the_thresholds() {
        // 10 us more: 0.875 * 10 / 20 of gradient.
        let found = rates(&mut at(1000.0), &[100, 110]);
        let expected = 1010.0 * (1.0 - 0.8 * 0.875 * 10.0 / 20.0);
        assert!((found[1] - expected).abs() < 1e-6, "{found:?}");
        let found = rates(&mut at(1000.0), &[100; 7]);
        assert_eq!(found.map_steps(), [10.0, 10.0, 10.0, 50.0, 50.0, 50.0]);
    }

    trait Steps {
        fn map_steps(&self) -> Vec<f64>;
    }

    impl Steps for Vec<f64> {
        fn map_steps(&self) -> Vec<f64> {
            self.windows(2).map(|w| (w[1] - w[0]).round()).collect()
        }
    }

    #[test]
    fn one_update_comes_for_each_segment_and_rates_stay_in_bounds() {
        let mut timely = at(1000.0);
        let mut control = Control::default();
        let rtt = Duration::from_micros(40);
        for packet in 1..=64 {
            let delivered = 1000 * packet;
            timely.on(&Signals { delivered, rtt, ..signals(Event::Ack, Time::ZERO, 1000, 0) }, &mut control);
        }
        assert!(
            (control.pacing.as_f64() * 8.0 / 1e6 - 1040.0).abs() < 1e-6,
            "4 segments of 16 kB: {control:?}"
        );
        assert_eq!(rates(&mut at(10_000.0), &[40]), [10_000.0]);
        assert_eq!(rates(&mut at(11.0), &[100, 1000, 5000]).last(), Some(&10.0));
    }
}
