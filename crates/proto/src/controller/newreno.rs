//! NewReno: additive increase, multiplicative decrease, and one cut per window however many segments were lost.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Validate, config, words};

use super::growth::{self, Growth};
use super::{Build, Class, Control, Controller, Event, Signals};

words! {
    /// The window at the end of recovery (RFC 6582 section 3.2 step 3).
    pub enum FullAck { Flight = "flight", Threshold = "threshold" }
}

config! {
    /// Fast recovery until the whole window is repaired, with the parameters of additive increase and multiplicative
    /// decrease. With SACK, recovery is that of RFC 6675.
    pub struct Params {
        /// Segments that the window grows by per round-trip time in congestion avoidance.
        increase: f64 = 1.0, "RFC 5681 section 3.1";
        /// Window after a loss, as a share of the outstanding data.
        decrease: f64 = 0.5, "RFC 5681 equation 4";
        /// Window after an ECN echo, as a share of the outstanding data.
        ecn_decrease: f64 = 0.5, "RFC 3168 section 6.1.2 (RFC 8511 allows 0.8)";
        /// Window when recovery ends: `threshold`, or `flight`: one segment more than the outstanding data, at most the
        /// threshold.
        full_ack: FullAck = "flight", "RFC 6582 section 3.2 step 3 option 1: no burst (ns-2.35 takes `threshold`)";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if !(self.increase > 0.0 && self.increase <= 1000.0) {
            let message = format!("{} is out of range", self.increase);
            return Err(at.key("increase").error(message, "give a number above 0 and up to 1000"));
        }
        for (key, factor) in [("decrease", self.decrease), ("ecn_decrease", self.ecn_decrease)] {
            if !(factor > 0.0 && factor < 1.0) {
                let message = format!("{factor} is not a decrease");
                return Err(at.key(key).error(message, "give a number between 0 and 1"));
            }
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "newreno";
    const TITLE: &'static str = "TCP NewReno: fast recovery of any number of losses per window";
    const REFERENCE: &'static str = "RFC 6582, RFC 5681";
}

impl Build for Params {
    type Controller = NewReno;

    fn build(&self) -> NewReno {
        NewReno { params: self.clone(), growth: Growth::default() }
    }
}

/// The controller.
#[derive(Clone, Debug)]
pub struct NewReno {
    params: Params,
    growth: Growth,
}

impl Controller for NewReno {
    const CLASS: Class = Class::Window;

    #[inline]
    fn on(&mut self, signals: &Signals, control: &mut Control) {
        let mss = u64::from(signals.mss);
        match signals.event {
            Event::Ack => {
                let increase = self.params.increase;
                self.growth.ack(signals, control, || (increase * mss as f64) as u64);
            }
            Event::Loss => self.growth.cut(signals, control, self.params.decrease),
            Event::Ecn => self.growth.cut(signals, control, self.params.ecn_decrease),
            Event::Timeout => self.growth.timeout(signals, control, self.params.decrease),
            Event::Recovered => {
                if self.params.full_ack == FullAck::Flight {
                    control.window = control.threshold.min(signals.flight.max(mss) + mss);
                }
            }
            Event::Idle => growth::restart(signals, control),
            Event::Start | Event::Wake => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::Time;

    use super::super::growth::tests::signals;
    use super::*;

    #[test]
    fn the_end_of_recovery_gives_no_burst_unless_asked_for() {
        for (full_ack, window) in [(FullAck::Flight, 4000), (FullAck::Threshold, 10_000)] {
            let params = Params { full_ack, ..Params::default() };
            let mut control = Control { window: 10_000, threshold: 10_000, ..Control::default() };
            params.build().on(&signals(Event::Recovered, Time::ZERO, 0, 3000), &mut control);
            assert_eq!(control.window, window);
        }
    }

    #[test]
    fn losses_and_marks_may_weigh_differently() {
        let params = Params { decrease: 0.5, ecn_decrease: 0.8, ..Params::default() };
        for (event, window) in [(Event::Loss, 10_000), (Event::Ecn, 16_000)] {
            let mut control = Control { window: 20_000, ..Control::default() };
            params.build().on(&signals(event, Time::ZERO, 0, 20_000), &mut control);
            assert_eq!(control.window, window);
        }
    }
}
