//! The header of RCP on the wire: 48 bytes in front of the payload of a UDP datagram, big-endian, every field at an even
//! offset so that a router that rewrites one changes whole words of the checksum.
//!
//! ```text
//!  0  magic 0x5243            16  rate, bytes a second
//!  2  version (4), kind (4)   24  round-trip time, microseconds
//!  3  flags                   28  packets of the flow
//!  4  flow                    32  the sender's clock, nanoseconds
//!  8  number                  40  selective acknowledgement
//! 12  cumulative acknowledgement
//! ```

use dumbbell_core::rcp::{RcpHeader, RcpKind};

use crate::frame::IpFrame;

/// Bytes of the header.
pub const HEADER: usize = 48;

/// Bytes of IPv4 (RFC 791) and UDP (RFC 768) headers, which the sizes of packets include.
pub const IP_AND_UDP: u32 = 28;

const MAGIC: u16 = 0x5243;
const VERSION: u8 = 1;
const FLAGS_AT: usize = 3;
const RATE_AT: usize = 16;

/// Writes a header with the number of its flow.
#[must_use]
pub fn encode(flow: u32, header: &RcpHeader) -> [u8; HEADER] {
    let mut bytes = [0; HEADER];
    bytes[0..2].copy_from_slice(&MAGIC.to_be_bytes());
    bytes[2] = VERSION << 4 | header.kind as u8;
    bytes[FLAGS_AT] = header.flags;
    bytes[4..8].copy_from_slice(&flow.to_be_bytes());
    bytes[8..12].copy_from_slice(&header.seq.to_be_bytes());
    bytes[12..16].copy_from_slice(&header.cum_ack.to_be_bytes());
    bytes[16..24].copy_from_slice(&header.rate.to_be_bytes());
    bytes[24..28].copy_from_slice(&header.rtt.to_be_bytes());
    bytes[28..32].copy_from_slice(&header.total.to_be_bytes());
    bytes[32..40].copy_from_slice(&header.ts.to_be_bytes());
    bytes[40..48].copy_from_slice(&header.sack.to_be_bytes());
    bytes
}

/// Reads a header from the payload of a datagram: the number of the flow, and the header. `None` if it is of another
/// protocol or version, of no known kind, or too short. Flags that mean nothing pass through.
#[must_use]
pub fn decode(payload: &[u8]) -> Option<(u32, RcpHeader)> {
    let bytes: &[u8; HEADER] = payload.first_chunk()?;
    let word = |at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let long = |at: usize| u64::from(word(at)) << 32 | u64::from(word(at + 4));
    let kind = RcpKind::of(bytes[2] & 0xf);
    if bytes[0..2] != MAGIC.to_be_bytes() || bytes[2] >> 4 != VERSION || kind == RcpKind::Other {
        return None;
    }
    let header = RcpHeader {
        kind,
        flags: bytes[FLAGS_AT],
        seq: word(8),
        cum_ack: word(12),
        rate: long(RATE_AT),
        rtt: word(24),
        total: word(28),
        ts: long(32),
        sack: long(40),
    };
    Some((word(4), header))
}

/// The header of RCP in an IP packet, if it carries one.
pub(crate) fn of_frame(frame: &IpFrame) -> Option<RcpHeader> {
    decode(frame.udp_payload()?).map(|(_, header)| header)
}

/// Writes a router's rate into an IP packet that carries a header of RCP.
pub(crate) fn stamp(frame: &mut IpFrame, rate: u64) {
    let Some(flags) = frame.udp_payload().and_then(|payload| payload.get(FLAGS_AT).copied()) else { return };
    frame.write_udp_payload(FLAGS_AT, &[flags | RcpHeader::RATE_STAMPED]);
    frame.write_udp_payload(RATE_AT, &rate.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::tests::udp;
    use dumbbell_core::{Frame, Time};
    use proptest::prelude::*;

    fn any_header() -> impl Strategy<Value = RcpHeader> {
        let kinds = (1..=8_u8).prop_map(RcpKind::of);
        (kinds, any::<(u8, u32, u32, u64)>(), any::<(u32, u32, u64, u64)>()).prop_map(
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
        let bytes = encode(0x0a0b_0c0d, &header);
        assert_eq!(bytes[..12], [0x52, 0x43, 0x15, 3, 0x0a, 0x0b, 0x0c, 0x0d, 1, 2, 3, 4]);
    }

    #[test]
    fn other_protocols_versions_and_lengths_are_refused() {
        let good = encode(1, &RcpHeader { kind: RcpKind::Syn, ..Default::default() });
        assert!(decode(&good).is_some());
        for (at, byte) in [(0, 0), (2, 0x21), (2, 0x10), (2, 0x1f)] {
            let mut bad = good;
            bad[at] = byte;
            assert_eq!(decode(&bad), None);
        }
        assert_eq!(decode(&good[..47]), None);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(flow: u32, header in any_header()) {
            prop_assert_eq!(decode(&encode(flow, &header)), Some((flow, header)));
        }

        #[test]
        fn no_bytes_make_the_decoder_panic(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let _ = decode(&bytes);
        }

        #[test]
        fn a_stamp_changes_the_rate_and_the_flag_and_keeps_the_checksum(
            v6: bool, flow: u32, header in any_header(), rate: u64, data in prop::collection::vec(any::<u8>(), 0..1400),
        ) {
            let payload = [&encode(flow, &header)[..], &data].concat();
            let mut frame = IpFrame::parse(Time::ZERO, udp(v6, (9, 9), 0, &payload)).unwrap();
            prop_assert_eq!(frame.rcp(), Some(header));
            frame.set_rcp_rate(rate);
            let stamped = RcpHeader { rate, flags: header.flags | RcpHeader::RATE_STAMPED, ..header };
            prop_assert_eq!(frame.rcp(), Some(stamped));
            prop_assert!(frame.udp_checksum_holds());
            prop_assert_eq!(&frame.udp_payload().unwrap()[HEADER..], &data[..]);
        }
    }
}
