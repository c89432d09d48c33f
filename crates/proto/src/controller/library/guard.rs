//! What stands between a run and foreign code that does not come back: a call that lasts longer than a budget of time, or that
//! crashes, ends the process with one line. Nothing less is safe: foreign code may leave anything half done.

use std::time::Duration;

/// How much processor time a call may take. It takes some ten nanoseconds.
pub const BUDGET: Duration = Duration::from_secs(5);

/// How long a call may last that takes no processor time, because it waits or others have the processor.
#[cfg(unix)]
pub const PATIENCE: Duration = Duration::from_secs(60);

#[cfg(unix)]
pub use unix::Guard;

/// Elsewhere nothing is loaded.
#[cfg(not(unix))]
#[derive(Debug)]
pub struct Guard;

#[cfg(not(unix))]
impl Guard {
    pub fn of(_file: &str) -> Guard {
        Guard
    }

    pub fn call(&self, call: impl FnOnce()) {
        call();
    }
}

#[cfg(unix)]
#[allow(unsafe_code, reason = "signals, and the end of the process")]
mod unix {
    use std::cell::Cell;
    use std::ffi::{c_int, c_void};
    use std::ptr::{null, null_mut};
    use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
    use std::sync::{Mutex, Once, PoisonError};
    use std::time::Duration;
    use std::{mem, thread};

    use super::{BUDGET, PATIENCE};

    /// How often the watch looks.
    const LOOK: Duration = Duration::from_millis(100);
    /// Signals of a crash.
    const CRASHES: [(c_int, &str); 5] = [
        (libc::SIGSEGV, "it used memory that is not its own"),
        (libc::SIGBUS, "it used memory that is not its own"),
        (libc::SIGFPE, "it divided by zero, or the like"),
        (libc::SIGILL, "it ran what is no instruction"),
        (libc::SIGABRT, "it panicked or called abort()"),
    ];

    /// The lines that end the process, of one library.
    #[derive(Debug)]
    struct Lines {
        late: String,
        crashed: [String; CRASHES.len()],
    }

    /// What a thread does: an odd number of calls and returns while it is in a call, and in whose.
    struct Slot {
        moves: AtomicU64,
        lines: AtomicPtr<Lines>,
        thread: libc::pthread_t,
    }

    // SAFETY: musl's name of a thread is a pointer, which nobody follows here.
    unsafe impl Sync for Slot {}

    /// The slots of all threads that have ever called. A slot is as small as three words, and stays.
    static SLOTS: Mutex<Vec<&'static Slot>> = Mutex::new(Vec::new());

    thread_local! {
        static SLOT: Cell<Option<&'static Slot>> = const { Cell::new(None) };
    }

    /// Calls functions of a library.
    #[derive(Debug)]
    pub struct Guard {
        lines: &'static Lines,
    }

    impl Guard {
        /// For the library in this file.
        pub fn of(file: &str) -> Guard {
            static ONCE: Once = Once::new();
            ONCE.call_once(|| {
                CRASHES.iter().zip(0..).for_each(|((signal, _), place)| catch(*signal, place));
                // Without a watch calls have no budget.
                let _ = thread::Builder::new().name("dumbbell-watch".to_owned()).spawn(watch);
            });
            let crashed = CRASHES.map(|(_, why)| {
                format!("error: {file}: the controller crashed: {why}; run it in a debugger, and mend it\n")
            });
            let (budget, patience) = (BUDGET.as_secs(), PATIENCE.as_secs());
            let late = format!(
                "error: {file}: the controller has not returned from a call for {budget} s of processor time, or \
                 for {patience} s; mend its loop\n"
            );
            // For as long as the process, like the code of the library.
            Guard { lines: Box::leak(Box::new(Lines { late, crashed })) }
        }

        /// Calls a function.
        #[inline]
        pub fn call(&self, call: impl FnOnce()) {
            let slot = SLOT.get().unwrap_or_else(enrol);
            slot.lines.store(std::ptr::from_ref(self.lines).cast_mut(), Ordering::Relaxed);
            // Only this thread writes.
            let moves = slot.moves.load(Ordering::Relaxed);
            slot.moves.store(moves + 1, Ordering::Relaxed);
            call();
            slot.moves.store(moves + 2, Ordering::Relaxed);
        }
    }

    #[cold]
    fn enrol() -> &'static Slot {
        // SAFETY: asks for the thread that asks.
        let thread = unsafe { libc::pthread_self() };
        let (moves, lines) = (AtomicU64::new(0), AtomicPtr::new(null_mut()));
        let slot: &'static Slot = Box::leak(Box::new(Slot { moves, lines, thread }));
        SLOTS.lock().unwrap_or_else(PoisonError::into_inner).push(slot);
        SLOT.set(Some(slot));
        slot
    }

    /// Looks at all threads again and again. A process that was stopped for a while is not late: what counts is how often the watch has
    /// looked.
    #[allow(clippy::disallowed_methods, reason = "it watches foreign code, which has no simulated time")]
    fn watch() {
        let most = (PATIENCE.as_millis() / LOOK.as_millis()) as u32;
        // The moves of each slot, since how many looks they stand, and the processor time of its thread at the first of them.
        let mut seen: Vec<(u64, u32, Duration)> = Vec::new();
        loop {
            thread::sleep(LOOK);
            let slots = SLOTS.lock().unwrap_or_else(PoisonError::into_inner);
            seen.resize(slots.len(), (0, 0, Duration::ZERO));
            for (slot, (moves, looks, began)) in slots.iter().zip(&mut seen) {
                let now = slot.moves.load(Ordering::Relaxed);
                let stands = now % 2 == 1 && now == *moves;
                *looks = if stands { *looks + 1 } else { 0 };
                *moves = now;
                if *looks == 0 {
                    continue;
                }
                let used = processor_time(slot.thread);
                if *looks == 1 {
                    *began = used;
                }
                if *looks > most || used.saturating_sub(*began) > BUDGET {
                    // SAFETY: the thread is in a call, so the lines are those of a library.
                    end(unsafe { &(*slot.lines.load(Ordering::Relaxed)).late });
                }
            }
        }
    }

    /// The processor time of a thread that is in a call.
    #[cfg(target_os = "linux")]
    fn processor_time(thread: libc::pthread_t) -> Duration {
        let (mut clock, mut time) = (0, libc::timespec { tv_sec: 0, tv_nsec: 0 });
        // SAFETY: the thread has not returned from its call, so it exists; the two numbers are written.
        let read = unsafe {
            libc::pthread_getcpuclockid(thread, &raw mut clock) == 0
                && libc::clock_gettime(clock, &raw mut time) == 0
        };
        if !read {
            return Duration::ZERO;
        }
        Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
    }

    /// Elsewhere only how long a call lasts is known.
    #[cfg(not(target_os = "linux"))]
    fn processor_time(_thread: libc::pthread_t) -> Duration {
        Duration::ZERO
    }

    /// Ends the process with a line, as safely as a signal handler must.
    fn end(line: &str) -> ! {
        // SAFETY: writes bytes of a text, and ends the process without running anything else.
        unsafe {
            libc::write(libc::STDERR_FILENO, line.as_ptr().cast::<c_void>(), line.len());
            libc::_exit(1)
        }
    }

    /// What the process did with the signals of a crash before.
    static BEFORE: [AtomicPtr<libc::sigaction>; CRASHES.len()] =
        [const { AtomicPtr::new(null_mut()) }; CRASHES.len()];

    /// Lets a signal of a crash end the process with a line, if it comes from a controller.
    fn catch(signal: c_int, place: usize) {
        // SAFETY: the handler uses nothing that a handler may not, and what stood there before is kept for it.
        unsafe {
            let mut action: libc::sigaction = mem::zeroed();
            action.sa_sigaction = crashed as *const () as libc::sighandler_t;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            let mut before: libc::sigaction = mem::zeroed();
            if libc::sigaction(signal, null(), &raw mut before) == 0 {
                BEFORE[place].store(Box::into_raw(Box::new(before)), Ordering::Release);
                libc::sigaction(signal, &raw const action, null_mut());
            }
        }
    }

    extern "C" fn crashed(signal: c_int, _: *mut libc::siginfo_t, _: *mut c_void) {
        let place = CRASHES.iter().position(|(number, _)| *number == signal).unwrap_or(0);
        if let Some(slot) = SLOT.get()
            && slot.moves.load(Ordering::Relaxed) % 2 == 1
        {
            // SAFETY: the thread is in a call, so the lines are those of a library.
            end(unsafe { &(*slot.lines.load(Ordering::Relaxed)).crashed[place] });
        }
        // Not from a controller: whoever was there before handles it, when the instruction is run again or the signal raised again.
        // SAFETY: what stood there before is valid, and a handler may call both.
        unsafe {
            libc::sigaction(signal, BEFORE[place].load(Ordering::Acquire), null_mut());
            if signal == libc::SIGABRT {
                libc::raise(signal);
            }
        }
    }
}
