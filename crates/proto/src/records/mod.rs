//! Records of behaviour: what controllers, transports and hosts do in fixed sequences of events, compared with the text files
//! in `crates/proto/records`. A difference is no verdict: it says that behaviour has changed. If that is intended,
//! `DUMBBELL_RECORDS=write cargo test -p dumbbell-proto --lib records` writes the files anew, and the commit says why.

mod controllers;
mod exchange;
mod hosts;
mod parts;
mod scripts;
mod tcp;
mod transports;

use std::path::PathBuf;

use dumbbell_core::config::{At, Field};
use dumbbell_core::{Config, Value, json};

/// The file of a family.
fn file(family: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("records").join(format!("{family}.txt"))
}

/// Values near a usual one, or other words, that differ from it: candidates, some of which are out of range.
fn others(field: &Field, usual: Option<&Value>) -> Vec<Value> {
    let scaled = |n: f64| vec![Value::Float(n * 1.25), Value::Float(n * 0.8), Value::Float(n + 0.5)];
    let words = words(&(field.schema)());
    match usual {
        Some(Value::Bool(on)) if words.is_empty() => vec![Value::Bool(!on)],
        Some(Value::Int(n)) => [n * 2, n + 1, n / 2].map(Value::Int).into(),
        Some(Value::Float(n)) => scaled(*n),
        Some(Value::Str(text)) if words.is_empty() => quantities(text),
        _ if !words.is_empty() => words.iter().map(|word| Value::from(word.as_str())).collect(),
        _ if field.unit == "bytes" => vec![Value::Int(536)],
        _ => vec![Value::Int(7), Value::from("3ms"), Value::from("5Mbit/s"), Value::from("20kB")],
    }
}

/// The words that a schema lists.
fn words(schema: &json::Value) -> Vec<String> {
    if let Some(members) = schema["anyOf"].as_array() {
        return members.iter().flat_map(words).collect();
    }
    let listed = schema["enum"].as_array().cloned().unwrap_or_default();
    listed.iter().filter_map(|word| word.as_str().map(str::to_owned)).collect()
}

/// Half and twice a quantity with a unit; a quantity of zero becomes three.
fn quantities(text: &str) -> Vec<Value> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    match number.parse::<f64>() {
        Ok(0.0) => ["3ms", "3kB", "3Mbit/s"].map(Value::from).into(),
        Ok(n) => [n / 2.0, n * 2.0].map(|n| Value::from(format!("{n}{unit}").as_str())).into(),
        Err(_) => Vec::new(),
    }
}

/// A member of a family with each parameter changed alone: what was changed, and the member. Of a parameter that has words each is
/// tried, of one that has a number the first two that are accepted.
fn variants<T: Config + PartialEq>(
    kind: &str,
    fields: &[Field],
    given: &[(&str, Value)],
) -> Vec<(String, T)> {
    let table = |extra: &[(&str, Value)]| {
        let mut table = Value::Table(vec![("kind".to_owned(), Value::from(kind))]);
        given.iter().chain(extra).for_each(|(key, value)| table.insert(key, value.clone()));
        T::from_value(&table, &At::root("record"))
    };
    let usual = table(&[]).unwrap_or_else(|error| panic!("{kind}: {error}"));
    let values = usual.to_value();
    let mut found: Vec<(String, T)> = Vec::new();
    for field in fields {
        let is_word = !words(&(field.schema)()).is_empty();
        let enough = if is_word { usize::MAX } else { found.len() + 2 };
        for value in others(field, values.get(field.name)) {
            let name = format!("{}={}", field.name, written(&value));
            let Ok(member) = table(&[(field.name, value)]) else { continue };
            let is_new = member != usual && found.iter().all(|(_, other)| *other != member);
            if is_new && found.len() < enough {
                found.push((name, member));
            }
        }
    }
    found
}

/// A value as a name has it.
fn written(value: &Value) -> String {
    match value {
        Value::Str(text) => text.clone(),
        Value::Bool(on) => on.to_string(),
        Value::Int(n) => n.to_string(),
        Value::Float(n) => n.to_string(),
        _ => String::new(),
    }
}
