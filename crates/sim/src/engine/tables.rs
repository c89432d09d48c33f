//! The tables of a run: what is written at its end, or when somebody wants to see them before.

use std::mem;

use dumbbell_core::results::{AllocationRow, Results, RunRow};
use dumbbell_core::table::Label;
use dumbbell_core::{Time, Times};
use dumbbell_net::link::{Counters, Link, PerClass};

use super::Engine;
use super::delays::write_quantiles;
use super::flows::Totals;
use super::measured::{Measured, write_arrivals};
use super::network::Tally;
use super::observer::Observer;
use super::share::Share;

impl<O: Observer, S: Share> Engine<O, S> {
    /// The tables of a run that is over.
    pub(super) fn finish(mut self) -> Results {
        let mut results = mem::take(&mut self.results);
        let ended = results.label(if results.shortage.is_some() { "memory" } else { "duration" });
        self.network.assert_conservation();
        for (index, slot) in (0..).zip(&self.slots).filter(|(_, slot)| slot.active) {
            self.recorder.record(slot, self.delays.get(index), self.until);
        }
        self.write_allocations(&mut results);
        let (flows, transfers, totals) = self.recorder.finish(&mut results.quantiles);
        (results.flows, results.transfers) = (flows, transfers);
        let measured = self.measured.unwrap_or_default();
        let row = self.run_row(ended, &measured, self.measured_until, &totals);
        results.runs.push(row);
        results
    }

    /// The tables that the run would leave if it ended at `now`, where it is paused. Nothing of the run changes.
    ///
    /// Copies of the links are brought up to date. Drops that a lazy queue finds there are in the row of the link, and not yet in
    /// those of flows.
    pub(super) fn tables_at(&self, now: Time) -> Results {
        let (mut recorder, mut results) = (self.recorder.clone(), self.results.clone());
        let ended = results.label("paused");
        let mut links = self.network.links.clone();
        let mut incidents = Vec::new();
        for link in &mut links {
            link.read().settle(now, &mut incidents);
        }
        for (index, slot) in (0..).zip(&self.slots).filter(|(_, slot)| slot.active) {
            recorder.record(slot, self.delays.get(index), now);
        }
        let measured = self.measured.unwrap_or_else(|| {
            let end = Time::ZERO + self.plan.duration;
            write_arrivals(&self.recorded, &self.slots, end, &mut links, &mut results);
            self.measure(&mut links, &mut results, now)
        });
        self.write_allocations(&mut results);
        let (flows, transfers, totals) = recorder.finish(&mut results.quantiles);
        (results.flows, results.transfers) = (flows, transfers);
        let row = self.run_row(ended, &measured, now.min(self.measured_until), &totals);
        results.runs.push(row);
        results
    }

    /// The rows that nothing changes any more, which leave the run.
    ///
    /// The caller gets copies, so that the run gives back to its budget what it has taken.
    pub(super) fn take_rows(&mut self) -> Results {
        let results = &mut self.results;
        let taken = Results {
            samples: results.samples.clone(),
            drops: results.drops.clone(),
            controller_states: results.controller_states.clone(),
            estimates: results.estimates.clone(),
            labels: results.labels.clone(),
            ..Results::default()
        };
        let _entered = self.budget.enter();
        mem::take(&mut results.samples);
        mem::take(&mut results.drops);
        mem::take(&mut results.controller_states);
        mem::take(&mut results.estimates);
        taken
    }

    /// The row of a run whose measured part ends at `until`.
    fn run_row(&self, ended: Label, measured: &Measured, until: Time, totals: &Totals) -> RunRow {
        let Measured { packet_hops, tally } = *measured;
        let total = self.network.tally;
        let seconds = until.since(Time::ZERO + self.plan.warmup).as_secs_f64();
        RunRow {
            seed: self.plan.seed,
            duration: until.as_secs_f64(),
            ended,
            warmup: self.plan.warmup.as_secs_f64(),
            packet_hops,
            flows_started: u64::from(self.flows_started),
            flows_completed: totals.completed,
            goodput: if seconds > 0.0 { totals.measured_bytes as f64 * 8.0 / seconds } else { 0.0 },
            fairness: totals.fairness(),
            fct_mean: totals.fct_mean(),
            packets_sent: tally.sent,
            packets_originated: tally.originated,
            packets_duplicated: tally.duplicated,
            packets_delivered: tally.delivered,
            packets_dropped: tally.dropped,
            total_sent: total.sent,
            total_originated: total.originated,
            total_duplicated: total.duplicated,
            total_delivered: total.delivered,
            total_dropped: total.dropped,
            packets_inside: total.inside(),
        }
    }

    /// Writes what agents of routers have counted that allocate bandwidth to flows.
    fn write_allocations(&self, results: &mut Results) {
        let Some(agents) = &self.network.agents else { return };
        for (link, counted) in agents.allocated() {
            let planned = &self.plan.links[link as usize];
            let name = results.labels.code(&planned.name);
            results.allocations.push(AllocationRow {
                link: name,
                router: self.recorder.nodes()[planned.from as usize],
                hits: counted.hits,
                misses: counted.misses,
                updates: counted.updates,
                quenches: counted.quenches,
                forgotten: counted.forgotten,
            });
        }
    }

    /// What the measured part comes to if it ends at `end`; writes the rows of the links.
    pub(super) fn measure(&self, links: &mut [Link], results: &mut Results, end: Time) -> Measured {
        let packet_hops = self.write_links(links, results, end);
        // Before the end of the warm-up nothing is measured.
        let tally = if end > Time::ZERO + self.plan.warmup {
            self.network.tally.since(&self.tally_baseline)
        } else {
            Tally::default()
        };
        Measured { packet_hops, tally }
    }

    /// Writes the rows of the links; returns the packet-hops so far.
    fn write_links(&self, links: &mut [Link], results: &mut Results, end: Time) -> u64 {
        let warmup = Time::ZERO + self.plan.warmup;
        let early = end < Time::ZERO + self.plan.duration;
        let mut packet_hops = 0;
        results.links.reserve(self.plan.links.len());
        for (i, link) in links.iter_mut().enumerate() {
            let planned = &self.plan.links[i];
            let baseline = self.link_baseline.get(i).copied().unwrap_or_default();
            let forgets = early && link.abilities().forgets_arrivals;
            let link = link.read();
            let total = if early { link.counters_early(end).at_least(&baseline) } else { link.counters(end) };
            packet_hops += total.sent;
            // Before the end of the warm-up nothing is measured.
            let c = if end > warmup { total.since(&baseline) } else { Counters::default() };
            let histogram = self.sampler.histogram(i);
            let account = link.read_port(end);
            let paused = link.read_pause(end);
            let classes = link.read_classes(end).map(|c| if end > warmup { c } else { PerClass::default() });
            let sojourns =
                link.read_sojourns().map(|times| if end > warmup { times } else { Times::default() });
            let labels = &mut results.labels;
            if let Some(sojourns) = &sojourns {
                let [subject, metric] = ["link", "sojourn"].map(|name| labels.code(name));
                write_quantiles(&mut results.quantiles, (subject, i as u32, metric), sojourns);
            }
            let mut row = planned.row(
                self.recorder.nodes(),
                (&c, sojourns.as_ref()),
                (histogram, link.average()),
                (account.as_ref(), paused),
                (warmup.min(end), end),
                labels,
            );
            // How long those stayed that it has sent is not known then.
            if forgets && link.backlog_early(end) > 0 {
                row.sojourn_mean = None;
            }
            for class in classes.iter().flat_map(|c| planned.class_rows(c, labels)) {
                results.classes.push(class);
            }
            for state in account.iter().flat_map(|account| planned.states(account, labels)) {
                results.states.push(state);
            }
            results.links.push(row);
        }
        packet_hops
    }
}
