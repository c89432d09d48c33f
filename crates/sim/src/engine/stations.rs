//! The agents of routers with what stands around them: ports, links, the flows that pass.

use dumbbell_core::rng::stream;
use dumbbell_core::{BitRate, Time, Way};
use dumbbell_net::node::{Allocated, NodeAgent, Outbox, Port, PortView, Setting};

use super::routes::Route;
use crate::plan::{Plan, PlannedLink};

/// The number of no flow.
pub const NOBODY: u32 = u32::MAX;

/// All agents of a run.
#[derive(Debug)]
pub struct Agents {
    pub stations: Vec<Station>,
    /// By link: the agent of the node that it enters.
    pub behind: Vec<Option<u32>>,
    /// By link: the port of that node that it enters.
    pub entered: Vec<u32>,
    /// By link: the port that it leaves, of the node that it comes from.
    pub left: Vec<u32>,
    /// By flow slot.
    pub flows: Vec<Known>,
    /// Paths of what end points send: so many stand before their copies.
    pub originals: usize,
    pub outbox: Outbox,
    pub views: Vec<PortView>,
}

/// An agent and what stands around it.
#[derive(Debug)]
pub struct Station {
    pub agent: Box<dyn NodeAgent>,
    /// When the event queue wakes it.
    pub armed: Time,
    /// By port: the link out.
    pub out: Vec<Option<u32>>,
    /// Its own paths to nodes where flows end: the node, the number of the first path, and how many. As many follow for
    /// flows that have their source there.
    pub ways: Vec<(u32, u32, u32)>,
}

/// What is known of the flow in a slot.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The flow's number, or [`NOBODY`].
    pub number: u32,
    /// True if both ends have closed: what is on its way may still arrive.
    pub closed: bool,
    /// Its destination and source.
    pub ends: [u32; 2],
    /// Where the way to each of them begins.
    pub starts: [u32; 2],
}

/// The position of an end in [`Known`].
pub fn end_of(way: Way) -> usize {
    match way {
        Way::Forward => 0,
        Way::Reverse => 1,
    }
}

/// The ports of a node: the links to a neighbour and from it. A neighbour may have several, and one only in one way.
fn ports(node: u32, links: &[PlannedLink]) -> Vec<(Option<u32>, Option<u32>)> {
    let numbered = || (0..).zip(links);
    let mut ports: Vec<(u32, Option<u32>, Option<u32>)> =
        numbered().filter(|(_, l)| l.from == node).map(|(i, l)| (l.to, Some(i), None)).collect();
    for (i, link) in numbered().filter(|(_, l)| l.to == node) {
        match ports.iter_mut().find(|(to, _, into)| *to == link.from && into.is_none()) {
            Some(port) => port.2 = Some(i),
            None => ports.push((link.from, None, Some(i))),
        }
    }
    ports.into_iter().map(|(_, out, into)| (out, into)).collect()
}

impl Agents {
    /// The agents of a plan, if it has any. Adds the paths of what they originate to `routes`.
    pub fn new<'p>(plan: &'p Plan, routes: &mut Vec<Route<'p>>) -> Option<Agents> {
        let mut planned = plan.described.iter().filter_map(|node| Some((node.node, node.agent.as_ref()?)));
        let first = planned.next()?;
        let originals = routes.len();
        routes.extend_from_within(..);
        routes[originals..].iter_mut().for_each(|route| route.originated = true);
        let links = plan.links.len();
        let mut agents = Agents {
            stations: Vec::new(),
            behind: vec![None; links],
            entered: vec![0; links],
            left: vec![0; links],
            flows: Vec::new(),
            originals,
            outbox: Outbox::default(),
            views: Vec::new(),
        };
        for (number, (node, planned)) in (0..).zip(std::iter::once(first).chain(planned)) {
            let ports = ports(node, &plan.links);
            for (port, (out, into)) in (0..).zip(&ports) {
                if let Some(link) = out {
                    agents.left[*link as usize] = port;
                }
                if let Some(link) = into {
                    agents.entered[*link as usize] = port;
                    agents.behind[*link as usize] = Some(number);
                }
            }
            let mut ways = Vec::new();
            for (end, set) in &planned.ways {
                ways.push((*end, routes.len() as u32, set.len() as u32));
                for forward in [true, false] {
                    routes.extend(set.iter().map(|links| Route { links, forward, originated: true }));
                }
            }
            let out: Vec<Option<u32>> = ports.into_iter().map(|(out, _)| out).collect();
            let port = |link: &Option<u32>| match link {
                Some(link) => {
                    let direction = &plan.links[*link as usize].direction;
                    Port { rate: direction.rate, mtu: direction.largest_packet() }
                }
                None => Port { rate: BitRate::from_bps(0), mtu: 0 },
            };
            let rng = stream(plan.seed, &format!("agent of {}", plan.nodes[node as usize]));
            let setting = Setting { router: node + 1, ports: out.iter().map(port).collect(), rng };
            agents.stations.push(Station {
                agent: planned.params.build(setting),
                armed: Time::NEVER,
                out,
                ways,
            });
        }
        Some(agents)
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.stations.len()
    }

    /// The agent of the node that a link enters.
    pub fn behind(&self, link: u32) -> Option<u32> {
        self.behind[link as usize]
    }

    /// What agents have counted that allocate bandwidth to flows, by the link out.
    pub fn allocated(&self) -> impl Iterator<Item = (u32, Allocated)> {
        let of = |station: &Station| {
            let ports = station.out.clone().into_iter().zip(station.agent.allocated());
            ports.filter_map(|(link, counted)| Some((link?, counted)))
        };
        self.stations.iter().flat_map(of)
    }
}
