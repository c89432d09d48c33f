//! Threads whose wake-ups must be punctual.

use dumbbell_core::Duration;

/// How much earlier than needed a timer is set: what the system takes to wake the thread, as observed. A processor that slept
/// takes 60 to 120 microseconds on a virtual machine, one at work less than ten. The thread spins for what is left.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lead(Duration);

impl Lead {
    /// The most that a thread spins for one timer.
    const MOST: Duration = Duration::from_micros(200);

    /// The estimate moves by this much, down at most observations and up by nine times as much at the others: where the two
    /// balance, nine timers in ten are early enough.
    const STEP: Duration = Duration::from_nanos(500);

    /// The time to be early by.
    #[must_use]
    pub fn get(self) -> Duration {
        self.0
    }

    /// A timer fired, and the thread ran so much later.
    pub fn observe(&mut self, latency: Duration) {
        self.0 = if latency > self.0 {
            (self.0 + Lead::STEP * 9).min(Lead::MOST)
        } else {
            self.0.saturating_sub(Lead::STEP)
        };
    }
}

/// The time slice that threads of an emulation ask for: the shortest that the kernel grants. A thread that wakes goes before
/// one at work whose slice is longer, and everybody may ask (sched_setattr(2), since Linux 6.12; older kernels ignore it).
/// With the usual slice of some milliseconds, a thread that wakes waits for that of another to end.
const SLICE: Duration = Duration::from_micros(100);

/// The real-time priorities of the emulator and of end points: the lowest that leave room for those in that order.
const PRIORITY_OF_EMULATOR: u32 = 2;
const PRIORITY_OF_ENDS: u32 = 1;

/// The nice value of end points where the right to lower it is given, but none to real time: nine times the share of other
/// work, so that even one that never rests leaves the machine usable.
const NICE_OF_ENDS: i32 = -10;

/// The same for an emulator that may not be scheduled in real time.
const NICE_OF_EMULATOR: i32 = -20;

/// While it lives, the thread's timers are exact, and it goes before other work as far as the system allows that.
pub struct Precise {
    former: libc::sched_attr,
}

impl Precise {
    /// From now on.
    #[must_use]
    #[expect(unsafe_code, reason = "no safe form in any library")]
    pub fn begin() -> Precise {
        // By default, the kernel may fire the timers of a thread 50 microseconds late.
        // SAFETY: takes numbers only.
        unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1) };
        let former = scheduling(0);
        let first = libc::sched_attr {
            sched_policy: libc::SCHED_FIFO as u32,
            sched_flags: libc::SCHED_FLAG_RESET_ON_FORK as u64,
            sched_priority: PRIORITY_OF_EMULATOR,
            ..former
        };
        if !schedule(0, &first) {
            ask_for_short_slices(NICE_OF_EMULATOR);
        }
        Precise { former }
    }
}

impl Drop for Precise {
    #[expect(unsafe_code, reason = "no safe form in any library")]
    fn drop(&mut self) {
        schedule(0, &self.former);
        // SAFETY: takes numbers only; 0 is the default.
        unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 0) };
    }
}

/// Lets this process, and what it starts, go before other work, right behind the emulator.
pub fn favour_end_point() {
    ask_for_short_slices(NICE_OF_ENDS);
    let former = scheduling(0);
    if is_ordinary(&former) {
        let next = libc::sched_attr {
            sched_policy: libc::SCHED_RR as u32,
            sched_priority: PRIORITY_OF_ENDS,
            sched_runtime: 0,
            ..former
        };
        schedule(0, &next);
    }
}

/// Puts a thread that got its priority from [`favour_end_point`] back among other work.
pub fn take_real_time_from(thread: u32) {
    let former = scheduling(thread);
    if former.sched_policy == libc::SCHED_RR as u32 && former.sched_priority == PRIORITY_OF_ENDS {
        let ordinary = libc::sched_attr {
            sched_policy: libc::SCHED_OTHER as u32,
            sched_priority: 0,
            sched_runtime: SLICE.as_nanos(),
            ..former
        };
        // It has kept the nice value that it got, which the system does not tell of a real-time thread.
        let _ = schedule(thread, &libc::sched_attr { sched_nice: NICE_OF_ENDS, ..ordinary })
            || schedule(thread, &ordinary);
    }
}

/// False of what is scheduled in real time, or has asked for idle time only.
fn is_ordinary(scheduling: &libc::sched_attr) -> bool {
    [libc::SCHED_OTHER, libc::SCHED_BATCH].contains(&scheduling.sched_policy.cast_signed())
}

/// Asks for short time slices, and for a nice value no higher than `most`. The lateness shows whether what the system grants
/// is enough.
fn ask_for_short_slices(most: i32) {
    let former = scheduling(0);
    if is_ordinary(&former) {
        let short = libc::sched_attr { sched_runtime: SLICE.as_nanos(), ..former };
        let nice = former.sched_nice.min(most.max(lowest_nice()));
        let _ = schedule(0, &libc::sched_attr { sched_nice: most.min(former.sched_nice), ..short })
            || schedule(0, &libc::sched_attr { sched_nice: nice, ..short });
    }
}

/// The lowest nice value that a process without privileges may take: 20 less the limit (getrlimit(2)).
fn lowest_nice() -> i32 {
    const LEVELS: u64 = 40;
    let granted = nix::sys::resource::getrlimit(nix::sys::resource::Resource::RLIMIT_NICE);
    20 - granted.map_or(0, |(limit, _)| limit.min(LEVELS)) as i32
}

/// How a thread is scheduled; 0 is this one.
#[expect(unsafe_code, reason = "no safe form in any library")]
fn scheduling(thread: u32) -> libc::sched_attr {
    // SAFETY: numbers only, for which 0 is a value.
    let mut found: libc::sched_attr = unsafe { std::mem::zeroed() };
    let size = size_of::<libc::sched_attr>();
    // SAFETY: the kernel writes at most `size` bytes, within the call.
    unsafe { libc::syscall(libc::SYS_sched_getattr, thread, &raw mut found, size, 0) };
    found
}

/// Changes how a thread is scheduled; false if the system does not allow it.
#[expect(unsafe_code, reason = "no safe form in any library")]
fn schedule(thread: u32, attributes: &libc::sched_attr) -> bool {
    // SAFETY: the kernel reads the attributes within the call.
    unsafe { libc::syscall(libc::SYS_sched_setattr, thread, std::ptr::from_ref(attributes), 0) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(latencies: impl Iterator<Item = u64>) -> u64 {
        let mut lead = Lead::default();
        latencies.for_each(|micros| lead.observe(Duration::from_micros(micros)));
        lead.get().as_nanos() / 1000
    }

    #[test]
    fn the_lead_covers_nine_wake_ups_in_ten() {
        let evenly = (0..5000).map(|i| 60 + i * 37 % 60);
        let lead = after(evenly);
        assert!((108..=119).contains(&lead), "{lead}");
    }

    #[test]
    fn the_lead_falls_when_processors_are_awake() {
        assert!(after((0..1000).map(|i| if i < 500 { 100 } else { 5 })) <= 9);
    }

    #[test]
    fn one_late_wake_up_does_not_count_for_more() {
        assert!(after((0..1000).map(|i| if i % 100 == 99 { 10_000 } else { 50 })) <= 60);
        assert_eq!(after((0..1000).map(|_| 10_000)), Lead::MOST.as_nanos() / 1000);
    }

    #[test]
    fn whoever_may_not_go_first_gets_short_slices() {
        // A thread of its own, which needs no right for that.
        let (before, after, lowest) = std::thread::spawn(|| {
            let before = scheduling(0);
            ask_for_short_slices(before.sched_nice);
            (before, scheduling(0), lowest_nice())
        })
        .join()
        .unwrap();
        assert_eq!((after.sched_policy, after.sched_nice), (before.sched_policy, before.sched_nice));
        // Kernels before 6.12 know no slices of ordinary threads, and tell so.
        let expected = if before.sched_runtime == 0 { Duration::ZERO } else { SLICE };
        assert_eq!(Duration::from_nanos(after.sched_runtime), expected);
        assert!((-20..=20).contains(&lowest));
    }
}
