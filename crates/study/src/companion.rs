//! Further studies of a study: other axes, arms, seeds, or another scenario; and the quick form of a study.

use dumbbell_core::config::{At, Field, Fields, Prose};
use dumbbell_core::json::{self, json};
use dumbbell_core::{Config, ConfigError, Validate, Value, config};

use crate::axis::{Axis, Values};
use crate::by_size::BySize;
use crate::claim::Claim;
use crate::entries::{Arm, Metric};
use crate::figure::{Figure, IndexRow};
use crate::rows::{Chosen, Rows};
use crate::seeds::Seeds;
use crate::shapes::{Part, Places, Texts};
use crate::text::Name;

config! {
    /// What the quick form of a study leaves of it.
    pub struct Quick {
        /// How many seeds: the first ones.
        seeds: Option<u64> as "seeds" = (), "absent: all";
        /// For each axis that it names: some of its values.
        axes: Option<Places> = (), "absent: all values";
        /// What changes in the scenario, table by table: `duration`, for example.
        change: Option<Part> = (), "absent: nothing";
    }
}
impl Validate for Quick {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.seeds == Some(0) {
            return Err(at.key("seeds").error("no seeds", "give how many of the first"));
        }
        let Some(Places(Value::Table(axes))) = &self.axes else { return Ok(()) };
        match axes.iter().find(|(_, values)| !matches!(values, Value::List(_))) {
            Some((axis, _)) => Err(at
                .key("axes")
                .key(axis)
                .error("not a list of values", "give some of the axis in [brackets]")),
            None => Ok(()),
        }
    }
}

config! {
    /// Some values of an axis that the study has.
    pub struct Fewer {
        /// Name of the axis.
        name: Name;
        /// Those of its values that stay.
        values: Values as "as the axis";
    }
}
impl Validate for Fewer {}

/// An axis of its own, or some values of one that the study has: a table with neither `set` nor `settings`.
#[derive(Clone, PartialEq, Debug)]
pub enum ChosenAxis {
    /// One that the study has.
    Fewer(Fewer),
    /// An axis of its own.
    Own(Axis),
}

impl Config for ChosenAxis {
    const KIND: &'static str = "table";
    fn from_value(v: &Value, at: &At<'_>) -> Result<ChosenAxis, ConfigError> {
        let own = !matches!(v, Value::Table(_))
            || ["set", "settings", "label", "unit"].iter().any(|key| v.get(key).is_some());
        if own {
            Axis::from_value(v, at).map(ChosenAxis::Own)
        } else {
            Fewer::from_value(v, at).map(ChosenAxis::Fewer)
        }
    }
    fn to_value(&self) -> Value {
        match self {
            ChosenAxis::Fewer(fewer) => fewer.to_value(),
            ChosenAxis::Own(axis) => axis.to_value(),
        }
    }
    fn schema() -> json::Value {
        json!({"anyOf": [Axis::schema(), Fewer::schema()]})
    }
    fn nested() -> Vec<Field> {
        Axis::fields()
    }
}

/// Metrics by size of its own, or names of those that the study has.
#[derive(Clone, PartialEq, Debug)]
pub enum ChosenBySize {
    /// Of those that the study has.
    Named(Vec<String>),
    /// Of its own.
    Own(BySize),
}

impl Config for ChosenBySize {
    const KIND: &'static str = "table or list";
    fn from_value(v: &Value, at: &At<'_>) -> Result<ChosenBySize, ConfigError> {
        match v {
            Value::List(_) => Vec::from_value(v, at).map(ChosenBySize::Named),
            _ => BySize::from_value(v, at).map(ChosenBySize::Own),
        }
    }
    fn to_value(&self) -> Value {
        match self {
            ChosenBySize::Named(names) => names.to_value(),
            ChosenBySize::Own(own) => own.to_value(),
        }
    }
    fn schema() -> json::Value {
        json!({"anyOf": [BySize::schema(), Vec::<String>::schema()]})
    }
    fn nested() -> Vec<Field> {
        BySize::fields()
    }
}

config! {
    /// A further study: the study with changes. Lists that it gives take the place of the study's; a text in them names
    /// an entry of the study, `*` in it stands for any characters, and `!` before it leaves out what was chosen. `for` and
    /// `each` as in claims.
    pub struct Companion {
        /// Follows the name of the study, after a hyphen.
        name: Name;
        /// The headline of its report.
        title: Option<Prose> = (), "absent: that of the study";
        /// What it answers.
        question: Option<Prose> = (), "absent: that of the study";
        /// Its seeds, as those of a study.
        seeds: Option<Seeds> as "dimensionless" = (), "absent: those of the study";
        /// A scenario that replaces the study's.
        scenario: Option<Part> = (), "absent: that of the study";
        /// What changes in the scenario, table by table; a table with another `kind` takes the place of the old one.
        change: Option<Part> = (), "absent: nothing";
        /// Paths that the scenario loses before it changes: `workloads`, `topology.port.limit`.
        remove: Vec<String> = [], "choice: none";
        /// Its axes: names, some values of an axis (`name` and `values` alone), or axes of its own.
        axes: Option<Rows<Chosen<ChosenAxis>>> = (), "absent: those of the study";
        /// Its arms: names, or arms of its own.
        arms: Option<Rows<Chosen<Arm>>> = (), "absent: those of the study";
        /// Its metrics: names, or metrics of its own.
        metrics: Option<Rows<Chosen<Metric>>> = (), "absent: those of the study";
        /// Its metrics by size: a table as in a study, or the names of those of the study that stay.
        by_size: Option<ChosenBySize> = (), "absent: those of the study; none with a `scenario`";
        /// What its quick form leaves.
        quick: Option<Quick> = (), "absent: there is none";
        /// Where its values come from, by the path of the parameter, besides what the study says; with a `scenario`, all.
        sources: Option<Texts> = (), "absent: as the study";
        /// Its claims: ids, or claims of its own.
        claims: Rows<Chosen<Claim>> = [], "choice: none";
        /// Its figures: ids, or figures of its own. One of the study has those of its arms that are there.
        figures: Rows<Chosen<Figure>> = [], "choice: none";
        /// The index of its report.
        index: Vec<IndexRow> = [], "choice: none";
    }
}

impl Validate for Companion {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        let changes = self.change.is_some() || !self.remove.is_empty();
        if self.scenario.is_some() && changes {
            let key = if self.change.is_some() { "change" } else { "remove" };
            return Err(at.key(key).error("the scenario is its own", "write it there"));
        }
        Ok(())
    }
}
