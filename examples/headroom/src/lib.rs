//! In-band telemetry: a header that data segments carry, the port agent that writes it, and the controller that obeys it.

pub mod agent;
pub mod controller;
pub mod header;
