//! The fields of real packets.

use dumbbell_core::{Ecn, Header};
use dumbbell_header::{RcpHeader, TrumpHeader};
use etherparse::{LaxNetSlice, LaxSlicedPacket, TcpOptionElement, TcpSlice, TransportSlice};

use crate::fields::{Fields, Protocol};

/// The fields of an IP packet. What is cut off or no packet at all has a size, and no more.
pub(crate) fn read(bytes: &[u8]) -> Fields {
    let blank = Fields::blank(bytes.len() as u32);
    let Ok(packet) = LaxSlicedPacket::from_ip(bytes) else { return blank };
    let (ecn, dscp) = match &packet.net {
        Some(LaxNetSlice::Ipv4(ip)) => (ip.header().ecn().value(), ip.header().dcp().value()),
        Some(LaxNetSlice::Ipv6(ip)) => (ip.header().ecn().value(), ip.header().dscp().value()),
        _ => return blank,
    };
    let ecn = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce][usize::from(ecn & 3)];
    // The class selector: the upper three bits (RFC 2474 section 4.2.2).
    let fields = Fields { ecn, class: dscp >> 3, ..blank };
    match &packet.transport {
        Some(TransportSlice::Tcp(segment)) => tcp(segment, fields),
        Some(TransportSlice::Udp(datagram)) => udp(datagram.payload(), fields),
        _ => fields,
    }
}

fn tcp(segment: &TcpSlice<'_>, fields: Fields) -> Fields {
    let header = segment.header_slice();
    let mut sack = Vec::new();
    let mut timestamps = None;
    for option in segment.options_iterator().map_while(Result::ok) {
        match option {
            TcpOptionElement::SelectiveAcknowledgement(first, rest) => {
                sack.push(first);
                sack.extend(rest.into_iter().flatten());
            }
            TcpOptionElement::Timestamp(value, echo) => timestamps = Some((value.into(), echo.into())),
            _ => {}
        }
    }
    Fields {
        protocol: Protocol::Tcp,
        payload: segment.payload().len() as u32,
        // The low bit of the byte of the data offset stands above the eight flags.
        flags: u16::from(header[12] & 1) << 8 | u16::from(header[13]),
        number: segment.sequence_number().into(),
        ack: segment.ack().then(|| segment.acknowledgment_number().into()),
        window: Some(segment.window_size().into()),
        sack: sack.into_iter().map(|(start, end)| (start.into(), end.into())).collect(),
        timestamps,
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
