//! Node agents: what a router does beside queueing that takes all its ports. One file each, one line each in the
//! registry.
//!
//! A node agent sees every packet that enters its router, from any port and in either direction, before the packet is
//! queued on its way out. It keeps state of its own, may mark the packet or give it up, and may originate packets to the ends
//! of flows. An agent of one queue, such as RCP's, is a port agent: see [`crate::router`].

pub mod circuit_breaker;
mod contract;
#[cfg(test)]
mod laws;
pub mod rbcc;
pub mod source_quench;

use dumbbell_core::registry;

pub use contract::{Allocated, FlowId, NodeAgent, NodeAgentParams, Outbox, Passage, Port, PortView, Setting};

registry! {
    /// A node agent with its parameters.
    pub enum NodeAgentSpec in "node agent" as NodeAgentParams {
        SourceQuench(source_quench::Params),
        Rbcc(rbcc::Params),
        CircuitBreaker(circuit_breaker::Params),
    }
}
