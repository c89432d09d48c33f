//! Wake-ups of endpoints. Each endpoint has at most one live entry; a deadline that moves later costs nothing until
//! the old one comes up.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use dumbbell_core::Time;

/// A heap of (time, endpoint).
#[derive(Debug, Default)]
pub struct Timers {
    heap: BinaryHeap<Reverse<(Time, u32)>>,
    /// Per endpoint: the earliest live entry.
    armed: Vec<Time>,
}

impl Timers {
    /// Makes room for `endpoints` endpoints.
    pub fn reserve(&mut self, endpoints: usize) {
        if self.armed.len() < endpoints {
            self.armed.resize(endpoints, Time::NEVER);
        }
    }

    /// Makes sure that `endpoint` is woken at `at` or earlier. Returns true if the earliest wake-up of all changed.
    #[inline]
    pub fn arm(&mut self, endpoint: u32, at: Time) -> bool {
        if at >= self.armed[endpoint as usize] {
            return false;
        }
        self.armed[endpoint as usize] = at;
        let first = self.next();
        self.heap.push(Reverse((at, endpoint)));
        at < first
    }

    /// Forgets the wake-up of an endpoint that closed; its entry, if any, is skipped when it comes up.
    pub fn disarm(&mut self, endpoint: u32) {
        self.armed[endpoint as usize] = Time::NEVER;
    }

    /// When the next entry comes up.
    #[inline]
    pub fn next(&self) -> Time {
        self.heap.peek().map_or(Time::NEVER, |Reverse((at, _))| *at)
    }

    /// Takes the entry that comes up at `now`; `None` if it was superseded.
    pub fn take(&mut self, now: Time) -> Option<u32> {
        let Reverse((at, endpoint)) = self.heap.pop()?;
        debug_assert!(at <= now);
        let live = self.armed[endpoint as usize] == at;
        if live {
            self.armed[endpoint as usize] = Time::NEVER;
        }
        live.then_some(endpoint)
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(timers.next(), Time::NEVER);
    }
}
