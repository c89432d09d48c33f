//! Fair queueing of flows as in FQ-CoDel (RFC 8290): a queue under a law of its own for each flow, new flows first.

use std::collections::VecDeque;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{Bytes, DropReason, Frame, QueueLimit, Time, Validate, VerdictSink, config};

use super::flows::Salt;
use super::{Discipline, Fifo, Limit, Setting};

/// The largest number of queues: a flow has an index of four bytes.
const MOST_FLOWS: u32 = 1 << 20;
/// A quantum below it gives turns in which nothing is sent.
const LEAST_QUANTUM: u64 = 64;

config! {
    /// Queues for flows, and their turns.
    pub struct Flows {
        /// Queues. A flow goes into one by its hash, so that two flows may share one.
        flows: u32 as "queues" = 1024, "RFC 8290 section 5.2.3";
        /// Bytes that a flow may send in its turn.
        quantum: Bytes = "1514B", "RFC 8290 section 5.2.2";
        /// Packets or bytes that may wait, of all flows together. What exceeds it is dropped from the head of the flow with the most bytes.
        limit: QueueLimit = "10240pkt", "RFC 8290 section 5.2.1";
        /// Packets that are dropped at once at most; never more than half of the bytes of the flow.
        drop_batch: u32 as "packets" = 64, "RFC 8290 section 4.1";
    }
}

impl Validate for Flows {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if !(1..=MOST_FLOWS).contains(&self.flows) {
            let message = format!("{} is no number of queues", self.flows);
            return Err(at.key("flows").error(message, format!("give 1 to {MOST_FLOWS}")));
        }
        if self.quantum.get() < LEAST_QUANTUM {
            let message = format!("{} is below the least quantum of {LEAST_QUANTUM}B", self.quantum);
            return Err(at.key("quantum").error(message, "give 300B or more"));
        }
        if self.drop_batch == 0 {
            return Err(at.key("drop_batch").error("makes no room", "give 1 or more"));
        }
        Ok(())
    }
}

impl Flows {
    /// What all flows together may hold.
    pub fn limit(&self, bdp: u64, mtu: u32) -> Limit {
        Limit::resolve(self.limit, bdp, mtu)
    }
}

/// The law of one flow: it decides on the packets of its queue.
pub trait FlowLaw<P: Frame> {
    /// A packet arrives at the queue; false if it is to be dropped. It may be marked.
    fn admits(
        &mut self,
        now: Time,
        packet: &mut P,
        waiting: &Fifo<P>,
        shared: &mut Shared,
        sink: &mut impl VerdictSink<P>,
    ) -> bool {
        let _ = (now, packet, waiting, shared, sink);
        true
    }

    /// True if a packet that does not wait changes nothing, once the law has been asked for one when none was there.
    const PASSES: bool = false;

    /// The queue is empty, and has been asked for a packet: what [`FlowLaw::next`] does then.
    #[inline]
    fn rest(&mut self, now: Time, waiting: &mut Fifo<P>, sink: &mut impl VerdictSink<P>) {
        let nothing = self.next(now, waiting, sink);
        debug_assert!(nothing.is_none(), "an empty queue has no packet");
    }

    /// The next packet to transmit. What the law gives up goes to the sink.
    fn next(&mut self, now: Time, waiting: &mut Fifo<P>, sink: &mut impl VerdictSink<P>) -> Option<P>;
}

/// What the laws of all flows share.
#[derive(Clone, Debug)]
pub struct Shared {
    pub rng: dumbbell_core::rng::Stream,
}

/// Where a flow has its turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Turns {
    /// It has none: it has had none to use for a while.
    None,
    /// Before those of all old flows.
    New,
    /// In the round.
    Old,
}

#[derive(Clone, Debug)]
struct Flow<P, L> {
    waiting: Fifo<P>,
    law: L,
    /// Bytes that it may still send in its turn.
    deficit: i64,
    turns: Turns,
}

/// What is not on the way of every packet.
#[derive(Clone, Debug)]
struct Control<L> {
    /// The law of a flow that nobody has seen.
    law: L,
    limit: Limit,
    quantum: i64,
    drop_batch: u32,
    salt: Salt,
    shared: Shared,
    /// For each bucket, one more than the position of its flow; 0 if nobody has seen it.
    positions: Box<[u32]>,
    new: VecDeque<u32>,
    old: VecDeque<u32>,
}

/// The discipline. A bucket gets its queue with its first packet.
#[derive(Clone, Debug)]
pub struct Fair<P, L> {
    flows: Vec<Flow<P, L>>,
    packets: u32,
    /// One more than the position of the flow that has all turns, though nothing waits: its latest packet did not. It stands in no list.
    lone: u32,
    bytes: u64,
    /// In a box: a link has room for any discipline.
    control: Box<Control<L>>,
}

impl<P: Frame, L: FlowLaw<P> + Clone> Fair<P, L> {
    /// Empty queues, each under this law.
    pub fn of(law: L, params: &Flows, setting: &Setting) -> Fair<P, L> {
        let mut rng = setting.rng();
        let control = Control {
            law,
            limit: params.limit(setting.bdp, setting.mtu),
            quantum: i64::try_from(params.quantum.get()).unwrap_or(i64::MAX / 2),
            drop_batch: params.drop_batch,
            salt: Salt::draw(&mut rng),
            shared: Shared { rng },
            positions: vec![0; params.flows as usize].into(),
            new: VecDeque::new(),
            old: VecDeque::new(),
        };
        Fair { flows: Vec::new(), packets: 0, lone: 0, bytes: 0, control: Box::new(control) }
    }

    /// The position of the flow of this packet.
    #[inline]
    fn position(&mut self, packet: &P) -> usize {
        let control = &mut *self.control;
        let bucket = control.salt.bucket(packet.flow_hash(), control.positions.len() as u32);
        match control.positions[bucket] {
            0 => self.begin(bucket),
            position => position as usize - 1,
        }
    }

    /// Gives the bucket a queue.
    #[cold]
    fn begin(&mut self, bucket: usize) -> usize {
        let law = self.control.law.clone();
        self.flows.push(Flow { waiting: Fifo::default(), law, deficit: 0, turns: Turns::None });
        self.control.positions[bucket] = self.flows.len() as u32;
        self.flows.len() - 1
    }

    /// The flow that has all turns gets them in the list of new flows.
    #[cold]
    #[inline(never)]
    fn list_lone(&mut self) {
        let lone = std::mem::take(&mut self.lone);
        self.control.new.push_back(lone - 1);
    }

    /// The same for the flow that has all turns.
    #[inline]
    fn rest_lone(&mut self, now: Time, sink: &mut impl VerdictSink<P>) {
        let lone = std::mem::take(&mut self.lone);
        let flow = &mut self.flows[lone as usize - 1];
        flow.turns = Turns::None;
        flow.law.rest(now, &mut flow.waiting, sink);
    }

    /// No flow has anything to send. Each law hears so once, and its flow has no turn any more.
    #[inline(never)]
    fn rest(&mut self, now: Time, sink: &mut impl VerdictSink<P>) {
        let control = &mut *self.control;
        while let Some(position) = control.new.pop_front().or_else(|| control.old.pop_front()) {
            let flow = &mut self.flows[position as usize];
            flow.turns = Turns::None;
            flow.law.rest(now, &mut flow.waiting, sink);
        }
    }

    fn is_over(&self) -> bool {
        u64::from(self.packets) > self.control.limit.packets || self.bytes > self.control.limit.bytes
    }

    /// Drops from the head of the flow with the most bytes (RFC 8290 section 4.1).
    #[cold]
    fn make_room(&mut self, sink: &mut impl VerdictSink<P>) {
        while self.is_over() {
            let Some(fattest) = self.flows.iter_mut().max_by_key(|flow| flow.waiting.bytes()) else { return };
            let half = fattest.waiting.bytes() / 2;
            for _ in 0..self.control.drop_batch {
                let Some((_, packet)) = fattest.waiting.pop() else { break };
                self.packets -= 1;
                self.bytes -= u64::from(packet.size());
                sink.dropped(packet, DropReason::Overflow);
                if fattest.waiting.bytes() <= half {
                    break;
                }
            }
        }
    }
}

impl<P: Frame, L: FlowLaw<P> + Clone> Discipline<P> for Fair<P, L> {
    #[inline(never)]
    fn enqueue(&mut self, now: Time, mut packet: P, sink: &mut impl VerdictSink<P>) {
        if self.lone > 0 {
            self.list_lone();
        }
        let position = self.position(&packet);
        let (flow, control) = (&mut self.flows[position], &mut *self.control);
        if !flow.law.admits(now, &mut packet, &flow.waiting, &mut control.shared, sink) {
            return sink.dropped(packet, DropReason::Law);
        }
        self.packets += 1;
        self.bytes += u64::from(packet.size());
        flow.waiting.push(now, packet);
        if flow.turns == Turns::None {
            (flow.turns, flow.deficit) = (Turns::New, control.quantum);
            control.new.push_back(position as u32);
        }
        if self.is_over() {
            self.make_room(sink);
        }
    }

    #[inline(never)]
    fn pass_through(&mut self, now: Time, packet: &mut P, sink: &mut impl VerdictSink<P>) -> bool
    where
        P: Clone,
    {
        let (control, size) = (&*self.control, packet.size());
        let fits = control.limit.admits(0, 0, size);
        if !(L::PASSES && fits && self.lone == 0 && control.new.is_empty() && control.old.is_empty()) {
            return self.wait_for_none(now, packet, sink);
        }
        let position = self.position(packet);
        let (flow, quantum) = (&mut self.flows[position], self.control.quantum);
        (flow.turns, flow.deficit) = (Turns::New, quantum - i64::from(size));
        self.lone = position as u32 + 1;
        true
    }

    #[inline]
    fn dequeue(&mut self, now: Time, sink: &mut impl VerdictSink<P>) -> Option<P> {
        if self.packets > 0 {
            return self.next_in_turn(now, sink);
        }
        if self.lone > 0 {
            self.rest_lone(now, sink);
        } else {
            self.rest(now, sink);
        }
        None
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

impl<P: Frame, L: FlowLaw<P> + Clone> Fair<P, L> {
    /// The next packet, where some wait.
    #[inline(never)]
    fn next_in_turn(&mut self, now: Time, sink: &mut impl VerdictSink<P>) -> Option<P> {
        debug_assert!(self.lone == 0, "a packet that waits has listed all turns");
        let control = &mut *self.control;
        loop {
            // RFC 8290 section 4.2.
            let first = control.new.front().or(control.old.front()).copied()?;
            let flow = &mut self.flows[first as usize];
            let of_new = flow.turns == Turns::New;
            let turns = if of_new { &mut control.new } else { &mut control.old };
            if flow.deficit <= 0 {
                flow.deficit += control.quantum;
                turns.pop_front();
                flow.turns = Turns::Old;
                control.old.push_back(first);
                continue;
            }
            let before = (flow.waiting.len(), flow.waiting.bytes());
            let packet = flow.law.next(now, &mut flow.waiting, sink);
            self.packets -= (before.0 - flow.waiting.len()) as u32;
            self.bytes -= before.1 - flow.waiting.bytes();
            if let Some(packet) = packet {
                flow.deficit -= i64::from(packet.size());
                return Some(packet);
            }
            turns.pop_front();
            if of_new && !control.old.is_empty() {
                // A new flow goes through the round of the old ones once, so that it cannot be new again at once.
                flow.turns = Turns::Old;
                control.old.push_back(first);
            } else {
                flow.turns = Turns::None;
            }
        }
    }
}
