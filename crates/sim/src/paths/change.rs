//! A route change: from some time on packets take another path.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Duration, Time, Validate, config};

use super::{Choice, Dealing, PathChoice};

config! {
    /// Packets take the path of the links listed first, as with `single`; those sent from `at` on take the second of the shortest
    /// paths. Where the second is quicker, they overtake those on the first.
    pub struct Change {
        /// When the route changes.
        at: Duration;
    }
}

impl Validate for Change {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.at.is_zero() {
            let why = "the route changes before the first packet";
            return Err(at.key("at").error(why, "give a time within the run"));
        }
        Ok(())
    }
}

impl Algorithm for Change {
    const NAME: &'static str = "change";
    const TITLE: &'static str = "A route change: from some time on packets take the second path";
    const REFERENCE: &'static str =
        "Bennett et al., Packet reordering is not pathological, IEEE/ACM ToN 1999";
}

impl PathChoice for Change {
    fn choice(&self) -> Choice {
        Choice::PerPacket(Dealing::SecondFrom(Time::ZERO + self.at))
    }
}
