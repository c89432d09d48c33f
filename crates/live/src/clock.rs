//! The clock: nanoseconds since it was started, never stepped and never slewed back.

use std::time::Instant;

use dumbbell_core::{Duration, Time};

/// A clock that reads zero when it is started.
#[derive(Clone, Copy, Debug)]
pub struct Clock(Instant);

impl Clock {
    /// Starts a clock. It follows `CLOCK_MONOTONIC`, which a change of the date does not touch.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the one place where real time enters")]
    pub fn start() -> Clock {
        Clock(Instant::now())
    }

    /// The time now.
    #[inline]
    pub fn now(&self) -> Time {
        Time::ZERO + Duration::from_nanos(u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }
}
