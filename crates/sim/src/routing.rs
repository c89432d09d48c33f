//! Static shortest paths, with ties settled by rule, so that the same scenario always takes the same paths.
//!
//! Routes are hop by hop: each node on a path would choose the rest of it too. A node with a single link in a
//! direction has no choice, so trees are computed for the nodes behind such leaves only: a dumbbell of thousands of
//! hosts needs two.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::scenario::Routing;
use crate::topology::Network;

/// Entries of all trees kept at a time: 64 MB.
const MAX_KEPT: usize = 16 << 20;

/// No link: the destination, or a node that cannot reach it.
const NONE: u32 = u32::MAX;

/// What a path costs: the chosen measure, then the other one.
type Cost = (u64, u64);

/// Finds paths in one network.
pub struct Router<'n> {
    network: &'n Network,
    routing: Routing,
    outgoing: Adjacency,
    incoming: Adjacency,
    /// By destination: the link that each node takes.
    trees: HashMap<u32, Vec<u32>>,
}

/// The links at each node, lowest index first.
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
}

impl<'n> Router<'n> {
    /// A router for `network`.
    pub fn new(network: &'n Network, routing: Routing) -> Router<'n> {
        let nodes = network.nodes.len();
        Router {
            network,
            routing,
            outgoing: Adjacency::new(nodes, network.links.iter().map(|l| l.from)),
            incoming: Adjacency::new(nodes, network.links.iter().map(|l| l.to)),
            trees: HashMap::new(),
        }
    }

    /// The node whose tree serves paths to `destination`: the one before it, if all paths come through that.
    pub fn root(&self, destination: u32) -> u32 {
        match self.incoming.at(destination) {
            [only] => self.network.links[*only as usize].from,
            _ => destination,
        }
    }

    /// The links from `source` to `destination`, in order; `None` if there is no way.
    ///
    /// Calls for destinations of one [`root`](Router::root) should follow each other: trees are not kept for ever.
    pub fn path(&mut self, source: u32, destination: u32) -> Option<Vec<u32>> {
        let mut path = Vec::new();
        let mut node = source;
        if let [only] = *self.outgoing.at(source) {
            path.push(only);
            node = self.network.links[only as usize].to;
        }
        let root = self.root(destination);
        let last = (root != destination).then(|| self.incoming.at(destination)[0]);
        if node != destination {
            let network = self.network;
            let tree = self.tree(root);
            while node != root {
                let link = tree[node as usize];
                if link == NONE {
                    return None;
                }
                path.push(link);
                node = network.links[link as usize].to;
            }
            path.extend(last);
        }
        Some(path)
    }

    /// For each node the link it takes towards `root`.
    fn tree(&mut self, root: u32) -> &[u32] {
        if !self.trees.contains_key(&root) {
            if (self.trees.len() + 1) * self.network.nodes.len() > MAX_KEPT {
                self.trees.clear();
            }
            let tree = self.grow(root);
            self.trees.insert(root, tree);
        }
        &self.trees[&root]
    }

    /// Dijkstra's algorithm from `root` against the direction of the links.
    fn grow(&self, root: u32) -> Vec<u32> {
        let nodes = self.network.nodes.len();
        let mut cost: Vec<Cost> = vec![(u64::MAX, u64::MAX); nodes];
        let mut heap = BinaryHeap::from([Reverse(((0, 0), root))]);
        cost[root as usize] = (0, 0);
        while let Some(Reverse((reached, node))) = heap.pop() {
            if reached > cost[node as usize] {
                continue;
            }
            for link in self.incoming.at(node) {
                let from = self.network.links[*link as usize].from;
                let longer = self.extend(reached, *link);
                if longer < cost[from as usize] {
                    cost[from as usize] = longer;
                    heap.push(Reverse((longer, from)));
                }
            }
        }
        // Of links that continue an equally short path, the one listed first.
        (0..nodes as u32)
            .map(|node| {
                let best = |link: &&u32| {
                    let to = self.network.links[**link as usize].to;
                    cost[to as usize].0 != u64::MAX
                        && self.extend(cost[to as usize], **link) == cost[node as usize]
                };
                if node == root {
                    NONE
                } else {
                    self.outgoing.at(node).iter().find(best).copied().unwrap_or(NONE)
                }
            })
            .collect()
    }

    /// The cost of a path that begins with `link` and goes on at cost `rest`.
    fn extend(&self, rest: Cost, link: u32) -> Cost {
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

    use crate::link::Access;

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

    fn path(net: &Network, routing: Routing, source: u32, destination: u32) -> Option<Vec<u32>> {
        Router::new(net, routing).path(source, destination)
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
            let mut router = Router::new(&net, routing);
            for source in 0..6 {
                let mut cost = [None; 6];
                cost[source as usize] = Some((0, 0));
                for _ in 0..6 {
                    for link in &links {
                        if let Some((a, b)) = cost[link.0 as usize] {
                            let longer = (a + step(*link).0, b + step(*link).1);
                            let known = &mut cost[link.1 as usize];
                            *known = Some(known.map_or(longer, |k: (u64, u64)| k.min(longer)));
                        }
                    }
                }
                for destination in (0..6).filter(|d| *d != source) {
                    let path = router.path(source, destination);
                    let found = path.as_ref().map(|p| p.iter().fold((0, 0), |(a, b), l| {
                        let s = step(links[*l as usize]);
                        (a + s.0, b + s.1)
                    }));
                    prop_assert_eq!(found, cost[destination as usize]);
                    let mut at = source;
                    for link in path.unwrap_or_default() {
                        prop_assert_eq!(links[link as usize].0, at);
                        at = links[link as usize].1;
                    }
                }
            }
        }
    }
}
