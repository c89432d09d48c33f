//! A network: nodes, links, groups, and an index of their names.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::Arc;

use dumbbell_core::config::{At, ConfigError, suggest};
use dumbbell_net::link::{Direction, Duplex};

use crate::names::NameList;

/// Nodes, directed links and named groups of nodes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Network {
    /// Node names.
    pub nodes: Vec<Arc<str>>,
    /// Directed links. The two directions of a duplex link are neighbours, the forward one first.
    pub links: Vec<NetworkLink>,
    /// Groups of nodes that `from` and `to` may name, in order.
    pub groups: Vec<(String, Vec<u32>)>,
    /// The links that limit the flows, as far as the topology knows.
    pub bottlenecks: Vec<u32>,
}

/// A directed link of a network.
#[derive(Clone, PartialEq, Debug)]
pub struct NetworkLink {
    /// Index of the node it leaves.
    pub from: u32,
    /// Index of the node it enters.
    pub to: u32,
    /// Everything else.
    pub direction: Arc<Direction>,
}

impl Network {
    /// Adds a node and returns its index.
    pub fn node(&mut self, name: impl Into<Arc<str>>) -> u32 {
        self.nodes.push(name.into());
        (self.nodes.len() - 1) as u32
    }

    /// Adds the nodes `prefix0`, `prefix1`, ... and the group of them.
    pub fn hosts(&mut self, group: &str, prefix: &str, count: u32) -> Vec<u32> {
        let mut name = prefix.to_owned();
        let hosts = (0..count).map(|i| {
            name.truncate(prefix.len());
            name.push_str(&i.to_string());
            self.node(&*name)
        });
        let hosts: Vec<u32> = hosts.collect();
        self.groups.push((group.to_owned(), hosts.clone()));
        hosts
    }

    /// Adds a group for each `size` hosts, `prefix0`, `prefix1`, ...; and the groups `senders` and `receivers`: all hosts, and
    /// the same moved on by one such group.
    pub fn racks(&mut self, prefix: &str, hosts: &[u32], size: usize) {
        let racks = hosts.chunks(size).enumerate();
        self.groups.extend(racks.map(|(i, members)| (format!("{prefix}{i}"), members.to_vec())));
        let moved = hosts.iter().cycle().skip(size).take(hosts.len()).copied().collect();
        self.groups.extend([("senders".to_owned(), hosts.to_vec()), ("receivers".to_owned(), moved)]);
    }

    /// Adds a link in one direction and returns its index.
    pub fn one_way(&mut self, from: u32, to: u32, direction: &Arc<Direction>) -> u32 {
        self.links.push(NetworkLink { from, to, direction: direction.clone() });
        (self.links.len() - 1) as u32
    }

    /// Adds a link in both directions and returns the index of the forward one; the other is next to it.
    pub fn duplex(&mut self, from: u32, to: u32, link: &Duplex) -> u32 {
        let forward = self.one_way(from, to, &link.forward);
        self.one_way(to, from, &link.backward);
        forward
    }

    /// The name of a link: `left->right`.
    pub fn link_name(&self, link: u32) -> String {
        let link = &self.links[link as usize];
        [&*self.nodes[link.from as usize], "->", &*self.nodes[link.to as usize]].concat()
    }

    /// An index of the names, for reading a scenario against this network.
    pub fn names(&self) -> Names<'_> {
        let groups = self.groups.iter().map(|(name, nodes)| (name.as_str(), nodes.as_slice())).collect();
        Names { network: self, groups, nodes: OnceCell::new(), links: OnceCell::new() }
    }
}

/// The names of a network. The first look-up sorts the names of nodes and links: most scenarios name groups.
pub struct Names<'a> {
    network: &'a Network,
    groups: HashMap<&'a str, &'a [u32]>,
    nodes: OnceCell<HashMap<&'a str, u32>>,
    links: OnceCell<HashMap<String, u32>>,
}

impl<'a> Names<'a> {
    fn nodes(&self) -> &HashMap<&'a str, u32> {
        self.nodes.get_or_init(|| (0..).zip(&self.network.nodes).map(|(i, n)| (&**n, i)).collect())
    }

    fn links(&self) -> &HashMap<String, u32> {
        let names = (0..self.network.links.len() as u32).map(|i| (self.network.link_name(i), i));
        self.links.get_or_init(|| names.collect())
    }

    /// The node called `name`.
    ///
    /// # Errors
    /// If there is none.
    pub fn node(&self, name: &str, at: &At<'_>) -> Result<u32, ConfigError> {
        self.nodes().get(name).copied().ok_or_else(|| {
            at.error(format!("there is no node {name:?}"), nearest(name, self.nodes().keys().copied()))
        })
    }

    /// The nodes of the group called `name`, or the one node of that name.
    ///
    /// # Errors
    /// If there is neither.
    pub fn members(&self, name: &str, at: &At<'_>) -> Result<Vec<u32>, ConfigError> {
        if let Some(group) = self.groups.get(name) {
            return Ok(group.to_vec());
        }
        self.nodes().get(name).map(|node| vec![*node]).ok_or_else(|| {
            let groups = || self.network.groups.iter().map(|(name, _)| name.as_str());
            let remedy = match nearest(name, groups()) {
                group if group.starts_with("did you mean") => group,
                _ => nearest(name, groups().chain(self.network.nodes.iter().map(|name| &**name))),
            };
            at.error(format!("there is no group or node {name:?}"), remedy)
        })
    }

    /// The nodes of all groups and nodes in a list of names, in its order.
    ///
    /// # Errors
    /// The first name that is neither.
    pub fn members_of_all(&self, names: &NameList, at: &At<'_>) -> Result<Vec<u32>, ConfigError> {
        let mut members = Vec::new();
        for (i, name) in names.0.iter().enumerate() {
            let item = at.index(i);
            members.extend(self.members(name, if names.0.len() == 1 { at } else { &item })?);
        }
        Ok(members)
    }

    /// The name of a node.
    pub fn of_node(&self, node: u32) -> &str {
        &self.network.nodes[node as usize]
    }

    /// The link called `name`.
    ///
    /// # Errors
    /// If there is none.
    pub fn link(&self, name: &str, at: &At<'_>) -> Result<u32, ConfigError> {
        self.links()
            .get(name)
            .copied()
            .ok_or_else(|| at.error(format!("there is no link {name:?}"), nearest(name, self.links().keys())))
    }
}

/// The remedy for an unknown name: the nearest known one, or the first few in order of the alphabet.
fn nearest<S: AsRef<str>>(name: &str, known: impl Iterator<Item = S>) -> String {
    let known: Vec<S> = known.collect();
    let mut refs: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    refs.sort_unstable();
    suggest(name, &refs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_put_in_order_when_one_is_asked_for() {
        let mut net = Network::default();
        net.hosts("senders", "sender", 3);
        let names = net.names();
        assert_eq!(names.members("senders", &At::root("from")).unwrap(), [0, 1, 2]);
        assert!(names.nodes.get().is_none() && names.links.get().is_none());
        assert_eq!(names.members("sender1", &At::root("from")).unwrap(), [1]);
        assert!(names.nodes.get().is_some() && names.links.get().is_none());
        assert!(names.link("sender0->sender1", &At::root("link")).is_err());
    }
}
