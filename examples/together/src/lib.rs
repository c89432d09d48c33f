//! A registry with the members of all examples: what a program of one's own does before it reads a scenario.

use dumbbell_core::ConfigError;
use dumbbell_core::registry::Registry;
use dumbbell_net::impairment::ImpairmentSpec;
use dumbbell_net::marker::MarkerSpec;
use dumbbell_net::node::NodeAgentSpec;
use dumbbell_net::power::PolicySpec;
use dumbbell_net::power::predictor::PredictorSpec;
use dumbbell_net::queue::QueueSpec;
use dumbbell_net::router::AgentSpec;
use dumbbell_proto::host::HostPolicySpec;
use dumbbell_proto::schedule::ScheduleSpec;
use dumbbell_proto::{ControllerSpec, TransportSpec};
use dumbbell_sim::built_in;
use dumbbell_sim::paths::ChoiceSpec;
use dumbbell_sim::topology::TopologySpec;
use dumbbell_sim::workload::WorkloadSpec;
use dumbbell_sim::workload::size::SizeSpec;

/// The built-in members of all families, and those of the examples: one of each family at least.
///
/// # Errors
/// Two members of a family have one name.
pub fn registry() -> Result<Registry, ConfigError> {
    let mut registry = built_in().clone();
    for member in [
        ChoiceSpec::member::<dumbbell_example_backup_path::Params>(),
        ControllerSpec::member::<dumbbell_example_binomial::Params>(),
        ControllerSpec::member::<dumbbell_example_headroom::controller::Params>(),
        ControllerSpec::member::<dumbbell_example_maxrate::Params>(),
        ImpairmentSpec::member::<dumbbell_example_bursts::Params>(),
        MarkerSpec::member::<dumbbell_example_every::Params>(),
        HostPolicySpec::member::<dumbbell_example_first_come::Params>(),
        QueueSpec::member::<dumbbell_example_headdrop::Params>(),
        QueueSpec::member::<dumbbell_example_partial_sharing::Params>(),
        AgentSpec::member::<dumbbell_example_headroom::agent::Params>(),
        AgentSpec::member::<dumbbell_example_phantom::Params>(),
        PredictorSpec::member::<dumbbell_example_last_gap::Params>(),
        PolicySpec::member::<dumbbell_example_ondemand::Params>(),
        TopologySpec::member::<dumbbell_example_parallel::Parallel>(),
        WorkloadSpec::member::<dumbbell_example_periodic::Periodic>(),
        WorkloadSpec::member::<dumbbell_example_relay::Relay>(),
        NodeAgentSpec::member::<dumbbell_example_periodic_quench::Params>(),
        ScheduleSpec::member::<dumbbell_example_spurts::Params>(),
        TransportSpec::member::<dumbbell_example_stop_and_wait::Params>(),
        SizeSpec::member::<dumbbell_example_triangular::Triangular>(),
    ] {
        registry.add(member)?;
    }
    Ok(registry)
}
