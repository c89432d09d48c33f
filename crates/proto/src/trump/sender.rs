//! The source: set-up, pacing, retransmission, teardown.

use std::collections::VecDeque;
use std::sync::Arc;

use dumbbell_core::{Duration, Ecn, FlowTag, Frame, Packet, Stage, Time};
use dumbbell_header::{TrumpHeader, TrumpKind};

use super::params::Params;
use crate::late;
use crate::numbered::REACH;
use crate::transport::{Failure, Opening, SendEnd, SenderReport, SenderState, TimeoutCauses};

/// The lowest and the highest rate, in bits a second, that the thesis lets a header say. So no flow stops for ever, and
/// none sends without end at once.
const LEAST_RATE: f64 = 1.0;
const MOST_RATE: f64 = 1e12;

/// Place of a transmission whose packet is acknowledged, or lost and not sent again.
const ACKNOWLEDGED: u32 = u32::MAX;
const LOST: u32 = u32::MAX - 1;

/// Where a flow stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Before the flow's start.
    Unopened,
    /// Set-up packets leave until one is answered.
    Opening,
    /// There is a rate.
    Running,
    /// Everything is acknowledged, and the teardown packet is due.
    Closing,
    /// It has left.
    Done,
    /// The source gave up.
    Failed(Failure),
}

/// The source of a flow.
#[derive(Debug)]
pub struct Sender {
    // What every packet and every answer touches comes first.
    /// All packets below this number are acknowledged.
    cum: u32,
    /// The next packet that was never sent.
    next: u32,
    /// Packets of the message; `u32::MAX` if it has no end.
    total: u32,
    /// Data packets sent so far: the number of the next transmission.
    transmissions: u32,
    phase: Phase,
    /// True while a packet is to be sent.
    busy: bool,
    /// The rate for the flow's data that routers returned, and who allows no more.
    return_rate: f32,
    return_bottleneck: u32,
    /// An answer to an earlier transmission cannot raise the rate: a router has lowered it since.
    quenched_before: u32,
    /// Bits a second at which the source sends.
    rate: f64,
    /// Time that a full packet takes at this rate.
    interval: Duration,
    /// When the latest data packet left, and its bytes.
    last_send: Time,
    sent_size: u16,
    /// When the next data packet may leave, if there is one.
    due: Time,
    /// When something was last heard; or when something became outstanding, if that was later.
    heard: Time,
    /// When what is not acknowledged is sent again; never while there is anything else to send.
    tail_at: Time,
    /// By packet, from `cum` on: its latest transmission, [`ACKNOWLEDGED`] or [`LOST`].
    packets: VecDeque<u32>,
    /// By transmission, from `first_transmission` on: the packet.
    sent: VecDeque<u32>,
    first_transmission: u32,
    /// Lost packets in the order in which they were found; some may have been acknowledged since.
    lost: VecDeque<u32>,
    flow: FlowTag,
    /// Bytes of a full packet.
    size: u16,
    /// Bytes of the last packet.
    last_size: u16,
    params: Arc<Params>,
    // What only set-up, losses and the end touch.
    /// The most that the source can send.
    most: f64,
    /// A set-up or teardown packet that is due.
    control: Option<TrumpKind>,
    /// When the flow began, and when the next set-up packet leaves; never after the first answer.
    began: Time,
    setup_at: Time,
    packets_sent: u64,
    retransmissions: u64,
    timeouts: u32,
    quenches: u32,
    ignored: u64,
    finished: Option<Time>,
}

impl Sender {
    /// A source before its start.
    pub fn new(params: Arc<Params>, opening: Opening) -> Sender {
        let payload = u64::from(params.segment(opening.mtu));
        let full = params.full(opening.mtu);
        let (total, last_size) = match opening.size {
            None => (u32::MAX, full),
            Some(size) => {
                let packets = size.div_ceil(payload).max(1);
                let rest = size.saturating_sub((packets - 1) * payload) as u16;
                // A flow of more packets than numbers has no end that a run could reach.
                (u32::try_from(packets).unwrap_or(u32::MAX), params.header + rest)
            }
        };
        let most = [opening.access, params.desired].into_iter().flatten().map(|rate| rate.as_bps() as f64);
        Sender {
            cum: 0,
            next: 0,
            total,
            transmissions: 0,
            phase: Phase::Unopened,
            busy: false,
            return_rate: TrumpHeader::NO_LIMIT,
            return_bottleneck: 0,
            quenched_before: 0,
            rate: 0.0,
            interval: Duration::MAX,
            last_send: Time::ZERO,
            sent_size: 0,
            due: Time::NEVER,
            heard: Time::ZERO,
            tail_at: Time::NEVER,
            packets: VecDeque::new(),
            sent: VecDeque::new(),
            first_transmission: 0,
            lost: VecDeque::new(),
            flow: opening.flow,
            size: full,
            last_size,
            most: most.fold(f64::INFINITY, f64::min),
            control: None,
            began: Time::ZERO,
            setup_at: Time::NEVER,
            packets_sent: 0,
            retransmissions: 0,
            timeouts: 0,
            quenches: 0,
            ignored: 0,
            finished: None,
            params,
        }
    }

    /// Takes in an answer.
    #[inline]
    pub fn take(&mut self, now: Time, header: &TrumpHeader) {
        match (header.kind, self.phase) {
            (TrumpKind::Ack, Phase::Running) if self.is_plausible(header) => self.acknowledged(now, header),
            (TrumpKind::Ack, Phase::Running) => self.ignored += 1,
            (TrumpKind::SetupAck, Phase::Opening) => self.opened(now, header),
            (TrumpKind::Quench, Phase::Running) => self.quenched(now, header),
            (TrumpKind::SetupAck | TrumpKind::Quench, _) => {}
            (TrumpKind::Ack, Phase::Closing | Phase::Done | Phase::Failed(_)) => {}
            _ => self.ignored += 1,
        }
    }

    /// The header to send now and the bytes of the packet, if there is one.
    #[inline]
    pub fn next_header(&mut self, now: Time) -> Option<(TrumpHeader, u16)> {
        if let Some(kind) = self.control.take() {
            return Some(self.control_packet(now, kind));
        }
        if !self.busy || now < self.due {
            return None;
        }
        let transmission = self.transmissions;
        let number = match self.first_lost() {
            Some(number) => {
                self.lost.pop_front();
                self.packets[(number - self.cum) as usize] = transmission;
                self.retransmissions += 1;
                number
            }
            None => {
                let number = self.next;
                self.next += 1;
                if self.packets.is_empty() {
                    self.heard = now;
                }
                self.packets.push_back(transmission);
                number
            }
        };
        self.sent.push_back(number);
        self.transmissions += 1;
        self.packets_sent += 1;
        let size = if number + 1 == self.total { self.last_size } else { self.size };
        (self.last_send, self.sent_size) = (late::departure(now, self.due, self.interval), size);
        self.due = self.last_send + self.time_to_send(size);
        self.look(now);
        let header = TrumpHeader {
            kind: TrumpKind::Data,
            rate: self.return_rate,
            bottleneck: self.return_bottleneck,
            number,
            transmission,
            mark: now.as_nanos(),
            ..self.header()
        };
        Some((header, size))
    }

    #[inline]
    fn header(&self) -> TrumpHeader {
        TrumpHeader {
            desired: self.params.desired.map_or(TrumpHeader::NO_LIMIT, |rate| rate.as_bps() as f32),
            total: if self.total == u32::MAX { 0 } else { self.total },
            ..TrumpHeader::default()
        }
    }

    #[cold]
    fn control_packet(&mut self, now: Time, kind: TrumpKind) -> (TrumpHeader, u16) {
        if self.phase == Phase::Closing {
            self.phase = Phase::Done;
        }
        self.packets_sent += 1;
        let header = self.header();
        (TrumpHeader { kind, rate: header.desired, mark: now.as_nanos(), ..header }, self.params.header)
    }

    /// Time that so many bytes take at the rate.
    #[inline]
    fn time_to_send(&self, size: u16) -> Duration {
        if size == self.size { self.interval } else { spacing(size, self.rate) }
    }

    /// True for an acknowledgement of packets that were sent.
    #[inline]
    fn is_plausible(&self, header: &TrumpHeader) -> bool {
        let highest = u64::from(header.number) + u64::from(63 - (header.mark | 1).leading_zeros());
        header.mark != 0 && highest < u64::from(self.next) && header.transmission < self.transmissions
    }

    /// Data packets were acknowledged.
    #[inline]
    fn acknowledged(&mut self, now: Time, header: &TrumpHeader) {
        let mut mark = header.mark;
        while mark != 0 {
            let number = header.number + mark.trailing_zeros();
            mark &= mark - 1;
            if number >= self.cum {
                self.packets[(number - self.cum) as usize] = ACKNOWLEDGED;
            }
        }
        while self.packets.front() == Some(&ACKNOWLEDGED) {
            self.packets.pop_front();
            self.cum += 1;
        }
        self.heard = now;
        if self.cum == self.total {
            self.finish(now);
            return;
        }
        self.find_losses(header.transmission);
        let lowered = header.transmission < self.quenched_before && header.return_rate > self.return_rate;
        if !lowered {
            self.offered(now, header.return_rate, header.return_bottleneck);
        }
        self.look(now);
    }

    /// Finds what an acknowledgement of transmission `latest` shows to be lost: what was sent earlier and is not
    /// acknowledged. Choice: how losses are found without timers is not published; paths keep the order of packets.
    #[inline]
    fn find_losses(&mut self, latest: u32) {
        while let Some(&number) = self.sent.front() {
            let transmission = self.first_transmission;
            let outstanding =
                number >= self.cum && self.packets[(number - self.cum) as usize] == transmission;
            if outstanding {
                if latest.saturating_sub(transmission) <= self.params.reordering {
                    break;
                }
                self.lose(number);
            }
            self.sent.pop_front();
            self.first_transmission += 1;
        }
    }

    #[cold]
    fn lose(&mut self, number: u32) {
        self.packets[(number - self.cum) as usize] = LOST;
        self.lost.push_back(number);
    }

    /// The packet found lost first that is still missing.
    #[inline]
    fn first_lost(&mut self) -> Option<u32> {
        while let Some(&number) = self.lost.front() {
            if number >= self.cum && self.packets[(number - self.cum) as usize] == LOST {
                return Some(number);
            }
            self.lost.pop_front();
        }
        None
    }

    /// The end of what may be sent: that of the message, or of what the destination takes in.
    #[inline]
    fn end(&self) -> u32 {
        self.total.min(self.cum.saturating_add(REACH))
    }

    /// Looks for something to send; without anything, waits for the end of the message to be acknowledged.
    #[inline]
    fn look(&mut self, now: Time) {
        let busy = self.next < self.end() || self.first_lost().is_some();
        if busy && !self.busy {
            self.due = (self.last_send + self.time_to_send(self.sent_size)).max(now);
        }
        self.busy = busy;
        self.tail_at = if busy { Time::NEVER } else { now + self.patience() };
    }

    /// How long the source waits at the end of a message. Choice: at least two intervals, and as much longer as the
    /// destination may hold a report back; so a slow flow does not send twice what is on its way.
    fn patience(&self) -> Duration {
        let held_back = if self.params.selacksize > 1 { self.params.ack_delay } else { Duration::ZERO };
        (self.params.retry + held_back).max(self.interval * 2)
    }

    /// The first answer: there is a rate.
    #[cold]
    fn opened(&mut self, now: Time, header: &TrumpHeader) {
        self.phase = Phase::Running;
        self.setup_at = Time::NEVER;
        self.offered(now, header.return_rate, header.return_bottleneck);
        self.busy = true;
        self.due = now;
    }

    /// A router tells that the rate has fallen (chapter 11.3). Choice: answers to what was sent before cannot raise it,
    /// for they are older; without this rule the next acknowledgement would take the quench back.
    #[cold]
    fn quenched(&mut self, now: Time, header: &TrumpHeader) {
        if header.return_rate < self.return_rate {
            self.quenches += 1;
            self.quenched_before = self.transmissions;
            self.offered(now, header.return_rate, header.return_bottleneck);
        }
    }

    /// Routers return a rate.
    #[inline]
    fn offered(&mut self, now: Time, rate: f32, bottleneck: u32) {
        self.return_bottleneck = bottleneck;
        if rate != self.return_rate || self.rate == 0.0 {
            self.change_rate(now, rate);
        }
    }

    /// Choice: the next packet leaves when it would have left at the new rate, or now if that has passed: at once, and
    /// without a burst.
    #[cold]
    fn change_rate(&mut self, now: Time, rate: f32) {
        self.return_rate = rate;
        self.rate = f64::from(rate).min(self.most).clamp(LEAST_RATE, MOST_RATE);
        self.interval = spacing(self.size, self.rate);
        self.due = (self.last_send + self.time_to_send(self.sent_size)).max(now);
    }

    #[cold]
    fn finish(&mut self, now: Time) {
        self.phase = Phase::Closing;
        self.control = Some(TrumpKind::Teardown);
        self.finished = Some(now);
        self.stop();
    }

    fn fail(&mut self, failure: Failure) {
        self.phase = Phase::Failed(failure);
        self.control = None;
        self.stop();
    }

    fn stop(&mut self) {
        self.busy = false;
        (self.setup_at, self.tail_at) = (Time::NEVER, Time::NEVER);
        (self.packets, self.sent, self.lost) = Default::default();
    }

    /// When the source gives up; never if it waits for nothing.
    #[inline]
    fn gives_up_at(&self) -> Time {
        if self.packets.is_empty() { Time::NEVER } else { self.heard + self.params.give_up }
    }

    #[cold]
    fn wake_other(&mut self, now: Time) {
        match self.phase {
            Phase::Unopened => {
                self.phase = Phase::Opening;
                self.began = now;
                self.ask(now);
            }
            Phase::Opening if now >= self.began + self.params.give_up => self.fail(Failure::Unanswered),
            Phase::Opening => self.ask(now),
            _ if now >= self.gives_up_at() => self.fail(Failure::TimedOut),
            _ => self.expire(now),
        }
    }

    fn ask(&mut self, now: Time) {
        self.control = Some(TrumpKind::Setup);
        self.setup_at = (now + self.params.retry).min(self.began + self.params.give_up);
    }

    /// Everything is sent, and nothing was heard of some of it.
    fn expire(&mut self, now: Time) {
        self.timeouts += 1;
        for number in (self.cum..).take(self.packets.len()) {
            if self.packets[(number - self.cum) as usize] < LOST {
                self.lose(number);
            }
        }
        self.look(now);
    }
}

/// Time between packets at `rate` bits a second. Rounded up, so that no queue grows by the rounding.
fn spacing(size: u16, rate: f64) -> Duration {
    Duration::from_nanos((f64::from(size) * 8e9 / rate).ceil() as u64)
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
        let other = self.setup_at.min(self.tail_at).min(self.gives_up_at());
        if now >= other || self.phase == Phase::Unopened {
            self.wake_other(now);
        }
    }

    #[inline]
    fn wake_at(&self) -> Time {
        let data = if self.busy { self.due } else { self.tail_at };
        data.min(self.setup_at).min(self.gives_up_at())
    }
}

impl SendEnd for Sender {
    fn report(&self) -> SenderReport {
        SenderReport {
            packets_sent: self.packets_sent,
            retransmissions: self.retransmissions,
            timeouts: self.timeouts,
            causes: TimeoutCauses { tail: self.timeouts, ..TimeoutCauses::default() },
            cuts: self.quenches,
            window: 0,
            min_rtt: Duration::ZERO,
            smoothed_rtt: Duration::ZERO,
            finished: self.finished,
            failure: match self.phase {
                Phase::Failed(failure) => Some(failure),
                _ => None,
            },
        }
    }

    fn state(&self) -> SenderState {
        SenderState { pacing: (self.rate > 0.0).then_some(self.rate), ..SenderState::default() }
    }

    fn ignored(&self) -> u64 {
        self.ignored
    }

    #[inline]
    fn is_closed(&self) -> bool {
        matches!(self.phase, Phase::Done | Phase::Failed(_))
    }

    fn notice(&mut self, now: Time, packet: &Packet) {
        self.push(now, packet);
    }
}
