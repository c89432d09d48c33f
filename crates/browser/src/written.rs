//! What a host reads, as bytes.

use dumbbell_core::Time;
use dumbbell_core::json::json;
use dumbbell_core::table::{ColumnData, Table};
use dumbbell_sim::{Peek, Plan};

/// The network of a plan, and what `dumbbell check` shows of it.
pub fn network(plan: &Plan) -> String {
    let ends: Vec<[u32; 2]> = plan.links.iter().map(|link| [link.from, link.to]).collect();
    json!({ "ends": ends, "facts": plan.explain() }).to_string()
}

/// How a run stands.
pub fn peek(now: Time, peek: &Peek) -> Vec<u8> {
    let mut numbers = vec![now.as_secs_f64(), peek.links.len() as f64, peek.flows.len() as f64];
    for link in &peek.links {
        let counted = [link.queue, link.sent_bytes, link.dropped, link.marked];
        numbers.push(link.link.into());
        numbers.extend(counted.map(|count| count as f64));
    }
    for flow in &peek.flows {
        let rtt = flow.rtt.as_secs_f64();
        let counted = [flow.window as f64, rtt, flow.delivered as f64, flow.retransmissions as f64];
        numbers.push(flow.flow.into());
        numbers.extend(counted);
    }
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// All tables.
pub fn tables(tables: &[Table]) -> Vec<u8> {
    let mut values = Vec::new();
    let mut list = Vec::new();
    for table in tables {
        let mut columns = Vec::new();
        for (column, data) in &table.columns {
            let kind = match data {
                ColumnData::U32(data) => {
                    data.iter().for_each(|value| values.extend(value.to_le_bytes()));
                    "u32"
                }
                ColumnData::Label(data) => {
                    data.iter().for_each(|value| values.extend(value.to_le_bytes()));
                    "label"
                }
                ColumnData::U64(data) => {
                    data.iter().for_each(|value| values.extend(value.to_le_bytes()));
                    "u64"
                }
                ColumnData::F64(data) => {
                    data.iter().for_each(|value| values.extend(value.to_le_bytes()));
                    "f64"
                }
                ColumnData::Bool(data) => {
                    values.extend(data.iter().map(|value| u8::from(*value)));
                    "bool"
                }
            };
            columns.push(json!([column.name, kind, data.len()]));
        }
        list.push(json!([table.name, columns]));
    }
    let labels: Vec<&str> =
        tables.first().map_or(&[][..], |table| &table.labels).iter().map(|l| &**l).collect();
    let mut said = format!("{}\n", json!({ "tables": list, "labels": labels })).into_bytes();
    said.append(&mut values);
    said
}
