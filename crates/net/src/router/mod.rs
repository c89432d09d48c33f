//! Router agents: what a router does to packets beside queueing them. One file each, one line each in the registry.
//!
//! An agent measures the traffic into one queue and writes the result into packets that leave, so that end points need
//! not guess it (RCP, XCP). It is generic over [`Frame`], so the same code stamps simulated packets and real ones.

mod contract;
pub mod hpcc;
pub mod rcp;
pub mod xcp;

use dumbbell_core::{Frame, Time, VerdictSink, registry};

pub use contract::{Agent, AgentParams, QueueView, Setting};

registry! {
    /// A router agent with its parameters.
    pub enum AgentSpec in "router" as AgentParams {
        Rcp(rcp::Params),
        Xcp(xcp::Params),
        Hpcc(hpcc::Params),
    }

    /// Any agent.
    #[derive(Clone, Debug)]
    pub enum AnyAgent [] = Machine or Box<dyn contract::Acts>, whichever!($);

    build(setting: Setting) or own => own.open(setting);
}

impl Agent for AnyAgent {
    #[inline]
    fn arrived<P: Frame>(&mut self, now: Time, packet: &P, queue: &QueueView) {
        whichever!(self, a => a.arrived(now, packet, queue));
    }
    #[inline]
    fn leaving<P: Frame>(
        &mut self,
        now: Time,
        packet: &mut P,
        queue: &QueueView,
        sink: &mut impl VerdictSink<P>,
    ) {
        whichever!(self, a => a.leaving(now, packet, queue, sink));
    }
    #[inline]
    fn wake(&mut self, now: Time, queue: &QueueView) {
        whichever!(self, a => a.wake(now, queue));
    }
    #[inline]
    fn wake_at(&self) -> Time {
        whichever!(self, a => a.wake_at())
    }
    fn offered(&self) -> Option<f64> {
        whichever!(self, a => a.offered())
    }
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
