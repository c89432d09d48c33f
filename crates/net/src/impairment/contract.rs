//! What an impairment may change, and what its parameters provide.

use std::fmt::Debug;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::rng::Stream;
use dumbbell_core::{Duration, Time};

/// What becomes of a packet on its way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Passage {
    /// It is lost.
    pub lost: bool,
    /// Time to the far end; at first the link's delay.
    pub delay: Duration,
    /// Copies that follow right behind it.
    pub copies: u32,
    /// Packets that arrive right before it and that it overtakes, as far as they are still on their way.
    pub overtakes: u32,
    /// Packets behind it that it waits for.
    pub yields: Option<Yields>,
}

/// A packet that lets others pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Yields {
    /// It waits for so many packets that leave the transmitter behind it.
    pub packets: u32,
    /// It waits no longer than this after its own time.
    pub longest: Duration,
}

/// A link impairment.
pub trait Impairment: Debug + Send {
    /// A packet left the transmitter at `now`. Called in order of time.
    fn impair(&mut self, now: Time, passage: &mut Passage);
}

/// The parameters of an impairment.
pub trait ImpairmentParams: Open + Send + Sync {
    /// What changes the passages.
    type Machine: Impairment + Clone + 'static
    where
        Self: Sized;

    /// A machine that draws from `rng`, its own stream.
    fn build(&self, rng: Stream) -> Self::Machine
    where
        Self: Sized;

    /// What it does, in a few words: the line of `dumbbell check`.
    fn summary(&self) -> String;

    /// True if it may draw random numbers.
    fn draws(&self) -> bool {
        true
    }

    /// Checks the parameters that stand at `at` against the smallest delay that a packet has before this impairment;
    /// returns the smallest delay after it.
    ///
    /// # Errors
    /// A delay that would be negative.
    fn check(&self, least: Duration, at: &At<'_>) -> Result<Duration, ConfigError> {
        let _ = at;
        Ok(least)
    }
}

/// Makes a machine of parameters whose type nobody knows: those of another crate.
pub trait Open {
    /// See [`ImpairmentParams::build`].
    fn open(&self, rng: Stream) -> Box<dyn Own>;
}

impl<P: ImpairmentParams> Open for P {
    fn open(&self, rng: Stream) -> Box<dyn Own> {
        Box::new(self.build(rng))
    }
}

/// A machine whose type nobody knows.
pub trait Own: Impairment {
    /// Another one like it.
    fn copy(&self) -> Box<dyn Own>;
}

impl<M: Impairment + Clone + 'static> Own for M {
    fn copy(&self) -> Box<dyn Own> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Own> {
    fn clone(&self) -> Box<dyn Own> {
        (**self).copy()
    }
}

/// The smallest delay after an impairment that takes up to `by` away, which stands at `at`.
pub(super) fn shortened(least: Duration, by: Duration, at: &At<'_>) -> Result<Duration, ConfigError> {
    if by > least {
        return Err(at.error(
            format!("{by} less than a delay of {least} would be negative"),
            "lower it or raise the link's `delay`",
        ));
    }
    Ok(least - by)
}
