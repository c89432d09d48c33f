//! The units that Linux counts in.

use dumbbell_core::Time;

use crate::controller::Signals;

/// One, in the unit of gains (BBR_UNIT), and in that of rates, segments a microsecond (BW_UNIT).
pub const UNIT: u64 = 256;
pub const BW_UNIT: u64 = 1 << 24;

/// A time in whole microseconds.
pub fn micros(at: Time) -> u64 {
    at.as_nanos() / 1000
}

/// Bytes in segments, the last of which may be short.
pub fn segments(bytes: u64, signals: &Signals) -> u64 {
    bytes.div_ceil(signals.mss.into())
}

/// A pacing rate in bytes a second, a part `margin` below a rate times a gain (bbr_rate_bytes_per_sec).
pub fn bytes_per_second(bw: u64, gain: u64, signals: &Signals, margin: f64) -> u64 {
    let gained = u128::from(bw) * u128::from(signals.mss) * u128::from(gain) / u128::from(UNIT);
    let a_second = ((1.0 - margin) * 1e6).round() as u128;
    u64::try_from(gained * a_second / u128::from(BW_UNIT)).unwrap_or(u64::MAX)
}
