//! The memory that a run may use.
//!
//! [`Counting`] is the allocator of the process. It charges each thread for what the thread takes, in two additions for each
//! allocation. So every store counts, with the room that it keeps, and no algorithm reports what it holds. A thread that
//! takes more than the [`Budget`] of its run exhausts it. Nothing fails then: the run stops before the next event, with a complete
//! state.
//!
//! A budget is a value of its run, which says what the run holds while nobody runs it. A thread that goes on with the run enters
//! the budget, and leaves it before it goes on with another: so several runs take turns on one thread, and a run may move
//! to another thread. An allocator has no argument, so what it looks at is the thread's: the budget that is entered at the moment.
//!
//! Stores that hold most of a run, the rings of packets, call [`grow`] before they do: they grow by a quarter, and by
//! little once the budget is exhausted.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::{Duration, Time};

/// What a thread has taken since it entered a budget.
#[derive(Debug)]
struct Account {
    /// Bytes taken and not given back. Below zero for a thread that gives back what others have taken.
    taken: Cell<i64>,
    /// The budget must know when more is taken.
    notice: Cell<i64>,
    /// True while somebody asks for memory who can do without.
    asking: Cell<bool>,
}

thread_local! {
    static ACCOUNT: Account =
        const { Account { taken: Cell::new(0), notice: Cell::new(i64::MAX), asking: Cell::new(false) } };
    static CURRENT: RefCell<Option<Arc<Budget>>> = const { RefCell::new(None) };
}

/// The allocator of the system, which charges threads for what they take.
///
/// A limit of memory needs it: `#[global_allocator] static COUNTING: Counting = Counting;`.
#[derive(Clone, Copy, Debug)]
pub struct Counting;

#[expect(unsafe_code, reason = "the contract of an allocator")]
// SAFETY: each method hands its arguments to the allocator of the system, and returns what that returns. Between them stand
// two additions in thread-local cells, which need no memory, and do not unwind.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        charge(layout.size().cast_signed());
        // SAFETY: the caller keeps the contract.
        granted(unsafe { System.alloc(layout) }, layout.size(), layout.size().cast_signed())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        charge(layout.size().cast_signed());
        // SAFETY: the caller keeps the contract.
        granted(unsafe { System.alloc_zeroed(layout) }, layout.size(), layout.size().cast_signed())
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let more = size.wrapping_sub(layout.size()).cast_signed();
        charge(more);
        // SAFETY: the caller keeps the contract.
        granted(unsafe { System.realloc(old, layout, size) }, size, more)
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        charge(-layout.size().cast_signed());
        // SAFETY: the caller keeps the contract.
        unsafe { System.dealloc(old, layout) }
    }
}

/// Charges this thread for so many bytes more.
#[inline]
fn charge(bytes: isize) {
    ACCOUNT.with(|account| {
        let taken = account.taken.get().wrapping_add(bytes as i64);
        account.taken.set(taken);
        if taken > account.notice.get() {
            note(account);
        }
    });
}

/// Lets the budget of this thread know what it has taken.
#[cold]
fn note(account: &Account) {
    // In the way of its own making there is no budget.
    let budget = |current: &RefCell<Option<Arc<Budget>>>| current.try_borrow().ok().and_then(|b| b.clone());
    if let Ok(Some(budget)) = CURRENT.try_with(budget) {
        budget.note(account);
    }
}

/// What the system answered to a request for `size` bytes, by which the thread takes `more`.
#[inline]
fn granted(answer: *mut u8, size: usize, more: isize) -> *mut u8 {
    if answer.is_null() {
        refused(size, more);
    }
    answer
}

#[cold]
fn refused(size: usize, more: isize) {
    charge(more.wrapping_neg());
    if let (false, Some(end)) = (ACCOUNT.with(|account| account.asking.get()), AT_LAST.get()) {
        end(size);
    }
}

/// What ends the process when the system refuses bytes that somebody cannot do without.
static AT_LAST: OnceLock<fn(usize)> = OnceLock::new();

/// Lets `end` end the process when the system refuses so many bytes. Without it, Rust prints a backtrace and aborts.
///
/// It can take no memory, and must not return. Only the first call counts.
pub fn at_last(end: fn(usize)) {
    AT_LAST.get_or_init(|| end);
}

/// What all threads of a run share.
#[derive(Debug)]
pub struct Pool {
    limit: u64,
    /// What a thread takes before the others know.
    step: i64,
    /// Bytes that threads have taken, as far as they have said.
    taken: AtomicI64,
}

impl Pool {
    /// `limit` bytes for so many threads.
    ///
    /// # Panics
    /// If nobody counts what threads take.
    pub fn new(limit: u64, threads: usize) -> Arc<Pool> {
        assert!(
            limit == u64::MAX || is_counting(),
            "a limit of memory needs dumbbell_core::memory::Counting as the global allocator"
        );
        let mut pool = Pool { limit, step: 0, taken: AtomicI64::new(0) };
        let all = pool.limit_signed();
        // Together they take a sixteenth before anybody knows.
        pool.step = if threads > 1 { all / 16 / i64::try_from(threads).unwrap_or(i64::MAX) } else { all };
        Arc::new(pool)
    }

    fn limit_signed(&self) -> i64 {
        i64::try_from(self.limit).unwrap_or(i64::MAX)
    }
}

/// True if [`Counting`] is the allocator of the process.
fn is_counting() -> bool {
    let taken = || ACCOUNT.with(|account| account.taken.get());
    let before = taken();
    let one = std::hint::black_box(Box::new(0_u8));
    let counted = taken() != before;
    drop(one);
    counted
}

/// What a run may use, or one thread of it, and when the run must stop.
///
/// One thread at a time has entered it, so that relaxed accesses will do.
#[derive(Debug)]
pub struct Budget {
    pool: Arc<Pool>,
    /// Bytes that the run held when it was left last.
    held: AtomicI64,
    /// What the pool knows of them.
    noted: AtomicI64,
    /// The loop of the run compares every event with this time, so that a run that fits pays nothing for its budget.
    until: AtomicU64,
    exhausted: AtomicBool,
}

/// A thread takes memory for a run, until this goes out of scope.
#[derive(Debug)]
pub struct Entered {
    budget: Arc<Budget>,
    outer: Option<Arc<Budget>>,
    /// What the run held before.
    held: i64,
    /// What the account said before.
    before: (i64, i64),
}

impl Budget {
    /// The share of a pool of a run that goes on up to and with `stop`.
    pub fn new(pool: &Arc<Pool>, stop: Time) -> Arc<Budget> {
        Arc::new(Budget {
            pool: Arc::clone(pool),
            held: AtomicI64::new(0),
            noted: AtomicI64::new(0),
            until: AtomicU64::new((stop + Duration::from_nanos(1)).as_nanos()),
            exhausted: AtomicBool::new(false),
        })
    }

    /// Charges the run for what this thread takes from now on.
    pub fn enter(self: &Arc<Budget>) -> Entered {
        let outer = CURRENT.with(|current| current.replace(Some(Arc::clone(self))));
        let held = self.held.load(Ordering::Relaxed);
        let before =
            ACCOUNT.with(|account| (account.taken.replace(held), account.notice.replace(self.notice())));
        Entered { budget: Arc::clone(self), outer, held, before }
    }

    /// What the run may hold before the pool must know.
    fn notice(&self) -> i64 {
        if self.is_exhausted() {
            return i64::MAX;
        }
        let left = self.pool.limit_signed().saturating_sub(self.pool.taken.load(Ordering::Relaxed));
        self.noted.load(Ordering::Relaxed).saturating_add(left.clamp(0, self.pool.step))
    }

    /// The time from which on nothing happens any more: the start, once the budget is exhausted.
    #[inline]
    pub fn until(&self) -> Time {
        Time::from_nanos(self.until.load(Ordering::Relaxed))
    }

    /// Moves the end of the run, unless it was cut short. Nothing happens from `until` on.
    #[inline]
    pub fn set_until(&self, until: Time) {
        if !self.is_exhausted() {
            self.until.store(until.as_nanos(), Ordering::Relaxed);
        }
    }

    /// True once more was taken than the limit.
    #[inline]
    pub fn is_exhausted(&self) -> bool {
        self.exhausted.load(Ordering::Relaxed)
    }

    /// The limit in bytes.
    pub fn limit(&self) -> u64 {
        self.pool.limit
    }

    /// Stops the run: its limit is reached, or the system has no more.
    fn exhaust(&self) {
        self.exhausted.store(true, Ordering::Relaxed);
        self.until.store(0, Ordering::Relaxed);
    }

    /// Tells the pool what this thread has taken since it last did.
    fn note(&self, account: &Account) {
        let taken = account.taken.get();
        let more = taken.wrapping_sub(self.noted.swap(taken, Ordering::Relaxed));
        let all = self.pool.taken.fetch_add(more, Ordering::Relaxed).wrapping_add(more);
        account.notice.set(taken.saturating_add(self.pool.step));
        if u64::try_from(all).is_ok_and(|all| all > self.pool.limit) {
            account.notice.set(i64::MAX);
            self.exhaust();
        }
    }

    /// True if so many bytes more are within the limit.
    fn has(&self, bytes: u64) -> bool {
        let noted = self.noted.load(Ordering::Relaxed);
        let own = ACCOUNT.with(|account| account.taken.get()).wrapping_sub(noted);
        let all = self.pool.taken.load(Ordering::Relaxed).wrapping_add(own);
        u64::try_from(all).unwrap_or(0).saturating_add(bytes) <= self.pool.limit
    }
}

impl Entered {
    /// Bytes that the run holds.
    pub fn taken(&self) -> u64 {
        ACCOUNT.with(|account| account.taken.get()).max(0).unsigned_abs()
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
        ACCOUNT.with(|account| {
            self.budget.note(account);
            let held = account.taken.get();
            self.budget.held.store(held, Ordering::Relaxed);
            let (taken, notice) = self.before;
            account.taken.set(taken.wrapping_add(held.wrapping_sub(self.held)));
            account.notice.set(notice);
        });
        CURRENT.with(|current| current.replace(self.outer.take()));
    }
}

/// Calls what does not belong to the run of this thread: its caller's code, whose memory depends on the hour.
pub fn aside<T>(f: impl FnOnce() -> T) -> T {
    let (taken, notice) = ACCOUNT.with(|account| (account.taken.get(), account.notice.replace(i64::MAX)));
    let returned = f();
    ACCOUNT.with(|account| {
        account.taken.set(taken);
        account.notice.set(notice);
    });
    returned
}

/// Items by which anything grows at least.
const LEAST: usize = 8;

/// Makes room for `more` items, or a few, behind the `len` items of `size` bytes each of a full store; `reserve` gets it
/// the room for so many.
///
/// Once the run of this thread must stop, the store grows by the least that will do until the event is over.
#[cold]
pub fn grow<E>(len: usize, more: usize, size: usize, mut reserve: impl FnMut(usize) -> Result<(), E>) {
    let mut ask = |more: usize| {
        ACCOUNT.with(|account| account.asking.set(true));
        let answer = reserve(more);
        ACCOUNT.with(|account| account.asking.set(false));
        answer.is_ok()
    };
    let more = more.max(LEAST);
    let fits = |budget: &Budget| !budget.is_exhausted() && budget.has((more * size) as u64);
    if with_current(fits) && ask(more) {
        return;
    }
    with_current(|budget| {
        budget.exhaust();
        false
    });
    // If even that is refused, so is what comes next, by the allocator.
    ask((len / 64).max(LEAST));
}

/// True where there is no run.
fn with_current(f: impl FnOnce(&Budget) -> bool) -> bool {
    CURRENT.with(|current| current.borrow().as_deref().is_none_or(f))
}

/// Bytes of a vector.
pub fn of_vec<T>(vec: &Vec<T>) -> u64 {
    (vec.capacity() * size_of::<T>()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[global_allocator]
    static COUNTING: Counting = Counting;

    const END: Time = Time::from_nanos(10);

    fn enter(limit: u64) -> Entered {
        Budget::new(&Pool::new(limit, 1), END).enter()
    }

    /// A store of so many bytes.
    fn bytes(count: usize) -> Vec<u8> {
        std::hint::black_box(Vec::with_capacity(count))
    }

    #[test]
    fn any_store_beyond_the_limit_stops_the_run() {
        let run = enter(1000);
        let mut held = vec![bytes(400)];
        held.push(bytes(300));
        held.remove(0);
        held.push(bytes(500));
        assert!(!run.is_exhausted() && run.until() > END, "what is given back counts no more");
        held.push(bytes(300));
        assert_eq!((run.until(), run.is_exhausted()), (Time::ZERO, true));
        run.set_until(END);
        assert_eq!(run.until(), Time::ZERO, "it stays stopped");
    }

    #[test]
    fn a_growing_vector_counts_by_what_it_takes_more() {
        let run = enter(1000);
        let mut one: Vec<u64> = Vec::with_capacity(100);
        one.reserve_exact(120);
        assert_eq!((run.taken(), run.is_exhausted()), (960, false));
        one.reserve_exact(130);
        assert!(run.is_exhausted());
    }

    #[test]
    fn threads_of_a_run_share_its_limit() {
        let pool = Pool::new(16_000, 2);
        let mine = Budget::new(&pool, END).enter();
        let held = bytes(9_000);
        assert!(!mine.is_exhausted());
        let theirs = std::thread::scope(|scope| {
            let other = || {
                let run = Budget::new(&pool, END).enter();
                let held = bytes(9_000);
                let exhausted = run.is_exhausted();
                drop(held);
                exhausted
            };
            scope.spawn(other).join().unwrap()
        });
        assert!(theirs && !mine.is_exhausted(), "the second thread finds too little");
        drop(held);
        let alone = std::thread::spawn(|| enter(1 << 20).is_exhausted());
        assert!(!alone.join().unwrap(), "another run has its own");
    }

    #[test]
    fn a_store_that_asks_grows_by_little_in_the_end() {
        let run = enter(64_000);
        let mut wanted = Vec::with_capacity(8);
        let mut ask = |more: usize| {
            grow(6400, more, 100, |more| {
                wanted.push(more);
                Ok::<(), ()>(())
            });
        };
        ask(100);
        ask(1600);
        ask(100);
        assert_eq!(wanted, [100, 100, 100]);
        assert!(run.is_exhausted());
    }

    #[test]
    fn what_the_system_refuses_stops_the_run_too() {
        let run = enter(1 << 62);
        let mut store: Vec<u8> = Vec::new();
        let mut wanted = Vec::new();
        grow(6400, 1 << 60, 1, |more| {
            wanted.push(more);
            store.try_reserve_exact(more)
        });
        assert_eq!(wanted, [1 << 60, 100]);
        assert!(run.is_exhausted());
        assert!(run.taken() < 1000, "what was refused is not taken: {}", run.taken());
    }

    #[test]
    fn a_run_in_a_run_has_a_budget_of_its_own() {
        let outer = enter(1000);
        let inner = enter(10);
        let held = bytes(11);
        assert!(inner.is_exhausted());
        drop(inner);
        assert!(!outer.is_exhausted());
        let more = bytes(1000);
        assert!(outer.is_exhausted());
        drop((held, more));
    }

    #[test]
    fn runs_that_take_turns_hold_their_own() {
        let [one, other] = [1000, 100].map(|limit| Budget::new(&Pool::new(limit, 1), END));
        let mut held: Vec<Vec<u8>> = Vec::new();
        let mut take = |budget: &Arc<Budget>, count: usize| {
            let _entered = budget.enter();
            let more = bytes(count);
            aside(|| held.push(more));
            budget.is_exhausted()
        };
        assert!(!take(&one, 600) && !take(&other, 60) && !take(&one, 300) && !take(&other, 30));
        // Between two turns a run is charged for nothing.
        drop(bytes(5000));
        assert!(take(&other, 20) && !take(&one, 90) && take(&one, 20));
        let moved = std::thread::spawn(move || {
            let _entered = one.enter();
            one.is_exhausted()
        });
        assert!(moved.join().unwrap());
    }

    #[test]
    fn what_a_run_gives_back_in_a_later_turn_is_its_own() {
        let run = Budget::new(&Pool::new(1000, 1), END);
        let entered = run.enter();
        let held = bytes(900);
        drop(entered);
        let entered = run.enter();
        assert_eq!(entered.taken(), 900);
        drop(held);
        let _again = bytes(900);
        assert_eq!((entered.taken(), run.is_exhausted()), (900, false));
    }

    #[test]
    fn what_a_caller_does_aside_does_not_count() {
        let run = enter(1000);
        let held = aside(|| bytes(5000));
        assert_eq!((run.taken(), run.is_exhausted()), (0, false));
        drop(held);
        let _more = bytes(900);
        assert!(!run.is_exhausted());
    }
}
