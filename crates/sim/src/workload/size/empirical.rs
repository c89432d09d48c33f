//! Sizes from a file: a cumulative distribution, measured elsewhere.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{Bytes, Validate, config, words};
use rand::RngExt;

use super::{Law, SizeParams, Sizes, average_by_quantiles, uniform_moment};
use crate::files::{Files, Text};
use crate::limits::MAX_FLOW_BYTES;
use crate::limits::check_size;

words! {
    /// What lies between two points of a cumulative distribution.
    pub enum Interpolation { Step = "step", Linear = "linear", Log = "log" }
}

config! {
    /// Sizes with the cumulative distribution of a file, one point on each line: size, P(flow <= size). Both columns
    /// ascend, the last probability is 1. What stands at the first point's probability has the first size.
    pub struct Empirical {
        /// The file, relative to the scenario.
        file: String;
        /// Bytes that a size of 1 in the file means: `"1B"`, `"1kB"`, or the payload of a packet, `"1460B"`.
        unit: Bytes;
        /// Between two points: `step`, no sizes but those listed; `linear`, uniform in the size; `log`, uniform in its
        /// logarithm.
        interpolation: Interpolation;
    }
}

impl Algorithm for Empirical {
    const NAME: &'static str = "empirical";
    const TITLE: &'static str = "Sizes with the cumulative distribution of a file";
    const REFERENCE: &'static str = "choice: measured sizes as they are published";
}

impl Validate for Empirical {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_size(Some(self.unit), &at.key("unit"))
    }
}

impl SizeParams for Empirical {
    fn build(&self, files: &mut Files, at: &At<'_>) -> Result<Sizes, ConfigError> {
        let text = files.read(&self.file, &at.key("file"))?;
        Ok(Sizes::new(Table::read(&text, self.unit, self.interpolation)?))
    }
}

/// Points of a cumulative distribution, in bytes.
#[derive(Debug)]
pub struct Table {
    points: Vec<(f64, f64)>,
    interpolation: Interpolation,
}

impl Table {
    /// Reads the points.
    ///
    /// # Errors
    /// The first line that breaks a rule.
    pub fn read(text: &Text, unit: Bytes, interpolation: Interpolation) -> Result<Table, ConfigError> {
        let mut points: Vec<(f64, f64)> = Vec::new();
        let mut end = None;
        for row in text.rows(&["size", "probability"]) {
            let row = row?;
            end = Some(row);
            let size = row.number(0, "size")? * unit.get() as f64;
            let probability = row.number(1, "probability")?;
            if probability > 1.0 {
                return Err(row.error(
                    format!("{probability} is not a probability"),
                    "write numbers from 0 to 1; divide percentages by 100",
                ));
            }
            if size > MAX_FLOW_BYTES as f64 {
                return Err(row.error("the size is above all limits", "check `unit`"));
            }
            if size == 0.0 && interpolation == Interpolation::Log {
                return Err(
                    row.error("0 has no logarithm", "give a size above zero, or interpolate linearly")
                );
            }
            if let Some((before, below)) = points.last() {
                if size <= *before {
                    return Err(
                        row.error("the size is not above the one before", "sort the file, one line a size")
                    );
                }
                if probability < *below {
                    return Err(row.error(
                        format!("the probability {probability} is below the one before, {below}"),
                        "write cumulative probabilities, which never fall",
                    ));
                }
            }
            points.push((size, probability));
        }
        match (end, points.last()) {
            (Some(row), Some((_, last))) if *last != 1.0 => Err(row.error(
                format!("the last probability is {last}"),
                "end the file with a size whose probability is 1",
            )),
            _ => Ok(Table { points, interpolation }),
        }
    }

    fn quantile(&self, u: f64) -> f64 {
        // Points whose probability u has passed; the last is 1, which u < 1 never passes.
        let i = self.points.partition_point(|(_, p)| *p <= u).min(self.points.len() - 1);
        let (size, p) = self.points[i];
        let Some((before, below)) = i.checked_sub(1).map(|j| self.points[j]) else { return size };
        let share = (u - below) / (p - below);
        match self.interpolation {
            Interpolation::Step => size,
            Interpolation::Linear => before + share * (size - before),
            Interpolation::Log => before * (size / before).powf(share),
        }
    }

    /// Probability of each stretch with its ends; the first stretch is a point.
    fn stretches(&self) -> impl Iterator<Item = (f64, f64, f64)> + '_ {
        let first = std::iter::once((self.points[0].1, self.points[0].0, self.points[0].0));
        first.chain(self.points.windows(2).map(|w| (w[1].1 - w[0].1, w[0].0, w[1].0)))
    }
}

impl Law for Table {
    fn draw(&self, rng: &mut Stream) -> f64 {
        self.quantile(rng.random())
    }

    fn moments(&self) -> [f64; 3] {
        [1, 2, 3].map(|k| {
            let within = |low: f64, high: f64| match self.interpolation {
                Interpolation::Step => high.powi(k),
                Interpolation::Linear => uniform_moment(k, low, high),
                Interpolation::Log if low == high => high.powi(k),
                Interpolation::Log => (high.powi(k) - low.powi(k)) / (f64::from(k) * (high / low).ln()),
            };
            self.stretches().map(|(p, low, high)| p * within(low, high)).sum()
        })
    }
    fn largest(&self) -> Option<f64> {
        self.points.last().map(|(size, _)| *size)
    }

    fn average(&self, f: &mut dyn FnMut(f64) -> f64) -> f64 {
        match self.interpolation {
            Interpolation::Step => self.stretches().map(|(p, _, size)| p * f(size)).sum(),
            _ => average_by_quantiles(|u| self.quantile(u), f),
        }
    }
}
