//! What a study varies: an axis, its values, and what each changes in the scenario.

use dumbbell_core::config::{At, Field, Fields};
use dumbbell_core::json::{self, json};
use dumbbell_core::{Config, ConfigError, Validate, Value, config, words};

use crate::limits::{MOST_VALUES, thousands};
use crate::text::{Label, Name};

config! {
    /// A quantity that the study varies. Linked axes are one axis whose every value sets several paths.
    pub struct Axis {
        /// Name of the column in the study's table.
        name: Name;
        /// What figures and tables call it.
        label: Option<Label> = (), "absent: the name";
        /// Unit of the values.
        unit: Label = "", "choice: values without a unit";
        /// A list, or `{ start, stop, step }`, or `{ start, stop, count }`, the latter also with `scale = "log"`.
        values: Values as "as the axis";
        /// What each value changes in the scenario: `path={value}`, or a list of these.
        set: Option<Settings> = (), "absent: `settings` says it";
        /// For each value a list of settings of its own.
        settings: Option<Vec<Settings>> = (), "absent: `set` says it";
    }
}

impl Validate for Axis {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        let values = self.values.0.len();
        match (&self.set, &self.settings) {
            (Some(_), Some(_)) => Err(at.error("both `set` and `settings` are given", BOTH)),
            (None, None) => Err(at.error("the axis sets nothing", BOTH)),
            (Some(set), None) if !set.0.is_empty() && !set.0.iter().any(|text| text.contains("{value}")) => {
                Err(at.key("set").error(
                    "does not use the value",
                    r#"write {value} where it belongs: set = "topology.bottleneck.rate={value}Mbit/s""#,
                ))
            }
            (None, Some(settings)) if settings.len() != values => Err(at.key("settings").error(
                format!("not one list of settings for each of the {values} values"),
                "give as many lists as values",
            )),
            _ => Ok(()),
        }
    }
}

const BOTH: &str = r#"add set = "path={value}", or settings with one list for each value"#;

/// Changes of the scenario, `path=value` each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings(pub Vec<String>);

impl Config for Settings {
    const KIND: &'static str = "list";
    fn from_value(v: &Value, at: &At<'_>) -> Result<Settings, ConfigError> {
        let setting = |item: &Value| match item {
            Value::Str(text) if text.contains('=') => Some(text.clone()),
            _ => None,
        };
        let texts = match v {
            Value::List(items) => items.iter().map(setting).collect(),
            _ => setting(v).map(|text| vec![text]),
        };
        texts.map(Settings).ok_or_else(|| {
            at.error(format!("{v} is not a setting"), r#"write "path=value", or a list of these"#)
        })
    }
    fn to_value(&self) -> Value {
        Value::List(self.0.iter().map(|text| Value::Str(text.clone())).collect())
    }
    fn schema() -> json::Value {
        let setting = json!({"type": "string", "pattern": "="});
        json!({"anyOf": [setting, {"type": "array", "items": setting}]})
    }
}

/// A number, whole or not as it was written.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Number(pub f64, pub Option<i64>);

impl Config for Number {
    const KIND: &'static str = "number";
    fn from_value(v: &Value, at: &At<'_>) -> Result<Number, ConfigError> {
        let whole = if let Value::Int(n) = v { Some(*n) } else { None };
        f64::from_value(v, at).map(|x| Number(x, whole))
    }
    fn to_value(&self) -> Value {
        self.1.map_or(Value::Float(self.0), Value::Int)
    }
    fn schema() -> json::Value {
        f64::schema()
    }
}

words! {
    /// How values lie between start and stop.
    pub enum Scale { Linear = "linear", Log = "log" }
}

config! {
    /// Values of an axis by rule: with `step`, or with `count`.
    pub struct Range {
        /// The first value.
        start: Number as "as the axis";
        /// Where the values end; the last value, if a step leads to it.
        stop: Number as "as the axis";
        /// From each value to the next; negative for falling values.
        step: Option<Number> as "as the axis" = (), "absent: `count` says how many";
        /// How many values.
        count: Option<u32> as "values" = (), "absent: `step` says how far apart";
        /// Whether `count` values have equal differences or equal ratios.
        scale: Scale = "linear", "choice: equal differences";
    }
}

impl Validate for Range {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        self.values(at).map(|_| ())
    }
}

impl Range {
    fn values(&self, at: &At<'_>) -> Result<Vec<Value>, ConfigError> {
        match (self.step, self.count) {
            (Some(step), None) => self.stepped(step, at),
            (None, Some(count)) => self.counted(count as usize, at),
            (step, _) => {
                let wrong =
                    if step.is_some() { "both `step` and `count` are given" } else { "how many values" };
                Err(at.error(wrong, "write { start, stop, step }, or { start, stop, count }"))
            }
        }
    }

    fn stepped(&self, step: Number, at: &At<'_>) -> Result<Vec<Value>, ConfigError> {
        if self.scale != Scale::Linear {
            return Err(at.key("scale").error("a step has no scale", "give `count` instead of `step`"));
        }
        let (start, stop) = (self.start, self.stop);
        // A hair more than the quotient, which rounding may have made a hair less than whole.
        let steps = if step.0 == 0.0 { -1.0 } else { ((stop.0 - start.0) / step.0 + 1e-9).floor() };
        let count = steps.max(-1.0) + 1.0;
        if !(1.0..=MOST_VALUES as f64).contains(&count) {
            return Err(
                at.error(format!("gives {} values", thousands(count)), "correct start, stop and step")
            );
        }
        let indices = 0..count as u32;
        if let (Some(first), Some(_), Some(by)) = (start.1, stop.1, step.1) {
            let value = |i| i64::try_from(i128::from(first) + i128::from(i) * i128::from(by)).ok();
            let whole: Option<Vec<Value>> = indices.map(|i| value(i).map(Value::Int)).collect();
            return whole
                .ok_or_else(|| at.error("a value has more than 63 bits", "correct start, stop and step"));
        }
        Ok(indices.map(|i| Value::Float(tidy(start.0 + f64::from(i) * step.0))).collect())
    }

    fn counted(&self, count: usize, at: &At<'_>) -> Result<Vec<Value>, ConfigError> {
        let (start, stop) = (self.start.0, self.stop.0);
        if !(2..=MOST_VALUES).contains(&count) || start == stop {
            return Err(at.error("not two or more different values", "correct start, stop and count"));
        }
        if self.scale == Scale::Log && !(start > 0.0 && stop > 0.0) {
            return Err(at.error("a log scale needs numbers above zero", r#"use "linear" or "log""#));
        }
        let share = |i: usize| i as f64 / (count - 1) as f64;
        let value = |i: usize| match self.scale {
            Scale::Linear => start + share(i) * (stop - start),
            Scale::Log => start * (stop / start).powf(share(i)),
        };
        Ok((0..count).map(|i| Value::Float(tidy(value(i)))).collect())
    }
}

/// Without the last digits, in which sums of decimal fractions differ from what a reader expects.
fn tidy(value: f64) -> f64 {
    format!("{value:.11e}").parse().expect("what was formatted is a number")
}

/// The values of an axis: whole numbers, numbers, or texts; all different.
#[derive(Clone, PartialEq, Debug)]
pub struct Values(pub Vec<Value>);

impl Config for Values {
    const KIND: &'static str = "list or table";
    fn from_value(v: &Value, at: &At<'_>) -> Result<Values, ConfigError> {
        match v {
            Value::Table(_) => Range::from_value(v, at)?.values(at).map(Values),
            Value::List(items) if items.len() > MOST_VALUES => Err(at.error(
                format!(
                    "{} values are above the limit of {}",
                    thousands(items.len()),
                    thousands(MOST_VALUES)
                ),
                "give fewer",
            )),
            Value::List(items) if !items.is_empty() => listed(items, at).map(Values),
            Value::List(_) | Value::Null => Err(at.error("no values", RANGE)),
            _ => Err(at.error(format!("{v} is not a list"), RANGE)),
        }
    }
    fn to_value(&self) -> Value {
        Value::List(self.0.clone())
    }
    fn schema() -> json::Value {
        let list = |item: &str| json!({"type": "array", "items": {"type": item}, "minItems": 1, "maxItems": MOST_VALUES});
        json!({"anyOf": [list("number"), list("string"), Range::schema()]})
    }
    fn nested() -> Vec<Field> {
        Range::fields()
    }
}

const RANGE: &str = "give a list, or { start, stop, step }, or { start, stop, count }";

fn listed(items: &[Value], at: &At<'_>) -> Result<Vec<Value>, ConfigError> {
    let mixed = || at.error("mixes numbers and other things", "give numbers only, or texts only");
    let numbers = items.iter().filter(|item| matches!(item, Value::Int(_) | Value::Float(_))).count();
    let texts = items.iter().filter(|item| matches!(item, Value::Str(_))).count();
    if texts == items.len() {
        let shown = items.iter().enumerate().map(|(i, item)| shown(item, &at.index(i)));
        let shown: Vec<&str> = shown.collect::<Result<_, _>>()?;
        refuse_twice(shown, at)?;
        return Ok(items.to_vec());
    }
    if numbers < items.len() {
        return Err(mixed());
    }
    let read = |(i, item): (usize, &Value)| Number::from_value(item, &at.index(i));
    let numbers: Vec<Number> = items.iter().enumerate().map(read).collect::<Result<_, _>>()?;
    let whole: Option<Vec<i64>> = numbers.iter().map(|number| number.1).collect();
    match whole {
        Some(whole) => {
            refuse_twice(whole.clone(), at)?;
            Ok(whole.into_iter().map(Value::Int).collect())
        }
        None => {
            // Zero has two signs; to a reader it is one value.
            refuse_twice(numbers.iter().map(|number| (number.0 + 0.0).to_bits()).collect(), at)?;
            Ok(numbers.into_iter().map(|number| Value::Float(number.0)).collect())
        }
    }
}

fn refuse_twice<T: Ord>(mut values: Vec<T>, at: &At<'_>) -> Result<(), ConfigError> {
    values.sort_unstable();
    match values.windows(2).any(|pair| pair[0] == pair[1]) {
        true => Err(at.error("holds the same value twice", "leave one of them out")),
        false => Ok(()),
    }
}

fn shown<'a>(item: &'a Value, at: &At<'_>) -> Result<&'a str, ConfigError> {
    Label::from_value(item, at)?;
    match item {
        Value::Str(text) if is_formula(text) => {
            Err(at.error(format!("{text:?} is a formula to spreadsheets"), "begin with a letter"))
        }
        Value::Str(text) => Ok(text),
        _ => unreachable!("a label is a text"),
    }
}

/// Whether a spreadsheet takes a text for a formula; a signed quantity such as `-5dB` is none.
fn is_formula(text: &str) -> bool {
    if text.starts_with(['=', '@']) {
        return true;
    }
    let Some(rest) = text.strip_prefix(['+', '-']) else { return false };
    let unit = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    unit.len() == rest.len() || !unit.chars().all(|c| c.is_ascii_alphabetic() || "/%".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_told_from_signed_quantities() {
        for text in ["=1+1", "@SUM(A1)", "-", "+cmd", "-2+3", "+1e5 "] {
            assert!(is_formula(text), "{text}");
        }
        for text in ["-5", "+3.2dB", "-1Mbit/s", "a=b", "", "5%"] {
            assert!(!is_formula(text), "{text}");
        }
    }

    #[test]
    fn a_range_has_the_numbers_that_a_reader_expects() {
        let values = |text: &str| {
            let table: Value = toml::from_str(text).expect("TOML");
            Values::from_value(&table, &At::root("values")).map(|v| v.to_value().to_string())
        };
        let shown = |text: &str| values(text).expect("a range");
        assert_eq!(shown("start = 0.1\nstop = 0.5\nstep = 0.1"), "[0.1, 0.2, 0.3, 0.4, 0.5]");
        assert_eq!(shown("start = 5\nstop = 1\nstep = -2"), "[5, 3, 1]");
        assert_eq!(shown("start = 1\nstop = 1000\ncount = 4\nscale = 'log'"), "[1, 10, 100, 1000]");
        let error = |text: &str| values(text).expect_err("no range").to_string();
        assert_eq!(
            error("start = 0\nstop = 1e15\nstep = 1"),
            "values: gives 1,000,000,000,000,001 values; correct start, stop and step"
        );
        assert_eq!(error("start = 1\nstep = 1"), "values.stop: missing number; add `stop = ...`");
        assert_eq!(
            error("start = 0\nstop = 1\nstep = 1\nscale = 'log'"),
            "values.scale: a step has no scale; give `count` instead of `step`"
        );
    }
}
