//! Poisson arrivals: each flow starts an exponential time after the one before, on a pair drawn uniformly.

use std::sync::Arc;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::{Stream, stream};
use dumbbell_core::{Duration, Time, Validate, config};
use rand::RngExt;
use rand_distr::{Distribution, Exp1};

use super::facts::drawn;
use super::size::{SizeSpec, Sizes};
use super::{Common, Facts, Flow, FlowSettings, Setting, Source, Traffic, WorkloadParams};
use crate::limits::{MAX_FLOWS, MAX_LOAD};
use crate::names::NameList;
use crate::pairs::Pairing;

config! {
    /// Flows that arrive as a Poisson process, at an offered load on a link or at a rate.
    ///
    /// The rate for a load is load * C / (8 E[W] p): C the rate of the link, W the bytes of a flow on the wire (first
    /// transmissions, headers included), p the share of the pairs whose data crosses the link.
    pub struct Poisson {
        /// The name in results; also names the random streams of arrivals, sizes and pairs.
        name: Option<String> = (), "absent: `workload` and the position in the list, from 0";
        /// Where the data comes from: a group, a node, or a list of them.
        from: NameList;
        /// Where the data goes: a group, a node, or a list of them.
        to: NameList;
        /// `one-to-one` joins the first of `from` with the first of `to`, and so on, or a single node with each of the
        /// other side; `all` joins each of `from` with each of `to`. Each flow draws one of the pairs.
        pairing: Pairing = "one-to-one", "choice: as host pairs are drawn";
        /// Distribution of application bytes.
        size: SizeSpec;
        /// Offered load as a share of the rate of `link`; instead of `rate`.
        load: Option<f64> as "dimensionless" = (), "absent: `rate` is given";
        /// The link whose rate `load` is a share of.
        link: Option<String> = (), "absent: the bottleneck, if there is one only";
        /// Flows a second; instead of `load`.
        rate: Option<f64> as "flows/s" = (), "absent: `load` is given";
        /// When arrivals begin.
        start: Duration = "0s", "choice: at once";
        /// When arrivals end.
        stop: Option<Duration> = (), "absent: when the run ends";
        /// Flows at most.
        max_flows: Option<u64> as "flows" = (), "absent: no limit";
        ..flows: FlowSettings { sampled = false, "choice: arriving flows are many and short"; }
    }
}

impl Algorithm for Poisson {
    const NAME: &'static str = "poisson";
    const TITLE: &'static str = "Poisson flow arrivals at an offered load or rate";
    const REFERENCE: &'static str =
        "Paxson & Floyd, IEEE/ACM ToN 3(3), 1995: sessions arrive as a Poisson process";
}

impl Validate for Poisson {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        match (self.load, self.rate) {
            (None, None) => {
                return Err(at
                    .key("load")
                    .error("neither `load` nor `rate` is given", "add one, for example `load = 0.5`"));
            }
            (Some(_), Some(_)) => {
                return Err(at
                    .key("rate")
                    .error("both `load` and `rate` are given", "leave one of them out"));
            }
            (Some(load), None) if load <= 0.0 || load > MAX_LOAD => {
                return Err(at.key("load").error(
                    format!("{load} is not a possible load"),
                    format!("give a share of the link's rate above 0 and up to {MAX_LOAD}, for example 0.5"),
                ));
            }
            (None, Some(rate)) if rate <= 0.0 => {
                return Err(at
                    .key("rate")
                    .error(format!("{rate} flows a second are none"), "give a number above zero"));
            }
            (None, Some(_)) if self.link.is_some() => {
                return Err(at
                    .key("link")
                    .error("means nothing beside `rate`", "leave it out, or give `load` instead of `rate`"));
            }
            _ => {}
        }
        if self.stop.is_some_and(|stop| stop <= self.start) {
            return Err(at.key("stop").error("is not later than `start`", "make it later"));
        }
        if self.max_flows == Some(0) {
            return Err(at.key("max_flows").error("must be above zero", "give 1 or more, or leave it out"));
        }
        Ok(())
    }
}

impl WorkloadParams for Poisson {
    fn common(&self) -> Common<'_> {
        Common { name: self.name.as_deref(), flows: &self.flows, keeps_open: false }
    }

    fn build(&self, setting: Setting<'_, '_>, at: &At<'_>) -> Result<Traffic, ConfigError> {
        let pairs = setting.pairs.of_entry(&self.from, &self.to, self.pairing, at)?;
        let sizes = self.size.build(setting.files, &at.key("size"))?;

        let mut wire_by_mtu: Vec<(u32, f64)> = Vec::new();
        let mut wire = Vec::with_capacity(pairs.len());
        for pair in &pairs {
            let mtu = setting.pairs.mtu(*pair);
            let known = wire_by_mtu.iter().find(|(m, _)| *m == mtu).map(|(_, w)| *w);
            wire.push(known.unwrap_or_else(|| {
                let mean = sizes.mean_of(|payload| setting.transport.wire_bytes(payload, mtu));
                wire_by_mtu.push((mtu, mean));
                mean
            }));
        }

        let rate = match (self.load, self.rate) {
            (Some(load), _) => load * self.capacity_in_flows(&setting, &pairs, &wire, at)?,
            (None, rate) => rate.expect("validated: a load or a rate"),
        };
        let end = self.stop.unwrap_or(setting.duration).min(setting.duration);
        let seconds = end.saturating_sub(self.start).as_secs_f64();
        let flows = (rate * seconds).min(self.max_flows.map_or(f64::INFINITY, |n| n as f64));
        if flows > MAX_FLOWS as f64 {
            let place = if self.load.is_some() { "load" } else { "rate" };
            return Err(at.key(place).error(
                format!("about {flows:.3e} flows are to be expected, above the limit of {MAX_FLOWS}"),
                "lower it, shorten the run, or set `max_flows`",
            ));
        }

        let each = rate * 8.0 / pairs.len() as f64;
        let offered = pairs.iter().zip(&wire).map(|(pair, w)| (*pair, each * w)).collect();
        let mean_wire = wire.iter().sum::<f64>() / wire.len() as f64;
        let facts = Facts {
            rate: Some(rate),
            draws: drawn(&[("arrivals", true), ("sizes", sizes.draws()), ("pairs", pairs.len() > 1)]),
            mean_size: sizes.mean(),
            tail: Some(sizes.tail()),
            mean_wire,
            flows,
            late: 0,
            offered,
        };
        Ok(Traffic::open(Process {
            name: setting.name.to_owned(),
            group: setting.group,
            pairs,
            sizes,
            mean_gap: 1e9 / rate,
            start: Time::ZERO + self.start,
            end: Time::ZERO + end,
            max_flows: self.max_flows.unwrap_or(u64::MAX),
            facts,
        }))
    }
}

impl Poisson {
    /// Flows a second that fill the link: `C / (8 E[W] p)`, with `E[W]` over the pairs that cross it, each by the share of its data that does.
    fn capacity_in_flows(
        &self,
        setting: &Setting<'_, '_>,
        pairs: &[u32],
        wire: &[f64],
        at: &At<'_>,
    ) -> Result<f64, ConfigError> {
        let place = at.key("link");
        let bottlenecks = setting.pairs.bottlenecks(pairs);
        let link = match (&self.link, bottlenecks.as_slice()) {
            (Some(name), _) => setting.pairs.names.link(name, &place)?,
            (None, [only]) => *only,
            (None, _) => {
                return Err(place.error(
                    format!("the load names no link, and {} bottlenecks are on the way", bottlenecks.len()),
                    "add `link = \"...\"`",
                ));
            }
        };
        let crossing = pairs.iter().zip(wire).map(|(pair, wire)| setting.pairs.share(*pair, link) * wire);
        let bytes_per_flow = crossing.sum::<f64>() / pairs.len() as f64;
        if bytes_per_flow == 0.0 {
            return Err(place.error(
                format!("no data of this workload crosses {:?}", setting.pairs.network.link_name(link)),
                "name a link on the way from `from` to `to`",
            ));
        }
        let rate = setting.pairs.network.links[link as usize].direction.rate.as_bps() as f64;
        Ok(rate / (8.0 * bytes_per_flow))
    }
}

#[derive(Debug)]
struct Process {
    name: String,
    group: u32,
    pairs: Vec<u32>,
    sizes: Sizes,
    /// Mean time between arrivals, in nanoseconds.
    mean_gap: f64,
    start: Time,
    end: Time,
    max_flows: u64,
    facts: Facts,
}

impl Source for Process {
    fn arrivals(self: Arc<Self>, seed: u64) -> Box<dyn Iterator<Item = Flow> + Send> {
        // Three streams, so that a change of one distribution leaves the other draws as they were.
        let own = |what: &str| stream(seed, &format!("workload {} {what}", self.name));
        Box::new(Draws {
            now: self.start,
            left: self.max_flows,
            gaps: own("arrivals"),
            sizes: own("sizes"),
            pairs: own("pairs"),
            process: self,
        })
    }

    fn facts(&self) -> Facts {
        self.facts.clone()
    }
}

struct Draws {
    process: Arc<Process>,
    now: Time,
    left: u64,
    gaps: Stream,
    sizes: Stream,
    pairs: Stream,
}

impl Iterator for Draws {
    type Item = Flow;

    fn next(&mut self) -> Option<Flow> {
        self.left = self.left.checked_sub(1)?;
        let unit: f64 = Exp1.sample(&mut self.gaps);
        self.now += Duration::from_nanos((unit * self.process.mean_gap).round() as u64);
        if self.now >= self.process.end {
            self.left = 0;
            return None;
        }
        let pair = self.process.pairs[self.pairs.random_range(0..self.process.pairs.len())];
        let size = Some(self.process.sizes.sample(&mut self.sizes));
        Some(Flow { group: self.process.group, pair, start: self.now, size })
    }
}
