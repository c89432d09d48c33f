//! The contract of node agents: events of a router, and answers.

use std::fmt::Debug;

use dumbbell_core::rng::Stream;
use dumbbell_core::{BitRate, Ecn, Header, HeaderKind, Packet, Time, VerdictSink, Way};

use crate::link::Counters;
use crate::router::QueueView;

/// A port of a router, which leads to a neighbour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Port {
    /// The rate of the link out at the start; zero if there is only a link in.
    pub rate: BitRate,
    /// Largest packet on the link out.
    pub mtu: u32,
}

/// What an agent may know of its router when it is made.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The number of the router, by which it names itself in headers: not 0, and no other router's.
    pub router: u32,
    /// Its ports, by number. The links from a neighbour and to it are one port.
    pub ports: Vec<Port>,
    /// The agent's own random stream.
    pub rng: Stream,
}

/// What an agent sees of a port's link out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PortView {
    /// The queue, without the packet in transmission.
    pub queue: QueueView,
    /// What the link has counted since the start of the run.
    pub counters: Counters,
    /// Packets waiting or in transmission.
    pub backlog: u64,
}

/// What an agent that allocates the bandwidth of a port to flows has counted, over the whole run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Allocated {
    /// Packets whose fields were those of the last decision on their flow.
    pub hits: u64,
    /// Packets that needed a decision.
    pub misses: u64,
    /// Times that the allocation was computed.
    pub updates: u64,
    /// Sources that were told that their rate has fallen.
    pub quenches: u64,
    /// Flows forgotten because they were silent.
    pub forgotten: u64,
}

/// A flow, by which an agent remembers it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FlowId {
    /// A small number, for tables. One that was a flow's is used again when that flow has ended.
    pub index: u32,
    /// The flow's number in the run, which no other has.
    pub number: u32,
}

/// How a packet passes a router.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Passage {
    /// The packet's flow.
    pub flow: FlowId,
    /// Which way along the flow the packet travels.
    pub way: Way,
    /// True if a router originated the packet.
    pub originated: bool,
    /// The port that it enters.
    pub entered: u32,
    /// The port that it leaves.
    pub leaves: u32,
}

/// Packets that an agent originates. They leave in the order given, behind the packet at hand.
#[derive(Debug, Default)]
pub struct Outbox {
    packets: Vec<(FlowId, Way, Packet)>,
}

impl Outbox {
    /// Sends a packet of `size` bytes that carries `header` to an end of a flow: [`Way::Forward`] to its destination,
    /// [`Way::Reverse`] to its source. If the flow has ended, or nothing leads there from this router, no packet leaves.
    pub fn send<H: Header>(&mut self, flow: FlowId, way: Way, size: u16, header: H) {
        self.packets.push((flow, way, Packet::of(header, flow.index, size, Ecn::NotEct)));
    }

    /// True if there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Takes out all packets.
    pub fn drain(&mut self) -> impl Iterator<Item = (FlowId, Way, Packet)> {
        self.packets.drain(..)
    }
}

/// An agent of a router.
///
/// Calls come in order of time; at equal times packets come before `wake`.
pub trait NodeAgent: Debug + Send {
    /// `packet` has entered the router and is about to be queued on the link out of the port that it leaves, of which `port`
    /// is the view. Returns the packet, perhaps with another header or mark; or gives it up through `sink`, through which
    /// marks go too.
    fn passing(
        &mut self,
        now: Time,
        packet: Packet,
        passage: &Passage,
        port: &PortView,
        sink: &mut dyn VerdictSink<Packet>,
        outbox: &mut Outbox,
    ) -> Option<Packet>;

    /// A time that the agent asked for has come. `ports` are the views of all ports, by number.
    fn wake(&mut self, now: Time, ports: &[PortView], outbox: &mut Outbox) {
        let _ = (now, ports, outbox);
    }

    /// When `wake` must be called next; [`Time::NEVER`] if not at all. Behind a call of `wake` it is later than that.
    fn wake_at(&self) -> Time {
        Time::NEVER
    }

    /// What it has counted, by port, if it allocates bandwidth to flows.
    fn allocated(&self) -> Vec<Allocated> {
        Vec::new()
    }
}

/// The parameters of a node agent.
pub trait NodeAgentParams: Debug + Send + Sync {
    /// An agent with these parameters.
    fn build(&self, setting: Setting) -> Box<dyn NodeAgent>;

    /// True if it may draw random numbers.
    fn draws(&self) -> bool {
        false
    }

    /// The headers that it reads or writes: end points that need one of these find it served.
    fn headers(&self) -> &'static [HeaderKind] {
        &[]
    }
}
