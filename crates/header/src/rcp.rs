//! The header of RCP: one struct for the simulated packet and for the 48 bytes on the wire.
//!
//! A simulated packet carries it in its body, which it fills exactly, and in `flags` and `aux`. On the wire it stands in
//! front of the payload of a UDP datagram, big-endian, every field at an even offset so that a router that rewrites one
//! changes whole words of the checksum.
//!
//! ```text
//!  0  mark 0x5243            16  rate, bytes a second
//!  2  version (4), kind (4)   24  round-trip time, microseconds
//!  3  flags                   28  packets of the flow
//!  4  flow                    32  the sender's clock, nanoseconds
//!  8  number                  40  selective acknowledgement
//! 12  cumulative acknowledgement
//! ```

use dumbbell_core::header::{WireCodec, Words};
use dumbbell_core::{Duration, Header, Time, Way};

use crate::datagram::{DatagramHeader, LENGTH, word};

/// What a packet of RCP is for. Numbers as in ns-2 (`rcp-host.h`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum RcpKind {
    /// Nothing that the protocol knows.
    #[default]
    Other = 0,
    /// Opens a flow and asks for a rate.
    Syn = 1,
    /// Answers a SYN.
    SynAck = 2,
    /// A probe: asks for a rate and carries no data.
    Ref = 3,
    /// Answers a probe.
    RefAck = 4,
    /// A data packet.
    Data = 5,
    /// Answers a data packet.
    Ack = 6,
    /// The last data packet in the original protocol; here that is [`RcpKind::Data`] with [`RcpHeader::LAST`].
    Fin = 7,
    /// Answers a FIN.
    FinAck = 8,
}

impl RcpKind {
    /// The kind of this number; [`RcpKind::Other`] for a number that means nothing.
    #[inline]
    pub const fn of(number: u8) -> RcpKind {
        match number {
            1 => RcpKind::Syn,
            2 => RcpKind::SynAck,
            3 => RcpKind::Ref,
            4 => RcpKind::RefAck,
            5 => RcpKind::Data,
            6 => RcpKind::Ack,
            7 => RcpKind::Fin,
            8 => RcpKind::FinAck,
            _ => RcpKind::Other,
        }
    }

    /// True for the kinds on which routers write their rate: those that travel from the source and are answered.
    #[inline]
    pub const fn asks(self) -> bool {
        matches!(self, RcpKind::Syn | RcpKind::Ref | RcpKind::Data)
    }

    /// The kind that answers this one; `None` if nothing does.
    #[inline]
    pub const fn answer(self) -> Option<RcpKind> {
        match self {
            RcpKind::Syn => Some(RcpKind::SynAck),
            RcpKind::Ref => Some(RcpKind::RefAck),
            RcpKind::Data => Some(RcpKind::Ack),
            RcpKind::Fin => Some(RcpKind::FinAck),
            _ => None,
        }
    }
}

/// A header of RCP.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RcpHeader {
    /// What the packet is for.
    pub kind: RcpKind,
    /// [`RcpHeader::LAST`] and its siblings; bits that mean nothing pass through.
    pub flags: u8,
    /// The number of the data packet or of the probe; in answers the number answered.
    pub seq: u32,
    /// In answers: all packets below this number have arrived.
    pub cum_ack: u32,
    /// Bytes a second: the least that a router on the way allows, [`RcpHeader::NO_LIMIT`] before the first, 0 to pause.
    /// The only field that routers write, with [`RcpHeader::RATE_STAMPED`].
    pub rate: u64,
    /// The sender's latest round-trip time in microseconds; 0 if unknown.
    pub rtt: u32,
    /// Packets of the flow: in a SYN and in the last packet, otherwise 0.
    pub total: u32,
    /// The sender's clock in nanoseconds; answers return it unchanged.
    pub ts: u64,
    /// In answers: bit k says that packet `cum_ack + 1 + k` has arrived.
    pub sack: u64,
}

impl RcpHeader {
    /// The last packet of the flow.
    pub const LAST: u8 = 1;
    /// `rtt` was measured.
    pub const RTT_VALID: u8 = 2;
    /// The packet was sent before.
    pub const RETRANSMIT: u8 = 4;
    /// A router has written `rate`.
    pub const RATE_STAMPED: u8 = 8;
    /// The rate that asks for no limit.
    pub const NO_LIMIT: u64 = u64::MAX;

    /// True if `flag` is set.
    #[inline]
    pub const fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// The round-trip time in the header; zero if unknown.
    #[inline]
    pub const fn rtt(&self) -> Duration {
        Duration::from_micros(self.rtt as u64)
    }
}

impl Header for RcpHeader {
    const NAME: &'static str = "RCP";
    const WIRE: Option<WireCodec<RcpHeader>> = Some(RcpHeader::CODEC);

    #[inline]
    fn unpack(words: &Words) -> RcpHeader {
        RcpHeader {
            kind: RcpKind::of(words.flags),
            flags: words.aux as u8,
            seq: (words.body[0] >> 32) as u32,
            cum_ack: words.body[0] as u32,
            rate: words.body[1],
            rtt: (words.body[2] >> 32) as u32,
            total: words.body[2] as u32,
            ts: words.body[3],
            sack: words.body[4],
        }
    }

    #[inline]
    fn pack(&self, words: &mut Words) {
        *words = Words {
            flags: self.kind as u8,
            aux: u16::from(self.flags),
            body: [
                u64::from(self.seq) << 32 | u64::from(self.cum_ack),
                self.rate,
                u64::from(self.rtt) << 32 | u64::from(self.total),
                self.ts,
                self.sack,
            ],
        };
    }
}

impl DatagramHeader for RcpHeader {
    const MARK: u16 = 0x5243;

    const CODEC: WireCodec<RcpHeader> = WireCodec::new(
        LENGTH,
        |bytes| read_fields(bytes.first_chunk()?),
        |header, bytes| {
            if let Some(bytes) = bytes.first_chunk_mut() {
                write_fields(header, bytes);
            }
        },
    );

    fn way(&self) -> Option<Way> {
        Some(if self.kind.answer().is_some() { Way::Forward } else { Way::Reverse })
    }

    fn opens(&self) -> Option<Time> {
        (self.kind == RcpKind::Syn).then_some(Time::from_nanos(self.ts))
    }
}

const VERSION: u8 = 1;

fn write_fields(header: &RcpHeader, bytes: &mut [u8; LENGTH]) {
    bytes[0..2].copy_from_slice(&RcpHeader::MARK.to_be_bytes());
    bytes[2] = VERSION << 4 | header.kind as u8;
    bytes[3] = header.flags;
    bytes[8..12].copy_from_slice(&header.seq.to_be_bytes());
    bytes[12..16].copy_from_slice(&header.cum_ack.to_be_bytes());
    bytes[16..24].copy_from_slice(&header.rate.to_be_bytes());
    bytes[24..28].copy_from_slice(&header.rtt.to_be_bytes());
    bytes[28..32].copy_from_slice(&header.total.to_be_bytes());
    bytes[32..40].copy_from_slice(&header.ts.to_be_bytes());
    bytes[40..48].copy_from_slice(&header.sack.to_be_bytes());
}

fn read_fields(bytes: &[u8; LENGTH]) -> Option<RcpHeader> {
    let long = |at: usize| u64::from(word(bytes, at)) << 32 | u64::from(word(bytes, at + 4));
    let kind = RcpKind::of(bytes[2] & 0xf);
    if bytes[0..2] != RcpHeader::MARK.to_be_bytes() || bytes[2] >> 4 != VERSION || kind == RcpKind::Other {
        return None;
    }
    Some(RcpHeader {
        kind,
        flags: bytes[3],
        seq: word(bytes, 8),
        cum_ack: word(bytes, 12),
        rate: long(16),
        rtt: word(bytes, 24),
        total: word(bytes, 28),
        ts: long(32),
        sack: long(40),
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::arbitrary::any as value;
    use proptest::prelude::{Strategy, proptest};

    use super::*;
    use crate::laws::datagrams;

    /// Headers of the kinds that mean something: others are no packets of RCP.
    pub(crate) fn any() -> impl Strategy<Value = RcpHeader> {
        let kinds = (1..=8_u8).prop_map(RcpKind::of);
        (kinds, value::<(u8, u32, u32, u64)>(), value::<(u32, u32, u64, u64)>()).prop_map(
            |(kind, (flags, seq, cum_ack, rate), (rtt, total, ts, sack))| RcpHeader {
                kind,
                flags,
                seq,
                cum_ack,
                rate,
                rtt,
                total,
                ts,
                sack,
            },
        )
    }

    #[test]
    fn the_layout_is_the_one_documented() {
        let header = RcpHeader { kind: RcpKind::Data, flags: 3, seq: 0x01020304, ..Default::default() };
        let bytes = header.encode(0x0a0b_0c0d);
        assert_eq!(bytes[..12], [0x52, 0x43, 0x15, 3, 0x0a, 0x0b, 0x0c, 0x0d, 1, 2, 3, 4]);
    }

    #[test]
    fn other_protocols_versions_and_lengths_are_refused() {
        let good = RcpHeader { kind: RcpKind::Syn, ..Default::default() }.encode(1);
        assert!(RcpHeader::decode(&good).is_some());
        for (at, byte) in [(0, 0), (2, 0x21), (2, 0x10), (2, 0x1f)] {
            let mut bad = good;
            bad[at] = byte;
            assert_eq!(RcpHeader::decode(&bad), None);
        }
        assert_eq!(RcpHeader::decode(&good[..47]), None);
    }

    proptest! {
        #[test]
        fn the_number_of_the_flow_stands_beside_the_header(flow: u32, header in any(), other in any()) {
            datagrams(flow, header, other)?;
        }
    }

    #[test]
    fn kinds_keep_their_numbers_and_answers() {
        for number in 0..=u8::MAX {
            let kind = RcpKind::of(number);
            assert!(kind as u8 == number || kind == RcpKind::Other);
            if kind.asks() {
                assert_eq!(kind.answer().map(|k| k as u8), Some(number + 1));
            }
        }
        assert_eq!(RcpKind::Ack.answer(), None);
    }
}
