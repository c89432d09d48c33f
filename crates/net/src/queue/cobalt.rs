//! COBALT: CoDel that resumes its rate of drops, with BLUE for flows that do not slow down.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{
    BitRate, DropReason, Duration, Frame, MarkReason, Probability, QueueLimit, Time, Validate, VerdictSink,
    config,
};
use rand::RngExt;

use super::{Discipline, Fifo, Laziness, Level, Limit, QueueParams, Setting, Threshold, check_steps};

config! {
    /// The law of COBALT.
    pub struct Controller {
        /// Acceptable standing queueing delay.
        target: Duration = "5ms", "Linux sch_cake.c: as CoDel; RFC 8289 section 4.3";
        /// How long the delay must stay above the target before the first drop; a worst-case round-trip time.
        interval: Duration = "100ms", "Linux sch_cake.c: as CoDel; RFC 8289 section 4.2";
        /// What a packet that does not fit adds to the probability of BLUE.
        increment: Probability = 0.00390625, "Linux sch_cake.c: p_inc, 1/256";
        /// What an empty queue takes from it.
        decrement: Probability = 0.000244140625, "Linux sch_cake.c: p_dec, 1/4096";
        /// Mark ECN-capable packets instead of dropping them; those that BLUE chooses are dropped.
        ecn: bool = true, "RFC 8289 section 5.4";
    }
}

impl Validate for Controller {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.target.is_zero() || self.target >= self.interval {
            let message =
                format!("{} does not lie between 0 and the interval of {}", self.target, self.interval);
            return Err(at
                .key("target")
                .error(message, "give 5 to 10 % of the interval (RFC 8289 section 4.3)"));
        }
        check_steps(self.increment, self.decrement, at)
    }
}

config! {
    /// CoDel and BLUE in one: CoDel drops, or marks, at the head once packets have waited too long for too long, and slows down step by step when they no
    /// longer do. BLUE drops at the head with a probability that packets which do not fit raise.
    pub struct Params {
        /// Packets or bytes that may wait.
        limit: QueueLimit = "1000pkt", "choice: as that of `codel`";
        ..controller: Controller {}
    }
}

impl Validate for Params {}

impl Algorithm for Params {
    const NAME: &'static str = "cobalt";
    const TITLE: &'static str = "CoDel with BLUE: for flows that slow down and for those that do not";
    const REFERENCE: &'static str =
        "Palmei et al., Design and evaluation of COBALT queue discipline, LANMAN 2019; Linux sch_cake.c";
}

impl QueueParams for Params {
    type Machine<P: Frame> = Cobalt<P>;

    fn build<P: Frame>(&self, setting: Setting) -> Cobalt<P> {
        Cobalt::new(self, setting)
    }

    fn laziness(&self) -> Laziness {
        Laziness::DROPS_LATE.and(Laziness::NOTICES_IDLE)
    }

    fn draws(&self) -> bool {
        true
    }

    fn limit(&self, bdp: u64, mtu: u32) -> Limit {
        Limit::resolve(self.limit, bdp, mtu)
    }

    fn thresholds(&self, _rate: BitRate) -> Vec<Threshold> {
        vec![Threshold::new("target", Level::Wait(self.controller.target))]
    }
}

/// The law: decides from sojourn times and from what does not fit.
#[derive(Clone, Debug)]
pub struct Law {
    target: Duration,
    interval: Duration,
    /// Packets that wait less than this are not too late, whatever the target: four of the largest.
    least: Duration,
    increment: f64,
    decrement: f64,
    ecn: bool,
    count: u32,
    dropping: bool,
    drop_next: Time,
    probability: f64,
    /// When the probability moved last.
    moved: Option<Time>,
}

impl Law {
    /// At the start, on a link where the largest packet takes `longest`.
    pub fn new(controller: &Controller, longest: Duration) -> Law {
        Law {
            target: controller.target,
            interval: controller.interval,
            least: longest * 4,
            increment: controller.increment.get(),
            decrement: controller.decrement.get(),
            ecn: controller.ecn,
            count: 0,
            dropping: false,
            drop_next: Time::ZERO,
            probability: 0.0,
            moved: None,
        }
    }

    /// RFC 8289 section 5.6.
    fn next_after(&self, t: Time) -> Time {
        t + self.interval.mul_f64(1.0 / f64::from(self.count.max(1)).sqrt())
    }

    /// True if the probability may move: it does so once in a target.
    fn may_move(&mut self, now: Time) -> bool {
        let may = self.moved.is_none_or(|moved| now.since(moved) > self.target);
        if may {
            self.moved = Some(now);
        }
        may
    }

    /// A packet does not fit.
    #[cold]
    pub fn overflows(&mut self, now: Time) {
        if self.may_move(now) {
            self.probability = (self.probability + self.increment).min(1.0);
        }
        self.dropping = true;
        self.drop_next = now;
        self.count = self.count.max(1);
    }

    /// The link wants a packet and the queue has none.
    pub fn is_empty(&mut self, now: Time) {
        if self.probability > 0.0 && self.may_move(now) {
            self.probability = (self.probability - self.decrement).max(0.0);
        }
        self.dropping = false;
        if self.count > 0 && now >= self.drop_next {
            self.count -= 1;
            self.drop_next = self.next_after(self.drop_next);
        }
    }

    /// True if nothing is left of what it has learnt.
    pub fn is_at_rest(&self, now: Time) -> bool {
        self.probability == 0.0 && self.count == 0 && now >= self.drop_next
    }

    /// What CoDel and BLUE do with a packet that has waited for `sojourn`.
    fn decides(&mut self, now: Time, sojourn: Duration, can_mark: bool, rng: &mut Stream) -> Verdict {
        let is_late = sojourn > self.target.max(self.least);
        if is_late && !self.dropping {
            self.dropping = true;
            self.drop_next = self.next_after(now);
            self.count = self.count.max(1);
        } else if !is_late {
            self.dropping = false;
        }
        let mut verdict = Verdict::Pass;
        if self.count > 0 && now >= self.drop_next && self.dropping {
            verdict = if can_mark { Verdict::Mark } else { Verdict::Drop };
            self.count = self.count.saturating_add(1);
            self.drop_next = self.next_after(self.drop_next);
        } else {
            // It slows down by as many steps as it would have dropped packets.
            while self.count > 0 && now >= self.drop_next {
                self.count -= 1;
                self.drop_next = self.next_after(self.drop_next);
            }
        }
        if self.probability > 0.0 && rng.random::<f64>() < self.probability {
            verdict = Verdict::Drop;
        }
        if self.count == 0 {
            self.drop_next = now + self.interval;
        } else if now > self.drop_next && verdict != Verdict::Drop {
            self.drop_next = now;
        }
        verdict
    }

    /// The next packet to transmit. What the law gives up on the way goes to the sink.
    #[inline]
    pub fn next<P: Frame>(
        &mut self,
        now: Time,
        waiting: &mut Fifo<P>,
        rng: &mut Stream,
        sink: &mut impl VerdictSink<P>,
    ) -> Option<P> {
        loop {
            let Some((arrived, mut packet)) = waiting.pop() else {
                self.is_empty(now);
                return None;
            };
            let can_mark = self.ecn && packet.ecn().is_capable();
            // The last packet is never dropped (Linux sch_cake.c).
            match self.decides(now, now.since(arrived), can_mark, rng) {
                Verdict::Drop if !waiting.is_empty() => sink.dropped(packet, DropReason::Law),
                Verdict::Mark => {
                    sink.mark(&mut packet, MarkReason::Law);
                    return Some(packet);
                }
                Verdict::Drop | Verdict::Pass => return Some(packet),
            }
        }
    }
}

/// What becomes of a packet at the head.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Pass,
    Mark,
    Drop,
}

/// The discipline.
#[derive(Clone, Debug)]
pub struct Cobalt<P> {
    waiting: Fifo<P>,
    /// In a box: a link has room for any discipline.
    control: Box<(Law, Limit, Stream)>,
}

impl<P: Frame> Cobalt<P> {
    /// An empty queue.
    pub fn new(params: &Params, setting: Setting) -> Cobalt<P> {
        let law = Law::new(&params.controller, setting.rate.time_to_send(setting.mtu.into()));
        let limit = params.limit(setting.bdp, setting.mtu);
        Cobalt { waiting: Fifo::default(), control: Box::new((law, limit, setting.rng())) }
    }
}

impl<P: Frame> Discipline<P> for Cobalt<P> {
    #[inline(never)]
    fn enqueue(&mut self, now: Time, packet: P, sink: &mut impl VerdictSink<P>) {
        let (law, limit, _) = &mut *self.control;
        if limit.admits(self.waiting.len() as u64, self.waiting.bytes(), packet.size()) {
            self.waiting.push(now, packet);
        } else {
            law.overflows(now);
            sink.dropped(packet, DropReason::Overflow);
        }
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Time, sink: &mut impl VerdictSink<P>) -> Option<P> {
        let (law, _, rng) = &mut *self.control;
        law.next(now, &mut self.waiting, rng, sink)
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

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    /// Two packets in each millisecond to a link that takes one; when the law gave one up, or marked one.
    fn overload(queue: &mut Cobalt<TestFrame>, ecn: bool, millis: std::ops::Range<u64>) -> Vec<u64> {
        let mut log = Log::default();
        let mut times = Vec::new();
        for t in millis {
            (0..2).for_each(|_| queue.enqueue(at(t), TestFrame::new(1500, ecn), &mut log));
            let before = log.dropped.len() + log.marked;
            queue.dequeue(at(t), &mut log);
            times.extend(vec![t; log.dropped.len() + log.marked - before]);
        }
        times
    }

    #[test]
    fn sustained_overload_drops_at_the_square_root_rate_of_codel() {
        for ecn in [false, true] {
            let params = Params { limit: QueueLimit::Packets(100_000), ..Params::default() };
            let times = overload(&mut Cobalt::new(&params, setting()), ecn, 0..500);
            let gaps: Vec<f64> = times.windows(2).map(|w| (w[1] - w[0]) as f64).take(5).collect();
            for (gap, want) in gaps.iter().zip([70.7, 57.7, 50.0, 44.7, 40.8]) {
                assert!((gap - want).abs() <= 1.0, "ecn {ecn}: {times:?}");
            }
        }
    }

    #[test]
    fn a_law_that_still_knows_something_is_not_at_rest() {
        let new = || Law::new(&Params::default().controller, Duration::from_millis(1));
        assert!(new().is_at_rest(at(0)));
        let mut law = new();
        law.probability = 0.1;
        assert!(!law.is_at_rest(at(0)), "a probability");
        let mut law = new();
        law.count = 1;
        assert!(!law.is_at_rest(at(0)), "a count");
        let mut law = new();
        law.drop_next = at(1);
        assert!(!law.is_at_rest(at(0)) && law.is_at_rest(at(1)), "a time");
    }

    #[test]
    fn after_the_overload_it_slows_down_step_by_step() {
        let params = Params { limit: QueueLimit::Packets(100_000), ..Params::default() };
        let mut queue = Cobalt::new(&params, setting());
        overload(&mut queue, false, 0..500);
        while queue.dequeue(at(500), &mut Log::default()).is_some() {}
        let count = queue.control.0.count;
        assert!(count > 5, "{count}");
        // A packet in each ten milliseconds that does not wait.
        for t in (510..700).step_by(10) {
            queue.enqueue(at(t), TestFrame::new(1500, false), &mut Log::default());
            queue.dequeue(at(t), &mut Log::default());
        }
        let slower = queue.control.0.count;
        assert!(slower > 0 && slower < count, "{count} {slower}");
    }

    /// A law with a count, whose next drop is due after a second.
    fn due(count: u32, dropping: bool) -> Law {
        let new = Law::new(&Params::default().controller, Duration::from_millis(1));
        Law { count, dropping, drop_next: at(1000), ..new }
    }

    fn count_and_next(law: &Law) -> (u32, u64) {
        (law.count, law.drop_next.as_nanos() / 1000)
    }

    #[test]
    fn it_slows_down_by_the_drops_that_were_due() {
        // Gaps of 100 ms by the root of the count: 50, 57.735, 70.711, 100 ms.
        for (now, left) in [
            (999, (5, 1_000_000)),
            (1000, (4, 1_050_000)),
            (1050, (3, 1_107_735)),
            (1107, (3, 1_107_735)),
            (1108, (2, 1_178_445)),
            (1179, (1, 1_278_445)),
            (1279, (0, 1_379_000)),
            (5000, (0, 5_100_000)),
        ] {
            let mut law = due(5, true);
            let verdict = law.decides(at(now), Duration::from_millis(5), false, &mut setting().rng());
            assert_eq!((verdict, count_and_next(&law)), (Verdict::Pass, left), "{now} ms");
            assert!(!law.dropping, "5 ms is not too late");
        }
    }

    #[test]
    fn an_empty_queue_slows_down_by_one() {
        for (count, now, left) in [
            (2, 999, (2, 1_000_000)),
            (2, 1000, (1, 1_100_000)),
            (2, 9000, (1, 1_100_000)),
            (1, 1000, (0, 1_100_000)),
            (0, 1000, (0, 1_000_000)),
        ] {
            let mut law = due(count, true);
            law.is_empty(at(now));
            assert_eq!((count_and_next(&law), law.dropping), (left, false), "{count} at {now} ms");
        }
    }

    #[test]
    fn a_mark_that_comes_late_is_the_last_that_was_due() {
        for (can_mark, verdict, next) in [(true, Verdict::Mark, 2_000_000), (false, Verdict::Drop, 1_070_710)]
        {
            let mut law = due(1, true);
            let found = law.decides(at(2000), Duration::from_millis(6), can_mark, &mut setting().rng());
            assert_eq!((found, count_and_next(&law)), (verdict, (2, next)));
        }
    }

    #[test]
    fn overflow_raises_the_probability_once_per_target() {
        let params = Params { limit: QueueLimit::Packets(20), ..Params::default() };
        let mut queue = Cobalt::new(&params, setting());
        overload(&mut queue, true, 0..140);
        let risen = queue.control.0.probability;
        // Full from 19 ms on: once in six milliseconds, on the grid of one.
        let expected = 20.0 / 256.0;
        assert!((risen - expected).abs() < 1.5 / 256.0, "{risen} {expected}");
        while queue.dequeue(at(140), &mut Log::default()).is_some() {}
        let risen = queue.control.0.probability;
        for t in 0..10 {
            queue.dequeue(at(700 + 10 * t), &mut Log::default());
        }
        let fallen = risen - queue.control.0.probability;
        assert!((fallen - 10.0 / 4096.0).abs() < 1.5 / 4096.0, "{fallen}");
    }
}
