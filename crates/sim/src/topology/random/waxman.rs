//! Waxman's random graph: routers in a square, joined more likely if they are near.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{Validate, config};
use rand::RngExt;

use super::super::{Network, Topology};
use super::{Common, Joined};

config! {
    /// Routers at random places in a square. Two of them at distance `d` are joined with probability `beta` exp(-`d` / (`alpha` `L`)),
    /// where `L` is the diagonal. Parts that are not joined then are, by the shortest links that do it. The delay of a link is its
    /// length: `min_delay` is that of none, `link.delay` that of the diagonal.
    ///
    /// Nodes `router0`, `sender0`, `receiver0`. Groups `routers`, `senders`, `receivers` and `hosts`. The bottlenecks are the ports
    /// of the routers.
    pub struct Waxman {
        /// How far links reach, as a part of the diagonal.
        alpha: f64 as "dimensionless" = 0.3, "choice: with 12 routers and `beta`, about as many links as `random-tree` has";
        /// The probability of a link between neighbours.
        beta: f64 as "dimensionless" = 0.6, "choice: as `alpha`";
        ..common: Common {}
    }
}

impl Algorithm for Waxman {
    const NAME: &'static str = "waxman";
    const TITLE: &'static str =
        "Waxman's random graph: routers in a square, near ones joined, and hosts at random routers";
    const REFERENCE: &'static str = "Waxman, IEEE JSAC 6(9), 1988, RG1";
}

impl Validate for Waxman {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.alpha <= 0.0 {
            let message = format!("{} joins no routers", self.alpha);
            return Err(at.key("alpha").error(message, "give a number above 0"));
        }
        at.above_zero("beta", self.beta, 1.0)
    }
}

impl Waxman {
    fn join(&self, routers: u32, rng: &mut Stream) -> Vec<Joined> {
        let places: Vec<(f64, f64)> = (0..routers).map(|_| (rng.random(), rng.random())).collect();
        let length = |a: u32, b: u32| {
            let ((x, y), (u, v)) = (places[a as usize], places[b as usize]);
            (x - u).hypot(y - v) / std::f64::consts::SQRT_2
        };
        let mut joined = Vec::new();
        let mut neighbours = vec![Vec::new(); routers as usize];
        for (a, b) in (1..routers).flat_map(|b| (0..b).map(move |a| (a, b))) {
            let length = length(a, b);
            if rng.random::<f64>() < self.beta * (-length / self.alpha).exp() {
                joined.push(Joined { a, b, length: Some(length) });
                neighbours[a as usize].push(b);
                neighbours[b as usize].push(a);
            }
        }
        // Prim's tree, in which a link that exists has no length.
        let mut outside: Vec<u32> = (1..routers).collect();
        let mut nearest: Vec<(f64, u32)> = vec![(f64::INFINITY, 0); routers as usize];
        let mut last = 0;
        while !outside.is_empty() {
            for router in &outside {
                let way = &mut nearest[*router as usize];
                let distance = length(last, *router);
                if distance < way.0 {
                    *way = (distance, last);
                }
            }
            neighbours[last as usize].iter().for_each(|router| nearest[*router as usize] = (0.0, last));
            let way = |i: &usize| nearest[outside[*i] as usize].0;
            let next = (0..outside.len()).min_by(|i, j| way(i).total_cmp(&way(j))).expect("not empty");
            last = outside.swap_remove(next);
            let (distance, from) = nearest[last as usize];
            if distance > 0.0 {
                joined.push(Joined { a: from.min(last), b: from.max(last), length: Some(distance) });
            }
        }
        joined
    }
}

impl Topology for Waxman {
    fn build(&self, seed: u64, at: &At<'_>) -> Result<Network, ConfigError> {
        self.common.build(seed, at, |routers, rng| self.join(routers, rng))
    }

    fn follows_seed(&self) -> bool {
        self.common.follows_seed()
    }
}
