//! What happens to packets in a run, told to sinks in the order of time.

mod order;
mod select;
mod table;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use dumbbell_core::results::Shortage;
use dumbbell_core::{Packet, Results, Time, Way};
use dumbbell_proto::transport::SenderState;
use dumbbell_trace::{Connection, Content, Flow, Happened, Link, Network, State, Trace};

use self::order::{InOrder, Told};
pub use self::select::{Limit, Output, Selection};
pub use self::table::{Collector, TraceTables};
use crate::engine::{Event, Interrupted, Observer, Opened, Progress, run_observed};
use crate::plan::Plan;

/// What ended a trace before its end.
#[derive(Debug)]
pub enum Cut {
    /// The caller.
    Interrupted,
    /// What a sink answered; the error names the sink.
    Sink(io::Error),
    /// The limit of memory.
    Memory(Shortage),
}

/// How a trace went.
#[derive(Clone, Debug, Default)]
pub struct Traced {
    /// How many flows started up to its end.
    pub flows: u32,
    /// Those asked for that did not.
    pub missing: Vec<u32>,
}

/// Runs a plan up to the time that the selection ends at, and tells sinks what happens. Each has a name for errors.
///
/// # Errors
/// What ended it early: the caller, a sink, or memory.
pub fn trace<'s>(
    plan: &Arc<Plan>,
    memory: u64,
    selection: &'s Selection,
    outputs: Vec<(String, Output<'s>)>,
    mut progress: impl FnMut(&mut Progress) -> ControlFlow<()>,
) -> Result<Traced, Cut> {
    let sinks = outputs.into_iter().map(|(name, output)| (name, selection.apply(output))).collect();
    let trace = RefCell::new(Trace::begin(network(plan), sinks).map_err(Cut::Sink)?);
    let failed = Cell::new(None);
    let mut tracer = Tracer {
        plan,
        trace: &trace,
        failed: &failed,
        selection,
        slots: Vec::new(),
        ahead: InOrder::default(),
        clock: Time::ZERO,
        traced: Traced::default(),
        missing: selection.flows.clone().unwrap_or_default(),
    };
    let mut over = false;
    let ended = run_observed(
        plan,
        memory,
        |p| {
            over = p.now > selection.until;
            let failure = failed.take();
            let stop = over || failure.is_some();
            failed.set(failure);
            if stop { ControlFlow::Break(()) } else { progress(p) }
        },
        &mut tracer,
    );
    let end = tracer.clock.max(Time::ZERO + plan.duration).min(selection.until);
    tracer.tell_until(|time| time <= end);
    let traced = Traced { missing: tracer.missing.into_iter().collect(), ..tracer.traced };
    if let Some(error) = failed.take() {
        return Err(Cut::Sink(error));
    }
    match ended {
        Err(Interrupted) if !over => Err(Cut::Interrupted),
        Ok(Results { shortage: Some(shortage), .. }) if shortage.time < end => Err(Cut::Memory(shortage)),
        _ => trace.into_inner().end(end).map(|()| traced).map_err(Cut::Sink),
    }
}

/// Watches a run, and tells a trace.
struct Tracer<'a, 's> {
    plan: &'a Plan,
    trace: &'a RefCell<Trace<'s>>,
    /// What a sink answered that cannot go on.
    failed: &'a Cell<Option<io::Error>>,
    selection: &'a Selection,
    /// By slot: the number of the flow in it, if it was chosen.
    slots: Vec<Option<u32>>,
    ahead: InOrder,
    clock: Time,
    traced: Traced,
    missing: BTreeSet<u32>,
}

impl Tracer<'_, '_> {
    /// Tells what is known of these times.
    fn tell_until(&mut self, known: impl Fn(Time) -> bool) {
        while let Some((time, flow, told)) = self.ahead.pop(&known) {
            if time > self.selection.until {
                continue;
            }
            let mut trace = self.trace.borrow_mut();
            let told = match told {
                Told::Opened(flow) => trace.opened(time, *flow),
                Told::Closed => trace.closed(time, flow),
                Told::State(state) => trace.state(time, flow, &state),
                Told::Packet(way, happened, packet) => {
                    trace.packet(time, flow, way, happened, Content::Simulated(&packet))
                }
            };
            if let Err(error) = told {
                self.failed.set(Some(error));
                self.slots.clear();
                self.ahead = InOrder::default();
            }
        }
    }

    fn chosen(&self, slot: u32) -> Option<u32> {
        self.slots.get(slot as usize).copied().flatten()
    }
}

impl Observer for Tracer<'_, '_> {
    fn clock(&mut self, now: Time) {
        if now > self.clock {
            self.clock = now;
            self.tell_until(|time| time < now);
        }
    }

    fn packet(&mut self, now: Time, packet: &Packet, way: Way, event: Event) {
        if let Some(flow) = self.chosen(packet.flow) {
            let happened = match event {
                Event::Sent => Happened::Sent,
                Event::Originated => Happened::Originated,
                Event::Arrived(link) => Happened::Arrived(link),
                Event::Passed(link) => Happened::Passed(link),
                Event::Left(link) => Happened::Left(link),
                Event::Dropped(link, reason) => Happened::Dropped(link, reason),
                Event::Marked(link, _) => Happened::Marked(link),
                Event::Duplicated(link) => Happened::Duplicated(link),
                Event::Delivered => Happened::Delivered,
                Event::Returned => Happened::Returned,
            };
            self.ahead.push(now, flow, Told::Packet(way, happened, *packet));
        }
    }

    fn opened(&mut self, now: Time, opened: &Opened) {
        let slots = self.slots.len().max(opened.slot as usize + 1);
        self.slots.resize(slots, None);
        if now <= self.selection.until {
            self.traced.flows += 1;
            self.missing.remove(&opened.number);
        }
        let chosen = self.selection.flows.as_ref().is_none_or(|flows| flows.contains(&opened.number));
        let failure = self.failed.take();
        let number = (chosen && failure.is_none()).then_some(opened.number);
        self.failed.set(failure);
        self.slots[opened.slot as usize] = number;
        if let Some(number) = number {
            self.ahead.push(now, number, Told::Opened(Box::new(flow(self.plan, opened))));
        }
    }

    fn state(&mut self, now: Time, slot: u32, state: SenderState) {
        if let Some(flow) = self.chosen(slot) {
            self.ahead.push(now, flow, Told::State(shown(&state)));
        }
    }

    fn closed(&mut self, now: Time, slot: u32) {
        if let Some(flow) = self.chosen(slot) {
            self.ahead.push(now, flow, Told::Closed);
            self.slots[slot as usize] = None;
        }
    }
}

/// The network of a plan as sinks have it.
pub fn network(plan: &Plan) -> Network {
    let link =
        |link: &crate::plan::PlannedLink| Link { name: link.name.to_string(), from: link.from, to: link.to };
    let nodes = plan.nodes.iter().map(ToString::to_string).collect();
    Network { nodes, links: plan.links.iter().map(link).collect(), epoch: 0 }
}

fn flow(plan: &Plan, opened: &Opened) -> Flow {
    let group = &plan.groups[opened.flow.group as usize];
    let pair = &plan.pairs[opened.flow.pair as usize];
    let narrow = |bytes: u64| u16::try_from(bytes).unwrap_or(u16::MAX);
    Flow {
        number: opened.number,
        group: group.name.clone(),
        source: pair.source,
        destination: pair.destination,
        transport: group.transport.name().to_owned(),
        controller: group.transport.controller().unwrap_or("").to_owned(),
        size: opened.flow.size,
        header: narrow(group.transport.wire_bytes(1, pair.mtu) - 1),
        connection: opened.agreed.map(|agreed| Connection {
            segment: narrow(agreed.segment.into()),
            scale: agreed.scale,
            sack: agreed.sack,
            timestamps: agreed.timestamps,
        }),
    }
}

fn shown(state: &SenderState) -> State {
    let SenderState { window, threshold, in_flight, smoothed_rtt, min_rtt, pacing, limit, phase } = *state;
    // In a trace the SYN has number 0, and the first byte number 1.
    let limit = if limit > 0 { limit + 1 } else { 0 };
    State { window, threshold, in_flight, smoothed_rtt, min_rtt, pacing, limit, phase }
}
