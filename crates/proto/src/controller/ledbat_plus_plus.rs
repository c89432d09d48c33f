//! LEDBAT++: LEDBAT with a multiplicative decrease, a gain that fits the round-trip time, and pauses in which the queue empties.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Duration, Time, Validate, config};

use super::growth;
use super::ledbat::{Delays, MOST, grow, shrink};
use super::{Build, Class, Control, Controller, Event, Needs, Signals, Stand};

config! {
    /// Where less waits than the target, the window grows like that of Reno, but more slowly: 16 times where the path is short. Where more
    /// waits, it shrinks in proportion to itself, so that shares become equal. At times it closes to two segments, so that the queue
    /// empties and every flow sees the smallest delay.
    pub struct Params {
        /// Delay of queues that it aims at.
        target: Duration = "60ms", "draft-irtf-iccrg-ledbat-plus-plus-01 section 4.2";
        /// Factor of the decrease.
        decrease: f64 as "dimensionless" = 1.0, "draft-irtf-iccrg-ledbat-plus-plus-01 section 4.2: Constant";
        /// Part of the target at which the first slow start ends.
        exit_at: f64 as "dimensionless" = 0.75, "draft-irtf-iccrg-ledbat-plus-plus-01 section 4.3";
        /// Round trips for which the window stays closed.
        closed_for: u32 as "round trips" = 2, "draft-irtf-iccrg-ledbat-plus-plus-01 section 4.4";
        /// Time between two pauses, as a multiple of the length of the last.
        apart: f64 as "dimensionless" = 9.0, "draft-irtf-iccrg-ledbat-plus-plus-01 section 4.4: a tenth of the time at most";
        /// Delays of which the smallest counts as that of now.
        current_delays: u32 as "delays" = 4, "draft-irtf-iccrg-ledbat-plus-plus-01 section 4.1";
        /// Minutes after which a smallest delay is forgotten.
        base_minutes: u32 as "minutes" = 10, "RFC 6817 section 2.5: BASE_HISTORY";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.target.is_zero() || self.target > Duration::from_secs(10) {
            let message = format!("{} is no delay to aim at", self.target);
            return Err(at.key("target").error(message, "give a time above zero and up to 10s"));
        }
        let numbers = [
            ("decrease", self.decrease, 10.0),
            ("exit_at", self.exit_at, 10.0),
            ("apart", self.apart, 1000.0),
        ];
        for (key, number, most) in numbers {
            at.above_zero(key, number, most)?;
        }
        let counts = [
            ("closed_for", self.closed_for, 1000),
            ("current_delays", self.current_delays, MOST as u32),
            ("base_minutes", self.base_minutes, MOST as u32),
        ];
        counts.into_iter().try_for_each(|(key, count, most)| at.within(key, count, 1..=most))
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "ledbat-plus-plus";
    const TITLE: &'static str =
        "LEDBAT++: background transfers that wait for 60 ms at most, with equal shares";
    const REFERENCE: &'static str = "draft-irtf-iccrg-ledbat-plus-plus-01, 2020";
}

impl Build for Params {
    type Controller = Box<LedbatPlusPlus>;

    fn build(&self) -> Box<LedbatPlusPlus> {
        Box::new(LedbatPlusPlus {
            delays: Delays::new(self.current_delays, self.base_minutes),
            params: self.clone(),
            phase: Phase::FirstSlowStart,
            varied: false,
            part: 0.0,
            cut_until: 0,
        })
    }
}

/// Section 4.2: the gain is a 16th at least. Section 4.4: the window of a pause, in segments, and how long after the first slow start the
/// first pause comes, in round trips.
const LEAST_GAIN: f64 = 16.0;
const CLOSED: u64 = 2;
const FIRST_PAUSE: u64 = 2;

/// What the sender is about (section 4.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    FirstSlowStart,
    /// Until the next pause.
    Avoidance {
        until: Time,
    },
    /// The window is closed, since a time and until another; `window` was its size.
    Closed {
        since: Time,
        until: Time,
        window: u64,
    },
    /// It opens again, up to the threshold.
    Opening {
        since: Time,
    },
}

/// The controller.
#[derive(Clone, Debug)]
pub struct LedbatPlusPlus {
    params: Params,
    delays: Delays,
    phase: Phase,
    /// Round trips have not all taken the same time.
    varied: bool,
    /// The part of a byte of the window.
    part: f64,
    /// Losses of what was sent before so many bytes were delivered have been answered.
    cut_until: u64,
}

impl LedbatPlusPlus {
    /// The gain: a 16th where the smallest delay is short against the target, 1 where that is twice as long (section 4.2).
    fn gain(&self) -> f64 {
        let base = self.delays.base().as_secs_f64();
        1.0 / (2.0 * self.params.target.as_secs_f64() / base).ceil().clamp(1.0, LEAST_GAIN)
    }

    fn acknowledged(&mut self, signals: &Signals, control: &mut Control) {
        if !signals.rtt.is_zero() {
            self.delays.take(signals.now, signals.rtt);
            self.varied |= signals.rtt > self.delays.base();
        }
        if signals.in_recovery || signals.acked == 0 {
            return;
        }
        let mss = u64::from(signals.mss);
        let waiting = self.delays.queueing().as_secs_f64() / self.params.target.as_secs_f64();
        match self.phase {
            Phase::FirstSlowStart if waiting < self.params.exit_at && control.window < control.threshold => {
                self.slow_start(signals, control);
            }
            Phase::FirstSlowStart => {
                control.threshold = control.threshold.min(control.window);
                let until = signals.now + signals.smoothed_rtt * FIRST_PAUSE;
                self.phase = Phase::Avoidance { until };
            }
            // Where round trips never differed, no queue hides the smallest delay.
            Phase::Avoidance { until } if signals.now >= until && self.varied => {
                let since = signals.now;
                let until = since + signals.smoothed_rtt * u64::from(self.params.closed_for);
                self.phase = Phase::Closed { since, until, window: control.window };
                control.window = control.window.min(CLOSED * mss);
            }
            Phase::Avoidance { .. } => self.avoid(signals, control, waiting),
            Phase::Closed { since, until, window } => {
                if signals.now >= until {
                    if !signals.rtt.is_zero() {
                        control.threshold = window.max(CLOSED * mss);
                    }
                    self.phase = Phase::Opening { since };
                }
            }
            Phase::Opening { .. } if control.window < control.threshold => self.slow_start(signals, control),
            Phase::Opening { since } => {
                let pause = signals.now.since(since).as_secs_f64();
                let until = signals.now + Duration::from_secs_f64(pause * self.params.apart);
                self.phase = Phase::Avoidance { until };
            }
        }
    }

    fn slow_start(&mut self, signals: &Signals, control: &mut Control) {
        let bytes = self.gain() * signals.acked.min(signals.growth_limit) as f64;
        grow(control, &mut self.part, bytes, u64::MAX, signals);
    }

    /// Section 4.2: additive increase below the target; above it a decrease in proportion to the window, of a half at most.
    fn avoid(&mut self, signals: &Signals, control: &mut Control, waiting: f64) {
        let mss = f64::from(signals.mss);
        let window = control.window as f64 / mss;
        let a_round_trip = if waiting <= 1.0 {
            self.gain()
        } else {
            (self.gain() - self.params.decrease * window * (waiting - 1.0)).max(-window / 2.0)
        };
        let bytes = a_round_trip * mss * signals.acked as f64 / control.window as f64;
        if bytes > 0.0 {
            grow(control, &mut self.part, bytes, u64::MAX, signals);
        } else {
            shrink(control, &mut self.part, -bytes, CLOSED * u64::from(signals.mss));
        }
    }
}

impl Controller for LedbatPlusPlus {
    const CLASS: Class = Class::Window;
    const NEEDS: Needs = Needs::RATES;

    fn on(&mut self, signals: &Signals, control: &mut Control) {
        match signals.event {
            Event::Start => control.window = control.window.min(CLOSED * u64::from(signals.mss)),
            Event::Ack => self.acknowledged(signals, control),
            Event::Loss | Event::Ecn => {
                if self.phase == Phase::FirstSlowStart {
                    self.phase = Phase::Avoidance { until: signals.now + signals.smoothed_rtt * FIRST_PAUSE };
                }
                control.threshold =
                    control.threshold.clamp(growth::reduced(signals, 0.0), growth::reduced(signals, 1.0));
                if signals.delivered >= self.cut_until {
                    self.cut_until = signals.delivered + signals.flight;
                    growth::Growth::default().cut(signals, control, 0.5);
                }
            }
            Event::Timeout => {
                growth::Growth::default().timeout(signals, control, 0.5);
                self.cut_until = signals.delivered + signals.flight;
                self.phase = Phase::Opening { since: signals.now };
            }
            Event::Idle => growth::restart(signals, control),
            _ => {}
        }
    }

    fn stand(&self) -> Option<Stand> {
        Some(Stand::of(match self.phase {
            Phase::FirstSlowStart => "slow-start",
            Phase::Avoidance { .. } => "avoidance",
            Phase::Closed { .. } => "slowdown",
            Phase::Opening { .. } => "ramp-up",
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::growth::tests::signals;
    use super::super::ledbat::tests::alone;
    use super::*;

    #[test]
    fn alone_it_waits_briefly_and_empties_the_queue() {
        let (share, waits) = alone("ledbat-plus-plus");
        assert!(share > 0.85, "{share}");
        assert!(waits.iter().all(|w| w.1 < 0.08), "{:?}", waits.iter().map(|w| w.1).fold(0.0, f64::max));
        assert!(waits.iter().any(|w| w.1 > 0.03), "a queue");
        let empty: Vec<f64> = waits.iter().filter(|w| w.1 < 0.0015).map(|w| w.0).collect();
        let pauses = empty.windows(2).filter(|pair| pair[1] - pair[0] > 2.0).count();
        assert!(pauses >= 1, "{empty:?}");
    }

    /// After so many acknowledgements with a delay, out of a window of 20 segments: by how many segments it changed in the last 20.
    fn change(base: u64, queueing: u64, window: u64) -> f64 {
        let mut controller = Params::default().build();
        let mut control = Control { window, threshold: window, ..Control::default() };
        controller.phase = Phase::Avoidance { until: Time::NEVER };
        controller.delays.take(Time::ZERO, Duration::from_millis(base));
        for i in 0..window / 1000 + 4 {
            if i == 4 {
                control.window = window;
                controller.part = 0.0;
            }
            let mut ack = signals(Event::Ack, Time::ZERO, 1000, window);
            ack.rtt = Duration::from_millis(base + queueing);
            controller.on(&ack, &mut control);
        }
        (control.window as f64 - window as f64) / 1000.0
    }

    #[test]
    fn the_gain_is_a_sixteenth_on_short_paths_and_one_on_long_ones() {
        for (base, gain) in [(1, 1.0 / 16.0), (30, 1.0 / 4.0), (50, 1.0 / 3.0), (120, 1.0), (500, 1.0)] {
            let found = change(base, 0, 20_000);
            assert!((found - gain).abs() < 0.03, "{base} ms: {found}");
        }
    }

    #[test]
    fn the_window_shrinks_in_proportion_above_the_target() {
        // A tenth above the target, with a gain of a third.
        let near =
            |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 0.1, "{found} {expected}");
        near(change(50, 66, 20_000), 1.0 / 3.0 - 2.0);
        near(change(50, 66, 40_000), 1.0 / 3.0 - 4.0);
        // Acknowledgement by acknowledgement, a half in a round trip leaves 1/sqrt(e) at least.
        let left = 20.0 + change(50, 600, 20_000);
        assert!((10.0..13.0).contains(&left), "{left}");
    }

    #[test]
    fn slow_start_ends_at_three_quarters_of_the_target() {
        let mut controller = Params::default().build();
        let mut control = Control { window: 10_000, ..Control::default() };
        let mut ack = signals(Event::Ack, Time::ZERO, 1000, 10_000);
        controller.on(&signals(Event::Start, Time::ZERO, 0, 0), &mut control);
        assert_eq!(control.window, 2000);
        let mut tell = |milliseconds: u64, queueing: u64| {
            ack.now = Time::ZERO + Duration::from_millis(milliseconds);
            ack.rtt = Duration::from_millis(100 + queueing);
            for _ in 0..4 {
                controller.on(&ack, &mut control);
            }
            (control.window, controller.phase)
        };
        // With a gain of a half.
        assert_eq!(tell(0, 0), (4000, Phase::FirstSlowStart));
        assert_eq!(tell(100, 44), (6000, Phase::FirstSlowStart));
        let (window, phase) = tell(200, 46);
        assert!(
            matches!(phase, Phase::Avoidance { until } if until == Time::ZERO + Duration::from_millis(400)),
            "{phase:?}"
        );
        let (closed, phase) = tell(401, 46);
        assert!(closed == 2000 && matches!(phase, Phase::Closed { .. }), "{closed} {phase:?}");
        assert_eq!(tell(600, 0).0, 2000);
        let (opening, phase) = tell(602, 0);
        assert!(opening > 2000 && matches!(phase, Phase::Opening { .. }), "{opening} {phase:?}");
        for i in 0..5 {
            tell(650 + 50 * i, 0);
        }
        let (reached, phase) = tell(1001, 0);
        assert!(reached >= window, "{reached}");
        // From 401 ms to some 900: nine times as much until the next.
        let Phase::Avoidance { until } = phase else { panic!("{phase:?}") };
        let after = until.since(Time::ZERO).as_secs_f64();
        assert!((3.0..8.0).contains(&after), "{after}");
    }
}
