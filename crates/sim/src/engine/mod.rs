//! The engine: takes a plan, moves packets, returns the result tables.
//!
//! One loop over a [`tree::Tree`] of pending events. The order is total: by time, then by owner, links before agents of
//! routers before endpoint timers before flow arrivals before sessions before samples. So the same plan gives the same bytes, whatever else the machine does.

mod agents;
mod delays;
mod flows;
mod free;
mod going;
mod hosts;
mod measured;
mod memory;
mod network;
mod observer;
mod owners;
mod parts;
mod peek;
mod regions;
mod routes;
mod run;
mod sampler;
mod sessions;
mod share;
mod states;
mod stations;
mod tables;
pub mod timers;
mod tree;
mod wakes;
mod ways;

use std::sync::Arc;

use dumbbell_core::memory::Budget;
use dumbbell_core::results::{DropRow, Results};
use dumbbell_core::rng::stream;
use dumbbell_core::{Duration, FlowEnds, FlowTag, Packet, Stage, Time};
use dumbbell_net::buffer::Pool;
use dumbbell_net::link::{Counters, Link, LinkConfig};
use dumbbell_proto::Opening;

use self::delays::BySlot;
use self::flows::{Arrived, Recorder, Slot, watched};
use self::free::FreeSlots;
pub use self::going::{Advanced, Interrupted, Progress};
use self::hosts::Hosts;
use self::measured::{Measured, write_arrivals};
pub use self::memory::PACKET_BYTES;
use self::network::{Aside, Delivery, Dropped, Network, Tally};
pub use self::observer::{Event, LastEvents, Observer, Opened};
use self::owners::Owners;
pub use self::owners::horizon;
pub use self::parts::{Cut, Graph, MAX_PARTS, PacketRates};
pub use self::peek::{FlowNow, LinkNow, Peek};
pub use self::run::{Run, run, run_observed};
use self::sampler::Sampler;
use self::sessions::Sessions;
use self::share::{Rows, Share};
use self::states::States;
use self::stations::Agents;
use self::timers::Timers;
use self::ways::Ways;
use crate::arrivals::Arrivals;
use crate::plan::{Plan, PlannedLink};
use crate::workload::Flow;
use crate::workload::session::{Action, Connection, Ended, Transfer};

/// Up to a time, but not before: in nanoseconds.
const TICK: Duration = Duration::from_nanos(1);

/// The links of a plan, whose counters will be read at the given times, in order; `watched` by an observer or not.
fn links_of(plan: &Plan, read_at: &Arc<[Time]>, watched: bool, ends: &FlowEnds) -> Vec<Link> {
    let pools: Vec<Arc<Pool>> = plan.buffers.iter().map(Pool::new).collect();
    // When a drop is known, a flow may end: what follows from that must not come late.
    let closed = plan.has_closed_loops();
    let exact_drops = plan.record.drops || closed || plan.described.iter().any(|node| node.host.is_some());
    let link = |link: &PlannedLink| {
        let buffer = link.buffer.map(|i| pools[i as usize].clone());
        let config = link.config(plan.seed, read_at.clone());
        Link::new(&LinkConfig { buffer, watched, exact_drops, ends: ends.clone(), ..config })
    };
    plan.links.iter().map(link).collect()
}

struct Engine<O, S> {
    plan: Arc<Plan>,
    /// The memory that the run may use. It also says when the loop stops: where its caller wants it to pause, at the end of the
    /// measured part, then of the drain, or once memory is short.
    budget: Arc<Budget>,
    /// Bytes that it took before anything happened.
    at_start: u64,
    owners: Owners,
    network: Network<O, S>,
    slots: Vec<Slot>,
    /// The delays of packets, if they are noted.
    delays: BySlot,
    free_slots: FreeSlots,
    timers: Timers,
    arrivals: Arrivals,
    next_flow: Option<Flow>,
    sessions: Sessions,
    hosts: Hosts,
    flows_started: u32,
    /// The same per group: a flow's random stream is named by its group and its place in it, so that one group never
    /// changes what another draws.
    started_in_group: Vec<u32>,
    sampler: Sampler,
    recorder: Recorder,
    results: Results,
    states: States,
    ways: Ways,
    /// Links whose arrivals are written down.
    recorded: Vec<u32>,
    /// Counters of every link when the warm-up ended, none before; and of the network.
    link_baseline: Vec<Counters>,
    tally_baseline: Tally,
    /// When flows that are in progress at the end are taken to end: the end of the measured part, then of the drain.
    until: Time,
    /// From then on nothing happens until the caller wants the run to go on.
    pause: Time,
    /// What was measured, once that is over.
    measured: Option<Measured>,
    /// When the measured part ended.
    measured_until: Time,
    /// Flows that the drain waits for.
    awaited: usize,
    /// The hosts of flows, where some link shares between hosts.
    ends: FlowEnds,
}

impl<O: Observer, S: Share> Engine<O, S> {
    // Inside the loop's function it would take registers from what each event does.
    #[inline(never)]
    fn new(
        plan: &Arc<Plan>,
        budget: Arc<Budget>,
        observer: O,
        share: impl FnOnce(&Owners) -> S,
    ) -> Engine<O, S> {
        let entered = budget.enter();
        let end = Time::ZERO + plan.duration;
        let warmup = (!plan.warmup.is_zero()).then_some(Time::ZERO + plan.warmup);
        let read_at: Arc<[Time]> = warmup.into_iter().chain([end]).collect();
        let hosts = Hosts::new(plan);
        let asked = plan.shares_between_hosts();
        let ends = if asked { FlowEnds::table() } else { FlowEnds::default() };
        let links = links_of(plan, &read_at, O::WATCHES, &ends);
        let (ways, mut routes) = Ways::new(plan);
        let agents = Agents::new(plan, &mut routes);
        let owners = Owners::after(
            links.len() as u32,
            agents.as_ref().map_or(0, Agents::len) as u32,
            hosts.len() as u32,
        );
        let around = (observer, share(&owners));
        let stops = (agents, plan.record.delays);
        let mut network = Network::new(links, hosts.len() + Owners::COUNT, &routes, stops, around);
        network.pauses = plan.pauses();
        for host in 0..hosts.len() as u32 {
            network.tree.set(owners.hosts + host, hosts.wake_at(host));
        }

        let mut results = Results::default();
        results.labels.reserve(plan.nodes.len() + plan.links.len());
        let sampler = Sampler::new(plan, &mut results);
        let recorder = Recorder::new(plan, &mut results.labels);
        let mut arrivals = plan.arrivals();
        let next_flow = arrivals.next();
        if !S::IS_PART {
            network.tree.set(owners.arrivals, next_flow.map_or(Time::NEVER, |f| f.start));
        }
        let sessions = Sessions::new(plan);
        network.tree.set(owners.sessions, sessions.first());
        network.tree.set(owners.samples, sampler.first());
        if let Some(warmup) = warmup {
            network.tree.set(owners.warmup, warmup);
        }
        let at_start = entered.taken();
        drop(entered);
        Engine {
            plan: Arc::clone(plan),
            budget,
            at_start,
            owners,
            network,
            slots: Vec::new(),
            delays: BySlot::default(),
            free_slots: FreeSlots::new(plan),
            timers: Timers::default(),
            arrivals,
            next_flow,
            sessions,
            hosts,
            flows_started: 0,
            started_in_group: vec![0; plan.groups.len()],
            sampler,
            recorder,
            results,
            states: States::default(),
            ways,
            recorded: (0..).zip(&plan.links).filter(|(_, l)| l.recorded).map(|(i, _)| i).collect(),
            link_baseline: Vec::new(),
            tally_baseline: Tally::default(),
            until: end,
            pause: Time::NEVER,
            measured: None,
            measured_until: end,
            awaited: 0,
            ends,
        }
    }

    #[inline(always)]
    fn step(&mut self, now: Time, owner: u32) {
        if owner < self.owners.agents {
            match self.network.step(now, owner) {
                Some(delivery) => self.deliver(now, &delivery),
                None if !self.network.asides.is_empty() => self.note_asides(now),
                None => {}
            }
        } else if owner == self.owners.timers {
            if let Some(endpoint) = self.take_timer(now) {
                self.network.share.begin(now, owner, endpoint);
                self.wake(now, endpoint);
            }
            self.rearm_timers();
        } else {
            self.step_aside(now, owner);
        }
    }

    /// The event of an owner of few.
    #[inline(never)]
    fn step_aside(&mut self, now: Time, owner: u32) {
        if owner == self.owners.arrivals {
            match self.network.share.regions() {
                Some(regions) => {
                    if let Some(sender) = regions.take_start() {
                        // Of flows that start together, the first in the list is the first.
                        let number = self.slots[sender as usize >> 1].number;
                        self.network.share.begin(now, owner, number);
                        self.wake(now, sender);
                    }
                }
                None => self.start_flow(now),
            }
        } else if owner == self.owners.sessions {
            self.act_for_session(now);
        } else if owner == self.owners.samples {
            self.settle_links(now);
            let next = self.sampler.sample(
                now,
                &self.plan,
                &mut self.network,
                (&mut self.slots, &mut self.delays),
                &mut self.results,
            );
            self.network.tree.set(owner, next);
            if cfg!(debug_assertions) && !S::IS_PART {
                self.network.assert_conservation();
            }
        } else if owner == self.owners.warmup {
            self.end_warmup(now);
            self.network.tree.set(owner, Time::NEVER);
        } else {
            self.wake_node(now, owner);
        }
    }

    /// Hands a packet over whose delay is noted.
    #[inline(never)]
    fn deliver_timed(&mut self, now: Time, delivery: &Delivery) {
        let is_measured = now > Time::ZERO + self.plan.warmup && self.measured.is_none();
        let index = delivery.packet.flow;
        let departed = self.slots[index as usize].receiver.departed(&delivery.packet);
        if let (Some(delays), Some(departed)) = (self.delays.get_mut(index), departed) {
            delays.add(now, departed, is_measured);
        }
        self.deliver(now, delivery);
    }

    /// Wakes the agent of a router or the policy of a host.
    #[cold]
    fn wake_node(&mut self, now: Time, owner: u32) {
        if owner < self.owners.hosts {
            self.network.wake_agent(now, owner - self.owners.agents);
            self.note_asides(now);
        } else {
            let host = owner - self.owners.hosts;
            self.hosts.wake(now, host);
            self.grant(now, host);
            self.note_asides(now);
        }
    }

    /// Hands out what the policy of a host grants, and arms its timer.
    fn grant(&mut self, now: Time, host: u32) {
        for (flow, grant) in self.hosts.grants.drain() {
            let slot = &mut self.slots[flow as usize];
            if slot.receiver.grant(grant) {
                while let Some(packet) = &slot.receiver.pull(now) {
                    self.network.send(now, packet, slot.reverse);
                }
            }
        }
        self.network.tree.set(self.owners.hosts + host, self.hosts.wake_at(host));
    }

    #[inline(always)]
    fn deliver(&mut self, now: Time, delivery: &Delivery) {
        let index = delivery.packet.flow;
        let slot = &mut self.slots[index as usize];
        if delivery.forward {
            slot.receiver.push(now, &delivery.packet);
            while let Some(packet) = &slot.receiver.pull(now) {
                self.network.send(now, packet, slot.reverse);
            }
        } else {
            if slot.sender.is_due(now) {
                slot.sender.wake(now);
                while let Some(packet) = &slot.sender.pull(now) {
                    self.network.send(now, packet, slot.forward);
                }
            }
            slot.sender.push(now, &delivery.packet);
            if O::WATCHES {
                self.network.observer.state(now, index, slot.sender.state());
            }
            while let Some(packet) = &slot.sender.pull(now) {
                self.network.send(now, packet, slot.forward);
            }
        }
        self.settle(now, index, delivery.forward, true);
    }

    /// Wakes the endpoint: twice the slot for a sender, one more for a receiver.
    fn wake(&mut self, now: Time, endpoint: u32) {
        let (index, forward) = (endpoint >> 1, endpoint & 1 == 1);
        let slot = &mut self.slots[index as usize];
        if forward {
            slot.receiver.wake(now);
            while let Some(packet) = &slot.receiver.pull(now) {
                self.network.send(now, packet, slot.reverse);
            }
        } else {
            slot.sender.wake(now);
            if O::WATCHES {
                self.network.observer.state(now, index, slot.sender.state());
            }
            while let Some(packet) = &slot.sender.pull(now) {
                self.network.send(now, packet, slot.forward);
            }
        }
        self.settle(now, index, forward, false);
    }

    /// After an endpoint acted, because a packet has `arrived` or its time has come: arms its timer, or closes the flow.
    // Called from two places on the path of every packet: the compiler would make it a call.
    #[inline(always)]
    fn settle(&mut self, now: Time, index: u32, forward: bool, arrived: bool) {
        if !self.network.asides.is_empty() {
            self.note_asides(now);
        }
        let slot = &mut self.slots[index as usize];
        let (at, endpoint) = if forward {
            (slot.receiver.wake_at(), index << 1 | 1)
        } else {
            (slot.sender.wake_at(), index << 1)
        };
        let watched = slot.watched;
        let mut over = !S::IS_PART && slot.is_over();
        if at.is_finite() {
            self.arm_timer(endpoint, at);
        }
        if watched != 0 {
            self.look(now, index, forward);
            over = !S::IS_PART && self.slots[index as usize].is_over();
        }
        if S::IS_PART {
            if self.network.share.has_ends() {
                self.note_event(index, forward, arrived);
            }
            return;
        }
        if over {
            if self.network.inside(index) == 0 {
                self.close(now, index);
            } else {
                self.network.note_closed(index, true);
            }
        }
    }

    /// Tells who watches a flow what happened to it.
    #[inline(never)]
    fn look(&mut self, now: Time, index: u32, forward: bool) {
        let watched = self.slots[index as usize].watched;
        if watched & watched::HOST != 0 && forward {
            self.tell_host(now, index);
        }
        if watched & watched::STATES != 0 && !forward {
            let slot = &self.slots[index as usize];
            self.states.note(now, index, slot, &mut self.results);
            self.network.share.wrote(Rows::States, self.results.controller_states.rows());
            self.network.share.wrote(Rows::Estimates, self.results.estimates.rows());
        }
        if watched & watched::TRANSFER != 0 {
            self.look_for_end(now, index);
        }
        // What an end point sent at the host's word may be dropped at once.
        if !self.network.asides.is_empty() {
            self.note_asides(now);
        }
    }

    /// Tells the policy of a host that a packet has arrived.
    fn tell_host(&mut self, now: Time, index: u32) {
        let receiver = &self.slots[index as usize].receiver;
        let (delivered, transit) = (receiver.report().delivered, receiver.transit(now));
        let size = self.slots[index as usize].flow.size;
        let host = self.hosts.arrived(now, index, (delivered, size), transit);
        self.grant(now, host);
        let slot = &mut self.slots[index as usize];
        if slot.receiver.hasten() {
            while let Some(packet) = &slot.receiver.pull(now) {
                self.network.send(now, packet, slot.reverse);
            }
        }
    }

    /// Tells sessions if the transfer in progress on a flow that they watch has ended.
    fn look_for_end(&mut self, now: Time, index: u32) {
        let slot = &self.slots[index as usize];
        let received = slot.receiver.finished().is_some();
        if received || slot.sender.report().failure.is_some() {
            self.end_transfer(now, index, received);
        }
    }

    fn end_transfer(&mut self, now: Time, index: u32, received: bool) {
        let slot = &mut self.slots[index as usize];
        slot.watched &= !watched::TRANSFER;
        let ended = Ended {
            group: slot.flow.group,
            pair: slot.flow.pair,
            connection: Connection { slot: index, number: slot.number },
            transfer: slot.transfer,
            received,
        };
        slot.kept &= received;
        self.recorder.transferred(slot);
        self.sessions.ended(now, &ended);
        self.arm_sessions();
    }

    /// Nothing starts in the drain.
    fn arm_sessions(&mut self) {
        let at = if self.measured.is_none() { self.sessions.first() } else { Time::NEVER };
        self.network.tree.set(self.owners.sessions, at);
    }

    #[cold]
    fn close(&mut self, now: Time, index: u32) {
        if self.slots[index as usize].kept {
            return;
        }
        // Datagrams were lost, and nobody sends them again.
        if self.slots[index as usize].is_pending() {
            self.end_transfer(now, index, false);
        }
        // Before the slot is used again.
        self.note_arrivals();
        let slot = &mut self.slots[index as usize];
        slot.active = false;
        self.recorder.record(slot, self.delays.get(index), now);
        if self.measured.is_some() {
            self.awaited -= 1;
            if self.awaited == 0 {
                self.until = now;
                self.arm_stop();
            }
        }
        self.network.note_closed(index, true);
        self.network.observer.closed(now, index);
        if self.slots[index as usize].watched & watched::HOST != 0 {
            let host = self.hosts.ended(now, index);
            self.grant(now, host);
        }
        self.timers.disarm(index << 1);
        self.timers.disarm(index << 1 | 1);
        self.free_slots.add(index, now);
    }

    /// Notes an event of an end of a flow with which the flow may be over: a packet has come, or the end has closed.
    fn note_event(&mut self, index: u32, forward: bool, arrived: bool) {
        let slot = &mut self.slots[index as usize];
        let (closed, bit) = if forward {
            (slot.receiver.is_closed(), flows::closed::RECEIVER)
        } else {
            (slot.sender.is_closed(), flows::closed::SENDER)
        };
        let closes = closed && slot.closed & bit == 0;
        if closes {
            slot.closed |= bit;
        }
        if arrived || closes {
            self.network.share.touch(index, closes && !forward);
        }
    }

    fn start_flow(&mut self, now: Time) {
        let Some(flow) = self.next_flow else { return };
        self.next_flow = self.arrivals.next();
        if !S::IS_PART {
            let at = self.next_flow.map_or(Time::NEVER, |f| f.start);
            self.network.tree.set(self.owners.arrivals, at);
        }
        let transfer = Transfer { size: flow.size.unwrap_or_default(), ..Transfer::default() };
        self.open(now, flow, transfer, false);
    }

    /// Opens a flow in a free slot, and lets it send.
    fn open(&mut self, now: Time, flow: Flow, transfer: Transfer, kept: bool) {
        let index = self.free_slots.take(now).unwrap_or(self.slots.len() as u32);
        let number = self.flows_started;
        self.flows_started += 1;
        let group = &self.plan.groups[flow.group as usize];
        let in_group = &mut self.started_in_group[flow.group as usize];
        let name = format!("flow {in_group} of {}", group.name);
        *in_group += 1;
        let (forward, reverse) = self.ways.open(&self.plan, &mut self.network, (flow.pair, index), &name);
        let pair = &self.plan.pairs[flow.pair as usize];
        let ends = [pair.source, pair.destination];
        self.ends.note(index, ends);
        self.network.note_flow(index, number, [pair.destination, pair.source], [forward, reverse]);
        let granted = self.hosts.opened(now, pair.destination, index, flow.size);
        let [application, reader] = group.applications(self.plan.seed, &name);
        let (sender, receiver) = group.transport.open(Opening {
            flow: FlowTag { slot: index, class: group.class },
            size: flow.size,
            mtu: pair.mtu,
            access: Some(pair.access),
            rng: stream(self.plan.seed, &name),
            replay: group.replay.clone(),
            granted,
            application,
            reader,
        });
        if O::WATCHES {
            self.network.observer.opened(now, &Opened { slot: index, number, flow, agreed: sender.agreed() });
        }
        if self.plan.record.delays {
            self.delays.begin(index);
        }
        let slot = Slot {
            sender,
            receiver,
            forward,
            reverse,
            number,
            flow,
            dropped: 0,
            delivered_at_warmup: 0,
            at_sample: Arrived::default(),
            active: true,
            closed: 0,
            watched: if self.sessions.watch(flow.group) { watched::TRANSFER } else { 0 }
                | if granted.is_some() { watched::HOST } else { 0 }
                | if self.plan.record.controllers { watched::STATES } else { 0 },
            kept,
            transfer,
            transfer_began: now,
        };
        if index as usize == self.slots.len() {
            if self.slots.len() == self.slots.capacity() {
                self.slots.reserve(1);
                self.recorder.reserve(self.slots.capacity());
            }
            self.slots.push(slot);
            self.network.reserve_slots(self.slots.len());
            if !S::IS_PART {
                self.timers.reserve(2 * self.slots.len());
            }
        } else {
            self.slots[index as usize] = slot;
        }
        if granted.is_some() {
            self.grant(now, self.hosts.of_flow(index));
        }
        // Each part of a run opens every flow, so that it has the same number and slot in all.
        self.network.share.open(index);
        match self.network.share.regions() {
            Some(regions) => regions.open(index, ends, now),
            None => self.wake(now, index << 1),
        }
    }

    /// Does what a session has planned for now.
    fn act_for_session(&mut self, now: Time) {
        if let Some((session, action)) = self.sessions.take() {
            match action {
                Action::Open { pair, transfer, keep } => {
                    let group = self.sessions.group(session);
                    let flow = Flow { group, pair, start: now, size: Some(transfer.size) };
                    self.open(now, flow, transfer, keep);
                }
                Action::Write { connection, transfer } => self.write(now, connection, transfer),
                Action::Wake => self.sessions.wake(now, session),
            }
        }
        self.arm_sessions();
    }

    /// The next transfer on a flow that was kept open.
    ///
    /// # Panics
    /// If the flow is another, or its last transfer has not ended: a session that does not keep the contract.
    fn write(&mut self, now: Time, connection: Connection, transfer: Transfer) {
        let slot = &mut self.slots[connection.slot as usize];
        assert!(
            slot.number == connection.number && slot.kept && !slot.is_pending(),
            "a session writes on flows that it has kept open, one transfer after another"
        );
        self.network.note_closed(connection.slot, false);
        slot.sender.write(transfer.size);
        slot.receiver.expect(transfer.size);
        slot.flow.size = slot.flow.size.map(|size| size.saturating_add(transfer.size));
        (slot.transfer, slot.transfer_began) = (transfer, now);
        slot.watched |= watched::TRANSFER;
        if slot.watched & watched::HOST != 0 {
            let host = self.hosts.expects(now, connection.slot, transfer.size);
            self.grant(now, host);
        }
        self.wake(now, connection.slot << 1);
    }

    /// Notes what happened besides deliveries of what end points sent.
    #[cold]
    fn note_asides(&mut self, now: Time) {
        // One that comes alone leaves its room to what its delivery brings.
        if let [Aside::Timed(delivery)] = self.network.asides[..] {
            self.network.asides.clear();
            return self.deliver_timed(now, &delivery);
        }
        let mut asides = std::mem::take(&mut self.network.asides);
        for aside in &asides {
            match aside {
                Aside::Dropped(dropped) => self.note_drop(now, dropped),
                Aside::Duplicated(link, packet) => {
                    self.network.tell(now, packet, Event::Duplicated(*link));
                }
                Aside::Noticed(notice) => self.notice(now, notice),
                Aside::Timed(delivery) => self.deliver_timed(now, delivery),
            }
        }
        if !S::IS_PART {
            for aside in &asides {
                let Aside::Dropped(Dropped { packet: Packet { flow, .. }, .. }) = *aside else { continue };
                let slot = &self.slots[flow as usize];
                if slot.active && slot.is_closed() && self.network.inside(flow) == 0 {
                    self.close(now, flow);
                }
            }
        }
        asides.clear();
        // The next finds room.
        if self.network.asides.is_empty() {
            self.network.asides = asides;
        }
    }

    fn note_drop(&mut self, now: Time, dropped: &Dropped) {
        let Dropped { link, packet, reason } = dropped;
        // A packet that enters a link ahead of time is dropped when it arrives there.
        self.network.tell(now.max(packet.at), packet, Event::Dropped(*link, *reason));
        let slot = &mut self.slots[packet.flow as usize];
        slot.dropped += 1;
        self.network.share.touch(packet.flow, false);
        if self.plan.record.drops {
            let reason = self.results.label(reason.name());
            let (time, size, flow) = (now.as_secs_f64(), u32::from(packet.size), slot.number);
            let class = packet.class.into();
            self.results.drops.push(DropRow { time, link: *link, flow, class, size, reason });
            self.network.share.wrote(Rows::Drops, self.results.drops.rows());
        }
    }

    /// A packet that a router originated has reached an end point.
    #[inline(never)]
    fn notice(&mut self, now: Time, notice: &Delivery) {
        let index = notice.packet.flow;
        let slot = &mut self.slots[index as usize];
        if notice.forward {
            slot.receiver.notice(now, &notice.packet);
        } else {
            slot.sender.notice(now, &notice.packet);
        }
        // Lets it send what the notice allows: nothing is due that was not.
        self.wake(now, index << 1 | u32::from(notice.forward));
    }

    /// Writes down the packets that arrived at recorded links.
    fn note_arrivals(&mut self) {
        let end = Time::ZERO + self.plan.duration;
        write_arrivals(&self.recorded, &self.slots, end, &mut self.network.links, &mut self.results);
    }

    /// Brings every link up to date at `now`, the present.
    fn settle_links(&mut self, now: Time) {
        self.network.settle(now);
        if !self.network.asides.is_empty() {
            self.note_asides(now);
        }
    }

    fn end_warmup(&mut self, now: Time) {
        self.settle_links(now);
        let counted = self.network.links.iter_mut().map(|link| {
            let link = link.read();
            let counters = link.counters(now);
            link.read_port(now);
            link.read_pause(now);
            link.read_classes(now);
            link.read_sojourns();
            counters
        });
        self.link_baseline = counted.collect();
        self.tally_baseline = self.network.tally;
        for slot in self.slots.iter_mut().filter(|s| s.active) {
            slot.delivered_at_warmup = slot.receiver.report().delivered;
        }
    }

    /// Lets the loop stop at the end of the part of the run that it is in, or before it where it is to pause.
    fn arm_stop(&self) {
        self.budget.set_until((self.until + TICK).min(self.pause));
    }

    /// True if what the loop has come to is a pause.
    fn is_at_pause(&self) -> bool {
        self.pause <= self.until && !self.budget.is_exhausted()
    }

    /// Nothing more happens up to the time to stop: ends what ends there. True if that is the run.
    #[cold]
    fn is_over(&mut self, next: Time) -> bool {
        if self.budget.is_exhausted() {
            let time = next.min(self.until);
            self.settle_links(time);
            if self.measured.is_none() {
                self.end_measurement(time, Duration::ZERO);
            }
            // Nothing is missing where nothing was left to do.
            if time < self.until {
                self.results.shortage = Some(self.shortage(time));
                self.until = time;
            }
            return true;
        }
        self.settle_links(self.until);
        if self.measured.is_none() {
            self.end_measurement(self.until, self.plan.drain);
            return false;
        }
        true
    }

    /// Ends the measured part: from here on counted flows may end, and nothing else counts.
    fn end_measurement(&mut self, end: Time, drain: Duration) {
        for (index, slot) in (0..).zip(&mut self.slots).filter(|(_, slot)| slot.active) {
            if !drain.is_zero() && self.recorder.awaits(slot) {
                self.awaited += 1;
                self.recorder.count_so_far(slot);
            } else {
                slot.active = false;
                self.recorder.record(slot, self.delays.get(index), end);
            }
        }
        self.recorder.end_measurement();
        self.note_arrivals();
        let (mut links, mut results) =
            (std::mem::take(&mut self.network.links), std::mem::take(&mut self.results));
        self.measured = Some(self.measure(&mut links, &mut results, end));
        (self.network.links, self.results) = (links, results);
        self.measured_until = end;
        self.network.tree.set(self.owners.arrivals, Time::NEVER);
        self.arm_sessions();
        self.network.tree.set(self.owners.samples, Time::NEVER);
        if self.awaited > 0 {
            self.until = end + drain;
            self.arm_stop();
        }
    }
}
