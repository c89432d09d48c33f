//! The fat-tree: a folded Clos network of switches that all have the same number of ports.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Validate, Value, config};
use dumbbell_net::link::LinkSpec;

use super::{Network, Topology, to_host};
use crate::limits::MAX_LINKS;
use crate::roles::droptail;

config! {
    /// The link of one host of a fat-tree.
    pub struct FatTreeHost {
        ..link: LinkSpec {
            rate = "1Gbit/s", "Al-Fares et al., SIGCOMM 2008: switches of Gigabit Ethernet";
            delay = "8us", "choice: a base round-trip time of 96 us between pods, near the 100 us of DCTCP, SIGCOMM 2010";
            queue = "droptail", "choice: unlimited, a host does not drop its own packets";
        }
    }
}

impl Validate for FatTreeHost {}

config! {
    /// A link between two switches of a fat-tree.
    pub struct FatTreeFabric {
        ..link: LinkSpec {
            rate = "1Gbit/s", "Al-Fares et al., SIGCOMM 2008: all switches are the same";
            delay = "8us", "choice: as the links of the hosts";
            queue = droptail("64kB"), "Phanishayee et al., FAST 2008: per-port buffers of 32 kB to 1 MB";
        }
    }
}

impl Validate for FatTreeFabric {}

config! {
    /// `k` pods of `k/2` edge and `k/2` aggregation switches, and `(k/2)^2` core switches, all of `k` ports; `k^3/4` hosts.
    ///
    /// Nodes `host0`, `edge0-1` and `aggregation0-1` (pod 0, switch 1), `core0`. Groups `hosts`; `pod0`, `pod1`, ... (the
    /// hosts of a pod); `senders` and `receivers`: all hosts, the receivers moved on by one pod, so that one-to-one pairing
    /// is a permutation that crosses the core. The bottlenecks are the ports of the switches.
    pub struct FatTree {
        /// Ports of a switch, an even number.
        k: u32 as "ports" = 4, "Al-Fares et al., SIGCOMM 2008, figure 3";
        /// The link of every host; forward is from the host to its switch. Its queue is the host's; that of the switch's port
        /// is `fabric.queue`, unless `reverse.queue` is given.
        host: FatTreeHost = Value::table(), "see its fields";
        /// Every link between switches; forward is up, to the aggregation or the core. Rates below those of the hosts
        /// make the network oversubscribed.
        fabric: FatTreeFabric = Value::table(), "see its fields";
    }
}

impl Algorithm for FatTree {
    const NAME: &'static str = "fat-tree";
    const TITLE: &'static str = "A folded Clos network of equal switches, with full bisection bandwidth";
    const REFERENCE: &'static str = "Al-Fares et al., SIGCOMM 2008, section 2.2";
}

impl Validate for FatTree {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        let k = u128::from(self.k);
        let links = 3 * k.pow(3) / 2;
        if self.k == 0 || !self.k.is_multiple_of(2) {
            return Err(at.key("k").error(
                format!("half of the {k} ports of a switch go up and half of them down"),
                "give an even number of ports, 2 or more",
            ));
        }
        if links > MAX_LINKS as u128 {
            return Err(at.key("k").error(
                format!("{} hosts and {links} links are above the limit of {MAX_LINKS} links", k.pow(3) / 4),
                "give fewer ports",
            ));
        }
        Ok(())
    }
}

impl Topology for FatTree {
    fn build(&self, _seed: u64, _at: &At<'_>) -> Result<Network, ConfigError> {
        let half = self.k / 2;
        let mut net = Network::default();
        let per_pod = half * half;
        let hosts = net.hosts("hosts", "host", self.k * per_pod);
        net.racks("pod", &hosts, per_pod as usize);
        let fabric = self.fabric.link.clone();
        let host = to_host(self.host.link.clone(), &fabric).resolve();
        let fabric = fabric.resolve();
        let switches = |net: &mut Network, layer: &str, pod: u32| -> Vec<u32> {
            (0..half).map(|i| net.node(format!("{layer}{pod}-{i}"))).collect()
        };
        let cores: Vec<u32> = (0..per_pod).map(|i| net.node(format!("core{i}"))).collect();
        for (pod, members) in (0..).zip(hosts.chunks(per_pod as usize)) {
            let edges = switches(&mut net, "edge", pod);
            let aggregations = switches(&mut net, "aggregation", pod);
            for (edge, below) in edges.iter().zip(members.chunks(half as usize)) {
                for member in below {
                    let up = net.duplex(*member, *edge, &host);
                    net.bottlenecks.push(up + 1);
                }
                for aggregation in &aggregations {
                    let up = net.duplex(*edge, *aggregation, &fabric);
                    net.bottlenecks.extend([up, up + 1]);
                }
            }
            // Port i of every core switch leads to pod i; aggregation switch j has the j-th k/2 of them.
            for (aggregation, above) in aggregations.iter().zip(cores.chunks(half as usize)) {
                for core in above {
                    let up = net.duplex(*aggregation, *core, &fabric);
                    net.bottlenecks.extend([up, up + 1]);
                }
            }
        }
        Ok(net)
    }
}
