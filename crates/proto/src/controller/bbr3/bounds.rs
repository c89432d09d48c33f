//! What follows from the model: the pacing rate, the quantum, the window.

use dumbbell_core::Duration;

use super::model::volume;
use super::{Control, Core, NONE, Signals, State};
use crate::controller::Rate;

/// The round-trip time before one is measured (section 5.6.2).
const FIRST_RTT: Duration = Duration::from_millis(1);
/// What leaves together is what is sent in this time, within bounds (section 5.6.3).
const QUANTUM_TIME: Duration = Duration::from_millis(1);
const QUANTUM_SEGMENTS: u64 = 2;
const LARGEST_QUANTUM: u64 = 65_536;
/// Segments added to what may be in flight in ProbeBW_UP (section 5.6.4.2).
const UP_SEGMENTS: u64 = 2;

impl Core {
    /// Section 5.6.1.
    pub const fn pacing_gain(&self) -> f64 {
        match self.state {
            State::Startup => self.params.startup_pacing_gain,
            State::Drain => self.params.drain_pacing_gain,
            State::Down => self.params.down_pacing_gain,
            State::Up => self.params.up_pacing_gain,
            State::Cruise | State::Refill | State::ProbeRtt => 1.0,
        }
    }

    /// Section 5.6.1.
    pub const fn cwnd_gain(&self) -> f64 {
        match self.state {
            State::Up => self.params.up_cwnd_gain,
            State::ProbeRtt => self.params.probe_rtt_cwnd_gain,
            _ => self.params.cwnd_gain,
        }
    }

    /// Section 5.6.2.
    pub fn init_pacing_rate(&mut self, srtt: Option<Duration>, control: &mut Control) {
        self.has_seen_rtt = srtt.is_some();
        let nominal = self.initial_cwnd as f64 / srtt.unwrap_or(FIRST_RTT).as_secs_f64();
        self.pacing_rate = self.params.startup_pacing_gain * nominal;
        control.pacing = Rate::from_f64(self.pacing_rate);
        self.set_send_quantum();
    }

    /// Section 5.6.2. The first round-trip time that is measured gives the first rate.
    pub fn set_pacing_rate(&mut self, signals: &Signals, control: &mut Control) {
        if !self.has_seen_rtt && !signals.smoothed_rtt.is_zero() {
            self.init_pacing_rate(Some(signals.smoothed_rtt), control);
        }
        self.set_pacing_rate_with_gain(self.pacing_gain(), control);
        if self.pacing_rate != self.quantum_rate {
            self.set_send_quantum();
        }
    }

    pub fn set_pacing_rate_with_gain(&mut self, gain: f64, control: &mut Control) {
        let rate = gain * self.bw * (1.0 - self.params.pacing_margin);
        if rate > self.pacing_rate || self.full_bw_reached && rate > 0.0 {
            self.pacing_rate = rate;
        }
        control.pacing = Rate::from_f64(self.pacing_rate);
    }

    /// Section 5.6.3.
    fn set_send_quantum(&mut self) {
        self.quantum_rate = self.pacing_rate;
        let quantum = volume(self.pacing_rate, QUANTUM_TIME).min(LARGEST_QUANTUM);
        self.send_quantum = quantum.max(QUANTUM_SEGMENTS * self.mss);
    }

    pub fn min_pipe_cwnd(&self) -> u64 {
        u64::from(self.params.min_window) * self.mss
    }

    /// Section 5.6.4.2: so many bandwidth-delay products.
    pub fn bdp_multiple(&self, bw: f64, gain: f64) -> u64 {
        self.min_rtt.map_or(self.initial_cwnd, |rtt| volume(gain * bw, rtt))
    }

    /// Section 5.6.4.2: room for what hosts hold, and for a pipeline.
    fn quantization_budget(&self, inflight: u64) -> u64 {
        let offload = u64::from(self.params.offload_quanta) * self.send_quantum;
        let inflight = inflight.max(offload).max(self.min_pipe_cwnd());
        inflight + if self.state == State::Up { UP_SEGMENTS * self.mss } else { 0 }
    }

    /// Section 5.6.4.2.
    pub fn inflight(&self, bw: f64, gain: f64) -> u64 {
        self.quantization_budget(self.bdp_multiple(bw, gain))
    }

    /// The products of the present rate, which stand for many acknowledgements.
    fn update_bdp(&mut self) {
        let model = (self.bw, self.cwnd_gain(), self.min_rtt);
        if model != self.bdp_model {
            self.bdp_model = model;
            self.bdp = self.bdp_multiple(self.bw, 1.0);
            self.cwnd_bdp = self.bdp_multiple(self.bw, model.1);
        }
    }

    /// Section 5.6.4.6.
    pub fn set_cwnd(&mut self, signals: &Signals, control: &mut Control) {
        self.update_bdp();
        let max_inflight = self.quantization_budget(self.cwnd_bdp + self.extra_acked);
        let grown = control.window + signals.acked;
        if self.full_bw_reached {
            control.window = grown.min(max_inflight);
        } else if control.window < max_inflight || signals.delivered < self.initial_cwnd {
            control.window = grown;
        }
        control.window = control.window.max(self.min_pipe_cwnd());
        if self.state == State::ProbeRtt {
            control.window = control.window.min(self.probe_rtt_cwnd());
        }
        self.bound_cwnd_for_model(control);
    }

    /// Section 5.6.4.7.
    fn bound_cwnd_for_model(&self, control: &mut Control) {
        let cap = match self.state {
            State::Down | State::Refill | State::Up => self.inflight_longterm,
            State::ProbeRtt | State::Cruise => self.inflight_with_headroom(),
            State::Startup | State::Drain => NONE,
        };
        let cap = cap.min(self.inflight_shortterm).max(self.min_pipe_cwnd());
        control.window = control.window.min(cap);
    }

    /// Keeps the window to return to (section 5.6.4.4).
    pub fn save_cwnd(&mut self, control: &Control) {
        let fresh = !self.in_recovery && self.state != State::ProbeRtt;
        self.prior_cwnd = if fresh { control.window } else { self.prior_cwnd.max(control.window) };
    }

    /// Section 5.6.4.4.
    pub fn restore_cwnd(&self, control: &mut Control) {
        control.window = control.window.max(self.prior_cwnd);
    }
}
