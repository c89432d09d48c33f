//! Paths as the table of paths has them: links, and what stands between and behind them.

/// An entry of the table of paths is a link, or an end of a path, or a [`Stop`] at the agent of a router. The last two have this
/// flag; the ends of what end points send have the lowest numbers.
pub const END: u32 = 1 << 31;
pub const END_FORWARD: u32 = END | 1;
pub const END_REVERSE: u32 = END;

/// The entries that are neither links nor the ends of what end points send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stop {
    /// The agent's number; `None` at the end of a path.
    pub agent: Option<u32>,
    /// True on the way to the destination.
    pub forward: bool,
    /// True on paths of what routers originate.
    pub originated: bool,
    /// True at the end of a path if the delays of packets are noted there.
    pub timed: bool,
}

impl Stop {
    pub fn entry(self) -> u32 {
        let agent = self.agent.map_or(0, |agent| agent + 1);
        END | agent << 3
            | u32::from(self.timed) << 2
            | u32::from(self.originated) << 1
            | u32::from(self.forward)
    }

    /// What an entry of the table of paths says; `None` for a link.
    pub fn read(entry: u32) -> Option<Stop> {
        (entry >= END).then(|| Stop::of(entry))
    }

    /// What an entry says that is no link.
    pub fn of(entry: u32) -> Stop {
        let agent = ((entry & !END) >> 3).checked_sub(1);
        Stop { agent, forward: entry & 1 != 0, originated: entry & 2 != 0, timed: entry & 4 != 0 }
    }
}

/// A path that packets may take.
#[derive(Clone, Copy, Debug)]
pub struct Route<'p> {
    /// Its links.
    pub links: &'p [u32],
    /// True if it leads to the destination of flows, false if to the source.
    pub forward: bool,
    /// True if only packets that routers originate take it.
    pub originated: bool,
}
