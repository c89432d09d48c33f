//! The header of TRUMP, in which routers that run RBCC read and write rates: one struct for the simulated packet and
//! for the 48 bytes on the wire.
//!
//! The thesis names five fields, three rates and two machines, and suggests a 32-bit floating-point number for a rate:
//! 20 octets (W. Toomey, A Rate-Based Congestion Control for Connectionless Packet-Switched Networks, UNSW, 1998). What
//! stands beside them is a choice: no text that could be read gives it. On the wire the header stands in front of the
//! payload of a UDP datagram, big-endian, every field at an even offset so that a router that rewrites one changes
//! whole words of the checksum.
//!
//! ```text
//!  0  mark 0x5452            20  return rate
//!  2  version (4), kind (4)   24  return bottleneck
//!  3  zero                    28  number
//!  4  flow                    32  transmission
//!  8  desired rate            36  packets of the message
//! 12  rate                    40  the sender's clock, or the packets acknowledged
//! 16  bottleneck
//! ```

use dumbbell_core::header::{WireCodec, Words};
use dumbbell_core::{Header, Time, Way};

use crate::datagram::{DatagramHeader, LENGTH, word};

/// What a packet of TRUMP is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum TrumpKind {
    /// Nothing that the protocol knows.
    #[default]
    Other = 0,
    /// Opens a flow and asks for a rate.
    Setup = 1,
    /// Answers a set-up packet.
    SetupAck = 2,
    /// A data packet.
    Data = 3,
    /// Acknowledges data packets.
    Ack = 4,
    /// A router tells the source of a flow that its rate has fallen.
    Quench = 5,
    /// Everything is acknowledged: routers may forget the flow.
    Teardown = 6,
}

impl TrumpKind {
    /// The kind of this number; [`TrumpKind::Other`] for a number that means nothing.
    #[inline]
    pub const fn of(number: u8) -> TrumpKind {
        match number {
            1 => TrumpKind::Setup,
            2 => TrumpKind::SetupAck,
            3 => TrumpKind::Data,
            4 => TrumpKind::Ack,
            5 => TrumpKind::Quench,
            6 => TrumpKind::Teardown,
            _ => TrumpKind::Other,
        }
    }
}

/// A header of TRUMP. Rates are in bits a second; infinity asks for no limit, or says that there is none. Machines are
/// routers by their numbers; 0 is none.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct TrumpHeader {
    /// What the packet is for.
    pub kind: TrumpKind,
    /// The rate that the packet's source would like. Nobody changes it.
    pub desired: f32,
    /// The rate that the routers so far allow.
    pub rate: f32,
    /// The router that wrote `rate`.
    pub bottleneck: u32,
    /// In answers and quenches, the rate for the flow's data.
    pub return_rate: f32,
    /// The router that allows no more than `return_rate`.
    pub return_bottleneck: u32,
    /// The number of the data packet; in acknowledgements the lowest that is acknowledged.
    pub number: u32,
    /// How many data packets the source had sent before this one; in acknowledgements, the largest of those
    /// acknowledged.
    pub transmission: u32,
    /// Packets of the message, in set-up and data packets; 0 if it has no end.
    pub total: u32,
    /// In set-up and data packets, the sender's clock in nanoseconds. In acknowledgements, bit k says that packet `number + k` has
    /// arrived.
    pub mark: u64,
}

impl TrumpHeader {
    /// The rate that asks for no limit.
    pub const NO_LIMIT: f32 = f32::INFINITY;
}

impl Header for TrumpHeader {
    const NAME: &'static str = "TRUMP";
    const WIRE: Option<WireCodec<TrumpHeader>> = Some(TrumpHeader::CODEC);

    #[inline]
    fn unpack(words: &Words) -> TrumpHeader {
        let [rates, stamp, back, numbers, mark] = words.body;
        TrumpHeader {
            kind: TrumpKind::of(words.flags),
            desired: f32::from_bits((rates >> 32) as u32),
            rate: f32::from_bits(rates as u32),
            bottleneck: (stamp >> 32) as u32,
            return_rate: f32::from_bits(stamp as u32),
            return_bottleneck: (back >> 32) as u32,
            number: back as u32,
            transmission: (numbers >> 32) as u32,
            total: numbers as u32,
            mark,
        }
    }

    #[inline]
    fn pack(&self, words: &mut Words) {
        let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
        words.flags = self.kind as u8;
        words.body = [
            pair(self.desired.to_bits(), self.rate.to_bits()),
            pair(self.bottleneck, self.return_rate.to_bits()),
            pair(self.return_bottleneck, self.number),
            pair(self.transmission, self.total),
            self.mark,
        ];
    }
}

impl DatagramHeader for TrumpHeader {
    const MARK: u16 = 0x5452;

    const CODEC: WireCodec<TrumpHeader> = WireCodec::new(
        LENGTH,
        |bytes| read_fields(bytes.first_chunk()?),
        |header, bytes| {
            if let Some(bytes) = bytes.first_chunk_mut() {
                write_fields(header, bytes);
            }
        },
    );

    fn way(&self) -> Option<Way> {
        Some(match self.kind {
            TrumpKind::Setup | TrumpKind::Data | TrumpKind::Teardown => Way::Forward,
            _ => Way::Reverse,
        })
    }

    fn opens(&self) -> Option<Time> {
        (self.kind == TrumpKind::Setup).then_some(Time::from_nanos(self.mark))
    }
}

const VERSION: u8 = 1;
/// The bits of the kind.
const KIND: u8 = 0xf;

fn write_fields(header: &TrumpHeader, bytes: &mut [u8; LENGTH]) {
    bytes[0..2].copy_from_slice(&TrumpHeader::MARK.to_be_bytes());
    bytes[2] = VERSION << 4 | header.kind as u8;
    bytes[8..12].copy_from_slice(&header.desired.to_be_bytes());
    bytes[12..16].copy_from_slice(&header.rate.to_be_bytes());
    bytes[16..20].copy_from_slice(&header.bottleneck.to_be_bytes());
    bytes[20..24].copy_from_slice(&header.return_rate.to_be_bytes());
    bytes[24..28].copy_from_slice(&header.return_bottleneck.to_be_bytes());
    bytes[28..32].copy_from_slice(&header.number.to_be_bytes());
    bytes[32..36].copy_from_slice(&header.transmission.to_be_bytes());
    bytes[36..40].copy_from_slice(&header.total.to_be_bytes());
    bytes[40..48].copy_from_slice(&header.mark.to_be_bytes());
}

fn read_fields(bytes: &[u8; LENGTH]) -> Option<TrumpHeader> {
    let kind = TrumpKind::of(bytes[2] & KIND);
    if bytes[0..2] != TrumpHeader::MARK.to_be_bytes() || bytes[2] >> 4 != VERSION || kind == TrumpKind::Other
    {
        return None;
    }
    let rate = |at: usize| Some(f32::from_bits(word(bytes, at))).filter(|rate| *rate >= 0.0);
    Some(TrumpHeader {
        kind,
        desired: rate(8)?,
        rate: rate(12)?,
        bottleneck: word(bytes, 16),
        return_rate: rate(20)?,
        return_bottleneck: word(bytes, 24),
        number: word(bytes, 28),
        transmission: word(bytes, 32),
        total: word(bytes, 36),
        mark: u64::from(word(bytes, 40)) << 32 | u64::from(word(bytes, 44)),
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::arbitrary::any as value;
    use proptest::num::f32::{INFINITE, NORMAL, POSITIVE, ZERO};
    use proptest::prelude::{Strategy, proptest};

    use super::*;
    use crate::laws::datagrams;

    /// Headers of the kinds that mean something, with rates: others are no packets of TRUMP.
    pub(crate) fn any() -> impl Strategy<Value = TrumpHeader> {
        let kinds = (1..=6_u8).prop_map(TrumpKind::of);
        let rate = || POSITIVE | NORMAL | INFINITE | ZERO;
        let rates = (rate(), rate(), rate());
        (kinds, rates, value::<(u32, u32, u32, u32, u32, u64)>()).prop_map(
            |(kind, (desired, rate, return_rate), (a, b, number, transmission, total, mark))| TrumpHeader {
                kind,
                desired,
                rate,
                bottleneck: a,
                return_rate,
                return_bottleneck: b,
                number,
                transmission,
                total,
                mark,
            },
        )
    }

    #[test]
    fn the_layout_is_the_one_documented() {
        let header = TrumpHeader {
            kind: TrumpKind::Data,
            rate: 1e6,
            bottleneck: 0x01020304,
            number: 0x0a0b,
            ..TrumpHeader::default()
        };
        let bytes = header.encode(0x0c0d_0e0f);
        assert_eq!(bytes[..8], [0x54, 0x52, 0x13, 0, 0x0c, 0x0d, 0x0e, 0x0f]);
        // 1e6 is 1.9073486328125 times 2 to the 19th (IEEE 754).
        assert_eq!(bytes[12..20], [0x49, 0x74, 0x24, 0x00, 1, 2, 3, 4]);
        assert_eq!(bytes[28..32], [0, 0, 0x0a, 0x0b]);
    }

    #[test]
    fn foreign_versions_lengths_and_rates_are_refused() {
        let good = TrumpHeader { kind: TrumpKind::Setup, ..TrumpHeader::default() }.encode(1);
        assert!(TrumpHeader::decode(&good).is_some());
        for (at, byte) in [(0, 0), (2, 0x21), (2, 0x10), (2, 0x17), (8, 0xff), (12, 0xc0), (20, 0xbf)] {
            let mut bad = good;
            bad[at] = byte;
            assert_eq!(TrumpHeader::decode(&bad), None, "byte {at}");
        }
        assert_eq!(TrumpHeader::decode(&good[..47]), None);
    }

    proptest! {
        #[test]
        fn the_number_of_the_flow_stands_beside_the_header(flow: u32, header in any(), other in any()) {
            datagrams(flow, header, other)?;
        }
    }

    #[test]
    fn kinds_keep_their_numbers() {
        assert!((0..=u8::MAX).all(|n| TrumpKind::of(n) as u8 == n || TrumpKind::of(n) == TrumpKind::Other));
    }
}
