//! The sending end: pacing, probes, retransmission, and what to do without a rate.

use std::sync::Arc;

use dumbbell_core::rng::Stream;
use dumbbell_core::{Duration, Ecn, FlowTag, Frame, Packet, Stage, Time};
use dumbbell_header::{RcpHeader, RcpKind};
use rand::RngExt;

use super::params::{Compat, Params, SACK_BITS, bytes_a_second, rate_in};
use crate::late;
use crate::ranges::Ranges;
use crate::transport::{Failure, Opening, SendEnd, SenderReport, SenderState, TimeoutCauses};

/// Packets acknowledged above one that is then taken for lost: as many as for TCP (RFC 6675 section 2: DupThresh).
const REORDERING: u32 = 3;
/// Doublings of the retransmission timeout, at most.
const MOST_DOUBLINGS: u32 = 6;
/// With `compat = "ns2"`: probes are a round-trip time apart, and an answer with a false time makes that zero; headers say
/// it in microseconds.
const SHORTEST_PERIOD: Duration = Duration::from_micros(1);
/// With `compat = "ns2"`: the probability that a sender that is first offered a rate of 0 quits (rcp-host.cc: QUIT_PROB).
const QUIT: f64 = 0.1;

/// Where a flow stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Before the flow's start.
    Unopened,
    /// A SYN was sent.
    Opening,
    /// There is a rate.
    Running,
    /// There is none: the rate was 0, or no router wrote one.
    Paused,
    /// Everything is acknowledged.
    Done,
    /// The sender gave up.
    Failed(Failure),
}

/// The sending end of a flow.
#[derive(Debug)]
pub struct Sender {
    // What every packet and every answer touches comes first.
    /// All packets below this number are acknowledged.
    cum: u32,
    /// The next packet that was never sent.
    next: u32,
    /// Packets of the flow; `u32::MAX` if it has no end.
    total: u32,
    /// The latest round-trip time in microseconds; 0 before the first.
    rtt: u32,
    phase: Phase,
    /// True while a packet is due again, or never was sent.
    busy: bool,
    /// True if a SYN or a probe is due.
    asks: bool,
    /// Bytes a second.
    rate: u64,
    /// Time that a full packet takes at this rate.
    interval: Duration,
    /// When the latest data packet should have left.
    last_send: Time,
    /// When the next data packet may leave, if there is one.
    due: Time,
    /// When a SYN or probe is sent; never if none is.
    probe_at: Time,
    /// When what is outstanding is taken for lost; never if nothing is.
    rto_at: Time,
    /// The sender's clock in the newest answer whose rate was taken.
    newest: u64,
    smoothed: Duration,
    min: Duration,
    /// Timeouts in a row: the timeout has doubled as often.
    expired: u32,
    flow: FlowTag,
    /// Bytes of a full packet.
    size: u16,
    /// Bytes of the last packet.
    last_size: u16,
    /// The rate that every packet asks for.
    desired: u64,
    packets: u64,
    params: Arc<Params>,
    // What only probes and losses touch.
    /// Distance of the next probes.
    period: Duration,
    /// Number of the next SYN or probe.
    probe: u32,
    /// SYNs or probes in a row that nobody answered.
    unanswered: u32,
    /// Answers in a row without a rate.
    missing: u32,
    /// What was acknowledged above `cum`.
    held: Ranges,
    /// Every packet below this number that is not acknowledged is lost.
    lost_below: u32,
    /// Every lost packet below this number was sent again.
    resent_below: u32,
    /// When the latest packet was sent again, by the sender's clock.
    resent_at: u64,
    /// Packets sent later than that and acknowledged.
    overtakers: u32,
    rng: Stream,
    retransmissions: u64,
    timeouts: u32,
    ignored: u64,
    finished: Option<Time>,
}

impl Sender {
    /// A sender before its start.
    pub fn new(params: Arc<Params>, opening: Opening) -> Sender {
        let payload = u64::from(params.segment(opening.mtu));
        let header = params.header;
        let full = header + payload as u16;
        let (total, last_size) = match opening.size {
            None => (u32::MAX, full),
            Some(size) => {
                let packets = size.div_ceil(payload).max(1);
                let rest = size.saturating_sub((packets - 1) * payload) as u16;
                // A flow of more packets than numbers has no end that a run could reach.
                (u32::try_from(packets).unwrap_or(u32::MAX), header + rest)
            }
        };
        Sender {
            cum: 0,
            next: 0,
            total,
            rtt: 0,
            phase: Phase::Unopened,
            busy: false,
            asks: false,
            rate: 0,
            interval: Duration::MAX,
            last_send: Time::ZERO,
            due: Time::NEVER,
            probe_at: Time::NEVER,
            rto_at: Time::NEVER,
            newest: 0,
            smoothed: Duration::ZERO,
            min: Duration::ZERO,
            expired: 0,
            flow: opening.flow,
            size: full,
            last_size,
            desired: params.desired.map_or(RcpHeader::NO_LIMIT, bytes_a_second),
            packets: 0,
            period: params.syn_timeout,
            probe: 0,
            unanswered: 0,
            missing: 0,
            held: Ranges::default(),
            lost_below: 0,
            resent_below: 0,
            resent_at: 0,
            overtakers: 0,
            rng: opening.rng,
            retransmissions: 0,
            timeouts: 0,
            ignored: 0,
            finished: None,
            params,
        }
    }

    /// Takes in an answer.
    #[inline]
    pub fn take(&mut self, now: Time, header: &RcpHeader) {
        let known = matches!(header.kind, RcpKind::SynAck | RcpKind::RefAck | RcpKind::Ack);
        let plausible = header.ts <= now.as_nanos() && header.cum_ack <= self.next;
        let open = matches!(self.phase, Phase::Opening | Phase::Running | Phase::Paused);
        if !(known && plausible && open) || header.kind == RcpKind::Ack && header.seq >= self.next {
            self.ignored += u64::from(!(known && plausible));
            return;
        }
        self.measure(now.since(Time::from_nanos(header.ts)));
        if header.kind == RcpKind::Ack {
            self.acknowledged(now, header);
            if self.phase == Phase::Done {
                return;
            }
        }
        self.unanswered = 0;
        if header.ts >= self.newest {
            self.newest = header.ts;
            if header.rate != self.rate || self.phase != Phase::Running {
                self.offered(now, header);
            }
        }
    }

    /// The header to send now and the bytes of the packet, if there is one.
    #[inline]
    pub fn next_header(&mut self, now: Time) -> Option<(RcpHeader, u16)> {
        if self.asks {
            return Some(self.ask(now));
        }
        if !self.busy || now < self.due {
            return None;
        }
        let (seq, again) = match self.lost() {
            Some(seq) => (seq, true),
            None => (self.next, false),
        };
        let mut flags = if again { RcpHeader::RETRANSMIT } else { 0 };
        let (mut size, mut total) = (self.size, 0);
        if seq + 1 == self.total {
            (size, total) = (self.last_size, self.total);
            flags |= RcpHeader::LAST;
        }
        if again {
            self.retransmissions += 1;
            self.resent_below = seq + 1;
            self.resent_at = now.as_nanos();
            self.overtakers = 0;
        } else {
            self.next += 1;
        }
        self.busy = self.next < self.total || self.lost().is_some();
        self.last_send = late::departure(now, self.due, self.interval);
        self.due = self.last_send + self.time_to_send(size);
        self.rto_at = now + self.timeout();
        Some((self.header(now, RcpKind::Data, seq, flags, total), size))
    }

    #[inline]
    fn header(&mut self, now: Time, kind: RcpKind, seq: u32, flags: u8, total: u32) -> RcpHeader {
        self.packets += 1;
        let measured = if self.rtt == 0 { 0 } else { RcpHeader::RTT_VALID };
        RcpHeader {
            kind,
            flags: flags | measured,
            seq,
            cum_ack: 0,
            rate: self.desired,
            rtt: self.rtt,
            total,
            ts: now.as_nanos(),
            sack: 0,
        }
    }

    /// A SYN before there is a rate, a probe after.
    #[cold]
    fn ask(&mut self, now: Time) -> (RcpHeader, u16) {
        self.asks = false;
        let number = self.probe;
        self.probe += 1;
        let (kind, total) = match self.phase {
            Phase::Opening => (RcpKind::Syn, if self.total == u32::MAX { 0 } else { self.total }),
            _ => (RcpKind::Ref, 0),
        };
        (self.header(now, kind, number, 0, total), self.params.header)
    }

    #[inline]
    fn time_to_send(&self, size: u16) -> Duration {
        if size == self.size { self.interval } else { time_to_send(size, self.rate) }
    }

    #[inline]
    fn timeout(&self) -> Duration {
        let timeout = (self.smoothed * 2).max(self.params.rto_min);
        if self.expired == 0 { timeout } else { timeout * (1 << self.expired.min(MOST_DOUBLINGS)) }
    }

    #[inline]
    fn measure(&mut self, rtt: Duration) {
        self.rtt = u32::try_from(rtt.as_nanos() / 1000).unwrap_or(u32::MAX).max(1);
        if self.smoothed.is_zero() {
            (self.smoothed, self.min) = (rtt, rtt);
        } else {
            // The gain of RFC 6298 section 2.3: 1/8.
            self.smoothed = Duration::from_nanos(
                (self.smoothed.as_nanos().cast_signed()
                    + (rtt.as_nanos().cast_signed() - self.smoothed.as_nanos().cast_signed()) / 8)
                    as u64,
            );
            self.min = self.min.min(rtt);
        }
    }

    /// A data packet was acknowledged.
    #[inline]
    fn acknowledged(&mut self, now: Time, header: &RcpHeader) {
        if header.cum_ack > self.cum {
            self.cum = header.cum_ack;
            self.expired = 0;
            if self.cum == self.total {
                self.phase = Phase::Done;
                self.finished = Some(now);
                self.busy = false;
                (self.probe_at, self.rto_at) = (Time::NEVER, Time::NEVER);
                return;
            }
        }
        if header.sack != 0 || header.seq > self.cum || !self.held.is_empty() {
            self.acknowledged_under_loss(now, header);
        } else if self.phase == Phase::Running {
            self.rto_at = if self.cum == self.next { Time::NEVER } else { now + self.timeout() };
        }
    }

    /// An answer while packets are missing or arrive out of order.
    #[cold]
    fn acknowledged_under_loss(&mut self, now: Time, header: &RcpHeader) {
        let base = u64::from(header.cum_ack) + 1;
        let mut told = |seq: u64| {
            if seq >= u64::from(self.cum) && seq < u64::from(self.next) {
                self.held.insert(seq, seq + 1, |_, _| {});
            }
        };
        told(u64::from(header.seq));
        (0..SACK_BITS).filter(|k| header.sack >> k & 1 == 1).for_each(|k| told(base + u64::from(k)));
        self.held.remove_below(u64::from(self.cum));
        self.lost_below = self.lost_below.max(self.cum);
        if let Some((_, end)) = self.held.last() {
            self.lost_below = self.lost_below.max((end as u32).saturating_sub(REORDERING));
        }
        // What was sent again and was overtaken by what was sent later is lost once more.
        if header.ts > self.resent_at && self.cum < self.resent_below {
            self.overtakers += 1;
            if self.overtakers >= REORDERING {
                self.resent_below = self.cum;
            }
        }
        if self.phase == Phase::Running {
            self.rto_at = now + self.timeout();
            self.resume(now);
        }
    }

    /// The first packet that is lost and was not sent again since.
    #[inline]
    fn lost(&self) -> Option<u32> {
        if self.lost_below <= self.cum {
            return None;
        }
        let from = self.resent_below.max(self.cum);
        let seq = self.held.gap(u64::from(from)).0 as u32;
        (seq < self.lost_below).then_some(seq)
    }

    /// Makes data due if there is any and it was not.
    fn resume(&mut self, now: Time) {
        if !self.busy && (self.next < self.total || self.lost().is_some()) {
            self.busy = true;
            self.due = (self.last_send + self.interval).max(now);
        }
    }

    /// An answer brought a rate, or none.
    #[cold]
    fn offered(&mut self, now: Time, header: &RcpHeader) {
        match rate_in(header) {
            Some(rate) if rate > 0 => self.run(now, rate),
            rate => self.pause(now, rate.is_none()),
        }
    }

    /// There is a rate.
    fn run(&mut self, now: Time, rate: u64) {
        let first = self.phase == Phase::Opening;
        let interval = time_to_send(self.size, rate);
        if self.params.compat == Compat::Ns2 && self.phase == Phase::Paused && interval == self.interval {
            return;
        }
        self.phase = Phase::Running;
        self.missing = 0;
        (self.rate, self.interval) = (rate, interval);
        self.busy = self.next < self.total || self.lost().is_some();
        self.due = if first { now } else { (self.last_send + interval).max(now) };
        if !self.busy && self.rto_at == Time::NEVER {
            self.rto_at = now + self.timeout();
        }
        // Packets further apart than a round-trip time: probes keep the rate fresh (rcp-host.cc: RCP_RUNNING_WREF).
        if interval > self.min {
            self.period = self.min.max(self.params.probe_min).min(self.params.probe_running);
            self.probe_at = self.probe_at.min(now + self.period);
        } else {
            self.probe_at = Time::NEVER;
        }
    }

    /// There is no rate.
    fn pause(&mut self, now: Time, missing: bool) {
        let first = self.phase == Phase::Opening;
        let began = self.phase != Phase::Paused;
        self.phase = Phase::Paused;
        self.busy = false;
        self.rto_at = Time::NEVER;
        self.missing = if missing { self.missing + 1 } else { 0 };
        if self.missing > self.params.retries {
            return self.fail(Failure::NoRate);
        }
        if self.params.compat == Compat::Ns2 {
            // Probes go out only if their timer was running already, and some flows quit.
            if first && self.rng.random_bool(QUIT) {
                return self.fail(Failure::Quit);
            }
            self.period = self.params.probe_running.min(self.min).max(SHORTEST_PERIOD);
            if first {
                self.probe_at = now + self.period;
            }
        } else if began {
            self.period = self.smoothed.max(self.params.probe_min).min(self.params.probe_max);
            self.probe_at = now + self.jittered();
        }
    }

    /// The time to the next probe: random, so that flows paused together do not stay together.
    fn jittered(&mut self) -> Duration {
        self.period.mul_f64(self.rng.random_range(0.9..1.1))
    }

    fn fail(&mut self, failure: Failure) {
        self.phase = Phase::Failed(failure);
        self.busy = false;
        self.asks = false;
        (self.probe_at, self.rto_at) = (Time::NEVER, Time::NEVER);
    }

    /// A SYN or a probe is due.
    fn probe(&mut self, now: Time) {
        if self.unanswered > self.params.retries && self.params.compat == Compat::None {
            let opening = self.phase == Phase::Opening;
            return self.fail(if opening { Failure::Unanswered } else { Failure::ProbesUnanswered });
        }
        self.unanswered += 1;
        self.asks = true;
        match (self.phase, self.params.compat) {
            (Phase::Opening, Compat::None) => {
                self.probe_at = now + self.period;
                self.period = self.period * 2;
            }
            (Phase::Paused, Compat::None) => {
                // The first distance was the shortest: P0 has passed.
                self.period = (self.period * 2).min(self.params.probe_max);
                self.probe_at = now + self.jittered();
            }
            _ => self.probe_at = now + self.period,
        }
    }

    /// Nothing was heard of what is outstanding.
    fn expire(&mut self, now: Time) {
        self.timeouts += 1;
        self.expired += 1;
        if self.expired > self.params.retries {
            return self.fail(Failure::TimedOut);
        }
        self.lost_below = self.next;
        self.resent_below = self.cum;
        // Armed again by the next packet: at a low rate that may be long after.
        self.rto_at = Time::NEVER;
        self.resume(now);
    }

    #[cold]
    fn wake_other(&mut self, now: Time) {
        if self.phase == Phase::Unopened {
            self.phase = Phase::Opening;
            self.probe(now);
            return;
        }
        if now >= self.probe_at {
            self.probe(now);
        }
        if now >= self.rto_at {
            self.expire(now);
        }
    }
}

/// Time that `size` bytes take at `rate` bytes a second. A header may tell any rate: two packets never leave at once.
fn time_to_send(size: u16, rate: u64) -> Duration {
    Duration::from_nanos((u64::from(size) * 1_000_000_000 / rate).max(1))
}

impl Stage for Sender {
    #[inline]
    fn push(&mut self, now: Time, packet: &Packet) {
        if let Some(header) = packet.read() {
            self.take(now, &header);
        }
    }

    #[inline]
    fn pull(&mut self, now: Time) -> Option<Packet> {
        let (header, size) = self.next_header(now)?;
        Some(Packet::of(header, self.flow, size, Ecn::NotEct))
    }

    #[inline]
    fn wake(&mut self, now: Time) {
        if now >= self.probe_at.min(self.rto_at) || self.phase == Phase::Unopened {
            self.wake_other(now);
        }
    }

    #[inline]
    fn wake_at(&self) -> Time {
        let data = if self.busy { self.due } else { Time::NEVER };
        data.min(self.probe_at).min(self.rto_at)
    }
}

impl SendEnd for Sender {
    fn report(&self) -> SenderReport {
        SenderReport {
            packets_sent: self.packets,
            retransmissions: self.retransmissions,
            timeouts: self.timeouts,
            causes: TimeoutCauses::default(),
            cuts: 0,
            window: 0,
            min_rtt: self.min,
            smoothed_rtt: self.smoothed,
            finished: self.finished,
            failure: match self.phase {
                Phase::Failed(failure) => Some(failure),
                _ => None,
            },
        }
    }

    fn state(&self) -> SenderState {
        let pacing = (self.rate > 0).then_some(self.rate as f64 * 8.0);
        SenderState { smoothed_rtt: self.smoothed, min_rtt: self.min, pacing, ..SenderState::default() }
    }

    fn ignored(&self) -> u64 {
        self.ignored
    }

    #[inline]
    fn is_closed(&self) -> bool {
        matches!(self.phase, Phase::Done | Phase::Failed(_))
    }
}
