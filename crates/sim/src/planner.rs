//! From a scenario to a plan: names become indices, routes become tables, files are read, everything is checked.

use std::path::Path;
use std::sync::Arc;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{Bytes, ClassSet, Config, Duration, HeaderKind, Time, TrafficClass, Value};
use dumbbell_net::link::Trace;
use dumbbell_net::node::NodeAgentSpec;
use dumbbell_net::pause::Role;
use dumbbell_net::router::AgentSpec;
use dumbbell_proto::schedule::ScheduleSpec;
use dumbbell_proto::{ControllerChoice, TransportSpec};

use crate::classes::{self, Use};
use crate::files::{Base, Files};
use crate::limits::{MAX_DURATION_SECS, MAX_FLOWS, MAX_MTU};
use crate::names::NameList;
use crate::nodes;
use crate::origin::Origin;
use crate::pairs::{Pair, Pairs};
use crate::paths::ChoiceSpec;
use crate::plan::{Group, Plan, PlannedLink, Record, Replay, Workload};
use crate::roles::read_trace;
use crate::scenario::{FlowsSpec, Scenario};
use crate::topology::Network;
use crate::workload::{Flow, FlowSettings, Setting};

impl Plan {
    /// Makes a scenario concrete. Files it names are looked for relative to `base`.
    ///
    /// # Errors
    /// The first thing wrong with the scenario or a file, with its place and a remedy.
    pub fn new(scenario: &Scenario, base: &Path) -> Result<Arc<Plan>, ConfigError> {
        Plan::from_base(scenario, Base { folder: base, confined: false })
    }

    /// Makes a scenario concrete, as [`Plan::new`]; `base` says whether it may open files anywhere.
    ///
    /// # Errors
    /// The first thing wrong with the scenario or a file, with its place and a remedy.
    pub fn from_base(scenario: &Scenario, base: Base<'_>) -> Result<Arc<Plan>, ConfigError> {
        let root = At::root("");
        let mut network = scenario.topology.build(scenario.seed, &root.key("topology"))?;
        let mut files = Files::new(base);
        let traces = read_traces(&mut network, &mut files, &root.key("topology"))?;
        let choice = scenario.paths.choice();
        let pairs = Pairs::new(&network, scenario.routing, choice);
        let nodes_at = root.key("nodes");
        let named = nodes::resolve(&scenario.nodes, &pairs.names, &nodes_at)?;
        let mut planner = Planner { scenario, files, pairs, named, groups: Vec::new(), uses: Vec::new() };
        let flows = planner.flows(&root.key("flows"))?;
        let workloads = planner.workloads(&root.key("workloads"))?;
        let sampled = planner.links_of(&scenario.record.queues, &root.key("record").key("queues"))?;
        let timed = planner.links_of(&scenario.record.sojourns, &root.key("record").key("sojourns"))?;
        let recorded = planner.recorded(&root.key("record").key("arrivals"))?;
        let replay = planner.replay_of_link(base, &root.key("replay"))?;
        let Planner { files, mut pairs, groups, named, uses, .. } = planner;
        let described = nodes::plan(&scenario.nodes, &named, &mut pairs, &nodes_at)?;
        let (buffers, buffer_of) = nodes::buffers(&scenario.nodes, &named, &network, &nodes_at)?;
        let pairs = pairs.into_pairs();
        let classes = classes::seen(&network, &pairs, &uses)?;
        let mut links = links(&network, &pairs, &sampled, &classes, traces);
        nodes::pauses(&scenario.nodes, &named, &network, &pairs, &mut links, &nodes_at)?;
        if let Some(replay) = &replay {
            check_replay(&links[replay.link as usize], &root.key("replay").key("link"))?;
        }
        links.iter_mut().for_each(|link| link.buffer = buffer_of.get(&link.from).copied());
        recorded.into_iter().for_each(|link| links[link as usize].recorded = true);
        links.iter_mut().zip(timed).for_each(|(link, timed)| link.timed = timed);
        for node in described.iter().filter(|node| node.agent.is_some()) {
            links.iter_mut().filter(|l| l.from == node.node).for_each(|link| link.inspected = true);
        }
        let periodic = scenario.record.samples || sampled.contains(&true);
        Ok(Arc::new(Plan {
            seed: scenario.seed,
            duration: scenario.duration,
            warmup: scenario.warmup,
            drain: scenario.drain,
            nodes: network.nodes,
            described,
            links,
            buffers,
            pairs,
            choice,
            groups,
            flows: flows.into(),
            workloads,
            drawn_topology: scenario.topology.follows_seed(),
            record: Record {
                period: periodic.then_some(scenario.record.period),
                samples: scenario.record.samples,
                flows: scenario.record.flows,
                drops: scenario.record.drops,
                controllers: scenario.record.controllers,
                delays: scenario.record.delays,
            },
            replay,
            origin: Origin::new(
                scenario.to_value(),
                scenario.seed,
                files.digests(),
                scenario.registry().clone(),
            ),
        }))
    }

    /// The plan of the same scenario under another seed, which changes random draws and nothing that is planned, unless the
    /// topology is drawn too. `base` is that of the plan.
    ///
    /// # Errors
    /// What the scenario says and the network of this seed does not have.
    pub fn with_seed(&self, seed: u64, base: Base<'_>) -> Result<Arc<Plan>, ConfigError> {
        if self.drawn_topology {
            let origin = self.origin.with_seed(seed);
            let drawn = Scenario::from_value(&origin.scenario(), origin.registry())?;
            return Plan::from_base(&drawn, base);
        }
        let replay = self.replay.as_ref().map(|replay| replay.with_seed(seed));
        Ok(Arc::new(Plan { seed, origin: self.origin.with_seed(seed), replay, ..self.clone() }))
    }
}

/// Refuses schedules of applications where the transport has none.
fn check_schedules(
    transport: &TransportSpec,
    application: &Option<Arc<ScheduleSpec>>,
    reader: &Option<Arc<ScheduleSpec>>,
    at: &At<'_>,
) -> Result<(), ConfigError> {
    let given = [("application", application.is_some()), ("reader", reader.is_some())];
    match given.into_iter().find(|(_, given)| *given) {
        Some((key, _)) if !transport.serves_applications() => Err(at.key(key).error(
            format!("no application writes to or reads from the transport {:?}", transport.name()),
            "leave it out, or choose the transport \"tcp\"",
        )),
        _ => Ok(()),
    }
}

/// A recorded list of packets: time since the flow's start, bytes on the wire.
type Packets = Arc<[(Duration, u32)]>;

struct Planner<'a, 'n> {
    scenario: &'a Scenario,
    files: Files,
    pairs: Pairs<'n>,
    named: nodes::Named,
    groups: Vec<Group>,
    /// The classes of the groups.
    uses: Vec<Use>,
}

impl Planner<'_, '_> {
    /// The flows of all entries of `flows`, by start.
    fn flows(&mut self, at: &At<'_>) -> Result<Vec<Flow>, ConfigError> {
        let mut flows = Vec::new();
        for (i, (spec, name)) in self.scenario.flows.iter().zip(self.scenario.flow_names()).enumerate() {
            let place = at.index(i);
            let transport = &self.transport(spec.transport.as_ref(), &place)?;
            let replay = self.replay(spec, transport, &place)?;
            let pairs = self.pairs.of_entry(&spec.from, &spec.to, spec.pairing, &place)?;
            self.check_fit(transport, &pairs, spec.transport.is_some(), &place)?;
            check_schedules(transport, &spec.application, &spec.reader, &place)?;
            let listed = spec.application.as_ref().and_then(|schedule| schedule.total());
            if listed.is_some() && spec.size.is_some() {
                return Err(place.key("size").error("the application lists what it writes", "leave it out"));
            }
            let group = self.groups.len() as u32;
            self.groups.push(Group {
                name,
                transport: transport.clone(),
                class: spec.class,
                replay,
                jitter: spec.jitter,
                application: spec.application.clone(),
                reader: spec.reader.clone(),
                sampled: spec.sampled,
            });
            let count = spec.count.unwrap_or(pairs.len() as u64);
            if flows.len() as u64 + count > MAX_FLOWS {
                return Err(place
                    .key("count")
                    .error(format!("more than {MAX_FLOWS} flows in all"), "start fewer flows"));
            }
            let size = listed.or(spec.size.map(Bytes::get));
            let mut start = Time::ZERO + spec.start;
            for pair in pairs.iter().cycle().take(count as usize) {
                flows.push(Flow { group, pair: *pair, start, size });
                start += spec.stagger;
            }
            self.uses.push(Use { list: "flows", index: i, class: spec.class, pairs });
        }
        flows.sort_by_key(|f| f.start);
        Ok(flows)
    }

    /// The transport of an entry at `at`: its own, or that of the scenario. A controller of the user's own is loaded or compiled.
    fn transport(&mut self, own: Option<&TransportSpec>, at: &At<'_>) -> Result<TransportSpec, ConfigError> {
        let spec = own.unwrap_or(&self.scenario.transport);
        let TransportSpec::Tcp(params) = spec else { return Ok(spec.clone()) };
        let (default, key) = (At::root("transport"), at.key("transport"));
        let place = if own.is_some() { &key } else { &default };
        let named = place.key("controller");
        let params = match &params.controller {
            ControllerChoice::Registered(_) => return Ok(spec.clone()),
            ControllerChoice::Library(file, _) => {
                params.with_library(self.files.library(file, &named.key("library"))?, place)?
            }
            ControllerChoice::Own(law, _) => {
                params.with_law(law.clone(), self.files.law(law, &named)?, place)?
            }
        };
        Ok(TransportSpec::Tcp(Arc::new(params)))
    }

    /// The recorded packets of a group, for the transport that replays them and for no other.
    fn replay(
        &mut self,
        spec: &FlowsSpec,
        transport: &TransportSpec,
        at: &At<'_>,
    ) -> Result<Option<Packets>, ConfigError> {
        let place = at.key("packets");
        match (&spec.packets, matches!(transport, TransportSpec::Replay(_))) {
            (None, false) => Ok(None),
            (None, true) => Err(place.error(
                "the transport replays a recorded list of packets, and none is given",
                "add `packets = \"FILE\"`",
            )),
            (Some(_), false) => Err(place.error(
                format!("the transport {:?} replays no packets", transport.name()),
                "leave it out, or set `transport = \"replay\"`",
            )),
            (Some(file), true) => recorded_packets(&mut self.files, file, &place).map(Some),
        }
    }

    /// Refuses a transport whose packets are larger than a path allows, or whose routers are missing.
    fn check_fit(
        &self,
        transport: &TransportSpec,
        pairs: &[u32],
        own: bool,
        at: &At<'_>,
    ) -> Result<(), ConfigError> {
        let Some(least) = pairs.iter().map(|p| self.pairs.mtu(*p)).min() else { return Ok(()) };
        let default = At::root("transport");
        let own_place = at.key("transport");
        let place = if own { &own_place } else { &default };
        if let Some(header) = transport.asks_routers() {
            let network = self.pairs.network;
            let paths = |pair: &u32| &self.pairs.all()[*pair as usize].forward;
            let port_serves = |link: &u32| {
                let router = &network.links[*link as usize].direction.router;
                router.as_ref().is_some_and(|r| r.headers().contains(&header))
            };
            let node_serves = |node: u32| {
                let found = self.named.binary_search_by_key(&node, |(node, _)| *node);
                let agent = found.ok().and_then(|i| self.scenario.nodes[self.named[i].1].agent.as_ref());
                agent.is_some_and(|agent| agent.headers().contains(&header))
            };
            let served = |path: &[u32]| {
                path.iter().any(port_serves) || nodes::inner_nodes(network, path).any(node_serves)
            };
            if !pairs.iter().flat_map(|pair| paths(pair).iter()).all(served) {
                let (kinds, remedy) = serving(header);
                return Err(place.error(
                    format!("needs a router that tells it what to send, and a path has none of kind {kinds}"),
                    remedy,
                ));
            }
            let sprayed = matches!(self.scenario.paths, ChoiceSpec::Spray(_));
            if sprayed && pairs.iter().any(|pair| paths(pair).len() > 1) {
                return Err(place.error(
                    "routers tell it what one path has, and its packets would be sprayed over several",
                    "set `paths = \"ecmp\"`, or choose a transport and controller that ask no routers",
                ));
            }
        }
        transport.fits(least).map_err(|message| match message.split_once("; ") {
            Some((message, remedy)) => place.error(message, remedy),
            None => place.error(message, "give the links of the path a larger `mtu`"),
        })
    }

    fn workloads(&mut self, at: &At<'_>) -> Result<Vec<Workload>, ConfigError> {
        let mut workloads = Vec::new();
        let names: Vec<String> =
            self.scenario.flow_names().into_iter().chain(self.scenario.workload_names()).collect();
        let named = self.scenario.workloads.iter().zip(self.scenario.workload_names());
        for (i, (spec, name)) in named.enumerate() {
            let place = at.index(i);
            let params = &**spec;
            let common = params.common();
            let own = common.flows.transport.as_ref();
            let transport = &self.transport(own, &place)?;
            if matches!(transport, TransportSpec::Replay(_)) {
                return Err(place.key("transport").error(
                    "a workload has no recorded packets to replay",
                    "replay them by a [[flows]] entry, or choose another transport",
                ));
            }
            let group = self.groups.len() as u32;
            let (pairs, files) = (&mut self.pairs, &mut self.files);
            let duration = self.scenario.duration;
            let setting = Setting { name: &name, group, groups: &names, transport, duration, pairs, files };
            let traffic = params.build(setting, &place)?;
            let offered: Vec<u32> = traffic.facts().offered.iter().map(|(pair, _)| *pair).collect();
            self.check_fit(transport, &offered, own.is_some(), &place)?;
            let FlowSettings { application, reader, .. } = common.flows;
            check_schedules(transport, application, reader, &place)?;
            if let Some(schedule) = application {
                let at = place.key("application");
                if schedule.total().is_some() {
                    return Err(at.error(
                        "a list says how much is written, and so does the size of each flow",
                        "choose `rate` or `on-off`, or write the list into a [[flows]] entry",
                    ));
                }
                if common.keeps_open {
                    return Err(at.error(
                        "each transfer on a connection that stays open is written at once",
                        "leave it out, or write `connections = \"fresh\"`",
                    ));
                }
            }
            self.uses.push(Use { list: "workloads", index: i, class: common.flows.class, pairs: offered });
            let transport = if common.keeps_open {
                transport.kept_open().ok_or_else(|| {
                    place.key("connections").error(
                        format!("the transport {:?} opens a connection for each object", transport.name()),
                        "write `connections = \"fresh\"`, or choose the transport \"tcp\"",
                    )
                })?
            } else {
                transport.clone()
            };
            self.groups.push(Group {
                name,
                transport,
                class: common.flows.class,
                replay: None,
                jitter: Duration::ZERO,
                application: common.flows.application.clone(),
                reader: common.flows.reader.clone(),
                sampled: common.flows.sampled,
            });
            workloads.push(Workload { kind: spec.name(), group, traffic });
        }
        Ok(workloads)
    }

    /// The links whose arrivals are written down.
    fn recorded(&self, at: &At<'_>) -> Result<Vec<u32>, ConfigError> {
        let named = self.scenario.record.arrivals.iter().enumerate();
        named.map(|(i, name)| self.pairs.names.link(name, &at.index(i))).collect()
    }

    /// The run to record and the link to replay it into.
    fn replay_of_link(&self, base: Base<'_>, at: &At<'_>) -> Result<Option<Replay>, ConfigError> {
        let Some(spec) = &self.scenario.replay else { return Ok(None) };
        let link = self.pairs.names.link(&spec.link, &at.key("link"))?;
        let mut value = self.scenario.to_value();
        value.insert("replay", Value::Null);
        // Only its measured part is recorded.
        value.insert("drain", Value::from("0s"));
        let sets = at.key("set");
        let registry = self.scenario.registry();
        for (i, setting) in spec.set.iter().enumerate() {
            let refuse = |e: ConfigError| sets.index(i).error(e.message, e.remedy);
            crate::toml::apply_set(&mut value, setting, registry).map_err(refuse)?;
        }
        let record = ["samples", "flows", "drops"].map(|key| (key.to_owned(), Value::from(false)));
        let queues = ("queues".to_owned(), Value::from("none"));
        let arrivals = ("arrivals".to_owned(), Value::List(vec![Value::from(spec.link.as_str())]));
        value.insert("record", Value::Table(record.into_iter().chain([queues, arrivals]).collect()));
        let in_set =
            |e: ConfigError| sets.error(format!("the recorded run: {}: {}", e.path, e.message), e.remedy);
        let source = Scenario::from_value(&value, registry).map_err(in_set)?;
        let source = Plan::from_base(&source, base).map_err(in_set)?;
        Ok(Some(Replay { source, link, bin: spec.bin }))
    }

    /// For each link, whether a list of links has it.
    fn links_of(&self, NameList(names): &NameList, at: &At<'_>) -> Result<Vec<bool>, ConfigError> {
        let mut listed = vec![false; self.pairs.network.links.len()];
        for (i, name) in names.iter().enumerate() {
            match name.as_str() {
                "none" if names.len() == 1 => {}
                "all" => listed.fill(true),
                "bottlenecks" => {
                    let all: Vec<u32> = (0..self.pairs.all().len() as u32).collect();
                    self.pairs.bottlenecks(&all).iter().for_each(|link| listed[*link as usize] = true);
                }
                link => {
                    let item = at.index(i);
                    let place = if names.len() == 1 { at } else { &item };
                    listed[self.pairs.names.link(link, place)? as usize] = true;
                }
            }
        }
        Ok(listed)
    }
}

/// The agents that serve a header, and how to have one on each path.
fn serving(header: HeaderKind) -> (String, String) {
    let kinds = |all: Vec<(&str, &[HeaderKind])>| {
        let serve = all.iter().filter(|(_, headers)| headers.contains(&header));
        serve.map(|(name, _)| format!("{name:?}")).collect::<Vec<_>>().join(" or ")
    };
    let agents = AgentSpec::all_defaults();
    let of_ports = kinds(agents.iter().map(|spec| (spec.name(), spec.headers())).collect());
    let nodes = NodeAgentSpec::all_defaults();
    let of_nodes = kinds(nodes.iter().map(|spec| (spec.name(), spec.headers())).collect());
    let port = format!("give a link of each path `router = {of_ports}`");
    let node = format!("give a router of each path `agent = {of_nodes}`");
    match (of_ports.is_empty(), of_nodes.is_empty()) {
        (_, true) => (of_ports, port),
        (true, false) => (of_nodes, node),
        (false, false) => (format!("{of_ports} or {of_nodes}"), format!("{port}, or {node}")),
    }
}

/// The list of a replay source: time in seconds, bytes on the wire.
fn recorded_packets(files: &mut Files, file: &str, at: &At<'_>) -> Result<Packets, ConfigError> {
    let text = files.read(file, at)?;
    let mut last = 0.0;
    let mut packets = Vec::new();
    for row in text.rows(&["time", "size"]) {
        let row = row?;
        let time = row.time("time", &mut last)?;
        if time > MAX_DURATION_SECS as f64 {
            return Err(row.error(format!("the time {time} is beyond any run"), "write seconds"));
        }
        packets.push((Duration::from_secs_f64(time), row.whole(1, "size", MAX_MTU)? as u32));
    }
    Ok(packets.into())
}

/// A replay keeps times and sizes of packets, not their classes.
fn check_replay(link: &PlannedLink, at: &At<'_>) -> Result<(), ConfigError> {
    let mut classes = link.classes.without(ClassSet::of(TrafficClass::default())).iter();
    let (Some(class), None) = (classes.next(), &link.direction.marker) else { return Ok(()) };
    let class = class.number();
    Err(at.error(
        format!("packets of class {class} arrive at {}, and a replay keeps times and sizes only", link.name),
        "replay into a link whose queue does not tell classes apart, or give that link a `marker`",
    ))
}

/// Reads the traces of recorded links; the rate of such a link becomes the mean of its trace.
fn read_traces(
    network: &mut Network,
    files: &mut Files,
    at: &At<'_>,
) -> Result<Vec<Option<Trace>>, ConfigError> {
    let mut traces = vec![None; network.links.len()];
    for (i, trace) in traces.iter_mut().enumerate() {
        let Some(spec) = network.links[i].direction.trace.clone() else { continue };
        let read = read_trace(&spec, files, &at.key(&network.link_name(i as u32)).key("trace"))?;
        Arc::make_mut(&mut network.links[i].direction).rate = read.mean_rate();
        *trace = Some(read);
    }
    Ok(traces)
}

/// The base round-trip times of the pairs through a link, each counted once in each direction.
#[derive(Clone, Copy, Default)]
struct Through {
    sum: u128,
    count: u64,
    /// The number of the direction of a pair that was counted last, from 1 on.
    last: u64,
}

impl Through {
    fn add(&mut self, rtt: Duration) {
        self.sum += u128::from(rtt.as_nanos());
        self.count += 1;
    }

    fn mean(&self) -> Duration {
        let mean = self.sum / u128::from(self.count.max(1));
        Duration::from_nanos(u64::try_from(mean).unwrap_or(u64::MAX))
    }
}

/// The links of the plan: the network's, with the bandwidth-delay product that the pairs through each give it.
fn links(
    network: &Network,
    pairs: &[Pair],
    sampled: &[bool],
    classes: &[ClassSet],
    mut traces: Vec<Option<Trace>>,
) -> Vec<PlannedLink> {
    let mut through = vec![Through::default(); network.links.len()];
    let mut all = Through::default();
    for (pair, way) in pairs.iter().flat_map(|pair| [(pair, &pair.forward), (pair, &pair.reverse)]) {
        all.add(pair.base_rtt);
        for link in way.joined() {
            let link = &mut through[*link as usize];
            // Several of its paths may lead through the link.
            if link.last != all.count {
                link.add(pair.base_rtt);
                link.last = all.count;
            }
        }
    }
    let link = |(i, link): (usize, &crate::topology::NetworkLink)| {
        let rtt = if through[i].count > 0 { through[i].mean() } else { all.mean() };
        let direction = link.direction.clone();
        PlannedLink {
            name: network.link_name(i as u32).into(),
            from: link.from,
            to: link.to,
            bdp: direction.rate.bytes_in(rtt),
            direction,
            trace: traces[i].take(),
            classes: classes[i],
            buffer: None,
            pause: Role::default(),
            before: Vec::new(),
            recorded: false,
            sampled: sampled[i],
            timed: false,
            inspected: false,
            general: false,
        }
    };
    network.links.iter().enumerate().map(link).collect()
}
