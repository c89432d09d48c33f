//! What a link of any form is made from, what it carries, and what it counts.

use std::sync::Arc;

use dumbbell_core::rng::Streams;
use dumbbell_core::{DropReason, FlowEnds, Frame, Packet, Time};

use super::description::Direction;
use super::service::{Opportunities, Service, Trace};
use crate::buffer::Pool;
use crate::pause::Role;
use crate::{queue, router};

/// What a link counts, from the start of the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Packets that arrived at the queue.
    pub arrived: u64,
    /// Packets fully transmitted.
    pub sent: u64,
    /// Bytes fully transmitted.
    pub sent_bytes: u64,
    /// Packets dropped, by reason.
    pub dropped: [u64; DropReason::ALL.len()],
    /// Packets marked.
    pub marked: u64,
    /// Copies of packets made on the way.
    pub duplicated: u64,
    /// Packets that reached the far end after one that was sent later.
    pub reordered: u64,
    /// Integral of the packets in the system (waiting or in transmission) over time, in packet-nanoseconds.
    pub queue_area: u64,
    /// Sum over the packets that arrived of the packets in the system right after; only where the link is inspected.
    pub queue_at_arrivals: u64,
    /// Sum over the packets fully transmitted of the time from arrival to the end of transmission, in nanoseconds.
    pub sojourn_sum: u64,
}

impl Counters {
    /// Packets dropped for any reason.
    pub fn dropped_total(&self) -> u64 {
        self.dropped.iter().sum()
    }

    /// The same, but nothing less than at an `earlier` time: for estimates of the present.
    #[must_use]
    pub fn at_least(&self, earlier: &Counters) -> Counters {
        Counters {
            sent: self.sent.max(earlier.sent),
            sent_bytes: self.sent_bytes.max(earlier.sent_bytes),
            queue_area: self.queue_area.max(earlier.queue_area),
            sojourn_sum: self.sojourn_sum.max(earlier.sojourn_sum),
            ..*self
        }
    }

    /// What was counted since `earlier`.
    pub fn since(&self, earlier: &Counters) -> Counters {
        let mut dropped = self.dropped;
        dropped.iter_mut().zip(earlier.dropped).for_each(|(now, then)| *now -= then);
        Counters {
            arrived: self.arrived - earlier.arrived,
            sent: self.sent - earlier.sent,
            sent_bytes: self.sent_bytes - earlier.sent_bytes,
            dropped,
            marked: self.marked - earlier.marked,
            duplicated: self.duplicated - earlier.duplicated,
            reordered: self.reordered - earlier.reordered,
            queue_area: self.queue_area - earlier.queue_area,
            queue_at_arrivals: self.queue_at_arrivals - earlier.queue_at_arrivals,
            sojourn_sum: self.sojourn_sum - earlier.sojourn_sum,
        }
    }
}

/// What happened to a packet beside reaching the far end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Incident {
    /// It was given up.
    Dropped(DropReason),
    /// A copy of it was made, which is on its way as well.
    Duplicated,
    /// A pause of the links before this one begins, or ends. This is the packet that began it; it is where it was.
    Pause(bool),
}

/// What happened on a link since its driver last looked, in order.
pub type Incidents<P = Packet> = Vec<(P, Incident)>;

/// What the form of a link can do for its driver.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Abilities {
    /// [`super::Link::pass`] may be used: the arrival of every accepted packet at the far end is known at once. So packets may enter the
    /// link in one part of a run and come out in another.
    pub passes_on: bool,
    /// Packets may be offered ahead of time, provided that they are offered in order.
    pub transparent: bool,
    /// It takes [`Order::HandOn`]: what leaves the transmitter is sure to reach the far end.
    pub hands_on: bool,
    /// It does not know when the packets arrived that it holds.
    pub forgets_arrivals: bool,
    /// A reader makes it catch up, which changes the run: an observer reads a copy.
    pub puts_off: bool,
}

/// What a link is prepared for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Packets come out ahead of [`Packet::at`], their time of arrival at the far end, when that is known. Only for a link that
    /// [hands on](Abilities::hands_on) and that feeds none but transparent links.
    HandOn,
    /// It notes from now on what happens to packets, for [`super::Meter::notes`].
    KeepNotes,
    /// A pause frame is on its way to the transmitter. Only for a link whose part it is to obey ([`LinkConfig::pause`]).
    Pause {
        /// When it arrives.
        at: Time,
        /// It begins a pause, or ends one.
        begins: bool,
    },
}

/// Everything that defines a link in a run.
#[derive(Clone, Debug)]
pub struct LinkConfig {
    /// What was said of it.
    pub direction: Arc<Direction>,
    /// Recorded opportunities to send, instead of the rate.
    pub trace: Option<Trace>,
    /// One bandwidth-delay product in bytes, for limits in BDPs.
    pub bdp: u64,
    /// True if every arrival of a packet that knows its flow is noted: see [`super::Meter::next_arrival`].
    pub recorded: bool,
    /// True if the backlog will be asked for at any time; otherwise only links with a limit know it.
    pub sampled: bool,
    /// True if the times are noted that packets stay, from arrival to the end of transmission.
    pub timed: bool,
    /// True if it leaves a router whose agent looks at its queue and decides on what enters it.
    pub inspected: bool,
    /// True if somebody notes what happens to each packet: see [`Order::KeepNotes`].
    pub watched: bool,
    /// True if it must tell of every drop when it happens: see [`Abilities::transparent`].
    pub exact_drops: bool,
    /// True if it takes the general form, whatever it could do with less: an oracle for tests.
    pub general: bool,
    /// The times at which the counters will be read, in order: the end of the warm-up, the end of the run.
    pub read_at: Arc<[Time]>,
    /// The buffer that it shares with the other links out of its node.
    pub buffer: Option<Arc<Pool>>,
    /// Its part in flow control.
    pub pause: Role,
    /// The random streams of its parts.
    pub streams: Streams,
    /// The hosts of flows, where some link asks for them.
    pub ends: FlowEnds,
}

impl LinkConfig {
    /// True if the link serves at one rate all the time, and nothing happens to packets on their way but loss.
    pub(super) fn is_steady(&self) -> bool {
        !self.general
            && !self.timed
            && self.trace.is_none()
            && self.direction.rate_changes.is_empty()
            && self.direction.power.is_none()
            && self.buffer.is_none()
            && !self.pause.is_any()
            && self.direction.impairments.is_empty()
    }

    /// The same, and nobody sets classes.
    pub(super) fn is_plain(&self) -> bool {
        self.is_steady() && self.direction.marker.is_none()
    }

    /// True if nobody misses what a lazy link does late.
    pub(super) fn may_be_late(&self) -> bool {
        let queue = self.direction.queue.laziness();
        let told_late = self.exact_drops && queue.drops_late;
        self.is_steady() && !self.inspected && !self.watched && !queue.holds_back && !told_late
    }

    pub(super) fn service(&self) -> Service {
        match &self.trace {
            Some(trace) => Service::Trace(Opportunities::new(trace.clone())),
            None => Service::at_rate(self.direction.rate, &self.direction.rate_changes),
        }
    }

    pub(super) fn queue_setting(&self) -> queue::Setting {
        let mtu = self.direction.largest_packet();
        queue::Setting {
            rate: self.direction.rate,
            mtu,
            bdp: self.bdp,
            streams: self.streams.clone(),
            name: "queue".to_owned(),
            first_class: 0,
            ends: self.ends.clone(),
        }
    }

    pub(super) fn router_setting(&self) -> router::Setting {
        let mtu = self.direction.largest_packet();
        router::Setting { rate: self.direction.rate, mtu, rng: self.streams.of("router") }
    }
}

/// What a [`super::QueuedLink`] carries: a simulated packet or a real one, with room for one time.
pub trait Carried: Frame + Clone {
    /// The time last set.
    fn at(&self) -> Time;
    /// Sets the time: of arrival while the packet waits, of arrival at the far end once it has left.
    fn set_at(&mut self, at: Time);
    /// The index of the flow in whatever keeps flows; `None` for a packet that belongs to no flow of ours.
    fn flow(&self) -> Option<u32>;
    /// The packet has left the transmitter at `at`.
    #[inline]
    fn set_left(&mut self, at: Time) {
        let _ = at;
    }
}

impl Carried for Packet {
    #[inline]
    fn at(&self) -> Time {
        self.at
    }
    #[inline]
    fn set_at(&mut self, at: Time) {
        self.at = at;
    }
    #[inline]
    fn flow(&self) -> Option<u32> {
        Some(self.flow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counters(n: u64) -> Counters {
        let mut dropped = [0; DropReason::ALL.len()];
        (0..).zip(&mut dropped).for_each(|(i, count)| *count = 100 * n + i);
        Counters {
            arrived: n,
            sent: 2 * n,
            sent_bytes: 3 * n,
            dropped,
            marked: 5 * n,
            duplicated: 7 * n,
            reordered: 11 * n,
            queue_area: 13 * n,
            queue_at_arrivals: 17 * n,
            sojourn_sum: 19 * n,
        }
    }

    #[test]
    fn what_was_counted_since_is_the_difference() {
        let since = counters(10).since(&counters(4));
        assert_eq!(since, Counters { dropped: [600; DropReason::ALL.len()], ..counters(6) });
    }

    #[test]
    fn estimates_do_not_fall_below_what_was_counted() {
        let [few, many] = [4, 10].map(counters);
        let Counters { sent, sent_bytes, queue_area, sojourn_sum, .. } = many;
        assert_eq!(few.at_least(&many), Counters { sent, sent_bytes, queue_area, sojourn_sum, ..few });
        assert_eq!(many.at_least(&few), many);
        let total: u64 = (0..DropReason::ALL.len() as u64).map(|i| 400 + i).sum();
        assert_eq!(few.dropped_total(), total);
    }
}
