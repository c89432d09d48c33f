//! Delays of packets that the scenario names: reordering that a test can place.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{Duration, Time, Validate, config};

use super::{Impairment, ImpairmentParams, Passage};

config! {
    /// Holds back the packets that a list names. Others overtake them.
    pub struct Params {
        /// The packets, by order of transmission, counted from 0.
        packets: Vec<u64> as "positions";
        /// By how much they arrive later.
        delay: Duration;
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        let mut sorted = self.packets.clone();
        sorted.sort_unstable();
        match sorted.windows(2).find(|w| w[0] == w[1]) {
            Some(twice) => Err(at
                .key("packets")
                .error(format!("packet {} stands there twice", twice[0]), "name it once")),
            None => Ok(()),
        }
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "delay-list";
    const TITLE: &'static str = "Packets of a list arrive later";
    const REFERENCE: &'static str =
        "draft-ietf-ccwg-bbr-06 appendix A: cases with reordering at a given time";
}

impl ImpairmentParams for Params {
    type Machine = DelayList;

    fn build(&self, _rng: Stream) -> DelayList {
        let mut packets = self.packets.clone();
        packets.sort_unstable_by(|a, b| b.cmp(a));
        DelayList { packets, delay: self.delay, sent: 0 }
    }

    fn summary(&self) -> String {
        format!("{} packets of a list later by {}", self.packets.len(), self.delay)
    }

    fn draws(&self) -> bool {
        false
    }
}

/// The impairment.
#[derive(Clone, Debug)]
pub struct DelayList {
    /// Those to come, the next one last.
    packets: Vec<u64>,
    delay: Duration,
    sent: u64,
}

impl Impairment for DelayList {
    fn impair(&mut self, _now: Time, passage: &mut Passage) {
        if self.packets.last() == Some(&self.sent) {
            self.packets.pop();
            passage.delay += self.delay;
        }
        self.sent += 1;
    }
}
