//! What arrived within the observation window (RFC 8698 section 4.2: LOGWIN), in slots of a fiftieth: sums of fixed size.

use dumbbell_core::{Duration, Time};

const SLOTS: u64 = 50;

/// A packet that arrived.
#[derive(Debug)]
pub struct Seen {
    pub bytes: u64,
    /// How long it was on its way.
    pub way: Duration,
    pub marked: bool,
    /// Numbers between it and the highest before it.
    pub missing: u64,
    /// It was missing.
    pub late: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    packets: u64,
    bytes: u64,
    marked: u64,
    lost: u64,
    longest: Duration,
}

/// What the window holds.
#[derive(Debug)]
pub struct Summary {
    /// Bits a second.
    pub rate: f64,
    /// Lost packets per packet sent.
    pub lost: f64,
    /// Marked packets per packet that arrived.
    pub marked: f64,
    /// The longest time that one was on its way.
    pub longest: Duration,
}

/// The slots of the last moments.
#[derive(Debug)]
pub struct Window {
    slots: [Slot; SLOTS as usize],
    /// Nanoseconds of a slot.
    length: u64,
    /// The number of the latest slot, since time 0.
    latest: u64,
    /// When the first packet arrived; `None` before.
    first: Option<Time>,
}

impl Window {
    /// An empty window of this length.
    pub fn new(length: Duration) -> Window {
        let length = (length.as_nanos() / SLOTS).max(1);
        Window { slots: [Slot::default(); SLOTS as usize], length, latest: 0, first: None }
    }

    /// Forgets what has left the window; gives the place of the latest slot.
    fn advance(&mut self, now: Time) -> usize {
        let number = now.as_nanos() / self.length;
        for passed in 1..=number.saturating_sub(self.latest).min(SLOTS) {
            self.slots[((self.latest + passed) % SLOTS) as usize] = Slot::default();
        }
        // The slots that a long silence skips are empty as well.
        self.latest = self.latest.max(number);
        (self.latest % SLOTS) as usize
    }

    /// Adds a packet. The first sets the beginning of the time over which bytes are counted.
    pub fn add(&mut self, now: Time, seen: &Seen) {
        let place = self.advance(now);
        let counts = self.first.is_some();
        self.first.get_or_insert(now);
        if seen.late {
            let back = |age: u64| ((self.latest + SLOTS - age) % SLOTS) as usize;
            let young = (0..SLOTS).map(back).find(|place| self.slots[*place].lost > 0);
            young.into_iter().for_each(|place| self.slots[place].lost -= 1);
        }
        let slot = &mut self.slots[place];
        slot.packets += 1;
        slot.bytes += if counts { seen.bytes } else { 0 };
        slot.marked += u64::from(seen.marked);
        slot.lost = slot.lost.saturating_add(seen.missing);
        slot.longest = slot.longest.max(seen.way);
    }

    /// What the window holds now.
    pub fn summary(&mut self, now: Time) -> Summary {
        self.advance(now);
        let sum = |of: fn(&Slot) -> u64| self.slots.iter().map(of).fold(0, u64::saturating_add) as f64;
        let (packets, lost) = (sum(|slot| slot.packets), sum(|slot| slot.lost));
        let start = Time::from_nanos((self.latest + 1).saturating_sub(SLOTS).saturating_mul(self.length));
        let time = now.since(self.first.map_or(start, |first| first.max(start))).max(Duration::from_nanos(1));
        Summary {
            rate: sum(|slot| slot.bytes) * 8.0 / time.as_secs_f64(),
            lost: lost / (lost + packets).max(1.0),
            marked: sum(|slot| slot.marked) / packets.max(1.0),
            longest: self.slots.iter().map(|slot| slot.longest).max().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ms;

    fn seen(way: u64) -> Seen {
        Seen { bytes: 1000, way: Duration::from_millis(way), marked: false, missing: 0, late: false }
    }

    #[test]
    fn what_is_older_than_the_window_is_forgotten() {
        let mut window = Window::new(Duration::from_millis(500));
        for n in 0..100_u32 {
            window.add(ms(10.0 * f64::from(n)), &seen(if n == 20 { 90 } else { 50 }));
        }
        // 1000 bytes in 10 ms. The packet of 200 ms left the window at 700 ms.
        let summary = window.summary(ms(995.0));
        assert!((summary.rate / 0.8e6 - 1.0).abs() < 0.02, "{}", summary.rate);
        assert_eq!((summary.longest, summary.lost), (Duration::from_millis(50), 0.0));
        let silent = window.summary(ms(5000.0));
        assert_eq!((silent.rate, silent.longest), (0.0, Duration::ZERO));
    }

    #[test]
    fn a_late_packet_was_not_lost() {
        let mut window = Window::new(Duration::from_millis(500));
        window.add(ms(0.0), &seen(50));
        window.add(ms(10.0), &Seen { missing: 2, marked: true, ..seen(50) });
        assert_eq!(window.summary(ms(10.0)).lost, 0.5);
        window.add(ms(30.0), &Seen { late: true, ..seen(70) });
        let summary = window.summary(ms(30.0));
        assert_eq!((summary.lost, summary.marked), (0.25, 1.0 / 3.0));
    }
}
