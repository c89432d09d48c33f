//! Static shortest paths in a fixed order: one, with ties settled by rule, or all that are equally short.
//!
//! Routes are hop by hop: each node on a path would choose the same rest of the path. A node with a single link in a
//! direction has no choice, so trees are computed for the nodes behind such leaves only: a dumbbell of thousands of
//! hosts needs two.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use dumbbell_core::words;

use crate::limits::MAX_PATHS;
use crate::paths::PathSet;
use crate::topology::Network;

words! {
    /// What makes a path short.
    pub enum Routing { Hops = "hops", Delay = "delay" }
}

/// Entries of all trees kept at a time: 128 MB.
const MAX_KEPT: usize = 32 << 20;

/// How long a path is: the chosen measure, then the other one.
type Length = (u64, u64);

/// Finds paths in one network.
pub struct PathFinder<'n> {
    network: &'n Network,
    routing: Routing,
    /// All shortest paths, or the first of them.
    all: bool,
    outgoing: Adjacency,
    incoming: Adjacency,
    /// By destination: the links that each node may take.
    trees: Vec<Option<Box<Adjacency>>>,
    /// Entries of these.
    kept: usize,
}

/// There is more than there may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Excess {
    /// More paths from a node to another than this.
    Paths(usize),
    /// More links in paths than were left.
    Links,
}

/// Links at each node, lowest index first.
#[derive(Clone)]
struct Adjacency {
    first: Vec<u32>,
    links: Vec<u32>,
}

impl Adjacency {
    fn new(nodes: usize, ends: impl Iterator<Item = u32> + Clone) -> Adjacency {
        let mut first = vec![0_u32; nodes + 1];
        ends.clone().for_each(|node| first[node as usize + 1] += 1);
        for i in 0..nodes {
            first[i + 1] += first[i];
        }
        let mut next = first.clone();
        let mut links = vec![0; first[nodes] as usize];
        for (link, node) in (0..).zip(ends) {
            links[next[node as usize] as usize] = link;
            next[node as usize] += 1;
        }
        Adjacency { first, links }
    }

    fn at(&self, node: u32) -> &[u32] {
        &self.links[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
    }

    fn entries(&self) -> usize {
        self.first.len() + self.links.len()
    }
}

impl<'n> PathFinder<'n> {
    /// Finds paths in `network`: one between two nodes, or all.
    pub fn new(network: &'n Network, routing: Routing, all: bool) -> PathFinder<'n> {
        let nodes = network.nodes.len();
        PathFinder {
            network,
            routing,
            all,
            outgoing: Adjacency::new(nodes, network.links.iter().map(|l| l.from)),
            incoming: Adjacency::new(nodes, network.links.iter().map(|l| l.to)),
            trees: vec![None; nodes],
            kept: 0,
        }
    }

    /// The node whose tree serves paths to `destination`: the one before it, if all paths come through that.
    pub fn root(&self, destination: u32) -> u32 {
        match self.incoming.at(destination) {
            [only] => self.from(*only),
            _ => destination,
        }
    }

    /// The paths from `source` to `destination`, sorted by the links that they begin with; `None` if there is no way. They
    /// have `most_links` links at most.
    ///
    /// Calls for destinations of one [`root`](PathFinder::root) should follow each other: trees are not kept for ever.
    ///
    /// # Errors
    /// If there are more.
    pub fn paths(
        &mut self,
        source: u32,
        destination: u32,
        most_links: usize,
    ) -> Result<Option<PathSet>, Excess> {
        let network = self.network;
        let mut path = Vec::new();
        let mut node = source;
        if let [only] = *self.outgoing.at(source) {
            path.push(only);
            node = network.links[only as usize].to;
        }
        if node == destination {
            return Ok(Some(PathSet::single(path)));
        }
        let root = self.root(destination);
        let last = (root != destination).then(|| self.incoming.at(destination)[0]);
        let tree = self.tree(root);
        if node != root && tree.at(node).is_empty() {
            return Ok(None);
        }
        let mut found = PathSet::default();
        let mut count = 0;
        // Links to take, each with the number of those before it on its path; the one to take first lies last.
        let mut open: Vec<(usize, u32)> = Vec::new();
        loop {
            let link = if node != root {
                let onward = tree.at(node).split_first();
                let (first, others) = onward.expect("who can reach the root has a link towards it");
                open.extend(others.iter().rev().map(|link| (path.len(), *link)));
                *first
            } else {
                path.extend(last);
                count += 1;
                if count > MAX_PATHS {
                    return Err(Excess::Paths(MAX_PATHS));
                }
                if found.total_links() + path.len() > most_links {
                    return Err(Excess::Links);
                }
                let next = open.pop();
                if count == 1 && next.is_none() {
                    return Ok(Some(PathSet::single(path)));
                }
                found.push(&path);
                let Some((before, link)) = next else { return Ok(Some(found)) };
                path.truncate(before);
                link
            };
            path.push(link);
            node = network.links[link as usize].to;
        }
    }

    /// For each node the links it takes towards `root`.
    fn tree(&mut self, root: u32) -> &Adjacency {
        if self.trees[root as usize].is_none() {
            let tree = self.grow(root);
            if self.kept + tree.entries() > MAX_KEPT {
                self.trees.fill(None);
                self.kept = 0;
            }
            self.kept += tree.entries();
            self.trees[root as usize] = Some(Box::new(tree));
        }
        self.trees[root as usize].as_ref().expect("it was grown")
    }

    /// Dijkstra's algorithm from `root` against the direction of the links.
    fn grow(&self, root: u32) -> Adjacency {
        let nodes = self.network.nodes.len();
        let mut length: Vec<Length> = vec![(u64::MAX, u64::MAX); nodes];
        let mut heap = BinaryHeap::from([Reverse(((0, 0), root))]);
        length[root as usize] = (0, 0);
        while let Some(Reverse((reached, node))) = heap.pop() {
            if reached > length[node as usize] {
                continue;
            }
            for link in self.incoming.at(node) {
                let from = self.from(*link);
                let longer = self.extend(reached, *link);
                if longer < length[from as usize] {
                    length[from as usize] = longer;
                    // Behind a leaf, such as a host, is nothing but where the search comes from.
                    let is_leaf = self.incoming.at(from).iter().all(|link| self.from(*link) == node);
                    if !is_leaf {
                        heap.push(Reverse((longer, from)));
                    }
                }
            }
        }
        let length = |node: u32| length[node as usize];
        let mut tree = Adjacency { first: Vec::with_capacity(nodes + 1), links: Vec::new() };
        for node in 0..nodes as u32 {
            tree.first.push(tree.links.len() as u32);
            if node == root {
                continue;
            }
            let mut links = self.outgoing.at(node).iter().copied();
            let onward = |link: &u32| {
                let rest = length(self.network.links[*link as usize].to);
                (rest.0 != u64::MAX).then(|| (rest, self.extend(rest, *link)))
            };
            if self.all {
                // Equally short by the measure; the other one sees to it that no path comes back to where it was.
                let short = |link: &u32| {
                    onward(link).is_some_and(|(rest, whole)| whole.0 == length(node).0 && rest < length(node))
                };
                tree.links.extend(links.filter(short));
            } else {
                // Of links that continue a path equally short by both measures, the one listed first.
                let best = |link: &u32| onward(link).is_some_and(|(_, whole)| whole == length(node));
                tree.links.extend(links.find(best));
            }
        }
        tree.first.push(tree.links.len() as u32);
        tree
    }

    /// The node that a link leaves.
    fn from(&self, link: u32) -> u32 {
        self.network.links[link as usize].from
    }

    /// The length of a path that begins with `link` and goes on at length `rest`.
    fn extend(&self, rest: Length, link: u32) -> Length {
        let delay = self.network.links[link as usize].direction.delay.as_nanos();
        let step = match self.routing {
            Routing::Hops => (1, delay),
            Routing::Delay => (delay, 1),
        };
        (rest.0.saturating_add(step.0), rest.1.saturating_add(step.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::Duration;
    use proptest::prelude::*;

    use crate::roles::Access;

    /// A network of one-way links (from, to, delay in ms).
    fn network(nodes: u32, links: &[(u32, u32, u64)]) -> Network {
        let mut network = Network::default();
        network.hosts("all", "", nodes);
        for (from, to, delay) in links {
            let mut link = Access::default().link;
            link.delay = Duration::from_millis(*delay);
            network.one_way(*from, *to, &link.resolve().forward);
        }
        network
    }

    fn paths(net: &Network, routing: Routing, all: bool, source: u32, destination: u32) -> Vec<Vec<u32>> {
        let found = PathFinder::new(net, routing, all).paths(source, destination, usize::MAX);
        found.expect("few").iter().flat_map(PathSet::iter).map(<[u32]>::to_vec).collect()
    }

    fn path(net: &Network, routing: Routing, source: u32, destination: u32) -> Option<Vec<u32>> {
        let mut found = paths(net, routing, false, source, destination);
        assert!(found.len() < 2);
        found.pop()
    }

    #[test]
    fn hops_and_delay_choose_different_ways() {
        // 0 -> 3 directly in 9 ms, or over 1 and 2 in 3 ms.
        let net = network(4, &[(0, 3, 9), (0, 1, 1), (1, 2, 1), (2, 3, 1)]);
        assert_eq!(path(&net, Routing::Hops, 0, 3), Some(vec![0]));
        assert_eq!(path(&net, Routing::Delay, 0, 3), Some(vec![1, 2, 3]));
    }

    #[test]
    fn ties_fall_to_the_other_measure_then_to_the_link_listed_first() {
        let same_hops = network(4, &[(0, 1, 5), (1, 3, 5), (0, 2, 1), (2, 3, 1)]);
        assert_eq!(path(&same_hops, Routing::Hops, 0, 3), Some(vec![2, 3]));
        let same_delay = network(3, &[(0, 1, 1), (1, 2, 1), (0, 2, 2)]);
        assert_eq!(path(&same_delay, Routing::Delay, 0, 2), Some(vec![2]));
        let same = network(4, &[(0, 2, 1), (2, 3, 1), (0, 1, 1), (1, 3, 1)]);
        assert_eq!(path(&same, Routing::Hops, 0, 3), Some(vec![0, 1]));
        assert_eq!(path(&same, Routing::Delay, 0, 3), Some(vec![0, 1]));
    }

    #[test]
    fn one_way_links_lead_one_way() {
        let net = network(3, &[(0, 1, 1), (1, 2, 1)]);
        assert_eq!(path(&net, Routing::Hops, 0, 2), Some(vec![0, 1]));
        assert_eq!(path(&net, Routing::Hops, 2, 0), None);
    }

    #[test]
    fn all_paths_are_equally_short_by_the_measure_and_no_others() {
        // 0 -> 3 over 1 or 2, which differ in delay, or over 4 and 5.
        let net = network(6, &[(0, 1, 5), (1, 3, 5), (0, 2, 1), (2, 3, 1), (0, 4, 1), (4, 5, 1), (5, 3, 0)]);
        assert_eq!(paths(&net, Routing::Hops, true, 0, 3), [[0, 1], [2, 3]]);
        assert_eq!(paths(&net, Routing::Delay, true, 0, 3), [vec![2, 3], vec![4, 5, 6]]);
        assert_eq!(paths(&net, Routing::Hops, false, 0, 3), [[2, 3]]);
        assert!(paths(&net, Routing::Hops, true, 3, 0).is_empty());
    }

    #[test]
    fn links_without_delay_lead_nowhere_twice() {
        // 0, 1 and 2 are joined both ways without delay: by delay, 0 - 1 - 2 - 3 and 0 - 2 - 3 are as short as each other.
        let links = [(0, 1, 0), (1, 0, 0), (1, 2, 0), (2, 1, 0), (0, 2, 0), (2, 0, 0), (2, 3, 1)];
        assert_eq!(paths(&network(4, &links), Routing::Delay, true, 0, 3), [[4, 6]]);
    }

    #[test]
    fn diamonds_double_the_paths_up_to_the_limit() {
        // 11 diamonds make 2048 paths of 22 links; a search of all paths of 60 would not end.
        for diamonds in [10, 11, 60] {
            let links: Vec<(u32, u32, u64)> = (0..diamonds)
                .map(|i| 3 * i)
                .flat_map(|at| [(at, at + 1, 1), (at, at + 2, 1), (at + 1, at + 3, 1), (at + 2, at + 3, 1)])
                .collect();
            let net = network(3 * diamonds + 1, &links);
            let mut finder = PathFinder::new(&net, Routing::Hops, true);
            let count =
                finder.paths(0, 3 * diamonds, usize::MAX).map(|found| found.map_or(0, |set| set.len()));
            assert_eq!(count, if diamonds == 10 { Ok(1024) } else { Err(Excess::Paths(MAX_PATHS)) });
            assert_eq!(finder.paths(0, 3, 3), Err(Excess::Links));
        }
    }

    /// All ways that visit no node twice.
    fn walk(
        links: &[(u32, u32, u64)],
        node: u32,
        destination: u32,
        path: &mut Vec<u32>,
        found: &mut Vec<Vec<u32>>,
    ) {
        if node == destination {
            return found.push(path.clone());
        }
        for (i, link) in (0..).zip(links) {
            let been = path.iter().any(|l| links[*l as usize].0 == link.1);
            if link.0 == node && !been {
                path.push(i);
                walk(links, link.1, destination, path, found);
                path.pop();
            }
        }
    }

    proptest! {
        /// Every path is connected and as short as repeated relaxation finds it, with leaves and without.
        #[test]
        fn paths_are_shortest(links in prop::collection::btree_map((0..6_u32, 0..6_u32), 0..4_u64, 0..20),
                              by_delay: bool) {
            let links: Vec<(u32, u32, u64)> =
                links.into_iter().filter(|((a, b), _)| a != b).map(|((a, b), d)| (a, b, d)).collect();
            let net = network(6, &links);
            let routing = if by_delay { Routing::Delay } else { Routing::Hops };
            let step = |(_, _, delay): (u32, u32, u64)| if by_delay { (delay, 1) } else { (1, delay) };
            let mut finder = PathFinder::new(&net, routing, false);
            let mut all = PathFinder::new(&net, routing, true);
            for source in 0..6 {
                let mut length = [None; 6];
                length[source as usize] = Some((0, 0));
                for _ in 0..6 {
                    for link in &links {
                        if let Some((a, b)) = length[link.0 as usize] {
                            let longer = (a + step(*link).0, b + step(*link).1);
                            let known = &mut length[link.1 as usize];
                            *known = Some(known.map_or(longer, |k: (u64, u64)| k.min(longer)));
                        }
                    }
                }
                for destination in (0..6).filter(|d| *d != source) {
                    let path = finder.paths(source, destination, 100).expect("few");
                    let path = path.map(|set| set.first().to_vec());
                    let found = path.as_ref().map(|p| p.iter().fold((0, 0), |(a, b), l| {
                        let s = step(links[*l as usize]);
                        (a + s.0, b + s.1)
                    }));
                    prop_assert_eq!(found, length[destination as usize]);
                    let mut at = source;
                    for link in path.iter().flatten() {
                        prop_assert_eq!(links[*link as usize].0, at);
                        at = links[*link as usize].1;
                    }
                    let sets = all.paths(source, destination, 1000).expect("few");
                    let set: Vec<Vec<u32>> = sets.iter().flat_map(PathSet::iter).map(<[u32]>::to_vec).collect();
                    let mut simple = Vec::new();
                    walk(&links, source, destination, &mut Vec::new(), &mut simple);
                    let length = |p: &Vec<u32>| p.iter().map(|l| step(links[*l as usize]).0).sum::<u64>();
                    let least = simple.iter().map(length).min();
                    simple.retain(|p| Some(length(p)) == least);
                    prop_assert!(set.iter().all(|p| simple.contains(p)) && set.is_sorted());
                    prop_assert!(path.is_none_or(|p| set.contains(&p)));
                    // By delay, links without one may lead round: of such ways there is a part only.
                    if !by_delay || links.iter().all(|(_, _, delay)| *delay > 0) {
                        simple.sort();
                        prop_assert_eq!(set, simple);
                    }
                }
            }
        }
    }
}
