//! The receiving end: answers every packet.

use dumbbell_core::{Ecn, FlowTag, Frame, Packet, Stage, Time};
use dumbbell_header::{RcpHeader, RcpKind};

use super::params::SACK_BITS;
use crate::numbered::Numbered;
use crate::transport::{ReceiveEnd, ReceiverReport};

/// The receiving end of a flow.
#[derive(Debug)]
pub struct Receiver {
    /// The answer that is due.
    answer: Option<RcpHeader>,
    arrivals: Numbered,
    flow: FlowTag,
    header: u16,
    ignored: u64,
}

impl Receiver {
    /// A receiver of packets with headers of `header` bytes.
    pub fn new(flow: impl Into<FlowTag>, header: u16) -> Receiver {
        Receiver { answer: None, arrivals: Numbered::default(), flow: flow.into(), header, ignored: 0 }
    }

    /// Takes in a header that came with `payload` bytes of data, and decides on the answer.
    #[inline]
    pub fn take(&mut self, now: Time, header: &RcpHeader, payload: u16) {
        match header.kind {
            RcpKind::Data => self.data(now, header, payload),
            RcpKind::Syn => {
                self.arrivals.learn_total(header.total);
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

    /// True once every packet of the flow has arrived.
    #[inline]
    pub fn is_complete(&self) -> bool {
        self.arrivals.is_complete()
    }

    #[inline]
    fn data(&mut self, now: Time, header: &RcpHeader, payload: u16) {
        let seq = header.seq;
        if header.has(RcpHeader::LAST) && seq.checked_add(1) == Some(header.total) {
            self.arrivals.learn_total(header.total);
        }
        match self.arrivals.take(now, seq, payload) {
            Some(_) => self.reply(header),
            None => self.ignored += 1,
        }
    }

    #[inline]
    fn reply(&mut self, header: &RcpHeader) {
        let Some(kind) = header.kind.answer() else { return };
        let sack = if self.arrivals.held.is_empty() { 0 } else { self.sack() };
        self.answer = Some(RcpHeader { kind, cum_ack: self.arrivals.next, total: 0, sack, ..*header });
    }

    #[cold]
    fn sack(&self) -> u64 {
        let base = u64::from(self.arrivals.next) + 1;
        let bits = |from: u64, to: u64| {
            let low = from.saturating_sub(base).min(u64::from(SACK_BITS)) as u32;
            let high = to.saturating_sub(base).min(u64::from(SACK_BITS)) as u32;
            let below = |n: u32| if n == SACK_BITS { u64::MAX } else { (1 << n) - 1 };
            below(high) & !below(low)
        };
        let near = self.arrivals.held.iter().take_while(|range| range.0 < base + u64::from(SACK_BITS));
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
        self.arrivals.report()
    }

    fn departed(&self, packet: &Packet) -> Option<Time> {
        let header = packet.read::<RcpHeader>().filter(|header| header.kind == RcpKind::Data)?;
        Some(Time::from_nanos(header.ts))
    }

    fn ignored(&self) -> u64 {
        self.ignored
    }

    #[inline]
    fn is_closed(&self) -> bool {
        self.answer.is_none()
    }
}
