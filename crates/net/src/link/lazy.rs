//! Any discipline at a constant rate, with one event per hop or none.
//!
//! A discipline decides on dequeue by earlier arrivals alone. So the link need not wait for the end of a transmission. It catches
//! up when the next packet arrives, when the last packet on the way reaches the far end, or when somebody reads its counters. A packet that starts is
//! on its way at once, with the time of its arrival at the far end. A router of XCP also decides by earlier
//! arrivals alone: it sees each packet arrive and leave, and ends its intervals, at the times at which that was due.

use dumbbell_core::{DropReason, Duration, Packet, Time, VerdictSink};

use super::classes::PerClass;
use super::verdicts::{Verdicts, verdicts};
use super::watch::Watch;
use super::{Arrival, Counters, Impairments, Incidents, LinkConfig, Meter, Serializer};
use crate::marker::{AnyMarker, Marker};
use crate::queue::{AnyDiscipline, Discipline};
use crate::ring::Ring;
use crate::router::xcp::{self, XcpAgent};
use crate::router::{Agent, AgentParams, QueueView};

/// A packet that has started, and when it reaches the far end.
type Started = (Time, Packet);

/// A link that starts transmissions late, with the times at which they were due. One that is `ROUTED` has a router of XCP: others pay
/// nothing for it.
#[derive(Clone, Debug)]
pub struct LazyLink<const ROUTED: bool = false> {
    queue: AnyDiscipline<Packet>,
    /// Packets in the queue.
    waiting: u64,
    serializer: Serializer,
    delay: Duration,
    /// The packets that have started, in order; [`Packet::at`] is when they reach the far end.
    started: Ring<Packet>,
    /// The last of these: what is to be taken back while it is in transmission, as it was counted when it started.
    last: Visit,
    /// True if packets are taken as soon as they start: none is kept then.
    hands_on: bool,
    /// True if it matters to the queue that the link runs idle.
    notices_idle: bool,
    /// True if the queue is still to be asked once the link runs idle.
    may_idle: bool,
    impairments: Impairments,
    /// Sets the class of what arrives.
    marker: Option<Box<AnyMarker>>,
    /// The router: what it does follows from what arrived before, like what the queue does.
    agent: Option<Box<XcpAgent>>,
    /// Counters of each packet by class.
    watch: Option<Box<Watch<Packet>>>,
    /// A packet in transmission counts as sent. The integral of the queue is the sum of the times at which packets left or will, less those
    /// at which they arrived, modulo 2^64: what is in the system is added when the integral is read.
    counters: Counters,
}

/// A packet's stay.
#[derive(Clone, Copy, Debug, Default)]
struct Visit {
    arrival: Time,
    size: u16,
    class: u8,
}

impl LazyLink {
    /// True if what leaves the transmitter is sure to reach the far end.
    pub fn can_hand_on(&self) -> bool {
        !self.impairments.lossy
    }

    /// Lets packets come out as soon as they start.
    pub fn hand_on(&mut self) {
        self.hands_on = true;
    }

    /// See [`super::Link::ahead`].
    #[inline]
    pub fn ahead(&mut self) -> Option<Ahead<'_>> {
        self.hands_on.then_some(Ahead(self))
    }
}

impl<const ROUTED: bool> LazyLink<ROUTED> {
    /// An idle link, with a router if it is to have one.
    pub fn new(config: &LinkConfig, router: Option<&xcp::Params>) -> LazyLink<ROUTED> {
        debug_assert_eq!(router.is_some(), ROUTED, "the type says whether there is one");
        let direction = &config.direction;
        LazyLink {
            queue: direction.queue.build(config.queue_setting()),
            waiting: 0,
            serializer: Serializer::new(direction.rate),
            delay: direction.delay,
            started: Ring::default(),
            last: Visit::default(),
            hands_on: false,
            notices_idle: direction.queue.laziness().notices_idle,
            may_idle: false,
            impairments: Impairments::new(config),
            marker: direction.marker.as_ref().map(|spec| Box::new(spec.build(config.streams.of("marker")))),
            agent: router.map(|router| Box::new(router.build(config.router_setting()))),
            watch: direction.counts_classes().then(|| Box::new(Watch::new(true, false))),
            counters: Counters::default(),
        }
    }

    /// See [`super::Link::push`]. Not for a link that hands packets on.
    ///
    /// One call with all in it that a packet meets: of what it is made of, each call would save and restore registers.
    #[inline(never)]
    pub fn push(&mut self, now: Time, packet: &Packet, hop: u32, incidents: &mut Incidents) -> bool {
        let first = self.started.is_empty();
        self.catch_up(now, incidents);
        let mut packet = Packet { at: now, hop, ..*packet };
        if let Some(at) = self.arrive(now, &mut packet, incidents) {
            self.keep((at, packet));
        }
        // Something is on its way as long as something waits: see `advance`.
        first
    }

    /// Starts all packets whose turn it was up to `now`. What else happened goes to `incidents`. Not for a link that hands
    /// packets on.
    #[inline(always)]
    fn catch_up(&mut self, now: Time, incidents: &mut Incidents) {
        while let Some(next) = self.next(now, incidents) {
            self.keep(next);
        }
    }

    #[inline]
    fn keep(&mut self, (at, packet): Started) {
        self.started.push(packet).at = at;
    }

    /// See [`Ahead::next`].
    #[inline(always)]
    fn next(&mut self, now: Time, incidents: &mut Incidents) -> Option<Started> {
        while self.serializer.free_at() <= now {
            if self.waiting == 0 {
                if self.may_idle {
                    self.idle(incidents);
                }
                break;
            }
            let next = self.start(self.serializer.free_at(), incidents);
            if next.is_some() {
                return next;
            }
        }
        if ROUTED {
            self.wake_agent(now);
        }
        None
    }

    /// Lets the router do what was due up to `now`: before packets that leave or arrive then.
    #[inline]
    fn wake_agent(&mut self, now: Time) {
        if let Some(agent) = &mut self.agent
            && agent.wake_at() <= now
        {
            self.wake_agent_due(now);
        }
    }

    #[cold]
    #[inline(never)]
    fn wake_agent_due(&mut self, now: Time) {
        let view = self.view();
        let Some(agent) = &mut self.agent else { return };
        while agent.wake_at() <= now {
            agent.wake(agent.wake_at(), &view);
        }
    }

    /// What a router sees of the queue.
    #[inline]
    fn view(&self) -> QueueView {
        QueueView { packets: self.waiting, bytes: self.queue.bytes(), rate: self.serializer.rate() }
    }

    /// See [`Ahead::arrive`]. Returns when the packet, which may be changed, reaches the far end, if it starts now.
    #[inline(always)]
    fn arrive(&mut self, now: Time, packet: &mut Packet, incidents: &mut Incidents) -> Option<Time> {
        if let Some(marker) = &mut self.marker {
            packet.class = marker.class_for(now, packet).number();
        }
        let n = self.counters.arrived;
        self.counters.arrived += 1;
        if let Some(watch) = &mut self.watch {
            watch.arrived(packet);
        }
        if let Some(reason) = self.impairments.refuse(now, packet, n) {
            verdicts!(self, incidents).dropped(*packet, reason);
            return None;
        }
        if ROUTED {
            let view = self.view();
            self.agent.iter_mut().for_each(|agent| agent.arrived(now, packet, &view));
        }
        if self.serializer.free_at() <= now {
            // A packet that is given up here was in the queue for no time.
            if !self.queue.pass_through(now, packet, &mut verdicts!(self, incidents)) {
                return None;
            }
            self.counters.queue_area = self.counters.queue_area.wrapping_sub(now.as_nanos());
            if ROUTED {
                self.stamp(now, packet, incidents);
            }
            return Some(self.transmit(now, packet));
        }
        let before = incidents.len();
        self.queue.enqueue(now, *packet, &mut verdicts!(self, incidents));
        self.counters.queue_area = self.counters.queue_area.wrapping_sub(now.as_nanos());
        self.waiting += 1;
        self.account_drops(now, incidents.len() - before);
        None
    }

    /// The transmitter has become free, and nothing waits.
    #[cold]
    fn idle(&mut self, incidents: &mut Incidents) {
        self.may_idle = false;
        let nothing = self.queue.dequeue(self.serializer.free_at(), &mut verdicts!(self, incidents));
        debug_assert!(nothing.is_none(), "an empty queue has no packet");
    }

    /// The transmitter is free at `at`, and something waits: what it gives, and when that reaches the far end.
    fn start(&mut self, at: Time, incidents: &mut Incidents) -> Option<Started> {
        if ROUTED {
            self.wake_agent(at);
        }
        let before = incidents.len();
        let next = self.queue.dequeue(at, &mut verdicts!(self, incidents));
        self.account_drops(at, incidents.len() - before);
        let mut packet = next?;
        self.waiting -= 1;
        debug_assert_eq!(self.waiting, self.queue.len() as u64, "what entered the queue left it or is in it");
        if ROUTED {
            self.stamp(at, &mut packet, incidents);
        }
        Some((self.transmit(at, &packet), packet))
    }

    /// Lets the router write into a packet that leaves the queue.
    #[inline]
    fn stamp(&mut self, at: Time, packet: &mut Packet, incidents: &mut Incidents) {
        let view = self.view();
        let verdicts = &mut verdicts!(self, incidents);
        self.agent.iter_mut().for_each(|agent| agent.leaving(at, packet, &view, verdicts));
    }

    /// A packet starts at `at`. Returns when it reaches the far end.
    #[inline(always)]
    fn transmit(&mut self, at: Time, packet: &Packet) -> Time {
        let end = self.serializer.depart(at, packet.size);
        self.last = Visit { arrival: packet.at, size: packet.size, class: packet.class };
        let sojourn = end.since(packet.at).as_nanos();
        self.counters.sent += 1;
        self.counters.sent_bytes += u64::from(packet.size);
        self.counters.sojourn_sum += sojourn;
        self.counters.queue_area = self.counters.queue_area.wrapping_add(end.as_nanos());
        if let Some(watch) = &mut self.watch {
            watch.left(packet, sojourn);
        }
        self.may_idle = self.notices_idle;
        end + self.delay
    }

    /// So many packets left the queue at `at` without being sent.
    #[inline]
    fn account_drops(&mut self, at: Time, count: usize) {
        if count > 0 {
            let times = at.as_nanos().wrapping_mul(count as u64);
            self.counters.queue_area = self.counters.queue_area.wrapping_add(times);
            self.waiting -= count as u64;
        }
    }

    /// See [`super::Link::take`]: true if a packet comes out, which [`LazyLink::pop`] takes.
    #[inline]
    pub fn advance(&mut self, now: Time, incidents: &mut Incidents) -> bool {
        if self.hands_on {
            return false;
        }
        // Something is on its way as long as something waits, so that the driver calls in time. That the link runs idle can wait.
        if self.waiting > 0 && self.started.len() <= 1 && self.drops_on_the_way(now, incidents) {
            return false;
        }
        if self.impairments.lossy {
            return self.draw(now, incidents);
        }
        self.started.front().is_some_and(|packet| packet.at <= now)
    }

    /// Starts all packets whose turn it was up to `now`; true if others were dropped.
    #[inline(never)]
    fn drops_on_the_way(&mut self, now: Time, incidents: &mut Incidents) -> bool {
        let before = incidents.len();
        self.catch_up(now, incidents);
        incidents.len() != before
    }

    /// On a lossy link, draws once for every packet that comes out.
    #[cold]
    fn draw(&mut self, now: Time, incidents: &mut Incidents) -> bool {
        let Some(packet) = self.started.front().filter(|packet| packet.at <= now).copied() else {
            return false;
        };
        let lost = self.impairments.lose();
        if lost {
            self.started.discard();
            verdicts!(self, incidents).dropped(packet, DropReason::RandomLoss);
        }
        !lost
    }

    /// The packet that came out.
    #[inline]
    pub fn pop(&mut self) -> Option<Packet> {
        self.started.pop()
    }

    /// See [`super::Link::wake_at`]. A link that hands packets on has none on the way. The next packet to start reaches the far
    /// end later than `delay` after its start: until then it is handed on in time.
    #[inline]
    pub fn wake_at(&self) -> Time {
        if let Some(packet) = self.started.front() {
            return packet.at;
        }
        if self.waiting == 0 { Time::NEVER } else { self.serializer.free_at() + self.delay }
    }

    /// True if a packet is in transmission at `now`.
    #[inline]
    fn transmits(&self, now: Time) -> bool {
        self.serializer.free_at() > now
    }
}

/// A link whose packets come out as soon as they start: see [`super::Link::ahead`].
#[derive(Debug)]
pub struct Ahead<'a>(&'a mut LazyLink);

impl Ahead<'_> {
    /// The next packet whose turn it was up to `now`, the present, and when it reaches the far end. What else happens goes to
    /// `incidents`. Until there is none: before a packet arrives, before the link is read, and at `wake_at`.
    #[inline]
    #[allow(clippy::should_implement_trait, reason = "it needs the time")]
    pub fn next(&mut self, now: Time, incidents: &mut Incidents) -> Option<Started> {
        self.0.next(now, incidents)
    }

    /// A packet arrives at the queue, as in [`super::Link::push`]. Returns what starts then, and when it reaches the far end.
    #[inline]
    pub fn arrive(
        &mut self,
        now: Time,
        packet: &Packet,
        hop: u32,
        incidents: &mut Incidents,
    ) -> Option<Started> {
        let mut packet = Packet { at: now, hop, ..*packet };
        let at = self.0.arrive(now, &mut packet, incidents)?;
        Some((at, packet))
    }
}

/// All but [`settle`](Meter::settle) only after that.
impl<const ROUTED: bool> Meter for LazyLink<ROUTED> {
    fn settle(&mut self, now: Time, incidents: &mut Incidents) -> bool {
        self.catch_up(now, incidents);
        true
    }

    fn backlog(&mut self, now: Time) -> u64 {
        self.waiting + u64::from(self.transmits(now))
    }

    fn inside(&self) -> u64 {
        self.waiting + self.started.len() as u64
    }

    fn progress(&mut self, now: Time) -> Counters {
        self.counters(now)
    }

    fn counters(&mut self, now: Time) -> Counters {
        let mut c = self.counters;
        c.queue_area = c.queue_area.wrapping_add(now.as_nanos().wrapping_mul(self.waiting));
        if self.transmits(now) {
            let (end, Visit { arrival, size, .. }) = (self.serializer.free_at(), self.last);
            c.sent -= 1;
            c.sent_bytes -= u64::from(size);
            c.sojourn_sum -= end.since(arrival).as_nanos();
            c.queue_area = c.queue_area.wrapping_sub(end.since(now).as_nanos());
        }
        c
    }

    fn read_classes(&mut self, now: Time) -> Option<PerClass> {
        let in_transmission = self.transmits(now).then(|| {
            let Visit { arrival, size, class } = self.last;
            (class, u64::from(size), self.serializer.free_at().since(arrival).as_nanos())
        });
        self.watch.as_mut().and_then(|watch| watch.read_classes_but(in_transmission))
    }

    fn assert_conservation(&self) {
        if let Some(classes) = self.watch.as_ref().and_then(|watch| watch.classes()) {
            classes.assert_conservation(&self.counters, self.waiting);
        }
    }

    fn average(&self) -> Option<f64> {
        self.queue.average()
    }

    fn next_arrival(&mut self) -> Option<Arrival> {
        self.impairments.next_arrival()
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::Ecn;
    use dumbbell_header::TcpHeader;

    use super::super::laws::{config_of, described};
    use super::*;

    #[test]
    #[should_panic(expected = "of all classes = packets that wait")]
    fn a_link_that_forgets_a_packet_is_noticed() {
        let marker = r#"{"kind": "token-bucket", "rate": "1Mbit/s", "out_class": 1}"#;
        let text = r#"{"rate": "10Mbit/s", "delay": "5ms", "queue": "codel", "marker": MARKER}"#;
        let mut link = LazyLink::<false>::new(&config_of(described(&text.replace("MARKER", marker))), None);
        let packet = Packet::of(TcpHeader::default(), 0, 1500, Ecn::NotEct);
        (0..2).for_each(|_| {
            link.push(Time::ZERO, &packet, 0, &mut Vec::new());
        });
        link.assert_conservation();
        link.waiting -= 1;
        link.assert_conservation();
    }
}
