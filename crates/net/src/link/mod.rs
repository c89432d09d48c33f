//! Links: a queue, a transmitter and a propagation delay in one direction.
//!
//! There are four forms, with the same behaviour, and none of them shows. `FifoLink` serves a DropTail queue at a constant rate:
//! it knows the departure time of a packet when the packet arrives, so a hop costs one event, and it computes its backlog from
//! the departure times only when asked. `TappedLink` is the same with a router of RCP, or out of a router with an agent.
//! `LazyLink` serves any other discipline at a constant rate, and a router of XCP; it asks for packets when somebody needs to know.
//! `QueuedLink` serves varying rates, power control and any other router, and needs a second event, the end of each transmission.
//! Law tests check that the first three behave like the last. Those behind the first are `Other`s: one test tells the first
//! from them.

mod classes;
mod contract;
mod description;
mod fifo;
mod flight;
mod impairments;
mod lazy;
mod meter;
mod other;
mod queued;
mod service;
mod tapped;
mod verdicts;
mod watch;

#[cfg(test)]
mod forms;
#[cfg(test)]
pub(crate) mod laws;

use dumbbell_core::{Packet, Time};

pub use classes::{ClassCounters, PerClass};
pub use contract::{Abilities, Carried, Counters, Incident, Incidents, LinkConfig, Order};
pub use description::{
    Both, Direction, Duplex, Each, LinkSpec, MAX_MTU, MIN_MTU, RateChange, Reverse, Rule, TraceSpec,
};
use fifo::FifoLink;
pub use impairments::Arrival;
use impairments::Impairments;
pub use lazy::Ahead;
use lazy::LazyLink;
pub use meter::{Entrance, Meter};
use other::Other;
pub use queued::QueuedLink;
pub use service::{Opportunities, Service, Trace};
use tapped::TappedLink;
pub use watch::Note;

use crate::queue::QueueSpec;
use crate::ring::Ring;
pub use crate::serializer::Serializer;

/// A link of any form.
#[derive(Clone, Debug)]
pub struct Link(Form);

/// The fast form stays in place, whatever its size: nearly all links are of that form.
#[allow(clippy::large_enum_variant, reason = "see above: the large form is the common one")]
#[derive(Clone, Debug)]
enum Form {
    /// DropTail at a constant rate: one event per hop, or none.
    Fifo(FifoLink),
    /// Any other form.
    Other(Box<Other>),
}

macro_rules! either {
    ($self:ident, $link:ident => $body:expr) => {
        match &$self.0 {
            Form::Fifo($link) => $body,
            Form::Other($link) => $body,
        }
    };
    (mut $self:ident, $link:ident => $body:expr) => {
        match &mut $self.0 {
            Form::Fifo($link) => $body,
            Form::Other($link) => $body,
        }
    };
}

impl Link {
    /// An idle link, in the cheapest form that serves its queue.
    pub fn new(config: &LinkConfig) -> Link {
        Link(match (&config.direction.queue, &config.direction.router) {
            (QueueSpec::DropTail(queue), None) if config.is_plain() && !config.inspected => {
                Form::Fifo(FifoLink::new(config, queue))
            }
            _ => Form::Other(Box::new(Other::new(config))),
        })
    }

    /// What its form can do.
    pub fn abilities(&self) -> Abilities {
        either!(self, link => link.abilities())
    }

    /// A packet arrives at the queue; its [`Packet::hop`] becomes `hop`. What else happens goes to `incidents`. Returns true if
    /// `wake_at` changed.
    ///
    /// The packet comes by reference and is changed only where it comes to lie: a narrow store followed by a wide load
    /// of the same bytes would stall the processor on every hop.
    #[inline]
    pub fn push(&mut self, now: Time, packet: &Packet, hop: u32, incidents: &mut Incidents) -> bool {
        either!(mut self, link => link.push(now, packet, hop, incidents))
    }

    /// A packet arrives and is passed on at once: returns when it reaches the far end, or `None` if it was given up.
    /// Only for a link that [passes on](Abilities::passes_on).
    ///
    /// # Panics
    /// If the form of the link never does: the packet would vanish.
    #[inline(always)]
    pub fn pass(&mut self, now: Time, packet: &Packet, incidents: &mut Incidents) -> Option<Time> {
        match &mut self.0 {
            Form::Fifo(link) => link.pass(now, packet, incidents),
            Form::Other(_) => unreachable!("a link that passes on is a FIFO"),
        }
    }

    /// The exit for packets that come out as soon as they start; `None` for a link without [`Order::HandOn`]. Use it instead of
    /// [`Link::push`], and call [`Ahead::next`] at `wake_at` at the latest. [`Link::take`] takes nothing then.
    #[inline]
    pub fn ahead(&mut self) -> Option<Ahead<'_>> {
        match &mut self.0 {
            Form::Fifo(_) => None,
            Form::Other(link) => link.ahead(),
        }
    }

    /// Advances the link to `now`, the time it asked for, and takes the packet that has reached the far end, or will at
    /// [`Packet::at`] on a link that hands packets on; there are no incidents then.
    ///
    /// One call for both, so that the form of the link is looked at once a packet. A call would copy the packet twice.
    #[inline(always)]
    pub fn take(&mut self, now: Time, incidents: &mut Incidents) -> Option<Packet> {
        match &mut self.0 {
            Form::Fifo(link) => {
                if link.advance(now, incidents) {
                    link.pop()
                } else {
                    None
                }
            }
            Form::Other(link) => link.take(now, incidents),
        }
    }

    /// When `take` must be called next.
    #[inline(always)]
    pub fn wake_at(&self) -> Time {
        either!(self, link => link.wake_at())
    }

    /// The reader of the link.
    pub fn read(&mut self) -> &mut dyn Meter {
        match &mut self.0 {
            Form::Fifo(link) => link,
            Form::Other(link) => link.read(),
        }
    }

    /// Prepares the link for something.
    ///
    /// # Panics
    /// If the link is to keep notes, and is not [`LinkConfig::watched`].
    pub fn arm(&mut self, order: Order) {
        match &mut self.0 {
            Form::Fifo(_) => {}
            Form::Other(link) => link.arm(order),
        }
    }

    /// The packets on their way, in order, each with the time at which it comes out: one part of a run hands them over to another.
    /// `None` for a form that does not know these times. Only for a link that [passes on](Abilities::passes_on): others decide at
    /// the far end.
    #[inline]
    pub fn hand_over(&mut self) -> Option<&mut Ring<Packet>> {
        match &mut self.0 {
            Form::Fifo(link) => Some(link.flight()),
            Form::Other(_) => None,
        }
    }
}
