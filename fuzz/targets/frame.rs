//! Bytes as a device hands them over: parsed, marked, stamped. A checksum that held goes on to hold.
//!
//! Input: the first byte says what is mended before it is parsed, so that inputs get past lengths and checksums.

#![no_main]

use dumbbell_core::{Ecn, Frame, Time};
use dumbbell_header::RcpHeader;
use dumbbell_live::IpFrame;
use dumbbell_live::frame::checksum::Sum;
use libfuzzer_sys::fuzz_target;

/// Bits of the first byte.
const LENGTH: u8 = 1;
const UDP_LENGTH: u8 = 2;
const CHECKSUM: u8 = 4;

fuzz_target!(|data: &[u8]| {
    let Some((mend, bytes)) = data.split_first() else { return };
    let mut bytes = bytes.to_vec();
    mended(*mend, &mut bytes);
    let Ok(mut frame) = IpFrame::parse(Time::ZERO, bytes) else { return };
    let v4 = frame.bytes()[0] >> 4 == 4;
    let header = |frame: &IpFrame| frame.bytes()[..usize::from(frame.bytes()[0] & 15) * 4].to_vec();
    let holds = |frame: &IpFrame| !v4 || Sum::default().add_bytes(&header(frame)).checksum() == 0;
    let (size, flow, class) = (frame.size(), frame.flow_hash(), frame.class());
    let (v4_held, udp_held) = (holds(&frame), frame.udp_checksum_holds());
    let payload = frame.udp_payload().map(<[u8]>::to_vec);

    frame.mark_ce();
    assert_eq!((frame.ecn(), frame.class()), (Ecn::Ce, class));
    assert_eq!(frame.udp_payload(), payload.as_deref());
    assert!(!v4_held || holds(&frame), "marking broke the checksum of the header");

    let read = |frame: &IpFrame| frame.read::<RcpHeader>();
    if let Some(before) = read(&frame) {
        let stamped = RcpHeader { rate: 12_345, flags: before.flags | RcpHeader::RATE_STAMPED, ..before };
        frame.write(&stamped);
        assert_eq!(read(&frame), Some(stamped));
    }
    assert_eq!((frame.size(), frame.flow_hash()), (size, flow));
    assert!(!udp_held || frame.udp_checksum_holds(), "stamping broke the checksum of the datagram");
    assert!(matches!(frame.destination().len(), 4 | 16));

    let again = IpFrame::parse(Time::ZERO, frame.bytes().to_vec()).expect("it was a packet");
    assert_eq!((again.size(), again.flow_hash(), read(&again)), (size, flow, read(&frame)));
});

/// Writes right lengths and a right checksum of the IPv4 header where the input asks for them.
fn mended(mend: u8, bytes: &mut [u8]) {
    let length = u16::try_from(bytes.len()).unwrap_or(u16::MAX);
    let Some(first) = bytes.first().copied() else { return };
    let v4 = first >> 4 == 4;
    let header = if v4 { usize::from(first & 15) * 4 } else { 40 };
    if header < 20 || bytes.len() < header + 8 {
        return;
    }
    let mut write = |at: usize, value: u16| bytes[at..at + 2].copy_from_slice(&value.to_be_bytes());
    if mend & LENGTH != 0 {
        let (at, value) = if v4 { (2, length) } else { (4, length - 40) };
        write(at, value);
    }
    if mend & UDP_LENGTH != 0 {
        write(header + 4, length - header as u16);
    }
    if v4 && mend & CHECKSUM != 0 {
        write(10, 0);
        let sum = Sum::default().add_bytes(&bytes[..header]).checksum();
        bytes[10..12].copy_from_slice(&sum.to_be_bytes());
    }
}
