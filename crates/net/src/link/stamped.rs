//! A [`FifoLink`] with an RCP router, with one event per hop.
//!
//! The router stamps a packet when the packet leaves the queue. The link knows that time when the packet arrives. It also
//! knows the rate at that time, unless the packet leaves after the next update of the rate: such packets wait for their
//! stamps in a list. Updates need no event. When a packet arrives or leaves, the link first makes the updates that are due.
//! It computes the backlog that the router reads from the packets in flight, whose times tell when they left the queue.

use std::ops::Range;

use dumbbell_core::{DropReason, Duration, Packet, Time};

use super::{Arrival, Counters, FifoLink, Incident, Incidents, LinkConfig};
use crate::queue::droptail;
use crate::ring::Ring;
use crate::router::rcp::{Params, RcpAgent};
use crate::router::{Agent, AgentParams, QueueView};

const OVERFLOW: Incident = Incident::Dropped(DropReason::Overflow);

/// A DropTail queue at a constant rate with a router of RCP.
#[derive(Clone, Debug)]
pub struct StampedLink {
    fifo: FifoLink,
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

impl StampedLink {
    /// An idle link.
    pub fn new(config: &LinkConfig, queue: &droptail::Params, router: &Params) -> StampedLink {
        let router = router.build(config.router_setting());
        let fifo = FifoLink::new(&LinkConfig { sampled: false, ..config.clone() }, queue);
        StampedLink {
            fifo,
            update_at: router.wake_at(),
            router,
            unstamped: Ring::default(),
            delay: config.direction.delay,
            waiting: 0,
            waiting_bytes: 0,
        }
    }

    /// See [`super::Link::push`]. As there, the compiler would make calls of it and of `act`.
    #[inline(always)]
    pub fn push(&mut self, now: Time, packet: &Packet, hop: u32, incidents: &mut Incidents) -> bool {
        self.catch_up(now);
        let start = self.fifo.free_at().max(now);
        let before = self.fifo.inside();
        let first = self.fifo.push(now, packet, hop, incidents);
        let accepted = self.fifo.inside() != before;
        // The router sees what arrives at the queue, also if it finds no room.
        if accepted || incidents.last().is_some_and(|(_, what)| *what == OVERFLOW) {
            self.router.count(now, packet);
        }
        if !accepted {
            return first;
        }
        self.waiting += 1;
        self.waiting_bytes += u64::from(packet.size);
        if start < self.update_at {
            self.stamp(0);
        } else {
            self.unstamped.push(start);
        }
        first
    }

    /// Writes the rate into the packet that `behind` packets follow.
    #[inline]
    fn stamp(&mut self, behind: usize) {
        let router = &mut self.router;
        if let Some(packet) = self.fifo.stored_mut(behind) {
            router.stamp(packet);
        }
    }

    #[inline]
    fn catch_up(&mut self, now: Time) {
        if now >= self.update_at {
            self.update(now);
        }
    }

    /// Makes up for all updates up to `now`, and for the stamps between them.
    #[cold]
    fn update(&mut self, now: Time) {
        while self.update_at <= now {
            let at = self.update_at;
            self.leave(|departure| departure < at);
            let in_service = match self.waiting {
                0 => 0,
                n => self.fifo.stored(n as usize - 1).map_or(0, |p| u64::from(p.size)),
            };
            self.router.wake(
                at,
                &QueueView {
                    packets: self.waiting.saturating_sub(1),
                    bytes: self.waiting_bytes - in_service,
                    rate: self.fifo.rate(),
                },
            );
            self.update_at = self.router.wake_at();
            while self.unstamped.front().is_some_and(|start| *start < self.update_at) {
                self.stamp(self.unstamped.len() - 1);
                self.unstamped.discard();
            }
        }
    }

    /// Takes the packets whose departures are `past` out of those that wait.
    ///
    /// The first of those that stay is searched for, and the shorter side is summed up: most updates find a short queue
    /// behind many packets that left, and a long one changes little from update to update.
    fn leave(&mut self, past: impl Fn(Time) -> bool) {
        let packet =
            |behind: u64| self.fifo.stored(behind as usize).expect("a packet that waits is in flight");
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

    /// See [`super::Link::act`].
    #[inline(always)]
    pub fn act(&mut self, now: Time, incidents: &mut Incidents) -> bool {
        self.catch_up(now);
        if self.waiting == self.fifo.inside() {
            // Nobody looked since the head left.
            self.leave(|departure| departure <= now);
        }
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
        self.catch_up(now);
        self.leave(|departure| departure <= now);
        self.waiting
    }

    /// See [`FifoLink::free_at`].
    pub fn free_at(&self) -> Time {
        self.fifo.free_at()
    }

    /// See [`super::Link::inside`].
    pub fn inside(&self) -> u64 {
        self.fifo.inside()
    }

    /// See [`super::Link::progress`].
    pub fn progress(&mut self, now: Time) -> Counters {
        let waiting = self.backlog(now);
        self.fifo.progress_but(waiting, self.waiting_bytes)
    }

    /// See [`super::Link::counters`].
    pub fn counters(&mut self, now: Time) -> Counters {
        self.fifo.counters(now)
    }

    /// See [`super::Link::backlog_early`].
    pub fn backlog_early(&mut self, now: Time) -> u64 {
        self.fifo.backlog_early(now)
    }

    /// See [`super::Link::counters_early`].
    pub fn counters_early(&mut self, now: Time) -> Counters {
        self.fifo.counters_early(now)
    }

    /// What the router offers each flow at `now`, in bits per second.
    pub fn offered(&mut self, now: Time) -> Option<f64> {
        self.catch_up(now);
        self.router.offered()
    }
}
