//! Time: whole nanoseconds, never a floating-point second.

use core::fmt;
use core::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};

/// An instant, in nanoseconds since the start of the run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
#[repr(transparent)]
pub struct Time(u64);

/// A length of time, in nanoseconds. Arithmetic saturates at [`Duration::MAX`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
#[repr(transparent)]
pub struct Duration(u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Time = Time(0);
    /// Later than every event: "never".
    pub const NEVER: Time = Time(u64::MAX);

    /// The instant `nanos` nanoseconds after the start.
    #[inline]
    pub const fn from_nanos(nanos: u64) -> Time {
        Time(nanos)
    }

    /// Nanoseconds since the start.
    #[inline]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds since the start, for reports.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Time elapsed since `earlier`, zero if `earlier` is later.
    #[inline]
    pub const fn since(self, earlier: Time) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }

    /// True for every instant but [`Time::NEVER`].
    #[inline]
    pub const fn is_finite(self) -> bool {
        self.0 != u64::MAX
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Duration = Duration(0);
    /// The longest duration; stands for "unlimited".
    pub const MAX: Duration = Duration(u64::MAX);

    /// A duration of `nanos` nanoseconds.
    #[inline]
    pub const fn from_nanos(nanos: u64) -> Duration {
        Duration(nanos)
    }

    /// A duration of `micros` microseconds.
    #[inline]
    pub const fn from_micros(micros: u64) -> Duration {
        Duration(micros * 1_000)
    }

    /// A duration of `millis` milliseconds.
    #[inline]
    pub const fn from_millis(millis: u64) -> Duration {
        Duration(millis * 1_000_000)
    }

    /// A duration of `secs` seconds.
    #[inline]
    pub const fn from_secs(secs: u64) -> Duration {
        Duration(secs * 1_000_000_000)
    }

    /// The nearest whole number of nanoseconds; zero for a negative or not-a-number argument.
    pub fn from_secs_f64(secs: f64) -> Duration {
        Duration(rounded(secs * 1e9))
    }

    /// Nanoseconds.
    #[inline]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds, for reports and for laws stated in real numbers.
    #[inline]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// True for the empty duration.
    #[inline]
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// `self - other`, zero if `other` is longer.
    #[inline]
    pub const fn saturating_sub(self, other: Duration) -> Duration {
        Duration(self.0.saturating_sub(other.0))
    }

    /// The absolute difference of two durations.
    #[inline]
    pub const fn abs_diff(self, other: Duration) -> Duration {
        Duration(self.0.abs_diff(other.0))
    }

    /// The duration scaled by a non-negative factor, rounded to nanoseconds.
    pub fn mul_f64(self, factor: f64) -> Duration {
        Duration(rounded(self.0 as f64 * factor))
    }
}

/// The nearest whole number, halves away from zero; zero for a negative one and for none.
#[inline]
fn rounded(real: f64) -> u64 {
    let whole = real as u64;
    whole.saturating_add(u64::from(real - whole as f64 >= 0.5))
}

impl Add<Duration> for Time {
    type Output = Time;
    #[inline]
    fn add(self, d: Duration) -> Time {
        Time(self.0.saturating_add(d.0))
    }
}

impl AddAssign<Duration> for Time {
    #[inline]
    fn add_assign(&mut self, d: Duration) {
        *self = *self + d;
    }
}

impl Sub<Duration> for Time {
    type Output = Time;
    #[inline]
    fn sub(self, d: Duration) -> Time {
        Time(self.0.saturating_sub(d.0))
    }
}

impl Add for Duration {
    type Output = Duration;
    #[inline]
    fn add(self, d: Duration) -> Duration {
        Duration(self.0.saturating_add(d.0))
    }
}

impl AddAssign for Duration {
    #[inline]
    fn add_assign(&mut self, d: Duration) {
        *self = *self + d;
    }
}

impl Sub for Duration {
    type Output = Duration;
    #[inline]
    fn sub(self, d: Duration) -> Duration {
        self.saturating_sub(d)
    }
}

impl SubAssign for Duration {
    #[inline]
    fn sub_assign(&mut self, d: Duration) {
        *self = *self - d;
    }
}

impl Mul<u64> for Duration {
    type Output = Duration;
    #[inline]
    fn mul(self, k: u64) -> Duration {
        Duration(self.0.saturating_mul(k))
    }
}

impl Div<u64> for Duration {
    type Output = Duration;
    #[inline]
    fn div(self, k: u64) -> Duration {
        Duration(self.0 / k)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_finite() { Duration(self.0).fmt(f) } else { f.write_str("never") }
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (divisor, unit) = match self.0 {
            u64::MAX => return f.write_str("unlimited"),
            0 => return f.write_str("0s"),
            n if n >= 1_000_000_000 => (1e9, "s"),
            n if n >= 1_000_000 => (1e6, "ms"),
            n if n >= 1_000 => (1e3, "us"),
            _ => (1.0, "ns"),
        };
        write!(f, "{}{unit}", self.0 as f64 / divisor)
    }
}

#[cfg(test)]
mod tests {
    use std::string::{String, ToString};
    use std::vec::Vec;

    use super::*;

    #[test]
    fn real_numbers_round_like_those_of_the_standard_library() {
        let large = [1e15 + 0.5, 2_f64.powi(52) + 0.5, 2_f64.powi(53) + 2.0, 1.8446744073709552e19, 1e300];
        let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.6, -0.4, 0.499_999_999_999_999_94];
        let small = (0..4000).map(|n| f64::from(n) / 8.0);
        for real in large.into_iter().chain(odd).chain(small) {
            assert_eq!(rounded(real), real.round() as u64, "{real}");
        }
    }

    #[test]
    fn displays_in_the_largest_fitting_unit() {
        let shown: Vec<String> = [0, 1, 1_500, 25_000_000, 1_200_000_000, u64::MAX]
            .map(|n| Duration::from_nanos(n).to_string())
            .to_vec();
        assert_eq!(shown, ["0s", "1ns", "1.5us", "25ms", "1.2s", "unlimited"]);
    }

    #[test]
    fn never_stays_never() {
        assert_eq!(Time::NEVER + Duration::from_secs(1), Time::NEVER);
        assert_eq!(Time::ZERO.since(Time::from_nanos(5)), Duration::ZERO);
    }
}
