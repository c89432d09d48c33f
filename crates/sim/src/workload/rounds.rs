//! Rounds of transfers with a barrier: a round begins when all transfers of the round before have ended. The traffic of
//! incast.

use std::sync::Arc;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::{Stream, stream};
use dumbbell_core::{Bytes, Duration, Time, Validate, config};
use rand::RngExt;

use super::closed::{Connections, Spread, cycles, facts};
use super::facts::drawn;
use super::session::{Actions, Connection, Ended, Program, Session, Transfer};
use super::size::{SizeSpec, Sizes, Tail};
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
        /// Application bytes of each transfer, however many there are (fixed fragment).
        size: Option<Bytes> = (), "absent: `block` or `sizes` is given";
        /// Application bytes of a round, split evenly over its transfers (fixed block).
        block: Option<Bytes> = (), "absent: `size` or `sizes` is given";
        /// Distribution of the application bytes of each transfer, drawn in every round anew.
        sizes: Option<SizeSpec> = (), "absent: `size` or `block` is given";
        /// How many pairs take part: the first ones.
        servers: Option<u32> as "pairs" = (), "absent: all";
        /// Application bytes of a request: with it, each transfer answers one that comes the other way, on a connection of its own.
        /// In the table of transfers their source tells the two apart.
        request: Option<Bytes> = (), "absent: all senders know when a round begins";
        /// How many rounds.
        rounds: Option<u32> as "rounds" = (), "absent: until the run ends";
        /// When the first round begins.
        start: Duration = "0s", "choice: at once";
        /// Time from the end of a round to the beginning of the next.
        pause: Duration = "0s", "Phanishayee et al., FAST 2008, section 2: the next block is asked for at once";
        /// How `pause` is spread: `fixed`, or `exponential` about that mean.
        spread: Spread = "fixed", "choice: no randomness that is not asked for";
        /// Time from the start of one batch of transfers of a round, or their requests, to that of the next.
        stagger: Duration = "0s", "choice: all senders start together";
        /// How many transfers a batch has.
        batch: u32 as "transfers" = 1, "choice: senders are staggered one by one";
        /// How many transfers of a round are in progress at a time, at most; the next starts when one has ended.
        at_once: Option<u32> as "transfers" = (), "absent: all";
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
        let given =
            [("size", self.size.is_some()), ("block", self.block.is_some()), ("sizes", self.sizes.is_some())];
        let mut given = given.iter().filter(|(_, is_given)| *is_given).map(|(key, _)| *key);
        match (given.next(), given.next()) {
            (None, _) => {
                let remedy = "add one, for example `size = \"256kB\"`";
                return Err(at.key("size").error("none of `size`, `block` and `sizes` is given", remedy));
            }
            (Some(one), Some(other)) => {
                let message = format!("both `{one}` and `{other}` are given");
                return Err(at.key(other).error(message, "leave one of them out"));
            }
            _ => {}
        }
        let counts = [("rounds", self.rounds), ("servers", self.servers), ("at_once", self.at_once)];
        for (key, count) in counts {
            if count == Some(0) {
                return Err(at.key(key).error("must be above zero", "give 1 or more, or leave it out"));
            }
        }
        if self.batch == 0 {
            return Err(at.key("batch").error("must be above zero", "give 1 or more"));
        }
        check_size(self.request, &at.key("request"))?;
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
        let mut pairs = setting.pairs.of_entry(&self.from, &self.to, self.pairing, at)?;
        if let Some(servers) = self.servers {
            if servers as usize > pairs.len() {
                let message = format!("{servers} pairs, and `from` and `to` make {}", pairs.len());
                return Err(at.key("servers").error(message, "give fewer, or the topology more senders"));
            }
            pairs.truncate(servers as usize);
        }
        let back = if self.request.is_some() {
            setting.pairs.opposite(&pairs).map_err(|e| at.key("from").error(e.message, e.remedy))?
        } else {
            Vec::new()
        };
        let amount = match (&self.sizes, self.size, self.block) {
            (Some(sizes), ..) => Amount::Drawn(sizes.build(setting.files, &at.key("sizes"))?),
            (None, Some(size), _) => Amount::Each(size.get()),
            (None, None, block) => Amount::Split(block.map_or(0, Bytes::get)),
        };
        let n = pairs.len() as u64;
        if matches!(amount, Amount::Split(block) if block < n) {
            let message = format!("does not fill {n} transfers of a byte or more");
            return Err(at.key("block").error(message, "give a larger block"));
        }
        let shortest = pairs.iter().map(|p| setting.pairs.one_way(*p)).max().unwrap_or_default();
        let shortest = shortest + self.spread.least(self.pause);
        let rounds = cycles(setting.duration.saturating_sub(self.start), shortest, self.rounds);
        let fresh = self.connections == Connections::Fresh;
        let flows = if fresh { rounds * pairs.len() as f64 } else { pairs.len() as f64 };
        let used: Vec<u32> = pairs.iter().chain(&back).copied().collect();
        let requests = self.request.map_or(0, Bytes::get) * back.len() as u64;
        let mean = (amount.of_round(n) + requests as f64) / used.len() as f64;
        let flows = flows * (used.len() / pairs.len()) as f64;
        let draws = drawn(&[
            ("sizes", amount.draws()),
            ("jitter", !self.jitter.is_zero()),
            ("pauses", self.spread.draws(self.pause)),
        ]);
        let facts = facts(&setting, &used, (mean, amount.tail()), flows, draws, &at.key("rounds"))?;
        let name = setting.name.to_owned();
        Ok(Traffic::closed(Plan { name, params: self.clone(), pairs, back, amount, facts }))
    }
}

/// Application bytes of transfers.
#[derive(Debug)]
enum Amount {
    /// Of each.
    Each(u64),
    /// Of a round: parts that differ by one at most.
    Split(u64),
    Drawn(Sizes),
}

impl Amount {
    /// Mean bytes of a round of `n` transfers.
    fn of_round(&self, n: u64) -> f64 {
        match self {
            Amount::Each(size) => (size * n) as f64,
            Amount::Split(block) => *block as f64,
            Amount::Drawn(sizes) => sizes.mean() * n as f64,
        }
    }

    /// True if sizes are drawn.
    fn draws(&self) -> bool {
        matches!(self, Amount::Drawn(sizes) if sizes.draws())
    }

    /// The tail of drawn sizes.
    fn tail(&self) -> Option<Tail> {
        match self {
            Amount::Each(_) | Amount::Split(_) => None,
            Amount::Drawn(sizes) => Some(sizes.tail()),
        }
    }

    /// Bytes of transfer `i` of `n`.
    fn draw(&self, i: u64, n: u64, rng: &mut Stream) -> u64 {
        match self {
            Amount::Each(size) => *size,
            Amount::Split(block) => block / n + u64::from(i < block % n),
            Amount::Drawn(sizes) => sizes.sample(rng),
        }
    }
}

#[derive(Debug)]
struct Plan {
    name: String,
    params: Rounds,
    pairs: Vec<u32>,
    /// The pairs of the requests; empty without.
    back: Vec<u32>,
    amount: Amount,
    facts: Facts,
}

/// The halves of an exchange: the last bit of a tag.
const ANSWER: usize = 0;
const REQUEST: usize = 1;

impl Program for Plan {
    fn session(self: Arc<Self>, seed: u64) -> Box<dyn Session> {
        let own = |what: &str| stream(seed, &format!("workload {} {what}", self.name));
        Box::new(Running {
            connections: vec![[None; 2]; self.pairs.len()],
            round: 0,
            began: Time::ZERO,
            next: 0,
            awaited: 0,
            jitter: own("jitter"),
            sizes: own("sizes"),
            pauses: own("pauses"),
            plan: self,
        })
    }

    fn facts(&self) -> Facts {
        self.facts.clone()
    }
}

struct Running {
    plan: Arc<Plan>,
    /// What is kept open for each pair: for its transfers and for their requests.
    connections: Vec<[Option<Connection>; 2]>,
    round: u32,
    /// When the round began.
    began: Time,
    /// The first pair whose turn in the round has not come.
    next: usize,
    /// Transfers of the round that have not ended.
    awaited: usize,
    jitter: Stream,
    sizes: Stream,
    pauses: Stream,
}

impl Running {
    fn begin(&mut self, at: Time, actions: &mut Actions) {
        let plan = Arc::clone(&self.plan);
        let Plan { params, pairs, .. } = &*plan;
        if params.rounds.is_some_and(|rounds| self.round >= rounds) {
            return;
        }
        (self.began, self.next, self.awaited) = (at, 0, pairs.len());
        let at_once = params.at_once.map_or(pairs.len(), |n| n as usize);
        for _ in 0..at_once.min(pairs.len()) {
            self.begin_next(at, actions);
        }
    }

    /// The turn of the next pair, if there is one.
    fn begin_next(&mut self, now: Time, actions: &mut Actions) {
        let plan = Arc::clone(&self.plan);
        let Plan { params, pairs, back, .. } = &*plan;
        let i = self.next;
        if i == pairs.len() {
            return;
        }
        self.next += 1;
        let start = now.max(self.began + params.stagger * (i as u64 / u64::from(params.batch)));
        if back.is_empty() {
            self.answer(start, i, actions);
        } else {
            self.send(start, i, REQUEST, actions);
        }
    }

    /// The transfer of a pair, behind the time that its sender takes.
    fn answer(&mut self, at: Time, i: usize, actions: &mut Actions) {
        let jitter = match self.plan.params.jitter {
            Duration::ZERO => Duration::ZERO,
            most => most.mul_f64(self.jitter.random::<f64>()),
        };
        self.send(at + jitter, i, ANSWER, actions);
    }

    fn send(&mut self, at: Time, i: usize, half: usize, actions: &mut Actions) {
        let Plan { params, pairs, back, amount, .. } = &*self.plan;
        let (pair, size) = match half {
            REQUEST => (back[i], params.request.map_or(0, Bytes::get)),
            _ => (pairs[i], amount.draw(i as u64, pairs.len() as u64, &mut self.sizes)),
        };
        let transfer = Transfer { size, round: self.round, tag: (i << 1 | half) as u32 };
        match (self.connections[i][half], params.connections) {
            (Some(connection), _) => actions.write(at, connection, transfer),
            (None, Connections::Persistent) => actions.open_to_keep(at, pair, transfer),
            (None, Connections::Fresh) => actions.open(at, pair, transfer),
        }
    }
}

impl Session for Running {
    fn start(&mut self, actions: &mut Actions) {
        self.begin(Time::ZERO + self.plan.params.start, actions);
    }

    fn ended(&mut self, now: Time, ended: &Ended, actions: &mut Actions) {
        let (i, half) = ((ended.transfer.tag >> 1) as usize, (ended.transfer.tag & 1) as usize);
        let keeps = self.plan.params.connections == Connections::Persistent && ended.received;
        self.connections[i][half] = keeps.then_some(ended.connection);
        // A request that failed has no answer.
        if half == REQUEST && ended.received {
            return self.answer(now, i, actions);
        }
        self.awaited -= 1;
        self.begin_next(now, actions);
        if self.awaited == 0 {
            self.round += 1;
            let pause = self.plan.params.spread.draw(self.plan.params.pause, &mut self.pauses);
            self.begin(now + pause, actions);
        }
    }
}
