//! One path for each pair.

use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Validate, config};

use super::{Choice, PathChoice};

config! {
    /// One shortest path for each pair and direction.
    pub struct Single {}
}

impl Validate for Single {}

impl Algorithm for Single {
    const NAME: &'static str = "single";
    const TITLE: &'static str =
        "One path for each pair: of equally short next hops, each node takes the link listed first";
    const REFERENCE: &'static str = "choice: every packet of a pair sees the same links";
}

impl PathChoice for Single {
    fn choice(&self) -> Choice {
        Choice::Single
    }
}
