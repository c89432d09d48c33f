//! A study: a question, and what is run and measured to answer it.

use dumbbell_core::config::{At, Prose};
use dumbbell_core::json::{self, json};
use dumbbell_core::{Config, ConfigError, Validate, Value, config, words};

use crate::axis::Axis;
use crate::by_size::BySize;
use crate::claim::Claim;
use crate::companion::{Companion, Quick};
use crate::entries::{Arm, Metric};
use crate::figure::{Figure, IndexRow};
use crate::limits::{MOST_RUNS, thousands};
use crate::rows::Rows;
use crate::seeds::Seeds;
use crate::shapes::Texts;
use crate::text::{Label, Name};

config! {
    /// A question, and the runs that answer it: every arm at every point, with every seed.
    pub struct Study {
        /// Names the study in folders and reports. In a file, the name of the file stands for it.
        name: Name;
        /// The headline of its report.
        title: Option<Prose> = (), "absent: the name";
        /// What it answers.
        question: Prose = "", "choice: none";
        /// The scenario that axes and arms change: the path of its file, or the scenario itself.
        scenario: Base;
        /// How many seeds, a list of them, or `{ first = 1, count = 20 }`: the same at every point and in every arm.
        seeds: Seeds as "dimensionless" = 1, "choice: the least";
        /// What the study varies; its points are all combinations of their values.
        axes: Vec<Axis> = [], "absent: one point";
        /// The designs that are compared.
        arms: Vec<Arm> = [], "absent: one, the scenario as it is";
        /// The numbers that a run gives.
        metrics: Option<Vec<Metric>> = (), "absent: those by size alone";
        /// Numbers that a run gives for each bin of flow sizes.
        by_size: Option<BySize> = (), "absent: none";
        /// Ends a point early, once a metric is known well enough.
        stop: Option<Stop> = (), "absent: every point has all seeds";
        /// What takes the luck of the arrivals out of completion times: `fluid`, a fluid network that serves the same arrivals.
        control: Option<Control> = (), "absent: `fluid` with 40 seeds or more, where its coverage is shown; `none` with fewer";
        /// What its quick form leaves.
        quick: Option<Quick> = (), "absent: there is none";
        /// Where values of its scenario come from, by the path of the parameter.
        sources: Option<Texts> = (), "absent: the report says what is set";
        /// Files with more claims, figures, rows of the index and companions, in order.
        include: Vec<String> = [], "choice: all of it is here";
        ..report: Report {}
    }
}

config! {
    /// What a report says of a study, and its further studies: in a study file, or in a file that it includes.
    pub struct Report {
        /// Statements that its numbers can break. An entry with `for` is written once for many values, and one with `each`
        /// holds entries that share its `for`.
        claims: Rows<Claim> = [], "choice: none";
        /// Its figures; `for` and `each` as in claims.
        figures: Rows<Figure> = [], "absent: every metric against the longest axis";
        /// What shows each figure, table and sentence of a publication.
        index: Vec<IndexRow> = [], "choice: none";
        /// Further studies: the study with changes.
        companions: Vec<Companion> = [], "choice: none";
    }
}
impl Validate for Report {}

impl Validate for Study {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.metrics.is_none() && self.by_size.is_none() {
            return Err(at.key("metrics").error("the study measures nothing", "add [[metrics]]"));
        }
        let points: u128 =
            self.axes.iter().map(|axis| axis.values.0.len() as u128).fold(1, u128::saturating_mul);
        let cells = points.saturating_mul(self.arms.len().max(1) as u128);
        let runs = cells.saturating_mul(self.seeds.0.len() as u128);
        if runs > MOST_RUNS {
            let wrong = format!("{} runs are above the limit of {}", thousands(runs), thousands(MOST_RUNS));
            return Err(at.key("axes").error(wrong, "split the study"));
        }
        Ok(())
    }
}

/// The scenario of a study: a file, or a table whose parser is that of scenarios.
#[derive(Clone, PartialEq, Debug)]
pub enum Base {
    /// The path of a scenario file.
    File(String),
    /// The scenario itself, not parsed yet: arms and axes change it first.
    Table(Value),
}

impl Config for Base {
    const KIND: &'static str = "scenario";
    fn from_value(v: &Value, at: &At<'_>) -> Result<Base, ConfigError> {
        match v {
            Value::Str(_) => String::from_value(v, at).map(Base::File),
            Value::Table(_) => Ok(Base::Table(v.clone())),
            _ => Err(
                at.error(format!("{} stands where a scenario is needed", v.kind()), Base::remedy("scenario"))
            ),
        }
    }
    fn to_value(&self) -> Value {
        match self {
            Base::File(path) => Value::Str(path.clone()),
            Base::Table(scenario) => scenario.clone(),
        }
    }
    fn schema() -> json::Value {
        json!({"anyOf": [{"type": "string"}, {"$ref": "#/$defs/scenario"}]})
    }
    fn remedy(name: &str) -> String {
        format!("give the path of a scenario file, or write a [{name}] table")
    }
}

words! {
    /// What takes the luck of the arrivals out of means over seeds.
    pub enum Control { Fluid = "fluid", Nothing = "none" }
}

words! {
    /// What a stop rule looks at.
    pub enum Decisive { Means = "means", Differences = "differences" }
}

config! {
    /// Ends a point early, in stages: the first seeds say how many are needed (Stein, Ann. Math. Stat. 16(3), 1945), and so on until
    /// the intervals are narrow enough (Chow & Robbins, Ann. Math. Stat. 36(2), 1965).
    pub struct Stop {
        /// Name of the metric.
        metric: Label;
        /// What must be known well enough: the mean of every arm, or its paired `differences` from the first arm.
        of: Decisive = "means", "choice: what the table of means shows";
        /// The half-width to reach, as a share of the mean: that of the first arm for differences.
        relative: Option<f64> as "dimensionless" = (), "absent: `absolute` says it";
        /// The half-width to reach, in units of the metric.
        absolute: Option<f64> as "as the metric" = (), "absent: `relative` says it";
        /// Of the intervals.
        confidence: f64 as "dimensionless" = 0.95, "choice: what most papers show";
        /// Seeds of the first stage, which every point has.
        minimum: u32 as "seeds" = 40, "choice: with fewer, intervals of skewed data hold the truth too seldom";
    }
}

impl Validate for Stop {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        match (self.relative, self.absolute) {
            (Some(bound), None) | (None, Some(bound)) if bound > 0.0 => {}
            _ => {
                let remedy = "give either relative = 0.05 or absolute, above zero";
                return Err(at.error("no half-width to reach", remedy));
            }
        }
        if !(0.5..1.0).contains(&self.confidence) {
            let wrong = format!("{} is not a confidence", self.confidence);
            return Err(at.key("confidence").error(wrong, "use 0.95, for example"));
        }
        if self.minimum < 2 {
            return Err(at
                .key("minimum")
                .error(format!("{} seeds give no interval", self.minimum), "use 2 or more"));
        }
        Ok(())
    }
}
