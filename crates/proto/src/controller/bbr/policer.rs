//! Policers: where more than a fifth is lost again and again at the same rate, that is the rate to send at.

use super::units::{BW_UNIT, UNIT, bytes_per_second, micros, segments};
use crate::controller::Signals;

// Linux net/ipv4/tcp_bbr.c: bbr_lt_intvl_min_rtts, bbr_lt_loss_thresh, bbr_lt_bw_ratio, bbr_lt_bw_diff (4 kbit/s),
// bbr_lt_bw_max_rtts; an interval is given up after four times the shortest.
const SHORTEST: u32 = 4;
const LONGEST: u32 = 4 * SHORTEST;
const LOSS: u64 = 50;
const NEAR: u64 = UNIT / 8;
const NEAR_RATE: u64 = 500;
const HOLDS_FOR: u32 = 48;

/// The search for a policer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Policer {
    samples: bool,
    /// The rate of the interval before.
    found: u64,
    /// True if `found` is what is sent at.
    in_use: bool,
    /// Round trips of this interval, or for which the rate has been in use.
    rounds: u32,
    /// The beginning of the interval: when, in milliseconds, bytes delivered, and bytes found lost.
    since: u64,
    delivered: u64,
    lost_before: u64,
    lost: u64,
}

impl Policer {
    /// The rate that the policer lets through, if there is one.
    pub fn rate(&self) -> Option<u64> {
        self.in_use.then_some(self.found)
    }

    /// True once a loss has begun the search.
    #[cfg(test)]
    pub fn samples(&self) -> bool {
        self.samples
    }

    /// Counts what was found lost.
    pub fn lose(&mut self, bytes: u64) {
        self.lost += bytes;
    }

    /// Takes in an acknowledgement with a delivery rate (bbr_lt_bw_sampling). True if the rate was in use for long enough and the path is
    /// to be probed again.
    pub fn ack(&mut self, signals: &Signals, round: bool, limited: bool, probes: bool) -> bool {
        self.take(signals, round, limited, probes, signals.lost > 0)
    }

    /// The timer expired: everything outstanding is lost, and a round ends.
    pub fn timeout(&mut self, signals: &Signals, probes: bool) -> bool {
        self.take(signals, true, false, probes, true)
    }

    fn take(&mut self, signals: &Signals, round: bool, limited: bool, probes: bool, lost: bool) -> bool {
        if !self.in_use {
            self.sample(signals, round, limited, lost);
            return false;
        }
        self.rounds += u32::from(probes && round);
        let is_over = probes && round && self.rounds >= HOLDS_FOR;
        if is_over {
            self.forget(signals);
        }
        is_over
    }

    /// Begins anew.
    pub fn forget(&mut self, signals: &Signals) {
        (self.samples, self.found, self.in_use) = (false, 0, false);
        self.begin(signals);
    }

    fn begin(&mut self, signals: &Signals) {
        (self.since, self.delivered, self.lost_before) =
            (micros(signals.now) / 1000, signals.delivered, self.lost);
        self.rounds = 0;
    }

    fn sample(&mut self, signals: &Signals, round: bool, limited: bool, lost: bool) {
        if !self.samples {
            if !lost {
                return;
            }
            self.begin(signals);
            self.samples = true;
        }
        if limited {
            return self.forget(signals);
        }
        self.rounds += u32::from(round);
        if self.rounds < SHORTEST {
            return;
        }
        if self.rounds > LONGEST {
            return self.forget(signals);
        }
        if !lost {
            return;
        }
        let delivered = segments(signals.delivered - self.delivered, signals);
        let lost = segments(self.lost - self.lost_before, signals);
        let took = micros(signals.now) / 1000 - self.since;
        if delivered == 0 || lost * UNIT < LOSS * delivered || took == 0 {
            return;
        }
        let rate = delivered * BW_UNIT / (took * 1000);
        let apart = rate.abs_diff(self.found);
        let is_near =
            apart * UNIT <= NEAR * self.found || bytes_per_second(apart, UNIT, signals, 0.01) <= NEAR_RATE;
        if self.found > 0 && is_near {
            (self.found, self.in_use, self.rounds) = (u64::midpoint(rate, self.found), true, 0);
        } else {
            self.found = rate;
            self.begin(signals);
        }
    }
}
