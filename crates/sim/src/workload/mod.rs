//! Workloads: where flows come from while the run goes on. One file each, one line each in the registry.
//!
//! An open-loop workload is a [`Source`]: its flows start at times that are known beforehand. A closed-loop one is a
//! [`session::Program`]: what it starts depends on what has ended.

pub mod closed;
mod contract;
mod facts;
pub mod on_close;
pub mod poisson;
pub mod request_response;
pub mod rounds;
pub mod session;
pub mod shuffle;
pub mod size;
pub mod trace;

use dumbbell_core::registry;

pub(crate) use contract::place_in_transport;
pub use contract::{Common, Flow, FlowSettings, Setting, Source, Traffic, WorkloadParams};
pub use facts::Facts;

registry! {
    /// A workload with its parameters.
    pub enum WorkloadSpec in "workload" as WorkloadParams {
        Poisson(poisson::Poisson),
        Trace(trace::Trace),
        Rounds(rounds::Rounds),
        RequestResponse(request_response::RequestResponse),
        Shuffle(shuffle::Shuffle),
        OnClose(on_close::OnClose),
    }
}
