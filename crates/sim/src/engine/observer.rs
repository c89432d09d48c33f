//! Who watches a run, packet by packet. The loop is compiled for the observer that it has: nobody costs nothing.

use std::collections::VecDeque;
use std::fmt;

use dumbbell_core::{DropReason, MarkReason, Packet, Time, Way};
use dumbbell_proto::transport::{Agreed, SenderState};

use crate::plan::Plan;
use crate::workload::Flow;

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
    /// Its last bit has left the transmitter of a link.
    Left(u32),
    /// A queue or a router marked it "congestion experienced", at this link.
    Marked(u32, MarkReason),
    /// A link made a copy of it.
    Duplicated(u32),
    /// It reached the destination of its flow.
    Delivered,
    /// It came back to the source of its flow.
    Returned,
}

/// A flow that begins.
#[derive(Clone, Copy, Debug)]
pub struct Opened {
    /// The slot that its packets name.
    pub slot: u32,
    /// Its number.
    pub number: u32,
    /// What it is.
    pub flow: Flow,
    /// What its SYNs say, with TCP.
    pub agreed: Option<Agreed>,
}

/// Watches a run. A packet knows the slot of its flow, which is used again; a flow's number is its own.
pub trait Observer {
    /// False if it looks at nothing. What only an observer asks for is then not even asked, and links may tell of drops late.
    const WATCHES: bool = true;

    /// The run has come to this time: no later call reports an earlier event.
    #[inline]
    fn clock(&mut self, now: Time) {
        let _ = now;
    }

    /// Something happened to a packet. Where links are entered ahead of time, `now` is the time at which it will: of two
    /// events of different packets, the one told first may be the later. Those of one packet come in their order.
    #[inline]
    fn packet(&mut self, now: Time, packet: &Packet, way: Way, event: Event) {
        let _ = (now, packet, way, event);
    }

    /// A flow begins.
    #[inline]
    fn opened(&mut self, now: Time, opened: &Opened) {
        let _ = (now, opened);
    }

    /// A packet has come to the sender of the flow in a slot, or its timer has expired: how it stands now, before it sends.
    #[inline]
    fn state(&mut self, now: Time, slot: u32, state: SenderState) {
        let _ = (now, slot, state);
    }

    /// The flow in a slot has ended.
    #[inline]
    fn closed(&mut self, now: Time, slot: u32) {
        let _ = (now, slot);
    }
}

/// Nobody watches.
impl Observer for () {
    const WATCHES: bool = false;
}

impl<O: Observer> Observer for &mut O {
    const WATCHES: bool = O::WATCHES;

    #[inline]
    fn clock(&mut self, now: Time) {
        (**self).clock(now);
    }
    #[inline]
    fn packet(&mut self, now: Time, packet: &Packet, way: Way, event: Event) {
        (**self).packet(now, packet, way, event);
    }
    #[inline]
    fn opened(&mut self, now: Time, opened: &Opened) {
        (**self).opened(now, opened);
    }
    #[inline]
    fn state(&mut self, now: Time, slot: u32, state: SenderState) {
        (**self).state(now, slot, state);
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
        let links = plan.links.iter().map(|link| link.name.to_string()).collect();
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
    fn packet(&mut self, now: Time, packet: &Packet, _way: Way, event: Event) {
        if self.events.len() == self.most {
            self.events.pop_front();
        }
        self.events.push_back((now, event, self.numbers[packet.flow as usize], *packet));
    }

    fn opened(&mut self, _now: Time, opened: &Opened) {
        let slots = self.numbers.len().max(opened.slot as usize + 1);
        self.numbers.resize(slots, 0);
        self.numbers[opened.slot as usize] = opened.number;
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
                Event::Left(link) => ("left", Some(link)),
                Event::Marked(link, _) => ("marked", Some(link)),
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
