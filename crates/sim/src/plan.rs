//! The plan: a scenario made concrete. Names are indices, routes are tables, queues and rates are numbers.
//! The engine consumes it and never looks back.

use std::collections::BTreeMap;
use std::sync::Arc;

use dumbbell_core::{BitRate, Duration, Probability, Time};
use dumbbell_net::queue::QueueSpec;
use dumbbell_proto::TransportSpec;

use crate::workload::Workload;

/// A scenario made concrete.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The seed of every random stream.
    pub seed: u64,
    /// When the run ends.
    pub duration: Duration,
    /// Figures count from here.
    pub warmup: Duration,
    /// Node names.
    pub nodes: Vec<String>,
    /// Directed links.
    pub links: Vec<Link>,
    /// Pairs of nodes that exchange packets, with their routes.
    pub pairs: Vec<Pair>,
    /// Flow groups: what all flows of one `[[flows]]` or `[[workloads]]` entry share.
    pub groups: Vec<Group>,
    /// Flows known beforehand, sorted by start (stable).
    pub flows: Vec<Flow>,
    /// Sources of flows that arrive while the run goes on.
    pub workloads: Vec<Workload>,
    /// What to write down.
    pub record: Record,
    /// The names of the files read, with the SHA-256 of each.
    pub files: BTreeMap<String, String>,
    /// SHA-256 of the resolved scenario, in hexadecimal.
    pub hash: String,
}

/// A directed link and the queue before it.
#[derive(Clone, Debug)]
pub struct Link {
    /// The name in results.
    pub name: String,
    /// Index of the node it leaves.
    pub from: u32,
    /// Index of the node it enters.
    pub to: u32,
    /// Bits per second.
    pub rate: BitRate,
    /// Propagation delay.
    pub delay: Duration,
    /// Largest packet.
    pub mtu: u32,
    /// Queue discipline and its parameters.
    pub queue: QueueSpec,
    /// One bandwidth-delay product, for limits given in BDPs: rate times the mean base RTT of the pairs through it.
    pub bdp: u64,
    /// Packets lost at random after transmission.
    pub loss: Probability,
    /// Forced losses: the packets dropped, by order of arrival of data packets at the queue, counted from 0; sorted.
    pub drop_list: Vec<u64>,
    /// True if the queue length is sampled (quantiles in the table of links, time series).
    pub sampled: bool,
}

/// Two nodes that exchange packets.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Index of the source node.
    pub source: u32,
    /// Index of the destination node.
    pub destination: u32,
    /// Links from source to destination, in order.
    pub forward: Vec<u32>,
    /// Links from destination to source, in order.
    pub reverse: Vec<u32>,
    /// Round-trip time without queueing or transmission: the sum of the delays.
    pub base_rtt: Duration,
}

/// What the flows of one entry of the scenario share.
#[derive(Clone, Debug)]
pub struct Group {
    /// The name in results.
    pub name: String,
    /// Transport and its parameters.
    pub transport: TransportSpec,
    /// Recorded packets for a replay transport.
    pub replay: Option<Arc<[(Duration, u32)]>>,
    /// True if the flows of the group are sampled (time series).
    pub sampled: bool,
}

/// A flow known beforehand.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Flow {
    /// Index into [`Plan::groups`].
    pub group: u32,
    /// Index into [`Plan::pairs`].
    pub pair: u32,
    /// When its first packet is sent.
    pub start: Time,
    /// Application bytes; `None` if unlimited.
    pub size: Option<u64>,
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
}
