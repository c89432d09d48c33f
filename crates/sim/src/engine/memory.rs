//! What took the memory of a run that was cut short. How much it takes is counted where it is taken: `dumbbell_core::memory`.

use dumbbell_core::Time;
use dumbbell_core::memory::of_vec;
use dumbbell_core::results::{Part, Shortage};

use super::Engine;
use super::observer::Observer;
use super::share::Share;

/// Bytes that a packet on a link takes, with what the link notes of it: `bench/record.txt`, rounded up.
pub const PACKET_BYTES: u64 = 96;

impl<O: Observer, S: Share> Engine<O, S> {
    /// What a run that is cut short at `time` came to.
    pub(super) fn shortage(&mut self, time: Time) -> Shortage {
        let inside = self.network.packets_inside();
        // A packet that entered a link ahead of time is stored there, and waits for a link before it.
        let links = (0..).zip(&mut self.network.links).zip(&self.network.ahead).filter(|(_, ahead)| !**ahead);
        let packets = match links.map(|((i, link), _)| (link.read().backlog_early(time), i)).max() {
            Some((packets, link)) if 2 * packets >= inside => Part::Queue { link, packets },
            _ => Part::InFlight(inside),
        };
        let tables = self.recorder.extents().into_iter().chain(self.results.extents());
        let tables = tables.map(|e| (e.bytes, Part::Rows { table: e.table, rows: e.rows as u64 }));
        let flows = (of_vec(&self.slots) + self.timers.bytes(), Part::Flows(self.slots.len() as u64));
        let network = (self.at_start, Part::Network { links: self.network.links.len() as u64 });
        let parts = tables.chain([network, flows, (inside * PACKET_BYTES, packets)]);
        let largest = parts.max_by_key(|(bytes, _)| *bytes);
        Shortage { time, limit: self.budget.limit(), largest: largest.map_or(packets, |(_, part)| part) }
    }
}
