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
        // SAFETY: numbers only, for which 0 is a value.
        let mut former: libc::sched_attr = unsafe { std::mem::zeroed() };
        let size = size_of::<libc::sched_attr>();
        // SAFETY: the kernel writes at most `size` bytes, within the call.
        unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut former, size, 0) };
        let first = libc::sched_attr {
            sched_policy: libc::SCHED_FIFO as u32,
            sched_flags: libc::SCHED_FLAG_RESET_ON_FORK as u64,
            sched_priority: 1,
            ..former
        };
        // Without the right to go first, the thread stays as it is; the lateness shows whether that is enough.
        Precise::schedule(&first);
        Precise { former }
    }

    #[expect(unsafe_code, reason = "no safe form in any library")]
    fn schedule(attributes: &libc::sched_attr) {
        // SAFETY: the kernel reads the attributes within the call.
        unsafe { libc::syscall(libc::SYS_sched_setattr, 0, std::ptr::from_ref(attributes), 0) };
    }
}

impl Drop for Precise {
    #[expect(unsafe_code, reason = "no safe form in any library")]
    fn drop(&mut self) {
        Precise::schedule(&self.former);
        // SAFETY: takes numbers only; 0 is the default.
        unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 0) };
    }
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
}
