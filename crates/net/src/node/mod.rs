//! Node agents: what a router does beside queueing that takes all its ports. One file each, one line each in
//! `node_agents!`.
//!
//! A node agent sees every packet that enters its router, from any port and in either direction, before the packet is
//! queued on its way out. It keeps state of its own, may mark the packet or give it up, and may originate packets to the ends
//! of flows. An agent of one queue, such as RCP's, is a port agent: see [`crate::router`].

mod contract;
#[cfg(test)]
mod laws;
pub mod rbcc;
pub mod source_quench;

use std::sync::Arc;

pub use contract::{Allocated, FlowId, NodeAgent, NodeAgentParams, Outbox, Passage, Port, PortView, Setting};

/// Registers the node agents: `Variant(module)` gives the name in scenarios, the parameters with their defaults and the law
/// tests.
macro_rules! node_agents {
    ($( $variant:ident($module:ident) ),+ $(,)?) => {
        dumbbell_core::registry! {
            /// A node agent with its parameters.
            pub enum NodeAgentSpec in "node agent" as NodeAgentParams { $( $variant($module::Params) ),+ }
        }

        impl NodeAgentSpec {
            /// The parameters, to be shared.
            pub fn share(&self) -> Arc<dyn NodeAgentParams> {
                match self { $( NodeAgentSpec::$variant(p) => Arc::new(p.clone()) ),+ }
            }

            /// Every registered node agent with its default parameters.
            pub fn all_defaults() -> Vec<NodeAgentSpec> {
                vec![ $( NodeAgentSpec::$variant(Default::default()) ),+ ]
            }
        }
    };
}

node_agents! {
    SourceQuench(source_quench),
    Rbcc(rbcc),
}
