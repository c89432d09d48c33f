//! The memory of a run, counted at intervals, so that the run stops before the machine has none left.

use dumbbell_core::Time;
use dumbbell_core::memory::of_vec;
use dumbbell_core::results::{Part, Shortage};
use dumbbell_core::table::Extent;

use super::Engine;
use super::endpoints::PACKET_BYTES;
use super::observer::Observer;

/// Rows that are written without another count: 28 MB of drops or samples.
const ROWS_PER_COUNT: usize = 1 << 20;

impl<O: Observer> Engine<'_, O> {
    /// Tells the budget what all holds that does not ask before it grows.
    #[cold]
    pub(super) fn count_memory(&mut self) {
        self.endpoints.rows = self.rows() + ROWS_PER_COUNT;
        let slots = of_vec(&self.slots) + self.endpoints.look(&self.slots);
        let events =
            self.timers.bytes() + self.network.bytes() + self.sampler.bytes() + self.sessions.bytes();
        let rows = self.recorder.bytes() + self.recorder.transfer_bytes() + self.results.bytes();
        let regions = self.network.observer.regions().map_or(0, |regions| regions.bytes());
        self.budget.count(slots + events + regions + rows);
    }

    /// Counts again if many rows were written since.
    pub(super) fn count_rows(&mut self) {
        if self.rows() > self.endpoints.rows {
            self.count_memory();
        }
    }

    fn rows(&self) -> usize {
        self.results.samples.rows() + self.results.drops.rows() + self.results.estimates.rows()
    }

    /// What a run that is cut short at `time` came to.
    pub(super) fn shortage(&mut self, time: Time) -> Shortage {
        let inside = self.network.packets_inside();
        // A packet that entered a link ahead of time is stored there, and waits for a link before it.
        let links = (0..).zip(&mut self.network.links).zip(&self.network.ahead).filter(|(_, ahead)| !**ahead);
        let packets = match links.map(|((i, link), _)| (link.backlog_early(time), i)).max() {
            Some((packets, link)) if 2 * packets >= inside => Part::Queue { link, packets },
            _ => Part::InFlight(inside),
        };
        let recorder = &self.recorder;
        let (flows, transfers) = (recorder.rows(), recorder.transfer_rows());
        let recorded = [
            Extent { table: "flows", rows: flows, bytes: recorder.bytes() },
            Extent { table: "transfers", rows: transfers, bytes: recorder.transfer_bytes() },
        ];
        let tables = recorded.into_iter().chain(self.results.extents());
        let tables = tables.map(|e| (e.bytes, Part::Rows { table: e.table, rows: e.rows as u64 }));
        let flows = (of_vec(&self.slots) + self.timers.bytes(), Part::Flows(self.slots.len() as u64));
        let parts = tables.chain([flows, (inside * PACKET_BYTES, packets)]);
        let largest = parts.max_by_key(|(bytes, _)| *bytes);
        Shortage { time, limit: self.budget.limit(), largest: largest.map_or(packets, |(_, part)| part) }
    }
}
