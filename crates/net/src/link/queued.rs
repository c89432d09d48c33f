//! Any discipline, with an event at the end of each transmission.

use dumbbell_core::{DropReason, Duration, Frame, MarkReason, Packet, Time, VerdictSink};

use super::{Arrival, Counters, Impairments, LinkConfig, Service};
use crate::power::{Ledger, Moment, Port, Power, Shaper};
use crate::queue::{AnyDiscipline, Discipline};
use crate::ring::Ring;
use crate::router::{Agent, AnyAgent, QueueView};

/// What a [`QueuedLink`] carries: a simulated packet or a real one, with room for one time.
pub trait Carried: Frame {
    /// The time last set.
    fn at(&self) -> Time;
    /// Sets the time: of arrival while the packet waits, of arrival at the far end once it has left.
    fn set_at(&mut self, at: Time);
    /// The index of the flow in whatever keeps flows; `None` for a packet that belongs to no flow of ours.
    fn flow(&self) -> Option<u32>;
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

/// A link that asks its discipline for the next packet whenever the transmitter is free.
#[derive(Clone, Debug)]
pub struct QueuedLink<P> {
    queue: AnyDiscipline<P>,
    /// The packet in transmission and when it has left.
    in_service: Option<(P, Time)>,
    /// With nothing in transmission, when the head of the queue may start; never if it need not wait for that.
    start_at: Time,
    in_flight: Ring<P>,
    service: Service,
    /// Power control, in place of the service.
    port: Option<Box<Port>>,
    /// Holds packets back before the queue.
    shaper: Option<Box<Shaper<P>>>,
    agent: Option<Box<AnyAgent>>,
    delay: Duration,
    impairments: Impairments,
    counters: Counters,
    /// The queue's integral is complete up to here.
    area_until: Time,
    /// When the transmission in progress, the agent, the port or the shaper is due.
    due: Time,
    /// True if packets come out as soon as they have left the transmitter.
    hands_on: bool,
}

/// Counts what the discipline gives up. Packets on their way in carry their arrival in [`Carried::at`].
struct Verdicts<'a, P> {
    counters: &'a mut Counters,
    drops: &'a mut Vec<(P, DropReason)>,
}

impl<P> VerdictSink<P> for Verdicts<'_, P> {
    fn dropped(&mut self, packet: P, reason: DropReason) {
        self.counters.dropped[reason as usize] += 1;
        self.drops.push((packet, reason));
    }
    fn marked(&mut self, _packet: &P, _reason: MarkReason) {
        self.counters.marked += 1;
    }
}

impl<P: Carried> QueuedLink<P> {
    /// An idle link.
    pub fn new(config: &LinkConfig) -> QueuedLink<P> {
        let direction = &config.direction;
        let agent = direction.router.as_ref().map(|spec| Box::new(spec.build(config.router_context())));
        let power = direction.power.as_ref();
        let mut link = QueuedLink {
            queue: direction.queue.build(config.queue_context()),
            in_service: None,
            start_at: Time::NEVER,
            in_flight: Ring::default(),
            service: config.service(),
            port: power.map(|power| Box::new(Port::new(power, direction.rate))),
            shaper: power.and_then(Power::shaping).map(|period| Box::new(Shaper::new(period))),
            agent,
            delay: direction.delay,
            impairments: Impairments::new(config),
            counters: Counters::default(),
            area_until: Time::ZERO,
            due: Time::NEVER,
            hands_on: false,
        };
        link.due = link.next_due();
        link
    }

    /// True if a packet that has left the transmitter is sure to reach the far end.
    pub fn can_hand_on(&self) -> bool {
        !self.impairments.lossy
    }

    /// Lets packets come out as soon as they have left the transmitter, ahead of the time in [`Carried::at`] at which they
    /// reach the far end. Only if [`QueuedLink::can_hand_on`].
    pub fn hand_on(&mut self) {
        self.hands_on = true;
    }

    /// A packet arrives at the queue. Packets given up go to `drops`. Returns true if `wake_at` changed.
    pub fn push(&mut self, now: Time, mut packet: P, drops: &mut Vec<(P, DropReason)>) -> bool {
        let before = self.wake_at();
        self.settle(now, drops);
        let n = self.counters.arrived;
        self.counters.arrived += 1;
        if let Some(reason) = self.impairments.refuse(now, &packet, n) {
            self.counters.dropped[reason as usize] += 1;
            drops.push((packet, reason));
        } else {
            packet.set_at(now);
            match &mut self.shaper {
                Some(shaper) => shaper.push(now, packet),
                None => self.enqueue(now, packet, drops),
            }
            self.due = self.next_due();
        }
        self.wake_at() != before
    }

    /// A packet reaches the queue.
    fn enqueue(&mut self, now: Time, packet: P, drops: &mut Vec<(P, DropReason)>) {
        if self.agent.is_some() {
            let view = self.view(now);
            self.agent.iter_mut().for_each(|agent| agent.arrived(now, &packet, &view));
        }
        let (size, dropped) = (packet.size(), drops.len());
        self.queue.enqueue(now, packet, &mut Verdicts { counters: &mut self.counters, drops });
        if let Some(port) = &mut self.port {
            port.arrived(now, size, drops.len() == dropped);
            self.start_on_port(now, drops);
            self.review(now, Moment::Arrival, drops);
        } else if !self.end_of_service().is_finite() {
            self.start(now, drops);
        }
    }

    /// Lets the link act at `now`, the time it asked for. Returns true if the packet at its head has reached the far end, or
    /// will be sure to on a link that hands packets on.
    pub fn act(&mut self, now: Time, drops: &mut Vec<(P, DropReason)>) -> bool {
        self.settle(now, drops);
        if self.head().is_none_or(|p| p.at() > now && !self.hands_on) {
            return false;
        }
        let lost = self.impairments.lose();
        if lost {
            self.counters.dropped[DropReason::RandomLoss as usize] += 1;
            drops.extend(self.pop().map(|packet| (packet, DropReason::RandomLoss)));
        }
        !lost
    }

    /// The packet that reaches the far end first.
    #[inline]
    pub fn head(&self) -> Option<&P> {
        self.in_flight.front()
    }

    /// Takes the head.
    #[inline]
    pub fn pop(&mut self) -> Option<P> {
        self.in_flight.pop()
    }

    /// When [`QueuedLink::act`] must be called next.
    #[inline]
    pub fn wake_at(&self) -> Time {
        self.in_flight.front().map_or(self.due, |packet| self.due.min(packet.at()))
    }

    fn next_due(&self) -> Time {
        self.end_of_service().min(self.agent_wake_at()).min(self.port_wake_at())
    }

    /// When the transmission in progress ends, or else the next may start.
    #[inline]
    fn end_of_service(&self) -> Time {
        self.in_service.as_ref().map_or(self.start_at, |(_, end)| *end)
    }

    #[inline]
    fn agent_wake_at(&self) -> Time {
        self.agent.as_ref().map_or(Time::NEVER, |agent| agent.wake_at())
    }

    /// When the port or the shaper before it has something to do.
    #[inline]
    fn port_wake_at(&self) -> Time {
        match &self.port {
            None => Time::NEVER,
            Some(port) => port.wake_at().min(self.shaper.as_ref().map_or(Time::NEVER, |s| s.wake_at())),
        }
    }

    /// Does everything that is due up to `now`, in order of time: transmissions end and begin, the port changes its state,
    /// the agent wakes.
    fn settle(&mut self, now: Time, drops: &mut Vec<(P, DropReason)>) {
        while self.due <= now {
            let (end, tick, port) = (self.end_of_service(), self.agent_wake_at(), self.port_wake_at());
            if port == self.due && port < end {
                self.wake_port(port, drops);
            } else if tick <= end {
                let view = self.view(tick);
                self.agent.iter_mut().for_each(|agent| agent.wake(tick, &view));
            } else {
                self.end_service(end, drops);
            }
            self.due = self.next_due();
        }
        self.integrate(now);
    }

    /// Ends the transmission in progress at `end` and starts the next.
    fn end_service(&mut self, end: Time, drops: &mut Vec<(P, DropReason)>) {
        self.integrate(end);
        let Some((mut packet, _)) = self.in_service.take() else { return self.transmit(end, drops) };
        self.counters.sent += 1;
        self.counters.sent_bytes += u64::from(packet.size());
        self.counters.sojourns += 1;
        let sojourn = end.since(packet.at());
        self.counters.sojourn_sum += sojourn.as_nanos();
        packet.set_at(end + self.delay);
        self.in_flight.push(packet);
        if let Some(port) = &mut self.port {
            port.ended(end, sojourn);
            self.start_on_port(end, drops);
            self.review(end, Moment::Departure, drops);
        } else {
            self.start(end, drops);
        }
    }

    /// The port or the shaper has something to do at `now`.
    fn wake_port(&mut self, now: Time, drops: &mut Vec<(P, DropReason)>) {
        self.integrate(now);
        while let Some(packet) = self.shaper.as_mut().and_then(|shaper| shaper.pop(now)) {
            self.enqueue(now, packet, drops);
        }
        if let Some(port) = &mut self.port
            && port.wake_at() <= now
        {
            port.advance(now);
            self.start_on_port(now, drops);
            self.review(now, Moment::Own, drops);
        }
    }

    /// Lets the port review its rate, and starts a packet if it may then start.
    fn review(&mut self, now: Time, moment: Moment, drops: &mut Vec<(P, DropReason)>) {
        let waiting = self.queue.bytes();
        if let Some(port) = &mut self.port {
            port.review(now, waiting, moment);
        }
        self.start_on_port(now, drops);
    }

    /// Starts a packet if the port may start one. What it holds back or takes up again changes when it ends.
    fn start_on_port(&mut self, now: Time, drops: &mut Vec<(P, DropReason)>) {
        if self.port.as_ref().is_some_and(|port| port.can_start()) {
            self.start(now, drops);
        }
        if let (Some(port), Some((_, end))) = (&self.port, &mut self.in_service) {
            *end = port.end_of_service();
        }
    }

    /// Starts the next transmission, if a packet waits, as soon as the service allows.
    fn start(&mut self, now: Time, drops: &mut Vec<(P, DropReason)>) {
        if let Service::Trace(opportunities) = &mut self.service
            && self.queue.len() > 0
        {
            let at = opportunities.ready_at(now);
            if at > now {
                self.start_at = at;
                return;
            }
        }
        self.transmit(now, drops);
    }

    /// Takes the next packet from the queue and transmits it.
    fn transmit(&mut self, now: Time, drops: &mut Vec<(P, DropReason)>) {
        self.start_at = Time::NEVER;
        let verdicts = &mut Verdicts { counters: &mut self.counters, drops };
        let Some(mut packet) = self.queue.dequeue(now, verdicts) else {
            self.service.idle();
            return;
        };
        if self.agent.is_some() {
            let view = self.view(now);
            self.agent.iter_mut().for_each(|agent| agent.leaving(now, &mut packet, &view));
        }
        let size = packet.size() as u16;
        let end = match &mut self.port {
            None => self.service.depart(now, size),
            Some(port) => port.start(now, size),
        };
        self.in_service = Some((packet, end));
    }

    fn view(&self, now: Time) -> QueueView {
        let rate = match &self.port {
            None => self.service.rate(now),
            Some(port) => port.level_rate(),
        };
        QueueView { packets: self.queue.len() as u64, bytes: self.queue.bytes(), rate }
    }

    fn integrate(&mut self, now: Time) {
        self.counters.queue_area += self.in_system() * now.since(self.area_until).as_nanos();
        self.area_until = now;
    }

    fn in_system(&self) -> u64 {
        let held = self.shaper.as_ref().map_or(0, |shaper| shaper.len());
        (held + self.queue.len()) as u64 + u64::from(self.in_service.is_some())
    }

    /// Packets waiting or in transmission. Asked after all events up to the present, so nothing is left to settle.
    pub fn backlog(&self) -> u64 {
        self.in_system()
    }

    /// Packets that the link holds: waiting, in transmission or in flight.
    pub fn inside(&self) -> u64 {
        self.in_system() + self.in_flight.len() as u64
    }

    /// What was counted so far, but for the integral of the queue.
    pub fn progress(&self) -> Counters {
        self.counters
    }

    /// What was counted up to `now`.
    pub fn counters(&mut self, now: Time) -> Counters {
        self.integrate(now);
        self.counters
    }

    /// The router agent, if there is one.
    pub fn agent(&self) -> Option<&AnyAgent> {
        self.agent.as_deref()
    }

    /// The arrivals noted.
    pub(super) fn arrivals(&mut self) -> &mut Ring<Arrival> {
        self.impairments.arrivals()
    }

    /// The port, if the link is under power control.
    pub fn port(&self) -> Option<&Port> {
        self.port.as_deref()
    }

    /// Closes the account of the port at `now`, the present, and opens an empty one.
    pub fn read_port(&mut self, now: Time) -> Option<Ledger> {
        self.port.as_mut().map(|port| port.read(now))
    }
}
