//! On how many threads a plan runs.

use std::fmt;

use crate::engine::{Cut, Graph, MAX_PARTS};
use crate::plan::Plan;

/// A run that takes so many seconds on one thread is worth more of them.
const LEAST_SECONDS: f64 = 0.1;

/// What more threads must gain to be taken without being asked for.
const LEAST_GAIN: f64 = 1.4;

/// Why a run stays on one thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Whole {
    /// One was asked for, or the machine has no other.
    Asked,
    /// Something in the plan has state that all share.
    Shared(&'static str),
    /// All nodes hang together.
    Joined,
    /// It would take as long as on one.
    Small,
}

impl fmt::Display for Whole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Whole::Asked => f.write_str("one thread is to be used"),
            Whole::Shared(what) => write!(f, "a run with {what} stays on one"),
            Whole::Joined => f.write_str(
                "no link with a delay, a constant rate, a FIFO queue and no random loss parts the network",
            ),
            Whole::Small => f.write_str("more would not make it faster"),
        }
    }
}

impl Plan {
    /// Cuts the plan into `asked` parts or, if that says nothing, as many as pay and are `usable`.
    ///
    /// # Errors
    /// Why the run stays on one thread.
    pub fn cut(&self, asked: Option<usize>, usable: usize) -> Result<Cut, Whole> {
        let most = asked.unwrap_or(usable).min(MAX_PARTS);
        if most < 2 {
            return Err(Whole::Asked);
        }
        self.what_is_shared().map_or(Ok(()), |what| Err(Whole::Shared(what)))?;
        let traffic = self.traffic();
        let seconds = self.duration.as_secs_f64();
        if asked.is_none() && traffic.least_work() * seconds < LEAST_SECONDS {
            return Err(Whole::Small);
        }
        let graph = Graph::new(self, &traffic);
        let best = (2..=most)
            .filter(|parts| asked.is_none_or(|asked| *parts == asked.min(MAX_PARTS)))
            .flat_map(|parts| graph.cuts(self, parts))
            .reduce(|best, cut| if cut.gain > best.gain { cut } else { best });
        match best {
            None => Err(Whole::Joined),
            Some(cut) if asked.is_none() && cut.gain < LEAST_GAIN => Err(Whole::Small),
            Some(cut) => Ok(cut),
        }
    }

    /// What all parts of a run would have to know at once, if there is anything.
    fn what_is_shared(&self) -> Option<&'static str> {
        let facts = [
            (self.replay.is_some(), "a replay"),
            (!self.workloads.is_empty(), "workloads, whose flows come and go,"),
            (self.flows.iter().any(|flow| flow.size.is_some()), "flows that end"),
            (self.described.iter().any(|node| node.agent.is_some()), "agents of routers"),
            (self.described.iter().any(|node| node.host.is_some()), "policies of hosts"),
            (self.pauses().iter().any(|paused| !paused.is_empty()), "flow control between links"),
            (self.shares_between_hosts(), "queues that know hosts"),
            (self.record.drops, "a table of drops"),
            (self.record.controllers, "tables of controllers"),
        ];
        facts.into_iter().find(|(is_so, _)| *is_so).map(|(_, what)| what)
    }
}
