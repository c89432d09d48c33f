//! Limits on everything that a scenario can ask for, so that a typing error gives a message and does not fill the memory.
//! The limits of single quantities are in [`dumbbell_core::quantity`], which parses them.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{Bytes, quantity};
pub use dumbbell_net::link::{MAX_MTU, MIN_MTU};

/// Nodes in a topology.
pub const MAX_NODES: usize = 200_000;
/// Directed links in a topology: the event queue keeps the owner of an event in the low bits of its time.
pub const MAX_LINKS: usize = 100_000;
/// Nodes in `[[nodes]]`: those that have agents are owners of events as links are.
pub const MAX_NODE_OWNERS: usize = 30_000;
/// Pairs of nodes that exchange packets.
pub const MAX_PAIRS: usize = 1_000_000;
/// Equally short paths from one node to another, where all are used: more than the largest fat-tree within [`MAX_LINKS`] has.
pub const MAX_PATHS: usize = 1024;
/// Links in all routes together.
pub const MAX_ROUTE_LINKS: usize = 50_000_000;
/// Flows of one run: those listed, and those expected from workloads.
pub const MAX_FLOWS: u64 = 20_000_000;
/// Sampling instants of one run.
pub const MAX_SAMPLES: u64 = 50_000_000;
/// Characters of a name: what a line of a table or a legend can show.
pub const MAX_NAME_CHARS: usize = 100;
/// Bytes of a trace, a recorded packet list or a distribution file: half an hour of a Mahimahi trace of 1 Gbit/s.
pub const MAX_FILE_BYTES: u64 = 1 << 30;
/// Rows of such a file: two minutes of full packets at 10 Gbit/s, which take 1.6 GB of memory.
pub const MAX_ROWS: usize = 100_000_000;
/// Bytes of a scenario or a study: a graph of [`MAX_LINKS`] links, listed one by one, has 10 MB. The values read take up to
/// thirty times the memory of the text.
pub const MAX_TEXT_BYTES: u64 = 16 << 20;
/// The longest run, and the longest time in a scenario.
pub const MAX_DURATION_SECS: u64 = quantity::MAX_DURATION.as_nanos() / 1_000_000_000;
/// The largest flow.
pub const MAX_FLOW_BYTES: u64 = quantity::MAX_BYTES.get();
/// Offered load on a link, as a multiple of its rate.
pub const MAX_LOAD: f64 = 10.0;

/// Refuses a flow of nothing.
pub fn check_size(size: Option<Bytes>, at: &At<'_>) -> Result<(), ConfigError> {
    if size == Some(Bytes::new(0)) {
        return Err(at.error("a flow of no bytes has nothing to measure", "give 1B or more"));
    }
    Ok(())
}

/// Refuses a name that no table or figure has room for.
///
/// # Errors
/// If it is longer than [`MAX_NAME_CHARS`].
pub(crate) fn check_length(name: &str, at: &At<'_>) -> Result<(), ConfigError> {
    match name.chars().count() {
        n if n > MAX_NAME_CHARS => Err(at
            .error(format!("a name of {n} characters is above the limit of {MAX_NAME_CHARS}"), "shorten it")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_run_of_the_largest_network_fits_the_event_queue() {
        assert!(crate::engine::horizon(MAX_LINKS, MAX_NODE_OWNERS).as_secs_f64() > MAX_DURATION_SECS as f64);
    }
}
