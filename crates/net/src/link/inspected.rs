//! A [`FifoLink`] out of a router with a node agent, with one event per hop.
//!
//! The agent looks at the queue before each packet, and decides on what enters it. The link knows at any time what has left,
//! because departures are known at arrival.

use dumbbell_core::{DropReason, MarkReason, Packet, Time, VerdictSink};

use super::{Arrival, Counters, FifoLink, Incident, Incidents, LinkConfig};
use crate::queue::droptail;
use crate::ring::Ring;
use crate::router::QueueView;

/// A DropTail queue at a constant rate that an agent looks at.
#[derive(Clone, Debug)]
pub struct InspectedLink {
    fifo: FifoLink,
    marked: u64,
    queue_at_arrivals: u64,
    /// The packets that had not left when last looked at: an agent that looks at the counters finds those that have.
    stays: Ring<Stay>,
    sojourn_sum: u64,
}

/// When a packet arrived at the queue, and when it leaves the transmitter.
#[derive(Clone, Copy, Debug)]
struct Stay {
    arrival: Time,
    departure: Time,
}

/// Counts what a node agent decides on a packet before it arrives. One that is given up counts as having arrived.
struct Entrance<'a> {
    link: &'a mut InspectedLink,
    incidents: &'a mut Incidents,
}

impl VerdictSink<Packet> for Entrance<'_> {
    fn dropped(&mut self, packet: Packet, reason: DropReason) {
        self.link.fifo.give_up(&packet, reason, self.incidents);
    }
    fn marked(&mut self, _packet: &Packet, _reason: MarkReason) {
        self.link.marked += 1;
    }
}

impl InspectedLink {
    /// An idle link.
    pub fn new(config: &LinkConfig, queue: &droptail::Params) -> InspectedLink {
        let fifo = FifoLink::new(&LinkConfig { sampled: true, ..config.clone() }, queue);
        InspectedLink { fifo, marked: 0, queue_at_arrivals: 0, stays: Ring::default(), sojourn_sum: 0 }
    }

    /// See [`super::Link::inspect`].
    #[inline]
    pub fn inspect(&mut self, now: Time) -> (QueueView, Counters, u64) {
        let backlog = self.fifo.backlog(now);
        let (packets, bytes) = self.fifo.waiting();
        (QueueView { packets, bytes, rate: self.fifo.rate() }, self.progress(now), backlog)
    }

    /// See [`super::Link::entrance`].
    pub fn entrance<'a>(&'a mut self, incidents: &'a mut Incidents) -> impl VerdictSink<Packet> {
        Entrance { link: self, incidents }
    }

    /// See [`super::Link::push`].
    #[inline]
    pub fn push(&mut self, now: Time, packet: &Packet, hop: u32, incidents: &mut Incidents) -> bool {
        let (before, inside) = (incidents.len(), self.fifo.inside());
        let first = self.fifo.push(now, packet, hop, incidents);
        // What is lost before the queue does not arrive at it.
        let arrives = |(_, what): &(Packet, Incident)| *what == Incident::Dropped(DropReason::Overflow);
        if incidents.len() == before || incidents.last().is_some_and(arrives) {
            self.queue_at_arrivals += self.fifo.backlog(now);
        }
        if self.fifo.inside() != inside {
            self.stays.push(Stay { arrival: now, departure: self.fifo.free_at() });
        }
        first
    }

    /// The counters at `now`, with those that the other form of the link keeps in another way.
    fn with_own(&mut self, now: Time, counters: Counters) -> Counters {
        while let Some(stay) = self.stays.front().filter(|stay| stay.departure <= now) {
            self.sojourn_sum += stay.departure.since(stay.arrival).as_nanos();
            self.stays.discard();
        }
        Counters {
            marked: self.marked,
            queue_at_arrivals: self.queue_at_arrivals,
            sojourn_sum: self.sojourn_sum,
            ..counters
        }
    }

    /// See [`super::Link::act`].
    #[inline]
    pub fn act(&mut self, now: Time, incidents: &mut Incidents) -> bool {
        self.fifo.act(now, incidents)
    }

    /// See [`super::Link::next_arrival`].
    pub(super) fn next_arrival(&mut self) -> Option<Arrival> {
        self.fifo.next_arrival()
    }

    /// See [`super::Link::head`].
    #[inline]
    pub fn head(&self) -> Option<&Packet> {
        self.fifo.head()
    }

    /// See [`super::Link::pop`].
    #[inline]
    pub fn pop(&mut self) {
        self.fifo.pop();
    }

    /// See [`super::Link::wake_at`].
    #[inline]
    pub fn wake_at(&self) -> Time {
        self.fifo.wake_at()
    }

    /// See [`super::Link::backlog`].
    pub fn backlog(&mut self, now: Time) -> u64 {
        self.fifo.backlog(now)
    }

    /// See [`super::Link::inside`].
    pub fn inside(&self) -> u64 {
        self.fifo.inside()
    }

    /// See [`super::Link::progress`].
    pub fn progress(&mut self, now: Time) -> Counters {
        let counters = self.fifo.progress(now);
        self.with_own(now, counters)
    }

    /// See [`super::Link::counters`].
    pub fn counters(&mut self, now: Time) -> Counters {
        let counters = self.fifo.counters(now);
        self.with_own(now, counters)
    }

    /// See [`super::Link::backlog_early`].
    pub fn backlog_early(&mut self, now: Time) -> u64 {
        self.fifo.backlog_early(now)
    }

    /// See [`super::Link::counters_early`].
    pub fn counters_early(&mut self, now: Time) -> Counters {
        let counters = self.fifo.counters_early(now);
        self.with_own(now, counters)
    }
}
