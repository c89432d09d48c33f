//! How late something was: a histogram with buckets of an eighth of an octave, so that a quantile is right within 12.5 %
//! whatever its size.

use dumbbell_core::Duration;

/// Buckets in each octave.
const STEPS: u32 = 8;

/// A histogram of durations.
#[derive(Clone, Debug)]
pub struct Lateness {
    counts: [u64; 64 * STEPS as usize],
    total: u64,
    max: u64,
}

impl Default for Lateness {
    fn default() -> Lateness {
        Lateness { counts: [0; 64 * STEPS as usize], total: 0, max: 0 }
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

fn bucket(nanos: u64) -> usize {
    if nanos < u64::from(STEPS) {
        return nanos as usize;
    }
    let octave = nanos.ilog2();
    let step = (nanos >> (octave - STEPS.ilog2())) as u32 & (STEPS - 1);
    ((octave - STEPS.ilog2() + 1) * STEPS + step) as usize
}

/// The largest value of a bucket.
fn upper(bucket: usize) -> u64 {
    let (octave, step) = (bucket as u32 / STEPS, u64::from(bucket as u32 % STEPS));
    if octave == 0 {
        return step;
    }
    let width = 1_u64 << (octave - 1);
    (u64::from(STEPS) + step + 1).saturating_mul(width) - 1
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
        self.counts[bucket(nanos)] += times;
        self.total += times;
        self.max = self.max.max(nanos);
    }

    /// The upper end of the bucket in which the share `q` is reached; zero without values.
    pub fn quantile(&self, q: f64) -> Duration {
        let rank = ((q * self.total as f64).ceil() as u64).max(1);
        let mut seen = 0;
        let reached = self.counts.iter().position(|n| {
            seen += n;
            seen >= rank
        });
        Duration::from_nanos(reached.map_or(0, upper).min(self.max))
    }

    /// The quantiles that reports show.
    pub fn quantiles(&self) -> Quantiles {
        let at = |q| self.quantile(q).as_secs_f64();
        Quantiles {
            count: self.total,
            p50: at(0.5),
            p90: at(0.9),
            p99: at(0.99),
            max: Duration::from_nanos(self.max).as_secs_f64(),
        }
    }

    /// The buckets that hold something, in order.
    pub fn buckets(&self) -> Vec<Bucket> {
        let filled = self.counts.iter().enumerate().filter(|(_, n)| **n > 0);
        filled.map(|(i, n)| Bucket { until: upper(i) as f64 / 1e9, count: *n }).collect()
    }

    /// The histogram as bytes, for another process: the largest value, then the number and the count of each bucket that
    /// holds something, eight bytes each.
    pub fn to_bytes(&self) -> Vec<u8> {
        let filled = self.counts.iter().enumerate().filter(|(_, n)| **n > 0);
        let words = std::iter::once(self.max).chain(filled.flat_map(|(i, n)| [i as u64, *n]));
        words.flat_map(u64::to_be_bytes).collect()
    }

    /// What [`Lateness::to_bytes`] wrote; none if it did not.
    pub fn from_bytes(bytes: &[u8]) -> Option<Lateness> {
        let (words, []) = bytes.as_chunks::<8>() else { return None };
        let mut words = words.iter().map(|word| u64::from_be_bytes(*word));
        let mut found = Lateness { max: words.next()?, ..Lateness::default() };
        while let Some(i) = words.next() {
            let (count, n) = (found.counts.get_mut(usize::try_from(i).ok()?)?, words.next()?);
            *count = n;
            found.total = found.total.checked_add(n)?;
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_value_lies_in_its_bucket_and_close_to_its_end(nanos in 0..1_u64 << 62) {
            let b = bucket(nanos);
            prop_assert!(nanos <= upper(b));
            prop_assert!(b == 0 || nanos > upper(b - 1));
            prop_assert!(upper(b) as f64 <= nanos as f64 * 1.125 + 1.0);
        }

        #[test]
        fn quantiles_are_right_within_an_eighth(mut values in prop::collection::vec(0..10_000_000_u64, 1..300), q in 0.01..1.0_f64) {
            let mut histogram = Lateness::default();
            values.iter().for_each(|v| histogram.add(Duration::from_nanos(*v)));
            values.sort_unstable();
            let exact = values[((q * values.len() as f64).ceil() as usize).max(1) - 1];
            let found = histogram.quantile(q).as_nanos();
            prop_assert!(found >= exact && found as f64 <= exact as f64 * 1.125 + 1.0, "{found} for {exact}");
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
}
