//! The shortest round-trip time, and the state that looks for it (section 5.3.4).

use super::{AckPhase, Control, Core, Sample, Signals, State};

impl Core {
    /// Section 5.3.4.3.
    pub fn update_min_rtt(&mut self, signals: &Signals) {
        let now = signals.now;
        self.probe_rtt_expired = now > self.probe_rtt_min_stamp + self.params.probe_rtt_interval;
        let rtt = signals.rtt;
        let shorter = self.probe_rtt_min_delay.is_none_or(|least| rtt < least);
        if !rtt.is_zero() && (shorter || self.probe_rtt_expired) {
            self.probe_rtt_min_delay = Some(rtt);
            self.probe_rtt_min_stamp = now;
        }
        let expired = now > self.min_rtt_stamp + self.params.min_rtt_filter;
        let Some(delay) = self.probe_rtt_min_delay else { return };
        if expired || self.min_rtt.is_none_or(|least| delay < least) {
            self.min_rtt = Some(delay);
            self.min_rtt_stamp = self.probe_rtt_min_stamp;
        }
    }

    /// Section 5.3.4.3.
    pub fn check_probe_rtt(&mut self, signals: &Signals, sample: &Sample, control: &mut Control) {
        if self.state != State::ProbeRtt && self.probe_rtt_expired && !self.idle_restart {
            self.enter(State::ProbeRtt, "rtt");
            self.save_cwnd(control);
            self.probe_rtt_done_stamp = None;
            self.ack_phase = AckPhase::Stopping;
            self.start_round(signals);
            self.held_down.0 = signals.delivered;
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(signals, control);
        }
        if sample.rate.delivered > 0 {
            self.idle_restart = false;
        }
    }

    fn handle_probe_rtt(&mut self, signals: &Signals, control: &mut Control) {
        // What is sent now is held down: its rates are no measure of the path (MarkConnectionAppLimited).
        self.held_down.1 = signals.delivered + signals.flight;
        if self.probe_rtt_done_stamp.is_none() {
            if signals.flight <= self.probe_rtt_cwnd() {
                self.probe_rtt_done_stamp = Some(signals.now + self.params.probe_rtt_duration);
                self.probe_rtt_round_done = false;
                self.start_round(signals);
            }
            return;
        }
        self.probe_rtt_round_done |= self.round_start;
        if self.probe_rtt_round_done {
            self.check_probe_rtt_done(signals, control);
        }
    }

    pub fn check_probe_rtt_done(&mut self, signals: &Signals, control: &mut Control) {
        if self.probe_rtt_done_stamp.is_none_or(|done| signals.now <= done) {
            return;
        }
        self.probe_rtt_min_stamp = signals.now;
        self.restore_cwnd(control);
        self.reset_short_term_model();
        if self.full_bw_reached {
            self.start_probe_bw_down(signals, "done");
            self.start_probe_bw_cruise("done");
        } else {
            self.enter(State::Startup, "done");
        }
    }

    /// Section 5.6.4.5.
    pub fn probe_rtt_cwnd(&self) -> u64 {
        self.bdp_multiple(self.bw, self.params.probe_rtt_cwnd_gain).max(self.min_pipe_cwnd())
    }
}
