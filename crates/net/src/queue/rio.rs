//! RIO: random early detection with thresholds, and averages, of its own for each class.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{BitRate, Frame, Validate, config, words};

use super::early::{
    Common, Counted, Describes, Early, Form, Resets, Thresholds, check_classes, is_in_bytes, of_classes,
    thresholds,
};
use super::{Laziness, Limit, QueueParams, Setting, Threshold};

words! {
    /// Whose packets the average of a class counts.
    pub enum Averages {
        /// Its own and those of the classes before it.
        Coupled = "coupled",
        /// Its own.
        Decoupled = "decoupled",
    }
}

config! {
    /// Random early detection with in and out: one queue for several classes, of which class 0 is protected best. Each class has
    /// thresholds and an average of its own. Classes come from flows or from a marker.
    pub struct Params {
        /// The thresholds of each class, class 0 first.
        classes: Vec<Thresholds> = [thresholds("40pkt", "70pkt", 0.02), thresholds("10pkt", "30pkt", 0.2)],
            "Clark & Fang, IEEE/ACM ToN 6(4), 1998: in and out";
        /// Whose packets the average of a class counts. `coupled` (RIO-C): its own and those of the classes before it, so that the last
        /// class answers for the whole queue. `decoupled` (RIO-DC): its own.
        averages: Averages = "coupled", "Clark & Fang, IEEE/ACM ToN 6(4), 1998";
        /// Which classes begin to count packets anew after a drop: the `own` class of the packet, or the `less-protected` ones with it.
        resets: Resets = "own", "Clark & Fang 1998; `less-protected` in ALTQ (altq_rio.c)";
        ..common: Common {
            weight = (), "absent: 0.002 (Floyd & Jacobson 1993, section 5)";
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
    const NAME: &'static str = "rio";
    const TITLE: &'static str = "RED with in and out: classes of one queue are dropped one before the other";
    const REFERENCE: &'static str = "Clark & Fang, IEEE/ACM ToN 6(4), 1998";
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
        let counted = match self.averages {
            Averages::Coupled => Counted::UpTo,
            Averages::Decoupled => Counted::Own,
        };
        Form { counted, resets: self.resets, ..self.common.form(&resolved, in_bytes, false, setting) }
    }
}

/// The discipline.
pub type Rio<P> = Early<P>;
