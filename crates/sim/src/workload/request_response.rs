//! Requests and responses: a client asks, the server works and answers, the client thinks and asks again.

use std::sync::Arc;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::{Stream, stream};
use dumbbell_core::{Duration, Time, Validate, Value, config};

use super::closed::{Connections, Spread, cycles, facts};
use super::facts::drawn;
use super::session::{Actions, Connection, Ended, Program, Session, Transfer};
use super::size::{SizeSpec, Sizes};
use super::{Common, Facts, FlowSettings, Setting, Traffic, WorkloadParams};
use crate::names::NameList;
use crate::pairs::Pairing;

config! {
    /// Each pair of a client and a server makes one exchange after another. Requests and responses travel on two connections,
    /// one each way; in the table of transfers their source tells them apart, and `round` counts the exchanges.
    pub struct RequestResponse {
        /// The name in results and of its random streams.
        name: Option<String> = (), "absent: `workload` and the position in the list, from 0";
        /// The clients: a group, a node, or a list of them.
        from: NameList;
        /// The servers: a group, a node, or a list of them.
        to: NameList;
        /// `one-to-one` joins the first of `from` with the first of `to`, and so on, or a single node with each of the
        /// other side; `all` joins each of `from` with each of `to`.
        pairing: Pairing = "one-to-one", "choice: as host pairs are drawn";
        /// Distribution of the application bytes of a request.
        request: SizeSpec = fixed("500B"), "choice: a request of a few lines fits one segment";
        /// Distribution of the application bytes of a response.
        response: SizeSpec;
        /// Mean time from the end of a request to the start of its response.
        work: Duration = "0s", "choice: the network is what is studied";
        /// Mean time from the end of a response to the start of the next request.
        think: Duration = "0s", "choice: the client asks again at once";
        /// How both times are spread: `fixed` or `exponential`.
        spread: Spread = "fixed", "choice: no randomness that is not asked for";
        /// Exchanges of each client.
        exchanges: Option<u32> as "exchanges" = (), "absent: until the run ends";
        /// When the first client begins.
        start: Duration = "0s", "choice: at once";
        /// Time from the beginning of one client to that of the next.
        stagger: Duration = "0s", "choice: all clients begin together";
        /// `persistent` connections carry one transfer after another, `fresh` ones are opened for each.
        connections: Connections = "persistent", "RFC 9112 section 9.3: HTTP connections persist by default";
        ..flows: FlowSettings { sampled = false, "choice: clients are many"; }
    }
}

fn fixed(size: &str) -> Value {
    Value::Table(vec![("kind".to_owned(), Value::from("fixed")), ("size".to_owned(), Value::from(size))])
}

impl Algorithm for RequestResponse {
    const NAME: &'static str = "request-response";
    const TITLE: &'static str = "Clients that ask, wait for the answer, think, and ask again";
    const REFERENCE: &'static str = "choice: the closed loop of interactive use";
}

impl Validate for RequestResponse {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.exchanges == Some(0) {
            return Err(at.key("exchanges").error("must be above zero", "give 1 or more, or leave it out"));
        }
        Ok(())
    }
}

impl WorkloadParams for RequestResponse {
    fn common(&self) -> Common<'_> {
        Common {
            name: self.name.as_deref(),
            flows: &self.flows,
            keeps_open: self.connections == Connections::Persistent,
        }
    }

    fn build(&self, setting: Setting<'_, '_>, at: &At<'_>) -> Result<Traffic, ConfigError> {
        let there = setting.pairs.of_entry(&self.from, &self.to, self.pairing, at)?;
        let back = setting.pairs.opposite(&there).map_err(|e| at.key("to").error(e.message, e.remedy))?;
        let sizes = [
            self.request.build(setting.files, &at.key("request"))?,
            self.response.build(setting.files, &at.key("response"))?,
        ];
        let shortest = there.iter().map(|p| setting.pairs.one_way(*p)).min().unwrap_or_default() * 2;
        let shortest = shortest + self.spread.least(self.work) + self.spread.least(self.think);
        let exchanges = cycles(setting.duration.saturating_sub(self.start), shortest, self.exchanges);
        let each = if self.connections == Connections::Fresh { 2.0 * exchanges } else { 2.0 };
        let pairs: Vec<u32> = there.iter().chain(&back).copied().collect();
        let mean = (sizes[0].mean() + sizes[1].mean()) / 2.0;
        let tail = sizes[0].tail().or_heavier(sizes[1].tail());
        let draws = drawn(&[
            ("sizes", sizes.iter().any(Sizes::draws)),
            ("times", self.spread.draws(self.work) || self.spread.draws(self.think)),
        ]);
        let facts = facts(
            &setting,
            &pairs,
            (mean, Some(tail)),
            each * there.len() as f64,
            draws,
            &at.key("exchanges"),
        )?;
        Ok(Traffic::closed(Plan {
            name: setting.name.to_owned(),
            params: self.clone(),
            pairs: there.into_iter().zip(back).map(|(there, back)| [there, back]).collect(),
            sizes,
            facts,
        }))
    }
}

#[derive(Debug)]
struct Plan {
    name: String,
    params: RequestResponse,
    /// For each client the pair of its requests and that of its responses.
    pairs: Vec<[u32; 2]>,
    /// Of requests and of responses.
    sizes: [Sizes; 2],
    facts: Facts,
}

impl Program for Plan {
    fn session(self: Arc<Self>, seed: u64) -> Box<dyn Session> {
        let own = |what: &str| stream(seed, &format!("workload {} {what}", self.name));
        Box::new(Running {
            connections: vec![[None; 2]; self.pairs.len()],
            sizes: own("sizes"),
            times: own("times"),
            plan: self,
        })
    }

    fn facts(&self) -> Facts {
        self.facts.clone()
    }
}

/// The two halves of an exchange: positions in the arrays of the plan, and the low bit of a transfer's tag.
const REQUEST: usize = 0;
const RESPONSE: usize = 1;

struct Running {
    plan: Arc<Plan>,
    connections: Vec<[Option<Connection>; 2]>,
    sizes: Stream,
    times: Stream,
}

impl Running {
    fn send(&mut self, at: Time, client: usize, half: usize, round: u32, actions: &mut Actions) {
        let plan = &self.plan;
        let size = plan.sizes[half].sample(&mut self.sizes);
        let transfer = Transfer { size, round, tag: (client << 1 | half) as u32 };
        let pair = plan.pairs[client][half];
        match (self.connections[client][half], plan.params.connections) {
            (Some(connection), _) => actions.write(at, connection, transfer),
            (None, Connections::Persistent) => actions.open_to_keep(at, pair, transfer),
            (None, Connections::Fresh) => actions.open(at, pair, transfer),
        }
    }
}

impl Session for Running {
    fn start(&mut self, actions: &mut Actions) {
        let plan = Arc::clone(&self.plan);
        let params = &plan.params;
        for client in 0..plan.pairs.len() {
            let at = Time::ZERO + params.start + params.stagger * client as u64;
            self.send(at, client, REQUEST, 0, actions);
        }
    }

    fn ended(&mut self, now: Time, ended: &Ended, actions: &mut Actions) {
        let plan = Arc::clone(&self.plan);
        let params = &plan.params;
        let (client, half) = ((ended.transfer.tag >> 1) as usize, (ended.transfer.tag & 1) as usize);
        let keeps = params.connections == Connections::Persistent && ended.received;
        self.connections[client][half] = keeps.then_some(ended.connection);
        let round = ended.transfer.round;
        // A request that failed has no response: the client turns to its next.
        if half == REQUEST && ended.received {
            let work = params.spread.draw(params.work, &mut self.times);
            self.send(now + work, client, RESPONSE, round, actions);
        } else if params.exchanges.is_none_or(|most| round + 1 < most) {
            let think = params.spread.draw(params.think, &mut self.times);
            self.send(now + think, client, REQUEST, round + 1, actions);
        }
    }
}
