//! srTCM: one rate and two bursts give three colours (RFC 2697).

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{BitRate, Bytes, ClassSet, Frame, Time, TrafficClass, Validate, config};

use super::colours::{Colour, Colours};
use super::{Marker, MarkerParams};
use crate::token_bucket::{TokenBucket, check_burst};

config! {
    /// Meters all packets that arrive at the link together, by one rate and two bursts. A packet is green within the committed burst,
    /// yellow within the excess burst, and otherwise red. What the first bucket has no room for fills the second.
    pub struct Params {
        /// Committed information rate: bytes that are green in the long run, headers included, in bits a second.
        rate: BitRate;
        /// Committed burst size: bytes that are green at once.
        burst: Bytes = "10kB", "choice: six full packets";
        /// Excess burst size: bytes that are yellow at once.
        excess_burst: Bytes = "10kB", "choice: as many";
        /// A packet gets no better a colour than that of the class it arrives with.
        colour_aware: bool = false, "choice: hosts do not colour packets";
        ..colours: Colours {}
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.colour_aware { self.colours.check_distinct(at) } else { Ok(()) }
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "srtcm";
    const TITLE: &'static str = "Single rate three colour marker";
    const REFERENCE: &'static str = "RFC 2697";
}

impl MarkerParams for Params {
    type Machine = SrTcm;

    fn build(&self, _rng: Stream) -> SrTcm {
        SrTcm {
            committed: TokenBucket::new(self.rate, self.burst),
            excess: TokenBucket::new(self.rate, self.excess_burst),
            aware: self.colour_aware,
            colours: self.colours.clone(),
        }
    }

    fn classes(&self, _arriving: ClassSet) -> ClassSet {
        self.colours.classes()
    }

    fn check(&self, mtu: u32, at: &At<'_>) -> Result<(), ConfigError> {
        check_burst(self.burst, mtu, "burst", at)
    }
}

/// The marker.
#[derive(Clone, Debug)]
pub struct SrTcm {
    committed: TokenBucket,
    /// Has no rate of its own.
    excess: TokenBucket,
    aware: bool,
    colours: Colours,
}

impl Marker for SrTcm {
    fn class_for<P: Frame>(&mut self, now: Time, packet: &P) -> TrafficClass {
        let overflow = self.committed.fill(now);
        // What finds no room in either bucket is lost (section 3).
        let _ = self.excess.add(overflow);
        let best = if self.aware { self.colours.colour(packet.class()) } else { Colour::Green };
        let size = packet.size();
        let colour = if best == Colour::Green && self.committed.take_filled(size) {
            Colour::Green
        } else if best <= Colour::Yellow && self.excess.take_filled(size) {
            Colour::Yellow
        } else {
            Colour::Red
        };
        self.colours.class(colour)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{classes, periodic};

    #[test]
    fn buckets_empty_one_after_the_other_and_fill_in_the_same_order() {
        // Buckets of two and three packets; then a packet of tokens each 12 ms.
        let spec = r#"{"kind": "srtcm", "rate": "1Mbit/s", "burst": "3000B", "excess_burst": "4500B"}"#;
        let burst = [(0, 1500, 0); 6];
        assert_eq!(classes(spec, &burst), [0, 0, 1, 1, 1, 2]);
        // After 36 ms the first is full and the second holds one.
        let later = [(0, 1500, 0); 6].into_iter().chain([(36, 1500, 0); 4]).collect::<Vec<_>>();
        assert_eq!(classes(spec, &later)[6..], [0, 0, 1, 2]);
    }

    #[test]
    fn in_the_long_run_the_rate_is_green_and_nothing_is_yellow() {
        // RFC 2697 section 3: at twice the rate the excess bucket never fills again.
        let spec = r#"{"kind": "srtcm", "rate": "1Mbit/s", "burst": "3000B", "excess_burst": "3000B"}"#;
        let marked = classes(spec, &periodic(6, 1500, 1000));
        let count = |class| marked[100..].iter().filter(|c| **c == class).count();
        assert_eq!([0, 1, 2].map(count), [450, 0, 450]);
    }

    #[test]
    fn a_colour_that_a_packet_had_is_not_bettered() {
        let spec = r#"{"kind": "srtcm", "rate": "1Mbit/s", "burst": "3000B", "excess_burst": "3000B", "colour_aware": true}"#;
        let packets = [2, 1, 1, 1, 0, 0, 0].map(|class| (0, 1500, class));
        assert_eq!(classes(spec, &packets), [2, 1, 1, 2, 0, 0, 2]);
    }
}
