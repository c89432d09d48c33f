//! Markers: what sets the traffic class of packets that arrive at a link, before its queue. One file each, one line each in
//! the registry.
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

use dumbbell_core::rng::Stream;
use dumbbell_core::{Frame, Time, TrafficClass, registry};

pub use contract::{Marker, MarkerParams};

registry! {
    /// A marker with its parameters.
    pub enum MarkerSpec in "marker" as MarkerParams {
        TokenBucket(token_bucket::Params),
        Tsw2cm(tsw2cm::Params),
        Tsw3cm(tsw3cm::Params),
        SrTcm(srtcm::Params),
        TrTcm(trtcm::Params),
        Static(share::Params),
        HeadTail(head_tail::Params),
    }

    /// Any marker.
    #[derive(Clone, Debug)]
    pub enum AnyMarker [] = Machine or Box<dyn contract::Marks>, whichever!($);

    build(rng: Stream) or own => own.open(rng);
}

impl Marker for AnyMarker {
    // Few links have a marker: the path of those that have none stays short.
    #[inline(never)]
    fn class_for<P: Frame>(&mut self, now: Time, packet: &P) -> TrafficClass {
        whichever!(self, m => m.class_for(now, packet))
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::config::At;
    use dumbbell_core::rng::stream;
    use dumbbell_core::testing::lengths;
    use dumbbell_core::{ClassSet, Config, Duration, Value};
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
