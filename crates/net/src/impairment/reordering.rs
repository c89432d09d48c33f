//! Reordering: some packets change their position.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{Duration, Probability, Time, Validate, config, words};
use rand::RngExt;

use super::{Impairment, ImpairmentParams, Passage, Yields, shortened};

/// Packets that one packet may overtake or let pass: a thousand times what a TCP sender forgives (RFC 5681: three).
const MAX_PACKETS: u32 = 3_000;

words! {
    /// In which direction a packet changes its position.
    pub enum Place {
        /// It is held back.
        Back = "back",
        /// It is sent ahead.
        Ahead = "ahead",
    }
}

config! {
    /// Lets some packets change their position: each is held back, or sent ahead, by a time or by a number of packets.
    pub struct Params {
        /// Share of packets that change their position.
        probability: Probability;
        /// `back`: held back; `ahead`: sent ahead.
        place: Place = "back", "choice: one late packet is what a second path or a resent frame makes";
        /// Time by which such a packet is held back or sent ahead; instead of `packets`.
        delay: Option<Duration> = (), "absent: `packets` says how far";
        /// Number of packets that it lets pass or overtakes; instead of `delay`.
        packets: Option<u32> as "packets" = (), "absent: `delay` says how far";
        /// With `packets`: the longest time that a packet is held back.
        longest: Duration = "1s", "RFC 6298 section 2.1: by then a sender has sent it again";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        match (self.delay, self.packets) {
            (Some(_), Some(_)) => Err(at.key("packets").error(
                "`delay` says already how far packets move",
                "leave out one of them; `longest` bounds the wait for packets",
            )),
            (None, None) => Err(at
                .key("delay")
                .error("nothing says how far packets move", "give `delay`, or `packets` in its place")),
            (_, Some(0)) => Err(at.key("packets").error("must be above zero", "give 1 or more")),
            (_, Some(n)) if n > MAX_PACKETS => Err(at
                .key("packets")
                .error(format!("{n} is above the limit of {MAX_PACKETS}"), "give a smaller number")),
            _ => Ok(()),
        }
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "reordering";
    const TITLE: &'static str = "Some packets change their position";
    const REFERENCE: &'static str = "Hemminger, Network emulation with NetEm, linux.conf.au 2005";
}

impl ImpairmentParams for Params {
    type Machine = Reordering;

    fn build(&self, rng: Stream) -> Reordering {
        Reordering { params: self.clone(), rng }
    }

    fn summary(&self) -> String {
        let by = match (self.delay, self.packets) {
            (Some(delay), _) => delay.to_string(),
            (None, packets) => format!("{} packets", packets.unwrap_or_default()),
        };
        let place = match self.place {
            Place::Back => "back",
            Place::Ahead => "ahead",
        };
        format!("{} of packets {place} by {by}", self.probability.get())
    }

    fn check(&self, least: Duration, at: &At<'_>) -> Result<Duration, ConfigError> {
        match (self.place, self.delay) {
            (Place::Ahead, Some(delay)) => shortened(least, delay, &at.key("delay")),
            _ => Ok(least),
        }
    }
}

/// The impairment.
#[derive(Clone, Debug)]
pub struct Reordering {
    params: Params,
    rng: Stream,
}

impl Impairment for Reordering {
    fn impair(&mut self, _now: Time, passage: &mut Passage) {
        if self.rng.random::<f64>() >= self.params.probability.get() {
            return;
        }
        match (self.params.place, self.params.delay, self.params.packets) {
            (Place::Back, Some(delay), _) => passage.delay += delay,
            (Place::Ahead, Some(delay), _) => passage.delay = passage.delay.saturating_sub(delay),
            (Place::Back, None, packets) => {
                let (packets, longest) = (packets.unwrap_or_default(), self.params.longest);
                passage.yields = Some(Yields { packets, longest });
            }
            (Place::Ahead, None, packets) => passage.overtakes = packets.unwrap_or_default(),
        }
    }
}
