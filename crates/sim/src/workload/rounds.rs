//! Rounds of transfers with a barrier: a round begins when all transfers of the round before have ended. The traffic of
//! incast.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::{Stream, stream};
use dumbbell_core::{Bytes, Duration, Time, Validate, config};
use rand::RngExt;

use super::closed::{Connections, cycles, facts};
use super::session::{Actions, Connection, Ended, Program, Session, Transfer};
use super::{Common, Facts, FlowSettings, Setting, Traffic, WorkloadParams};
use crate::limits::check_size;
use crate::names::NameList;
use crate::pairs::Pairing;

config! {
    /// In every round each pair carries one transfer; the next round begins when all have ended. With many senders and one
    /// receiver that is the synchronised read of storage systems, in which incast was found.
    pub struct Rounds {
        /// The name in results and of its random stream.
        name: Option<String> = (), "absent: `workload` and the position in the list, from 0";
        /// Where the data comes from: a group, a node, or a list of them.
        from: NameList;
        /// Where the data goes: a group, a node, or a list of them.
        to: NameList;
        /// `one-to-one` joins the first of `from` with the first of `to`, and so on, or a single node with each of the
        /// other side; `all` joins each of `from` with each of `to`.
        pairing: Pairing = "one-to-one", "choice: as host pairs are drawn";
        /// Application bytes of each transfer, however many there are (fixed fragment); in place of `block`.
        size: Option<Bytes> = (), "absent: `block` is given";
        /// Application bytes of a round, split evenly over its transfers (fixed block); in place of `size`.
        block: Option<Bytes> = (), "absent: `size` is given";
        /// How many rounds.
        rounds: Option<u32> = (), "absent: until the run ends";
        /// When the first round begins.
        start: Duration = "0s", "choice: at once";
        /// Time from the end of a round to the beginning of the next.
        pause: Duration = "0s", "Phanishayee et al., FAST 2008, section 2: the next block is asked for at once";
        /// Time from the start of one transfer of a round to that of the next.
        stagger: Duration = "0s", "choice: all senders start together";
        /// Each transfer starts later by a time drawn uniformly up to this.
        jitter: Duration = "0s", "choice: no jitter; runs are then exactly periodic";
        /// `persistent` connections carry one transfer after another, `fresh` ones are opened for each.
        connections: Connections = "persistent", "Phanishayee et al., FAST 2008, section 2";
        ..flows: FlowSettings { sampled = false, "choice: senders are many"; }
    }
}

impl Algorithm for Rounds {
    const NAME: &'static str = "rounds";
    const TITLE: &'static str = "Rounds of transfers, each begun when all of the last have ended (incast)";
    const REFERENCE: &'static str = "Phanishayee et al., FAST 2008, section 2: synchronized reads";
}

impl Validate for Rounds {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        match (self.size, self.block) {
            (None, None) => {
                let remedy = "add one, for example `size = \"256kB\"`";
                return Err(at.key("size").error("neither `size` nor `block` is given", remedy));
            }
            (Some(_), Some(_)) => {
                return Err(at
                    .key("block")
                    .error("both `size` and `block` are given", "leave one of them out"));
            }
            _ => {}
        }
        if self.rounds == Some(0) {
            return Err(at.key("rounds").error("must be above zero", "give 1 or more, or leave it out"));
        }
        check_size(self.size, &at.key("size"))?;
        check_size(self.block, &at.key("block"))
    }
}

impl WorkloadParams for Rounds {
    fn common(&self) -> Common<'_> {
        Common {
            name: self.name.as_deref(),
            flows: &self.flows,
            keeps_open: self.connections == Connections::Persistent,
        }
    }

    fn build(&self, setting: Setting<'_, '_>, at: &At<'_>) -> Result<Traffic, ConfigError> {
        let pairs = setting.pairs.of_entry(&self.from, &self.to, self.pairing, at)?;
        let sizes: Vec<u64> = match (self.size, self.block) {
            (Some(size), _) => vec![size.get(); pairs.len()],
            (None, block) => split(block.map_or(0, Bytes::get), pairs.len() as u64),
        };
        if sizes.contains(&0) {
            let message = format!("does not fill {} transfers of a byte or more", pairs.len());
            return Err(at.key("block").error(message, "give a larger block"));
        }
        let shortest = pairs.iter().map(|p| setting.pairs.one_way(*p)).max().unwrap_or_default() + self.pause;
        let rounds = cycles(setting.duration.saturating_sub(self.start), shortest, self.rounds);
        let fresh = self.connections == Connections::Fresh;
        let flows = if fresh { rounds * pairs.len() as f64 } else { pairs.len() as f64 };
        let mean = sizes.iter().sum::<u64>() as f64 / sizes.len() as f64;
        let facts = facts(&setting, &pairs, mean, flows, &at.key("rounds"))?;
        Ok(Traffic::closed(Plan { name: setting.name.to_owned(), params: self.clone(), pairs, sizes, facts }))
    }
}

/// Parts of a whole that differ by one at most.
fn split(whole: u64, parts: u64) -> Vec<u64> {
    (0..parts).map(|i| whole / parts + u64::from(i < whole % parts)).collect()
}

#[derive(Debug)]
struct Plan {
    name: String,
    params: Rounds,
    pairs: Vec<u32>,
    sizes: Vec<u64>,
    facts: Facts,
}

impl Program for Plan {
    fn session(&self, seed: u64) -> Box<dyn Session + '_> {
        Box::new(Running {
            plan: self,
            connections: vec![None; self.pairs.len()],
            round: 0,
            awaited: 0,
            jitter: stream(seed, &format!("workload {} jitter", self.name)),
        })
    }

    fn facts(&self) -> Facts {
        self.facts.clone()
    }
}

struct Running<'p> {
    plan: &'p Plan,
    /// What is kept open for each pair.
    connections: Vec<Option<Connection>>,
    round: u32,
    /// Transfers of the round that have not ended.
    awaited: usize,
    jitter: Stream,
}

impl Running<'_> {
    fn begin(&mut self, at: Time, actions: &mut Actions) {
        let Plan { params, pairs, sizes, .. } = self.plan;
        if params.rounds.is_some_and(|rounds| self.round >= rounds) {
            return;
        }
        self.awaited = pairs.len();
        for (i, (&pair, &size)) in pairs.iter().zip(sizes).enumerate() {
            let jitter = match params.jitter {
                Duration::ZERO => Duration::ZERO,
                most => most.mul_f64(self.jitter.random::<f64>()),
            };
            let start = at + params.stagger * i as u64 + jitter;
            let transfer = Transfer { size, round: self.round, tag: i as u32 };
            match (self.connections[i], params.connections) {
                (Some(connection), _) => actions.write(start, connection, transfer),
                (None, Connections::Persistent) => actions.open_to_keep(start, pair, transfer),
                (None, Connections::Fresh) => actions.open(start, pair, transfer),
            }
        }
    }
}

impl Session for Running<'_> {
    fn start(&mut self, actions: &mut Actions) {
        self.begin(Time::ZERO + self.plan.params.start, actions);
    }

    fn ended(&mut self, now: Time, ended: &Ended, actions: &mut Actions) {
        let keeps = self.plan.params.connections == Connections::Persistent && ended.received;
        self.connections[ended.transfer.tag as usize] = keeps.then_some(ended.connection);
        self.awaited -= 1;
        if self.awaited == 0 {
            self.round += 1;
            self.begin(now + self.plan.params.pause, actions);
        }
    }
}
