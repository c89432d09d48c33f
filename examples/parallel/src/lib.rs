//! Parallel paths between two routers.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Duration, Validate, Value, config};

use dumbbell_sim::limits::MAX_PATHS;
use dumbbell_sim::roles::{Access, Bottleneck};
use dumbbell_sim::topology::{MAX_HOSTS, Network, Topology, check_count};

config! {
    /// Pairs of hosts between two routers, `left` and `right`, that are joined over `middle0`, `middle1`, ...
    ///
    /// Groups `senders` and `receivers`. The bottlenecks are the links from `left` to the middle.
    pub struct Parallel {
        /// Pairs of hosts.
        pairs: u32 as "pairs" = 1, "choice: as the dumbbell";
        /// Paths between the routers.
        paths: u32 as "paths" = 2, "choice: the fewest to choose among";
        /// By how much each path is longer than the one before.
        skew: Duration = "0s", "choice: equal paths keep packets in order while queues are empty";
        /// Every link between `left` and the middle; forward is to the middle. The links behind have its rate, and no queue.
        bottleneck: Bottleneck = Value::table(), "see its fields";
        /// The link of every host to its router; forward is the way of the data.
        access: Access = Value::table(), "see its fields";
    }
}

impl Algorithm for Parallel {
    const NAME: &'static str = "parallel";
    const TITLE: &'static str = "Several paths between two routers";
    const REFERENCE: &'static str = "choice: the smallest network in which paths are chosen";
}

impl Validate for Parallel {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_count("pairs", self.pairs, MAX_HOSTS / 2, at)?;
        check_count("paths", self.paths, MAX_PATHS, at)
    }
}

impl Topology for Parallel {
    fn build(&self, _seed: u64, _at: &At<'_>) -> Result<Network, ConfigError> {
        let mut net = Network::default();
        let senders = net.hosts("senders", "sender", self.pairs);
        let (left, right) = (net.node("left"), net.node("right"));
        let receivers = net.hosts("receivers", "receiver", self.pairs);
        let (access, bottleneck) = (self.access.link.resolve(), self.bottleneck.link.resolve());
        for (sender, receiver) in senders.into_iter().zip(receivers) {
            net.duplex(sender, left, &access);
            net.duplex(right, receiver, &access);
        }
        let mut behind = self.access.link.clone();
        behind.rate = self.bottleneck.link.rate;
        for i in 0..self.paths {
            let middle = net.node(format!("middle{i}"));
            let limit = net.duplex(left, middle, &bottleneck);
            net.bottlenecks.push(limit);
            behind.delay = self.bottleneck.link.delay + self.skew * u64::from(i);
            net.duplex(middle, right, &behind.resolve());
        }
        Ok(net)
    }
}
