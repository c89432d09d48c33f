//! A shell as it goes on, seen and changed from other threads. The thread of the emulator takes no interpreter lock: it would
//! wait for it longer than a packet may be late.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use dumbbell_core::{ConfigError, Time};
use dumbbell_live::emulator::Emulator;
use dumbbell_live::emulator::desk::{Change, Standing};
use dumbbell_live::emulator::path::Path;
use pyo3::prelude::*;

use crate::convert::refuse;
use crate::scenario::Scenario;

/// Looks that wait at most until somebody takes them: ten minutes.
const MOST_WAITING: usize = 6000;

/// How a direction stands: packets that wait or are in transmission, bytes sent, packets dropped, packets marked, the rate in bit/s.
type Row = (u64, u64, u64, u64, u64);

/// What changed: the time in s, the name of the link, its new rate in bit/s, the name of its new queue.
type Made = (f64, String, Option<u64>, Option<String>);

/// A desk for a shell: what its link does, and changes of it.
#[pyclass(frozen, module = "dumbbell._native")]
#[derive(Default)]
pub struct Desk {
    shared: Arc<Mutex<Shared>>,
}

#[derive(Default)]
pub struct Shared {
    /// The path as it stands, with all changes that were asked for; none before the shell begins.
    path: Option<Path>,
    asked: Vec<Change>,
    made: Vec<Made>,
    looks: Vec<(f64, Row, Row)>,
    ended: bool,
}

fn row(standing: Standing) -> Row {
    let Standing { backlog, sent_bytes, dropped, marked, rate } = standing;
    (backlog, sent_bytes, dropped, marked, rate)
}

impl Desk {
    fn open(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the emulator holds of it.
    pub fn shared(&self) -> Arc<Mutex<Shared>> {
        self.shared.clone()
    }

    /// The shell begins.
    pub fn begin(&self, path: Path) {
        *self.open() = Shared { path: Some(path), ..Shared::default() };
    }

    /// The shell has ended.
    pub fn end(&self) {
        self.open().ended = true;
    }
}

/// Notes how the links stand, and makes the changes that pages ask for. It does nothing while another thread holds the desk.
pub fn visit(shared: &Mutex<Shared>, now: Time, links: &mut Emulator) {
    let mut shared = match shared.try_lock() {
        Ok(shared) => shared,
        Err(TryLockError::Poisoned(error)) => error.into_inner(),
        Err(TryLockError::WouldBlock) => return,
    };
    let seconds = now.as_secs_f64();
    for change in mem::take(&mut shared.asked) {
        links.change(now, &change);
        shared
            .made
            .extend(change.words().into_iter().map(|(link, rate, queue)| (seconds, link, rate, queue)));
    }
    let [up, down] = links.look(now).map(row);
    if shared.looks.len() < MOST_WAITING {
        shared.looks.push((seconds, up, down));
    }
}

#[pymethods]
impl Desk {
    #[new]
    fn new() -> Desk {
        Desk::default()
    }

    /// The looks since the last call: time in s, and of uplink and downlink packets in the queue, bytes sent, packets dropped and
    /// marked, the rate in bit/s.
    fn take(&self) -> Vec<(f64, Row, Row)> {
        mem::take(&mut self.open().looks)
    }

    /// What was changed so far, in order: time in s, link, rate in bit/s or none, queue or none.
    fn made(&self) -> Vec<Made> {
        self.open().made.clone()
    }

    /// Asks for the rate and the queue that another scenario gives the emulated link. Returns whether they differ.
    fn change(&self, scenario: &Scenario, at: Option<&str>) -> PyResult<bool> {
        let refused = |what: String, remedy: &str| refuse(ConfigError::new("", what, remedy));
        let mut shared = self.open();
        let Some(before) = shared.path.as_ref().filter(|_| !shared.ended) else {
            return Err(refused("the shell has ended".to_owned(), "start another one"));
        };
        let name = at.map_or_else(|| before.uplink.name.to_string(), str::to_owned);
        let after = Path::of(&scenario.plan, Some(&name)).map_err(refuse)?;
        let change = Change::between(before, &after, scenario.plan.seed)
            .map_err(|why| refused(why, "start another shell for that"))?;
        let differ = !change.words().is_empty();
        if differ {
            shared.path = Some(after);
            shared.asked.push(change);
        }
        Ok(differ)
    }
}
