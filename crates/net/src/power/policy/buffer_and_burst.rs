//! Buffer-and-burst sleeping: traffic is held back and sent in bursts, so that the port can sleep between them.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Duration, Time, Validate, config};

use super::sleeper::{Holding, Placement, Sleeper};
use super::{Policy, PolicyParams, Setting, Target, Timing, View};

config! {
    /// Sleeps when empty, holds what arrives, and wakes to send it at the highest rate.
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
    const NAME: &'static str = "buffer-and-burst";
    const TITLE: &'static str = "Sleeps between bursts of held-back traffic, at the highest rate when awake";
    const REFERENCE: &'static str = "Nedevschi et al., NSDI 2008: buffer-and-burst; choice: the exact form";
}

impl Params {
    fn holding(&self) -> Holding {
        Holding { hold: self.hold, idle: self.idle, placement: self.placement }
    }
}

impl PolicyParams for Params {
    type Machine = BufferAndBurst;

    fn build(&self, setting: Setting) -> BufferAndBurst {
        BufferAndBurst(self.holding().build(setting.timing.wake))
    }

    fn check(&self, timing: Timing, at: &At<'_>) -> Result<(), ConfigError> {
        self.holding().check(timing.wake, at)
    }

    fn shaping(&self) -> Option<Duration> {
        self.holding().shaping()
    }
}

/// The policy.
#[derive(Clone, Debug)]
pub struct BufferAndBurst(Sleeper);

impl Policy for BufferAndBurst {
    fn decide(&mut self, now: Time, view: &View<'_>) -> Target {
        if self.0.sleeps(now, view) { Target::Sleep } else { Target::Level(view.rates.len() - 1) }
    }

    fn wake_at(&self, _now: Time, view: &View<'_>) -> Time {
        self.0.wake_at(view)
    }
}
