//! Figures of merit of a column. They are NumPy's to the last bit, so that a summary does not depend on who computes it.

/// What a set of values amounts to; all but the count are absent without values.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Statistics {
    /// How many there are; not-a-number counts as absent.
    pub count: usize,
    /// Mean.
    pub mean: Option<f64>,
    /// Quantiles, with linear interpolation (Hyndman & Fan, 1996: definition 7).
    pub p50: Option<f64>,
    /// The same.
    pub p90: Option<f64>,
    /// The same.
    pub p99: Option<f64>,
    /// The largest.
    pub max: Option<f64>,
}

impl Statistics {
    /// Those of some values.
    pub fn of(values: impl Iterator<Item = f64>) -> Statistics {
        let mut values: Vec<f64> = values.filter(|v| !v.is_nan()).collect();
        let count = values.len();
        let mean = sum(&values) / count as f64;
        values.sort_unstable_by(f64::total_cmp);
        let Some(max) = values.last().copied() else { return Statistics::default() };
        let [p50, p90, p99] = [0.5, 0.9, 0.99].map(|q| Some(quantile(&values, q)));
        Statistics { count, mean: Some(mean), p50, p90, p99, max: Some(max) }
    }
}

/// The sum, in pairs: the error grows with the logarithm of the number of values (Higham, 1993). The order of the additions is
/// NumPy's.
pub fn sum(values: &[f64]) -> f64 {
    const LANES: usize = 8;
    const BLOCK: usize = 128;
    let n = values.len();
    if n < LANES {
        return values.iter().fold(-0.0, |sum, v| sum + v);
    }
    if n > BLOCK {
        let half = n / 2 - n / 2 % LANES;
        return sum(&values[..half]) + sum(&values[half..]);
    }
    let (whole, rest) = values.split_at(n - n % LANES);
    let mut lanes = [-0.0; LANES];
    for part in whole.chunks_exact(LANES) {
        lanes.iter_mut().zip(part).for_each(|(lane, v)| *lane += v);
    }
    let [a, b, c, d, e, f, g, h] = lanes;
    let total = ((a + b) + (c + d)) + ((e + f) + (g + h));
    rest.iter().fold(total, |sum, v| sum + v)
}

/// A quantile of values in ascending order, at least one.
pub fn quantile(values: &[f64], q: f64) -> f64 {
    let place = (values.len() - 1) as f64 * q;
    let (below, part) = (place.floor() as usize, place - place.floor());
    let (a, b) = (values[below], values[(below + 1).min(values.len() - 1)]);
    let gap = b - a;
    if part >= 0.5 { b - gap * (1.0 - part) } else { a + gap * part }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate_and_what_is_no_number_is_absent() {
        let found = Statistics::of([4.0, f64::NAN, 1.0, 3.0, 2.0].into_iter());
        assert_eq!((found.count, found.mean, found.p50, found.max), (4, Some(2.5), Some(2.5), Some(4.0)));
        assert!(found.p90.is_some_and(|p90| (p90 - 3.7).abs() < 1e-12), "{:?}", found.p90);
        assert_eq!(Statistics::of([f64::NAN].into_iter()), Statistics::default());
        assert_eq!(Statistics::of([7.0].into_iter()).p99, Some(7.0));
    }

    #[test]
    fn sums_of_many_values_keep_their_precision() {
        let tenths = vec![0.1; 1_000_000];
        assert!((sum(&tenths) - 1e5).abs() < 1e-9, "one after the other: 1.3e-6 off");
    }
}
