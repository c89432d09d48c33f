//! The parking lot: several bottlenecks in a row, each with cross traffic of its own.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Validate, Value, config};

use super::{MAX_HOSTS, Network, Topology, check_count};
use crate::roles::{Access, Bottleneck};

config! {
    /// Bottlenecks in a row: some pairs cross them all, others one each.
    ///
    /// Routers `router0`, `router1`, ...; groups `senders` and `receivers` (the pairs that cross every bottleneck),
    /// `cross-senders` and `cross-receivers` (pair i crosses the link from router i to router i + 1).
    pub struct ParkingLot {
        /// Bottlenecks in the row.
        hops: u32 as "links" = 3, "choice: enough to tell from a dumbbell";
        /// Pairs that cross every bottleneck.
        pairs: u32 as "pairs" = 1, "choice: one, as in the usual drawing";
        /// Every link between routers; forward is from `router0` on.
        bottleneck: Bottleneck = Value::table(), "see its fields";
        /// The link of every host to its router; forward is the way of the data.
        access: Access = Value::table(), "see its fields";
    }
}

impl Algorithm for ParkingLot {
    const NAME: &'static str = "parking-lot";
    const TITLE: &'static str = "Bottlenecks in a row, with cross traffic at each";
    const REFERENCE: &'static str = "Floyd, CCR 21(5), 1991";
}

impl Validate for ParkingLot {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_count("hops", self.hops, MAX_HOSTS / 3, at)?;
        check_count("pairs", self.pairs, MAX_HOSTS / 3, at)
    }
}

impl Topology for ParkingLot {
    fn build(&self, _seed: u64, _at: &At<'_>) -> Result<Network, ConfigError> {
        let mut net = Network::default();
        let routers: Vec<u32> = (0..=self.hops).map(|i| net.node(format!("router{i}"))).collect();
        let senders = net.hosts("senders", "sender", self.pairs);
        let receivers = net.hosts("receivers", "receiver", self.pairs);
        let cross_senders = net.hosts("cross-senders", "cross-sender", self.hops);
        let cross_receivers = net.hosts("cross-receivers", "cross-receiver", self.hops);
        let (bottleneck, access) = (self.bottleneck.link.resolve(), self.access.link.resolve());
        net.bottlenecks = routers.windows(2).map(|ends| net.duplex(ends[0], ends[1], &bottleneck)).collect();
        for (sender, receiver) in senders.into_iter().zip(receivers) {
            net.duplex(sender, routers[0], &access);
            net.duplex(routers[self.hops as usize], receiver, &access);
        }
        for (ends, (sender, receiver)) in
            routers.windows(2).zip(cross_senders.into_iter().zip(cross_receivers))
        {
            net.duplex(sender, ends[0], &access);
            net.duplex(ends[1], receiver, &access);
        }
        Ok(net)
    }
}
