//! The explicit graph: nodes and links as the user lists them.

use std::collections::{HashMap, HashSet};

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Validate, config};
use dumbbell_net::link::LinkSpec;

use super::{Network, Topology};
use crate::limits::check_length;
use crate::limits::{MAX_LINKS, MAX_NODES};

config! {
    /// One link of an explicit graph. Forward is from `from` to `to`.
    pub struct GraphLink {
        /// The node it leaves.
        from: String;
        /// The node it enters.
        to: String;
        /// False for a link in the forward direction only.
        duplex: bool = true, "choice: most links are";
        ..link: LinkSpec {
            delay = "0s", "choice: no delay unless the scenario sets one";
            queue = "droptail", "choice: unlimited, a link is a bottleneck only where the scenario says so";
        }
    }
}

impl Validate for GraphLink {}

config! {
    /// A named group of nodes of an explicit graph, for `from` and `to`.
    pub struct NodeGroup {
        /// The name.
        name: String;
        /// Its nodes, in order.
        nodes: Vec<String>;
    }
}

impl Validate for NodeGroup {}

config! {
    /// Nodes and links, listed.
    pub struct Graph {
        /// Node names.
        nodes: Vec<String> = [], "required in use: a graph of nothing is refused";
        /// Links, at most one between two nodes in each direction. A link is called `from->to`.
        links: Vec<GraphLink> = [], "required in use: a graph of nothing is refused";
        /// Named groups of nodes, for `from` and `to`.
        groups: Vec<NodeGroup> = [], "absent: nodes are named one by one";
    }
}

impl Algorithm for Graph {
    const NAME: &'static str = "graph";
    const TITLE: &'static str = "Nodes and links, listed";
    const REFERENCE: &'static str = "choice: whatever the ready-made topologies cannot express";
}

impl Validate for Graph {}

impl Topology for Graph {
    fn build(&self, _seed: u64, at: &At<'_>) -> Result<Network, ConfigError> {
        if self.nodes.is_empty() {
            return Err(at.key("nodes").error("there are no nodes", "list their names"));
        }
        if self.links.is_empty() {
            return Err(at.key("links").error("there are no links", "add one with `from`, `to` and `rate`"));
        }
        for (key, count, most) in
            [("nodes", self.nodes.len(), MAX_NODES), ("links", self.links.len(), MAX_LINKS / 2)]
        {
            if count > most {
                return Err(at
                    .key(key)
                    .error(format!("{count} is above the limit of {most}"), "make the topology smaller"));
            }
        }
        let mut net = Network::default();
        let mut known: HashMap<&str, &'static str> = HashMap::new();
        for (i, name) in self.nodes.iter().enumerate() {
            check_name(name, "node", &mut known, &at.key("nodes").index(i))?;
            net.node(name.as_str());
        }
        let (ends, members) = self.resolve(&net, &mut known, at)?;
        let mut joined = HashSet::new();
        for (i, (link, (from, to))) in self.links.iter().zip(ends).enumerate() {
            if !joined.insert((from, to)) || link.duplex && !joined.insert((to, from)) {
                return Err(at.key("links").index(i).error(
                    format!("{:?} and {:?} are already joined in this direction", link.from, link.to),
                    "keep one of the links, or give each `duplex = false`",
                ));
            }
            let directions = link.link.resolve();
            if link.duplex {
                net.duplex(from, to, &directions);
            } else {
                net.one_way(from, to, &directions.forward);
            }
        }
        net.groups = members;
        Ok(net)
    }
}

/// The ends of every link, and the members of every group.
type Resolved = (Vec<(u32, u32)>, Vec<(String, Vec<u32>)>);

impl Graph {
    /// Turns names into indices.
    fn resolve<'a>(
        &'a self,
        net: &Network,
        known: &mut HashMap<&'a str, &'static str>,
        at: &At<'_>,
    ) -> Result<Resolved, ConfigError> {
        let names = net.names();
        let mut ends = Vec::with_capacity(self.links.len());
        for (i, link) in self.links.iter().enumerate() {
            let links = at.key("links");
            let place = links.index(i);
            let from = names.node(&link.from, &place.key("from"))?;
            let to = names.node(&link.to, &place.key("to"))?;
            if from == to {
                return Err(place
                    .key("to")
                    .error(format!("the link leads from {:?} to itself", link.to), "name another node"));
            }
            ends.push((from, to));
        }
        let mut members = Vec::with_capacity(self.groups.len());
        for (i, group) in self.groups.iter().enumerate() {
            let groups = at.key("groups");
            let place = groups.index(i);
            check_name(&group.name, "group", known, &place.key("name"))?;
            let nodes = place.key("nodes");
            if group.nodes.is_empty() {
                return Err(nodes.error("the group is empty", "name at least one node"));
            }
            let indices: Result<Vec<u32>, _> =
                group.nodes.iter().enumerate().map(|(j, name)| names.node(name, &nodes.index(j))).collect();
            members.push((group.name.clone(), indices?));
        }
        Ok((ends, members))
    }
}

/// Refuses a name that is empty, looks like a link, or is taken.
fn check_name<'a>(
    name: &'a str,
    what: &'static str,
    known: &mut HashMap<&'a str, &'static str>,
    at: &At<'_>,
) -> Result<(), ConfigError> {
    if name.is_empty() || name.contains("->") || name.chars().any(char::is_whitespace) {
        return Err(at.error(
            format!("{name:?} cannot be the name of a {what}"),
            "use letters, digits, '-' and '_', no spaces and no \"->\"",
        ));
    }
    check_length(name, at)?;
    match known.insert(name, what) {
        Some(other) => {
            Err(at.error(format!("{name:?} is already the name of a {other}"), "choose another name"))
        }
        None => Ok(()),
    }
}
