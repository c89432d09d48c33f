//! TSW2CM: what exceeds a rate on average gets another class, at random.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{BitRate, ClassSet, Duration, Frame, Time, TrafficClass, Validate, config};
use rand::RngExt;

use super::profile::Profile;
use super::window::{SlidingWindow, bytes, check_window};
use super::{Marker, MarkerParams};

config! {
    /// Estimates the rate of all packets that arrive at the link together. The share by which it exceeds the committed rate is the
    /// probability with which a packet is out of profile, so that the packets of no flow are hit in a row.
    pub struct Params {
        /// Committed rate: bytes in profile in the long run, headers included, in bits a second.
        rate: BitRate;
        /// Time over which the rate of arrivals is estimated.
        window: Duration = "1s", "ns-2.35, dsPolicy.h: WinLen";
        ..profile: Profile {}
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_window(self.window, at)
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "tsw2cm";
    const TITLE: &'static str = "Time sliding window two colour marker: the excess over a rate, at random";
    const REFERENCE: &'static str =
        "Clark & Fang, IEEE/ACM ToN 6(4), 1998; RFC 2859 section 2 for the estimate";
}

impl MarkerParams for Params {
    type Machine = Tsw2cm;

    fn draws(&self) -> bool {
        true
    }

    fn build(&self, rng: Stream) -> Tsw2cm {
        let window = SlidingWindow::new(self.window, self.rate);
        Tsw2cm { window, committed: bytes(self.rate), profile: self.profile.clone(), rng }
    }

    fn classes(&self, _arriving: ClassSet) -> ClassSet {
        self.profile.classes()
    }
}

/// The marker.
#[derive(Clone, Debug)]
pub struct Tsw2cm {
    window: SlidingWindow,
    /// Bytes a second.
    committed: f64,
    profile: Profile,
    rng: Stream,
}

impl Marker for Tsw2cm {
    fn class_for<P: Frame>(&mut self, now: Time, packet: &P) -> TrafficClass {
        let rate = self.window.rate(now, packet.size());
        self.profile.class(self.rng.random::<f64>() * rate < self.committed)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{classes, periodic};

    #[test]
    fn the_share_of_the_rate_is_in_profile_and_everything_below_it() {
        let spec = r#"{"kind": "tsw2cm", "rate": "1Mbit/s"}"#;
        // 4 Mbit/s: a quarter; the estimate has settled after ten windows.
        let marked = classes(spec, &periodic(3, 1500, 100_000));
        let inside = marked[3_000..].iter().filter(|class| **class == 0).count() as f64 / 97_000.0;
        // The standard error is 0.0014.
        assert!((inside - 0.25).abs() < 0.006, "{inside}");
        assert!(classes(spec, &periodic(13, 1500, 1_000)).iter().all(|class| *class == 0));
    }
}
