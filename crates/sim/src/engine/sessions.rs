//! The sessions of a run, and what they have planned.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use dumbbell_core::Time;

use crate::plan::Plan;
use crate::workload::Traffic;
use crate::workload::session::{Action, Actions, Ended, Session};

/// An action of a session, due at a time; of those due together, the one planned first.
struct Planned {
    due: Reverse<(Time, u64)>,
    session: u32,
    action: Action,
}

impl PartialEq for Planned {
    fn eq(&self, other: &Planned) -> bool {
        self.due == other.due
    }
}

impl Eq for Planned {}

impl PartialOrd for Planned {
    fn partial_cmp(&self, other: &Planned) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Planned {
    fn cmp(&self, other: &Planned) -> std::cmp::Ordering {
        self.due.cmp(&other.due)
    }
}

/// All sessions of a run.
pub struct Sessions {
    all: Vec<Box<dyn Session>>,
    /// The flow group of each.
    groups: Vec<u32>,
    /// By flow group: the sessions that hear the ends of its flows.
    watchers: Vec<Vec<u32>>,
    planned: BinaryHeap<Planned>,
    sequence: u64,
    actions: Actions,
}

impl Sessions {
    /// The sessions of a plan, started.
    pub fn new(plan: &Plan) -> Sessions {
        let mut sessions = Sessions {
            all: Vec::new(),
            groups: Vec::new(),
            watchers: vec![Vec::new(); plan.groups.len()],
            planned: BinaryHeap::new(),
            sequence: 0,
            actions: Actions::default(),
        };
        for workload in &plan.workloads {
            let Traffic::Closed(program) = &workload.traffic else { continue };
            let number = sessions.all.len() as u32;
            for group in program.watches().iter().chain([&workload.group]) {
                sessions.watchers[*group as usize].push(number);
            }
            sessions.groups.push(workload.group);
            sessions.all.push(Arc::clone(program).session(plan.seed));
        }
        for number in 0..sessions.all.len() {
            sessions.all[number].start(&mut sessions.actions);
            sessions.plan(Time::ZERO, number as u32);
        }
        sessions
    }

    /// True if some session hears the ends of this group's flows.
    pub fn watch(&self, group: u32) -> bool {
        !self.watchers[group as usize].is_empty()
    }

    /// The flow group of a session.
    pub fn group(&self, session: u32) -> u32 {
        self.groups[session as usize]
    }

    /// When the next action is due.
    pub fn first(&self) -> Time {
        self.planned.peek().map_or(Time::NEVER, |planned| planned.due.0.0)
    }

    /// Takes the action that is due first.
    pub fn take(&mut self) -> Option<(u32, Action)> {
        self.planned.pop().map(|planned| (planned.session, planned.action))
    }

    /// Wakes a session.
    pub fn wake(&mut self, now: Time, session: u32) {
        self.all[session as usize].wake(now, &mut self.actions);
        self.plan(now, session);
    }

    /// Tells all who watch its group that a transfer has ended.
    pub fn ended(&mut self, now: Time, ended: &Ended) {
        for i in 0..self.watchers[ended.group as usize].len() {
            let session = self.watchers[ended.group as usize][i];
            self.all[session as usize].ended(now, ended, &mut self.actions);
            self.plan(now, session);
        }
    }

    fn plan(&mut self, now: Time, session: u32) {
        for (at, action) in self.actions.take() {
            self.planned.push(Planned { due: Reverse((at.max(now), self.sequence)), session, action });
            self.sequence += 1;
        }
    }
}
