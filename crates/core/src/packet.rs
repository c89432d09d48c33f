//! The packet: 64 bytes, copied by value from link to link.
//!
//! The network reads the first 24 bytes; the body is five words that belong to the transport. Code that knows the
//! protocol reads and writes these words through a typed [`Header`], which packs without `unsafe` and without cost.

use std::fmt::Debug;

use crate::Time;
use crate::class::TrafficClass;
use crate::ends::FlowEnds;
use crate::header::{Header, HeaderKind, Words};

/// Congestion notification field of the IP header (RFC 3168 section 5).
///
/// Not an `enum`: a type with bytes that mean nothing lends them to `Option`, which would then stand in the midst of a packet,
/// and an optional packet would be copied in pieces around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(transparent)]
pub struct Ecn(u8);

#[allow(non_upper_case_globals, reason = "they are its variants")]
impl Ecn {
    /// The transport does not understand marks: drop instead.
    pub const NotEct: Ecn = Ecn(0);
    /// ECT(1): capable, and asking for low-latency treatment (RFC 9331).
    pub const Ect1: Ecn = Ecn(1);
    /// ECT(0): capable.
    pub const Ect0: Ecn = Ecn(2);
    /// Congestion experienced: a queue marked it.
    pub const Ce: Ecn = Ecn(3);

    /// The field as two bits.
    #[inline]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The codepoint in the two low bits of the octet that IP has beside it (RFC 3168 section 5).
    #[inline]
    pub const fn of(octet: u8) -> Ecn {
        Ecn(octet & 0b11)
    }

    /// True if a queue may mark the packet instead of dropping it.
    #[inline]
    pub const fn is_capable(self) -> bool {
        self.0 != Ecn::NotEct.0
    }
}

/// Which way a packet travels along its flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// From the flow's source to its destination.
    Forward,
    /// Back to the source: acknowledgements.
    Reverse,
}

/// What a queue discipline may see of a packet, simulated or real.
pub trait Frame: Debug + Send + 'static {
    /// Bytes at layer 3, headers included.
    fn size(&self) -> u32;
    /// The congestion notification field.
    fn ecn(&self) -> Ecn;
    /// Sets "congestion experienced". Called only on a capable frame, by [`crate::VerdictSink::mark`], which counts.
    fn mark_ce(&mut self);
    /// A hash of the flow, for disciplines that keep flows apart: the same for all its packets, both ways if they are
    /// simulated, and its bits even. It is no index. A simulated flow has it from its slot, so that one that starts when
    /// another has ended may get the hash of that one.
    fn flow_hash(&self) -> u64;
    /// The source and the destination of the flow, as hashes whose bits are even: of a real packet its own addresses, of a simulated
    /// one those of its flow, which `known` tells, both ways. A flow of which nobody knows them has hosts of its own.
    fn hosts(&self, known: &FlowEnds) -> [u64; 2] {
        let _ = known;
        [self.flow_hash(); 2]
    }
    /// The traffic class: below [`TRAFFIC_CLASSES`](crate::class::TRAFFIC_CLASSES). Of a real packet, the class selector: the
    /// upper three bits of its DSCP (RFC 2474 section 4.2.2).
    fn class(&self) -> u8;
    /// Sets the traffic class. A real packet gets the DSCP of that class selector.
    fn set_class(&mut self, class: TrafficClass);

    /// The header, if the frame carries one of this protocol.
    #[inline]
    fn read<H: Header>(&self) -> Option<H> {
        None
    }

    /// Writes the header over the one of the same protocol that the frame carries; without one nothing happens.
    #[inline]
    fn write<H: Header>(&mut self, header: &H) {
        let _ = header;
    }
}

/// What all packets of a flow carry, those of both its ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlowTag {
    /// The flow's slot in the engine.
    pub slot: u32,
    /// The flow's traffic class.
    pub class: TrafficClass,
}

/// A flow of class 0.
impl From<u32> for FlowTag {
    fn from(slot: u32) -> FlowTag {
        FlowTag { slot, class: TrafficClass::default() }
    }
}

/// A simulated packet.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Packet {
    /// When the packet reaches the end of the link it is on; meaningful to links only.
    pub at: Time,
    /// The flow's slot in the engine.
    pub flow: u32,
    /// Position in the table of paths; meaningful to the engine only.
    pub hop: u32,
    /// Bytes at layer 3, headers included.
    pub size: u16,
    /// Sixteen bits that belong to the header.
    pub aux: u16,
    /// Eight bits that belong to the header.
    pub flags: u8,
    /// The congestion notification field.
    pub ecn: Ecn,
    /// The traffic class.
    pub class: u8,
    /// Which header the packet carries.
    pub header: HeaderKind,
    /// The header, packed.
    pub body: [u64; 5],
}

impl Packet {
    /// A packet of `size` bytes of a flow that carries `header`; the engine fills in `at` and `hop`.
    #[inline]
    pub fn of<H: Header>(header: H, flow: impl Into<FlowTag>, size: u16, ecn: Ecn) -> Packet {
        let FlowTag { slot: flow, class } = flow.into();
        let mut words = Words::default();
        header.pack(&mut words);
        let Words { flags, aux, body } = words;
        let class = class.number();
        Packet { at: Time::ZERO, flow, hop: 0, size, aux, flags, ecn, class, header: H::KIND, body }
    }

    /// The part that the header fills.
    #[inline]
    pub const fn words(&self) -> Words {
        Words { flags: self.flags, aux: self.aux, body: self.body }
    }

    #[inline]
    fn set_words(&mut self, words: Words) {
        (self.flags, self.aux, self.body) = (words.flags, words.aux, words.body);
    }

    /// Puts a header on the one at the front, into the words that this one leaves free.
    #[inline]
    pub fn attach<H: Header>(&mut self, header: &H) {
        debug_assert!(H::ON == Some(self.header), "{} rides on another header", H::NAME);
        self.header = H::KIND;
        self.write(header);
    }
}

impl Frame for Packet {
    #[inline]
    fn size(&self) -> u32 {
        u32::from(self.size)
    }
    #[inline]
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    #[inline]
    fn mark_ce(&mut self) {
        self.ecn = Ecn::Ce;
    }
    #[inline]
    fn flow_hash(&self) -> u64 {
        mixed(self.flow)
    }
    #[inline]
    fn hosts(&self, known: &FlowEnds) -> [u64; 2] {
        known.of(self.flow).map_or([self.flow_hash(); 2], |ends| ends.map(mixed))
    }
    #[inline]
    fn class(&self) -> u8 {
        self.class
    }
    #[inline]
    fn set_class(&mut self, class: TrafficClass) {
        self.class = class.number();
    }
    #[inline]
    fn read<H: Header>(&self) -> Option<H> {
        if !self.header.carries(H::KIND) {
            return None;
        }
        let mut words = self.words();
        if H::KIND != self.header {
            // What rides on the header is none of its fields.
            words.body[H::FREE].fill(0);
        }
        Some(H::unpack(&words))
    }
    #[inline]
    fn write<H: Header>(&mut self, header: &H) {
        if !self.header.carries(H::KIND) {
            return;
        }
        let mut words = self.words();
        header.pack(&mut words);
        if H::KIND != self.header {
            words.body[H::FREE].copy_from_slice(&self.body[H::FREE]);
        }
        self.set_words(words);
    }
}

/// A bijection of the flow's slot in which every bit of the result depends on every bit of the slot: the finaliser of
/// SplitMix64 (Steele, Lea & Flood, OOPSLA 2014). Slots are small numbers in a row; disciplines that take some bits of
/// the hash would see neighbours in neighbouring buckets.
#[inline]
const fn mixed(slot: u32) -> u64 {
    // The increment keeps slot 0 away from 0, where the rest would leave it.
    let z = (slot as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_fills_one_cache_line() {
        assert_eq!(size_of::<Packet>(), 64);
        assert_eq!(size_of::<Option<Packet>>(), 72);
    }

    #[test]
    fn hashes_of_neighbouring_slots_fill_the_buckets_of_any_bits() {
        const BUCKETS: usize = 64;
        let packet = Packet {
            at: Time::ZERO,
            flow: 0,
            hop: 0,
            size: 100,
            aux: 0,
            flags: 0,
            ecn: Ecn::NotEct,
            class: 0,
            header: HeaderKind::new(1, None),
            body: [0; 5],
        };
        for shift in [0, 13, 32, 58] {
            let mut flows = [0_u32; BUCKETS];
            for flow in 0..100 * BUCKETS as u32 {
                let packet = Packet { flow, ..packet };
                flows[(packet.flow_hash() >> shift) as usize % BUCKETS] += 1;
            }
            // 100 on average, with a standard deviation of 10.
            assert!(flows.iter().all(|n| (50..=150).contains(n)), "bits from {shift}: {flows:?}");
        }
    }
}
