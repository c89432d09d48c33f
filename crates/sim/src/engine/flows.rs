//! Flows in progress: dense slots, reused once a flow is closed and its last packet has left the network.

use std::cmp::Ordering;

use dumbbell_core::results::{FlowRow, Flows, QuantileRow, Quantiles, TransferRow, Transfers};
use dumbbell_core::series::{Series, Subject};
use dumbbell_core::table::{Extent, Label, Labels, Noted};
use dumbbell_core::{Duration, Time};
use dumbbell_proto::transport::{Failure, ReceiverReport, SenderReport};
use dumbbell_proto::{Receiver, Sender};

use super::delays::{Delays, write_quantiles};
use crate::plan::Plan;
use crate::workload::session::Transfer;
use crate::workload::{Flow, Traffic};

/// Recipients of the events of a flow.
pub mod watched {
    /// A session waits for the end of its transfer.
    pub const TRANSFER: u8 = 1;
    /// The host that it leads to has a policy.
    pub const HOST: u8 = 1 << 1;
    /// The states of its controller are written down.
    pub const STATES: u8 = 1 << 2;
}

/// Ends of a flow that have closed, as parts of a run note them.
pub mod closed {
    /// The sender.
    pub const SENDER: u8 = 1;
    /// The receiver.
    pub const RECEIVER: u8 = 1 << 1;
}

/// A flow in progress.
#[derive(Debug)]
pub struct Slot {
    /// The end that sends data.
    pub sender: Sender,
    /// The end that receives it.
    pub receiver: Receiver,
    /// Where what the sender sends begins its way.
    pub forward: u32,
    /// The same for what the receiver sends.
    pub reverse: u32,
    /// The flow's number.
    pub number: u32,
    /// What it is.
    pub flow: Flow,
    /// Packets of the flow dropped, both ways.
    pub dropped: u64,
    /// Bytes delivered when the warm-up ended.
    pub delivered_at_warmup: u64,
    /// What had arrived at the last sample.
    pub at_sample: Arrived,
    /// False once the slot may be reused.
    pub active: bool,
    /// In a part of a run, its ends that have closed: see [`closed`].
    pub closed: u8,
    /// Recipients of its events: see [`watched`].
    pub watched: u8,
    /// True if it stays open for further transfers of its session.
    pub kept: bool,
    /// The transfer in progress, or the last.
    pub transfer: Transfer,
    /// When it began.
    pub transfer_began: Time,
}

/// What has arrived of a flow, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Arrived {
    /// In order or not.
    pub received: u64,
    /// In order.
    pub delivered: u64,
}

impl Arrived {
    /// What a receiver says.
    pub fn of(report: &ReceiverReport) -> Arrived {
        Arrived { received: report.received, delivered: report.delivered }
    }
}

/// Labels of the flow table, entered once.
#[derive(Clone)]
struct GroupLabels {
    group: Label,
    transport: Label,
    controller: Label,
    /// True if its flows are those of a session.
    in_session: bool,
    /// True if its flows are sampled.
    sampled: bool,
}

/// Writes the row of every flow and every transfer that ended.
#[derive(Clone)]
pub struct Recorder {
    groups: Vec<GroupLabels>,
    nodes: Vec<Label>,
    no_failure: Label,
    failures: [Label; Failure::ALL.len()],
    pairs: Vec<(u32, u32)>,
    warmup: Time,
    keep_rows: bool,
    /// In the order in which they ended.
    flows: Flows,
    transfers: Transfers,
    quantiles: Quantiles,
    /// What quantiles are of: the labels `flow` and `delay`.
    delay_of_flow: [Label; 2],
    totals: Totals,
    /// True once bytes do not count any more.
    drains: bool,
}

/// What the run's row says of all flows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    /// Flows whose last byte arrived.
    pub completed: u64,
    /// Bytes delivered since the end of the warm-up.
    pub measured_bytes: u64,
    /// Sum of the completion times of counted flows, in seconds.
    fct_sum: f64,
    /// Flows in that sum.
    fct_count: u64,
    /// Sum of the goodputs of flows without a size, and of their squares.
    goodput: f64,
    goodput_squared: f64,
    unlimited: u64,
}

impl Totals {
    /// Mean completion time of the counted flows.
    pub fn fct_mean(&self) -> Option<f64> {
        (self.fct_count > 0).then(|| self.fct_sum / self.fct_count as f64)
    }

    /// Jain's index over the flows without a size: (sum x)^2 / (n sum x^2).
    pub fn fairness(&self) -> Option<f64> {
        (self.goodput_squared > 0.0)
            .then(|| self.goodput * self.goodput / (self.unlimited as f64 * self.goodput_squared))
    }
}

impl Recorder {
    /// Enters the labels of the plan.
    pub fn new(plan: &Plan, labels: &mut Labels) -> Recorder {
        let closed = plan.workloads.iter().filter(|w| matches!(w.traffic, Traffic::Closed(_)));
        let closed: Vec<u32> = closed.map(|w| w.group).collect();
        let groups = (0..)
            .zip(&plan.groups)
            .map(|(i, g)| GroupLabels {
                group: labels.code(&g.name),
                transport: labels.code(g.transport.name()),
                controller: labels.code(g.transport.controller().unwrap_or("")),
                in_session: closed.contains(&i),
                sampled: g.sampled,
            })
            .collect();
        Recorder {
            groups,
            nodes: plan.nodes.iter().map(|n| labels.share(n)).collect(),
            no_failure: labels.code(""),
            failures: Failure::ALL.map(|failure| labels.code(failure.name())),
            pairs: plan.pairs.iter().map(|p| (p.source, p.destination)).collect(),
            warmup: Time::ZERO + plan.warmup,
            keep_rows: plan.record.flows,
            flows: Flows::default(),
            transfers: Transfers::default(),
            quantiles: Quantiles::default(),
            delay_of_flow: [Subject::Flow.name(), Series::Delay.name()].map(|name| labels.code(name)),
            totals: Totals::default(),
            drains: false,
        }
    }

    /// The labels of all nodes.
    pub fn nodes(&self) -> &[Label] {
        &self.nodes
    }

    /// What the tables take so far.
    pub fn extents(&self) -> [Extent; 3] {
        let Recorder { flows, transfers, quantiles, .. } = self;
        [
            Extent { table: "flows", rows: flows.rows(), bytes: flows.bytes() },
            Extent { table: "transfers", rows: transfers.rows(), bytes: transfers.bytes() },
            Extent { table: "quantiles", rows: quantiles.rows(), bytes: quantiles.bytes() },
        ]
    }

    /// Makes room for the rows of so many flows in progress: the end of the run writes them all at once.
    pub fn reserve(&mut self, slots: usize) {
        if self.keep_rows {
            self.flows.reserve(slots);
        }
    }

    /// True for flows whose completion the drain waits for.
    pub fn awaits(&self, slot: &Slot) -> bool {
        slot.flow.start >= self.warmup && slot.flow.size.is_some() && !slot.kept
    }

    /// Counts what a flow has delivered that will be written down in the drain.
    pub fn count_so_far(&mut self, slot: &Slot) {
        self.totals.measured_bytes += slot.receiver.report().delivered - slot.delivered_at_warmup;
    }

    /// The measured part is over.
    pub fn end_measurement(&mut self) {
        self.drains = true;
    }

    /// Writes down the transfer of a session that ended, or that the end of the run cut off.
    pub fn transferred(&mut self, slot: &Slot) {
        let labels = &self.groups[slot.flow.group as usize];
        if !self.keep_rows || !labels.in_session {
            return;
        }
        let (source, destination) = self.pairs[slot.flow.pair as usize];
        let began = slot.transfer_began;
        self.transfers.push(TransferRow {
            flow: slot.number,
            group: labels.group,
            source: self.nodes[source as usize],
            destination: self.nodes[destination as usize],
            round: slot.transfer.round,
            size: slot.transfer.size as f64,
            start: began.as_secs_f64(),
            completion_time: slot.receiver.finished().map(|t| t.since(began).as_secs_f64()),
            counted: began >= self.warmup,
        });
    }

    /// Writes down a flow that ended, or that the end of the run cut off, with the delays of its packets if they are noted.
    pub fn record(&mut self, slot: &Slot, delays: Option<&Delays>, end: Time) {
        if slot.is_pending() {
            self.transferred(slot);
        }
        self.write(&slot.account(), delays, end);
    }

    /// The same, of a flow that is no transfer of a session.
    pub fn write(&mut self, slot: &Account, delays: Option<&Delays>, end: Time) {
        let (sent, got) = (&slot.sent, &slot.got);
        let start = slot.flow.start;
        let counted = start >= self.warmup;
        let measured = got.finished.unwrap_or(end).since(start.max(self.warmup));
        // A flow that ended before the warm-up did has nothing measured, and no bytes noted at its end.
        let measured_bytes = if measured.is_zero() { 0 } else { got.delivered - slot.delivered_at_warmup };
        let goodput =
            if measured.is_zero() { 0.0 } else { measured_bytes as f64 * 8.0 / measured.as_secs_f64() };
        // What a flow that stays open completes are its transfers.
        let completion = got.finished.filter(|_| !slot.kept).map(|t| t.since(start).as_secs_f64());

        if !self.drains {
            self.totals.measured_bytes += measured_bytes;
        }
        self.totals.completed += u64::from(completion.is_some());
        if let (Some(fct), true) = (completion, counted) {
            self.totals.fct_sum += fct;
            self.totals.fct_count += 1;
        }
        if slot.flow.size.is_none() {
            self.totals.goodput += goodput;
            self.totals.goodput_squared += goodput * goodput;
            self.totals.unlimited += 1;
        }
        if !self.keep_rows {
            return;
        }
        let labels = &self.groups[slot.flow.group as usize];
        let (source, destination) = self.pairs[slot.flow.pair as usize];
        let seconds = |d: Duration| (!d.is_zero()).then(|| d.as_secs_f64());
        let quantile = |q: f64| Noted(delays.and_then(|delays| delays.measured().quantile(q)));
        let spread = got.delay.or_else(|| delays.and_then(Delays::spread));
        if let Some(delays) = delays.filter(|_| labels.sampled) {
            let [subject, metric] = self.delay_of_flow;
            write_quantiles(&mut self.quantiles, (subject, slot.number, metric), delays.measured());
        }
        self.flows.push(FlowRow {
            flow: slot.number,
            group: labels.group,
            source: self.nodes[source as usize],
            destination: self.nodes[destination as usize],
            transport: labels.transport,
            controller: labels.controller,
            size: slot.flow.size.map(|n| n as f64),
            start: start.as_secs_f64(),
            completion_time: completion,
            sender_completion_time: sent.finished.map(|t| t.since(start).as_secs_f64()),
            counted,
            delivered: got.delivered,
            goodput,
            packets_sent: sent.packets_sent,
            retransmissions: sent.retransmissions,
            timeouts: sent.timeouts,
            timeouts_full_window: sent.causes.full_window,
            timeouts_tail: sent.causes.tail,
            timeouts_resent: sent.causes.resent,
            timeouts_spurious: sent.causes.spurious,
            cuts: sent.cuts,
            dropped: slot.dropped,
            out_of_order: got.out_of_order,
            failure: sent.failure.map_or(self.no_failure, |failure| self.failures[failure as usize]),
            rtt_min: seconds(sent.min_rtt),
            rtt_smoothed: seconds(sent.smoothed_rtt),
            delay_mean: spread.map(|delay| delay.mean),
            delay_sd: spread.map(|delay| delay.sd),
            delay_p50: quantile(0.5),
            delay_p95: quantile(0.95),
            delay_p99: quantile(0.99),
            delay_max: Noted(delays.and_then(|delays| delays.measured().longest())),
        });
    }

    /// The table of flows by number, that of transfers by start, and the totals. The quantiles of flows, by number, go to a table.
    pub fn finish(&mut self, quantiles: &mut Quantiles) -> (Flows, Transfers, Totals) {
        let own = std::mem::take(&mut self.quantiles);
        let order = sorted(own.id.len(), |a, b| own.id[a].cmp(&own.id[b]));
        let [subject, metric] = self.delay_of_flow;
        for row in order.into_iter().map(|row| row as usize) {
            let (id, share, value) = (own.id[row], own.share[row], own.value[row]);
            quantiles.push(QuantileRow { subject, id, metric, share, value });
        }
        let (mut flows, mut transfers) =
            (std::mem::take(&mut self.flows), std::mem::take(&mut self.transfers));
        let number = &flows.flow;
        let order = sorted(number.len(), |a, b| number[a].cmp(&number[b]));
        flows.reorder(&order);
        let Transfers { start, flow, .. } = &transfers;
        let order =
            sorted(start.len(), |a, b| start[a].total_cmp(&start[b]).then_with(|| flow[a].cmp(&flow[b])));
        transfers.reorder(&order);
        (flows, transfers, self.totals)
    }
}

/// The numbers of so many rows in an order; equal ones in that in which they were written.
fn sorted(rows: usize, compare: impl Fn(usize, usize) -> Ordering) -> Vec<u32> {
    let mut order: Vec<u32> = (0..rows as u32).collect();
    order.sort_unstable_by(|a, b| compare(*a as usize, *b as usize).then_with(|| a.cmp(b)));
    order
}

/// What is written down of a flow.
#[derive(Clone, Copy, Debug)]
pub struct Account {
    /// Its number.
    pub number: u32,
    /// What it is.
    pub flow: Flow,
    /// True if it stays open for further transfers.
    pub kept: bool,
    /// Packets of it that were dropped, both ways.
    pub dropped: u64,
    /// Bytes delivered when the warm-up ended.
    pub delivered_at_warmup: u64,
    /// What its sender says.
    pub sent: SenderReport,
    /// What its receiver says.
    pub got: ReceiverReport,
}

impl Slot {
    /// What is to be written down of the flow.
    pub fn account(&self) -> Account {
        Account {
            number: self.number,
            flow: self.flow,
            kept: self.kept,
            dropped: self.dropped,
            delivered_at_warmup: self.delivered_at_warmup,
            sent: self.sender.report(),
            got: self.receiver.report(),
        }
    }

    /// True while a session waits for the end of its transfer.
    pub fn is_pending(&self) -> bool {
        self.watched & watched::TRANSFER != 0
    }

    /// True if nothing more happens but that packets still in the network come out, and that is not noted yet.
    #[inline(always)]
    pub fn is_over(&self) -> bool {
        self.is_closed() && self.active
    }

    /// True if nothing of the flow is left to happen but packets still in the network.
    #[inline(always)]
    pub fn is_closed(&self) -> bool {
        self.sender.is_closed() && self.receiver.is_closed()
    }
}
