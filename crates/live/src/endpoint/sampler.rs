//! Series of flows over time, as the sampler of a simulation writes them.

use dumbbell_core::results::Results;
use dumbbell_core::series::{Series, SeriesLabels};
use dumbbell_core::{Duration, Time};
use dumbbell_proto::SenderReport;
use dumbbell_sim::Plan;

/// Takes the samples of an end point.
pub struct Sampler {
    begin: Time,
    period: Duration,
    /// When the next is due; never if the plan asks for none.
    pub next: Time,
    labels: SeriesLabels,
}

impl Sampler {
    /// The sampler of an end point that begins at `begin`. It samples all flows, if those of all groups are to be.
    pub fn new(plan: &Plan, begin: Time, results: &mut Results) -> Sampler {
        let wanted = plan.record.samples && plan.groups.iter().all(|group| group.sampled);
        let period = plan.record.period.filter(|_| wanted);
        Sampler {
            begin,
            period: period.unwrap_or(Duration::MAX),
            next: period.map_or(Time::NEVER, |period| begin + period),
            labels: SeriesLabels::new(&mut results.labels),
        }
    }

    /// True if samples are to be taken now.
    pub fn is_due(&mut self, now: Time) -> bool {
        let due = now >= self.next;
        while self.next <= now {
            self.next += self.period;
        }
        due
    }

    /// A sample of a sender.
    pub fn sent(&self, now: Time, flow: u32, report: &SenderReport, results: &mut Results) {
        if report.window > 0 {
            self.write(Series::Window, now, flow, report.window as f64, results);
        }
        if !report.smoothed_rtt.is_zero() {
            self.write(Series::Rtt, now, flow, report.smoothed_rtt.as_secs_f64(), results);
        }
    }

    /// A sample of a receiver: the bytes since the last one.
    pub fn received(&self, now: Time, flow: u32, bytes: u64, results: &mut Results) {
        let rate = bytes as f64 * 8.0 / self.period.as_secs_f64();
        self.write(Series::Goodput, now, flow, rate, results);
    }

    fn write(&self, series: Series, now: Time, flow: u32, value: f64, results: &mut Results) {
        let at = Time::ZERO + now.since(self.begin);
        results.samples.push(self.labels.row(series, flow, at, value));
    }
}
