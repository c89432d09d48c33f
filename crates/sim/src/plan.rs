//! The plan: a scenario made concrete. Names are indices, routes are tables, queues and rates are numbers.
//! The engine reads the plan and nothing else.

use std::sync::Arc;

use dumbbell_core::results::{ClassRow, LinkRow, PacketArrivals, StateRow};
use dumbbell_core::rng::{Stream, Streams, stream};
use dumbbell_core::table::{Label, Labels};
use dumbbell_core::{BitRate, ClassSet, DropReason, Duration, FlowEnds, Time, Times, TrafficClass, memory};
use dumbbell_net::buffer::SharedBuffer;
use dumbbell_net::link::{Counters, Direction, LinkConfig, PerClass, Trace};
use dumbbell_net::node::NodeAgentParams;
use dumbbell_net::pause::{self, Role};
use dumbbell_net::power::{Ledger, Span};
use dumbbell_proto::TransportSpec;
use dumbbell_proto::host::HostPolicyParams;
use dumbbell_proto::schedule::{Planned, ScheduleSpec};
use rand::RngExt;

use crate::histogram::Histogram;
use crate::origin::Origin;
use crate::pairs::Pair;
use crate::paths::{Choice, PathSet};
use crate::workload::{Flow, Traffic};

/// The shortest and the longest epoch, after which slots of flows that are over are used again. Choice: parts of a run meet once in
/// each, which takes a microsecond or two.
const EPOCHS: (Duration, Duration) = (Duration::from_micros(20), Duration::from_millis(10));

/// A scenario made concrete.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The seed of every random stream.
    pub seed: u64,
    /// When the run ends.
    pub duration: Duration,
    /// Figures count from here.
    pub warmup: Duration,
    /// How long counted flows may take after the measured part.
    pub drain: Duration,
    /// Node names.
    pub nodes: Vec<Arc<str>>,
    /// What nodes have beside their links, by node; only those that have anything.
    pub described: Vec<PlannedNode>,
    /// Directed links.
    pub links: Vec<PlannedLink>,
    /// Buffers that the links out of a node share.
    pub buffers: Vec<SharedBuffer>,
    /// Pairs of nodes that exchange packets, with their paths.
    pub pairs: Vec<Pair>,
    /// Which of its paths the packets of a pair take.
    pub choice: Choice,
    /// Flow groups: what all flows of one `[[flows]]` or `[[workloads]]` entry share.
    pub groups: Vec<Group>,
    /// Flows known beforehand, sorted by start (stable), without the jitter of their groups.
    pub flows: Arc<[Flow]>,
    /// Sources of flows that arrive while the run goes on.
    pub workloads: Vec<Workload>,
    /// True if another seed gives another network.
    pub drawn_topology: bool,
    /// What to write down.
    pub record: Record,
    /// The packets to send instead of all flows.
    pub replay: Option<Replay>,
    /// What it was made from.
    pub origin: Origin,
}

/// What a node has beside its links.
#[derive(Clone, Debug)]
pub struct PlannedNode {
    /// Index into [`Plan::nodes`].
    pub node: u32,
    /// What it does as a router.
    pub agent: Option<PlannedAgent>,
    /// What its flows share as a host.
    pub host: Option<PlannedHost>,
}

/// A policy of a host, and the facts about the host that it receives.
#[derive(Clone, Debug)]
pub struct PlannedHost {
    /// Its name.
    pub name: &'static str,
    /// Its parameters, which build it.
    pub params: Arc<dyn HostPolicyParams>,
    /// The rate of the slowest link into the host.
    pub rate: BitRate,
    /// Mean base round-trip time of the pairs that lead to it.
    pub base_rtt: Duration,
    /// The largest packet of these pairs.
    pub mtu: u32,
}

/// An agent of a router, and the ways that its packets take.
#[derive(Clone, Debug)]
pub struct PlannedAgent {
    /// Its name.
    pub name: &'static str,
    /// Its parameters, which build it.
    pub params: Arc<dyn NodeAgentParams>,
    /// Paths from the router to ends of flows that pass it, by the number of the end; none where the flow's own way leads there.
    pub ways: Vec<(u32, PathSet)>,
}

/// A directed link and the queue before it.
#[derive(Clone, Debug)]
pub struct PlannedLink {
    /// The name in results.
    pub name: Arc<str>,
    /// Index of the node it leaves.
    pub from: u32,
    /// Index of the node it enters.
    pub to: u32,
    /// What the scenario says of it; with a trace, the rate is the mean of the trace.
    pub direction: Arc<Direction>,
    /// The recorded opportunities to send that the description names.
    pub trace: Option<Trace>,
    /// One bandwidth-delay product, for limits given in BDPs: rate times the mean base RTT of the pairs through it.
    pub bdp: u64,
    /// The traffic classes that packets can have in its queue; none if it does not count by class.
    pub classes: ClassSet,
    /// The buffer that it shares: an index into [`Plan::buffers`].
    pub buffer: Option<u32>,
    /// Its part in flow control.
    pub pause: Role,
    /// The links that its queue pauses.
    pub before: Vec<u32>,
    /// True if every arriving packet is written down.
    pub recorded: bool,
    /// True if the queue length is sampled (quantiles in the table of links, time series).
    pub sampled: bool,
    /// True if the times are noted that packets stay at the link.
    pub timed: bool,
    /// True if it leaves a router that has an agent.
    pub inspected: bool,
    /// True if it takes the general form, two events a hop, where a cheaper one would do the same: an oracle for tests.
    pub general: bool,
}

impl PlannedLink {
    /// What was sent from `from` to `until` as a share of what the link could send.
    fn utilisation(&self, counted: &Counters, from: Time, until: Time) -> f64 {
        let (sent, could) = match &self.trace {
            // An opportunity lets bytes pass, those counted with each packet included.
            Some(trace) => {
                let overhead = u64::from(trace.overhead) * counted.sent;
                ((counted.sent_bytes + overhead) as f64, trace.offered(from, until) as f64)
            }
            None => (counted.sent_bytes as f64 * 8.0, self.capacity(from, until)),
        };
        ratio(sent, could)
    }

    /// True if the rate of the link changes at given times, or was recorded.
    pub fn changes_rate(&self) -> bool {
        self.trace.is_some() || !self.direction.rate_changes.is_empty()
    }

    /// The mean rate (bit/s) at which the link could send from `from` to `until`, if it changes with time.
    pub fn changing_capacity(&self, from: Time, until: Time) -> Option<f64> {
        let bits = || match &self.trace {
            Some(trace) => trace.passed(from, until),
            None => self.capacity(from, until),
        };
        self.changes_rate().then(|| ratio(bits(), until.since(from).as_secs_f64()))
    }

    /// Bits that the link can transmit from `from` to `until` at its rates.
    fn capacity(&self, from: Time, until: Time) -> f64 {
        let mut rate = self.direction.rate;
        let mut since = from;
        let mut bits = 0.0;
        for change in &self.direction.rate_changes {
            let at = change.time().clamp(from, until);
            bits += rate.as_bps() as f64 * at.since(since).as_secs_f64();
            (rate, since) = (change.rate, at);
        }
        bits + rate.as_bps() as f64 * until.since(since).as_secs_f64()
    }

    /// The link to build, under a seed, with a buffer of its own. Its counters will be read at the given times, in order.
    pub fn config(&self, seed: u64, read_at: Arc<[Time]>) -> LinkConfig {
        LinkConfig {
            direction: self.direction.clone(),
            trace: self.trace.clone(),
            bdp: self.bdp,
            recorded: self.recorded,
            sampled: self.sampled,
            timed: self.timed,
            inspected: self.inspected,
            watched: false,
            exact_drops: false,
            general: self.general,
            read_at,
            buffer: None,
            pause: self.pause,
            streams: Streams::new(seed, self.name.clone()),
            ends: FlowEnds::default(),
        }
    }

    /// The row of the link in the results: what it counted between two times, how long packets stayed if that was noted, its queue
    /// where it was sampled, the largest average that the queue decided by, the account of its port, and the time in pauses. `nodes` are the labels of all nodes.
    pub fn row(
        &self,
        nodes: &[Label],
        (counted, sojourns): (&Counters, Option<&Times>),
        (queue, average): (Option<&Histogram>, Option<f64>),
        (account, paused): (Option<&Ledger>, Option<Duration>),
        (from, until): (Time, Time),
        labels: &mut Labels,
    ) -> LinkRow {
        let (c, direction) = (counted, &self.direction);
        let power = direction.power.as_ref();
        LinkRow {
            link: labels.share(&self.name),
            source: nodes[self.from as usize],
            destination: nodes[self.to as usize],
            queue: labels.code(direction.queue.name()),
            rate: direction.rate.as_bps() as f64,
            delay: direction.delay.as_secs_f64(),
            arrived: c.arrived,
            sent: c.sent,
            sent_bytes: c.sent_bytes,
            dropped: c.dropped_total(),
            dropped_overflow: c.dropped[DropReason::Overflow as usize],
            dropped_law: c.dropped[DropReason::Law as usize],
            dropped_random: c.dropped[DropReason::RandomLoss as usize],
            marked: c.marked,
            duplicated: c.duplicated,
            reordered: c.reordered,
            utilisation: self.utilisation(c, from, until),
            loss: ratio(c.dropped_total() as f64, c.arrived as f64),
            queue_mean: ratio(c.queue_area as f64, until.since(from).as_nanos() as f64),
            queue_at_arrivals: (self.inspected && c.arrived > 0)
                .then(|| c.queue_at_arrivals as f64 / c.arrived as f64),
            queue_p50: queue.and_then(|h| h.quantile(0.5)),
            queue_p90: queue.and_then(|h| h.quantile(0.9)),
            queue_p99: queue.and_then(|h| h.quantile(0.99)),
            queue_max: queue.and_then(Histogram::max),
            queue_average: average,
            sojourn_mean: (c.sent > 0).then(|| c.sojourn_sum as f64 / c.sent as f64 / 1e9),
            paused: paused.map(|time| ratio(time.as_nanos() as f64, until.since(from).as_nanos() as f64)),
            sojourn_p50: sojourns.and_then(|times| times.quantile(0.5)),
            sojourn_p95: sojourns.and_then(|times| times.quantile(0.95)),
            sojourn_p99: sojourns.and_then(|times| times.quantile(0.99)),
            sojourn_max: account
                .map(|a| a.longest_sojourn.as_secs_f64())
                .or_else(|| sojourns.and_then(Times::longest)),
            power: labels.code(power.map_or("", |p| p.policy.name())),
            energy: account
                .zip(power)
                .map(|(a, p)| p.model.energy(&a.spans(), direction.rate.as_bps() as f64)),
            transitions: account.map_or(0, |a| a.transitions),
            blocked: account.map_or(0, |a| a.blocked),
            wakes: account.map_or(0, |a| a.wakes),
        }
    }

    /// The rows of the table of classes: those that can come, and whatever came.
    pub fn class_rows(&self, counted: &PerClass, labels: &mut Labels) -> Vec<ClassRow> {
        let row = |class: TrafficClass| {
            let c = &counted[usize::from(class.number())];
            ClassRow {
                link: labels.code(&self.name),
                class: class.number().into(),
                arrived: c.arrived,
                sent: c.sent,
                sent_bytes: c.sent_bytes,
                dropped: c.dropped,
                marked: c.marked,
                loss: ratio(c.dropped as f64, c.arrived as f64),
                sojourn_mean: (c.sent > 0).then(|| c.sojourn_sum as f64 / c.sent as f64 / 1e9),
            }
        };
        let came = ClassSet::ALL.iter().filter(|c| counted[usize::from(c.number())] != Default::default());
        let classes = came.fold(self.classes, |set, class| set.with(ClassSet::of(class)));
        classes.iter().map(row).collect()
    }

    /// The rows of the table of states for the account of the link's port.
    pub fn states(&self, account: &Ledger, labels: &mut Labels) -> Vec<StateRow> {
        let Some(power) = &self.direction.power else { return Vec::new() };
        let row = |span: Span| StateRow {
            link: labels.code(&self.name),
            state: labels.code(span.state.name()),
            rate: span.rate,
            previous_rate: span.previous,
            time: span.time.as_secs_f64(),
            power: power.model.power(&span, self.direction.rate.as_bps() as f64),
        };
        account.spans().into_iter().map(row).collect()
    }
}

/// The quotient, 0 of nothing.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// What the flows of one entry of the scenario share.
#[derive(Clone, Debug)]
pub struct Group {
    /// The name in results.
    pub name: String,
    /// Transport and its parameters.
    pub transport: TransportSpec,
    /// The traffic class of all packets.
    pub class: TrafficClass,
    /// Recorded packets for a replay transport.
    pub replay: Option<Arc<[(Duration, u32)]>>,
    /// Random time added to the start of each listed flow: uniform from 0 to this.
    pub jitter: Duration,
    /// When applications write; without, all at once.
    pub application: Option<Arc<ScheduleSpec>>,
    /// When receivers' applications read; without, what comes.
    pub reader: Option<Arc<ScheduleSpec>>,
    /// True if the flows of the group are sampled (time series).
    pub sampled: bool,
}

impl Group {
    /// How the applications of the flow of a name act: the one that writes, and the one that reads.
    pub fn applications(&self, seed: u64, name: &str) -> [Option<Planned>; 2] {
        [(&self.application, "writes"), (&self.reader, "reads")].map(|(schedule, what)| {
            let schedule = schedule.clone()?;
            Some(Planned { schedule, rng: stream(seed, &format!("{what} of {name}")) })
        })
    }
}

/// A source of flows in a plan.
#[derive(Clone, Debug)]
pub struct Workload {
    /// The kind of workload, as the user wrote it.
    pub kind: &'static str,
    /// Index of its flow group.
    pub group: u32,
    /// Where the flows come from.
    pub traffic: Traffic,
}

/// What to write down.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// Period of samples; `None` for none.
    pub period: Option<Duration>,
    /// Write the time series of sampled links and groups.
    pub samples: bool,
    /// One row per flow (the run row is always written).
    pub flows: bool,
    /// One row per dropped packet.
    pub drops: bool,
    /// The states of controllers.
    pub controllers: bool,
    /// The one-way delays of packets.
    pub delays: bool,
}

/// How a plan replays packets: those that arrive at a link in a run of another plan enter that link here, and nothing else
/// is sent.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The plan of the run that is recorded.
    pub source: Arc<Plan>,
    /// The link.
    pub link: u32,
    /// If set, packets of the link's MTU carry the bytes of each bin of this length, evenly spread over it.
    pub bin: Option<Duration>,
}

impl Replay {
    /// The same under another seed.
    #[must_use]
    pub fn with_seed(&self, seed: u64) -> Replay {
        Replay { source: Arc::new(Plan { seed, ..(*self.source).clone() }), ..self.clone() }
    }

    /// The list to send, made of the arrivals at the link as the source's run wrote them down.
    pub fn packets(&self, arrivals: &PacketArrivals, mtu: u32) -> Arc<[(Duration, u32)]> {
        let exact = arrivals.time.iter().zip(&arrivals.size);
        let exact = exact.map(|(time, size)| (Duration::from_secs_f64(*time), *size));
        match self.bin {
            None => exact.collect(),
            Some(bin) => spread(exact, bin, mtu),
        }
    }
}

/// Sends the bytes of each bin in packets of `mtu` bytes, the last of a bin with what is left, evenly spread over the bin.
fn spread(packets: impl Iterator<Item = (Duration, u32)>, bin: Duration, mtu: u32) -> Arc<[(Duration, u32)]> {
    let mut bins: Vec<(u64, u64)> = Vec::new();
    for (time, size) in packets {
        let number = time.as_nanos() / bin.as_nanos();
        match bins.last_mut() {
            Some((last, bytes)) if *last == number => *bytes += u64::from(size),
            _ => bins.push((number, size.into())),
        }
    }
    let mtu = u64::from(mtu);
    let of_bin = |(number, bytes): (u64, u64)| {
        let count = bytes.div_ceil(mtu);
        (0..count).map(move |i| (bin * number + bin * i / count, (bytes - i * mtu).min(mtu) as u32))
    };
    bins.into_iter().flat_map(of_bin).collect()
}

impl Plan {
    /// The flows known beforehand as this run starts them, sorted by start (stable).
    pub fn listed_flows(&self) -> Arc<[Flow]> {
        if self.groups.iter().all(|group| group.jitter.is_zero()) {
            return Arc::clone(&self.flows);
        }
        let stream = |group: &Group| stream(self.seed, &format!("start jitter of {}", group.name));
        let mut streams: Vec<Stream> = self.groups.iter().map(stream).collect();
        let mut flows = Vec::new();
        memory::grow(0, self.flows.len(), size_of::<Flow>(), |more| flows.try_reserve_exact(more));
        flows.extend_from_slice(&self.flows);
        for flow in &mut flows {
            let jitter = self.groups[flow.group as usize].jitter;
            if !jitter.is_zero() {
                flow.start += jitter.mul_f64(streams[flow.group as usize].random());
            }
        }
        flows.sort_by_key(|flow| flow.start);
        flows.into()
    }

    /// The plan of the replaying run: this one's links, and one flow that sends the recorded packets into a link.
    pub(crate) fn replaying(&self, link: u32, packets: Arc<[(Duration, u32)]>) -> Plan {
        let through = &self.links[link as usize];
        Plan {
            pairs: vec![Pair {
                source: through.from,
                destination: through.to,
                forward: PathSet::single(vec![link]),
                reverse: PathSet::default(),
                mtu: through.direction.largest_packet(),
                access: through.direction.rate,
                base_rtt: through.direction.delay,
            }],
            groups: vec![Group {
                name: "replay".to_owned(),
                transport: TransportSpec::Replay(Default::default()),
                class: TrafficClass::default(),
                replay: Some(packets),
                jitter: Duration::ZERO,
                application: None,
                reader: None,
                sampled: true,
            }],
            flows: Arc::new([Flow { group: 0, pair: 0, start: Time::ZERO, size: None }]),
            workloads: Vec::new(),
            replay: None,
            // No router is on the way: agents acted on what was recorded.
            described: Vec::new(),
            links: self
                .links
                .iter()
                .map(|link| PlannedLink { inspected: false, pause: Role::default(), ..link.clone() })
                .collect(),
            ..self.clone()
        }
    }

    /// Whether some queue shares its link between hosts, and so has to know the ends of flows.
    pub fn shares_between_hosts(&self) -> bool {
        self.links.iter().any(|link| link.direction.queue.shares_between_hosts())
    }

    /// The nodes that have agents, in the order of their numbers.
    pub fn agents(&self) -> impl Iterator<Item = u32> {
        self.described.iter().filter(|node| node.agent.is_some()).map(|node| node.node)
    }

    /// True if some flow is to end before the run does.
    pub fn has_ends(&self) -> bool {
        !self.workloads.is_empty() || self.flows.iter().any(|flow| flow.size.is_some())
    }

    /// True if transfers begin where others end.
    pub fn has_closed_loops(&self) -> bool {
        self.workloads.iter().any(|workload| matches!(workload.traffic, Traffic::Closed(_)))
    }

    /// How long the slots of flows that are over rest: until the next multiple of it. Zero where no flow is to end, and where
    /// something follows at once when one does.
    pub fn epoch(&self) -> Duration {
        let at_once = self.has_closed_loops()
            || self.described.iter().any(|node| node.host.is_some() || node.agent.is_some());
        if at_once || !self.has_ends() {
            return Duration::ZERO;
        }
        // As a flow takes a round trip at least, few more slots are in use than flows are in progress.
        let shortest = self.pairs.iter().map(|pair| pair.base_rtt).min().unwrap_or(Duration::ZERO);
        shortest.clamp(EPOCHS.0, EPOCHS.1)
    }

    /// For each link those that its queue pauses, with the time that a frame takes to them: its transmission, which waits for no
    /// other packet, and the propagation. Empty without flow control.
    pub fn pauses(&self) -> Vec<Vec<(u32, Duration)>> {
        if !self.links.iter().any(|link| link.pause.is_any()) {
            return Vec::new();
        }
        let delay = |before: &u32| {
            let direction = &self.links[*before as usize].direction;
            (*before, direction.rate.time_to_send(pause::FRAME) + direction.delay)
        };
        self.links.iter().map(|link| link.before.iter().map(delay).collect()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bin_keeps_its_bytes_and_spreads_them() {
        let ms = Duration::from_millis;
        let packets = [(ms(1), 1000), (ms(9), 1000), (ms(30), 40)];
        let spread = spread(packets.into_iter(), ms(10), 1500);
        assert_eq!(*spread, [(ms(0), 1500), (ms(5), 500), (ms(30), 40)]);
    }
}
