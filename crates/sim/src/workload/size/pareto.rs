//! Pareto sizes: a power-law tail without bound.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{Bytes, Validate, config};
use rand_distr::Distribution;

use super::{Law, SizeParams, Sizes, average_by_quantiles};
use crate::files::Files;
use crate::limits::check_size;

config! {
    /// Pareto sizes: P(size > x) = (min / x)^shape, with min = mean (shape - 1) / shape.
    pub struct Pareto {
        /// Exponent of the tail, above 1.
        shape: f64 as "dimensionless" = 1.2, "Crovella & Bestavros, IEEE/ACM ToN 5(6), 1997: web files have a tail of 1.0 to 1.3";
        /// Mean application bytes, before `ceil`.
        mean: Bytes;
        /// Round sizes up to a multiple of this, for example the payload of a packet, `"1460B"`.
        ceil: Option<Bytes> = (), "absent: to the nearest byte";
    }
}

impl Algorithm for Pareto {
    const NAME: &'static str = "pareto";
    const TITLE: &'static str = "Pareto sizes, a power-law tail without bound";
    const REFERENCE: &'static str = "Crovella & Bestavros, IEEE/ACM ToN 5(6), 1997";
}

impl Validate for Pareto {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.shape <= 1.0 {
            return Err(at.key("shape").error(
                format!("a tail of {} has no mean", self.shape),
                "give a number above 1, or use bounded-pareto",
            ));
        }
        check_size(self.ceil, &at.key("ceil"))?;
        check_size(Some(self.mean), &at.key("mean"))
    }
}

impl SizeParams for Pareto {
    fn build(&self, _files: &mut Files, at: &At<'_>) -> Result<Sizes, ConfigError> {
        let mean = self.mean.get() as f64;
        let min = mean * (self.shape - 1.0) / self.shape;
        let law = rand_distr::Pareto::new(min, self.shape)
            .map_err(|e| at.key("shape").error(e.to_string(), "give a shape further above 1"))?;
        let law = PowerLaw { law, min, shape: self.shape, mean };
        Ok(match self.ceil {
            Some(unit) => Sizes::ceil(law, unit.get()),
            None => Sizes::new(law),
        })
    }
}

#[derive(Debug)]
struct PowerLaw {
    law: rand_distr::Pareto<f64>,
    min: f64,
    shape: f64,
    mean: f64,
}

impl Law for PowerLaw {
    fn draw(&self, rng: &mut Stream) -> f64 {
        self.law.sample(rng)
    }
    fn moments(&self) -> [f64; 3] {
        let above = |k: i32| match self.shape - f64::from(k) {
            left if left > 0.0 => self.shape / left * self.min.powi(k),
            _ => f64::INFINITY,
        };
        [self.mean, above(2), above(3)]
    }
    fn index(&self) -> Option<f64> {
        Some(self.shape)
    }
    fn average(&self, f: &mut dyn FnMut(f64) -> f64) -> f64 {
        average_by_quantiles(|u| self.min * (1.0 - u).powf(-1.0 / self.shape), f)
    }
}
