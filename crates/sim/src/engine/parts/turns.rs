//! Into which regions a part is cut, in which order they take turns, and what that saves.

use dumbbell_core::{Duration, Time};

use super::graph::{Clumps, Graph};
use crate::engine::regions::RegionOfRun;
use crate::plan::Plan;

/// Nanoseconds of computing that an event takes less where many of a kind follow each other, in a small tree of events. Choice: by
/// what works from W4S (1) to 100,000 flows (14) take less.
const SAVED: f64 = 3.0;

/// Nanoseconds of computing for the turn of a region, and for each link by which packets come in from others.
const TURN: f64 = 25.0;
const INLET: f64 = 5.0;

/// Rounds after which the clocks of all regions go on alike.
const ROUNDS: u64 = 4;

/// Regions, in the order in which those of a part take turns.
pub struct Turns {
    /// By node: its region.
    pub of_node: Vec<u32>,
    /// All of them.
    pub regions: Vec<RegionOfRun>,
    /// Nanoseconds of computing that are saved in a second.
    pub saved: f64,
}

/// The regions that save most of those tried. Each part is one if none do, unless it is to be cut in any case.
pub fn best(graph: &Graph, plan: &Plan, parts: &[u8], (window, pays): (Duration, bool)) -> Turns {
    let count = 1 + parts.iter().copied().max().unwrap_or_default();
    let sampled = plan.record.samples || plan.links.iter().any(|link| link.sampled);
    let window = plan.record.period.filter(|_| sampled).map_or(window, |period| period.min(window));
    let none = Turns {
        of_node: parts.iter().map(|part| u32::from(*part)).collect(),
        regions: (0..count).map(|part| RegionOfRun { part, feeders: Vec::new() }).collect(),
        saved: 0.0,
    };
    let least = if pays { 0.0 } else { f64::NEG_INFINITY };
    let tried = graph.lengths().into_iter().map(|least| of_least(graph, parts, least, window));
    // Parts that are left whole are `none`.
    let tried = tried.filter(|turns| turns.regions.len() > usize::from(count));
    let better = |best: Option<Turns>, turns: Turns| {
        let most = best.as_ref().map_or(least, |best| best.saved);
        if turns.saved > most { Some(turns) } else { best }
    };
    tried.fold(None, better).unwrap_or(none)
}

/// Nodes of a part between which packets take less than `least` are in one region.
fn of_least(graph: &Graph, parts: &[u8], least: Duration, window: Duration) -> Turns {
    let part = |node: u32| parts[node as usize];
    let within = graph.hops.iter().filter(|hop| part(hop.from) == part(hop.to));
    let clumps = Clumps::of(parts.len(), within.clone().filter(|hop| hop.lookahead < least));
    let mut feeders: Vec<Vec<(u32, Duration)>> = vec![Vec::new(); clumps.count];
    let (mut inlets, mut events) = (0.0, 0.0);
    for hop in within {
        let (from, to) = (clumps.of_node[hop.from as usize], clumps.of_node[hop.to as usize]);
        if from != to {
            inlets += 1.0;
            events += graph.rates[hop.link as usize];
            feeders[to as usize].push((from, hop.lookahead));
        }
    }
    for feeders in &mut feeders {
        feeders.sort_unstable();
        // The least of each comes first.
        feeders.dedup_by_key(|(feeder, _)| *feeder);
    }
    let order = downstream(&feeders);
    let mut number = vec![0; clumps.count];
    for (turn, clump) in (0..).zip(&order) {
        number[*clump as usize] = turn;
    }
    let mut of_clump = vec![0; clumps.count];
    for (clump, part) in clumps.of_node.iter().zip(parts) {
        of_clump[*clump as usize] = *part;
    }
    let regions: Vec<RegionOfRun> = order
        .iter()
        .map(|clump| RegionOfRun {
            part: of_clump[*clump as usize],
            feeders: feeders[*clump as usize]
                .iter()
                .map(|(from, least)| (number[*from as usize], *least))
                .collect(),
        })
        .collect();
    let rounds =
        (window.as_secs_f64() / advance(&regions, window).as_secs_f64()).ceil() / window.as_secs_f64();
    Turns {
        of_node: clumps.of_node.iter().map(|clump| number[*clump as usize]).collect(),
        saved: events * SAVED - rounds * (regions.len() as f64 * TURN + inlets * INLET),
        regions,
    }
}

/// How far a round of turns gets, at most `window`.
fn advance(regions: &[RegionOfRun], window: Duration) -> Duration {
    let mut clocks = vec![Time::ZERO; regions.len()];
    let mut round = |stop: Time| {
        for (number, region) in regions.iter().enumerate() {
            let bound = region.feeders.iter().map(|(feeder, least)| clocks[*feeder as usize] + *least);
            clocks[number] = bound.fold(stop, Time::min);
        }
        clocks.iter().copied().min().unwrap_or(stop)
    };
    let far = Time::ZERO + window * (2 * ROUNDS);
    let first = (0..ROUNDS).map(|_| round(far)).last().unwrap_or(far);
    let last = (0..ROUNDS).map(|_| round(far)).last().unwrap_or(far);
    // Where nothing comes back, or from other parts alone, a round gets as far as it may.
    if last == far { window } else { (last.since(first) / ROUNDS).clamp(Duration::from_nanos(1), window) }
}

/// Each region behind those that feed it, as far as there is a first one: the reverse of the order in which a search in depth
/// along the packets leaves the regions. Round a cycle every region then goes as far as the one before it allows.
fn downstream(feeders: &[Vec<(u32, Duration)>]) -> Vec<u32> {
    let mut fed: Vec<Vec<u32>> = vec![Vec::new(); feeders.len()];
    for (region, feeders) in (0..).zip(feeders) {
        for (feeder, _) in feeders {
            fed[*feeder as usize].push(region);
        }
    }
    let mut seen = vec![false; feeders.len()];
    let mut order = Vec::with_capacity(feeders.len());
    for root in 0..feeders.len() as u32 {
        let mut path = vec![(root, 0)];
        if std::mem::replace(&mut seen[root as usize], true) {
            continue;
        }
        while let Some((region, next)) = path.last_mut() {
            match fed[*region as usize].get(*next) {
                Some(fed) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[*fed as usize], true) {
                        path.push((*fed, 0));
                    }
                }
                None => {
                    order.push(*region);
                    path.pop();
                }
            }
        }
    }
    order.reverse();
    order
}
