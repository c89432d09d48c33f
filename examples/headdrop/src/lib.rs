//! Head drop: first in, first out; the oldest packet makes room for an arrival that does not fit.

use dumbbell_core::registry::Algorithm;
use dumbbell_core::{DropReason, Frame, QueueLimit, Time, Validate, VerdictSink, config};

use dumbbell_net::queue::{Discipline, Fifo, Limit, QueueParams, Setting};

config! {
    /// First in, first out; the oldest packets make room for an arrival that does not fit.
    pub struct Params {
        /// Packets or bytes that may wait.
        limit: QueueLimit = "1bdp", "Villamizar & Song, CCR 24(5), 1994";
    }
}

impl Validate for Params {}

impl Algorithm for Params {
    const NAME: &'static str = "headdrop";
    const TITLE: &'static str = "First in, first out; drops the oldest packet";
    const REFERENCE: &'static str = "Lakshman, Neidhardt & Ott, INFOCOM 1996";
}

impl QueueParams for Params {
    type Machine<P: Frame> = HeadDrop<P>;

    fn build<P: Frame>(&self, setting: Setting) -> HeadDrop<P> {
        HeadDrop::new(self, setting)
    }

    fn limit(&self, bdp: u64, mtu: u32) -> Limit {
        Limit::resolve(self.limit, bdp, mtu)
    }
}

/// The discipline.
#[derive(Clone, Debug)]
pub struct HeadDrop<P> {
    waiting: Fifo<P>,
    limit: Limit,
}

impl<P: Frame> HeadDrop<P> {
    /// An empty queue.
    pub fn new(params: &Params, setting: Setting) -> HeadDrop<P> {
        HeadDrop { waiting: Fifo::default(), limit: params.limit(setting.bdp, setting.mtu) }
    }

    fn admits(&self, packet: &P) -> bool {
        self.limit.admits(self.waiting.len() as u64, self.waiting.bytes(), packet.size())
    }
}

impl<P: Frame> Discipline<P> for HeadDrop<P> {
    fn enqueue(&mut self, now: Time, packet: P, sink: &mut impl VerdictSink<P>) {
        while !self.admits(&packet) {
            match self.waiting.pop() {
                Some((_, oldest)) => sink.dropped(oldest, DropReason::Overflow),
                None => return sink.dropped(packet, DropReason::Overflow),
            }
        }
        self.waiting.push(now, packet);
    }

    fn dequeue(&mut self, _now: Time, _sink: &mut impl VerdictSink<P>) -> Option<P> {
        self.waiting.pop().map(|(_, packet)| packet)
    }

    fn len(&self) -> usize {
        self.waiting.len()
    }

    fn bytes(&self) -> u64 {
        self.waiting.bytes()
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::rng::Streams;
    use dumbbell_core::{BitRate, Ecn, FlowEnds, MarkReason, Packet};
    use dumbbell_header::UdpHeader;

    use super::*;

    /// The numbers of dropped packets.
    #[derive(Default)]
    struct Dropped(Vec<u64>);

    impl VerdictSink<Packet> for Dropped {
        fn dropped(&mut self, packet: Packet, _reason: DropReason) {
            self.0.push(packet.body[0]);
        }
        fn marked(&mut self, _packet: &Packet, _reason: MarkReason) {}
    }

    #[test]
    fn the_oldest_packet_makes_room() {
        let setting = Setting {
            rate: BitRate::from_bps(1_000_000),
            mtu: 1500,
            bdp: 4500,
            streams: Streams::new(1, "link"),
            name: "queue".to_owned(),
            first_class: 0,
            ends: FlowEnds::default(),
        };
        let (mut queue, mut dropped) = (Params::default().build::<Packet>(setting), Dropped::default());
        for number in 0..5 {
            let packet = Packet::of(UdpHeader { number, sent: Time::ZERO }, 1, 1500, Ecn::NotEct);
            queue.enqueue(Time::ZERO, packet, &mut dropped);
        }
        let left = std::iter::from_fn(|| queue.dequeue(Time::ZERO, &mut dropped)).map(|p| p.body[0]);
        assert_eq!(left.collect::<Vec<_>>(), [2, 3, 4]);
        assert_eq!(dropped.0, [0, 1]);
    }
}
