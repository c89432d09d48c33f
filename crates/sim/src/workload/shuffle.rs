//! The shuffle of MapReduce: every receiver fetches from every sender, a few at a time; the next wave begins when
//! every receiver has all its data.

use std::collections::VecDeque;
use std::sync::Arc;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::{Stream, stream};
use dumbbell_core::{Duration, Time, Validate, config};
use rand::RngExt;

use super::closed::{cycles, facts};
use super::facts::drawn;
use super::session::{Actions, Ended, Program, Session, Transfer};
use super::size::{SizeSpec, Sizes};
use super::{Common, Facts, FlowSettings, Setting, Traffic, WorkloadParams};
use crate::names::NameList;
use crate::pairs::Pairing;

config! {
    /// All-to-all transfers between two sets of nodes, or within one, in waves. Each receiver draws the order of its senders.
    pub struct Shuffle {
        /// The name in results and of its random streams.
        name: Option<String> = (), "absent: `workload` and the position in the list, from 0";
        /// Where the data comes from: a group, a node, or a list of them.
        from: NameList;
        /// Where the data goes: a group, a node, or a list of them. Nodes that are on both sides keep their own data.
        to: NameList;
        /// Distribution of the application bytes of one transfer.
        size: SizeSpec;
        /// Transfers that a receiver has in progress at a time, at most.
        parallel: u32 as "transfers" = 5, "Hadoop mapred-default.xml: mapreduce.reduce.shuffle.parallelcopies";
        /// How many waves.
        waves: u32 as "waves" = 1, "choice: one job";
        /// When the first wave begins.
        start: Duration = "0s", "choice: at once";
        /// Time from the end of a wave to the beginning of the next.
        pause: Duration = "0s", "choice: the network is what is studied";
        ..flows: FlowSettings { sampled = false, "choice: flows are many and short"; }
    }
}

impl Algorithm for Shuffle {
    const NAME: &'static str = "shuffle";
    const TITLE: &'static str = "All-to-all transfers in waves, a few at a time for each receiver";
    const REFERENCE: &'static str = "Dean & Ghemawat, OSDI 2004, section 3.1, step 5";
}

impl Validate for Shuffle {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.parallel == 0 {
            return Err(at.key("parallel").error("zero lets nothing start", "give 1 or more"));
        }
        if self.waves == 0 {
            return Err(at.key("waves").error("must be above zero", "give 1 or more"));
        }
        Ok(())
    }
}

impl WorkloadParams for Shuffle {
    fn common(&self) -> Common<'_> {
        Common { name: self.name.as_deref(), flows: &self.flows, keeps_open: false }
    }

    fn build(&self, setting: Setting<'_, '_>, at: &At<'_>) -> Result<Traffic, ConfigError> {
        let pairs = setting.pairs.of_entry(&self.from, &self.to, Pairing::All, at)?;
        let sizes = self.size.build(setting.files, &at.key("size"))?;
        let mut receivers: Vec<(u32, Vec<u32>)> = Vec::new();
        let mut order: Vec<(u32, u32)> =
            pairs.iter().map(|p| (setting.pairs.all()[*p as usize].destination, *p)).collect();
        order.sort_by_key(|(destination, _)| *destination);
        for (destination, pair) in order {
            match receivers.last_mut() {
                Some((last, of_it)) if *last == destination => of_it.push(pair),
                _ => receivers.push((destination, vec![pair])),
            }
        }
        let shortest = pairs.iter().map(|p| setting.pairs.one_way(*p)).max().unwrap_or_default() + self.pause;
        let waves = cycles(setting.duration.saturating_sub(self.start), shortest, Some(self.waves));
        let size = (sizes.mean(), Some(sizes.tail()));
        let draws = drawn(&[("sizes", sizes.draws()), ("order", pairs.len() > receivers.len())]);
        let facts = facts(&setting, &pairs, size, waves * pairs.len() as f64, draws, &at.key("waves"))?;
        Ok(Traffic::closed(Plan {
            name: setting.name.to_owned(),
            params: self.clone(),
            receivers: receivers.into_iter().map(|(_, pairs)| pairs).collect(),
            sizes,
            facts,
        }))
    }
}

#[derive(Debug)]
struct Plan {
    name: String,
    params: Shuffle,
    /// For each receiver the pairs that lead to it.
    receivers: Vec<Vec<u32>>,
    sizes: Sizes,
    facts: Facts,
}

impl Program for Plan {
    fn session(self: Arc<Self>, seed: u64) -> Box<dyn Session> {
        let own = |what: &str| stream(seed, &format!("workload {} {what}", self.name));
        Box::new(Running {
            left: vec![VecDeque::new(); self.receivers.len()],
            wave: 0,
            awaited: 0,
            sizes: own("sizes"),
            order: own("order"),
            plan: self,
        })
    }

    fn facts(&self) -> Facts {
        self.facts.clone()
    }
}

struct Running {
    plan: Arc<Plan>,
    /// For each receiver the pairs that it has not asked yet.
    left: Vec<VecDeque<u32>>,
    wave: u32,
    awaited: usize,
    sizes: Stream,
    order: Stream,
}

impl Running {
    fn begin(&mut self, at: Time, actions: &mut Actions) {
        let plan = Arc::clone(&self.plan);
        if self.wave >= plan.params.waves {
            return;
        }
        for (receiver, pairs) in plan.receivers.iter().enumerate() {
            let mut order = pairs.clone();
            // Fisher and Yates.
            for i in (1..order.len()).rev() {
                order.swap(i, self.order.random_range(0..=i));
            }
            self.left[receiver] = order.into();
            self.awaited += pairs.len();
            for _ in 0..plan.params.parallel.min(pairs.len() as u32) {
                self.fetch(at, receiver, actions);
            }
        }
    }

    fn fetch(&mut self, at: Time, receiver: usize, actions: &mut Actions) {
        if let Some(pair) = self.left[receiver].pop_front() {
            let size = self.plan.sizes.sample(&mut self.sizes);
            actions.open(at, pair, Transfer { size, round: self.wave, tag: receiver as u32 });
        }
    }
}

impl Session for Running {
    fn start(&mut self, actions: &mut Actions) {
        self.begin(Time::ZERO + self.plan.params.start, actions);
    }

    fn ended(&mut self, now: Time, ended: &Ended, actions: &mut Actions) {
        self.fetch(now, ended.transfer.tag as usize, actions);
        self.awaited -= 1;
        if self.awaited == 0 {
            self.wave += 1;
            self.begin(now + self.plan.params.pause, actions);
        }
    }
}
