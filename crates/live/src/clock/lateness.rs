//! How late something was: a histogram whose quantiles are right within 1/128, whatever their size. They decide whether a run
//! is valid.

use dumbbell_core::Duration;
use hdrhistogram::Histogram;

/// Significant decimal digits of a value: buckets of 1/128 of an octave, or less than one per cent (HdrHistogram). A third
/// would make the message of [`Lateness::to_bytes`] longer than a socket takes.
const DIGITS: u8 = 2;

/// Longest duration that has a bin of its own (ns): an hour.
const LONGEST: u64 = 3_600_000_000_000;

/// A histogram of durations.
#[derive(Clone, Debug)]
pub struct Lateness {
    counts: Histogram<u64>,
    max: u64,
}

impl Default for Lateness {
    fn default() -> Lateness {
        // All its memory now, and none on the path of a packet.
        let counts =
            Histogram::new_with_bounds(1, LONGEST, DIGITS).expect("an hour is more than two nanoseconds");
        Lateness { counts, max: 0 }
    }
}

/// Quantiles of a histogram, in seconds.
#[derive(Clone, Copy, PartialEq, Debug, Default, serde::Serialize)]
pub struct Quantiles {
    /// Values counted.
    pub count: u64,
    /// Half were no larger.
    pub p50: f64,
    /// Nine in ten were no larger.
    pub p90: f64,
    /// All but one in a hundred were no larger.
    pub p99: f64,
    /// The largest.
    pub max: f64,
}

/// A bucket of the histogram.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize)]
pub struct Bucket {
    /// Its upper end in seconds.
    pub until: f64,
    /// How many values it holds.
    pub count: u64,
}

impl Lateness {
    /// Counts a value.
    #[inline]
    pub fn add(&mut self, late: Duration) {
        self.add_times(late, 1);
    }

    /// Counts a value so many times.
    #[inline]
    pub fn add_times(&mut self, late: Duration, times: u64) {
        let nanos = late.as_nanos();
        self.counts.saturating_record_n(nanos, times);
        self.max = self.max.max(nanos);
    }

    /// The upper end of the bucket in which the share `q` is reached; zero without values.
    pub fn quantile(&self, q: f64) -> Duration {
        Duration::from_nanos(self.counts.value_at_quantile(q).min(self.max))
    }

    /// The quantiles that reports show.
    pub fn quantiles(&self) -> Quantiles {
        let at = |q| self.quantile(q).as_secs_f64();
        Quantiles {
            count: self.counts.len(),
            p50: at(0.5),
            p90: at(0.9),
            p99: at(0.99),
            max: Duration::from_nanos(self.max).as_secs_f64(),
        }
    }

    /// The upper end and the count of each bucket that holds something, in order.
    fn filled(&self) -> impl Iterator<Item = (u64, u64)> {
        self.counts.iter_recorded().map(|bucket| (bucket.value_iterated_to(), bucket.count_at_value()))
    }

    /// The buckets that hold something, in order.
    pub fn buckets(&self) -> Vec<Bucket> {
        self.filled().map(|(until, count)| Bucket { until: until as f64 / 1e9, count }).collect()
    }

    /// The histogram as bytes, for another process: the largest value, then the upper end and the count of each bucket that
    /// holds something, eight bytes each. At most 74 kB.
    pub fn to_bytes(&self) -> Vec<u8> {
        let words = std::iter::once(self.max).chain(self.filled().flat_map(|(until, count)| [until, count]));
        words.flat_map(u64::to_be_bytes).collect()
    }

    /// What [`Lateness::to_bytes`] wrote; none if it did not.
    pub fn from_bytes(bytes: &[u8]) -> Option<Lateness> {
        let (words, []) = bytes.as_chunks::<8>() else { return None };
        let mut words = words.iter().map(|word| u64::from_be_bytes(*word));
        let mut found = Lateness { max: words.next()?, ..Lateness::default() };
        let mut total = 0_u64;
        while let Some(until) = words.next() {
            let count = words.next()?;
            total = total.checked_add(count)?;
            found.counts.saturating_record_n(until, count);
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    use crate::namespace::LONGEST_NEWS;

    proptest! {
        #[test]
        fn quantiles_are_right_within_a_hundredth(mut values in prop::collection::vec(0..1_u64 << 40, 1..300), q in 0.01..1.0_f64) {
            let mut histogram = Lateness::default();
            values.iter().for_each(|v| histogram.add(Duration::from_nanos(*v)));
            values.sort_unstable();
            let exact = values[((q * values.len() as f64).ceil() as usize).max(1) - 1];
            let found = histogram.quantile(q).as_nanos();
            prop_assert!(found >= exact && (found - exact) * 128 <= exact, "{found} for {exact}");
            let read = Lateness::from_bytes(&histogram.to_bytes()).unwrap();
            prop_assert_eq!((read.buckets(), read.quantiles()), (histogram.buckets(), histogram.quantiles()));
        }

        #[test]
        fn bytes_that_are_no_histogram_are_refused_or_read(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            if let Some(found) = Lateness::from_bytes(&bytes) {
                prop_assert_eq!(found.quantiles().count, found.buckets().iter().map(|b| b.count).sum::<u64>());
            }
        }
    }

    #[test]
    fn what_is_longer_than_an_hour_keeps_its_length_as_the_longest() {
        let mut histogram = Lateness::default();
        histogram.add(Duration::from_secs(3));
        histogram.add(Duration::from_secs(7200));
        assert_eq!((histogram.quantiles().count, histogram.quantiles().max), (2, 7200.0));
        assert!(histogram.quantile(0.99) >= Duration::from_secs(3600));
    }

    #[test]
    fn a_message_holds_every_bucket() {
        let mut full = Lateness::default();
        let mut nanos = 0;
        while nanos < LONGEST {
            full.add(Duration::from_nanos(nanos));
            nanos += 1.max(nanos >> 8);
        }
        let bytes = full.to_bytes();
        assert!((60_000..LONGEST_NEWS - 8).contains(&bytes.len()), "{}", bytes.len());
        assert_eq!(Lateness::from_bytes(&bytes).unwrap().buckets(), full.buckets());
    }
}
