//! Duplication: some packets arrive twice.

use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{Probability, Time, Validate, config};
use rand::RngExt;

use super::{Impairment, ImpairmentParams, Passage};

config! {
    /// Doubles some packets: the copy follows right behind its packet, and may be lost by itself.
    pub struct Params {
        /// Share of packets that are doubled.
        probability: Probability;
    }
}

impl Validate for Params {}

impl Algorithm for Params {
    const NAME: &'static str = "duplication";
    const TITLE: &'static str = "Some packets arrive twice";
    const REFERENCE: &'static str = "Hemminger, Network emulation with NetEm, linux.conf.au 2005";
}

impl ImpairmentParams for Params {
    type Machine = Duplication;

    fn build(&self, rng: Stream) -> Duplication {
        Duplication { probability: self.probability.get(), rng }
    }

    fn summary(&self) -> String {
        format!("{} of packets twice", self.probability.get())
    }
}

/// The impairment.
#[derive(Clone, Debug)]
pub struct Duplication {
    probability: f64,
    rng: Stream,
}

impl Impairment for Duplication {
    fn impair(&mut self, _now: Time, passage: &mut Passage) {
        passage.copies += u32::from(self.rng.random::<f64>() < self.probability);
    }
}
