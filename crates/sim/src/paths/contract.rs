//! What a choice among paths comes to.

use dumbbell_core::{Time, words};

use super::set::PathSet;

words! {
    /// The order in which a sender goes through its paths.
    pub enum Order { RoundRobin = "round-robin", Random = "random" }
}

/// The parameters of a choice among paths.
pub trait PathChoice: Send + Sync {
    /// What they come to.
    fn choice(&self) -> Choice;
}

/// By what an end that sends deals its packets out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dealing {
    /// Over all paths, in this order.
    Over(Order),
    /// Over the first path, and over the second from this time on.
    SecondFrom(Time),
}

/// Who chooses, and how often. An end point that chooses for itself would be one more line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Choice {
    /// A pair has one path each way.
    #[default]
    Single,
    /// The nodes on the way, once for each flow and direction: each takes the next link by a hash of its own.
    PerFlow,
    /// The end that sends, for each packet.
    PerPacket(Dealing),
}

impl Choice {
    /// True if a pair has all of its shortest paths, not only the first.
    pub fn is_multipath(self) -> bool {
        self != Choice::Single
    }

    /// The share of a pair's packets that each of its paths is to carry.
    pub fn shares(self, set: &PathSet) -> Vec<f64> {
        match self {
            Choice::PerFlow => set.shares_by_hop(),
            Choice::Single | Choice::PerPacket(Dealing::Over(_)) => vec![1.0 / set.len() as f64; set.len()],
            // Which of the two carries more depends on when the flows are.
            Choice::PerPacket(Dealing::SecondFrom(_)) => {
                let used = set.len().min(2);
                (0..set.len()).map(|path| if path < used { 1.0 / used as f64 } else { 0.0 }).collect()
            }
        }
    }
}
