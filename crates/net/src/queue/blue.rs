//! BLUE: a probability that losses raise and an idle link lowers.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{BitRate, Duration, Frame, Probability, QueueLimit, Time, Validate, config};
use rand::RngExt;

use super::at_arrival::{ArrivalLaw, AtArrival, Decision, Signals, Waiting};
use super::{Limit, QueueParams, Setting, check_steps};

config! {
    /// Drops, or marks, arrivals with one probability. A packet that does not fit raises it, a link without work lowers it, each at most once in
    /// `freeze`. The length of the queue does not count.
    pub struct Params {
        /// What a packet that does not fit adds to the probability.
        increment: Probability = 0.0025, "Feng et al., IEEE/ACM ToN 10(4), 2002, section III: d1";
        /// What an idle link takes from the probability.
        decrement: Probability = 0.00025, "Feng et al., IEEE/ACM ToN 10(4), 2002, section III: d2, a tenth of d1";
        /// Shortest time from one move of the probability to the next.
        freeze: Duration = "100ms", "Feng et al., IEEE/ACM ToN 10(4), 2002, section III: freeze_time";
        /// Packets or bytes that may wait.
        limit: QueueLimit = "200pkt", "choice: as that of `red`";
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = true, "Feng et al., IEEE/ACM ToN 10(4), 2002: marks";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.freeze.is_zero() {
            return Err(at.key("freeze").error("must be above zero", "give a time such as \"100ms\""));
        }
        check_steps(self.increment, self.decrement, at)
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "blue";
    const TITLE: &'static str =
        "One probability, raised by packets that do not fit and lowered by an idle link";
    const REFERENCE: &'static str =
        "Feng, Shin, Kandlur & Saha, The BLUE active queue management algorithms, IEEE/ACM ToN 10(4), 2002";
}

impl QueueParams for Params {
    type Machine<P: Frame> = Blue<P>;

    fn build<P: Frame>(&self, setting: Setting) -> Blue<P> {
        Blue::new(self, setting)
    }

    fn draws(&self) -> bool {
        true
    }

    fn limit(&self, bdp: u64, mtu: u32) -> Limit {
        Limit::resolve(self.limit, bdp, mtu)
    }
}

/// The law.
#[derive(Clone, Debug)]
pub struct Law {
    increment: f64,
    decrement: f64,
    freeze: Duration,
    rate: BitRate,
    probability: f64,
    /// The next move may not be earlier.
    frozen_until: Time,
    /// While nothing waits, when the link has sent its last packet.
    idle_since: Time,
}

impl ArrivalLaw for Law {
    #[inline]
    fn advance(&mut self, now: Time, waiting: Waiting) {
        // An idle link lowers the probability as soon as it may, and then once in each freeze.
        let first = self.frozen_until.max(self.idle_since);
        if waiting.packets == 0 && first < now {
            let more = now.since(first).as_nanos() / self.freeze.as_nanos();
            self.probability = (self.probability - self.decrement * (more + 1) as f64).max(0.0);
            self.frozen_until = first + self.freeze * more + self.freeze;
        }
    }

    #[inline]
    fn arrives(&mut self, _now: Time, _size: u32, _waiting: Waiting, rng: &mut Stream) -> Decision {
        if rng.random::<f64>() < self.probability { Decision::Signal } else { Decision::Pass }
    }

    fn overflows(&mut self, now: Time, _size: u32) {
        if now >= self.frozen_until {
            self.probability = (self.probability + self.increment).min(1.0);
            self.frozen_until = now + self.freeze;
        }
    }

    #[inline]
    fn leaves(&mut self, now: Time, size: u32, _waited: Duration, left: Waiting) {
        if left.packets == 0 {
            self.idle_since = now + self.rate.time_to_send(size.into());
        }
    }
}

/// The discipline.
pub type Blue<P> = AtArrival<P, Law>;

impl<P: Frame> Blue<P> {
    /// An empty queue.
    pub fn new(params: &Params, setting: Setting) -> Blue<P> {
        let law = Law {
            increment: params.increment.get(),
            decrement: params.decrement.get(),
            freeze: params.freeze,
            rate: setting.rate,
            probability: 0.0,
            frozen_until: Time::ZERO,
            idle_since: Time::ZERO,
        };
        AtArrival::of(law, params.limit(setting.bdp, setting.mtu), Signals::by(params.ecn), &setting)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Discipline;
    use super::super::laws::{Log, TestFrame, setting};
    use super::*;

    #[test]
    fn overflow_raises_the_probability_once_per_freeze() {
        let params = Params { limit: QueueLimit::Packets(5), ..Params::default() };
        let mut queue: Blue<TestFrame> = Blue::new(&params, setting());
        let at = |millis| Time::ZERO + Duration::from_millis(millis);
        // Four times what the link can send, for a second: ten moves.
        for millis in 0..1000 {
            (0..4).for_each(|_| queue.enqueue(at(millis), TestFrame::new(1250, true), &mut Log::default()));
            queue.dequeue(at(millis), &mut Log::default());
        }
        assert!((queue.law().probability - 0.025).abs() < 1e-12, "{}", queue.law().probability);
        // Half the link's rate: the queue runs empty and the link idles, ten times in a second.
        while queue.dequeue(at(1000), &mut Log::default()).is_some() {}
        for millis in (1001..2000).step_by(2) {
            queue.enqueue(at(millis), TestFrame::new(1250, true), &mut Log::default());
            queue.dequeue(at(millis), &mut Log::default());
        }
        assert!((queue.law().probability - 0.0225).abs() < 1e-12, "{}", queue.law().probability);
        // An idle second is made up for; an idle minute leaves nothing.
        queue.enqueue(at(3000), TestFrame::new(1250, true), &mut Log::default());
        assert!((queue.law().probability - 0.02).abs() < 3e-4, "{}", queue.law().probability);
        queue.dequeue(at(3000), &mut Log::default());
        queue.enqueue(at(63_000), TestFrame::new(1250, true), &mut Log::default());
        assert_eq!(queue.law().probability, 0.0);
    }

    #[test]
    fn a_busy_link_that_loses_nothing_changes_nothing() {
        let mut queue: Blue<TestFrame> = Blue::new(&Params::default(), setting());
        queue.law().probability = 0.5;
        queue.enqueue(Time::ZERO, TestFrame::new(1250, true), &mut Log::default());
        for millis in 0..1000 {
            let now = Time::ZERO + Duration::from_millis(millis);
            // The link sends a packet each millisecond, and has the next at once.
            queue.enqueue(now, TestFrame::new(1250, true), &mut Log::default());
            queue.dequeue(now, &mut Log::default());
        }
        assert_eq!(queue.law().probability, 0.5);
    }
}
