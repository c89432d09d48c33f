//! WRED: random early detection with one average, and thresholds of its own for each class.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{BitRate, Frame, Validate, config};

use super::early::{
    Common, Describes, Early, Form, Thresholds, check_classes, is_in_bytes, of_classes, thresholds,
};
use super::{Laziness, Limit, QueueParams, Setting, Threshold};

config! {
    /// Weighted random early detection: one queue, and one average of it, for several classes. Each class has thresholds of its own.
    /// Classes come from flows or from a marker.
    pub struct Params {
        /// The thresholds of each class, class 0 first.
        classes: Vec<Thresholds> =
            [thresholds("32pkt", "40pkt", 0.1), thresholds("28pkt", "40pkt", 0.1), thresholds("24pkt", "40pkt", 0.1)],
            "Cisco IOS, DSCP-based WRED: AF11, AF12, AF13";
        ..common: Common {
            weight = 0.001953125, "Cisco IOS: exponential weighting constant 9, which is 2^-9";
            gentle = (), "absent: no (Floyd & Jacobson 1993, figure 2)";
        }
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_classes(&self.classes, at)
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "wred";
    const TITLE: &'static str = "Weighted RED: one average, thresholds for each class";
    const REFERENCE: &'static str = "Cisco IOS Quality of Service Solutions Configuration Guide: WRED";
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

    fn classes(&self) -> usize {
        self.classes.len()
    }

    fn laziness(&self) -> Laziness {
        Laziness { needs_marks: self.classes.len() > 1, ..Laziness::FULL }
    }

    fn thresholds(&self, _rate: BitRate) -> Vec<Threshold> {
        of_classes(&self.classes)
    }
}

impl Describes for Params {
    fn form(&self, setting: &Setting) -> Form {
        let resolved: Vec<[f64; 3]> = self.classes.iter().map(|class| class.resolve(setting)).collect();
        let in_bytes = self.classes.iter().any(|class| is_in_bytes(class.min_threshold));
        self.common.form(&resolved, in_bytes, false, setting)
    }
}

/// The discipline.
pub type Wred<P> = Early<P>;
