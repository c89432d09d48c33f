//! Pairs that take turns: one transfer at a time.

use std::sync::Arc;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Bytes, Time, Validate, config};

use dumbbell_sim::limits::check_size;
use dumbbell_sim::names::NameList;
use dumbbell_sim::pairs::Pairing;
use dumbbell_sim::workload::session::{Actions, Ended, Program, Session, Transfer};
use dumbbell_sim::workload::{Common, Facts, FlowSettings, Setting, Traffic, WorkloadParams, closed};

config! {
    /// Each pair sends when the one before has ended; after the last comes the first again.
    pub struct Relay {
        /// The name in results.
        name: Option<String> = (), "absent: `workload` and the position in the list, from 0";
        /// Where the data comes from: a group, a node, or a list of them.
        from: NameList;
        /// Where the data goes: a group, a node, or a list of them.
        to: NameList;
        /// How the nodes of `from` and `to` are paired.
        pairing: Pairing = "one-to-one", "choice: as host pairs are drawn";
        /// Application bytes of each transfer.
        size: Bytes;
        ..flows: FlowSettings { sampled = false, "choice: flows are short"; }
    }
}

impl Algorithm for Relay {
    const NAME: &'static str = "relay";
    const TITLE: &'static str = "Pairs that take turns";
    const REFERENCE: &'static str = "choice: a token ring";
}

impl Validate for Relay {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_size(Some(self.size), &at.key("size"))
    }
}

impl WorkloadParams for Relay {
    fn common(&self) -> Common<'_> {
        Common { name: self.name.as_deref(), flows: &self.flows, keeps_open: false }
    }

    fn build(&self, setting: Setting<'_, '_>, at: &At<'_>) -> Result<Traffic, ConfigError> {
        let pairs = setting.pairs.of_entry(&self.from, &self.to, self.pairing, at)?;
        let shortest = pairs.iter().map(|p| setting.pairs.one_way(*p)).min().unwrap_or_default();
        let turns = closed::cycles(setting.duration, shortest, None);
        let size = (self.size.get() as f64, None);
        let facts = closed::facts(&setting, &pairs, size, turns, Vec::new(), at)?;
        Ok(Traffic::closed(Turns { pairs, size: self.size.get(), facts }))
    }
}

#[derive(Debug)]
struct Turns {
    pairs: Vec<u32>,
    size: u64,
    facts: Facts,
}

impl Program for Turns {
    fn session(self: Arc<Self>, _seed: u64) -> Box<dyn Session> {
        Box::new(Running { turns: self, round: 0 })
    }

    fn facts(&self) -> Facts {
        self.facts.clone()
    }
}

struct Running {
    turns: Arc<Turns>,
    round: u32,
}

impl Running {
    fn next(&mut self, now: Time, actions: &mut Actions) {
        let pair = self.turns.pairs[self.round as usize % self.turns.pairs.len()];
        actions.open(now, pair, Transfer { size: self.turns.size, round: self.round, tag: 0 });
        self.round += 1;
    }
}

impl Session for Running {
    fn start(&mut self, actions: &mut Actions) {
        self.next(Time::ZERO, actions);
    }

    fn ended(&mut self, now: Time, _ended: &Ended, actions: &mut Actions) {
        self.next(now, actions);
    }
}
