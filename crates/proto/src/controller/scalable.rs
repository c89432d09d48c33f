//! Scalable TCP: growth and reduction in proportion to the window.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Validate, config};

use super::avoidance::{Avoidance, Avoiding, SEGMENTS, SHARE, Steps, within};
use super::growth::{less, reduced};
use super::{Build, Control, Signals};

config! {
    /// Recovers from a loss in the same number of round-trip times, whatever the rate.
    pub struct Params {
        /// Segments added for each segment acknowledged.
        increase: f64 as "segments" = 0.01, "Kelly, CCR 33(2), 2003, section 3: a";
        /// Segments that a round trip adds at least. With any, the window counts whole segments, as in Linux.
        least_increase: f64 as "segments" = 0.0, "Kelly 2003, section 3: none (Linux net/ipv4/tcp_scalable.c: 1, below 100 segments)";
        /// What is left of the window after a loss.
        decrease: f64 as "dimensionless" = 0.875, "Kelly, CCR 33(2), 2003, section 3: 1 - b, b = 1/8";
        /// Up to this window, in segments, it grows and shrinks as NewReno: by one a round trip, to half.
        legacy_window: f64 as "segments" = 16.0, "Kelly, CCR 33(2), 2003, section 3: lwnd (Linux: none)";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        within(at, "increase", self.increase, &SHARE)?;
        within(at, "least_increase", self.least_increase, &(0.0..=1e6))?;
        within(at, "decrease", self.decrease, &SHARE)?;
        within(at, "legacy_window", self.legacy_window, &SEGMENTS)
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "scalable";
    const TITLE: &'static str = "Scalable TCP: multiplicative increase, multiplicative decrease";
    const REFERENCE: &'static str = "Kelly, Scalable TCP, CCR 33(2), 2003";
}

impl Build for Params {
    type Controller = Avoiding<Scalable>;

    fn build(&self) -> Avoiding<Scalable> {
        Avoiding::by(Scalable { params: self.clone() })
    }
}

/// The laws of the window.
#[derive(Clone, Debug)]
pub struct Scalable {
    params: Params,
}

impl Avoidance for Scalable {
    fn steps(&self) -> Option<Steps> {
        (self.params.least_increase > 0.0).then_some(Steps::Kept)
    }

    fn increase(&mut self, _signals: &Signals, window: f64) -> f64 {
        let Params { increase, least_increase, legacy_window, .. } = self.params;
        if window <= legacy_window { 1.0 } else { (increase * window).max(least_increase) }
    }

    fn threshold(&mut self, signals: &Signals, control: &Control) -> u64 {
        let window = control.window as f64 / f64::from(signals.mss);
        let Params { decrease, least_increase, legacy_window, .. } = self.params;
        let left = if window <= legacy_window { 0.5 } else { decrease };
        if least_increase > 0.0 { less(signals, 1.0 - left) } else { reduced(signals, left) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Event;
    use super::super::avoidance::tests::{Run, linux};
    use super::*;

    #[test]
    fn a_loss_is_recovered_in_as_many_rounds_at_any_window() {
        // Kelly section 3: ln(1 - b) / -ln(1 + a) = 13.4 round trips.
        for window in [100, 1000, 10_000] {
            let mut run = Run::at(Params::default().build(), window);
            assert!((run.congested(Event::Loss) - 0.875).abs() < 1e-3);
            run.rounds(13);
            assert!(run.window() < window as f64, "{} of {window} after 13", run.window());
            run.rounds(1);
            assert!(run.window() >= window as f64, "{} of {window} after 14", run.window());
        }
    }

    /// Linux net/ipv4/tcp_scalable.c: a segment for min(window, 100) that are acknowledged, and always an eighth.
    #[test]
    fn linux_adds_a_segment_a_round_trip_below_a_hundred() {
        for (window, increase) in [(10, 1.0), (50, 1.0), (200, 2.0)] {
            let mut run = Run::at(linux("scalable"), window);
            let grown = run.rounds(1);
            assert!((0.9..1.02).contains(&(grown / increase)), "{window}: {grown}, not {increase}");
            run.control.window = 16_000;
            assert_eq!(run.congested(Event::Loss), 0.875);
        }
    }

    #[test]
    fn small_windows_are_those_of_newreno() {
        let mut run = Run::at(Params::default().build(), 10);
        let grown = run.rounds(1);
        assert!((0.9..=1.01).contains(&grown), "{grown}");
        run.control.window = 16_000;
        assert_eq!(run.congested(Event::Loss), 0.5);
        run.control.window = 17_000;
        assert_eq!(run.congested(Event::Loss), 0.875);
    }
}
