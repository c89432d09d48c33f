//! Names that a scenario gives: of nodes, groups of nodes, links.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{Config, Value};
use serde_json::json;

/// One name or a list of names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameList(pub Vec<String>);

impl Config for NameList {
    const KIND: &'static str = "name or list of names";
    fn from_value(v: &Value, at: &At<'_>) -> Result<NameList, ConfigError> {
        let names = match v {
            Value::Str(name) => vec![name.clone()],
            Value::List(_) => Vec::from_value(v, at)?,
            _ => {
                return Err(at.error(
                    format!("{} stands where a name is needed", v.kind()),
                    "write one name in quotes or a list of names",
                ));
            }
        };
        if names.is_empty() {
            return Err(at.error("the list of names is empty", "write at least one name"));
        }
        Ok(NameList(names))
    }
    fn to_value(&self) -> Value {
        match self.0.as_slice() {
            [name] => name.to_value(),
            names => names.to_vec().to_value(),
        }
    }
    fn schema() -> serde_json::Value {
        json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]})
    }
}
