//! Bounded Pareto sizes: a power law between two sizes.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{Bytes, Validate, config};
use rand::RngExt;

use super::{Law, SizeParams, Sizes, average_by_quantiles, check_above};
use crate::files::Files;
use crate::limits::check_size;

config! {
    /// Sizes with the density of a Pareto distribution, cut off at `min` and `max`.
    pub struct BoundedPareto {
        /// Exponent of the tail.
        shape: f64 as "dimensionless" = 1.1, "Harchol-Balter, JACM 49(2), 2002: measured job sizes";
        /// Smallest size.
        min: Bytes;
        /// Largest size.
        max: Bytes;
    }
}

impl Algorithm for BoundedPareto {
    const NAME: &'static str = "bounded-pareto";
    const TITLE: &'static str = "A power law between two sizes";
    const REFERENCE: &'static str = "Harchol-Balter, JACM 49(2), 2002";
}

impl Validate for BoundedPareto {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_above("shape", self.shape, 0.0, at)?;
        check_size(Some(self.min), &at.key("min"))?;
        check_size(Some(self.max), &at.key("max"))?;
        if self.max <= self.min {
            return Err(at
                .key("max")
                .error(format!("{} is not above `min`, {}", self.max, self.min), "give a larger size"));
        }
        Ok(())
    }
}

impl SizeParams for BoundedPareto {
    fn build(&self, _files: &mut Files, _at: &At<'_>) -> Result<Sizes, ConfigError> {
        Ok(Sizes::new(Cut { shape: self.shape, min: self.min.get() as f64, max: self.max.get() as f64 }))
    }
}

#[derive(Debug)]
struct Cut {
    shape: f64,
    min: f64,
    max: f64,
}

impl Cut {
    fn quantile(&self, u: f64) -> f64 {
        let kept = 1.0 - (self.min / self.max).powf(self.shape);
        (self.min * (1.0 - u * kept).powf(-1.0 / self.shape)).min(self.max)
    }
}

impl Law for Cut {
    fn draw(&self, rng: &mut Stream) -> f64 {
        self.quantile(rng.random())
    }
    fn moments(&self) -> [f64; 3] {
        let (a, ratio) = (self.shape, self.min / self.max);
        let kept = 1.0 - ratio.powf(a);
        [1, 2, 3].map(|k| {
            let above = a - f64::from(k);
            // The general form loses its digits where it divides zero by zero.
            if above.abs() < 1e-9 {
                return -a * self.min.powi(k) * ratio.ln() / kept;
            }
            self.min.powi(k) / kept * a / above * (1.0 - ratio.powf(above))
        })
    }
    fn index(&self) -> Option<f64> {
        Some(self.shape)
    }
    fn largest(&self) -> Option<f64> {
        Some(self.max)
    }
    fn average(&self, f: &mut dyn FnMut(f64) -> f64) -> f64 {
        average_by_quantiles(|u| self.quantile(u), f)
    }
}
