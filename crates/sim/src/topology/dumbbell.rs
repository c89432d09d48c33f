//! The dumbbell: host pairs on either side of one shared link.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Duration, Validate, Value, config};
use dumbbell_net::link::LinkSpec;

use super::{MAX_HOSTS, Network, Topology, check_count};
use crate::roles::{Access, Bottleneck};

config! {
    /// Host pairs on either side of one shared link: `sender0 - left - right - receiver0`.
    ///
    /// Nodes `sender0`, `sender1`, ..., `left`, `right`, `receiver0`, `receiver1`, ...; groups `senders`, `receivers`.
    /// The bottleneck is the link `left->right`.
    pub struct Dumbbell {
        /// Host pairs.
        pairs: u32 as "pairs" = 1, "choice: the smallest dumbbell";
        /// The link that all pairs share; forward is left to right.
        bottleneck: Bottleneck = Value::table(), "see its fields";
        /// The link of every host to its router; forward is the way of the data: sender to left, right to receiver.
        access: Access = Value::table(), "see its fields";
        /// Base round-trip time of each pair, propagation only, one for each pair; takes the place of `access.delay`.
        rtts: Vec<Duration> = [], "absent: the delays of the links decide";
    }
}

impl Algorithm for Dumbbell {
    const NAME: &'static str = "dumbbell";
    const TITLE: &'static str = "Host pairs that share one bottleneck link";
    const REFERENCE: &'static str = "RFC 7928 section 3.1 (figure 1)";
}

impl Validate for Dumbbell {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_count("pairs", self.pairs, MAX_HOSTS, at)?;
        if self.rtts.is_empty() {
            return Ok(());
        }
        let place = at.key("rtts");
        if self.rtts.len() != self.pairs as usize {
            return Err(place.error(
                format!("{} round-trip times for {} pairs", self.rtts.len(), self.pairs),
                format!("give one for each pair, or set `pairs = {}`", self.rtts.len()),
            ));
        }
        if self.access.link.reverse.delay.is_some() {
            return Err(place.error(
                "round-trip times and `access.reverse.delay` contradict each other",
                "leave one of them out",
            ));
        }
        let shared = self.shared_delay();
        if let Some(i) = self.rtts.iter().position(|rtt| *rtt < shared) {
            return Err(place.index(i).error(
                format!("{} is shorter than the bottleneck's {shared} both ways", self.rtts[i]),
                "give a longer round-trip time or a shorter `bottleneck.delay`",
            ));
        }
        // What is allowed on the shortest of the links that come of it is on all of them.
        let shortest = self.rtts.iter().min().copied().unwrap_or_default();
        self.access_of(shortest).1.validate(&at.key("access"))
    }
}

impl Dumbbell {
    /// Propagation over the bottleneck and back.
    fn shared_delay(&self) -> Duration {
        let link = self.bottleneck.link.resolve();
        link.forward.delay + link.backward.delay
    }

    /// The links of a pair's sender and receiver that give it a base round-trip time.
    fn access_of(&self, rtt: Duration) -> (LinkSpec, LinkSpec) {
        // Four traversals share what the bottleneck leaves; the first takes the rest of the division.
        let spare = rtt - self.shared_delay();
        let mut far = self.access.link.clone();
        far.delay = spare / 4;
        let mut near = far.clone();
        near.delay = spare - far.delay * 3;
        near.reverse.delay = Some(far.delay);
        (near, far)
    }
}

impl Topology for Dumbbell {
    fn build(&self, _seed: u64, _at: &At<'_>) -> Result<Network, ConfigError> {
        let mut net = Network::default();
        let senders = net.hosts("senders", "sender", self.pairs);
        let (left, right) = (net.node("left"), net.node("right"));
        let receivers = net.hosts("receivers", "receiver", self.pairs);
        net.bottlenecks = vec![net.duplex(left, right, &self.bottleneck.link.resolve())];
        let access = self.access.link.resolve();
        for (i, (sender, receiver)) in senders.into_iter().zip(receivers).enumerate() {
            let (near, far) = match self.rtts.get(i) {
                Some(rtt) => {
                    let (near, far) = self.access_of(*rtt);
                    (near.resolve(), far.resolve())
                }
                None => (access.clone(), access.clone()),
            };
            net.duplex(sender, left, &near);
            net.duplex(right, receiver, &far);
        }
        Ok(net)
    }
}
