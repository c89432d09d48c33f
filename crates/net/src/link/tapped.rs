//! A [`FifoLink`] that a router looks into, with one event per hop: a router of RCP, or one with a node agent.
//!
//! A router of RCP stamps a packet when the packet leaves the queue. The link knows that time when the packet arrives. It also
//! knows the rate at that time, unless the packet leaves after the next update of the rate: such packets wait for their
//! stamps in a list. Updates need no event. When a packet arrives or leaves, the link first makes the updates that are due.
//! It computes the backlog that the router reads from the packets in flight, whose times tell when they left the queue.
//!
//! A node agent looks at the queue before each packet, and decides on what enters it. The link knows at any time what has left,
//! because departures are known at arrival.

use std::ops::Range;

use dumbbell_core::{DropReason, Duration, MarkReason, Packet, Time};

use super::{Arrival, Counters, FifoLink, Incident, Incidents, LinkConfig, Meter};
use crate::queue::droptail;
use crate::ring::Ring;
use crate::router::rcp::{Params, RcpAgent};
use crate::router::{Agent, AgentParams, QueueView};

/// A DropTail queue at a constant rate that a router looks into.
#[derive(Clone, Debug)]
pub struct TappedLink {
    fifo: FifoLink,
    tap: Tap,
}

/// Who looks.
#[allow(clippy::large_enum_variant, reason = "the large one is looked at by every packet")]
#[derive(Clone, Debug)]
enum Tap {
    /// A router of RCP.
    Stamper(Stamper),
    /// A node agent.
    Inspector(Inspector),
}

impl TappedLink {
    /// An idle link with a router of RCP.
    pub fn stamped(config: &LinkConfig, queue: &droptail::Params, router: &Params) -> TappedLink {
        let fifo = FifoLink::new(&LinkConfig { sampled: false, ..config.clone() }, queue);
        TappedLink { fifo, tap: Tap::Stamper(Stamper::new(config, router)) }
    }

    /// An idle link out of a router with a node agent.
    pub fn inspected(config: &LinkConfig, queue: &droptail::Params) -> TappedLink {
        let fifo = FifoLink::new(&LinkConfig { sampled: true, ..config.clone() }, queue);
        TappedLink { fifo, tap: Tap::Inspector(Inspector::default()) }
    }

    /// See [`super::Link::push`]. As there, the compiler would make calls of it and of `advance`.
    #[inline(always)]
    pub fn push(&mut self, now: Time, packet: &Packet, hop: u32, incidents: &mut Incidents) -> bool {
        match &mut self.tap {
            Tap::Stamper(stamper) => {
                stamper.catch_up(now, &mut self.fifo);
                let start = self.fifo.free_at().max(now);
                let inside = self.fifo.inside();
                let first = self.fifo.push(now, packet, hop, incidents);
                let accepted = self.fifo.inside() != inside;
                // The router sees what arrives at the queue, also if it finds no room.
                if accepted || overflowed(incidents) {
                    stamper.router.count(now, packet);
                }
                if accepted {
                    stamper.accepted(start, packet, &mut self.fifo);
                }
                first
            }
            Tap::Inspector(inspector) => inspector.push(now, packet, hop, incidents, &mut self.fifo),
        }
    }

    /// See [`super::Link::take`].
    #[inline(always)]
    pub fn advance(&mut self, now: Time, incidents: &mut Incidents) -> bool {
        if let Tap::Stamper(stamper) = &mut self.tap {
            stamper.catch_up(now, &mut self.fifo);
            if stamper.waiting == self.fifo.inside() {
                // Nobody looked since the head left.
                stamper.leave(&self.fifo, |departure| departure <= now);
            }
        }
        self.fifo.advance(now, incidents)
    }

    /// The packet that came out.
    #[inline]
    pub fn pop(&mut self) -> Option<Packet> {
        self.fifo.pop()
    }

    /// See [`super::Link::wake_at`].
    #[inline]
    pub fn wake_at(&self) -> Time {
        self.fifo.wake_at()
    }

    /// What the fast form counted, with what the general form counts of a link that is inspected.
    fn completed(&mut self, now: Time, counters: Counters) -> Counters {
        match &mut self.tap {
            Tap::Stamper(_) => counters,
            Tap::Inspector(inspector) => inspector.completed(now, counters),
        }
    }
}

/// True if the incident at hand is that the queue had no room. What is lost before it does not arrive at it.
#[inline]
fn overflowed(incidents: &Incidents) -> bool {
    incidents.last().is_some_and(|(_, what)| *what == Incident::Dropped(DropReason::Overflow))
}

impl Meter for TappedLink {
    fn backlog(&mut self, now: Time) -> u64 {
        match &mut self.tap {
            Tap::Stamper(stamper) => {
                stamper.catch_up(now, &mut self.fifo);
                stamper.leave(&self.fifo, |departure| departure <= now);
                stamper.waiting
            }
            Tap::Inspector(_) => self.fifo.backlog(now),
        }
    }

    fn inside(&self) -> u64 {
        self.fifo.inside()
    }

    fn progress(&mut self, now: Time) -> Counters {
        let waiting = self.backlog(now);
        match &mut self.tap {
            Tap::Stamper(stamper) => self.fifo.progress_but(waiting, stamper.waiting_bytes),
            Tap::Inspector(inspector) => {
                let counters = self.fifo.progress(now);
                inspector.completed(now, counters)
            }
        }
    }

    fn counters(&mut self, now: Time) -> Counters {
        let counters = self.fifo.counters(now);
        self.completed(now, counters)
    }

    fn backlog_early(&mut self, now: Time) -> u64 {
        self.fifo.backlog_early(now)
    }

    fn counters_early(&mut self, now: Time) -> Counters {
        let counters = self.fifo.counters_early(now);
        self.completed(now, counters)
    }

    fn queue(&mut self, now: Time, _: &mut Incidents) -> QueueView {
        self.fifo.backlog(now);
        let (packets, bytes) = self.fifo.waiting();
        QueueView { packets, bytes, rate: self.fifo.rate() }
    }

    fn give_up(&mut self, packet: Packet, reason: DropReason, incidents: &mut Incidents) {
        self.fifo.turn_away(&packet, reason, incidents);
    }

    fn mark(&mut self, _: &Packet, _: MarkReason) {
        if let Tap::Inspector(inspector) = &mut self.tap {
            inspector.marked += 1;
        }
    }

    fn departure(&self) -> Option<Time> {
        matches!(self.tap, Tap::Stamper(_)).then(|| self.fifo.free_at())
    }

    fn next_arrival(&mut self) -> Option<Arrival> {
        self.fifo.next_arrival()
    }

    fn offered(&mut self, now: Time) -> Option<f64> {
        let Tap::Stamper(stamper) = &mut self.tap else { return None };
        stamper.catch_up(now, &mut self.fifo);
        stamper.router.offered()
    }
}

/// A router of RCP.
#[derive(Clone, Debug)]
struct Stamper {
    router: RcpAgent,
    /// When the rate is next updated.
    update_at: Time,
    /// When the latest packets leave the queue: those after the next update.
    unstamped: Ring<Time>,
    delay: Duration,
    /// The latest packets: those that had not left when last looked at, and their bytes.
    waiting: u64,
    waiting_bytes: u64,
}

impl Stamper {
    fn new(config: &LinkConfig, router: &Params) -> Stamper {
        let router = router.build(config.router_setting());
        Stamper {
            update_at: router.wake_at(),
            router,
            unstamped: Ring::default(),
            delay: config.direction.delay,
            waiting: 0,
            waiting_bytes: 0,
        }
    }

    /// `packet` has entered the queue, which it leaves at `start`.
    #[inline]
    fn accepted(&mut self, start: Time, packet: &Packet, fifo: &mut FifoLink) {
        self.waiting += 1;
        self.waiting_bytes += u64::from(packet.size);
        if start < self.update_at {
            self.stamp(fifo, 0);
        } else {
            self.unstamped.push(start);
        }
    }

    /// Writes the rate into the packet that `behind` packets follow.
    #[inline]
    fn stamp(&mut self, fifo: &mut FifoLink, behind: usize) {
        if let Some(packet) = fifo.stored_mut(behind) {
            self.router.stamp(packet);
        }
    }

    #[inline]
    fn catch_up(&mut self, now: Time, fifo: &mut FifoLink) {
        if now >= self.update_at {
            self.update(now, fifo);
        }
    }

    /// Updates the rate up to `now`, and writes the stamps that fall between.
    #[cold]
    fn update(&mut self, now: Time, fifo: &mut FifoLink) {
        while self.update_at <= now {
            let at = self.update_at;
            self.leave(fifo, |departure| departure < at);
            let in_service = match self.waiting {
                0 => 0,
                n => fifo.stored(n as usize - 1).map_or(0, |p| u64::from(p.size)),
            };
            self.router.wake(
                at,
                &QueueView {
                    packets: self.waiting.saturating_sub(1),
                    bytes: self.waiting_bytes - in_service,
                    rate: fifo.rate(),
                },
            );
            self.update_at = self.router.wake_at();
            while self.unstamped.front().is_some_and(|start| *start < self.update_at) {
                self.stamp(fifo, self.unstamped.len() - 1);
                self.unstamped.discard();
            }
        }
    }

    /// Takes the packets whose departures are `past` out of those that wait.
    ///
    /// The first of those that stay is searched for, and the shorter side is summed up: most updates find a short queue
    /// behind many packets that left, and a long one changes little from update to update.
    fn leave(&mut self, fifo: &FifoLink, past: impl Fn(Time) -> bool) {
        let packet = |behind: u64| fifo.stored(behind as usize).expect("a packet that waits is in flight");
        let (mut stay, mut end) = (0, self.waiting);
        while stay < end {
            let middle = stay.midpoint(end);
            if past(packet(middle).at - self.delay) { end = middle } else { stay = middle + 1 }
        }
        let bytes = |range: Range<u64>| range.map(|behind| u64::from(packet(behind).size)).sum::<u64>();
        self.waiting_bytes = match self.waiting - stay {
            left if left < stay => self.waiting_bytes - bytes(stay..self.waiting),
            _ => bytes(0..stay),
        };
        self.waiting = stay;
    }
}

/// What the link counts for a node agent.
#[derive(Clone, Debug, Default)]
struct Inspector {
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

impl Inspector {
    /// See [`super::Link::push`].
    fn push(
        &mut self,
        now: Time,
        packet: &Packet,
        hop: u32,
        incidents: &mut Incidents,
        fifo: &mut FifoLink,
    ) -> bool {
        let inside = fifo.inside();
        let first = fifo.push(now, packet, hop, incidents);
        let accepted = fifo.inside() != inside;
        if accepted || overflowed(incidents) {
            self.queue_at_arrivals += fifo.backlog(now);
        }
        if accepted {
            self.stays.push(Stay { arrival: now, departure: fifo.free_at() });
        }
        first
    }

    /// The counters at `now`, with those that the other form of the link keeps in another way.
    fn completed(&mut self, now: Time, counters: Counters) -> Counters {
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
}
