//! What the controllers of fast and of wireless networks share: slow start, recovery and timeouts are those of RFC 5681, and
//! each has laws of its own for how the window grows in congestion avoidance and what congestion leaves of it.

use std::ops::RangeInclusive;

use dumbbell_core::ConfigError;
use dumbbell_core::config::At;

use super::growth;
use super::{Class, Control, Controller, Event, Needs, Signals};

/// The laws in which such controllers differ.
pub trait Avoidance {
    /// What they need of the transport besides sums.
    const NEEDS: Needs = Needs::NOTHING;

    /// Measures an acknowledgement, before the window grows. Those whose delays close the window close it here.
    #[inline]
    fn observe(&mut self, _signals: &Signals, _control: &mut Control) {}

    /// How the window grows by whole segments; by default it grows by parts of one, with each acknowledgement.
    #[inline]
    fn steps(&self) -> Option<Steps> {
        None
    }

    /// Segments that the window of `window` segments grows by in a round trip of congestion avoidance.
    fn increase(&mut self, signals: &Signals, window: f64) -> f64;

    /// The threshold that congestion leaves, in bytes. Called once for each cut.
    fn threshold(&mut self, signals: &Signals, control: &Control) -> u64;

    /// Segments that the window of `window` segments grows by now, as [`Steps::Own`] counts. Slow start is over.
    fn own_steps(&mut self, _signals: &Signals, _window: u64) -> u64 {
        0
    }

    /// Judges an acknowledgement that may open the window, after it has.
    #[inline]
    fn grown(&mut self, _signals: &Signals, _control: &mut Control) {}

    /// Takes in any other event, after its answer.
    fn told(&mut self, _signals: &Signals, _control: &mut Control) {}

    /// Slow start begins again after a timeout.
    fn restart(&mut self) {}

    /// A repair of losses is over. Under RACK only with [`Needs::REPAIRS`](dumbbell_cc::Needs::REPAIRS).
    fn repaired(&mut self, _signals: &Signals, _control: &mut Control) {}
}

/// What counts for a step of a whole segment. Slow start ends at the threshold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Steps {
    /// Segments; those beyond a step, and those beyond slow start, count for the next one.
    // Linux net/ipv4/tcp_cong.c: tcp_cong_avoid_ai.
    Kept,
    /// What the laws count themselves: [`Avoidance::own_steps`].
    Own,
}

/// A controller with the laws `A`. They are in a box, so that the state of a connection stays small.
#[derive(Clone, Debug)]
pub struct Avoiding<A> {
    laws: Box<A>,
    /// What counts for the next growth: parts of a byte, or segments where the window grows by steps.
    credit: f64,
}

impl<A> Avoiding<A> {
    /// A new connection with these laws.
    pub fn by(laws: A) -> Avoiding<A> {
        Avoiding { laws: Box::new(laws), credit: 0.0 }
    }

    /// Its laws.
    #[cfg(test)]
    pub fn laws(&self) -> &A {
        &self.laws
    }
}

impl<A: Avoidance> Avoiding<A> {
    fn grow(&mut self, signals: &Signals, control: &mut Control) {
        if signals.in_recovery || !signals.window_limited {
            return;
        }
        self.open(signals, control);
        self.laws.grown(signals, control);
    }

    fn open(&mut self, signals: &Signals, control: &mut Control) {
        let steps = self.laws.steps();
        if control.window < control.threshold {
            let Some(steps) = steps else {
                control.window += signals.acked.min(signals.growth_limit);
                return;
            };
            let rest = growth::slow_start(signals, control) / u64::from(signals.mss);
            if steps == Steps::Kept && rest > 0 {
                self.step(steps, rest, signals, control);
            }
            return;
        }
        if let Some(steps) = steps {
            return self.step(steps, signals.acked.div_ceil(u64::from(signals.mss)), signals, control);
        }
        let window = control.window as f64;
        let segments = self.laws.increase(signals, window / f64::from(signals.mss));
        self.credit += segments * f64::from(signals.mss) * signals.acked as f64 / window;
        let whole = self.credit as u64;
        self.credit -= whole as f64;
        control.window += whole;
    }

    /// Counts acknowledged segments, and grows the window by the steps that are due.
    fn step(&mut self, steps: Steps, segments: u64, signals: &Signals, control: &mut Control) {
        let mss = u64::from(signals.mss);
        if steps == Steps::Own {
            control.window += self.laws.own_steps(signals, control.window / mss) * mss;
            return;
        }
        let window = (control.window / mss) as f64;
        let acked = segments as f64;
        // Segments for a step. Rounding of the quotient must not ask for one more.
        let each = window / self.laws.increase(signals, window) - ROUNDING;
        let grown = match steps {
            Steps::Kept => {
                // What the window counted before it shrank is one step.
                let due = self.credit >= each;
                self.credit = if due { 0.0 } else { self.credit } + acked;
                let more = (self.credit / each).floor();
                self.credit = (self.credit - more * each).max(0.0);
                (more + f64::from(u8::from(due))).min(acked)
            }
            Steps::Own => 0.0,
        };
        control.window += grown as u64 * mss;
    }

    fn cut(&mut self, signals: &Signals, control: &mut Control) {
        self.credit = 0.0;
        let least = 2 * u64::from(signals.mss);
        control.threshold = self.laws.threshold(signals, control).max(least);
        control.window = control.threshold.min(control.window.max(least));
    }
}

impl<A: Avoidance> Controller for Avoiding<A> {
    const CLASS: Class = Class::Window;
    const NEEDS: Needs = A::NEEDS;

    #[inline]
    fn on(&mut self, signals: &Signals, control: &mut Control) {
        match signals.event {
            Event::Ack => {
                self.laws.observe(signals, control);
                self.grow(signals, control);
            }
            Event::Recovered => {
                self.laws.observe(signals, control);
                self.laws.repaired(signals, control);
            }
            Event::Loss | Event::Ecn => self.cut(signals, control),
            Event::Timeout => {
                if !signals.repeated {
                    self.cut(signals, control);
                }
                self.credit = 0.0;
                self.laws.restart();
                control.window = u64::from(signals.mss);
            }
            Event::Idle => growth::restart(signals, control),
            _ => {}
        }
        if signals.event != Event::Ack {
            self.laws.told(signals, control);
        }
    }
}

/// Shares that congestion may leave or take, and gains.
pub const SHARE: RangeInclusive<f64> = 0.001..=0.999;
/// More than the error of a quotient of windows.
const ROUNDING: f64 = 1e-9;
/// Windows, and steps of windows, in segments.
pub const SEGMENTS: RangeInclusive<f64> = 0.001..=1e6;

/// Refuses a parameter beyond its range.
pub fn within(at: &At<'_>, key: &str, value: f64, range: &RangeInclusive<f64>) -> Result<(), ConfigError> {
    if range.contains(&value) {
        return Ok(());
    }
    let remedy = format!("give a number from {} to {}", range.start(), range.end());
    Err(at.key(key).error(format!("{value} is out of range"), &remedy))
}

/// Round trips, told apart by bytes: one ends when what was sent at its beginning is acknowledged.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rounds {
    end: u64,
}

impl Rounds {
    /// True if an acknowledgement ends a round trip.
    #[inline]
    pub fn ends(&mut self, signals: &Signals) -> bool {
        let ends = signals.delivered >= self.end;
        if ends {
            self.end = signals.delivered + signals.flight + u64::from(signals.mss);
        }
        ends
    }
}

#[cfg(test)]
pub(super) mod tests {
    use dumbbell_core::{Duration, Time};

    use super::super::AnyController;
    use super::super::growth::tests::signals;
    use super::*;
    use crate::tcp;
    use crate::testing::read;

    /// Linux net/ipv4/tcp_cong.c, tcp_illinois.c, tcp_htcp.c and tcp_highspeed.c: windows are whole numbers of segments. Each of ten
    /// acknowledgements is of two.
    #[test]
    fn linux_counts_whole_segments() {
        for (name, windows) in [
            ("scalable", [9, 9, 9, 9, 10, 10, 10, 10, 10, 11]),
            ("westwood-plus", [9, 9, 9, 9, 10, 10, 10, 10, 10, 11]),
            ("yeah", [9, 9, 9, 9, 10, 10, 10, 10, 10, 11]),
            ("illinois", [9, 9, 9, 9, 10, 10, 10, 10, 10, 11]),
            ("htcp", [9, 9, 9, 9, 9, 10, 10, 10, 10, 10]),
            ("highspeed", [9, 9, 9, 9, 9, 9, 9, 9, 10, 10]),
            // 16 x 9 / 34 are 4 segments for a step at first, then 16 x 9 / 33.
            ("bic", [9, 9, 9, 9, 10, 10, 10, 10, 10, 11]),
        ] {
            let mut control = Control { window: 9000, threshold: 9000, ..Control::default() };
            let mut controller = linux(name);
            let mut delivered = 0;
            let found = windows.map(|_| {
                delivered += 2000;
                let ack = Signals { delivered, ..signals(Event::Ack, Time::ZERO, 2000, 9000) };
                controller.on(&ack, &mut control);
                assert_eq!(control.window % 1000, 0, "{name}");
                control.window / 1000
            });
            assert_eq!(found, windows, "{name}");
        }
    }

    /// Slow start ends at the threshold, and what is left counts for the next step where Linux counts it.
    #[test]
    fn linux_ends_slow_start_at_the_threshold() {
        for (name, acks) in [("scalable", 9), ("bic", 9), ("htcp", 11)] {
            let mut control = Control { window: 9000, threshold: 10_000, ..Control::default() };
            let mut controller = linux(name);
            let mut told = Signals { delivered: 2000, ..signals(Event::Ack, Time::ZERO, 2000, 9000) };
            controller.on(&told, &mut control);
            assert_eq!(control.window, 10_000, "{name}");
            told.acked = 1000;
            for _ in 0..acks {
                assert_eq!(control.window, 10_000, "{name}");
                told.delivered += 1000;
                controller.on(&told, &mut control);
            }
            assert_eq!(control.window, 11_000, "{name}");
        }
    }

    /// A controller of windows, whichever it is.
    pub struct Any(AnyController);

    impl Controller for Any {
        const CLASS: Class = Class::Window;

        fn on(&mut self, signals: &Signals, control: &mut Control) {
            self.0.on(signals, control);
        }
    }

    /// A controller as the profile of Linux has it.
    pub fn linux(name: &str) -> Any {
        let text = format!(r#"{{"profile": "linux", "controller": "{name}", "ecn": true}}"#);
        Any(read::<tcp::Params>(&text).controller.build())
    }

    /// A sender with a full window of segments of 1000 bytes, which are acknowledged one by one.
    pub struct Run<C> {
        pub controller: C,
        pub control: Control,
        pub now: Time,
        pub rtt: Duration,
        pub min_rtt: Duration,
        /// Bytes held beyond a hole: with any, losses are repaired, and nothing may grow.
        pub held: u64,
        delivered: u64,
        round: u64,
    }

    impl<C: Controller> Run<C> {
        /// In congestion avoidance with a window of so many segments, on a path whose shortest round-trip time is 100 ms.
        pub fn at(controller: C, window: u64) -> Run<C> {
            let rtt = Duration::from_millis(100);
            let control = Control { window: window * 1000, threshold: 2000, ..Control::default() };
            Run { controller, control, now: Time::ZERO, rtt, min_rtt: rtt, held: 0, delivered: 0, round: 0 }
        }

        /// The window in segments.
        pub fn window(&self) -> f64 {
            self.control.window as f64 / 1000.0
        }

        /// One round trip, which takes [`Run::rtt`].
        pub fn round(&mut self) {
            let segments = (self.control.window / 1000).max(1);
            self.round += 1;
            for _ in 0..segments {
                self.now += self.rtt / segments;
                self.delivered += 1000;
                let flight = self.control.window.saturating_sub(1000);
                let mut told = signals(Event::Ack, self.now, 1000, flight);
                (told.rtt, told.smoothed_rtt, told.min_rtt) = (self.rtt, self.rtt, self.min_rtt);
                (told.delivered, told.round) = (self.delivered, self.round);
                (told.in_recovery, told.held) = (self.held > 0, self.held);
                self.controller.on(&told, &mut self.control);
            }
        }

        /// So many round trips; the growth of the window in the last, in segments.
        pub fn rounds(&mut self, count: u32) -> f64 {
            let mut growth = 0.0;
            for _ in 0..count {
                let before = self.window();
                self.round();
                growth = self.window() - before;
            }
            growth
        }

        /// A loss, a mark or a timeout, with the whole window outstanding; the share of the window that is left.
        pub fn congested(&mut self, event: Event) -> f64 {
            let before = self.control.window;
            let mut told = signals(event, self.now, 0, before);
            (told.delivered, told.round, told.min_rtt) = (self.delivered, self.round, self.min_rtt);
            self.controller.on(&told, &mut self.control);
            self.control.window as f64 / before as f64
        }
    }
}
