//! A dynamic value: what a TOML file, a Python dictionary and a `--set` argument have in common.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// The largest number, either way: beyond it a product of two would lose what is left of the smaller.
pub const MAX_NUMBER: f64 = 1e18;

/// A scenario before it is understood. Keys keep their order, so that messages and hashes are stable.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// Absent on purpose (JSON `null`, Python `None`).
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A real number; may be infinite or not a number until a [`Config`](crate::Config) refuses it.
    Float(f64),
    /// Text, among it every quantity with a unit.
    Str(String),
    /// An array.
    List(Vec<Value>),
    /// A table, in the order written.
    Table(Vec<(String, Value)>),
}

impl Value {
    /// An empty table.
    pub fn table() -> Value {
        Value::Table(Vec::new())
    }

    /// The entry `key` of a table.
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Value::Table(entries) => entries.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// Sets the entry `key`, replacing what stood there. Does nothing on a value that is not a table.
    pub fn insert(&mut self, key: &str, value: Value) {
        if let Value::Table(entries) = self {
            match entries.iter_mut().find(|(k, _)| k == key) {
                Some((_, old)) => *old = value,
                None => entries.push((key.to_owned(), value)),
            }
        }
    }

    /// What a user would call this kind of value.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "nothing",
            Value::Bool(_) => "a boolean",
            Value::Int(_) => "an integer",
            Value::Float(_) => "a number",
            Value::Str(_) => "a string",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }
}

impl From<bool> for Value {
    fn from(v: bool) -> Value {
        Value::Bool(v)
    }
}
impl From<i64> for Value {
    fn from(v: i64) -> Value {
        Value::Int(v)
    }
}
impl From<i32> for Value {
    fn from(v: i32) -> Value {
        Value::Int(v.into())
    }
}
impl From<f64> for Value {
    fn from(v: f64) -> Value {
        Value::Float(v)
    }
}
impl From<&str> for Value {
    fn from(v: &str) -> Value {
        Value::Str(v.to_owned())
    }
}
impl<const N: usize> From<[Value; N]> for Value {
    fn from(items: [Value; N]) -> Value {
        Value::List(items.into())
    }
}
impl From<()> for Value {
    fn from((): ()) -> Value {
        Value::Null
    }
}

/// As TOML would write it.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("none"),
            Value::Bool(v) => write!(f, "{v}"),
            Value::Int(v) => write!(f, "{v}"),
            Value::Float(v) => write!(f, "{v}"),
            Value::Str(v) => write!(f, "{v:?}"),
            Value::List(items) => {
                f.write_str("[")?;
                for (i, v) in items.iter().enumerate() {
                    write!(f, "{}{v}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Value::Table(entries) => {
                f.write_str("{")?;
                for (i, (k, v)) in entries.iter().enumerate() {
                    let comma = if i == 0 { " " } else { ", " };
                    let bare = |c: char| c.is_alphanumeric() || "_-".contains(c);
                    match !k.is_empty() && k.chars().all(bare) {
                        true => write!(f, "{comma}{k} = {v}")?,
                        // A key may hold anything, also what a terminal obeys.
                        false => write!(f, "{comma}{k:?} = {v}")?,
                    }
                }
                f.write_str(" }")
            }
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Null => s.serialize_none(),
            Value::Bool(v) => s.serialize_bool(*v),
            Value::Int(v) => s.serialize_i64(*v),
            Value::Float(v) => s.serialize_f64(*v),
            Value::Str(v) => s.serialize_str(v),
            Value::List(items) => s.collect_seq(items),
            Value::Table(entries) => {
                let mut map = s.serialize_map(Some(entries.len()))?;
                for (k, v) in entries {
                    map.serialize_entry(k, v)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Value, D::Error> {
        d.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a boolean, number, string, list or table")
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_some<D: Deserializer<'de>>(self, d: D) -> Result<Value, D::Error> {
        Value::deserialize(d)
    }
    fn visit_bool<E>(self, v: bool) -> Result<Value, E> {
        Ok(Value::Bool(v))
    }
    fn visit_i64<E>(self, v: i64) -> Result<Value, E> {
        Ok(Value::Int(v))
    }
    fn visit_u64<E: Error>(self, v: u64) -> Result<Value, E> {
        i64::try_from(v).map(Value::Int).map_err(|_| E::custom("an integer beyond 63 bits"))
    }
    fn visit_i128<E: Error>(self, _: i128) -> Result<Value, E> {
        Err(E::custom("an integer beyond 63 bits"))
    }
    fn visit_u128<E: Error>(self, _: u128) -> Result<Value, E> {
        Err(E::custom("an integer beyond 63 bits"))
    }
    fn visit_f64<E>(self, v: f64) -> Result<Value, E> {
        Ok(Value::Float(v))
    }
    fn visit_str<E>(self, v: &str) -> Result<Value, E> {
        Ok(Value::Str(v.to_owned()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(v) = seq.next_element()? {
            items.push(v);
        }
        Ok(Value::List(items))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Value::Table(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toml_keeps_kinds_and_the_order_of_keys_in_json() {
        let v: Value = serde_json::from_str(r#"{"b": 1, "a": [true, 2.5, "x", null]}"#).unwrap();
        assert_eq!(v.to_string(), r#"{ b = 1, a = [true, 2.5, "x", none] }"#);
        assert_eq!(serde_json::to_string(&v).unwrap(), r#"{"b":1,"a":[true,2.5,"x",null]}"#);
    }

    #[test]
    fn toml_nan_survives_to_be_refused_by_the_schema() {
        let v: Value = toml::from_str("x = nan").unwrap();
        assert!(matches!(v.get("x"), Some(Value::Float(x)) if x.is_nan()));
    }
}
