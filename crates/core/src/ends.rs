//! The hosts of simulated flows, for disciplines that share a link between hosts.

use std::sync::{Arc, PoisonError, RwLock};

/// By flow slot, the source and the destination of a simulated flow. The engine writes it where a link asks for it; all links
/// of a run share it. Without a table nobody is known.
#[derive(Clone, Debug, Default)]
pub struct FlowEnds(Option<Arc<RwLock<Vec<[u32; 2]>>>>);

impl FlowEnds {
    /// An empty table.
    #[must_use]
    pub fn table() -> FlowEnds {
        FlowEnds(Some(Arc::default()))
    }

    /// A flow from the first node to the second begins in a slot.
    #[cold]
    pub fn note(&self, slot: u32, ends: [u32; 2]) {
        let Some(table) = &self.0 else { return };
        let mut table = table.write().unwrap_or_else(PoisonError::into_inner);
        let slots = table.len().max(slot as usize + 1);
        table.resize(slots, [0; 2]);
        table[slot as usize] = ends;
    }

    /// The source and the destination of the flow in a slot.
    #[must_use]
    pub fn of(&self, slot: u32) -> Option<[u32; 2]> {
        let table = self.0.as_ref()?.read().unwrap_or_else(PoisonError::into_inner);
        table.get(slot as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_has_the_ends_of_the_flow_that_began_there_last() {
        let ends = FlowEnds::table();
        let shared = ends.clone();
        assert_eq!(shared.of(3), None);
        ends.note(3, [1, 2]);
        ends.note(3, [4, 5]);
        assert_eq!((shared.of(3), shared.of(4)), (Some([4, 5]), None));
        FlowEnds::default().note(3, [1, 2]);
        assert_eq!(FlowEnds::default().of(3), None);
    }
}
