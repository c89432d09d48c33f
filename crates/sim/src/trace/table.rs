//! A trace as tables.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use dumbbell_core::table::{Label, Labels};
use dumbbell_core::{Ecn, Time, Way};
use dumbbell_trace::{Event, Network, Sink, What};

dumbbell_core::tables! {
    /// What a trace consists of.
    pub struct TraceTables {
        /// The dictionary that both tables share.
        labels: Labels;
    }

    /// One row per event of a packet, in the order of time.
    pub struct PacketRow in Packets as packets {
        /// When it happened.
        time: f64 as "s";
        /// What: `sent`, `originated`, `arrived`, `left`, `passed`, `marked`, `dropped`, `duplicated`, `delivered`, `returned`.
        event: Label as "";
        /// Why it was dropped; empty if it was not.
        reason: Label as "";
        /// The node or the link where it happened.
        place: Label as "";
        /// The flow's number.
        flow: u32 as "";
        /// True on the way to the destination of the flow.
        forward: bool as "";
        /// The packet's number in the trace.
        packet: u64 as "";
        /// The protocol.
        protocol: Label as "";
        /// The flags of TCP as tcpdump prints them, or the kind of the packet.
        kind: Label as "";
        /// Bytes at layer 3, headers included.
        bytes: u32 as "B";
        /// The sequence number, or the number of the packet; with TCP, SYN has number 0.
        seq: u64 as "";
        /// Bytes behind the headers.
        len: u32 as "B";
        /// What is acknowledged in order; null if nothing is.
        ack: Option<f64> as "";
        /// The receive window; null if there is none.
        window: Option<f64> as "B";
        /// The first block of SACK begins here; null if there is none.
        sack1_start: Option<f64> as "";
        /// The first block of SACK ends before this number.
        sack1_end: Option<f64> as "";
        /// The second block of SACK begins here.
        sack2_start: Option<f64> as "";
        /// The second block of SACK ends before this number.
        sack2_end: Option<f64> as "";
        /// The third block of SACK begins here.
        sack3_start: Option<f64> as "";
        /// The third block of SACK ends before this number.
        sack3_end: Option<f64> as "";
        /// The congestion notification field: `not-ect`, `ect1`, `ect0`, `ce`.
        ecn: Label as "";
        /// The traffic class.
        class: u32 as "";
    }

    /// One row per packet or timer that a sender has taken in: how it stands then.
    pub struct SenderRow in Senders as senders {
        /// When.
        time: f64 as "s";
        /// The flow's number.
        flow: u32 as "";
        /// Congestion window; null if the transport has none.
        cwnd: Option<f64> as "B";
        /// Slow-start threshold; null if there is none yet.
        ssthresh: Option<f64> as "B";
        /// Sent and neither acknowledged nor taken for lost.
        in_flight: u64 as "B";
        /// Smoothed round-trip time; null before the first measurement.
        srtt: Option<f64> as "s";
        /// Smallest round-trip time; null before the first measurement.
        rtt_min: Option<f64> as "s";
        /// Pacing rate; null if packets are not paced.
        pacing: Option<f64> as "bit/s";
        /// The first sequence number beyond the receiver's window; null without one.
        limit: Option<f64> as "";
        /// `slow-start`, `congestion-avoidance`, `recovery` or `loss`; empty without a congestion window.
        phase: Label as "";
    }
}

/// Collects the tables of a trace.
#[derive(Clone, Debug, Default)]
pub struct Collector(Rc<RefCell<TraceTables>>);

impl Collector {
    /// What was collected.
    pub fn take(&self) -> TraceTables {
        self.0.take()
    }
}

impl Sink for Collector {
    fn begin(&mut self, _network: &Network) -> io::Result<()> {
        Ok(())
    }

    fn event(&mut self, network: &Network, event: &Event<'_>) -> io::Result<()> {
        let mut tables = self.0.borrow_mut();
        let time = event.time.as_secs_f64();
        let flow = event.flow.number;
        match event.what {
            What::Opened | What::Closed => {}
            What::State(state) => {
                let seconds = |d: dumbbell_core::Duration| (!d.is_zero()).then(|| d.as_secs_f64());
                let number = |n: u64| (n > 0).then_some(n as f64);
                let phase = tables.labels.code(state.phase.unwrap_or_default());
                tables.senders.push(SenderRow {
                    time,
                    flow,
                    cwnd: number(state.window),
                    ssthresh: state.threshold.map(|n| n as f64),
                    in_flight: state.in_flight,
                    srtt: seconds(state.smoothed_rtt),
                    rtt_min: seconds(state.min_rtt),
                    pacing: state.pacing,
                    limit: number(state.limit),
                    phase,
                });
            }
            What::Packet(happened, seen) => {
                let fields = seen.fields;
                let sack = |at: usize| fields.sack.get(at).map(|(start, end)| (*start as f64, *end as f64));
                let blocks = [sack(0), sack(1), sack(2)];
                let [starts, ends] = [blocks.map(|b| b.map(|b| b.0)), blocks.map(|b| b.map(|b| b.1))];
                let labels = &mut tables.labels;
                let ecn = match fields.ecn {
                    Ecn::Ect1 => "ect1",
                    Ecn::Ect0 => "ect0",
                    Ecn::Ce => "ce",
                    _ => "not-ect",
                };
                let row = PacketRow {
                    time,
                    event: labels.code(happened.name()),
                    reason: labels.code(happened.reason().map_or("", |reason| reason.name())),
                    place: labels.code(event.place(network)),
                    flow,
                    forward: seen.way == Way::Forward,
                    packet: seen.number,
                    protocol: labels.code(fields.protocol.name()),
                    kind: labels.code(&fields.kind()),
                    bytes: fields.size,
                    seq: fields.number,
                    len: fields.payload,
                    ack: fields.ack.map(|n| n as f64),
                    window: fields.window.map(|n| n as f64),
                    sack1_start: starts[0],
                    sack1_end: ends[0],
                    sack2_start: starts[1],
                    sack2_end: ends[1],
                    sack3_start: starts[2],
                    sack3_end: ends[2],
                    ecn: labels.code(ecn),
                    class: fields.class.into(),
                };
                tables.packets.push(row);
            }
        }
        Ok(())
    }

    fn end(&mut self, _network: &Network, _now: Time) -> io::Result<()> {
        Ok(())
    }
}
