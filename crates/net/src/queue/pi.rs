//! PI: a proportional-integral controller of the length of the queue.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{BitRate, Duration, Frame, QueueLimit, Time, Validate, config};
use rand::RngExt;

use super::at_arrival::{ArrivalLaw, AtArrival, Decision, Signals, Waiting};
use super::ticks::{Ticks, check_interval};
use super::{Level, Limit, QueueParams, Setting, Threshold, check_factors};

config! {
    /// Drops, or marks, arrivals with a probability that a proportional-integral controller sets, so that the queue has a length of `target`
    /// however many flows there are. The gains are those of the paper, for a link of 15 Mbit/s with up to 60 flows and round-trip times up to
    /// 246 ms.
    pub struct Params {
        /// The length that the queue shall have, in packets. The packet in transmission does not count.
        target: f64 as "packets" = 50.0, "ns-2.35, ns-default.tcl: qref_; Hollot et al., INFOCOM 2001, section V: 200";
        /// Gain of the present length, for each packet.
        gain_present: f64 as "1/packet" = 1.822e-5, "Hollot et al., INFOCOM 2001, section IV: a";
        /// Gain of the length one interval before, for each packet.
        gain_previous: f64 as "1/packet" = 1.816e-5, "Hollot et al., INFOCOM 2001, section IV: b";
        /// Time from one move of the probability to the next.
        interval: Duration = "5882353ns", "ns-2.35, ns-default.tcl: w_, 170 Hz; Hollot et al. have 160 Hz";
        /// Packets or bytes that may wait.
        limit: QueueLimit = "200pkt", "choice: four times the target";
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = true, "RFC 3168 section 5";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_interval(self.interval, at)?;
        let factors = [
            ("target", self.target),
            ("gain_present", self.gain_present),
            ("gain_previous", self.gain_previous),
        ];
        check_factors(&factors, at)?;
        if self.target == 0.0 {
            // No queue is shorter, so that the integral never falls.
            return Err(at
                .key("target")
                .error("0 never lets the probability fall", "give a length such as 50"));
        }
        if self.gain_previous > self.gain_present {
            let message = format!("{} is above `gain_present`, {}", self.gain_previous, self.gain_present);
            return Err(at
                .key("gain_previous")
                .error(message, "give less, so that a long queue raises the probability"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "pi";
    const TITLE: &'static str = "A proportional-integral controller of the length of the queue";
    const REFERENCE: &'static str =
        "Hollot, Misra, Towsley & Gong, On designing improved controllers for AQM routers, INFOCOM 2001";
}

impl QueueParams for Params {
    type Machine<P: Frame> = Pi<P>;

    fn build<P: Frame>(&self, setting: Setting) -> Pi<P> {
        Pi::new(self, setting)
    }

    fn draws(&self) -> bool {
        true
    }

    fn limit(&self, bdp: u64, mtu: u32) -> Limit {
        Limit::resolve(self.limit, bdp, mtu)
    }

    fn thresholds(&self, _rate: BitRate) -> Vec<Threshold> {
        vec![Threshold::new("target", Level::Packets(self.target))]
    }
}

/// The controller.
#[derive(Clone, Debug)]
pub struct Law {
    target: f64,
    gains: [f64; 2],
    probability: f64,
    previous: f64,
    ticks: Ticks,
}

impl ArrivalLaw for Law {
    #[inline]
    fn advance(&mut self, now: Time, waiting: Waiting) {
        while self.ticks.due(now).is_some() {
            let (length, before) = (waiting.packets as f64, (self.probability, self.previous));
            let [present, previous] = self.gains;
            let move_by = present * (length - self.target) - previous * (self.previous - self.target);
            self.probability = (self.probability + move_by).clamp(0.0, 1.0);
            self.previous = length;
            if before == (self.probability, self.previous) {
                self.ticks.skip(now);
            }
        }
    }

    #[inline]
    fn arrives(&mut self, _now: Time, _size: u32, _waiting: Waiting, rng: &mut Stream) -> Decision {
        if rng.random::<f64>() < self.probability { Decision::Signal } else { Decision::Pass }
    }
}

/// The discipline.
pub type Pi<P> = AtArrival<P, Law>;

impl<P: Frame> Pi<P> {
    /// An empty queue.
    pub fn new(params: &Params, setting: Setting) -> Pi<P> {
        let law = Law {
            target: params.target,
            gains: [params.gain_present, params.gain_previous],
            probability: 0.0,
            previous: 0.0,
            ticks: Ticks::new(params.interval),
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
    fn the_probability_follows_the_difference_equation() {
        let params = Params { interval: Duration::from_millis(10), ..Params::default() };
        let mut queue: Pi<TestFrame> = Pi::new(&params, setting());
        let mut log = Log::default();
        let at = |millis| Time::ZERO + Duration::from_millis(millis);
        // 150 packets wait from the start: 100 above the target.
        (0..150).for_each(|_| queue.enqueue(Time::ZERO, TestFrame::new(1000, false), &mut log));
        let mut probability = |now| {
            queue.enqueue(at(now), TestFrame::new(1000, false), &mut Log::default());
            queue.law().probability
        };
        // At 10 ms the length before was 0, or 50 below the target: 1.822e-5 * 100 + 1.816e-5 * 50.
        let first = 1.822e-3 + 0.908e-3;
        assert!((probability(10) - first).abs() < 1e-12);
        assert!((probability(19) - first).abs() < 1e-12);
        // Two arrivals more by 20 ms. At 30 and 40 ms three, made up for at once.
        let at_20 = first + 1.822e-5 * 102.0 - 1.816e-5 * 100.0;
        assert!((probability(20) - at_20).abs() < 1e-12);
        let at_30 = at_20 + 1.822e-5 * 103.0 - 1.816e-5 * 102.0;
        let at_40 = at_30 + (1.822e-5 - 1.816e-5) * 103.0;
        assert!((probability(49) - at_40).abs() < 1e-12);
    }
}
