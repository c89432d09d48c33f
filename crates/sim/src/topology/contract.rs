//! What a topology gives, and what several of them share.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_net::link::LinkSpec;

use super::network::Network;
use crate::limits::{MAX_LINKS, MAX_NODES};

/// A topology that can be built.
pub trait Topology: Send + Sync {
    /// Nodes, links and groups, in a run with `seed`.
    ///
    /// # Errors
    /// What is wrong with the parameters that stand at `at`.
    fn build(&self, seed: u64, at: &At<'_>) -> Result<Network, ConfigError>;

    /// True if another seed of the run gives another network.
    fn follows_seed(&self) -> bool {
        false
    }
}

/// The link of a host in a fabric: the queue of the switch's port is that of the `fabric`'s, unless it is given.
pub(crate) fn to_host(mut host: LinkSpec, fabric: &LinkSpec) -> LinkSpec {
    host.reverse.queue.get_or_insert_with(|| fabric.queue.clone());
    host
}

/// Refuses a count of `key` outside `1..=most`.
pub fn check_count(key: &str, count: u32, most: usize, at: &At<'_>) -> Result<(), ConfigError> {
    if count == 0 {
        return Err(at.key(key).error("must be above zero", "give 1 or more"));
    }
    if count as usize > most {
        return Err(at
            .key(key)
            .error(format!("{count} is above the limit of {most}"), "make the topology smaller"));
    }
    Ok(())
}

/// The most hosts a ready-made topology can hold, with two nodes and four directed links for each.
pub const MAX_HOSTS: usize =
    if MAX_NODES / 2 < MAX_LINKS / 4 { MAX_NODES / 2 - 2 } else { MAX_LINKS / 4 - 2 };
