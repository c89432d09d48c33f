//! The schema of study files, and their tables for the reference.

use dumbbell_core::Config;
use dumbbell_core::config::{Field, Fields};
use dumbbell_core::json::{Value, json};

use crate::axis::{Axis, Range};
use crate::by_size::{BySize, Sharing, SizeMetric, SizeSource};
use crate::claim::{Claim, rules};
use crate::companion::{Companion, Quick};
use crate::entries::{Arm, Metric};
use crate::figure::{Figure, IndexRow, Reference};
use crate::seeds::Consecutive;
use crate::source::tables;
use crate::spec::{Stop, Study};

/// The JSON Schema (draft 2020-12) of a study file, with that of a scenario in it.
pub fn schema(mut scenario: Value) -> Value {
    let mut schema = Study::schema();
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("dumbbell study");
    // In a file, the name of the file stands for a name.
    if let Some(required) = schema["required"].as_array_mut() {
        required.retain(|key| key != "name");
    }
    // References in the scenario's schema count from the root of the document.
    let mut definitions = scenario["$defs"].take();
    if let Some(object) = scenario.as_object_mut() {
        object.retain(|key, _| key != "$defs" && key != "$schema");
    }
    definitions["scenario"] = scenario;
    schema["$defs"] = definitions;
    schema
}

/// The tables of a study file: names, what they are, and their keys.
pub fn declarations_json(fields_json: impl Fn(&[Field]) -> Value) -> Value {
    let doc = |schema: Value| schema["description"].as_str().unwrap_or_default().to_owned();
    let mut parts = vec![
        ("study".to_owned(), doc(Study::schema()), Study::fields()),
        ("axes".to_owned(), doc(Axis::schema()), Axis::fields()),
        ("values of an axis by rule".to_owned(), doc(Range::schema()), Range::fields()),
        ("seeds by rule".to_owned(), doc(Consecutive::schema()), Consecutive::fields()),
        ("arms".to_owned(), doc(Arm::schema()), Arm::fields()),
        ("metrics".to_owned(), doc(Metric::schema()), Metric::fields()),
    ];
    for (name, fields, schema) in tables() {
        parts.push((format!("source with table = \"{name}\""), doc(schema), fields));
    }
    parts.extend([
        ("by_size".to_owned(), doc(BySize::schema()), BySize::fields()),
        ("by_size.metrics".to_owned(), doc(SizeMetric::schema()), SizeMetric::fields()),
        ("source of a metric by size".to_owned(), doc(SizeSource::schema()), SizeSource::fields()),
        ("sharing".to_owned(), doc(Sharing::schema()), Sharing::fields()),
        ("stop".to_owned(), doc(Stop::schema()), Stop::fields()),
        ("quick".to_owned(), doc(Quick::schema()), Quick::fields()),
        ("claims".to_owned(), doc(Claim::schema()), Claim::fields()),
    ]);
    for (name, fields, schema) in rules() {
        parts.push((format!("rule with kind = \"{name}\""), doc(schema), fields));
    }
    parts.extend([
        ("figures".to_owned(), doc(Figure::schema()), Figure::fields()),
        ("figures.references".to_owned(), doc(Reference::schema()), Reference::fields()),
        ("index".to_owned(), doc(IndexRow::schema()), IndexRow::fields()),
        ("companions".to_owned(), doc(Companion::schema()), Companion::fields()),
    ]);
    let table = |(name, doc, fields): (String, String, Vec<Field>)| json!({ "name": name, "doc": doc, "fields": fields_json(&fields) });
    parts.into_iter().map(table).collect()
}
