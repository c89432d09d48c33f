//! Lognormal sizes, and mixtures of them.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{Bytes, Validate, config};
use rand::RngExt;
use rand_distr::Distribution;

use super::{Law, POINTS, SizeParams, Sizes, check_above};
use crate::files::Files;
use crate::limits::check_size;

config! {
    /// Lognormal sizes; draws outside `min` to `max` are drawn again.
    pub struct Lognormal {
        /// Median application bytes, before `min` and `max` apply.
        median: Bytes;
        /// Standard deviation of the natural logarithm.
        sigma: f64 as "dimensionless";
        /// Smallest size.
        min: Option<Bytes> = (), "absent: no bound";
        /// Largest size.
        max: Option<Bytes> = (), "absent: no bound";
    }
}

impl Algorithm for Lognormal {
    const NAME: &'static str = "lognormal";
    const TITLE: &'static str = "Lognormal sizes";
    const REFERENCE: &'static str = "Downey, Computer Communications 28(7), 2005: lognormal file sizes";
}

/// Draws that may fall outside the bounds, for each that falls inside.
const MOST_REJECTIONS: f64 = 1000.0;

impl Validate for Lognormal {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_above("sigma", self.sigma, 0.0, at)?;
        if self.sigma > 20.0 {
            return Err(at
                .key("sigma")
                .error(format!("{} spreads sizes beyond all measure", self.sigma), "give 20 or less"));
        }
        check_size(Some(self.median), &at.key("median"))?;
        check_size(self.min, &at.key("min"))?;
        check_size(self.max, &at.key("max"))?;
        if let (Some(min), Some(max)) = (self.min, self.max)
            && max <= min
        {
            return Err(at
                .key("max")
                .error(format!("{max} is not above `min`, {min}"), "give a larger size"));
        }
        Ok(())
    }
}

impl SizeParams for Lognormal {
    fn build(&self, _files: &mut Files, at: &At<'_>) -> Result<Sizes, ConfigError> {
        let bound = |size: Option<Bytes>, none| size.map_or(none, |s| s.get() as f64);
        let bounds = (bound(self.min, 0.0), bound(self.max, f64::INFINITY));
        let mixture = Mixture::new(&[(1.0, self.sigma, self.median.get() as f64)], bounds);
        if mixture.inside() * MOST_REJECTIONS < 1.0 {
            let place = if self.min.is_some() { "min" } else { "max" };
            return Err(at
                .key(place)
                .error("hardly any draw falls between the bounds", "move the bounds towards the median"));
        }
        Ok(Sizes::new(mixture))
    }
}

/// A mixture of lognormal distributions, truncated by drawing again.
#[derive(Debug)]
pub struct Mixture {
    /// Weight, standard deviation of the logarithm, logarithm of the median.
    parts: Vec<(f64, f64, f64)>,
    laws: Vec<rand_distr::LogNormal<f64>>,
    bounds: (f64, f64),
}

/// Points that follow from one exponential: the rounding of that many products does not count.
const RUN: usize = 64;

/// Standard deviations beyond which nothing is left: 1e-18 of a normal distribution.
const REACH: f64 = 9.0;

impl Mixture {
    /// A mixture of parts (weight, standard deviation of the logarithm, median) within bounds.
    pub fn new(parts: &[(f64, f64, f64)], bounds: (f64, f64)) -> Mixture {
        let parts: Vec<(f64, f64, f64)> =
            parts.iter().map(|(weight, sigma, median)| (*weight, *sigma, median.ln())).collect();
        let law = |(_, sigma, mu): &(f64, f64, f64)| {
            rand_distr::LogNormal::new(*mu, *sigma).expect("validated: a finite, positive sigma")
        };
        Mixture { laws: parts.iter().map(law).collect(), parts, bounds }
    }

    /// Integrals of the density and of the values of `f` times the density over the logarithm between two bounds; not normalised.
    fn integrate<const N: usize>(
        &self,
        (min, max): (f64, f64),
        f: &mut dyn FnMut(f64) -> [f64; N],
    ) -> (f64, [f64; N]) {
        let low = self.parts.iter().map(|(_, sigma, mu)| mu - REACH * sigma).fold(f64::INFINITY, f64::min);
        let high =
            self.parts.iter().map(|(_, sigma, mu)| mu + REACH * sigma).fold(f64::NEG_INFINITY, f64::max);
        let (low, high) = (low.max(min.ln()), high.min(max.ln()));
        let step = ((high - low) / f64::from(POINTS)).max(0.0);
        let growth = step.exp();
        let (mut mass, mut sums) = (0.0, [0.0; N]);
        for first in (0..POINTS).step_by(RUN) {
            let y = low + (f64::from(first) + 0.5) * step;
            let mut x = y.exp();
            for density in self.densities(y, step) {
                mass += density * step;
                for (sum, value) in sums.iter_mut().zip(f(x)) {
                    *sum += density * step * value;
                }
                x *= growth;
            }
        }
        (mass, sums)
    }

    /// Density of the logarithm at `y` and the points that follow it, not normalised.
    fn densities(&self, y: f64, step: f64) -> [f64; RUN] {
        let mut densities = [0.0; RUN];
        for (weight, sigma, mu) in &self.parts {
            let (z, h) = ((y - mu) / sigma, step / sigma);
            // A run is a small part of every sigma, so that none of it lies much nearer than its first point.
            debug_assert!(RUN as f64 * h < 0.5, "{h}");
            if z.abs() > REACH {
                continue;
            }
            // exp(-(z + h)^2 / 2) is exp(-z^2 / 2) times a ratio that itself falls by exp(-h^2) from point to point: two
            // products instead of an exponential.
            let mut value = weight / sigma * (-0.5 * z * z).exp();
            let mut ratio = (-z * h - 0.5 * h * h).exp();
            let fall = (-h * h).exp();
            for density in &mut densities {
                *density += value;
                value *= ratio;
                ratio *= fall;
            }
        }
        densities
    }

    /// Share of the draws that fall within the bounds.
    fn inside(&self) -> f64 {
        let all = self.integrate((0.0, f64::INFINITY), &mut |_| []).0;
        self.integrate(self.bounds, &mut |_| []).0 / all
    }
}

impl Law for Mixture {
    fn draw(&self, rng: &mut Stream) -> f64 {
        let total: f64 = self.parts.iter().map(|(weight, ..)| weight).sum();
        loop {
            let mut u = rng.random::<f64>() * total;
            let part = self.parts.iter().position(|(weight, ..)| {
                u -= weight;
                u < 0.0
            });
            let bytes = self.laws[part.unwrap_or(self.laws.len() - 1)].sample(rng);
            if (self.bounds.0..=self.bounds.1).contains(&bytes) {
                return bytes;
            }
        }
    }

    fn moments(&self) -> [f64; 3] {
        if self.bounds == (0.0, f64::INFINITY) {
            let total: f64 = self.parts.iter().map(|(weight, ..)| weight).sum();
            return [1.0, 2.0, 3.0].map(|k| {
                let part = |(weight, sigma, mu): &(f64, f64, f64)| {
                    weight * (k * mu + 0.5 * (k * sigma).powi(2)).exp()
                };
                self.parts.iter().map(part).sum::<f64>() / total
            });
        }
        let (mass, sums) = self.integrate(self.bounds, &mut |x| [x, x * x, x * x * x]);
        sums.map(|sum| sum / mass)
    }
    fn largest(&self) -> Option<f64> {
        self.bounds.1.is_finite().then_some(self.bounds.1)
    }

    fn average(&self, f: &mut dyn FnMut(f64) -> f64) -> f64 {
        let (mass, [sum]) = self.integrate(self.bounds, &mut |x| [f(x)]);
        sum / mass
    }
}
