//! End points over UDP: the state machines of the simulator, driven by a socket and a clock.
//!
//! [`Senders`] and [`Receivers`] use neither: datagrams and times are arguments, so that tests can fuzz and replay them.
//! [`run`] moves datagrams between them and a [`socket`]. Sizes are those of IP packets: the 48 bytes of the header of the
//! transport ([`mod@dumbbell_header::datagram`]), the payload, and the headers of UDP and IP.

pub mod events;
mod receive;
pub mod replay;
pub mod run;
mod send;
mod socket;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use dumbbell_core::ConfigError;
use dumbbell_header::Datagram;
use dumbbell_header::datagram::LENGTH;
use dumbbell_proto::{Opening, Receiver, Sender, TransportSpec, rcp, trump};
use dumbbell_sim::Plan;

pub use receive::Receivers;
pub use send::Senders;

/// The UDP port that receivers listen at without another; in the range that IANA leaves to private use.
pub const PORT: u16 = 52_430;

/// Bytes of the headers of a packet over IPv4: those of IPv4 (RFC 791) and UDP (RFC 768), and that of the transport.
pub const HEADERS: u32 = 28 + LENGTH as u32;

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

/// A transport over UDP.
#[derive(Clone, Debug)]
pub struct OverUdp {
    /// The transport, with the headers of the wire.
    pub spec: TransportSpec,
    /// Its header.
    pub datagram: Datagram,
}

impl OverUdp {
    /// A transport whose packets have `header` bytes of headers; `None` if its headers have no wire form.
    pub fn of(spec: &TransportSpec, header: u16) -> Option<OverUdp> {
        let spec = match spec {
            TransportSpec::Rcp(p) => TransportSpec::Rcp(Arc::new(rcp::Params { header, ..(**p).clone() })),
            TransportSpec::Trump(p) => {
                TransportSpec::Trump(Arc::new(trump::Params { header, ..(**p).clone() }))
            }
            _ => return None,
        };
        let datagram = dumbbell_header::datagram(spec.asks_routers()?)?;
        Some(OverUdp { spec, datagram })
    }

    /// The transports of the groups of a plan; all use the same header.
    ///
    /// # Errors
    /// If some flows have none over UDP, or not the one that the others have.
    pub fn of_groups(plan: &Plan, header: u16) -> Result<Vec<OverUdp>, ConfigError> {
        let mut found: Vec<OverUdp> = Vec::new();
        for group in &plan.groups {
            let refused = |what: String| {
                let remedy = "give `transport = \"rcp\"` or `transport = \"trump\"`";
                ConfigError::new("transport", format!("the flows of {:?} use {what}", group.name), remedy)
            };
            let name = group.transport.name();
            let over_udp = OverUdp::of(&group.transport, header)
                .ok_or_else(|| refused(format!("{name:?}, which has no end points over UDP")))?;
            match found.first() {
                Some(first) if first.spec.name() != name => {
                    return Err(refused(format!("{name:?}, and others {:?}", first.spec.name())));
                }
                _ => found.push(over_udp),
            }
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
        let known = |over_udp: &OverUdp| match &over_udp.spec {
            TransportSpec::Trump(p) => Some((p.selacksize, p.ack_delay, p.payload)),
            _ => None,
        };
        if all.any(|other| known(&other) != known(&first)) {
            return Err(ConfigError::new(
                "transport",
                "receivers acknowledge all flows alike, and these groups ask for different acknowledgements",
                "give all flows the same `selacksize`, `ack_delay` and `payload`",
            ));
        }
        Ok(first)
    }

    /// Opens one flow: its two ends.
    pub fn open(&self, opening: Opening) -> (Sender, Receiver) {
        self.spec.open(opening)
    }
}

/// A datagram to send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outgoing {
    /// The header, as it stands on the wire.
    pub header: [u8; LENGTH],
    /// Bytes of data behind it.
    pub payload: u16,
}

/// Bytes of data in a datagram.
fn payload_of(length: usize) -> u16 {
    u16::try_from(length.saturating_sub(LENGTH)).unwrap_or(u16::MAX)
}
