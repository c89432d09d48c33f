//! The memory that a run may use.
//!
//! A run, or a part of one, stays in one thread. The rings that hold packets, deep inside links and queue disciplines, call
//! [`grow`] before they grow, so no discipline has to think of it. [`grow`] finds the budget of the thread's run. This is not on
//! the path of a packet, since a ring grows by a quarter at a time. When the budget is exhausted, nothing fails: the run
//! stops before the next event, with a complete state.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::time::Time;

thread_local! {
    static CURRENT: RefCell<Option<Rc<Budget>>> = const { RefCell::new(None) };
}

/// What one run may use, and when it must stop.
#[derive(Debug)]
pub struct Budget {
    limit: u64,
    /// Bytes of what asks before it grows.
    grown: Cell<u64>,
    /// Bytes of all else, as last counted.
    counted: Cell<u64>,
    /// The loop of the run compares every event with this time, so that a run that fits pays nothing for its budget.
    stop: Cell<Time>,
    exhausted: Cell<bool>,
}

/// The budget of this thread's run, until it goes out of scope.
#[derive(Debug)]
pub struct Entered {
    budget: Rc<Budget>,
    outer: Option<Rc<Budget>>,
}

impl Budget {
    /// Gives the run that this thread begins `limit` bytes, until `stop`.
    pub fn enter(limit: u64, stop: Time) -> Entered {
        let budget = Rc::new(Budget {
            limit,
            grown: Cell::new(0),
            counted: Cell::new(0),
            stop: Cell::new(stop),
            exhausted: Cell::new(false),
        });
        let outer = CURRENT.with(|current| current.replace(Some(Rc::clone(&budget))));
        Entered { budget, outer }
    }

    /// The time after which nothing happens any more: the start, once the budget is exhausted.
    #[inline]
    pub fn stop(&self) -> Time {
        self.stop.get()
    }

    /// Moves the end of the run, unless it was cut short.
    pub fn set_stop(&self, stop: Time) {
        if !self.exhausted.get() {
            self.stop.set(stop);
        }
    }

    /// True once more was asked for than the limit.
    pub fn is_exhausted(&self) -> bool {
        self.exhausted.get()
    }

    /// The limit in bytes.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Takes note of the bytes held by all that does not ask before it grows.
    pub fn count(&self, bytes: u64) {
        self.counted.set(bytes);
        self.check();
    }

    /// Bytes taken, as far as is known.
    pub fn used(&self) -> u64 {
        self.grown.get().saturating_add(self.counted.get())
    }

    /// Takes over the bytes of another part of the run.
    pub fn take_over(&self, bytes: u64) {
        self.grown.set(self.grown.get().saturating_add(bytes));
        self.check();
    }

    /// Stops the run: its limit is reached, or the system has no more.
    fn exhaust(&self) {
        self.exhausted.set(true);
        self.stop.set(Time::ZERO);
    }

    fn check(&self) {
        if self.used() > self.limit {
            self.exhaust();
        }
    }
}

impl std::ops::Deref for Entered {
    type Target = Budget;
    fn deref(&self) -> &Budget {
        &self.budget
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.with(|current| current.replace(self.outer.take()));
    }
}

/// Items by which anything grows at least.
const LEAST: usize = 8;

/// Makes room for `more` items, or a few, behind the `len` items of `size` bytes each of a full store; `reserve` gets it
/// the room for so many.
///
/// Once the run of this thread must stop, the store grows by the least that will do until the event is over.
#[cold]
pub fn grow<E>(len: usize, more: usize, size: usize, mut reserve: impl FnMut(usize) -> Result<(), E>) {
    let more = more.max(LEAST);
    if asked((more * size) as u64) {
        if reserve(more).is_ok() {
            return;
        }
        with_current(|budget| {
            budget.exhaust();
            false
        });
    }
    // If even that is refused, so is what comes next, by the allocator.
    let _ = reserve((len / 64).max(LEAST));
}

/// Takes note of `bytes` more. False once the run of this thread must stop.
fn asked(bytes: u64) -> bool {
    with_current(|budget| {
        budget.grown.set(budget.grown.get().saturating_add(bytes));
        budget.check();
        !budget.is_exhausted()
    })
}

/// True where there is no run.
fn with_current(f: impl FnOnce(&Budget) -> bool) -> bool {
    CURRENT.with(|current| current.borrow().as_deref().is_none_or(f))
}

/// Bytes of a vector, with those of its next doubling once that is near.
pub fn of_vec<T>(vec: &Vec<T>) -> u64 {
    let doubled = if vec.len() >= vec.capacity() - vec.capacity() / 4 { 2 } else { 1 };
    doubled * (vec.capacity() * size_of::<T>()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_asks_beyond_the_limit_stops_the_run_of_its_thread() {
        let end = Time::from_nanos(10);
        let run = Budget::enter(1000, end);
        run.count(400);
        assert!(asked(600));
        assert!(std::thread::spawn(|| asked(u64::MAX)).join().unwrap(), "another thread's run is another");
        assert_eq!((run.stop(), run.is_exhausted()), (end, false));
        assert!(!asked(1));
        run.set_stop(end);
        assert_eq!((run.stop(), run.is_exhausted()), (Time::ZERO, true));
        drop(run);
        assert!(asked(u64::MAX), "no run, no limit");
    }

    #[test]
    fn what_the_system_refuses_stops_the_run_too() {
        let run = Budget::enter(u64::MAX, Time::NEVER);
        let mut wanted = Vec::new();
        grow(6400, 1600, 100, |more| {
            wanted.push(more);
            if more > 100 { Err(()) } else { Ok(()) }
        });
        assert_eq!(wanted, [1600, 100]);
        assert!(run.is_exhausted());
    }

    #[test]
    fn a_run_in_a_run_has_a_budget_of_its_own() {
        let outer = Budget::enter(1000, Time::NEVER);
        let inner = Budget::enter(10, Time::NEVER);
        assert!(!asked(11));
        drop(inner);
        assert!(asked(1000) && !outer.is_exhausted());
    }
}
