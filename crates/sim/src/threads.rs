//! On how many threads a plan runs, and whether its nodes take turns.

use std::fmt;

use crate::engine::{Cut, Graph, MAX_PARTS};
use crate::plan::Plan;

/// A run that takes so many seconds on one thread is worth more of them.
const LEAST_SECONDS: f64 = 0.1;

/// What more threads must gain to be taken without being asked for.
const LEAST_GAIN: f64 = 1.4;

/// The same of turns on one thread.
const LEAST_GAIN_OF_TURNS: f64 = 1.03;

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
    /// Cuts the plan into `asked` parts or, if that says nothing, as many as pay and are `usable`. One part is a cut where it pays
    /// to take its nodes in turns.
    ///
    /// # Errors
    /// Why the run stays in one loop on one thread.
    pub fn cut(&self, asked: Option<usize>, usable: usize) -> Result<Cut, Whole> {
        let most = asked.unwrap_or(usable).min(MAX_PARTS);
        self.what_is_shared().map_or(Ok(()), |what| Err(Whole::Shared(what)))?;
        let traffic = self.traffic();
        let seconds = traffic.least_work() * self.duration.as_secs_f64();
        if asked.is_none_or(|asked| asked < 2) && seconds < LEAST_SECONDS {
            return Err(Whole::Small);
        }
        let graph = Graph::new(self, &traffic);
        let of = |parts: usize| graph.cuts(self, parts, true);
        let best = |best: Cut, cut: Cut| if cut.gain > best.gain { cut } else { best };
        let turns = of(1).into_iter().find(|cut| cut.gain >= LEAST_GAIN_OF_TURNS);
        if most < 2 {
            return turns.ok_or(Whole::Asked);
        }
        let threads = (2..=most).filter(|parts| asked.is_none_or(|asked| *parts == asked.min(MAX_PARTS)));
        let threads = threads.flat_map(of).reduce(best).ok_or(Whole::Joined);
        match asked {
            Some(_) => threads,
            None => {
                let one = turns.as_ref().map_or(1.0, |turns| turns.gain);
                threads.ok().filter(|cut| cut.gain >= LEAST_GAIN.max(one)).or(turns).ok_or(Whole::Small)
            }
        }
    }

    /// The plan in so many parts, each of as many regions as there can be, whether that pays or not: what tests compare.
    ///
    /// # Errors
    /// As [`Plan::cut`].
    pub fn finest_cut(&self, parts: usize) -> Result<Cut, Whole> {
        self.what_is_shared().map_or(Ok(()), |what| Err(Whole::Shared(what)))?;
        let cuts = Graph::new(self, &self.traffic()).cuts(self, parts, false);
        cuts.into_iter().max_by_key(|cut| cut.layout.regions.len()).ok_or(Whole::Joined)
    }

    /// What all parts of a run would have to know at once, if there is anything.
    fn what_is_shared(&self) -> Option<&'static str> {
        let facts = [
            (self.replay.is_some(), "a replay"),
            (
                self.has_closed_loops(),
                "a closed loop, whose next transfer begins elsewhere at once when one ends,",
            ),
            (
                self.has_ends() && self.agents().next().is_some(),
                "flows that end, of which agents of routers know at once,",
            ),
            (
                self.described.iter().any(|node| node.host.is_some()),
                "policies of hosts, which a flow asks when it begins,",
            ),
        ];
        facts.into_iter().find(|(is_so, _)| *is_so).map(|(_, what)| what)
    }
}
