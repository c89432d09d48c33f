//! The simulator as a module of WebAssembly, for a browser, a worker or a server: a scenario in, tables out, step by step.
//!
//! The host writes text to where `room` says, and calls `start`. `advance` goes on up to a time, `peek` has how the run
//! stands, `tables` has the tables of a run that would end there, or has ended. `packets` has what happens to packets within a
//! time of the same run. Where a function returns bytes, `said` is where they begin.
//! A module has one run at a time: a second worker, or instance, has a second one.

#![cfg(target_family = "wasm")]

mod laws;
mod watched;
mod written;

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dumbbell_core::memory::Counting;
use dumbbell_core::{Duration, Time};
use dumbbell_sim::{Advanced, Plan, Run, Scenario, built_in, toml};

/// A run has a limit of memory.
#[global_allocator]
static COUNTING: Counting = Counting;

/// Bytes that a run may take; a module has four times as many.
const MEMORY: u64 = 1 << 30;

static MODULE: Mutex<Module> =
    Mutex::new(Module { text: Vec::new(), plan: None, run: None, said: Vec::new() });

struct Module {
    text: Vec<u8>,
    plan: Option<Arc<Plan>>,
    run: Option<Run>,
    said: Vec<u8>,
}

impl Module {
    fn say(&mut self, bytes: Vec<u8>) -> usize {
        self.said = bytes;
        self.said.len()
    }
}

fn module() -> MutexGuard<'static, Module> {
    MODULE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where text of so many bytes goes.
#[expect(unsafe_code, reason = "the host finds functions by their names")]
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    let mut module = module();
    module.text = vec![0; bytes];
    module.text.as_mut_ptr()
}

/// Keeps a law that scenarios may name as `mine.py:CLASS`. The room holds its source, of so many bytes, and the image that
/// `dumbbell.own` compiles it to. Returns 0, or the bytes of the line that says what is wrong with it.
#[expect(unsafe_code, reason = "the host finds functions by their names")]
#[unsafe(no_mangle)]
pub extern "C" fn law(source: usize) -> usize {
    let module = &mut *module();
    let refused = laws::keep(&module.text, source).err().unwrap_or_default();
    module.say(refused.into_bytes())
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
            module.run = Some(Run::new(&plan, MEMORY));
            module.plan = Some(plan);
            String::new()
        }
        Err(error) => error.to_string(),
    };
    module.say(line.into_bytes())
}

/// Goes on up to a time in seconds, for about so many events: 0 if the run is paused there, 1 if it has ended, 2 if there is none,
/// 3 if the events are over before.
#[expect(unsafe_code, reason = "the host finds functions by their names")]
#[unsafe(no_mangle)]
pub extern "C" fn advance(until: f64, events: u32) -> u32 {
    let until = Time::ZERO + Duration::from_secs_f64(until);
    let mut first = None;
    let advanced = module().run.as_mut().map(|run| {
        run.advance(until, |progress| {
            let first = *first.get_or_insert(progress.events);
            let over = progress.events - first >= u64::from(events);
            if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    });
    match advanced {
        Some(Ok(Advanced::Paused)) => 0,
        Some(Ok(Advanced::Done)) => 1,
        Some(Err(_)) => 3,
        None => 2,
    }
}

/// Says the tables; returns how many bytes that are. First a line of JSON: of each table its columns, of each column the type
/// and the number of values, then the labels. Behind it all values in that order, with the low bytes first.
#[expect(unsafe_code, reason = "the host finds functions by their names")]
#[unsafe(no_mangle)]
pub extern "C" fn tables() -> usize {
    let module = &mut *module();
    let tables = module.run.as_ref().map(|run| run.tables().into_tables()).unwrap_or_default();
    module.say(written::tables(&tables))
}

/// Says how a paused run stands, as numbers of 64 bits; returns how many bytes that are. First the time, the number of links
/// and of flows. Then of each link its row, packets that wait, bytes sent, drops and marks; of each flow its number, window,
/// round-trip time, bytes delivered and packets sent again.
#[expect(unsafe_code, reason = "the host finds functions by their names")]
#[unsafe(no_mangle)]
pub extern "C" fn peek() -> usize {
    let module = &mut *module();
    let numbers = module.run.as_mut().map(|run| written::peek(run.now(), &run.peek())).unwrap_or_default();
    module.say(numbers)
}

/// Says the network and what is known of it before the run, as JSON; returns how many bytes that are.
#[expect(unsafe_code, reason = "the host finds functions by their names")]
#[unsafe(no_mangle)]
pub extern "C" fn network() -> usize {
    let module = &mut *module();
    let text = module.plan.as_deref().map(written::network).unwrap_or_default();
    module.say(text.into_bytes())
}

/// Runs the plan again, from its start up to the second of two times in seconds, and says what happens to packets from the first
/// one on, at most so many times; returns how many bytes that are. See [`watched::Watched`] for the numbers.
#[expect(unsafe_code, reason = "the host finds functions by their names")]
#[unsafe(no_mangle)]
pub extern "C" fn packets(from: f64, until: f64, most: u32) -> usize {
    let module = &mut *module();
    let bytes = module.plan.as_ref().map(|plan| {
        let ends = [from, until].map(|time| Time::ZERO + Duration::from_secs_f64(time));
        watched::events(plan, ends, most as usize, MEMORY)
    });
    module.say(bytes.unwrap_or_default())
}

/// Where that is which was said last.
#[expect(unsafe_code, reason = "the host finds functions by their names")]
#[unsafe(no_mangle)]
pub extern "C" fn said() -> *const u8 {
    module().said.as_ptr()
}
