//! What deals the packets of a flow out over paths.

use dumbbell_core::Time;
use dumbbell_core::rng::Stream;
use rand::RngExt;

use super::{Dealing, Order};

/// Deals the packets of one flow and direction out over paths.
#[derive(Debug)]
pub struct Dealer {
    paths: u32,
    last: u32,
    dealing: Dealing,
    rng: Stream,
}

impl Dealer {
    /// Deals over `paths` paths; over all of them from a drawn one on, so that flows which start together do not go together.
    pub fn new(paths: u32, dealing: Dealing, mut rng: Stream) -> Dealer {
        let last = match dealing {
            Dealing::Over(_) => rng.random_range(0..paths),
            Dealing::SecondFrom(_) => 0,
        };
        Dealer { paths, last, dealing, rng }
    }

    /// The path of a packet that is sent now.
    pub fn deal(&mut self, now: Time) -> u32 {
        self.last = match self.dealing {
            Dealing::Over(Order::RoundRobin) if self.last + 1 < self.paths => self.last + 1,
            Dealing::Over(Order::RoundRobin) => 0,
            Dealing::Over(Order::Random) => self.rng.random_range(0..self.paths),
            Dealing::SecondFrom(at) => u32::from(now >= at && self.paths > 1),
        };
        self.last
    }
}
