//! End points over UDP: the state machines of the simulator, driven by a socket and a clock.
//!
//! [`Senders`] and [`Receivers`] use neither: datagrams and times are arguments, so that tests can fuzz and replay them.
//! [`run`] moves datagrams between them and a [`socket`]. Sizes are those of IP packets: the 48 bytes of the header of the
//! transport ([`mod@dumbbell_header::datagram`]), the payload, and the headers of UDP and IP. A segment of TCP is as long as
//! the simulated one with timestamps, over IPv4; where that one is shorter, full segments carry less data here.

pub mod events;
mod receive;
pub mod replay;
pub mod run;
mod sampler;
mod send;
mod socket;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use dumbbell_core::{ConfigError, Ecn, FlowTag, Packet, Registered, TrafficClass};
use dumbbell_header::datagram::{LENGTH, Read};
use dumbbell_header::{Datagram, RcpHeader, TcpHeader, TrumpHeader};
use dumbbell_proto::{Needs, Opening, Receiver, Sender, TransportSpec, rcp, tcp, trump};
use dumbbell_sim::Plan;

use crate::frame::CLASS_SHIFT;

pub use receive::Receivers;
pub use send::Senders;

/// The UDP port that receivers listen at without another; in the range that IANA leaves to private use.
pub const PORT: u16 = 52_430;

/// Bytes of the headers of a packet over IPv4: those of IPv4 (RFC 791) and UDP (RFC 768), and that of the transport.
pub const HEADERS: u32 = 28 + LENGTH as u32;

/// The same over IPv6, whose header is 20 bytes longer (RFC 8200 section 3), or over IPv4.
const fn header_bytes(is_ipv6: bool) -> u16 {
    HEADERS as u16 + if is_ipv6 { 20 } else { 0 }
}

/// What came and was not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct Counts {
    /// Datagrams without a whole header of the transport.
    pub malformed: u64,
    /// Headers that belong to no flow.
    pub stray: u64,
    /// Headers that made no sense to the state machine of their flow.
    pub ignored: u64,
    /// Flows that found no room.
    pub refused: u64,
    /// Datagrams that the kernel did not take.
    pub unsent: u64,
}

/// A datagram that came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival<'a> {
    /// The first bytes, at most those of a header.
    pub head: &'a [u8],
    /// Bytes of the whole datagram.
    pub length: usize,
    /// The octet of its traffic class: the class selector, and the congestion notification field.
    pub traffic_class: u8,
}

/// A transport over UDP.
#[derive(Clone, Debug)]
pub struct OverUdp {
    /// The transport, with the headers of the wire.
    pub spec: TransportSpec,
    /// Its header.
    datagram: Datagram,
    /// Bytes of the headers of IP and UDP.
    outer: u16,
    /// How many bytes shorter a simulated packet is than that on the wire.
    more: u16,
}

/// What has no end points over UDP, and the remedy.
type Refusal = (String, String);

impl OverUdp {
    /// A transport over UDP, and over IP whose packets have `header` bytes of headers when all of the transport's is there.
    ///
    /// # Errors
    /// Why there is none, behind "the flows use", and the remedy.
    pub fn of(spec: &TransportSpec, header: u16) -> Result<OverUdp, Refusal> {
        let outer = header - LENGTH as u16;
        let name = spec.name();
        let none = || (format!("{name:?}, which has no end points over UDP"), one_of_them());
        let (spec, kind, more) = match spec {
            TransportSpec::Rcp(p) => {
                (TransportSpec::Rcp(Arc::new(rcp::Params { header, ..(**p).clone() })), RcpHeader::KIND, 0)
            }
            TransportSpec::Trump(p) => {
                let params = trump::Params { header, ..(**p).clone() };
                (TransportSpec::Trump(Arc::new(params)), TrumpHeader::KIND, 0)
            }
            TransportSpec::Tcp(p) => {
                check_tcp(p)?;
                let least = u32::from(outer) + TcpHeader::LEAST_IN_DATAGRAM as u32;
                (spec.clone(), TcpHeader::KIND, least.saturating_sub(p.header()) as u16)
            }
            _ => return Err(none()),
        };
        let datagram = dumbbell_header::datagram(kind).ok_or_else(none)?;
        Ok(OverUdp { spec, datagram, outer, more })
    }

    /// The transports of the groups of a plan; all use the same header.
    ///
    /// # Errors
    /// If some flows have none over UDP, or not the one that the others have.
    pub fn of_groups(plan: &Plan, header: u16) -> Result<Vec<OverUdp>, ConfigError> {
        let mut found: Vec<OverUdp> = Vec::new();
        for group in &plan.groups {
            let refused = |(what, remedy): Refusal| {
                ConfigError::new("transport", format!("the flows of {:?} use {what}", group.name), remedy)
            };
            let over_udp = OverUdp::of(&group.transport, header).map_err(refused)?;
            let name = group.transport.name();
            if let Some(first) = found.first().filter(|first| first.spec.name() != name) {
                return Err(refused((
                    format!("{name:?}, and others {:?}", first.spec.name()),
                    one_of_them(),
                )));
            }
            if group.reader.is_some() {
                return Err(refused((
                    "a `reader`, of which no receiver over UDP knows".to_owned(),
                    "leave it out".to_owned(),
                )));
            }
            found.push(over_udp);
        }
        Ok(found)
    }

    /// The transport of the receivers of a plan, which have to know of a flow what its packets do not say.
    ///
    /// # Errors
    /// As [`OverUdp::of_groups`], and if receivers would have to tell the flows of one group from those of another.
    pub fn of_receivers(plan: &Plan, header: u16) -> Result<OverUdp, ConfigError> {
        let mut all = OverUdp::of_groups(plan, header)?.into_iter();
        let Some(first) = all.next() else {
            return Err(ConfigError::new("", "there are no flows", "give a scenario with flows"));
        };
        if all.any(|other| !other.is_received_like(&first)) {
            return Err(ConfigError::new(
                "transport",
                "receivers acknowledge all flows alike, and these groups ask for different acknowledgements",
                first.alike(),
            ));
        }
        Ok(first)
    }

    /// True if a receiver need not know which of the two its flow has.
    fn is_received_like(&self, other: &OverUdp) -> bool {
        match (&self.spec, &other.spec) {
            (TransportSpec::Trump(a), TransportSpec::Trump(b)) => {
                (a.selacksize, a.ack_delay, a.payload) == (b.selacksize, b.ack_delay, b.payload)
            }
            (TransportSpec::Tcp(a), TransportSpec::Tcp(b)) => {
                let controller = b.controller.clone();
                a.controller.needs().any(Needs::ECHOES) == controller.needs().any(Needs::ECHOES)
                    && tcp::Params { controller, ..(**a).clone() } == **b
            }
            _ => true,
        }
    }

    /// What flows must have in common for their receivers.
    fn alike(&self) -> &'static str {
        match self.spec {
            TransportSpec::Tcp(_) => {
                "give all flows the same parameters but `controller`, and do not mix DCTCP with others"
            }
            _ => "give all flows the same `selacksize`, `ack_delay` and `payload`",
        }
    }

    /// The largest simulated packet that makes one of at most `mtu` bytes on the wire.
    pub fn largest(&self, mtu: u32) -> u32 {
        mtu.saturating_sub(self.more.into())
    }

    /// A datagram as a packet of the flow of its number; `None` if it is none of the transport.
    pub fn read(&self, came: Arrival<'_>) -> Option<Read> {
        let length = u16::try_from(came.length).unwrap_or(u16::MAX);
        let size = length.saturating_add(self.outer).saturating_sub(self.more);
        let class = TrafficClass::new(came.traffic_class >> CLASS_SHIFT).unwrap_or_default();
        self.datagram.read(came.head, FlowTag { slot: 0, class }, size, Ecn::of(came.traffic_class))
    }

    /// A packet of the flow of this number as a datagram.
    pub fn write(&self, packet: &Packet, number: u32) -> Outgoing {
        // The simulator does not count the options of a SYN.
        let least = self.datagram.length(packet) as u16;
        Outgoing {
            header: self.datagram.encode(packet, number),
            length: (packet.size + self.more).saturating_sub(self.outer).max(least),
            traffic_class: packet.class << CLASS_SHIFT | packet.ecn.bits(),
        }
    }

    /// The header of a packet in words, for people.
    pub fn text(&self, packet: &Packet) -> String {
        self.datagram.text(packet)
    }

    /// Opens one flow: its two ends.
    pub fn open(&self, opening: Opening) -> (Sender, Receiver) {
        self.spec.open(opening)
    }
}

/// Refuses what the two ends could not agree on.
fn check_tcp(params: &tcp::Params) -> Result<(), Refusal> {
    if let Some(exchange) = params.controller.exchange() {
        return Err((
            format!(
                "the controller {:?}, and {} has no form in datagrams",
                params.controller.name(),
                dumbbell_header::info(exchange.kind()).name
            ),
            "use a controller that asks no routers, or transport `rcp` or `trump`".to_owned(),
        ));
    }
    let needed = [("handshake", params.handshake, "begins"), ("fin", params.fin, "ends")];
    needed.into_iter().find(|(_, given, _)| !given).map_or(Ok(()), |(key, _, what)| {
        Err((
            format!("`{key} = false`, and a receiver over UDP knows by it where a flow {what}"),
            format!("give `{key} = true`"),
        ))
    })
}

fn one_of_them() -> String {
    "give `transport = \"tcp\"`, `transport = \"rcp\"` or `transport = \"trump\"`".to_owned()
}

/// A datagram to send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outgoing {
    /// The header, as it stands on the wire.
    pub header: [u8; LENGTH],
    /// Bytes of the datagram: it may end within the header, where that is zero, and has zeros behind it.
    pub length: u16,
    /// The octet of its traffic class.
    pub traffic_class: u8,
}

impl Outgoing {
    /// Those bytes of the header that the datagram has.
    pub fn head(&self) -> &[u8] {
        &self.header[..LENGTH.min(self.length.into())]
    }

    /// The same datagram as it comes.
    pub fn arrival(&self) -> Arrival<'_> {
        Arrival { head: self.head(), length: self.length.into(), traffic_class: self.traffic_class }
    }
}
