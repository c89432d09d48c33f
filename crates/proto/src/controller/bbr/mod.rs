//! BBR, version 1: the window and the pacing rate follow a model of the path, its largest delivery rate and its smallest
//! round-trip time. Losses do not lower the rate.
//!
//! Where the draft and the code of Linux differ, the code is followed: it is what people run. Names in comments are those of
//! Linux net/ipv4/tcp_bbr.c.

mod aggregation;
mod filter;
mod policer;
#[cfg(test)]
mod tests;
mod units;

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{ConfigError, Duration, Time, Validate, config};
use rand::RngExt;

use self::aggregation::Aggregation;
use self::filter::Filter;
use self::policer::Policer;
use self::units::{BW_UNIT, UNIT, bytes_per_second, micros, segments};
use super::{Build, Class, Control, Controller, Event, Needs, Random, Rate, Signals, Stand};

config! {
    /// Paces at the largest delivery rate of ten round trips. In one phase of eight it sends a quarter faster, to see whether the path
    /// carries more, and in the next a quarter slower. Every ten seconds the window closes to four segments, so that the queue empties
    /// and the smallest round-trip time can be seen.
    pub struct Params {
        /// Factor of pacing rate and window in startup: both double in a round trip.
        startup_gain: f64 as "dimensionless" = 2.885, "draft-cardwell-iccrg-bbr-congestion-control-00 section 4.3.2.1: 2/ln(2)";
        /// Window, in bandwidth-delay products, after startup.
        window_gain: f64 as "dimensionless" = 2.0, "draft-cardwell-iccrg-bbr-congestion-control-00 section 4.2.3.2: cwnd_gain";
        /// Length of the filter for the largest delivery rate, in round trips.
        rate_rounds: u32 as "round trips" = 10, "draft-cardwell-iccrg-bbr-congestion-control-00 section 4.1.1.3: BtlBwFilterLen";
        /// Length of the filter for the smallest round-trip time. When it has found no smaller one for so long, the window closes.
        rtt_window: Duration = "10s", "draft-cardwell-iccrg-bbr-congestion-control-00 section 4.1.2: RTpropFilterLen";
        /// How long the window stays closed, and a round trip at least.
        closed_for: Duration = "200ms", "draft-cardwell-iccrg-bbr-congestion-control-00 section 4.3.5: ProbeRTTDuration";
        /// Smallest window but for losses, in segments.
        least_window: u32 as "segments" = 4, "draft-cardwell-iccrg-bbr-congestion-control-00 section 4.2.3.2: BBRMinPipeCwnd";
        /// Part by which the pacing rate stays below what is measured, so that a queue does not grow.
        margin: f64 as "dimensionless" = 0.01, "Linux net/ipv4/tcp_bbr.c: bbr_pacing_margin_percent 1";
        /// Adds to the window what acknowledgements brought beyond the delivery rate, in the last 5 to 10 round trips.
        aggregation: bool = true, "Linux net/ipv4/tcp_bbr.c: bbr_extra_acked_gain 1";
        /// Looks for a policer when more than a fifth is lost, and then sends at the rate that it lets through for 48 round trips.
        policer: bool = true, "Linux net/ipv4/tcp_bbr.c: bbr_lt_loss_thresh 50/256, bbr_lt_bw_max_rtts 48";
        /// Which numbers it draws: runs that differ in nothing else show what hangs on them.
        draws: u64 as "dimensionless" = 0, "Linux net/ipv4/tcp_bbr.c: bbr_reset_probe_bw_mode draws the phase in which a cycle begins";
        /// The phases in which its cycles begin, one after the other, where they are known: 0 paces faster, 2 to 7 as fast as
        /// what was measured. The others are drawn.
        phases: Vec<u32> as "phases" = [], "choice: all are drawn";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        for (key, gain) in [("startup_gain", self.startup_gain), ("window_gain", self.window_gain)] {
            at.within(key, gain, 1.0..=2.89)?;
        }
        for (key, count) in [("rate_rounds", self.rate_rounds), ("least_window", self.least_window)] {
            at.within(key, count, 1..=64)?;
        }
        for (key, time) in [("rtt_window", self.rtt_window), ("closed_for", self.closed_for)] {
            if time.is_zero() {
                return Err(at.key(key).error("zero is no time to measure in", "give a time above zero"));
            }
        }
        if let Some(i) = self.phases.iter().position(|phase| *phase == 1 || *phase as usize >= CYCLE.len()) {
            let message = format!("no cycle begins in phase {}", self.phases[i]);
            return Err(at.key("phases").index(i).error(message, "give 0, or 2 to 7"));
        }
        if !(0.0..0.5).contains(&self.margin) {
            let message = format!("{} is no small part", self.margin);
            return Err(at.key("margin").error(message, "give a number from 0 up to 0.5"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "bbr";
    const TITLE: &'static str = "BBR, version 1: paces at the largest delivery rate of the path";
    const REFERENCE: &'static str = "Cardwell et al., ACM Queue 14(5), 2016; draft-cardwell-iccrg-bbr-congestion-control-00; Linux tcp_bbr.c";
}

impl Build for Params {
    type Controller = Box<Bbr>;

    fn build(&self) -> Box<Bbr> {
        Box::new(Bbr {
            params: self.clone(),
            state: State::Startup,
            gains: Gains::of(self),
            pacing_gain: Gains::of(self).high,
            bw: Filter::default(),
            rounds: 0,
            round_end: 0,
            plateau: Plateau::default(),
            phase: (0, 0),
            cycles: 0,
            rtt: None,
            rtt_seen_at: Time::ZERO,
            closed: Closed::default(),
            limited: (0, 0),
            is_restarting: false,
            has_rtt: false,
            repair: Repair::No,
            repair_before: Repair::No,
            conserves: false,
            window_before: 0,
            found: (Time::ZERO, 0),
            aggregation: Aggregation::default(),
            policer: Policer::default(),
            random: None,
        })
    }
}

/// What the phases of steady state pace at, as parts of the largest rate (section 4.3.4.1).
const CYCLE: [u64; 8] = [UNIT * 5 / 4, UNIT * 3 / 4, UNIT, UNIT, UNIT, UNIT, UNIT, UNIT];
/// The rate has stopped growing if it does not grow by a quarter in three rounds (section 4.3.2.2).
const GROWTH: u64 = UNIT * 5 / 4;
const FLAT_ROUNDS: u32 = 3;
/// What a host hands to its device at once: what leaves in 1/1024 s, within bounds. Below this rate it is one segment at least, from it
/// on two: bbr_min_tso_rate 1.2 Mbit/s, in bytes a second.
const BURSTS_A_SECOND: u64 = 1024;
const SLOW: Rate = Rate::from_bytes_per_second(150_000);
/// In bytes, with 320 for headers (GSO_LEGACY_MAX_SIZE - 1 - MAX_TCP_HEADER), and in segments.
const LARGEST_PIECE: u64 = 65_536 - 1 - 320;
const LARGEST_BURST: u64 = 127;
/// The window has room for so many of them: one in the stack, one in the device, one at the receiver (bbr_quantization_budget).
const BURSTS: u64 = 3;
/// The round-trip time before one was measured (section 4.2.1), in microseconds.
const NOMINAL_RTT: u64 = 1000;

/// Gains of the parameters, in parts of [`UNIT`].
#[derive(Clone, Copy, Debug)]
struct Gains {
    /// Of startup, rounded up, and of drain, rounded down (bbr_high_gain, bbr_drain_gain).
    high: u64,
    drain: u64,
    window: u64,
}

impl Gains {
    fn of(params: &Params) -> Gains {
        let unit = UNIT as f64;
        Gains {
            high: (unit * params.startup_gain) as u64 + 1,
            drain: (unit / params.startup_gain) as u64,
            window: (unit * params.window_gain) as u64,
        }
    }
}

/// What the sender is about (section 4.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// Whether the transport repairs losses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Repair {
    No,
    /// After a loss.
    Recovery,
    /// After a timeout.
    Loss,
}

/// Whether the rate still grows in startup (section 4.3.2.2: full_bw).
#[derive(Clone, Copy, Debug, Default)]
struct Plateau {
    rate: u64,
    rounds: u32,
    reached: bool,
}

/// The closed window of ProbeRTT.
#[derive(Clone, Copy, Debug, Default)]
struct Closed {
    /// It opens at this time, once a round trip is over.
    until: Option<Time>,
    had_round: bool,
}

/// The controller. Rates are segments a microsecond in parts of [`BW_UNIT`], windows whole segments: as in Linux.
#[derive(Clone, Debug)]
pub struct Bbr {
    params: Params,
    state: State,
    gains: Gains,
    pacing_gain: u64,
    /// The largest delivery rate of the last rounds.
    bw: Filter,
    /// Rounds so far. Recovery and ProbeRTT begin rounds of their own.
    rounds: u64,
    /// The round ends when something sent after so many bytes were delivered is acknowledged.
    round_end: u64,
    plateau: Plateau,
    /// The place in [`CYCLE`], and since when, in microseconds.
    phase: (usize, u64),
    /// Cycles that have begun.
    cycles: usize,
    /// In microseconds.
    rtt: Option<u64>,
    rtt_seen_at: Time,
    closed: Closed,
    /// Rates of what was sent between these numbers of delivered bytes are low because the window was closed.
    limited: (u64, u64),
    /// Sending began again after an idle time, and nothing was delivered since.
    is_restarting: bool,
    has_rtt: bool,
    /// Now, and when an acknowledgement last set the window.
    repair: Repair,
    repair_before: Repair,
    /// In the first round of recovery, what is delivered lets as much leave.
    conserves: bool,
    /// The window before losses or ProbeRTT.
    window_before: u64,
    /// When recovery began, and the bytes found lost then: an acknowledgement of that time found them.
    found: (Time, u64),
    aggregation: Aggregation,
    policer: Policer,
    random: Option<Stream>,
}

impl Bbr {
    /// The rate to send at: that of a policer, if one was found (bbr_bw).
    fn rate(&self) -> u64 {
        self.policer.rate().unwrap_or_else(|| self.bw.largest())
    }

    fn window_gain(&self) -> u64 {
        match self.state {
            State::Startup | State::Drain => self.gains.high,
            State::ProbeBw => self.gains.window,
            State::ProbeRtt => UNIT,
        }
    }

    /// Segments that leave at once (bbr_tso_segs_goal).
    fn burst(control: &Control, signals: &Signals) -> u64 {
        let least = if control.pacing < SLOW { 1 } else { 2 };
        let bytes = (control.pacing.bytes_per_second() / BURSTS_A_SECOND).min(LARGEST_PIECE);
        (bytes / u64::from(signals.mss)).max(least).min(LARGEST_BURST)
    }

    /// Segments in flight at a gain, if bursts on the way are to fit (bbr_inflight).
    fn inflight(&self, bw: u64, gain: u64, signals: &Signals, control: &Control) -> u64 {
        self.with_bursts(self.product(bw, gain, signals), signals, control)
    }

    /// The bandwidth-delay product (bbr_bdp).
    fn product(&self, bw: u64, gain: u64, signals: &Signals) -> u64 {
        let Some(rtt) = self.rtt else { return segments(signals.initial_window, signals) };
        (bw * rtt * gain / UNIT).div_ceil(BW_UNIT)
    }

    fn with_bursts(&self, window: u64, signals: &Signals, control: &Control) -> u64 {
        // An even number, so that no acknowledgement is delayed; and two more where the rate is probed for (bbr_quantization_budget).
        let probes = self.state == State::ProbeBw && self.phase.0 == 0;
        (window + BURSTS * Bbr::burst(control, signals)).next_multiple_of(2) + if probes { 2 } else { 0 }
    }

    /// Segments that will be in the network when the next packet departs, of so many now (bbr_packets_in_net_at_edt).
    fn at_departure(&self, in_flight: u64, signals: &Signals, control: &Control) -> u64 {
        let wait = signals.departs_at.since(signals.now).as_nanos() / 1000;
        let delivered = self.rate().saturating_mul(wait) / BW_UNIT;
        let departs = if self.pacing_gain > UNIT { Bbr::burst(control, signals) } else { 0 };
        (in_flight + departs).saturating_sub(delivered)
    }

    /// Counts the round, and takes in the delivery rate (bbr_update_bw). True if a round has begun.
    fn take_rate(&mut self, signals: &Signals) -> bool {
        let sample = &signals.rate;
        let took = sample.interval.as_nanos() / 1000;
        if sample.rate == Rate::ZERO || took == 0 {
            return false;
        }
        let begins = sample.prior_delivered >= self.round_end;
        if begins {
            self.round_end = signals.delivered;
            self.rounds += 1;
            self.conserves = false;
        }
        let limited = self.is_limited(signals);
        if self.params.policer && self.policer.ack(signals, begins, limited, self.state == State::ProbeBw) {
            self.begin_cycle(signals.now);
        }
        // A rate that the application held down says only that the path is no slower.
        let bw = segments(sample.delivered, signals) * BW_UNIT / took;
        if !limited || bw >= self.bw.largest() {
            self.bw.take(self.params.rate_rounds.into(), self.rounds, bw);
        }
        begins
    }

    /// True if the delivery rate of a sample is not that of the path.
    fn is_limited(&self, signals: &Signals) -> bool {
        let (from, to) = self.limited;
        signals.rate.app_limited || (from..to).contains(&signals.rate.prior_delivered)
    }

    /// Moves to the next phase of the cycle if its time has come (bbr_is_next_cycle_phase).
    fn take_phase(&mut self, signals: &Signals, control: &Control) {
        if self.state != State::ProbeBw {
            return;
        }
        let now = micros(signals.now);
        let is_over = self.rtt.is_some_and(|rtt| now - self.phase.1 > rtt);
        let before = segments(signals.flight + signals.acked + signals.lost, signals);
        let in_flight = self.at_departure(before, signals, control);
        let bw = self.bw.largest();
        let next = if self.pacing_gain > UNIT {
            let full = in_flight >= self.inflight(bw, self.pacing_gain, signals, control);
            is_over && (signals.lost > 0 || full)
        } else if self.pacing_gain < UNIT {
            is_over || in_flight <= self.inflight(bw, UNIT, signals, control)
        } else {
            is_over
        };
        if next {
            self.phase = ((self.phase.0 + 1) % CYCLE.len(), now);
        }
    }

    /// Begins a cycle, in any phase but that which drains (bbr_reset_probe_bw_mode): flows that begin together shall not probe together.
    fn begin_cycle(&mut self, now: Time) {
        self.state = State::ProbeBw;
        let others = CYCLE.len() - 1;
        // Also where it is known, so that what follows does not hang on that.
        let drawn = self.random.as_mut().map_or(0, |random| random.random_range(0..others));
        let known = self.params.phases.get(self.cycles).map(|phase| *phase as usize);
        self.cycles += 1;
        self.phase = (known.unwrap_or((CYCLE.len() - drawn) % CYCLE.len()), micros(now));
    }

    /// Has startup filled the pipe (bbr_check_full_bw_reached)?
    fn take_growth(&mut self, signals: &Signals, round: bool) {
        if self.plateau.reached || !round || self.is_limited(signals) {
            return;
        }
        let rate = self.bw.largest();
        if rate >= self.plateau.rate * GROWTH / UNIT {
            (self.plateau.rate, self.plateau.rounds) = (rate, 0);
            return;
        }
        self.plateau.rounds += 1;
        self.plateau.reached = self.plateau.rounds >= FLAT_ROUNDS;
    }

    /// From startup to drain, and on when the queue is empty (bbr_check_drain).
    fn take_drain(&mut self, signals: &Signals, control: &mut Control) {
        let bw = self.bw.largest();
        if self.state == State::Startup && self.plateau.reached {
            self.state = State::Drain;
            control.threshold = self.inflight(bw, UNIT, signals, control) * u64::from(signals.mss);
        }
        if self.state == State::Drain
            && self.at_departure(segments(signals.flight, signals), signals, control)
                <= self.inflight(bw, UNIT, signals, control)
        {
            self.begin_cycle(signals.now);
        }
    }

    /// Takes in the round-trip time; closes the window if no smaller one was seen for long, and opens it again
    /// (bbr_update_min_rtt).
    fn take_rtt(&mut self, signals: &Signals, control: &mut Control, round: bool) {
        let now = signals.now;
        let expired = now > self.rtt_seen_at + self.params.rtt_window;
        let mss = u64::from(signals.mss);
        // The acknowledgement of a lone short segment may have been delayed (FLAG_ACK_MAYBE_DELAYED).
        let delayed = signals.acked < mss && signals.rate.delivered < mss;
        let rtt = signals.rtt.as_nanos() / 1000;
        if !signals.rtt.is_zero() && (self.rtt.is_none_or(|least| rtt < least) || expired && !delayed) {
            (self.rtt, self.rtt_seen_at) = (Some(rtt), now);
        }
        if expired && !self.is_restarting && self.state != State::ProbeRtt {
            self.state = State::ProbeRtt;
            self.keep_window(control);
            self.closed = Closed::default();
            self.limited.0 = signals.delivered;
        }
        if self.state == State::ProbeRtt {
            self.limited.1 = signals.delivered + signals.flight;
            match self.closed.until {
                None if segments(signals.flight, signals) <= u64::from(self.params.least_window) => {
                    self.closed.until = Some(now + self.params.closed_for);
                    self.round_end = signals.delivered;
                }
                None => {}
                Some(_) => {
                    self.closed.had_round |= round;
                    if self.closed.had_round {
                        self.open_when_due(now, control);
                    }
                }
            }
        }
        if signals.acked > 0 {
            self.is_restarting = false;
        }
    }

    /// The end of ProbeRTT, if it has come.
    fn open_when_due(&mut self, now: Time, control: &mut Control) {
        if self.closed.until.is_none_or(|until| now <= until) {
            return;
        }
        self.rtt_seen_at = now;
        control.window = control.window.max(self.window_before);
        if self.plateau.reached {
            self.begin_cycle(now);
        } else {
            self.state = State::Startup;
        }
    }

    /// Keeps the window for the time after losses or ProbeRTT (bbr_save_cwnd).
    fn keep_window(&mut self, control: &Control) {
        let whole = self.repair_before == Repair::No && self.state != State::ProbeRtt;
        self.window_before = if whole { control.window } else { self.window_before.max(control.window) };
    }

    /// The rate before one was measured: the window in a round trip (bbr_init_pacing_rate_from_rtt).
    fn first_pacing(&mut self, signals: &Signals, control: &mut Control) {
        self.has_rtt = !signals.smoothed_rtt.is_zero();
        let rtt = if self.has_rtt { (signals.smoothed_rtt.as_nanos() / 1000).max(1) } else { NOMINAL_RTT };
        let window = control.window.min(signals.initial_window);
        let bw = window / u64::from(signals.mss) * BW_UNIT / rtt;
        self.pace(bw, self.gains.high, signals, control);
    }

    fn pace(&self, bw: u64, gain: u64, signals: &Signals, control: &mut Control) {
        control.pacing = Rate::from_bytes_per_second(bytes_per_second(bw, gain, signals, self.params.margin));
    }

    // bbr_set_pacing_rate
    fn set_pacing(&mut self, bw: u64, gain: u64, signals: &Signals, control: &mut Control) {
        if !self.has_rtt && !signals.smoothed_rtt.is_zero() {
            self.first_pacing(signals, control);
        }
        let before = control.pacing;
        self.pace(bw, gain, signals, control);
        if control.pacing == Rate::ZERO || !self.plateau.reached && control.pacing <= before {
            control.pacing = before;
        }
    }

    /// Losses: in the first round of recovery as much leaves as is delivered (bbr_set_cwnd_to_recover_or_restore). Behind the repair
    /// the window is what it was. True if that is all to be done about the window.
    fn conserve(&mut self, signals: &Signals, control: &mut Control) -> bool {
        if signals.lost > 0 {
            control.window = control.window.saturating_sub(signals.lost).max(u64::from(signals.mss));
        }
        let before = std::mem::replace(&mut self.repair_before, self.repair);
        if self.repair == Repair::Recovery && before != Repair::Recovery {
            self.conserves = true;
            self.round_end = signals.delivered;
            control.window = signals.flight + signals.acked;
        } else if self.repair == Repair::No && before != Repair::No {
            self.conserves = false;
            control.window = control.window.max(self.window_before);
        }
        if self.conserves {
            control.window = control.window.max(signals.flight + signals.acked);
        }
        self.conserves
    }

    // bbr_set_cwnd
    fn set_window(&mut self, signals: &Signals, control: &mut Control) {
        let mss = u64::from(signals.mss);
        let least = u64::from(self.params.least_window) * mss;
        if signals.acked > 0 && !self.conserve(signals, control) {
            let bw = self.rate();
            let mut target = self.product(bw, self.window_gain(), signals);
            if self.params.aggregation && self.plateau.reached {
                target += self.aggregation.extra(bw);
            }
            let target = self.with_bursts(target, signals, control) * mss;
            if self.plateau.reached {
                control.window = (control.window + signals.acked).min(target);
            } else if control.window < target || signals.delivered + mss < signals.initial_window {
                // The SYN was delivered too (net/ipv4/tcp_input.c: tcp_clean_rtx_queue).
                control.window += signals.acked;
            }
            control.window = control.window.max(least);
        }
        if self.state == State::ProbeRtt {
            control.window = control.window.min(least);
        }
    }

    fn acknowledged(&mut self, signals: &Signals, control: &mut Control) {
        let (at, found) = std::mem::take(&mut self.found);
        self.policer.lose(signals.lost);
        let lost = if at == signals.now { signals.lost + found } else { signals.lost };
        let signals = &Signals { lost, ..*signals };
        if self.repair == Repair::Recovery && !signals.in_recovery && signals.event == Event::Ack {
            // A probe repaired the loss: there is no recovery (net/ipv4/tcp_input.c: tcp_process_tlp_ack).
            self.repair = Repair::No;
        }
        let round = self.take_rate(signals);
        if self.params.aggregation && signals.rate.rate > Rate::ZERO {
            let (acked, window) = (segments(signals.acked, signals), control.window / u64::from(signals.mss));
            self.aggregation.ack(signals, acked, round, self.rate(), window);
        }
        self.take_phase(signals, control);
        self.take_growth(signals, round);
        self.take_drain(signals, control);
        self.take_rtt(signals, control, round);
        self.pacing_gain = match self.state {
            State::Startup => self.gains.high,
            State::Drain => self.gains.drain,
            State::ProbeBw if self.policer.rate().is_none() => CYCLE[self.phase.0],
            State::ProbeBw | State::ProbeRtt => UNIT,
        };
        self.set_pacing(self.rate(), self.pacing_gain, signals, control);
        self.set_window(signals, control);
    }
}

impl Controller for Bbr {
    const CLASS: Class = Class::Model;
    const NEEDS: Needs =
        Needs::RATES.and(Needs::PACING).and(Needs::REPAIRS).and(Needs::RESTARTS).and(Needs::RANDOM);

    fn stand(&self) -> Option<Stand> {
        Some(Stand::of(match self.state {
            State::Startup => "Startup",
            State::Drain => "Drain",
            State::ProbeBw => "ProbeBW",
            State::ProbeRtt => "ProbeRTT",
        }))
    }

    fn on(&mut self, signals: &Signals, control: &mut Control) {
        match signals.event {
            Event::Start => {
                if !signals.min_rtt.is_zero() {
                    self.rtt = Some(signals.min_rtt.as_nanos() / 1000);
                }
                self.rtt_seen_at = signals.now;
                self.aggregation.begin(signals.now);
                self.first_pacing(signals, control);
            }
            Event::Ack => self.acknowledged(signals, control),
            Event::Recovered => {
                self.repair = Repair::No;
                if signals.acked > 0 {
                    self.acknowledged(signals, control);
                }
            }
            // bbr_undo_cwnd: the path may carry more than it seemed to.
            Event::Undone => {
                self.repair = Repair::No;
                (self.plateau.rate, self.plateau.rounds) = (0, 0);
                self.policer.forget(signals);
            }
            Event::Loss => {
                self.keep_window(control);
                self.repair = Repair::Recovery;
                self.found = (signals.now, signals.lost);
                self.policer.lose(signals.lost);
            }
            Event::Ecn => self.keep_window(control),
            Event::Timeout => {
                if !signals.repeated {
                    self.keep_window(control);
                }
                (self.repair, self.repair_before) = (Repair::Loss, Repair::Loss);
                self.plateau.rate = 0;
                self.policer.lose(signals.lost);
                if self.params.policer && self.policer.timeout(signals, self.state == State::ProbeBw) {
                    self.begin_cycle(signals.now);
                }
                control.window = u64::from(signals.mss);
            }
            // bbr_cwnd_event: CA_EVENT_TX_START.
            Event::Restart if signals.rate.app_limited => {
                self.is_restarting = true;
                self.aggregation.begin(signals.now);
                match self.state {
                    State::ProbeBw => self.set_pacing(self.rate(), UNIT, signals, control),
                    State::ProbeRtt => self.open_when_due(signals.now, control),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn start(&mut self, random: Random) {
        let mut stream = Stream::from(random);
        if self.params.draws > 0 {
            stream = Random::of(stream.random::<u64>().wrapping_add(self.params.draws)).into();
        }
        self.random = Some(stream);
    }
}
