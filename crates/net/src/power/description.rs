//! What can be said of the power control of one direction of a link.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{BitRate, Duration, Validate, Value, config, words};

use super::model::Model;
use super::policy::{PolicySpec, Timing};
use super::rates::{self, Rates};

words! {
    /// From when the guard counts.
    pub enum GuardFrom {
        /// The moment a transition is granted.
        Start = "start",
        /// The end of its pause.
        End = "end",
    }
}

words! {
    /// What becomes of the packet in transmission when the rate changes.
    pub enum InService {
        /// It ends at the old rate, then the port pauses.
        Finish = "finish",
        /// The port pauses at once; the rest of the packet follows at the new rate.
        Hold = "hold",
    }
}

words! {
    /// The rate that the port begins with.
    pub enum Start { Highest = "highest", Lowest = "lowest" }
}

config! {
    /// Power control of one direction of a link.
    pub struct Power {
        /// What decides.
        policy: PolicySpec = "practra", "Panarello et al., e-Energy 2012, section 2";
        /// The rates of the port: a list, or a grid below the link's rate.
        rates: Rates = rates::ten_levels(), "Panarello et al., e-Energy 2012, section 3: 1 to 10 Mb/s in steps of 1";
        /// Time after each change of the rate in which nothing is sent.
        pause: Duration = "2ms", "Panarello et al., e-Energy 2012, section 3";
        /// Least time between two changes of the rate.
        guard: Duration = "16ms", "Panarello et al., e-Energy 2012, section 3";
        /// What the guard counts from: `start` of a transition, or `end` of its pause.
        guard_from: GuardFrom = "start", "choice: the reading under which the rate of transitions is at most 1/guard";
        /// Time to wake from sleep, in which nothing is sent.
        wake: Duration = "1ms", "Nedevschi et al., NSDI 2008, from memory";
        /// The packet in transmission when the rate changes: `finish` it at the old rate before the pause, or `hold` it
        /// until after the pause.
        in_service: InService = "finish", "choice: a serialiser cannot change its clock inside a frame";
        /// The rate at the start, and the first value of a predictor: `highest` or `lowest`.
        start: Start = "highest", "choice: a port that has not been controlled runs at full rate";
        /// Power in each state.
        model: Model = Value::table(), "see its fields";
    }
}

impl Validate for Power {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.guard < self.pause {
            return Err(at.key("guard").error(
                format!("{} is shorter than the pause of {}", self.guard, self.pause),
                "make `guard` longer or `pause` shorter",
            ));
        }
        self.policy.check(self.timing(), &at.key("policy"))
    }
}

impl Power {
    /// Checks what depends on the link that the table at `at` stands in.
    ///
    /// # Errors
    /// Rates that a link of this rate does not have.
    pub fn check(&self, link: BitRate, at: &At<'_>) -> Result<(), ConfigError> {
        self.rates.check(link, &at.key("rates"))
    }

    /// Times in which the port sends nothing.
    pub(super) fn timing(&self) -> Timing {
        Timing { pause: self.pause, wake: self.wake }
    }

    /// The period of the upstream shaper, if the policy has one.
    pub fn shaping(&self) -> Option<Duration> {
        self.policy.shaping()
    }
}
