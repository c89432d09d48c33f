//! A packet as it came from the kernel: one buffer, and what the network may read and write in it.
//!
//! A packet is parsed once, on arrival. All input is checked there, so no later step can fail.

pub mod checksum;

use std::net::{IpAddr, SocketAddr};

use dumbbell_core::header::LONGEST_HEADER;
use dumbbell_core::{Ecn, FlowEnds, Frame, Header, Time, TrafficClass};
use dumbbell_header::flow_of;
use dumbbell_net::link::Carried;

use self::checksum::Sum;

/// Headers of IPv6 extensions that are looked through for a transport header; longer chains count as opaque.
const MAX_EXTENSIONS: usize = 8;

/// The two bits of congestion notification in the octet of the traffic class (RFC 3168 section 5).
const ECN: u8 = 0b11;

/// Below the class selector in that octet (RFC 2474 section 4.2.2).
pub(crate) const CLASS_SHIFT: u32 = 5;

/// Protocol numbers (IANA, Assigned Internet Protocol Numbers).
mod protocol {
    pub const HOP_BY_HOP: u8 = 0;
    pub const TCP: u8 = 6;
    pub const UDP: u8 = 17;
    pub const ROUTING: u8 = 43;
    pub const FRAGMENT: u8 = 44;
    pub const DESTINATION: u8 = 60;
}

/// Why bytes are not an IP packet that a link can carry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Malformed {
    /// Shorter than its header, or than the length that the header gives.
    Truncated,
    /// Neither IPv4 nor IPv6.
    Version,
    /// A header length that no header has.
    Header,
}

/// An IPv4 or IPv6 packet in a buffer of its own.
#[derive(Clone, Debug)]
pub struct IpFrame {
    at: Time,
    arrived: Time,
    left: Time,
    bytes: Vec<u8>,
    flow: u64,
    /// Where the UDP header begins, if this is a whole UDP datagram.
    udp: Option<u16>,
    /// Marked since somebody asked.
    marked: bool,
}

impl IpFrame {
    /// Takes over a buffer that holds one packet. Bytes behind the packet are cut off.
    ///
    /// # Errors
    /// What is wrong, with the buffer, so that it can be used again.
    pub fn parse(at: Time, mut bytes: Vec<u8>) -> Result<IpFrame, (Malformed, Vec<u8>)> {
        match layout(&bytes) {
            Ok(layout) => {
                bytes.truncate(layout.length);
                Ok(IpFrame {
                    at,
                    arrived: at,
                    left: at,
                    bytes,
                    flow: layout.flow,
                    udp: layout.udp,
                    marked: false,
                })
            }
            Err(reason) => Err((reason, bytes)),
        }
    }

    /// When it reached the link.
    pub fn arrived(&self) -> Time {
        self.arrived
    }

    /// It reaches the link at the time that it waited for.
    pub fn enter(&mut self) {
        self.arrived = self.at;
    }

    /// When it left the transmitter of the link.
    pub fn left(&self) -> Time {
        self.left
    }

    /// True if it was marked since the last time that this was asked.
    pub fn take_mark(&mut self) -> bool {
        std::mem::take(&mut self.marked)
    }

    /// The packet.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Bytes of memory that it holds, whatever of them the packet fills.
    pub fn footprint(&self) -> u64 {
        (self.bytes.capacity() + size_of::<IpFrame>()) as u64
    }

    /// The buffer, to be used again.
    pub fn into_buffer(self) -> Vec<u8> {
        self.bytes
    }

    /// The payload, if this is a UDP datagram that is whole: no fragment, and as long as its header says.
    pub fn udp_payload(&self) -> Option<&[u8]> {
        self.udp.map(|at| &self.bytes[usize::from(at) + UDP_HEADER..])
    }

    /// The source and the destination of a whole UDP datagram.
    pub fn udp_ends(&self) -> Option<[SocketAddr; 2]> {
        let at = usize::from(self.udp?);
        let end = |address: &[u8], port| {
            let ip = match <[u8; 4]>::try_from(address) {
                Ok(v4) => IpAddr::from(v4),
                Err(_) => IpAddr::from(<[u8; 16]>::try_from(address).ok()?),
            };
            Some(SocketAddr::new(ip, port))
        };
        let ports = [be16(&self.bytes, at), be16(&self.bytes, at + 2)];
        Some([end(self.source(), ports[0])?, end(self.destination(), ports[1])?])
    }

    /// A UDP datagram between two ends; `None` if they are of different versions of IP, or the datagram is too long.
    pub fn datagram(at: Time, from: SocketAddr, to: SocketAddr, payload: &[u8]) -> Option<IpFrame> {
        let length = u16::try_from(UDP_HEADER + payload.len()).ok()?;
        let mut bytes = match (from.ip(), to.ip()) {
            (IpAddr::V4(from), IpAddr::V4(to)) => {
                let total = length.checked_add(20)?;
                let mut header = vec![0x45, 0];
                header.extend(total.to_be_bytes());
                // Not to be fragmented, so without an identification (RFC 6864 section 4.1).
                header.extend([0, 0, 0x40, 0, HOPS, protocol::UDP, 0, 0]);
                header.extend([from.octets(), to.octets()].concat());
                let checksum = Sum::default().add_bytes(&header).checksum();
                header[10..12].copy_from_slice(&checksum.to_be_bytes());
                header
            }
            (IpAddr::V6(from), IpAddr::V6(to)) => {
                let mut header = vec![0x60, 0, 0, 0];
                header.extend(length.to_be_bytes());
                header.extend([protocol::UDP, HOPS]);
                header.extend([from.octets(), to.octets()].concat());
                header
            }
            _ => return None,
        };
        let udp = bytes.len();
        bytes.extend([from.port(), to.port(), length, 0].map(u16::to_be_bytes).concat());
        bytes.extend(payload);
        let mut frame = IpFrame::parse(at, bytes).ok()?;
        let checksum = match frame.udp_sum(udp).checksum() {
            0 => 0xffff,
            checksum => checksum,
        };
        frame.bytes[udp + 6..udp + 8].copy_from_slice(&checksum.to_be_bytes());
        Some(frame)
    }

    /// Overwrites part of the payload of a UDP datagram and updates the checksum for the words that change.
    ///
    /// A checksum of 0, "none", stays (RFC 768); one that becomes 0 is written as all ones.
    ///
    /// # Panics
    /// If this is no UDP datagram or the part does not lie within its payload.
    pub fn write_udp_payload(&mut self, offset: usize, new: &[u8]) {
        let header = usize::from(self.udp.expect("a UDP datagram"));
        let start = header + UDP_HEADER + offset;
        let end = start + new.len();
        let checksum_at = header + 6;
        let mut checksum = be16(&self.bytes, checksum_at);
        let present = checksum != 0;
        // Words count from the UDP header; a part may begin or end in the middle of one.
        let first = start - (start - header) % 2;
        for word in (first..end).step_by(2) {
            let old = word16(&self.bytes, word);
            let part = word.max(start)..(word + 2).min(end);
            self.bytes[part.clone()].copy_from_slice(&new[part.start - start..part.end - start]);
            checksum = checksum::update(checksum, old, word16(&self.bytes, word));
        }
        if present {
            let stored = if checksum == 0 { 0xffff } else { checksum };
            self.bytes[checksum_at..checksum_at + 2].copy_from_slice(&stored.to_be_bytes());
        }
    }

    /// True if the checksum of a UDP datagram is right or absent, or if this is no UDP datagram.
    pub fn udp_checksum_holds(&self) -> bool {
        let Some(header) = self.udp.map(usize::from) else { return true };
        if be16(&self.bytes, header + 6) == 0 {
            return true;
        }
        self.udp_sum(header).checksum() == 0
    }

    /// The sum over a UDP datagram whose header begins at `header`, its addresses included (RFC 768).
    fn udp_sum(&self, header: usize) -> Sum {
        let addresses = if self.is_v4() { &self.bytes[12..20] } else { &self.bytes[8..40] };
        Sum::default()
            .add_bytes(addresses)
            .add_word(u16::from(protocol::UDP))
            .add_word((self.bytes.len() - header) as u16)
            .add_bytes(&self.bytes[header..])
    }

    /// The source address: 4 or 16 bytes.
    pub fn source(&self) -> &[u8] {
        if self.is_v4() { &self.bytes[12..16] } else { &self.bytes[8..24] }
    }

    /// The destination address: 4 or 16 bytes.
    pub fn destination(&self) -> &[u8] {
        if self.is_v4() { &self.bytes[16..20] } else { &self.bytes[24..40] }
    }

    /// True for what is not to leave the link on which it is sent, such as a kernel's reports of multicast listeners: the
    /// link-local scope of RFC 4291 section 2.7.
    pub fn is_for_neighbours(&self) -> bool {
        !self.is_v4() && self.destination()[..2] == [0xff, 0x02]
    }

    fn is_v4(&self) -> bool {
        self.bytes[0] >> 4 == 4
    }

    fn traffic_class(&self) -> u8 {
        if self.is_v4() { self.bytes[1] } else { self.bytes[0] << 4 | self.bytes[1] >> 4 }
    }

    /// Writes the octet of DSCP and ECN, and updates the checksum of an IPv4 header.
    fn set_traffic_class(&mut self, octet: u8) {
        if self.is_v4() {
            let old = be16(&self.bytes, 0);
            self.bytes[1] = octet;
            let updated = checksum::update(be16(&self.bytes, 10), old, be16(&self.bytes, 0));
            self.bytes[10..12].copy_from_slice(&updated.to_be_bytes());
        } else {
            self.bytes[0] = self.bytes[0] & 0xf0 | octet >> 4;
            self.bytes[1] = octet << 4 | self.bytes[1] & 0x0f;
        }
    }
}

impl Frame for IpFrame {
    fn size(&self) -> u32 {
        self.bytes.len() as u32
    }

    fn ecn(&self) -> Ecn {
        Ecn::of(self.traffic_class())
    }

    fn mark_ce(&mut self) {
        self.set_traffic_class(self.traffic_class() | ECN);
        self.marked = true;
    }

    fn flow_hash(&self) -> u64 {
        self.flow
    }

    fn hosts(&self, _known: &FlowEnds) -> [u64; 2] {
        [hash(&[self.source()]), hash(&[self.destination()])]
    }

    fn class(&self) -> u8 {
        self.traffic_class() >> CLASS_SHIFT
    }

    fn set_class(&mut self, class: TrafficClass) {
        self.set_traffic_class(class.number() << CLASS_SHIFT | self.traffic_class() & ECN);
    }

    fn read<H: Header>(&self) -> Option<H> {
        H::WIRE?.decode(self.udp_payload()?)
    }

    fn write<H: Header>(&mut self, header: &H) {
        let Some(codec) = H::WIRE else { return };
        let mut bytes = [0; LONGEST_HEADER];
        let bytes = &mut bytes[..codec.length()];
        let Some(payload) = self.udp_payload().and_then(|payload| payload.get(..bytes.len())) else { return };
        bytes.copy_from_slice(payload);
        if codec.decode(bytes).is_some() {
            codec.encode(header, bytes);
            self.write_udp_payload(0, bytes);
        }
    }
}

impl Carried for IpFrame {
    fn at(&self) -> Time {
        self.at
    }

    fn set_at(&mut self, at: Time) {
        self.at = at;
    }

    fn flow(&self) -> Option<u32> {
        None
    }

    fn set_left(&mut self, at: Time) {
        self.left = at;
    }
}

const UDP_HEADER: usize = 8;

/// Routers that a packet may pass (IANA: the default time to live).
const HOPS: u8 = 64;

/// What parsing finds.
struct Layout {
    length: usize,
    flow: u64,
    udp: Option<u16>,
}

/// Where the transport header is, and what it is.
struct Transport {
    protocol: u8,
    at: usize,
    fragment: bool,
}

fn layout(bytes: &[u8]) -> Result<Layout, Malformed> {
    let version = bytes.first().ok_or(Malformed::Truncated)? >> 4;
    let (length, addresses, transport) = match version {
        4 => v4(bytes)?,
        6 => v6(bytes)?,
        _ => return Err(Malformed::Version),
    };
    let packet = &bytes[..length];
    // Only the first fragment has ports; leaving them out of all keeps the fragments of a datagram in one flow.
    let ports = match transport.protocol {
        protocol::TCP | protocol::UDP if !transport.fragment => {
            packet.get(transport.at..transport.at + 4).unwrap_or_default()
        }
        _ => &[],
    };
    let udp = (transport.protocol == protocol::UDP && !transport.fragment)
        .then(|| whole_udp(packet, transport.at))
        .flatten();
    // Our end points send all their flows between two ports.
    let payload = udp.map(|at| &packet[usize::from(at) + UDP_HEADER..]);
    let number = payload.and_then(flow_of).map(u32::to_be_bytes);
    let number = number.as_ref().map_or(&[][..], |number| &number[..]);
    Ok(Layout { length, flow: hash(&[addresses, &[transport.protocol], ports, number]), udp })
}

/// The position of a UDP header, if the datagram is as long as it says.
fn whole_udp(packet: &[u8], at: usize) -> Option<u16> {
    let datagram = packet.get(at..)?;
    let length = usize::from(be16(datagram.get(..UDP_HEADER)?, 4));
    (length == datagram.len()).then_some(at as u16)
}

type Parsed<'a> = (usize, &'a [u8], Transport);

/// RFC 791 section 3.1.
fn v4(bytes: &[u8]) -> Result<Parsed<'_>, Malformed> {
    if bytes.len() < 20 {
        return Err(Malformed::Truncated);
    }
    let header = usize::from(bytes[0] & 0xf) * 4;
    let length = usize::from(be16(bytes, 2));
    if header < 20 || length < header {
        return Err(Malformed::Header);
    }
    if bytes.len() < length {
        return Err(Malformed::Truncated);
    }
    // More fragments, or an offset: bits 2 to 15 of the word.
    let fragment = be16(bytes, 6) & 0x3fff != 0;
    Ok((length, &bytes[12..20], Transport { protocol: bytes[9], at: header, fragment }))
}

/// RFC 8200 sections 3 and 4. Jumbograms are refused: no link here carries them.
fn v6(bytes: &[u8]) -> Result<Parsed<'_>, Malformed> {
    if bytes.len() < 40 {
        return Err(Malformed::Truncated);
    }
    let length = 40 + usize::from(be16(bytes, 4));
    if bytes.len() < length {
        return Err(Malformed::Truncated);
    }
    let mut transport = Transport { protocol: bytes[6], at: 40, fragment: false };
    for _ in 0..MAX_EXTENSIONS {
        let extension = &bytes[transport.at.min(length)..length];
        let size = match transport.protocol {
            protocol::HOP_BY_HOP | protocol::ROUTING | protocol::DESTINATION => {
                extension.get(1).map_or(0, |n| (usize::from(*n) + 1) * 8)
            }
            protocol::FRAGMENT => 8,
            _ => break,
        };
        let Some(header) = extension.get(..size).filter(|header| header.len() >= 8) else { break };
        // An atomic fragment (offset 0, no more to come) is a whole packet (RFC 6946).
        transport.fragment |= transport.protocol == protocol::FRAGMENT && be16(header, 2) & 0xfff9 != 0;
        transport.protocol = header[0];
        transport.at += size;
    }
    Ok((length, &bytes[8..40], transport))
}

/// FNV-1a, its high bits folded into the low ones: the same flow hashes alike on every machine.
fn hash(parts: &[&[u8]]) -> u64 {
    let bytes = parts.iter().copied().flatten();
    let h =
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3));
    h ^ h >> 32
}

fn be16(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

/// The word at `at`; a last odd byte is its high half.
fn word16(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes.get(at + 1).copied().unwrap_or(0)])
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use dumbbell_header::{DatagramHeader, RcpHeader, RcpKind, TcpHeader, XcpHeader};
    use proptest::prelude::*;

    /// A whole UDP datagram with right checksums.
    pub(crate) fn udp(v6: bool, ports: (u16, u16), tos: u8, payload: &[u8]) -> Vec<u8> {
        let length = UDP_HEADER + payload.len();
        let mut bytes = if v6 {
            let mut header = vec![0x60 | tos >> 4, tos << 4, 0, 0];
            header.extend((length as u16).to_be_bytes());
            header.extend([protocol::UDP, 64]);
            header.extend(1..=32);
            header
        } else {
            let mut header = vec![0x45, tos];
            header.extend((20 + length as u16).to_be_bytes());
            header.extend([0x12, 0x34, 0x40, 0, 64, protocol::UDP, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
            let checksum = Sum::default().add_bytes(&header).checksum();
            header[10..12].copy_from_slice(&checksum.to_be_bytes());
            header
        };
        let start = bytes.len();
        bytes.extend(ports.0.to_be_bytes());
        bytes.extend(ports.1.to_be_bytes());
        bytes.extend((length as u16).to_be_bytes());
        bytes.extend([0, 0]);
        bytes.extend(payload);
        let checksum = udp_checksum(&bytes, start);
        bytes[start + 6..start + 8].copy_from_slice(&checksum.to_be_bytes());
        bytes
    }

    /// The checksum that belongs into a datagram, summed in full.
    fn udp_checksum(packet: &[u8], start: usize) -> u16 {
        let addresses = if start == 20 { &packet[12..20] } else { &packet[8..40] };
        let mut datagram = packet[start..].to_vec();
        datagram[6..8].fill(0);
        let sum = Sum::default()
            .add_bytes(addresses)
            .add_word(17)
            .add_word(datagram.len() as u16)
            .add_bytes(&datagram);
        match sum.checksum() {
            0 => 0xffff,
            checksum => checksum,
        }
    }

    fn frame(bytes: Vec<u8>) -> IpFrame {
        IpFrame::parse(Time::ZERO, bytes).unwrap()
    }

    #[test]
    fn fields_of_both_versions() {
        for v6 in [false, true] {
            let mut bytes = udp(v6, (1000, 2000), 0xb9, b"hello");
            bytes.extend([0; 9]);
            let frame = frame(bytes);
            assert_eq!(frame.size(), if v6 { 53 } else { 33 }, "padding is cut off");
            assert_eq!((frame.ecn(), frame.class()), (Ecn::Ect1, 5), "the selector of EF, DSCP 46");
            assert_eq!(frame.udp_payload(), Some(&b"hello"[..]));
            assert!(frame.udp_checksum_holds());
            let mut other = frame.clone();
            other.set_class(TrafficClass::LAST);
            assert_eq!((other.ecn(), other.class()), (Ecn::Ect1, 7));
            assert_eq!(other.traffic_class() >> 2, 0b111_000, "the DSCP is that of the class selector");
            let header = if v6 { 2 } else { 20 };
            assert_eq!(other.bytes()[header..], frame.bytes()[header..], "nothing else changes");
            assert!(v6 || Sum::default().add_bytes(&other.bytes()[..20]).checksum() == 0);
        }
    }

    #[test]
    fn a_datagram_that_is_made_is_whole_and_has_its_ends() {
        for [from, to] in [["10.1.2.3:4", "10.5.6.7:8"], ["[fd64::1]:9", "[fd64::2]:65535"]] {
            let [from, to]: [SocketAddr; 2] = [from, to].map(|end| end.parse().unwrap());
            // Of all lengths, so that some sums are 0.
            for n in 0..2_000_u16 {
                let payload = [&n.to_be_bytes()[..], &vec![7; usize::from(n) % 9]].concat();
                let made = IpFrame::datagram(Time::ZERO, from, to, &payload).unwrap();
                assert_eq!(made.udp_payload(), Some(&payload[..]));
                assert_eq!(made.udp_ends(), Some([from, to]));
                assert_ne!(be16(&made.bytes, made.udp.unwrap() as usize + 6), 0, "there is a checksum");
                assert!(made.udp_checksum_holds());
                assert!(from.is_ipv6() || Sum::default().add_bytes(&made.bytes[..20]).checksum() == 0);
            }
        }
        let mixed = ["10.1.2.3:4", "[fd64::2]:1"].map(|end| end.parse().unwrap());
        assert!(IpFrame::datagram(Time::ZERO, mixed[0], mixed[1], b"x").is_none());
        assert!(IpFrame::datagram(Time::ZERO, mixed[0], mixed[0], &[0; 65_508]).is_none());
    }

    #[test]
    fn queues_and_markers_serve_the_classes_of_real_packets() {
        let link = |queue: &str| {
            let text = format!(
                "duration = '1s'\nflows = [{{ from = 'node0', to = 'node1' }}]\n[topology]\nkind = 'chain'\n\
                 link = {{ rate = '8Mbit/s', delay = '1ms', {queue} }}"
            );
            let scenario = dumbbell_sim::Scenario::from_toml(&text).unwrap();
            let plan = dumbbell_sim::Plan::new(&scenario, std::path::Path::new(".")).unwrap();
            let link = plan.links[0].config(1, [].into());
            dumbbell_net::link::QueuedLink::<IpFrame>::new(&link)
        };
        // Three packets of 1000 bytes, 1 ms each: with the DSCP of best effort, best effort, expedited forwarding.
        let through = |queue: &str, v6: bool| {
            let mut link = link(queue);
            let mut incidents = Vec::new();
            for (i, dscp) in [0, 0, 46].into_iter().enumerate() {
                let payload = vec![i as u8; if v6 { 952 } else { 972 }];
                link.push(Time::ZERO, frame(udp(v6, (1, 2), dscp << 2, &payload)), &mut incidents);
            }
            let mut out = Vec::new();
            while link.wake_at().is_finite() {
                let now = link.wake_at();
                if let Some(packet) = link.take(now, &mut incidents) {
                    assert!(v6 || Sum::default().add_bytes(&packet.bytes()[..20]).checksum() == 0);
                    out.push((
                        packet.udp_payload().unwrap()[0],
                        packet.traffic_class() >> 2,
                        now.as_nanos() / 1_000_000,
                    ));
                }
            }
            dumbbell_net::link::Meter::assert_conservation(&link);
            out
        };
        for v6 in [false, true] {
            let classes = ["'droptail'"; 6].join(", ");
            let priority =
                format!("queue = {{ kind = 'strict-priority', first = 'highest', classes = [{classes}] }}");
            assert_eq!(
                through(&priority, v6),
                [(0, 0, 2), (2, 46, 3), (1, 0, 4)],
                "the first was in transmission"
            );
            let marker = "queue = 'strict-priority', marker = { kind = 'token-bucket', rate = '8kbit/s', burst = '2kB' }";
            assert_eq!(
                through(marker, v6),
                [(0, 0, 2), (1, 0, 3), (2, 8, 4)],
                "the last is out of profile: class selector 1"
            );
            let shaper = "queue = { kind = 'token-bucket-filter', rate = '80kbit/s', burst = '2kB' }";
            assert_eq!(
                through(shaper, v6),
                [(0, 0, 2), (1, 0, 3), (2, 46, 102)],
                "100 ms for the tokens of a packet"
            );
        }
    }

    #[test]
    fn flows_are_told_apart_by_ports_and_fragments_stay_together() {
        for v6 in [false, true] {
            let hash = |ports| frame(udp(v6, ports, 0, b"x")).flow_hash();
            assert_eq!(hash((1, 2)), hash((1, 2)));
            assert_ne!(hash((1, 2)), hash((1, 3)));
            // Those of our end points also by their numbers, beside which anything may stand.
            let ours = |number: u32, timestamp: u64| {
                let header = TcpHeader { timestamp, ..TcpHeader::default() };
                frame(udp(v6, (1, 2), 0, &header.encode(number)[..24])).flow_hash()
            };
            assert_eq!(ours(7, 1), ours(7, 2));
            assert_ne!(ours(7, 1), ours(8, 1));
        }
        let fragment = |offset: u16, ports| {
            let mut bytes = udp(false, ports, 0, b"12345678");
            bytes[6..8].copy_from_slice(&(0x2000 | offset).to_be_bytes());
            frame(bytes)
        };
        assert_eq!(fragment(0, (1, 2)).flow_hash(), fragment(1, (7, 8)).flow_hash());
        assert_eq!(fragment(0, (1, 2)).udp_payload(), None);
    }

    #[test]
    fn an_ipv6_fragment_has_no_ports_and_an_atomic_one_has() {
        let with = |offset_and_more: u16| {
            let plain = udp(true, (1, 2), 0, b"data");
            let mut bytes = plain[..40].to_vec();
            bytes[4..6].copy_from_slice(&(plain.len() as u16 - 40 + 8).to_be_bytes());
            bytes[6] = protocol::FRAGMENT;
            bytes.extend([protocol::UDP, 0]);
            bytes.extend(offset_and_more.to_be_bytes());
            bytes.extend([0, 0, 0, 1]);
            bytes.extend(&plain[40..]);
            frame(bytes)
        };
        assert_eq!(with(0).udp_payload(), Some(&b"data"[..]));
        assert_eq!(with(1).udp_payload(), None);
        assert_eq!(with(8).udp_payload(), None);
    }

    #[test]
    fn what_is_no_packet_is_refused_and_gives_the_buffer_back() {
        let whole = udp(false, (1, 2), 0, b"hello");
        let refused = |bytes: &[u8]| IpFrame::parse(Time::ZERO, bytes.to_vec()).map_err(|(why, _)| why).err();
        assert_eq!(refused(&[]), Some(Malformed::Truncated));
        assert_eq!(refused(&whole[..whole.len() - 1]), Some(Malformed::Truncated));
        assert_eq!(refused(&[0x15; 60]), Some(Malformed::Version));
        let mut short_header = whole.clone();
        short_header[0] = 0x44;
        assert_eq!(refused(&short_header), Some(Malformed::Header));
        let (_, buffer) = IpFrame::parse(Time::ZERO, whole[..7].to_vec()).unwrap_err();
        assert_eq!(buffer, &whole[..7]);
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_parser_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..200), v6: bool, bits: u8) {
            // Half of the cases look like IP, so that parsing goes deeper.
            if let Some(first) = bytes.first_mut() && bits & 1 == 0 {
                *first = if v6 { 0x60 } else { 0x45 };
            }
            if bytes.len() > 6 && bits & 2 == 0 {
                let length = bytes.len() as u16;
                let (at, value) = if v6 { (4, length.saturating_sub(40)) } else { (2, length) };
                bytes[at..at + 2].copy_from_slice(&value.to_be_bytes());
            }
            if let Ok(mut frame) = IpFrame::parse(Time::ZERO, bytes) {
                frame.udp_checksum_holds();
                frame.mark_ce();
                prop_assert_eq!(frame.ecn(), Ecn::Ce);
                if let Some(payload) = frame.udp_payload().map(<[u8]>::to_vec) {
                    frame.write_udp_payload(0, &payload);
                }
            }
        }

        #[test]
        fn rewriting_keeps_the_checksum(v6: bool, payload in prop::collection::vec(any::<u8>(), 1..1500), at: prop::sample::Index,
                                        new in prop::collection::vec(any::<u8>(), 1..64), none: bool) {
            let mut bytes = udp(v6, (5, 6), 0, &payload);
            let header = if v6 { 40 } else { 20 };
            if none {
                bytes[header + 6..header + 8].fill(0);
            }
            let mut frame = frame(bytes);
            let offset = at.index(payload.len());
            let new = &new[..new.len().min(payload.len() - offset)];
            frame.write_udp_payload(offset, new);
            prop_assert_eq!(&frame.udp_payload().unwrap()[offset..offset + new.len()], new);
            let want = if none { 0 } else { udp_checksum(frame.bytes(), header) };
            prop_assert_eq!(be16(frame.bytes(), header + 6), want);
            prop_assert!(frame.udp_checksum_holds());
        }

        #[test]
        fn a_router_writes_its_header_and_nothing_else(
            v6: bool, none: bool, flow: u32, data in prop::collection::vec(any::<u8>(), 0..1400),
            (kind, flags, seq, rate, offer) in (1..=8_u8, any::<u8>(), any::<u32>(), any::<u64>(), any::<u64>()),
        ) {
            let header = RcpHeader { kind: RcpKind::of(kind), flags, seq, rate, ..RcpHeader::default() };
            let mut bytes = udp(v6, (9, 9), 0, &[&header.encode(flow)[..], &data].concat());
            let start = if v6 { 40 } else { 20 };
            if none {
                bytes[start + 6..start + 8].fill(0);
            }
            let mut frame = frame(bytes);
            prop_assert_eq!(frame.read(), Some(header));
            let stamped = RcpHeader { rate: offer, flags: flags | RcpHeader::RATE_STAMPED, ..header };
            frame.write(&stamped);
            prop_assert_eq!(frame.read(), Some(stamped));
            let payload = frame.udp_payload().unwrap();
            prop_assert_eq!(payload, [&stamped.encode(flow)[..], &data].concat());
            prop_assert_eq!(be16(frame.bytes(), start + 6) == 0, none);
            prop_assert!(frame.udp_checksum_holds());
            // What has no wire form is not there, and is not written.
            let before = frame.bytes().to_vec();
            frame.write(&XcpHeader { spacing: 1.0, rtt: 1.0, delta: 1.0 });
            prop_assert_eq!(frame.read::<XcpHeader>(), None);
            prop_assert_eq!(frame.bytes(), &before[..]);
        }

        #[test]
        fn a_header_is_written_only_where_there_is_one(payload in prop::collection::vec(any::<u8>(), 0..100)) {
            let mut frame = frame(udp(false, (9, 9), 0, &payload));
            if frame.read::<RcpHeader>().is_none() {
                frame.write(&RcpHeader { kind: RcpKind::Syn, ..RcpHeader::default() });
                prop_assert_eq!(frame.udp_payload(), Some(&payload[..]));
            }
        }

        #[test]
        fn marking_keeps_the_header_checksum(v6: bool, tos: u8, ports: (u16, u16)) {
            let mut frame = frame(udp(v6, ports, tos, b"data"));
            let class = frame.class();
            frame.mark_ce();
            prop_assert_eq!((frame.ecn(), frame.class()), (Ecn::Ce, class));
            prop_assert!(v6 || Sum::default().add_bytes(&frame.bytes()[..20]).checksum() == 0);
            prop_assert!(frame.udp_checksum_holds());
        }
    }
}
