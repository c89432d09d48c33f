//! What Tahoe, Reno and NewReno share: slow start and additive increase (RFC 5681 section 3.1), counted in bytes
//! (RFC 3465), and the threshold after a loss.

use super::hystart::Pace;
use super::{Control, Signals};

/// The state of additive increase.
#[derive(Clone, Copy, Debug, Default)]
pub struct Growth {
    /// Bytes acknowledged since the window last grew.
    acked: u64,
}

impl Growth {
    /// Opens the window for an acknowledgement: by what it acknowledged, as `pace` has it, below the threshold; by `step` bytes
    /// per window above it.
    #[inline]
    pub fn ack(
        &mut self,
        signals: &Signals,
        control: &mut Control,
        pace: impl FnOnce(&mut Control) -> Pace,
        step: impl FnOnce() -> u64,
    ) {
        if signals.in_recovery {
            return;
        }
        if control.window < control.threshold {
            let pace = pace(control);
            if signals.window_limited {
                control.window += pace.growth(signals);
            }
            return;
        }
        if !signals.window_limited {
            return;
        }
        self.acked += signals.acked;
        if self.acked >= control.window {
            self.acked -= control.window;
            control.window += step().max(1);
        }
    }

    /// Sets window and threshold to the part `factor` of what was outstanding, two segments at least
    /// (RFC 5681 equation 4).
    pub fn cut(&mut self, signals: &Signals, control: &mut Control, factor: f64) {
        self.acked = 0;
        control.threshold = reduced(signals, factor);
        control.window = control.threshold;
    }

    /// Restarts with one segment after a timeout. The threshold changes only when the timer expires for the first
    /// time for a segment (RFC 5681 section 3.1).
    pub fn timeout(&mut self, signals: &Signals, control: &mut Control, factor: f64) {
        self.acked = 0;
        if !signals.repeated {
            control.threshold = reduced(signals, factor);
        }
        control.window = u64::from(signals.mss);
    }
}

/// Reno in whole segments, as Linux has it where another law makes way for it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Whole {
    /// Segments acknowledged since the window last grew. The other law may count by it too (snd_cwnd_cnt).
    pub counted: u64,
}

impl Whole {
    /// Opens the window for an acknowledgement. What slow start leaves at the threshold counts for the next step.
    // Linux net/ipv4/tcp_cong.c: tcp_reno_cong_avoid, tcp_cong_avoid_ai.
    pub fn ack(&mut self, signals: &Signals, control: &mut Control) {
        let mss = u64::from(signals.mss);
        let slow = control.window < control.threshold;
        let rest = slow_start(signals, control).div_ceil(mss);
        if slow && rest == 0 {
            return;
        }
        let window = control.window / mss;
        if self.counted >= window {
            // What counted for a larger window is one step.
            self.counted = 0;
            control.window += mss;
        }
        self.counted += rest;
        control.window += self.counted / window * mss;
        self.counted %= window;
    }
}

/// Slow start in whole segments, up to the threshold; a short one counts as one. Returns the bytes that are left.
// Linux net/ipv4/tcp_cong.c: tcp_slow_start.
pub fn slow_start(signals: &Signals, control: &mut Control) -> u64 {
    let most = signals.acked.next_multiple_of(signals.mss.into()).min(signals.growth_limit);
    let grown = most.min(control.threshold.saturating_sub(control.window));
    control.window += grown;
    most - grown
}

/// The part `factor` of what was outstanding, two segments at least (RFC 5681 equation 4).
pub fn reduced(signals: &Signals, factor: f64) -> u64 {
    ((signals.flight as f64 * factor) as u64).max(2 * u64::from(signals.mss))
}

/// What is left when whole segments of the share `part` are taken from what was outstanding, two segments at least. (Linux rounds
/// what it takes, or what it leaves; this is the former.)
pub fn less(signals: &Signals, part: f64) -> u64 {
    let mss = u64::from(signals.mss);
    let taken = ((signals.flight / mss) as f64 * part) as u64 * mss;
    (signals.flight - taken).max(2 * mss)
}

/// What a mark leaves, of the factors that hold for losses and for marks. A mark shows that the queue is short; but a window that
/// doubles outgrows any queue, so that in slow start a mark leaves no more than a loss (RFC 8511: in congestion avoidance).
pub fn marked(control: &Control, after_loss: f64, after_mark: f64) -> f64 {
    if control.window < control.threshold { after_loss.min(after_mark) } else { after_mark }
}

/// The restart window after an idle time: the initial window, if that is smaller (RFC 5681 section 4.1).
pub fn restart(signals: &Signals, control: &mut Control) {
    control.window = control.window.min(signals.initial_window);
}

#[cfg(test)]
pub(super) mod tests {
    use dumbbell_core::{Duration, Time};

    use super::super::{Event, RateSample};
    use super::*;

    /// An event of a sender whose window limits it, with segments of 1000 bytes and an RTT of 100 ms.
    pub fn signals(event: Event, now: Time, acked: u64, flight: u64) -> Signals {
        let rtt = Duration::from_millis(100);
        Signals {
            now,
            initial_window: 10_000,
            growth_limit: 2000,
            acked,
            flight,
            delivered: 0,
            held: 0,
            departs_at: Time::ZERO,
            rtt,
            smoothed_rtt: rtt,
            min_rtt: rtt,
            feedback: 0,
            lost: 0,
            marked: 0,
            round: 0,
            rate: RateSample::NONE,
            mss: 1000,
            event,
            in_recovery: false,
            window_limited: true,
            repeated: false,
        }
    }

    /// Linux net/ipv4/tcp_cong.c: tcp_slow_start counts packets, of which a short one is one. The threshold bounds them.
    #[test]
    fn a_short_segment_counts_as_one() {
        let grown = |acked, threshold| {
            let mut control = Control { window: 10_000, threshold, ..Control::default() };
            let ack = Signals { growth_limit: u64::MAX, ..signals(Event::Ack, Time::ZERO, acked, 0) };
            let rest = slow_start(&ack, &mut control);
            (control.window, rest)
        };
        assert_eq!(
            [400, 1000, 1400].map(|acked| grown(acked, 20_000)),
            [(11_000, 0), (11_000, 0), (12_000, 0)]
        );
        assert_eq!(grown(1400, 11_000), (11_000, 1000));
    }

    #[test]
    fn slow_start_doubles_and_avoidance_adds_one_segment_per_window() {
        let mut growth = Growth::default();
        let mut control = Control { window: 10_000, threshold: 20_000, ..Control::default() };
        let mut windows = Vec::new();
        for _ in 0..4 {
            for _ in 0..control.window / 1000 {
                let ack = signals(Event::Ack, Time::ZERO, 1000, 0);
                growth.ack(&ack, &mut control, |_| Pace::Full, || 1000);
            }
            windows.push(control.window);
        }
        assert_eq!(windows, [20_000, 21_000, 22_000, 23_000]);
    }

    /// Linux net/ipv4/tcp_cong.c, by hand: three segments end slow start at ten, and the fourth counts.
    #[test]
    fn whole_segments_count_beyond_slow_start() {
        let mut whole = Whole::default();
        let mut control = Control { window: 7000, threshold: 10_000, ..Control::default() };
        let windows = [4000, 8000, 1000, 20_000].map(|acked| {
            let ack = Signals { growth_limit: u64::MAX, ..signals(Event::Ack, Time::ZERO, acked, 0) };
            whole.ack(&ack, &mut control);
            control.window
        });
        assert_eq!(windows, [10_000, 10_000, 11_000, 12_000]);
        assert_eq!(whole.counted, 9);
        (control.window, control.threshold) = (5000, 5000);
        whole.ack(&signals(Event::Ack, Time::ZERO, 1000, 0), &mut control);
        assert_eq!((control.window, whole.counted), (6000, 1));
    }

    /// Linux net/ipv4/tcp_illinois.c: 11 segments less half are 6, not 5.
    #[test]
    fn what_is_taken_is_rounded_down() {
        for (flight, part, left) in [(11_000, 0.5, 6000), (15_000, 0.125, 14_000), (2000, 0.5, 2000)] {
            assert_eq!(less(&signals(Event::Loss, Time::ZERO, 0, flight), part), left);
        }
    }

    #[test]
    fn half_of_the_flight_is_left_but_at_least_two_segments() {
        for (flight, left) in [(30_000, 15_000), (3000, 2000), (0, 2000)] {
            let mut control = Control { window: 30_000, ..Control::default() };
            Growth::default().cut(&signals(Event::Loss, Time::ZERO, 0, flight), &mut control, 0.5);
            assert_eq!((control.window, control.threshold), (left, left));
        }
    }
}
