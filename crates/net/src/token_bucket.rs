//! A token bucket: what shapers and markers measure by.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{BitRate, Bytes, Duration, Time};

/// The parts of a byte in which tokens are counted, so that a nanosecond at one bit a second fills a whole number of them.
const PARTS: u128 = 8_000_000_000;

/// Tokens, of a byte each, that come at a rate and are kept up to a burst. Full at the start (RFC 2697 section 3).
#[derive(Clone, Debug)]
pub struct TokenBucket {
    /// Parts a nanosecond: bits a second.
    rate: u128,
    /// Parts that it holds at most.
    burst: u128,
    tokens: u128,
    /// The tokens are those of this time.
    at: Time,
}

/// Tokens that have found no room in a bucket, in parts.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Overflow(u128);

impl TokenBucket {
    /// A full bucket.
    pub fn new(rate: BitRate, burst: Bytes) -> TokenBucket {
        let burst = u128::from(burst.get()) * PARTS;
        TokenBucket { rate: rate.as_bps().into(), burst, tokens: burst, at: Time::ZERO }
    }

    /// Takes a token for each of `size` bytes at `now`, if there are as many. Calls come in order of time.
    pub fn take(&mut self, now: Time, size: u32) -> bool {
        let _ = self.fill(now);
        self.take_filled(size)
    }

    /// Fills the bucket with what has come up to `now`, and returns what has found no room.
    pub fn fill(&mut self, now: Time) -> Overflow {
        let came = self.rate * u128::from(now.since(self.at).as_nanos());
        self.at = now;
        self.add(Overflow(came))
    }

    /// Adds what has overflowed from another bucket, and returns what finds no room here either.
    pub fn add(&mut self, Overflow(parts): Overflow) -> Overflow {
        let room = self.burst - self.tokens;
        self.tokens += parts.min(room);
        Overflow(parts.saturating_sub(room))
    }

    /// True if there are tokens for `size` bytes in a bucket that has been filled.
    pub fn holds(&self, size: u32) -> bool {
        u128::from(size) * PARTS <= self.tokens
    }

    /// Takes a token for each of `size` bytes, if there are as many, from a bucket that has been filled.
    pub fn take_filled(&mut self, size: u32) -> bool {
        let enough = self.holds(size);
        if enough {
            self.tokens -= u128::from(size) * PARTS;
        }
        enough
    }

    /// When there will be tokens for `size` bytes if none are taken until then.
    pub fn ready_at(&self, size: u32) -> Time {
        let missing = (u128::from(size) * PARTS).saturating_sub(self.tokens);
        if missing == 0 {
            return self.at;
        }
        if self.rate == 0 {
            return Time::NEVER;
        }
        self.at + Duration::from_nanos(u64::try_from(missing.div_ceil(self.rate)).unwrap_or(u64::MAX))
    }
}

/// Refuses a bucket, of the size under `key` of the table at `at`, that never holds enough for the largest packet.
///
/// # Errors
/// A bucket below the MTU.
pub fn check_burst(burst: Bytes, mtu: u32, key: &str, at: &At<'_>) -> Result<(), ConfigError> {
    if burst.get() < mtu.into() {
        return Err(at.key(key).error(
            format!("{burst} is less than the link's largest packet, for which there would never be tokens"),
            format!("give {mtu}B or more"),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::testing::lengths;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_interval_exceeds_the_burst_and_the_rate(
            rate in 1..10_000_000_000_u64, burst in 1500..1_000_000_u64,
            steps in prop::collection::vec((0..10_000_000_u64, 40..=1500_u32), lengths(1..200)),
        ) {
            let mut bucket = TokenBucket::new(BitRate::from_bps(rate), Bytes::new(burst));
            let mut now = Time::ZERO;
            let mut taken: Vec<(Time, u32)> = Vec::new();
            for (gap, size) in steps {
                now += Duration::from_nanos(gap);
                if !bucket.take(now, size) {
                    let ready = bucket.ready_at(size);
                    prop_assert!(ready > now);
                    prop_assert!(!bucket.clone().take(Time::from_nanos(ready.as_nanos() - 1), size));
                    now = ready;
                    prop_assert!(bucket.take(now, size));
                }
                taken.push((now, size));
            }
            for first in 0..taken.len() {
                let mut bytes = 0;
                for (time, size) in &taken[first..] {
                    bytes += u128::from(*size);
                    let nanos = u128::from(time.since(taken[first].0).as_nanos());
                    prop_assert!(bytes * PARTS <= u128::from(burst) * PARTS + nanos * u128::from(rate));
                }
            }
        }
    }
}
