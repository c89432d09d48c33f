//! Triangular sizes.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{Bytes, Validate, config};
use rand::RngExt;

use dumbbell_sim::files::Files;
use dumbbell_sim::limits::check_size;
use dumbbell_sim::workload::size::{Law, SizeParams, Sizes, average_by_quantiles};

config! {
    /// Sizes between two bounds, most often in the middle, to the nearest byte.
    pub struct Triangular {
        /// Smallest size.
        min: Bytes;
        /// Largest size.
        max: Bytes;
    }
}

impl Algorithm for Triangular {
    const NAME: &'static str = "triangular";
    const TITLE: &'static str = "Triangular sizes";
    const REFERENCE: &'static str = "choice: the simplest spread around a middle";
}

impl Validate for Triangular {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.min > self.max {
            return Err(at
                .key("max")
                .error(format!("{} is below `min`, {}", self.max, self.min), "raise it"));
        }
        check_size(Some(self.min), &at.key("min"))?;
        check_size(Some(self.max), &at.key("max"))
    }
}

impl SizeParams for Triangular {
    fn build(&self, _files: &mut Files, _at: &At<'_>) -> Result<Sizes, ConfigError> {
        Ok(Sizes::new(Spread { min: self.min.get() as f64, max: self.max.get() as f64 }))
    }
}

#[derive(Debug)]
struct Spread {
    min: f64,
    max: f64,
}

impl Spread {
    /// The size that a share `u` of all sizes stays below.
    fn quantile(&self, u: f64) -> f64 {
        let width = self.max - self.min;
        if u < 0.5 {
            self.min + width * (u / 2.0).sqrt()
        } else {
            self.max - width * ((1.0 - u) / 2.0).sqrt()
        }
    }
}

impl Law for Spread {
    fn draw(&self, rng: &mut Stream) -> f64 {
        self.quantile(rng.random())
    }
    fn moments(&self) -> [f64; 3] {
        let middle = (self.min + self.max) / 2.0;
        let variance = (self.max - self.min).powi(2) / 24.0;
        [middle, middle.powi(2) + variance, middle.powi(3) + 3.0 * middle * variance]
    }
    fn largest(&self) -> Option<f64> {
        Some(self.max)
    }
    fn average(&self, f: &mut dyn FnMut(f64) -> f64) -> f64 {
        average_by_quantiles(|u| self.quantile(u), f)
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::rng::stream;

    use super::*;

    #[test]
    fn draws_have_the_mean_that_is_stated() {
        let (law, mut rng) = (Spread { min: 1000.0, max: 9000.0 }, stream(1, "sizes"));
        let draws: Vec<f64> = (0..10_000).map(|_| law.draw(&mut rng)).collect();
        let [mean, square, _] = law.moments();
        let error = ((square - mean * mean) / draws.len() as f64).sqrt();
        let sample = draws.iter().sum::<f64>() / draws.len() as f64;
        assert!((sample - mean).abs() < 4.0 * error, "{sample} {mean}");
        assert!(draws.iter().all(|size| (1000.0..=9000.0).contains(size)));
    }
}
