//! When slow start ends before a loss: HyStart as Linux has it (Ha & Rhee, 2011) and HyStart++ (RFC 9406).

use dumbbell_core::{Duration, Time, words};

use super::contract::{Control, Signals};
use super::states::Rounds;

words! {
    /// What ends slow start before a loss: `off` nothing; `linux` the HyStart of Linux since 6.14; `linux-6.6` the one before,
    /// which counts round trips from a window of 16 segments on; `rfc9406` HyStart++.
    pub enum Kind { Off = "off", Linux = "linux", Linux66 = "linux-6.6", Rfc9406 = "rfc9406" }
}

// Linux net/ipv4/tcp_cubic.c: hystart_low_window, hystart_ack_delta_us, HYSTART_MIN_SAMPLES, HYSTART_DELAY_MIN and _MAX.
const LOW_WINDOW: u64 = 16;
const ACK_GAP: Duration = Duration::from_millis(2);
const SAMPLES: u32 = 8;
const LEAST_DELAY: Duration = Duration::from_millis(4);
const MOST_DELAY: Duration = Duration::from_millis(16);

/// RFC 9406 section 4.3: CSS_ROUNDS, and L of senders that do not pace, in segments.
const CAREFUL_ROUNDS: u32 = 5;
pub const LIMIT: u64 = 8;

/// The rate of slow start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pace {
    /// The window grows by what is acknowledged.
    Full,
    /// It grows by that, by [`LIMIT`] segments an acknowledgement at most.
    Limited,
    /// It grows by a quarter of that (RFC 9406 section 4.2: conservative slow start).
    Quarter,
}

impl Pace {
    /// By how many bytes an acknowledgement opens the window.
    #[inline]
    pub fn growth(self, signals: &Signals) -> u64 {
        if self == Pace::Full { signals.acked.min(signals.growth_limit) } else { self.limited(signals) }
    }

    #[cold]
    fn limited(self, signals: &Signals) -> u64 {
        let acked = signals.acked.min(LIMIT * u64::from(signals.mss));
        if self == Pace::Quarter { acked / 4 } else { acked }
    }
}

/// The state of one connection.
#[derive(Clone, Debug)]
pub struct HyStart {
    kind: Kind,
    /// True once it has ended slow start.
    found: bool,
    rounds: Rounds,
    round_began: Time,
    /// The latest of the acknowledgements that follow one another closely.
    train: Time,
    /// Smallest round-trip time of this round and the one before; `MAX` if there is none.
    least: Duration,
    least_before: Duration,
    samples: u32,
    /// RFC 9406: rounds of conservative slow start so far, and the round-trip time that it began with.
    careful: Option<(u32, Duration)>,
}

impl HyStart {
    /// At the start of a connection.
    pub fn new(kind: Kind) -> HyStart {
        HyStart {
            kind,
            found: false,
            rounds: Rounds::default(),
            round_began: Time::ZERO,
            train: Time::ZERO,
            least: Duration::MAX,
            least_before: Duration::MAX,
            samples: 0,
            careful: None,
        }
    }

    /// The same, for controllers that mostly do without.
    pub fn boxed(kind: Kind) -> Option<Box<HyStart>> {
        (kind != Kind::Off).then(|| Box::new(HyStart::new(kind)))
    }

    /// Begins anew after a timeout; HyStart++ is for the first slow start (RFC 9406 section 4.1).
    pub fn reset(&mut self) {
        let over = self.kind == Kind::Rfc9406;
        *self = HyStart { found: over, ..HyStart::new(self.kind) };
    }

    /// The window was cut: HyStart++ is for the first slow start (RFC 9406 section 4.1).
    pub fn cut(&mut self) {
        self.found |= self.kind == Kind::Rfc9406;
    }

    /// Takes in an acknowledgement in slow start, before the window grows; ends slow start by lowering the threshold to the
    /// window. `delay_min` is the smallest round-trip time of the connection. Says how the window may grow.
    pub fn ack(&mut self, signals: &Signals, control: &mut Control, delay_min: Duration) -> Pace {
        if self.found || self.kind == Kind::Off {
            return Pace::Full;
        }
        let large = control.window >= LOW_WINDOW * u64::from(signals.mss);
        self.rounds.see(signals);
        if self.rounds.ends(signals) && (large || self.kind != Kind::Linux66) {
            self.begin_round(signals, control);
        }
        if self.found {
            return Pace::Full;
        }
        if self.kind == Kind::Rfc9406 {
            return self.plus_plus(signals, control.pacing != Control::UNPACED);
        }
        if large && !signals.rtt.is_zero() {
            self.found = self.is_long_train(signals, control, delay_min) || self.is_late(signals, delay_min);
            if self.found {
                control.threshold = control.window;
            }
        }
        Pace::Full
    }

    fn begin_round(&mut self, signals: &Signals, control: &mut Control) {
        self.rounds.begin(signals);
        (self.round_began, self.train) = (signals.now, signals.now);
        self.least_before = std::mem::replace(&mut self.least, Duration::MAX);
        self.samples = 0;
        if let Some((rounds, _)) = &mut self.careful {
            *rounds += 1;
            if *rounds >= CAREFUL_ROUNDS {
                self.found = true;
                control.threshold = control.window;
            }
        }
    }

    /// A train of acknowledgements that is longer than half the smallest round-trip time: the window fills the path.
    fn is_long_train(&mut self, signals: &Signals, control: &Control, delay_min: Duration) -> bool {
        if signals.now.since(self.train) > ACK_GAP {
            return false;
        }
        self.train = signals.now;
        // Four segments of 64 kB at the rate at which slow start would pace, two windows a round trip: at most 1 ms.
        let rate = 2.0 * control.window as f64 / signals.smoothed_rtt.as_secs_f64();
        let bunched = Duration::from_secs_f64((4.0 * 65_536.0 / rate).min(1e-3));
        // Paced, a window takes half a round trip even where nothing is full.
        let parts = if control.pacing == Control::UNPACED { 2 } else { 1 };
        signals.now.since(self.round_began) > (delay_min + bunched) / parts
    }

    /// Round trips take longer than the shortest did: a queue grows.
    fn is_late(&mut self, signals: &Signals, delay_min: Duration) -> bool {
        self.least = self.least.min(signals.rtt);
        if self.samples < SAMPLES {
            self.samples += 1;
            return false;
        }
        self.least > delay_min + (delay_min / 8).clamp(LEAST_DELAY, MOST_DELAY)
    }

    /// RFC 9406 section 4.2.
    fn plus_plus(&mut self, signals: &Signals, paced: bool) -> Pace {
        if !signals.rtt.is_zero() {
            self.least = self.least.min(signals.rtt);
            self.samples += 1;
        }
        if self.samples >= SAMPLES && self.least != Duration::MAX {
            match self.careful {
                None if self.least_before != Duration::MAX => {
                    let threshold = (self.least_before / 8).clamp(LEAST_DELAY, MOST_DELAY);
                    if self.least >= self.least_before + threshold {
                        self.careful = Some((0, self.least));
                    }
                }
                // The delay was none: back to slow start.
                Some((_, baseline)) if self.least < baseline => self.careful = None,
                _ => {}
            }
        }
        if self.careful.is_some() {
            Pace::Quarter
        } else if paced {
            Pace::Full
        } else {
            Pace::Limited
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::contract::{Event, Rate};
    use super::super::growth::tests::signals;
    use super::*;

    /// A sender in slow start, acknowledged segment by segment.
    struct Run {
        hystart: HyStart,
        control: Control,
        delivered: u64,
    }

    impl Run {
        fn new() -> Run {
            let control = Control { window: 10_000, ..Control::default() };
            Run { hystart: HyStart::new(Kind::Rfc9406), control, delivered: 0 }
        }

        /// A round trip, in which everything that was sent in the one before is acknowledged after `rtt` milliseconds. By how many
        /// segments the window grew.
        fn round(&mut self, rtt: u64) -> u64 {
            let (before, mut left) = (self.control.window, self.control.window);
            while left > 0 && self.control.window < self.control.threshold {
                (self.delivered, left) = (self.delivered + 1000, left - 1000);
                let mut ack = signals(Event::Ack, Time::ZERO, 1000, left + self.control.window - before);
                (ack.delivered, ack.rtt) = (self.delivered, Duration::from_millis(rtt));
                let pace = self.hystart.ack(&ack, &mut self.control, Duration::ZERO);
                self.control.window += pace.growth(&ack);
            }
            self.control.window = self.control.window / 1000 * 1000;
            (self.control.window - before) / 1000
        }
    }

    #[test]
    fn a_delay_of_an_eighth_slows_the_growth_for_five_rounds() {
        let mut run = Run::new();
        assert_eq!([run.round(80), run.round(80), run.round(89)], [10, 20, 40], "less than 80 + 80 / 8");
        // 89 + 89 / 8 = 100. The eighth sample of the round shows it; 73 segments then count a quarter. The rest of this round is the first of five.
        let window = run.control.window / 1000;
        assert_eq!(run.round(101), 7 + (window - 7) / 4);
        for _ in 0..4 {
            let window = run.control.window / 1000;
            assert_eq!(run.round(101), window / 4);
            assert_eq!(run.control.threshold, Control::UNLIMITED);
        }
        run.round(101);
        assert!(run.control.threshold <= run.control.window, "congestion avoidance");
    }

    #[test]
    fn a_delay_that_goes_away_was_none() {
        let mut run = Run::new();
        let grown = [80, 80, 100, 100].map(|rtt| run.round(rtt));
        assert_eq!(grown, [10, 20, 7 + 33 / 4, 55 / 4]);
        let window = run.control.window / 1000;
        assert!(run.round(90) > window / 2, "below the delay that it began with: slow start again");
    }

    #[test]
    fn one_acknowledgement_adds_eight_segments_at_most() {
        let mut hystart = HyStart::new(Kind::Rfc9406);
        let mut ack = signals(Event::Ack, Time::ZERO, 20_000, 0);
        ack.growth_limit = u64::MAX;
        let mut control = Control { window: 20_000, ..Control::default() };
        assert_eq!(
            hystart.ack(&ack, &mut control, Duration::ZERO).growth(&ack),
            8000,
            "RFC 9406 section 4.3: L"
        );
        hystart.cut();
        assert_eq!(hystart.ack(&ack, &mut control, Duration::ZERO).growth(&ack), 20_000);
    }

    #[test]
    fn a_train_of_a_paced_sender_may_be_twice_as_long() {
        // One acknowledgement a millisecond on a path of 40 ms; half a millisecond is granted for bunched ones, or a whole.
        for (pacing, ends) in [(Control::UNPACED, 21), (Rate::from_f64(1e6), 42)] {
            let mut hystart = HyStart::new(Kind::Linux);
            let mut control = Control { window: 50_000, pacing, ..Control::default() };
            let found = (0..100).find(|n| {
                let now = Time::ZERO + Duration::from_millis(*n);
                let mut ack = signals(Event::Ack, now, 1000, 100_000);
                (ack.delivered, ack.rtt) = (1000 * (n + 1), Duration::from_millis(40));
                hystart.ack(&ack, &mut control, Duration::from_millis(40));
                control.threshold != Control::UNLIMITED
            });
            assert_eq!(found, Some(ends), "{pacing:?}");
        }
    }

    #[test]
    fn no_round_ends_while_a_hole_is_repaired() {
        for (held, began) in [(0, 60), (15_000, 0)] {
            let mut hystart = HyStart::new(Kind::Linux);
            let mut control = Control { window: 50_000, ..Control::default() };
            for n in 0..=60 {
                let now = Time::ZERO + Duration::from_millis(n);
                let mut ack = signals(Event::Ack, now, 1000, 50_000);
                (ack.delivered, ack.rtt) = (1000 * (n + 1), Duration::from_millis(40));
                ack.held = if n > 50 { held } else { 0 };
                hystart.ack(&ack, &mut control, Duration::from_millis(40));
                hystart.found = false;
            }
            // The first round ends with what was in flight when it began: 51 segments.
            assert_eq!(hystart.round_began > Time::ZERO, began > 0, "{held} bytes beyond the hole");
        }
    }

    #[test]
    fn after_a_timeout_only_the_kinds_of_linux_look_again() {
        for (kind, again) in [(Kind::Rfc9406, false), (Kind::Linux, true), (Kind::Linux66, true)] {
            let mut hystart = HyStart::new(kind);
            hystart.cut();
            hystart.reset();
            assert_eq!(!hystart.found, again, "{kind:?}");
        }
    }
}
