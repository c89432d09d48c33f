//! DropTail at a constant rate, with one event per hop or none.

use std::sync::Arc;

use dumbbell_core::{BitRate, DropReason, Duration, Packet, Time, memory};

use super::{Abilities, Arrival, Counters, Impairments, Incident, Incidents, LinkConfig, Meter, Serializer};
use crate::queue::{Limit, QueueParams, droptail};
use crate::ring::Ring;

/// A link whose departures are known at arrival.
///
/// Because they are, a packet may be passed on at once to a next link that no other traffic enters ([`FifoLink::pass`]):
/// what that link does with it is settled already. So packets may be offered ahead of time, in order, and everything
/// is counted when it is offered; [`FifoLink::counters`] takes out again what lies beyond the time asked for.
///
/// The fields stand in four cache lines, in the order in which a packet meets them: with thousands of links every line is
/// fetched from far away.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct FifoLink {
    /// The packets whose next event is their arrival at the far end, in order.
    packets: Ring<Packet>,
    impairments: Impairments,
    delay: Duration,
    /// The next time at which counters will be read.
    boundary: Time,

    serializer: Serializer,
    limit: Limit,
    /// On a watched link, the packets that had not departed when last looked at.
    backlog: Ring<Departure>,

    backlog_bytes: u64,
    arrived: u64,
    accepted: u64,
    accepted_bytes: u64,
    sojourn_sum: u64,
    cold: Box<Cold>,
    /// Packets of fewer bytes enter without a look: nothing refuses them, and nobody asks for the backlog. Zero if none do.
    unseen_below: u16,
    /// True if the backlog must be known at any time: the queue has a limit or is sampled.
    watched: bool,
    /// True if what happens to a packet on this link depends on nothing but the packets before it, so that packets may be
    /// offered ahead of time: no limit, no samples, no losses, and no drop that must be reported when it happens.
    transparent: bool,
}

/// What few packets meet.
#[derive(Clone, Debug)]
struct Cold {
    dropped: [u64; DropReason::ALL.len()],
    /// The times at which counters will be read, and how many of them the link knows.
    read_at: Arc<[Time]>,
    known: usize,
    /// Packets counted that depart at the boundary or later.
    beyond: Vec<Visit>,
}

/// When a packet has left the transmitter, and its size: 48 bits of nanoseconds (78 hours) and 16 bits of bytes.
/// A later departure is kept as the latest.
#[derive(Clone, Copy, Debug)]
struct Departure(u64);

impl Departure {
    #[inline]
    fn new(time: Time, size: u16) -> Departure {
        Departure(time.as_nanos().min((1 << 48) - 1) << 16 | u64::from(size))
    }
    #[inline]
    fn time(self) -> Time {
        Time::from_nanos(self.0 >> 16)
    }
    #[inline]
    fn size(self) -> u64 {
        self.0 & 0xffff
    }
}

/// A packet's stay in the queue and the transmitter.
#[derive(Clone, Copy, Debug)]
struct Visit {
    arrival: Time,
    departure: Time,
    size: u16,
}

impl FifoLink {
    /// An idle link.
    pub fn new(config: &LinkConfig, queue: &droptail::Params) -> FifoLink {
        let limit = queue.limit(config.bdp, config.direction.largest_packet());
        let watched = config.sampled || limit != Limit::NONE;
        let impairments = Impairments::new(config);
        // Without a limit and losses, only a script drops packets.
        let reports_in_time = config.exact_drops && impairments.is_scripted();
        let cold = Cold {
            dropped: [0; DropReason::ALL.len()],
            read_at: config.read_at.clone(),
            known: 0,
            beyond: Vec::new(),
        };
        let transparent = !watched && !impairments.lossy && !reports_in_time;
        let unseen_below = if watched { 0 } else { impairments.unseen_below() };
        let mut link = FifoLink {
            packets: Ring::default(),
            impairments,
            delay: config.direction.delay,
            boundary: Time::NEVER,
            serializer: Serializer::new(config.direction.rate),
            limit,
            backlog: Ring::default(),
            backlog_bytes: 0,
            arrived: 0,
            accepted: 0,
            accepted_bytes: 0,
            sojourn_sum: 0,
            cold: Box::new(cold),
            unseen_below,
            watched,
            transparent,
        };
        link.next_boundary();
        link
    }

    /// See [`super::Link::abilities`].
    pub fn abilities(&self) -> Abilities {
        Abilities {
            // A packet accepted here is sure to reach the far end.
            passes_on: !self.impairments.lossy,
            transparent: self.transparent,
            forgets_arrivals: true,
            ..Abilities::default()
        }
    }

    /// A packet arrives at the queue. Returns when it will reach the far end, or gives it up to `incidents`.
    // Where packets come from, nearly all links are of the first kind: no call for them.
    #[inline(always)]
    pub fn pass(&mut self, now: Time, packet: &Packet, incidents: &mut Incidents) -> Option<Time> {
        if packet.size < self.unseen_below {
            self.arrived += 1;
            return Some(self.accept(now, packet.size));
        }
        self.pass_seen(now, packet, incidents)
    }

    /// The same where something may refuse the packet, or the backlog counts.
    #[inline(never)]
    fn pass_seen(&mut self, now: Time, packet: &Packet, incidents: &mut Incidents) -> Option<Time> {
        let n = self.arrived;
        self.arrived += 1;
        if let Some(reason) = self.refuse(now, packet, n) {
            self.cold.dropped[reason as usize] += 1;
            incidents.push((*packet, Incident::Dropped(reason)));
            return None;
        }
        let at = self.accept(now, packet.size);
        if self.watched {
            self.backlog_bytes += u64::from(packet.size);
            self.backlog.push(Departure::new(self.free_at(), packet.size));
        }
        Some(at)
    }

    /// A packet of `size` bytes enters. Returns when it will reach the far end.
    #[inline(always)]
    fn accept(&mut self, now: Time, size: u16) -> Time {
        let departure = self.serializer.depart(now, size);
        self.accepted += 1;
        self.accepted_bytes += u64::from(size);
        self.sojourn_sum += departure.since(now).as_nanos();
        if departure >= self.boundary {
            self.note_beyond(Visit { arrival: now, departure, size });
        }
        departure + self.delay
    }

    /// See [`super::Link::push`].
    // Called from many places: the compiler would make it a call, and saving registers is a fifth of its instructions.
    #[inline(always)]
    pub fn push(&mut self, now: Time, packet: &Packet, hop: u32, incidents: &mut Incidents) -> bool {
        let Some(at) = self.pass(now, packet, incidents) else { return false };
        let first = self.packets.is_empty();
        let stored = self.packets.push(*packet);
        stored.at = at;
        stored.hop = hop;
        first
    }

    /// See [`super::Link::hand_over`].
    #[inline]
    pub fn flight(&mut self) -> &mut Ring<Packet> {
        &mut self.packets
    }

    #[inline]
    fn refuse(&mut self, now: Time, packet: &Packet, n: u64) -> Option<DropReason> {
        if let Some(reason) = self.impairments.refuse(now, packet, n) {
            return Some(reason);
        }
        if self.backlog(now) == 0 {
            return None;
        }
        let (waiting, bytes) = self.waiting();
        let admitted = self.limit.admits(waiting, bytes, packet.size.into());
        (!admitted).then_some(DropReason::Overflow)
    }

    #[cold]
    #[inline(never)]
    fn note_beyond(&mut self, visit: Visit) {
        let beyond = &mut self.cold.beyond;
        if beyond.len() == beyond.capacity() {
            let len = beyond.len();
            memory::grow(len, len, size_of::<Visit>(), |more| beyond.try_reserve_exact(more));
        }
        beyond.push(visit);
    }

    /// See [`super::Link::take`]: true if a packet comes out, which [`FifoLink::pop`] takes.
    #[inline]
    pub fn advance(&mut self, now: Time, incidents: &mut Incidents) -> bool {
        !self.impairments.lossy || self.draw(now, incidents)
    }

    /// On a lossy link, draws once for every packet that comes out.
    #[cold]
    fn draw(&mut self, now: Time, incidents: &mut Incidents) -> bool {
        let Some(packet) = self.packets.front().filter(|p| p.at <= now).copied() else { return false };
        let lost = self.impairments.lose();
        if lost {
            self.cold.dropped[DropReason::RandomLoss as usize] += 1;
            incidents.push((packet, Incident::Dropped(DropReason::RandomLoss)));
            self.packets.discard();
        }
        !lost
    }

    /// The packet that came out.
    #[inline]
    pub fn pop(&mut self) -> Option<Packet> {
        self.packets.pop()
    }

    /// See [`super::Link::wake_at`].
    #[inline]
    pub fn wake_at(&self) -> Time {
        self.packets.front().map_or(Time::NEVER, |packet| packet.at)
    }

    /// Gives a packet up that has arrived, and has not met the queue.
    pub(super) fn turn_away(&mut self, packet: &Packet, reason: DropReason, incidents: &mut Incidents) {
        self.arrived += 1;
        self.cold.dropped[reason as usize] += 1;
        incidents.push((*packet, Incident::Dropped(reason)));
    }

    /// Packets that wait, and their bytes, without the one in transmission: on a watched link, when last looked at.
    #[inline]
    pub(super) fn waiting(&self) -> (u64, u64) {
        let in_service = self.backlog.front().map_or(0, |d| d.size());
        ((self.backlog.len() as u64).saturating_sub(1), self.backlog_bytes - in_service)
    }

    /// When everything accepted so far has left.
    #[inline]
    pub fn free_at(&self) -> Time {
        self.serializer.free_at()
    }

    /// Bits per second.
    pub fn rate(&self) -> BitRate {
        self.serializer.rate()
    }

    /// The packet held that `behind` others followed.
    #[inline]
    pub fn stored(&self, behind: usize) -> Option<&Packet> {
        self.packets.get(self.packets.len().checked_sub(behind + 1)?)
    }

    /// The same, to be changed.
    #[inline]
    pub fn stored_mut(&mut self, behind: usize) -> Option<&mut Packet> {
        self.packets.from_back(behind)
    }

    /// The counters of [`Meter::progress`], for a driver that knows how many packets have not left, and their bytes.
    pub(super) fn progress_but(&self, waiting: u64, waiting_bytes: u64) -> Counters {
        Counters {
            arrived: self.arrived,
            sent: self.accepted - waiting,
            sent_bytes: self.accepted_bytes - waiting_bytes,
            dropped: self.cold.dropped,
            ..Counters::default()
        }
    }

    /// Packets that have not left the transmitter at `now`, their bytes, and the sum of the times until they leave in
    /// nanoseconds.
    ///
    /// A link that is not watched does not know which packets have left. Its transmitter works without a break as long as
    /// it has work, so the bits that it has still to send are known, and the packets are taken to be of the mean size.
    fn unsent(&mut self, now: Time) -> (u64, u64, u64) {
        if self.watched {
            let packets = self.backlog(now);
            let area = self.backlog.iter().map(|d| d.time().since(now).as_nanos()).sum();
            return (packets, self.backlog_bytes, area);
        }
        let busy = self.free_at().since(now);
        let bytes = self.rate().bytes_in(busy).min(self.accepted_bytes);
        let share = bytes as f64 / self.accepted_bytes.max(1) as f64;
        let packets = (share * self.accepted as f64).round();
        (packets as u64, bytes, (busy.as_nanos() as f64 * (packets + 1.0) / 2.0) as u64)
    }

    fn next_boundary(&mut self) {
        let boundary = self.cold.read_at.get(self.cold.known).copied().unwrap_or(Time::NEVER);
        self.boundary = boundary;
        self.cold.known += 1;
        self.cold.beyond.retain(|v| v.departure >= boundary);
    }
}

impl Meter for FifoLink {
    /// Zero on a link that is not watched.
    #[inline]
    fn backlog(&mut self, now: Time) -> u64 {
        while let Some(departure) = self.backlog.front() {
            if departure.time() > now {
                break;
            }
            self.backlog_bytes -= departure.size();
            self.backlog.discard();
        }
        self.backlog.len() as u64
    }

    #[inline]
    fn inside(&self) -> u64 {
        self.packets.len() as u64
    }

    fn progress(&mut self, now: Time) -> Counters {
        let backlog = self.backlog(now);
        self.progress_but(backlog, self.backlog_bytes)
    }

    /// # Panics
    /// If `now` is not the next of the times given in [`LinkConfig::read_at`].
    fn counters(&mut self, now: Time) -> Counters {
        assert_eq!(now, self.boundary, "counters are read at the times announced");
        let mut c = Counters {
            arrived: self.arrived,
            sent: self.accepted,
            sent_bytes: self.accepted_bytes,
            dropped: self.cold.dropped,
            // The integral of the number in the system is the sum of the times that they stay.
            queue_area: self.sojourn_sum,
            sojourn_sum: self.sojourn_sum,
            ..Counters::default()
        };
        for visit in self.cold.beyond.iter().filter(|v| v.departure > now) {
            c.sent -= 1;
            c.sent_bytes -= u64::from(visit.size);
            c.queue_area -= visit.departure.since(visit.arrival.max(now)).as_nanos();
            c.sojourn_sum -= visit.departure.since(visit.arrival).as_nanos();
            c.arrived -= u64::from(visit.arrival > now);
        }
        self.next_boundary();
        c
    }

    fn backlog_early(&mut self, now: Time) -> u64 {
        self.unsent(now).0
    }

    fn counters_early(&mut self, now: Time) -> Counters {
        let (packets, bytes, area) = self.unsent(now);
        let sent = self.accepted - packets;
        // When those that have not left arrived is not known: they are taken to stay for as long as the mean packet.
        let share = sent as f64 / self.accepted.max(1) as f64;
        Counters {
            arrived: self.arrived,
            sent,
            sent_bytes: self.accepted_bytes - bytes,
            dropped: self.cold.dropped,
            queue_area: self.sojourn_sum.saturating_sub(area),
            sojourn_sum: (self.sojourn_sum as f64 * share) as u64,
            ..Counters::default()
        }
    }

    fn departure(&self) -> Option<Time> {
        Some(self.free_at())
    }

    fn next_arrival(&mut self) -> Option<Arrival> {
        self.impairments.next_arrival()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_packet_meets_stands_in_four_cache_lines() {
        assert_eq!((size_of::<FifoLink>(), size_of::<super::super::Link>()), (256, 256));
        assert_eq!((align_of::<FifoLink>(), size_of::<Packet>()), (64, 64));
        // The transmitter, the limit and the backlog fill two of them.
        assert_eq!(std::mem::offset_of!(FifoLink, serializer), 64);
        assert_eq!(std::mem::offset_of!(FifoLink, backlog_bytes), 192);
    }
}
