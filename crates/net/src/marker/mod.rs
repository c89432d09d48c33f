//! Markers: what sets the traffic class of packets that arrive at a link, before its queue. One file each, one line each in
//! [`markers!`].
//!
//! A marker is generic over [`Frame`], so the same code marks simulated packets and real ones.

mod contract;
pub mod token_bucket;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::rng::Stream;
use dumbbell_core::{ClassSet, Frame, Time, TrafficClass};

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
        #[allow(missing_docs)]
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

            /// See [`MarkerParams::check`].
            ///
            /// # Errors
            /// What does not fit.
            pub fn check(&self, mtu: u32, at: &At<'_>) -> Result<(), ConfigError> {
                match self { $( MarkerSpec::$variant(p) => p.check(mtu, at) ),+ }
            }
        }

        impl Marker for AnyMarker {
            fn class_for<P: Frame>(&mut self, now: Time, packet: &P) -> TrafficClass {
                match self { $( AnyMarker::$variant(m) => m.class_for(now, packet) ),+ }
            }
        }
    };
}

markers! {
    TokenBucket(token_bucket),
}

#[cfg(test)]
mod tests {
    use dumbbell_core::rng::stream;
    use dumbbell_core::{Config, Duration, Value};
    use proptest::prelude::*;

    use super::*;
    use crate::queue::laws::TestFrame;

    /// Every registered marker; one that has defaults for all needs no parameters here.
    fn specs() -> Vec<MarkerSpec> {
        let spec = |name: &str| {
            let text = match name {
                "token-bucket" => {
                    r#"{"kind": "token-bucket", "rate": "1Mbit/s", "in_class": 2, "out_class": 5}"#.to_owned()
                }
                name => format!("{name:?}"),
            };
            let value: Value = dumbbell_core::json::from_str(&text).unwrap();
            MarkerSpec::from_value(&value, &At::root("marker")).unwrap()
        };
        MarkerSpec::descriptors().iter().map(|d| spec(d.name)).collect()
    }

    proptest! {
        #[test]
        fn every_class_given_is_one_that_was_announced(
            arrivals in prop::collection::vec((0..10_000_000_u64, 40..=1500_u32, 0..8_u8), 1..200),
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
