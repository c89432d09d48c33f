//! What a distribution of flow sizes gives, and what several of them share.

use std::fmt::Debug;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::rng::Stream;

use crate::files::Files;
use crate::limits::MAX_FLOW_BYTES;

/// The parameters of a distribution.
pub trait SizeParams {
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

    /// The mean, exact or to a relative error below 1e-6.
    fn mean(&self) -> f64;

    /// The mean of `f` over the distribution, for an `f` whose values stay within some bound: to a thousandth of it.
    fn average(&self, f: &mut dyn FnMut(f64) -> f64) -> f64;
}

/// A distribution of whole numbers of bytes: a law, rounded.
#[derive(Debug)]
pub struct Sizes {
    pub(super) law: Box<dyn Law>,
    /// Round up to a multiple of this, else to the nearest byte.
    ceil: Option<u64>,
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
        let mut sizes = Sizes { law, ceil, mean: 0.0 };
        // Rounding moves a draw by one unit at most, however heavy the tail.
        sizes.mean = sizes.law.mean() + sizes.law.average(&mut |x| sizes.whole(x) as f64 - x);
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

    /// Mean bytes.
    pub fn mean(&self) -> f64 {
        self.mean
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
pub(crate) fn average_by_quantiles(quantile: impl Fn(f64) -> f64, f: &mut dyn FnMut(f64) -> f64) -> f64 {
    let points = (0..POINTS).map(|i| (f64::from(i) + 0.5) / f64::from(POINTS));
    points.map(|u| f(quantile(u))).sum::<f64>() / f64::from(POINTS)
}

/// Refuses a value that is not above a bound.
pub(crate) fn check_above(key: &str, value: f64, bound: f64, at: &At<'_>) -> Result<(), ConfigError> {
    if value > bound {
        return Ok(());
    }
    Err(at.key(key).error(format!("{value} is too small"), format!("give a number above {bound}")))
}
