//! trTCM: two rates, each with a burst, give three colours (RFC 2698).

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{BitRate, Bytes, ClassSet, Frame, Time, TrafficClass, Validate, config};

use super::colours::{Colour, Colours};
use super::{Marker, MarkerParams};
use crate::token_bucket::{TokenBucket, check_burst};

config! {
    /// Meters all packets that arrive at the link together, by two rates. A packet above the peak rate is red, one above the committed
    /// rate yellow, and one within both green.
    pub struct Params {
        /// Committed information rate: bytes that are green in the long run, headers included, in bits a second.
        rate: BitRate;
        /// Committed burst size: bytes that are green at once.
        burst: Bytes = "10kB", "choice: six full packets";
        /// Peak information rate: bytes that are green or yellow in the long run, in bits a second.
        peak_rate: BitRate;
        /// Peak burst size: bytes that are green or yellow at once.
        peak_burst: Bytes = "10kB", "choice: as many";
        /// A packet gets no better a colour than that of the class it arrives with.
        colour_aware: bool = false, "choice: hosts do not colour packets";
        ..colours: Colours {}
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        // RFC 2698 section 2.
        if self.peak_rate < self.rate {
            let message = format!("{} is below the committed `rate` of {}", self.peak_rate, self.rate);
            return Err(at.key("peak_rate").error(message, "give that or more"));
        }
        if self.colour_aware { self.colours.check_distinct(at) } else { Ok(()) }
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "trtcm";
    const TITLE: &'static str = "Two rate three colour marker";
    const REFERENCE: &'static str = "RFC 2698";
}

impl MarkerParams for Params {
    type Machine = TrTcm;

    fn build(&self, _rng: Stream) -> TrTcm {
        TrTcm {
            committed: TokenBucket::new(self.rate, self.burst),
            peak: TokenBucket::new(self.peak_rate, self.peak_burst),
            aware: self.colour_aware,
            colours: self.colours.clone(),
        }
    }

    fn classes(&self, _arriving: ClassSet) -> ClassSet {
        self.colours.classes()
    }

    fn check(&self, mtu: u32, at: &At<'_>) -> Result<(), ConfigError> {
        check_burst(self.burst, mtu, "burst", at)?;
        check_burst(self.peak_burst, mtu, "peak_burst", at)
    }
}

/// The marker.
#[derive(Clone, Debug)]
pub struct TrTcm {
    committed: TokenBucket,
    peak: TokenBucket,
    aware: bool,
    colours: Colours,
}

impl Marker for TrTcm {
    fn class_for<P: Frame>(&mut self, now: Time, packet: &P) -> TrafficClass {
        let (_, _) = (self.committed.fill(now), self.peak.fill(now));
        let best = if self.aware { self.colours.colour(packet.class()) } else { Colour::Green };
        let size = packet.size();
        let colour = if best == Colour::Red || !self.peak.take_filled(size) {
            Colour::Red
        } else if best == Colour::Yellow || !self.committed.take_filled(size) {
            Colour::Yellow
        } else {
            Colour::Green
        };
        self.colours.class(colour)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{classes, periodic};

    #[test]
    fn a_burst_is_green_then_yellow_then_red() {
        let spec = r#"{"kind": "trtcm", "rate": "1Mbit/s", "burst": "3000B", "peak_rate": "2Mbit/s", "peak_burst": "6000B"}"#;
        assert_eq!(classes(spec, &[(0, 1500, 0); 6]), [0, 0, 1, 1, 2, 2]);
    }

    #[test]
    fn in_the_long_run_colours_have_the_shares_of_the_rates() {
        // 1 of 4 Mbit/s is green, what is between 1 and 2 yellow, the rest red.
        let spec = r#"{"kind": "trtcm", "rate": "1Mbit/s", "burst": "3000B", "peak_rate": "2Mbit/s", "peak_burst": "3000B"}"#;
        let marked = classes(spec, &periodic(3, 1500, 4100));
        let count = |class| marked[100..].iter().filter(|c| **c == class).count();
        assert_eq!([0, 1, 2].map(count), [1000, 1000, 2000]);
    }

    #[test]
    fn a_colour_that_a_packet_had_is_not_bettered() {
        let spec = r#"{"kind": "trtcm", "rate": "1Mbit/s", "burst": "3000B", "peak_rate": "1Mbit/s", "peak_burst": "6000B", "colour_aware": true}"#;
        // Red ones take no tokens, yellow ones those of the peak rate alone.
        let packets = [2, 1, 0, 0, 0, 0].map(|class| (0, 1500, class));
        assert_eq!(classes(spec, &packets), [2, 1, 0, 0, 1, 2]);
    }
}
