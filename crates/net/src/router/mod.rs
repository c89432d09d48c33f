//! Router agents: what a router does to packets beside queueing them. One file each, one line each in `agents!`.
//!
//! An agent measures the traffic into one queue and writes the result into packets that leave, so that end points need
//! not guess it (RCP, XCP). It is generic over [`Frame`], so the same code stamps simulated packets and real ones.

mod contract;
pub mod hpcc;
pub mod rcp;
pub mod xcp;

use dumbbell_core::{Frame, HeaderKind, Time, VerdictSink};

pub use contract::{Agent, AgentParams, QueueView, Setting};

/// Registers the agents: `Variant(module)` gives the name in scenarios, the parameters with their defaults, and
/// dispatch.
macro_rules! agents {
    ($( $variant:ident($module:ident) ),+ $(,)?) => {
        dumbbell_core::registry! {
            /// A router agent with its parameters.
            pub enum AgentSpec in "router" { $( $variant($module::Params) ),+ }
        }

        /// Any registered agent.
        #[derive(Clone, Debug)]
        #[allow(missing_docs, reason = "the name says it; what it names has a page")]
        pub enum AnyAgent {
            $( $variant(<$module::Params as AgentParams>::Machine) ),+
        }

        impl AgentSpec {
            /// An agent of this kind.
            pub fn build(&self, setting: Setting) -> AnyAgent {
                match self { $( AgentSpec::$variant(p) => AnyAgent::$variant(p.build(setting)) ),+ }
            }

            /// See [`AgentParams::draws`].
            pub fn draws(&self) -> bool {
                match self { $( AgentSpec::$variant(p) => p.draws() ),+ }
            }

            /// See [`Agent::HEADERS`].
            pub fn headers(&self) -> &'static [HeaderKind] {
                match self {
                    $( AgentSpec::$variant(_) => <<$module::Params as AgentParams>::Machine as Agent>::HEADERS ),+
                }
            }

            /// Every agent by its name, with the headers that it reads or writes.
            pub const ALL: &'static [(&'static str, &'static [HeaderKind])] = &[ $( (
                <$module::Params as dumbbell_core::registry::Algorithm>::NAME,
                <<$module::Params as AgentParams>::Machine as Agent>::HEADERS,
            ) ),+ ];
        }

        impl Agent for AnyAgent {
            #[inline]
            fn arrived<P: Frame>(&mut self, now: Time, packet: &P, queue: &QueueView) {
                match self { $( AnyAgent::$variant(a) => a.arrived(now, packet, queue) ),+ }
            }
            #[inline]
            fn leaving<P: Frame>(
                &mut self,
                now: Time,
                packet: &mut P,
                queue: &QueueView,
                sink: &mut impl VerdictSink<P>,
            ) {
                match self { $( AnyAgent::$variant(a) => a.leaving(now, packet, queue, sink) ),+ }
            }
            #[inline]
            fn wake(&mut self, now: Time, queue: &QueueView) {
                match self { $( AnyAgent::$variant(a) => a.wake(now, queue) ),+ }
            }
            #[inline]
            fn wake_at(&self) -> Time {
                match self { $( AnyAgent::$variant(a) => a.wake_at() ),+ }
            }
            fn offered(&self) -> Option<f64> {
                match self { $( AnyAgent::$variant(a) => a.offered() ),+ }
            }
        }
    };
}

agents! {
    Rcp(rcp),
    Xcp(xcp),
    Hpcc(hpcc),
}

#[cfg(test)]
pub(crate) mod tests {
    use dumbbell_core::{DropReason, MarkReason, VerdictSink};

    /// For agents that neither drop nor mark.
    pub struct NoVerdicts;

    impl<P> VerdictSink<P> for NoVerdicts {
        fn dropped(&mut self, _packet: P, reason: DropReason) {
            panic!("a drop: {reason:?}");
        }
        fn marked(&mut self, _packet: &P, reason: MarkReason) {
            panic!("a mark: {reason:?}");
        }
    }
}
