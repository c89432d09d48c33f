//! Plain values: numbers, truth, text, and what may be absent, shared or listed.

use std::sync::Arc;

use serde_json::{self as json, json};

use super::{At, Config, ConfigError, Errors, Field, Fields};
use crate::value::{MAX_NUMBER, Value};

macro_rules! integer_config {
    ($($type:ty),+) => {$(
        impl Config for $type {
            const KIND: &'static str = "integer";
            fn from_value(v: &Value, at: &At<'_>) -> Result<$type, ConfigError> {
                let Value::Int(n) = v else {
                    return Err(at.error(format!("{} stands where an integer is needed", v.kind()),
                                        "write a whole number without quotes"));
                };
                <$type>::try_from(*n).map_err(|_| at.error(format!("{n} is out of range"),
                    format!("give a number from {} to {}", <$type>::MIN, <$type>::MAX)))
            }
            fn to_value(&self) -> Value {
                Value::Int(i64::try_from(*self).unwrap_or(i64::MAX))
            }
            fn schema() -> json::Value {
                json!({"type": "integer", "minimum": <$type>::MIN, "maximum": <$type>::MAX})
            }
        }
    )+};
}
integer_config!(u8, u16, u32, u64, i64);

impl Config for f64 {
    const KIND: &'static str = "number";
    fn from_value(v: &Value, at: &At<'_>) -> Result<f64, ConfigError> {
        let x = match v {
            Value::Float(x) => *x,
            Value::Int(n) => *n as f64,
            _ => {
                return Err(at.error(
                    format!("{} stands where a number is needed", v.kind()),
                    "write a number without quotes",
                ));
            }
        };
        if !x.is_finite() {
            return Err(at.error(format!("{x} is not a finite number"), "give a finite number"));
        }
        if x.abs() > MAX_NUMBER {
            return Err(at.error(format!("{x:e} is beyond the limit of {MAX_NUMBER:e}"), "give less"));
        }
        Ok(x)
    }
    fn to_value(&self) -> Value {
        Value::Float(*self)
    }
    fn schema() -> json::Value {
        json!({"type": "number"})
    }
}

impl Config for bool {
    const KIND: &'static str = "boolean";
    fn from_value(v: &Value, at: &At<'_>) -> Result<bool, ConfigError> {
        match v {
            Value::Bool(b) => Ok(*b),
            _ => Err(at.error(
                format!("{} stands where a boolean is needed", v.kind()),
                "write true or false without quotes",
            )),
        }
    }
    fn to_value(&self) -> Value {
        Value::Bool(*self)
    }
    fn schema() -> json::Value {
        json!({"type": "boolean"})
    }
}

/// Characters of a text: the longest path of a file on Linux (`PATH_MAX`).
const MOST_CHARS: usize = 4096;

/// Whether a character stands for itself wherever text is shown: neither a control character, which terminals obey,
/// nor one that ends a line or turns the direction of what follows (Unicode Standard Annex 9, section 2).
pub fn is_plain(c: char) -> bool {
    let turns =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !(c.is_control() || turns || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}'))
}

/// The text at a place, if it is not too long and all its characters are allowed.
fn read_text(v: &Value, at: &At<'_>, allowed: fn(char) -> bool) -> Result<String, ConfigError> {
    let Value::Str(text) = v else {
        return Err(at.error(format!("{} stands where a string is needed", v.kind()), "put it in quotes"));
    };
    if text.len() > MOST_CHARS && text.chars().count() > MOST_CHARS {
        return Err(at.error(format!("the text is longer than {MOST_CHARS} characters"), "shorten it"));
    }
    match text.chars().find(|c| !allowed(*c)) {
        Some(c) => Err(at.error(
            format!("the text holds the control character U+{:04X}", u32::from(c)),
            "write text without control characters",
        )),
        None => Ok(text.clone()),
    }
}

/// Text of one or several lines that is for reading only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prose(pub String);

impl Config for Prose {
    const KIND: &'static str = "string";
    fn from_value(v: &Value, at: &At<'_>) -> Result<Prose, ConfigError> {
        read_text(v, at, |c| is_plain(c) || matches!(c, '\n' | '\r' | '\t')).map(Prose)
    }
    fn to_value(&self) -> Value {
        Value::Str(self.0.clone())
    }
    fn schema() -> json::Value {
        json!({"type": "string"})
    }
}

impl Config for String {
    const KIND: &'static str = "string";
    fn from_value(v: &Value, at: &At<'_>) -> Result<String, ConfigError> {
        read_text(v, at, is_plain)
    }
    fn to_value(&self) -> Value {
        Value::Str(self.clone())
    }
    fn schema() -> json::Value {
        json!({"type": "string"})
    }
}

impl<T: Config> Config for Option<T> {
    const KIND: &'static str = T::KIND;
    fn from_value(v: &Value, at: &At<'_>) -> Result<Option<T>, ConfigError> {
        match v {
            Value::Null => Ok(None),
            _ => T::from_value(v, at).map(Some),
        }
    }
    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::to_value)
    }
    fn schema() -> json::Value {
        T::schema()
    }
    fn outline() -> json::Value {
        T::outline()
    }
    fn nested() -> Vec<Field> {
        T::nested()
    }
}

/// Shared by everything that is made from it.
impl<T: Config> Config for Arc<T> {
    const KIND: &'static str = T::KIND;
    fn from_value(v: &Value, at: &At<'_>) -> Result<Arc<T>, ConfigError> {
        T::from_value(v, at).map(Arc::new)
    }
    fn to_value(&self) -> Value {
        T::to_value(self)
    }
    fn schema() -> json::Value {
        T::schema()
    }
    fn outline() -> json::Value {
        T::outline()
    }
    fn nested() -> Vec<Field> {
        T::nested()
    }
}

impl<T: Fields> Fields for Arc<T> {
    fn fields() -> Vec<Field> {
        T::fields()
    }
}

impl<T: Config> Config for Vec<T> {
    const KIND: &'static str = "list";
    fn from_value(v: &Value, at: &At<'_>) -> Result<Vec<T>, ConfigError> {
        match v {
            Value::List(items) => {
                let mut errors = Errors::default();
                let mut read = Vec::with_capacity(items.len());
                for (i, item) in items.iter().enumerate() {
                    read.extend(errors.note(T::from_value(item, &at.index(i))));
                    if errors.is_full() {
                        break;
                    }
                }
                errors.settle().map(|()| read)
            }
            _ => Err(at.error(format!("{} stands where a list is needed", v.kind()), "put it in [brackets]")),
        }
    }
    fn to_value(&self) -> Value {
        Value::List(self.iter().map(T::to_value).collect())
    }
    fn schema() -> json::Value {
        json!({"type": "array", "items": T::schema()})
    }
    fn outline() -> json::Value {
        json!({"type": "array", "items": T::outline()})
    }
    fn remedy(name: &str) -> String {
        if T::nested().is_empty() { format!("add `{name} = [...]`") } else { format!("add [[{name}]]") }
    }
    fn nested() -> Vec<Field> {
        T::nested()
    }
}
