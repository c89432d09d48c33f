//! DCTCP as RFC 8257 has it.

use super::params::Params;
use crate::controller::growth::{self, Growth};
use crate::controller::hystart::Pace;
use crate::controller::{Control, Event, Signals};

/// The controller. Numbers of bytes are those delivered since the start.
#[derive(Clone, Debug)]
pub struct Rfc {
    gain: f64,
    /// The estimate of the share of bytes that arrive marked.
    alpha: f64,
    /// Bytes acknowledged in this window, and those of them that had been marked.
    acked: u64,
    marked: u64,
    /// This window ends when so much is delivered.
    window_end: u64,
    /// Marks count again when so much is delivered.
    cut_until: u64,
    growth: Growth,
}

impl Rfc {
    /// Before anything is sent.
    pub fn new(params: &Params) -> Rfc {
        Rfc {
            gain: params.gain,
            alpha: params.initial_alpha,
            acked: 0,
            marked: 0,
            window_end: 0,
            cut_until: 0,
            growth: Growth::default(),
        }
    }

    /// Takes in an acknowledgement (RFC 8257 section 3.3 steps 1 to 8).
    fn observe(&mut self, signals: &Signals) {
        self.acked += signals.acked;
        self.marked += signals.marked;
        if signals.delivered < self.window_end || self.acked == 0 {
            return;
        }
        let share = self.marked as f64 / self.acked as f64;
        self.alpha = (1.0 - self.gain) * self.alpha + self.gain * share;
        (self.acked, self.marked) = (0, 0);
        self.window_end = signals.delivered + signals.flight;
    }

    /// What is outstanding now was sent before the sender heard of congestion: one answer to all of it (RFC 3168
    /// section 6.1.2).
    fn answered(&mut self, signals: &Signals) {
        self.cut_until = signals.delivered + signals.flight;
    }

    /// Answers an event.
    #[inline]
    pub fn on(&mut self, signals: &Signals, control: &mut Control) {
        match signals.event {
            Event::Ack | Event::Recovered => {
                self.observe(signals);
                if signals.marked > 0 && signals.delivered > self.cut_until && !signals.in_recovery {
                    self.growth = Growth::default();
                    let window = (control.window as f64 * (1.0 - self.alpha / 2.0)) as u64;
                    // Two segments at least, as after a loss (RFC 5681 equation 4).
                    control.window = window.max(2 * u64::from(signals.mss)).min(control.window);
                    control.threshold = control.window;
                    self.answered(signals);
                } else if signals.event == Event::Ack {
                    self.growth.ack(signals, control, |_| Pace::Full, || u64::from(signals.mss));
                }
            }
            // Losses and marks that come without bytes (RFC 8257 section 3.5).
            Event::Loss | Event::Ecn => {
                self.growth.cut(signals, control, 0.5);
                self.answered(signals);
            }
            Event::Timeout => {
                self.growth.timeout(signals, control, 0.5);
                self.answered(signals);
            }
            Event::Idle => growth::restart(signals, control),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::Time;

    use super::*;
    use crate::controller::growth::tests::signals;

    /// A window of ten segments is acknowledged, the first `marked` of them with marks.
    fn round(dctcp: &mut Rfc, control: &mut Control, delivered: &mut u64, marked: u64) {
        let segments = control.window / 1000;
        for i in 0..segments {
            *delivered += 1000;
            let marked = if i < marked { 1000 } else { 0 };
            let flight = control.window;
            let ack = signals(Event::Ack, Time::ZERO, 1000, flight);
            dctcp.on(&Signals { delivered: *delivered, marked, window_limited: false, ..ack }, control);
        }
    }

    #[test]
    fn the_estimate_follows_the_share_of_marks_by_a_sixteenth() {
        let mut dctcp = Rfc::new(&Params::default());
        let mut control = Control { window: 10_000, threshold: 10_000, ..Control::default() };
        let mut delivered = 0;
        // The first acknowledgement ends the window of nothing, in which it stands alone.
        round(&mut dctcp, &mut control, &mut delivered, 0);
        let mut expected = 15.0 / 16.0;
        assert_eq!(dctcp.alpha, expected);
        for _ in 0..20 {
            round(&mut dctcp, &mut control, &mut delivered, 0);
            expected *= 15.0 / 16.0;
            assert!((dctcp.alpha - expected).abs() < 1e-12, "{} and {expected}", dctcp.alpha);
        }
        assert_eq!(control.window, 10_000, "nothing was marked");
    }

    #[test]
    fn a_window_weighs_a_sixteenth_of_the_estimate() {
        // RFC 8257 section 3.3 step 6: alpha = alpha (1 - g) + g M, with M the share of marked bytes of the window.
        let mut dctcp = Rfc::new(&Params { initial_alpha: 0.0, ..Params::default() });
        let mut expected = 0.0;
        for (i, marked) in [3000, 10_000, 0, 5000].into_iter().enumerate() {
            let delivered = 10_000 * (i as u64 + 1);
            let window = signals(Event::Ack, Time::ZERO, 10_000, 10_000);
            dctcp.observe(&Signals { delivered, marked, ..window });
            expected = expected * 15.0 / 16.0 + marked as f64 / 10_000.0 / 16.0;
            assert!((dctcp.alpha - expected).abs() < 1e-12, "{} and {expected}", dctcp.alpha);
        }
    }

    #[test]
    fn a_window_with_marks_is_cut_once_by_half_the_estimate() {
        // A gain that leaves the estimate as it is, but for less than a byte of the window.
        let mut dctcp = Rfc::new(&Params { initial_alpha: 0.5, gain: 1e-9, ..Params::default() });
        let mut control = Control { window: 20_000, threshold: u64::MAX, ..Control::default() };
        let mut delivered = 0;
        round(&mut dctcp, &mut control, &mut delivered, 5);
        assert!(control.window.abs_diff(15_000) <= 1 && control.threshold == control.window, "{control:?}");
        delivered += 20_000;
        round(&mut dctcp, &mut control, &mut delivered, 15);
        assert!(control.window.abs_diff(11_250) <= 1, "{control:?}");
    }

    #[test]
    fn marks_leave_two_segments_and_open_no_window() {
        for window in [1000, 2000, 3000] {
            let mut dctcp = Rfc::new(&Params::default());
            let mut control = Control { window, threshold: 10_000, ..Control::default() };
            let ack = signals(Event::Ack, Time::ZERO, 1000, window);
            dctcp.on(&Signals { delivered: 1000, marked: 1000, ..ack }, &mut control);
            assert_eq!(control.window, window.min(2000));
        }
    }

    #[test]
    fn a_loss_halves_the_window_and_a_timeout_closes_it() {
        let mut dctcp = Rfc::new(&Params { initial_alpha: 0.0, ..Params::default() });
        let mut control = Control { window: 20_000, ..Control::default() };
        dctcp.on(&signals(Event::Loss, Time::ZERO, 0, 20_000), &mut control);
        assert_eq!((control.window, control.threshold), (10_000, 10_000));
        dctcp.on(&signals(Event::Timeout, Time::ZERO, 0, 10_000), &mut control);
        assert_eq!((control.window, control.threshold), (1000, 5000));
    }
}
