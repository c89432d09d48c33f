//! The header of RCP: one struct for the simulated packet and for the 48 bytes on the wire.
//!
//! A simulated packet carries it in [`Packet::body`], which it fills exactly, and in `flags` and `aux`; the wire codec
//! writes the same fields one by one.

use crate::packet::{Ecn, Header, Packet};
use crate::time::{Duration, Time};

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

    /// A packet of `size` bytes carrying this header; the engine fills in `at` and `hop`.
    #[inline]
    pub fn into_packet(self, flow: u32, size: u16) -> Packet {
        Packet {
            at: Time::ZERO,
            flow,
            hop: 0,
            size,
            aux: u16::from(self.flags),
            flags: self.kind as u8,
            ecn: Ecn::NotEct,
            class: 0,
            header: Header::Rcp,
            body: [
                u64::from(self.seq) << 32 | u64::from(self.cum_ack),
                self.rate,
                u64::from(self.rtt) << 32 | u64::from(self.total),
                self.ts,
                self.sack,
            ],
        }
    }

    /// Writes the rate of a router into a packet whose [`Packet::header`] is [`Header::Rcp`].
    #[inline]
    pub fn stamp(p: &mut Packet, rate: u64) {
        p.body[1] = rate;
        p.aux |= u16::from(RcpHeader::RATE_STAMPED);
    }

    /// The header of a packet whose [`Packet::header`] is [`Header::Rcp`].
    #[inline]
    pub fn of(p: &Packet) -> RcpHeader {
        RcpHeader {
            kind: RcpKind::of(p.flags),
            flags: p.aux as u8,
            seq: (p.body[0] >> 32) as u32,
            cum_ack: p.body[0] as u32,
            rate: p.body[1],
            rtt: (p.body[2] >> 32) as u32,
            total: p.body[2] as u32,
            ts: p.body[3],
            sack: p.body[4],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_survives_packing_and_fills_the_packet() {
        let header = RcpHeader {
            kind: RcpKind::Data,
            flags: RcpHeader::LAST | RcpHeader::RATE_STAMPED | 0x80,
            seq: u32::MAX,
            cum_ack: 7,
            rate: 1 << 63,
            rtt: 100_000,
            total: 1 << 31,
            ts: u64::MAX - 1,
            sack: 0x8000_0000_0000_0001,
        };
        let packet = header.into_packet(3, 1000);
        assert_eq!((RcpHeader::of(&packet), packet.header), (header, Header::Rcp));
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
