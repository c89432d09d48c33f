//! The simulator as a module of WebAssembly, for a browser, a worker or a server: a scenario in, tables out, step by step.
//!
//! The host writes the TOML text of a scenario to where [`room`] says, and calls [`start`]. [`advance`] goes on up to a time,
//! [`tables`] has the tables of a run that would end there, or has ended. Where something was said, [`said`] is where.
//! A module has one run at a time: a second worker, or instance, has a second one.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use dumbbell_core::json::json;
use dumbbell_core::table::{ColumnData, Table};
use dumbbell_core::{Duration, Time};
use dumbbell_sim::{Advanced, Plan, Run, Scenario, built_in, toml};

static MODULE: Mutex<Module> = Mutex::new(Module { text: Vec::new(), run: None, said: Vec::new() });

struct Module {
    text: Vec<u8>,
    run: Option<Run>,
    said: Vec<u8>,
}

fn module() -> MutexGuard<'static, Module> {
    MODULE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where the text of a scenario goes that has so many bytes.
#[expect(unsafe_code, reason = "the host finds functions by their names")]
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    let mut module = module();
    module.text = vec![0; bytes];
    module.text.as_mut_ptr()
}

/// Begins a run of the scenario in the room. Returns 0, or the bytes of the line that says what is wrong with it.
#[expect(unsafe_code, reason = "the host finds functions by their names")]
#[unsafe(no_mangle)]
pub extern "C" fn start() -> usize {
    let module = &mut *module();
    let text = String::from_utf8_lossy(&module.text);
    let plan = toml::parse(&text)
        .and_then(|value| Scenario::from_value(&value, built_in()))
        .and_then(|scenario| Plan::new(&scenario, Path::new("")));
    let line = match plan {
        Ok(plan) => {
            module.run = Some(Run::new(&plan, u64::MAX));
            String::new()
        }
        Err(error) => error.to_string(),
    };
    module.said = line.into_bytes();
    module.said.len()
}

/// Goes on up to a time in seconds: 0 if the run is paused there, 1 if it has ended, 2 if there is none.
#[expect(unsafe_code, reason = "the host finds functions by their names")]
#[unsafe(no_mangle)]
pub extern "C" fn advance(until: f64) -> u32 {
    let until = Time::ZERO + Duration::from_secs_f64(until);
    match module().run.as_mut().map(|run| run.advance(until, |_| ControlFlow::Continue(()))) {
        Some(Ok(Advanced::Paused)) => 0,
        Some(Ok(Advanced::Done)) => 1,
        _ => 2,
    }
}

/// Says the tables; returns how many bytes that are. First a line of JSON: of each table its columns, of each column the type
/// and the number of values, then the labels. Behind it all values in that order, with the low bytes first.
#[expect(unsafe_code, reason = "the host finds functions by their names")]
#[unsafe(no_mangle)]
pub extern "C" fn tables() -> usize {
    let module = &mut *module();
    let tables = module.run.as_ref().map(|run| run.tables().into_tables()).unwrap_or_default();
    module.said = bytes(&tables);
    module.said.len()
}

/// Where that is which was said last.
#[expect(unsafe_code, reason = "the host finds functions by their names")]
#[unsafe(no_mangle)]
pub extern "C" fn said() -> *const u8 {
    module().said.as_ptr()
}

fn bytes(tables: &[Table]) -> Vec<u8> {
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
