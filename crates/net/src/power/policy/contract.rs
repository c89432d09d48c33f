//! The contract of power policies: events, answers, parameters.

use std::fmt::Debug;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{Duration, Time};

/// Times in which a port sends nothing.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// After a change of the rate.
    pub pause: Duration,
    /// To wake from sleep.
    pub wake: Duration,
}

/// What a policy may know of its port when it is made.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Number of rates.
    pub levels: usize,
    /// The level at the start.
    pub level: usize,
    /// Its rate, in bits per second.
    pub rate: f64,
    /// Times in which it sends nothing.
    pub timing: Timing,
}

/// What a policy sees of its port when it decides.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The rates in bits per second, lowest first.
    pub rates: &'a [f64],
    /// The level that the port is set to, or is changing to.
    pub level: usize,
    /// Bits waiting, and the unsent rest of the packet in transmission.
    pub backlog: f64,
    /// Of these, bits waiting.
    pub waiting: f64,
    /// True if nothing waits and nothing is in transmission.
    pub empty: bool,
    /// True if the port sleeps.
    pub asleep: bool,
    /// When this began: being empty, or else having something to send.
    pub since: Time,
}

/// What a policy wants of its port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// To be awake at this level.
    Level(usize),
    /// To sleep. Asked of an empty port only.
    Sleep,
}

/// A power policy.
pub trait Policy: Debug + Send {
    /// A packet of `size` bytes arrived; `accepted` says whether the queue took it.
    fn arrived(&mut self, now: Time, size: u32, accepted: bool) {
        let _ = (now, size, accepted);
    }

    /// A decision moment: an arrival, a departure that empties the port, the end of a pause, of waking or of the guard, or
    /// the time that `wake_at` named.
    fn decide(&mut self, now: Time, view: &View<'_>) -> Target;

    /// The next decision moment of the policy's own, after `now`, if nothing else happens before.
    fn wake_at(&self, now: Time, view: &View<'_>) -> Time {
        let _ = (now, view);
        Time::NEVER
    }

    /// True if every departure is a decision moment, not only one that empties the port.
    fn watches_departures(&self) -> bool {
        false
    }

    /// The arrival rate predicted at `now`, in bits per second, by a policy that predicts it.
    fn predicted(&self, now: Time) -> Option<f64> {
        let _ = now;
        None
    }
}

/// The parameters of a policy.
pub trait PolicyParams: Open + Send + Sync {
    /// The state machine.
    type Machine: Policy + Clone + 'static
    where
        Self: Sized;

    /// The machine at the start.
    fn build(&self, setting: Setting) -> Self::Machine
    where
        Self: Sized;

    /// Checks the parameters, which stand at `at`, against those of the port.
    ///
    /// # Errors
    /// What does not fit.
    fn check(&self, timing: Timing, at: &At<'_>) -> Result<(), ConfigError> {
        let _ = (timing, at);
        Ok(())
    }

    /// The period of the shaper one hop upstream, if the policy asks for one.
    fn shaping(&self) -> Option<Duration> {
        None
    }
}

/// Makes a machine of parameters whose type nobody knows: those of another crate.
pub trait Open {
    /// See [`PolicyParams::build`].
    fn open(&self, setting: Setting) -> Box<dyn Own>;
}

impl<P: PolicyParams> Open for P {
    fn open(&self, setting: Setting) -> Box<dyn Own> {
        Box::new(self.build(setting))
    }
}

/// A machine whose type nobody knows.
pub trait Own: Policy {
    /// Another one like it.
    fn copy(&self) -> Box<dyn Own>;
}

impl<M: Policy + Clone + 'static> Own for M {
    fn copy(&self) -> Box<dyn Own> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Own> {
    fn clone(&self) -> Box<dyn Own> {
        (**self).copy()
    }
}
