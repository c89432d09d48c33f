//! Samples: the queue of sampled links for its quantiles, and the time series of links and flows where asked for.

use dumbbell_core::results::Results;
use dumbbell_core::series::{Series, SeriesLabels};
use dumbbell_core::table::Label;
use dumbbell_core::{Duration, Time};
use dumbbell_net::link::Counters;

use super::delays::{BySlot, Delays};
use super::flows::{Arrived, Slot};
use super::network::Network;
use super::observer::Observer;
use super::share::Share;
use crate::histogram::Histogram;
use crate::plan::Plan;

struct SampledLink {
    index: usize,
    histogram: Histogram,
    last: Counters,
}

/// Takes the samples of a run.
pub struct Sampler {
    period: Duration,
    warmup: Time,
    series: bool,
    links: Vec<SampledLink>,
    /// By flow group: whether its flows are sampled, and whether their applications may leave data unread.
    groups: Vec<(bool, bool)>,
    labels: SeriesLabels,
}

impl Sampler {
    /// The sampler that the plan asks for.
    pub fn new(plan: &Plan, results: &mut Results) -> Sampler {
        let links = plan.links.iter().enumerate().filter(|(_, l)| l.sampled).map(|(index, _)| SampledLink {
            index,
            histogram: Histogram::default(),
            last: Counters::default(),
        });
        Sampler {
            period: plan.record.period.unwrap_or(Duration::MAX),
            warmup: Time::ZERO + plan.warmup,
            series: plan.record.samples,
            links: links.collect(),
            groups: plan.groups.iter().map(|g| (g.sampled, g.reader.is_some())).collect(),
            labels: SeriesLabels::new(&mut results.labels),
        }
    }

    /// When the first sample is due.
    pub fn first(&self) -> Time {
        let idle = self.links.is_empty() && !self.series;
        if idle { Time::NEVER } else { Time::ZERO + self.period }
    }

    /// Takes a sample; returns when the next is due.
    pub fn sample<O: Observer, S: Share>(
        &mut self,
        now: Time,
        plan: &Plan,
        network: &mut Network<O, S>,
        (slots, delays): (&mut [Slot], &mut BySlot),
        results: &mut Results,
    ) -> Time {
        let seconds = self.period.as_secs_f64();
        let labels = &self.labels;
        let mut write = |series, id, value| results.samples.push(labels.row(series, id, now, value));
        let (links, here) = (&mut network.links, &network.share);
        for sampled in self.links.iter_mut().filter(|l| here.has_link(l.index as u32)) {
            let link = links[sampled.index].read();
            let backlog = link.backlog(now);
            if now > self.warmup {
                sampled.histogram.add(backlog);
            }
            if self.series {
                let counters = link.progress(now);
                let bytes = counters.sent_bytes - sampled.last.sent_bytes;
                let drops = counters.dropped_total() - sampled.last.dropped_total();
                let id = sampled.index as u32;
                write(Series::Queue, id, backlog as f64);
                write(Series::Throughput, id, bytes as f64 * 8.0 / seconds);
                write(Series::Drops, id, drops as f64);
                sampled.last = counters;
                let capacity = plan.links[sampled.index].changing_capacity(now - self.period, now);
                capacity.into_iter().for_each(|r| write(Series::Capacity, id, r));
                link.offered(now).into_iter().for_each(|r| write(Series::Offered, id, r));
                if let Some(port) = link.port() {
                    write(Series::Rate, id, port.rate());
                    port.predicted(now).into_iter().for_each(|r| write(Series::Predicted, id, r));
                }
            }
        }
        if self.series {
            let sampled = |slot: &Slot| slot.active && self.groups[slot.flow.group as usize].0;
            for (index, slot) in (0..).zip(slots).filter(|(_, slot)| sampled(slot)) {
                let pair = &plan.pairs[slot.flow.pair as usize];
                if here.has_node(pair.destination) {
                    let report = slot.receiver.report();
                    let Arrived { received, delivered } =
                        std::mem::replace(&mut slot.at_sample, Arrived::of(&report));
                    let mut rate =
                        |series, bytes: u64| write(series, slot.number, bytes as f64 * 8.0 / seconds);
                    rate(Series::Received, report.received - received);
                    rate(Series::Goodput, report.delivered - delivered);
                    if self.groups[slot.flow.group as usize].1 {
                        write(Series::Unread, slot.number, report.unread as f64);
                    }
                    let period = delays.get_mut(index).map(Delays::take_period);
                    if let Some((period, mean)) = period.and_then(|period| Some((period, period.mean()?))) {
                        write(Series::Delay, slot.number, mean);
                        write(Series::LongestDelay, slot.number, period.longest.as_secs_f64());
                    }
                }
                if !here.has_node(pair.source) {
                    continue;
                }
                let report = slot.sender.report();
                if report.window > 0 {
                    write(Series::Window, slot.number, report.window as f64);
                }
                if !report.smoothed_rtt.is_zero() {
                    write(Series::Rtt, slot.number, report.smoothed_rtt.as_secs_f64());
                }
            }
        }
        now + self.period
    }

    /// Takes what another part of the run has sampled of a link.
    pub fn adopt(&mut self, other: &mut Sampler, link: usize) {
        let of = |links: &mut Vec<SampledLink>| links.iter().position(|l| l.index == link);
        if let (Some(i), Some(j)) = (of(&mut self.links), of(&mut other.links)) {
            std::mem::swap(&mut self.links[i], &mut other.links[j]);
        }
    }

    /// Where the row of a sample stands among those of its time, in whichever part of the run it was taken: links before
    /// flows, flows in the order of the slots that they had, and what a flow's receiver says before what its sender says.
    pub fn place(&self, subject: Label, id: u32, metric: Label, slots: &[u32]) -> (bool, u32, bool) {
        let of = |series| self.labels.row(series, id, Time::ZERO, 0.0);
        let is_flow = subject == of(Series::Goodput).subject;
        let id = if is_flow { slots[id as usize] } else { id };
        (is_flow, id, [Series::Window, Series::Rtt].iter().any(|series| of(*series).metric == metric))
    }

    /// The histogram of a link's queue, if it was sampled.
    pub fn histogram(&self, link: usize) -> Option<&Histogram> {
        self.links.iter().find(|l| l.index == link).map(|l| &l.histogram)
    }
}
