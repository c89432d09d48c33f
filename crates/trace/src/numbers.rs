//! Packets have no number of their own: fields that no hop changes identify them.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use dumbbell_core::{Frame, Header, Packet, Time, Way};
use dumbbell_header::{RcpHeader, TcpHeader, TrumpHeader};

use crate::event::{Content, Flow, Happened};
use crate::fields::{Fields, Protocol};
use crate::real;
use crate::simulated::Sent;

/// Bytes of a real packet that are looked at: the headers of IPv6 and TCP with all options.
const HASHED: usize = 100;

/// A packet that is on its way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamp {
    pub number: u64,
    pub since: Time,
    pub originated: bool,
    /// The link where it was seen first, and last.
    pub entry: Option<u32>,
    link: Option<u32>,
    sent: Sent,
}

/// What the ends of a flow know of each other: it stands in their packets, and not in simulated ones.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// What the source has of the destination: the number that it expects next, and the latest timestamp.
    next: u64,
    echo: u64,
}

/// Finds out which packet an event is about.
///
/// Two packets of a flow may be the same in all that no hop changes: copies, and acknowledgements sent again. They are
/// taken to keep their order.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    next: u64,
    inside: HashMap<u32, HashMap<u64, VecDeque<Stamp>>>,
    known: HashMap<u32, Known>,
}

impl Numbers {
    /// The packet that this happened to, and its fields.
    pub fn note(
        &mut self,
        now: Time,
        flow: &Flow,
        way: Way,
        happened: Happened,
        content: Content<'_>,
    ) -> (Stamp, Fields) {
        let known = self.known.entry(flow.number).or_insert(Known { next: 1, echo: 0 });
        let inside = self.inside.entry(flow.number).or_default();
        let key = identity(way, content);
        let same = inside.entry(key).or_default();
        let new = matches!(happened, Happened::Sent | Happened::Originated | Happened::Duplicated(_));
        let place = match happened {
            _ if new => None,
            Happened::Arrived(link) => same.iter().position(|stamp| stamp.link != Some(link)),
            _ => same.iter().position(|stamp| happened.link().is_none() || stamp.link == happened.link()),
        };
        let place = place.or_else(|| (!new && !same.is_empty()).then_some(0)).unwrap_or_else(|| {
            let original = same.front().filter(|_| matches!(happened, Happened::Duplicated(_)));
            let sent =
                original.map_or(Sent { at: now, next: known.next, echo: known.echo }, |stamp| stamp.sent);
            let (originated, link) = (happened == Happened::Originated, happened.link());
            same.push_back(Stamp { number: self.next, since: now, originated, entry: link, link, sent });
            self.next += 1;
            same.len() - 1
        });
        if matches!(happened, Happened::Arrived(_)) {
            same[place].link = happened.link();
            same[place].entry = same[place].entry.or(happened.link());
        }
        let stamp = same[place];
        if happened.is_last() {
            same.remove(place);
            if same.is_empty() {
                inside.remove(&key);
            }
        }
        let fields = match content {
            Content::Simulated(packet) => {
                let fields = Fields::of(packet, flow, way, &stamp.sent);
                if happened == Happened::Returned && fields.protocol == Protocol::Tcp {
                    let ended = fields.flags & u16::from(TcpHeader::FIN) != 0;
                    known.next = known.next.max(1 + u64::from(ended));
                    known.echo = known.echo.max(stamp.sent.at.as_nanos());
                }
                fields
            }
            Content::Real(bytes) => real::read(bytes),
        };
        (stamp, fields)
    }

    /// The flow has ended.
    pub fn forget(&mut self, flow: u32) {
        self.inside.remove(&flow);
        self.known.remove(&flow);
    }
}

/// A hash of all that no hop changes in a packet.
fn identity(way: Way, content: Content<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (way == Way::Forward).hash(&mut hasher);
    match content {
        Content::Simulated(packet) => hash_words(packet, &mut hasher),
        Content::Real(bytes) => hash_bytes(bytes, &mut hasher),
    }
    hasher.finish()
}

fn hash_words(packet: &Packet, hasher: &mut DefaultHasher) {
    (packet.size, packet.flags).hash(hasher);
    if let Some(header) = packet.read::<RcpHeader>() {
        hash_rcp(&header, hasher);
    } else if let Some(header) = packet.read::<TrumpHeader>() {
        hash_trump(&header, hasher);
    } else if packet.header.rides() {
        // Routers write into what rides on TCP.
        let [number, timestamp, ..] = packet.body;
        (packet.aux, number, timestamp).hash(hasher);
    } else {
        (packet.aux, packet.body).hash(hasher);
    }
}

/// All but what an emulated link changes: the traffic class, the checksum over it, and the headers of routers.
fn hash_bytes(bytes: &[u8], hasher: &mut DefaultHasher) {
    bytes.len().hash(hasher);
    let payload = real::datagram(bytes);
    if let Some(header) = payload.and_then(|payload| RcpHeader::WIRE?.decode(payload)) {
        hash_rcp(&header, hasher);
    } else if let Some(header) = payload.and_then(|payload| TrumpHeader::WIRE?.decode(payload)) {
        hash_trump(&header, hasher);
    } else {
        let v4 = bytes.first().is_some_and(|first| first >> 4 == 4);
        let changes: &[usize] = if v4 { &[1, 10, 11] } else { &[0, 1] };
        let kept = bytes.iter().take(HASHED).enumerate().filter(|(at, _)| !changes.contains(at));
        kept.for_each(|(_, byte)| byte.hash(hasher));
    }
}

fn hash_rcp(header: &RcpHeader, hasher: &mut DefaultHasher) {
    (header.kind as u8, header.seq, header.cum_ack, header.ts, header.sack).hash(hasher);
}

fn hash_trump(header: &TrumpHeader, hasher: &mut DefaultHasher) {
    (header.kind as u8, header.number, header.transmission, header.mark).hash(hasher);
}
