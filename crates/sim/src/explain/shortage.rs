//! The message for a run that has used up its memory.

use dumbbell_core::results::{Part, Shortage};
use dumbbell_core::{Bytes, ConfigError, Duration};

use crate::plan::Plan;

impl Plan {
    /// What took the memory of a run of this plan, and what to do about it.
    pub fn explain_shortage(&self, shortage: &Shortage) -> ConfigError {
        let (what, remedy) = match shortage.largest {
            Part::Queue { link, packets } => {
                let name = &self.links[link as usize].name;
                (
                    format!("{packets} packets wait for {name}"),
                    "give its queue a limit, or lower the rates before it",
                )
            }
            Part::InFlight(packets) => {
                (format!("{packets} packets are in flight"), "lower the rates or the delays of the links")
            }
            Part::Flows(flows) => {
                (format!("{flows} flows were in progress at a time"), "let fewer start, or make them shorter")
            }
            Part::Network { links } => {
                (format!("the network has {links} links"), "give it fewer nodes, or queues with less state")
            }
            Part::Rows { table, rows } => (
                format!("the table {table} has {rows} rows"),
                match table {
                    "flows" | "transfers" => "set record.flows=false",
                    "samples" => "give a longer record.period, or set record.samples=false",
                    "drops" => "set record.drops=false",
                    "quantiles" => "sample fewer flows",
                    "controller_states" | "estimates" => "set record.controllers=false",
                    _ => "record fewer links",
                },
            ),
        };
        let (limit, until) = (Bytes::new(shortage.limit), Duration::from_nanos(shortage.time.as_nanos()));
        ConfigError::new(
            "memory",
            format!("the limit of {limit} is reached at {until} of {}: {what}", self.duration + self.drain),
            format!("{remedy}, or allow more by --memory"),
        )
    }
}
