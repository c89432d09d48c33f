//! The schema of scenarios and the registry of algorithms, as JSON: for editors, for `dumbbell list` and `describe`,
//! and for the Python builders that are generated from them.

use dumbbell_core::Config;
use dumbbell_core::config::{Field, Fields};
use dumbbell_core::registry::Descriptor;
use dumbbell_net::impairment::ImpairmentSpec;
use dumbbell_net::link::Reverse;
use dumbbell_net::power::predictor::PredictorSpec;
use dumbbell_net::power::{Grid, Model, PolicySpec, Power};
use dumbbell_net::queue::QueueSpec;
use dumbbell_net::router::AgentSpec;
use dumbbell_proto::{ControllerSpec, TransportSpec};
use serde_json::{Map, Value, json};

use crate::link::{Access, Bottleneck};
use crate::nodes::NodesSpec;
use crate::paths::ChoiceSpec;
use crate::scenario::{FlowsSpec, RecordSpec, ReplaySpec, Scenario};
use crate::topology::TopologySpec;
use crate::topology::fat_tree::{FatTreeFabric, FatTreeHost};
use crate::topology::graph::{GraphLink, NodeGroup};
use crate::topology::leaf_spine::{LeafHost, LeafUplink};
use crate::topology::star::HostLink;
use crate::workload::WorkloadSpec;
use crate::workload::size::SizeSpec;

/// Every registered algorithm, family by family.
pub fn descriptors() -> Vec<Descriptor> {
    [
        TopologySpec::descriptors(),
        ChoiceSpec::descriptors(),
        QueueSpec::descriptors(),
        AgentSpec::descriptors(),
        ImpairmentSpec::descriptors(),
        PolicySpec::descriptors(),
        PredictorSpec::descriptors(),
        TransportSpec::descriptors(),
        ControllerSpec::descriptors(),
        WorkloadSpec::descriptors(),
        SizeSpec::descriptors(),
    ]
    .concat()
}

/// The JSON Schema (draft 2020-12) of a scenario. The families of algorithms stand under `$defs`.
pub fn schema() -> Value {
    let families = [
        (TopologySpec::FAMILY, TopologySpec::schema()),
        (ChoiceSpec::FAMILY, ChoiceSpec::schema()),
        (WorkloadSpec::FAMILY, WorkloadSpec::schema()),
        (SizeSpec::FAMILY, SizeSpec::schema()),
        (TransportSpec::FAMILY, TransportSpec::schema()),
        (ControllerSpec::FAMILY, ControllerSpec::schema()),
        (QueueSpec::FAMILY, QueueSpec::schema()),
        (PolicySpec::FAMILY, PolicySpec::schema()),
        (PredictorSpec::FAMILY, PredictorSpec::schema()),
        ("power", Power::schema()),
        (AgentSpec::FAMILY, AgentSpec::schema()),
        (ImpairmentSpec::FAMILY, ImpairmentSpec::schema()),
        ("reverse", Reverse::schema()),
    ];
    let mut definitions = Map::new();
    for (name, family) in &families {
        // A family may use others in its members, never itself.
        let mut definition = family.clone();
        for key in BODIES {
            if let Some(members) = definition.get_mut(key) {
                refer(members, &families);
            }
        }
        definitions.insert((*name).to_owned(), definition);
    }
    let mut schema = Scenario::schema();
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

/// The registry as JSON: `families`, each a list of algorithms with their parameters, and `tables`, the fields of the
/// scenario and of the tables in it.
pub fn registry_json() -> Value {
    let mut families = Map::new();
    for descriptor in descriptors() {
        let family = families.entry(descriptor.family).or_insert_with(|| json!([]));
        if let Some(list) = family.as_array_mut() {
            list.push(json!({
                "name": descriptor.name,
                "title": descriptor.title,
                "reference": descriptor.reference,
                "fields": fields_json(&descriptor.fields),
            }));
        }
    }
    let tables = [
        ("scenario", Scenario::fields()),
        ("nodes", NodesSpec::fields()),
        ("flows", FlowsSpec::fields()),
        ("record", RecordSpec::fields()),
        ("replay", ReplaySpec::fields()),
        ("bottleneck", Bottleneck::fields()),
        ("access", Access::fields()),
        ("host link", HostLink::fields()),
        ("fat tree host", FatTreeHost::fields()),
        ("fat tree fabric", FatTreeFabric::fields()),
        ("leaf host", LeafHost::fields()),
        ("leaf uplink", LeafUplink::fields()),
        ("graph link", GraphLink::fields()),
        ("node group", NodeGroup::fields()),
        ("reverse", Reverse::fields()),
        ("power", Power::fields()),
        ("rate grid", Grid::fields()),
        ("power model", Model::fields()),
    ];
    let tables: Map<String, Value> =
        tables.into_iter().map(|(name, fields)| (name.to_owned(), fields_json(&fields))).collect();
    json!({ "families": families, "tables": tables })
}

fn fields_json(fields: &[Field]) -> Value {
    let field = |f: &Field| {
        json!({
            "name": f.name,
            "kind": f.kind,
            "doc": f.doc,
            "required": f.default.is_none(),
            "default": f.default,
            "source": f.source,
            "schema": f.schema,
            "fields": fields_json(&f.nested),
        })
    };
    fields.iter().map(field).collect()
}
