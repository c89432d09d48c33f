//! CAKE: a shaper over fair queueing of hosts and of their flows, each flow under COBALT.

use std::collections::VecDeque;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{
    BitRate, DropReason, FlowEnds, Frame, QueueLimit, Time, Validate, VerdictSink, config, words,
};
use rand::RngExt;

use super::cobalt::{Controller, Law};
use super::flows::Salt;
use super::{Discipline, Fifo, Laziness, Level, Limit, QueueParams, Setting, Threshold};

/// Places of a set: a flow or a host that finds the place of its hash taken may have any of these.
const WAYS: usize = 8;
const MOST_FLOWS: u32 = 1 << 16;

words! {
    /// Who shares the link evenly.
    pub enum Isolation {
        /// Flows.
        Flows = "flows",
        /// Sources.
        Source = "source",
        /// Destinations.
        Destination = "destination",
        /// Sources, and the flows of each.
        DualSource = "dual-source",
        /// Destinations, and the flows of each.
        DualDestination = "dual-destination",
        /// Sources and destinations, and their flows.
        Triple = "triple",
    }
}

impl Isolation {
    /// Whether the flows of a source share what it gets, and those of a destination.
    fn counts(self) -> [bool; 2] {
        [
            matches!(self, Isolation::DualSource | Isolation::Triple),
            matches!(self, Isolation::DualDestination | Isolation::Triple),
        ]
    }
}

config! {
    /// What leaves keeps to a rate, without bursts. Flows take turns by bytes, and the turn of a flow is the shorter the more flows its host has in the
    /// round. Flows of few packets come first. Of a simulated flow the source sends the data, of its acknowledgements too; of real packets
    /// each has its own addresses.
    pub struct Params {
        /// Bits that leave in a second, headers included; absent: no shaper.
        rate: Option<BitRate> = (), "Linux tc-cake(8): unlimited";
        /// Who shares evenly. `triple` counts the flows of the source and of the destination, and the larger number decides: so nobody
        /// has to say on which side of the link the hosts are, as long as those on the other side are many.
        isolation: Isolation = "triple", "Linux tc-cake(8): triple-isolate";
        /// Queues for flows, in sets of eight; as many hosts are told apart on either side.
        flows: u32 as "queues" = 1024, "Hoiland-Jorgensen, Taht & Morton, LANMAN 2018, section III-B";
        /// Packets or bytes that may wait. What exceeds it is dropped from the head of the flow with the most bytes.
        limit: QueueLimit = "4194304B", "Linux sch_cake.c: the least that it takes, 4 MiB";
        ..controller: Controller {}
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if !(8..=MOST_FLOWS).contains(&self.flows) || !self.flows.is_multiple_of(WAYS as u32) {
            let message = format!("{} is no number of sets of eight", self.flows);
            return Err(at.key("flows").error(message, format!("give a multiple of 8, up to {MOST_FLOWS}")));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "cake";
    const TITLE: &'static str = "CAKE: a shaper that is fair to hosts and to their flows, each under COBALT";
    const REFERENCE: &'static str =
        "Hoiland-Jorgensen, Taht & Morton, Piece of CAKE, LANMAN 2018; Linux sch_cake.c";
}

impl QueueParams for Params {
    type Machine<P: Frame> = Cake<P>;

    fn build<P: Frame>(&self, setting: Setting) -> Cake<P> {
        Cake::new(self, setting)
    }

    fn laziness(&self) -> Laziness {
        Laziness { holds_back: self.rate.is_some(), ..Laziness::DROPS_LATE.and(Laziness::NOTICES_IDLE) }
    }

    fn draws(&self) -> bool {
        true
    }

    fn shares_between_hosts(&self) -> bool {
        self.isolation != Isolation::Flows
    }

    fn limit(&self, bdp: u64, mtu: u32) -> Limit {
        Limit::resolve(self.limit, bdp, mtu)
    }

    fn thresholds(&self, _rate: BitRate) -> Vec<Threshold> {
        vec![Threshold::new("target of each flow", Level::Wait(self.controller.target))]
    }
}

/// Where a flow has its turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Turns {
    /// It has none.
    None,
    /// Before the others: it sends little.
    Sparse,
    /// In the round, but it has run empty before it was counted.
    SparseInRound,
    /// In the round, and its hosts count it.
    Bulk,
    /// Empty: its law comes to rest.
    Decaying,
}

#[derive(Clone, Debug)]
struct Flow<P> {
    waiting: Fifo<P>,
    law: Law,
    deficit: i64,
    turns: Turns,
    tag: u64,
    /// The places of its source and its destination.
    hosts: [u32; 2],
}

/// A host on one side of the link.
#[derive(Clone, Copy, Default, Debug)]
struct Host {
    tag: u64,
    /// Its flows in the round.
    bulk: u32,
}

#[derive(Clone, Debug)]
struct Control<P> {
    flows: Vec<Flow<P>>,
    /// For each place, one more than the position of its flow; 0 if nobody has seen it.
    positions: Box<[u32]>,
    /// Sources, and destinations.
    hosts: [Box<[Host]>; 2],
    sparse: VecDeque<u32>,
    round: VecDeque<u32>,
    decaying: VecDeque<u32>,
    isolation: Isolation,
    law: Law,
    limit: Limit,
    quantum: u64,
    salt: Salt,
    rng: Stream,
    known: FlowEnds,
    rate: Option<BitRate>,
    /// When the next packet may leave.
    next_at: Time,
}

/// The discipline.
#[derive(Clone, Debug)]
pub struct Cake<P> {
    packets: usize,
    bytes: u64,
    /// In a box: a link has room for any discipline.
    control: Box<Control<P>>,
}

impl<P: Frame> Cake<P> {
    /// Empty queues.
    pub fn new(params: &Params, setting: Setting) -> Cake<P> {
        let rate = params.rate.map_or(setting.rate, |rate| rate.min(setting.rate));
        let longest = rate.time_to_send(setting.mtu.into());
        let mut controller = params.controller.clone();
        // On a slow link a packet takes longer than the target (Linux sch_cake.c, cake_set_rate).
        let target = controller.target.max(longest.mul_f64(1.5));
        controller.interval = (controller.interval + (target - controller.target)).max(target * 2);
        controller.target = target;
        let mut rng = setting.rng();
        let salt = Salt::draw(&mut rng);
        let places = params.flows as usize;
        let control = Control {
            flows: Vec::new(),
            positions: vec![0; places].into(),
            hosts: [0; 2].map(|_| vec![Host::default(); places].into()),
            sparse: VecDeque::new(),
            round: VecDeque::new(),
            decaying: VecDeque::new(),
            isolation: params.isolation,
            law: Law::new(&controller, longest),
            limit: params.limit(setting.bdp, setting.mtu),
            // Linux sch_cake.c: a 4096th of what leaves in a second, within 300 and 1514 bytes.
            quantum: (rate.as_bps() / 8 / 4096).clamp(300, 1514),
            salt,
            rng,
            known: setting.ends,
            rate: params.rate,
            next_at: Time::ZERO,
        };
        Cake { packets: 0, bytes: 0, control: Box::new(control) }
    }

    fn is_over(&self) -> bool {
        self.packets as u64 > self.control.limit.packets || self.bytes > self.control.limit.bytes
    }

    /// Drops from the head of the flow with the most bytes.
    #[cold]
    fn make_room(&mut self, now: Time, sink: &mut impl VerdictSink<P>) {
        while self.is_over() {
            let Some(fattest) = self.control.flows.iter_mut().max_by_key(|flow| flow.waiting.bytes()) else {
                return;
            };
            let Some((_, packet)) = fattest.waiting.pop() else { return };
            fattest.law.overflows(now);
            self.packets -= 1;
            self.bytes -= u64::from(packet.size());
            sink.dropped(packet, DropReason::Overflow);
        }
    }
}

impl<P: Frame> Control<P> {
    /// The position of the flow of this packet; its hosts are known there.
    fn classify(&mut self, packet: &P) -> usize {
        let tag = match self.isolation {
            Isolation::Source => packet.hosts(&self.known)[0],
            Isolation::Destination => packet.hosts(&self.known)[1],
            _ => packet.flow_hash(),
        };
        let place = self.place(tag);
        let position = match self.positions[place] {
            0 => self.begin(place, tag),
            position => position as usize - 1,
        };
        if self.flows[position].tag != tag || self.flows[position].turns == Turns::None {
            self.flows[position].tag = tag;
            self.settle(position, packet.hosts(&self.known));
        }
        position
    }

    /// The place of the flow with this tag: where it is; else the first in its set that nobody uses; else that of its hash, which it shares.
    fn place(&self, tag: u64) -> usize {
        let own = self.salt.bucket(tag, self.positions.len() as u32);
        let first = own - own % WAYS;
        let turn = |way: usize| first + (own + way) % WAYS;
        let flow = |place: usize| self.positions[place].checked_sub(1).map(|i| &self.flows[i as usize]);
        let here =
            |place: &usize| flow(*place).is_some_and(|flow| flow.tag == tag && flow.turns != Turns::None);
        let free = |place: &usize| flow(*place).is_none_or(|flow| flow.turns == Turns::None);
        let mut places = (0..WAYS).map(turn);
        places.clone().find(here).or_else(|| places.find(free)).unwrap_or(own)
    }

    /// Gives the place a queue.
    #[cold]
    fn begin(&mut self, place: usize, tag: u64) -> usize {
        let law = self.law.clone();
        self.flows.push(Flow {
            waiting: Fifo::default(),
            law,
            deficit: 0,
            turns: Turns::None,
            tag,
            hosts: [0; 2],
        });
        self.positions[place] = self.flows.len() as u32;
        self.flows.len() - 1
    }

    /// Notes the hosts of a flow that is new in its place.
    fn settle(&mut self, position: usize, ends: [u64; 2]) {
        let counted = self.flows[position].turns == Turns::Bulk;
        if counted {
            self.count(position, false);
        }
        for (side, tag) in ends.into_iter().enumerate() {
            let hosts = &self.hosts[side];
            let own = self.salt.bucket(tag, hosts.len() as u32);
            let first = own - own % WAYS;
            let mut places = (0..WAYS).map(|way| first + (own + way) % WAYS);
            let here = places.clone().find(|place| hosts[*place].tag == tag);
            let place = here.or_else(|| places.find(|place| hosts[*place].bulk == 0)).unwrap_or(own);
            self.hosts[side][place].tag = tag;
            self.flows[position].hosts[side] = place as u32;
        }
        if counted {
            self.count(position, true);
        }
    }

    /// A flow enters the round, or leaves it.
    fn count(&mut self, position: usize, enters: bool) {
        for (side, place) in self.flows[position].hosts.into_iter().enumerate() {
            let bulk = &mut self.hosts[side][place as usize].bulk;
            *bulk = if enters { *bulk + 1 } else { bulk.saturating_sub(1) };
        }
    }

    /// What a turn of the flow gives: the quantum over the flows that its host has in the round, rounded at random so that the mean is exact.
    fn turn(&mut self, position: usize) -> i64 {
        let flow = &self.flows[position];
        let mut load = 1;
        for (side, counts) in self.isolation.counts().into_iter().enumerate() {
            if counts {
                load = load.max(self.hosts[side][flow.hosts[side] as usize].bulk);
            }
        }
        let load = u64::from(load);
        let more = u64::from(load > 1 && self.rng.random_range(0..load) < self.quantum % load);
        (self.quantum / load + more).cast_signed()
    }

    /// Takes the flow at the front of its list away, and puts it where it belongs.
    fn move_to(&mut self, position: usize, turns: Turns) {
        let was = self.flows[position].turns;
        self.list(was).expect("a flow that is asked has turns").pop_front();
        if (was == Turns::Bulk) != (turns == Turns::Bulk) {
            self.count(position, turns == Turns::Bulk);
        }
        self.flows[position].turns = turns;
        if let Some(list) = self.list(turns) {
            list.push_back(position as u32);
        }
    }

    fn list(&mut self, turns: Turns) -> Option<&mut VecDeque<u32>> {
        match turns {
            Turns::None => None,
            Turns::Sparse => Some(&mut self.sparse),
            Turns::SparseInRound | Turns::Bulk => Some(&mut self.round),
            Turns::Decaying => Some(&mut self.decaying),
        }
    }

    /// A flow has a packet.
    fn wakes(&mut self, position: usize) {
        match self.flows[position].turns {
            Turns::Sparse | Turns::Bulk => return,
            Turns::SparseInRound => {
                self.flows[position].turns = Turns::Bulk;
                return self.count(position, true);
            }
            Turns::Decaying if self.decaying.front() == Some(&(position as u32)) => {
                self.decaying.pop_front();
            }
            Turns::Decaying => self.decaying.retain(|other| *other as usize != position),
            Turns::None => {}
        }
        self.flows[position].turns = Turns::Sparse;
        self.sparse.push_back(position as u32);
        self.flows[position].deficit = self.turn(position);
    }

    /// Lets the law of one empty flow come to rest: each time a packet leaves, that of the next.
    fn rest(&mut self, now: Time) {
        let Some(position) = self.decaying.front().map(|i| *i as usize) else { return };
        let law = &mut self.flows[position].law;
        law.is_empty(now);
        if law.is_at_rest(now) {
            self.flows[position].turns = Turns::None;
            self.decaying.pop_front();
        } else if self.decaying.len() > 1 {
            self.decaying.pop_front();
            self.decaying.push_back(position as u32);
        }
    }
}

impl<P: Frame> Discipline<P> for Cake<P> {
    #[inline(never)]
    fn enqueue(&mut self, now: Time, packet: P, sink: &mut impl VerdictSink<P>) {
        let control = &mut *self.control;
        if self.packets == 0 {
            // No credit for the time without packets.
            control.next_at = control.next_at.max(now);
        }
        let position = control.classify(&packet);
        self.packets += 1;
        self.bytes += u64::from(packet.size());
        control.flows[position].waiting.push(now, packet);
        control.wakes(position);
        if self.is_over() {
            self.make_room(now, sink);
        }
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Time, sink: &mut impl VerdictSink<P>) -> Option<P> {
        let control = &mut *self.control;
        if control.rate.is_some() && now < control.next_at {
            return None;
        }
        control.rest(now);
        loop {
            let position = *control.sparse.front().or(control.round.front())? as usize;
            let flow = &mut control.flows[position];
            if flow.deficit <= 0 {
                let turns = match flow.turns {
                    Turns::Sparse if flow.waiting.is_empty() => Turns::SparseInRound,
                    Turns::Sparse => Turns::Bulk,
                    turns => turns,
                };
                control.move_to(position, turns);
                control.flows[position].deficit += control.turn(position);
                continue;
            }
            let before = (flow.waiting.len(), flow.waiting.bytes());
            let packet = flow.law.next(now, &mut flow.waiting, &mut control.rng, sink);
            self.packets -= before.0 - flow.waiting.len();
            self.bytes -= before.1 - flow.waiting.bytes();
            let Some(packet) = packet else {
                let turns = if flow.law.is_at_rest(now) { Turns::None } else { Turns::Decaying };
                if flow.turns == Turns::Sparse {
                    flow.turns = turns;
                    control.sparse.pop_front();
                    if turns == Turns::Decaying {
                        control.decaying.push_back(position as u32);
                    }
                } else {
                    control.move_to(position, turns);
                }
                continue;
            };
            flow.deficit -= i64::from(packet.size());
            if let Some(rate) = control.rate {
                control.next_at += rate.time_to_send(packet.size().into());
            }
            return Some(packet);
        }
    }

    #[inline(never)]
    fn ready_at(&self) -> Time {
        self.control.next_at
    }

    #[inline]
    fn len(&self) -> usize {
        self.packets
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::Duration;

    use super::super::AnyDiscipline;
    use super::super::laws::{Log, TestFrame, described, setting};
    use super::*;

    /// A packet of a flow: the hash of a test packet is its number modulo 7, and its hosts are its own.
    fn packet(flow: u64, position: u64, size: u32) -> TestFrame {
        TestFrame::new(size, false).numbered(7 * position + flow)
    }

    fn build(more: &str) -> Cake<TestFrame> {
        match described(&format!(r#"{{"kind": "cake"{more}}}"#)).build(setting()) {
            AnyDiscipline::Cake(queue) => queue,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_leaves_keeps_to_the_rate_without_bursts() {
        let mut queue = build(r#", "rate": "1Mbit/s""#);
        let mut log = Log::default();
        let late = Time::ZERO + Duration::from_secs(1);
        (0..3).for_each(|i| queue.enqueue(late, packet(1, i, 1250), &mut log));
        // Ten milliseconds each, and no credit for the idle second.
        let mut times = Vec::new();
        let mut now = late;
        while queue.len() > 0 {
            match queue.dequeue(now, &mut log) {
                Some(_) => times.push(now.since(late).as_secs_f64() * 1e3),
                None => now = queue.ready_at(),
            }
        }
        assert_eq!(times, [0.0, 10.0, 20.0]);
    }

    #[test]
    fn a_flow_of_few_packets_comes_before_the_round() {
        let mut queue = build("");
        let mut log = Log::default();
        for flow in [1, 2] {
            (0..9).for_each(|i| queue.enqueue(Time::ZERO, packet(flow, i, 1500), &mut log));
        }
        assert!((0..4).all(|_| queue.dequeue(Time::ZERO, &mut log).is_some()));
        queue.enqueue(Time::ZERO, packet(3, 0, 100), &mut log);
        assert_eq!(queue.dequeue(Time::ZERO, &mut log).map(|packet| packet.id % 7), Some(3));
    }

    #[test]
    fn flows_whose_places_are_taken_find_others_in_their_set() {
        // Seven flows in one set of eight: nobody shares a queue.
        let mut queue = build(r#", "flows": 8"#);
        (0..7).for_each(|flow| queue.enqueue(Time::ZERO, packet(flow, 0, 1500), &mut Log::default()));
        assert_eq!(queue.control.flows.len(), 7);
        assert!(queue.control.flows.iter().all(|flow| flow.waiting.len() == 1));
    }

    #[test]
    fn the_turn_of_a_flow_is_its_part_of_the_turn_of_its_host() {
        let mut queue = build("");
        queue.enqueue(Time::ZERO, packet(1, 0, 1500), &mut Log::default());
        let source = queue.control.flows[0].hosts[0] as usize;
        queue.control.hosts[0][source].bulk = 7;
        // 305 bytes on 10 Mbit/s.
        assert_eq!(queue.control.quantum, 305);
        let sum: i64 = (0..70_000).map(|_| queue.control.turn(0)).sum();
        // 43.571 on average, with a standard deviation of 0.5 of each.
        assert!((sum as f64 / 70_000.0 - 305.0 / 7.0).abs() < 0.01, "{sum}");
    }

    #[test]
    fn hosts_count_their_flows_in_the_round() {
        let mut queue = build("");
        let mut log = Log::default();
        for flow in 0..7 {
            (0..20).for_each(|i| queue.enqueue(Time::ZERO, packet(flow, i, 1500), &mut log));
        }
        let counted = |queue: &Cake<TestFrame>| {
            queue.control.hosts.clone().map(|side| side.iter().map(|h| h.bulk).sum::<u32>())
        };
        assert_eq!(counted(&queue), [0, 0]);
        assert!((0..20).all(|_| queue.dequeue(Time::ZERO, &mut log).is_some()));
        assert_eq!(counted(&queue), [7, 7]);
        while queue.dequeue(Time::ZERO, &mut log).is_some() {}
        assert_eq!(counted(&queue), [0, 0]);
    }
}
