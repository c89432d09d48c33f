//! Shapes of values that claims, figures and companions share: points of a study, numbers, texts by name.

use dumbbell_core::config::{At, Errors, need_table};
use dumbbell_core::json::{self, json};
use dumbbell_core::{Config, ConfigError, Value};

use crate::axis::Number;
use crate::text::Label;

/// Points of a study: for each axis that it names, a value or a list of values.
#[derive(Clone, PartialEq, Debug)]
pub struct Places(pub Value);

impl Config for Places {
    const KIND: &'static str = "values by axis";
    fn from_value(v: &Value, at: &At<'_>) -> Result<Places, ConfigError> {
        let mut errors = Errors::default();
        for (axis, value) in need_table(v, at)? {
            let here = at.key(axis);
            match value {
                Value::List(items) if items.is_empty() => {
                    errors
                        .note::<()>(Err(here.error("no values", "give one or more, or leave the axis out")));
                }
                Value::List(items) => {
                    for (i, item) in items.iter().enumerate() {
                        errors.note(scalar(item, &here.index(i)));
                    }
                }
                item => {
                    errors.note(scalar(item, &here));
                }
            }
        }
        errors.settle().map(|()| Places(v.clone()))
    }
    fn to_value(&self) -> Value {
        self.0.clone()
    }
    fn schema() -> json::Value {
        let one = json!({"type": ["number", "string"]});
        let some = json!({"type": "array", "items": one, "minItems": 1});
        json!({"type": "object", "additionalProperties": {"anyOf": [one, some]}})
    }
}

/// A value of an axis.
fn scalar(v: &Value, at: &At<'_>) -> Result<(), ConfigError> {
    match v {
        Value::Str(_) => Label::from_value(v, at).map(drop),
        Value::Int(_) | Value::Float(_) => Number::from_value(v, at).map(drop),
        _ => Err(at.error(format!("{} is no value of an axis", v.kind()), "give a number or a text")),
    }
}

/// One number or a list of numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct Numbers(pub Vec<f64>);

impl Config for Numbers {
    const KIND: &'static str = "number or list";
    fn from_value(v: &Value, at: &At<'_>) -> Result<Numbers, ConfigError> {
        match v {
            Value::List(_) => Vec::from_value(v, at).map(Numbers),
            _ => f64::from_value(v, at).map(|x| Numbers(vec![x])),
        }
    }
    fn to_value(&self) -> Value {
        self.0.to_value()
    }
    fn schema() -> json::Value {
        json!({"anyOf": [f64::schema(), Vec::<f64>::schema()]})
    }
}

/// Texts by name, such as sources by the path of a parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct Texts(pub Value);

impl Config for Texts {
    const KIND: &'static str = "texts by name";
    fn from_value(v: &Value, at: &At<'_>) -> Result<Texts, ConfigError> {
        let mut errors = Errors::default();
        for (name, text) in need_table(v, at)? {
            let here = at.key(name);
            errors.note(match text {
                Value::Table(_) => {
                    Err(here.error("a table stands where a text is needed", "put the whole name in quotes"))
                }
                _ => String::from_value(text, &here).map(drop),
            });
        }
        errors.settle().map(|()| Texts(v.clone()))
    }
    fn to_value(&self) -> Value {
        self.0.clone()
    }
    fn schema() -> json::Value {
        json!({"type": "object", "additionalProperties": {"type": "string"}})
    }
}

/// A part of a scenario, not parsed: what it is added to is.
#[derive(Clone, PartialEq, Debug)]
pub struct Part(pub Value);

impl Config for Part {
    const KIND: &'static str = "part of a scenario";
    fn from_value(v: &Value, at: &At<'_>) -> Result<Part, ConfigError> {
        need_table(v, at).map(|_| Part(v.clone()))
    }
    fn to_value(&self) -> Value {
        self.0.clone()
    }
    fn schema() -> json::Value {
        json!({"type": "object"})
    }
}
