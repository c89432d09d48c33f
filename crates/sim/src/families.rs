//! The families of algorithms with their built-in members.

use std::sync::LazyLock;

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

use crate::paths::ChoiceSpec;
use crate::topology::TopologySpec;
use crate::workload::WorkloadSpec;
use crate::workload::size::SizeSpec;

/// The built-in registry. A copy of it takes members of other crates:
///
/// ```
/// # use dumbbell_net::queue::QueueSpec;
/// # use dumbbell_net::queue::droptail::Params;
/// let mut registry = dumbbell_sim::built_in().clone();
/// let twice = registry.add(QueueSpec::member::<Params>()).unwrap_err();
/// assert!(twice.to_string().starts_with("queue: two members are called \"droptail\": "));
/// ```
pub fn built_in() -> &'static Registry {
    static BUILT_IN: LazyLock<Registry> = LazyLock::new(|| {
        Registry::new(vec![
            TopologySpec::family("topology", "Topologies: nodes and links"),
            ChoiceSpec::family("paths", "Choices among equally short paths"),
            QueueSpec::family("queue", "Queue disciplines"),
            AgentSpec::family(
                "router",
                "Port agents of routers: what a router does to the packets of one queue",
            ),
            NodeAgentSpec::family(
                "node",
                "Node agents: what a router does beside queueing that takes all its ports",
            ),
            HostPolicySpec::family("host", "Policies of hosts: what the flows that end at a host share"),
            MarkerSpec::family("marker", "Markers: what sets the traffic class of packets"),
            ImpairmentSpec::family("impairment", "Link impairments: what happens to packets on their way"),
            PolicySpec::family("power", "Power policies of a port"),
            PredictorSpec::family("predictor", "Predictors of the arrival rate, for power policies"),
            TransportSpec::family("transport", "Transports"),
            ControllerSpec::family("controller", "Congestion controllers"),
            ScheduleSpec::family("schedule", "Schedules: when an application writes or reads, and how much"),
            WorkloadSpec::family("workload", "Workloads: sources of flows that arrive while the run goes on"),
            SizeSpec::family("size", "Distributions of flow sizes"),
        ])
    });
    &BUILT_IN
}
