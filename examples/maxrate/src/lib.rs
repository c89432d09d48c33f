//! Max rate: paces at the largest delivery rate of the last rounds.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Validate, config};

use dumbbell_proto::controller::{Build, Class, Control, Controller, Needs, Rate, Signals};

config! {
    /// Paces at the largest delivery rate of the last ten rounds: in one round of eight at a quarter more, to see
    /// whether the path carries more, and in the next at a quarter less, to drain what that left. Losses do not count.
    pub struct Params {
        /// Window as a multiple of the rate times the smallest round-trip time.
        window: f64 as "dimensionless" = 2.0, "Cardwell et al., ACM Queue 14(5), 2016: cwnd_gain";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if !(self.window >= 1.0 && self.window <= STARTUP) {
            let message = format!("{} is out of range", self.window);
            return Err(at.key("window").error(message, "give a number between 1 and 2.885"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "maxrate";
    const TITLE: &'static str = "Max rate: paces at the largest delivery rate of ten rounds";
    const REFERENCE: &'static str = "after Cardwell et al., BBR, ACM Queue 14(5), 2016";
}

impl Build for Params {
    type Controller = MaxRate;

    fn build(&self) -> MaxRate {
        MaxRate { window: self.window, rates: [0.0; 10], round: 0, phase: Phase::Startup, grown: (0.0, 0) }
    }
}

/// The rate doubles in every round: 2 / ln 2.
const STARTUP: f64 = 2.885;
/// What eight rounds pace at, as parts of the largest rate.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Until the rate grows no more.
    Startup,
    /// Until what that has left in the queue is gone.
    Drain,
    Cruise,
}

/// The controller. Rates in bytes a second.
#[derive(Clone, Debug)]
pub struct MaxRate {
    window: f64,
    /// The largest delivery rate in each of the last ten rounds.
    rates: [f64; 10],
    round: u64,
    phase: Phase,
    /// The largest rate when it last grew by a quarter, and the round.
    grown: (f64, u64),
}

impl MaxRate {
    fn largest(&self) -> f64 {
        self.rates.iter().copied().fold(0.0, f64::max)
    }

    fn gain(&self) -> f64 {
        match self.phase {
            Phase::Startup => STARTUP,
            Phase::Drain => 1.0 / STARTUP,
            Phase::Cruise => CYCLE[self.round as usize % CYCLE.len()],
        }
    }
}

impl Controller for MaxRate {
    const CLASS: Class = Class::Model;
    const NEEDS: Needs = Needs::RATES.and(Needs::PACING);

    fn on(&mut self, signals: &Signals, control: &mut Control) {
        while self.round < signals.round {
            self.round += 1;
            self.rates[self.round as usize % 10] = 0.0;
        }
        // A rate that the application held down says only that the path is no slower.
        let delivery = signals.rate.rate.as_f64();
        if !signals.rate.app_limited || delivery > self.largest() {
            let rate = &mut self.rates[self.round as usize % 10];
            *rate = rate.max(delivery);
        }
        let largest = self.largest();
        let rtt = signals.min_rtt.as_secs_f64();
        let pipe = largest * rtt;
        match self.phase {
            Phase::Startup if largest >= 1.25 * self.grown.0 => self.grown = (largest, self.round),
            Phase::Startup if self.round >= self.grown.1 + 3 => self.phase = Phase::Drain,
            Phase::Drain if signals.flight as f64 <= pipe => self.phase = Phase::Cruise,
            _ => {}
        }
        let gain = self.gain();
        let rate = if largest > 0.0 { largest } else { signals.initial_window as f64 / rtt.max(1e-3) };
        control.pacing = Rate::from_f64(gain * rate);
        if largest > 0.0 {
            control.window = (self.window.max(gain) * pipe) as u64 + 4 * u64::from(signals.mss);
        }
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::Duration;
    use dumbbell_proto::controller::{Event, RateSample};

    use super::*;

    #[test]
    fn the_largest_rate_is_forgotten_after_ten_rounds() {
        let (mut controller, mut control) = (Params::default().build(), Control::default());
        controller.phase = Phase::Cruise;
        let mut paced = |round, rate| {
            let rate = RateSample { rate: Rate::from_f64(rate), ..RateSample::NONE };
            let signals = Signals {
                round,
                rate,
                event: Event::Ack,
                min_rtt: Duration::from_millis(100),
                ..Signals::at_start(10_000, 1000)
            };
            controller.on(&signals, &mut control);
            control.pacing.as_f64()
        };
        assert_eq!([paced(2, 2e6), paced(3, 1e6), paced(11, 1e6)], [2e6; 3]);
        assert_eq!(paced(12, 1e6), 1e6);
    }
}
