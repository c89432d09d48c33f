//! Sizes between two bounds, all alike.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{Bytes, Validate, config};
use rand::RngExt;

use super::{Law, SizeParams, Sizes, average_by_quantiles, uniform_moment};
use crate::files::Files;
use crate::limits::check_size;

config! {
    /// Uniform sizes from `min` to `max`, to the nearest byte.
    pub struct Uniform {
        /// Smallest application bytes.
        min: Bytes;
        /// Largest application bytes.
        max: Bytes;
    }
}

impl Algorithm for Uniform {
    const NAME: &'static str = "uniform";
    const TITLE: &'static str = "Uniform sizes";
    const REFERENCE: &'static str = "Alizadeh et al., SIGCOMM 2010, section 2.2: responses of 1.6 to 2 kB";
}

impl Validate for Uniform {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_size(Some(self.min), &at.key("min"))?;
        check_size(Some(self.max), &at.key("max"))?;
        if self.max < self.min {
            let message = format!("{} is below `min`, {}", self.max, self.min);
            return Err(at.key("max").error(message, "give a larger size"));
        }
        Ok(())
    }
}

impl SizeParams for Uniform {
    fn build(&self, _files: &mut Files, _at: &At<'_>) -> Result<Sizes, ConfigError> {
        let (min, max) = (self.min.get() as f64, self.max.get() as f64);
        Ok(Sizes::new(Level { min, width: max - min }))
    }
}

#[derive(Debug)]
struct Level {
    min: f64,
    width: f64,
}

impl Law for Level {
    fn draw(&self, rng: &mut Stream) -> f64 {
        self.min + self.width * rng.random::<f64>()
    }
    fn moments(&self) -> [f64; 3] {
        [1, 2, 3].map(|k| uniform_moment(k, self.min, self.min + self.width))
    }
    fn largest(&self) -> Option<f64> {
        Some(self.min + self.width)
    }
    fn average(&self, f: &mut dyn FnMut(f64) -> f64) -> f64 {
        average_by_quantiles(|u| self.min + self.width * u, f)
    }
}
