//! Link impairments: what happens to packets on their way, after the transmitter. One file each, one line each in
//! `impairments!`.
//!
//! Each packet that has left the transmitter gets a [`Passage`], which the impairments of the link change in the order in
//! which they are listed. They see no packet, so the same code serves simulated packets and real ones.

mod contract;
pub mod delay_list;
pub mod duplication;
pub mod jitter;
pub mod reordering;

#[cfg(test)]
mod laws;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::rng::{Stream, Streams};
use dumbbell_core::{Duration, Time};

use contract::shortened;
pub use contract::{Impairment, ImpairmentParams, Passage, Yields};

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
        #[allow(missing_docs, reason = "the name says it; what it names has a page")]
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
    DelayList(delay_list),
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
