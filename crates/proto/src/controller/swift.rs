//! Swift: the window keeps the delay at a target, and may be less than a segment.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Duration, Time, Validate, config};

use super::{Build, Class, Control, Controller, Estimate, Event, Needs, Rate, Signals};

config! {
    /// Below the target delay the window grows by `increase` segments a round trip. Above it, the window shrinks once a round trip in
    /// proportion to the excess. A window below one segment is sent as single segments, further apart than a round-trip time.
    /// The target grows as the window shrinks, so that many flows get room for more of a queue. The delay is the whole round-trip
    /// time: give `base_target` more than the round-trip time of the empty network.
    pub struct Params {
        /// The target for the largest windows, without what `hops` adds.
        base_target: Duration = "20us", "csg-htsim: 20 us; Kumar et al., SIGCOMM 2020, publish no values";
        /// What each hop adds to the target.
        hop_target: Duration = "1us", "choice: Kumar et al. publish no value";
        /// Hops on the path, which the paper takes from the TTL.
        hops: u32 as "hops" = 0, "choice: the transport does not see the TTL; `base_target` covers the path";
        /// The most that small windows add to the target.
        scaling_range: Duration = "100us", "csg-htsim: five times the base target";
        /// The largest window, in segments, that adds all of it.
        scaling_min_window: f64 as "segments" = 0.1, "csg-htsim: 0.1";
        /// The smallest window, in segments, that adds nothing.
        scaling_max_window: f64 as "segments" = 100.0, "csg-htsim: 100";
        /// Segments that the window grows by in a round trip: ai.
        increase: f64 as "segments" = 1.0, "csg-htsim: 1";
        /// How much of an excess the window gives up: beta.
        decrease: f64 as "dimensionless" = 0.8, "csg-htsim: 0.8";
        /// The largest part that it gives up at once: max_mdf.
        max_decrease: f64 as "dimensionless" = 0.5, "csg-htsim: 0.5";
        /// The smallest window, in segments.
        min_window: f64 as "segments" = 0.001, "choice: a thousand flows share one segment a round trip";
        /// The largest window, in segments.
        max_window: f64 as "segments" = 10000.0, "choice: no limit in a data centre";
        /// Timeouts in a row after which the window is the smallest.
        reset_after: u32 as "timeouts" = 5, "choice: Kumar et al. publish no value";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        at.above_zero("decrease", self.decrease, 1.0)?;
        at.above_zero("max_decrease", self.max_decrease, 1.0)?;
        let windows = [
            ("scaling_min_window", self.scaling_min_window),
            ("scaling_max_window", self.scaling_max_window),
            ("increase", self.increase),
            ("min_window", self.min_window),
            ("max_window", self.max_window),
        ];
        for (key, segments) in windows {
            at.within(key, segments, 1e-6..=1e6)?;
        }
        let order = [
            ("scaling_max_window", self.scaling_max_window, "scaling_min_window", self.scaling_min_window),
            ("max_window", self.max_window, "min_window", self.min_window),
        ];
        for (key, more, other, less) in order {
            if more <= less {
                let message = format!("{more} is not above `{other}`, {less}");
                return Err(at.key(key).error(message, "give more"));
            }
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "swift";
    const TITLE: &'static str =
        "Swift: the window keeps the delay at a target, and may be less than a segment";
    const REFERENCE: &'static str = "Kumar et al., SIGCOMM 2020";
}

impl Build for Params {
    type Controller = Box<Swift>;

    fn build(&self) -> Box<Swift> {
        let root = |window: f64| 1.0 / window.sqrt();
        let (small, large) = (root(self.scaling_min_window), root(self.scaling_max_window));
        let range = self.scaling_range.as_secs_f64();
        let alpha = range / (small - large);
        Box::new(Swift {
            fixed: (self.base_target + self.hop_target * u64::from(self.hops)).as_secs_f64(),
            range,
            alpha,
            beta: -alpha * large,
            params: self.clone(),
            window: 1.0,
            rtt: Duration::ZERO,
            decreased: None,
            timeouts: 0,
        })
    }
}

/// The controller. Windows are segments, times seconds.
#[derive(Clone, Debug)]
pub struct Swift {
    params: Params,
    /// The target without what the window adds.
    fixed: f64,
    /// The most that the window adds, and the two constants of what it adds.
    range: f64,
    alpha: f64,
    beta: f64,
    window: f64,
    /// The latest round-trip time; zero before the first.
    rtt: Duration,
    /// The latest decrease.
    decreased: Option<Time>,
    /// Timeouts in a row.
    timeouts: u32,
}

impl Swift {
    /// The delay to keep (Kumar et al.).
    fn target(&self) -> f64 {
        self.fixed + (self.alpha / self.window.sqrt() + self.beta).clamp(0.0, self.range)
    }

    /// Leaves the part `factor` of the window, once a round trip.
    fn shrink(&mut self, signals: &Signals, factor: f64) {
        if self.decreased.is_none_or(|last| signals.now.since(last) >= self.rtt) {
            self.window *= factor;
            self.decreased = Some(signals.now);
        }
    }

    /// An acknowledgement (Kumar et al., algorithm 1).
    fn acknowledged(&mut self, signals: &Signals) {
        self.timeouts = 0;
        if signals.rtt.is_zero() {
            return;
        }
        self.rtt = signals.rtt;
        let (delay, target) = (signals.rtt.as_secs_f64(), self.target());
        if delay >= target {
            let cut = self.params.decrease * (delay - target) / delay;
            self.shrink(signals, 1.0 - cut.min(self.params.max_decrease));
            return;
        }
        let acked = signals.acked as f64 / f64::from(signals.mss);
        if self.window < 1.0 {
            self.window += self.params.increase * acked;
        } else if signals.window_limited && !signals.in_recovery {
            self.window += self.params.increase * acked / self.window;
        }
    }
}

impl Controller for Swift {
    const CLASS: Class = Class::Rate;
    const NEEDS: Needs = Needs::RATES.and(Needs::PACING);

    fn on(&mut self, signals: &Signals, control: &mut Control) {
        let mss = f64::from(signals.mss);
        match signals.event {
            Event::Start => self.window = control.window as f64 / mss,
            Event::Ack | Event::Recovered => self.acknowledged(signals),
            Event::Loss | Event::Ecn => {
                self.timeouts = 0;
                self.shrink(signals, 1.0 - self.params.max_decrease);
            }
            Event::Timeout => {
                self.timeouts += 1;
                if self.timeouts >= self.params.reset_after {
                    self.window = self.window.min(self.params.min_window);
                } else {
                    self.shrink(signals, 1.0 - self.params.max_decrease);
                }
            }
            Event::Idle | Event::Wake | Event::Lost | Event::Undone | Event::Restart => {}
        }
        self.window = self.window.clamp(self.params.min_window, self.params.max_window);
        // The transport sends single segments however small the window; what makes it smaller is the time between them.
        control.window = (self.window.max(1.0) * mss) as u64;
        control.pacing = if self.window < 1.0 && !self.rtt.is_zero() {
            Rate::from_f64(self.window * mss / self.rtt.as_secs_f64())
        } else {
            Control::UNPACED
        };
    }

    fn estimates(&self, tell: &mut dyn FnMut(Estimate)) {
        tell(Estimate { name: "target", unit: "s", value: self.target() });
        tell(Estimate { name: "fcwnd", unit: "segments", value: self.window });
    }
}

#[cfg(test)]
mod tests {
    use super::super::growth::tests::signals;
    use super::*;

    /// An acknowledgement of a segment after so many microseconds, at a time in microseconds.
    fn ack(swift: &mut Swift, now: u64, delay: u64) -> Control {
        let mut control = Control::default();
        let rtt = Duration::from_micros(delay);
        let now = Time::ZERO + Duration::from_micros(now);
        swift.on(&Signals { rtt, ..signals(Event::Ack, now, 1000, 0) }, &mut control);
        control
    }

    fn with(window: f64) -> Swift {
        Swift { window, ..*Params::default().build() }
    }

    #[test]
    fn the_target_grows_as_the_window_shrinks_between_two_bounds() {
        // alpha = 100 us / (1/sqrt(0.1) - 1/sqrt(100)) = 32.66 us.
        for (window, target) in
            [(1000.0, 20.0), (100.0, 20.0), (1.0, 20.0 + 32.656 - 3.2656), (0.1, 120.0), (0.01, 120.0)]
        {
            let found = with(window).target() * 1e6;
            assert!((found - target).abs() < 0.01, "{window}: {found} us");
        }
        let hops = Params { hops: 5, ..Params::default() }.build();
        assert!((Swift { window: 100.0, ..*hops }.target() * 1e6 - 25.0).abs() < 1e-9);
    }

    #[test]
    fn below_the_target_the_window_grows_by_a_segment_a_round_trip() {
        let mut swift = with(10.0);
        for n in 0..10 {
            ack(&mut swift, n, 10);
        }
        assert!((swift.window - 11.0).abs() < 0.05, "{}", swift.window);
        // Below one segment, by a segment for each that is acknowledged.
        let mut swift = with(0.5);
        ack(&mut swift, 0, 10);
        assert_eq!(swift.window, 1.5);
    }

    #[test]
    fn the_window_shrinks_at_most_by_half_once_a_round_trip() {
        let mut swift = with(100.0);
        ack(&mut swift, 0, 40);
        // 1 - 0.8 (40 - 20) / 40 = 0.6.
        assert!((swift.window - 60.0).abs() < 1e-9, "{}", swift.window);
        ack(&mut swift, 39, 40);
        assert!((swift.window - 60.0).abs() < 1e-9, "the round trip is not over: {}", swift.window);
        ack(&mut swift, 4000, 4000);
        assert!((swift.window - 30.0).abs() < 1e-9, "{}", swift.window);
    }

    #[test]
    fn a_window_below_a_segment_is_paced() {
        let mut swift = with(0.5);
        let control = ack(&mut swift, 0, 150);
        // 1 - 0.8 (150 - target) / 150; the target at half a segment is 20 + 32.66 (sqrt(2) - 0.1) us.
        let target = 20.0 + 32.656 * (2.0_f64.sqrt() - 0.1);
        let window = 0.5 * (1.0 - 0.8 * (150.0 - target) / 150.0);
        assert!((swift.window - window).abs() < 1e-4, "{} and {window}", swift.window);
        assert_eq!(control.window, 1000);
        let expected = window * 1000.0 / 150e-6;
        assert!((control.pacing.as_f64() - expected).abs() < 1e-3 * expected, "{control:?}");
        assert_eq!(ack(&mut with(2.0), 0, 10).pacing, Control::UNPACED);
    }

    #[test]
    fn losses_halve_once_and_five_timeouts_leave_the_least() {
        let mut swift = with(64.0);
        let mut control = Control::default();
        let at = |millis| Time::ZERO + Duration::from_millis(millis);
        swift.rtt = Duration::from_millis(100);
        for now in [0, 50, 100] {
            swift.on(&signals(Event::Loss, at(now), 0, 0), &mut control);
        }
        assert_eq!(swift.window, 16.0, "round trips of 100 ms");
        for n in 1..=4 {
            swift.on(&signals(Event::Timeout, at(100 + 200 * n), 0, 0), &mut control);
        }
        assert_eq!(swift.window, 1.0);
        swift.on(&signals(Event::Timeout, at(1100), 0, 0), &mut control);
        assert_eq!(swift.window, 0.001);
    }
}
