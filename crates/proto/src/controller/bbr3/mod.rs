//! BBR version 3, after draft-ietf-ccwg-bbr-06: sections are those of the draft.
//!
//! `mod` has the states and the order of the steps, `model` what is measured, `cycle` the probes for bandwidth, `probe_rtt` those
//! for the shortest round-trip time, `bounds` what follows for rate and window, `loss` what losses change.

mod bounds;
mod cycle;
mod filter;
mod loss;
mod model;
mod params;
mod probe_rtt;
mod records;
#[cfg(test)]
mod tests;

use dumbbell_core::rng::{self, Stream};
use dumbbell_core::{Duration, Time};

use self::filter::{MaxExcess, MaxRate};
pub use self::params::Params;
use super::{Build, Class, Control, Controller, Estimate, Event, Needs, Random, RateSample, Signals, Stand};

/// No bound.
const NONE: u64 = u64::MAX;

/// The states (section 5.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

/// Which part of a probe for bandwidth acknowledgements belong to (section 2.13).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AckPhase {
    Init,
    Refilling,
    Starting,
    Feedback,
    Stopping,
}

/// What a repair of losses may have to take back (section 2.15).
#[derive(Clone, Copy, Debug)]
struct Undo {
    /// The state that losses ended.
    state: Option<State>,
    bw_shortterm: f64,
    inflight_shortterm: u64,
    inflight_longterm: u64,
}

/// The sample that an event brings, with the marks of ProbeRTT.
#[derive(Clone, Copy, Debug)]
struct Sample {
    rate: RateSample,
    /// True if it is of data that was delivered.
    has_data: bool,
    app_limited: bool,
}

/// The controller. In a box: it keeps more than others.
#[derive(Clone, Debug)]
pub struct Bbr3(Box<Core>);

/// What it keeps: rates in bytes a second, volumes in bytes. Names are those of the draft.
#[derive(Clone, Debug)]
struct Core {
    state: State,
    /// How many states it has entered; the last of them, and why.
    changes: u32,
    latest: [(State, &'static str); Stand::LATEST],
    params: Params,
    random: Stream,
    mss: u64,
    initial_cwnd: u64,
    // Rounds (section 5.5.1).
    round_count: u64,
    round_start: bool,
    next_round_delivered: u64,
    rounds_since_probe_up: u64,
    // The model of the path (sections 2.9 and 2.10).
    max_bw: f64,
    max_bw_filter: MaxRate,
    cycle_count: u64,
    bw_shortterm: f64,
    bw: f64,
    min_rtt: Option<Duration>,
    min_rtt_stamp: Time,
    bdp: u64,
    /// What the window follows: the bandwidth-delay product by the gain of the state. It and `bdp` are those of this rate, gain and
    /// round-trip time.
    cwnd_bdp: u64,
    bdp_model: (f64, f64, Option<Duration>),
    inflight_longterm: u64,
    inflight_shortterm: u64,
    // Acknowledgements in bunches (section 5.5.9).
    extra_acked: u64,
    extra_acked_filter: MaxExcess,
    extra_acked_interval_start: Time,
    extra_acked_delivered: u64,
    // Whether the pipe is full (section 5.3.1.2).
    full_bw: f64,
    full_bw_count: u32,
    full_bw_now: bool,
    full_bw_reached: bool,
    // Congestion (section 5.5.10).
    is_loss_in_round: bool,
    loss_round_delivered: u64,
    loss_round_start: bool,
    /// Ranges found lost in the round.
    loss_ranges: u32,
    bw_latest: f64,
    inflight_latest: u64,
    in_recovery: bool,
    /// Bytes delivered when fast recovery began; none without.
    recovery_start: Option<u64>,
    undo: Undo,
    // Probes for bandwidth (section 5.3.3).
    drain_start_round: u64,
    ack_phase: AckPhase,
    is_bw_probe_sample: bool,
    prev_probe_too_high: bool,
    prev_probe_precautionary: bool,
    bw_probe_up_rounds: u32,
    bw_probe_up_acked: u64,
    probe_up_acked_per_inc: u64,
    cycle_stamp: Time,
    bw_probe_wait: Duration,
    // Probes for the shortest round-trip time (section 5.3.4).
    probe_rtt_min_delay: Option<Duration>,
    probe_rtt_min_stamp: Time,
    probe_rtt_expired: bool,
    probe_rtt_done_stamp: Option<Time>,
    probe_rtt_round_done: bool,
    /// What was sent when so many bytes were delivered, from the first to the second, was limited by ProbeRTT.
    held_down: (u64, u64),
    idle_restart: bool,
    /// The window to return to after a repair or ProbeRTT; and the rate that is paced at.
    prior_cwnd: u64,
    pacing_rate: f64,
    has_seen_rtt: bool,
    /// The quantum, and the rate that gave it.
    send_quantum: u64,
    quantum_rate: f64,
}

impl Build for Params {
    type Controller = Bbr3;

    fn build(&self) -> Bbr3 {
        Bbr3::new(self)
    }
}

impl Bbr3 {
    fn new(params: &Params) -> Bbr3 {
        Bbr3(Box::new(Core {
            state: State::Startup,
            changes: 0,
            latest: [(State::Startup, "start"); Stand::LATEST],
            params: params.clone(),
            // Until it is given its own.
            random: rng::stream(0, "bbr3"),
            mss: 1,
            initial_cwnd: 0,
            round_count: 0,
            round_start: false,
            next_round_delivered: 0,
            rounds_since_probe_up: 0,
            max_bw: 0.0,
            max_bw_filter: MaxRate::default(),
            cycle_count: 0,
            bw_shortterm: f64::INFINITY,
            bw: 0.0,
            min_rtt: None,
            min_rtt_stamp: Time::ZERO,
            bdp: 0,
            cwnd_bdp: 0,
            bdp_model: (f64::NAN, 0.0, None),
            inflight_longterm: NONE,
            inflight_shortterm: NONE,
            extra_acked: 0,
            extra_acked_filter: MaxExcess::default(),
            extra_acked_interval_start: Time::ZERO,
            extra_acked_delivered: 0,
            full_bw: 0.0,
            full_bw_count: 0,
            full_bw_now: false,
            full_bw_reached: false,
            is_loss_in_round: false,
            loss_round_delivered: 1,
            loss_round_start: false,
            loss_ranges: 0,
            bw_latest: 0.0,
            inflight_latest: 0,
            in_recovery: false,
            recovery_start: None,
            undo: Undo { state: None, bw_shortterm: 0.0, inflight_shortterm: 0, inflight_longterm: 0 },
            drain_start_round: 0,
            ack_phase: AckPhase::Init,
            is_bw_probe_sample: false,
            prev_probe_too_high: false,
            prev_probe_precautionary: false,
            bw_probe_up_rounds: 0,
            bw_probe_up_acked: 0,
            probe_up_acked_per_inc: NONE,
            cycle_stamp: Time::ZERO,
            bw_probe_wait: Duration::ZERO,
            probe_rtt_min_delay: None,
            probe_rtt_min_stamp: Time::ZERO,
            probe_rtt_expired: false,
            probe_rtt_done_stamp: None,
            probe_rtt_round_done: false,
            held_down: (NONE, 0),
            idle_restart: false,
            prior_cwnd: 0,
            pacing_rate: 0.0,
            has_seen_rtt: false,
            send_quantum: 0,
            quantum_rate: 0.0,
        }))
    }
}

impl Core {
    fn enter(&mut self, state: State, reason: &'static str) {
        self.state = state;
        self.changes += 1;
        self.latest.rotate_right(1);
        self.latest[0] = (state, reason);
    }

    fn is_in_a_probe_bw_state(&self) -> bool {
        matches!(self.state, State::Down | State::Cruise | State::Refill | State::Up)
    }

    /// True if it sends faster than the path may carry (section 5.3.3.9).
    fn is_probing_bw(&self) -> bool {
        matches!(self.state, State::Startup | State::Refill | State::Up)
    }

    /// Section 5.2.1.
    fn start(&mut self, signals: &Signals, control: &mut Control) {
        self.mss = u64::from(signals.mss);
        self.initial_cwnd = control.window;
        let srtt = Some(signals.smoothed_rtt).filter(|rtt| !rtt.is_zero());
        (self.min_rtt, self.probe_rtt_min_delay) = (srtt, srtt);
        (self.min_rtt_stamp, self.probe_rtt_min_stamp) = (signals.now, signals.now);
        self.extra_acked_interval_start = signals.now;
        self.init_pacing_rate(srtt, control);
    }

    /// The steps of an acknowledgement, in their order (section 5.2.3).
    fn acknowledged(&mut self, signals: &Signals, control: &mut Control) {
        let rate = signals.rate;
        let held_down = (self.held_down.0..=self.held_down.1).contains(&rate.prior_delivered);
        let sample =
            Sample { rate, has_data: rate.in_flight > 0, app_limited: rate.app_limited || held_down };
        if self.in_recovery && !signals.in_recovery {
            self.in_recovery = false;
            self.recovery_start = None;
            self.restore_cwnd(control);
        }
        self.update_latest_delivery_signals(signals, &sample);
        self.update_congestion_signals(signals, &sample, control);
        self.update_ack_aggregation(signals, control);
        self.check_full_bw_reached(&sample);
        self.check_startup_done(&sample);
        self.check_drain_done(signals);
        self.update_probe_bw_cycle_phase(signals, &sample, control);
        self.update_min_rtt(signals);
        self.check_probe_rtt(signals, &sample, control);
        self.advance_latest_delivery_signals(&sample);
        self.bound_bw_for_model();
        self.set_pacing_rate(signals, control);
        self.set_cwnd(signals, control);
    }

    /// Sending begins again (section 5.4.1).
    fn restarted(&mut self, signals: &Signals, control: &mut Control) {
        if !signals.rate.app_limited && signals.delivered > self.held_down.1 {
            return;
        }
        self.idle_restart = true;
        self.extra_acked_interval_start = signals.now;
        if self.is_in_a_probe_bw_state() {
            self.set_pacing_rate_with_gain(1.0, control);
        } else if self.state == State::ProbeRtt {
            self.check_probe_rtt_done(signals, control);
        }
    }
}

impl Controller for Bbr3 {
    const CLASS: Class = Class::Model;
    const NEEDS: Needs = Needs::RATES
        .and(Needs::PACING)
        .and(Needs::LOSSES)
        .and(Needs::REPAIRS)
        .and(Needs::RESTARTS)
        .and(Needs::RANDOM);

    fn on(&mut self, signals: &Signals, control: &mut Control) {
        let core = &mut *self.0;
        match signals.event {
            Event::Start => core.start(signals, control),
            Event::Ack => core.acknowledged(signals, control),
            // Where it ends with news, those are an acknowledgement; elsewhere one follows.
            Event::Recovered if signals.acked > 0 => core.acknowledged(signals, control),
            Event::Loss => core.enter_fast_recovery(signals, control),
            Event::Timeout => core.enter_rto(signals, control),
            Event::Lost => core.handle_lost_packet(signals, control),
            Event::Ecn => core.handle_mark(signals, control),
            Event::Undone => core.handle_spurious_loss_detection(signals, control),
            Event::Restart => core.restarted(signals, control),
            Event::Recovered | Event::Idle | Event::Wake => {}
        }
    }

    fn stand(&self) -> Option<Stand> {
        Some(self.0.stand())
    }

    fn estimates(&self, tell: &mut dyn FnMut(Estimate)) {
        self.0.estimates(tell);
    }

    fn start(&mut self, random: Random) {
        self.0.random = random.into();
    }
}
