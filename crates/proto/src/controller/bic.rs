//! BIC-TCP: a binary search for the window at which losses begin.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Duration, Time, Validate, config, words};

use super::avoidance::{Avoidance, Avoiding, SEGMENTS, SHARE, Steps, within};
use super::growth::reduced;
use super::states::{InOrder, State, States};
use super::{Build, Control, Event, Needs, Signals};

words! {
    /// Whose BIC: that of the paper, or that of the Linux kernel.
    pub enum Variant { Paper = "paper", Linux = "linux" }
}

config! {
    /// Between the window after a loss and the one before it, a round trip adds half of the way that is left, `max_increment`
    /// segments at most and `min_increment` at least. Beyond the window of the loss it adds 1, 2, 4... segments, up to
    /// `max_increment`.
    pub struct Params {
        /// Whose. That of Linux counts whole segments, adds 5 % a round trip at least until the first loss, the least within a segment
        /// times `divisor` of the window of the loss, then a third of the way since, and weighs by the segments of an acknowledgement.
        variant: Variant = "paper", "Xu, Harfoush & Rhee, INFOCOM 2004 (Linux net/ipv4/tcp_bic.c)";
        /// Below this window, in segments, it is standard TCP.
        low_window: f64 as "segments" = 14.0, "Xu, Harfoush & Rhee, INFOCOM 2004, section III: low_window";
        /// Segments that a round trip adds at most: S_max.
        max_increment: f64 as "segments" = 32.0, "Xu, Harfoush & Rhee 2004, section III: S_max (Linux net/ipv4/tcp_bic.c: 16)";
        /// Segments that a round trip adds at least: S_min.
        min_increment: f64 as "segments" = 0.01, "Xu, Harfoush & Rhee 2004, section III: S_min (Linux: 0.2)";
        /// What is left of the window after a loss.
        decrease: f64 as "dimensionless" = 0.875, "Xu, Harfoush & Rhee 2004, section III: 1 - beta, beta = 0.125 (Linux: 819 / 1024)";
        /// A round trip adds the way that is left over this number.
        divisor: f64 as "dimensionless" = 2.0, "Xu, Harfoush & Rhee 2004, section III: the midpoint (Linux: 4)";
        /// A loss below the window of the one before sets the upper end of the search halfway to the window that is left, to make room
        /// for new flows.
        fast_convergence: bool = true, "Xu, Harfoush & Rhee 2004, section III";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        within(at, "low_window", self.low_window, &SEGMENTS)?;
        within(at, "max_increment", self.max_increment, &SEGMENTS)?;
        within(at, "min_increment", self.min_increment, &(0.0001..=self.max_increment))?;
        within(at, "decrease", self.decrease, &SHARE)?;
        within(at, "divisor", self.divisor, &(1.0..=1000.0))
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "bic";
    const TITLE: &'static str = "BIC-TCP: a binary search for the window at which losses begin";
    const REFERENCE: &'static str = "Xu, Harfoush & Rhee, Binary increase congestion control, INFOCOM 2004";
}

impl Build for Params {
    type Controller = Avoiding<Bic>;

    fn build(&self) -> Avoiding<Bic> {
        Avoiding::by(Bic {
            params: self.clone(),
            highest: f64::INFINITY,
            last: 0.0,
            probe: None,
            delayed: DELAYED,
            states: States::default(),
            in_order: InOrder::default(),
            step: Step::default(),
        })
    }
}

/// Segments of an acknowledgement at first, in 16ths.
const DELAYED: u64 = 32;
/// Segments acknowledged for one of growth before the first loss, at most: 5 % a round trip.
const FIRST: u64 = 20;

/// The laws of the window. Windows in segments.
#[derive(Clone, Debug)]
pub struct Bic {
    params: Params,
    /// The upper end of the search; infinite if it is not known.
    highest: f64,
    /// The window at the latest loss.
    last: f64,
    /// Beyond the upper end: the segments that a round trip adds, and the window from which it is twice as many.
    probe: Option<(f64, f64)>,
    /// As Linux has it: the mean number of segments of an acknowledgement, in 16ths. It is rounded so that one segment each lowers
    /// it to 31 of them, and duplicates lower it further.
    delayed: u64,
    states: States,
    in_order: InOrder,
    step: Step,
}

/// What counts for a step, as Linux last computed it.
#[derive(Clone, Copy, Debug, Default)]
struct Step {
    /// Segments acknowledged for one of growth.
    each: u64,
    /// The window then, and when.
    window: u64,
    at: Time,
}

/// For so long a step holds while the window does (Linux net/ipv4/tcp_bic.c: bictcp_update, HZ / 32, in ticks at 250 Hz).
const TICK: Duration = Duration::from_millis(4);
const HOLDS_FOR: u64 = 7;

impl Bic {
    /// Segments that a round trip adds, as Linux has it.
    // Linux net/ipv4/tcp_bic.c: bictcp_update.
    fn increase_of_linux(&mut self, now: Time, window: u64) -> f64 {
        let ticks = |at: Time| at.as_nanos() / TICK.as_nanos();
        if self.step.window != window || ticks(now) - ticks(self.step.at) > HOLDS_FOR {
            self.step = Step { each: self.each_of_linux(window), window, at: now };
        }
        window as f64 / self.step.each as f64
    }

    // Zero stands for no loss yet.
    fn each_of_linux(&self, window: u64) -> u64 {
        let Params { low_window, max_increment, min_increment, divisor, .. } = self.params;
        let highest = if self.highest.is_finite() { self.highest as u64 } else { 0 };
        let (divisor, most) = (divisor as u64, (max_increment as u64).max(1));
        if window as f64 <= low_window {
            return window.max(1);
        }
        let least = (window as f64 / min_increment).round() as u64;
        let per_segment = if window < highest {
            match (highest - window) / divisor {
                step if step > most => window / most,
                0 | 1 => least,
                step => window / step,
            }
        } else if window < highest + divisor {
            least
        } else if window < highest + most * (divisor - 1) {
            window * (divisor - 1) / (window - highest)
        } else {
            window / most
        };
        let first = if highest == 0 { per_segment.min(FIRST) } else { per_segment };
        (first * 16 / self.delayed).max(1)
    }
}

impl Avoidance for Bic {
    const NEEDS: Needs = Needs::REPAIRS;

    // Linux net/ipv4/tcp_bic.c: bictcp_acked. It counts while the state is open, what is acknowledged in order.
    fn observe(&mut self, signals: &Signals, _control: &mut Control) {
        if signals.event != Event::Ack {
            return;
        }
        let (step, segments) = (self.states.acknowledged(signals), self.in_order.segments(signals));
        if step.before == State::Open {
            self.delayed = self.delayed + segments - (self.delayed >> 4);
        }
    }

    fn told(&mut self, signals: &Signals, _control: &mut Control) {
        self.states.told(signals);
    }

    fn steps(&self) -> Option<Steps> {
        (self.params.variant == Variant::Linux).then_some(Steps::Kept)
    }

    fn increase(&mut self, signals: &Signals, window: f64) -> f64 {
        let Params { variant, low_window, max_increment, min_increment, divisor, .. } = self.params;
        if variant == Variant::Linux {
            return self.increase_of_linux(signals.now, window as u64);
        }
        if window < low_window {
            return 1.0;
        }
        if window >= self.highest {
            self.highest = f64::INFINITY;
            self.probe = Some((1.0, window + 1.0));
        }
        if let Some((step, until)) = &mut self.probe {
            if window >= *until {
                *step *= 2.0;
                *until = window + *step;
            }
            if *step < max_increment {
                return *step;
            }
            self.probe = None;
        }
        ((self.highest - window) / divisor).clamp(min_increment, max_increment)
    }

    fn threshold(&mut self, signals: &Signals, control: &Control) -> u64 {
        let window = control.window as f64 / f64::from(signals.mss);
        let Params { variant, low_window, decrease, fast_convergence, .. } = self.params;
        let linux = variant == Variant::Linux;
        let small = if linux { window <= low_window } else { window < low_window };
        if small && !linux {
            return reduced(signals, 0.5);
        }
        let last = if linux && self.highest.is_finite() { self.highest } else { self.last };
        self.highest =
            if fast_convergence && window < last { window * (1.0 + decrease) / 2.0 } else { window };
        self.last = window;
        self.probe = None;
        reduced(signals, if small { 0.5 } else { decrease })
    }

    fn restart(&mut self) {
        if self.params.variant == Variant::Linux {
            (self.highest, self.last, self.delayed) = (f64::INFINITY, 0.0, DELAYED);
            self.step = Step::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Event;
    use super::super::avoidance::tests::{Run, linux};
    use super::*;

    fn lost_at(window: u64) -> Run<Avoiding<Bic>> {
        let mut run = Run::at(Params::default().build(), window);
        assert_eq!(run.congested(Event::Loss), 0.875);
        run
    }

    #[test]
    fn the_way_back_is_linear_then_halves_and_beyond_it_doubles() {
        // From 875 to 1000: 32 a round trip while more than 64 are left, then halves of what is left.
        let mut run = lost_at(1000);
        let grown: Vec<f64> = (0..6).map(|_| run.rounds(1)).collect();
        assert!((grown[0] - 32.0).abs() < 1.0 && (grown[1] - 30.0).abs() < 3.0, "{grown:?}");
        for pair in grown[2..].windows(2) {
            // Within a round trip the steps shrink too: (1 - 1/w)^(w/2) is exp(-1/2) of the way, as nearly as halves are.
            assert!((0.55..0.66).contains(&(pair[1] / pair[0])), "{grown:?}");
        }
        while run.window() < 1000.0 {
            run.round();
        }
        let beyond: Vec<f64> = (0..7).map(|_| run.rounds(1)).collect();
        assert!(beyond.windows(2).take(5).all(|w| w[1] >= w[0]), "{beyond:?}");
        assert!((beyond[6] - 32.0).abs() < 1.0, "{beyond:?}");
    }

    /// Linux net/ipv4/tcp_bic.c, by hand: cnt is the number of segments acknowledged for one of growth.
    #[test]
    fn linux_searches_in_quarters_and_goes_beyond_in_thirds() {
        // At first 5 % of a round trip at least, and 16 segments of a large window. The mean of acknowledgements of one segment stays
        // at 31/16, so that they count nearly double, but not up to 14 segments.
        for (window, grown) in [(10, 1.0), (14, 1.0), (100, 100.0 / 3.0), (400, 40.0)] {
            let mut run = Run::at(linux("bic"), window);
            let found = run.rounds(1);
            assert!((0.9..1.1).contains(&(found / grown)), "{window}: {found}, not {grown}");
        }
        let mut run = Run::at(linux("bic"), 1000);
        run.rounds(1);
        run.control.window = 1_000_000;
        assert!((run.congested(Event::Loss) - 819.0 / 1024.0).abs() < 0.001);
        // Beyond the window of the loss the step grows within the round trip, by exp(31 / 16 / 3).
        for (window, grown) in
            [(850_u64, 31.0), (960, 19.4), (998, 0.39), (1000, 0.39), (1012, 10.9), (1100, 31.0)]
        {
            run.control.window = window * 1000;
            // Of whole segments, some come in several round trips only.
            let rounds = if grown < 1.0 { 8 } else { 1 };
            let found = (0..rounds).map(|_| run.rounds(1)).sum::<f64>() / f64::from(rounds);
            assert!((found / grown - 1.0).abs() < 0.25, "{window}: {found}, not {grown}");
        }
        // The duplicate that begins a repair acknowledges nothing, and counts: the mean falls to one segment.
        for duplicates in 1..=20 {
            run.control.window = 1000;
            run.held = duplicates * 1000;
            run.rounds(1);
            run.control.window = 1_000_000;
            run.congested(Event::Loss);
            run.congested(Event::Recovered);
        }
        // What ends the repair does not count.
        run.control.window = 1_000_000;
        run.congested(Event::Loss);
        (run.held, run.control.window) = (0, 1000);
        run.rounds(1);
        (run.control.window, run.control.threshold) = (950_000, 800_000);
        let found = run.rounds(1);
        assert!((found / 12.5 - 1.0).abs() < 0.2, "{found}");
        // A timeout forgets all of that.
        run.congested(Event::Timeout);
        (run.control.window, run.control.threshold) = (100_000, 50_000);
        assert!(run.rounds(1) > 6.0);
        run.control.window = 14_000;
        assert_eq!(run.congested(Event::Loss), 0.5);
    }

    /// Linux net/ipv4/tcp_bic.c: bictcp_update leaves the step alone for HZ / 32 ticks while the window is the same. By hand: 100 segments
    /// are 20 acknowledged for one, with 32 and 47 16ths in an acknowledgement 10 and 6.
    #[test]
    fn linux_keeps_its_step_for_seven_ticks() {
        let params = Params { variant: Variant::Linux, max_increment: 1.0, ..Params::default() };
        let mut bic = params.build().laws().clone();
        let at = |ms| Time::ZERO + Duration::from_millis(ms);
        assert_eq!(bic.increase_of_linux(at(100), 100), 10.0);
        bic.delayed = 47;
        assert_eq!([131, 132].map(|ms| bic.increase_of_linux(at(ms), 100)), [10.0, 100.0 / 6.0]);
        bic.delayed = 32;
        assert_eq!(bic.increase_of_linux(at(132), 200), 20.0);
    }

    #[test]
    fn a_loss_at_a_smaller_window_gives_room() {
        let mut run = lost_at(1000);
        run.control.window = 900_000;
        run.congested(Event::Loss);
        // The search ends at (900 + 787.5) / 2.
        run.rounds(8);
        assert!((run.window() - 843.75).abs() < 2.0, "{}", run.window());
    }

    #[test]
    fn below_fourteen_segments_it_is_standard_tcp() {
        let mut run = Run::at(Params::default().build(), 12);
        let grown = run.rounds(1);
        assert!((0.9..1.01).contains(&grown), "{grown}");
        run.control.window = 13_000;
        assert_eq!(run.congested(Event::Loss), 6.5 / 13.0);
    }
}
