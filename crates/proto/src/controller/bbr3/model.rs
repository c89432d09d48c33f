//! What acknowledgements tell of the path: rounds, the largest rate, the delivery of the latest round, the excess of
//! acknowledgements, whether the pipe is full.

use dumbbell_core::Duration;

use super::{Control, Core, Sample, Signals, State};

/// Rounds without growth that show a full pipe (section 5.3.1.2).
const FULL_ROUNDS: u32 = 3;
/// Rounds after which Drain ends whatever is in flight (section 5.3.2).
const DRAIN_ROUNDS: u64 = 3;

/// Bytes at a rate for a time.
pub fn volume(rate: f64, time: Duration) -> u64 {
    (rate * time.as_secs_f64()) as u64
}

impl Core {
    /// Section 5.5.10.3.
    pub fn update_latest_delivery_signals(&mut self, signals: &Signals, sample: &Sample) {
        self.loss_round_start = false;
        self.bw_latest = self.bw_latest.max(sample.rate.rate.as_f64());
        self.inflight_latest = self.inflight_latest.max(sample.rate.delivered);
        if sample.has_data && sample.rate.prior_delivered >= self.loss_round_delivered {
            self.loss_round_delivered = signals.delivered;
            self.loss_round_start = true;
        }
    }

    /// Section 5.5.10.3.
    pub fn advance_latest_delivery_signals(&mut self, sample: &Sample) {
        if self.loss_round_start {
            self.bw_latest = sample.rate.rate.as_f64();
            self.inflight_latest = sample.rate.delivered;
        }
    }

    /// Section 5.5.10.3.
    pub fn reset_congestion_signals(&mut self) {
        self.is_loss_in_round = false;
        (self.bw_latest, self.inflight_latest) = (0.0, 0);
    }

    /// Once a round, adapts to congestion (section 5.5.10.3).
    pub fn update_congestion_signals(&mut self, signals: &Signals, sample: &Sample, control: &Control) {
        self.update_max_bw(signals, sample);
        if !self.loss_round_start {
            return;
        }
        if self.is_loss_in_round && !self.is_probing_bw() {
            self.lower_bounds(control);
        }
        self.is_loss_in_round = false;
    }

    /// Section 5.5.5. Samples that the application limits count if they are larger.
    fn update_max_bw(&mut self, signals: &Signals, sample: &Sample) {
        self.update_round(signals, sample);
        let rate = sample.rate.rate.as_f64();
        if rate > 0.0 && (rate >= self.max_bw || !sample.app_limited) {
            self.max_bw = self.max_bw_filter.update(self.cycle_count, rate);
        }
    }

    /// Section 5.5.1.
    fn update_round(&mut self, signals: &Signals, sample: &Sample) {
        self.round_start = sample.has_data && sample.rate.prior_delivered >= self.next_round_delivered;
        if self.round_start {
            self.start_round(signals);
            self.round_count += 1;
            self.rounds_since_probe_up += 1;
        }
    }

    pub fn start_round(&mut self, signals: &Signals) {
        self.next_round_delivered = signals.delivered;
    }

    /// Section 5.5.9.
    pub fn update_ack_aggregation(&mut self, signals: &Signals, control: &Control) {
        let interval = signals.now.since(self.extra_acked_interval_start);
        let mut expected = volume(self.bw, interval);
        if self.extra_acked_delivered <= expected {
            self.extra_acked_delivered = 0;
            self.extra_acked_interval_start = signals.now;
            expected = 0;
        }
        self.extra_acked_delivered += signals.acked;
        let extra = (self.extra_acked_delivered - expected).min(control.window);
        self.extra_acked = self.extra_acked_filter.update(self.round_count, extra, !self.full_bw_reached);
    }

    /// Section 5.3.1.2.
    pub fn reset_full_bw(&mut self) {
        (self.full_bw, self.full_bw_count, self.full_bw_now) = (0.0, 0, false);
    }

    /// Section 5.3.1.2.
    pub fn check_full_bw_reached(&mut self, sample: &Sample) {
        if self.full_bw_now || !self.round_start || sample.app_limited {
            return;
        }
        if sample.rate.rate.as_f64() >= self.full_bw * (1.0 + self.params.full_pipe_growth) {
            self.reset_full_bw();
            self.full_bw = sample.rate.rate.as_f64();
            return;
        }
        self.full_bw_count += 1;
        self.full_bw_now = self.full_bw_count >= FULL_ROUNDS;
        self.full_bw_reached |= self.full_bw_now;
    }

    /// Section 5.3.1.1.
    pub fn check_startup_done(&mut self, sample: &Sample) {
        if self.state != State::Startup {
            return;
        }
        let reason = if self.startup_lost_too_much(sample) { "loss" } else { "plateau" };
        if self.full_bw_reached {
            self.drain_start_round = self.round_count;
            self.enter(State::Drain, reason);
        }
    }

    /// Section 5.3.2.
    pub fn check_drain_done(&mut self, signals: &Signals) {
        if self.state != State::Drain {
            return;
        }
        if signals.flight <= self.inflight(self.bw, 1.0) {
            self.start_probe_bw_down(signals, "inflight");
        } else if self.round_count > self.drain_start_round + DRAIN_ROUNDS {
            self.start_probe_bw_down(signals, "rounds");
        }
    }

    /// Section 5.5.10.3.
    pub fn bound_bw_for_model(&mut self) {
        self.bw = self.max_bw.min(self.bw_shortterm);
    }
}
