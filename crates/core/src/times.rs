//! Quantiles of times, such as the delays of packets, in memory that does not grow.

use hdrhistogram::Histogram;

use crate::Duration;

/// Significant decimal digits: buckets of 1/128 of a time, or less (HdrHistogram).
const DIGITS: u8 = 2;

/// Longest time told apart: 18 minutes. A longer one counts as that long.
const LONGEST: u64 = 1 << 40;

/// The shares whose quantiles a table of a distribution has.
pub const SHARES: [f64; 24] = [
    0.0, 0.01, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85,
    0.9, 0.95, 0.99, 0.999, 1.0,
];

/// How often each time was seen. A quantile is within 1/128 of the true one; the smallest and the largest are exact.
#[derive(Clone, PartialEq, Debug)]
pub struct Times {
    counts: Histogram<u32>,
    shortest: u64,
    longest: u64,
}

impl Default for Times {
    fn default() -> Times {
        // All its memory now, and none on the path of a packet.
        let counts = Histogram::new_with_bounds(1, LONGEST, DIGITS).expect("18 minutes are long enough");
        Times { counts, shortest: u64::MAX, longest: 0 }
    }
}

impl Times {
    /// Counts a time.
    #[inline]
    pub fn add(&mut self, time: Duration) {
        let nanos = time.as_nanos();
        self.counts.saturating_record(nanos);
        self.shortest = self.shortest.min(nanos);
        self.longest = self.longest.max(nanos);
    }

    /// Forgets all, and keeps the memory.
    pub fn clear(&mut self) {
        self.counts.reset();
        (self.shortest, self.longest) = (u64::MAX, 0);
    }

    /// The smallest time, in seconds, with at least the share `q` of all at or below it; `None` without any.
    pub fn quantile(&self, q: f64) -> Option<f64> {
        let total = self.counts.len();
        let rank = ((q * total as f64).ceil() as u64).max(1);
        let nanos = match rank {
            _ if total == 0 => return None,
            1 => self.shortest,
            last if last >= total => self.longest,
            _ => {
                let found = self.counts.value_at_quantile(q);
                self.counts.median_equivalent(found).clamp(self.shortest, self.longest)
            }
        };
        Some(nanos as f64 / 1e9)
    }

    /// The longest time in seconds.
    pub fn longest(&self) -> Option<f64> {
        (!self.counts.is_empty()).then(|| self.longest as f64 / 1e9)
    }
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
    fn what_is_longer_than_all_keeps_its_length_as_the_longest() {
        let times = of([5, 7, u64::MAX]);
        assert_eq!(times.longest(), Some(u64::MAX as f64 / 1e9));
        assert_eq!(times.quantile(0.5), Some(7e-9));
    }

    #[test]
    fn equal_times_are_exact() {
        let times = of([123_456_789; 5]);
        assert_eq!([0.0, 0.5, 1.0].map(|q| times.quantile(q)), [Some(0.123_456_789); 3]);
    }

    #[test]
    fn nothing_has_no_quantiles() {
        let mut times = of([7, 8]);
        times.clear();
        assert_eq!(times, Times::default());
        assert_eq!((times.quantile(0.5), times.longest()), (None, None));
    }
}
