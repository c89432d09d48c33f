//! What losses change: the long-term bound while it probes, short-term bounds while it does not; and what is taken back when
//! nothing was lost (sections 5.5.10 and 5.5.11).

use super::{Control, Core, NONE, RateSample, Sample, Signals, State, Undo};

impl Core {
    /// Section 5.6.4.4.
    pub fn enter_fast_recovery(&mut self, signals: &Signals, control: &Control) {
        self.save_state_upon_loss(control);
        self.in_recovery = true;
        self.recovery_start.get_or_insert(signals.delivered);
    }

    /// Section 5.6.4.4. The transport adds what is in flight.
    pub fn enter_rto(&mut self, signals: &Signals, control: &mut Control) {
        if !signals.repeated {
            self.save_state_upon_loss(control);
        }
        self.in_recovery = true;
        self.recovery_start = None;
        control.window = self.mss;
    }

    /// Section 5.5.11.1.
    fn save_state_upon_loss(&mut self, control: &Control) {
        self.save_cwnd(control);
        self.undo = Undo {
            state: None,
            bw_shortterm: self.bw_shortterm,
            inflight_shortterm: self.inflight_shortterm,
            inflight_longterm: self.inflight_longterm,
        };
    }

    /// Section 5.5.10.2. What a repair may have to take back is saved when it begins, and not with a later loss: that of a probe that
    /// a loss has just ended would forget the probe.
    fn note_loss(&mut self, signals: &Signals, control: &Control) {
        if !self.is_loss_in_round {
            self.loss_round_delivered = signals.delivered;
            self.loss_ranges = 0;
            if !self.in_recovery {
                self.save_state_upon_loss(control);
            }
        }
        self.is_loss_in_round = true;
    }

    /// Section 5.5.10.2: the signals are those of when the segment was sent.
    pub fn handle_lost_packet(&mut self, signals: &Signals, control: &mut Control) {
        self.note_loss(signals, control);
        self.loss_ranges += u32::from(!signals.repeated);
        let rate = signals.rate;
        if !self.is_bw_probe_sample || !self.is_inflight_too_high(&rate) {
            return;
        }
        let held_down = (self.held_down.0..=self.held_down.1).contains(&rate.prior_delivered);
        let at_loss = (!rate.app_limited && !held_down).then(|| self.inflight_at_loss(&rate, signals.lost));
        self.handle_inflight_too_high(signals, at_loss, control);
    }

    /// A mark means what a loss means (RFC 3168 section 5); the draft asks for no more (section 3.7).
    pub fn handle_mark(&mut self, signals: &Signals, control: &Control) {
        self.note_loss(signals, control);
        if self.is_bw_probe_sample {
            self.handle_inflight_too_high(signals, Some(signals.flight), control);
        }
    }

    pub fn is_inflight_too_high(&self, rate: &RateSample) -> bool {
        rate.lost > 0 && rate.lost as f64 > rate.in_flight as f64 * self.params.loss_threshold
    }

    /// What was in flight when the losses passed the threshold, in the middle of the segment (section 5.5.10.2).
    fn inflight_at_loss(&self, rate: &RateSample, size: u64) -> u64 {
        let before = rate.in_flight.saturating_sub(size) as f64;
        let lost_before = rate.lost.saturating_sub(size) as f64;
        let threshold = self.params.loss_threshold;
        let prefix = (threshold * before - lost_before) / (1.0 - threshold);
        // Losses of data that was sent before the probe may have passed it already.
        (before + prefix.max(0.0)) as u64
    }

    /// Section 5.5.10.2. `in_flight` is none if the application limited the sender.
    fn handle_inflight_too_high(&mut self, signals: &Signals, in_flight: Option<u64>, control: &Control) {
        self.prev_probe_too_high = true;
        self.is_bw_probe_sample = false;
        if let Some(in_flight) = in_flight {
            let least = (self.target_inflight(control) as f64 * self.params.beta) as u64;
            self.inflight_longterm = in_flight.max(least);
        }
        if self.state == State::Up {
            self.undo.state = Some(State::Up);
            self.start_probe_bw_down(signals, "loss");
        }
    }

    /// A round with losses while it does not probe: at most a cut by `beta`, and no less than what was delivered
    /// (section 5.5.10.3).
    pub fn lower_bounds(&mut self, control: &Control) {
        let beta = self.params.beta;
        if self.bw_shortterm.is_infinite() {
            self.bw_shortterm = self.max_bw;
        }
        if self.inflight_shortterm == NONE {
            self.inflight_shortterm = control.window;
        }
        self.bw_shortterm = self.bw_latest.max(beta * self.bw_shortterm);
        self.inflight_shortterm = self.inflight_latest.max((beta * self.inflight_shortterm as f64) as u64);
    }

    pub fn reset_short_term_model(&mut self) {
        (self.bw_shortterm, self.inflight_shortterm) = (f64::INFINITY, NONE);
    }

    /// True if the losses of a round in Startup show that the pipe is full: in fast recovery for a round, too much of it, in several
    /// ranges (section 5.3.1.3).
    pub fn startup_lost_too_much(&mut self, sample: &Sample) -> bool {
        if !self.loss_round_start {
            return false;
        }
        let rate = &sample.rate;
        let whole_round = self.recovery_start.is_some_and(|start| rate.prior_delivered >= start);
        let ranges = std::mem::take(&mut self.loss_ranges);
        let too_much = whole_round
            && ranges >= self.params.startup_loss_ranges
            && self.is_inflight_too_high(rate)
            && !self.full_bw_reached;
        if too_much {
            self.undo.state = Some(State::Startup);
            (self.full_bw_now, self.full_bw_reached) = (true, true);
            self.inflight_longterm = self.bdp.max(self.inflight_latest);
        }
        too_much
    }

    /// Section 5.5.11.2.
    pub fn handle_spurious_loss_detection(&mut self, signals: &Signals, control: &mut Control) {
        self.in_recovery = false;
        self.recovery_start = None;
        self.restore_cwnd(control);
        self.is_loss_in_round = false;
        self.reset_full_bw();
        let undo = self.undo;
        self.bw_shortterm = self.bw_shortterm.max(undo.bw_shortterm);
        self.inflight_shortterm = self.inflight_shortterm.max(undo.inflight_shortterm);
        self.inflight_longterm = self.inflight_longterm.max(undo.inflight_longterm);
        let in_probe_rtt = self.state == State::ProbeRtt;
        match undo.state {
            Some(State::Startup) if self.state != State::Startup => {
                self.full_bw_reached = false;
                if !in_probe_rtt {
                    self.enter(State::Startup, "undo");
                }
            }
            Some(State::Up) if self.state != State::Up && !in_probe_rtt => {
                self.start_probe_bw_refill(signals, "undo");
            }
            _ => {}
        }
        self.undo.state = None;
    }
}
