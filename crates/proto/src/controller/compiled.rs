//! A controller of the user's own as byte code.

use std::sync::Arc;

use dumbbell_law::{Machine, Program};

use super::contract::{Control, Estimate, Governs, Random, Sent, Signals, Stand};

/// A connection under byte code.
#[derive(Clone, Debug)]
pub struct Compiled(Machine);

impl Compiled {
    /// A new connection under a program.
    pub fn new(program: Arc<Program>) -> Compiled {
        Compiled(Machine::new(program))
    }
}

impl Governs for Compiled {
    fn copy(&self) -> Box<dyn Governs> {
        Box::new(self.clone())
    }

    fn start(&mut self, random: Random) {
        self.0.start(&random);
    }

    fn on(&mut self, signals: &Signals, control: &mut Control) {
        self.0.on(signals, control);
    }

    fn on_sent(&mut self, sent: &Sent, control: &mut Control) {
        self.0.on_sent(sent, control);
    }

    fn stand(&self) -> Option<Stand> {
        self.0.stand()
    }

    fn estimates(&self, tell: &mut dyn FnMut(Estimate)) {
        self.0.estimates(tell);
    }
}
