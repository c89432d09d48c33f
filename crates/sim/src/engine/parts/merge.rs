//! Makes one engine of the parts of a run, as one loop over all events would have left it.

use dumbbell_core::Time;
use dumbbell_core::results::SampleRow;
use dumbbell_core::table::Label;
use dumbbell_net::link::{Counters, Link};

use super::cut::Cut;
use super::ends::Over;
use super::part::Part;
use super::rows::{self, Sheet};
use crate::engine::Engine;
use crate::engine::delays::BySlot;
use crate::engine::flows::Slot;
use crate::engine::network::{Dealt, ELSEWHERE, Tally};
use crate::engine::sampler::Sampler;
use crate::engine::share::Whole;
use crate::engine::states::States;
use crate::engine::stations::Agents;
use crate::engine::timers::Timers;

/// What a part leaves behind.
pub struct Remains {
    number: u8,
    links: Vec<Link>,
    link_baseline: Vec<Counters>,
    inside: Vec<u32>,
    dealt: Vec<Option<Dealt>>,
    tally: Tally,
    tally_baseline: Tally,
    slots: Vec<Slot>,
    delays: BySlot,
    agents: Option<Box<Agents>>,
    states: States,
    over: Vec<Over>,
    sheet: Sheet,
    timers: Timers,
    sampler: Sampler,
    samples: Vec<SampleRow>,
    /// Events handled.
    pub events: u64,
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.sent += other.sent;
        self.originated += other.originated;
        self.duplicated += other.duplicated;
        self.delivered += other.delivered;
        self.dropped += other.dropped;
    }
}

impl Engine<(), Part<'_>> {
    /// What is left of this part.
    pub fn into_remains(mut self, events: u64, labels: usize) -> Remains {
        self.take_timers_of_regions();
        Remains {
            number: self.network.share.number,
            samples: self.take_samples(),
            links: self.network.links,
            link_baseline: self.link_baseline,
            inside: self.network.inside,
            dealt: self.network.dealt,
            tally: self.network.tally,
            tally_baseline: self.tally_baseline,
            slots: self.slots,
            delays: self.delays,
            agents: self.network.agents,
            states: self.states,
            sheet: Sheet::take(&mut self.network.share.written, &mut self.results, labels),
            over: self.network.share.ends.over,
            timers: self.timers,
            sampler: self.sampler,
            events,
        }
    }

    /// Takes over what the other parts have left, in the order of their numbers. This is the first part. All began with so many
    /// labels.
    pub fn merge(&mut self, cut: &Cut, mut others: Vec<Remains>, labels: usize) {
        let mut samples = self.take_samples();
        self.take_timers_of_regions();
        for other in &mut others {
            self.network.tally.add(&other.tally);
            self.tally_baseline.add(&other.tally_baseline);
            for (inside, there) in self.network.inside.iter_mut().zip(&other.inside) {
                *inside = inside.wrapping_add(there.wrapping_sub(ELSEWHERE));
            }
            samples.append(&mut other.samples);
            self.merge_links(cut, other);
            self.merge_agents(cut, other);
            self.merge_flows(cut, other);
        }
        let own = Sheet::take(&mut self.network.share.written, &mut self.results, labels);
        let sheets = others.iter_mut().map(|other| std::mem::take(&mut other.sheet));
        let sheets: Vec<Sheet> = std::iter::once(own).chain(sheets).collect();
        rows::merge(&sheets, &mut self.results);
        let slots = self.slots_of_flows();
        self.write_flows(cut, &mut others);
        for link in 0..self.network.links.len() {
            let (enters, leaves) = (cut.enters(link), cut.leaves(link));
            if enters != leaves
                && let Some(there) = others.iter_mut().find(|other| other.number == leaves)
            {
                swap_flight(&mut self.network.links[link], &mut there.links[link]);
            }
        }
        self.network.inside.iter_mut().for_each(|inside| *inside = inside.wrapping_sub(ELSEWHERE));
        for (number, link) in (0..).zip(&self.network.links) {
            self.network.tree.set(number, link.wake_at());
        }
        for (number, station) in
            (self.owners.agents..).zip(self.network.agents.iter().flat_map(|a| &a.stations))
        {
            self.network.tree.set(number, station.armed);
        }
        self.network.tree.set(self.owners.timers, self.timers.first());
        self.network.tree.set(self.owners.arrivals, self.next_flow.map_or(Time::NEVER, |flow| flow.start));
        let place = |row: &SampleRow| self.sampler.place(row.subject, row.id, row.metric, &slots);
        samples.sort_by(|a, b| a.time.total_cmp(&b.time).then_with(|| place(a).cmp(&place(b))));
        samples.into_iter().for_each(|row| self.results.samples.push(row));
    }

    /// By number of a flow: the slot that it had, if there are samples.
    fn slots_of_flows(&self) -> Vec<u32> {
        if !self.plan.record.samples {
            return Vec::new();
        }
        let mut slots = vec![0; self.flows_started as usize];
        let over = self.network.share.ends.over.iter().map(|over| (over.account.number, over.slot));
        let going = (0..).zip(&self.slots).map(|(index, slot)| (slot.number, index));
        over.chain(going).for_each(|(number, slot)| slots[number as usize] = slot);
        slots
    }

    /// Writes down the flows that are over. Each part has them in the same order, and knows the ends that it has.
    fn write_flows(&mut self, cut: &Cut, others: &mut [Remains]) {
        if cut.parts == 1 {
            return;
        }
        let over = std::mem::take(&mut self.network.share.ends.over);
        for (i, Over { time, mut account, mut delays, .. }) in over.into_iter().enumerate() {
            let pair = &self.plan.pairs[account.flow.pair as usize];
            for other in &mut *others {
                let there = &mut other.over[i];
                assert_eq!(account.number, there.account.number, "flows end in one order");
                account.dropped += there.account.dropped;
                if cut.of_node[pair.source as usize] == other.number {
                    account.sent = there.account.sent;
                }
                if cut.of_node[pair.destination as usize] == other.number {
                    account.got = there.account.got;
                    account.delivered_at_warmup = there.account.delivered_at_warmup;
                    delays = there.delays.take();
                }
            }
            self.recorder.write(&account, delays.as_deref(), time);
        }
    }

    /// The engine without its regions, in one loop.
    pub fn into_whole(self) -> Engine<(), Whole> {
        let Engine {
            plan,
            budget,
            at_start,
            owners,
            network,
            slots,
            delays,
            free_slots,
            timers,
            arrivals,
            next_flow,
            sessions,
            hosts,
            flows_started,
            started_in_group,
            sampler,
            recorder,
            results,
            states,
            ways,
            recorded,
            link_baseline,
            tally_baseline,
            until,
            pause,
            measured,
            measured_until,
            awaited,
            ends,
        } = self;
        Engine {
            plan,
            budget,
            at_start,
            owners,
            network: network.into_whole(),
            slots,
            delays,
            free_slots,
            timers,
            arrivals,
            next_flow,
            sessions,
            hosts,
            flows_started,
            started_in_group,
            sampler,
            recorder,
            results,
            states,
            ways,
            recorded,
            link_baseline,
            tally_baseline,
            until,
            pause,
            measured,
            measured_until,
            awaited,
            ends,
        }
    }

    /// Links are those of the part in which packets enter them; packets on their way are where they come out.
    fn merge_links(&mut self, cut: &Cut, other: &mut Remains) {
        for (i, link) in other.links.iter_mut().enumerate().filter(|(i, _)| cut.enters(*i) == other.number) {
            let here = &mut self.network.links[i];
            std::mem::swap(here, link);
            if cut.leaves(i) == self.network.share.number {
                swap_flight(here, link);
            }
            if let Some(there) = other.link_baseline.get(i) {
                self.link_baseline[i] = *there;
            }
            self.sampler.adopt(&mut other.sampler, i);
        }
    }

    /// Agents of routers are those of the part that has their nodes.
    fn merge_agents(&mut self, cut: &Cut, other: &mut Remains) {
        let (Some(here), Some(there)) = (&mut self.network.agents, &mut other.agents) else { return };
        let stations = here.stations.iter_mut().zip(&mut there.stations).zip(&cut.layout.agents);
        for ((here, there), _) in stations.filter(|(_, node)| cut.of_node[**node as usize] == other.number) {
            std::mem::swap(here, there);
        }
    }

    /// The ends of flows are those of the part that has their nodes.
    fn merge_flows(&mut self, cut: &Cut, other: &mut Remains) {
        let slots = self.slots.iter_mut().zip(other.slots.drain(..));
        for (index, (here, there)) in (0..).zip(slots).filter(|(_, (here, _))| here.active) {
            let pair = &self.plan.pairs[here.flow.pair as usize];
            let has = |node: u32| cut.of_node[node as usize] == other.number;
            here.dropped += there.dropped;
            let mut take = |end: u32| {
                let endpoint = index << 1 | end;
                let at = other.timers.armed(endpoint);
                if at.is_finite() {
                    self.timers.arm(endpoint, at);
                }
                if let Some(dealt) = other.dealt.get_mut(endpoint as usize).and_then(Option::take) {
                    self.network.dealt[endpoint as usize] = Some(dealt);
                }
            };
            if has(pair.source) {
                here.sender = there.sender;
                self.states.adopt(&other.states, index);
                take(0);
            }
            if has(pair.destination) {
                here.receiver = there.receiver;
                here.delivered_at_warmup = there.delivered_at_warmup;
                here.at_sample = there.at_sample;
                self.delays.adopt(&mut other.delays, index);
                take(1);
            }
        }
    }

    /// From here on the end points of all regions have one set of timers.
    fn take_timers_of_regions(&mut self) {
        self.timers.reserve(2 * self.slots.len());
        for (endpoint, at) in self.network.share.regions.armed() {
            self.timers.arm(endpoint, at);
        }
    }

    /// The samples so far.
    fn take_samples(&mut self) -> Vec<SampleRow> {
        let samples = std::mem::take(&mut self.results.samples);
        let row = |i: usize| SampleRow {
            time: samples.time[i],
            subject: Label(samples.subject[i]),
            id: samples.id[i],
            metric: Label(samples.metric[i]),
            value: samples.value[i],
        };
        (0..samples.rows()).map(row).collect()
    }
}

/// Exchanges the packets on their way on the two ends of a link. On a link that hands none over, as one that no flow uses, there are
/// none.
fn swap_flight(here: &mut Link, there: &mut Link) {
    if let (Some(here), Some(there)) = (here.hand_over(), there.hand_over()) {
        std::mem::swap(here, there);
    }
}
