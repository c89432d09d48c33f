//! What controllers of data centres share: the bounds of a rate, and what it becomes in a [`Control`].

use dumbbell_core::config::At;
use dumbbell_core::{BitRate, ConfigError};

use super::{Control, Rate};

/// A window that never limits: the rate alone decides.
pub const OPEN: u64 = 1 << 32;

/// The rates that a sender may have, in bytes a second.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub least: f64,
    pub most: f64,
}

impl Bounds {
    pub fn new(min_rate: BitRate, line_rate: BitRate) -> Bounds {
        Bounds { least: bytes(min_rate), most: bytes(line_rate) }
    }

    pub fn clamp(&self, rate: f64) -> f64 {
        // In this order a rate that is no number becomes the least.
        rate.max(self.least).min(self.most)
    }
}

/// A rate in bytes a second.
pub fn bytes(rate: BitRate) -> f64 {
    rate.as_bps() as f64 / 8.0
}

/// Sends at a rate, whatever the window.
pub fn send_at(rate: f64, control: &mut Control) {
    (control.pacing, control.window) = (Rate::from_f64(rate), OPEN);
}

/// Checks the keys `min_rate` and `line_rate` of a table.
pub fn check_bounds(min_rate: BitRate, line_rate: BitRate, at: &At<'_>) -> Result<(), ConfigError> {
    if min_rate.as_bps() == 0 {
        return Err(at.key("min_rate").error("0 sends nothing", "give a rate above 0"));
    }
    if line_rate < min_rate {
        let message = format!("{line_rate} is below `min_rate`, {min_rate}");
        return Err(at.key("line_rate").error(message, "give at least that"));
    }
    Ok(())
}
