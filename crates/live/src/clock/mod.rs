//! The clock: nanoseconds of `CLOCK_MONOTONIC`, which a change of the date does not touch.

pub mod lateness;
pub(crate) mod precise;

use std::sync::LazyLock;

use dumbbell_core::{Duration, Time};
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, clock_getres, clock_gettime};

/// The time since the machine's own origin, commonly its start: the same for every process of the machine.
#[inline]
pub fn monotonic() -> Time {
    Time::from_nanos(reading(ClockId::CLOCK_MONOTONIC))
}

/// Processor time of this thread, the kernel's work for it included.
pub fn processor_time() -> Duration {
    Duration::from_nanos(reading(ClockId::CLOCK_THREAD_CPUTIME_ID))
}

/// Nanoseconds of a clock that exists on every Linux.
#[inline]
fn reading(clock: ClockId) -> u64 {
    clock_gettime(clock).map_or(0, nanoseconds)
}

#[inline]
pub(crate) fn nanoseconds(time: TimeSpec) -> u64 {
    time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64
}

/// True in a kernel in virtual time: Linux in user mode whose clock stands still while it computes. Nothing is late there.
#[must_use]
pub fn is_virtual() -> bool {
    static VIRTUAL: LazyLock<bool> = LazyLock::new(|| {
        let read = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
        read("/proc/cmdline").split_ascii_whitespace().any(|word| word == "time-travel=inf-cpu")
            && read("/proc/cpuinfo").contains("User Mode Linux")
    });
    *VIRTUAL
}

/// The step in which the scheduler counts how long threads ran and waited: a tick in a kernel in virtual time, whose
/// scheduler reads no other clock, else a nanosecond, which counts as zero here.
pub(crate) fn scheduler_grain() -> Duration {
    if !is_virtual() {
        return Duration::ZERO;
    }
    clock_getres(ClockId::CLOCK_MONOTONIC_COARSE)
        .map_or(Duration::ZERO, |tick| Duration::from_nanos(nanoseconds(tick)))
}

/// A duration as the kernel takes it.
#[inline]
pub fn timespec(d: Duration) -> TimeSpec {
    TimeSpec::new((d.as_nanos() / 1_000_000_000).cast_signed(), (d.as_nanos() % 1_000_000_000).cast_signed())
}

/// Nanoseconds of which programs and queues count in whole parts: laws of queues move every 15 ms (PIE) or 16 ms (DualPI2) from the
/// time at which the clock reads zero, programs begin at a multiple of 20 ms. So both meet as in the simulator, where all begin at
/// once.
const WHOLE: u64 = 240_000_000;

/// A clock that reads zero when it is started.
#[derive(Clone, Copy, Debug)]
pub struct Clock(Time);

impl Clock {
    /// Starts a clock. In virtual time, where waiting costs nothing, it reads zero at a whole multiple of [`WHOLE`].
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "real time is this crate's business")]
    pub fn start() -> Clock {
        let now = monotonic();
        if !is_virtual() {
            return Clock(now);
        }
        let zero = Time::from_nanos(now.as_nanos().next_multiple_of(WHOLE));
        std::thread::sleep(std::time::Duration::from_nanos(zero.since(now).as_nanos()));
        Clock(zero)
    }

    /// When it read zero, by [`monotonic`].
    #[must_use]
    pub fn started(&self) -> Time {
        self.0
    }

    /// When it read zero, in nanoseconds since 1970, by the date as it is now.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        reading(ClockId::CLOCK_REALTIME).saturating_sub(self.now().as_nanos())
    }

    /// The time now.
    #[inline]
    pub fn now(&self) -> Time {
        Time::ZERO + monotonic().since(self.0)
    }
}
