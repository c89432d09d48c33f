//! Flows that start when others have ended: chains of flows, and a fixed number of users with one flow each at a time.

use std::sync::Arc;

use dumbbell_core::config::{At, ConfigError, suggest};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::{Stream, stream};
use dumbbell_core::{Duration, Time, Validate, config};
use rand::RngExt;

use super::closed::{Spread, cycles, facts};
use super::facts::drawn;
use super::session::{Actions, Ended, Program, Session, Transfer};
use super::size::{SizeSpec, Sizes};
use super::{Common, Facts, FlowSettings, Setting, Traffic, WorkloadParams};
use crate::limits::MAX_FLOWS;
use crate::names::NameList;
use crate::pairs::Pairing;

config! {
    /// A flow starts whenever one of the groups in `after` has ended one. Without `after`, each pair has one flow in progress
    /// and starts the next when it has ended: a population of as many users as pairs.
    pub struct OnClose {
        /// The name in results and of its random streams.
        name: Option<String> = (), "absent: `workload` and the position in the list, from 0";
        /// The flows or workloads whose flows it waits for, by name.
        after: Option<NameList> = (), "absent: its own flows";
        /// Where the data comes from: a group, a node, or a list of them.
        from: NameList;
        /// Where the data goes: a group, a node, or a list of them.
        to: NameList;
        /// `one-to-one` joins the first of `from` with the first of `to`, and so on, or a single node with each of the
        /// other side; `all` joins each of `from` with each of `to`. With `after`, each flow draws one of the pairs.
        pairing: Pairing = "one-to-one", "choice: as host pairs are drawn";
        /// Distribution of application bytes.
        size: SizeSpec;
        /// Mean time from the end of one flow to the start of the next.
        think: Duration = "0s", "choice: the next starts at once";
        /// How that time is spread: `fixed` or `exponential`.
        spread: Spread = "fixed", "choice: no randomness that is not asked for";
        /// When the first flows start, if there is no `after`.
        start: Duration = "0s", "choice: at once";
        /// Time from the start of one pair's first flow to that of the next.
        stagger: Duration = "0s", "choice: all start together";
        /// Flows at most: workloads that wait for each other could multiply without end.
        max_flows: u64 as "flows" = 1_000_000, "choice: more than studies of closed loops need";
        ..flows: FlowSettings { sampled = false, "choice: flows are many and short"; }
    }
}

impl Algorithm for OnClose {
    const NAME: &'static str = "on-close";
    const TITLE: &'static str = "Flows that start when others have ended";
    const REFERENCE: &'static str = "Heyman, Lakshman & Neidhardt, SIGMETRICS 1997: a fixed number of users";
}

impl Validate for OnClose {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.max_flows == 0 || self.max_flows > MAX_FLOWS {
            let message = format!("{} is out of range", self.max_flows);
            return Err(at.key("max_flows").error(message, format!("give a number from 1 to {MAX_FLOWS}")));
        }
        Ok(())
    }
}

impl WorkloadParams for OnClose {
    fn common(&self) -> Common<'_> {
        Common { name: self.name.as_deref(), flows: &self.flows, keeps_open: false }
    }

    fn build(&self, setting: Setting<'_, '_>, at: &At<'_>) -> Result<Traffic, ConfigError> {
        let pairs = setting.pairs.of_entry(&self.from, &self.to, self.pairing, at)?;
        let sizes = self.size.build(setting.files, &at.key("size"))?;
        let mut after = Vec::new();
        for name in self.after.iter().flat_map(|names| &names.0) {
            let Some(group) = setting.groups.iter().position(|group| group == name) else {
                let known: Vec<&str> = setting.groups.iter().map(String::as_str).collect();
                let message = format!("there are no flows and no workload {name:?}");
                return Err(at.key("after").error(message, suggest(name, &known)));
            };
            // Its own flows are among those it is always told of.
            if group as u32 != setting.group {
                after.push(group as u32);
            }
        }
        let restarts = match &self.after {
            None => true,
            Some(names) => names.0.iter().any(|name| *name == setting.groups[setting.group as usize]),
        };
        let users = if self.after.is_none() { pairs.len() as f64 } else { f64::INFINITY };
        let shortest = pairs.iter().map(|p| setting.pairs.one_way(*p)).min().unwrap_or_default();
        let each = cycles(setting.duration.saturating_sub(self.start), shortest, None);
        let flows = (users * each).min(self.max_flows as f64);
        let size = (sizes.mean(), Some(sizes.tail()));
        let draws = drawn(&[
            ("sizes", sizes.draws()),
            ("pairs", !after.is_empty() && pairs.len() > 1),
            ("pauses", self.spread.draws(self.think)),
        ]);
        let facts = facts(&setting, &pairs, size, flows, draws, &at.key("max_flows"))?;
        Ok(Traffic::closed(Plan {
            name: setting.name.to_owned(),
            group: setting.group,
            params: self.clone(),
            pairs,
            sizes,
            after,
            restarts,
            facts,
        }))
    }
}

#[derive(Debug)]
struct Plan {
    name: String,
    group: u32,
    params: OnClose,
    pairs: Vec<u32>,
    sizes: Sizes,
    /// The groups that it waits for, but for its own.
    after: Vec<u32>,
    /// True if it waits for its own flows too.
    restarts: bool,
    facts: Facts,
}

impl Program for Plan {
    fn session(self: Arc<Self>, seed: u64) -> Box<dyn Session> {
        let own = |what: &str| stream(seed, &format!("workload {} {what}", self.name));
        Box::new(Running {
            started: 0,
            sizes: own("sizes"),
            times: own("times"),
            pairs: own("pairs"),
            plan: self,
        })
    }

    fn watches(&self) -> &[u32] {
        &self.after
    }

    fn facts(&self) -> Facts {
        self.facts.clone()
    }
}

struct Running {
    plan: Arc<Plan>,
    started: u64,
    sizes: Stream,
    times: Stream,
    pairs: Stream,
}

impl Running {
    fn begin(&mut self, at: Time, pair: u32, actions: &mut Actions) {
        if self.started < self.plan.params.max_flows {
            let size = self.plan.sizes.sample(&mut self.sizes);
            actions.open(at, pair, Transfer { size, round: self.started as u32, tag: 0 });
            self.started += 1;
        }
    }
}

impl Session for Running {
    fn start(&mut self, actions: &mut Actions) {
        let plan = Arc::clone(&self.plan);
        let params = &plan.params;
        if params.after.is_none() {
            for (i, &pair) in (0..).zip(&plan.pairs) {
                self.begin(Time::ZERO + params.start + params.stagger * i, pair, actions);
            }
        }
    }

    fn ended(&mut self, now: Time, ended: &Ended, actions: &mut Actions) {
        let plan = Arc::clone(&self.plan);
        let Plan { params, pairs, group, restarts, .. } = &*plan;
        let own = ended.group == *group;
        if own && !restarts {
            return;
        }
        let pair = if own { ended.pair } else { pairs[self.pairs.random_range(0..pairs.len())] };
        let think = params.spread.draw(params.think, &mut self.times);
        self.begin(now + think, pair, actions);
    }
}
