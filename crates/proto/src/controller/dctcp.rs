//! DCTCP: the window shrinks by as much as the network marks.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Validate, config, words};

use super::growth::{self, Growth, Whole};
use super::hystart::Pace;
use super::{Build, Class, Control, Controller, Event, Needs, Signals};

words! {
    /// `rfc`: the controller cuts the window once in a window. `linux`: the transport does, over a round trip and as after a loss, and the
    /// estimate is a number of 1024ths, of whole segments.
    pub enum Law { Rfc = "rfc", Linux = "linux" }
}

config! {
    /// The sender estimates the share of its bytes that arrive marked, and once a window cuts by half of that share. It needs
    /// `ecn = true`, and a queue that marks at a short, instantaneous length, such as `threshold`.
    pub struct Params {
        /// Weight of the latest window in the estimate: g.
        gain: f64 as "dimensionless" = 0.0625, "RFC 8257 section 4.2: 1/16";
        /// The estimate at the start: alpha.
        initial_alpha: f64 as "dimensionless" = 1.0, "RFC 8257 section 4.2: 1 (ns-2.35: 0)";
        /// Who cuts the window, and how the estimate is kept.
        law: Law = "rfc", "RFC 8257 section 3.3";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        at.above_zero("gain", self.gain, 1.0)?;
        at.within("initial_alpha", self.initial_alpha, 0.0..=1.0)
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "dctcp";
    const TITLE: &'static str = "DCTCP: the window shrinks by half the share of bytes that arrive marked";
    const REFERENCE: &'static str = "RFC 8257";
}

impl Build for Params {
    type Controller = Dctcp;

    fn build(&self) -> Dctcp {
        let alpha = self.initial_alpha;
        Dctcp {
            gain: self.gain,
            alpha,
            acked: 0,
            marked: 0,
            window_end: 0,
            sent: 0,
            cut_until: 0,
            growth: Growth::default(),
            linux: (self.law == Law::Linux).then(|| OfLinux {
                gain: (1.0 / self.gain).round() as u64,
                alpha: (self.initial_alpha * WHOLE as f64) as u64,
                cut_from: 0,
                whole: Whole::default(),
            }),
        }
    }

    fn wants(&self) -> Needs {
        if self.law == Law::Linux { Dctcp::NEEDS.and(Needs::CUTS) } else { Dctcp::NEEDS }
    }
}

/// All bytes are marked, in the fixed point of Linux.
// Linux net/ipv4/tcp_dctcp.c: DCTCP_MAX_ALPHA.
const WHOLE: u64 = 1024;

/// The controller. Numbers of bytes are those delivered since the start.
#[derive(Clone, Debug)]
pub struct Dctcp {
    gain: f64,
    /// The estimate of the share of bytes that arrive marked.
    alpha: f64,
    /// Bytes acknowledged in this window, and those of them that had been marked.
    acked: u64,
    marked: u64,
    /// This window ends when so much is delivered.
    window_end: u64,
    /// The end of what was sent, as far as it is known.
    sent: u64,
    /// Marks count again when so much is delivered.
    cut_until: u64,
    growth: Growth,
    linux: Option<OfLinux>,
}

/// What the law of Linux has instead.
#[derive(Clone, Copy, Debug)]
struct OfLinux {
    /// One part of so many is the weight of the latest window: 1 / g.
    gain: u64,
    /// The estimate, in 1024ths.
    alpha: u64,
    /// The window that this acknowledgement cuts; zero if it cuts none.
    cut_from: u64,
    whole: Whole,
}

impl OfLinux {
    /// A window ends in which so many segments were delivered, and of them so many marked.
    // Linux net/ipv4/tcp_dctcp.c: dctcp_update_alpha.
    fn end_window(&mut self, delivered: u64, marked: u64) {
        let less = self.alpha / self.gain;
        self.alpha -= if less == 0 { self.alpha } else { less };
        self.alpha = (self.alpha + marked * (WHOLE / self.gain) / delivered.max(1)).min(WHOLE);
    }

    /// What a cut leaves of a window.
    // Linux net/ipv4/tcp_dctcp.c: dctcp_ssthresh.
    fn left(&self, window: u64, mss: u64) -> u64 {
        let segments = window / mss;
        (segments - segments * self.alpha / (2 * WHOLE)).max(2) * mss
    }
}

impl Dctcp {
    /// Answers an event by the law of Linux.
    fn on_as_linux(&mut self, mut linux: OfLinux, signals: &Signals, control: &mut Control) -> OfLinux {
        let mss = u64::from(signals.mss);
        match signals.event {
            Event::Ack | Event::Recovered => {
                self.sent = self.sent.max(signals.delivered + signals.flight);
                self.acked += signals.acked;
                self.marked += signals.marked;
                if signals.delivered - signals.held >= self.window_end {
                    linux.end_window(self.acked.div_ceil(mss), self.marked.div_ceil(mss));
                    (self.acked, self.marked, self.window_end) = (0, 0, self.sent);
                }
                if linux.cut_from > 0 {
                    let cut_from = std::mem::take(&mut linux.cut_from);
                    control.threshold = linux.left(cut_from, mss);
                } else if !signals.in_recovery && signals.window_limited {
                    linux.whole.ack(signals, control);
                }
            }
            Event::Ecn => {
                control.threshold = linux.left(signals.flight, mss);
                control.window = control.threshold;
                (linux.cut_from, linux.whole.counted) = (signals.flight, 0);
            }
            Event::Loss => {
                control.threshold = growth::reduced(signals, 0.5);
                control.window = control.threshold;
                linux.whole.counted = 0;
            }
            Event::Timeout => {
                if !signals.repeated {
                    control.threshold = growth::reduced(signals, 0.5);
                }
                control.window = mss;
                linux.whole.counted = 0;
            }
            Event::Idle => growth::restart(signals, control),
            _ => {}
        }
        linux
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
}

impl Controller for Dctcp {
    const CLASS: Class = Class::Window;
    const NEEDS: Needs = Needs::ECHOES;

    #[inline]
    fn on(&mut self, signals: &Signals, control: &mut Control) {
        if let Some(linux) = self.linux {
            self.linux = Some(self.on_as_linux(linux, signals, control));
            return;
        }
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

    use super::super::growth::tests::signals;
    use super::*;

    /// A window of ten segments is acknowledged, the first `marked` of them with marks.
    fn round(dctcp: &mut Dctcp, control: &mut Control, delivered: &mut u64, marked: u64) {
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
        let mut dctcp = Params::default().build();
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
        let mut dctcp = Params { initial_alpha: 0.0, ..Params::default() }.build();
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
        let mut dctcp = Params { initial_alpha: 0.5, gain: 1e-9, ..Params::default() }.build();
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
            let mut dctcp = Params::default().build();
            let mut control = Control { window, threshold: 10_000, ..Control::default() };
            let ack = signals(Event::Ack, Time::ZERO, 1000, window);
            dctcp.on(&Signals { delivered: 1000, marked: 1000, ..ack }, &mut control);
            assert_eq!(control.window, window.min(2000));
        }
    }

    /// Linux net/ipv4/tcp_dctcp.c, by hand: the first acknowledgement ends the window of nothing. It is marked, so that the estimate stays
    /// at 1024 and five of ten segments are left. Then a sixteenth goes with each window, and comes for two of four segments by half.
    #[test]
    fn linux_keeps_the_estimate_in_1024ths_and_cuts_whole_segments() {
        let mut dctcp = Params { law: Law::Linux, ..Params::default() }.build();
        let mut control = Control { window: 10_000, ..Control::default() };
        let mut told = signals(Event::Ecn, Time::ZERO, 0, 10_000);
        dctcp.on(&told, &mut control);
        told = Signals {
            acked: 1000,
            marked: 1000,
            in_recovery: true,
            ..signals(Event::Ack, Time::ZERO, 1000, 9000)
        };
        told.delivered = 1000;
        dctcp.on(&told, &mut control);
        assert_eq!(control.threshold, 5000);
        let mut alphas = vec![dctcp.linux.expect("the law of Linux").alpha];
        for (marked, flight) in [(0, 4000), (2000, 4000), (0, 4000)] {
            told = Signals { marked, ..signals(Event::Ack, Time::ZERO, flight, flight) };
            // All that was sent before the latest window ended.
            told.delivered = dctcp.window_end;
            told.acked = 4000;
            dctcp.on(&told, &mut control);
            alphas.push(dctcp.linux.unwrap().alpha);
        }
        assert_eq!(alphas, [1024, 960, 932, 874]);
        // Below sixteen 1024ths there is nothing left.
        let mut low = OfLinux { gain: 16, alpha: 15, cut_from: 0, whole: Whole::default() };
        low.end_window(4, 0);
        assert_eq!((low.alpha, low.left(10_000, 1000), low.left(1000, 1000)), (0, 10_000, 2000));
    }

    #[test]
    fn a_loss_halves_the_window_and_a_timeout_closes_it() {
        let mut dctcp = Params { initial_alpha: 0.0, ..Params::default() }.build();
        let mut control = Control { window: 20_000, ..Control::default() };
        dctcp.on(&signals(Event::Loss, Time::ZERO, 0, 20_000), &mut control);
        assert_eq!((control.window, control.threshold), (10_000, 10_000));
        dctcp.on(&signals(Event::Timeout, Time::ZERO, 0, 10_000), &mut control);
        assert_eq!((control.window, control.threshold), (1000, 5000));
    }
}
