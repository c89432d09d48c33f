//! Acknowledgements that come in lumps: what they bring beyond the delivery rate.

use dumbbell_core::{Duration, Time};

use crate::controller::Signals;

// Linux net/ipv4/tcp_bbr.c: bbr_extra_acked_win_rtts, bbr_extra_acked_max_us, bbr_ack_epoch_acked_reset_thresh.
const ROUNDS: u32 = 5;
const LONGEST: Duration = Duration::from_millis(100);
const MOST_SEGMENTS: u64 = 1 << 20;

/// The estimate, over two windows of five rounds.
#[derive(Clone, Copy, Debug)]
pub struct Aggregation {
    /// Bytes beyond the rate, the most in each window.
    extra: [u64; 2],
    window: usize,
    rounds: u32,
    /// Since when acknowledgements have come faster than the rate, and their bytes.
    since: Time,
    acked: u64,
}

impl Default for Aggregation {
    fn default() -> Aggregation {
        Aggregation { extra: [0; 2], window: 0, rounds: 0, since: Time::ZERO, acked: 0 }
    }
}

impl Aggregation {
    /// Counts from now.
    pub fn begin(&mut self, now: Time) {
        (self.since, self.acked) = (now, 0);
    }

    /// Takes in an acknowledgement (bbr_update_ack_aggregation).
    pub fn ack(&mut self, signals: &Signals, round: bool, rate: f64, window: u64) {
        if signals.acked == 0 {
            return;
        }
        if round {
            self.rounds += 1;
            if self.rounds >= ROUNDS {
                self.rounds = 0;
                self.window = 1 - self.window;
                self.extra[self.window] = 0;
            }
        }
        let mut expected = (rate * signals.now.since(self.since).as_secs_f64()) as u64;
        let most = MOST_SEGMENTS * u64::from(signals.mss);
        if self.acked <= expected || self.acked + signals.acked >= most {
            self.begin(signals.now);
            expected = 0;
        }
        self.acked = (self.acked + signals.acked).min(most);
        let extra = self.acked.saturating_sub(expected).min(window);
        self.extra[self.window] = self.extra[self.window].max(extra);
    }

    /// Bytes to add to the window: what the path delivers in 100 ms at most (bbr_ack_aggregation_cwnd).
    pub fn extra(&self, rate: f64) -> u64 {
        self.extra[0].max(self.extra[1]).min((rate * LONGEST.as_secs_f64()) as u64)
    }
}
