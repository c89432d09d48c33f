//! Exponential sizes.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{Bytes, Validate, config};
use rand_distr::{Distribution, Exp1};

use super::{Law, SizeParams, Sizes, average_by_quantiles};
use crate::files::Files;
use crate::limits::check_size;

config! {
    /// Exponential sizes, to the nearest byte, one byte at least.
    pub struct Exponential {
        /// Mean application bytes.
        mean: Bytes;
    }
}

impl Algorithm for Exponential {
    const NAME: &'static str = "exponential";
    const TITLE: &'static str = "Exponential sizes";
    const REFERENCE: &'static str = "Kleinrock, Queueing Systems, volume 1, section 2.4";
}

impl Validate for Exponential {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_size(Some(self.mean), &at.key("mean"))
    }
}

impl SizeParams for Exponential {
    fn build(&self, _files: &mut Files, _at: &At<'_>) -> Result<Sizes, ConfigError> {
        Ok(Sizes::new(Memoryless { mean: self.mean.get() as f64 }))
    }
}

#[derive(Debug)]
struct Memoryless {
    mean: f64,
}

impl Law for Memoryless {
    fn draw(&self, rng: &mut Stream) -> f64 {
        let unit: f64 = Exp1.sample(rng);
        unit * self.mean
    }
    fn moments(&self) -> [f64; 3] {
        [self.mean, 2.0 * self.mean.powi(2), 6.0 * self.mean.powi(3)]
    }
    fn average(&self, f: &mut dyn FnMut(f64) -> f64) -> f64 {
        average_by_quantiles(|u| -(-u).ln_1p() * self.mean, f)
    }
}
