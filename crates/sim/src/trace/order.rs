//! Events in the order of time. Where links are entered ahead of time, a run tells of them before they happen.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use dumbbell_core::{Packet, Time, Way};
use dumbbell_trace::{Flow, Happened, State};

/// What happened.
#[derive(Debug)]
pub enum Told {
    Opened(Box<Flow>),
    Closed,
    State(State),
    Packet(Way, Happened, Packet),
}

#[derive(Debug)]
struct Entry {
    time: Time,
    /// Of the same time, what was told first comes first.
    place: u64,
    flow: u32,
    told: Told,
}

impl Entry {
    fn key(&self) -> (Time, u64) {
        (self.time, self.place)
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Entry) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// Events that were told ahead of time: at most some for each packet in the network.
#[derive(Debug, Default)]
pub struct InOrder {
    heap: BinaryHeap<Reverse<Entry>>,
    next: u64,
}

impl InOrder {
    /// Something happens at `time` to a flow.
    pub fn push(&mut self, time: Time, flow: u32, told: Told) {
        self.heap.push(Reverse(Entry { time, place: self.next, flow, told }));
        self.next += 1;
    }

    /// The first event, if it is of a time of which all is known.
    pub fn pop(&mut self, known: impl Fn(Time) -> bool) -> Option<(Time, u32, Told)> {
        self.heap.peek().filter(|Reverse(entry)| known(entry.time))?;
        self.heap.pop().map(|Reverse(entry)| (entry.time, entry.flow, entry.told))
    }
}
