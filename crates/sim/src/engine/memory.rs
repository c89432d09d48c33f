//! The memory of a run, counted at intervals, so that the run stops before the machine has none left.

use dumbbell_core::Time;
use dumbbell_core::memory::of_vec;
use dumbbell_core::results::{Part, Shortage};
use dumbbell_core::table::Extent;

use super::Engine;
use super::flows::Slot;

/// Flow slots that one count looks into: a small part of the events between two counts, whatever the number of flows.
const LOOKS: usize = 512;

/// Rows that are written without another count: 28 MB of drops or samples.
const ROWS_PER_COUNT: usize = 1 << 20;

/// Bytes that a packet on a link takes, with what the link notes of it: `bench/record.txt`, rounded up.
pub const PACKET_BYTES: u64 = 96;

/// What has been counted of things that are too many to count at once.
#[derive(Debug, Default)]
pub(super) struct Endpoints {
    /// The next slot to look into.
    next: usize,
    /// Bytes of those before it.
    partial: u64,
    /// Bytes of all, when last gone through.
    whole: u64,
    /// Rows at which to count again.
    rows: usize,
}

impl Endpoints {
    /// Looks into some more slots; returns the bytes of all, as far as is known.
    fn look(&mut self, slots: &[Slot]) -> u64 {
        let end = (self.next + LOOKS).min(slots.len());
        let bytes = |slot: &Slot| slot.sender.memory() + slot.receiver.memory();
        self.partial += slots[self.next.min(end)..end].iter().map(bytes).sum::<u64>();
        self.next = end;
        if end == slots.len() {
            (self.next, self.whole, self.partial) = (0, self.partial, 0);
        }
        self.whole.max(self.partial)
    }
}

impl Engine<'_> {
    /// Tells the budget what all holds that does not ask before it grows.
    #[cold]
    pub(super) fn count_memory(&mut self) {
        self.endpoints.rows = self.rows() + ROWS_PER_COUNT;
        let slots = of_vec(&self.slots) + self.endpoints.look(&self.slots);
        let events =
            self.timers.bytes() + self.network.bytes() + self.sampler.bytes() + self.sessions.bytes();
        let rows = self.recorder.bytes() + self.recorder.transfer_bytes() + self.results.bytes();
        self.budget.count(slots + events + rows);
    }

    /// Counts again if many rows were written since.
    pub(super) fn count_rows(&mut self) {
        if self.rows() > self.endpoints.rows {
            self.count_memory();
        }
    }

    fn rows(&self) -> usize {
        self.results.samples.rows() + self.results.drops.rows()
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
