//! Packets as packetdrill sees them: IPv4 (RFC 791) with TCP (RFC 9293) and its options, without a link header.

use dumbbell_header::TcpOptions;
use etherparse::{Ipv4Header, NetSlice, SlicedPacket, TcpHeader, TransportSlice, ip_number};

/// An address and a port.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Endpoint {
    /// IPv4 address.
    pub address: [u8; 4],
    /// TCP port.
    pub port: u16,
}

/// Bits of the flags of TCP (RFC 9293 section 3.1).
pub mod flag {
    /// The sender has sent everything.
    pub const FIN: u8 = 0x01;
    /// The first of a connection.
    pub const SYN: u8 = 0x02;
    /// There is no connection.
    pub const RST: u8 = 0x04;
    /// The reader should not wait for more.
    pub const PSH: u8 = 0x08;
    /// The acknowledgement number counts.
    pub const ACK: u8 = 0x10;
    /// Some of the data is urgent.
    pub const URG: u8 = 0x20;
    /// A packet was marked (RFC 3168 section 6.1).
    pub const ECE: u8 = 0x40;
    /// The window was reduced (RFC 3168 section 6.1).
    pub const CWR: u8 = 0x80;
}

/// The ECN field of IP (RFC 3168 section 5).
pub mod ecn {
    /// A router may mark the packet at an early stage (RFC 9331).
    pub const ECT1: u8 = 1;
    /// A router may mark the packet.
    pub const ECT0: u8 = 2;
    /// A router marked it.
    pub const CE: u8 = 3;
}

/// A packet that is no segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Foreign {
    /// It is of this protocol.
    Other(&'static str),
    /// It is cut off, or nothing known.
    Broken,
}

/// A segment.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Segment {
    /// Who sends it.
    pub from: Endpoint,
    /// Who gets it.
    pub to: Endpoint,
    /// Sequence number.
    pub seq: u32,
    /// Acknowledgement number.
    pub ack: u32,
    /// Bits of [`flag`].
    pub flags: u8,
    /// Window, not shifted.
    pub window: u16,
    /// Bits of [`ecn`].
    pub ecn: u8,
    /// The flag beside CWR (RFC 9768 section 3.1).
    pub accurate: bool,
    /// Differentiated services (RFC 2474).
    pub dscp: u8,
    /// Its options.
    pub options: TcpOptions,
    /// Its data.
    pub payload: Vec<u8>,
}

const TIME_TO_LIVE: u8 = 64;

impl Segment {
    /// True if any of these flags is set.
    pub fn has(&self, flags: u8) -> bool {
        self.flags & flags != 0
    }

    /// The segment in a packet; `None` if the packet is no TCP over IPv4, or is cut off.
    pub fn parse(packet: &[u8]) -> Option<Segment> {
        Segment::parse_or_name(packet).ok()
    }

    /// The segment in a packet.
    ///
    /// # Errors
    /// What the packet is instead.
    pub fn parse_or_name(packet: &[u8]) -> Result<Segment, Foreign> {
        let sliced = SlicedPacket::from_ip(packet).map_err(|_| Foreign::Broken)?;
        let (ip, tcp) = match (sliced.net, sliced.transport) {
            (Some(NetSlice::Ipv4(ip)), Some(TransportSlice::Tcp(tcp))) => (ip, tcp),
            (Some(NetSlice::Ipv6(_)), _) => return Err(Foreign::Other("IPv6")),
            (_, Some(TransportSlice::Udp(_))) => return Err(Foreign::Other("UDP")),
            (_, Some(TransportSlice::Icmpv4(_) | TransportSlice::Icmpv6(_))) => {
                return Err(Foreign::Other("ICMP"));
            }
            _ => return Err(Foreign::Broken),
        };
        let header = tcp.to_header();
        Ok(Segment {
            from: Endpoint { address: ip.header().source(), port: header.source_port },
            to: Endpoint { address: ip.header().destination(), port: header.destination_port },
            seq: header.sequence_number,
            ack: header.acknowledgment_number,
            flags: tcp.header_slice()[13],
            window: header.window_size,
            ecn: ip.header().ecn().value(),
            dscp: ip.header().dcp().value(),
            accurate: header.ns,
            options: TcpOptions::parse(tcp.options()),
            payload: tcp.payload().to_vec(),
        })
    }

    /// The three flags of accurate ECN as a number (RFC 9768 section 3.1).
    pub fn field(&self) -> u8 {
        u8::from(self.accurate) << 2 | u8::from(self.has(flag::CWR)) << 1 | u8::from(self.has(flag::ECE))
    }

    /// Sets them.
    pub fn set_field(&mut self, field: u8) {
        self.accurate = field & 4 != 0;
        let cwr = if field & 2 != 0 { flag::CWR } else { 0 };
        let ece = if field & 1 != 0 { flag::ECE } else { 0 };
        self.flags = self.flags & !(flag::CWR | flag::ECE) | cwr | ece;
    }

    /// What a segment carries that changes what the receiver does, and is left out here.
    pub fn foreign_option(&self) -> Option<&'static str> {
        if self.options.signed {
            Some("signed segments (TCP-MD5)")
        } else if self.has(flag::URG) {
            Some("urgent data")
        } else {
            None
        }
    }

    /// Bytes of the packet, with the headers of IPv4 and TCP.
    pub fn length(&self) -> u64 {
        (Ipv4Header::MIN_LEN + TcpHeader::MIN_LEN + self.options.to_bytes().len() + self.payload.len()) as u64
    }

    /// The packet of the segment.
    ///
    /// # Panics
    /// If it does not fit a packet.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut tcp = TcpHeader {
            source_port: self.from.port,
            destination_port: self.to.port,
            sequence_number: self.seq,
            acknowledgment_number: self.ack,
            fin: self.has(flag::FIN),
            syn: self.has(flag::SYN),
            rst: self.has(flag::RST),
            psh: self.has(flag::PSH),
            ack: self.has(flag::ACK),
            ece: self.has(flag::ECE),
            cwr: self.has(flag::CWR),
            ns: self.accurate,
            window_size: self.window,
            ..TcpHeader::default()
        };
        tcp.set_options_raw(&self.options.to_bytes()).expect("at most 40 bytes of options");
        let length = tcp.header_len() + self.payload.len();
        let (from, to) = (self.from.address, self.to.address);
        // Don't fragment (RFC 1191): so the header has it by default.
        let mut ip = u16::try_from(length)
            .ok()
            .and_then(|length| Ipv4Header::new(length, TIME_TO_LIVE, ip_number::TCP, from, to).ok())
            .expect("a segment that fits a packet");
        ip.ecn = self.ecn.try_into().unwrap_or_default();
        ip.dscp = self.dscp.try_into().unwrap_or_default();
        ip.header_checksum = ip.calc_header_checksum();
        tcp.checksum = tcp.calc_checksum_ipv4(&ip, &self.payload).expect("a segment that fits a packet");
        [&ip.to_bytes()[..], &tcp.to_bytes(), &self.payload].concat()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn segment() -> Segment {
        Segment {
            from: Endpoint { address: [192, 0, 2, 1], port: 40_000 },
            to: Endpoint { address: [192, 168, 0, 1], port: 8080 },
            seq: 1,
            ack: 2,
            flags: flag::ACK | flag::PSH,
            window: 257,
            ecn: ecn::ECT0,
            accurate: true,
            dscp: 0x12,
            options: TcpOptions { sack: vec![(10, 20), (30, 40)], ..TcpOptions::default() },
            payload: vec![0; 7],
        }
    }

    #[test]
    fn a_packet_is_read_as_it_was_written_and_its_checksums_hold() {
        let written = segment().to_bytes();
        assert_eq!(Segment::parse(&written), Some(segment()));
        // Sums of all words, as RFC 1071 has them.
        let sum = |bytes: &[u8], start: u32| {
            let words =
                bytes.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0)));
            let sum = words.fold(start, |sum, word| sum + word);
            (sum & 0xffff) + (sum >> 16)
        };
        assert_eq!(sum(&written[..20], 0), 0xffff);
        assert_eq!(sum(&written[20..], sum(&written[12..20], 6 + (written.len() - 20) as u32)), 0xffff);
    }

    proptest! {
        #[test]
        fn no_packet_breaks_the_parser(mut bytes in proptest::collection::vec(any::<u8>(), 0..120), tcp in any::<bool>()) {
            if tcp && bytes.len() > 20 {
                bytes[0] = 0x45;
                bytes[9] = ip_number::TCP.0;
            }
            let _ = Segment::parse(&bytes);
        }
    }
}
