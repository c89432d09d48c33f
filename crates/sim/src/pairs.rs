//! Pairs of nodes that exchange packets: who may be paired with whom, and the routes between them.

use std::collections::HashMap;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{BitRate, Duration, words};

use crate::limits::{MAX_PAIRS, MAX_ROUTE_LINKS};
use crate::names::NameList;
use crate::paths::{Choice, PathSet};
use crate::routing::{Excess, PathFinder, Routing};
use crate::topology::{self, Network};

words! {
    /// How the nodes of `from` and `to` are paired.
    pub enum Pairing { OneToOne = "one-to-one", All = "all" }
}

/// Two nodes that exchange packets.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Index of the source node.
    pub source: u32,
    /// Index of the destination node.
    pub destination: u32,
    /// The paths from source to destination.
    pub forward: PathSet,
    /// The paths from destination to source.
    pub reverse: PathSet,
    /// The largest packet that all of them let pass.
    pub mtu: u32,
    /// The rate of the slowest link that leaves the source on them.
    pub access: BitRate,
    /// Round-trip time without queueing or transmission: the sum of the delays, the mean over the paths there and back.
    pub base_rtt: Duration,
}

/// The pairs of a plan, each once, with their routes.
pub struct Pairs<'n> {
    /// The network they live in.
    pub network: &'n Network,
    /// Its names.
    pub names: topology::Names<'n>,
    /// Which of its paths the packets of a pair take.
    pub choice: Choice,
    finder: PathFinder<'n>,
    known: HashMap<(u32, u32), u32>,
    pairs: Vec<Pair>,
    route_links: usize,
}

/// Why the pair at a position of a list cannot be used.
#[derive(Debug)]
pub struct Unusable {
    /// The position.
    pub position: usize,
    /// What is wrong.
    pub message: String,
    /// What the user can do.
    pub remedy: &'static str,
}

impl<'n> Pairs<'n> {
    /// No pairs yet.
    pub fn new(network: &'n Network, routing: Routing, choice: Choice) -> Pairs<'n> {
        Pairs {
            network,
            names: network.names(),
            choice,
            finder: PathFinder::new(network, routing, choice.is_multipath()),
            known: HashMap::new(),
            pairs: Vec::new(),
            route_links: 0,
        }
    }

    /// The pairs that `from`, `to` and `pairing` of the entry at `at` stand for, added to the plan: their indices.
    ///
    /// # Errors
    /// Unknown names, sides that do not match, unreachable destinations.
    pub fn of_entry(
        &mut self,
        from: &NameList,
        to: &NameList,
        pairing: Pairing,
        at: &At<'_>,
    ) -> Result<Vec<u32>, ConfigError> {
        let sources = self.names.members_of_all(from, &at.key("from"))?;
        let destinations = self.names.members_of_all(to, &at.key("to"))?;
        let ends: Vec<(u32, u32)> = match (pairing, sources.len(), destinations.len()) {
            (Pairing::All, n, m) => {
                if n.saturating_mul(m) > MAX_PAIRS {
                    return Err(at.key("pairing").error(
                        format!("{n} times {m} pairs are above the limit of {MAX_PAIRS}"),
                        "name fewer nodes",
                    ));
                }
                let all = sources.iter().flat_map(|s| destinations.iter().map(move |d| (*s, *d)));
                all.filter(|(s, d)| s != d).collect()
            }
            (Pairing::OneToOne, 1, _) => destinations.iter().map(|d| (sources[0], *d)).collect(),
            (Pairing::OneToOne, _, 1) => sources.iter().map(|s| (*s, destinations[0])).collect(),
            (Pairing::OneToOne, n, m) if n == m => sources.into_iter().zip(destinations).collect(),
            (Pairing::OneToOne, n, m) => {
                return Err(at.key("to").error(
                    format!("{m} destinations for {n} sources"),
                    "name as many, or one, or set `pairing = \"all\"`",
                ));
            }
        };
        if ends.is_empty() {
            return Err(at.key("to").error("the only destination is the source", "name another node"));
        }
        self.add(&ends).map_err(|e| at.key("to").error(e.message, e.remedy))
    }

    /// Adds pairs of (source, destination), each once, and returns their indices.
    ///
    /// # Errors
    /// The first pair that no data can travel between.
    pub fn add(&mut self, ends: &[(u32, u32)]) -> Result<Vec<u32>, Unusable> {
        // Forward and reverse routes are found in the order of their roots, so that each tree is computed once.
        let mut fresh: Vec<(u32, u32)> = Vec::new();
        let mut indices = Vec::with_capacity(ends.len());
        self.known.reserve(ends.len());
        for (position, (source, destination)) in ends.iter().enumerate() {
            if source == destination {
                let name = &self.network.nodes[*source as usize];
                return Err(Unusable {
                    position,
                    message: format!("the flow leads from {name:?} to itself"),
                    remedy: "name another node",
                });
            }
            let next = self.pairs.len() + fresh.len();
            indices.push(*self.known.entry((*source, *destination)).or_insert_with(|| {
                fresh.push((*source, *destination));
                next as u32
            }));
        }
        let fail = |(source, destination): (u32, u32), message: String, remedy| {
            let position = ends.iter().position(|e| *e == (source, destination)).unwrap_or_default();
            Unusable { position, message, remedy }
        };
        if self.pairs.len() + fresh.len() > MAX_PAIRS {
            let message =
                format!("{} pairs are above the limit of {MAX_PAIRS}", self.pairs.len() + fresh.len());
            return Err(fail(fresh[0], message, "name fewer nodes"));
        }
        let wanted: Vec<(u32, u32)> =
            fresh.iter().copied().chain(fresh.iter().map(|(s, d)| (*d, *s))).collect();
        let mut order: Vec<usize> = (0..wanted.len()).collect();
        order.sort_by_key(|i| (self.finder.root(wanted[*i].1), *i));
        let mut paths: Vec<Option<PathSet>> = vec![None; wanted.len()];
        for i in order {
            let (source, destination) = wanted[i];
            let found = self.paths(source, destination);
            paths[i] = found.map_err(|excess| fail(fresh[i % fresh.len()], excess.message, excess.remedy))?;
        }
        let backward = paths.split_off(fresh.len());
        self.pairs.reserve(fresh.len());
        for ((source, destination), (forward, reverse)) in fresh.iter().zip(paths.into_iter().zip(backward)) {
            let name = |node: &u32| &self.network.nodes[*node as usize];
            let none = |from, to| {
                let message = format!("there is no way from {:?} to {:?}", name(from), name(to));
                fail(
                    (*source, *destination),
                    message,
                    "add links, data and acknowledgements need both directions",
                )
            };
            let forward = forward.ok_or_else(|| none(source, destination))?;
            let reverse = reverse.ok_or_else(|| none(destination, source))?;
            let direction = |link: &u32| &self.network.links[*link as usize].direction;
            let all = forward.joined().iter().chain(reverse.joined());
            let mtu = all.map(|link| direction(link).largest_packet()).min().expect("a path has links");
            let first = forward.iter().filter_map(|path| path.first());
            let access = first.map(|link| direction(link).rate).min().expect("a path has links");
            let mean = |set: &PathSet| {
                let delays = set.joined().iter().map(|link| u128::from(direction(link).delay.as_nanos()));
                let sum: u128 = delays.sum();
                Duration::from_nanos(u64::try_from(sum / set.len() as u128).unwrap_or(u64::MAX))
            };
            let base_rtt = mean(&forward) + mean(&reverse);
            self.pairs.push(Pair {
                source: *source,
                destination: *destination,
                forward,
                reverse,
                mtu,
                access,
                base_rtt,
            });
        }
        Ok(indices)
    }

    /// The paths from a node to another; `None` if there is no way.
    ///
    /// # Errors
    /// If all paths asked for have too many links together, or these two nodes too many paths.
    pub fn paths(&mut self, from: u32, to: u32) -> Result<Option<PathSet>, Unusable> {
        let found = self.finder.paths(from, to, MAX_ROUTE_LINKS - self.route_links).map_err(|excess| {
            let (message, remedy) = match excess {
                Excess::Links if self.choice.is_multipath() => (
                    format!("all paths together have more than {MAX_ROUTE_LINKS} links"),
                    "name fewer nodes, or set `paths = \"single\"`",
                ),
                Excess::Links => (
                    format!("all routes together have more than {MAX_ROUTE_LINKS} links"),
                    "name fewer nodes",
                ),
                Excess::Paths(most) => {
                    let name = |node: u32| &self.network.nodes[node as usize];
                    let (from, to) = (name(from), name(to));
                    (
                        format!("more than {most} equally short paths lead from {from:?} to {to:?}"),
                        "set `paths = \"single\"`, or make the topology smaller",
                    )
                }
            };
            Unusable { position: 0, message, remedy }
        })?;
        self.route_links += found.as_ref().map_or(0, PathSet::total_links);
        Ok(found)
    }

    /// The largest packet that all ways there and back let pass.
    pub fn mtu(&self, pair: u32) -> u32 {
        self.pairs[pair as usize].mtu
    }

    /// The same pairs the other way round, added to the plan: their indices.
    ///
    /// # Errors
    /// If there is no way back.
    pub fn opposite(&mut self, pairs: &[u32]) -> Result<Vec<u32>, Unusable> {
        let ends = |pair: &u32| {
            let pair = &self.pairs[*pair as usize];
            (pair.destination, pair.source)
        };
        let ends: Vec<(u32, u32)> = pairs.iter().map(ends).collect();
        self.add(&ends)
    }

    /// The shortest time in which data of the pair can arrive: the sum of the delays on its fastest way.
    pub fn one_way(&self, pair: u32) -> Duration {
        let delay = |link: &u32| self.network.links[*link as usize].direction.delay;
        let of_path = |path: &[u32]| path.iter().fold(Duration::ZERO, |sum, link| sum + delay(link));
        self.pairs[pair as usize].forward.iter().map(of_path).min().unwrap_or_default()
    }

    /// The share of the pair's data that crosses the link.
    pub fn share(&self, pair: u32, link: u32) -> f64 {
        let set = &self.pairs[pair as usize].forward;
        let crossing = set.iter().zip(self.choice.shares(set)).filter(|(path, _)| path.contains(&link));
        crossing.map(|(_, share)| share).sum()
    }

    /// The links that limit the data of these pairs: those the topology knows of, else the slowest of each path, the
    /// first of equals.
    pub fn bottlenecks(&self, pairs: &[u32]) -> Vec<u32> {
        let of_pairs = |pick: &dyn Fn(&Pair) -> Vec<u32>| {
            let mut links: Vec<u32> = pairs.iter().flat_map(|p| pick(&self.pairs[*p as usize])).collect();
            links.sort_unstable();
            links.dedup();
            links
        };
        let known = &self.network.bottlenecks;
        let crossed = of_pairs(&|p| {
            p.forward.links().iter().copied().filter(|l| known.binary_search(l).is_ok()).collect()
        });
        if !crossed.is_empty() {
            return crossed;
        }
        let rate = |link: &&u32| self.network.links[**link as usize].direction.rate;
        of_pairs(&|p| p.forward.iter().filter_map(|path| path.iter().min_by_key(rate).copied()).collect())
    }

    /// All pairs.
    pub fn into_pairs(self) -> Vec<Pair> {
        self.pairs
    }

    /// All pairs so far.
    pub fn all(&self) -> &[Pair] {
        &self.pairs
    }
}
