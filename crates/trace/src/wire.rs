//! Simulated packets as bytes on a wire, from the IPv4 header on.
//!
//! Node n has the address 10.0.0.0 + n + 1. A flow has a port of its own at its source, from those for ephemeral use;
//! when these are used up, the next flows have another port at their destination. Payload is zeros. Initial sequence
//! numbers are 0.
//!
//! The simulator counts no options of a SYN, and for some protocols shorter headers than these: such packets are longer
//! here.

use dumbbell_core::{Frame, Packet, Way};
use dumbbell_header::{TcpHeader, TcpOptions, TfrcHeader, TfrcKind, UdpHeader};
use etherparse::checksum::Sum16BitWords;
use etherparse::{IpNumber, Ipv4Header, TcpHeader as TcpOnWire, UdpHeader as UdpOnWire, ip_number};

use crate::event::{Flow, Network, Seen};
use crate::fields::{Fields, Protocol};

/// A packet on the wire: its first bytes, behind which come zeros only, and its whole length.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Wire {
    pub bytes: Vec<u8>,
    pub length: usize,
}

/// An address and a port.
type Endpoint = ([u8; 4], u16);

/// Time to live: routers of the simulator do not count it down.
const TIME_TO_LIVE: u8 = 64;
/// Ports for ephemeral use (RFC 6335 section 6), and those of destinations below them.
const SOURCE_PORTS: (u32, u32) = (49_152, 16_384);
const DESTINATION_PORTS: (u32, u32) = (40_000, 9_152);
/// Ticks of the timestamps option: milliseconds, as in Linux.
const TICK: u64 = 1_000_000;
/// A window that is as good as none: no data comes back.
const OPEN: u16 = u16::MAX;
/// The longest payload of an IPv4 packet without options.
const LONGEST: usize = 65_535 - Ipv4Header::MIN_LEN;

static ZEROS: [u8; LONGEST] = [0; LONGEST];

/// The address of a node.
pub(crate) fn address(node: u32) -> [u8; 4] {
    (0x0a00_0001_u32.wrapping_add(node)).to_be_bytes()
}

/// The two ends of a flow.
pub(crate) fn endpoints(flow: &Flow) -> (Endpoint, Endpoint) {
    let port = |(first, ports): (u32, u32), number: u32| (first + number % ports) as u16;
    let above = flow.number / SOURCE_PORTS.1;
    (
        (address(flow.source), port(SOURCE_PORTS, flow.number)),
        (address(flow.destination), port(DESTINATION_PORTS, above)),
    )
}

/// The bytes of a simulated packet.
pub(crate) fn packet(network: &Network, flow: &Flow, seen: &Seen<'_>, packet: &Packet) -> Wire {
    let (source, destination) = endpoints(flow);
    let (mut from, to) = match seen.way {
        Way::Forward => (source, destination),
        Way::Reverse => (destination, source),
    };
    // What a router has originated comes from it, as far as a link tells which it was.
    if seen.originated
        && let Some(link) = seen.entry.and_then(|link| network.links.get(link as usize))
    {
        from.0 = address(link.from);
    }
    let (protocol, transport, payload) = match seen.fields.protocol {
        Protocol::Tcp => tcp(flow, seen, from, to),
        Protocol::Tfrc => dccp(seen, packet, from, to),
        Protocol::Quench => quench(source, destination),
        _ => udp(flow.number, packet, from, to),
    };
    ip(seen.fields, protocol, (from.0, to.0), &transport, payload)
}

/// A packet of these addresses. Behind the transport's bytes come zeros.
fn ip(
    fields: &Fields,
    protocol: IpNumber,
    addresses: ([u8; 4], [u8; 4]),
    transport: &[u8],
    zeros: usize,
) -> Wire {
    let length = transport.len() + zeros;
    let mut header = Ipv4Header {
        total_len: (Ipv4Header::MIN_LEN + length) as u16,
        time_to_live: TIME_TO_LIVE,
        protocol,
        source: addresses.0,
        destination: addresses.1,
        dont_fragment: true,
        ..Ipv4Header::default()
    };
    // The class selector (RFC 2474 section 4.2.2).
    header.dscp = (fields.class << 3 & 0x3f).try_into().unwrap_or_default();
    header.ecn = (fields.ecn.bits()).try_into().unwrap_or_default();
    header.header_checksum = header.calc_header_checksum();
    let mut bytes = header.to_bytes().to_vec();
    bytes.extend(transport);
    Wire { bytes, length: Ipv4Header::MIN_LEN + length }
}

/// The transport's bytes and the zeros behind them.
type Transport = (IpNumber, Vec<u8>, usize);

/// RFC 9293 section 3.1.
fn tcp(flow: &Flow, seen: &Seen<'_>, from: Endpoint, to: Endpoint) -> Transport {
    let fields = seen.fields;
    let has = |flag: u8| fields.flags & u16::from(flag) != 0;
    let scale = flow.connection.map_or(0, |connection| connection.scale);
    // The window of a SYN is never shifted (RFC 7323 section 2.2).
    let shift = if has(TcpHeader::SYN) { 0 } else { scale };
    let mut header = TcpOnWire {
        source_port: from.1,
        destination_port: to.1,
        sequence_number: fields.number as u32,
        acknowledgment_number: fields.ack.unwrap_or(0) as u32,
        ns: fields.flags & Fields::AE != 0,
        fin: has(TcpHeader::FIN),
        syn: has(TcpHeader::SYN),
        ack: has(TcpHeader::ACK),
        ece: has(TcpHeader::ECE),
        cwr: has(TcpHeader::CWR),
        window_size: fields.window.map_or(OPEN, |window| (window >> shift).min(u16::MAX.into()) as u16),
        ..TcpOnWire::default()
    };
    // Four blocks and timestamps do not fit, and no simulated packet has them.
    let options = options(flow, seen).to_bytes();
    header.set_options_raw(&options[..options.len().min(40)]).expect("at most 40 bytes");
    let payload = (fields.payload as usize).min(LONGEST - header.header_len());
    header.checksum = header.calc_checksum_ipv4_raw(from.0, to.0, &ZEROS[..payload]).expect("what fits IPv4");
    (ip_number::TCP, header.to_bytes().to_vec(), payload)
}

/// What the two ends have agreed to say.
fn options(flow: &Flow, seen: &Seen<'_>) -> TcpOptions {
    let fields = seen.fields;
    let agreed = flow.connection.filter(|_| fields.flags & u16::from(TcpHeader::SYN) != 0);
    TcpOptions {
        // The largest segment counts options as payload (RFC 6691).
        mss: agreed.map(|agreed| agreed.segment.saturating_add(if agreed.timestamps { 12 } else { 0 })),
        sack_permitted: agreed.is_some_and(|agreed| agreed.sack),
        // Data comes from one end: the window of the other is open, and not shifted.
        scale: agreed.map(|agreed| if seen.way == Way::Reverse { agreed.scale } else { 0 }),
        timestamps: fields.timestamps.map(|(value, echo)| ((value / TICK) as u32, (echo / TICK) as u32)),
        sack: fields.sack.iter().map(|(start, end)| (*start as u32, *end as u32)).collect(),
        accurate: fields.accurate,
        ..TcpOptions::default()
    }
}

/// A datagram with the header of its protocol (RFC 768).
fn udp(number: u32, packet: &Packet, from: Endpoint, to: Endpoint) -> Transport {
    let mut payload = Vec::new();
    if let Some(datagram) = dumbbell_header::datagram(packet.header) {
        payload.extend(datagram.encode(packet, number));
    } else if let Some(header) = packet.read::<UdpHeader>() {
        payload.extend(header.number.to_be_bytes());
        payload.extend(header.sent.as_nanos().to_be_bytes());
    }
    let counted = usize::from(packet.size).saturating_sub(Ipv4Header::MIN_LEN + UdpOnWire::LEN);
    if packet.header == <UdpHeader as dumbbell_core::Registered>::KIND {
        payload.truncate(counted);
    }
    let zeros = counted.saturating_sub(payload.len());
    let length = payload.len() + zeros;
    let mut whole = payload.clone();
    whole.resize(length, 0);
    let header = UdpOnWire::with_ipv4_checksum(
        from.1,
        to.1,
        &Ipv4Header { source: from.0, destination: to.0, ..Ipv4Header::default() },
        &whole,
    )
    .expect("what fits IPv4");
    let mut bytes = header.to_bytes().to_vec();
    bytes.extend(payload);
    (ip_number::UDP, bytes, zeros)
}

/// TFRC runs over DCCP: data (RFC 4340 section 5.2) and reports (RFC 4342 section 8), with long sequence numbers.
fn dccp(seen: &Seen<'_>, packet: &Packet, from: Endpoint, to: Endpoint) -> Transport {
    const DATA: u8 = 2;
    const ACK: u8 = 3;
    let header = packet.read::<TfrcHeader>().unwrap_or_default();
    let long = |number: u64| number.to_be_bytes()[2..].to_vec();
    let data = header.kind == TfrcKind::Data;
    let mut bytes = [from.1.to_be_bytes(), to.1.to_be_bytes(), [0; 2], [0; 2]].concat();
    bytes.extend([(if data { DATA } else { ACK }) << 1 | 1, 0]);
    bytes.extend(long(if data { header.number } else { seen.number }));
    if !data {
        bytes.extend([0; 2]);
        bytes.extend(long(header.number));
    }
    if header.kind == TfrcKind::Feedback {
        let elapsed = (header.delay.as_nanos() / 10_000).min(u32::MAX.into()) as u32;
        // The inverse of the loss event rate, rounded up; all ones without a loss (RFC 4342 section 8.5).
        let inverse = if header.loss > 0.0 { (1.0 / header.loss).ceil() as u32 } else { u32::MAX };
        for (kind, value) in [(43, elapsed), (194, header.received as u32), (192, inverse)] {
            bytes.extend([kind, 6]);
            bytes.extend(value.to_be_bytes());
        }
        bytes.extend([0; 6]);
    }
    bytes[4] = (bytes.len() / 4) as u8;
    let counted = usize::from(packet.size).saturating_sub(Ipv4Header::MIN_LEN);
    let zeros = counted.saturating_sub(bytes.len());
    let mut pseudo = Sum16BitWords::new();
    let sum = pseudo
        .add_4bytes(from.0)
        .add_4bytes(to.0)
        .add_2bytes([0, ip_number::DCCP.0])
        .add_2bytes(((bytes.len() + zeros) as u16).to_be_bytes())
        .add_slice(&bytes)
        .ones_complement();
    // The sum is in the byte order of the machine.
    bytes[6..8].copy_from_slice(&sum.to_ne_bytes());
    (ip_number::DCCP, bytes, zeros)
}

/// A source quench (RFC 792), which quotes the header and the ports of what came from the source.
fn quench(source: Endpoint, destination: Endpoint) -> Transport {
    let quoted = Ipv4Header {
        total_len: 1500,
        time_to_live: TIME_TO_LIVE,
        protocol: ip_number::TCP,
        source: source.0,
        destination: destination.0,
        dont_fragment: true,
        ..Ipv4Header::default()
    };
    let quoted = Ipv4Header { header_checksum: quoted.calc_header_checksum(), ..quoted };
    let mut bytes = vec![4, 0, 0, 0, 0, 0, 0, 0];
    bytes.extend(quoted.to_bytes());
    bytes.extend(source.1.to_be_bytes());
    bytes.extend(destination.1.to_be_bytes());
    bytes.extend([0; 4]);
    let sum = Sum16BitWords::new().add_slice(&bytes).ones_complement();
    bytes[2..4].copy_from_slice(&sum.to_ne_bytes());
    (ip_number::ICMP, bytes, 0)
}

#[cfg(test)]
mod tests {
    use dumbbell_core::{Ecn, Time};
    use dumbbell_header::{DatagramHeader, RcpHeader, RcpKind};
    use etherparse::{NetSlice, SlicedPacket, TransportSlice};
    use proptest::prelude::*;

    use super::*;
    use crate::event::{Content, Happened};
    use crate::numbers::Numbers;
    use crate::tests::{flow, network};

    /// The packet on the wire, with its zeros.
    fn sent(flow: &Flow, way: Way, packet: &Packet) -> Vec<u8> {
        let (stamp, fields) =
            Numbers::default().note(Time::ZERO, flow, way, Happened::Sent, Content::Simulated(packet));
        let seen = Seen {
            number: stamp.number,
            since: stamp.since,
            way,
            originated: false,
            entry: Some(1),
            fields: &fields,
            content: Content::Simulated(packet),
        };
        let wire = super::packet(&network(), flow, &seen, packet);
        let mut bytes = wire.bytes;
        assert!(bytes.len() <= wire.length && wire.length <= 65_535);
        bytes.resize(wire.length, 0);
        bytes
    }

    /// Checks that the lengths are right and that the checksums hold.
    fn check(bytes: &[u8]) -> SlicedPacket<'_> {
        let packet = SlicedPacket::from_ip(bytes).unwrap();
        let Some(NetSlice::Ipv4(ip)) = &packet.net else { panic!("{packet:?}") };
        assert_eq!(usize::from(ip.header().total_len()), bytes.len());
        assert_eq!(ip.header().to_header().calc_header_checksum(), ip.header().header_checksum());
        let addresses = (ip.header().source(), ip.header().destination());
        match &packet.transport {
            Some(TransportSlice::Tcp(tcp)) => {
                assert_eq!(tcp.calc_checksum_ipv4(addresses.0, addresses.1), Ok(tcp.checksum()));
            }
            Some(TransportSlice::Udp(udp)) => {
                let header = udp.to_header();
                let sum = header.calc_checksum_ipv4_raw(addresses.0, addresses.1, udp.payload());
                assert_eq!(sum, Ok(udp.checksum()));
            }
            Some(TransportSlice::Icmpv4(icmp)) => {
                assert_eq!(Sum16BitWords::new().add_slice(icmp.slice()).ones_complement(), 0);
            }
            _ => {
                let payload = ip.payload().payload;
                let mut pseudo = Sum16BitWords::new();
                let sum = pseudo.add_4bytes(addresses.0).add_4bytes(addresses.1);
                let sum = sum.add_2bytes([0, 33]).add_2bytes((payload.len() as u16).to_be_bytes());
                assert_eq!(sum.add_slice(payload).ones_complement(), 0, "DCCP");
            }
        }
        packet
    }

    #[test]
    fn a_syn_has_the_options_and_its_window_is_not_shifted() {
        let mut answer = Packet::of(TcpHeader::default(), 0, 52, Ecn::NotEct);
        (answer.flags, answer.aux) = (TcpHeader::SYN | TcpHeader::ACK, 500);
        let bytes = sent(&flow(0), Way::Reverse, &answer);
        let packet = check(&bytes);
        let Some(TransportSlice::Tcp(tcp)) = packet.transport else { panic!("no TCP") };
        // mss 1460, sackOK, TS, nop, wscale 7: as packetdrill's scripts for Linux have it.
        assert_eq!(tcp.options()[..6], [2, 4, 5, 180, 4, 2]);
        assert_eq!(tcp.options()[16..], [1, 3, 3, 7]);
        assert_eq!(tcp.window_size(), 64_000, "500 times 2^7");
        answer.aux = 512;
        let bytes = sent(&flow(0), Way::Reverse, &answer);
        assert_eq!(bytes[34..36], [0xff, 0xff], "65,536 is the nearest that fits");
    }

    #[test]
    fn numbers_wrap_and_duplicates_lie_below_the_ack() {
        let last = (1 << 32) - 1 + (5 << 32);
        let mut ack = Packet::of(TcpHeader { number: last, ..TcpHeader::default() }, 0, 72, Ecn::NotEct);
        ack.flags = TcpHeader::ACK;
        let below = |offset: i32| u64::from(offset.cast_unsigned());
        ack.body[2] = below(-2896) << 32 | below(-1448);
        ack.body[3] = 100 << 32 | 200;
        let bytes = sent(&flow(0), Way::Reverse, &ack);
        let packet = check(&bytes);
        let Some(TransportSlice::Tcp(tcp)) = packet.transport else { panic!("no TCP") };
        assert_eq!((tcp.sequence_number(), tcp.acknowledgment_number()), (1, 0));
        let blocks = [0_u32.wrapping_sub(2896), 0_u32.wrapping_sub(1448), 100, 200].map(u32::to_be_bytes);
        assert_eq!(tcp.options()[16..], *blocks.as_flattened());
    }

    #[test]
    fn more_flows_than_ports_have_other_destination_ports() {
        let ends = |number: u32| {
            let (source, destination) = endpoints(&flow(number));
            (source.1, destination.1)
        };
        assert_eq!((ends(0), ends(16_383)), ((49_152, 40_000), (65_535, 40_000)));
        assert_eq!((ends(16_384), ends(20_000_000)), ((49_152, 40_001), (60_672, 41_220)));
        assert_eq!((address(0), address(199_999)), ([10, 0, 0, 1], [10, 3, 13, 64]));
    }

    #[test]
    fn other_protocols_have_their_headers_and_checksums() {
        let flow = Flow { header: 40, connection: None, ..flow(9) };
        let rcp = RcpHeader { kind: RcpKind::Data, seq: 7, ..RcpHeader::default() };
        for size in [40, 76, 77, 1500, 65_535] {
            let bytes = sent(&flow, Way::Forward, &Packet::of(rcp, 0, size, Ecn::Ect0));
            assert_eq!(bytes.len(), usize::from(size.max(76)));
            let Some(TransportSlice::Udp(udp)) = check(&bytes).transport else { panic!("no UDP") };
            assert_eq!(RcpHeader::decode(udp.payload()), Some((9, rcp)));
        }
        let udp = UdpHeader { number: 1, sent: Time::ZERO };
        for size in [28, 30, 44, 65_535] {
            let bytes = sent(&flow, Way::Forward, &Packet::of(udp, 0, size, Ecn::NotEct));
            assert_eq!(bytes.len(), usize::from(size));
            check(&bytes);
        }
        let report =
            TfrcHeader { kind: TfrcKind::Feedback, loss: 0.003, received: 1e6, ..TfrcHeader::default() };
        let bytes = sent(&flow, Way::Reverse, &Packet::of(report, 0, 68, Ecn::NotEct));
        assert_eq!((bytes.len(), bytes[24]), (68, 12), "twelve words of header");
        check(&bytes);
        // 1 / 0.003 rounded up (RFC 4342 section 8.5).
        assert_eq!(bytes[56..62], [192, 6, 0, 0, 1, 78]);
        check(&sent(&flow, Way::Forward, &Packet::of(TfrcHeader::default(), 0, 1500, Ecn::NotEct)));
        let quench =
            sent(&flow, Way::Reverse, &Packet::of(dumbbell_header::SourceQuench, 0, 56, Ecn::NotEct));
        assert_eq!(quench.len(), 56);
        check(&quench);
    }

    proptest! {
        #[test]
        fn every_segment_is_well_formed(
            (flags, window, number, timestamp) in any::<(u8, u16, u64, u64)>(),
            (blocks, size, node) in any::<([u64; 3], u16, u32)>(),
            (class, forward, option, flow_number) in any::<(u8, bool, bool, u32)>(),
        ) {
            let (size, number) = (size.max(40), number >> 1);
            let header = TcpHeader { flags, window, number, timestamp, ..TcpHeader::default() };
            let mut packet = Packet::of(header, 0, size, Ecn::Ce);
            packet.body[2..].copy_from_slice(&blocks);
            packet.class = class & 7;
            let mut flow = Flow { source: node, ..flow(flow_number) };
            if option {
                flow = Flow { header: 40, connection: None, ..flow };
            }
            let way = if forward { Way::Forward } else { Way::Reverse };
            let bytes = sent(&flow, way, &packet);
            let sliced = check(&bytes);
            let Some(TransportSlice::Tcp(tcp)) = sliced.transport else { panic!("no TCP") };
            let number = if flags & TcpHeader::SYN != 0 && forward { 0 } else { number as u32 + 1 };
            if forward {
                prop_assert_eq!(tcp.sequence_number(), number);
            } else {
                prop_assert_eq!(tcp.acknowledgment_number(), number);
            }
            prop_assert_eq!(bytes[1], class << 5 | 3);
        }
    }
}
