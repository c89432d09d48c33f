//! Push-out: an arrival that does not fit takes the place of packets that wait.

use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{DropReason, Frame, QueueLimit, Time, Validate, VerdictSink, config, words};
use rand::RngExt;

use super::{Discipline, Fifo, Limit, QueueParams, Setting};

words! {
    /// Which packet makes room.
    pub enum Victim {
        Head = "head", Random = "random", DecongestFirst = "decongest-first", DecongestLast = "decongest-last",
    }
}

config! {
    /// First in, first out. Packets that wait make room for an arrival that does not fit: as many as it takes, so several
    /// acknowledgements may go for one data packet. The packet in transmission does not wait, and stays. An arrival larger than the
    /// whole queue is dropped itself.
    pub struct Params {
        /// Packets or bytes that may wait.
        limit: QueueLimit = "15000B", "Toomey, PhD thesis, UNSW 1998, section 11.5: 10 data packets";
        /// Who makes room. `head`: the packet that waits longest. `random`: any, with equal probability. The other two look for the flow with
        /// the most bytes waiting, without the arrival, and drop its newest packet (`decongest-first`) or its oldest
        /// (`decongest-last`). Of flows with equally many, it is the one whose packet waits longest. A queue that drops the arrival is
        /// `droptail`.
        victim: Victim = "head", "Lakshman, Neidhardt & Ott, INFOCOM 1996: the senders learn of it soonest";
    }
}

impl Validate for Params {}

impl Algorithm for Params {
    const NAME: &'static str = "push-out";
    const TITLE: &'static str = "First in, first out; packets that wait make room for arrivals: the oldest, any, or of the largest flow";
    const REFERENCE: &'static str = "Toomey, PhD thesis, UNSW 1998, section 11.8";
}

impl QueueParams for Params {
    type Machine<P: Frame> = PushOut<P>;

    fn build<P: Frame>(&self, setting: Setting) -> PushOut<P> {
        PushOut::new(self, setting)
    }

    fn draws(&self) -> bool {
        self.victim == Victim::Random
    }

    fn limit(&self, bdp: u64, mtu: u32) -> Limit {
        Limit::resolve(self.limit, bdp, mtu)
    }
}

/// The discipline. What comes next may change while it waits, so `next_size` says nothing.
#[derive(Clone, Debug)]
pub struct PushOut<P> {
    waiting: Fifo<P>,
    limit: Limit,
    victim: Victim,
    rng: Stream,
    /// Room to sort what waits by flow: flow, position, bytes.
    sorted: Vec<(u64, usize, u64)>,
}

impl<P: Frame> PushOut<P> {
    /// An empty queue.
    pub fn new(params: &Params, setting: Setting) -> PushOut<P> {
        PushOut {
            waiting: Fifo::default(),
            limit: params.limit(setting.bdp, setting.mtu),
            victim: params.victim,
            rng: setting.rng(),
            sorted: Vec::new(),
        }
    }

    /// The position of the packet that goes next. At least one waits.
    fn position(&mut self) -> usize {
        match self.victim {
            Victim::Head => 0,
            Victim::Random => self.rng.random_range(0..self.waiting.len()),
            Victim::DecongestFirst => self.largest_flow().1,
            Victim::DecongestLast => self.largest_flow().0,
        }
    }

    /// The positions of the oldest and of the newest packet of the flow with the most bytes.
    fn largest_flow(&mut self) -> (usize, usize) {
        self.sorted.clear();
        let packets = self.waiting.iter().enumerate();
        self.sorted.extend(packets.map(|(i, p)| (p.flow_hash(), i, u64::from(p.size()))));
        self.sorted.sort_unstable();
        let (mut most, mut oldest, mut newest) = (0, 0, 0);
        for flow in self.sorted.chunk_by(|a, b| a.0 == b.0) {
            let bytes = flow.iter().map(|(.., bytes)| bytes).sum();
            let (first, last) = (flow[0].1, flow[flow.len() - 1].1);
            if bytes > most || bytes == most && first < oldest {
                (most, oldest, newest) = (bytes, first, last);
            }
        }
        (oldest, newest)
    }

    fn admits(&self, size: u32) -> bool {
        self.limit.admits(self.waiting.len() as u64, self.waiting.bytes(), size)
    }

    #[cold]
    fn make_room(&mut self, size: u32, sink: &mut impl VerdictSink<P>) {
        while !self.admits(size) {
            let position = self.position();
            let packet = self.waiting.remove(position).expect("something waits");
            sink.dropped(packet, DropReason::Overflow);
        }
    }
}

impl<P: Frame> Discipline<P> for PushOut<P> {
    #[inline(never)]
    fn enqueue(&mut self, now: Time, packet: P, sink: &mut impl VerdictSink<P>) {
        if !self.limit.admits(0, 0, packet.size()) {
            return sink.dropped(packet, DropReason::Overflow);
        }
        if !self.admits(packet.size()) {
            self.make_room(packet.size(), sink);
        }
        self.waiting.push(now, packet);
    }

    #[inline]
    fn pass_through(&mut self, _now: Time, packet: &mut P, sink: &mut impl VerdictSink<P>) -> bool
    where
        P: Clone,
    {
        let fits = self.limit.admits(0, 0, packet.size());
        if !fits {
            sink.dropped(packet.clone(), DropReason::Overflow);
        }
        fits
    }

    #[inline(never)]
    fn dequeue(&mut self, _now: Time, _sink: &mut impl VerdictSink<P>) -> Option<P> {
        self.waiting.pop().map(|(_, packet)| packet)
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

#[cfg(test)]
mod tests {
    use super::super::laws::{Log, TestFrame, described, setting};
    use super::*;

    /// A packet of a flow: the hash of a test packet is its number modulo 7.
    fn packet(flow: u64, position: u64, size: u32) -> TestFrame {
        TestFrame::new(size, false).numbered(7 * position + flow)
    }

    /// The positions, from 0, of those dropped when packets of (flow, size) arrive one after the other at a queue of 3000 bytes.
    fn dropped(victim: &str, packets: &[(u64, u32)]) -> Vec<u64> {
        let text = format!(r#"{{"kind": "push-out", "limit": "3000B", "victim": "{victim}"}}"#);
        let mut queue = described(&text).build(setting());
        let mut log = Log::default();
        for (i, (flow, size)) in (0..).zip(packets) {
            queue.enqueue(Time::ZERO, packet(*flow, i, *size), &mut log);
            assert!(queue.bytes() <= 3000);
        }
        log.dropped.iter().map(|packet| packet.id / 7).collect()
    }

    #[test]
    fn each_function_drops_whom_its_definition_names() {
        // Flow 1 has 1900 bytes, flow 2 has 1100, though it has as many packets.
        let full = [(2, 500), (1, 1000), (2, 600), (1, 900), (3, 400)];
        assert_eq!(dropped("head", &full), [0]);
        assert_eq!(dropped("decongest-first", &full), [3]);
        assert_eq!(dropped("decongest-last", &full), [1]);
        assert_eq!(dropped("random", &full).len(), 1);
    }

    #[test]
    fn as_many_go_as_it_takes_and_the_largest_flow_is_found_anew() {
        let acks: Vec<(u64, u32)> = (0..75).map(|i| (i % 3, 40)).chain([(4, 100)]).collect();
        assert_eq!(dropped("head", &acks), [0, 1, 2]);
        // Three flows with 1000 bytes each: each in turn has the most, from the one that waits longest.
        assert_eq!(dropped("decongest-last", &acks), [0, 1, 2]);
        assert_eq!(dropped("decongest-first", &acks), [72, 73, 74]);
        assert_eq!(dropped("random", &acks).len(), 3);
    }

    #[test]
    fn the_arrival_goes_only_if_it_exceeds_the_queue() {
        // With the arrival, flow 2 would have the most.
        let full = [(1, 1500), (2, 1400), (2, 1000)];
        assert_eq!(dropped("decongest-first", &full), [0]);
        for victim in ["head", "random", "decongest-first", "decongest-last"] {
            assert_eq!(dropped(victim, &[(1, 1500), (1, 1500), (2, 3001)]), [2], "{victim}");
        }
    }

    #[test]
    fn the_packet_in_transmission_stays() {
        let text = r#"{"kind": "push-out", "limit": "3000B"}"#;
        let mut queue = described(text).build(setting());
        let mut log = Log::default();
        queue.enqueue(Time::ZERO, packet(0, 0, 1500), &mut log);
        assert_eq!(queue.dequeue(Time::ZERO, &mut log).map(|p| p.id), Some(0));
        (1..4).for_each(|i| queue.enqueue(Time::ZERO, packet(0, i, 1500), &mut log));
        assert_eq!(log.dropped.iter().map(|p| p.id).collect::<Vec<u64>>(), [7]);
    }

    #[test]
    fn any_packet_goes_with_equal_probability() {
        let text = r#"{"kind": "push-out", "limit": "10pkt", "victim": "random"}"#;
        let mut queue = described(text).build(setting());
        let mut log = Log::default();
        let mut places = [0_u32; 10];
        let mut waiting: Vec<u64> = Vec::new();
        for id in 0..10_010 {
            let before = log.dropped.len();
            queue.enqueue(Time::ZERO, TestFrame::new(1500, false).numbered(id), &mut log);
            if let Some(gone) = log.dropped.get(before) {
                let place = waiting.iter().position(|other| *other == gone.id).unwrap();
                waiting.remove(place);
                places[place] += 1;
            }
            waiting.push(id);
        }
        // 1000 each with a standard deviation of 30.
        assert!(places.iter().all(|n| (880..=1120).contains(n)), "{places:?}");
    }
}
