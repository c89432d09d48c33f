//! Any discipline, with an event at the end of each transmission.

use dumbbell_core::{DropReason, Duration, MarkReason, Packet, Time, VerdictSink};

use super::{Counters, Dropped, Impairments, LinkConfig, Serializer};
use crate::queue::{AnyDiscipline, Discipline};
use crate::ring::Ring;

/// A link that asks its discipline for the next packet whenever the transmitter is free.
#[derive(Clone, Debug)]
pub struct QueuedLink {
    queue: AnyDiscipline<Packet>,
    /// The packet in transmission and when it has left.
    in_service: Option<(Packet, Time)>,
    in_flight: Ring<Packet>,
    serializer: Serializer,
    delay: Duration,
    impairments: Impairments,
    counters: Counters,
    /// The queue's integral is complete up to here.
    area_until: Time,
}

/// Counts what the discipline gives up. Packets on their way in carry their arrival in [`Packet::at`].
struct Verdicts<'a> {
    counters: &'a mut Counters,
    drops: &'a mut Vec<Dropped>,
}

impl VerdictSink<Packet> for Verdicts<'_> {
    fn dropped(&mut self, packet: Packet, reason: DropReason) {
        self.counters.dropped[reason as usize] += 1;
        self.drops.push((packet, reason));
    }
    fn marked(&mut self, _packet: &Packet, _reason: MarkReason) {
        self.counters.marked += 1;
    }
}

impl QueuedLink {
    /// An idle link.
    pub fn new(config: &LinkConfig) -> QueuedLink {
        QueuedLink {
            queue: config.queue.build(config.context()),
            in_service: None,
            in_flight: Ring::default(),
            serializer: Serializer::new(config.rate),
            delay: config.delay,
            impairments: Impairments::new(config),
            counters: Counters::default(),
            area_until: Time::ZERO,
        }
    }

    /// See [`super::Link::push`].
    pub fn push(&mut self, now: Time, packet: &Packet, hop: u32, drops: &mut Vec<Dropped>) -> bool {
        let before = self.wake_at();
        self.settle(now, drops);
        let n = self.counters.arrived;
        self.counters.arrived += 1;
        if let Some(reason) = self.impairments.refuse(packet, n) {
            self.counters.dropped[reason as usize] += 1;
            drops.push((*packet, reason));
        } else {
            let packet = Packet { at: now, hop, ..*packet };
            self.queue.enqueue(now, packet, &mut Verdicts { counters: &mut self.counters, drops });
            if self.in_service.is_none() {
                self.start(now, drops);
            }
        }
        self.wake_at() != before
    }

    /// See [`super::Link::act`].
    pub fn act(&mut self, now: Time, drops: &mut Vec<Dropped>) -> bool {
        self.settle(now, drops);
        let Some(packet) = self.head().filter(|p| p.at <= now).copied() else { return false };
        let lost = self.impairments.lose();
        if lost {
            self.counters.dropped[DropReason::RandomLoss as usize] += 1;
            drops.push((packet, DropReason::RandomLoss));
            self.pop();
        }
        !lost
    }

    /// See [`super::Link::head`].
    #[inline]
    pub fn head(&self) -> Option<&Packet> {
        self.in_flight.front()
    }

    /// See [`super::Link::pop`].
    #[inline]
    pub fn pop(&mut self) {
        self.in_flight.discard();
    }

    /// See [`super::Link::wake_at`].
    #[inline]
    pub fn wake_at(&self) -> Time {
        let end = self.in_service.as_ref().map_or(Time::NEVER, |(_, end)| *end);
        let arrival = self.in_flight.front().map_or(Time::NEVER, |p| p.at);
        end.min(arrival)
    }

    /// Ends every transmission that is over at `now` and starts the next.
    fn settle(&mut self, now: Time, drops: &mut Vec<Dropped>) {
        while let Some((mut packet, end)) = self.in_service
            && end <= now
        {
            self.integrate(end);
            self.counters.sent += 1;
            self.counters.sent_bytes += u64::from(packet.size);
            self.counters.sojourns += 1;
            self.counters.sojourn_sum += end.since(packet.at).as_nanos();
            packet.at = end + self.delay;
            self.in_flight.push(packet);
            self.in_service = None;
            self.start(end, drops);
        }
        self.integrate(now);
    }

    /// Starts the next transmission, if a packet waits.
    fn start(&mut self, now: Time, drops: &mut Vec<Dropped>) {
        let verdicts = &mut Verdicts { counters: &mut self.counters, drops };
        self.in_service = self
            .queue
            .dequeue(now, verdicts)
            .map(|packet| (packet, self.serializer.depart(now, packet.size)));
    }

    fn integrate(&mut self, now: Time) {
        self.counters.queue_area += self.in_system() * now.since(self.area_until).as_nanos();
        self.area_until = now;
    }

    fn in_system(&self) -> u64 {
        self.queue.len() as u64 + u64::from(self.in_service.is_some())
    }

    /// See [`super::Link::backlog`]. The engine asks after all events up to `now`, so nothing is left to settle.
    pub fn backlog(&self, _now: Time) -> u64 {
        self.in_system()
    }

    /// See [`super::Link::inside`].
    pub fn inside(&self) -> u64 {
        self.in_system() + self.in_flight.len() as u64
    }

    /// See [`super::Link::progress`].
    pub fn progress(&self, _now: Time) -> Counters {
        self.counters
    }

    /// See [`super::Link::counters`].
    pub fn counters(&mut self, now: Time) -> Counters {
        self.integrate(now);
        self.counters
    }
}
