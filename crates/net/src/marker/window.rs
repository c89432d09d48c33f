//! The time sliding window: an estimate of the rate at which packets arrive.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{BitRate, Duration, Time};

/// The rate estimator of RFC 2859 section 2. Rates in bytes a second.
#[derive(Clone, Debug)]
pub struct SlidingWindow {
    /// Seconds.
    window: f64,
    rate: f64,
    /// When a packet last arrived.
    last: Time,
}

impl SlidingWindow {
    /// An estimate that begins with `rate`.
    pub fn new(window: Duration, rate: BitRate) -> SlidingWindow {
        SlidingWindow { window: window.as_secs_f64(), rate: bytes(rate), last: Time::ZERO }
    }

    /// The estimate with a packet of `size` bytes that arrives at `now`.
    pub fn rate(&mut self, now: Time, size: u32) -> f64 {
        let bytes = self.rate * self.window + f64::from(size);
        self.rate = bytes / (now.since(self.last).as_secs_f64() + self.window);
        self.last = now;
        self.rate
    }
}

/// A rate in bytes a second.
pub fn bytes(rate: BitRate) -> f64 {
    rate.as_bps() as f64 / 8.0
}

/// Refuses a window, under that key of the table at `at`, in which no rate can be estimated.
///
/// # Errors
/// A window of less than a microsecond.
pub fn check_window(window: Duration, at: &At<'_>) -> Result<(), ConfigError> {
    if window < Duration::from_micros(1) {
        let message = format!("{window} is too short");
        return Err(at.key("window").error(message, "give a time such as \"1s\""));
    }
    Ok(())
}
