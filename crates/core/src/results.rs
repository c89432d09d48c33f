//! The result tables of a run.
//!
//! Rates, losses and means count the measured part of a run, from the end of the warm-up to the end; whole-run
//! totals are marked as such.

use crate::Time;
use crate::table::{Label, Labels, Noted};

crate::tables! {
    /// Everything a run leaves behind.
    pub struct Results {
        /// The dictionary that all tables share.
        labels: Labels;
        /// What cut the run short, if anything did.
        shortage: Option<Shortage>;
    }

    /// One row per run.
    pub struct RunRow in Runs as runs {
        /// The seed of every random stream.
        seed: u64 as "";
        /// Simulated time; for a run that was cut short, the time that it reached.
        duration: f64 as "s";
        /// Why the run ended: `duration`, or `memory` if its limit of memory cut it short; `paused` if it goes on.
        ended: Label as "";
        /// First part of the run, which no figure counts.
        warmup: f64 as "s";
        /// Packets fully transmitted over a link, summed over links (whole run).
        packet_hops: u64 as "";
        /// Flows that started (whole run).
        flows_started: u64 as "";
        /// Flows whose last byte arrived in order (whole run).
        flows_completed: u64 as "";
        /// In-order application bytes delivered per second, all flows.
        goodput: f64 as "bit/s";
        /// Jain's fairness index over the goodputs of the flows that have no size, if there are any.
        fairness: Option<f64> as "";
        /// Mean completion time of the counted flows (started after the warm-up and completed).
        fct_mean: Option<f64> as "s";
        /// Packets handed to the network by all end points.
        packets_sent: u64 as "";
        /// Packets that routers originated.
        packets_originated: u64 as "";
        /// Copies of packets that links made.
        packets_duplicated: u64 as "";
        /// Packets delivered to end points.
        packets_delivered: u64 as "";
        /// Packets dropped, whatever the reason: the sum over links.
        packets_dropped: u64 as "";
        /// Packets handed to the network (whole run): `total_sent + total_originated + total_duplicated = total_delivered + total_dropped + packets_inside`.
        total_sent: u64 as "";
        /// Packets that routers originated (whole run).
        total_originated: u64 as "";
        /// Copies of packets that links made (whole run).
        total_duplicated: u64 as "";
        /// Packets delivered to end points (whole run).
        total_delivered: u64 as "";
        /// Packets dropped (whole run).
        total_dropped: u64 as "";
        /// Packets queued or in flight at the end of the run.
        packets_inside: u64 as "";
    }

    /// One row per flow.
    pub struct FlowRow in Flows as flows {
        /// The flow's number, in order of start.
        flow: u32 as "";
        /// The flow group or workload of the scenario it belongs to.
        group: Label as "";
        /// Source node.
        source: Label as "";
        /// Destination node.
        destination: Label as "";
        /// Transport.
        transport: Label as "";
        /// Congestion controller, empty if the transport has none.
        controller: Label as "";
        /// Application bytes to send; null if unlimited.
        size: Option<f64> as "B";
        /// When its first packet (SYN) was sent.
        start: f64 as "s";
        /// First packet sent to last byte received in order; null if that has not happened.
        completion_time: Option<f64> as "s";
        /// First packet sent to last byte acknowledged at the sender; null if that has not happened.
        sender_completion_time: Option<f64> as "s";
        /// True if the flow started after the warm-up.
        counted: bool as "";
        /// In-order application bytes received (whole run).
        delivered: u64 as "B";
        /// In-order application bytes received per second, over the part of the flow's life that is measured.
        goodput: f64 as "bit/s";
        /// Packets sent by the source (whole run).
        packets_sent: u64 as "";
        /// Data segments sent again (whole run).
        retransmissions: u64 as "";
        /// Retransmission timeouts (whole run).
        timeouts: u32 as "";
        /// Timeouts for which nothing outstanding was seen to arrive, and that was more than the end of a transfer (whole run).
        timeouts_full_window: u32 as "";
        /// Timeouts at the end of a transfer: too little arrived behind the missing segment to show the loss (whole run).
        timeouts_tail: u32 as "";
        /// Timeouts for a segment that had been sent again already (whole run).
        timeouts_resent: u32 as "";
        /// Timeouts that turned out to be spurious: nothing was lost (whole run).
        timeouts_spurious: u32 as "";
        /// Congestion events answered by a window cut other than a timeout: fast recoveries, ECN and source quench (whole run).
        cuts: u32 as "";
        /// Packets of the flow, both ways, that the network dropped (whole run).
        dropped: u64 as "";
        /// Data segments that arrived out of order (whole run).
        out_of_order: u64 as "";
        /// Why the sender gave up: `unanswered`, `timed-out`, `probes-unanswered`, `no-rate`, `quit`; empty if it did not.
        failure: Label as "";
        /// Smallest round-trip time measured; null without a sample.
        rtt_min: Option<f64> as "s";
        /// Smoothed round-trip time at the end; null without a sample.
        rtt_smoothed: Option<f64> as "s";
        /// Mean of the times that data packets were on their way, those of packets sent again too; null where packets do not say when they left (whole run).
        delay_mean: Option<f64> as "s";
        /// Standard deviation of the times that data packets were on their way, those of packets sent again too; null where packets do not say when they left (whole run).
        delay_sd: Option<f64> as "s";
        /// Median of the one-way delays of the data packets that arrived, those of packets sent again too; null without `record.delays`. Quantiles of delays are within 0.8 %.
        delay_p50: Noted as "s";
        /// 95th percentile of the same delays.
        delay_p95: Noted as "s";
        /// 99th percentile of the same delays.
        delay_p99: Noted as "s";
        /// Longest of the same delays.
        delay_max: Noted as "s";
    }

    /// One row per directed link.
    pub struct LinkRow in Links as links {
        /// The link's name.
        link: Label as "";
        /// The node it leaves.
        source: Label as "";
        /// The node it enters.
        destination: Label as "";
        /// Queue discipline.
        queue: Label as "";
        /// Configured rate.
        rate: f64 as "bit/s";
        /// Propagation delay.
        delay: f64 as "s";
        /// Packets that arrived at the queue.
        arrived: u64 as "";
        /// Packets fully transmitted.
        sent: u64 as "";
        /// Bytes fully transmitted.
        sent_bytes: u64 as "B";
        /// Packets dropped at the queue or lost on the link, for any reason.
        dropped: u64 as "";
        /// Packets dropped because the queue was full.
        dropped_overflow: u64 as "";
        /// Packets dropped by the queue's control law.
        dropped_law: u64 as "";
        /// Packets lost at random on the link.
        dropped_random: u64 as "";
        /// Packets marked "congestion experienced", by the queue or the router.
        marked: u64 as "";
        /// Copies of packets that impairments made.
        duplicated: u64 as "";
        /// Packets that reached the far end after one that was sent later.
        reordered: u64 as "";
        /// Bits transmitted per bit that the link could transmit: at its rate, at its changing rates, at the full rate of a port under power control, or by the opportunities that a trace offered.
        utilisation: f64 as "";
        /// Dropped packets per arrived packet.
        loss: f64 as "";
        /// Time average of the packets in the queue, the one in transmission included.
        queue_mean: f64 as "packets";
        /// Mean over the packets that arrived of the packets in the queue right after, the one in transmission included; null where no agent of the router looks at the queue.
        queue_at_arrivals: Option<f64> as "packets";
        /// Median over time of the packets in the queue; null where the queue is not sampled.
        queue_p50: Option<f64> as "packets";
        /// 90th percentile over time.
        queue_p90: Option<f64> as "packets";
        /// 99th percentile over time.
        queue_p99: Option<f64> as "packets";
        /// Largest sampled value.
        queue_max: Option<f64> as "packets";
        /// Largest average length by which random early detection decided (whole run); null for other disciplines, and where thresholds are in bytes. With averages for classes, that of the last class.
        queue_average: Option<f64> as "packets";
        /// Mean time from arrival to the end of transmission, over the packets sent; null if none was, and of a FIFO queue in which packets wait when the run is paused or cut short.
        sojourn_mean: Option<f64> as "s";
        /// Median of such times; null without `record.sojourns`. Quantiles are within 0.8 %.
        sojourn_p50: Option<f64> as "s";
        /// 95th percentile of such times; null without `record.sojourns`.
        sojourn_p95: Option<f64> as "s";
        /// 99th percentile of such times; null without `record.sojourns`.
        sojourn_p99: Option<f64> as "s";
        /// Longest such time; null without power control and `record.sojourns`.
        sojourn_max: Option<f64> as "s";
        /// Share of the time in which pause frames held the transmitter back; null where none can.
        paused: Option<f64> as "";
        /// Power policy, empty without power control.
        power: Label as "";
        /// Energy of the port by the link's own power model; null without power control.
        energy: Option<f64> as "J";
        /// Changes of the rate that the power policy was granted.
        transitions: u64 as "";
        /// Moments at which the power policy wanted another rate and was refused: guard, pause or waking.
        blocked: u64 as "";
        /// Times that the port woke from sleep.
        wakes: u64 as "";
    }

    /// One row per link whose router allocates its bandwidth to flows (whole run).
    pub struct AllocationRow in Allocations as allocations {
        /// The link's name.
        link: Label as "";
        /// The router, which it leaves.
        router: Label as "";
        /// Packets whose fields were those of the last decision on their flow: cached-congestion hits.
        hits: u64 as "";
        /// Packets that needed a decision: misses.
        misses: u64 as "";
        /// Times that the allocation was computed.
        updates: u64 as "";
        /// Sources that were told that their rate has fallen.
        quenches: u64 as "";
        /// Flows forgotten because they were silent.
        forgotten: u64 as "";
    }

    /// One row per sampled value: a time series in long form.
    pub struct SampleRow in Samples as samples {
        /// Time of the sample.
        time: f64 as "s";
        /// What it is of: `flow` or `link`.
        subject: Label as "";
        /// The number of the flow or the row of the link.
        id: u32 as "";
        /// The quantity: the name of a series.
        metric: Label as "";
        /// The value, in the unit of the series.
        value: f64 as "";
    }

    /// One row per quantile of a distribution of times: one-way delays of sampled flows with `record.delays`, times at links with `record.sojourns`.
    pub struct QuantileRow in Quantiles as quantiles {
        /// What it is of: `flow` or `link`.
        subject: Label as "";
        /// The number of the flow or the row of the link.
        id: u32 as "";
        /// The quantity: `delay`, the one-way delay of a data packet, or `sojourn`, from arrival at a queue to the end of transmission.
        metric: Label as "";
        /// The share of packets for which it was no longer.
        share: f64 as "";
        /// The quantile, within 0.8 %; the smallest and the largest are exact.
        value: f64 as "s";
    }

    /// One row per change of state of a congestion controller, with `record.controllers` (whole run).
    pub struct ControllerStateRow in ControllerStates as controller_states {
        /// Time of the change.
        time: f64 as "s";
        /// The flow.
        flow: u32 as "";
        /// The state before; empty at the first.
        previous: Label as "";
        /// The state from then on, by its name in the controller's reference; of a controller without states of its own `slow-start`, `congestion-avoidance`, `recovery` or `loss`.
        state: Label as "";
        /// Why, in a word; empty if the controller does not say.
        reason: Label as "";
    }

    /// One row per value that a congestion controller goes by, at each change of its state and of its count of round trips, with `record.controllers` (whole run).
    pub struct EstimateRow in Estimates as estimates {
        /// Time.
        time: f64 as "s";
        /// The flow.
        flow: u32 as "";
        /// Round trips so far, as the controller counts them.
        round: u64 as "";
        /// The value's name in the reference of the controller, such as `max_bw`.
        estimate: Label as "";
        /// The value; null for a bound that is not set.
        value: Option<f64> as "";
        /// Its unit; empty for a number.
        unit: Label as "";
    }

    /// One row per dropped packet (whole run).
    pub struct DropRow in Drops as drops {
        /// Time of the drop.
        time: f64 as "s";
        /// The row of the link in `links`.
        link: u32 as "";
        /// The flow it belonged to.
        flow: u32 as "";
        /// Its traffic class.
        class: u32 as "";
        /// Bytes, headers included.
        size: u32 as "B";
        /// The reason.
        reason: Label as "";
    }

    /// One row per state of a port under power control and rate in it, over the measured part of the run.
    pub struct StateRow in States as states {
        /// The link's name.
        link: Label as "";
        /// `busy`, `idle`, `pause`, `sleep` or `waking`.
        state: Label as "";
        /// The rate that the port was set to; during a pause the new rate.
        rate: f64 as "bit/s";
        /// During a pause the rate before the change; else null.
        previous_rate: Option<f64> as "bit/s";
        /// Time in the state.
        time: f64 as "s";
        /// Power in the state by the link's own power model.
        power: f64 as "W";
    }

    /// One row per packet that arrived at a recorded link, dropped ones too (whole run).
    pub struct ArrivalRow in PacketArrivals as arrivals {
        /// Time of the arrival.
        time: f64 as "s";
        /// The row of the link in `links`.
        link: u32 as "";
        /// The flow it belongs to.
        flow: u32 as "";
        /// Bytes, headers included.
        size: u32 as "B";
    }

    /// One row per transfer of a session: what a closed-loop workload sent, on a flow of its own or on one that stays open.
    pub struct TransferRow in Transfers as transfers {
        /// The flow that carried it.
        flow: u32 as "";
        /// The workload.
        group: Label as "";
        /// Source node.
        source: Label as "";
        /// Destination node.
        destination: Label as "";
        /// The round, exchange or step of the session that it belongs to, from 0.
        round: u32 as "";
        /// Application bytes.
        size: f64 as "B";
        /// When the session started it.
        start: f64 as "s";
        /// Start to last byte received in order; null if that has not happened.
        completion_time: Option<f64> as "s";
        /// True if it started after the warm-up.
        counted: bool as "";
    }

    /// One row per traffic class that a link can see, of links whose queue tells classes apart or that have a marker.
    pub struct ClassRow in Classes as classes {
        /// The link's name.
        link: Label as "";
        /// The traffic class, behind the marker if there is one.
        class: u32 as "";
        /// Packets that arrived at the queue.
        arrived: u64 as "";
        /// Packets fully transmitted.
        sent: u64 as "";
        /// Bytes fully transmitted.
        sent_bytes: u64 as "B";
        /// Packets dropped at the queue or lost on the link, for any reason.
        dropped: u64 as "";
        /// Packets marked "congestion experienced", by the queue or the router.
        marked: u64 as "";
        /// Dropped packets per arrived packet.
        loss: f64 as "";
        /// Mean time from arrival to the end of transmission, over the packets sent; null if none was.
        sojourn_mean: Option<f64> as "s";
    }
}

/// Why a run used up its memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shortage {
    /// The simulated time that was reached.
    pub time: Time,
    /// The limit in bytes.
    pub limit: u64,
    /// What took most.
    pub largest: Part,
}

/// What takes memory in a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Packets that wait for a link.
    Queue {
        /// The row of the link.
        link: u32,
        /// How many.
        packets: u64,
    },
    /// Packets in flight, on all links.
    InFlight(u64),
    /// Flows in progress.
    Flows(u64),
    /// The network itself, before anything has happened.
    Network {
        /// How many links.
        links: u64,
    },
    /// Rows of a table.
    Rows {
        /// Its name.
        table: &'static str,
        /// How many.
        rows: u64,
    },
}

impl Results {
    /// Bytes of the tables.
    pub fn bytes(&self) -> u64 {
        self.extents().iter().map(|extent| extent.bytes).sum()
    }

    /// The code of a label, entering it if new.
    pub fn label(&mut self, text: &str) -> Label {
        self.labels.code(text)
    }
}
