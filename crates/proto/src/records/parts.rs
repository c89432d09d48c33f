//! Schedules of applications, and what parameters may be.

use dumbbell_core::rng::stream;
use dumbbell_core::testing::Record;
use dumbbell_core::{Duration, Value};

use super::{file, variants};
use crate::controller::ControllerSpec;
use crate::host::HostPolicySpec;
use crate::schedule::{Planned, ScheduleSpec};
use crate::testing::read;
use crate::transports::TransportSpec;

fn tell(record: &mut Record, name: &str, spec: &ScheduleSpec) {
    let planned = Planned { schedule: spec.clone().into(), rng: stream(1, "schedule") };
    let actions = planned.actions(Duration::from_secs(5), 100_000).unwrap();
    for (at, bytes) in &actions {
        record.hash(at.as_nanos());
        record.hash(*bytes);
    }
    let (draws, total) = (spec.draws(), spec.total());
    let bytes: u64 = actions.iter().map(|(_, bytes)| bytes).sum();
    record.line(name, &format!("{} actions, {bytes} B, draws {draws}, total {total:?}", actions.len()));
}

/// Schemas that hold those of a whole family change with it, and are left out.
const LARGEST: usize = 1000;

#[test]
fn parameters_have_schemas_as_recorded() {
    let mut record = Record::new(&file("schemas"));
    let families = [
        ControllerSpec::descriptors(),
        TransportSpec::descriptors(),
        HostPolicySpec::descriptors(),
        ScheduleSpec::descriptors(),
    ];
    for descriptor in families.iter().flatten() {
        for field in &descriptor.fields {
            let schema = (field.schema)().to_string();
            if schema.len() <= LARGEST {
                record.text(&schema);
                let name = format!("{} {}.{}", descriptor.family, descriptor.name, field.name);
                record.line(&name, field.kind);
            }
        }
    }
    record.finish();
}

#[test]
fn schedules_act_as_recorded() {
    let mut record = Record::new(&file("schedules"));
    let list =
        r#"[{"at": "5ms", "bytes": "10B"}, {"at": "5ms", "bytes": "1B"}, {"at": "9s", "bytes": "2kB"}]"#;
    for (kind, rate) in [("rate", "3Mbit/s"), ("on-off", "7Mbit/s")] {
        tell(&mut record, kind, &read(&format!(r#"{{"kind": "{kind}", "rate": "{rate}"}}"#)));
        let all = ScheduleSpec::descriptors();
        let fields = &all.iter().find(|descriptor| descriptor.name == kind).unwrap().fields;
        for (change, spec) in variants::<ScheduleSpec>(kind, fields, &[("rate", Value::from(rate))]) {
            tell(&mut record, &format!("{kind}, {change}"), &spec);
        }
    }
    tell(&mut record, "listed", &read(&format!(r#"{{"kind": "listed", "actions": {list}}}"#)));
    record.finish();
}
