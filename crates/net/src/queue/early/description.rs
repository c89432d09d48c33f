//! What users say of random early detection, in every form of it.

use dumbbell_core::class::TRAFFIC_CLASSES;
use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{Bytes, Probability, QueueLimit, Validate, Value, config};

use super::{Average, Counted, Form, Law, Resets, Spacing};
use crate::queue::{Level, Limit, Setting, Threshold};

/// Floyd & Jacobson 1993, section 5.
const WEIGHT: f64 = 0.002;

config! {
    /// What all forms of random early detection have in common.
    pub struct Common {
        /// Packets or bytes that may wait, whatever their average.
        limit: QueueLimit = "200pkt", "choice: more than any threshold, so that the law acts first";
        /// Weight of a new packet in the average.
        weight: Option<f64> as "dimensionless" = (),
            "absent: 0.002 (Floyd & Jacobson 1993, section 5); with `adaptive` 1 - exp(-1/C), for C packets of `mean_packet` a second";
        /// Bytes of a packet of mean size: the link's rate in such packets tells how many could have been sent in an idle time.
        mean_packet: Bytes = "500B", "ns-2.35, ns-default.tcl: mean_pktsize_";
        /// From `max_threshold` to twice of it the probability grows from `max_probability` to 1; otherwise everything is dropped from there on.
        gentle: Option<bool> = (), "absent: no (Floyd & Jacobson 1993, figure 2); with `adaptive` yes (Floyd et al. 2001)";
        /// How drops are spaced while their probability p stays the same. `uniform`: gaps uniform on 1 to 1/p packets.
        /// `pseudocode`: on 1 to 1/p - 1, as in figure 2 of the same paper and in ns-2's dsRED. `wait`: on 1/p to 2/p - 1, as ns-2's
        /// RED with `wait_`. `independent`: each packet with probability p.
        spacing: Spacing = "uniform", "Floyd & Jacobson 1993, section 7, method 2";
        /// The first packet that finds the average above `min_threshold` passes, and counts as one.
        first_passes: bool = false, "Floyd & Jacobson 1993, figure 2; true in ns-2.35 (red.cc) and ALTQ";
        /// Fewer packets in the queue, and none is dropped, whatever the average.
        least_waiting: u32 as "packets" = 0, "Floyd & Jacobson 1993, figure 2; 2 in ns-2.35 (red.cc) and ALTQ";
        /// The probability applies to packets of the link's MTU, and to smaller ones in proportion to their size.
        by_size: bool = false, "RFC 7141 section 2.2; Floyd & Jacobson 1993, section 4, for true";
        /// A packet that does not fit is dropped before the average has seen it.
        limit_first: bool = false, "Floyd & Jacobson 1993, figure 2: each arrival counts; true in ns-2.35's dsRED";
        /// Mark ECN-capable packets instead of dropping them early.
        ecn: bool = true, "RFC 3168 section 5";
        /// Mark them too where the average forces a drop.
        ecn_above_max: bool = false, "ns-2.35, red.cc: what is forced is dropped; true in ns-2.35's dsRED";
    }
}

impl Common {
    /// The form with these classes on a link. `adaptive` changes what is absent.
    pub fn form(&self, thresholds: &[[f64; 3]], in_bytes: bool, adaptive: bool, setting: &Setting) -> Form {
        let per_second = setting.rate.as_bps() as f64 / 8.0 / self.mean_packet.get() as f64;
        let weight = self.weight.unwrap_or(if adaptive { -(-1.0 / per_second).exp_m1() } else { WEIGHT });
        let law = |[min, max, max_probability]: &[f64; 3]| {
            let mut law = Law::new(*min, *max, *max_probability);
            law.gentle = self.gentle.unwrap_or(adaptive);
            law.spacing = self.spacing;
            law.first_passes = self.first_passes;
            law.least_waiting = self.least_waiting.into();
            law.full_size = self.by_size.then_some(setting.mtu.into());
            law
        };
        Form {
            laws: thresholds.iter().map(law).collect(),
            counted: Counted::All,
            average: Average::new(weight, in_bytes, setting.rate, self.mean_packet),
            resets: Resets::Own,
            adaptation: None,
            limit: Limit::resolve(self.limit, setting.bdp, setting.mtu),
            limit_first: self.limit_first,
            ecn: self.ecn,
            ecn_above_max: self.ecn_above_max,
        }
    }
}

impl Validate for Common {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        self.weight.map_or(Ok(()), |weight| at.above_zero("weight", weight, 1.0))?;
        if self.mean_packet.get() == 0 {
            return Err(at.key("mean_packet").error("a packet has bytes", "give a size such as \"500B\""));
        }
        Ok(())
    }
}

config! {
    /// The thresholds of one class.
    pub struct Thresholds {
        /// Average below which nothing is dropped.
        min_threshold: QueueLimit;
        /// Average from which everything is dropped.
        max_threshold: QueueLimit;
        /// Probability just below `max_threshold`.
        max_probability: Probability;
    }
}

impl Validate for Thresholds {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_thresholds(self.min_threshold, self.max_threshold, at)
    }
}

impl Thresholds {
    /// On a link.
    pub fn resolve(&self, setting: &Setting) -> [f64; 3] {
        [
            resolve(self.min_threshold, setting),
            resolve(self.max_threshold, setting),
            self.max_probability.get(),
        ]
    }
}

/// The thresholds of the average of each class, or of the average of all that each class has thresholds of.
pub fn of_classes(classes: &[Thresholds]) -> Vec<Threshold> {
    let at = |i, name, length| Threshold::new(format!("class {i}: {name}"), Level::Length(length));
    let of = |(i, class): (usize, &Thresholds)| {
        [at(i, "min_threshold", class.min_threshold), at(i, "max_threshold", class.max_threshold)]
    };
    classes.iter().enumerate().flat_map(of).collect()
}

/// As a user could have written it.
pub fn thresholds(min: &str, max: &str, max_probability: f64) -> Value {
    let entry = |key: &str, value: Value| (key.to_owned(), value);
    Value::Table(vec![
        entry("min_threshold", min.into()),
        entry("max_threshold", max.into()),
        entry("max_probability", max_probability.into()),
    ])
}

/// True if the averages that are compared with the threshold are of bytes.
pub fn is_in_bytes(threshold: QueueLimit) -> bool {
    matches!(threshold, QueueLimit::Bytes(_))
}

/// A threshold on a link, in packets or bytes.
pub fn resolve(threshold: QueueLimit, setting: &Setting) -> f64 {
    let limit = Limit::resolve(threshold, setting.bdp, setting.mtu);
    limit.packets.min(limit.bytes) as f64
}

/// Checks the two thresholds of the table at `at`.
///
/// # Errors
/// They have different units, or the wrong order, or one is none.
pub fn check_thresholds(min: QueueLimit, max: QueueLimit, at: &At<'_>) -> Result<(), ConfigError> {
    use QueueLimit::{Bdp, Bytes, Packets, Unlimited};
    let in_order = match (min, max) {
        (Packets(min), Packets(max)) | (Bytes(min), Bytes(max)) => min <= max,
        (Bdp(min), Bdp(max)) => min <= max,
        (Unlimited, _) => {
            return Err(at.key("min_threshold").error("is no threshold", "give one such as \"5pkt\""));
        }
        (_, Unlimited) => {
            return Err(at.key("max_threshold").error("is no threshold", "give one such as \"15pkt\""));
        }
        _ => {
            let message = format!("{max} and the `min_threshold` of {min} have different units");
            return Err(at.key("max_threshold").error(message, "give both in packets, in bytes or in bdp"));
        }
    };
    if in_order {
        return Ok(());
    }
    Err(at.key("max_threshold").error(
        format!("{max} is below the `min_threshold` of {min}"),
        "give the larger one as `max_threshold`",
    ))
}

/// Checks the thresholds under the key `classes` of the table at `at`.
///
/// # Errors
/// None, more than there are classes, or averages in different units.
pub fn check_classes(classes: &[Thresholds], at: &At<'_>) -> Result<(), ConfigError> {
    let place = at.key("classes");
    if classes.is_empty() {
        return Err(place.error("there is no class", "list the thresholds of each class, class 0 first"));
    }
    if classes.len() > TRAFFIC_CLASSES {
        let message =
            format!("thresholds for {} classes are above the limit of {TRAFFIC_CLASSES}", classes.len());
        return Err(place.error(message, "list fewer"));
    }
    match classes
        .iter()
        .position(|class| is_in_bytes(class.min_threshold) != is_in_bytes(classes[0].min_threshold))
    {
        Some(i) => Err(place.index(i).key("min_threshold").error(
            "of the averages that classes share some would be in bytes, some in packets",
            "give the thresholds of all classes in one unit",
        )),
        None => Ok(()),
    }
}
