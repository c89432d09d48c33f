//! SFB: stochastic fair BLUE, a Bloom filter of probabilities that finds the flows which do not slow down.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{
    DropReason, Duration, Frame, Probability, QueueLimit, Time, Validate, VerdictSink, config,
};
use rand::RngExt;

use super::at_arrival::{Decision, Signals};
use super::flows::Salt;
use super::{Discipline, Fifo, Limit, QueueParams, Setting, check_steps};

/// Levels and bins at most: a packet touches a bin of each level.
const MOST: [u32; 2] = [16, 4096];

config! {
    /// A flow falls into one bin of each level, by hashes that know nothing of one another. A bin with `bin_size` packets or more raises its
    /// probability, an empty one lowers it. An arrival is dropped, or marked, with the least of the probabilities of its bins: a flow that slows
    /// down has a low one somewhere. A flow whose probabilities are all 1 does not slow down, and may send no more than `penalty_rate`.
    pub struct Params {
        /// Levels of bins.
        levels: u32 as "levels" = 8, "Linux sch_sfb.c: SFB_LEVELS; Feng et al., INFOCOM 2001, section III: 2";
        /// Bins of a level.
        bins: u32 as "bins" = 16, "Linux sch_sfb.c: SFB_NUMBUCKETS; Feng et al., INFOCOM 2001, section III: 23";
        /// Packets of a bin from which it raises its probability.
        bin_size: u32 as "packets" = 20, "Linux sch_sfb.c";
        /// Packets of a bin from which all arrivals are dropped. None where it has more in each of its bins.
        bin_max: u32 as "packets" = 25, "Linux sch_sfb.c";
        /// What an arrival that finds a full bin adds to the probability of the bin.
        increment: Probability = 0.0005, "Linux sch_sfb.c";
        /// What an arrival that finds an empty bin takes from the probability of the bin.
        decrement: Probability = 0.00005, "Linux sch_sfb.c";
        /// Packets a second of all flows together that do not slow down.
        penalty_rate: u32 as "packets/s" = 10, "Linux sch_sfb.c";
        /// Packets of such flows that may come at once.
        penalty_burst: u32 as "packets" = 20, "Linux sch_sfb.c";
        /// Time after which flows fall into other bins.
        rehash: Duration = "600s", "Linux sch_sfb.c";
        /// How long before that the other bins begin to learn.
        warmup: Duration = "60s", "Linux sch_sfb.c";
        /// Packets or bytes that may wait.
        limit: QueueLimit = "1000pkt", "Linux sch_sfb.c: the length of the queue of the device, which is 1000";
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = true, "Feng et al., INFOCOM 2001: marks";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        for (key, value, most) in [("levels", self.levels, MOST[0]), ("bins", self.bins, MOST[1])] {
            at.within(key, value, 1..=most)?;
        }
        if self.bin_size == 0 {
            return Err(at.key("bin_size").error("an empty bin would be full", "give 1 or more"));
        }
        if self.bin_max < self.bin_size {
            let message = format!("{} is below `bin_size`, {}", self.bin_max, self.bin_size);
            return Err(at.key("bin_max").error(message, "give more, so that probabilities act first"));
        }
        if self.rehash <= self.warmup {
            let message = format!("{} is not above `warmup`, {}", self.rehash, self.warmup);
            return Err(at.key("rehash").error(message, "give more"));
        }
        check_steps(self.increment, self.decrement, at)
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "sfb";
    const TITLE: &'static str =
        "Stochastic fair BLUE: finds flows that do not slow down in a Bloom filter of probabilities";
    const REFERENCE: &'static str =
        "Feng, Kandlur, Saha & Shin, Stochastic fair blue, INFOCOM 2001; Linux sch_sfb.c";
}

impl QueueParams for Params {
    type Machine<P: Frame> = Sfb<P>;

    fn build<P: Frame>(&self, setting: Setting) -> Sfb<P> {
        Sfb::new(self, setting)
    }

    fn draws(&self) -> bool {
        true
    }

    fn limit(&self, bdp: u64, mtu: u32) -> Limit {
        Limit::resolve(self.limit, bdp, mtu)
    }
}

#[derive(Clone, Copy, Default, Debug)]
struct Bin {
    packets: u32,
    probability: f64,
}

/// Bins on all levels.
#[derive(Clone, Debug)]
struct Filter {
    /// A hash function for each level.
    salts: Box<[Salt]>,
    /// Level by level.
    bins: Box<[Bin]>,
    per_level: u32,
}

impl Filter {
    fn new(params: &Params, rng: &mut Stream) -> Filter {
        Filter {
            salts: (0..params.levels).map(|_| Salt::draw(rng)).collect(),
            bins: vec![Bin::default(); (params.levels * params.bins) as usize].into(),
            per_level: params.bins,
        }
    }

    /// Does something with the bin of the flow on each level.
    #[inline]
    fn each(&mut self, flow: u64, mut then: impl FnMut(&mut Bin)) {
        for (salt, level) in self.salts.iter().zip(self.bins.chunks_exact_mut(self.per_level as usize)) {
            then(&mut level[salt.bucket(flow, self.per_level)]);
        }
    }

    /// An arrival of the flow moves the probabilities of its bins. The fewest packets and the least probability of one of them.
    #[inline]
    fn arrives(&mut self, flow: u64, params: &Params) -> (u32, f64) {
        let (increment, decrement) = (params.increment.get(), params.decrement.get());
        let (mut packets, mut probability) = (u32::MAX, 1.0_f64);
        self.each(flow, |bin| {
            if bin.packets == 0 {
                bin.probability = (bin.probability - decrement).max(0.0);
            } else if bin.packets >= params.bin_size {
                bin.probability = (bin.probability + increment).min(1.0);
            }
            packets = packets.min(bin.packets);
            probability = probability.min(bin.probability);
        });
        (packets, probability)
    }
}

/// What decides on packets.
#[derive(Clone, Debug)]
struct Control {
    params: Params,
    limit: Limit,
    signals: Signals,
    filter: Filter,
    /// The bins that take over next, while they learn.
    next: Option<Filter>,
    /// When these begin to learn, or take over.
    due: Time,
    /// Packets that flows which do not slow down may send now, and since when that is so.
    allowance: f64,
    allowance_at: Time,
    rng: Stream,
}

impl Control {
    /// Takes a packet from the allowance of those that do not slow down, if there is one.
    fn allows(&mut self, now: Time) -> bool {
        let earned = now.since(self.allowance_at).as_secs_f64() * f64::from(self.params.penalty_rate);
        self.allowance = (self.allowance + earned).min(self.params.penalty_burst.into());
        self.allowance_at = now;
        let allows = self.allowance >= 1.0;
        self.allowance -= if allows { 1.0 } else { 0.0 };
        allows
    }

    /// Does something with the bins of the flow, in use and learning.
    #[inline]
    fn each(&mut self, flow: u64, then: impl Fn(&mut Bin)) {
        self.filter.each(flow, &then);
        if let Some(next) = &mut self.next {
            next.each(flow, then);
        }
    }
}

/// The discipline.
#[derive(Clone, Debug)]
pub struct Sfb<P> {
    waiting: Fifo<P>,
    /// In a box: a link has room for any discipline.
    control: Box<Control>,
}

impl<P: Frame> Sfb<P> {
    /// An empty queue.
    pub fn new(params: &Params, setting: Setting) -> Sfb<P> {
        let mut rng = setting.rng();
        let control = Control {
            limit: params.limit(setting.bdp, setting.mtu),
            signals: Signals::by(params.ecn),
            filter: Filter::new(params, &mut rng),
            next: None,
            due: Time::ZERO + params.rehash.saturating_sub(params.warmup),
            allowance: params.penalty_burst.into(),
            allowance_at: Time::ZERO,
            rng,
            params: params.clone(),
        };
        Sfb { waiting: Fifo::default(), control: Box::new(control) }
    }

    /// The next bins begin to learn, or take over.
    #[cold]
    fn turn(&mut self, now: Time) {
        let control = &mut *self.control;
        match control.next.take() {
            Some(next) => {
                control.filter = next;
                control.due = now + control.params.rehash.saturating_sub(control.params.warmup);
            }
            None => {
                let mut next = Filter::new(&control.params, &mut control.rng);
                self.waiting.iter().for_each(|packet| next.each(packet.flow_hash(), |bin| bin.packets += 1));
                control.next = Some(next);
                control.due = now + control.params.warmup;
            }
        }
    }

    /// What becomes of an arrival that fits: dropped, marked if it can be, or queued.
    fn decides(&mut self, now: Time, flow: u64) -> Decision {
        let control = &mut *self.control;
        let (packets, probability) = control.filter.arrives(flow, &control.params);
        if let Some(next) = &mut control.next {
            next.arrives(flow, &control.params);
        }
        if packets >= control.params.bin_max {
            return Decision::Drop;
        }
        if probability >= 1.0 {
            return if control.allows(now) { Decision::Pass } else { Decision::Drop };
        }
        let drawn = control.rng.random::<f64>();
        // Linux sch_sfb.c: where more than half are marked, marks do not help, and some are dropped too.
        if drawn < 2.0 * (probability - 0.5) {
            Decision::Drop
        } else if drawn < probability {
            Decision::Signal
        } else {
            Decision::Pass
        }
    }
}

impl<P: Frame> Discipline<P> for Sfb<P> {
    #[inline(never)]
    fn enqueue(&mut self, now: Time, mut packet: P, sink: &mut impl VerdictSink<P>) {
        if now >= self.control.due {
            self.turn(now);
        }
        if !self.control.limit.admits(self.waiting.len() as u64, self.waiting.bytes(), packet.size()) {
            return sink.dropped(packet, DropReason::Overflow);
        }
        let flow = packet.flow_hash();
        let decision = self.decides(now, flow);
        if !self.control.signals.keeps(&mut packet, decision, sink) {
            return sink.dropped(packet, DropReason::Law);
        }
        self.control.each(flow, |bin| bin.packets += 1);
        self.waiting.push(now, packet);
    }

    #[inline(never)]
    fn dequeue(&mut self, _now: Time, _sink: &mut impl VerdictSink<P>) -> Option<P> {
        let (_, packet) = self.waiting.pop()?;
        self.control.each(packet.flow_hash(), |bin| bin.packets -= 1);
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

#[cfg(test)]
mod tests {
    use super::super::laws::{Log, TestFrame, setting};
    use super::*;

    /// A packet of a flow: the hash of a test packet is its number modulo 7.
    fn packet(flow: u64) -> TestFrame {
        TestFrame::new(1000, false).numbered(7 + flow)
    }

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    /// The least probability of the bins of the flow.
    fn probability(queue: &mut Sfb<TestFrame>, flow: u64) -> f64 {
        let mut least = 1.0_f64;
        queue.control.filter.each(packet(flow).flow_hash(), |bin| least = least.min(bin.probability));
        least
    }

    /// Flow 1 sends four packets in each millisecond. Five others in turn send one in each but one of so many milliseconds; the link takes one
    /// in each. Returns how many of flow 1 leave, and how many of the others are dropped.
    fn overload(queue: &mut Sfb<TestFrame>, millis: std::ops::Range<u64>, but_one_of: u64) -> (usize, usize) {
        let mut log = Log::default();
        let mut left = 0;
        for t in millis {
            if t % but_one_of != 0 {
                queue.enqueue(at(t), packet(2 + t % 5), &mut log);
            }
            (0..4).for_each(|_| queue.enqueue(at(t), packet(1), &mut log));
            left += queue.dequeue(at(t), &mut log).map_or(0, |packet| usize::from(packet.id % 7 == 1));
        }
        (left, log.dropped.iter().filter(|packet| packet.id % 7 != 1).count())
    }

    #[test]
    fn an_unresponsive_flow_gets_what_others_leave() {
        // Five others want 15 % each, which is less than a sixth: they get it, and flow 1 the quarter that is left.
        let mut queue: Sfb<TestFrame> = Sfb::new(&Params::default(), setting());
        overload(&mut queue, 0..60_000, 4);
        let (left, dropped) = overload(&mut queue, 60_000..70_000, 4);
        assert!(probability(&mut queue, 1) > 0.9, "{}", probability(&mut queue, 1));
        assert!((2_300..2_700).contains(&left) && dropped < 200, "{left} {dropped}");
        // They want 19.6 % each: all get about a sixth.
        let mut queue: Sfb<TestFrame> = Sfb::new(&Params::default(), setting());
        overload(&mut queue, 0..200_000, 50);
        let (left, _) = overload(&mut queue, 200_000..210_000, 50);
        assert!((1_200..2_200).contains(&left), "{left}");
    }

    #[test]
    fn full_bins_raise_their_probability_and_empty_ones_lower_it() {
        let params = Params { bin_size: 3, bin_max: 1000, ..Params::default() };
        let mut queue: Sfb<TestFrame> = Sfb::new(&params, setting());
        let mut log = Log::default();
        (0..13).for_each(|_| queue.enqueue(at(0), packet(1), &mut log));
        assert!((probability(&mut queue, 1) - 10.0 * 0.0005).abs() < 1e-12);
        while queue.dequeue(at(0), &mut log).is_some() {}
        for _ in 0..20 {
            queue.enqueue(at(0), packet(1), &mut log);
            queue.dequeue(at(0), &mut log);
        }
        assert!((probability(&mut queue, 1) - (0.005 - 20.0 * 0.00005)).abs() < 1e-12);
    }

    #[test]
    fn a_probability_of_three_quarters_drops_half() {
        // Linux sch_sfb.c: sfb_enqueue drops with twice what is above one half, and marks the rest.
        let mut queue: Sfb<TestFrame> = Sfb::new(&Params::default(), setting());
        let flow = packet(1).flow_hash();
        queue.control.filter.each(flow, |bin| *bin = Bin { packets: 1, probability: 0.75 });
        let decisions: Vec<Decision> = (0..100_000).map(|_| queue.decides(at(0), flow)).collect();
        // Five standard deviations of a share are 0.008 at most.
        for (decision, share) in [(Decision::Drop, 0.5), (Decision::Signal, 0.25), (Decision::Pass, 0.25)] {
            let found = decisions.iter().filter(|d| **d == decision).count() as f64 / 100_000.0;
            assert!((found - share).abs() < 0.008, "{decision:?}: {found}");
        }
    }

    #[test]
    fn other_bins_take_over_packets_and_probabilities() {
        let (rehash, warmup) = (Duration::from_secs(10), Duration::from_secs(4));
        let params = Params { rehash, warmup, bin_size: 3, bin_max: 1000, ..Params::default() };
        let mut queue: Sfb<TestFrame> = Sfb::new(&params, setting());
        let salts = |filter: &Filter| format!("{:?}", filter.salts);
        let first = salts(&queue.control.filter);
        let send = |queue: &mut Sfb<TestFrame>, millis, flow, packets| {
            (0..packets).for_each(|_| queue.enqueue(at(millis), packet(flow), &mut Log::default()));
        };
        send(&mut queue, 5999, 2, 2);
        assert!(queue.control.next.is_none());
        send(&mut queue, 6000, 1, 14);
        let next = queue.control.next.as_ref().map(salts);
        assert!(next.is_some() && salts(&queue.control.filter) == first, "they learn for four seconds");
        send(&mut queue, 9999, 2, 1);
        assert_eq!(salts(&queue.control.filter), first);
        send(&mut queue, 10_000, 2, 1);
        assert!(queue.control.next.is_none());
        assert_eq!(Some(salts(&queue.control.filter)), next);
        // The bins that took over know both: eleven packets of flow 1 found three or more before them, and what waits.
        assert!((probability(&mut queue, 1) - 11.0 * 0.0005).abs() < 1e-12, "{}", probability(&mut queue, 1));
        for level in queue.control.filter.bins.chunks(16) {
            assert_eq!(level.iter().map(|bin| bin.packets as usize).sum::<usize>(), queue.len());
        }
        assert_eq!(queue.control.due, at(16_000), "the next ones begin to learn");
    }
}
