//! Wake-ups of endpoints. Each endpoint has at most one live entry; a deadline that moves later costs nothing until
//! the old one comes up.
//!
//! The entries stand in a heap of four children to a node: half as deep as one of two, and the children of a node lie
//! side by side. An entry is one number, so that a comparison has no branch. An endpoint that is woken is mostly armed again
//! at once: its new entry takes the place of the old one, in one pass in place of two.

use dumbbell_core::{Time, memory};

/// A heap of (time, endpoint).
#[derive(Debug, Default)]
pub struct Timers {
    /// `time << 32 | endpoint`.
    heap: Vec<u128>,
    /// True if the entry at the top was taken and nothing has come in its place.
    hole: bool,
    /// Per endpoint: the earliest live entry.
    armed: Vec<Time>,
}

const CHILDREN: usize = 4;

impl Timers {
    /// Makes room for `endpoints` endpoints.
    pub fn reserve(&mut self, endpoints: usize) {
        if self.armed.len() < endpoints {
            self.armed.resize(endpoints, Time::NEVER);
        }
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> u64 {
        memory::of_vec(&self.heap) + memory::of_vec(&self.armed)
    }

    /// Makes sure that `endpoint` is woken at `at` or earlier. Returns true if the earliest wake-up of all changed, but
    /// for the first call after [`Timers::take`]: after that, ask [`Timers::first`].
    #[inline]
    pub fn arm(&mut self, endpoint: u32, at: Time) -> bool {
        if at >= self.armed[endpoint as usize] {
            return false;
        }
        self.armed[endpoint as usize] = at;
        let entry = u128::from(at.as_nanos()) << 32 | u128::from(endpoint);
        if self.hole {
            self.hole = false;
            self.sink(entry);
            return false;
        }
        self.rise(entry)
    }

    /// Forgets the wake-up of an endpoint that closed; its entry, if any, is skipped when it comes up.
    pub fn disarm(&mut self, endpoint: u32) {
        self.armed[endpoint as usize] = Time::NEVER;
    }

    /// When `endpoint` is woken, [`Time::NEVER`] if it is not armed.
    pub fn armed(&self, endpoint: u32) -> Time {
        self.armed[endpoint as usize]
    }

    /// When the next entry comes up.
    #[inline]
    pub fn first(&mut self) -> Time {
        if self.hole {
            self.close_hole();
        }
        self.heap.first().map_or(Time::NEVER, |entry| time_of(*entry))
    }

    /// Takes the entry that comes up at `now`; `None` if it was superseded.
    #[inline]
    pub fn take(&mut self, now: Time) -> Option<u32> {
        if self.hole {
            self.close_hole();
        }
        let entry = *self.heap.first()?;
        self.hole = true;
        let (at, endpoint) = (time_of(entry), entry as u32);
        debug_assert!(at <= now);
        let live = self.armed[endpoint as usize] == at;
        if live {
            self.armed[endpoint as usize] = Time::NEVER;
        }
        live.then_some(endpoint)
    }

    /// Puts the last entry into the place of the one taken.
    fn close_hole(&mut self) {
        self.hole = false;
        if let Some(last) = self.heap.pop()
            && !self.heap.is_empty()
        {
            self.sink(last);
        }
    }

    /// Adds an entry at the bottom. Returns true if it rises to the top.
    fn rise(&mut self, entry: u128) -> bool {
        let mut i = self.heap.len();
        self.heap.push(entry);
        while i > 0 {
            let parent = (i - 1) / CHILDREN;
            if self.heap[parent] <= entry {
                break;
            }
            self.heap[i] = self.heap[parent];
            i = parent;
        }
        self.heap[i] = entry;
        i == 0
    }

    /// Puts an entry in the place of the first, and lets it sink to where it belongs.
    fn sink(&mut self, entry: u128) {
        let heap = &mut self.heap[..];
        let mut i = 0;
        loop {
            let first = CHILDREN * i + 1;
            let least =
                if let Some(&[a, b, c, d]) = heap.get(first..first + CHILDREN).and_then(|s| s.as_array()) {
                    let (ab, i_ab) = if b < a { (b, first + 1) } else { (a, first) };
                    let (cd, i_cd) = if d < c { (d, first + 3) } else { (c, first + 2) };
                    if cd < ab { (cd, i_cd) } else { (ab, i_ab) }
                } else {
                    match (first..heap.len()).map(|child| (heap[child], child)).min() {
                        Some(least) => least,
                        None => break,
                    }
                };
            if entry <= least.0 {
                break;
            }
            heap[i] = least.0;
            i = least.1;
        }
        heap[i] = entry;
    }
}

#[inline]
fn time_of(entry: u128) -> Time {
    Time::from_nanos((entry >> 32) as u64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_later_deadline_is_lazy_and_an_earlier_one_supersedes() {
        let t = Time::from_nanos;
        let mut timers = Timers::default();
        timers.reserve(2);
        assert!(timers.arm(0, t(10)));
        assert!(!timers.arm(0, t(20)), "later: the endpoint re-arms itself when woken at 10");
        assert!(timers.arm(0, t(5)));
        assert!(!timers.arm(1, t(7)));
        assert_eq!(timers.take(t(5)), Some(0));
        assert_eq!(timers.take(t(7)), Some(1));
        assert_eq!(timers.take(t(10)), None, "superseded at 5");
        assert_eq!(timers.first(), Time::NEVER);
    }

    proptest! {
        /// Entries come up by time, then by endpoint, whatever is armed between.
        #[test]
        fn entries_come_up_in_order(steps in prop::collection::vec((0..40_u32, 0..30_u64, prop::bool::weighted(0.6)), 1..200)) {
            let mut timers = Timers::default();
            timers.reserve(40);
            let mut model: Vec<(Time, u32)> = Vec::new();
            let mut now = Time::ZERO;
            for (endpoint, after, take) in steps {
                if take {
                    model.sort_unstable();
                    let first = model.first().copied();
                    prop_assert_eq!(timers.first(), first.map_or(Time::NEVER, |f| f.0));
                    if let Some((at, endpoint)) = first {
                        now = at;
                        model.remove(0);
                        prop_assert_eq!(timers.take(now), Some(endpoint));
                    }
                }
                if model.iter().all(|(_, e)| *e != endpoint) {
                    let at = Time::from_nanos(now.as_nanos() + after);
                    timers.arm(endpoint, at);
                    model.push((at, endpoint));
                }
            }
        }
    }
}
