//! The Allocated Bandwidth Table of an interface: its flows by what limits them elsewhere, and what each is allocated.

use dumbbell_core::{Time, Way};
use dumbbell_header::TrumpHeader;

use crate::node::FlowId;

/// Rates that differ by less are the same: the accuracy that the thesis asks of a rate in a header is a part in a
/// thousand.
const ACCURACY: f64 = 1e-3;

/// True if two rates are the same, as far as headers say.
#[inline]
pub fn same(a: f64, b: f64) -> bool {
    is_near(a, b, ACCURACY)
}

#[inline]
fn is_near(a: f64, b: f64, accuracy: f64) -> bool {
    a == b || (a - b).abs() <= accuracy * a.min(b)
}

/// True if a rate is less than another by more than the accuracy of headers.
#[inline]
pub fn is_below(a: f64, b: f64) -> bool {
    a < b && !same(a, b)
}

/// What a header asks for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Asked {
    /// The rate that the source would like.
    pub desired: f32,
    /// The rate that the routers so far allow.
    pub rate: f32,
    /// The router that wrote that rate.
    pub bottleneck: u32,
}

impl Asked {
    /// What `header` asks for.
    #[inline]
    pub fn of(header: &TrumpHeader) -> Asked {
        Asked { desired: header.desired, rate: header.rate, bottleneck: header.bottleneck }
    }

    /// True if it is the same as `other`, up to a share of the lower rate.
    #[inline]
    pub fn is_same(&self, other: &Asked, accuracy: f64) -> bool {
        self.bottleneck == other.bottleneck
            && is_near(self.rate.into(), other.rate.into(), accuracy)
            && is_near(self.desired.into(), other.desired.into(), accuracy)
    }

    /// What the flow can use of an interface of the router `id`: what it would like, or less where another router
    /// limits it.
    pub fn limit(&self, id: u32) -> f64 {
        let elsewhere = if self.bottleneck == 0 || self.bottleneck == id { f32::INFINITY } else { self.rate };
        elsewhere.min(self.desired).into()
    }
}

/// What a table knows of a flow. Data and acknowledgements of a connection are two flows.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The connection.
    pub flow: FlowId,
    /// Its data, or its acknowledgements.
    pub way: Way,
    /// What its packets asked for when it was last decided on.
    pub asked: Asked,
    /// The router that limits it elsewhere, 0 if none does.
    pub bottleneck: u32,
    /// What it can use, in bits a second: changed by [`Table::set_limit`].
    pub limit: f64,
    /// What it is allocated.
    pub allocation: f64,
    /// What its source knows, or will when what is on its way has arrived.
    pub told: f64,
    /// When its latest packet passed.
    pub seen: Time,
}

/// No entry.
const NONE: u32 = u32::MAX;

/// The flows of an interface.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// In order of their limits; of those with one limit, the first to get it comes first.
    entries: Vec<Entry>,
    /// By twice the index of a flow, one more for its acknowledgements: the place in `entries`.
    places: Vec<u32>,
}

#[inline]
fn slot(flow: FlowId, way: Way) -> usize {
    2 * flow.index as usize + usize::from(way == Way::Reverse)
}

impl Table {
    /// The flows, in order of their limits.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The same, to be changed.
    pub fn entries_mut(&mut self) -> impl Iterator<Item = &mut Entry> {
        self.entries.iter_mut()
    }

    /// The place of a flow.
    #[inline]
    pub fn find(&self, flow: FlowId, way: Way) -> Option<usize> {
        let place = *self.places.get(slot(flow, way))?;
        // An index is used again for another flow, which is not this one.
        self.entries.get(place as usize).filter(|entry| entry.flow == flow).map(|_| place as usize)
    }

    /// The flow at a place.
    #[inline]
    pub fn at(&mut self, place: usize) -> &mut Entry {
        &mut self.entries[place]
    }

    /// Adds a flow that the table does not have; returns its place. What it is allocated is known after
    /// [`Table::allocate`].
    #[cold]
    pub fn insert(&mut self, now: Time, (flow, way): (FlowId, Way), asked: Asked, id: u32) -> usize {
        let slot = slot(flow, way);
        if self.places.len() <= slot {
            self.places.resize(slot + 1, NONE);
        }
        // One that had the same index and left no word.
        let old = self.places[slot];
        if old != NONE {
            self.remove_at(old as usize);
        }
        let limit = f64::INFINITY;
        let (allocation, told) = (0.0, 0.0);
        let bottleneck = asked.bottleneck;
        self.entries.push(Entry { flow, way, asked, bottleneck, limit, allocation, told, seen: now });
        let last = self.entries.len() - 1;
        self.places[slot] = last as u32;
        self.set_limit(last, asked.limit(id))
    }

    /// Forgets a flow; true if the table had it.
    pub fn remove(&mut self, flow: FlowId, way: Way) -> bool {
        let place = self.find(flow, way);
        place.into_iter().for_each(|place| self.remove_at(place));
        place.is_some()
    }

    fn remove_at(&mut self, place: usize) {
        let entry = self.entries.remove(place);
        self.places[slot(entry.flow, entry.way)] = NONE;
        for (i, entry) in self.entries.iter().enumerate().skip(place) {
            self.places[slot(entry.flow, entry.way)] = i as u32;
        }
    }

    /// Forgets the flows for which `is_gone`; returns how many.
    pub fn sweep(&mut self, is_gone: impl Fn(&Entry) -> bool) -> u64 {
        let mut gone = 0;
        for place in (0..self.entries.len()).rev() {
            if is_gone(&self.entries[place]) {
                self.remove_at(place);
                gone += 1;
            }
        }
        gone
    }

    /// Sets what the flow at a place can use, and moves it where it belongs; returns its new place.
    pub fn set_limit(&mut self, mut place: usize, limit: f64) -> usize {
        self.entries[place].limit = limit;
        while place > 0 && self.entries[place - 1].limit > limit {
            self.swap(place - 1);
            place -= 1;
        }
        while self.entries.get(place + 1).is_some_and(|next| next.limit <= limit) {
            self.swap(place);
            place += 1;
        }
        place
    }

    /// Exchanges the flow at a place and the next.
    fn swap(&mut self, place: usize) {
        self.entries.swap(place, place + 1);
        for (i, entry) in (place..).zip(&self.entries[place..place + 2]) {
            self.places[slot(entry.flow, entry.way)] = i as u32;
        }
    }

    /// Shares `capacity` bits a second out: equally, and what limited flows cannot use goes to the rest. This is the
    /// max-min allocation of one link (RBCC, 1996, section 11: its examples).
    pub fn allocate(&mut self, capacity: f64) {
        let mut rest = capacity;
        let mut left = self.entries.len();
        for entry in &mut self.entries {
            entry.allocation = entry.limit.min(rest / left as f64);
            rest = (rest - entry.allocation).max(0.0);
            left -= 1;
        }
    }
}
