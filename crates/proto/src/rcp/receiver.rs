//! The receiving end: answers every packet.

use dumbbell_core::{Ecn, FlowTag, Frame, Packet, Stage, Time};
use dumbbell_header::{RcpHeader, RcpKind};

use super::params::SACK_BITS;
use crate::ranges::Ranges;
use crate::transport::{ReceiveEnd, ReceiverReport};

/// Packets above the next one expected that are taken in: more than any path holds, so that a header made up by somebody
/// cannot fill the memory.
const REACH: u32 = 1 << 22;

/// The receiving end of a flow.
#[derive(Debug)]
pub struct Receiver {
    /// The answer that is due.
    answer: Option<RcpHeader>,
    /// All packets below this number have arrived.
    next: u32,
    /// Packets of the flow; `u32::MAX` while unknown.
    total: u32,
    flow: FlowTag,
    header: u16,
    /// Payload of a full packet: the largest seen.
    payload: u16,
    /// Payload of all packets that have arrived, each counted once.
    bytes: u64,
    packets: u64,
    out_of_order: u64,
    ignored: u64,
    finished: Option<Time>,
    /// What arrived above `next`.
    held: Ranges,
}

impl Receiver {
    /// A receiver of packets with headers of `header` bytes.
    pub fn new(flow: impl Into<FlowTag>, header: u16) -> Receiver {
        Receiver {
            answer: None,
            next: 0,
            total: u32::MAX,
            flow: flow.into(),
            header,
            payload: 0,
            bytes: 0,
            packets: 0,
            out_of_order: 0,
            ignored: 0,
            finished: None,
            held: Ranges::default(),
        }
    }

    /// Takes in a header that came with `payload` bytes of data, and decides on the answer.
    #[inline]
    pub fn take(&mut self, now: Time, header: &RcpHeader, payload: u16) {
        match header.kind {
            RcpKind::Data => self.data(now, header, payload),
            RcpKind::Syn => {
                self.learn_total(header.total);
                self.reply(header);
            }
            RcpKind::Ref => self.reply(header),
            _ => self.ignored += 1,
        }
    }

    /// The answer that is due, if any.
    #[inline]
    pub fn answer(&mut self) -> Option<RcpHeader> {
        self.answer.take()
    }

    /// Headers that made no sense.
    pub fn ignored(&self) -> u64 {
        self.ignored
    }

    /// True once every packet of the flow has arrived.
    #[inline]
    pub fn is_complete(&self) -> bool {
        self.next == self.total
    }

    #[inline]
    fn data(&mut self, now: Time, header: &RcpHeader, payload: u16) {
        let seq = header.seq;
        if header.has(RcpHeader::LAST) && seq.checked_add(1) == Some(header.total) {
            self.learn_total(header.total);
        }
        if seq >= self.total || seq.saturating_sub(self.next) > REACH {
            self.ignored += 1;
            return;
        }
        self.packets += 1;
        self.payload = self.payload.max(payload);
        if seq == self.next {
            self.bytes += u64::from(payload);
            self.next += 1;
            if !self.held.is_empty() {
                self.fill();
            }
            if self.is_complete() && self.finished.is_none() {
                self.finished = Some(now);
            }
        } else {
            self.unexpected(seq, payload);
        }
        self.reply(header);
    }

    fn learn_total(&mut self, total: u32) {
        // What was taken in cannot lie beyond the end.
        let highest = self.held.last().map_or(u64::from(self.next), |range| range.1);
        if self.total == u32::MAX && total > 0 && u64::from(total) >= highest {
            self.total = total;
        }
    }

    #[cold]
    fn fill(&mut self) {
        if let Some((_, end)) = self.held.first().filter(|range| range.0 <= u64::from(self.next)) {
            self.next = end as u32;
        }
        self.held.remove_below(u64::from(self.next));
    }

    /// A packet that is not the next one.
    #[cold]
    fn unexpected(&mut self, seq: u32, payload: u16) {
        self.out_of_order += 1;
        if seq > self.next {
            let seq = u64::from(seq);
            let before = self.held.bytes();
            self.held.insert(seq, seq + 1, |_, _| {});
            // The ranges count packets here.
            self.bytes += (self.held.bytes() - before) * u64::from(payload);
        }
    }

    #[inline]
    fn reply(&mut self, header: &RcpHeader) {
        let Some(kind) = header.kind.answer() else { return };
        let sack = if self.held.is_empty() { 0 } else { self.sack() };
        self.answer = Some(RcpHeader { kind, cum_ack: self.next, total: 0, sack, ..*header });
    }

    #[cold]
    fn sack(&self) -> u64 {
        let base = u64::from(self.next) + 1;
        let bits = |from: u64, to: u64| {
            let low = from.saturating_sub(base).min(u64::from(SACK_BITS)) as u32;
            let high = to.saturating_sub(base).min(u64::from(SACK_BITS)) as u32;
            let below = |n: u32| if n == SACK_BITS { u64::MAX } else { (1 << n) - 1 };
            below(high) & !below(low)
        };
        let near = self.held.iter().take_while(|range| range.0 < base + u64::from(SACK_BITS));
        near.fold(0, |sack, (from, to)| sack | bits(from, to))
    }
}

impl Stage for Receiver {
    #[inline]
    fn push(&mut self, now: Time, packet: &Packet) {
        if let Some(header) = packet.read() {
            self.take(now, &header, packet.size.saturating_sub(self.header));
        }
    }

    #[inline]
    fn pull(&mut self, _now: Time) -> Option<Packet> {
        let answer = self.answer()?;
        Some(Packet::of(answer, self.flow, self.header, Ecn::NotEct))
    }

    fn wake(&mut self, _now: Time) {}

    #[inline]
    fn wake_at(&self) -> Time {
        Time::NEVER
    }
}

impl ReceiveEnd for Receiver {
    fn report(&self) -> ReceiverReport {
        ReceiverReport {
            delivered: if self.is_complete() {
                self.bytes
            } else {
                u64::from(self.next) * u64::from(self.payload)
            },
            packets: self.packets,
            out_of_order: self.out_of_order,
            marks: 0,
            finished: self.finished,
            unread: 0,
            delay_sd: None,
        }
    }

    fn memory(&self) -> u64 {
        self.held.memory()
    }

    #[inline]
    fn is_closed(&self) -> bool {
        self.answer.is_none()
    }
}
