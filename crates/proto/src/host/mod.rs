//! Host policies: what the flows that end at one host share. One file each, one line each in the registry.
//!
//! A policy hears when a flow to its host opens and ends, and when data arrives. It decides how large the receive windows of
//! the flows are, or when each may send how much. It never sees a connection: the transport enforces what TCP demands of a window.

mod contract;
pub mod fair_window;
pub mod ia_tcp;
pub mod ictcp;
#[cfg(test)]
mod laws;

use dumbbell_core::registry;

pub use contract::{Arrival, Grant, Grants, HostPolicy, HostPolicyParams, Setting};

registry! {
    /// A host policy with its parameters.
    pub enum HostPolicySpec in "host policy" as HostPolicyParams {
        FairWindow(fair_window::Params),
        Ictcp(ictcp::Params),
        IaTcp(ia_tcp::Params),
    }
}
