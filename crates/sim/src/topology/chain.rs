//! The chain: nodes in a row.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Validate, Value, config};

use super::{MAX_HOSTS, Network, Topology, check_count};
use crate::roles::Bottleneck;

config! {
    /// Nodes in a row, joined by equal links: `node0 - node1 - ...`.
    ///
    /// Groups `senders` (the first node) and `receivers` (the last one). Every forward link is a bottleneck.
    pub struct Chain {
        /// Links in the row.
        hops: u32 as "links" = 1, "choice: the smallest chain";
        /// Every link of the row; forward is from `node0` on.
        link: Bottleneck = Value::table(), "see its fields";
    }
}

impl Algorithm for Chain {
    const NAME: &'static str = "chain";
    const TITLE: &'static str = "Nodes in a row, joined by equal links";
    const REFERENCE: &'static str = "choice: the smallest network, for closed forms";
}

impl Validate for Chain {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_count("hops", self.hops, MAX_HOSTS, at)
    }
}

impl Topology for Chain {
    fn build(&self, _seed: u64, _at: &At<'_>) -> Result<Network, ConfigError> {
        let mut net = Network::default();
        let nodes: Vec<u32> = (0..=self.hops).map(|i| net.node(format!("node{i}"))).collect();
        let link = self.link.link.resolve();
        net.bottlenecks = nodes.windows(2).map(|ends| net.duplex(ends[0], ends[1], &link)).collect();
        net.groups.push(("senders".to_owned(), vec![nodes[0]]));
        net.groups.push(("receivers".to_owned(), vec![nodes[self.hops as usize]]));
        Ok(net)
    }
}
