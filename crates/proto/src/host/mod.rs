//! Host policies: what the flows that end at one host share. One file each, one line each in `host_policies!`.
//!
//! A policy is told when a flow to its host opens and ends, and when data arrives, and says how large the receive windows of
//! the flows are, or when each may send how much. It never sees a connection: the transport enforces what TCP demands of a window.

mod contract;
pub mod fair_window;
pub mod ia_tcp;
pub mod ictcp;
#[cfg(test)]
mod laws;

use std::sync::Arc;

pub use contract::{Arrival, Grant, Grants, HostPolicy, HostPolicyParams, Setting};

/// Registers the host policies: `Variant(module)` gives the name in scenarios, the parameters with their defaults and the law
/// tests.
macro_rules! host_policies {
    ($( $variant:ident($module:ident) ),+ $(,)?) => {
        dumbbell_core::registry! {
            /// A host policy with its parameters.
            pub enum HostPolicySpec in "host policy" as HostPolicyParams { $( $variant($module::Params) ),+ }
        }

        impl HostPolicySpec {
            /// The parameters, to be shared.
            pub fn share(&self) -> Arc<dyn HostPolicyParams> {
                match self { $( HostPolicySpec::$variant(p) => Arc::new(p.clone()) ),+ }
            }

            /// Every registered host policy with its default parameters.
            pub fn all_defaults() -> Vec<HostPolicySpec> {
                vec![ $( HostPolicySpec::$variant(Default::default()) ),+ ]
            }
        }
    };
}

host_policies! {
    FairWindow(fair_window),
    Ictcp(ictcp),
    IaTcp(ia_tcp),
}
