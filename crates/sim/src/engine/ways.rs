//! The paths of a flow: one in each direction, chosen when the flow opens, or one for each packet.

use dumbbell_core::rng::stream;
use rand::Rng;

use super::network::Network;
use super::observer::Observer;
use super::routes::Route;
use super::share::Share;
use crate::paths::Choice;
use crate::paths::dealer::Dealer;
use crate::paths::ecmp::Salts;
use crate::plan::Plan;

/// The ways of all pairs.
pub struct Ways {
    /// By pair: the number of its first path. Those there come before those back.
    first: Vec<u32>,
    /// For flows that nodes choose a path for.
    salts: Option<Salts>,
}

impl Ways {
    /// The ways of a plan, and its paths in the order of their numbers.
    pub fn new(plan: &Plan) -> (Ways, Vec<Route<'_>>) {
        let mut paths = Vec::new();
        let route = |forward| move |links| Route { links, forward, originated: false };
        let mut first = Vec::with_capacity(plan.pairs.len());
        for pair in &plan.pairs {
            first.push(paths.len() as u32);
            paths.extend(pair.forward.iter().map(route(true)));
            paths.extend(pair.reverse.iter().map(route(false)));
        }
        let salts = (plan.choice == Choice::PerFlow).then(|| Salts::new(plan.seed, &plan.nodes));
        (Ways { first, salts }, paths)
    }

    /// Where the packets of a new flow of a pair of the plan begin, those of its sender and those of its receiver. `name` is that of
    /// its random stream, `slot` where it is kept.
    pub fn open<O: Observer, S: Share>(
        &self,
        plan: &Plan,
        network: &mut Network<O, S>,
        (pair, slot): (u32, u32),
        name: &str,
    ) -> (u32, u32) {
        let there = self.first[pair as usize];
        let pair = &plan.pairs[pair as usize];
        let back = there + pair.forward.len() as u32;
        let ends = [("there", slot << 1, there, &pair.forward), ("back", slot << 1 | 1, back, &pair.reverse)];
        let [forward, reverse] = ends.map(|(way, end, first, set)| {
            if set.len() == 1 {
                return network.start(first);
            }
            let mut rng = stream(plan.seed, &format!("path {way} of {name}"));
            match (plan.choice, &self.salts) {
                (Choice::PerFlow, Some(salts)) => {
                    let node = |link: u32| plan.links[link as usize].from;
                    network.start(first + salts.choose(set, rng.next_u64(), node) as u32)
                }
                (Choice::PerPacket(dealing), _) => {
                    network.deal(end, first, Dealer::new(set.len() as u32, dealing, rng))
                }
                _ => network.start(first),
            }
        });
        (forward, reverse)
    }
}
