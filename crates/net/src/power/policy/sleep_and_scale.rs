//! Sleeping and rates together: sleep when there is nothing to do, and do the rest no faster than needed.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Duration, Time, Validate};

use super::adaptation::{Adaptation, Reach};
use super::sleeper::{Holding, Placement, Sleeper};
use super::{Policy, PolicyParams, Setting, Target, Timing, View};

adaptation! {
    /// Sleeps as buffer-and-burst does. Wakes to the lowest rate that is not below the predicted arrival rate and keeps the
    /// delay constraint for what waits; while awake the rate follows the law of multi-up.
    pub struct Params {
        /// Longest time that a packet is held back, waking included; 0s to wake at the first packet.
        hold: Duration = "10ms", "Nedevschi et al., NSDI 2008, from memory";
        /// Time that an empty port stays awake.
        idle: Duration = "0s", "choice: sleep at once";
        /// Who holds packets back: the port itself (`local`), or a shaper one hop before it (`upstream`) that lets everything
        /// pass at the multiples of `hold`.
        placement: Placement = "local", "choice: no other node has to know";
    }
}

impl Validate for Params {}

impl Algorithm for Params {
    const NAME: &'static str = "sleep-and-scale";
    const TITLE: &'static str = "Sleeps between bursts and adapts the rate while awake";
    const REFERENCE: &'static str = "Francini & Stiliadis, Rate adaptation for energy efficiency in packet networks, 2010; choice: the exact form";
}

impl Params {
    fn holding(&self) -> Holding {
        Holding { hold: self.hold, idle: self.idle, placement: self.placement }
    }
}

impl PolicyParams for Params {
    type Machine = SleepAndScale;

    fn build(&self, setting: Setting) -> SleepAndScale {
        SleepAndScale {
            sleeper: self.holding().build(setting.timing.wake),
            adaptation: self.law().build(Reach::Up, setting),
        }
    }

    fn check(&self, timing: Timing, at: &At<'_>) -> Result<(), ConfigError> {
        self.law().check(timing.pause, at)?;
        self.holding().check(timing.wake, at)
    }

    fn shaping(&self) -> Option<Duration> {
        self.holding().shaping()
    }
}

/// The policy.
#[derive(Clone, Debug)]
pub struct SleepAndScale {
    sleeper: Sleeper,
    adaptation: Adaptation,
}

impl Policy for SleepAndScale {
    fn arrived(&mut self, now: Time, size: u32, accepted: bool) {
        self.adaptation.arrived(now, size, accepted);
    }

    fn decide(&mut self, now: Time, view: &View<'_>) -> Target {
        if self.sleeper.sleeps(now, view) {
            Target::Sleep
        } else if view.asleep {
            Target::Level(self.adaptation.level_on_waking(now, view))
        } else {
            self.adaptation.decide(now, view)
        }
    }

    fn wake_at(&self, now: Time, view: &View<'_>) -> Time {
        if view.asleep {
            return self.sleeper.wake_at(view);
        }
        self.sleeper.wake_at(view).min(self.adaptation.wake_at(now, view))
    }

    fn watches_departures(&self) -> bool {
        self.adaptation.watches_departures()
    }

    fn predicted(&self, now: Time) -> Option<f64> {
        self.adaptation.predicted(now)
    }
}
