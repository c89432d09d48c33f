//! Where the threads of a run meet after each window, and hand over the packets that cross between their parts.

use std::hint;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use dumbbell_core::{Packet, Time};

use super::ends::Word;

/// A packet that has entered a link in one part and comes out in another, at [`Packet::at`]. The position before its
/// [`Packet::hop`] in the table of paths is that of the link. One cache line: what crosses costs by the line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Crossing(pub Packet);

const _: () = assert!(size_of::<Crossing>() == 64, "a crossing is a cache line");

/// Looks at the others before a waiting thread lets the machine do something else: some microseconds.
const SPINS: u32 = 1 << 12;

/// What one thread tells the others. On cache lines of its own.
#[repr(align(128))]
#[derive(Debug, Default)]
struct Place {
    /// The windows that it has finished.
    round: AtomicU64,
    /// The time of its next event, by the parity of the round.
    next: [AtomicU64; 2],
    /// Events handled.
    events: AtomicU64,
}

/// The meeting place of the threads of a run.
///
/// Everything that changes hands has two places, by the parity of the round: a thread writes to one of them again only after
/// all others have come to the meeting between, and so have read it.
#[derive(Debug)]
pub struct Board {
    places: Vec<Place>,
    /// From each part to each, by the parity of the round.
    crossings: Vec<[Mutex<Vec<Crossing>>; 2]>,
    /// What each part knows of flows that may be over, by the parity of the round.
    words: Vec<[Mutex<Vec<Word>>; 2]>,
    given_up: AtomicBool,
}

/// The parts give up: what they have done does not count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GivenUp;

impl Board {
    /// For so many parts.
    pub fn new(parts: usize) -> Board {
        Board {
            places: (0..parts).map(|_| Place::default()).collect(),
            crossings: (0..parts * parts).map(|_| Default::default()).collect(),
            words: (0..parts).map(|_| Default::default()).collect(),
            given_up: AtomicBool::new(false),
        }
    }

    /// Hands over what crosses from a part to another in a round, and takes an empty store in its place.
    pub fn post(&self, round: u64, (from, to): (usize, usize), crossings: &mut Vec<Crossing>) {
        if !crossings.is_empty() {
            self.swap(round, (from, to), crossings);
        }
    }

    /// Takes what crosses from a part to another in a round, and leaves an empty store in its place.
    pub fn collect(&self, round: u64, (from, to): (usize, usize), empty: &mut Vec<Crossing>) {
        self.swap(round, (from, to), empty);
    }

    /// Says in a round what a part knows of flows that may be over.
    pub fn tell(&self, round: u64, part: usize, words: &[Word]) {
        let mut told = self.words[part][round as usize & 1].lock().unwrap_or_else(PoisonError::into_inner);
        told.clear();
        told.extend_from_slice(words);
    }

    /// What another part has said in a round.
    pub fn hear(&self, round: u64, part: usize, mut each: impl FnMut(usize, &Word)) {
        let told = self.words[part][round as usize & 1].lock().unwrap_or_else(PoisonError::into_inner);
        told.iter().enumerate().for_each(|(place, word)| each(place, word));
    }

    fn swap(&self, round: u64, (from, to): (usize, usize), store: &mut Vec<Crossing>) {
        let shared = &self.crossings[from * self.places.len() + to][round as usize & 1];
        // One of the two has come to the meeting, the other has not: nobody waits.
        std::mem::swap(&mut *shared.lock().unwrap_or_else(PoisonError::into_inner), store);
    }

    /// Waits for all others at the end of a round. `next` is the time of the next event in this part, or of the first packet that
    /// it hands over. Calls `wait` for as long as it waits. Returns the earliest of all.
    pub fn meet(
        &self,
        part: usize,
        round: u64,
        next: Time,
        mut wait: impl FnMut() -> Result<(), GivenUp>,
    ) -> Result<Time, GivenUp> {
        let parity = round as usize & 1;
        let mine = &self.places[part];
        mine.next[parity].store(next.as_nanos(), Ordering::Relaxed);
        mine.round.store(round + 1, Ordering::Release);
        let mut first = next.as_nanos();
        for (_, other) in self.places.iter().enumerate().filter(|(number, _)| *number != part) {
            let mut spins = 0;
            while other.round.load(Ordering::Acquire) <= round {
                self.goes_on()?;
                spins += 1;
                if spins < SPINS {
                    hint::spin_loop();
                } else {
                    wait()?;
                    thread::yield_now();
                }
            }
            first = first.min(other.next[parity].load(Ordering::Relaxed));
        }
        Ok(Time::from_nanos(first))
    }

    /// Ends the run of all parts.
    pub fn give_up(&self) {
        self.given_up.store(true, Ordering::Relaxed);
    }

    /// An error once some part has given up.
    pub fn goes_on(&self) -> Result<(), GivenUp> {
        if self.given_up.load(Ordering::Relaxed) { Err(GivenUp) } else { Ok(()) }
    }

    /// Takes note of the events of a part.
    pub fn note(&self, part: usize, events: u64) {
        self.places[part].events.store(events, Ordering::Relaxed);
    }

    /// The events of all parts, as last noted.
    pub fn events(&self) -> u64 {
        self.places.iter().map(|place| place.events.load(Ordering::Relaxed)).sum()
    }
}

/// Lets the other threads go if this one panics.
pub struct Lifeline<'b>(pub &'b Board);

impl Drop for Lifeline<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.give_up();
        }
    }
}
