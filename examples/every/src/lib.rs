//! One packet in so many is in class 0, by count.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{ClassSet, Frame, Time, TrafficClass, Validate, config};

use dumbbell_net::marker::{Marker, MarkerParams};

config! {
    /// Class 0 for one packet in each period, class 1 for the others.
    pub struct Params {
        /// Packets of a period.
        period: u32 as "packets" = 3, "choice: a third";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.period == 0 {
            return Err(at.key("period").error("must be above zero", "give 1 or more"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "every";
    const TITLE: &'static str = "One packet in so many, by count";
    const REFERENCE: &'static str = "choice: the simplest marker";
}

impl MarkerParams for Params {
    type Machine = Every;

    fn build(&self, _rng: Stream) -> Every {
        Every { period: self.period, next: 0 }
    }

    fn classes(&self, _arriving: ClassSet) -> ClassSet {
        ClassSet::first(2)
    }
}

/// The marker.
#[derive(Clone, Debug)]
pub struct Every {
    period: u32,
    /// The position of the next packet in its period.
    next: u32,
}

impl Marker for Every {
    fn class_for<P: Frame>(&mut self, _now: Time, _packet: &P) -> TrafficClass {
        let class = u8::from(self.next > 0);
        self.next = (self.next + 1) % self.period;
        TrafficClass::new(class).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::rng::stream;
    use dumbbell_core::{Ecn, Packet};
    use dumbbell_header::UdpHeader;

    use super::*;

    #[test]
    fn one_packet_in_three_is_of_class_0() {
        let mut marker = Params { period: 3 }.build(stream(1, "marker"));
        let packet = Packet::of(UdpHeader { number: 0, sent: Time::ZERO }, 1, 1500, Ecn::NotEct);
        let classes: Vec<u8> = (0..6).map(|_| marker.class_for(Time::ZERO, &packet).number()).collect();
        assert_eq!(classes, [0, 1, 1, 0, 1, 1]);
    }
}
