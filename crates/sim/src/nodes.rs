//! What a scenario says of its nodes: `[[nodes]]`.

use std::collections::HashMap;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{BitRate, Duration, Validate, config};
use dumbbell_net::buffer::SharedBuffer;
use dumbbell_net::node::NodeAgentSpec;
use dumbbell_net::pause::PauseSpec;
use dumbbell_proto::host::HostPolicySpec;

use crate::limits::MAX_NODE_OWNERS;
use crate::names::NameList;
use crate::pairs::{Pair, Pairs};
use crate::paths::{Choice, PathSet};
use crate::plan::{PlannedAgent, PlannedHost, PlannedLink, PlannedNode};
use crate::topology::{self, Network};

config! {
    /// What some nodes have beside their links.
    pub struct NodesSpec {
        /// The nodes: a group, a node, or a list of them. A node stands in one entry at most.
        name: NameList;
        /// What each of these routers does beside queueing that takes all its ports.
        agent: Option<NodeAgentSpec> = (), "absent: routers forward and queue";
        /// A buffer that all ports of the node share; each of the nodes has one.
        buffer: Option<SharedBuffer> = (), "absent: each port has a queue of its own, and its limit";
        /// Flow control: long queues of these switches pause the links that lead to them.
        pause: Option<PauseSpec> = (), "absent: queues that are full drop";
        /// What the flows that end at each of these hosts share.
        host: Option<HostPolicySpec> = (), "absent: flows share links and queues only";
    }
}

impl Validate for NodesSpec {}

/// Nodes that entries name: each with the position of its entry, by the number of the node.
pub type Named = Vec<(u32, usize)>;

/// The nodes that the entries at `at` name.
///
/// # Errors
/// Unknown names, a node that two entries name, and more nodes than may have agents.
pub fn resolve(
    entries: &[NodesSpec],
    names: &topology::Names<'_>,
    at: &At<'_>,
) -> Result<Named, ConfigError> {
    let mut found: HashMap<u32, usize> = HashMap::new();
    for (i, entry) in entries.iter().enumerate() {
        let entry_at = at.index(i);
        let place = entry_at.key("name");
        for node in names.members_of_all(&entry.name, &place)? {
            if let Some(other) = found.insert(node, i) {
                let name = names.of_node(node);
                let other =
                    if other == i { "twice here".to_owned() } else { format!("in {}", at.index(other)) };
                return Err(place.error(
                    format!("the node {name:?} stands {other}"),
                    "describe each node in one entry, once",
                ));
            }
        }
        if found.len() > MAX_NODE_OWNERS {
            return Err(
                place.error(format!("more than {MAX_NODE_OWNERS} nodes in all"), "describe fewer nodes")
            );
        }
    }
    let mut nodes: Vec<(u32, usize)> = found.into_iter().collect();
    nodes.sort_unstable();
    Ok(nodes)
}

/// What the entries at `at` come to on the network of `pairs`, which are complete.
///
/// # Errors
/// An agent on a node where flows end only, or on nodes that no packet passes; a host policy on a node where no flow ends.
pub fn plan(
    entries: &[NodesSpec],
    named: &Named,
    pairs: &mut Pairs<'_>,
    at: &At<'_>,
) -> Result<Vec<PlannedNode>, ConfigError> {
    if named.is_empty() {
        return Ok(Vec::new());
    }
    let network = pairs.network;
    let mut routers = vec![false; network.nodes.len()];
    let mut hosts = vec![false; network.nodes.len()];
    let mut ends = vec![false; network.nodes.len()];
    for pair in pairs.all() {
        hosts[pair.destination as usize] = true;
        [pair.source, pair.destination].into_iter().for_each(|end| ends[end as usize] = true);
        let inner = [&pair.forward, &pair.reverse].into_iter().flat_map(PathSet::iter);
        inner.flat_map(|path| inner_nodes(network, path)).for_each(|node| routers[node as usize] = true);
    }
    // No packet comes near some routers of a group: their agents have nothing to do.
    let idle = |node: u32| !routers[node as usize] && !ends[node as usize];
    let useful = |entry: usize| named.iter().any(|(node, e)| *e == entry && routers[*node as usize]);
    let mut planned = Vec::new();
    for (node, entry) in named {
        let place = at.index(*entry);
        let agent = match &entries[*entry].agent {
            Some(_) if idle(*node) && useful(*entry) => None,
            Some(_) if !routers[*node as usize] => {
                return Err(not_a(
                    network,
                    *node,
                    "router",
                    "no path leads through it",
                    &routers,
                    &place,
                    "agent",
                ));
            }
            Some(spec) => {
                let ways = ways(*node, pairs, &place.key("agent"))?;
                Some(PlannedAgent { name: spec.name(), params: spec.share(), ways })
            }
            None => None,
        };
        let host = match &entries[*entry].host {
            Some(_) if !hosts[*node as usize] => {
                return Err(not_a(network, *node, "receiver", "no flow leads to it", &hosts, &place, "host"));
            }
            Some(spec) => {
                let (rate, base_rtt, mtu) = access(*node, network, pairs.all());
                Some(PlannedHost { name: spec.name(), params: spec.share(), rate, base_rtt, mtu })
            }
            None => None,
        };
        planned.push(PlannedNode { node: *node, agent, host });
    }
    Ok(planned)
}

/// The rate of the slowest link into a node; the mean base round-trip time and the largest packet of the pairs that lead to it.
fn access(node: u32, network: &Network, pairs: &[Pair]) -> (BitRate, Duration, u32) {
    let into = network.links.iter().filter(|link| link.to == node);
    let rate = into.map(|link| link.direction.rate).min().expect("a path leads to it");
    let leading = || pairs.iter().filter(|pair| pair.destination == node);
    let sum: u128 = leading().map(|pair| u128::from(pair.base_rtt.as_nanos())).sum();
    let base_rtt = Duration::from_nanos((sum / leading().count() as u128) as u64);
    (rate, base_rtt, leading().map(|pair| pair.mtu).max().unwrap_or_default())
}

/// The error for a node that is not of the kind that `key` asks for; `fit` says which are.
fn not_a(
    network: &Network,
    node: u32,
    kind: &str,
    why: &str,
    fit: &[bool],
    at: &At<'_>,
    key: &str,
) -> ConfigError {
    let name = &network.nodes[node as usize];
    let fitting = network.nodes.iter().zip(fit).filter(|(_, fit)| **fit);
    let mut fitting: Vec<&str> = fitting.map(|(name, _)| &**name).collect();
    fitting.sort_unstable();
    let remedy = match fitting.as_slice() {
        [] => format!("leave it out: there is no {kind}"),
        _ => format!("name a {kind}, such as {}", fitting[..fitting.len().min(3)].join(", ")),
    };
    at.key(key).error(format!("{name:?} is no {kind}: {why}"), remedy)
}

/// The nodes inside a path, in order.
pub fn inner_nodes<'p>(network: &'p Network, path: &'p [u32]) -> impl Iterator<Item = u32> + 'p {
    let before_last = path.len().saturating_sub(1);
    path[..before_last].iter().map(|link| network.links[*link as usize].to)
}

/// The paths from `node` to the ends of the flows whose packets pass it, where these packets' own paths do not all lead there:
/// each with its last node, by the number of that.
fn ways(node: u32, pairs: &mut Pairs<'_>, at: &At<'_>) -> Result<Vec<(u32, PathSet)>, ConfigError> {
    let mut ends: Vec<u32> = Vec::new();
    for pair in pairs.all() {
        ends.extend(ends_out_of_the_way(node, pair, pairs.network, pairs.choice));
    }
    ends.sort_unstable();
    ends.dedup();
    let mut found = Vec::new();
    for end in ends.into_iter().filter(|end| *end != node) {
        let set = pairs.paths(node, end).map_err(|e| at.error(e.message, e.remedy))?;
        found.extend(set.map(|set| (end, set)));
    }
    Ok(found)
}

/// The ends of a pair whose packets pass `node` to which packets of the pair do not lead from there, or not for every flow.
fn ends_out_of_the_way(node: u32, pair: &Pair, network: &Network, choice: Choice) -> Vec<u32> {
    let sets = [(&pair.forward, pair.destination), (&pair.reverse, pair.source)];
    let passing = |set: &PathSet| set.iter().filter(|p| inner_nodes(network, p).any(|n| n == node)).count();
    if sets.iter().all(|(set, _)| passing(set) == 0) {
        return Vec::new();
    }
    let dealt = |set: &PathSet| set.len() > 1 && matches!(choice, Choice::PerPacket(_));
    let away = sets.into_iter().filter(|(set, _)| passing(set) < set.len() || dealt(set));
    away.map(|(_, end)| end).collect()
}

/// The shared buffers of the nodes that the entries at `at` describe, and which node has which.
///
/// # Errors
/// A buffer that has no room for a packet of its ports.
pub fn buffers(
    entries: &[NodesSpec],
    nodes: &[(u32, usize)],
    network: &Network,
    at: &At<'_>,
) -> Result<(Vec<SharedBuffer>, HashMap<u32, u32>), ConfigError> {
    let mut buffers = Vec::new();
    let mut of_node = HashMap::new();
    for (node, entry) in nodes {
        if let Some(buffer) = &entries[*entry].buffer {
            of_node.insert(*node, buffers.len() as u32);
            buffers.push(buffer.clone());
        }
    }
    if buffers.is_empty() {
        return Ok((buffers, of_node));
    }
    for link in network.links.iter().filter(|link| of_node.contains_key(&link.from)) {
        let of_link = |(node, _): &&(u32, usize)| *node == link.from;
        let entry = nodes.iter().find(of_link).map_or(0, |(_, entry)| *entry);
        let buffer = &buffers[of_node[&link.from] as usize];
        buffer.check(link.direction.largest_packet(), &at.index(entry).key("buffer"))?;
    }
    Ok((buffers, of_node))
}

/// Notes what flow control each of the `links` of the network has, and which of them its queue pauses: those before it on a
/// path.
///
/// # Errors
/// Pauses of a node through which no path leads, or of a port under power control, which has a clock of its own.
pub fn pauses(
    entries: &[NodesSpec],
    nodes: &[(u32, usize)],
    network: &Network,
    pairs: &[Pair],
    links: &mut [PlannedLink],
    at: &At<'_>,
) -> Result<(), ConfigError> {
    for (node, entry) in nodes {
        let Some(pause) = &entries[*entry].pause else { continue };
        let place = at.index(*entry);
        let place = place.key("pause");
        let mut steps: Vec<(u32, u32)> = Vec::new();
        for path in pairs.iter().flat_map(|pair| pair.forward.iter().chain(pair.reverse.iter())) {
            let through = path.windows(2).filter(|pair| network.links[pair[1] as usize].from == *node);
            steps.extend(through.map(|pair| (pair[1], pair[0])));
        }
        steps.sort_unstable();
        steps.dedup();
        if steps.is_empty() {
            let name = &network.nodes[*node as usize];
            let message = format!("no path leads through {name:?}: nobody waits for it");
            return Err(place.error(message, "name a switch that packets pass, or leave it out"));
        }
        for (link, before) in steps {
            for number in [link, before] {
                if network.links[number as usize].direction.power.is_some() {
                    let name = network.link_name(number);
                    let message = format!("link {name:?} has power control, which knows no pause");
                    return Err(place.error(message, "leave out one of the two"));
                }
            }
            links[link as usize].pause.thresholds = Some(pause.thresholds());
            links[link as usize].before.push(before);
            links[before as usize].pause.obeys = true;
        }
    }
    Ok(())
}
