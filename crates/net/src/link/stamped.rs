//! A [`FifoLink`] whose router is that of RCP, with one event per hop.
//!
//! A packet is stamped when it leaves the queue. That time is known when it arrives, and so is the rate of then, but for
//! the packets that leave after the next update of the rate: these wait for their stamps in a list. Updates need no event:
//! they are made up for when a packet arrives or leaves, before anything that comes after them.

use dumbbell_core::{Frame, Packet, Time};

use super::{Arrival, Counters, Dropped, FifoLink, LinkConfig};
use crate::queue::droptail;
use crate::ring::Ring;
use crate::router::rcp::{Params, Router};
use crate::router::{Agent, Context, QueueView};

/// An unlimited queue at a constant rate with a router of RCP.
#[derive(Clone, Debug)]
pub struct StampedLink {
    fifo: FifoLink,
    router: Router,
    /// When the rate is next updated.
    update_at: Time,
    /// When the latest packets leave the queue: those after the next update.
    unstamped: Ring<Time>,
}

impl StampedLink {
    /// An idle link.
    pub fn new(config: &LinkConfig, queue: &droptail::Params, router: &Params) -> StampedLink {
        let context = Context { rate: config.rate, mtu: config.mtu, rng: config.agent_rng.clone() };
        let router = Router::new(router, context);
        // The router looks at the backlog.
        let config = LinkConfig { sampled: true, ..config.clone() };
        StampedLink {
            fifo: FifoLink::new(&config, queue),
            update_at: router.wake_at(),
            router,
            unstamped: Ring::default(),
        }
    }

    /// See [`super::Link::push`].
    #[inline]
    pub fn push(&mut self, now: Time, packet: &Packet, hop: u32, drops: &mut Vec<Dropped>) -> bool {
        self.catch_up(now);
        let start = self.fifo.free_at().max(now);
        let before = self.fifo.inside();
        let first = self.fifo.push(now, packet, hop, drops);
        if self.fifo.inside() == before {
            return first;
        }
        let rtt = packet.rcp().map_or(0, |header| header.rtt);
        self.router.count(now, u32::from(packet.size), rtt);
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
        if let Some(packet) = self.fifo.stored(behind) {
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
            let (packets, bytes) = self.fifo.waiting_before(at);
            let rate = self.fifo.rate();
            self.router.wake(at, &QueueView { packets, bytes, rate });
            self.update_at = self.router.wake_at();
            while self.unstamped.front().is_some_and(|start| *start < self.update_at) {
                self.stamp(self.unstamped.len() - 1);
                self.unstamped.discard();
            }
        }
    }

    /// See [`super::Link::act`].
    #[inline]
    pub fn act(&mut self, now: Time, drops: &mut Vec<Dropped>) -> bool {
        self.catch_up(now);
        self.fifo.act(now, drops)
    }

    /// The arrivals noted.
    pub(super) fn arrivals(&mut self) -> &mut Vec<Arrival> {
        self.fifo.arrivals()
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
        self.fifo.backlog(now)
    }

    /// See [`super::Link::inside`].
    pub fn inside(&self) -> u64 {
        self.fifo.inside()
    }

    /// See [`super::Link::progress`].
    pub fn progress(&mut self, now: Time) -> Counters {
        self.catch_up(now);
        self.fifo.progress(now)
    }

    /// See [`super::Link::counters`].
    pub fn counters(&mut self, now: Time) -> Counters {
        self.fifo.counters(now)
    }

    /// What the router offers each flow at `now`, in bits per second.
    pub fn offered(&mut self, now: Time) -> Option<f64> {
        self.catch_up(now);
        self.router.offered()
    }
}
