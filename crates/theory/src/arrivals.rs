//! Packets that arrive at a port, as recorded.

use std::fmt;

use dumbbell_core::{BitRate, Duration, Time};

/// A packet that has arrived whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When.
    pub time: Time,
    /// Its size.
    pub bytes: u64,
}

/// What a caller can get wrong: one line, what is wrong and the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TheoryError(pub String);

impl fmt::Display for TheoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TheoryError {}

pub(crate) fn refuse<T>(message: String) -> Result<T, TheoryError> {
    Err(TheoryError(message))
}

/// Refuses arrivals that go back in time.
pub(crate) fn check_order(arrivals: &[Arrival]) -> Result<(), TheoryError> {
    match arrivals.windows(2).position(|pair| pair[1].time < pair[0].time) {
        Some(i) => refuse(format!("arrival {} is before arrival {i}; sort them by time", i + 1)),
        None => Ok(()),
    }
}

/// Exact arithmetic of transmissions at one rate: the unit is a nanosecond over the rate in bit/s, in which both times
/// and transmissions are whole.
#[derive(Clone, Copy)]
pub(crate) struct Scale(i128);

impl Scale {
    pub(crate) fn new(rate: BitRate) -> Result<Scale, TheoryError> {
        match rate.as_bps() {
            0 => refuse("a rate of zero sends nothing; give one above zero".into()),
            bps => Ok(Scale(i128::from(bps))),
        }
    }

    pub(crate) fn nanos(self, nanos: u64) -> i128 {
        i128::from(nanos) * self.0
    }

    pub(crate) fn transmission(self, bytes: u64) -> i128 {
        i128::from(bytes) * 8_000_000_000
    }

    /// In seconds, to the nearest representable value.
    pub(crate) fn seconds(self, units: i128) -> f64 {
        units as f64 / (self.0 as f64 * 1e9)
    }

    /// To the next whole nanosecond; `None` beyond all that a duration holds.
    pub(crate) fn duration_up(self, units: i128) -> Option<Duration> {
        let nanos = (units + self.0 - 1) / self.0;
        u64::try_from(nanos).ok().map(Duration::from_nanos)
    }
}

/// The longest time from the arrival of a packet to the end of its transmission at a constant rate, first in, first
/// out, to the next whole nanosecond: with less, no schedule that never exceeds the rate keeps all deadlines.
///
/// # Errors
/// If the arrivals are not in order of time, the rate is zero, or some packet takes centuries.
pub fn smallest_delay(arrivals: &[Arrival], rate: BitRate) -> Result<Duration, TheoryError> {
    check_order(arrivals)?;
    let scale = Scale::new(rate)?;
    let (mut end, mut longest) = (0, 0);
    for arrival in arrivals {
        let arrived = scale.nanos(arrival.time.as_nanos());
        end = arrived.max(end) + scale.transmission(arrival.bytes);
        longest = longest.max(end - arrived);
    }
    scale.duration_up(longest).map_or_else(
        || refuse(format!("at {rate} some packet takes longer than 500 years; raise the rate")),
        Ok,
    )
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Arrivals from pairs of nanoseconds and bytes.
    pub(crate) fn list(pairs: &[(u64, u64)]) -> Vec<Arrival> {
        pairs.iter().map(|&(time, bytes)| Arrival { time: Time::from_nanos(time), bytes }).collect()
    }

    /// One byte takes one nanosecond.
    pub(crate) fn byte_per_ns() -> BitRate {
        BitRate::from_bps(8_000_000_000)
    }

    #[test]
    fn the_smallest_delay_is_that_of_the_longest_wait() {
        // Ends at 10, 14, 20 after arrivals at 0, 4, 9.
        let arrivals = list(&[(0, 10), (4, 4), (9, 6), (40, 3)]);
        assert_eq!(smallest_delay(&arrivals, byte_per_ns()).unwrap(), Duration::from_nanos(11));
        // At 3 bit/ns, 10 bytes take 26.67 ns.
        let endless = smallest_delay(&list(&[(0, u64::MAX)]), BitRate::from_bps(1));
        assert!(endless.is_err(), "{endless:?}");
        let third = smallest_delay(&list(&[(0, 10)]), BitRate::from_bps(3_000_000_000)).unwrap();
        assert_eq!(third, Duration::from_nanos(27));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let backwards = smallest_delay(&list(&[(5, 1), (4, 1)]), byte_per_ns()).unwrap_err();
        assert_eq!(backwards.to_string(), "arrival 1 is before arrival 0; sort them by time");
        assert!(smallest_delay(&[], BitRate::from_bps(0)).is_err());
    }
}
