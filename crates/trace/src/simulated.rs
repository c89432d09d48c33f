//! The fields of simulated packets.

use dumbbell_core::{Frame, Packet, Time, Way};
use dumbbell_header::{
    NadaHeader, RcpHeader, SackBlock, SourceQuench, TcpHeader, TfrcHeader, TrumpHeader, TrumpKind, UdpHeader,
    XcpHeader,
};

use crate::event::Flow;
use crate::fields::{Feedback, Fields, Protocol};

/// What belongs to a packet and is not in it: only its sender knew.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Sent {
    /// When it was sent.
    pub at: Time,
    /// What the sender had got from its peer: the number that it expects next, and the latest timestamp.
    pub next: u64,
    pub echo: u64,
}

impl Fields {
    /// The fields of a simulated packet of this flow.
    pub(crate) fn of(packet: &Packet, flow: &Flow, way: Way, sent: &Sent) -> Fields {
        let header = if way == Way::Forward { flow.header } else { packet.size };
        let blank = Fields {
            payload: packet.size.saturating_sub(header).into(),
            ecn: packet.ecn,
            class: packet.class,
            flags: packet.flags.into(),
            ..Fields::blank(packet.size.into())
        };
        if packet.read::<TcpHeader>().is_some() {
            return blank.tcp(packet, flow, way, sent);
        }
        if let Some(header) = packet.read::<UdpHeader>() {
            return Fields { protocol: Protocol::Udp, number: header.number, ..blank };
        }
        if let Some(header) = packet.read::<RcpHeader>() {
            return blank.rcp(&header);
        }
        if let Some(header) = packet.read::<TrumpHeader>() {
            return blank.trump(&header);
        }
        if let Some(header) = packet.read::<TfrcHeader>() {
            return blank.tfrc(&header, way);
        }
        if let Some(header) = packet.read::<NadaHeader>() {
            return blank.nada(&header, way);
        }
        if packet.read::<SourceQuench>().is_some() {
            return Fields { protocol: Protocol::Quench, payload: 0, ..blank };
        }
        blank
    }

    fn tcp(self, packet: &Packet, flow: &Flow, way: Way, sent: &Sent) -> Fields {
        let mut bare = *packet;
        let has = |flag: u8| packet.flags & flag != 0;
        let (mut feedback, mut accurate) = (None, None);
        if has(TcpHeader::FEEDBACK) {
            feedback = match way {
                Way::Forward => packet.read::<XcpHeader>().map(Feedback::Ask),
                Way::Reverse => Some(Feedback::Answer(TcpHeader::take_answer(&mut bare))),
            };
        } else if way == Way::Reverse {
            accurate = TcpHeader::take_option(&mut bare);
        }
        let header: TcpHeader = bare.read().unwrap_or_default();
        // SYN takes a number of its own (RFC 9293 section 3.4); simulated streams begin behind it.
        let number = if has(TcpHeader::SYN) && way == Way::Forward { 0 } else { header.number + 1 };
        let offered = flow.connection.filter(|connection| connection.timestamps);
        let mut flags = u16::from(packet.flags & !(TcpHeader::FEEDBACK | TcpHeader::AE));
        if has(TcpHeader::AE) {
            flags |= Fields::AE;
        }
        // Options of a SYN are no payload.
        let payload = if has(TcpHeader::SYN) { 0 } else { self.payload };
        let common = Fields { protocol: Protocol::Tcp, payload, flags, feedback, accurate, ..self };
        if way == Way::Forward {
            return Fields {
                number,
                ack: has(TcpHeader::ACK).then_some(sent.next),
                timestamps: offered.map(|_| (header.timestamp, sent.echo)),
                ..common
            };
        }
        let scale = flow.connection.map_or(0, |connection| connection.scale);
        let block = |b: &SackBlock| {
            // What arrived twice may lie below the acknowledgement: its offsets wrap.
            let place = |offset: u32| number.wrapping_add_signed(i64::from(offset.cast_signed()));
            let ahead = |offset: u32| number.wrapping_add(u64::from(offset));
            if b.start > b.end || b.start > i32::MAX.cast_unsigned() {
                (place(b.start), place(b.end))
            } else {
                (ahead(b.start), ahead(b.end))
            }
        };
        Fields {
            number: if has(TcpHeader::SYN) { 0 } else { 1 },
            ack: Some(number),
            window: Some(u64::from(header.window) << scale),
            sack: header.sack.iter().filter(|b| **b != SackBlock::default()).map(block).collect(),
            timestamps: offered.map(|_| (sent.at.as_nanos(), header.timestamp)),
            ..common
        }
    }

    pub(crate) fn rcp(self, header: &RcpHeader) -> Fields {
        let answers = header.kind.answer().is_none();
        let next = u64::from(header.cum_ack);
        let above = (0..64).filter(|k| answers && header.sack >> k & 1 != 0);
        let rate = (header.rate != RcpHeader::NO_LIMIT).then_some(header.rate as f64 * 8.0);
        Fields {
            protocol: Protocol::Rcp,
            flags: (header.kind as u8).into(),
            number: header.seq.into(),
            ack: answers.then_some(next),
            sack: ranges(above.map(|k| next + 1 + k)),
            rate,
            ..self
        }
    }

    pub(crate) fn trump(self, header: &TrumpHeader) -> Fields {
        let acknowledges = header.kind == TrumpKind::Ack;
        let number = u64::from(header.number);
        let held = (0..64).filter(|k| acknowledges && header.mark >> k & 1 != 0);
        let rate = if acknowledges { header.return_rate } else { header.rate };
        Fields {
            protocol: Protocol::Trump,
            number,
            ack: acknowledges.then_some(number),
            sack: ranges(held.map(|k| number + k)),
            rate: Some(f64::from(rate)).filter(|rate| rate.is_finite()),
            ..self
        }
    }

    fn tfrc(self, header: &TfrcHeader, way: Way) -> Fields {
        let report = way == Way::Reverse;
        Fields {
            protocol: Protocol::Tfrc,
            number: header.number,
            ack: report.then_some(header.number),
            rate: report.then_some(header.received * 8.0),
            ..self
        }
    }

    fn nada(self, header: &NadaHeader, way: Way) -> Fields {
        let report = way == Way::Reverse;
        Fields {
            protocol: Protocol::Nada,
            number: header.number,
            ack: report.then_some(header.number),
            rate: report.then_some(header.received),
            ..self
        }
    }
}

/// Neighbours as ranges.
fn ranges(numbers: impl Iterator<Item = u64>) -> Vec<(u64, u64)> {
    let mut found: Vec<(u64, u64)> = Vec::new();
    for number in numbers {
        match found.last_mut() {
            Some(last) if last.1 == number => last.1 = number + 1,
            _ => found.push((number, number + 1)),
        }
    }
    found
}
