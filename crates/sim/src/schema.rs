//! The schema of scenarios and the registry of algorithms, as JSON: for editors, for `dumbbell list` and `describe`,
//! and for the Python builders that are generated from them.

use std::sync::LazyLock;

use dumbbell_core::config::{Field, Fields};
use dumbbell_core::registry::{About, Descriptor, Family, Member, Profile, Registry, Setting};
use dumbbell_core::series::Series;
use dumbbell_core::table::{Column, Declaration, Named};
use dumbbell_core::{Config, DropReason, MarkReason, Results};
use dumbbell_net::buffer::SharedBuffer;
use dumbbell_net::link::{RateChange, Reverse, TraceSpec};
use dumbbell_net::pause::PauseSpec;
use dumbbell_net::power::{Grid, Model, Power, State};
use dumbbell_proto::transport::Failure;
use serde_json::{Map, Value, json};

use crate::families::built_in;
use crate::nodes::NodesSpec;
use crate::roles::{Access, Bottleneck};
use crate::scenario::{FlowsSpec, RecordSpec, ReplaySpec, ScenarioSpec};
use crate::topology::fat_tree::{FatTreeFabric, FatTreeHost};
use crate::topology::graph::{GraphLink, NodeGroup};
use crate::topology::leaf_spine::{LeafHost, LeafUplink};
use crate::topology::random::{RandomAccess, RandomLink};
use crate::topology::star::HostLink;

/// The built-in members of every family, without their parameters, which take a while to describe.
pub fn algorithms() -> Vec<(&'static str, Vec<About>)> {
    let members = |family: &Family| family.members.iter().map(Member::about).collect();
    built_in().families().iter().map(|family| (family.name, members(family))).collect()
}

/// Every registered algorithm, family by family.
pub fn descriptors() -> Vec<Descriptor> {
    built_in().families().iter().flat_map(|family| &family.members).map(Member::describe).collect()
}

/// A table of a scenario that is no algorithm.
struct Part {
    name: &'static str,
    /// The Python module of its builder.
    module: &'static str,
    title: String,
    fields: fn() -> Vec<Field>,
}

macro_rules! parts {
    ($( $part:ident as $name:literal in $module:literal; )+) => {
        /// The names of all such tables.
        pub const TABLES: &[&str] = &[ $( $name ),+ ];

        /// The table of this name.
        fn part(name: &str) -> Option<Part> {
            match name {
                $( $name => Some(Part { name: $name, module: $module, title: title(&$part::outline()),
                    fields: $part::fields }), )+
                _ => None,
            }
        }
    };
}
parts! {
    ScenarioSpec as "scenario" in "experiment";
    NodesSpec as "nodes" in "experiment";
    FlowsSpec as "flows" in "experiment";
    ReplaySpec as "replay" in "experiment";
    RecordSpec as "record" in "experiment";
    Bottleneck as "bottleneck" in "network";
    Access as "access" in "network";
    HostLink as "host link" in "network";
    GraphLink as "graph link" in "network";
    Reverse as "reverse" in "network";
    RateChange as "rate change" in "network";
    TraceSpec as "trace" in "network";
    FatTreeHost as "fat tree host" in "network";
    FatTreeFabric as "fat tree fabric" in "network";
    LeafHost as "leaf host" in "network";
    LeafUplink as "leaf uplink" in "network";
    NodeGroup as "node group" in "network";
    RandomLink as "random link" in "network";
    RandomAccess as "random access" in "network";
    SharedBuffer as "shared buffer" in "network";
    PauseSpec as "pause" in "network";
    Power as "power" in "network";
    Grid as "rate grid" in "network";
    Model as "power model" in "network";
}

/// The first sentence of what a table is.
fn title(schema: &Value) -> String {
    let doc = schema["description"].as_str().unwrap_or_default();
    doc.split_once(". ").map_or(doc, |(first, _)| first).trim_end_matches('.').to_owned()
}

/// The JSON Schema (draft 2020-12) of a scenario that names members of a registry. The families of algorithms stand under `$defs`.
pub fn schema(registry: &Registry) -> Value {
    let parts = [("power", Power::schema()), ("reverse", Reverse::schema())];
    let of = |registry: &Registry| -> Vec<(&'static str, Value)> {
        registry.families().iter().map(|family| (family.name, family.schema())).chain(parts.clone()).collect()
    };
    // Tables know the built-in members of families.
    let (families, all) = (of(built_in()), of(registry));
    let mut definitions = Map::new();
    for (name, family) in &all {
        // A family may use others in its members. Where it uses itself, its schema refers to it already.
        let mut definition = family.clone();
        for key in BODIES {
            if let Some(members) = definition.get_mut(key) {
                refer(members, &families);
            }
        }
        definitions.insert((*name).to_owned(), definition);
    }
    let mut schema = ScenarioSpec::schema();
    refer(&mut schema, &families);
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("dumbbell scenario");
    schema["$defs"] = definitions.into();
    schema
}

/// What makes the schema of a family, or of a table that stands in many places.
const BODIES: [&str; 2] = ["anyOf", "properties"];

/// Replaces every copy of a family's schema by a reference to its definition.
fn refer(schema: &mut Value, families: &[(&str, Value)]) {
    match schema {
        Value::Object(object) => {
            let family = families.iter().find(|(_, f)| {
                BODIES.iter().any(|key| object.contains_key(*key) && object.get(*key) == f.get(*key))
            });
            if let Some((name, _)) = family {
                for key in BODIES.iter().chain(&["type", "required", "additionalProperties"]) {
                    object.remove(*key);
                }
                object.insert("$ref".to_owned(), json!(format!("#/$defs/{name}")));
            }
            object.values_mut().for_each(|v| refer(v, families));
        }
        Value::Array(items) => items.iter_mut().for_each(|v| refer(v, families)),
        _ => {}
    }
}

/// The table of a scenario that has this name, with its keys, as JSON: a list of one, or of none.
pub fn tables_json(name: &str) -> Value {
    let table = |part: Part| json!({ "name": part.name, "title": part.title, "fields": fields_json(&(part.fields)()) });
    part(name).into_iter().map(table).collect()
}

/// The members of a family that have this name, with their parameters, as JSON.
pub fn members_json(family: &str, name: &str) -> Value {
    let family = built_in().families().iter().filter(|known| known.name == family);
    let named = family.flat_map(|family| &family.members).filter(|member| member.about().name == name);
    named.map(|member| member_json(&member.describe())).collect()
}

fn member_json(d: &Descriptor) -> Value {
    json!({ "name": d.name, "title": d.title, "reference": d.reference, "fields": fields_json(&d.fields), "profiles": profiles_json(&d.profiles) })
}

/// What users can name, as JSON: `families`, each a list of algorithms with their parameters; `tables`, the fields of the
/// scenario and of the tables in it; `modules`, the Python modules of builders with the families and tables that each has;
/// and what [`declarations_json`] gives.
pub fn registry_json() -> Value {
    let families = built_in().families();
    let members =
        |family: &Family| family.members.iter().map(|m| member_json(&m.describe())).collect::<Value>();
    let families: Map<String, Value> = families.iter().map(|f| (f.name.to_owned(), members(f))).collect();
    let tables: Map<String, Value> =
        parts().map(|part| (part.name.to_owned(), fields_json(&(part.fields)()))).collect();
    let mut registry = declarations_json();
    registry["families"] = families.into();
    registry["tables"] = tables.into();
    registry["modules"] = modules_json();
    registry
}

/// Every table of a scenario that is no algorithm.
fn parts() -> impl Iterator<Item = Part> {
    TABLES.iter().filter_map(|name| part(name))
}

/// The Python modules of builders, as JSON: what [`registry_json`] has as `modules`, without the fields.
pub fn modules_json() -> Value {
    let parts: Vec<Part> = parts().collect();
    let family = |f: &Family| json!({ "name": f.module, "title": f.title, "family": f.name, "tables": [] });
    let mut modules: Vec<Value> = built_in().families().iter().map(family).collect();
    for (name, title) in [("network", "Parts of topologies"), ("experiment", "Scenarios and their entries")] {
        let tables = parts.iter().filter(|part| part.module == name);
        let tables: Vec<Value> =
            tables.map(|part| json!({ "name": part.name, "title": part.title })).collect();
        modules.push(json!({ "name": name, "title": title, "family": null, "tables": tables }));
    }
    modules.into()
}

/// What runs leave behind, as JSON: `results`, the tables with their columns; `series`; `labels`, the names that stand in
/// columns of labels.
pub fn declarations_json() -> Value {
    json!({
        "results": results_json(),
        "series": series_json(),
        "labels": {
            "state of a port": names_json(State::NAMES),
            "reason of a drop": names_json(DropReason::NAMES),
            "reason of a mark": names_json(MarkReason::NAMES),
            "failure of a flow": names_json(Failure::NAMES),
        },
    })
}

fn results_json() -> Value {
    let column = |c: &Column| json!({ "name": c.name, "kind": c.kind, "unit": c.unit, "doc": c.doc });
    let columns = |table: &Declaration| table.columns.iter().map(column).collect::<Value>();
    let table =
        |table: &Declaration| json!({ "name": table.name, "doc": table.doc, "columns": columns(table) });
    Results::TABLES.iter().map(table).collect()
}

fn series_json() -> Value {
    let about = |(series, named): (&Series, &Named)| json!({ "name": named.name, "of": series.subject().name(), "unit": series.unit(), "doc": named.doc });
    Series::ALL.iter().zip(Series::NAMES).map(about).collect()
}

fn names_json(names: &[Named]) -> Value {
    names.iter().map(|named| json!({ "name": named.name, "doc": named.doc })).collect()
}

/// Each profile with its settings, those of controllers by `NAME: parameter`.
fn profiles_json(profiles: &[Profile]) -> Value {
    let setting = |prefix: &str, (name, value, source): &Setting| json!({ "name": format!("{prefix}{name}"), "value": value, "source": source });
    let profile = |p: &Profile| {
        let own = p.settings.iter().map(|s| setting("", s));
        let controllers = p.controllers.iter().flat_map(|(kind, settings)| {
            settings.iter().map(move |s| setting(&format!("controller {kind}: "), s))
        });
        json!({ "name": p.name, "title": p.title, "settings": own.chain(controllers).collect::<Value>() })
    };
    profiles.iter().map(profile).collect()
}

/// Module and name of the table of a scenario that has these fields, if one has.
fn builder_of(fields: &[Field]) -> Option<(&'static str, &'static str)> {
    static PARTS: LazyLock<Vec<(Vec<Field>, Part)>> =
        LazyLock::new(|| parts().map(|part| ((part.fields)(), part)).collect());
    if fields.is_empty() {
        return None;
    }
    PARTS.iter().find(|(told, _)| same(told, fields)).map(|(_, part)| (part.module, part.name))
}

/// Whether two tables have the same fields.
fn same(one: &[Field], other: &[Field]) -> bool {
    let told = |f: &Field| (f.name, f.kind, f.unit, f.source);
    one.len() == other.len()
        && one.iter().zip(other).all(|(a, b)| {
            told(a) == told(b) && a.doc == b.doc && a.default == b.default && same(&a.nested, &b.nested)
        })
}

/// The fields of a table, as JSON.
pub fn fields_json(fields: &[Field]) -> Value {
    let field = |f: &Field| {
        json!({
            "name": f.name,
            "kind": f.kind,
            "unit": f.unit,
            "doc": f.doc,
            "required": f.default.is_none(),
            "default": f.default,
            "source": f.source,
            "schema": outline(&(f.outline)()),
            "fields": fields_json(&f.nested),
            "builder": builder_of(&f.nested),
        })
    };
    fields.iter().map(field).collect()
}

/// A schema without what is in its tables, which the fields have.
fn outline(schema: &Value) -> Value {
    const WITHIN: [&str; 3] = ["properties", "required", "additionalProperties"];
    match schema {
        Value::Object(object) => {
            let kept = object.iter().filter(|(key, _)| !WITHIN.contains(&key.as_str()));
            kept.map(|(key, value)| (key.clone(), outline(value))).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(outline).collect(),
        other => other.clone(),
    }
}
