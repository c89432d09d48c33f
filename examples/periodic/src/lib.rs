//! Flows at fixed intervals, one for each pair.

use std::sync::Arc;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Bytes, Duration, Time, Validate, config};

use dumbbell_sim::limits::check_size;
use dumbbell_sim::names::NameList;
use dumbbell_sim::pairs::Pairing;
use dumbbell_sim::workload::{Common, Facts, Flow, FlowSettings, Setting, Source, Traffic, WorkloadParams};

config! {
    /// One flow for each pair, again and again.
    pub struct Periodic {
        /// The name in results.
        name: Option<String> = (), "absent: `workload` and the position in the list, from 0";
        /// Where the data comes from: a group, a node, or a list of them.
        from: NameList;
        /// Where the data goes: a group, a node, or a list of them.
        to: NameList;
        /// How the nodes of `from` and `to` are paired.
        pairing: Pairing = "one-to-one", "choice: as host pairs are drawn";
        /// Time from each round to the next.
        every: Duration;
        /// Application bytes of each flow.
        size: Bytes;
        ..flows: FlowSettings { sampled = false, "choice: arriving flows are many and short"; }
    }
}

impl Algorithm for Periodic {
    const NAME: &'static str = "periodic";
    const TITLE: &'static str = "Flows at fixed intervals";
    const REFERENCE: &'static str = "choice: polling";
}

impl Validate for Periodic {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.every < Duration::from_millis(1) {
            return Err(at.key("every").error(format!("{} is too short", self.every), "give 1ms or more"));
        }
        check_size(Some(self.size), &at.key("size"))
    }
}

impl WorkloadParams for Periodic {
    fn common(&self) -> Common<'_> {
        Common { name: self.name.as_deref(), flows: &self.flows, keeps_open: false }
    }

    fn build(&self, setting: Setting<'_, '_>, at: &At<'_>) -> Result<Traffic, ConfigError> {
        let pairs = setting.pairs.of_entry(&self.from, &self.to, self.pairing, at)?;
        let rounds = setting.duration.as_nanos().div_ceil(self.every.as_nanos());
        let per_second = 1.0 / self.every.as_secs_f64();
        let wire = |pair| setting.transport.wire_bytes(self.size.get(), setting.pairs.mtu(pair)) as f64;
        let facts = Facts {
            rate: Some(per_second * pairs.len() as f64),
            mean_size: self.size.get() as f64,
            mean_wire: pairs.iter().map(|&p| wire(p)).sum::<f64>() / pairs.len() as f64,
            flows: (rounds * pairs.len() as u64) as f64,
            offered: pairs.iter().map(|&p| (p, wire(p) * 8.0 * per_second)).collect(),
            ..Facts::default()
        };
        Ok(Traffic::open(Intervals {
            group: setting.group,
            pairs,
            rounds,
            every: self.every,
            size: self.size,
            facts,
        }))
    }
}

#[derive(Debug)]
struct Intervals {
    group: u32,
    pairs: Vec<u32>,
    rounds: u64,
    every: Duration,
    size: Bytes,
    facts: Facts,
}

impl Source for Intervals {
    fn arrivals(self: Arc<Self>, _seed: u64) -> Box<dyn Iterator<Item = Flow> + Send> {
        let pairs = self.pairs.len() as u64;
        Box::new((0..self.rounds * pairs).map(move |number| Flow {
            group: self.group,
            pair: self.pairs[(number % pairs) as usize],
            start: Time::ZERO + self.every * (number / pairs),
            size: Some(self.size.get()),
        }))
    }

    fn facts(&self) -> Facts {
        self.facts.clone()
    }
}
