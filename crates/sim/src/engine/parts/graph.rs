//! A run as events see it: nodes with their work, and the packets between them.

use dumbbell_core::{Duration, FlowEnds};

use crate::engine::links_of;
use crate::engine::network::join;
use crate::engine::stations::Agents;
use crate::engine::ways::Ways;
use crate::plan::Plan;

/// Nanoseconds of computing for a packet that enters a link, for the event when it comes out, for data at a receiver, and for an
/// acknowledgement at a sender. Choice: they add up to what W1, W4S and a fat-tree take on one thread.
const ENTRY: f64 = 9.0;
const EVENT: f64 = 14.0;
const DATA: f64 = 30.0;
const ACKNOWLEDGEMENT: f64 = 70.0;

/// Lengths of windows that are tried.
const TRIALS: usize = 6;

/// Packets a second that are expected, dropped ones too.
#[derive(Clone, PartialEq, Debug)]
pub struct PacketRates {
    /// That enter each link.
    pub links: Vec<f64>,
    /// By node: data that its receivers get.
    pub data: Vec<f64>,
    /// By node: acknowledgements that its senders get.
    pub acknowledgements: Vec<f64>,
}

impl PacketRates {
    /// Seconds of computing for a second of the run, at least.
    pub fn least_work(&self) -> f64 {
        self.links.iter().sum::<f64>() * (ENTRY + EVENT) / 1e9
    }
}

/// Where packets that have entered a link come out next, without an event before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hop {
    pub link: u32,
    /// The node at which they enter: that of the link, or of the one before it that feeds it ahead of time.
    pub from: u32,
    pub to: u32,
    /// The least time from one to the other; zero where the two must be in one part.
    pub lookahead: Duration,
}

/// The network as events see it: nodes with their work, hops with the packets that take them.
pub struct Graph {
    pub(super) hops: Vec<Hop>,
    /// By link: the node at which its packets enter, and the links that they pass before they have an event.
    pub(super) entry: Vec<u32>,
    /// By node: nanoseconds of computing in a second.
    pub(super) work: Vec<f64>,
    /// By link: packets a second.
    pub(super) rates: Vec<f64>,
}

impl Graph {
    /// That of a plan with its traffic.
    pub fn new(plan: &Plan, traffic: &PacketRates) -> Graph {
        let mut links = links_of(plan, &[].into(), false, &FlowEnds::default());
        let (_, mut routes) = Ways::new(plan);
        // What routers originate takes ways of its own.
        Agents::new(plan, &mut routes);
        let (express, _) = join(&mut links, &routes);
        let planned = |link: u32| &plan.links[link as usize];
        let mut entry: Vec<u32> = plan.links.iter().map(|link| link.from).collect();
        let mut chain: Vec<Duration> = plan.links.iter().map(|link| link.direction.delay).collect();
        let mut ends = vec![false; links.len()];
        let mut known = vec![false; links.len()];
        for route in &routes {
            let mut before = None;
            for (i, link) in (0..).zip(route.links) {
                let at = *link as usize;
                if !known[at] {
                    known[at] = true;
                    if let Some(before) = before.filter(|_| express[at]) {
                        let before: u32 = before;
                        entry[at] = entry[before as usize];
                        chain[at] = chain[before as usize] + chain[at];
                    }
                }
                let next: Option<&u32> = route.links.get(i + 1);
                ends[at] |= next.is_none_or(|next| !express[*next as usize]);
                before = Some(*link);
            }
        }
        let hop = |link: u32| {
            let at = link as usize;
            let cuttable = links[at].abilities().passes_on;
            Hop {
                link,
                from: entry[at],
                to: planned(link).to,
                lookahead: if cuttable { chain[at] } else { Duration::ZERO },
            }
        };
        let hops: Vec<Hop> = (0..links.len() as u32).filter(|link| ends[*link as usize]).map(hop).collect();
        let mut work = vec![0.0; plan.nodes.len()];
        for (node, rate) in entry.iter().zip(&traffic.links) {
            work[*node as usize] += rate * ENTRY;
        }
        for hop in &hops {
            work[hop.to as usize] += traffic.links[hop.link as usize] * EVENT;
        }
        for (node, (data, acknowledgements)) in traffic.data.iter().zip(&traffic.acknowledgements).enumerate()
        {
            work[node] += data * DATA + acknowledgements * ACKNOWLEDGEMENT;
        }
        Graph { hops, entry, work, rates: traffic.links.clone() }
    }

    /// Some of the times that packets take from node to node, from the least on.
    pub(super) fn lengths(&self) -> Vec<Duration> {
        let mut lengths: Vec<Duration> =
            self.hops.iter().map(|hop| hop.lookahead).filter(|d| !d.is_zero()).collect();
        lengths.sort_unstable();
        lengths.dedup();
        let step = lengths.len().div_ceil(TRIALS).max(1);
        lengths.into_iter().step_by(step).collect()
    }
}

/// Nodes that must be in one part.
pub(super) struct Clumps {
    pub count: usize,
    pub of_node: Vec<u32>,
}

impl Clumps {
    /// Nodes that `hops` join.
    pub fn of<'h>(nodes: usize, hops: impl Iterator<Item = &'h Hop>) -> Clumps {
        let mut parent: Vec<u32> = (0..nodes as u32).collect();
        fn root(parent: &mut [u32], mut node: u32) -> u32 {
            while parent[node as usize] != node {
                parent[node as usize] = parent[parent[node as usize] as usize];
                node = parent[node as usize];
            }
            node
        }
        for hop in hops {
            let (a, b) = (root(&mut parent, hop.from), root(&mut parent, hop.to));
            // The lower number stays the root, so that clumps are numbered in the order of their first nodes.
            parent[a.max(b) as usize] = a.min(b);
        }
        let mut numbers = vec![u32::MAX; nodes];
        let mut count = 0;
        let mut of_node = Vec::with_capacity(nodes);
        for node in 0..nodes as u32 {
            let root = root(&mut parent, node) as usize;
            if numbers[root] == u32::MAX {
                numbers[root] = count;
                count += 1;
            }
            of_node.push(numbers[root]);
        }
        Clumps { count: count as usize, of_node }
    }
}
