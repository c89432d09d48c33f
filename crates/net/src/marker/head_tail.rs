//! Head and tail: the first and the last packets of each block are protected.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{Bytes, ClassSet, Frame, HeaderKind, Registered, Time, TrafficClass, Validate, config};
use dumbbell_header::tcp::TcpHeader;

use super::profile::Profile;
use super::{Marker, MarkerParams};

config! {
    /// Protects the packets whose loss costs a timeout: the first of a block, since a window that is lost whole has no duplicate
    /// acknowledgements, and the last, behind which nothing follows to tell of their loss. The marker knows the size of a block, and
    /// finds the place of a segment in its block from the sequence number of TCP, so that a segment that is sent again is protected like
    /// the first time. Connections that carry a block each, or blocks of one size one after the other, have their blocks there.
    /// Packets of other protocols are out of profile; an acknowledgement counts by the byte that it acknowledges.
    pub struct Params {
        /// Bytes of a block: the `size` of transfers.
        block: Bytes;
        /// Packets in profile at the beginning of a block, and as many at its end.
        packets: u32 as "packets" = 1, "choice: the fewest";
        /// Bytes of data in a full packet.
        segment: Bytes = "1460B", "RFC 9293 section 3.7.1: an MTU of 1500 bytes without headers";
        ..profile: Profile {}
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        for (key, bytes) in [("block", self.block), ("segment", self.segment)] {
            if bytes.get() == 0 {
                return Err(at.key(key).error("must be above zero", "give a size such as \"256kB\""));
            }
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "head-tail";
    const TITLE: &'static str =
        "Head and tail: the first and last packets of each block of TCP are in profile";
    const REFERENCE: &'static str =
        "Zhang, Ren & Lin, INFOCOM 2011: timeouts at the head and at the tail of a block";
}

impl MarkerParams for Params {
    type Machine = HeadTail;

    fn headers(&self) -> &'static [HeaderKind] {
        &[<TcpHeader as Registered>::KIND]
    }

    fn build(&self, _rng: Stream) -> HeadTail {
        let (block, segment) = (self.block.get(), self.segment.get());
        let packets = block.div_ceil(segment);
        HeadTail { block, segment, packets, protected: self.packets.into(), profile: self.profile.clone() }
    }

    fn classes(&self, _arriving: ClassSet) -> ClassSet {
        self.profile.classes()
    }
}

/// The marker.
#[derive(Clone, Debug)]
pub struct HeadTail {
    /// Bytes of a block, and of data in a full packet.
    block: u64,
    segment: u64,
    /// Of a block, and in profile at either end.
    packets: u64,
    protected: u64,
    profile: Profile,
}

impl HeadTail {
    /// True if the segment that begins with this byte is one of the first or the last of its block.
    fn protects(&self, number: u64) -> bool {
        let position = number % self.block / self.segment;
        position < self.protected || position + self.protected >= self.packets
    }
}

impl Marker for HeadTail {
    fn class_for<P: Frame>(&mut self, _now: Time, packet: &P) -> TrafficClass {
        let segment = packet.read::<TcpHeader>();
        self.profile.class(segment.is_some_and(|header| self.protects(header.number)))
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::rng::stream;
    use dumbbell_core::{Ecn, Packet};

    use super::*;

    /// The positions in profile of the packets of two blocks of 10 packets, the last of which is short, on one connection.
    fn protected(packets: u32) -> Vec<u64> {
        let block = 9 * 1460 + 100;
        let params = Params { packets, ..from(&format!(r#"{{"block": "{block}B"}}"#)) };
        let mut marker = params.build(stream(1, "marker"));
        let numbers = (0..20).map(|i| i / 10 * block + i % 10 * 1460);
        let inside = numbers.enumerate().filter(|(_, number)| {
            let header = TcpHeader { number: *number, ..TcpHeader::default() };
            let packet = Packet::of(header, 0, 1500, Ecn::NotEct);
            marker.class_for(Time::ZERO, &packet).number() == 0
        });
        inside.map(|(i, _)| i as u64).collect()
    }

    fn from(text: &str) -> Params {
        use dumbbell_core::{Config, config::At};
        Params::from_value(&dumbbell_core::json::from_str(text).unwrap(), &At::root("marker")).unwrap()
    }

    #[test]
    fn the_first_and_the_last_packets_of_each_block_are_protected() {
        assert_eq!(protected(1), [0, 9, 10, 19]);
        assert_eq!(protected(3), [0, 1, 2, 7, 8, 9, 10, 11, 12, 17, 18, 19]);
        assert_eq!(protected(5), (0..20).collect::<Vec<_>>());
        assert!(protected(0).is_empty());
    }
}
