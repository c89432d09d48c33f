//! Who watches a run, packet by packet. The loop is compiled for the observer that it has: nobody costs nothing.

use std::collections::VecDeque;
use std::fmt;

use dumbbell_core::{DropReason, Packet, Time};

use crate::plan::Plan;

/// What happened to a packet. A link is its index in the plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// An end point sent it.
    Sent,
    /// A router originated it.
    Originated,
    /// It arrived at a link, before its queue.
    Arrived(u32),
    /// It is about to pass the agent of a router, on its way to this link.
    Passed(u32),
    /// A link dropped it, or an agent before that link.
    Dropped(u32, DropReason),
    /// A link made a copy of it.
    Duplicated(u32),
    /// It reached the destination of its flow.
    Delivered,
    /// It came back to the source of its flow.
    Returned,
}

/// Watches a run. A packet knows the slot of its flow, which is used again; a flow's number is its own.
pub trait Observer {
    /// Something happened to a packet. Where links are entered ahead of time, `now` is the time at which it will: of two
    /// events of different packets, the one noted first may be the later.
    #[inline]
    fn packet(&mut self, now: Time, packet: &Packet, event: Event) {
        let _ = (now, packet, event);
    }

    /// The flow of this number began in a slot.
    #[inline]
    fn opened(&mut self, now: Time, slot: u32, number: u32) {
        let _ = (now, slot, number);
    }

    /// The flow in a slot has ended.
    #[inline]
    fn closed(&mut self, now: Time, slot: u32) {
        let _ = (now, slot);
    }
}

/// Nobody watches.
impl Observer for () {}

impl<O: Observer> Observer for &mut O {
    #[inline]
    fn packet(&mut self, now: Time, packet: &Packet, event: Event) {
        (**self).packet(now, packet, event);
    }
    #[inline]
    fn opened(&mut self, now: Time, slot: u32, number: u32) {
        (**self).opened(now, slot, number);
    }
    #[inline]
    fn closed(&mut self, now: Time, slot: u32) {
        (**self).closed(now, slot);
    }
}

/// Keeps the last packet events of a run, to be shown as text.
///
/// A line has these fields: time in seconds, what happened, where (a link, or `-`), the flow's number, the first word of the
/// header (a sequence number in TCP and UDP), bytes, the traffic class.
#[derive(Clone, Debug, Default)]
pub struct LastEvents {
    most: usize,
    links: Vec<String>,
    /// By slot: the number of the flow in it.
    numbers: Vec<u32>,
    events: VecDeque<(Time, Event, u32, Packet)>,
}

impl LastEvents {
    /// Keeps the last `most` events of a run of this plan.
    pub fn new(plan: &Plan, most: usize) -> LastEvents {
        let links = plan.links.iter().map(|link| link.name.clone()).collect();
        LastEvents { most, links, ..LastEvents::default() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// True if nothing has happened.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }
}

impl Observer for LastEvents {
    fn packet(&mut self, now: Time, packet: &Packet, event: Event) {
        if self.events.len() == self.most {
            self.events.pop_front();
        }
        self.events.push_back((now, event, self.numbers[packet.flow as usize], *packet));
    }

    fn opened(&mut self, _now: Time, slot: u32, number: u32) {
        let slots = self.numbers.len().max(slot as usize + 1);
        self.numbers.resize(slots, 0);
        self.numbers[slot as usize] = number;
    }
}

/// One line for each event, the first first.
impl fmt::Display for LastEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (now, event, number, packet) in &self.events {
            let (what, link) = match event {
                Event::Sent => ("sent", None),
                Event::Originated => ("originated", None),
                Event::Arrived(link) => ("arrived", Some(link)),
                Event::Passed(link) => ("passed", Some(link)),
                Event::Dropped(link, reason) => (reason.name(), Some(link)),
                Event::Duplicated(link) => ("duplicated", Some(link)),
                Event::Delivered => ("delivered", None),
                Event::Returned => ("returned", None),
            };
            let dropped = if matches!(event, Event::Dropped(..)) { "dropped:" } else { "" };
            let place = link.map_or("-", |link| &self.links[*link as usize]);
            let (time, seq) = (now.as_secs_f64(), packet.body[0]);
            let (size, class) = (packet.size, packet.class);
            writeln!(f, "{time:.9} {dropped}{what} {place} {number} {seq} {size} {class}")?;
        }
        Ok(())
    }
}
