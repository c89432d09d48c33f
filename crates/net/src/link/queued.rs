//! Any discipline, with an event at the end of each transmission.

mod change;

use dumbbell_core::{DropReason, Duration, Frame, MarkReason, Time, Times, VerdictSink};

use super::classes::PerClass;
use super::flight::{Flight, Launched};
use super::verdicts::{Verdicts, verdicts};
use super::watch::{Note, Watch};
use super::{Arrival, Carried, Counters, Impairments, Incident, Incidents, LinkConfig, Meter, Service};
use crate::buffer::Part;
use crate::marker::{AnyMarker, Marker};
use crate::pause::Pause;
use crate::power::{Ledger, Moment, Port, Power, Shaper};
use crate::queue::{AnyDiscipline, Discipline};
use crate::router::{Agent, AnyAgent, QueueView};

/// A link that asks its discipline for the next packet whenever the transmitter is free.
#[derive(Clone, Debug)]
pub struct QueuedLink<P: Frame> {
    queue: AnyDiscipline<P>,
    /// The packet in transmission and when it has left.
    in_service: Option<(P, Time)>,
    /// With nothing in transmission, when the head of the queue may start; never if it need not wait for that.
    start_at: Time,
    /// True if the queue may hold packets back.
    holds_back: bool,
    /// True if the queue may drop packets on dequeue.
    drops_late: bool,
    flight: Flight<P>,
    service: Service,
    /// Power control, instead of the service.
    port: Option<Box<Port>>,
    /// Holds packets back before the queue.
    shaper: Option<Box<Shaper<P>>>,
    agent: Option<Box<AnyAgent>>,
    /// Sets the class of what arrives.
    marker: Option<Box<AnyMarker>>,
    /// What the queue holds of the buffer of its node.
    buffer: Option<Box<Part>>,
    /// Pauses of its own transmitter, and those that its queue asks for.
    pause: Option<Box<Pause<P>>>,
    /// Counters and notes of each packet.
    watch: Option<Box<Watch<P>>>,
    delay: Duration,
    impairments: Impairments,
    counters: Counters,
    /// The queue's integral is complete up to here.
    area_until: Time,
    /// When the transmission in progress, the agent, the port or the shaper is due.
    due: Time,
    /// True if packets come out as soon as they have left the transmitter.
    hands_on: bool,
    /// True if an agent of the router looks at the queue.
    inspected: bool,
}

impl<P: Carried> QueuedLink<P> {
    /// An idle link.
    pub fn new(config: &LinkConfig) -> QueuedLink<P> {
        let direction = &config.direction;
        let agent = direction.router.as_ref().map(|spec| Box::new(spec.build(config.router_setting())));
        let power = direction.power.as_ref();
        let laziness = direction.queue.laziness();
        let mut link = QueuedLink {
            queue: direction.queue.build(config.queue_setting()),
            in_service: None,
            start_at: Time::NEVER,
            holds_back: laziness.holds_back,
            drops_late: laziness.drops_late,
            flight: Flight::new(config),
            service: config.service(),
            port: power.map(|power| Box::new(Port::new(power, direction.rate))),
            shaper: power.and_then(Power::shaping).map(|period| Box::new(Shaper::new(period))),
            agent,
            buffer: config.buffer.clone().map(|pool| Box::new(Part::new(pool))),
            pause: config.pause.is_any().then(|| Box::new(Pause::new(config.pause))),
            marker: direction.marker.as_ref().map(|spec| Box::new(spec.build(config.streams.of("marker")))),
            watch: (direction.counts_classes() || config.timed)
                .then(|| Box::new(Watch::new(direction.counts_classes(), config.timed))),
            delay: direction.delay,
            impairments: Impairments::new(config),
            counters: Counters::default(),
            area_until: Time::ZERO,
            due: Time::NEVER,
            hands_on: false,
            inspected: config.inspected,
        };
        link.due = link.next_due();
        link
    }

    /// True if a packet that has left the transmitter is sure to reach the far end.
    pub fn can_hand_on(&self) -> bool {
        !self.impairments.lossy && !self.flight.is_impaired()
    }

    /// Lets packets come out as soon as they have left the transmitter, ahead of the time in [`Carried::at`] at which they
    /// reach the far end. Only if [`QueuedLink::can_hand_on`].
    pub fn hand_on(&mut self) {
        self.hands_on = true;
    }

    /// A packet arrives at the queue. What else happens goes to `incidents`. Returns true if `wake_at` changed.
    pub fn push(&mut self, now: Time, mut packet: P, incidents: &mut Incidents<P>) -> bool {
        let before = self.wake_at();
        self.catch_up(now, incidents);
        if let Some(marker) = &mut self.marker {
            let class = marker.class_for(now, &packet);
            if packet.class() != class.number() {
                packet.set_class(class);
            }
        }
        let n = self.counters.arrived;
        self.counters.arrived += 1;
        if let Some(watch) = &mut self.watch {
            watch.arrived(&packet);
        }
        if let Some(reason) = self.impairments.refuse(now, &packet, n) {
            self.lose(packet, reason, incidents);
        } else {
            packet.set_at(now);
            match &mut self.shaper {
                Some(shaper) => shaper.push(now, packet),
                None => self.enqueue(now, packet, incidents),
            }
            self.due = self.next_due();
        }
        self.wake_at() != before
    }

    /// A packet reaches the queue.
    fn enqueue(&mut self, now: Time, packet: P, incidents: &mut Incidents<P>) {
        if self.agent.is_some() {
            let view = self.view(now);
            self.agent.iter_mut().for_each(|agent| agent.arrived(now, &packet, &view));
        }
        let (size, dropped) = (packet.size(), incidents.len());
        let copy = self.pause.is_some().then(|| packet.clone());
        if self.buffer.as_ref().is_some_and(|buffer| !buffer.admits(size)) {
            self.lose(packet, DropReason::SharedBuffer, incidents);
        } else {
            self.queue.enqueue(now, packet, &mut verdicts!(self, incidents));
            self.account_buffer();
        }
        if let Some(port) = &mut self.port {
            port.arrived(now, size, incidents.len() == dropped);
            self.start_on_port(now, incidents);
            self.review(now, Moment::Arrival, incidents);
        } else if !self.end_of_service().is_finite() || self.holds_back && self.in_service.is_none() {
            self.start(now, incidents);
        }
        if self.inspected {
            self.counters.queue_at_arrivals += self.in_system();
        }
        if let Some(packet) = copy {
            self.ask_for_pause(packet, incidents);
        }
    }

    /// A packet has arrived: its queue may have grown so far that those before it have to wait.
    #[cold]
    fn ask_for_pause(&mut self, packet: P, incidents: &mut Incidents<P>) {
        let waiting = self.queue.bytes();
        if self.pause.as_mut().is_some_and(|pause| pause.grew(&packet, waiting)) {
            incidents.push((packet, Incident::Pause(true)));
        }
    }

    /// A packet has left the queue at `now`: those before it may go on.
    #[inline]
    fn end_pause(&mut self, now: Time, incidents: &mut Incidents<P>) {
        let Some(pause) = &mut self.pause else { return };
        if let Some(mut packet) = pause.shrank(self.queue.bytes()) {
            packet.set_at(now);
            incidents.push((packet, Incident::Pause(false)));
        }
    }

    /// A pause frame is on its way to the transmitter, and arrives at `at`. Only for a link whose part it is to obey.
    pub fn expect_pause(&mut self, at: Time, begins: bool) {
        self.pause.iter_mut().for_each(|pause| pause.expect(at, begins));
        self.due = self.next_due();
    }

    /// Pause frames have arrived.
    #[cold]
    fn obey(&mut self, now: Time, incidents: &mut Incidents<P>) {
        self.integrate(now);
        let Some(pause) = &mut self.pause else { return };
        pause.obey(now);
        if self.in_service.is_none() {
            self.start(now, incidents);
        }
    }

    /// Tells the shared buffer, if there is one, what the queue holds.
    #[inline]
    fn account_buffer(&mut self) {
        if let Some(buffer) = &mut self.buffer {
            buffer.hold(self.queue.bytes());
        }
    }

    /// Advances the link to `now`, the time it asked for, and takes the packet that has reached the far end, or will be sure
    /// to on a link that hands packets on. Never together with incidents, so that the driver can tell whose they are
    /// without a look after every packet: the link asks again for its packet.
    pub fn take(&mut self, now: Time, incidents: &mut Incidents<P>) -> Option<P> {
        if self.advance(now, incidents) { self.pop() } else { None }
    }

    /// See [`QueuedLink::take`]: true if a packet comes out, which [`QueuedLink::pop`] takes.
    pub(super) fn advance(&mut self, now: Time, incidents: &mut Incidents<P>) -> bool {
        let before = incidents.len();
        self.catch_up(now, incidents);
        if incidents.len() != before {
            return false;
        }
        if self.flight.front().is_none_or(|p| p.at() > now && !self.hands_on) {
            return false;
        }
        let lost = self.impairments.lose();
        if lost && let Some(packet) = self.flight.lose() {
            self.lose(packet, DropReason::RandomLoss, incidents);
        }
        !lost
    }

    #[cold]
    fn lose(&mut self, packet: P, reason: DropReason, incidents: &mut Incidents<P>) {
        verdicts!(self, incidents).dropped(packet, reason);
    }

    /// The packet that came out.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<P> {
        self.flight.pop()
    }

    /// When [`QueuedLink::take`] must be called next.
    #[inline]
    pub fn wake_at(&self) -> Time {
        self.due.min(self.flight.wake_at())
    }

    /// When a driver that may be late must call [`QueuedLink::take`] next: what begins and ends before a packet can come out
    /// is then done at its own time. No later than [`QueuedLink::wake_at`] where something happens on the way that the driver
    /// tells the time of, as a queue drops on dequeue.
    pub fn comes_out_at(&self) -> Time {
        let end = self.end_of_service();
        if self.drops_late || self.flight.is_impaired() || self.due != end || !end.is_finite() {
            return self.wake_at();
        }
        let others = self.agent_wake_at().min(self.port_wake_at()).min(self.pause_wake_at());
        (end + self.delay).min(self.flight.wake_at()).min(others)
    }

    fn next_due(&self) -> Time {
        self.end_of_service().min(self.agent_wake_at()).min(self.port_wake_at()).min(self.pause_wake_at())
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

    /// When the next pause frame arrives.
    #[inline]
    fn pause_wake_at(&self) -> Time {
        self.pause.as_ref().map_or(Time::NEVER, |pause| pause.wake_at())
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
    fn catch_up(&mut self, now: Time, incidents: &mut Incidents<P>) {
        while self.due <= now {
            let (end, tick, port) = (self.end_of_service(), self.agent_wake_at(), self.port_wake_at());
            if self.pause_wake_at() == self.due {
                self.obey(self.due, incidents);
            } else if port == self.due && port < end {
                self.wake_port(port, incidents);
            } else if tick <= end {
                let view = self.view(tick);
                self.agent.iter_mut().for_each(|agent| agent.wake(tick, &view));
            } else {
                self.end_service(end, incidents);
            }
            self.due = self.next_due();
        }
        self.flight.settle(now);
        self.integrate(now);
    }

    /// Ends the transmission in progress at `end` and starts the next.
    fn end_service(&mut self, end: Time, incidents: &mut Incidents<P>) {
        self.integrate(end);
        let Some((mut packet, _)) = self.in_service.take() else { return self.start(end, incidents) };
        self.counters.sent += 1;
        self.counters.sent_bytes += u64::from(packet.size());
        let sojourn = end.since(packet.at());
        self.counters.sojourn_sum += sojourn.as_nanos();
        if let Some(watch) = &mut self.watch {
            watch.left(&packet, sojourn.as_nanos());
        }
        packet.set_left(end);
        match self.flight.launch(end, packet, self.delay) {
            Launched::Off => {}
            Launched::Doubled(packet, copies) => {
                self.counters.duplicated += u64::from(copies);
                let duplicated = (packet, Incident::Duplicated);
                incidents.extend(std::iter::repeat_n(duplicated, copies as usize));
            }
            Launched::Lost(packet) => self.lose(packet, DropReason::RandomLoss, incidents),
        }
        if let Some(port) = &mut self.port {
            port.ended(end, sojourn);
            self.start_on_port(end, incidents);
            self.review(end, Moment::Departure, incidents);
        } else {
            self.start(end, incidents);
        }
    }

    /// The port or the shaper has something to do at `now`.
    fn wake_port(&mut self, now: Time, incidents: &mut Incidents<P>) {
        self.integrate(now);
        while let Some(packet) = self.shaper.as_mut().and_then(|shaper| shaper.pop(now)) {
            self.enqueue(now, packet, incidents);
        }
        if let Some(port) = &mut self.port
            && port.wake_at() <= now
        {
            port.advance(now);
            self.start_on_port(now, incidents);
            self.review(now, Moment::Own, incidents);
        }
    }

    /// Lets the port review its rate, and starts a packet if it may then start.
    fn review(&mut self, now: Time, moment: Moment, incidents: &mut Incidents<P>) {
        let waiting = self.queue.bytes();
        if let Some(port) = &mut self.port {
            port.review(now, waiting, moment);
        }
        self.start_on_port(now, incidents);
    }

    /// Starts a packet if the port may start one. What it holds back or takes up again changes when it ends.
    fn start_on_port(&mut self, now: Time, incidents: &mut Incidents<P>) {
        if self.port.as_ref().is_some_and(|port| port.can_start()) {
            self.start(now, incidents);
        }
        if let (Some(port), Some((_, end))) = (&self.port, &mut self.in_service) {
            *end = port.end_of_service();
        }
    }

    /// Starts the next transmission, if a packet waits, as soon as the service allows.
    fn start(&mut self, now: Time, incidents: &mut Incidents<P>) {
        if self.pause.as_ref().is_some_and(|pause| !pause.is_open()) {
            self.start_at = Time::NEVER;
            return;
        }
        if let Service::Trace(opportunities) = &mut self.service
            && self.queue.len() > 0
        {
            let at = opportunities.ready_at(now);
            if at > now {
                self.start_at = at;
                return;
            }
        }
        self.transmit(now, incidents);
    }

    /// Takes the next packet from the queue and transmits it.
    fn transmit(&mut self, now: Time, incidents: &mut Incidents<P>) {
        self.start_at = Time::NEVER;
        let verdicts = &mut verdicts!(self, incidents);
        let Some(mut packet) = self.queue.dequeue(now, verdicts) else {
            self.account_buffer();
            self.end_pause(now, incidents);
            self.service.idle();
            if self.holds_back && !self.queue.is_empty() {
                self.start_at = self.queue.ready_at();
            }
            return;
        };
        self.account_buffer();
        self.end_pause(now, incidents);
        if self.agent.is_some() {
            let view = self.view(now);
            let verdicts = &mut verdicts!(self, incidents);
            self.agent.iter_mut().for_each(|agent| agent.leaving(now, &mut packet, &view, verdicts));
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

    /// Notes from now on what happens to packets; the driver takes the notes after each call.
    pub fn keep_notes(&mut self) {
        self.watch.get_or_insert_with(|| Box::new(Watch::new(false, false))).keep_notes();
    }

    /// The packets in flight, in any order.
    pub fn in_flight(&self) -> impl Iterator<Item = &P> {
        self.flight.iter()
    }
}

impl<P: Carried> Meter<P> for QueuedLink<P> {
    /// All that is read is read after all events up to the present, so nothing is left to settle.
    fn backlog(&mut self, _: Time) -> u64 {
        self.in_system()
    }

    fn inside(&self) -> u64 {
        self.in_system() + self.flight.len() as u64
    }

    fn progress(&mut self, _: Time) -> Counters {
        Counters { reordered: self.flight.reordered(), ..self.counters }
    }

    fn counters(&mut self, now: Time) -> Counters {
        self.integrate(now);
        self.progress(now)
    }

    fn queue(&mut self, now: Time, incidents: &mut Incidents<P>) -> QueueView {
        self.catch_up(now, incidents);
        self.view(now)
    }

    fn give_up(&mut self, packet: P, reason: DropReason, incidents: &mut Incidents<P>) {
        self.counters.arrived += 1;
        if let Some(watch) = &mut self.watch {
            watch.arrived(&packet);
        }
        self.lose(packet, reason, incidents);
    }

    fn mark(&mut self, packet: &P, reason: MarkReason) {
        self.counters.marked += 1;
        if let Some(watch) = &mut self.watch {
            watch.marked(packet, reason);
        }
    }

    fn next_arrival(&mut self) -> Option<Arrival> {
        self.impairments.next_arrival()
    }

    /// Of the time at which the link was last called, if that was no later than its `wake_at`.
    fn notes(&mut self) -> Option<&mut Vec<(P, Note)>> {
        self.watch.as_mut().and_then(|watch| watch.notes())
    }

    fn average(&self) -> Option<f64> {
        self.queue.average()
    }

    fn offered(&mut self, _: Time) -> Option<f64> {
        self.agent.as_ref().and_then(|agent| agent.offered())
    }

    fn read_classes(&mut self, _: Time) -> Option<PerClass> {
        self.watch.as_mut().and_then(|watch| watch.read_classes_but(None))
    }

    fn read_sojourns(&mut self) -> Option<Times> {
        self.watch.as_mut().and_then(|watch| watch.read_sojourns())
    }

    /// If its part is to obey.
    fn read_pause(&mut self, now: Time) -> Option<Duration> {
        self.pause.as_mut().and_then(|pause| pause.read(now))
    }

    fn port(&self) -> Option<&Port> {
        self.port.as_deref()
    }

    fn read_port(&mut self, now: Time) -> Option<Ledger> {
        self.port.as_mut().map(|port| port.read(now))
    }

    fn assert_conservation(&self) {
        if let Some(classes) = self.watch.as_ref().and_then(|watch| watch.classes()) {
            classes.assert_conservation(&self.counters, self.in_system());
        }
        if let Some(buffer) = &self.buffer {
            assert_eq!(
                buffer.held(),
                self.queue.bytes(),
                "bytes held of the shared buffer = bytes that wait"
            );
        }
    }
}
