//! Packet spraying: each packet takes a path of its own.

use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{Validate, config};
use rand::RngExt;

use super::{Choice, Order, PathChoice};

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
        Choice::PerPacket(self.order)
    }
}

/// Deals the packets of one flow and direction out over paths.
#[derive(Debug)]
pub struct Dealer {
    paths: u32,
    last: u32,
    order: Order,
    rng: Stream,
}

impl Dealer {
    /// Deals over `paths` paths, from a drawn one on, so that flows which start together do not go together.
    pub fn new(paths: u32, order: Order, mut rng: Stream) -> Dealer {
        Dealer { paths, last: rng.random_range(0..paths), order, rng }
    }

    /// The path of the next packet.
    pub fn deal(&mut self) -> u32 {
        self.last = match self.order {
            Order::RoundRobin if self.last + 1 < self.paths => self.last + 1,
            Order::RoundRobin => 0,
            Order::Random => self.rng.random_range(0..self.paths),
        };
        self.last
    }
}
