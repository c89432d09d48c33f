//! Many runs at a time, steered from outside: one call of Python for a step of all.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use dumbbell_core::{Duration, Time};
use dumbbell_sim::{Advanced, Plan, Progress, Run};
use numpy::{PyReadonlyArray1, PyReadwriteArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::convert::refuse;
use crate::errors::DumbbellError;
use crate::scenario::Scenario;
use crate::watcher::Watcher;

/// A word that stays as it is, among those to be written.
const KEEP: i64 = i64::MIN;

/// Runs that go on together. In each, the laws of some flows are steered: words of theirs are written before a step, and read
/// after it.
#[pyclass(frozen, module = "dumbbell._native")]
pub struct Fleet {
    /// `None` where none has begun.
    members: Mutex<Vec<Option<Member>>>,
    words: Words,
    group: String,
    memory: u64,
    threads: usize,
}

/// Which words are written and read, of how many flows.
struct Words {
    flows: usize,
    writes: Vec<usize>,
    reads: Vec<usize>,
}

struct Member {
    run: Run,
    /// The group of the flows that are steered.
    group: u32,
    /// Numbers of the flows that are steered, in the order of their places.
    known: Vec<u32>,
    ended: bool,
}

/// What a step takes and gives for some members.
struct Share<'a> {
    members: &'a mut [Option<Member>],
    until: &'a [f64],
    write: &'a [i64],
    read: &'a mut [i64],
    ended: &'a mut [bool],
}

impl<'a> Share<'a> {
    /// The first so many members, and the others. A member has `wide` words to be written and `long` to be read.
    fn split(self, count: usize, wide: usize, long: usize) -> (Share<'a>, Share<'a>) {
        let count = count.min(self.members.len());
        let (members, other_members) = self.members.split_at_mut(count);
        let (until, other_until) = self.until.split_at(count);
        let (write, other_write) = self.write.split_at(count * wide);
        let (read, other_read) = self.read.split_at_mut(count * long);
        let (ended, other_ended) = self.ended.split_at_mut(count);
        (
            Share { members, until, write, read, ended },
            Share {
                members: other_members,
                until: other_until,
                write: other_write,
                read: other_read,
                ended: other_ended,
            },
        )
    }
}

impl Member {
    fn of(plan: &Arc<Plan>, group: u32, memory: u64) -> Member {
        Member { run: Run::new(plan, memory), group, known: Vec::new(), ended: false }
    }

    /// Flows become known in the order of their numbers, whatever the order of their places in the engine.
    fn meet(&mut self, most: usize) {
        let Member { run, group, known, .. } = self;
        if known.len() < most {
            let mut met = Vec::new();
            run.steer(*group, |flow, _| met.extend((!known.contains(&flow)).then_some(flow)));
            met.sort_unstable();
            known.extend(met.into_iter().take(most - known.len()));
        }
    }

    /// Shows the places and the words of the flows that are steered.
    fn each(&mut self, mut act: impl FnMut(usize, &mut [i64])) {
        let Member { run, group, known, .. } = self;
        run.steer(*group, |flow, held| {
            if let Some(place) = known.iter().position(|number| *number == flow) {
                act(place, held);
            }
        });
    }

    fn step(
        &mut self,
        words: &Words,
        until: f64,
        write: &[i64],
        read: &mut [i64],
        progress: &mut dyn FnMut(&mut Progress) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        read.fill(0);
        if self.ended {
            return ControlFlow::Continue(());
        }
        let wide = words.writes.len();
        self.each(|place, held| {
            for (word, value) in words.writes.iter().zip(&write[place * wide..]) {
                if *value != KEEP
                    && let Some(held) = held.get_mut(*word)
                {
                    *held = *value;
                }
            }
        });
        let until = Time::ZERO + Duration::from_secs_f64(until);
        match self.run.advance(until, progress) {
            Ok(advanced) => self.ended = advanced == Advanced::Done,
            Err(_) => return ControlFlow::Break(()),
        }
        self.meet(words.flows);
        let wide = words.reads.len();
        self.each(|place, held| {
            for (word, value) in words.reads.iter().zip(&mut read[place * wide..]) {
                *value = held.get(*word).copied().unwrap_or(0);
            }
        });
        ControlFlow::Continue(())
    }
}

impl Words {
    fn advance(
        &self,
        share: Share<'_>,
        progress: &mut dyn FnMut(&mut Progress) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (wide, long) = (self.flows * self.writes.len(), self.flows * self.reads.len());
        let Share { members, until, write, read, ended } = share;
        for (at, member) in members.iter_mut().enumerate() {
            let (write, read) = (&write[at * wide..][..wide], &mut read[at * long..][..long]);
            if let Some(member) = member {
                member.step(self, until[at], write, read, progress)?;
                ended[at] = member.ended;
            }
        }
        ControlFlow::Continue(())
    }
}

impl Fleet {
    /// A step of all: the first part of the members in this thread, which looks at Python now and then.
    fn advance(&self, share: Share<'_>, watcher: &mut Watcher) -> ControlFlow<()> {
        let words = &self.words;
        let part = share.members.len().div_ceil(self.threads).max(1);
        if part >= share.members.len() {
            return words.advance(share, &mut |p| watcher.look(p));
        }
        let stop = AtomicBool::new(false);
        let (wide, long) = (words.flows * words.writes.len(), words.flows * words.reads.len());
        std::thread::scope(|scope| {
            let (own, mut others) = share.split(part, wide, long);
            while !others.members.is_empty() {
                let (next, rest) = others.split(part, wide, long);
                others = rest;
                let stop = &stop;
                scope.spawn(move || {
                    words.advance(next, &mut |_| {
                        if stop.load(Ordering::Relaxed) {
                            return ControlFlow::Break(());
                        }
                        ControlFlow::Continue(())
                    })
                });
            }
            let gone = words.advance(own, &mut |p| watcher.look(p));
            if gone.is_break() {
                stop.store(true, Ordering::Relaxed);
            }
            gone
        })
    }

    fn with<T>(&self, act: impl FnOnce(&mut Vec<Option<Member>>) -> T) -> PyResult<T> {
        let mut members =
            self.members.try_lock().map_err(|_| DumbbellError::new_err("fleet: another thread has it"))?;
        Ok(act(&mut members))
    }
}

#[pymethods]
impl Fleet {
    /// So many runs, each of at most so many bytes. `flows` of the group `group` are steered in each.
    #[new]
    #[allow(clippy::too_many_arguments, reason = "Python's arguments")]
    fn new(
        runs: usize,
        group: String,
        flows: usize,
        writes: Vec<usize>,
        reads: Vec<usize>,
        memory: u64,
        threads: usize,
    ) -> Fleet {
        let members = Mutex::new((0..runs).map(|_| None).collect());
        Fleet { members, words: Words { flows, writes, reads }, group, memory, threads: threads.max(1) }
    }

    /// Begins a run of a scenario under a seed at a place, instead of the one that was there.
    #[allow(clippy::needless_pass_by_value, reason = "Python's arguments")]
    fn begin(&self, at: usize, scenario: Py<Scenario>, seed: u64) -> PyResult<()> {
        let plan = scenario.get().planned(seed).map_err(refuse)?;
        let number = plan.groups.iter().position(|each| *each.name == *self.group);
        let number = number
            .ok_or_else(|| DumbbellError::new_err(format!("the scenario has no group {:?}", self.group)))?;
        let begun = Member::of(&plan, number as u32, self.memory);
        self.with(|members| members.get_mut(at).map(|member| *member = Some(begun)))?
            .ok_or_else(|| PyValueError::new_err("no such place"))
    }

    /// Writes words, goes on up to a time in each run, and reads words, without holding the interpreter lock.
    ///
    /// `until` has a time in s for each run; `write` and `read` the words of its flows, row by row; a word to be written that is the
    /// least of all numbers stays as it is. `ended` says which runs have. Flows that are not in progress have zeros.
    #[allow(clippy::needless_pass_by_value, reason = "Python's arguments")]
    fn step(
        &self,
        py: Python<'_>,
        until: PyReadonlyArray1<'_, f64>,
        write: PyReadonlyArray1<'_, i64>,
        mut read: PyReadwriteArray1<'_, i64>,
        mut ended: PyReadwriteArray1<'_, bool>,
    ) -> PyResult<()> {
        let (until, write) = (until.as_slice()?, write.as_slice()?);
        let (read, ended) = (read.as_slice_mut()?, ended.as_slice_mut()?);
        let mut watcher = Watcher::new(None);
        let gone = py.detach(|| {
            self.with(|members| {
                let (runs, Words { flows, writes, reads }) = (members.len(), &self.words);
                let fits = until.len() == runs
                    && write.len() == runs * flows * writes.len()
                    && read.len() == runs * flows * reads.len()
                    && ended.len() == runs;
                fits.then(|| self.advance(Share { members, until, write, read, ended }, &mut watcher))
            })
        })?;
        match gone {
            None => Err(PyValueError::new_err("arrays of another shape than the runs")),
            Some(ControlFlow::Break(())) => Err(watcher.raised()),
            Some(ControlFlow::Continue(())) => Ok(()),
        }
    }
}
