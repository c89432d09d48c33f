//! Links, pairs and groups in figures.

use serde::Serialize;

use crate::workload::size::Tail;

/// A directed link in figures.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LinkFacts {
    /// The name.
    pub name: String,
    /// The node it leaves.
    pub from: String,
    /// The node it enters.
    pub to: String,
    /// Bits per second.
    pub rate: f64,
    /// Propagation delay.
    pub delay: f64,
    /// Largest packet.
    pub mtu: u32,
    /// How the rate comes about: `constant`, `steps` at given times, or a recorded `trace`, whose mean is `rate`.
    pub service: &'static str,
    /// Queue discipline.
    pub queue: &'static str,
    /// What the router does beside queueing.
    pub router: Option<&'static str>,
    /// What sets the traffic class of packets that arrive.
    pub marker: Option<&'static str>,
    /// Power control of the transmitter.
    pub power: Option<PowerFacts>,
    /// Bandwidth-delay product: the rate times the mean base round-trip time of the pairs through the link.
    pub bdp: u64,
    /// The same in packets of the MTU.
    pub bdp_packets: f64,
    /// Packets that may wait; `None` if the limit is in bytes or there is none.
    pub buffer_packets: Option<u64>,
    /// Bytes that may wait, full packets where the limit is in packets; `None` if there is no limit.
    pub buffer_bytes: Option<u64>,
    /// Bytes of the buffer that all ports of the node share; of it, one port alone may fill what `buffer_bytes` says.
    pub shared_buffer: Option<u64>,
    /// Time to send a full buffer.
    pub buffer_time: Option<f64>,
    /// What the queue discipline compares with the length of the queue, or with the wait in it.
    pub thresholds: Vec<ThresholdFacts>,
    /// Share of packets lost at random.
    pub loss: f64,
    /// What else happens to packets on their way, in order.
    pub impairments: Vec<String>,
    /// Pairs whose data or acknowledgements cross the link.
    pub pairs: u64,
    /// Data offered to the link by workloads and by sources that do not adapt, as a share of its rate.
    pub load: f64,
    /// True if the queue is sampled.
    pub sampled: bool,
}

/// A threshold of a queue discipline in figures.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ThresholdFacts {
    /// The parameter that sets it.
    pub name: String,
    /// Full packets that wait there, at the rate of the link.
    pub packets: f64,
    /// The wait, if that is what it is compared with.
    pub wait: Option<f64>,
}

/// Power control of a port in figures.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PowerFacts {
    /// What decides.
    pub policy: &'static str,
    /// The rates of the port, lowest first.
    pub rates: Vec<f64>,
    /// Time after each change of the rate in which nothing is sent.
    pub pause: f64,
    /// Least time between two changes of the rate.
    pub guard: f64,
    /// Time to wake from sleep.
    pub wake: f64,
}

/// A pair in figures.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PairFacts {
    /// Source node.
    pub source: String,
    /// Destination node.
    pub destination: String,
    /// Nodes that the data visits, in order; on the first of its paths.
    pub path: Vec<String>,
    /// How many paths the data has.
    pub paths: u64,
    /// Nodes that the acknowledgements visit, in order; on the first of their paths.
    pub return_path: Vec<String>,
    /// How many paths the acknowledgements have.
    pub return_paths: u64,
    /// Round-trip time, propagation only: the mean over the paths.
    pub base_rtt: f64,
    /// The slowest rate on all ways of the data.
    pub rate: f64,
}

/// A flow group in figures.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GroupFacts {
    /// The name in results.
    pub name: String,
    /// `flows`, or the kind of workload.
    pub kind: &'static str,
    /// Transport.
    pub transport: &'static str,
    /// Congestion controller, if the transport has one.
    pub controller: Option<&'static str>,
    /// Flows that start before the run ends, or are to be expected.
    pub flows: f64,
    /// Flows a second while a workload is active.
    pub arrival_rate: Option<f64>,
    /// Mean application bytes of a flow; `None` if its flows have no end.
    pub mean_size: Option<f64>,
    /// How heavy the tail of sizes is that are drawn; `None` if none are.
    pub tail: Option<Tail>,
    /// Mean bytes of a flow on the wire, first transmissions with headers; `None` if its flows have no end.
    pub mean_wire: Option<f64>,
    /// Bits per second offered in all; `None` for listed flows that adapt to the network.
    pub offered: Option<f64>,
    /// The share of a full packet that is data of applications: no flow has more of a link's rate as goodput.
    pub payload: f64,
}
