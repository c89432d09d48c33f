//! Laws that Python's own interpreter runs, in a run: for `print` and for a debugger.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use dumbbell_cc::{Control, Estimate, Random, Sent, Signals, Stand};
use dumbbell_law::{Machine, Program, sent_numbers, signal_numbers};
use dumbbell_proto::{Governs, OwnLaw, interpret_with, note_window};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::convert::{control_of, numbers_of};

/// Interpreters by the text of their laws.
type Interpreters = HashMap<String, Py<PyAny>>;

/// The interpreters of the laws that plans have compiled, once laws are interpreted at all.
static LAWS: Mutex<Option<Interpreters>> = Mutex::new(None);
/// What a law has raised first.
static RAISED: Mutex<Option<PyErr>> = Mutex::new(None);

fn key(law: &OwnLaw) -> String {
    format!("{law:?}")
}

/// Keeps the interpreter of a law that a plan compiles, if laws are interpreted.
pub fn keep(law: &OwnLaw, make: impl FnOnce() -> PyResult<Py<PyAny>>) -> PyResult<()> {
    if let Some(laws) = &mut *LAWS.lock().unwrap_or_else(PoisonError::into_inner) {
        laws.insert(key(law), make()?);
    }
    Ok(())
}

/// Lets Python's interpreter run the laws of all plans that are made from now on.
#[pyfunction]
pub fn interpret_laws() {
    LAWS.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default();
    interpret_with(|law, program| Box::new(Interpreted::new(law, program)));
}

/// How many laws are interpreted.
///
/// # Errors
/// What one of them has raised.
#[pyfunction]
pub fn interpreted_laws(py: Python<'_>) -> PyResult<usize> {
    raised(py)?;
    Ok(LAWS.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map_or(0, HashMap::len))
}

/// A connection under a law that Python runs.
#[derive(Debug)]
struct Interpreted {
    interpreter: Py<PyAny>,
    connection: Py<PyAny>,
    /// For what tables show of it.
    machine: Machine,
}

impl Interpreted {
    fn new(law: &OwnLaw, program: &Arc<Program>) -> Interpreted {
        Python::attach(|py| {
            let laws = LAWS.lock().unwrap_or_else(PoisonError::into_inner);
            let interpreter = laws.as_ref().and_then(|laws| laws.get(&key(law)));
            let interpreter = interpreter.expect("a plan that compiles a law keeps its interpreter");
            let connection =
                interpreter.call_method0(py, "connect").expect("a law that compiles has a connection");
            let machine = Machine::new(program.clone());
            Interpreted { interpreter: interpreter.clone_ref(py), connection, machine }
        })
    }

    /// Calls a method with numbers and those of the control, and takes the control that it returns.
    fn tell(&self, method: &str, numbers: &[i64], control: &mut Control) {
        Python::attach(|py| {
            if RAISED.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
                return;
            }
            let answer = self.connection.call_method1(py, method, (numbers, numbers_of(control)));
            match answer.and_then(|answer| answer.extract::<[u64; 6]>(py)) {
                Ok(numbers) => *control = control_of(numbers),
                Err(error) => stop(error),
            }
        });
    }

    /// The machine with the words of the connection.
    fn shown(&self) -> Machine {
        let mut machine = self.machine.clone();
        Python::attach(|py| {
            let words = self.connection.call_method0(py, "words");
            match words.and_then(|words| words.extract::<Vec<i64>>(py)) {
                Ok(words) => machine.take_words(&words),
                Err(error) => stop(error),
            }
        });
        machine
    }
}

/// Keeps what a law has raised: the run ends when it looks next.
fn stop(error: PyErr) {
    RAISED.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
}

impl Governs for Interpreted {
    fn copy(&self) -> Box<dyn Governs> {
        Python::attach(|py| {
            let connection =
                self.connection.call_method0(py, "copy").expect("a connection of plain numbers is copied");
            let interpreter = self.interpreter.clone_ref(py);
            Box::new(Interpreted { interpreter, connection, machine: self.machine.clone() })
        })
    }

    fn start(&mut self, random: Random) {
        Python::attach(|py| {
            self.connection = self
                .interpreter
                .call_method1(py, "connect", (random.state(),))
                .expect("a law that compiles has a connection");
        });
    }

    fn on(&mut self, signals: &Signals, control: &mut Control) {
        self.tell("tell", &signal_numbers(signals), control);
        note_window(control);
    }

    fn on_sent(&mut self, sent: &Sent, control: &mut Control) {
        self.tell("tell_sent", &sent_numbers(sent), control);
    }

    fn stand(&self) -> Option<Stand> {
        self.shown().stand()
    }

    fn estimates(&self, tell: &mut dyn FnMut(Estimate)) {
        self.shown().estimates(tell);
    }
}

/// Raises what a law has raised; an end in the debugger is an interrupt.
pub fn raised(py: Python<'_>) -> PyResult<()> {
    let Some(error) = RAISED.lock().unwrap_or_else(PoisonError::into_inner).take() else { return Ok(()) };
    let quit = error.get_type(py).name().is_ok_and(|name| name == "BdbQuit");
    Err(if quit { PyKeyboardInterrupt::new_err(()) } else { error })
}
