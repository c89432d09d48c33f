//! Quantiles of times, such as the delays of packets, in memory that does not grow.

use crate::Duration;

/// Buckets of a factor of two.
const PER_OCTAVE: u64 = 1 << BITS;
const BITS: u32 = 6;

/// Bits of the largest time told apart: 18 minutes. A longer one counts as that long.
const LARGEST: u32 = 40;

const BUCKETS: usize = ((LARGEST - BITS + 1) as usize) << BITS;

/// The shares whose quantiles a table of a distribution has.
pub const SHARES: [f64; 24] = [
    0.0, 0.01, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85,
    0.9, 0.95, 0.99, 0.999, 1.0,
];

/// How often each time was seen. Up to 128 ns buckets hold one value; above that each has a 64th of a factor of two, so that
/// a quantile is within 1/128 of the true one. The smallest and the largest are exact.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Times {
    counts: Box<[u32]>,
    total: u64,
    sum: u64,
    shortest: u64,
    longest: u64,
}

impl Default for Times {
    fn default() -> Times {
        Times { counts: vec![0; BUCKETS].into(), total: 0, sum: 0, shortest: u64::MAX, longest: 0 }
    }
}

impl Times {
    /// Counts a time.
    #[inline]
    pub fn add(&mut self, time: Duration) {
        let nanos = time.as_nanos();
        self.counts[bucket(nanos)] += 1;
        self.total += 1;
        self.sum = self.sum.saturating_add(nanos);
        self.shortest = self.shortest.min(nanos);
        self.longest = self.longest.max(nanos);
    }

    /// Forgets all, and keeps the memory.
    pub fn clear(&mut self) {
        self.counts.fill(0);
        *self = Times {
            counts: std::mem::take(&mut self.counts),
            total: 0,
            sum: 0,
            shortest: u64::MAX,
            longest: 0,
        };
    }

    /// True if none was counted.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// The smallest time, in seconds, with at least the share `q` of all at or below it; `None` without any.
    pub fn quantile(&self, q: f64) -> Option<f64> {
        let rank = ((q * self.total as f64).ceil() as u64).clamp(1, self.total.max(1));
        let mut seen = 0;
        let found = self.counts.iter().position(|count| {
            seen += u64::from(*count);
            seen >= rank
        })?;
        let nanos = match rank {
            1 => self.shortest,
            last if last == self.total => self.longest,
            _ => middle(found).clamp(self.shortest, self.longest),
        };
        Some(nanos as f64 / 1e9)
    }

    /// The longest time in seconds.
    pub fn longest(&self) -> Option<f64> {
        (self.total > 0).then(|| self.longest as f64 / 1e9)
    }

    /// The mean in seconds, which is exact.
    pub fn mean(&self) -> Option<f64> {
        (self.total > 0).then(|| self.sum as f64 / self.total as f64 / 1e9)
    }
}

#[inline]
fn bucket(nanos: u64) -> usize {
    let nanos = nanos.min((1 << LARGEST) - 1);
    let shift = (64 - nanos.leading_zeros()).saturating_sub(BITS + 1);
    (u64::from(shift) * PER_OCTAVE + (nanos >> shift)) as usize
}

/// The middle of a bucket.
fn middle(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    let shift = (bucket / PER_OCTAVE).saturating_sub(1);
    let least = (bucket - shift * PER_OCTAVE) << shift;
    least + ((1 << shift) - 1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(nanos: impl IntoIterator<Item = u64>) -> Times {
        let mut times = Times::default();
        nanos.into_iter().for_each(|n| times.add(Duration::from_nanos(n)));
        times
    }

    #[test]
    fn quantiles_are_within_a_128th() {
        for scale in [1_u64, 977, 1_000_003, 777_777_777] {
            let times = of((1..=1000).map(|n| n * scale));
            for q in [0.01, 0.1, 0.5, 0.9, 0.99] {
                let exact = (q * 1000.0_f64).ceil() * scale as f64 / 1e9;
                let error = times.quantile(q).unwrap() / exact - 1.0;
                assert!(error.abs() <= 1.0 / 128.0, "{scale} {q}: {error}");
            }
            assert_eq!(times.quantile(0.0), Some(scale as f64 / 1e9));
            assert_eq!(times.quantile(1.0), Some((1000 * scale) as f64 / 1e9));
            assert_eq!(times.longest(), times.quantile(1.0));
        }
    }

    #[test]
    fn buckets_follow_one_another() {
        let mut last = 0;
        for nanos in (0..100_000).chain((17..60).map(|bits| (1 << bits) - 1)) {
            let here = bucket(nanos);
            assert!(here == last || here == last + 1 || nanos > 100_000, "{nanos}: {last}, then {here}");
            assert!(here < BUCKETS && here >= last);
            last = here;
        }
        assert_eq!(bucket(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn equal_times_are_exact() {
        let times = of([123_456_789; 5]);
        assert_eq!([0.0, 0.5, 1.0].map(|q| times.quantile(q)), [Some(0.123_456_789); 3]);
        assert_eq!(times.mean(), Some(0.123_456_789));
    }

    #[test]
    fn nothing_has_no_quantiles() {
        let mut times = of([7, 8]);
        times.clear();
        assert_eq!(times, Times::default());
        assert_eq!((times.quantile(0.5), times.longest(), times.mean()), (None, None, None));
        assert!(times.is_empty());
    }
}
