//! The scenario: the whole description of an experiment, in one schema.
//!
//! ```toml
//! name = "two flows"
//! seed = 1                     # of every random stream
//! duration = "60s"             # simulated time
//! warmup = "10s"               # figures count from here
//! routing = "hops"             # or "delay"
//! paths = "single"             # or "ecmp", "spray", a route change: of those that are equally short
//! transport = { kind = "tcp", controller = "cubic" }
//!
//! [topology]                   # dumbbell, chain, star, parking-lot, fat-tree, leaf-spine, random or graph
//! kind = "dumbbell"
//! pairs = 2
//! bottleneck = { rate = "10Mbit/s", delay = "5ms", queue = { kind = "droptail", limit = "1bdp" } }
//! access = { rate = "100Mbit/s", delay = "10ms" }
//!
//! [[flows]]                    # flows known beforehand
//! name = "bulk"
//! from = "senders"             # a group, a node, or a list of them
//! to = "receivers"
//! stagger = "100ms"
//!
//! [[workloads]]                # flows that arrive while the run goes on
//! kind = "poisson"
//! name = "web"
//! from = "senders"
//! to = "receivers"
//! load = 0.5
//! size = "campus-web"
//!
//! [record]
//! period = "10ms"
//! ```
//!
//! Links are called `left->right`, after the nodes they join; every link of a ready-made topology exists in both
//! directions. An algorithm is given by its name (`queue = "codel"`) or by a table with `kind` and its parameters.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use dumbbell_core::config::{At, ConfigError, Fields, Prose};
use dumbbell_core::registry::{Descriptor, Registry};
use dumbbell_core::{Bytes, Config, Duration, TrafficClass, Validate, Value, config};
use dumbbell_proto::TransportSpec;
use dumbbell_proto::schedule::ScheduleSpec;

use crate::families::built_in;
use crate::limits::{MAX_DURATION_SECS, MAX_FLOWS, MAX_SAMPLES, check_length, check_size};
use crate::names::NameList;
use crate::nodes::NodesSpec;
use crate::pairs::Pairing;
use crate::paths::ChoiceSpec;
use crate::routing::Routing;
use crate::topology::TopologySpec;
use crate::workload::{WorkloadSpec, place_in_transport};

/// The transport of who names none.
pub(crate) const TRANSPORT: &str = "tcp";

config! {
    /// Flows known beforehand.
    pub struct FlowsSpec {
        /// The name in results; also names the random streams of the flows.
        name: Option<String> = (), "absent: `flows` and the position in the list, from 0";
        /// Where the data comes from: a group, a node, or a list of them.
        from: NameList;
        /// Where the data goes: a group, a node, or a list of them.
        to: NameList;
        /// `one-to-one` joins the first of `from` with the first of `to`, and so on, or a single node with each of the
        /// other side; `all` joins each of `from` with each of `to`.
        pairing: Pairing = "one-to-one", "choice: as host pairs are drawn";
        /// Flows in all; flow i uses pair i modulo the number of pairs.
        count: Option<u64> as "flows" = (), "absent: one flow for each pair";
        /// When the first flow starts.
        start: Duration = "0s", "choice: at once";
        /// Time from each start to the next.
        stagger: Duration = "0s", "choice: all start together";
        /// Random time added to each start: uniform from 0 to this, so that flows do not run in step.
        jitter: Duration = "0s", "choice: starts are as written";
        /// Application bytes of each flow.
        size: Option<Bytes> = (), "absent: what `application` lists, or the flows send until the run ends";
        /// When the application writes, from the flow's start on.
        application: Option<Arc<ScheduleSpec>> = (), "absent: all is written at once";
        /// When the receiver's application reads, from the first data on; behind the end of a list it reads what comes.
        reader: Option<Arc<ScheduleSpec>> = (), "absent: what comes is read at once";
        /// Transport and its parameters.
        transport: Option<TransportSpec> = (), "absent: the scenario's transport";
        /// Traffic class of all packets of the flows, acknowledgements too.
        class: TrafficClass = 0, "RFC 2474 section 4.1: the default codepoint, 0";
        /// For the transport `replay`: a file of packets, one on each line: time from the flow's start (seconds), bytes on
        /// the wire; sorted by time.
        packets: Option<String> = (), "absent: nothing to replay";
        /// Write time series of these flows.
        sampled: bool = true, "choice: listed flows are few";
    }
}

impl Validate for FlowsSpec {
    fn place_of(_: &Value, key: &str) -> Option<String> {
        place_in_transport(key)
    }

    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        match self.count {
            Some(0) => return Err(at.key("count").error("must be above zero", "give 1 or more")),
            Some(n) if n > MAX_FLOWS => {
                return Err(at
                    .key("count")
                    .error(format!("{n} is above the limit of {MAX_FLOWS}"), "start fewer flows"));
            }
            _ => {}
        }
        check_size(self.size, &at.key("size"))
    }
}

config! {
    /// What to write down.
    pub struct RecordSpec {
        /// Time between samples of windows, rates, round-trip times and queues.
        period: Duration = "100ms", "choice: a few round-trip times; a readable figure of a minute";
        /// Write the time series.
        samples: bool = true, "choice: figures over time need them";
        /// Write one row for each flow.
        flows: bool = true, "choice: completion times need them";
        /// Write one row for each dropped packet.
        drops: bool = false, "choice: a long overload drops millions";
        /// Write the states of congestion controllers, and what they go by in each round trip.
        controllers: bool = false, "choice: a round trip takes some forty rows";
        /// Links whose queue is sampled: `bottlenecks`, `all`, `none`, or names of links such as `left->right`.
        queues: NameList = "bottlenecks", "choice: other queues are mostly empty";
        /// Note how long each data packet is on its way: quantiles for each flow, means over time for sampled flows.
        delays: bool = false, "choice: a run then goes in one loop, and each packet costs some nanoseconds more";
        /// Links of which it is noted how long each packet stays, for quantiles: `bottlenecks`, `all`, `none`, or names of links.
        sojourns: NameList = "none", "choice: such a link takes two events for each packet";
        /// Links of which every arriving packet is written down, by name.
        arrivals: Vec<String> = [], "choice: a run has millions";
    }
}

impl Validate for RecordSpec {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.period.is_zero() {
            return Err(at
                .key("period")
                .error("must be above zero", "give a time such as \"100ms\", or set `samples = false`"));
        }
        Ok(())
    }
}

config! {
    /// A replay of recorded packets by one source that does not adapt.
    pub struct ReplaySpec {
        /// The link whose arrivals are recorded, and which they enter again.
        link: String;
        /// What is different in the run that is recorded: settings `path=value`.
        set: Vec<String> = [], "choice: the scenario as it is";
        /// Replay not the packets but their rate: packets of the link's MTU carry the bytes of each bin of this length.
        bin: Option<Duration> = (), "absent: packet for packet, to the nanosecond";
    }
}

impl Validate for ReplaySpec {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        match self.bin {
            Some(bin) if bin < Duration::from_micros(10) => {
                Err(at.key("bin").error(format!("bins of {bin} hold no packet"), "give 10us or more"))
            }
            _ => Ok(()),
        }
    }
}

config! {
    /// An experiment, checked and ready to run.
    pub struct ScenarioSpec {
        /// The name in results.
        name: Option<String> = (), "absent: the file's name";
        /// What the experiment is for.
        description: Option<Prose> = (), "absent: nothing to say";
        /// The seed of every random stream.
        seed: u64 as "dimensionless" = 1, "choice: any";
        /// Simulated time.
        duration: Duration;
        /// First part of `duration`, which no figure counts.
        warmup: Duration = "0s", "choice: measure everything";
        /// Time after `duration` in which no flow starts and those in progress may end: only completion times count. It is
        /// over once all counted flows with a size have ended.
        drain: Duration = "0s", "choice: the run ends with its traffic";
        /// Nodes and links.
        topology: TopologySpec;
        /// What single nodes have beside their links.
        nodes: Vec<NodesSpec> = [], "absent: hosts and routers have links and queues only";
        /// Shortest paths by number of hops or by propagation delay. The other of the two settles ties, then
        /// the order in which links are listed.
        routing: Routing = "hops", "choice: interior protocols with equal link costs";
        /// Which of the shortest paths between two nodes packets take, where several are equally short.
        paths: ChoiceSpec = "single", "choice: one path unless the scenario asks for several";
        /// The transport of flows and workloads that name none.
        transport: TransportSpec = TRANSPORT, "choice: what most traffic uses";
        /// Flows known beforehand.
        flows: Vec<FlowsSpec> = [], "absent: only workloads";
        /// Sources of flows that arrive while the run goes on.
        workloads: Vec<WorkloadSpec> = [], "absent: only listed flows";
        /// Run this scenario once to record the packets that arrive at a link, then replay them into that link instead of
        /// all flows. The results are those of the replay.
        replay: Option<ReplaySpec> = (), "absent: the flows run as they are";
        /// What to write down.
        record: RecordSpec = Value::table(), "see its fields";
    }
}

impl Validate for ScenarioSpec {
    /// A table `transport` without a kind holds parameters of the default one: `--set transport.profile=rfc`.
    fn complete(table: &Value) -> Option<Value> {
        let transport = table.get("transport")?;
        if !matches!(transport, Value::Table(_)) || transport.get("kind").is_some() {
            return None;
        }
        let (mut filled, mut transport) = (table.clone(), transport.clone());
        transport.insert("kind", TRANSPORT.into());
        filled.insert("transport", transport);
        Some(filled)
    }

    /// What belongs to the topology, the transport or the record is easily written beside them.
    fn place_of(table: &Value, key: &str) -> Option<String> {
        let kind = |name: &str| match table.get(name) {
            Some(Value::Str(kind)) => kind.clone(),
            Some(other) => match other.get("kind") {
                Some(Value::Str(kind)) => kind.clone(),
                _ => String::new(),
            },
            None => TRANSPORT.to_owned(),
        };
        let has = |name: &str, members: Vec<Descriptor>| {
            let chosen = members.into_iter().find(|member| member.name == kind(name));
            chosen.is_some_and(|member| member.fields.iter().any(|field| field.name == key))
        };
        let place = match key {
            _ if has("topology", TopologySpec::descriptors()) => "topology",
            _ if has("transport", TransportSpec::descriptors()) => "transport",
            _ if RecordSpec::names().contains(&key) => "record",
            _ => return None,
        };
        Some(format!("{place}.{key}"))
    }

    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.duration.is_zero() {
            return Err(at.key("duration").error("must be above zero", "give a time such as \"60s\""));
        }
        if self.drain > Duration::from_secs(MAX_DURATION_SECS) - self.duration {
            return Err(at.key("drain").error(
                format!("{} makes the run longer than the limit of {MAX_DURATION_SECS}s", self.drain),
                "give a shorter time",
            ));
        }
        if self.warmup >= self.duration {
            return Err(at.key("warmup").error(
                format!("{} leaves nothing of the duration of {} to measure", self.warmup, self.duration),
                "make `warmup` shorter or `duration` longer",
            ));
        }
        if self.duration.as_nanos() / self.record.period.as_nanos() > MAX_SAMPLES {
            return Err(at.key("record").key("period").error(
                format!("{} gives more than {MAX_SAMPLES} samples", self.record.period),
                "give a longer period",
            ));
        }
        if self.flows.is_empty() && self.workloads.is_empty() {
            return Err(at
                .key("flows")
                .error("there are no flows and no workloads", "add a [[flows]] or [[workloads]] entry"));
        }
        self.check_names(at)
    }
}

/// An experiment, checked and ready to run, with the registry whose members it names.
#[derive(Clone, Debug)]
pub struct Scenario {
    spec: ScenarioSpec,
    registry: Registry,
}

impl Scenario {
    /// Reads a scenario from TOML, which names built-in members.
    ///
    /// # Errors
    /// The first thing wrong with it: the line and column of a syntax error, else the path of the key.
    ///
    /// ```
    /// # use dumbbell_sim::Scenario;
    /// let error = Scenario::from_toml("duration = '10s'\ntopolgy = 'dumbbell'").unwrap_err();
    /// assert_eq!(error.to_string(), "topolgy: unknown key; did you mean \"topology\"?");
    /// ```
    pub fn from_toml(text: &str) -> Result<Scenario, ConfigError> {
        Scenario::from_value(&crate::syntax::parse(text)?, built_in())
    }

    /// Reads a scenario from a value: a Python dictionary, or TOML with changes. It may name what the registry holds:
    /// [`built_in`], or a copy of that with members of other crates.
    ///
    /// # Errors
    /// The first thing wrong with it, with the path of the key and a remedy.
    pub fn from_value(v: &Value, registry: &Registry) -> Result<Scenario, ConfigError> {
        let spec = ScenarioSpec::from_value(v, &At::root("").knowing(registry))?;
        Ok(Scenario { spec, registry: registry.clone() })
    }

    /// The registry whose members it names.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }
}

impl Deref for Scenario {
    type Target = ScenarioSpec;
    fn deref(&self) -> &ScenarioSpec {
        &self.spec
    }
}

/// Two scenarios are the same if users would write them alike.
impl PartialEq for Scenario {
    fn eq(&self, other: &Scenario) -> bool {
        self.spec == other.spec
    }
}

impl ScenarioSpec {
    /// The name in results of each entry of `flows`, in order.
    pub fn flow_names(&self) -> Vec<String> {
        let default = |i| format!("flows{i}");
        self.flows.iter().enumerate().map(|(i, f)| f.name.clone().unwrap_or_else(|| default(i))).collect()
    }

    /// The name in results of each entry of `workloads`, in order.
    pub fn workload_names(&self) -> Vec<String> {
        let name = |(i, w): (usize, &WorkloadSpec)| {
            w.common().name.map_or_else(|| format!("workload{i}"), str::to_owned)
        };
        self.workloads.iter().enumerate().map(name).collect()
    }

    /// Refuses two entries of one name: results and random streams go by it.
    fn check_names(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_length(self.name.as_deref().unwrap_or_default(), &at.key("name"))?;
        let flows = self.flow_names().into_iter().enumerate().map(|(i, name)| ("flows", i, name));
        let workloads = self.workload_names().into_iter().enumerate().map(|(i, name)| ("workloads", i, name));
        let mut taken: HashMap<String, (&str, usize)> = HashMap::new();
        for (list, i, name) in flows.chain(workloads) {
            if name.is_empty() {
                return Err(at.key(list).index(i).key("name").error("the name is empty", "write a name"));
            }
            check_length(&name, &at.key(list).index(i).key("name"))?;
            if let Some((other, j)) = taken.insert(name.clone(), (list, i)) {
                return Err(at
                    .key(list)
                    .index(i)
                    .key("name")
                    .error(format!("{name:?} is already the name of {other}[{j}]"), "choose another name"));
            }
        }
        Ok(())
    }
}
