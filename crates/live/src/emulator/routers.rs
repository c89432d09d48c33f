//! The routers at the two ends of the emulated link: their agents see real packets in both directions, and originate some.
//!
//! A router has two ports: one towards the client, one towards the server. One of them is the emulated link, with its queue.
//! The other leads on to links that the emulator takes for delays, so nothing waits there. Agents see the packets that carry
//! their headers; others pass.

use std::collections::HashMap;
use std::net::SocketAddr;

use dumbbell_core::rng::stream;
use dumbbell_core::{BitRate, DropReason, Duration, Ecn, Frame, MarkReason, Packet, Time, VerdictSink, Way};
use dumbbell_header::Datagram;
use dumbbell_header::datagram::LENGTH;
use dumbbell_net::node::{Allocated, FlowId, NodeAgent, Outbox, Passage, Port, PortView, Setting};
use dumbbell_net::router::QueueView;

use super::path::{DOWN, Path, Router, UP};
use crate::frame::IpFrame;

/// Most flows with a number of their own at a time: as many as receivers take. Packets of other flows pass unseen.
const MOST_FLOWS: usize = 1 << 16;

/// A flow that was silent for so long makes room: longer than any end point waits.
const SILENCE: Duration = Duration::from_secs(300);

/// What a router counted at a link out.
pub struct Counted {
    /// The link.
    pub link: String,
    /// The router.
    pub router: String,
    /// What was counted.
    pub allocated: Allocated,
}

/// What became of a packet at a router.
pub enum Fate {
    /// It goes on, marked for this reason if there is one.
    Onward(Option<MarkReason>),
    /// It was given up.
    Dropped(DropReason),
}

/// Both routers.
pub struct Routers {
    /// That at the client's end, and that at the server's. The position is also the direction of the link out.
    stations: [Option<Station>; 2],
    flows: Flows,
    outbox: Outbox,
    /// The names of the links.
    links: [String; 2],
}

struct Station {
    agent: Box<dyn NodeAgent>,
    router: Router,
    /// The headers that it reads.
    datagrams: Vec<Datagram>,
}

/// The port of a packet that goes in a direction: that towards the server, or that towards the client.
const fn port(to: usize) -> u32 {
    match to {
        UP => 1,
        _ => 0,
    }
}

impl Routers {
    /// The routers of a path. `number` tells those of one shell from those of others.
    pub fn new(path: &Path, seed: u64, number: u32) -> Routers {
        let links = [&path.uplink, &path.downlink];
        let station = |end: usize| {
            let router = path.routers[end].clone()?;
            let link = Port { rate: links[end].direction.rate, mtu: links[end].direction.largest_packet() };
            let beyond = Port { rate: router.beyond_rate, mtu: path.mtu };
            let ports = if end == UP { vec![beyond, link] } else { vec![link, beyond] };
            let rng = stream(seed, &format!("agent of {}", router.name));
            // 0 is no router.
            let setting = Setting { router: 2 * number + end as u32 + 1, ports, rng };
            let agent = router.params.build(setting);
            let datagrams =
                router.params.headers().iter().filter_map(|kind| dumbbell_header::datagram(*kind));
            Some(Station { agent, datagrams: datagrams.collect(), router })
        };
        Routers {
            stations: [station(UP), station(DOWN)],
            flows: Flows::default(),
            outbox: Outbox::default(),
            links: links.map(|link| link.name.to_string()),
        }
    }

    /// True if there is a router at an end.
    pub fn is_at(&self, end: usize) -> bool {
        self.stations[end].is_some()
    }

    /// What stands in for the port that leads on from the router at an end, away from the emulated link.
    pub fn beyond(&self, end: usize) -> PortView {
        let rate =
            self.stations[end].as_ref().map_or(BitRate::from_bps(0), |station| station.router.beyond_rate);
        PortView { queue: QueueView { packets: 0, bytes: 0, rate }, ..PortView::default() }
    }

    /// A packet passes the router at an end and is about to leave in the direction `to` by a port that looks like `view`.
    pub fn pass(&mut self, now: Time, end: usize, to: usize, frame: &mut IpFrame, view: &PortView) -> Fate {
        let Some(station) = &mut self.stations[end] else { return Fate::Onward(None) };
        let size = u16::try_from(frame.size()).unwrap_or(u16::MAX);
        let read = frame.udp_payload().and_then(|payload| {
            let mut known = station.datagrams.iter();
            known.find_map(|datagram| Some((datagram, datagram.read(payload, 0, size, frame.ecn())?)))
        });
        let Some((datagram, read)) = read else { return Fate::Onward(None) };
        let Some(way) = read.way else { return Fate::Onward(None) };
        let Some(flow) = self.flows.find(now, frame, read.number, way, to) else {
            return Fate::Onward(None);
        };
        let packet = Packet { at: now, flow: flow.index, ..read.packet };
        let passage = Passage { flow, way, originated: false, entered: port(1 - to), leaves: port(to) };
        let mut verdict = Verdict::default();
        let onward = station.agent.passing(now, packet, &passage, view, &mut verdict, &mut self.outbox);
        match onward {
            Some(onward) => {
                if onward.words() != packet.words() {
                    stamp(frame, datagram, &onward);
                }
                Fate::Onward(verdict.marked.filter(|_| packet.ecn != Ecn::Ce))
            }
            None => Fate::Dropped(verdict.dropped.unwrap_or(DropReason::Law)),
        }
    }

    /// What routers have originated, each with its direction.
    pub fn originated(&mut self, now: Time) -> Vec<(usize, IpFrame)> {
        let Routers { stations, flows, outbox, .. } = self;
        let datagrams = || stations.iter().flatten().flat_map(|station| &station.datagrams);
        let frame = |(flow, way, packet): (FlowId, Way, Packet)| {
            let known = flows.at(flow)?;
            let datagram = datagrams().find(|datagram| datagram.kind == packet.header)?;
            let header = datagram.encode(&packet, known.number_on_wire);
            let [source, destination] = known.ends;
            // The end point knows its peer alone: a packet of a router comes in the name of the other end.
            let (from, to, direction) = match way {
                Way::Forward => (source, destination, known.forward),
                Way::Reverse => (destination, source, 1 - known.forward),
            };
            Some((direction, IpFrame::datagram(now, from, to, &header)?))
        };
        outbox.drain().filter_map(frame).collect()
    }

    /// When a router asks to be woken.
    pub fn wake_at(&self) -> Time {
        let all = self.stations.iter().flatten().map(|station| station.agent.wake_at());
        all.min().unwrap_or(Time::NEVER)
    }

    /// Wakes the router at an end, if it asked for that. `link` is the view of the emulated link out of it.
    pub fn wake(&mut self, now: Time, end: usize, link: PortView) {
        let beyond = self.beyond(end);
        if let Some(station) = &mut self.stations[end]
            && station.agent.wake_at() <= now
        {
            let views = if end == UP { [beyond, link] } else { [link, beyond] };
            station.agent.wake(now, &views, &mut self.outbox);
        }
    }

    /// Forgets flows that nothing is heard of any more.
    pub fn sweep(&mut self, now: Time) {
        self.flows.sweep(now);
    }

    /// What was counted at each link out of a router: the emulated one, and those that lead on.
    pub fn counted(&self) -> Vec<Counted> {
        let mut all = Vec::new();
        for (end, station) in self.stations.iter().enumerate() {
            let Some(Station { agent, router, .. }) = station else { continue };
            let allocated = agent.allocated();
            let at = |port: u32| allocated.get(port as usize).copied();
            for (link, found) in [(&self.links[end], at(port(end))), (&router.beyond, at(port(1 - end)))] {
                let Some(allocated) = found else { continue };
                all.push(Counted { link: link.clone(), router: router.name.clone(), allocated });
            }
        }
        all
    }
}

/// Writes the header of a simulated packet over that of a real one.
fn stamp(frame: &mut IpFrame, datagram: &Datagram, packet: &Packet) {
    let bytes = frame.udp_payload().and_then(|payload| payload.first_chunk::<LENGTH>().copied());
    if let Some(mut bytes) = bytes {
        datagram.write(packet, &mut bytes);
        frame.write_udp_payload(0, &bytes);
    }
}

/// What an agent decided on a packet.
#[derive(Default)]
struct Verdict {
    dropped: Option<DropReason>,
    marked: Option<MarkReason>,
}

impl VerdictSink<Packet> for Verdict {
    fn dropped(&mut self, _packet: Packet, reason: DropReason) {
        self.dropped = Some(reason);
    }
    fn marked(&mut self, _packet: &Packet, reason: MarkReason) {
        self.marked = Some(reason);
    }
}

/// The source and the destination of a flow, and its number on the wire.
type Key = ([SocketAddr; 2], u32);

/// A flow of real packets.
#[derive(Clone, Copy, Debug)]
struct Known {
    id: FlowId,
    ends: [SocketAddr; 2],
    number_on_wire: u32,
    /// The direction of its data.
    forward: usize,
    seen: Time,
}

/// The flows that passed, as agents tell them apart.
#[derive(Debug, Default)]
struct Flows {
    /// The index of each.
    indices: HashMap<Key, u32>,
    /// By index; none where it is free.
    known: Vec<Option<Known>>,
    free: Vec<u32>,
    /// How many there were.
    started: u32,
}

impl Flows {
    /// The flow of a packet that goes in the direction `to`. A packet of the source makes a flow known.
    fn find(
        &mut self,
        now: Time,
        frame: &IpFrame,
        number_on_wire: u32,
        way: Way,
        to: usize,
    ) -> Option<FlowId> {
        let [from, towards] = frame.udp_ends()?;
        let (ends, forward) = match way {
            Way::Forward => ([from, towards], to),
            Way::Reverse => ([towards, from], 1 - to),
        };
        let key = (ends, number_on_wire);
        let index = match self.indices.get(&key) {
            Some(index) => *index,
            None if way == Way::Forward && self.indices.len() < MOST_FLOWS => {
                let index = self.free.pop().unwrap_or(self.known.len() as u32);
                self.known.resize(self.known.len().max(index as usize + 1), None);
                let id = FlowId { index, number: self.started };
                self.started = self.started.wrapping_add(1);
                self.known[index as usize] = Some(Known { id, ends, number_on_wire, forward, seen: now });
                self.indices.insert(key, index);
                index
            }
            None => return None,
        };
        let known = self.known[index as usize].as_mut()?;
        known.seen = now;
        Some(known.id)
    }

    fn at(&self, flow: FlowId) -> Option<&Known> {
        self.known.get(flow.index as usize)?.as_ref().filter(|known| known.id == flow)
    }

    fn sweep(&mut self, now: Time) {
        let Flows { indices, known, free, .. } = self;
        indices.retain(|_, index| {
            let place = &mut known[*index as usize];
            let keep = place.as_ref().is_some_and(|known| now.since(known.seen) <= SILENCE);
            if !keep {
                *place = None;
                free.push(*index);
            }
            keep
        });
    }
}
