//! Leaf and spine: every leaf switch is joined to every spine switch.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Validate, Value, config};
use dumbbell_net::link::LinkSpec;

use super::{Network, Topology, check_count, to_host};
use crate::limits::MAX_LINKS;
use crate::roles::droptail;

config! {
    /// The link of one host of a leaf switch.
    pub struct LeafHost {
        ..link: LinkSpec {
            rate = "10Gbit/s", "Alizadeh et al., SIGCOMM 2013 (pFabric), section 5";
            delay = "2.5us", "choice: with the spine's, a base round-trip time near the 14.6 us of pFabric, most of it at the hosts";
            queue = "droptail", "choice: unlimited, a host does not drop its own packets";
        }
    }
}

impl Validate for LeafHost {}

config! {
    /// A link between a leaf and a spine switch.
    pub struct LeafUplink {
        ..link: LinkSpec {
            rate = "40Gbit/s", "Alizadeh et al., SIGCOMM 2013 (pFabric), section 5";
            delay = "1200ns", "choice: with the hosts' links, a base round-trip time of 14.8 us between leaves";
            queue = droptail("225kB"), "Alizadeh et al., SIGCOMM 2013 (pFabric), section 5: the buffer of DropTail";
        }
    }
}

impl Validate for LeafUplink {}

config! {
    /// Leaf switches with their hosts, each joined to every spine switch.
    ///
    /// Nodes `host0`, `leaf0`, `spine0`. Groups `hosts`; `rack0`, `rack1`, ... (the hosts of a leaf); `senders` and `receivers`:
    /// all hosts, the receivers moved on by one leaf, so that one-to-one pairing is a permutation that crosses the spines. The
    /// bottlenecks are the ports of the switches.
    pub struct LeafSpine {
        /// Leaf switches.
        leaves: u32 as "switches" = 9, "Alizadeh et al., SIGCOMM 2013 (pFabric), section 5";
        /// Spine switches: the paths between two leaves.
        spines: u32 as "switches" = 4, "Alizadeh et al., SIGCOMM 2013 (pFabric), section 5";
        /// Hosts of each leaf. The network is oversubscribed where their rates add up to more than those of the uplinks.
        hosts: u32 as "hosts" = 16, "Alizadeh et al., SIGCOMM 2013 (pFabric), section 5";
        /// The link of every host; forward is from the host to its leaf. Its queue is the host's; that of the leaf's port is
        /// `uplink.queue`, unless `reverse.queue` is given.
        host: LeafHost = Value::table(), "see its fields";
        /// Every link between a leaf and a spine; forward is up, to the spine.
        uplink: LeafUplink = Value::table(), "see its fields";
    }
}

impl Algorithm for LeafSpine {
    const NAME: &'static str = "leaf-spine";
    const TITLE: &'static str = "Leaf switches with hosts, each joined to every spine switch";
    const REFERENCE: &'static str = "Alizadeh et al., SIGCOMM 2013 (pFabric), section 5";
}

impl Validate for LeafSpine {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        for (key, count) in [("leaves", self.leaves), ("spines", self.spines), ("hosts", self.hosts)] {
            check_count(key, count, MAX_LINKS / 2, at)?;
        }
        let links = 2 * u64::from(self.leaves) * (u64::from(self.hosts) + u64::from(self.spines));
        if links > MAX_LINKS as u64 {
            return Err(at.key("hosts").error(
                format!("{links} links of all hosts and leaves are above the limit of {MAX_LINKS}"),
                "make the topology smaller",
            ));
        }
        Ok(())
    }
}

impl Topology for LeafSpine {
    fn build(&self, _seed: u64, _at: &At<'_>) -> Result<Network, ConfigError> {
        let mut net = Network::default();
        let hosts = net.hosts("hosts", "host", self.leaves * self.hosts);
        net.racks("rack", &hosts, self.hosts as usize);
        let uplink = self.uplink.link.clone();
        let host = to_host(self.host.link.clone(), &uplink).resolve();
        let uplink = uplink.resolve();
        let spines: Vec<u32> = (0..self.spines).map(|i| net.node(format!("spine{i}"))).collect();
        for (i, members) in hosts.chunks(self.hosts as usize).enumerate() {
            let leaf = net.node(format!("leaf{i}"));
            for member in members {
                let up = net.duplex(*member, leaf, &host);
                net.bottlenecks.push(up + 1);
            }
            for spine in &spines {
                let up = net.duplex(leaf, *spine, &uplink);
                net.bottlenecks.extend([up, up + 1]);
            }
        }
        Ok(net)
    }
}
