//! A controller for tests: it records its events and answers as the test wants.

use std::fmt;
use std::sync::{Arc, Mutex};

use super::contract::Governs;
use super::{Control, Random, Signals};

type Answer = dyn FnMut(&Signals, &mut Control) + Send;

/// The controller.
#[derive(Clone)]
pub struct Probe {
    /// Every event so far.
    pub heard: Arc<Mutex<Vec<Signals>>>,
    answer: Arc<Mutex<Answer>>,
    /// The random stream that it was given.
    pub random: Arc<Mutex<Option<Random>>>,
}

impl Probe {
    /// A controller that answers by `answer`.
    pub fn new(answer: impl FnMut(&Signals, &mut Control) + Send + 'static) -> Probe {
        Probe { heard: Arc::default(), answer: Arc::new(Mutex::new(answer)), random: Arc::default() }
    }
}

impl Governs for Probe {
    fn copy(&self) -> Box<dyn Governs> {
        Box::new(self.clone())
    }

    fn on(&mut self, signals: &Signals, control: &mut Control) {
        self.heard.lock().unwrap().push(*signals);
        self.answer.lock().unwrap()(signals, control);
    }

    fn start(&mut self, random: Random) {
        *self.random.lock().unwrap() = Some(random);
    }
}

impl fmt::Debug for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Probe")
    }
}
