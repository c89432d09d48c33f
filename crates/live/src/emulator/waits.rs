//! Waiting, and how late it ends.

use dumbbell_core::{Duration, Time};
use nix::poll::{PollFd, ppoll};

use crate::clock::{nanoseconds, timespec};

/// In virtual time computing takes no time, but each look at the clock takes a nanosecond or more. Those of a wake-up take less than
/// this, unless it moves very many packets; the answer of a program takes more.
// Measured in Linux 6.12: packets that answer at once came 12 ns later in each round trip, the first data of a program 1.01 us.
const LOOKS: Duration = Duration::from_nanos(100);

/// In virtual time, how much earlier a timer is set than a packet is due: from a timer to the packet that the thread then writes, the
/// kernel looks at its clock four times. One of them stays, so that timers of TCP that are due with the packet are first, as they are
/// where interrupts go before devices.
pub const WRITE: Duration = Duration::from_nanos(3);

/// A time that was read after what happened at `event`, in virtual time: the same if nothing but looks at the clock came between.
pub fn without_looks(event: Time, read: Time) -> Time {
    if read > event && read.since(event) < LOOKS { event } else { read }
}

/// Waits until something can be read, or for so long; true if something can, or a signal has come, and how long it took. The
/// function of the library keeps that to itself (ppoll(2), "C library/kernel differences").
#[expect(unsafe_code, reason = "no safe form in any library")]
pub fn poll(watched: &mut [PollFd<'_>], timeout: Duration) -> (bool, Duration) {
    let mut left: libc::timespec = *timespec(timeout).as_ref();
    let signals = std::ptr::null::<libc::sigset_t>();
    // SAFETY: `PollFd` has the layout of `pollfd`; the kernel writes both within the call.
    let came = unsafe {
        libc::syscall(libc::SYS_ppoll, watched.as_mut_ptr(), watched.len(), &raw mut left, signals, 0)
    };
    let left = Duration::from_nanos(nanoseconds(left.into()));
    (came != 0, timeout.saturating_sub(left))
}

pub fn sleep(d: Duration) {
    let _ = ppoll(&mut [], Some(timespec(d)), None);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing comes before it was sent, and what programs do takes its time.
    #[test]
    fn looks_at_the_clock_make_nothing_late() {
        let at = Time::from_nanos;
        let read = [1000, 1004, 1099, 1100, 990].map(|ns| without_looks(at(1000), at(ns)));
        assert_eq!(read, [1000, 1000, 1000, 1100, 990].map(at));
    }
}
