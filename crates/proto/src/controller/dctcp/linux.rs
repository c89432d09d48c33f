//! DCTCP as Linux has it: the transport cuts the window, over a round trip and as after a loss, and the controller says by how much.

use super::params::Params;
use crate::controller::growth::{self, Whole};
use crate::controller::{Control, Event, Signals};

/// All bytes are marked.
// Linux net/ipv4/tcp_dctcp.c: DCTCP_MAX_ALPHA.
const WHOLE: u64 = 1024;

/// The controller. Numbers of bytes are those delivered since the start.
#[derive(Clone, Debug)]
pub struct Linux {
    /// One part of so many is the weight of the latest window: 1 / g.
    gain: u64,
    /// The estimate of the share of segments that arrive marked, in 1024ths.
    alpha: u64,
    /// Bytes acknowledged in this window, and those of them that had been marked.
    acked: u64,
    marked: u64,
    /// This window ends when so much is delivered in order.
    window_end: u64,
    /// The end of what was sent, as far as it is known.
    sent: u64,
    /// The window that the acknowledgement in hand cuts; zero if it cuts none.
    cut_from: u64,
    growth: Whole,
}

impl Linux {
    /// Before anything is sent.
    pub fn new(params: &Params) -> Linux {
        Linux {
            gain: (1.0 / params.gain).round() as u64,
            alpha: (params.initial_alpha * WHOLE as f64) as u64,
            acked: 0,
            marked: 0,
            window_end: 0,
            sent: 0,
            cut_from: 0,
            growth: Whole::default(),
        }
    }

    /// Answers an event.
    pub fn on(&mut self, signals: &Signals, control: &mut Control) {
        let mss = u64::from(signals.mss);
        match signals.event {
            Event::Ack | Event::Recovered => self.ack(signals, control),
            Event::Ecn => {
                // The acknowledgement that shows the mark comes next. It may end a window of marks first.
                self.cut_from = signals.flight;
                self.cut(control, self.left(signals.flight, mss));
            }
            // Linux net/ipv4/tcp_dctcp.c: dctcp_react_to_loss.
            Event::Loss => self.cut(control, growth::reduced(signals, 0.5)),
            Event::Timeout => {
                if !signals.repeated {
                    self.cut(control, growth::reduced(signals, 0.5));
                }
                control.window = mss;
                self.growth.counted = 0;
            }
            Event::Idle => growth::restart(signals, control),
            _ => {}
        }
    }

    fn ack(&mut self, signals: &Signals, control: &mut Control) {
        let mss = u64::from(signals.mss);
        self.sent = self.sent.max(signals.delivered + signals.flight);
        self.acked += signals.acked;
        self.marked += signals.marked;
        if signals.delivered - signals.held >= self.window_end {
            self.end_window(self.acked.div_ceil(mss), self.marked.div_ceil(mss));
            (self.acked, self.marked, self.window_end) = (0, 0, self.sent);
        }
        let cut_from = std::mem::take(&mut self.cut_from);
        if cut_from > 0 {
            control.threshold = self.left(cut_from, mss);
        } else if !signals.in_recovery && signals.window_limited {
            self.growth.ack(signals, control);
        }
    }

    fn cut(&mut self, control: &mut Control, window: u64) {
        (control.window, control.threshold) = (window, window);
        self.growth.counted = 0;
    }

    /// A window ends in which so many segments were delivered, and of them so many marked.
    // Linux net/ipv4/tcp_dctcp.c: dctcp_update_alpha.
    fn end_window(&mut self, delivered: u64, marked: u64) {
        let less = self.alpha / self.gain;
        self.alpha -= if less == 0 { self.alpha } else { less };
        self.alpha = (self.alpha + marked * (WHOLE / self.gain) / delivered.max(1)).min(WHOLE);
    }

    /// What a cut for marks leaves of a window.
    // Linux net/ipv4/tcp_dctcp.c: dctcp_ssthresh.
    fn left(&self, window: u64, mss: u64) -> u64 {
        let segments = window / mss;
        (segments - segments * self.alpha / (2 * WHOLE)).max(2) * mss
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::Time;

    use super::*;
    use crate::controller::growth::tests::signals;

    /// Linux net/ipv4/tcp_dctcp.c, by hand: the first acknowledgement ends the window of nothing. It is marked, so that the estimate stays
    /// at 1024 and five of ten segments are left. Then a sixteenth goes with each window, and half of a sixteenth comes for two marked
    /// segments of four.
    #[test]
    fn the_estimate_counts_1024ths_and_cuts_take_whole_segments() {
        let mut dctcp = Linux::new(&Params::default());
        let mut control = Control { window: 10_000, ..Control::default() };
        dctcp.on(&signals(Event::Ecn, Time::ZERO, 0, 10_000), &mut control);
        let marked =
            Signals { marked: 1000, in_recovery: true, ..signals(Event::Ack, Time::ZERO, 1000, 9000) };
        dctcp.on(&Signals { delivered: 1000, ..marked }, &mut control);
        assert_eq!(control.threshold, 5000);
        let mut alphas = vec![dctcp.alpha];
        for marked in [0, 2000, 0] {
            // All that was sent before the latest window ended.
            let told = Signals { marked, acked: 4000, ..signals(Event::Ack, Time::ZERO, 4000, 4000) };
            dctcp.on(&Signals { delivered: dctcp.window_end, ..told }, &mut control);
            alphas.push(dctcp.alpha);
        }
        assert_eq!(alphas, [1024, 960, 932, 874]);
        // Below sixteen 1024ths there is nothing left.
        dctcp.alpha = 15;
        dctcp.end_window(4, 0);
        assert_eq!((dctcp.alpha, dctcp.left(10_000, 1000), dctcp.left(1000, 1000)), (0, 10_000, 2000));
    }
}
