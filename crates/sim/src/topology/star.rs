//! The star: hosts around one switch.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Validate, Value, config};
use dumbbell_net::link::LinkSpec;
use dumbbell_net::queue::QueueSpec;

use super::{MAX_HOSTS, Network, Topology, check_count};
use crate::roles::droptail;

config! {
    /// The link of one host of a star.
    pub struct HostLink {
        ..link: LinkSpec {
            rate = "1Gbit/s", "Vasudevan et al., SIGCOMM 2009: the incast testbed";
            delay = "25us", "choice: a base round-trip time of 100 us, as in DCTCP, SIGCOMM 2010";
            queue = "droptail", "choice: unlimited, a host does not drop its own packets";
        }
    }
}

impl Validate for HostLink {}

config! {
    /// Hosts around one switch: `sender0 - switch - receiver0`.
    ///
    /// Groups `senders`, `receivers` and `hosts` (all). The bottlenecks are the ports to the receivers.
    pub struct Star {
        /// Hosts that send.
        senders: u32 as "hosts" = 2, "choice: the smallest incast";
        /// Hosts that receive.
        receivers: u32 as "hosts" = 1, "choice: incast has one";
        /// The link of every host; forward is the way of the data: sender to switch, switch to receiver. Its queue
        /// is the host's.
        link: HostLink = Value::table(), "see its fields";
        /// The link of the receivers, where it is another than that of the senders.
        receiver_link: Option<HostLink> = (), "absent: as `link`";
        /// The queue of every port of the switch.
        port: QueueSpec = droptail("64kB"), "Phanishayee et al., FAST 2008: per-port buffers of 32 kB to 1 MB";
    }
}

impl Algorithm for Star {
    const NAME: &'static str = "star";
    const TITLE: &'static str = "Hosts around one switch";
    const REFERENCE: &'static str = "Phanishayee et al., FAST 2008";
}

impl Validate for Star {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_count("senders", self.senders, MAX_HOSTS, at)?;
        check_count("receivers", self.receivers, MAX_HOSTS, at)?;
        for (key, link) in [("link", Some(&self.link)), ("receiver_link", self.receiver_link.as_ref())] {
            if link.is_some_and(|link| link.link.reverse.queue.is_some()) {
                return Err(at.key(key).key("reverse").key("queue").error(
                    "the queues of a star are the host's and the port's",
                    format!("set `{key}.queue` for the hosts and `port` for the switch"),
                ));
            }
        }
        let (up, down) = self.links();
        up.backward().check_queue(&at.key("port"))?;
        down.forward().check_queue(&at.key("port"))
    }
}

impl Star {
    /// The links of a sender and of a receiver, from the side that data comes from.
    fn links(&self) -> (LinkSpec, LinkSpec) {
        let mut up = self.link.link.clone();
        up.reverse.queue = Some(self.port.clone());
        let mut down = self.receiver_link.as_ref().unwrap_or(&self.link).link.clone();
        down.reverse.queue = Some(down.queue);
        down.queue = self.port.clone();
        (up, down)
    }
}

impl Topology for Star {
    fn build(&self, _seed: u64, _at: &At<'_>) -> Result<Network, ConfigError> {
        let mut net = Network::default();
        let senders = net.hosts("senders", "sender", self.senders);
        let switch = net.node("switch");
        let receivers = net.hosts("receivers", "receiver", self.receivers);
        net.groups.push(("hosts".to_owned(), senders.iter().chain(&receivers).copied().collect()));
        let (up, down) = self.links();
        let (up, down) = (up.resolve(), down.resolve());
        for sender in senders {
            net.duplex(sender, switch, &up);
        }
        net.bottlenecks = receivers.into_iter().map(|r| net.duplex(switch, r, &down)).collect();
        Ok(net)
    }
}
