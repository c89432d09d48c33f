//! A share of all packets is in profile, at random.

use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{ClassSet, Frame, Probability, Time, TrafficClass, Validate, config};
use rand::RngExt;

use super::profile::Profile;
use super::{Marker, MarkerParams};

config! {
    /// Each packet is in profile with the same probability, whatever the rate. A share of 0 is best effort: nothing is protected.
    pub struct Params {
        /// Share of packets in profile.
        share: Probability;
        ..profile: Profile {}
    }
}

impl Validate for Params {}

impl Algorithm for Params {
    const NAME: &'static str = "static";
    const TITLE: &'static str = "Static: a share of all packets is in profile, at random";
    const REFERENCE: &'static str = "choice: a profile that asks for no meter";
}

impl MarkerParams for Params {
    type Machine = Static;

    fn draws(&self) -> bool {
        true
    }

    fn build(&self, rng: Stream) -> Static {
        Static { share: self.share.get(), profile: self.profile.clone(), rng }
    }

    fn classes(&self, _arriving: ClassSet) -> ClassSet {
        match self.share.get() {
            0.0 => ClassSet::of(self.profile.out_class),
            1.0 => ClassSet::of(self.profile.in_class),
            _ => self.profile.classes(),
        }
    }
}

/// The marker.
#[derive(Clone, Debug)]
pub struct Static {
    share: f64,
    profile: Profile,
    rng: Stream,
}

impl Marker for Static {
    fn class_for<P: Frame>(&mut self, _now: Time, _packet: &P) -> TrafficClass {
        self.profile.class(self.rng.random::<f64>() < self.share)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{classes, periodic};

    #[test]
    fn the_share_is_in_profile() {
        let spec = |share| format!(r#"{{"kind": "static", "share": {share}}}"#);
        let packets = periodic(1, 1500, 100_000);
        let inside = |share| classes(&spec(share), &packets).iter().filter(|class| **class == 0).count();
        assert_eq!([inside("0.0"), inside("1.0")], [0, 100_000]);
        // The standard deviation is 145.
        assert!(inside("0.3").abs_diff(30_000) < 600, "{}", inside("0.3"));
    }
}
