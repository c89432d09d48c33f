//! CoDel: controls the time that packets wait, not their number (RFC 8289).

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{
    BitRate, DropReason, Duration, Frame, MarkReason, QueueLimit, Time, Validate, VerdictSink, config,
};

use super::{Discipline, Fifo, Laziness, Level, Limit, QueueParams, Setting, Threshold};

config! {
    /// The control law of CoDel.
    pub struct Controller {
        /// Acceptable standing queueing delay.
        target: Duration = "5ms", "RFC 8289 section 4.3";
        /// How long the delay must stay above the target before the first drop; a worst-case round-trip time.
        interval: Duration = "100ms", "RFC 8289 section 4.2";
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = true, "RFC 8289 section 5.4";
    }
}

config! {
    /// Controlled delay: drops or marks at the head once packets have waited too long for too long.
    pub struct Params {
        /// Packets or bytes that may wait.
        limit: QueueLimit = "1000pkt", "choice: the default of the Linux queueing discipline";
        ..controller: Controller {}
    }
}

impl Validate for Params {}

impl Validate for Controller {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        // RFC 8289 section 4: a standing delay is one that stays above the target for longer than the interval.
        if self.target.is_zero() || self.target >= self.interval {
            let message =
                format!("{} does not lie between 0 and the interval of {}", self.target, self.interval);
            return Err(at
                .key("target")
                .error(message, "give 5 to 10 % of the interval (RFC 8289 section 4.3)"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "codel";
    const TITLE: &'static str = "Controlled delay active queue management";
    const REFERENCE: &'static str = "RFC 8289";
}

impl QueueParams for Params {
    type Machine<P: Frame> = CoDel<P>;

    fn build<P: Frame>(&self, setting: Setting) -> CoDel<P> {
        CoDel::new(self, setting)
    }

    fn limit(&self, bdp: u64, mtu: u32) -> Limit {
        Limit::resolve(self.limit, bdp, mtu)
    }

    fn laziness(&self) -> Laziness {
        Laziness::DROPS_LATE
    }

    fn thresholds(&self, _rate: BitRate) -> Vec<Threshold> {
        vec![Threshold::new("target", Level::Wait(self.controller.target))]
    }
}

/// The control law: decides from sojourn times alone and holds no packets.
#[derive(Clone, Debug)]
pub struct Law {
    ecn: bool,
    target: Duration,
    interval: Duration,
    mtu: u64,
    /// When the sojourn time will have been above the target for one interval.
    first_above: Option<Time>,
    dropping: bool,
    drop_next: Time,
    count: u32,
    last_count: u32,
}

impl Law {
    /// At the start, on a link with this largest packet.
    pub fn new(controller: &Controller, mtu: u32) -> Law {
        Law {
            ecn: controller.ecn,
            target: controller.target,
            interval: controller.interval,
            mtu: u64::from(mtu),
            first_above: None,
            dropping: false,
            drop_next: Time::ZERO,
            count: 0,
            last_count: 0,
        }
    }

    /// True if the packet that waited `sojourn`, with `backlog` bytes left behind it, may be dropped
    /// (RFC 8289 section 5.5).
    fn above_for_an_interval(&mut self, now: Time, sojourn: Duration, backlog: u64) -> bool {
        if sojourn < self.target || backlog <= self.mtu {
            self.first_above = None;
            return false;
        }
        match self.first_above {
            None => {
                self.first_above = Some(now + self.interval);
                false
            }
            Some(due) => now >= due,
        }
    }

    /// RFC 8289 section 5.6: the next drop comes interval / sqrt(count) later.
    fn next_after(&self, t: Time) -> Time {
        t + self.interval.mul_f64(1.0 / f64::from(self.count).sqrt())
    }

    /// Enters the dropping state; the old rate is resumed if it was left a short time ago (RFC 8289 section 5.4).
    fn enter(&mut self, now: Time) {
        let delta = self.count.saturating_sub(self.last_count);
        let recent = now.since(self.drop_next) < self.interval * 16;
        self.count = if delta > 1 && recent { delta } else { 1 };
        self.last_count = self.count;
        self.dropping = true;
        self.drop_next = self.next_after(now);
    }

    /// The oldest packet and whether the law may drop it.
    fn look<P: Frame>(&mut self, now: Time, waiting: &mut Fifo<P>) -> Option<(P, bool)> {
        let Some((arrived, packet)) = waiting.pop() else {
            self.first_above = None;
            return None;
        };
        let droppable = self.above_for_an_interval(now, now.since(arrived), waiting.bytes());
        Some((packet, droppable))
    }

    /// What [`Law::next`] does about an empty queue.
    #[inline]
    pub fn rest(&mut self) {
        self.first_above = None;
        self.dropping = false;
    }

    /// Marks the packet and returns it if it can be marked; otherwise drops it.
    fn signal<P: Frame>(&self, mut packet: P, sink: &mut impl VerdictSink<P>) -> Option<P> {
        if self.ecn && packet.ecn().is_capable() {
            sink.mark(&mut packet, MarkReason::Law);
            return Some(packet);
        }
        sink.dropped(packet, DropReason::Law);
        None
    }

    /// The next packet to transmit. What the law gives up on the way goes to the sink.
    #[inline(always)]
    pub fn next<P: Frame>(
        &mut self,
        now: Time,
        waiting: &mut Fifo<P>,
        sink: &mut impl VerdictSink<P>,
    ) -> Option<P> {
        let Some((mut packet, mut droppable)) = self.look(now, waiting) else {
            self.dropping = false;
            return None;
        };
        if !self.dropping {
            if !droppable {
                return Some(packet);
            }
            // The first signal of a dropping state; the packet behind a dropped one is sent whatever its delay.
            self.enter(now);
            return self.signal(packet, sink).or_else(|| self.look(now, waiting).map(|(p, _)| p));
        }
        loop {
            if !droppable {
                self.dropping = false;
                return Some(packet);
            }
            if now < self.drop_next {
                return Some(packet);
            }
            self.count += 1;
            let marked = self.signal(packet, sink);
            if marked.is_some() {
                self.drop_next = self.next_after(self.drop_next);
                return marked;
            }
            match self.look(now, waiting) {
                Some(next) => (packet, droppable) = next,
                None => {
                    self.dropping = false;
                    return None;
                }
            }
            // The last drop of a dropping state sets no time for another.
            if droppable {
                self.drop_next = self.next_after(self.drop_next);
            }
        }
    }
}

/// The discipline.
#[derive(Clone, Debug)]
pub struct CoDel<P> {
    waiting: Fifo<P>,
    limit: Limit,
    law: Law,
}

impl<P: Frame> CoDel<P> {
    /// An empty queue.
    pub fn new(params: &Params, setting: Setting) -> CoDel<P> {
        CoDel {
            waiting: Fifo::default(),
            limit: params.limit(setting.bdp, setting.mtu),
            law: Law::new(&params.controller, setting.mtu),
        }
    }
}

impl<P: Frame> Discipline<P> for CoDel<P> {
    // These two are called from two places each: the compiler would make them calls, which copy packets.
    #[inline(always)]
    fn enqueue(&mut self, now: Time, packet: P, sink: &mut impl VerdictSink<P>) {
        if self.limit.admits(self.waiting.len() as u64, self.waiting.bytes(), packet.size()) {
            self.waiting.push(now, packet);
        } else {
            sink.dropped(packet, DropReason::Overflow);
        }
    }

    #[inline]
    fn pass_through(&mut self, _now: Time, packet: &mut P, sink: &mut impl VerdictSink<P>) -> bool
    where
        P: Clone,
    {
        // The packet that left last had nothing behind it, and so ended what was going on (RFC 8289 section 5.5); this one has
        // not waited, and changes nothing.
        debug_assert!(self.law.first_above.is_none() && !self.law.dropping);
        let fits = self.limit.admits(0, 0, packet.size());
        if !fits {
            sink.dropped(packet.clone(), DropReason::Overflow);
        }
        fits
    }

    #[inline(always)]
    fn dequeue(&mut self, now: Time, sink: &mut impl VerdictSink<P>) -> Option<P> {
        self.law.next(now, &mut self.waiting, sink)
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
    use std::collections::VecDeque;

    use dumbbell_core::rng::stream;
    use proptest::prelude::*;
    use rand::RngExt;

    use super::*;
    use crate::queue::laws::{Log, TestFrame, setting};

    /// Serves a permanently overloaded queue, one packet a millisecond, and returns when packets were given up.
    fn signal_times(ecn: bool, millis: u64) -> Vec<f64> {
        let mut queue = CoDel::new(&Params::default(), setting());
        let mut log = Log::default();
        let mut times = Vec::new();
        for t in 0..millis {
            let now = Time::from_nanos(t * 1_000_000);
            for _ in 0..2 {
                queue.enqueue(now, TestFrame::new(1500, ecn), &mut log);
            }
            let before = log.dropped.len() + log.marked;
            queue.dequeue(now, &mut log);
            times.extend(vec![t as f64; log.dropped.len() + log.marked - before]);
        }
        times
    }

    #[test]
    fn sustained_overload_drops_at_the_square_root_rate() {
        // RFC 8289 section 5.6: 100, 70.7, 57.7, 50, 44.7 ms, here on a grid of 1 ms.
        for ecn in [false, true] {
            let times = signal_times(ecn, 500);
            let gaps: Vec<f64> = times.windows(2).map(|w| w[1] - w[0]).take(5).collect();
            for (gap, want) in gaps.iter().zip([100.0, 70.7, 57.7, 50.0, 44.7]) {
                assert!((gap - want).abs() <= 1.0, "ecn {ecn}: gaps {gaps:?}");
            }
        }
    }

    /// The pseudocode of RFC 8289 section 5, line by line: of packets of 1500 bytes that arrived at these times, those that
    /// are sent at the times of the opportunities, in milliseconds, and the state that is left.
    fn pseudocode(arrivals: &[u64], opportunities: &[u64]) -> (Vec<u64>, (u32, f64)) {
        let mut queue: VecDeque<u64> = VecDeque::new();
        let mut arrivals = arrivals.iter().peekable();
        let (mut first_above, mut dropping, mut drop_next) = (0.0, false, 0.0);
        let (mut count, mut last_count) = (0_u32, 0_u32);
        let control_law = |t: f64, count: u32| t + 100.0 / f64::from(count).sqrt();
        let mut sent = Vec::new();
        for &now in opportunities {
            queue.extend(std::iter::from_fn(|| arrivals.next_if(|t| **t <= now)));
            let now = now as f64;
            let mut dequeue = |first_above: &mut f64| {
                let packet = queue.pop_front();
                let sojourn = packet.map_or(0.0, |t| now - t as f64);
                if packet.is_none() || sojourn < 5.0 || queue.len() <= 1 {
                    *first_above = 0.0;
                } else if *first_above == 0.0 {
                    *first_above = now + 100.0;
                } else {
                    return (packet, now >= *first_above);
                }
                (packet, false)
            };
            let (mut packet, mut ok_to_drop) = dequeue(&mut first_above);
            if dropping {
                dropping = ok_to_drop;
                while now >= drop_next && dropping {
                    count += 1;
                    (packet, ok_to_drop) = dequeue(&mut first_above);
                    if ok_to_drop {
                        drop_next = control_law(drop_next, count);
                    } else {
                        dropping = false;
                    }
                }
            } else if ok_to_drop {
                (packet, _) = dequeue(&mut first_above);
                dropping = true;
                let delta = count - last_count;
                count = if delta > 1 && now - drop_next < 1600.0 { delta } else { 1 };
                drop_next = control_law(now, count);
                last_count = count;
            }
            sent.extend(packet);
        }
        (sent, (count, drop_next))
    }

    proptest! {
        #[test]
        fn a_link_with_outages_follows_the_pseudocode(
            seed in any::<u64>(),
            outages in prop::collection::vec((1..300_u64, 1..4_000_u64), 1..8),
            gap in 1..8_u64,
        ) {
            let mut rng = stream(seed, "arrivals");
            let mut now = 1;
            let mut opportunities = Vec::new();
            for (served, outage) in outages {
                // A burst of opportunities, then none.
                opportunities.extend((now..now + served * 5).step_by(5));
                now += served * 5 + outage;
            }
            let mut arrivals: Vec<u64> = (0..now / gap).map(|_| rng.random_range(1..now)).collect();
            arrivals.sort_unstable();
            let params = Params { limit: QueueLimit::Packets(1_000_000), ..Params::default() };
            let mut queue = CoDel::new(&params, setting());
            let mut log = Log::default();
            let mut sent = Vec::new();
            let mut waiting = arrivals.iter().enumerate().peekable();
            for &now in &opportunities {
                while let Some((i, t)) = waiting.next_if(|(_, t)| **t <= now) {
                    let mut frame = TestFrame::new(1500, false);
                    frame.id = i as u64;
                    queue.enqueue(Time::from_nanos(t * 1_000_000), frame, &mut log);
                }
                let now = Time::from_nanos(now * 1_000_000);
                sent.extend(queue.dequeue(now, &mut log).map(|frame| arrivals[frame.id as usize]));
            }
            let (want, (count, drop_next)) = pseudocode(&arrivals, &opportunities);
            prop_assert_eq!(sent, want);
            prop_assert_eq!(queue.law.count, count);
            prop_assert!((queue.law.drop_next.as_nanos() as f64 / 1e6 - drop_next).abs() < 1e-3);
        }
    }

    #[test]
    fn a_queue_of_one_packet_is_never_dropped() {
        let mut queue = CoDel::new(&Params::default(), setting());
        let mut log = Log::default();
        for t in 0..1000 {
            queue.enqueue(Time::from_nanos(t * 1_000_000_000), TestFrame::new(1500, false), &mut log);
            assert!(queue.dequeue(Time::from_nanos(t * 1_000_000_000 + 500_000_000), &mut log).is_some());
        }
        assert!(log.dropped.is_empty());
    }

    #[test]
    fn the_drop_rate_is_resumed_after_a_short_pause() {
        let params = Params::default();
        let mut queue: CoDel<TestFrame> = CoDel::new(&params, setting());
        queue.law.enter(Time::from_nanos(1));
        (queue.law.count, queue.law.last_count) = (10, 3);
        queue.law.enter(queue.law.drop_next + params.controller.interval * 15);
        assert_eq!(queue.law.count, 7);
        (queue.law.count, queue.law.last_count) = (10, 3);
        queue.law.enter(queue.law.drop_next + params.controller.interval * 16);
        assert_eq!(queue.law.count, 1);
    }
}
