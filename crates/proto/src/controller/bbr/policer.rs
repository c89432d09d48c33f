//! Policers: where more than a fifth is lost again and again at the same rate, that is the rate to send at.

use dumbbell_core::Time;

use crate::controller::Signals;

// Linux net/ipv4/tcp_bbr.c: bbr_lt_intvl_min_rtts, bbr_lt_loss_thresh, bbr_lt_bw_ratio, bbr_lt_bw_diff (4 kbit/s),
// bbr_lt_bw_max_rtts; an interval is given up after four times the shortest.
const SHORTEST: u32 = 4;
const LONGEST: u32 = 4 * SHORTEST;
const LOSS: f64 = 50.0 / 256.0;
const NEAR: f64 = 0.125;
const NEAR_RATE: f64 = 500.0;
const HOLDS_FOR: u32 = 48;

/// The search for a policer. Rates in bytes a second.
#[derive(Clone, Copy, Debug)]
pub struct Policer {
    samples: bool,
    /// The rate of the interval before.
    found: f64,
    /// True if `found` is what is sent at.
    in_use: bool,
    /// Round trips of this interval, or for which the rate has been in use.
    rounds: u32,
    /// The beginning of the interval: when, bytes delivered, and bytes found lost.
    since: Time,
    delivered: u64,
    lost_before: u64,
    lost: u64,
}

impl Default for Policer {
    fn default() -> Policer {
        Policer {
            samples: false,
            found: 0.0,
            in_use: false,
            rounds: 0,
            since: Time::ZERO,
            delivered: 0,
            lost_before: 0,
            lost: 0,
        }
    }
}

impl Policer {
    /// The rate that the policer lets through, if there is one.
    pub fn rate(&self) -> Option<f64> {
        self.in_use.then_some(self.found)
    }

    /// Takes in an acknowledgement with a delivery rate (bbr_lt_bw_sampling). True if the rate was in use for long enough and the path is
    /// to be probed again.
    pub fn ack(&mut self, signals: &Signals, round: bool, limited: bool, probes: bool) -> bool {
        self.lost += signals.lost;
        if self.in_use {
            if probes && round {
                self.rounds += 1;
                if self.rounds >= HOLDS_FOR {
                    self.forget(signals);
                    return true;
                }
            }
            return false;
        }
        self.sample(signals, round, limited, signals.lost > 0);
        false
    }

    /// The timer expired: everything outstanding is lost, and a round ends.
    pub fn timeout(&mut self, signals: &Signals) {
        self.lost += signals.lost;
        if !self.in_use {
            self.sample(signals, true, false, true);
        }
    }

    /// Begins anew.
    pub fn forget(&mut self, signals: &Signals) {
        (self.samples, self.found, self.in_use) = (false, 0.0, false);
        self.begin(signals);
    }

    fn begin(&mut self, signals: &Signals) {
        (self.since, self.delivered, self.lost_before) = (signals.now, signals.delivered, self.lost);
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
        let delivered = (signals.delivered - self.delivered) as f64;
        let took = signals.now.since(self.since).as_secs_f64();
        if delivered == 0.0 || ((self.lost - self.lost_before) as f64) < LOSS * delivered || took < 1e-3 {
            return;
        }
        let rate = delivered / took;
        let apart = (rate - self.found).abs();
        if self.found > 0.0 && (apart <= NEAR * self.found || apart <= NEAR_RATE) {
            (self.found, self.in_use, self.rounds) = (f64::midpoint(rate, self.found), true, 0);
        } else {
            self.found = rate;
            self.begin(signals);
        }
    }
}
