//! What disciplines have in common that decide on a packet when it arrives, and then hold it first in, first out.

use dumbbell_core::rng::Stream;
use dumbbell_core::{DropReason, Duration, Frame, MarkReason, Time, VerdictSink};

use super::{Discipline, Fifo, Limit, Setting};

/// What waits.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    pub packets: u64,
    pub bytes: u64,
}

/// How a law tells senders of congestion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Signals {
    /// By drops.
    Drops,
    /// By marks, and by drops where a packet cannot be marked.
    Marks,
    /// By marks alone: what cannot be marked passes.
    MarksOnly,
}

impl Signals {
    /// By marks if ECN is on.
    pub fn by(ecn: bool) -> Signals {
        if ecn { Signals::Marks } else { Signals::Drops }
    }

    /// Marks the packet if it is to be marked; false if it is to be dropped.
    #[inline]
    pub fn keeps<P: Frame>(self, packet: &mut P, decision: Decision, sink: &mut impl VerdictSink<P>) -> bool {
        match decision {
            Decision::Pass => true,
            Decision::Signal if self != Signals::Drops && packet.ecn().is_capable() => {
                sink.mark(packet, MarkReason::Law);
                true
            }
            Decision::Signal => self == Signals::MarksOnly,
            Decision::Drop => false,
        }
    }
}

/// What becomes of a packet that fits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// It is queued.
    Pass,
    /// It tells its sender of congestion, as [`Signals`] say.
    Signal,
    /// It is dropped.
    Drop,
}

/// A law that decides when a packet arrives. It holds no packets.
pub trait ArrivalLaw {
    /// Makes up for the time since a packet last came or went. What waits has not changed since.
    fn advance(&mut self, now: Time, waiting: Waiting);

    /// A packet of `size` bytes arrives that fits.
    fn arrives(&mut self, now: Time, size: u32, waiting: Waiting, rng: &mut Stream) -> Decision;

    /// A packet of `size` bytes arrives that does not fit.
    fn overflows(&mut self, now: Time, size: u32) {
        let _ = (now, size);
    }

    /// A packet of `size` bytes has left after it `waited`, and so much is left.
    fn leaves(&mut self, now: Time, size: u32, waited: Duration, left: Waiting) {
        let _ = (now, size, waited, left);
    }
}

/// The law with what applies before it and after it.
#[derive(Clone, Debug)]
struct Control<L> {
    law: L,
    limit: Limit,
    signals: Signals,
    rng: Stream,
}

/// A queue under such a law.
#[derive(Clone, Debug)]
pub struct AtArrival<P, L> {
    waiting: Fifo<P>,
    /// In a box: a link has room for any discipline.
    control: Box<Control<L>>,
}

impl<P: Frame, L: ArrivalLaw> AtArrival<P, L> {
    /// An empty queue.
    pub fn of(law: L, limit: Limit, signals: Signals, setting: &Setting) -> AtArrival<P, L> {
        let control = Control { law, limit, signals, rng: setting.rng() };
        AtArrival { waiting: Fifo::default(), control: Box::new(control) }
    }

    #[cfg(test)]
    pub fn law(&mut self) -> &mut L {
        &mut self.control.law
    }

    #[inline]
    fn waiting(&self) -> Waiting {
        Waiting { packets: self.waiting.len() as u64, bytes: self.waiting.bytes() }
    }
}

impl<L: ArrivalLaw> Control<L> {
    /// Decides on a packet that finds so much waiting: why it is dropped, if it is. It may be marked.
    #[inline(always)]
    fn decide<P: Frame>(
        &mut self,
        now: Time,
        packet: &mut P,
        waiting: Waiting,
        sink: &mut impl VerdictSink<P>,
    ) -> Option<DropReason> {
        let size = packet.size();
        self.law.advance(now, waiting);
        if !self.limit.admits(waiting.packets, waiting.bytes, size) {
            self.law.overflows(now, size);
            return Some(DropReason::Overflow);
        }
        let decision = self.law.arrives(now, size, waiting, &mut self.rng);
        (!self.signals.keeps(packet, decision, sink)).then_some(DropReason::Law)
    }
}

impl<P: Frame, L: ArrivalLaw> Discipline<P> for AtArrival<P, L> {
    #[inline(never)]
    fn enqueue(&mut self, now: Time, mut packet: P, sink: &mut impl VerdictSink<P>) {
        let waiting = self.waiting();
        match self.control.decide(now, &mut packet, waiting, sink) {
            None => self.waiting.push(now, packet),
            Some(reason) => sink.dropped(packet, reason),
        }
    }

    #[inline(never)]
    fn pass_through(&mut self, now: Time, packet: &mut P, sink: &mut impl VerdictSink<P>) -> bool
    where
        P: Clone,
    {
        const NOTHING: Waiting = Waiting { packets: 0, bytes: 0 };
        let reason = self.control.decide(now, packet, NOTHING, sink);
        match reason {
            None => self.control.law.leaves(now, packet.size(), Duration::ZERO, NOTHING),
            Some(reason) => sink.dropped(packet.clone(), reason),
        }
        reason.is_none()
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Time, _sink: &mut impl VerdictSink<P>) -> Option<P> {
        let before = self.waiting();
        self.control.law.advance(now, before);
        let (arrived, packet) = self.waiting.pop()?;
        let left = self.waiting();
        self.control.law.leaves(now, packet.size(), now.since(arrived), left);
        Some(packet)
    }

    #[inline]
    fn next_size(&self) -> Option<u32> {
        self.waiting.front().map(Frame::size)
    }

    #[inline]
    fn len(&self) -> usize {
        self.waiting.len()
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.waiting.bytes()
    }
}
