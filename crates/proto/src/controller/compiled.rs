//! A controller of the user's own in the language of laws.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dumbbell_law::{Machine, Program};

use super::contract::{Control, Estimate, Governs, LARGEST_WINDOW, Random, Sent, Signals, Stand};
use super::native::Native;

static ABSURD: AtomicU64 = AtomicU64::new(0);

/// Counts the window if no connection can have it: zero, which a negative one becomes, or above [`LARGEST_WINDOW`].
#[inline]
pub fn note_window(control: &Control) {
    if control.window.wrapping_sub(1) >= LARGEST_WINDOW {
        ABSURD.fetch_add(1, Ordering::Relaxed);
    }
}

/// Returns the count of impossible windows that laws of this process have set since the previous call.
pub fn absurd_windows() -> u64 {
    ABSURD.swap(0, Ordering::Relaxed)
}

/// A law that was compiled: its byte code, and machine code of it where there is a compiler.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The byte code.
    pub program: Arc<Program>,
    native: Option<Arc<Native>>,
}

/// Machine code changes no answer, so it does not count.
impl PartialEq for Compiled {
    fn eq(&self, other: &Compiled) -> bool {
        self.program == other.program
    }
}

impl Compiled {
    /// A program, with machine code of it if there is some.
    pub fn new(program: Program, native: Option<Native>) -> Compiled {
        Compiled { program: Arc::new(program), native: native.map(Arc::new) }
    }

    /// A new connection.
    pub fn build(&self) -> Governed {
        Governed { machine: Machine::new(self.program.clone()), native: self.native.clone() }
    }
}

/// A connection under a law that was compiled.
#[derive(Clone, Debug)]
pub struct Governed {
    machine: Machine,
    native: Option<Arc<Native>>,
}

impl Governed {
    /// Its words, in the order of the image.
    pub fn words(&self) -> &[i64] {
        self.machine.words()
    }
}

impl Governs for Governed {
    fn copy(&self) -> Box<dyn Governs> {
        Box::new(self.clone())
    }

    fn start(&mut self, random: Random) {
        self.machine.start(&random);
    }

    fn on(&mut self, signals: &Signals, control: &mut Control) {
        match &self.native {
            Some(native) => native.on(&mut self.machine, signals, control),
            None => self.machine.on(signals, control),
        }
        note_window(control);
    }

    fn on_sent(&mut self, sent: &Sent, control: &mut Control) {
        match &self.native {
            Some(native) => native.on_sent(&mut self.machine, sent, control),
            None => self.machine.on_sent(sent, control),
        }
    }

    fn stand(&self) -> Option<Stand> {
        self.machine.stand()
    }

    fn estimates(&self, tell: &mut dyn FnMut(Estimate)) {
        self.machine.estimates(tell);
    }

    fn words_mut(&mut self) -> Option<&mut [i64]> {
        Some(self.machine.words_mut())
    }
}
