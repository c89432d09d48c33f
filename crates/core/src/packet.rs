//! The packet: 64 bytes, copied by value from link to link.
//!
//! The first 24 bytes are what the network reads; the body is five words that belong to the transport. A transport
//! views them through a typed header ([`TcpHeader`]) that packs and unpacks without `unsafe` and without cost.

use crate::rcp::RcpHeader;
use crate::time::Time;
use crate::xcp::XcpHeader;

/// Congestion notification field of the IP header (RFC 3168 section 5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum Ecn {
    /// The transport does not understand marks: drop instead.
    #[default]
    NotEct = 0,
    /// ECT(1): capable, and asking for low-latency treatment (RFC 9331).
    Ect1 = 1,
    /// ECT(0): capable.
    Ect0 = 2,
    /// Congestion experienced: a queue marked it.
    Ce = 3,
}

impl Ecn {
    /// True if a queue may mark the packet instead of dropping it.
    #[inline]
    pub const fn is_capable(self) -> bool {
        !matches!(self, Ecn::NotEct)
    }
}

/// Which way a packet travels along its flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From the flow's source to its destination.
    Forward,
    /// Back to the source: acknowledgements.
    Reverse,
}

/// What a queue discipline may see of a packet, simulated or real.
pub trait Frame {
    /// Bytes at layer 3, headers included.
    fn size(&self) -> u32;
    /// The congestion notification field.
    fn ecn(&self) -> Ecn;
    /// Sets "congestion experienced". Called only on a capable frame.
    fn mark_ce(&mut self);
    /// Identifies the flow, for disciplines that keep flows apart.
    fn flow_hash(&self) -> u64;
    /// The traffic class (DSCP or colour).
    fn class(&self) -> u8;

    /// The header of RCP, if the frame carries one.
    #[inline]
    fn rcp(&self) -> Option<RcpHeader> {
        None
    }

    /// Writes the rate of a router into the header of RCP, in bytes a second. Called only on a frame that carries one.
    #[inline]
    fn set_rcp_rate(&mut self, rate: u64) {
        let _ = rate;
    }

    /// The header of XCP, if the frame carries one.
    #[inline]
    fn xcp(&self) -> Option<XcpHeader> {
        None
    }

    /// Writes the change of rate that a router grants into the header of XCP, in bytes a second. Called only on a frame
    /// that carries one.
    #[inline]
    fn set_xcp_delta(&mut self, delta: f64) {
        let _ = delta;
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
    /// Sixteen bits that belong to the transport (TCP: the scaled window).
    pub aux: u16,
    /// Eight bits that belong to the transport (TCP: the flags).
    pub flags: u8,
    /// The congestion notification field.
    pub ecn: Ecn,
    /// The traffic class (DSCP or colour).
    pub class: u8,
    /// Which header the body holds, for router agents that read it.
    pub header: Header,
    /// The transport's header, packed.
    pub body: [u64; 5],
}

/// Which transport header a packet carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Header {
    /// [`TcpHeader`].
    Tcp,
    /// A datagram: body word 0 is its number, word 1 the time it was sent.
    Udp,
    /// [`RcpHeader`].
    Rcp,
    /// [`TcpHeader`] of a data segment with an [`XcpHeader`].
    Xcp,
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
        u64::from(self.flow)
    }
    #[inline]
    fn class(&self) -> u8 {
        self.class
    }
    #[inline]
    fn rcp(&self) -> Option<RcpHeader> {
        (self.header == Header::Rcp).then(|| RcpHeader::of(self))
    }
    #[inline]
    fn set_rcp_rate(&mut self, rate: u64) {
        RcpHeader::stamp(self, rate);
    }
    #[inline]
    fn xcp(&self) -> Option<XcpHeader> {
        (self.header == Header::Xcp).then(|| XcpHeader::of(self))
    }
    #[inline]
    fn set_xcp_delta(&mut self, delta: f64) {
        self.body[4] = delta.to_bits();
    }
}

/// A range of bytes received out of order (RFC 2018): `[start, end)`, as offsets above the cumulative
/// acknowledgement. `end == 0` means that the block is absent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SackBlock {
    /// First byte held, relative to the cumulative acknowledgement.
    pub start: u32,
    /// One past the last byte held, relative to the cumulative acknowledgement.
    pub end: u32,
}

/// A TCP header. Data travels forward only, so one number and one timestamp serve: sequence number and TSval on
/// forward segments, acknowledgement number and TSecr on reverse ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TcpHeader {
    /// [`TcpHeader::SYN`] and its siblings.
    pub flags: u8,
    /// Receive window, to be shifted left by the connection's window scale (RFC 7323 section 2).
    pub window: u16,
    /// Sequence number of the first byte (forward) or cumulative acknowledgement (reverse). 64 bits: never wraps.
    pub number: u64,
    /// Forward: when the segment was sent, in nanoseconds. Reverse: the echo of it.
    pub timestamp: u64,
    /// Up to three blocks, the one that changed last first (RFC 2018 section 4).
    pub sack: [SackBlock; 3],
}

impl TcpHeader {
    /// Last segment of the stream.
    pub const FIN: u8 = 0x01;
    /// Opens the connection.
    pub const SYN: u8 = 0x02;
    /// The number is an acknowledgement.
    pub const ACK: u8 = 0x10;
    /// An XCP header comes with the data segment, or its feedback with the acknowledgement. (A bit that this stack has no
    /// other use for; RFC 9293 calls it URG.)
    pub const FEEDBACK: u8 = 0x20;
    /// ECN echo (RFC 3168 section 6.1).
    pub const ECE: u8 = 0x40;
    /// Congestion window reduced (RFC 3168 section 6.1).
    pub const CWR: u8 = 0x80;

    /// A packet of `size` bytes carrying this header; the engine fills in `at` and `hop`.
    #[inline]
    pub fn into_packet(self, flow: u32, size: u16, ecn: Ecn) -> Packet {
        let block = |b: SackBlock| u64::from(b.start) << 32 | u64::from(b.end);
        Packet {
            at: Time::ZERO,
            flow,
            hop: 0,
            size,
            aux: self.window,
            flags: self.flags,
            ecn,
            class: 0,
            header: Header::Tcp,
            body: [
                self.number,
                self.timestamp,
                block(self.sack[0]),
                block(self.sack[1]),
                block(self.sack[2]),
            ],
        }
    }

    /// The header of a packet whose [`Packet::header`] is [`Header::Tcp`].
    #[inline]
    pub fn of(p: &Packet) -> TcpHeader {
        let block = |w: u64| SackBlock { start: (w >> 32) as u32, end: w as u32 };
        TcpHeader {
            flags: p.flags,
            window: p.aux,
            number: p.body[0],
            timestamp: p.body[1],
            sack: [block(p.body[2]), block(p.body[3]), block(p.body[4])],
        }
    }

    /// True if `flag` is set.
    #[inline]
    pub const fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_fills_one_cache_line() {
        assert_eq!(size_of::<Packet>(), 64);
    }

    #[test]
    fn tcp_header_survives_packing() {
        let header = TcpHeader {
            flags: TcpHeader::ACK | TcpHeader::ECE,
            window: 0xfff0,
            number: u64::MAX - 3,
            timestamp: 1 << 60,
            sack: [
                SackBlock { start: 1, end: u32::MAX },
                SackBlock { start: 7, end: 9 },
                SackBlock::default(),
            ],
        };
        assert_eq!(TcpHeader::of(&header.into_packet(1, 40, Ecn::Ect0)), header);
    }
}
