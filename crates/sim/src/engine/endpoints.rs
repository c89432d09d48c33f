//! The memory of end points, counted a few at a time.

use super::flows::Slot;

/// Flow slots that one count looks into: a small part of the events between two counts, whatever the number of flows.
const LOOKS: usize = 512;

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
    pub(super) rows: usize,
}

impl Endpoints {
    /// Looks into some more slots; returns the bytes of all, as far as is known.
    pub(super) fn look(&mut self, slots: &[Slot]) -> u64 {
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
