//! The token bucket as a marker: what keeps to a rate and a burst has one class, what exceeds them another.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{BitRate, Bytes, ClassSet, Frame, Time, TrafficClass, Validate, config};

use super::profile::Profile;
use super::{Marker, MarkerParams};
use crate::token_bucket::{TokenBucket, check_burst};

config! {
    /// Meters all packets that arrive at the link together. A packet for which there are tokens takes them and is in profile;
    /// one for which there are not is out of profile and takes none. Whatever class a packet had is forgotten.
    pub struct Params {
        /// Bytes in profile in the long run, headers included, in bits a second.
        rate: BitRate;
        /// Bytes in profile at once.
        burst: Bytes = "10kB", "choice: six full packets";
        ..profile: Profile {}
    }
}

impl Validate for Params {}

impl Algorithm for Params {
    const NAME: &'static str = "token-bucket";
    const TITLE: &'static str = "Token bucket: tells packets in profile from packets out of profile";
    const REFERENCE: &'static str =
        "Clark & Fang, IEEE/ACM ToN 6(4), 1998; RFC 2697 without the excess bucket";
}

impl MarkerParams for Params {
    type Machine = TokenBucketMarker;

    fn build(&self, _rng: Stream) -> TokenBucketMarker {
        TokenBucketMarker { bucket: TokenBucket::new(self.rate, self.burst), profile: self.profile.clone() }
    }

    fn classes(&self, _arriving: ClassSet) -> ClassSet {
        self.profile.classes()
    }

    fn check(&self, mtu: u32, at: &At<'_>) -> Result<(), ConfigError> {
        check_burst(self.burst, mtu, "burst", at)
    }
}

/// The marker.
#[derive(Clone, Debug)]
pub struct TokenBucketMarker {
    bucket: TokenBucket,
    profile: Profile,
}

impl Marker for TokenBucketMarker {
    fn class_for<P: Frame>(&mut self, now: Time, packet: &P) -> TrafficClass {
        self.profile.class(self.bucket.take(now, packet.size()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{classes, periodic};

    #[test]
    fn half_of_twice_the_rate_is_in_profile() {
        // 1 Mbit/s and 3000 bytes; a packet of 1500 bytes each 6 ms is 2 Mbit/s.
        let spec = r#"{"kind": "token-bucket", "rate": "1Mbit/s", "burst": "3000B"}"#;
        let marked = classes(spec, &periodic(6, 1500, 1000));
        assert_eq!(marked[..6], [0, 0, 0, 1, 0, 1]);
        assert_eq!(marked[100..].iter().filter(|class| **class == 0).count(), 450);
    }
}
