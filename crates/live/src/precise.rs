//! Threads whose wake-ups must be punctual.

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
