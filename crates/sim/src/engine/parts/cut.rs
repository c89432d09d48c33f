//! Where a run is cut into parts, and what that gains.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use dumbbell_core::Duration;

use super::graph::{Clumps, Graph};
use super::turns::{self, Turns};
use crate::engine::regions::Layout;
use crate::plan::Plan;

/// Nanoseconds of computing for a packet that is handed over, in both parts together: W1 in two parts.
const CROSSING: f64 = 25.0;

/// Nanoseconds for which threads wait for each other at the end of a window, beside what uneven work costs.
const MEETING: f64 = 1_000.0;

/// Packets that are handed over in a window, if it need not be as long as it may: what the nearest cache holds.
const CROSSINGS: f64 = 256.0;

/// The most parts.
pub const MAX_PARTS: usize = 64;

/// A run in parts.
#[derive(Clone, PartialEq, Debug)]
pub struct Cut {
    /// How many.
    pub parts: usize,
    /// By node: its part.
    pub of_node: Vec<u8>,
    /// The regions, and where links join them.
    pub layout: Layout,
    /// How long the parts go on without looking at each other: at most the least time from an event in one to what it causes
    /// in another.
    pub window: Duration,
    /// How many times faster it is than on one thread, by an estimate.
    pub gain: f64,
}

impl Cut {
    /// The part in which packets enter a link.
    pub fn enters(&self, link: usize) -> u8 {
        self.of_node[self.layout.into[link] as usize]
    }

    /// The part in which they come out.
    pub fn leaves(&self, link: usize) -> u8 {
        self.of_node[self.layout.out_of[link] as usize]
    }
}

impl Graph {
    /// Cuts into so many parts, with windows of several lengths. Each part is cut into regions where that pays, or in any case.
    pub fn cuts(&self, plan: &Plan, parts: usize, pays: bool) -> Vec<Cut> {
        if parts == 1 {
            return vec![self.whole(plan, pays)];
        }
        self.lengths().into_iter().filter_map(|least| self.cut(plan, parts, (least, pays))).collect()
    }

    /// One part.
    fn whole(&self, plan: &Plan, pays: bool) -> Cut {
        let of_node = vec![0; self.work.len()];
        let turns = turns::best(self, plan, &of_node, (plan.duration, pays));
        let one: f64 = self.work.iter().sum();
        let gain = one / (one - turns.saved).max(1.0);
        self.cut_by(plan, of_node, turns, (1, plan.duration, gain))
    }

    fn cut_by(
        &self,
        plan: &Plan,
        of_node: Vec<u8>,
        turns: Turns,
        (parts, window, gain): (usize, Duration, f64),
    ) -> Cut {
        Cut {
            parts,
            of_node,
            layout: Layout {
                of_node: turns.of_node,
                regions: turns.regions,
                into: self.entry.clone(),
                out_of: plan.links.iter().map(|link| link.to).collect(),
                agents: plan.agents().collect(),
            },
            window,
            gain,
        }
    }

    /// Cuts where packets take `least` or longer.
    fn cut(&self, plan: &Plan, parts: usize, (least, pays): (Duration, bool)) -> Option<Cut> {
        let clumps = Clumps::of(self.work.len(), self.hops.iter().filter(|hop| hop.lookahead < least));
        if clumps.count < parts {
            return None;
        }
        let of_clump = self.grow(&clumps, parts);
        let of_node: Vec<u8> = clumps.of_node.iter().map(|clump| of_clump[*clump as usize]).collect();
        let part = |node: u32| of_node[node as usize];
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
        let turns = turns::best(self, plan, &of_node, (window, pays));
        let kept = 1.0 - turns.saved / one.max(1.0);
        let gain = one / (most * kept + crossing * CROSSING / parts as f64 + windows * MEETING).max(1.0);
        Some(self.cut_by(plan, of_node, turns, (parts, window, gain)))
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
