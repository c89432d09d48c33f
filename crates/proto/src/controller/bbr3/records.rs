//! What records of the controller show. Names are those of the draft.

use super::{AckPhase, Core, NONE, State, Undo};
use crate::controller::{Entered, Estimate, Stand};

impl Core {
    pub fn stand(&self) -> Stand {
        let latest = self.latest.map(|(state, reason)| Entered { state: name(state), reason });
        Stand { changes: self.changes, latest, round: self.round_count }
    }

    pub fn estimates(&self, tell: &mut dyn FnMut(Estimate)) {
        let flag = |set: bool| f64::from(u8::from(set));
        let bytes = |volume: u64| if volume == NONE { f64::INFINITY } else { volume as f64 };
        let Undo { state, bw_shortterm, inflight_shortterm, inflight_longterm } = self.undo;
        let phase = match self.ack_phase {
            AckPhase::Init => 0.0,
            AckPhase::Refilling => 1.0,
            AckPhase::Starting => 2.0,
            AckPhase::Feedback => 3.0,
            AckPhase::Stopping => 4.0,
        };
        let undo_state = match state {
            None => 0.0,
            Some(State::Startup) => 1.0,
            Some(_) => 2.0,
        };
        let stamp = self.probe_rtt_min_stamp.as_secs_f64();
        let seconds = |time: Option<dumbbell_core::Duration>| time.map_or(f64::INFINITY, |t| t.as_secs_f64());
        let all = [
            ("round_count", "", self.round_count as f64),
            ("max_bw", "bit/s", self.max_bw * 8.0),
            ("bw", "bit/s", self.bw * 8.0),
            ("bw_shortterm", "bit/s", self.bw_shortterm * 8.0),
            ("bdp", "B", self.bdp as f64),
            ("inflight_shortterm", "B", bytes(self.inflight_shortterm)),
            ("inflight_longterm", "B", bytes(self.inflight_longterm)),
            ("extra_acked", "B", self.extra_acked as f64),
            ("send_quantum", "B", self.send_quantum as f64),
            ("min_rtt", "s", seconds(self.min_rtt)),
            ("probe_rtt_min_delay", "s", seconds(self.probe_rtt_min_delay)),
            ("probe_rtt_min_stamp", "s", stamp),
            ("pacing_gain", "", self.pacing_gain()),
            ("cwnd_gain", "", self.cwnd_gain()),
            ("full_bw", "bit/s", self.full_bw * 8.0),
            ("full_bw_count", "", f64::from(self.full_bw_count)),
            ("full_bw_now", "", flag(self.full_bw_now)),
            ("full_bw_reached", "", flag(self.full_bw_reached)),
            ("ack_phase", "", phase),
            ("prev_probe_too_high", "", flag(self.prev_probe_too_high)),
            ("prev_probe_precautionary", "", flag(self.prev_probe_precautionary)),
            ("idle_restart", "", flag(self.idle_restart)),
            ("bw_probe_wait", "s", self.bw_probe_wait.as_secs_f64()),
            ("rounds_since_probe_up", "", self.rounds_since_probe_up as f64),
            ("drain_start_round", "", self.drain_start_round as f64),
            ("cycle_count", "", self.cycle_count as f64),
            ("undo_state", "", undo_state),
            ("undo_bw_shortterm", "bit/s", bw_shortterm * 8.0),
            ("undo_inflight_shortterm", "B", bytes(inflight_shortterm)),
            ("undo_inflight_longterm", "B", bytes(inflight_longterm)),
        ];
        all.into_iter().for_each(|(name, unit, value)| tell(Estimate { name, unit, value }));
    }
}

const fn name(state: State) -> &'static str {
    match state {
        State::Startup => "Startup",
        State::Drain => "Drain",
        State::Down => "ProbeBW_DOWN",
        State::Cruise => "ProbeBW_CRUISE",
        State::Refill => "ProbeBW_REFILL",
        State::Up => "ProbeBW_UP",
        State::ProbeRtt => "ProbeRTT",
    }
}
