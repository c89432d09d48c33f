//! Barabasi and Albert's random graph: newcomers join those that many have joined.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{Validate, config};
use rand::RngExt;

use super::super::{Network, Topology};
use super::{Common, Joined};

config! {
    /// Routers come one after the other. Each is joined to `links` of those before it, drawn in proportion to the links that they
    /// have. The first `links + 1` are a star.
    ///
    /// Nodes `router0`, `sender0`, `receiver0`. Groups `routers`, `senders`, `receivers` and `hosts`. The bottlenecks are the ports
    /// of the routers.
    pub struct BarabasiAlbert {
        /// Links of a newcomer.
        links: u32 as "links" = 1, "choice: a tree; the exponent of the degrees is 3 for any number";
        ..common: Common {}
    }
}

impl Algorithm for BarabasiAlbert {
    const NAME: &'static str = "barabasi-albert";
    const TITLE: &'static str =
        "Barabasi and Albert's random graph: a few routers have most links; hosts at random routers";
    const REFERENCE: &'static str = "Barabasi & Albert, Science 286, 1999";
}

impl Validate for BarabasiAlbert {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        let (routers, links) = (self.common.routers, self.links);
        if links == 0 || links >= routers {
            let message = format!("{routers} routers cannot have {links} neighbours each");
            let remedy = format!("give 1 to {}", routers.saturating_sub(1));
            return Err(at.key("links").error(message, remedy));
        }
        Ok(())
    }
}

impl BarabasiAlbert {
    fn join(&self, routers: u32, rng: &mut Stream) -> Vec<Joined> {
        let mut joined: Vec<Joined> = (1..=self.links).map(|i| Joined::new(0, i)).collect();
        // Each router as often as it has links.
        let mut ends: Vec<u32> = joined.iter().flat_map(|link| [link.a, link.b]).collect();
        let mut chosen = Vec::new();
        for newcomer in self.links + 1..routers {
            chosen.clear();
            while chosen.len() < self.links as usize {
                let other = ends[rng.random_range(0..ends.len())];
                if !chosen.contains(&other) {
                    chosen.push(other);
                }
            }
            joined.extend(chosen.iter().map(|other| Joined::new(*other, newcomer)));
            ends.extend(chosen.iter().flat_map(|other| [*other, newcomer]));
        }
        joined
    }
}

impl Topology for BarabasiAlbert {
    fn build(&self, seed: u64, at: &At<'_>) -> Result<Network, ConfigError> {
        self.common.build(seed, at, |routers, rng| self.join(routers, rng))
    }

    fn follows_seed(&self) -> bool {
        self.common.follows_seed()
    }
}
