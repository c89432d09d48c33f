//! Packet spraying: each packet takes a path of its own.

use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Validate, config};

use super::{Choice, Dealing, Order, PathChoice};

config! {
    /// The end that sends spreads its packets over all shortest paths. They may arrive out of order.
    pub struct Spray {
        /// `round-robin` takes one path after the other, from a drawn one on; `random` draws each time.
        order: Order = "round-robin", "Handley et al., SIGCOMM 2017: taking turns keeps the load of paths even";
    }
}

impl Validate for Spray {}

impl Algorithm for Spray {
    const NAME: &'static str = "spray";
    const TITLE: &'static str = "Packet spraying: each packet takes a path of its own";
    const REFERENCE: &'static str = "Dixit et al., INFOCOM 2013";
}

impl PathChoice for Spray {
    fn choice(&self) -> Choice {
        Choice::PerPacket(Dealing::Over(self.order))
    }
}
