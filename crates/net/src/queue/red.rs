//! RED: drops or marks at random before the queue is full, by the average length of the queue.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{BitRate, Duration, Frame, Probability, QueueLimit, Time, Validate, config};

use super::early::{Adaptation, Common, Describes, Early, Form, check_thresholds, is_in_bytes, resolve};
use super::{Level, Limit, QueueParams, Setting, Threshold};

/// Packets of the thresholds where none are given.
const THRESHOLDS: [f64; 2] = [5.0, 15.0];

config! {
    /// Random early detection. When a packet arrives, the average length of the queue decides: below `min_threshold` it is queued; up to `max_threshold`
    /// it is dropped, or marked, with a probability that grows to `max_probability`; from there on it is dropped. Thresholds in
    /// bytes compare with the average of bytes.
    pub struct Params {
        /// Average below which nothing is dropped.
        min_threshold: Option<QueueLimit> = (),
            "absent: 5pkt (Floyd & Jacobson 1993, section 5); with `adaptive` half of `target_delay`, and 5pkt or more";
        /// Average from which everything is dropped.
        max_threshold: Option<QueueLimit> = (),
            "absent: 15pkt (Floyd & Jacobson 1993, section 5); with `adaptive` three times `min_threshold`";
        /// Probability just below `max_threshold`; with `adaptive` at the start.
        max_probability: Probability = 0.02, "Floyd & Jacobson 1993, section 5";
        /// Adapts `max_probability`, so that the average stays in the middle between the thresholds.
        adaptive: Option<Adaptive> = (), "absent: the probability stays (Floyd & Jacobson 1993)";
        ..common: Common {}
    }
}

config! {
    /// How the probability of RED adapts. The band is from 40 to 60 % of the way from `min_threshold` to `max_threshold`.
    pub struct Adaptive {
        /// Time from one step to the next.
        interval: Duration = "500ms", "Floyd, Gummadi & Shenker 2001, figure 1";
        /// What is added above the band, and at most a quarter of the probability.
        increment: Probability = 0.01, "Floyd, Gummadi & Shenker 2001, figure 1";
        /// Factor below the band.
        decrease: Probability = 0.9, "Floyd, Gummadi & Shenker 2001, figure 1";
        /// The least probability.
        lowest: Probability = 0.01, "Floyd, Gummadi & Shenker 2001, figure 1";
        /// The largest probability.
        highest: Probability = 0.5, "Floyd, Gummadi & Shenker 2001, figure 1";
        /// Delay of the middle of the band, where the thresholds are absent.
        target_delay: Duration = "5ms", "ns-2.35, ns-default.tcl: targetdelay_";
    }
}

impl Validate for Adaptive {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.interval.is_zero() {
            return Err(at.key("interval").error("must be above zero", "give a time such as \"500ms\""));
        }
        if self.lowest > self.highest {
            let message = format!("{} is above `highest`, {}", self.lowest.get(), self.highest.get());
            return Err(at.key("lowest").error(message, "give less"));
        }
        Ok(())
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        match (self.min_threshold, self.max_threshold) {
            (None, None) => Ok(()),
            (Some(min), Some(max)) => check_thresholds(min, max, at),
            (min, _) => {
                let (missing, given) = if min.is_none() {
                    ("min_threshold", "max_threshold")
                } else {
                    ("max_threshold", "min_threshold")
                };
                let message = format!("missing beside `{given}`");
                Err(at.key(missing).error(message, "give both, or none"))
            }
        }
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "red";
    const TITLE: &'static str =
        "Random early detection: drops at random by the average length; adaptive on request";
    const REFERENCE: &'static str =
        "Floyd & Jacobson, IEEE/ACM ToN 1(4), 1993; Floyd, Gummadi & Shenker, Adaptive RED, ICSI 2001";
}

impl QueueParams for Params {
    type Machine<P: Frame> = Early<P>;

    fn build<P: Frame>(&self, setting: Setting) -> Early<P> {
        Early::new(self, setting)
    }

    fn draws(&self) -> bool {
        true
    }

    fn limit(&self, bdp: u64, mtu: u32) -> Limit {
        Limit::resolve(self.common.limit, bdp, mtu)
    }

    fn thresholds(&self, rate: BitRate) -> Vec<Threshold> {
        let given = [self.min_threshold, self.max_threshold];
        let absent = self.absent(rate);
        let level = |i: usize| given[i].map_or(Level::Packets(absent[i]), Level::Length);
        vec![Threshold::new("min_threshold", level(0)), Threshold::new("max_threshold", level(1))]
    }
}

impl Params {
    /// The thresholds in packets where none are given.
    fn absent(&self, rate: BitRate) -> [f64; 2] {
        let Some(adaptive) = &self.adaptive else { return THRESHOLDS };
        let packets = rate.bytes_in(adaptive.target_delay) as f64 / self.common.mean_packet.get() as f64;
        let min = (packets / 2.0).max(THRESHOLDS[0]);
        [min, 3.0 * min]
    }
}

impl Describes for Params {
    fn form(&self, setting: &Setting) -> Form {
        let [min, max] = match (self.min_threshold, self.max_threshold) {
            (Some(min), Some(max)) => [min, max].map(|threshold| resolve(threshold, setting)),
            _ => self.absent(setting.rate),
        };
        let in_bytes = self.min_threshold.is_some_and(is_in_bytes);
        let thresholds = [[min, max, self.max_probability.get()]];
        let mut form = self.common.form(&thresholds, in_bytes, self.adaptive.is_some(), setting);
        form.adaptation = self.adaptive.as_ref().map(|adaptive| Adaptation {
            interval: adaptive.interval,
            band: [0.4, 0.6].map(|part| min + part * (max - min)),
            increment: adaptive.increment.get(),
            decrease: adaptive.decrease.get(),
            range: [adaptive.lowest.get(), adaptive.highest.get()],
            due: Time::ZERO + adaptive.interval,
        });
        form
    }
}

/// The discipline.
pub type Red<P> = Early<P>;
