//! DualPI2: a queue for classic flows and one for scalable flows under one controller (RFC 9332).

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{
    BitRate, DropReason, Duration, Ecn, Frame, MarkReason, Probability, QueueLimit, Time, Validate,
    VerdictSink, config,
};
use rand::RngExt;

use super::ticks::{Ticks, check_interval};
use super::{
    Discipline, Fifo, Laziness, Level, Limit, QueueParams, Setting, Threshold, check_factors, check_target,
};

config! {
    /// Packets that ask for low latency, ECT(1) or marked already, wait in a short queue; all others in a classic one. A proportional-integral
    /// controller of the longer wait sets a probability p. Classic packets are dropped, or marked, with its square; packets of the short queue are
    /// marked with `coupling` times p, and all that wait longer than `step` while others wait. So a classic and a scalable flow get about the
    /// same rate.
    pub struct Params {
        /// The time that classic packets shall wait.
        target: Duration = "15ms", "RFC 9332 appendix A.1: target";
        /// Time from one move of the probability to the next.
        interval: Duration = "16ms", "RFC 9332 appendix A.1: Tupdate";
        /// Gain of the difference to the target, for each second.
        alpha: f64 as "1/s" = 0.16, "RFC 9332 appendix A.1: alpha = 0.1 * Tupdate / RTT_max^2";
        /// Gain of the change since the last move, for each second.
        beta: f64 as "1/s" = 3.2, "RFC 9332 appendix A.1: beta = 0.3 / RTT_max";
        /// Marks of scalable packets for each root of a classic drop.
        coupling: f64 as "dimensionless" = 2.0, "RFC 9332 appendix A.1: k";
        /// Scalable packets that wait longer are marked.
        step: Duration = "1ms", "Linux sch_dualpi2.c: step_thresh";
        /// Packets that must wait in the short queue after a packet for `step` to apply to it; with 0 it applies to all.
        step_queue: u32 as "packets" = 2, "RFC 9332 appendix A.1: more than Th_len, 1 packet; Linux sch_dualpi2.c: min_qlen_step, 0";
        /// Part of the link for the classic queue, in bytes, while both have packets; the short queue goes first otherwise.
        classic_share: Probability = 0.1, "Linux sch_dualpi2.c: c_protection; RFC 9332 appendix A.1: 1/16";
        /// Mark classic packets that are ECN-capable instead of dropping them.
        ecn: bool = true, "RFC 9332 section 2.4: RFC 3168 for the classic queue";
        /// Packets or bytes that may wait in both.
        limit: QueueLimit = "10000pkt", "Linux sch_dualpi2.c";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_target(self.target, at)?;
        check_interval(self.interval, at)?;
        check_factors(&[("alpha", self.alpha), ("beta", self.beta), ("coupling", self.coupling)], at)?;
        if self.coupling == 0.0 {
            return Err(at.key("coupling").error("must be above zero", "give 2, as RFC 9332 has it"));
        }
        if !(self.classic_share.get() > 0.0 && self.classic_share.get() < 1.0) {
            let message = format!("{} leaves one queue without service", self.classic_share.get());
            return Err(at.key("classic_share").error(message, "give a number between 0 and 1, such as 0.1"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "dualpi2";
    const TITLE: &'static str =
        "A queue for classic flows and one for scalable flows (L4S) under one controller";
    const REFERENCE: &'static str = "RFC 9332; Linux sch_dualpi2.c";
}

impl QueueParams for Params {
    type Machine<P: Frame> = DualPi2<P>;

    fn build<P: Frame>(&self, setting: Setting) -> DualPi2<P> {
        DualPi2::new(self, setting)
    }

    fn laziness(&self) -> Laziness {
        Laziness::DROPS_LATE
    }

    fn draws(&self) -> bool {
        true
    }

    fn limit(&self, bdp: u64, mtu: u32) -> Limit {
        Limit::resolve(self.limit, bdp, mtu)
    }

    fn thresholds(&self, _rate: BitRate) -> Vec<Threshold> {
        vec![
            Threshold::new("target", Level::Wait(self.target)),
            Threshold::new("step", Level::Wait(self.step)),
        ]
    }
}

/// What decides on packets.
#[derive(Clone, Debug)]
struct Control {
    target: f64,
    alpha: f64,
    beta: f64,
    coupling: f64,
    step: Duration,
    step_queue: usize,
    ecn: bool,
    limit: Limit,
    /// With fewer bytes in both queues nothing is dropped or marked at random.
    least: u64,
    /// Part of the link for the short queue and for the classic one.
    shares: [f64; 2],
    /// What the short queue has had beyond its part: above zero, and the classic queue goes first.
    credit: f64,
    probability: f64,
    /// Seconds of the longer wait at the last move.
    previous: f64,
    ticks: Ticks,
    rng: Stream,
}

impl Control {
    /// Moves the probability (RFC 9332 figure 6).
    fn update(&mut self, wait: Duration) {
        let wait = wait.as_secs_f64();
        let step = self.alpha * (wait - self.target) + self.beta * (wait - self.previous);
        self.probability = (self.probability + step).clamp(0.0, 1.0);
        self.previous = wait;
    }

    fn draws(&mut self, probability: f64) -> bool {
        self.rng.random::<f64>() < probability
    }

    /// True if marks of scalable packets cannot rise any more, so that all packets are dropped as classic ones are.
    fn is_overload(&self) -> bool {
        self.probability * self.coupling > 1.0
    }
}

/// The discipline.
#[derive(Clone, Debug)]
pub struct DualPi2<P> {
    short: Fifo<P>,
    classic: Fifo<P>,
    /// In a box: a link has room for any discipline.
    control: Box<Control>,
}

impl<P: Frame> DualPi2<P> {
    /// Empty queues.
    pub fn new(params: &Params, setting: Setting) -> DualPi2<P> {
        let classic_share = params.classic_share.get();
        let control = Control {
            target: params.target.as_secs_f64(),
            alpha: params.alpha,
            beta: params.beta,
            coupling: params.coupling,
            step: params.step,
            step_queue: params.step_queue as usize,
            ecn: params.ecn,
            limit: params.limit(setting.bdp, setting.mtu),
            least: 2 * u64::from(setting.mtu),
            shares: [1.0 - classic_share, classic_share],
            credit: 0.0,
            probability: 0.0,
            previous: 0.0,
            ticks: Ticks::new(params.interval),
            rng: setting.rng(),
        };
        DualPi2 { short: Fifo::default(), classic: Fifo::default(), control: Box::new(control) }
    }

    /// The probability moves for all times up to `now`.
    #[inline]
    fn advance(&mut self, now: Time) {
        while let Some(at) = self.control.ticks.due(now) {
            let heads = [&self.short, &self.classic].map(Fifo::oldest);
            let wait = heads.into_iter().flatten().map(|arrived| at.since(arrived)).max();
            self.control.update(wait.unwrap_or_default());
            if wait.is_none() && self.control.probability == 0.0 && self.control.previous == 0.0 {
                self.control.ticks.skip(now);
            }
        }
    }

    /// True if the classic queue is to send next. At least one of both has packets.
    fn is_turn_of_classic(&mut self) -> bool {
        if self.short.is_empty() || self.classic.is_empty() {
            self.control.credit = 0.0;
            return self.short.is_empty();
        }
        self.control.credit > 0.0
    }

    /// True if the packet is sent; it may have been marked.
    fn passes(
        &mut self,
        packet: &mut P,
        waited: Duration,
        is_classic: bool,
        sink: &mut impl VerdictSink<P>,
    ) -> bool {
        let control = &mut *self.control;
        let few = self.short.bytes() + self.classic.bytes() + u64::from(packet.size()) < control.least;
        let p = if few { 0.0 } else { control.probability };
        let overload = !few && control.is_overload();
        if is_classic {
            let chosen = control.draws(p * p);
            let marks = chosen && control.ecn && packet.ecn().is_capable() && !overload;
            if marks {
                sink.mark(packet, MarkReason::Law);
            }
            return !chosen || marks;
        }
        if overload && control.draws(p * p) {
            return false;
        }
        // Where a packet takes longer than the step to send, a single one waits for as long without a queue (RFC 9332 figure 5).
        if waited > control.step && self.short.len() >= control.step_queue {
            sink.mark(packet, MarkReason::Threshold);
        } else if control.draws(p * control.coupling) {
            sink.mark(packet, MarkReason::Law);
        }
        true
    }
}

impl<P: Frame> Discipline<P> for DualPi2<P> {
    #[inline(never)]
    fn enqueue(&mut self, now: Time, packet: P, sink: &mut impl VerdictSink<P>) {
        self.advance(now);
        if !self.control.limit.admits(self.len() as u64, self.bytes(), packet.size()) {
            return sink.dropped(packet, DropReason::Overflow);
        }
        // RFC 9331 section 5.1: ECT(1), and CE, which may have been ECT(1).
        let queue = match packet.ecn() {
            Ecn::Ect1 | Ecn::Ce => &mut self.short,
            _ => &mut self.classic,
        };
        queue.push(now, packet);
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Time, sink: &mut impl VerdictSink<P>) -> Option<P> {
        self.advance(now);
        loop {
            let is_classic = self.is_turn_of_classic();
            let queue = if is_classic { &mut self.classic } else { &mut self.short };
            let (arrived, mut packet) = queue.pop()?;
            if !self.passes(&mut packet, now.since(arrived), is_classic, sink) {
                sink.dropped(packet, DropReason::Law);
                continue;
            }
            let [short, classic] = self.control.shares;
            self.control.credit += f64::from(packet.size()) * if is_classic { -short } else { classic };
            return Some(packet);
        }
    }

    #[inline]
    fn len(&self) -> usize {
        self.short.len() + self.classic.len()
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.short.bytes() + self.classic.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::super::laws::{Log, TestFrame, setting};
    use super::*;

    fn build() -> DualPi2<TestFrame> {
        DualPi2::new(&Params::default(), setting())
    }

    fn at(micros: u64) -> Time {
        Time::ZERO + Duration::from_micros(micros)
    }

    /// Of 100000 packets that hardly wait while p is 0.1, the shares that are marked and dropped.
    fn shares(ecn: Ecn, probability: f64) -> (f64, f64) {
        let mut queue = build();
        let mut log = Log::default();
        let mut left = 0;
        while left + log.dropped.len() < 100_000 {
            queue.control.probability = probability;
            while queue.len() < 6 {
                queue.enqueue(at(0), TestFrame::new(1500, true).with_ecn(ecn), &mut log);
            }
            left += usize::from(queue.dequeue(at(0), &mut log).is_some());
        }
        [log.marked, log.dropped.len()].map(|n| n as f64 / 100_000.0).into()
    }

    #[test]
    fn classic_drops_are_squared_and_scalable_marks_doubled() {
        // Of 1 % the standard deviation is 0.03 %, of 20 % it is 0.13 %.
        let near = |found: (f64, f64), marked: f64, dropped: f64| {
            assert!((found.0 - marked).abs() < 0.006 && (found.1 - dropped).abs() < 0.002, "{found:?}");
        };
        near(shares(Ecn::NotEct, 0.1), 0.0, 0.01);
        near(shares(Ecn::Ect0, 0.1), 0.01, 0.0);
        near(shares(Ecn::Ect1, 0.1), 0.2, 0.0);
        near(shares(Ecn::Ce, 0.1), 0.2, 0.0);
        // Beyond one half, scalable packets are dropped too, and classic ones that could be marked.
        let (marked, dropped) = shares(Ecn::Ect1, 0.6);
        assert!((dropped - 0.36).abs() < 0.01 && (marked - 0.64).abs() < 0.01, "{marked} {dropped}");
        assert_eq!(shares(Ecn::Ect0, 0.6).0, 0.0);
    }

    #[test]
    fn the_controller_moves_by_the_longer_wait() {
        let mut queue = build();
        queue.enqueue(at(0), TestFrame::new(1500, false), &mut Log::default());
        queue.enqueue(at(10_000), TestFrame::new(1500, true).with_ecn(Ecn::Ect1), &mut Log::default());
        // At 16 ms the classic packet has waited 16 ms.
        queue.advance(at(20_000));
        let expected = 0.16 * 0.001 + 3.2 * 0.016;
        assert!((queue.control.probability - expected).abs() < 1e-12, "{}", queue.control.probability);
    }

    /// Marks on four packets of which each leaves later after its arrival than `step`.
    fn marks_of_late_packets(params: &Params) -> Vec<usize> {
        let mut queue = DualPi2::new(params, setting());
        let mut log = Log::default();
        (0..4).for_each(|n| queue.enqueue(at(n), TestFrame::new(1500, true).with_ecn(Ecn::Ect1), &mut log));
        let leave = |n: u64| {
            queue.dequeue(at(1001 + n), &mut log);
            log.marked
        };
        (0..4).map(leave).collect()
    }

    #[test]
    fn what_waits_longer_than_the_step_is_marked() {
        let mut queue = DualPi2::new(&Params { step_queue: 0, ..Params::default() }, setting());
        let mut log = Log::default();
        (0..2).for_each(|n| queue.enqueue(at(n), TestFrame::new(1500, true).with_ecn(Ecn::Ect1), &mut log));
        queue.dequeue(at(1000), &mut log);
        assert_eq!(log.marked, 0);
        queue.dequeue(at(1002), &mut log);
        assert_eq!(log.marked, 1);
    }

    #[test]
    fn the_step_spares_the_last_packets_of_the_short_queue() {
        assert_eq!(marks_of_late_packets(&Params::default()), [1, 2, 2, 2]);
        assert_eq!(marks_of_late_packets(&Params { step_queue: 1, ..Params::default() }), [1, 2, 3, 3]);
        assert_eq!(marks_of_late_packets(&Params { step_queue: 0, ..Params::default() }), [1, 2, 3, 4]);
    }

    #[test]
    fn the_classic_queue_keeps_its_share_by_bytes() {
        let mut queue = build();
        let mut log = Log::default();
        let scalable = TestFrame::new(500, true).with_ecn(Ecn::Ect1);
        queue.enqueue(at(0), TestFrame::new(1500, false), &mut log);
        queue.enqueue(at(0), scalable.clone(), &mut log);
        assert_eq!(queue.dequeue(at(0), &mut log).map(|packet| packet.ecn()), Some(Ecn::Ect1));
        (0..3_000).for_each(|_| queue.enqueue(at(0), scalable.clone(), &mut log));
        (0..200).for_each(|_| queue.enqueue(at(0), TestFrame::new(1500, false), &mut log));
        let mut bytes = [0, 0];
        for _ in 0..2_000 {
            let packet = queue.dequeue(at(0), &mut log).unwrap();
            bytes[usize::from(packet.ecn() == Ecn::NotEct)] += packet.size();
        }
        let share = f64::from(bytes[1]) / f64::from(bytes[0] + bytes[1]);
        assert!((share - 0.1).abs() < 0.005, "{share}");
    }
}
