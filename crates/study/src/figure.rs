//! Figures of a report, and its index.

use dumbbell_core::config::At;
use dumbbell_core::json::{self, json};
use dumbbell_core::{Config, ConfigError, Validate, Value, config, words};

use crate::axis::Scale;
use crate::claim::no_braces;
use crate::shapes::{Numbers, Places};
use crate::text::{Label, Name};

words! {
    /// What stands for the runs of a point.
    pub enum Middle { Mean = "mean", Median = "median" }
}

config! {
    /// A metric against an axis of the study, one line for each arm, with intervals over seeds.
    pub struct Figure {
        /// Short and unique in the report: names its files and its anchor.
        id: Name;
        /// What stands above it.
        title: String;
        /// Name of the axis.
        x: Label;
        /// Name of the metric.
        metric: Label;
        /// Names of the arms, in order.
        arms: Vec<Label> = [], "absent: all; with `relative_to`, the others";
        /// Values of the other axes, by name.
        at: Option<Places> = (), "absent: no other axis has more than one";
        /// What stands for the runs of a point.
        statistic: Middle = "mean", "choice: what most papers show";
        /// Name of an arm: draw paired ratios of the others to it, not values.
        relative_to: Label = "", "choice: values";
        /// Of the vertical axis, at first; the reader can change it.
        scale: Scale = "linear", "choice: what most papers show";
        /// Of the horizontal axis.
        x_scale: Scale = "linear", "choice: what most papers show";
        /// Multiplies values before they are shown.
        factor: f64 as "dimensionless" = 1, "choice: the unit of the metric";
        /// Unit after the factor.
        unit: Option<Label> = (), "absent: that of the metric";
        /// Leave out what lies outside, of an axis of numbers: the least and the largest value.
        x_range: Option<Vec<f64>> as "as the axis" = (), "absent: all";
        /// What to compare with: published numbers, or another metric.
        references: Vec<Reference> = [], "choice: nothing";
        /// A sentence under the figure.
        note: String = "", "choice: none";
        /// Whether its values answer the question of the study; of the figures of an entry with `for`, a pattern of ids says
        /// which do. Where no figure does, those of the first do.
        answers: Answers = false, "choice: the first answers";
    }
}

impl Validate for Figure {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.factor <= 0.0 {
            return Err(at
                .key("factor")
                .error(format!("{} is not above zero", self.factor), "give one above zero"));
        }
        if !self.relative_to.0.is_empty() && (self.factor != 1.0 || self.unit.is_some()) {
            return Err(at.key("relative_to").error("a ratio has no unit", "leave factor and unit out"));
        }
        if let Some(range) = &self.x_range
            && !(range.len() == 2 && range[0] < range[1])
        {
            return Err(at
                .key("x_range")
                .error("not two numbers that rise", "give the least and the largest value"));
        }
        no_braces(&self.title, &at.key("title"))
    }
}

/// Whether a figure answers the question, or the ids of those that do.
#[derive(Clone, PartialEq, Debug)]
pub enum Answers {
    /// Whether it does.
    All(bool),
    /// Those whose ids are as the pattern.
    Of(String),
}

impl Config for Answers {
    const KIND: &'static str = "boolean or string";
    fn from_value(v: &Value, at: &At<'_>) -> Result<Answers, ConfigError> {
        match v {
            Value::Str(_) => String::from_value(v, at).map(Answers::Of),
            _ => bool::from_value(v, at).map(Answers::All),
        }
    }
    fn to_value(&self) -> Value {
        match self {
            Answers::All(all) => all.to_value(),
            Answers::Of(ids) => ids.to_value(),
        }
    }
    fn schema() -> json::Value {
        json!({"type": ["boolean", "string"]})
    }
}

config! {
    /// Something to compare a figure with: numbers (`y`), or a metric of an arm that the study measures itself.
    pub struct Reference {
        /// For the legend.
        label: Label;
        /// In the figure's unit: a level, or as many as `x`.
        y: Option<Numbers> as "as the figure" = (), "absent: `metric` says it";
        /// Values of the axis.
        x: Option<Numbers> as "as the axis" = (), "absent: a level across the figure";
        /// Where it comes from.
        source: String = "", "choice: nowhere";
        /// Draw its points and no line: published measurements.
        marks: bool = false, "choice: a line";
        /// Name of the metric of the study.
        metric: Option<Label> = (), "absent: `y` says it";
        /// Name of the arm whose metric it is.
        arm: Option<Label> = (), "absent: `y` says it";
    }
}

impl Validate for Reference {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        match (&self.y, &self.metric, &self.arm) {
            (Some(y), None, None) => {
                let x = self.x.as_ref().map_or(0, |x| x.0.len());
                if y.0.len() == x.max(1) {
                    return Ok(());
                }
                let wrong = format!("{x} x and {} y", y.0.len());
                Err(at.error(wrong, "give as many of each, or one y alone"))
            }
            (None, Some(_), Some(_)) if self.x.is_none() && !self.marks => Ok(()),
            _ => Err(at.error("neither numbers nor a metric of an arm", "give y, or metric and arm")),
        }
    }
}

config! {
    /// A row of the index at the head of a report: a figure, a table or a sentence of a publication, and what shows it.
    pub struct IndexRow {
        /// Where it stands in the publication: `Figure 3a`, `section 3.2`.
        printed: String;
        /// What stands there.
        shows: String;
        /// Ids of figures, maps and tables of the report, or patterns of them.
        here: Vec<String> = [], "choice: none";
        /// Ids of claims of the report, or patterns of them.
        claims: Vec<String> = [], "choice: none";
        /// Names of further studies, each perhaps with the id of a figure or table of it: `study: figure`.
        elsewhere: Vec<String> = [], "choice: none";
        /// A sentence; without anything else, why nothing shows it.
        note: String = "", "choice: none";
    }
}

impl Validate for IndexRow {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        let lists = [&self.here, &self.claims, &self.elsewhere];
        if self.note.is_empty() && lists.iter().all(|list| list.is_empty()) {
            return Err(at.error("points nowhere", "name what shows it, or say in `note` why nothing does"));
        }
        Ok(())
    }
}
