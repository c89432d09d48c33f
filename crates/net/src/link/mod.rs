//! Links: a queue, a transmitter and a propagation delay in one direction.
//!
//! There are five forms, with the same behaviour. [`FifoLink`] serves a DropTail queue at a constant rate: it knows the
//! departure time of a packet when the packet arrives, so a hop costs one event, and it computes its backlog from the
//! departure times only when asked. [`StampedLink`] is the same with an RCP router, [`InspectedLink`] out of a router with
//! an agent. [`LazyLink`] serves any other discipline
//! at a constant rate, and asks it for packets when somebody needs to know. [`QueuedLink`] serves varying rates, power
//! control and any router, and needs a second event, the end of each transmission. Law tests check that the first four
//! behave like the last. Those behind the first are [`Other`]s: one test tells the first from them.

mod classes;
mod contract;
mod description;
mod fifo;
mod flight;
mod impairments;
mod inspected;
mod lazy;
mod other;
mod queued;
mod service;
mod stamped;
mod verdicts;
mod watch;

#[cfg(test)]
mod forms;
#[cfg(test)]
pub(crate) mod laws;

use dumbbell_core::{DropReason, Duration, MarkReason, Packet, Time, VerdictSink};

pub use classes::{ClassCounters, PerClass};
pub use contract::{Carried, Counters, Incident, Incidents, LinkConfig};
pub use description::{
    Both, Direction, Duplex, Each, LinkSpec, MAX_MTU, MIN_MTU, RateChange, Reverse, Rule, TraceSpec,
};
pub use fifo::FifoLink;
pub use impairments::Arrival;
use impairments::Impairments;
pub use inspected::InspectedLink;
pub use lazy::LazyLink;
pub use other::Other;
pub use queued::QueuedLink;
pub use service::{Opportunities, Service, Trace};
pub use stamped::StampedLink;
pub use watch::Note;

use crate::power::{Ledger, Port};
use crate::queue::QueueSpec;
use crate::router::QueueView;
pub use crate::serializer::Serializer;

/// A link of any form. The fast form stays in place, whatever its size: nearly all links are of that form.
#[allow(clippy::large_enum_variant, reason = "see above: the large form is the common one")]
#[derive(Clone, Debug)]
pub enum Link {
    /// DropTail at a constant rate: one event per hop, or none.
    Fifo(FifoLink),
    /// Any other form.
    Other(Box<Other>),
}

const ONLY_INSPECTED: &str = "only a link that was made to be inspected is";

/// Where a node agent decides on a packet that is about to arrive.
struct Entrance<'a> {
    link: &'a mut Other,
    incidents: &'a mut Incidents,
}

impl Entrance<'_> {
    /// The sink of the link; most packets need none.
    #[cold]
    fn decide(&mut self, decision: impl FnOnce(&mut dyn VerdictSink<Packet>)) {
        match self.link {
            Other::Inspected(link) => decision(&mut link.entrance(self.incidents)),
            Other::Queued(link) => decision(&mut link.entrance(self.incidents)),
            Other::Stamped(_) | Other::Lazy(_) => unreachable!("{ONLY_INSPECTED}"),
        }
    }
}

impl VerdictSink<Packet> for Entrance<'_> {
    fn dropped(&mut self, packet: Packet, reason: DropReason) {
        self.decide(|sink| sink.dropped(packet, reason));
    }
    fn marked(&mut self, packet: &Packet, reason: MarkReason) {
        self.decide(|sink| sink.marked(packet, reason));
    }
}

macro_rules! either {
    ($self:ident, $link:ident => $body:expr) => {
        match $self {
            Link::Fifo($link) => $body,
            Link::Other($link) => $body,
        }
    };
}

impl Link {
    /// An idle link, in the cheapest form that serves its queue.
    pub fn new(config: &LinkConfig) -> Link {
        match (&config.direction.queue, &config.direction.router) {
            (QueueSpec::DropTail(queue), None) if config.is_plain() && !config.inspected => {
                Link::Fifo(FifoLink::new(config, queue))
            }
            _ => Link::Other(Box::new(Other::new(config))),
        }
    }

    /// A packet arrives at the queue; its [`Packet::hop`] becomes `hop`. What else happens goes to `incidents`. Returns true if
    /// `wake_at` changed.
    ///
    /// The packet comes by reference and is changed only where it comes to lie: a narrow store followed by a wide load
    /// of the same bytes would stall the processor on every hop.
    #[inline]
    pub fn push(&mut self, now: Time, packet: &Packet, hop: u32, incidents: &mut Incidents) -> bool {
        either!(self, link => link.push(now, packet, hop, incidents))
    }

    /// A packet arrives and is passed on at once: returns when it reaches the far end, or `None` if it was given up.
    /// Only for a link that [`Link::passes_on`].
    #[inline]
    pub fn pass(&mut self, now: Time, packet: &Packet, incidents: &mut Incidents) -> Option<Time> {
        match self {
            Link::Fifo(link) => link.pass(now, packet, incidents),
            Link::Other(_) => None,
        }
    }

    /// True if [`Link::pass`] may be used: the arrival of every accepted packet at the far end is known at once.
    pub fn passes_on(&self) -> bool {
        matches!(self, Link::Fifo(link) if link.passes_on())
    }

    /// True if packets may be offered ahead of time, provided that they are offered in order.
    pub fn is_transparent(&self) -> bool {
        matches!(self, Link::Fifo(link) if link.is_transparent())
    }

    /// True if [`Link::hand_on`] may be used: what leaves the transmitter is sure to reach the far end.
    pub fn can_hand_on(&self) -> bool {
        matches!(self, Link::Other(link) if link.can_hand_on())
    }

    /// Lets packets come out ahead of [`Packet::at`], their time of arrival at the far end, when that is known. Only for a
    /// link that [`Link::can_hand_on`] and that feeds none but transparent links.
    pub fn hand_on(&mut self) {
        if let Link::Other(link) = self {
            link.hand_on();
        }
    }

    /// True if packets come out of the link as soon as they start, by [`Link::next_ahead`] and [`Link::arrive_ahead`] in place
    /// of [`Link::push`], [`Link::settle`] and [`Link::act`], which does nothing. `wake_at` says when to ask at the latest.
    #[inline]
    pub fn gives_ahead(&self) -> bool {
        matches!(self, Link::Other(link) if link.gives_ahead())
    }

    /// The next packet whose turn it was up to `now`, the present, and when it reaches the far end. What else happens goes to
    /// `incidents`. Until there is none: before a packet arrives, before the link is asked what it holds or counted, and at
    /// `wake_at`. Only for a link that [`Link::gives_ahead`].
    #[inline]
    pub fn next_ahead(&mut self, now: Time, incidents: &mut Incidents) -> Option<(Time, Packet)> {
        self.lazy()?.next(now, incidents)
    }

    /// A packet arrives at the queue, as in [`Link::push`]. Returns what starts then, and when it reaches the far end. Only for a
    /// link that [`Link::gives_ahead`].
    #[inline]
    pub fn arrive_ahead(
        &mut self,
        now: Time,
        packet: &Packet,
        hop: u32,
        incidents: &mut Incidents,
    ) -> Option<(Time, Packet)> {
        self.lazy()?.arrive(now, packet, hop, incidents)
    }

    #[inline]
    fn lazy(&mut self) -> Option<&mut LazyLink> {
        match self.other_mut() {
            Some(Other::Lazy(link)) => Some(link),
            _ => None,
        }
    }

    /// Makes up for what the link has put off until `now`, the present. What else happened goes to `incidents`, and `wake_at` may
    /// change. True if there may have been something to do. Before the link is asked what it holds or counted.
    pub fn settle(&mut self, now: Time, incidents: &mut Incidents) -> bool {
        self.other_mut().is_some_and(|link| link.settle(now, incidents))
    }

    /// Lets the link act at `now`, the time it asked for. Returns true if the packet at its head has reached the far end, or
    /// will at [`Packet::at`] on a link that hands packets on; there are no incidents then.
    #[inline]
    pub fn act(&mut self, now: Time, incidents: &mut Incidents) -> bool {
        either!(self, link => link.act(now, incidents))
    }

    /// The packet that reaches the far end first. It stays until [`Link::pop`], so that it is copied once, to where it
    /// goes next.
    #[inline]
    pub fn head(&self) -> Option<&Packet> {
        either!(self, link => link.head())
    }

    /// Removes the head.
    #[inline]
    pub fn pop(&mut self) {
        either!(self, link => link.pop());
    }

    /// The queue at `now`, the present, what was counted so far, and the packets waiting or in transmission. What happens up to
    /// then goes to `incidents`, and `wake_at` may change. Only for a link that is [`LinkConfig::inspected`].
    ///
    /// # Panics
    /// If it is not.
    #[inline]
    pub fn inspect(&mut self, now: Time, incidents: &mut Incidents) -> (QueueView, Counters, u64) {
        match self.inspected() {
            Other::Inspected(link) => link.inspect(now),
            Other::Queued(link) => (link.inspect(now, incidents), link.progress(), link.backlog()),
            Other::Stamped(_) | Other::Lazy(_) => unreachable!("{ONLY_INSPECTED}"),
        }
    }

    /// Where a node agent decides on a packet that is about to arrive: the link counts its marks and drops.
    ///
    /// # Panics
    /// If the link is not [`LinkConfig::inspected`].
    pub fn entrance<'a>(&'a mut self, incidents: &'a mut Incidents) -> impl VerdictSink<Packet> {
        Entrance { link: self.inspected(), incidents }
    }

    #[inline]
    fn inspected(&mut self) -> &mut Other {
        match self {
            Link::Fifo(_) => unreachable!("{ONLY_INSPECTED}"),
            Link::Other(link) => link,
        }
    }

    /// True if packets may enter the link in one part of a run and come out in another: when they come out is known as soon as
    /// they have entered, and nothing is decided at the far end.
    pub fn can_be_cut(&self) -> bool {
        self.passes_on()
    }

    /// A packet that entered the link in another part of the run, in the order in which it did: it comes out at
    /// [`Packet::at`]. Returns true if `wake_at` changed. Only for a link that [`Link::can_be_cut`].
    #[inline]
    pub fn take_over(&mut self, packet: &Packet) -> bool {
        match self {
            Link::Fifo(link) => link.take_over(packet),
            Link::Other(_) => unreachable!("a link that can be cut is a FIFO"),
        }
    }

    /// Exchanges the packets on their way with those of the same link in another part of the run. Only for a link that
    /// [`Link::can_be_cut`].
    pub fn swap_flight(&mut self, other: &mut Link) {
        if let (Link::Fifo(link), Link::Fifo(other)) = (self, other) {
            link.swap_flight(other);
        }
    }

    /// When `act` must be called next.
    #[inline]
    pub fn wake_at(&self) -> Time {
        either!(self, link => link.wake_at())
    }

    /// Packets waiting or in transmission at `now`.
    pub fn backlog(&mut self, now: Time) -> u64 {
        either!(self, link => link.backlog(now))
    }

    /// Packets that the link holds: waiting, in transmission or in flight, here or on the links that passed them on.
    pub fn inside(&self) -> u64 {
        either!(self, link => link.inside())
    }

    /// What was counted up to `now`, but for the integral of the queue and the sum of sojourns: cheap enough for every sample.
    pub fn progress(&mut self, now: Time) -> Counters {
        either!(self, link => link.progress(now))
    }

    /// What was counted up to `now`, the next of the times announced in [`LinkConfig::read_at`].
    pub fn counters(&mut self, now: Time) -> Counters {
        either!(self, link => link.counters(now))
    }

    /// Packets waiting or in transmission at `now`, where a link that does not know them estimates them.
    pub fn backlog_early(&mut self, now: Time) -> u64 {
        either!(self, link => link.backlog_early(now))
    }

    /// What was counted up to `now`, the present of a run that is cut short before the next of the times announced. A
    /// [`FifoLink`] that does not know its backlog estimates it.
    pub fn counters_early(&mut self, now: Time) -> Counters {
        either!(self, link => link.counters_early(now))
    }

    /// Notes from now on what happens to packets, for [`Link::take_notes`].
    ///
    /// # Panics
    /// If the link is not [`LinkConfig::watched`].
    pub fn keep_notes(&mut self) {
        self.other_mut().into_iter().for_each(Other::keep_notes);
    }

    /// What happened to packets since the last call, in order, as far as the link did not know it when they arrived
    /// ([`Link::departure`]).
    pub fn take_notes(&mut self) -> impl Iterator<Item = (Packet, Note)> {
        self.other_mut().into_iter().flat_map(Other::take_notes)
    }

    /// When the packet accepted last has left the transmitter, if the link knows that when a packet arrives.
    pub fn departure(&self) -> Option<Time> {
        match self {
            Link::Fifo(link) => Some(link.free_at()),
            Link::Other(link) => link.departure(),
        }
    }

    /// The next of the arrivals noted, in order. A link that is fed ahead of time notes arrivals to come.
    pub fn next_arrival(&mut self) -> Option<Arrival> {
        either!(self, link => link.next_arrival())
    }

    /// The largest average length that the queue decided by: see `Discipline::average`.
    pub fn average(&self) -> Option<f64> {
        self.other().and_then(Other::average)
    }

    /// The rate in bits per second that the router offers each flow at `now`, if it has one.
    pub fn offered(&mut self, now: Time) -> Option<f64> {
        self.other_mut().and_then(|link| link.offered(now))
    }

    /// What was counted of each traffic class since the last call, up to `now`, if the link tells them apart.
    pub fn read_classes(&mut self, now: Time) -> Option<PerClass> {
        self.other_mut().and_then(|link| link.read_classes(now))
    }

    /// Conservation by traffic class, if the link tells them apart; and of the bytes that it holds of a shared buffer.
    ///
    /// # Panics
    /// If a class gained or lost a packet, or the buffer a byte, which only a bug can do.
    pub fn assert_conservation(&self) {
        self.other().into_iter().for_each(Other::assert_conservation);
    }

    /// The port, if the link is under power control.
    pub fn port(&self) -> Option<&Port> {
        self.other().and_then(Other::port)
    }

    /// A pause frame is on its way to the transmitter, and arrives at `at`; it begins a pause or ends one. Only for a link whose part
    /// it is to obey ([`LinkConfig::pause`]).
    pub fn expect_pause(&mut self, at: Time, begins: bool) {
        if let Some(link) = self.other_mut() {
            link.expect_pause(at, begins);
        }
    }

    /// The time up to `now`, the present, in which pauses held the transmitter back, since the last call; `None` for a link that
    /// obeys none.
    pub fn read_pause(&mut self, now: Time) -> Option<Duration> {
        self.other_mut().and_then(|link| link.read_pause(now))
    }

    /// Closes the account of the port at `now`, the present, and opens an empty one.
    pub fn read_port(&mut self, now: Time) -> Option<Ledger> {
        self.other_mut().and_then(|link| link.read_port(now))
    }

    fn other(&self) -> Option<&Other> {
        match self {
            Link::Fifo(_) => None,
            Link::Other(link) => Some(link),
        }
    }

    fn other_mut(&mut self) -> Option<&mut Other> {
        match self {
            Link::Fifo(_) => None,
            Link::Other(link) => Some(link),
        }
    }
}
