//! From a scenario to results: validation, topology, routing, workloads, and the event-driven engine.

pub mod aliases;
pub mod arrivals;
mod classes;
pub mod engine;
pub mod explain;
mod families;
pub mod files;
pub mod fluid;
pub mod histogram;
pub mod limits;
pub mod names;
pub mod nodes;
pub mod origin;
pub mod own;
pub mod pairs;
pub mod paths;
pub mod plan;
mod planner;
pub mod roles;
pub mod routing;
pub mod scenario;
pub mod schema;
mod syntax;
pub mod threads;
pub mod toml;
pub mod topology;
pub mod trace;
pub mod workload;

pub use engine::{
    Advanced, Cut, Event, FlowNow, Interrupted, LastEvents, LinkNow, Observer, Opened, Peek, Progress, Run,
    run, run_observed,
};
pub use explain::Explanation;
pub use families::built_in;
pub use plan::Plan;
pub use scenario::Scenario;
pub use schema::{
    TABLES, algorithms, declarations_json, descriptors, fields_json, members_json, modules_json,
    registry_json, schema, tables_json,
};
pub use threads::Whole;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
