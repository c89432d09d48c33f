//! BIC-TCP: a binary search for the window at which losses begin.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Validate, config};

use super::avoidance::{Avoidance, Avoiding, SEGMENTS, SHARE, within};
use super::growth::reduced;
use super::{Build, Control, Signals};

config! {
    /// Between the window after a loss and the one before it, a round trip adds half of the way that is left, `max_increment`
    /// segments at most and `min_increment` at least. Beyond the window of the loss it adds 1, 2, 4... segments, up to
    /// `max_increment`.
    pub struct Params {
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
        Avoiding::by(Bic { params: self.clone(), highest: f64::INFINITY, last: 0.0, probe: None })
    }
}

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
}

impl Avoidance for Bic {
    fn increase(&mut self, _signals: &Signals, window: f64) -> f64 {
        let Params { low_window, max_increment, min_increment, divisor, .. } = self.params;
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
        let Params { low_window, decrease, fast_convergence, .. } = self.params;
        if window < low_window {
            return reduced(signals, 0.5);
        }
        self.highest =
            if fast_convergence && window < self.last { window * (1.0 + decrease) / 2.0 } else { window };
        self.last = window;
        self.probe = None;
        reduced(signals, decrease)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Event;
    use super::super::avoidance::tests::Run;
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
