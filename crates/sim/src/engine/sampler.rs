//! Samples: the queue of sampled links for its quantiles, and the time series of links and flows where asked for.

use dumbbell_core::results::{Results, SampleRow};
use dumbbell_core::table::Label;
use dumbbell_core::{Duration, Time};
use dumbbell_net::link::{Counters, Link};

use super::flows::Slot;
use crate::histogram::Histogram;
use crate::plan::Plan;

struct SampledLink {
    index: usize,
    histogram: Histogram,
    last: Counters,
}

/// The labels of the table of samples.
struct Names {
    flow: Label,
    link: Label,
    window: Label,
    rtt: Label,
    goodput: Label,
    queue: Label,
    throughput: Label,
    drops: Label,
    rate: Label,
    predicted: Label,
    offered: Label,
}

/// Takes the samples of a run.
pub struct Sampler {
    period: Duration,
    warmup: Time,
    series: bool,
    links: Vec<SampledLink>,
    groups: Vec<bool>,
    names: Names,
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
            groups: plan.groups.iter().map(|g| g.sampled).collect(),
            names: Names {
                flow: results.label("flow"),
                link: results.label("link"),
                window: results.label("cwnd"),
                rtt: results.label("rtt"),
                goodput: results.label("goodput"),
                queue: results.label("queue"),
                throughput: results.label("throughput"),
                drops: results.label("drops"),
                rate: results.label("rate"),
                predicted: results.label("predicted"),
                offered: results.label("offered"),
            },
        }
    }

    /// Bytes of the histograms.
    pub fn bytes(&self) -> u64 {
        self.links.iter().map(|l| l.histogram.bytes()).sum()
    }

    /// When the first sample is due.
    pub fn first(&self) -> Time {
        let idle = self.links.is_empty() && !self.series;
        if idle { Time::NEVER } else { Time::ZERO + self.period }
    }

    /// Takes a sample; returns when the next is due.
    pub fn sample(
        &mut self,
        now: Time,
        links: &mut [Link],
        slots: &mut [Slot],
        results: &mut Results,
    ) -> Time {
        let seconds = self.period.as_secs_f64();
        let names = &self.names;
        let mut write = |subject, id, metric, value| {
            results.samples.push(SampleRow { time: now.as_secs_f64(), subject, id, metric, value });
        };
        for sampled in &mut self.links {
            let link = &mut links[sampled.index];
            let backlog = link.backlog(now);
            if now > self.warmup {
                sampled.histogram.add(backlog);
            }
            if self.series {
                let counters = link.progress(now);
                let bytes = counters.sent_bytes - sampled.last.sent_bytes;
                let drops = counters.dropped_total() - sampled.last.dropped_total();
                let id = sampled.index as u32;
                write(names.link, id, names.queue, backlog as f64);
                write(names.link, id, names.throughput, bytes as f64 * 8.0 / seconds);
                write(names.link, id, names.drops, drops as f64);
                sampled.last = counters;
                link.offered(now).into_iter().for_each(|r| write(names.link, id, names.offered, r));
                if let Some(port) = link.port() {
                    write(names.link, id, names.rate, port.rate());
                    port.predicted(now).into_iter().for_each(|r| write(names.link, id, names.predicted, r));
                }
            }
        }
        if self.series {
            for slot in slots.iter_mut().filter(|s| s.active && self.groups[s.flow.group as usize]) {
                let report = slot.sender.report();
                let delivered = slot.receiver.report().delivered;
                let bytes = delivered - slot.delivered_at_sample;
                slot.delivered_at_sample = delivered;
                write(names.flow, slot.number, names.goodput, bytes as f64 * 8.0 / seconds);
                if report.window > 0 {
                    write(names.flow, slot.number, names.window, report.window as f64);
                }
                if !report.smoothed_rtt.is_zero() {
                    write(names.flow, slot.number, names.rtt, report.smoothed_rtt.as_secs_f64());
                }
            }
        }
        now + self.period
    }

    /// The histogram of a link's queue, if it was sampled.
    pub fn histogram(&self, link: usize) -> Option<&Histogram> {
        self.links.iter().find(|l| l.index == link).map(|l| &l.histogram)
    }
}
