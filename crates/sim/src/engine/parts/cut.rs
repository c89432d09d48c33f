//! Where a run is cut into parts, and what that gains.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use dumbbell_core::{Duration, FlowEnds};

use crate::engine::links_of;
use crate::engine::network::join;
use crate::engine::ways::Ways;
use crate::plan::Plan;

/// Nanoseconds of computing for a packet that enters a link, for the event when it comes out, for data at a receiver, and for an
/// acknowledgement at a sender. Choice: they add up to what W1, W4S and a fat-tree take on one thread.
const ENTRY: f64 = 9.0;
const EVENT: f64 = 14.0;
const DATA: f64 = 30.0;
const ACKNOWLEDGEMENT: f64 = 70.0;

/// Nanoseconds of computing for a packet that is handed over, in both parts together: W1 in two parts.
const CROSSING: f64 = 25.0;

/// Nanoseconds for which threads wait for each other at the end of a window, beside what uneven work costs.
const MEETING: f64 = 1_000.0;

/// Packets that are handed over in a window, if it need not be as long as it may: what the nearest cache holds.
const CROSSINGS: f64 = 256.0;

/// Lengths of windows that are tried.
const TRIALS: usize = 6;

/// The most parts.
pub const MAX_PARTS: usize = 64;

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

/// A run in parts.
#[derive(Clone, PartialEq, Debug)]
pub struct Cut {
    /// How many.
    pub parts: usize,
    /// By node: its part.
    pub of_node: Vec<u8>,
    /// By link: the part in which packets enter it.
    pub enters: Vec<u8>,
    /// By link: the part in which they come out.
    pub leaves: Vec<u8>,
    /// How long the parts go on without looking at each other: at most the least time from an event in one to what it causes
    /// in another.
    pub window: Duration,
    /// How many times faster it is than on one thread, as far as can be told before.
    pub gain: f64,
}

/// Where packets that have entered a link come out next, without an event before.
#[derive(Clone, Copy, Debug)]
struct Hop {
    link: u32,
    /// The node at which they enter: that of the link, or of the one before it that feeds it ahead of time.
    from: u32,
    to: u32,
    /// The least time from one to the other; zero where the two must be in one part.
    lookahead: Duration,
}

/// The network as events see it: nodes with their work, hops with the packets that take them.
pub struct Graph {
    hops: Vec<Hop>,
    /// By link: the node at which its packets enter, and the links that they pass before they have an event.
    entry: Vec<u32>,
    /// By node: nanoseconds of computing in a second.
    work: Vec<f64>,
    /// By link: packets a second.
    rates: Vec<f64>,
}

impl Graph {
    /// That of a plan with its traffic.
    pub fn new(plan: &Plan, traffic: &PacketRates) -> Graph {
        let mut links = links_of(plan, &[].into(), false, &FlowEnds::default());
        let (_, routes) = Ways::new(plan);
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
            let cuttable = links[at].can_be_cut();
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

    /// Cuts into so many parts, with windows of several lengths.
    pub fn cuts(&self, plan: &Plan, parts: usize) -> Vec<Cut> {
        let mut lengths: Vec<Duration> =
            self.hops.iter().map(|hop| hop.lookahead).filter(|d| !d.is_zero()).collect();
        lengths.sort_unstable();
        lengths.dedup();
        let step = lengths.len().div_ceil(TRIALS).max(1);
        lengths.iter().step_by(step).filter_map(|least| self.cut(plan, parts, *least)).collect()
    }

    /// Cuts where packets take `least` or longer.
    fn cut(&self, plan: &Plan, parts: usize, least: Duration) -> Option<Cut> {
        let clumps = Clumps::of(self.work.len(), self.hops.iter().filter(|hop| hop.lookahead < least));
        if clumps.count < parts {
            return None;
        }
        let of_clump = self.grow(&clumps, parts);
        let of_node: Vec<u8> = clumps.of_node.iter().map(|clump| of_clump[*clump as usize]).collect();
        let part = |node: u32| of_node[node as usize];
        let enters: Vec<u8> = self.entry.iter().map(|node| part(*node)).collect();
        let leaves: Vec<u8> = plan.links.iter().map(|link| part(link.to)).collect();
        let mut lookahead = plan.duration;
        let mut crossing = 0.0;
        for hop in self.hops.iter().filter(|hop| part(hop.from) != part(hop.to)) {
            lookahead = lookahead.min(hop.lookahead);
            crossing += self.rates[hop.link as usize];
        }
        let mut busy = vec![0.0; parts];
        for (work, part) in self.work.iter().zip(&of_node) {
            busy[usize::from(*part)] += work;
        }
        let one: f64 = busy.iter().sum();
        let most = busy.iter().copied().fold(0.0, f64::max);
        let window = lookahead.min(Duration::from_secs_f64(CROSSINGS * parts as f64 / crossing.max(1.0)));
        let window = window.max(Duration::from_nanos(1));
        let windows = (1.0 / window.as_secs_f64()).min(self.rates.iter().sum());
        let gain = one / (most + crossing * CROSSING / parts as f64 + windows * MEETING).max(1.0);
        Some(Cut { parts, of_node, enters, leaves, window, gain })
    }

    /// Lets one part after the other grow by the clump that has the largest share of its packets with it, until it has its share
    /// of the work.
    fn grow(&self, clumps: &Clumps, parts: usize) -> Vec<u8> {
        let count = clumps.count;
        let mut work = vec![0.0; count];
        for (of_node, clump) in self.work.iter().zip(&clumps.of_node) {
            work[*clump as usize] += of_node;
        }
        let mut neighbours: Vec<Vec<(u32, u64)>> = vec![Vec::new(); count];
        for hop in &self.hops {
            let (from, to) = (clumps.of_node[hop.from as usize], clumps.of_node[hop.to as usize]);
            if from != to {
                let packets = self.rates[hop.link as usize] as u64 + 1;
                neighbours[from as usize].push((to, packets));
                neighbours[to as usize].push((from, packets));
            }
        }
        let all: Vec<u64> =
            neighbours.iter().map(|all| all.iter().map(|(_, packets)| packets).sum()).collect();
        let share_of = |clump: usize, packets: &[u64]| {
            (u128::from(packets[clump]) << 32) / u128::from(all[clump].max(1))
        };
        let last = (parts - 1) as u8;
        let mut of_clump = vec![last; count];
        let mut left: f64 = work.iter().sum();
        let mut free = count;
        let mut taken = vec![false; count];
        for part in 0..last {
            let others = usize::from(last - part);
            let share = left / (others + 1) as f64;
            let mut has = 0.0;
            let mut passed_over = vec![false; count];
            // Packets between a clump and the part, and between it and all others.
            let mut packets = vec![0; count];
            let mut next = BinaryHeap::new();
            while free > others && has < share {
                let clump = loop {
                    let Some((known, Reverse(clump))) = next.pop() else { break None };
                    let at: usize = clump;
                    if !taken[at] && !passed_over[at] && share_of(at, &packets) == known {
                        break Some(at);
                    }
                };
                // Nothing hangs together with what it has: the first that is free.
                let Some(at) = clump.or_else(|| (0..count).find(|at| !taken[*at] && !passed_over[*at]))
                else {
                    break;
                };
                if has > 0.0 && has + work[at] - share > share - has {
                    passed_over[at] = true;
                    continue;
                }
                taken[at] = true;
                of_clump[at] = part;
                free -= 1;
                has += work[at];
                for (neighbour, more) in &neighbours[at] {
                    let neighbour = *neighbour as usize;
                    packets[neighbour] += more;
                    next.push((share_of(neighbour, &packets), Reverse(neighbour)));
                }
            }
            left -= has;
        }
        of_clump
    }
}

/// Nodes that must be in one part.
struct Clumps {
    count: usize,
    of_node: Vec<u32>,
}

impl Clumps {
    /// Nodes that `hops` join.
    fn of<'h>(nodes: usize, hops: impl Iterator<Item = &'h Hop>) -> Clumps {
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
