//! Markers: what sets the traffic class of packets that arrive at a link, before its queue. One file each, one line each in
//! `markers!`.
//!
//! A marker is generic over [`Frame`], so the same code marks simulated packets and real ones.

mod colours;
mod contract;
pub mod head_tail;
mod profile;
pub mod share;
pub mod srtcm;
pub mod token_bucket;
pub mod trtcm;
pub mod tsw2cm;
pub mod tsw3cm;
mod window;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::rng::Stream;
use dumbbell_core::{ClassSet, Frame, HeaderKind, Time, TrafficClass};

pub use contract::{Marker, MarkerParams};

/// Registers the markers: `Variant(module)` gives the name in scenarios, the parameters with their defaults, dispatch and
/// the law tests.
macro_rules! markers {
    ($( $variant:ident($module:ident) ),+ $(,)?) => {
        dumbbell_core::registry! {
            /// A marker with its parameters.
            pub enum MarkerSpec in "marker" { $( $variant($module::Params) ),+ }
        }

        /// Any registered marker.
        #[derive(Clone, Debug)]
        #[allow(missing_docs, reason = "the name says it; what it names has a page")]
        pub enum AnyMarker {
            $( $variant(<$module::Params as MarkerParams>::Machine) ),+
        }

        impl MarkerSpec {
            /// A marker that has seen nothing yet and draws from `rng`.
            pub fn build(&self, rng: Stream) -> AnyMarker {
                match self { $( MarkerSpec::$variant(p) => AnyMarker::$variant(p.build(rng)) ),+ }
            }

            /// See [`MarkerParams::classes`].
            pub fn classes(&self, arriving: ClassSet) -> ClassSet {
                match self { $( MarkerSpec::$variant(p) => p.classes(arriving) ),+ }
            }

            /// See [`MarkerParams::HEADERS`].
            pub fn headers(&self) -> &'static [HeaderKind] {
                match self { $( MarkerSpec::$variant(_) => <$module::Params as MarkerParams>::HEADERS ),+ }
            }

            /// See [`MarkerParams::draws`].
            pub fn draws(&self) -> bool {
                match self { $( MarkerSpec::$variant(p) => p.draws() ),+ }
            }

            /// See [`MarkerParams::check`].
            ///
            /// # Errors
            /// What does not fit.
            pub fn check(&self, mtu: u32, at: &At<'_>) -> Result<(), ConfigError> {
                match self { $( MarkerSpec::$variant(p) => p.check(mtu, at) ),+ }
            }
        }

        impl Marker for AnyMarker {
            // Few links have a marker: the path of those that have none stays short.
            #[inline(never)]
            fn class_for<P: Frame>(&mut self, now: Time, packet: &P) -> TrafficClass {
                match self { $( AnyMarker::$variant(m) => m.class_for(now, packet) ),+ }
            }
        }
    };
}

markers! {
    TokenBucket(token_bucket),
    Tsw2cm(tsw2cm),
    Tsw3cm(tsw3cm),
    SrTcm(srtcm),
    TrTcm(trtcm),
    Static(share),
    HeadTail(head_tail),
}

#[cfg(test)]
mod tests {
    use dumbbell_core::rng::stream;
    use dumbbell_core::testing::lengths;
    use dumbbell_core::{Config, Duration, Value};
    use proptest::prelude::*;

    use super::*;
    use crate::queue::laws::TestFrame;

    fn spec(text: &str) -> MarkerSpec {
        let value: Value = dumbbell_core::json::from_str(text).unwrap();
        MarkerSpec::from_value(&value, &At::root("marker")).unwrap()
    }

    /// Every registered marker; one that has defaults for all needs no parameters here.
    fn specs() -> Vec<MarkerSpec> {
        let needed = |name: &str| match name {
            "token-bucket" => r#", "rate": "1Mbit/s", "in_class": 2, "out_class": 5"#,
            "tsw2cm" | "srtcm" => r#", "rate": "1Mbit/s""#,
            "tsw3cm" | "trtcm" => r#", "rate": "1Mbit/s", "peak_rate": "2Mbit/s""#,
            "static" => r#", "share": 0.5"#,
            "head-tail" => r#", "block": "64kB""#,
            _ => "",
        };
        let spec = |name| spec(&format!(r#"{{"kind": "{name}"{}}}"#, needed(name)));
        MarkerSpec::descriptors().iter().map(|d| spec(d.name)).collect()
    }

    /// The classes that a marker gives to packets, of which each has a time in milliseconds, a size and a class.
    pub fn classes(text: &str, packets: &[(u64, u32, u8)]) -> Vec<u8> {
        let mut marker = spec(text).build(stream(1, "marker"));
        let class = |(millis, size, class): &(u64, u32, u8)| {
            let now = Time::ZERO + Duration::from_millis(*millis);
            marker.class_for(now, &TestFrame::of_class(*class, *size)).number()
        };
        packets.iter().map(class).collect()
    }

    /// So many packets, one in so many milliseconds.
    pub fn periodic(millis: u64, size: u32, count: u64) -> Vec<(u64, u32, u8)> {
        (0..count).map(|i| (i * millis, size, 0)).collect()
    }

    proptest! {
        #[test]
        fn every_class_given_is_one_that_was_announced(
            arrivals in prop::collection::vec((0..10_000_000_u64, 40..=1500_u32, 0..8_u8), lengths(1..200)),
        ) {
            for spec in specs() {
                let mut marker = spec.build(stream(1, "laws"));
                let mut now = Time::ZERO;
                for (gap, size, class) in &arrivals {
                    now += Duration::from_nanos(*gap);
                    let arriving = ClassSet::of(TrafficClass::new(*class).unwrap());
                    let given = marker.class_for(now, &TestFrame::of_class(*class, *size));
                    prop_assert!(ClassSet::of(given).without(spec.classes(arriving)).is_empty(), "{}", spec.name());
                }
            }
        }
    }
}
