//! Link impairments: what happens to packets on their way, after the transmitter. One file each, one line each in
//! [`impairments!`].
//!
//! Each packet that has left the transmitter gets a [`Passage`], which the impairments of the link change in the order in
//! which they are listed. They see no packet, so the same code serves simulated packets and real ones.

pub mod duplication;
pub mod jitter;
pub mod reordering;

#[cfg(test)]
mod laws;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::rng::{Stream, Streams};
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
pub trait Impairment {
    /// A packet left the transmitter at `now`. Called in order of time.
    fn impair(&mut self, now: Time, passage: &mut Passage);
}

/// The parameters of an impairment.
pub trait ImpairmentParams {
    /// What changes the passages.
    type Machine: Impairment;

    /// A machine that draws from `rng`, its own stream.
    fn build(&self, rng: Stream) -> Self::Machine;

    /// What it does, in a few words: the line of `dumbbell check`.
    fn summary(&self) -> String;

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

/// The smallest delay after an impairment that takes up to `by` away, which stands at `at`.
fn shortened(least: Duration, by: Duration, at: &At<'_>) -> Result<Duration, ConfigError> {
    if by > least {
        return Err(at.error(
            format!("{by} less than a delay of {least} would be negative"),
            "lower it or raise the link's `delay`",
        ));
    }
    Ok(least - by)
}

/// Registers the impairments: `Variant(module)` gives the name in scenarios, the parameters with their defaults,
/// dispatch and the law tests.
macro_rules! impairments {
    ($( $variant:ident($module:ident) ),+ $(,)?) => {
        dumbbell_core::registry! {
            /// A link impairment with its parameters.
            pub enum ImpairmentSpec in "impairment" { $( $variant($module::Params) ),+ }
        }

        /// Any registered impairment.
        #[derive(Clone, Debug)]
        #[allow(missing_docs)]
        pub enum AnyImpairment {
            $( $variant(<$module::Params as ImpairmentParams>::Machine) ),+
        }

        impl ImpairmentSpec {
            /// A machine that draws from `rng`.
            pub fn build(&self, rng: Stream) -> AnyImpairment {
                match self { $( ImpairmentSpec::$variant(p) => AnyImpairment::$variant(p.build(rng)) ),+ }
            }

            /// What it does, in a few words.
            pub fn summary(&self) -> String {
                match self { $( ImpairmentSpec::$variant(p) => p.summary() ),+ }
            }

            /// See [`ImpairmentParams::check`].
            ///
            /// # Errors
            /// A delay that would be negative.
            pub fn check(&self, least: Duration, at: &At<'_>) -> Result<Duration, ConfigError> {
                match self { $( ImpairmentSpec::$variant(p) => p.check(least, at) ),+ }
            }
        }

        impl Impairment for AnyImpairment {
            fn impair(&mut self, now: Time, passage: &mut Passage) {
                match self { $( AnyImpairment::$variant(i) => i.impair(now, passage) ),+ }
            }
        }
    };
}

impairments! {
    Jitter(jitter),
    Reordering(reordering),
    Duplication(duplication),
}

/// The impairments of a link, each with a stream of its own: a second one of a kind never changes what the first draws.
pub fn build(specs: &[ImpairmentSpec], streams: &Streams) -> Vec<AnyImpairment> {
    let earlier = |i: usize| specs[..i].iter().filter(|spec| spec.name() == specs[i].name()).count();
    let stream = |i: usize| match earlier(i) {
        0 => streams.of(specs[i].name()),
        n => streams.of(&format!("{} {n}", specs[i].name())),
    };
    specs.iter().enumerate().map(|(i, spec)| spec.build(stream(i))).collect()
}
