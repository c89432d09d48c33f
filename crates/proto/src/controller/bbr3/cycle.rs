//! The cycle of probes for bandwidth: DOWN, CRUISE, REFILL, UP (section 5.3.3).

use rand::RngExt;

use super::{AckPhase, Control, Core, NONE, Sample, Signals, State};

/// The growth of the long-term bound doubles in each round up to 2^30 segments (section 5.3.3.9).
const MOST_DOUBLINGS: u32 = 30;

impl Core {
    /// Section 5.3.3.9.
    pub fn start_probe_bw_down(&mut self, signals: &Signals, reason: &'static str) {
        self.reset_congestion_signals();
        self.probe_up_acked_per_inc = NONE;
        self.pick_probe_wait();
        self.cycle_stamp = signals.now;
        self.ack_phase = AckPhase::Stopping;
        self.start_round(signals);
        self.enter(State::Down, reason);
    }

    pub fn start_probe_bw_cruise(&mut self, reason: &'static str) {
        self.enter(State::Cruise, reason);
    }

    pub fn start_probe_bw_refill(&mut self, signals: &Signals, reason: &'static str) {
        self.reset_short_term_model();
        (self.bw_probe_up_rounds, self.bw_probe_up_acked) = (0, 0);
        self.prev_probe_precautionary = false;
        self.ack_phase = AckPhase::Refilling;
        self.start_round(signals);
        self.enter(State::Refill, reason);
    }

    fn start_probe_bw_up(&mut self, signals: &Signals, sample: &Sample, control: &Control) {
        self.ack_phase = AckPhase::Starting;
        self.start_round(signals);
        self.reset_full_bw();
        self.full_bw = sample.rate.rate.as_f64();
        self.enter(State::Up, "round");
        self.raise_inflight_longterm_slope(control);
    }

    /// Section 5.3.3.8.3: a random time and a random round to begin with, so that flows do not probe together.
    fn pick_probe_wait(&mut self) {
        self.rounds_since_probe_up = u64::from(self.random.random::<bool>());
        let more = self.params.probe_wait_random.mul_f64(self.random.random());
        self.bw_probe_wait = self.params.probe_wait + more;
    }

    /// Section 5.3.3.9, on each acknowledgement.
    pub fn update_probe_bw_cycle_phase(&mut self, signals: &Signals, sample: &Sample, control: &Control) {
        if !self.full_bw_reached || self.adapt_long_term_model(signals, sample, control) {
            return;
        }
        match self.state {
            State::Down => {
                if !self.is_time_to_probe_bw(signals, control) && self.is_time_to_cruise(signals) {
                    self.start_probe_bw_cruise("inflight");
                }
            }
            State::Cruise => {
                self.is_time_to_probe_bw(signals, control);
            }
            State::Refill if self.round_start => {
                self.is_bw_probe_sample = true;
                self.start_probe_bw_up(signals, sample, control);
            }
            State::Up => {
                if let Some(reason) = self.is_time_to_go_down(signals, sample, control) {
                    // No excess of losses so far.
                    self.prev_probe_too_high = false;
                    self.start_probe_bw_down(signals, reason);
                }
            }
            State::Refill | State::Startup | State::Drain | State::ProbeRtt => {}
        }
    }

    fn is_time_to_probe_bw(&mut self, signals: &Signals, control: &Control) -> bool {
        let waited = signals.now > self.cycle_stamp + self.bw_probe_wait;
        let due = waited || self.is_reno_coexistence_probe_time(control);
        if due {
            self.start_probe_bw_refill(signals, if waited { "wait" } else { "rounds" });
        }
        due
    }

    /// Section 5.3.3.8.3: as many rounds as Reno would need.
    fn is_reno_coexistence_probe_time(&self, control: &Control) -> bool {
        let (passed, most) = (self.rounds_since_probe_up, self.params.probe_rounds);
        passed >= u64::from(most) || self.target_inflight(control) < (passed + 1) * self.mss
    }

    /// Section 5.3.3.8.3.
    pub fn target_inflight(&self, control: &Control) -> u64 {
        self.bdp.min(control.window)
    }

    fn is_time_to_cruise(&self, signals: &Signals) -> bool {
        signals.flight <= self.inflight_with_headroom() && signals.flight <= self.inflight(self.max_bw, 1.0)
    }

    /// Why it should go down, if it should.
    fn is_time_to_go_down(
        &mut self,
        signals: &Signals,
        sample: &Sample,
        control: &Control,
    ) -> Option<&'static str> {
        // What was in flight before this acknowledgement, in whole segments: the window holds it below the bound afterwards.
        let before = (signals.flight + signals.acked) / self.mss;
        if self.prev_probe_too_high && before >= self.inflight_longterm / self.mss {
            self.prev_probe_precautionary = true;
            return Some("precaution");
        }
        if signals.window_limited && control.window >= self.inflight_longterm {
            // The bound limits the rate, not the path.
            self.reset_full_bw();
            self.full_bw = sample.rate.rate.as_f64();
            return None;
        }
        self.full_bw_now.then_some("plateau")
    }

    /// Leaves room for others (section 5.3.3.9).
    pub fn inflight_with_headroom(&self) -> u64 {
        if self.inflight_longterm == NONE {
            return NONE;
        }
        let headroom = self.mss.max((self.params.headroom * self.inflight_longterm as f64) as u64);
        self.inflight_longterm.saturating_sub(headroom).max(self.min_pipe_cwnd())
    }

    fn raise_inflight_longterm_slope(&mut self, control: &Control) {
        let growth = 1 << self.bw_probe_up_rounds;
        self.bw_probe_up_rounds = (self.bw_probe_up_rounds + 1).min(MOST_DOUBLINGS);
        self.probe_up_acked_per_inc = (control.window / growth).max(self.mss);
    }

    fn probe_inflight_longterm_upward(&mut self, signals: &Signals, control: &Control) {
        if !signals.window_limited || control.window < self.inflight_longterm {
            return;
        }
        self.bw_probe_up_acked += signals.acked;
        let steps = self.bw_probe_up_acked / self.probe_up_acked_per_inc;
        self.bw_probe_up_acked -= steps * self.probe_up_acked_per_inc;
        self.inflight_longterm += steps * self.mss;
        if self.round_start {
            self.raise_inflight_longterm_slope(control);
        }
    }

    /// Follows what a probe brings. True if that has changed the state (section 5.3.3.9).
    fn adapt_long_term_model(&mut self, signals: &Signals, sample: &Sample, control: &Control) -> bool {
        if self.ack_phase == AckPhase::Starting && self.round_start {
            self.ack_phase = AckPhase::Feedback;
        }
        if self.ack_phase == AckPhase::Stopping && self.round_start {
            self.is_bw_probe_sample = false;
            self.ack_phase = AckPhase::Init;
            if self.is_in_a_probe_bw_state() {
                if !sample.app_limited {
                    self.cycle_count += 1;
                }
                if self.prev_probe_precautionary && !self.prev_probe_too_high {
                    self.start_probe_bw_refill(signals, "precaution");
                    return true;
                }
            }
        }
        if self.inflight_longterm == NONE || self.is_inflight_too_high(&sample.rate) {
            return false;
        }
        self.inflight_longterm = self.inflight_longterm.max(sample.rate.in_flight);
        if self.state == State::Up {
            self.probe_inflight_longterm_upward(signals, control);
        }
        false
    }
}
