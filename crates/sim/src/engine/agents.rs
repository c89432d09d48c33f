//! The agents of routers: packets stop at them on their way, and they originate packets.
//!
//! Only the table of paths knows where: before the link out of a router that has an agent stands a [`Stop`], which the loop
//! takes for an end of the path. So a network without agents pays nothing. What routers originate takes copies of the
//! paths, behind all others in the table, whose ends tell the engine that no end point sent it.

use dumbbell_core::{Frame, Packet, Time, Way};
use dumbbell_net::link::Entrance;
use dumbbell_net::node::{FlowId, Passage, PortView};

use super::network::{Aside, Delivery, Network, arm, tell_notes};
use super::observer::{Event, Observer};
use super::routes::Stop;
use super::share::Share;
use super::stations::{Agents, Known, NOBODY, Station, end_of};

impl<O: Observer, S: Share> Network<O, S> {
    /// A flow begins in a slot: its number, its destination and source, and where the ways to them begin.
    pub fn note_flow(&mut self, slot: u32, number: u32, ends: [u32; 2], starts: [u32; 2]) {
        if let Some(agents) = &mut self.agents {
            let none = Known { number: NOBODY, closed: true, ends: [0; 2], starts: [0; 2] };
            let slots = agents.flows.len().max(slot as usize + 1);
            agents.flows.resize(slots, none);
            agents.flows[slot as usize] = Known { number, closed: false, ends, starts };
        }
    }

    /// Both ends of the flow in a slot have closed, or it has more to send again.
    #[cold]
    #[inline(never)]
    pub fn note_closed(&mut self, slot: u32, closed: bool) {
        if let Some(agents) = &mut self.agents {
            agents.flows[slot as usize].closed = closed;
        }
    }

    /// Arms the timers of all agents.
    pub(super) fn start_agents(&mut self) {
        for (number, station) in (0..).zip(self.agents.iter_mut().flat_map(|agents| &mut agents.stations)) {
            station.armed = station.agent.wake_at();
            arm(&mut self.share, &mut self.tree, self.links.len() as u32 + number, station.armed);
        }
    }

    /// A packet that came over `link` has met an agent, or the end of a path for what routers originate or for what is timed.
    #[cold]
    #[inline(never)]
    pub(super) fn stop(&mut self, link: u32, packet: &Packet, stop: Stop) {
        let Some(number) = stop.agent else {
            self.tally.delivered += 1;
            self.inside[packet.flow as usize] -= 1;
            let end = if stop.forward { Event::Delivered } else { Event::Returned };
            self.tell(packet.at, packet, end);
            let delivery = Delivery { packet: *packet, forward: stop.forward };
            return self.asides.push(if stop.timed {
                Aside::Timed(delivery)
            } else {
                Aside::Noticed(delivery)
            });
        };
        if let Some(mut agents) = self.agents.take() {
            agents.pass(self, number, link, packet, stop);
            self.agents = Some(agents);
        }
    }

    /// The time has come that the agent of this number asked for.
    #[cold]
    #[inline(never)]
    pub(super) fn wake_agent(&mut self, now: Time, number: u32) {
        if let Some(mut agents) = self.agents.take() {
            agents.wake(self, now, number);
            self.agents = Some(agents);
        }
    }

    /// A packet enters `link`, as [`Network::enter`] has it: a copy of that for routers, so that the loop's own stays in place.
    #[inline(never)]
    fn enter_from_router(&mut self, now: Time, packet: &Packet, hop: u32, link: u32) {
        self.enter(now, packet, hop, link);
    }

    /// The queue of a link and its counters.
    fn view(&mut self, now: Time, link: u32) -> PortView {
        let inspected = &mut self.links[link as usize];
        let before = inspected.wake_at();
        let meter = inspected.read();
        let queue = meter.queue(now, &mut self.incidents);
        let (counters, backlog) = (meter.progress(now), meter.backlog(now));
        tell_notes(&mut self.observer, &self.paths, now, link, inspected);
        if inspected.wake_at() != before {
            arm(&mut self.share, &mut self.tree, link, inspected.wake_at());
        }
        if !self.incidents.is_empty() {
            self.account(link);
        }
        PortView { queue, counters, backlog }
    }
}

impl Agents {
    fn pass<O: Observer, S: Share>(
        &mut self,
        network: &mut Network<O, S>,
        number: u32,
        link: u32,
        packet: &Packet,
        stop: Stop,
    ) {
        let now = packet.at;
        let out = network.paths[packet.hop as usize + 1];
        let passage = Passage {
            flow: FlowId { index: packet.flow, number: self.flows[packet.flow as usize].number },
            way: if stop.forward { Way::Forward } else { Way::Reverse },
            originated: stop.originated,
            entered: self.entered[link as usize],
            leaves: self.left[out as usize],
        };
        network.tell(now, packet, Event::Passed(out));
        let port = network.view(now, out);
        let agent = &mut self.stations[number as usize].agent;
        let link = network.links[out as usize].read();
        let mut sink = Entrance { link, incidents: &mut network.incidents };
        let onward = agent.passing(now, *packet, &passage, &port, &mut sink, &mut self.outbox);
        tell_notes(&mut network.observer, &network.paths, now, out, &mut network.links[out as usize]);
        match onward {
            Some(onward) => {
                debug_assert_eq!(onward.flow, packet.flow, "an agent changes headers and marks");
                network.enter_from_router(now, &onward, packet.hop + 2, out);
            }
            None => network.account(out),
        }
        self.finish(network, now, number);
    }

    fn wake<O: Observer, S: Share>(&mut self, network: &mut Network<O, S>, now: Time, number: u32) {
        let station = &mut self.stations[number as usize];
        let nothing = PortView::default();
        self.views.clear();
        self.views
            .extend(station.out.iter().map(|link| link.map_or(nothing, |link| network.view(now, link))));
        station.agent.wake(now, &self.views, &mut self.outbox);
        debug_assert!(station.agent.wake_at() > now, "an agent is woken again at once");
        self.finish(network, now, number);
    }

    /// Sends what an agent has originated, and arms its timer.
    fn finish<O: Observer, S: Share>(&mut self, network: &mut Network<O, S>, now: Time, number: u32) {
        let station = &mut self.stations[number as usize];
        let wake_at = station.agent.wake_at().max(now);
        if wake_at != station.armed {
            station.armed = wake_at;
            network.arm(network.links.len() as u32 + number, wake_at);
        }
        if self.outbox.is_empty() {
            return;
        }
        let station = &self.stations[number as usize];
        for (flow, way, packet) in self.outbox.drain() {
            let known = self.flows.get(flow.index as usize);
            let known = known.filter(|known| known.number == flow.number && !known.closed);
            let way =
                known.and_then(|known| station.way(network, self.originals, number, known, way, &packet));
            if let Some(position) = way {
                network.tally.originated += 1;
                let packet = Packet { hop: position as u32, ..packet };
                network.tell(now, &packet, Event::Originated);
                network.inside[flow.index as usize] += 1;
                let link = network.paths[position];
                network.enter_from_router(now, &packet, position as u32 + 1, link);
            }
        }
    }
}

impl Station {
    /// Where the way of a packet to an end of its flow goes on from here: along the way that packets of the flow take, if that
    /// leads through here, or else a way of its own, of several by the hash of the flow.
    fn way<O: Observer, S: Share>(
        &self,
        network: &Network<O, S>,
        originals: usize,
        number: u32,
        known: &Known,
        way: Way,
        packet: &Packet,
    ) -> Option<usize> {
        let end = end_of(way);
        // A flow whose packets are dealt out begins beyond the table.
        if let Some(rest) = network.paths.get(known.starts[end] as usize..) {
            let shift = network.starts[originals] as usize;
            for (i, entry) in (known.starts[end] as usize + shift..).zip(rest) {
                match Stop::read(*entry) {
                    Some(stop) if stop.agent == Some(number) => return Some(i + 1),
                    Some(Stop { agent: None, .. }) => break,
                    _ => {}
                }
            }
        }
        let (_, first, count) = self.ways.iter().find(|(node, ..)| *node == known.ends[end])?;
        let first = first + end as u32 * count;
        let chosen = packet.flow_hash() % u64::from(*count);
        Some(network.starts[first as usize + chosen as usize] as usize)
    }
}
