//! The fields of real packets.

use std::net::{IpAddr, SocketAddr};

use dumbbell_core::{Ecn, Header};
use dumbbell_header::{RcpHeader, TcpOptions, TrumpHeader};
use etherparse::{IpNumber, LaxNetSlice, LaxSlicedPacket, TcpSlice, TransportSlice};

use crate::fields::{Fields, Protocol};

/// Which conversation a real packet belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ends {
    /// The protocol above IP, by its number (IANA, Assigned Internet Protocol Numbers).
    pub protocol: u8,
    /// The address and port that it comes from. The port is 0 where there is none, as in a fragment.
    pub source: SocketAddr,
    /// Those that it goes to.
    pub destination: SocketAddr,
}

impl Ends {
    /// The ends of an IP packet; `None` if it is none.
    pub fn of(bytes: &[u8]) -> Option<Ends> {
        let packet = LaxSlicedPacket::from_ip(bytes).ok()?;
        let (source, destination) = match packet.net.as_ref()? {
            LaxNetSlice::Ipv4(ip) => {
                (IpAddr::from(ip.header().source_addr()), IpAddr::from(ip.header().destination_addr()))
            }
            LaxNetSlice::Ipv6(ip) => {
                (IpAddr::from(ip.header().source_addr()), IpAddr::from(ip.header().destination_addr()))
            }
            LaxNetSlice::Arp(_) => return None,
        };
        let ports = match &packet.transport {
            Some(TransportSlice::Tcp(segment)) => (segment.source_port(), segment.destination_port()),
            Some(TransportSlice::Udp(datagram)) => (datagram.source_port(), datagram.destination_port()),
            _ => (0, 0),
        };
        let protocol = packet.net.as_ref()?.ip_payload_ref()?.ip_number.0;
        let (source, destination) = (SocketAddr::new(source, ports.0), SocketAddr::new(destination, ports.1));
        Some(Ends { protocol, source, destination })
    }

    /// The name of the protocol.
    pub const fn name(&self) -> &'static str {
        match IpNumber(self.protocol) {
            IpNumber::TCP => "tcp",
            IpNumber::UDP => "udp",
            IpNumber::ICMP | IpNumber::IPV6_ICMP => "icmp",
            _ => "ip",
        }
    }
}

/// The fields of an IP packet. What is cut off or no packet at all has a size, and no more.
pub(crate) fn read(bytes: &[u8]) -> Fields {
    let blank = Fields::blank(bytes.len() as u32);
    let Ok(packet) = LaxSlicedPacket::from_ip(bytes) else { return blank };
    let (ecn, dscp) = match &packet.net {
        Some(LaxNetSlice::Ipv4(ip)) => (ip.header().ecn().value(), ip.header().dcp().value()),
        Some(LaxNetSlice::Ipv6(ip)) => (ip.header().ecn().value(), ip.header().dscp().value()),
        _ => return blank,
    };
    // The class selector: the upper three bits (RFC 2474 section 4.2.2).
    let fields = Fields { ecn: Ecn::of(ecn), class: dscp >> 3, ..blank };
    match &packet.transport {
        Some(TransportSlice::Tcp(segment)) => tcp(segment, fields),
        Some(TransportSlice::Udp(datagram)) => udp(datagram.payload(), fields),
        _ => fields,
    }
}

/// The payload of a datagram.
pub(crate) fn datagram(bytes: &[u8]) -> Option<&[u8]> {
    let packet = LaxSlicedPacket::from_ip(bytes).ok()?;
    match packet.transport {
        Some(TransportSlice::Udp(datagram)) => Some(datagram.payload()),
        _ => None,
    }
}

fn tcp(segment: &TcpSlice<'_>, fields: Fields) -> Fields {
    let header = segment.header_slice();
    let options = TcpOptions::parse(segment.options());
    Fields {
        protocol: Protocol::Tcp,
        payload: segment.payload().len() as u32,
        // The low bit of the byte of the data offset stands above the eight flags.
        flags: u16::from(header[12] & 1) << 8 | u16::from(header[13]),
        number: segment.sequence_number().into(),
        ack: segment.ack().then(|| segment.acknowledgment_number().into()),
        window: Some(segment.window_size().into()),
        sack: options.sack.into_iter().map(|(start, end)| (start.into(), end.into())).collect(),
        timestamps: options.timestamps.map(|(value, echo)| (value.into(), echo.into())),
        ..fields
    }
}

fn udp(payload: &[u8], fields: Fields) -> Fields {
    let fields = Fields { protocol: Protocol::Udp, payload: payload.len() as u32, ..fields };
    if let Some(header) = RcpHeader::WIRE.and_then(|codec| codec.decode(payload)) {
        return fields.rcp(&header);
    }
    if let Some(header) = TrumpHeader::WIRE.and_then(|codec| codec.decode(payload)) {
        return fields.trump(&header);
    }
    fields
}

#[cfg(test)]
mod tests {
    use dumbbell_core::{Packet, Time, Way};
    use dumbbell_header::{RcpKind, SackBlock, TcpHeader};
    use proptest::prelude::*;

    use super::*;
    use crate::event::{Content, Happened};
    use crate::numbers::Numbers;
    use crate::tests::{flow, network};
    use crate::{Capture, JsonLines, Lines, Pcapng, Perfetto, Qlog, Seen, Sink, Trace, wire};

    /// A simulated packet as bytes, and its fields.
    fn sent(way: Way, packet: &Packet) -> (Vec<u8>, Fields) {
        let content = Content::Simulated(packet);
        let (stamp, fields) = Numbers::default().note(Time::ZERO, &flow(3), way, Happened::Sent, content);
        let (number, since, originated, entry) = (stamp.number, stamp.since, stamp.originated, stamp.entry);
        let seen = Seen { number, since, way, originated, entry, fields: &fields, content };
        let wire = wire::packet(&network(), &flow(3), &seen, packet);
        let mut bytes = wire.bytes;
        bytes.resize(wire.length, 0);
        (bytes, fields)
    }

    #[test]
    fn a_segment_that_is_written_is_read() {
        let sack =
            [SackBlock { start: 100, end: 200 }, SackBlock { start: 300, end: 400 }, SackBlock::default()];
        let flags = TcpHeader::ACK | TcpHeader::ECE;
        let header = TcpHeader { flags, window: 9, number: 7, timestamp: 5_000_000, sack };
        let mut packet = Packet::of(header, 0, 72, Ecn::Ect0);
        packet.class = 6;
        let (bytes, fields) = sent(Way::Reverse, &packet);
        let read = read(&bytes);
        // A real window is not shifted, and the clock of timestamps ticks milliseconds.
        assert_eq!((read.window, read.timestamps), (Some(9), Some((0, 5))));
        assert_eq!(read, Fields { window: Some(9), timestamps: Some((0, 5)), ..fields });
        assert_eq!((read.kind().as_str(), read.sack.len()), (".E", 2));
    }

    #[test]
    fn a_real_packet_keeps_its_number_through_routers() {
        let header = RcpHeader { kind: RcpKind::Data, seq: 8, rate: 1, ..RcpHeader::default() };
        let way = Way::Forward;
        let rcp = |rate, ecn| sent(way, &Packet::of(RcpHeader { rate, ..header }, 0, 1500, ecn)).0;
        let tcp = |ecn| sent(way, &Packet::of(TcpHeader::default(), 0, 1500, ecn)).0;
        for [before, after] in [[rcp(1, Ecn::Ect0), rcp(2, Ecn::Ce)], [tcp(Ecn::Ect0), tcp(Ecn::Ce)]] {
            let mut numbers = Numbers::default();
            let mut note = |happened, bytes: &[u8]| {
                numbers.note(Time::ZERO, &flow(3), way, happened, Content::Real(bytes)).0.number
            };
            assert_eq!(note(Happened::Sent, &before), 0);
            assert_eq!(note(Happened::Delivered, &after), 0);
            assert_eq!(note(Happened::Sent, &before), 1);
        }
    }

    #[test]
    fn the_ends_of_a_packet_are_read() {
        let (bytes, _) = sent(Way::Forward, &Packet::of(TcpHeader::default(), 0, 1500, Ecn::Ect0));
        let there = Ends::of(&bytes).unwrap();
        let (bytes, _) = sent(Way::Reverse, &Packet::of(TcpHeader::default(), 0, 60, Ecn::Ect0));
        let back = Ends::of(&bytes).unwrap();
        assert_eq!((there.source, there.destination), (back.destination, back.source));
        assert_eq!((there.name(), there.source.port()), ("tcp", 49152 + 3));
        // A fragment that is not the first has no ports (RFC 791 section 3.2).
        let mut fragment = bytes;
        fragment[7] = 1;
        let fragment = Ends::of(&fragment).unwrap();
        assert_eq!((fragment.source.port(), fragment.source.ip()), (0, back.source.ip()));
        assert_eq!(Ends::of(b"no packet"), None);
    }

    proptest! {
        #[test]
        fn no_bytes_break_a_sink(mut bytes in prop::collection::vec(any::<u8>(), 0..120), shape in 0..4_u8) {
            // Most cases look like a header, so that parsing goes deeper.
            if bytes.len() > 20 && shape > 0 {
                (bytes[0], bytes[9]) = if shape == 3 { (0x60, 0) } else { (0x45, [6, 17][usize::from(shape - 1)]) };
                bytes[6] = if shape == 3 { 6 } else { 0 };
                let length = bytes.len() as u16;
                bytes[2..4].copy_from_slice(&length.to_be_bytes());
            }
            let sinks: Vec<(String, Box<dyn Sink>)> = vec![
                (String::new(), Box::new(Lines::new(Vec::new()))),
                (String::new(), Box::new(JsonLines::new(Vec::new()))),
                (String::new(), Box::new(Pcapng::new(Vec::new(), Capture::Sources))),
                (String::new(), Box::new(Qlog::new(Vec::new()))),
                (String::new(), Box::new(Perfetto::new(Vec::new()))),
            ];
            let mut trace = Trace::begin(network(), sinks).unwrap();
            trace.opened(Time::ZERO, flow(3)).unwrap();
            for happened in [Happened::Sent, Happened::Arrived(0), Happened::Left(7), Happened::Delivered] {
                trace.packet(Time::ZERO, 3, Way::Forward, happened, Content::Real(&bytes)).unwrap();
            }
            trace.end(Time::ZERO).unwrap();
            let _ = Ends::of(&bytes);
        }
    }
}
