//! Acknowledgements that come in lumps: what they bring beyond the delivery rate.

use dumbbell_core::Time;

use super::units::{BW_UNIT, micros};
use crate::controller::Signals;

// Linux net/ipv4/tcp_bbr.c: bbr_extra_acked_win_rtts, bbr_extra_acked_max_us, bbr_ack_epoch_acked_reset_thresh.
const ROUNDS: u32 = 5;
const LONGEST: u64 = 100_000;
const MOST: u64 = 1 << 20;

/// The estimate, over two windows of five rounds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Aggregation {
    /// Segments beyond the rate, the most in each window.
    extra: [u64; 2],
    window: usize,
    rounds: u32,
    /// Since when acknowledgements have come faster than the rate, in microseconds, and their segments.
    since: u64,
    acked: u64,
}

impl Aggregation {
    /// Counts from now.
    pub fn begin(&mut self, now: Time) {
        (self.since, self.acked) = (micros(now), 0);
    }

    /// Takes in an acknowledgement of so many segments (bbr_update_ack_aggregation).
    pub fn ack(&mut self, signals: &Signals, acked: u64, round: bool, bw: u64, window: u64) {
        if acked == 0 {
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
        let mut expected = bw * (micros(signals.now) - self.since) / BW_UNIT;
        if self.acked <= expected || self.acked + acked >= MOST {
            self.begin(signals.now);
            expected = 0;
        }
        self.acked = (self.acked + acked).min(MOST - 1);
        let extra = self.acked.saturating_sub(expected).min(window);
        self.extra[self.window] = self.extra[self.window].max(extra);
    }

    /// Segments to add to the window: what the path delivers in 100 ms at most (bbr_ack_aggregation_cwnd).
    pub fn extra(&self, bw: u64) -> u64 {
        self.extra[0].max(self.extra[1]).min(bw * LONGEST / BW_UNIT)
    }
}
