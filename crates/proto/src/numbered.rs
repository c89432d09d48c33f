//! What a receiver knows of packets that are numbered from 0: which have arrived, and what was in them.

use dumbbell_core::Time;

use crate::ranges::Ranges;
use crate::transport::ReceiverReport;

/// Packets above the next one expected that are taken in: more than any path holds, so that a header made up by somebody
/// cannot fill the memory.
pub const REACH: u32 = 1 << 22;

/// The packets of a flow as they arrive.
#[derive(Debug)]
pub struct Numbered {
    /// All packets below this number have arrived.
    pub next: u32,
    /// Packets of the flow; `u32::MAX` while unknown.
    total: u32,
    /// Payload of a full packet: the largest seen.
    payload: u16,
    /// Payload of all packets that have arrived, each counted once.
    bytes: u64,
    packets: u64,
    out_of_order: u64,
    finished: Option<Time>,
    /// What arrived above `next`.
    pub held: Ranges,
}

impl Default for Numbered {
    /// Nothing has arrived, and nobody knows how much will.
    fn default() -> Numbered {
        Numbered {
            next: 0,
            total: u32::MAX,
            payload: 0,
            bytes: 0,
            packets: 0,
            out_of_order: 0,
            finished: None,
            held: Ranges::default(),
        }
    }
}

impl Numbered {
    /// Learns how many packets the flow has. What contradicts what has arrived, or what was learned, is no news.
    pub fn learn_total(&mut self, total: u32) {
        // What was taken in cannot lie beyond the end.
        let highest = self.held.last().map_or(u64::from(self.next), |range| range.1);
        if self.total == u32::MAX && total > 0 && u64::from(total) >= highest {
            self.total = total;
        }
    }

    /// Takes in a packet with `payload` bytes of data: true if it was not there before, `None` if the flow cannot have it.
    #[inline]
    pub fn take(&mut self, now: Time, number: u32, payload: u16) -> Option<bool> {
        if number >= self.total || number.saturating_sub(self.next) > REACH {
            return None;
        }
        self.packets += 1;
        self.payload = self.payload.max(payload);
        if number != self.next {
            return Some(self.unexpected(number, payload));
        }
        self.bytes += u64::from(payload);
        self.next += 1;
        if !self.held.is_empty() {
            self.fill();
        }
        if self.is_complete() && self.finished.is_none() {
            self.finished = Some(now);
        }
        Some(true)
    }

    /// True once every packet of the flow has arrived.
    #[inline]
    pub fn is_complete(&self) -> bool {
        self.next == self.total
    }

    /// True for the packet at the end of the flow.
    #[inline]
    pub fn is_last(&self, number: u32) -> bool {
        number + 1 == self.total
    }

    #[cold]
    fn fill(&mut self) {
        if let Some((_, end)) = self.held.first().filter(|range| range.0 <= u64::from(self.next)) {
            self.next = end as u32;
        }
        self.held.remove_below(u64::from(self.next));
    }

    /// A packet that is not the next one; true if it is new.
    #[cold]
    fn unexpected(&mut self, number: u32, payload: u16) -> bool {
        self.out_of_order += 1;
        if number < self.next {
            return false;
        }
        let number = u64::from(number);
        let before = self.held.bytes();
        self.held.insert(number, number + 1, |_, _| {});
        // The ranges count packets here.
        let added = self.held.bytes() - before;
        self.bytes += added * u64::from(payload);
        added > 0
    }

    /// What has arrived.
    pub fn report(&self) -> ReceiverReport {
        ReceiverReport {
            delivered: if self.is_complete() {
                self.bytes
            } else {
                u64::from(self.next) * u64::from(self.payload)
            },
            received: self.bytes,
            packets: self.packets,
            out_of_order: self.out_of_order,
            marks: 0,
            finished: self.finished,
            unread: 0,
            delay: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_packet_is_new_once_in_any_order() {
        let mut numbered = Numbered::default();
        let at = |n: u64| Time::from_nanos(n);
        numbered.learn_total(4);
        let taken = [2, 2, 0, 0, 3, 1, 1].map(|number| numbered.take(at(7), number, 100));
        assert_eq!(taken, [true, false, true, false, true, true, false].map(Some));
        assert!(numbered.is_complete() && numbered.is_last(3) && !numbered.is_last(2));
        let report = numbered.report();
        assert_eq!((report.received, report.delivered, report.packets), (400, 400, 7));
        assert_eq!((report.out_of_order, report.finished), (5, Some(at(7))));
        assert_eq!(numbered.take(at(8), 4, 100), None, "beyond the end");
    }

    #[test]
    fn what_no_path_holds_is_not_taken_in() {
        let mut numbered = Numbered::default();
        assert_eq!(numbered.take(Time::ZERO, REACH + 1, 1), None);
        assert_eq!(numbered.take(Time::ZERO, REACH, 1), Some(true));
        // An end that lies before what has arrived is none, and neither is a flow of nothing.
        for total in [0, REACH] {
            numbered.learn_total(total);
            assert_eq!(numbered.total, u32::MAX);
        }
        numbered.learn_total(REACH + 1);
        numbered.learn_total(REACH + 2);
        assert_eq!(numbered.total, REACH + 1, "the first that it hears");
    }
}
