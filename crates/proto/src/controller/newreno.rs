//! NewReno: additive increase, multiplicative decrease, and one cut per window however many segments were lost.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Validate, config, words};

use super::growth::{self, Growth};
use super::hystart::{HyStart, Kind, Pace};
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
        increase: f64 as "segments" = 1.0, "RFC 5681 section 3.1";
        /// Window after a loss, as a share of the outstanding data.
        decrease: f64 as "dimensionless" = 0.5, "RFC 5681 equation 4";
        /// Window after an ECN echo, as a share of the outstanding data.
        ecn_decrease: f64 as "dimensionless" = 0.5, "RFC 3168 section 6.1.2 (RFC 8511 section 3.1, ABE: 0.8, not in slow start)";
        /// Window when recovery ends: `threshold`, or `flight`: one segment more than the outstanding data, at most the
        /// threshold.
        full_ack: FullAck = "flight", "RFC 6582 section 3.2 step 3 option 1: no burst (ns-2.35 takes `threshold`)";
        /// What ends slow start before a loss: `"off"`, `"rfc9406"`, or what CUBIC has in Linux, `"linux"` (since 6.14) or
        /// `"linux-6.6"` (before).
        hystart: Kind = "off", "RFC 5681 section 3.1: a loss ends slow start (RFC 9406 suits any controller)";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        at.above_zero("increase", self.increase, 1000.0)?;
        at.part("decrease", self.decrease)?;
        at.part("ecn_decrease", self.ecn_decrease)
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
        NewReno { params: self.clone(), growth: Growth::default(), hystart: HyStart::boxed(self.hystart) }
    }
}

/// The controller.
#[derive(Clone, Debug)]
pub struct NewReno {
    params: Params,
    growth: Growth,
    /// What ends slow start before a loss, if anything does.
    hystart: Option<Box<HyStart>>,
}

impl NewReno {
    /// The window was cut.
    fn end_slow_start(&mut self) {
        self.hystart.iter_mut().for_each(|hystart| hystart.cut());
    }
}

impl Controller for NewReno {
    const CLASS: Class = Class::Window;

    #[inline]
    fn on(&mut self, signals: &Signals, control: &mut Control) {
        let mss = u64::from(signals.mss);
        match signals.event {
            Event::Ack => {
                let NewReno { params, growth, hystart } = self;
                let pace = |control: &mut Control| match hystart {
                    None => Pace::Full,
                    Some(hystart) => hystart.ack(signals, control, signals.min_rtt),
                };
                growth.ack(signals, control, pace, || (params.increase * mss as f64) as u64);
            }
            Event::Loss => {
                self.growth.cut(signals, control, self.params.decrease);
                self.end_slow_start();
            }
            Event::Ecn => {
                let factor = growth::marked(control, self.params.decrease, self.params.ecn_decrease);
                self.growth.cut(signals, control, factor);
                self.end_slow_start();
            }
            Event::Timeout => {
                self.growth.timeout(signals, control, self.params.decrease);
                self.hystart.iter_mut().for_each(|hystart| hystart.reset());
            }
            Event::Recovered if self.params.full_ack == FullAck::Flight => {
                control.window = control.threshold.min(signals.flight.max(mss) + mss);
            }
            Event::Idle => growth::restart(signals, control),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::{Duration, Time};

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
        for (event, threshold, window) in
            [(Event::Loss, 20_000, 10_000), (Event::Ecn, 20_000, 16_000), (Event::Ecn, 20_001, 10_000)]
        {
            let mut control = Control { window: 20_000, threshold, ..Control::default() };
            params.build().on(&signals(event, Time::ZERO, 0, 20_000), &mut control);
            assert_eq!(control.window, window, "RFC 8511: in congestion avoidance");
        }
    }

    #[test]
    fn hystart_ends_slow_start_when_round_trips_get_longer() {
        for (hystart, window) in [(Kind::Off, 320_000), (Kind::Rfc9406, 86_000)] {
            let mut newreno = Params { hystart, ..Params::default() }.build();
            let mut control = Control { window: 10_000, ..Control::default() };
            let mut delivered = 0;
            // Five windows; the third and the later ones take 20 ms longer.
            for round in 0..5 {
                let out = control.window;
                for _ in 0..out / 1000 {
                    delivered += 1000;
                    let mut ack = signals(Event::Ack, Time::ZERO, 1000, control.window - 1000);
                    ack.delivered = delivered;
                    ack.rtt = Duration::from_millis(if round < 2 { 100 } else { 120 });
                    newreno.on(&ack, &mut control);
                }
            }
            assert!(control.window.abs_diff(window) <= 1000, "{hystart:?}: {}", control.window);
        }
    }
}
