//! The four verbs that every protocol state machine speaks. Simulator and emulator both drive them.

use crate::Time;
use crate::packet::Packet;

/// A sans-IO state machine: packets in, packets out, and at most one armed wake-up.
///
/// The driver calls `push` or `wake`, then `pull` until it returns `None`, then reads `wake_at`.
pub trait Stage {
    /// Takes in a packet that has arrived.
    fn push(&mut self, now: Time, packet: &Packet);

    /// The next packet that should leave now, if any. The driver fills in [`Packet::at`] and [`Packet::hop`].
    fn pull(&mut self, now: Time) -> Option<Packet>;

    /// Lets timers that are due at `now` fire. A call before anything is due does nothing, so a driver may be
    /// lazy: it may leave an event armed at an earlier time and learn the new one from `wake_at`.
    fn wake(&mut self, now: Time);

    /// When `wake` must be called next; [`Time::NEVER`] if no timer runs.
    fn wake_at(&self) -> Time;
}

impl<S: Stage + ?Sized> Stage for Box<S> {
    fn push(&mut self, now: Time, packet: &Packet) {
        (**self).push(now, packet);
    }
    fn pull(&mut self, now: Time) -> Option<Packet> {
        (**self).pull(now)
    }
    fn wake(&mut self, now: Time) {
        (**self).wake(now);
    }
    fn wake_at(&self) -> Time {
        (**self).wake_at()
    }
}
