//! Power at rates between discrete levels.

use crate::arrivals::{TheoryError, refuse};

/// The least mean power at a mean rate when a port switches freely between its levels: the lower convex envelope of the
/// points (rate, power).
///
/// Below the lowest level it is the power of that level, as such a port has nothing cheaper. For levels on a convex
/// curve it is the piecewise-linear interpolation through them.
#[derive(Clone, Debug, PartialEq)]
pub struct Envelope {
    corners: Vec<(f64, f64)>,
}

impl Envelope {
    /// From levels in any order: rate in bit/s, power in any unit.
    ///
    /// # Errors
    /// If there is no level, or a number is not finite.
    pub fn new(levels: &[(f64, f64)]) -> Result<Envelope, TheoryError> {
        if let Some((rate, power)) =
            levels.iter().find(|(rate, power)| !(rate.is_finite() && power.is_finite()))
        {
            return refuse(format!("a level of rate {rate} and power {power}; give finite numbers"));
        }
        let mut levels = levels.to_vec();
        levels.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        // What a lower rate needs less power for than a higher one is reached by idling at the higher.
        let Some(least) = levels.iter().map(|level| level.1).reduce(f64::min) else {
            return refuse("there are no levels; give at least one".into());
        };
        let mut corners: Vec<(f64, f64)> = Vec::with_capacity(levels.len());
        for level in levels {
            while let [.., a, b] = corners[..]
                && (b.1 - a.1) * (level.0 - a.0) >= (level.1 - a.1) * (b.0 - a.0)
            {
                corners.pop();
            }
            corners.push(level);
        }
        corners.dedup_by_key(|corner| corner.0);
        let lowest = corners.iter().position(|corner| corner.1 == least).unwrap_or_default();
        corners.drain(..lowest);
        Ok(Envelope { corners })
    }

    /// The power at a rate; infinite above the highest level.
    pub fn at(&self, rate: f64) -> f64 {
        let above = self.corners.partition_point(|corner| corner.0 < rate);
        match (above.checked_sub(1).map(|below| self.corners[below]), self.corners.get(above)) {
            (_, None) => f64::INFINITY,
            (None, Some(lowest)) => lowest.1,
            (Some(from), Some(to)) => from.1 + (to.1 - from.1) * (rate - from.0) / (to.0 - from.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn levels_on_a_convex_curve_are_all_corners() {
        let cubes = Envelope::new(&[(1.0, 1.0), (2.0, 8.0), (3.0, 27.0)]).unwrap();
        assert_eq!([0.0, 1.0, 1.5, 2.0, 2.5, 3.0].map(|r| cubes.at(r)), [1.0, 1.0, 4.5, 8.0, 17.5, 27.0]);
        assert_eq!(cubes.at(3.1), f64::INFINITY);
    }

    #[test]
    fn a_level_above_the_line_between_others_is_not_used() {
        let sleeper = Envelope::new(&[(10.0, 1.0), (5.0, 0.9), (0.0, 0.1)]).unwrap();
        assert!((sleeper.at(5.0) - 0.55).abs() < 1e-15);
    }

    #[test]
    fn a_dearer_level_at_a_lower_rate_is_not_used() {
        let odd = Envelope::new(&[(1.0, 5.0), (2.0, 3.0), (4.0, 4.0)]).unwrap();
        assert_eq!([0.5, 1.0, 2.0, 3.0].map(|r| odd.at(r)), [3.0, 3.0, 3.0, 3.5]);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert!(Envelope::new(&[]).is_err());
        assert!(Envelope::new(&[(1.0, f64::NAN)]).is_err());
    }

    proptest! {
        /// At each rate the power of the cheapest pair of levels shared in time, found by trying all.
        #[test]
        fn it_is_the_cheapest_mixture(
            levels in prop::collection::vec((0u32..20, 0u32..20), 1..8), rate in 0.0f64..20.0,
        ) {
            let levels: Vec<_> = levels.iter().map(|&(r, p)| (f64::from(r), f64::from(p))).collect();
            // Idling at a level: the same power for any lower rate.
            let mut cheapest = f64::INFINITY;
            for &(low, a) in &levels {
                if low >= rate {
                    cheapest = cheapest.min(a);
                }
                for &(high, b) in levels.iter().filter(|level| low < rate && rate <= level.0) {
                    cheapest = cheapest.min(a + (b - a) * (rate - low) / (high - low));
                }
            }
            let found = Envelope::new(&levels).unwrap().at(rate);
            prop_assert!(found == cheapest || (found - cheapest).abs() < 1e-9, "{found} {cheapest}");
        }
    }
}
