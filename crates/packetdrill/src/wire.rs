//! Packets as packetdrill sees them: IPv4 (RFC 791) with TCP (RFC 9293) and its options, without a link header.

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
    pub const FIN: u8 = 0x01;
    pub const SYN: u8 = 0x02;
    pub const RST: u8 = 0x04;
    pub const PSH: u8 = 0x08;
    pub const ACK: u8 = 0x10;
    pub const ECE: u8 = 0x40;
    pub const CWR: u8 = 0x80;
}

/// The ECN field of IP (RFC 3168 section 5).
pub mod ecn {
    pub const ECT0: u8 = 2;
    pub const CE: u8 = 3;
}

/// The options that are used here.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Largest segment (RFC 9293 section 3.7.1).
    pub mss: Option<u16>,
    /// SACK may be used (RFC 2018 section 2).
    pub sack_permitted: bool,
    /// Shift of the window (RFC 7323 section 2.2).
    pub scale: Option<u8>,
    /// TSval and TSecr (RFC 7323 section 3.2).
    pub timestamps: Option<(u32, u32)>,
    /// Blocks of SACK (RFC 2018 section 3).
    pub sack: Vec<(u32, u32)>,
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
    /// Its options.
    pub options: Options,
    /// Its data.
    pub payload: Vec<u8>,
}

const IP: usize = 20;
const TCP: usize = 20;
const PROTOCOL_TCP: u8 = 6;
const TIME_TO_LIVE: u8 = 64;

// Kinds of options (RFC 9293 section 3.1, RFC 2018, RFC 7323).
const END: u8 = 0;
const NOP: u8 = 1;
const MSS: u8 = 2;
const SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;

fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// The Internet checksum (RFC 1071), before its complement is taken.
fn sum(bytes: &[u8], start: u32) -> u32 {
    bytes.chunks(2).fold(start, |sum, pair| {
        let word = u32::from(pair[0]) << 8 | pair.get(1).map_or(0, |b| u32::from(*b));
        let sum = sum + word;
        (sum & 0xffff) + (sum >> 16)
    })
}

impl Segment {
    /// True if any of these flags is set.
    pub fn has(&self, flags: u8) -> bool {
        self.flags & flags != 0
    }

    /// The segment in a packet; `None` if the packet is no TCP over IPv4, or is cut off.
    pub fn parse(packet: &[u8]) -> Option<Segment> {
        let first = *packet.first()?;
        let header = usize::from(first & 15) * 4;
        let total = usize::from(be16(packet, 2)?);
        if first >> 4 != 4 || header < IP || *packet.get(9)? != PROTOCOL_TCP {
            return None;
        }
        let tcp = packet.get(header..total)?;
        let offset = usize::from(*tcp.get(12)? >> 4) * 4;
        if offset < TCP {
            return None;
        }
        let address = |at: usize| packet.get(at..at + 4)?.try_into().ok();
        Some(Segment {
            from: Endpoint { address: address(12)?, port: be16(tcp, 0)? },
            to: Endpoint { address: address(16)?, port: be16(tcp, 2)? },
            seq: be32(tcp, 4)?,
            ack: be32(tcp, 8)?,
            flags: *tcp.get(13)?,
            window: be16(tcp, 14)?,
            ecn: packet[1] & 3,
            options: Options::parse(tcp.get(TCP..offset)?),
            payload: tcp.get(offset..)?.to_vec(),
        })
    }

    /// The packet of the segment.
    pub fn to_bytes(&self) -> Vec<u8> {
        let options = self.options.to_bytes(self.flags & flag::SYN != 0);
        let tcp = TCP + options.len() + self.payload.len();
        let mut packet = vec![0; IP];
        packet[0] = 0x45;
        packet[1] = self.ecn;
        packet[2..4].copy_from_slice(&((IP + tcp) as u16).to_be_bytes());
        // Don't fragment (RFC 1191).
        packet[6] = 0x40;
        packet[8] = TIME_TO_LIVE;
        packet[9] = PROTOCOL_TCP;
        packet[12..16].copy_from_slice(&self.from.address);
        packet[16..20].copy_from_slice(&self.to.address);
        let checksum = !(sum(&packet, 0) as u16);
        packet[10..12].copy_from_slice(&checksum.to_be_bytes());

        packet.extend(self.from.port.to_be_bytes());
        packet.extend(self.to.port.to_be_bytes());
        packet.extend(self.seq.to_be_bytes());
        packet.extend(self.ack.to_be_bytes());
        packet.push(((TCP + options.len()) * 4) as u8);
        packet.push(self.flags);
        packet.extend(self.window.to_be_bytes());
        packet.extend([0; 4]);
        packet.extend(options);
        packet.extend(&self.payload);
        let pseudo = sum(&packet[12..20], u32::from(PROTOCOL_TCP) + tcp as u32);
        let checksum = !(sum(&packet[IP..], pseudo) as u16);
        packet[IP + 16..IP + 18].copy_from_slice(&checksum.to_be_bytes());
        packet
    }
}

impl Options {
    /// Reads options up to the first that is cut off.
    fn parse(mut bytes: &[u8]) -> Options {
        let mut options = Options::default();
        while let Some(&kind) = bytes.first() {
            match kind {
                END => break,
                NOP => {
                    bytes = &bytes[1..];
                    continue;
                }
                _ => {}
            }
            let len = bytes.get(1).map_or(0, |len| usize::from(*len));
            let Some(body) = bytes.get(2..len) else { break };
            match kind {
                MSS => options.mss = be16(body, 0),
                SCALE => options.scale = body.first().map(|s| (*s).min(14)),
                SACK_PERMITTED => options.sack_permitted = true,
                SACK => {
                    options.sack =
                        body.chunks_exact(8).filter_map(|b| Some((be32(b, 0)?, be32(b, 4)?))).collect();
                }
                TIMESTAMPS => options.timestamps = be32(body, 0).zip(be32(body, 4)),
                _ => {}
            }
            bytes = &bytes[len..];
        }
        options
    }

    /// The options in the order and with the padding that Linux uses.
    fn to_bytes(&self, syn: bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        if let Some(mss) = self.mss {
            bytes.extend([MSS, 4]);
            bytes.extend(mss.to_be_bytes());
        }
        if let Some((value, echo)) = self.timestamps {
            bytes.extend(if self.sack_permitted { [SACK_PERMITTED, 2] } else { [NOP, NOP] });
            bytes.extend([TIMESTAMPS, 10]);
            bytes.extend(value.to_be_bytes());
            bytes.extend(echo.to_be_bytes());
        } else if self.sack_permitted {
            bytes.extend([NOP, NOP, SACK_PERMITTED, 2]);
        }
        if let Some(scale) = self.scale.filter(|_| syn) {
            bytes.extend([NOP, SCALE, 3, scale]);
        }
        if !self.sack.is_empty() {
            bytes.extend([NOP, NOP, SACK, 2 + 8 * self.sack.len() as u8]);
            for (start, end) in &self.sack {
                bytes.extend(start.to_be_bytes());
                bytes.extend(end.to_be_bytes());
            }
        }
        bytes
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
            options: Options { sack: vec![(10, 20), (30, 40)], ..Options::default() },
            payload: vec![0; 7],
        }
    }

    #[test]
    fn a_packet_is_read_as_it_was_written_and_its_checksums_hold() {
        let written = segment().to_bytes();
        assert_eq!(Segment::parse(&written), Some(segment()));
        assert_eq!(sum(&written[..IP], 0), 0xffff);
        let pseudo = sum(&written[12..20], 6 + (written.len() - IP) as u32);
        assert_eq!(sum(&written[IP..], pseudo), 0xffff);
    }

    #[test]
    fn options_stand_as_in_linux() {
        let all = Options {
            mss: Some(1460),
            sack_permitted: true,
            scale: Some(8),
            timestamps: Some((100, 0)),
            sack: vec![],
        };
        assert_eq!(
            all.to_bytes(true),
            [2, 4, 5, 180, 4, 2, 8, 10, 0, 0, 0, 100, 0, 0, 0, 0, 1, 3, 3, 8],
            "mss, sackOK, TS, nop, wscale"
        );
        let plain = Options { timestamps: None, ..all };
        assert_eq!(
            plain.to_bytes(true),
            [2, 4, 5, 180, 1, 1, 4, 2, 1, 3, 3, 8],
            "mss, nop, nop, sackOK, nop, wscale"
        );
    }

    proptest! {
        #[test]
        fn no_packet_breaks_the_parser(mut bytes in proptest::collection::vec(any::<u8>(), 0..120), tcp in any::<bool>()) {
            if tcp && bytes.len() > 20 {
                bytes[0] = 0x45;
                bytes[9] = PROTOCOL_TCP;
            }
            let _ = Segment::parse(&bytes);
        }
    }
}
