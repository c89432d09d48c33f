//! SFQ: stochastic fairness queueing, a round over buckets that flows hash into.

use std::collections::VecDeque;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{
    Bytes, DropReason, Duration, Frame, QueueLimit, Time, Validate, VerdictSink, config, words,
};

use super::flows::Salt;
use super::ticks::Ticks;
use super::{Discipline, Fifo, Limit, QueueParams, Setting};

/// The largest number of buckets, as in Linux.
const MOST_BUCKETS: u32 = 1 << 16;
/// A quantum below it gives turns in which nothing is sent.
const LEAST_QUANTUM: u64 = 64;

words! {
    /// Who goes when a packet does not fit.
    pub enum Overflow {
        /// The newest packet of the longest bucket.
        Longest = "longest",
        /// The arrival, before the queue is full, once its bucket has more than its part.
        Share = "share",
    }
}

config! {
    /// Flows hash into buckets, and the buckets take turns. Two flows may share a bucket; with `perturb` not for long.
    pub struct Params {
        /// Buckets.
        buckets: u32 as "buckets" = 127, "Linux 2.6.38 and before, sch_sfq.c: SFQ_DEPTH";
        /// Bytes that a bucket may send in its turn; absent: the MTU of the link.
        quantum: Option<Bytes> = (), "Linux tc-sfq(8); McKenney 1990 has packets take turns";
        /// Packets that may wait.
        limit: QueueLimit = "127pkt", "Linux tc-sfq(8)";
        /// Who goes when a packet does not fit. `longest`: the newest packet of the bucket with the most. `share`: the arrival, if its bucket holds
        /// half of what is left, or if less is left than there are buckets and it holds more than its part of the limit.
        overflow: Overflow = "longest", "McKenney, INFOCOM 1990; `share` in ns-2.35 (sfq.cc)";
        /// Time after which flows hash anew; absent: never.
        perturb: Option<Duration> = (), "Linux tc-sfq(8): off";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if !(1..=MOST_BUCKETS).contains(&self.buckets) {
            let message = format!("{} is no number of buckets", self.buckets);
            return Err(at.key("buckets").error(message, format!("give 1 to {MOST_BUCKETS}")));
        }
        if self.quantum.is_some_and(|quantum| quantum.get() < LEAST_QUANTUM) {
            let message = format!("a turn gives less than {LEAST_QUANTUM}B");
            return Err(at.key("quantum").error(message, "give the MTU of the link or more"));
        }
        if matches!(self.limit, QueueLimit::Bytes(_) | QueueLimit::Unlimited) {
            let message = format!("{} is no number of packets", self.limit);
            return Err(at.key("limit").error(message, "give packets, such as \"127pkt\""));
        }
        if self.perturb.is_some_and(|perturb| perturb < Duration::from_millis(1)) {
            return Err(at
                .key("perturb")
                .error("is too short", "give a time such as \"10s\", or leave it out"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "sfq";
    const TITLE: &'static str = "Stochastic fairness queueing: flows hash into buckets that take turns";
    const REFERENCE: &'static str = "McKenney, Stochastic fairness queueing, INFOCOM 1990";
}

impl QueueParams for Params {
    type Machine<P: Frame> = Sfq<P>;

    fn build<P: Frame>(&self, setting: Setting) -> Sfq<P> {
        Sfq::new(self, setting)
    }

    fn draws(&self) -> bool {
        true
    }

    fn limit(&self, bdp: u64, mtu: u32) -> Limit {
        Limit::resolve(self.limit, bdp, mtu)
    }
}

#[derive(Clone, Debug)]
struct Bucket<P> {
    waiting: Fifo<P>,
    /// Bytes that it may still send in its turn.
    deficit: i64,
}

/// The discipline.
#[derive(Clone, Debug)]
pub struct Sfq<P> {
    buckets: Vec<Bucket<P>>,
    /// Positions of the buckets that have packets, in the order of their turns.
    turns: VecDeque<u32>,
    packets: u64,
    bytes: u64,
    limit: u64,
    quantum: i64,
    overflow: Overflow,
    salt: Salt,
    perturb: Option<Box<(Ticks, Stream)>>,
}

impl<P: Frame> Sfq<P> {
    /// Empty buckets.
    pub fn new(params: &Params, setting: Setting) -> Sfq<P> {
        let quantum = params.quantum.map_or(u64::from(setting.mtu), Bytes::get);
        let mut rng = setting.rng();
        let salt = Salt::draw(&mut rng);
        Sfq {
            buckets: (0..params.buckets).map(|_| Bucket { waiting: Fifo::default(), deficit: 0 }).collect(),
            turns: VecDeque::new(),
            packets: 0,
            bytes: 0,
            limit: params.limit(setting.bdp, setting.mtu).packets,
            quantum: i64::try_from(quantum).unwrap_or(i64::MAX / 2),
            overflow: params.overflow,
            salt,
            perturb: params.perturb.map(|time| Box::new((Ticks::new(time), rng))),
        }
    }

    /// A packet enters its bucket.
    fn enter(&mut self, arrived: Time, packet: P) {
        let position = self.salt.bucket(packet.flow_hash(), self.buckets.len() as u32);
        let bucket = &mut self.buckets[position];
        if bucket.waiting.is_empty() {
            self.turns.push_back(position as u32);
            bucket.deficit = self.quantum;
        }
        self.packets += 1;
        self.bytes += u64::from(packet.size());
        bucket.waiting.push(arrived, packet);
    }

    /// True if the packet may not enter, though others may.
    fn is_refused(&self, packet: &P) -> bool {
        let buckets = self.buckets.len() as u64;
        let position = self.salt.bucket(packet.flow_hash(), self.buckets.len() as u32);
        let held = self.buckets[position].waiting.len() as u64;
        let left = self.limit - self.packets;
        held >= left / 2 || left < buckets && held > self.limit / buckets
    }

    /// Drops the newest packet of the bucket with the most; of several that have as many, of the one whose turn comes first.
    #[cold]
    fn make_room(&mut self, sink: &mut impl VerdictSink<P>) {
        let held = |position: u32| self.buckets[position as usize].waiting.len();
        let Some(longest) = self.turns.iter().copied().rev().max_by_key(|position| held(*position)) else {
            return;
        };
        let waiting = &mut self.buckets[longest as usize].waiting;
        let packet = waiting.remove(waiting.len() - 1).expect("it has packets");
        if waiting.is_empty() {
            self.turns.retain(|position| *position != longest);
        }
        self.packets -= 1;
        self.bytes -= u64::from(packet.size());
        sink.dropped(packet, DropReason::Overflow);
    }

    /// Flows hash anew if it is time; what waits moves with them, in its order.
    fn perturb(&mut self, now: Time) {
        let Some(perturb) = &mut self.perturb else { return };
        let (ticks, rng) = &mut **perturb;
        if ticks.due(now).is_none() {
            return;
        }
        ticks.skip(now);
        self.salt = Salt::draw(rng);
        let turns = std::mem::take(&mut self.turns);
        (self.packets, self.bytes) = (0, 0);
        let moved: Vec<Fifo<P>> =
            turns.into_iter().map(|i| std::mem::take(&mut self.buckets[i as usize].waiting)).collect();
        for mut waiting in moved {
            while let Some((arrived, packet)) = waiting.pop() {
                self.enter(arrived, packet);
            }
        }
    }
}

impl<P: Frame> Discipline<P> for Sfq<P> {
    #[inline(never)]
    fn enqueue(&mut self, now: Time, packet: P, sink: &mut impl VerdictSink<P>) {
        self.perturb(now);
        if self.overflow == Overflow::Share && self.is_refused(&packet) {
            return sink.dropped(packet, DropReason::Overflow);
        }
        self.enter(now, packet);
        if self.packets > self.limit {
            self.make_room(sink);
        }
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Time, _sink: &mut impl VerdictSink<P>) -> Option<P> {
        self.perturb(now);
        loop {
            let position = *self.turns.front()?;
            let bucket = &mut self.buckets[position as usize];
            if bucket.deficit <= 0 {
                bucket.deficit += self.quantum;
                self.turns.rotate_left(1);
                continue;
            }
            let (_, packet) = bucket.waiting.pop()?;
            bucket.deficit -= i64::from(packet.size());
            if bucket.waiting.is_empty() {
                self.turns.pop_front();
            }
            self.packets -= 1;
            self.bytes -= u64::from(packet.size());
            return Some(packet);
        }
    }

    #[inline]
    fn len(&self) -> usize {
        self.packets as usize
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.bytes
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

    fn build(more: &str) -> Sfq<TestFrame> {
        match described(&format!(r#"{{"kind": "sfq"{more}}}"#)).build(setting()) {
            super::super::AnyDiscipline::Sfq(queue) => queue,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn buckets_take_turns() {
        let mut queue = build("");
        let mut log = Log::default();
        (0..4).for_each(|i| queue.enqueue(Time::ZERO, packet(1, i, 1500), &mut log));
        (0..4).for_each(|i| queue.enqueue(Time::ZERO, packet(2, i, 750), &mut log));
        let served: Vec<u64> =
            std::iter::from_fn(|| queue.dequeue(Time::ZERO, &mut log)).map(|p| p.id % 7).collect();
        assert_eq!(served, [1, 2, 2, 1, 2, 2, 1, 1]);
    }

    /// The flows of the packets that are dropped.
    fn dropped(queue: &mut Sfq<TestFrame>, packets: &[(u64, u64)]) -> Vec<u64> {
        let mut log = Log::default();
        let mut position = 0;
        for (flow, count) in packets {
            for _ in 0..*count {
                position += 1;
                queue.enqueue(Time::ZERO, packet(*flow, position, 1000), &mut log);
            }
        }
        log.dropped.iter().map(|packet| packet.id % 7).collect()
    }

    #[test]
    fn the_longest_bucket_makes_room() {
        let mut queue = build(r#", "limit": "10pkt""#);
        // Full with 7 of flow 1 and 3 of flow 2; flow 2 pushes those of flow 1 out until both have five. Of equals, the first in turn goes.
        assert_eq!(dropped(&mut queue, &[(1, 7), (2, 3), (2, 2)]), [1, 1]);
        assert_eq!(dropped(&mut queue, &[(2, 1)]), [2]);
        assert_eq!(dropped(&mut queue, &[(3, 1)]), [1]);
    }

    #[test]
    fn with_a_share_an_arrival_is_refused_before_the_queue_is_full() {
        // Of 40 packets in 16 buckets, one flow takes a third: it stops where it holds half of what is left.
        let mut queue = build(r#", "limit": "40pkt", "buckets": 16, "overflow": "share""#);
        assert_eq!(dropped(&mut queue, &[(1, 40)]).len(), 27);
        assert_eq!(queue.len(), 13);
    }

    #[test]
    fn flows_that_hash_anew_keep_the_order_of_their_packets() {
        let mut queue = build(r#", "perturb": "1s", "buckets": 2"#);
        let mut log = Log::default();
        let mut left = Vec::new();
        let mut salts = std::collections::BTreeSet::new();
        for t in 0..50 {
            let now = Time::ZERO + Duration::from_millis(300 * t);
            (0..5).for_each(|flow| queue.enqueue(now, packet(flow, t, 1000), &mut log));
            left.extend((0..4).filter_map(|_| queue.dequeue(now, &mut log)));
            salts.insert(format!("{:?}", queue.salt));
        }
        // Times 0 to 14.7 s.
        assert_eq!(salts.len(), 15);
        for flow in 0..5 {
            let order: Vec<u64> = left.iter().map(|p| p.id).filter(|id| id % 7 == flow).collect();
            assert!(order.len() > 10 && order.is_sorted());
        }
    }
}
