//! Texts of a study: names, which are columns of tables, and labels, which figures show.

use dumbbell_core::config::At;
use dumbbell_core::json::{self, json};
use dumbbell_core::{Config, ConfigError, Value};

/// Characters of a name, a label or a unit: what a figure has room for, with some to spare.
const MOST_CHARS: usize = 200;

/// A text that figures and tables show.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label(pub String);

impl Config for Label {
    const KIND: &'static str = "string";
    fn from_value(v: &Value, at: &At<'_>) -> Result<Label, ConfigError> {
        let text = String::from_value(v, at)?;
        match text.chars().count() {
            0..=MOST_CHARS => Ok(Label(text)),
            n => Err(at.error(format!("{n} characters are above the limit of {MOST_CHARS}"), "shorten it")),
        }
    }
    fn to_value(&self) -> Value {
        Value::Str(self.0.clone())
    }
    fn schema() -> json::Value {
        json!({"type": "string", "maxLength": MOST_CHARS})
    }
}

/// A word that names a study, an axis, an arm or a metric: it becomes a column, a file or a part of a setting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name(pub String);

impl Config for Name {
    const KIND: &'static str = "name";
    fn from_value(v: &Value, at: &At<'_>) -> Result<Name, ConfigError> {
        let Label(text) = Label::from_value(v, at)?;
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
        if text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(plain) {
            return Ok(Name(text));
        }
        Err(at.error(format!("{text:?} is not a name"), "use letters, digits, - and _, a letter first"))
    }
    fn to_value(&self) -> Value {
        Value::Str(self.0.clone())
    }
    fn schema() -> json::Value {
        json!({"type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_-]*$", "maxLength": MOST_CHARS})
    }
}

/// What a claim is called: as a [`Name`], and with points.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Id(pub String);

impl Config for Id {
    const KIND: &'static str = "name";
    fn from_value(v: &Value, at: &At<'_>) -> Result<Id, ConfigError> {
        let Label(text) = Label::from_value(v, at)?;
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        if text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(plain) {
            return Ok(Id(text));
        }
        Err(at
            .error(format!("{text:?} is not an id"), "use letters, digits, -, _ and points, a letter first"))
    }
    fn to_value(&self) -> Value {
        Value::Str(self.0.clone())
    }
    fn schema() -> json::Value {
        json!({"type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_.-]*$", "maxLength": MOST_CHARS})
    }
}
