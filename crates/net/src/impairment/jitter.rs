//! Jitter: the delay of a link varies from packet to packet.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{Duration, Time, Validate, config, words};
use rand::RngExt;
use rand_distr::{Distribution as _, Exp1, StandardNormal};

use super::{Impairment, ImpairmentParams, Passage, shortened};

words! {
    /// How the delay is distributed.
    pub enum Distribution {
        /// Around the link's delay, all values up to `spread` away equally likely.
        Uniform = "uniform",
        /// Normal around the link's delay with the standard deviation `spread`, truncated at a delay of zero.
        Normal = "normal",
        /// The link's delay and an exponential time of the mean `spread`.
        Exponential = "exponential",
    }
}

config! {
    /// Varies the delay of the link from packet to packet.
    pub struct Params {
        /// `uniform`: up to `spread` more or less than the link's delay. `normal`: around the link's delay, truncated at a
        /// delay of zero. `exponential`: added to the link's delay.
        distribution: Distribution = "uniform", "Linux tc-netem(8): DELAY JITTER";
        /// Half the width of the uniform distribution, the standard deviation of the normal one, the mean of the
        /// exponential one.
        spread: Duration;
        /// Packets keep their order: one that would overtake arrives together with the one before it. If false, packets
        /// overtake one another.
        keep_order: bool = true, "choice: on most paths delays vary in queues, which keep order (tc-netem reorders)";
    }
}

impl Validate for Params {}

impl Algorithm for Params {
    const NAME: &'static str = "jitter";
    const TITLE: &'static str = "A delay that varies from packet to packet";
    const REFERENCE: &'static str = "Hemminger, Network emulation with NetEm, linux.conf.au 2005";
}

impl ImpairmentParams for Params {
    type Machine = Jitter;

    fn build(&self, rng: Stream) -> Jitter {
        Jitter { params: self.clone(), rng, latest: Time::ZERO }
    }

    fn summary(&self) -> String {
        let order = if self.keep_order { "" } else { ", reorders" };
        match self.distribution {
            Distribution::Uniform => format!("jitter of {} either way{order}", self.spread),
            Distribution::Normal => format!("normal jitter of {}{order}", self.spread),
            Distribution::Exponential => format!("exponential jitter of {}{order}", self.spread),
        }
    }

    fn check(&self, least: Duration, at: &At<'_>) -> Result<Duration, ConfigError> {
        match self.distribution {
            Distribution::Uniform => shortened(least, self.spread, &at.key("spread")),
            Distribution::Normal => Ok(Duration::ZERO),
            Distribution::Exponential => Ok(least),
        }
    }
}

/// The impairment.
#[derive(Clone, Debug)]
pub struct Jitter {
    params: Params,
    rng: Stream,
    /// The latest arrival so far.
    latest: Time,
}

impl Jitter {
    fn draw(&mut self, delay: Duration) -> Duration {
        let (delay, spread) = (delay.as_nanos() as f64, self.params.spread.as_nanos() as f64);
        let nanos = match self.params.distribution {
            Distribution::Uniform => delay + spread * (2.0 * self.rng.random::<f64>() - 1.0),
            // At least every second draw is not negative, because the mean is not.
            Distribution::Normal => loop {
                let unit: f64 = StandardNormal.sample(&mut self.rng);
                let nanos = delay + spread * unit;
                if nanos >= 0.0 {
                    break nanos;
                }
            },
            Distribution::Exponential => {
                let unit: f64 = Exp1.sample(&mut self.rng);
                delay + spread * unit
            }
        };
        Duration::from_nanos(nanos.round() as u64)
    }
}

impl Impairment for Jitter {
    fn impair(&mut self, now: Time, passage: &mut Passage) {
        passage.delay = self.draw(passage.delay);
        if self.params.keep_order {
            self.latest = self.latest.max(now + passage.delay);
            passage.delay = self.latest.since(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::rng::stream;

    use super::*;

    const DELAY: Duration = Duration::from_millis(10);

    /// Delays in milliseconds of packets far apart.
    fn delays(distribution: Distribution, spread: Duration) -> Vec<f64> {
        let mut jitter = Params { distribution, spread, keep_order: true }.build(stream(1, "jitter"));
        let delay = |i: u64| {
            let mut passage = Passage { delay: DELAY, ..Passage::default() };
            jitter.impair(Time::from_nanos(i * 1_000_000_000), &mut passage);
            passage.delay.as_secs_f64() * 1e3
        };
        (0..40_000).map(delay).collect()
    }

    fn mean(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }

    fn deviation(values: &[f64]) -> f64 {
        let mean = mean(values);
        (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
    }

    #[test]
    fn delays_follow_the_distribution_named() {
        let ms = Duration::from_millis;
        // The standard error of the mean is the deviation over 200, that of the deviation less than twice as much.
        let uniform = delays(Distribution::Uniform, ms(4));
        assert!(uniform.iter().all(|d| (6.0..=14.0).contains(d)));
        assert!((mean(&uniform) - 10.0).abs() < 0.05, "{}", mean(&uniform));
        assert!((deviation(&uniform) - 4.0 / 3f64.sqrt()).abs() < 0.05);
        let normal = delays(Distribution::Normal, ms(2));
        assert!((mean(&normal) - 10.0).abs() < 0.05 && (deviation(&normal) - 2.0).abs() < 0.05);
        let exponential = delays(Distribution::Exponential, ms(2));
        assert!(exponential.iter().all(|d| *d >= 10.0));
        assert!((mean(&exponential) - 12.0).abs() < 0.05 && (deviation(&exponential) - 2.0).abs() < 0.1);
    }

    #[test]
    fn wide_normal_jitter_is_truncated_at_zero() {
        let wide = delays(Distribution::Normal, Duration::from_millis(30));
        assert!(wide.iter().all(|d| *d >= 0.0));
        assert!(wide.iter().filter(|d| **d == 0.0).count() < 3);
        // Mean of a normal (10, 30) above zero: 10 + 30 phi(1/3) / Phi(1/3) = 27.96; deviation 19.3.
        assert!((mean(&wide) - 27.96).abs() < 0.5, "{}", mean(&wide));
    }
}
