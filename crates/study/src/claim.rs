//! Claims: statements that the numbers of a study can break.

use dumbbell_core::config::{At, Field, Fields, need_table, suggest};
use dumbbell_core::json::{self, json};
use dumbbell_core::{Config, ConfigError, Validate, Value, config, words};

use crate::shapes::{Places, Texts};
use crate::text::{Id, Label};

config! {
    /// A statement that the numbers of the study can break, and the rule that judges it.
    pub struct Claim {
        /// Short and unique in the study.
        id: Id;
        /// In plain words.
        statement: String;
        /// Paper and section, or whose question it is.
        source: String = "our question", "choice: no publication is named";
        /// Name of the metric that the rule looks at.
        metric: Label;
        /// What the metric must do: a table whose `kind` says how.
        rule: Rule;
        /// Why a bound of the rule is ours, and not the source's.
        ours: String = "", "choice: the source gives the bound";
        /// Why it is not reproduced, as far as that is known: a text, or texts by patterns of ids.
        reason: Option<Reason> = (), "absent: not known, or not needed";
    }
}

impl Validate for Claim {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if !self.ours.is_empty() && matches!(self.rule, Rule::Order(_) | Rule::Monotone(_)) {
            return Err(at.key("ours").error("the rule has no bound that could be ours", "leave it out"));
        }
        no_braces(&self.statement, &at.key("statement"))
    }
}

/// Refuses what `for` should have filled and has not.
pub(crate) fn no_braces(text: &str, at: &At<'_>) -> Result<(), ConfigError> {
    match text.split_once('{').and_then(|(_, rest)| rest.split_once('}')) {
        Some((name, _)) => Err(at.error(
            format!("{{{name}}} stands for nothing"),
            "name its values in `for`, or leave the braces out",
        )),
        None => Ok(()),
    }
}

/// A text, or texts by patterns of ids.
#[derive(Clone, PartialEq, Debug)]
pub enum Reason {
    /// Of the claim.
    Text(String),
    /// By patterns of ids: an entry with `for` makes several.
    ById(Texts),
}

impl Config for Reason {
    const KIND: &'static str = "string, or texts by id";
    fn from_value(v: &Value, at: &At<'_>) -> Result<Reason, ConfigError> {
        match v {
            Value::Table(_) => Texts::from_value(v, at).map(Reason::ById),
            _ => String::from_value(v, at).map(Reason::Text),
        }
    }
    fn to_value(&self) -> Value {
        match self {
            Reason::Text(text) => Value::Str(text.clone()),
            Reason::ById(texts) => texts.to_value(),
        }
    }
    fn schema() -> json::Value {
        json!({"anyOf": [String::schema(), Texts::schema()]})
    }
}

words! {
    /// Which way a metric goes.
    pub enum Direction { Rises = "rises", Falls = "falls" }
}

config! {
    /// The mean of an arm lies within bounds, in the unit of the metric, at every point.
    pub struct Level {
        /// Name of the arm.
        arm: Label;
        /// The least mean allowed.
        low: Option<f64> as "as the metric" = (), "absent: any";
        /// The largest mean allowed.
        high: Option<f64> as "as the metric" = (), "absent: any";
        /// The points that it speaks of: values by axis.
        at: Option<Places> = (), "absent: all";
    }
}
impl Validate for Level {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        bounds(self.low, self.high, at)
    }
}

config! {
    /// The mean of an arm, over that of another at the same seeds, lies within bounds at every point.
    pub struct Ratio {
        /// Name of the arm above.
        arm: Label;
        /// Name of the arm below.
        over: Label;
        /// The least ratio allowed.
        low: Option<f64> as "dimensionless" = (), "absent: any";
        /// The largest ratio allowed.
        high: Option<f64> as "dimensionless" = (), "absent: any";
        /// The points that it speaks of: values by axis.
        at: Option<Places> = (), "absent: all";
    }
}
impl Validate for Ratio {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        bounds(self.low, self.high, at)
    }
}

config! {
    /// The mean of an arm, less that of another at the same seeds, lies within bounds at every point.
    pub struct Difference {
        /// Name of the arm.
        arm: Label;
        /// Name of the arm that is subtracted.
        minus: Label;
        /// The least difference allowed.
        low: Option<f64> as "as the metric" = (), "absent: any";
        /// The largest difference allowed.
        high: Option<f64> as "as the metric" = (), "absent: any";
        /// The points that it speaks of: values by axis.
        at: Option<Places> = (), "absent: all";
    }
}
impl Validate for Difference {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        bounds(self.low, self.high, at)
    }
}

config! {
    /// The arms stand in rising order of the metric at every point, each strictly below the next.
    pub struct Order {
        /// Names of two or more arms, the lowest first.
        arms: Vec<Label>;
        /// The points that it speaks of: values by axis.
        at: Option<Places> = (), "absent: all";
    }
}
impl Validate for Order {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        let mut names: Vec<&str> = self.arms.iter().map(|arm| arm.0.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        if names.len() < 2 || names.len() < self.arms.len() {
            return Err(at
                .key("arms")
                .error("no order of two or more different arms", "name the lowest first"));
        }
        Ok(())
    }
}

config! {
    /// The metric rises, or falls, from each value of an axis to the next.
    pub struct Monotone {
        /// Name of the axis.
        axis: Label;
        /// Name of the arm.
        arm: Label;
        /// Which way the metric goes as the axis rises.
        direction: Direction;
        /// The points that it speaks of: values by axis.
        at: Option<Places> = (), "absent: all";
    }
}
impl Validate for Monotone {}

config! {
    /// Two arms change order along an axis: one is below the other up to `low`, and above it from `high` on.
    pub struct Crossing {
        /// Name of the axis.
        axis: Label;
        /// Name of the arm that is below at first.
        arm: Label;
        /// Name of the arm that is above at first.
        over: Label;
        /// Up to and with this value of the axis, `arm` is strictly below.
        low: f64 as "as the axis";
        /// From and with this value on, `arm` is strictly above. What lies between is not judged.
        high: f64 as "as the axis";
        /// The points that it speaks of: values by axis.
        at: Option<Places> = (), "absent: all";
    }
}
impl Validate for Crossing {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.low < self.high {
            Ok(())
        } else {
            Err(at.key("low").error("not below `high`", "put the lower first"))
        }
    }
}

fn bounds(low: Option<f64>, high: Option<f64>, at: &At<'_>) -> Result<(), ConfigError> {
    match (low, high) {
        (None, None) => {
            Err(at.error("without bounds no data could break the claim", "give low, high or both"))
        }
        (Some(low), Some(high)) if low > high => {
            Err(at.key("low").error(format!("nothing lies between {low} and {high}"), "put the lower first"))
        }
        _ => Ok(()),
    }
}

/// Declares the rules: their words, and the table of each.
macro_rules! rules {
    ($( $word:literal => $name:ident; )+) => {
        /// The rule of a claim: the key `kind` says which, and so which other keys there are.
        #[derive(Clone, PartialEq, Debug)]
        pub enum Rule {
            $( #[doc = concat!("See [`", stringify!($name), "`].")] $name($name), )+
        }

        /// The kinds of rules, with what each takes.
        pub(crate) fn rules() -> Vec<(&'static str, Vec<Field>, json::Value)> {
            vec![$( ($word, $name::fields(), $name::schema()) ),+]
        }

        impl Rule {
            fn read(kind: &str, rest: &Value, at: &At<'_>) -> Option<Result<Rule, ConfigError>> {
                match kind {
                    $( $word => Some($name::from_value(rest, at).map(Rule::$name)), )+
                    _ => None,
                }
            }
            fn kind_and_values(&self) -> (&'static str, Value) {
                match self { $( Rule::$name(rule) => ($word, rule.to_value()), )+ }
            }
        }
    };
}
rules! {
    "level" => Level;
    "ratio" => Ratio;
    "difference" => Difference;
    "order" => Order;
    "monotone" => Monotone;
    "crossing" => Crossing;
}

impl Config for Rule {
    const KIND: &'static str = "table";
    fn from_value(v: &Value, at: &At<'_>) -> Result<Rule, ConfigError> {
        let entries = need_table(v, at)?;
        let here = at.key("kind");
        let known: Vec<&str> = rules().iter().map(|(kind, ..)| *kind).collect();
        let list = || format!("use one of {}", known.join(", "));
        let kind = v.get("kind").ok_or_else(|| here.error("missing kind of rule", list()))?;
        let kind = String::from_value(kind, &here)?;
        let rest = Value::Table(entries.iter().filter(|(key, _)| key != "kind").cloned().collect());
        let unknown = || Err(here.error(format!("{kind:?} is not a rule"), suggest(&kind, &known)));
        Rule::read(&kind, &rest, at).unwrap_or_else(unknown)
    }
    fn to_value(&self) -> Value {
        let (kind, values) = self.kind_and_values();
        let mut table = Value::table();
        table.insert("kind", kind.into());
        if let (Value::Table(entries), Value::Table(values)) = (&mut table, values) {
            entries.extend(values);
        }
        table
    }
    fn schema() -> json::Value {
        let members = rules().into_iter().map(|(kind, _, mut schema)| {
            schema["properties"]["kind"] = json!({"const": kind});
            if let Some(required) = schema["required"].as_array_mut() {
                required.push("kind".into());
            }
            schema
        });
        json!({"anyOf": members.collect::<Vec<_>>()})
    }
    fn nested() -> Vec<Field> {
        vec![Field {
            name: "kind",
            kind: "word",
            unit: "",
            doc: "What must hold; each kind takes keys of its own.".to_owned(),
            default: None,
            source: "",
            schema: || json!({"enum": rules().iter().map(|(kind, ..)| *kind).collect::<Vec<_>>()}),
            outline: || json!({"enum": rules().iter().map(|(kind, ..)| *kind).collect::<Vec<_>>()}),
            nested: Vec::new(),
        }]
    }
    fn remedy(name: &str) -> String {
        format!(r#"write {name} = {{ kind = "level", arm = "...", high = ... }}"#)
    }
}
