//! TOML text as a value.

use dumbbell_core::Value;
use dumbbell_core::config::{At, ConfigError};

/// The key under which the `toml` crate hands over a date, which scenarios have no use for.
const DATE_KEY: &str = "$__toml_private_datetime";

/// Reads TOML text.
///
/// # Errors
/// The line and column of the first syntax error.
pub fn parse(text: &str) -> Result<Value, ConfigError> {
    let value: Value = ::toml::from_str(text).map_err(|e| {
        let offset = e.span().map_or(0, |span| span.start.min(text.len()));
        let before = &text.as_bytes()[..offset];
        let line = 1 + before.iter().filter(|b| **b == b'\n').count();
        let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
        let column = 1 + String::from_utf8_lossy(&before[start..]).chars().count();
        let message = e.message().lines().collect::<Vec<_>>().join(", ");
        ConfigError::new(
            format!("line {line}, column {column}"),
            format!("not TOML: {message}"),
            "correct the syntax; text and quantities stand in quotes, as in rate = \"10Mbit/s\"",
        )
    })?;
    refuse_dates(&value, &At::root(""))?;
    Ok(value)
}

fn refuse_dates(value: &Value, at: &At<'_>) -> Result<(), ConfigError> {
    match value {
        Value::Table(entries) => entries.iter().try_for_each(|(key, v)| {
            if key == DATE_KEY {
                return Err(
                    at.error("a date stands here", "put it in quotes, or write a duration such as \"10s\"")
                );
            }
            refuse_dates(v, &at.key(key))
        }),
        Value::List(items) => items.iter().enumerate().try_for_each(|(i, v)| refuse_dates(v, &at.index(i))),
        _ => Ok(()),
    }
}
