//! When a sender has to be called.

use dumbbell_core::{Duration, Time};

use super::Timers;
use crate::tcp::params::Params;

impl Timers {
    /// The earliest of all.
    #[inline]
    pub(super) fn wake_at(&self) -> Time {
        self.rto_at.min(self.call_at)
    }

    /// None comes up any more.
    pub(super) fn stop(&mut self) {
        (self.rto_at, self.call_at) = (Time::NEVER, Time::NEVER);
    }

    /// Takes in a round-trip time, one of `2^shift` in a round trip.
    #[inline]
    pub(super) fn sample(&mut self, params: &Params, now: Time, measured: Duration, shift: u32) {
        if !self.rtt.measure_in_ticks(now, measured) {
            self.rtt.measure(measured, shift, params);
        }
    }

    /// How long a closed window is waited for after so many probes.
    pub(super) fn persist(&self, params: &Params, probes: u32) -> Duration {
        (self.rtt.timeout() * (1 << probes.min(16))).min(params.rto_max)
    }
}
