//! The token bucket as a marker: what keeps to a rate and a burst has one class, what exceeds them another.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{BitRate, Bytes, ClassSet, Frame, Time, TrafficClass, Validate, config};

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
        /// Class of packets in profile.
        in_class: TrafficClass = 0, "choice: the class that `strict-priority` serves first";
        /// Class of packets out of profile.
        out_class: TrafficClass = 1, "choice: the next";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.in_class == self.out_class {
            return Err(at
                .key("out_class")
                .error("is the class of packets in profile", "give another class"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "token-bucket";
    const TITLE: &'static str = "Token bucket: tells packets in profile from packets out of profile";
    const REFERENCE: &'static str =
        "Clark & Fang, IEEE/ACM ToN 6(4), 1998; RFC 2697 without the excess bucket";
}

impl MarkerParams for Params {
    type Machine = TokenBucketMarker;

    fn build(&self, _rng: Stream) -> TokenBucketMarker {
        let (inside, outside) = (self.in_class, self.out_class);
        TokenBucketMarker { bucket: TokenBucket::new(self.rate, self.burst), inside, outside }
    }

    fn classes(&self, _arriving: ClassSet) -> ClassSet {
        ClassSet::of(self.in_class).with(ClassSet::of(self.out_class))
    }

    fn check(&self, mtu: u32, at: &At<'_>) -> Result<(), ConfigError> {
        check_burst(self.burst, mtu, at)
    }
}

/// The marker.
#[derive(Clone, Debug)]
pub struct TokenBucketMarker {
    bucket: TokenBucket,
    /// Classes of packets in and out of profile.
    inside: TrafficClass,
    outside: TrafficClass,
}

impl Marker for TokenBucketMarker {
    fn class_for<P: Frame>(&mut self, now: Time, packet: &P) -> TrafficClass {
        if self.bucket.take(now, packet.size()) { self.inside } else { self.outside }
    }
}
