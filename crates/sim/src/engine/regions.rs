//! Regions: nodes whose events are handled for a while before those of other nodes are looked at.

use std::collections::VecDeque;

use dumbbell_core::{Duration, Time};
use dumbbell_net::link::Link;

use super::owners::Owners;
use super::timers::Timers;
use super::tree::Tree;

/// Nodes whose events are handled together.
#[derive(Clone, PartialEq, Debug)]
pub struct RegionOfRun {
    /// The part of the run that they belong to.
    pub part: u8,
    /// The regions that packets come from, and the least time that they take.
    pub feeders: Vec<(u32, Duration)>,
}

/// The regions of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Layout {
    /// By node: its region.
    pub of_node: Vec<u32>,
    /// The regions, in the order in which those of a part take turns.
    pub regions: Vec<RegionOfRun>,
    /// By link: the node at which packets enter it, that of the link before it where that one feeds it ahead of time.
    pub into: Vec<u32>,
    /// By link: the node at which they come out.
    pub out_of: Vec<u32>,
    /// By agent of a router: its node.
    pub agents: Vec<u32>,
}

/// No region.
const NOWHERE: u32 = u32::MAX;

/// The events of some nodes that hang together.
///
/// Owners and end points have numbers of their own here, in the order of those that they have in the whole run. So events come
/// in the order in which one loop over all nodes would handle them.
#[derive(Debug)]
struct Region {
    tree: Tree,
    timers: Timers,
    /// By owner: its number in the run. Links that come out here, then agents of routers, the timers, and the starts of flows.
    owners: Vec<u32>,
    /// By end point: its number in the run.
    endpoints: Vec<u32>,
    /// End points of flows that are over, whose numbers here others get.
    vacant: Vec<u32>,
    /// True if end points have other numbers here than those in the order of the run.
    unordered: bool,
    /// Flows that start here: when, and the sender's end point.
    starts: VecDeque<(Time, u32)>,
    /// Links that come in from other regions, as owners: what entered them since is not in the tree.
    inlets: Vec<u32>,
    /// The regions that they come from, and the least time that a packet takes from there.
    feeders: Vec<(u32, Duration)>,
    /// Everything before is done.
    clock: Time,
}

impl Region {
    fn new(owned: Vec<u32>, owners: &Owners, feeders: Vec<(u32, Duration)>) -> Region {
        let mut all = owned;
        all.extend([owners.timers, owners.arrivals]);
        Region {
            tree: Tree::new(all.len()),
            timers: Timers::default(),
            owners: all,
            endpoints: Vec::new(),
            vacant: Vec::new(),
            unordered: false,
            starts: VecDeque::new(),
            inlets: Vec::new(),
            feeders,
            clock: Time::ZERO,
        }
    }

    fn timers_owner(&self) -> u32 {
        self.owners.len() as u32 - 2
    }

    fn starts_owner(&self) -> u32 {
        self.owners.len() as u32 - 1
    }

    /// An end point is here from now on. Returns its number here.
    fn take_in(&mut self, endpoint: u32) -> u32 {
        if let Some(local) = self.vacant.pop() {
            self.unordered = true;
            self.endpoints[local as usize] = endpoint;
            return local;
        }
        self.unordered |= self.endpoints.last().is_some_and(|last| *last > endpoint);
        self.endpoints.push(endpoint);
        self.timers.reserve(self.endpoints.len());
        self.endpoints.len() as u32 - 1
    }

    /// Takes note of what entered links in other regions.
    #[inline]
    fn look_at_inlets(&mut self, links: &[Link]) {
        for owner in &self.inlets {
            let link = self.owners[*owner as usize];
            self.tree.set(*owner, links[link as usize].wake_at());
        }
    }
}

/// Where the events of a link are.
#[derive(Clone, Copy, Debug)]
struct Place {
    region: u32,
    owner: u32,
}

/// The regions of a part, in the order in which they take turns.
#[derive(Debug)]
pub struct Regions {
    all: Vec<Region>,
    /// The region at turn.
    here: Region,
    /// Its number, or [`NOWHERE`] between turns.
    at_turn: u32,
    /// By link, then by agent of a router.
    places: Vec<Place>,
    /// By node: its region, or [`NOWHERE`] in other parts.
    of_node: Vec<u32>,
    /// By end point in the run: its number in its region.
    locals: Vec<u32>,
}

impl Regions {
    /// Those of part `number`, without events.
    pub(in crate::engine) fn new(layout: &Layout, number: u8, owners: &Owners) -> Regions {
        let mut known = vec![NOWHERE; layout.regions.len()];
        let own = (0..).zip(&layout.regions).filter(|(_, region)| region.part == number);
        let mut count = 0;
        for (region, _) in own.clone() {
            known[region] = count;
            count += 1;
        }
        let of_node: Vec<u32> = layout.of_node.iter().map(|region| known[*region as usize]).collect();
        let mut places = vec![Place { region: NOWHERE, owner: 0 }; layout.out_of.len()];
        let mut links = vec![Vec::new(); count as usize];
        let mut inlets = vec![Vec::new(); count as usize];
        for (link, (into, out_of)) in (0..).zip(layout.into.iter().zip(&layout.out_of)) {
            let region = of_node[*out_of as usize];
            if let Some(links) = links.get_mut(region as usize) {
                let owner = links.len() as u32;
                places[link as usize] = Place { region, owner };
                links.push(link);
                if of_node[*into as usize] != region {
                    inlets[region as usize].push(owner);
                }
            }
        }
        let mut owned = links;
        for (agent, node) in (owners.agents..).zip(&layout.agents) {
            let region = of_node[*node as usize];
            let owned = owned.get_mut(region as usize);
            places.push(Place { region, owner: owned.as_ref().map_or(0, |owned| owned.len() as u32) });
            owned.into_iter().for_each(|owned| owned.push(agent));
        }
        let regions = owned.into_iter().zip(inlets).zip(own);
        let all = regions.map(|((links, inlets), (_, planned))| {
            let known = |(feeder, least): &(u32, Duration)| {
                let feeder = known[*feeder as usize];
                (feeder != NOWHERE).then_some((feeder, *least))
            };
            let feeders = planned.feeders.iter().filter_map(known).collect();
            Region { inlets, ..Region::new(links, owners, feeders) }
        });
        Regions {
            all: all.collect(),
            here: Region::new(Vec::new(), owners, Vec::new()),
            at_turn: NOWHERE,
            places,
            of_node,
            locals: Vec::new(),
        }
    }

    /// How many there are.
    pub(in crate::engine) fn len(&self) -> u32 {
        self.all.len() as u32
    }

    /// Everything before this time is done in all regions.
    pub(in crate::engine) fn clock(&self) -> Time {
        self.all.iter().map(|region| region.clock).min().unwrap_or(Time::ZERO)
    }

    /// Up to when a region may go on: what others do from their clocks on comes there later. At most `stop`.
    pub(in crate::engine) fn bound(&self, region: u32, stop: Time) -> Time {
        let feeders = self.all[region as usize].feeders.iter();
        feeders.map(|(feeder, least)| self.all[*feeder as usize].clock + *least).fold(stop, Time::min)
    }

    /// True if a region has done everything before `bound`.
    pub(in crate::engine) fn has_done(&self, region: u32, bound: Time) -> bool {
        self.all[region as usize].clock >= bound
    }

    /// It is the turn of a region.
    pub(in crate::engine) fn begin(&mut self, region: u32, links: &[Link]) {
        self.at_turn = region;
        std::mem::swap(&mut self.here, &mut self.all[region as usize]);
        self.here.look_at_inlets(links);
    }

    /// The turn is over: everything before `clock` is done.
    pub(in crate::engine) fn end(&mut self, clock: Time) {
        self.here.clock = clock;
        std::mem::swap(&mut self.here, &mut self.all[self.at_turn as usize]);
        self.at_turn = NOWHERE;
    }

    /// The next event of the region at turn, and its owner.
    #[inline]
    pub(in crate::engine) fn first(&self) -> (Time, u32) {
        let (now, owner) = self.here.tree.first();
        (now, self.here.owners[owner as usize])
    }

    /// The next event of all regions, between turns.
    pub(in crate::engine) fn first_of_all(&mut self, links: &[Link]) -> Time {
        let first = |region: &mut Region| {
            region.look_at_inlets(links);
            region.tree.first().0
        };
        self.all.iter_mut().map(first).min().unwrap_or(Time::NEVER)
    }

    /// Nothing happens before `clock`.
    pub(in crate::engine) fn skip(&mut self, clock: Time) {
        self.all.iter_mut().for_each(|region| region.clock = region.clock.max(clock));
    }

    /// Arms a link, or the agent of a router. In the turn of a region, links of others are looked at when it is their turn.
    #[inline]
    pub(in crate::engine) fn arm(&mut self, owner: u32, at: Time) {
        let Place { region, owner } = self.places[owner as usize];
        if region == self.at_turn {
            self.here.tree.set(owner, at);
        } else if self.at_turn == NOWHERE {
            self.arm_between_turns(Place { region, owner }, at);
        }
    }

    /// The same, at the latest: see [`Tree::set_earlier`].
    #[inline]
    pub(in crate::engine) fn arm_earlier(&mut self, link: u32, at: Time) {
        let Place { region, owner } = self.places[link as usize];
        debug_assert_eq!(
            region, self.at_turn,
            "links whose packets are not known at once are within a region"
        );
        self.here.tree.set_earlier(owner, at);
    }

    #[cold]
    fn arm_between_turns(&mut self, place: Place, at: Time) {
        if let Some(region) = self.all.get_mut(place.region as usize) {
            assert!(at >= region.clock, "an event comes before the present of its region");
            region.tree.set(place.owner, at);
        }
    }

    /// Takes note of a flow: the nodes of its sender and its receiver. Between turns.
    pub(in crate::engine) fn open(&mut self, slot: u32, nodes: [u32; 2], start: Time) {
        for (endpoint, node) in (2 * slot..).zip(nodes) {
            let room = self.locals.len().max(endpoint as usize + 1);
            self.locals.resize(room, NOWHERE);
            let Some(region) = self.all.get_mut(self.of_node[node as usize] as usize) else { continue };
            self.locals[endpoint as usize] = region.take_in(endpoint);
            if endpoint == 2 * slot {
                region.starts.push_back((start, endpoint));
                let first = region.starts.front().map_or(Time::NEVER, |(start, _)| *start);
                region.tree.set(region.starts_owner(), first);
            }
        }
    }

    /// The flow in a slot is over: nothing happens at its ends, which are at these nodes. Between turns.
    pub(in crate::engine) fn close(&mut self, slot: u32, nodes: [u32; 2]) {
        for (endpoint, node) in (2 * slot..).zip(nodes) {
            let Some(region) = self.all.get_mut(self.of_node[node as usize] as usize) else { continue };
            let local = std::mem::replace(&mut self.locals[endpoint as usize], NOWHERE);
            region.timers.disarm(local);
            region.vacant.push(local);
            let (owner, first) = (region.timers_owner(), region.timers.first());
            region.tree.set(owner, first);
        }
    }

    /// The end point of the sender that starts next in the region at turn.
    pub(in crate::engine) fn take_start(&mut self) -> Option<u32> {
        let (_, endpoint) = self.here.starts.pop_front()?;
        let next = self.here.starts.front().map_or(Time::NEVER, |(start, _)| *start);
        self.here.tree.set(self.here.starts_owner(), next);
        Some(endpoint)
    }

    /// See [`Timers::arm`]. The end point is one of the region at turn.
    #[inline]
    pub(in crate::engine) fn arm_endpoint(&mut self, endpoint: u32, at: Time) {
        if self.here.timers.arm(self.locals[endpoint as usize], at) {
            self.here.tree.set(self.here.timers_owner(), at);
        }
    }

    /// See [`Timers::take`].
    #[inline]
    pub(in crate::engine) fn take_timer(&mut self, now: Time) -> Option<u32> {
        let Region { timers, endpoints, unordered, .. } = &mut self.here;
        let taken = if *unordered {
            timers.take_by(now, |local| endpoints.get(local as usize).copied().unwrap_or(NOWHERE))
        } else {
            timers.take(now)
        };
        taken.map(|local| endpoints[local as usize])
    }

    /// See [`Timers::first`].
    #[inline]
    pub(in crate::engine) fn rearm_timers(&mut self) {
        let first = self.here.timers.first();
        self.here.tree.set(self.here.timers_owner(), first);
    }

    /// What all end points are armed at, with their numbers in the run.
    pub(in crate::engine) fn armed(&self) -> impl Iterator<Item = (u32, Time)> {
        self.all.iter().flat_map(|region| {
            let armed = |(local, endpoint): (u32, &u32)| (*endpoint, region.timers.armed(local));
            (0..).zip(&region.endpoints).map(armed).filter(|(_, at)| at.is_finite())
        })
    }
}
