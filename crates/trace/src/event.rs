//! Events, and what they refer to.

use dumbbell_core::{DropReason, Duration, Packet, Time, Way};

use crate::fields::Fields;

/// The network that a trace is of. Events refer to nodes and links by their index.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Network {
    /// Names of the nodes.
    pub nodes: Vec<String>,
    /// The directed links.
    pub links: Vec<Link>,
    /// Time zero, in nanoseconds since 1970; 0 for simulated time.
    pub epoch: u64,
}

/// A directed link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Link {
    /// Its name in results.
    pub name: String,
    /// The node that it leaves.
    pub from: u32,
    /// The node that it enters.
    pub to: u32,
}

/// A flow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flow {
    /// Its number, as in the table of flows.
    pub number: u32,
    /// The flow group or workload that it belongs to.
    pub group: String,
    /// The node that sends data.
    pub source: u32,
    /// The node that data is sent to.
    pub destination: u32,
    /// The name of the transport.
    pub transport: String,
    /// The name of the congestion controller; empty if there is none.
    pub controller: String,
    /// Application bytes; `None` if it has no end.
    pub size: Option<u64>,
    /// Bytes of the headers of a packet with data, as the simulator counts them; 0 for real packets.
    pub header: u16,
    /// What the two ends of TCP have agreed to; `None` for other transports, and for real packets, which say it
    /// themselves.
    pub connection: Option<Connection>,
}

/// What a SYN and its answer say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Connection {
    /// Payload of a full segment.
    pub segment: u16,
    /// Shift of the receiver's window (RFC 7323 section 2).
    pub scale: u8,
    /// True with selective acknowledgements.
    pub sack: bool,
    /// True with timestamps.
    pub timestamps: bool,
}

/// The state of a sender.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct State {
    /// Congestion window in bytes.
    pub window: u64,
    /// Slow-start threshold in bytes; `None` if there is none yet.
    pub threshold: Option<u64>,
    /// Bytes sent and neither acknowledged nor taken for lost.
    pub in_flight: u64,
    /// Smoothed round-trip time; zero if unknown.
    pub smoothed_rtt: Duration,
    /// Smallest round-trip time; zero if unknown.
    pub min_rtt: Duration,
    /// Pacing rate in bits a second; `None` if segments are not paced.
    pub pacing: Option<f64>,
    /// The highest number that the receiver's window allows, on the scale of [`Fields::number`]; 0 if unknown.
    pub limit: u64,
    /// The state of congestion control by its name; `None` if it has no states.
    pub phase: Option<&'static str>,
}

/// What happened to a packet. A link is its index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Happened {
    /// An end point sent it.
    Sent,
    /// A router originated it.
    Originated,
    /// It arrived at a link, before its queue.
    Arrived(u32),
    /// It left the queue of a link: its transmission has ended.
    Left(u32),
    /// It is about to pass the agent of a router, on its way to this link.
    Passed(u32),
    /// A link dropped it, or an agent before that link.
    Dropped(u32, DropReason),
    /// A link, or an agent before it, marked it "congestion experienced".
    Marked(u32),
    /// A link made this copy of it.
    Duplicated(u32),
    /// It reached the destination of its flow.
    Delivered,
    /// It came back to the source of its flow.
    Returned,
}

impl Happened {
    /// The word for it in lines and files.
    pub const fn name(self) -> &'static str {
        match self {
            Happened::Sent => "sent",
            Happened::Originated => "originated",
            Happened::Arrived(_) => "arrived",
            Happened::Left(_) => "left",
            Happened::Passed(_) => "passed",
            Happened::Dropped(..) => "dropped",
            Happened::Marked(_) => "marked",
            Happened::Duplicated(_) => "duplicated",
            Happened::Delivered => "delivered",
            Happened::Returned => "returned",
        }
    }

    /// The link where it happened, if it was at a link.
    pub const fn link(self) -> Option<u32> {
        match self {
            Happened::Arrived(link)
            | Happened::Left(link)
            | Happened::Passed(link)
            | Happened::Dropped(link, _)
            | Happened::Marked(link)
            | Happened::Duplicated(link) => Some(link),
            Happened::Sent | Happened::Originated | Happened::Delivered | Happened::Returned => None,
        }
    }

    /// Why it was dropped, if it was.
    pub const fn reason(self) -> Option<DropReason> {
        match self {
            Happened::Dropped(_, reason) => Some(reason),
            _ => None,
        }
    }

    /// True if the packet is gone then.
    pub const fn is_last(self) -> bool {
        matches!(self, Happened::Dropped(..) | Happened::Delivered | Happened::Returned)
    }
}

/// A packet as whoever watches has it.
#[derive(Clone, Copy, Debug)]
pub enum Content<'a> {
    /// A simulated packet, whose header is packed into words.
    Simulated(&'a Packet),
    /// A real packet, from its IP header on.
    Real(&'a [u8]),
}

/// A packet as sinks see it.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// Its number in the trace, from 0, in the order in which packets were first seen. All its events have it.
    pub number: u64,
    /// When it was first seen: when an end point sent it, unless the trace began later.
    pub since: Time,
    /// Which way it travels.
    pub way: Way,
    /// True if a router originated it.
    pub originated: bool,
    /// The first link that it was seen at.
    pub entry: Option<u32>,
    /// What its headers say.
    pub fields: &'a Fields,
    /// The packet itself.
    pub content: Content<'a>,
}

/// Something that happened.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// When.
    pub time: Time,
    /// To which flow.
    pub flow: &'a Flow,
    /// What.
    pub what: What<'a>,
}

impl Event<'_> {
    /// The name of the link or of the node where it happened; `-` for a router that is not told.
    pub fn place<'n>(&self, network: &'n Network) -> &'n str {
        let What::Packet(happened, seen) = self.what else { return "-" };
        let (source, destination) = (self.flow.source, self.flow.destination);
        let node = |index: u32| network.nodes.get(index as usize).map(String::as_str);
        let name = match (happened, seen.way) {
            (Happened::Sent, Way::Forward) | (Happened::Returned, _) => node(source),
            (Happened::Sent, Way::Reverse) | (Happened::Delivered, _) => node(destination),
            _ => happened
                .link()
                .and_then(|link| network.links.get(link as usize))
                .map(|link| link.name.as_str()),
        };
        name.unwrap_or("-")
    }
}

/// What happened to a flow or one of its packets.
#[derive(Clone, Copy, Debug)]
pub enum What<'a> {
    /// The flow begins.
    Opened,
    /// The flow has ended.
    Closed,
    /// The state of its sender, after it has changed.
    State(&'a State),
    /// Something happened to a packet of it.
    Packet(Happened, &'a Seen<'a>),
}
