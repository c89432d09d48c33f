//! Router agents: what a router does to packets beside queueing them. One file each, one line each in [`agents!`].
//!
//! An agent measures the traffic into one queue and writes the result into packets that leave, so that end points need
//! not guess it (RCP, XCP). It is generic over [`Frame`], so the same code stamps simulated packets and real ones.

use dumbbell_core::rng::Stream;
use dumbbell_core::{BitRate, Frame, HeaderKind, Time, VerdictSink};

pub mod rcp;
pub mod xcp;

/// What an agent may know of the link it serves, when it is made.
#[derive(Clone, Debug)]
pub struct Context {
    /// The link's rate at the start.
    pub rate: BitRate,
    /// Largest packet on the link.
    pub mtu: u32,
    /// The agent's own random stream.
    pub rng: Stream,
}

/// What an agent sees of its queue: the packets that wait, without the one in transmission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueueView {
    /// Packets waiting.
    pub packets: u64,
    /// Bytes waiting.
    pub bytes: u64,
    /// The link's rate now.
    pub rate: BitRate,
}

/// A router agent.
///
/// Calls come in order of time; at equal times `wake` comes before packets.
pub trait Agent {
    /// The headers that it reads or writes: end points that need one of these find it served, and real packets can only
    /// pass if all have a wire form.
    const HEADERS: &'static [HeaderKind] = &[];

    /// `packet` arrives at the queue. The queue may yet drop it.
    fn arrived<P: Frame>(&mut self, now: Time, packet: &P, queue: &QueueView);

    /// `packet` has left the queue and is about to be transmitted. A mark goes through `sink`.
    fn leaving<P: Frame>(
        &mut self,
        now: Time,
        packet: &mut P,
        queue: &QueueView,
        sink: &mut impl VerdictSink<P>,
    );

    /// A time that the agent asked for has come.
    fn wake(&mut self, now: Time, queue: &QueueView);

    /// When `wake` must be called next; [`Time::NEVER`] if not at all.
    fn wake_at(&self) -> Time;

    /// The rate it offers each flow at present, in bits per second, if it has one.
    fn offered(&self) -> Option<f64>;
}

/// Registers the agents: `Variant(module) => Type` gives the name in scenarios, the parameters with their defaults, and
/// dispatch.
macro_rules! agents {
    ($( $variant:ident($module:ident) => $type:ident ),+ $(,)?) => {
        dumbbell_core::registry! {
            /// A router agent with its parameters.
            pub enum AgentSpec in "router" { $( $variant($module::Params) ),+ }
        }

        /// Any registered agent.
        #[derive(Clone, Debug)]
        #[allow(missing_docs)]
        pub enum AnyAgent { $( $variant($module::$type) ),+ }

        impl AgentSpec {
            /// An agent of this kind.
            pub fn build(&self, context: Context) -> AnyAgent {
                match self { $( AgentSpec::$variant(p) => AnyAgent::$variant($module::$type::new(p, context)) ),+ }
            }

            /// See [`Agent::HEADERS`].
            pub fn headers(&self) -> &'static [HeaderKind] {
                match self { $( AgentSpec::$variant(_) => <$module::$type as Agent>::HEADERS ),+ }
            }

            /// Every agent by its name, with the headers that it reads or writes.
            pub const ALL: &'static [(&'static str, &'static [HeaderKind])] = &[ $( (
                <$module::Params as dumbbell_core::registry::Algorithm>::NAME,
                <$module::$type as Agent>::HEADERS,
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
    Rcp(rcp) => Router,
    Xcp(xcp) => Router,
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
