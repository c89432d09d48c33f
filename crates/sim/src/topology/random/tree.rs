//! The random recursive tree with extra links.

use std::collections::HashSet;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{Validate, config};
use rand::RngExt;

use super::super::{Network, Topology};
use super::{Common, Joined};

config! {
    /// Each router is joined to one of those before it, drawn uniformly; then extra links join routers that are not joined yet.
    ///
    /// Nodes `router0`, `sender0`, `receiver0`. Groups `routers`, `senders`, `receivers` and `hosts`. The bottlenecks are the ports
    /// of the routers.
    pub struct RandomTree {
        /// Links beside those of the tree.
        extra_links: u32 as "links" = 2, "choice: with 12 routers, the loads that Toomey, PhD thesis, UNSW 1998, chapter 11 reports";
        ..common: Common {}
    }
}

impl Algorithm for RandomTree {
    const NAME: &'static str = "random-tree";
    const TITLE: &'static str =
        "A random recursive tree of routers with extra links, and hosts at random routers";
    const REFERENCE: &'static str =
        "Na & Rapoport, Mathematical Biosciences 6, 1970; after Toomey, PhD thesis, UNSW 1998";
}

impl Validate for RandomTree {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        let routers = u64::from(self.common.routers.max(1));
        let room = routers * (routers - 1) / 2 - (routers - 1);
        if u64::from(self.extra_links) > room {
            let message = format!("{routers} routers have room for {room} beside their tree");
            return Err(at.key("extra_links").error(message, "give fewer, or more routers"));
        }
        Ok(())
    }
}

impl RandomTree {
    fn join(&self, routers: u32, rng: &mut Stream) -> Vec<Joined> {
        let mut joined: Vec<Joined> = (1..routers).map(|i| Joined::new(rng.random_range(0..i), i)).collect();
        let mut known: HashSet<(u32, u32)> = joined.iter().map(|link| (link.a, link.b)).collect();
        while joined.len() < (routers - 1 + self.extra_links) as usize {
            let (a, b) = (rng.random_range(0..routers), rng.random_range(0..routers));
            if a < b && known.insert((a, b)) {
                joined.push(Joined::new(a, b));
            }
        }
        joined
    }
}

impl Topology for RandomTree {
    fn build(&self, seed: u64, at: &At<'_>) -> Result<Network, ConfigError> {
        self.common.build(seed, at, |routers, rng| self.join(routers, rng))
    }

    fn follows_seed(&self) -> bool {
        self.common.follows_seed()
    }
}
