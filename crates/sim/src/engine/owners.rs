//! Who owns an event, in the order in which ties are settled.

use dumbbell_core::Time;

use super::tree::Tree;

/// The owners of events behind the links, in the order in which ties are settled.
pub(super) struct Owners {
    pub agents: u32,
    pub hosts: u32,
    pub timers: u32,
    pub arrivals: u32,
    pub sessions: u32,
    pub warmup: u32,
    pub samples: u32,
}

impl Owners {
    /// Of those that every run has.
    pub const COUNT: usize = 5;

    pub fn after(links: u32, agents: u32, hosts: u32) -> Owners {
        let timers = links + agents + hosts;
        Owners {
            agents: links,
            hosts: links + agents,
            timers,
            arrivals: timers + 1,
            sessions: timers + 2,
            warmup: timers + 3,
            samples: timers + 4,
        }
    }
}

/// The latest time that an engine with so many links and agents of routers can tell from "never".
pub fn horizon(links: usize, agents: usize) -> Time {
    Tree::horizon(links + agents + Owners::COUNT)
}
