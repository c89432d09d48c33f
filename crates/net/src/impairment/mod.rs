//! Link impairments: what happens to packets on their way, after the transmitter. One file each, one line each in the
//! registry.
//!
//! Each packet that has left the transmitter gets a [`Passage`], which the impairments of the link change in the order in
//! which they are listed. They see no packet, so the same code serves simulated packets and real ones.

mod contract;
pub mod delay_list;
pub mod delay_steps;
pub mod duplication;
pub mod jitter;
pub mod reordering;

#[cfg(test)]
mod laws;

use dumbbell_core::rng::{Stream, Streams};
use dumbbell_core::{Time, registry};

use contract::shortened;
pub use contract::{Impairment, ImpairmentParams, Passage, Yields};

registry! {
    /// A link impairment with its parameters.
    pub enum ImpairmentSpec in "impairment" as ImpairmentParams {
        Jitter(jitter::Params),
        Reordering(reordering::Params),
        Duplication(duplication::Params),
        DelayList(delay_list::Params),
        DelaySteps(delay_steps::Params),
    }

    /// Any impairment.
    #[derive(Clone, Debug)]
    pub enum AnyImpairment [] = Machine or Box<dyn contract::Own>, whichever!($);

    build(rng: Stream) or own => own.open(rng);
}

impl Impairment for AnyImpairment {
    fn impair(&mut self, now: Time, passage: &mut Passage) {
        whichever!(self, i => i.impair(now, passage));
    }
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
