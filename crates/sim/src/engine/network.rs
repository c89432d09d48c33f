//! Links joined into paths: where a packet goes next, and what became of every packet.

use dumbbell_core::{DropReason, Duration, Packet, Time, Way};
use dumbbell_net::link::{Incident, Incidents, Link, Note, Order};

use super::observer::{Event, Observer};
use super::routes::{END, END_FORWARD, END_REVERSE, Route, Stop};
use super::share::{Share, Whole};
use super::stations::Agents;
use super::tree::Tree;
use crate::paths::dealer::Dealer;

/// A packet that reached the end of its path.
#[derive(Clone, Copy, Debug)]
pub struct Delivery {
    /// The packet.
    pub packet: Packet,
    /// True if it reached the flow's destination, false if it came back to the source.
    pub forward: bool,
}

/// Flag of a link in the table of paths: packets enter it as soon as they are accepted by the link before it, because no
/// other traffic enters it, and what it does with them depends on nothing else. That saves the event between the two.
const EXPRESS: u32 = 1 << 30;

/// A start from here on is no position in the table of paths, which is shorter: each packet gets its own.
const DEALT: u32 = 1 << 31;

/// What a part of a run counts from for the packets of a flow in the network: the packets of one that others have sent to it may
/// be more than those that it has sent.
pub const ELSEWHERE: u32 = 1 << 31;

/// The link that an entry of the table of paths names.
pub fn link_of(entry: u32) -> u32 {
    entry & !EXPRESS
}

/// Packets that take paths of their own, from the one of this number on.
#[derive(Debug)]
pub(super) struct Dealt {
    dealer: Dealer,
    first_path: u32,
}

/// The network between the endpoints.
#[derive(Debug)]
pub struct Network<O, S> {
    /// All links; the first events of the tree belong to them, by index.
    pub links: Vec<Link>,
    /// For each link, whether packets enter it ahead of time: what it holds is not yet there.
    pub ahead: Vec<bool>,
    /// Pending events.
    pub tree: Tree,
    /// All paths one behind the other, each closed by an end. A packet carries its position.
    pub(super) paths: Vec<u32>,
    /// For each path the position at which it begins.
    pub(super) starts: Vec<u32>,
    /// By end of a flow slot: who deals out the packets that it sends.
    pub(super) dealt: Vec<Option<Dealt>>,
    /// Per flow slot: packets in the network.
    pub(super) inside: Vec<u32>,
    /// What happened on the link at hand.
    pub(super) incidents: Incidents,
    /// What else happened since the engine last looked.
    pub asides: Vec<Aside>,
    /// What became of all packets so far.
    pub tally: Tally,
    /// For each link, those that its queue pauses, with the time that a frame takes to them; empty without flow control.
    pub pauses: Vec<Vec<(u32, Duration)>>,
    /// The agents of routers, if there are any.
    pub(super) agents: Option<Box<Agents>>,
    /// Who watches.
    pub(super) observer: O,
    /// What of the network the loop runs.
    pub(super) share: S,
}

/// Events for the engine besides deliveries of packets of end points.
#[derive(Clone, Copy, Debug)]
pub enum Aside {
    /// A packet was dropped.
    Dropped(Dropped),
    /// A link made a copy of a packet.
    Duplicated(u32, Packet),
    /// A packet that a router originated has reached the end of its path.
    Noticed(Delivery),
    /// A packet of an end point has arrived whose delay is noted.
    Timed(Delivery),
}

/// A packet that a link dropped.
#[derive(Clone, Copy, Debug)]
pub struct Dropped {
    /// The link.
    pub link: u32,
    /// The packet.
    pub packet: Packet,
    /// Why.
    pub reason: DropReason,
}

/// What became of packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Packets handed to the network by end points.
    pub sent: u64,
    /// Packets that routers originated.
    pub originated: u64,
    /// Copies that links made.
    pub duplicated: u64,
    /// Packets that reached an endpoint.
    pub delivered: u64,
    /// Packets dropped.
    pub dropped: u64,
}

impl Tally {
    /// Packets queued or in flight: by conservation, those on all links.
    pub fn inside(&self) -> u64 {
        self.sent + self.originated + self.duplicated - self.delivered - self.dropped
    }

    /// What was counted since `earlier`.
    pub fn since(&self, earlier: &Tally) -> Tally {
        Tally {
            sent: self.sent - earlier.sent,
            originated: self.originated - earlier.originated,
            duplicated: self.duplicated - earlier.duplicated,
            delivered: self.delivered - earlier.delivered,
            dropped: self.dropped - earlier.dropped,
        }
    }
}

impl<O: Observer, S: Share> Network<O, S> {
    /// Joins links into paths as `routes` says. Where `agents` are, packets stop on their way; if `timed`, also where they arrive.
    pub fn new(
        mut links: Vec<Link>,
        other_owners: usize,
        routes: &[Route<'_>],
        (agents, timed): (Option<Agents>, bool),
        (observer, mut share): (O, S),
    ) -> Network<O, S> {
        let agents = agents.map(Box::new);
        let count = agents.as_ref().map_or(0, |agents| agents.len());
        let mut tree = Tree::new(links.len() + count + other_owners);
        // Ports under power control have events before a packet comes.
        for (i, link) in (0..).zip(&links) {
            arm(&mut share, &mut tree, i, link.wake_at());
        }
        let (express, ahead) = join(&mut links, routes);
        let link = |link: u32| if express[link as usize] { link | EXPRESS } else { link };
        let mut paths = Vec::new();
        let mut starts = Vec::with_capacity(routes.len());
        for route in routes {
            starts.push(paths.len() as u32);
            let (forward, originated) = (route.forward, route.originated);
            for (i, l) in route.links.iter().enumerate() {
                let stop = i.checked_sub(1).and_then(|_| agents.as_ref()?.behind(route.links[i - 1]));
                paths.extend(
                    stop.map(|agent| Stop { agent: Some(agent), forward, originated, timed: false }.entry()),
                );
                paths.push(link(*l));
            }
            let timed = timed && forward && !originated;
            paths.push(Stop { agent: None, forward, originated, timed }.entry());
        }
        if O::WATCHES {
            links.iter_mut().for_each(|link| link.arm(Order::KeepNotes));
        }
        let mut network = Network {
            links,
            ahead,
            tree,
            paths,
            starts,
            dealt: Vec::new(),
            inside: Vec::new(),
            incidents: Vec::new(),
            asides: Vec::new(),
            tally: Tally::default(),
            pauses: Vec::new(),
            agents,
            observer,
            share,
        };
        network.start_agents();
        network
    }

    /// The same, in one loop.
    pub fn into_whole(self) -> Network<O, Whole> {
        let Network {
            links,
            ahead,
            tree,
            paths,
            starts,
            dealt,
            inside,
            incidents,
            asides,
            tally,
            pauses,
            agents,
            observer,
            share: _,
        } = self;
        Network {
            links,
            ahead,
            tree,
            paths,
            starts,
            dealt,
            inside,
            incidents,
            asides,
            tally,
            pauses,
            agents,
            observer,
            share: Whole,
        }
    }

    /// Makes room for `slots` flow slots.
    pub fn reserve_slots(&mut self, slots: usize) {
        if self.inside.len() < slots {
            self.inside.resize(slots, if S::IS_PART { ELSEWHERE } else { 0 });
        }
    }

    /// Packets of a flow slot in the network.
    pub fn inside(&self, slot: u32) -> u32 {
        self.inside[slot as usize]
    }

    /// The event of a link, or of an agent of a router, is due at `at`.
    #[inline]
    pub fn arm(&mut self, link: u32, at: Time) {
        arm(&mut self.share, &mut self.tree, link, at);
    }

    /// An endpoint sends a packet along the path that begins at `start`, or along one that is dealt to it.
    #[inline]
    pub fn send(&mut self, now: Time, packet: &Packet, start: u32) {
        self.tally.sent += 1;
        self.inside[packet.flow as usize] += 1;
        // The check of the bounds is the test for a start that is none: what is not dealt pays nothing for it.
        let (start, link) = match self.paths.get(start as usize) {
            Some(link) => (start, *link),
            None => self.take_turn(now, start - DEALT),
        };
        if O::WATCHES {
            let packet = &Packet { hop: start, ..*packet };
            self.tell(now, packet, Event::Sent);
            return self.enter(now, packet, start + 1, link);
        }
        self.enter(now, packet, start + 1, link);
    }

    /// Tells who watches what happened to a packet that has entered its path.
    #[inline]
    pub(super) fn tell(&mut self, now: Time, packet: &Packet, event: Event) {
        if O::WATCHES {
            self.observer.packet(now, packet, way(&self.paths, packet), event);
        }
    }

    /// The path that is dealt to the next packet: where it begins, and its first link.
    #[inline(never)]
    #[cold]
    fn take_turn(&mut self, now: Time, end: u32) -> (u32, u32) {
        let dealt = self.dealt[end as usize].as_mut().expect("a flow with this start has a dealer");
        let start = self.starts[(dealt.first_path + dealt.dealer.deal(now)) as usize];
        (start, self.paths[start as usize])
    }

    /// Where `path` begins.
    pub fn start(&self, path: u32) -> u32 {
        self.starts[path as usize]
    }

    /// Lets `dealer` deal the packets out that one end of a flow slot sends (`end`: twice the slot, one more for the
    /// receiver), over paths from `first_path` on. Returns what [`send`](Network::send) then takes for a start.
    pub fn deal(&mut self, end: u32, first_path: u32, dealer: Dealer) -> u32 {
        if self.dealt.len() <= end as usize {
            self.dealt.resize_with(end as usize + 1, || None);
        }
        self.dealt[end as usize] = Some(Dealt { dealer, first_path });
        DEALT + end
    }

    /// The event of `link` is due: moves the packet that reached its far end onto the next link, or delivers it.
    #[inline(always)]
    pub fn step(&mut self, now: Time, link: u32) -> Option<Delivery> {
        let from = &mut self.links[link as usize];
        let taken = from.take(now, &mut self.incidents);
        tell_notes(&mut self.observer, &self.paths, now, link, from);
        let Some(packet) = taken else {
            self.look(now, link);
            return None;
        };
        arm(&mut self.share, &mut self.tree, link, from.wake_at());
        let next = self.paths[packet.hop as usize];
        if next >= END_REVERSE {
            if next > END_FORWARD {
                self.stop(link, &packet, Stop::of(next));
                return None;
            }
            self.tally.delivered += 1;
            self.inside[packet.flow as usize] -= 1;
            let end = if next == END_FORWARD { Event::Delivered } else { Event::Returned };
            self.tell(now, &packet, end);
            return Some(Delivery { packet, forward: next == END_FORWARD });
        }
        // Not `now`: the link may have handed the packet on ahead of time.
        self.enter(packet.at, &packet, packet.hop + 1, next);
        None
    }

    /// A packet enters `link`; `hop` is the position behind that link on its path.
    ///
    /// It is stored on the last link that it is known to reach: it passes at once through every link whose next is
    /// marked [`EXPRESS`].
    #[inline]
    pub(super) fn enter(&mut self, mut now: Time, packet: &Packet, mut hop: u32, mut link: u32) {
        loop {
            let next = self.paths[hop as usize];
            if next & (EXPRESS | END) != EXPRESS {
                break;
            }
            self.tell(now, packet, Event::Arrived(link));
            let passed = &mut self.links[link as usize];
            match passed.pass(now, packet, &mut self.incidents) {
                Some(arrival) => {
                    tell_departure(&mut self.observer, &self.paths, link, passed, packet);
                    now = arrival;
                }
                None => {
                    self.note_time(now);
                    return self.account(link);
                }
            }
            link = next & !EXPRESS;
            hop += 1;
        }
        self.tell(now, packet, Event::Arrived(link));
        let last = &mut self.links[link as usize];
        if S::IS_PART && self.share.leads_out(link) {
            return match last.pass(now, packet, &mut self.incidents) {
                Some(at) => self.share.carry(link, &Packet { at, hop, ..*packet }),
                None => self.account(link),
            };
        }
        if last.ahead().is_some() {
            return self.enter_ahead(now, packet, hop, link);
        }
        if last.push(now, packet, hop, &mut self.incidents) {
            arm(&mut self.share, &mut self.tree, link, last.wake_at());
        }
        tell_notes(&mut self.observer, &self.paths, now, link, last);
        if !self.incidents.is_empty() {
            self.note_time(now);
            self.account(link);
        } else {
            tell_departure(&mut self.observer, &self.paths, link, last, packet);
        }
    }

    /// Lets the packets that have just met with something know when, for who watches: it may be ahead of the loop's time.
    #[inline]
    fn note_time(&mut self, now: Time) {
        if O::WATCHES {
            self.incidents.iter_mut().for_each(|(packet, _)| packet.at = now);
        }
    }

    /// A packet enters `link`, which gives what starts ahead of time.
    #[inline(never)]
    fn enter_ahead(&mut self, now: Time, packet: &Packet, hop: u32, link: u32) {
        self.take_ahead(now, link);
        let ahead = self.links[link as usize].ahead();
        let next = ahead.and_then(|mut ahead| ahead.arrive(now, packet, hop, &mut self.incidents));
        if let Some((at, packet)) = next {
            self.hand_on(at, &packet, link);
        }
        if !self.incidents.is_empty() {
            self.account(link);
        }
        let at = self.links[link as usize].wake_at();
        match self.share.regions() {
            Some(regions) => regions.arm_earlier(link, at),
            None => self.tree.set_earlier(link, at),
        }
    }

    /// Hands on what started on `link` up to `now`, the present, to links that give nothing ahead.
    fn take_ahead(&mut self, now: Time, link: u32) {
        while let Some(mut ahead) = self.links[link as usize].ahead()
            && let Some((at, packet)) = ahead.next(now, &mut self.incidents)
        {
            self.hand_on(at, &packet, link);
        }
    }

    /// A packet from `link` enters the next at `at`, which may be to come.
    #[inline]
    fn hand_on(&mut self, at: Time, packet: &Packet, link: u32) {
        if !self.incidents.is_empty() {
            self.account(link);
        }
        self.enter(at, packet, packet.hop + 1, self.paths[packet.hop as usize]);
    }

    /// The event of `link` is due, and brings no packet.
    #[cold]
    fn look(&mut self, now: Time, link: u32) {
        let from = &mut self.links[link as usize];
        // The event may come early: see `Tree::set_earlier`.
        if from.wake_at() <= now && from.ahead().is_some() {
            self.take_ahead(now, link);
        }
        self.arm(link, self.links[link as usize].wake_at());
        self.account(link);
    }

    /// Brings every link up to date at `now`, the present.
    #[cold]
    pub fn settle(&mut self, now: Time) {
        for i in 0..self.links.len() as u32 {
            let link = &mut self.links[i as usize];
            if link.ahead().is_some() {
                self.take_ahead(now, i);
            } else if !link.read().settle(now, &mut self.incidents) {
                continue;
            }
            self.arm(i, self.links[i as usize].wake_at());
            self.account(i);
        }
    }

    /// Counts what happened on `link`.
    #[cold]
    pub(super) fn account(&mut self, link: u32) {
        for (packet, incident) in self.incidents.drain(..) {
            let inside = &mut self.inside[packet.flow as usize];
            match incident {
                Incident::Dropped(reason) => {
                    self.tally.dropped += 1;
                    *inside -= 1;
                    self.asides.push(Aside::Dropped(Dropped { link, packet, reason }));
                }
                Incident::Duplicated => {
                    self.tally.duplicated += 1;
                    *inside += 1;
                    self.asides.push(Aside::Duplicated(link, packet));
                }
                Incident::Pause(begins) => {
                    for (before, delay) in &self.pauses[link as usize] {
                        let paused = &mut self.links[*before as usize];
                        paused.arm(Order::Pause { at: packet.at + *delay, begins });
                        arm(&mut self.share, &mut self.tree, *before, paused.wake_at());
                    }
                }
            }
        }
    }

    /// Packets queued or in flight.
    pub fn packets_inside(&mut self) -> u64 {
        self.links.iter_mut().map(|link| link.read().inside()).sum()
    }

    /// Conservation: sent + originated + duplicated = delivered + dropped + inside, for the whole and flow by flow; and by
    /// traffic class on each link that tells them apart.
    ///
    /// # Panics
    /// If a packet vanished or came from nowhere, which only a bug can do.
    pub fn assert_conservation(&mut self) {
        let inside = self.packets_inside();
        let Tally { sent, originated, duplicated, delivered, dropped } = self.tally;
        assert_eq!(
            sent + originated + duplicated,
            delivered + dropped + inside,
            "packets sent + originated + duplicated = delivered + dropped + inside"
        );
        let by_flow: u64 = self.inside.iter().map(|n| u64::from(*n)).sum();
        assert_eq!(by_flow, inside, "packets of all flows = packets on all links");
        self.links.iter_mut().for_each(|link| link.read().assert_conservation());
    }
}

/// The event of a link is due at `at`.
#[inline(always)]
pub(super) fn arm<S: Share>(share: &mut S, tree: &mut Tree, link: u32, at: Time) {
    match share.regions() {
        Some(regions) => regions.arm(link, at),
        None => tree.set(link, at),
    }
}

/// Which way a packet travels whose position is on its path, wherever that is.
fn way(paths: &[u32], packet: &Packet) -> Way {
    let end = paths[packet.hop as usize..].iter().copied().find_map(Stop::read);
    if end.is_some_and(|end| end.forward) { Way::Forward } else { Way::Reverse }
}

/// Tells an observer what happened on `link` at `now`.
#[inline]
pub(super) fn tell_notes<O: Observer>(
    observer: &mut O,
    paths: &[u32],
    now: Time,
    number: u32,
    link: &mut Link,
) {
    if O::WATCHES {
        for (packet, note) in link.read().notes().into_iter().flat_map(|notes| notes.drain(..)) {
            let event = match note {
                Note::Left => Event::Left(number),
                Note::Marked(reason) => Event::Marked(number, reason),
            };
            observer.packet(now, &packet, way(paths, &packet), event);
        }
    }
}

/// Tells an observer when the packet that `link` has just accepted leaves its transmitter, if the link knows.
#[inline]
fn tell_departure<O: Observer>(
    observer: &mut O,
    paths: &[u32],
    number: u32,
    link: &mut Link,
    packet: &Packet,
) {
    if O::WATCHES
        && let Some(departure) = link.read().departure()
    {
        observer.packet(departure, packet, way(paths, packet), Event::Left(number));
    }
}

/// What comes before a link on all paths.
#[derive(Clone, Copy, PartialEq)]
enum Feeder {
    None,
    Link(u32),
    Many,
}

/// Finds the links that packets may enter ahead of time: only one other link feeds them, and what happens there depends on
/// nothing else. Returns which of them may be entered as soon as the feeder has accepted a packet, and all. Where the feeder
/// knows a packet's fate only when it has left, and all links behind it allow that, it hands packets on from then.
pub(super) fn join(links: &mut [Link], routes: &[Route<'_>]) -> (Vec<bool>, Vec<bool>) {
    let mut feeders = vec![Feeder::None; links.len()];
    for Route { links: route, .. } in routes {
        for (i, link) in route.iter().enumerate() {
            let feeder = if i == 0 { Feeder::Many } else { Feeder::Link(route[i - 1]) };
            let known = &mut feeders[*link as usize];
            *known = if *known == Feeder::None || *known == feeder { feeder } else { Feeder::Many };
        }
    }
    let ahead = |link: u32| {
        matches!(feeders[link as usize], Feeder::Link(_)) && links[link as usize].abilities().transparent
    };
    let mut hands_on: Vec<bool> = links.iter().map(|link| link.abilities().hands_on).collect();
    for Route { links: route, .. } in routes {
        for (i, link) in route.iter().enumerate() {
            hands_on[*link as usize] &= route.get(i + 1).is_some_and(|next| ahead(*next));
        }
    }
    let express = |link: u32| {
        ahead(link)
            && matches!(feeders[link as usize], Feeder::Link(f) if links[f as usize].abilities().passes_on)
    };
    let express: Vec<bool> = (0..links.len() as u32).map(express).collect();
    let handed = |link: u32| matches!(feeders[link as usize], Feeder::Link(f) if hands_on[f as usize]);
    let all = (0..).zip(&express).map(|(link, express)| *express || handed(link)).collect();
    let handing = links.iter_mut().zip(hands_on).filter(|(_, hands_on)| *hands_on);
    handing.for_each(|(link, _)| link.arm(Order::HandOn));
    (express, all)
}
