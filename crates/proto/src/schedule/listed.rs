//! A list of times and bytes.

use std::sync::Arc;

use dumbbell_core::config::At;
use dumbbell_core::quantity::MAX_BYTES;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{Bytes, ConfigError, Duration, Validate, config};

use super::contract::{Schedule, ScheduleParams};

config! {
    /// What a program does at a time.
    pub struct Action {
        /// When, since the start.
        at: Duration;
        /// Bytes that it writes or reads.
        bytes: Bytes;
    }
}

impl Validate for Action {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.bytes.get() == 0 {
            return Err(at.key("bytes").error("an action on nothing", "give 1B or more"));
        }
        Ok(())
    }
}

config! {
    /// What stands in a list, by time.
    pub struct Params {
        /// The actions, sorted by time: `{ at = "1s", bytes = "10kB" }` and so on.
        actions: Arc<Vec<Action>>;
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        let at = at.key("actions");
        if self.actions.is_empty() {
            return Err(at.error("the list is empty", "give an action, or leave the schedule out"));
        }
        if self.bytes() > MAX_BYTES.get() {
            let message = format!("more than {MAX_BYTES} in all");
            return Err(at.error(message, "give less"));
        }
        for (i, pair) in self.actions.windows(2).enumerate() {
            if pair[1].at < pair[0].at {
                let message = format!("{} comes after {} in the list", pair[1].at, pair[0].at);
                return Err(at.index(i + 1).key("at").error(message, "sort the list by time"));
            }
        }
        Ok(())
    }
}

impl Params {
    fn bytes(&self) -> u64 {
        self.actions.iter().fold(0, |sum, action| action.bytes.get().saturating_add(sum))
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "listed";
    const TITLE: &'static str = "A list of times and bytes";
    const REFERENCE: &'static str = "choice: what a program was seen to do";
}

impl ScheduleParams for Params {
    fn build(&self) -> Box<dyn Schedule> {
        Box::new(Listed { actions: self.actions.clone(), next: 0 })
    }

    fn total(&self) -> Option<u64> {
        Some(self.bytes())
    }
}

#[derive(Debug)]
struct Listed {
    actions: Arc<Vec<Action>>,
    next: usize,
}

impl Schedule for Listed {
    fn next(&mut self, _rng: &mut Stream) -> Option<(Duration, u64)> {
        let action = self.actions.get(self.next)?;
        let before = self.next.checked_sub(1).map_or(Duration::ZERO, |i| self.actions[i].at);
        self.next += 1;
        Some((action.at - before, action.bytes.get()))
    }
}
