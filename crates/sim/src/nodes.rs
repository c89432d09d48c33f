//! What a scenario says of its nodes: `[[nodes]]`.

use std::collections::HashMap;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{Validate, config};

use crate::names::NameList;
use crate::topology;

config! {
    /// What some nodes have beside their links.
    pub struct NodesSpec {
        /// The nodes: a group, a node, or a list of them. A node stands in one entry at most.
        name: NameList;
    }
}

impl Validate for NodesSpec {}

/// The nodes that the entries at `at` name: each with the position of its entry, by the number of the node.
///
/// # Errors
/// Unknown names, and a node that two entries name.
pub fn resolve(
    entries: &[NodesSpec],
    names: &topology::Names<'_>,
    at: &At<'_>,
) -> Result<Vec<(u32, usize)>, ConfigError> {
    let mut found: HashMap<u32, usize> = HashMap::new();
    for (i, entry) in entries.iter().enumerate() {
        let entry_at = at.index(i);
        let place = entry_at.key("name");
        for node in names.members_of_all(&entry.name, &place)? {
            if let Some(other) = found.insert(node, i) {
                let name = names.of_node(node);
                let other =
                    if other == i { "twice here".to_owned() } else { format!("in {}", at.index(other)) };
                return Err(place.error(
                    format!("the node {name:?} stands {other}"),
                    "describe each node in one entry, once",
                ));
            }
        }
    }
    let mut nodes: Vec<(u32, usize)> = found.into_iter().collect();
    nodes.sort_unstable();
    Ok(nodes)
}
