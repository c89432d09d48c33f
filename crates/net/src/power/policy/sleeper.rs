//! Buffer-and-burst sleeping, which two policies share: sleep when empty, hold what comes, wake to send it in one burst.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{Duration, Time, words};

use super::View;

words! {
    /// Who holds the packets back.
    pub enum Placement {
        /// The sleeping port itself.
        Local = "local",
        /// A shaper one hop before it, which releases everything at fixed times.
        Upstream = "upstream",
    }
}

/// The parameters of sleeping.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Holding {
    /// Time between bursts.
    pub hold: Duration,
    /// Time that an empty port stays awake.
    pub idle: Duration,
    /// Who holds the packets back.
    pub placement: Placement,
}

impl Holding {
    /// Checks the parameters, which stand at `at`, against the time that the port takes to wake.
    pub fn check(&self, wake: Duration, at: &At<'_>) -> Result<(), ConfigError> {
        if self.placement == Placement::Local && !self.hold.is_zero() && self.hold < wake {
            return Err(at.key("hold").error(
                format!("{} is shorter than the {wake} that the port takes to wake", self.hold),
                "make it longer, shorten the port's `wake`, or give 0s to wake at the first packet",
            ));
        }
        if self.shaping().is_some_and(|period| period < Duration::from_micros(10)) {
            return Err(at
                .key("hold")
                .error(format!("{} between bursts is too short", self.hold), "give 0s, or 10us or more"));
        }
        Ok(())
    }

    /// The period of the upstream shaper, if there is one.
    pub fn shaping(&self) -> Option<Duration> {
        (self.placement == Placement::Upstream && !self.hold.is_zero()).then_some(self.hold)
    }

    /// Sleeping at work, on a port that takes `wake` to wake.
    pub fn build(&self, wake: Duration) -> Sleeper {
        let hold = match self.placement {
            Placement::Local => self.hold.saturating_sub(wake),
            Placement::Upstream => Duration::ZERO,
        };
        Sleeper { hold, idle: self.idle }
    }
}

/// Sleeping at work.
#[derive(Clone, Debug)]
pub struct Sleeper {
    /// How long a sleeping port lets the first packet wait.
    hold: Duration,
    idle: Duration,
}

impl Sleeper {
    /// True if the port should sleep, or sleep on.
    pub fn sleeps(&self, now: Time, view: &View<'_>) -> bool {
        match (view.asleep, view.empty) {
            (true, true) => true,
            (true, false) => now < view.since + self.hold,
            (false, true) => now >= view.since + self.idle,
            (false, false) => false,
        }
    }

    /// When the answer changes if nothing happens.
    pub fn wake_at(&self, view: &View<'_>) -> Time {
        match (view.asleep, view.empty) {
            (true, false) => view.since + self.hold,
            (false, true) => view.since + self.idle,
            _ => Time::NEVER,
        }
    }
}
