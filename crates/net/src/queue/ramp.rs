//! A ramp of marks over the present length of the queue, as switches do it for DCQCN.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{BitRate, Bytes, Frame, Probability, QueueLimit, Time, Validate, config};
use rand::RngExt;

use super::at_arrival::{ArrivalLaw, AtArrival, Decision, Signals, Waiting};
use super::{Level, Limit, QueueParams, Setting, Threshold};

config! {
    /// Marks packets that are ECN-capable by the length of the queue when they arrive, without any average: none up to `min_threshold`, then with a
    /// probability that grows to `max_probability` at `max_threshold`, and all beyond. The packet in transmission does not count.
    pub struct Params {
        /// Bytes up to which nothing is marked.
        min_threshold: Bytes = "5kB", "Zhu et al., SIGCOMM 2015, section 5.2: Kmin at 40 Gbit/s";
        /// Bytes from which everything is marked.
        max_threshold: Bytes = "200kB", "Zhu et al., SIGCOMM 2015, section 5.2: Kmax at 40 Gbit/s";
        /// Probability just below `max_threshold`.
        max_probability: Probability = 0.01, "Zhu et al., SIGCOMM 2015, section 5.2: Pmax";
        /// Drop packets that are not ECN-capable where others are marked.
        drop_others: bool = false, "choice: the limit alone drops";
        /// Packets or bytes that may wait.
        limit: QueueLimit = "1MB", "choice: five times the upper threshold";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.max_threshold < self.min_threshold {
            let message = format!("{} is below `min_threshold`, {}", self.max_threshold, self.min_threshold);
            return Err(at.key("max_threshold").error(message, "give the larger one here"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "ramp";
    const TITLE: &'static str = "First in, first out; marks more and more as the queue grows (DCQCN)";
    const REFERENCE: &'static str =
        "Zhu et al., Congestion control for large-scale RDMA deployments, SIGCOMM 2015";
}

impl QueueParams for Params {
    type Machine<P: Frame> = Ramp<P>;

    fn build<P: Frame>(&self, setting: Setting) -> Ramp<P> {
        Ramp::new(self, setting)
    }

    fn draws(&self) -> bool {
        true
    }

    fn limit(&self, bdp: u64, mtu: u32) -> Limit {
        Limit::resolve(self.limit, bdp, mtu)
    }

    fn thresholds(&self, _rate: BitRate) -> Vec<Threshold> {
        let at = |name, bytes: Bytes| Threshold::new(name, Level::Length(QueueLimit::Bytes(bytes.get())));
        vec![at("min_threshold", self.min_threshold), at("max_threshold", self.max_threshold)]
    }
}

/// The ramp.
#[derive(Clone, Debug)]
pub struct Law {
    thresholds: [f64; 2],
    max_probability: f64,
}

impl ArrivalLaw for Law {
    #[inline]
    fn advance(&mut self, _now: Time, _waiting: Waiting) {}

    #[inline]
    fn arrives(&mut self, _now: Time, _size: u32, waiting: Waiting, rng: &mut Stream) -> Decision {
        let (length, [min, max]) = (waiting.bytes as f64, self.thresholds);
        if length <= min {
            return Decision::Pass;
        }
        let probability = self.max_probability * (length - min) / (max - min);
        if length >= max || rng.random::<f64>() < probability { Decision::Signal } else { Decision::Pass }
    }
}

/// The discipline.
pub type Ramp<P> = AtArrival<P, Law>;

impl<P: Frame> Ramp<P> {
    /// An empty queue.
    pub fn new(params: &Params, setting: Setting) -> Ramp<P> {
        let law = Law {
            thresholds: [params.min_threshold, params.max_threshold].map(|bytes| bytes.get() as f64),
            max_probability: params.max_probability.get(),
        };
        let signals = if params.drop_others { Signals::Marks } else { Signals::MarksOnly };
        AtArrival::of(law, params.limit(setting.bdp, setting.mtu), signals, &setting)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Discipline;
    use super::super::laws::{Log, TestFrame, described, setting};
    use super::*;

    /// Of so many arrivals at a queue that stays at this length, how many are marked and dropped.
    fn at_length(packets: usize, arrivals: usize, more: &str, ecn: bool) -> (usize, usize) {
        let text = format!(r#"{{"kind": "ramp", "max_probability": 0.1, "limit": "1000pkt"{more}}}"#);
        let mut queue = described(&text).build(setting());
        (0..packets).for_each(|_| queue.enqueue(Time::ZERO, TestFrame::new(1000, ecn), &mut Log::default()));
        let mut log = Log::default();
        for _ in 0..arrivals {
            queue.enqueue(Time::ZERO, TestFrame::new(1000, ecn), &mut log);
            if queue.len() > packets {
                queue.dequeue(Time::ZERO, &mut log);
            }
        }
        (log.marked, log.dropped.len())
    }

    #[test]
    fn marks_grow_with_the_length_up_to_the_ramp() {
        assert_eq!(at_length(5, 1000, "", true), (0, 0));
        // Half way, from 5 to 200 kB: half of 0.1 of 20000, with a standard deviation of 31.
        let thresholds = r#", "min_threshold": "5kB", "max_threshold": "205kB""#;
        let (marked, _) = at_length(105, 20_000, thresholds, true);
        assert!((875..=1125).contains(&marked), "{marked}");
        assert_eq!(at_length(205, 1000, thresholds, true), (1000, 0));
    }

    #[test]
    fn what_cannot_be_marked_passes_or_is_dropped() {
        assert_eq!(at_length(300, 1000, "", false), (0, 0));
        assert_eq!(at_length(300, 1000, r#", "drop_others": true"#, false).0, 0);
        let mut queue =
            described(r#"{"kind": "ramp", "drop_others": true, "max_threshold": "5kB"}"#).build(setting());
        let mut log = Log::default();
        (0..10).for_each(|_| queue.enqueue(Time::ZERO, TestFrame::new(1000, false), &mut log));
        // The seventh finds six, which are more than five.
        assert_eq!(log.dropped.len(), 4);
    }
}
