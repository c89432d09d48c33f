//! What a distribution of flow sizes gives, and what several of them share.

use std::fmt::Debug;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::rng::Stream;
use serde::Serialize;

use crate::files::Files;
use crate::limits::MAX_FLOW_BYTES;

/// The parameters of a distribution.
pub trait SizeParams: Send + Sync {
    /// The distribution.
    ///
    /// # Errors
    /// What is wrong with the parameters that stand at `at`, or with a file they name.
    fn build(&self, files: &mut Files, at: &At<'_>) -> Result<Sizes, ConfigError>;
}

/// A distribution of positive real numbers of bytes.
pub trait Law: Debug + Send + Sync {
    /// One draw.
    fn draw(&self, rng: &mut Stream) -> f64;

    /// The mean, and the means of the square and of the cube: the first to a relative error below 1e-6. Infinity where the tail is
    /// too heavy for one.
    fn moments(&self) -> [f64; 3];

    /// True if draws differ.
    fn draws(&self) -> bool {
        true
    }

    /// The exponent of the tail where it falls like a power, as far as it goes; `None` where it falls faster.
    fn index(&self) -> Option<f64> {
        None
    }

    /// What no draw exceeds, if there is such a size.
    fn largest(&self) -> Option<f64> {
        None
    }

    /// The mean of `f` over the distribution, for an `f` whose values stay within some bound: to a thousandth of it.
    fn average(&self, f: &mut dyn FnMut(f64) -> f64) -> f64;
}

/// How heavy the tail of a distribution of sizes is.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Tail {
    /// The exponent of the tail where it falls like a power, up to `largest`; `None` where it falls faster. Up to 2 the variance,
    /// up to 3 the skewness of a tail without bound is infinite.
    pub index: Option<f64>,
    /// What no size exceeds, in bytes; `None` without bound.
    pub largest: Option<f64>,
    /// Standard deviation over mean; `None` where it is infinite.
    pub variation: Option<f64>,
    /// Third central moment over the cube of the standard deviation; `None` where it is infinite.
    pub skewness: Option<f64>,
}

impl Tail {
    /// This one, or the other if it is the more skew.
    #[must_use]
    pub fn or_heavier(self, other: Tail) -> Tail {
        let skewness = |tail: &Tail| tail.skewness.unwrap_or(f64::INFINITY);
        if skewness(&other) > skewness(&self) { other } else { self }
    }
}

/// A distribution of whole numbers of bytes: a law, rounded.
#[derive(Debug)]
pub struct Sizes {
    pub(super) law: Box<dyn Law>,
    /// Round up to a multiple of this, else to the nearest byte.
    ceil: Option<u64>,
    /// Of the law.
    moments: [f64; 3],
    mean: f64,
}

impl Sizes {
    /// Draws of `law`, rounded to whole bytes, one at least.
    pub fn new(law: impl Law + 'static) -> Sizes {
        Sizes::rounded(Box::new(law), None)
    }

    /// Draws of `law`, rounded up to multiples of `unit` bytes.
    pub fn ceil(law: impl Law + 'static, unit: u64) -> Sizes {
        Sizes::rounded(Box::new(law), Some(unit))
    }

    fn rounded(law: Box<dyn Law>, ceil: Option<u64>) -> Sizes {
        let mut sizes = Sizes { moments: law.moments(), law, ceil, mean: 0.0 };
        // Rounding moves a draw by one unit at most, however heavy the tail.
        sizes.mean = sizes.moments[0] + sizes.law.average(&mut |x| sizes.whole(x) as f64 - x);
        sizes
    }

    fn whole(&self, bytes: f64) -> u64 {
        let whole = match self.ceil {
            Some(unit) => ((bytes / unit as f64).ceil() as u64).max(1).saturating_mul(unit),
            None => (bytes.round() as u64).max(1),
        };
        whole.min(MAX_FLOW_BYTES)
    }

    /// One draw, in bytes.
    pub fn sample(&self, rng: &mut Stream) -> u64 {
        self.whole(self.law.draw(rng))
    }

    /// True if sizes are drawn, false if all are the same.
    pub fn draws(&self) -> bool {
        self.law.draws()
    }

    /// Mean bytes.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The tail of the law, before rounding.
    pub fn tail(&self) -> Tail {
        let [mean, squares, cubes] = self.moments;
        let finite = |value: f64| value.is_finite().then_some(value);
        let variance = squares - mean * mean;
        // What is left of equal sizes is rounding.
        let even = squares.is_finite() && variance <= 1e-12 * squares;
        let central = cubes - 3.0 * mean * squares + 2.0 * mean.powi(3);
        Tail {
            index: self.law.index(),
            largest: self.law.largest(),
            variation: finite(if even { 0.0 } else { variance.sqrt() / mean }),
            skewness: finite(if even { 0.0 } else { central / variance.powf(1.5) }),
        }
    }

    /// Mean of `cost(size)`, for a cost that grows in proportion to the size but for a bounded difference, as headers
    /// make it: relative error below 1e-4.
    pub fn mean_of(&self, cost: impl Fn(u64) -> u64) -> f64 {
        let slope = cost(FAR) as f64 / FAR as f64;
        let bounded = self.law.average(&mut |x| {
            let size = self.whole(x);
            cost(size) as f64 - slope * size as f64
        });
        slope * self.mean + bounded
    }
}

/// A size at which a bounded difference no longer counts.
const FAR: u64 = 1 << 44;

/// Points at which a law is evaluated.
pub(super) const POINTS: u32 = 1 << 16;

/// The mean of `f` over the distribution with this quantile function, by the midpoints of equal probabilities.
pub fn average_by_quantiles(quantile: impl Fn(f64) -> f64, f: &mut dyn FnMut(f64) -> f64) -> f64 {
    let points = (0..POINTS).map(|i| (f64::from(i) + 0.5) / f64::from(POINTS));
    points.map(|u| f(quantile(u))).sum::<f64>() / f64::from(POINTS)
}

/// The mean of the power `k` of a size that is uniform between two bounds.
pub(super) fn uniform_moment(k: i32, low: f64, high: f64) -> f64 {
    // The sum of the geometric series instead of a difference of powers, which equal bounds would leave without digits.
    (0..=k).map(|i| low.powi(i) * high.powi(k - i)).sum::<f64>() / f64::from(k + 1)
}

/// Refuses a value that is not above a bound.
pub(crate) fn check_above(key: &str, value: f64, bound: f64, at: &At<'_>) -> Result<(), ConfigError> {
    if value > bound {
        return Ok(());
    }
    Err(at.key(key).error(format!("{value} is too small"), format!("give a number above {bound}")))
}
