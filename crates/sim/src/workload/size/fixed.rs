//! Every flow the same size.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{Bytes, Validate, config};

use super::{Law, SizeParams, Sizes};
use crate::files::Files;
use crate::limits::check_size;

config! {
    /// Every flow the same size.
    pub struct Fixed {
        /// Application bytes.
        size: Bytes;
    }
}

impl Algorithm for Fixed {
    const NAME: &'static str = "fixed";
    const TITLE: &'static str = "Every flow the same size";
    const REFERENCE: &'static str = "choice: the simplest size";
}

impl Validate for Fixed {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_size(Some(self.size), &at.key("size"))
    }
}

impl SizeParams for Fixed {
    fn build(&self, _files: &mut Files, _at: &At<'_>) -> Result<Sizes, ConfigError> {
        Ok(Sizes::new(Constant(self.size.get() as f64)))
    }
}

#[derive(Debug)]
struct Constant(f64);

impl Law for Constant {
    fn draw(&self, _rng: &mut Stream) -> f64 {
        self.0
    }
    fn draws(&self) -> bool {
        false
    }
    fn moments(&self) -> [f64; 3] {
        [1, 2, 3].map(|k| self.0.powi(k))
    }
    fn largest(&self) -> Option<f64> {
        Some(self.0)
    }
    fn average(&self, f: &mut dyn FnMut(f64) -> f64) -> f64 {
        f(self.0)
    }
}
