//! Laws in the language of laws: the compiler in Python, and the machine for who drives it event by event.

use std::io;

use dumbbell_cc::{Control, Duration, Event, Needs, Random, Rate, RateSample, Sent, Signals, Time};
use dumbbell_law::{CONTROL, Op, Program, SENT, SIGNALS};
use dumbbell_proto::{Compiled, ENTRIES, Governed, Governs, Native, OwnLaw, laws};
use dumbbell_sim::own::{Made, Refused, compile_with};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::convert::{control_of, from_value, numbers_of};
use crate::interpreted;

/// The module of the compiler. Nothing imports it before a scenario names a law.
const COMPILER: &str = "dumbbell.own.compiler";
/// That of Python's interpreter for laws.
const INTERPRETER: &str = "dumbbell.own.interpreted";

/// Lets plans compile laws.
pub fn install() {
    compile_with(|text, shown, law| {
        Python::attach(|py| {
            made(py, text, shown, law).unwrap_or_else(|error| {
                Err(Refused {
                    parameter: None,
                    message: format!("{shown} cannot be compiled: {error}"),
                    remedy: "report it with the source: this is a fault of the compiler".to_owned(),
                })
            })
        })
    });
}

fn made(py: Python<'_>, text: &str, shown: &str, law: &OwnLaw) -> PyResult<Result<Made, Refused>> {
    let parameters = PyDict::new(py);
    for (name, value) in &law.parameters {
        parameters.set_item(name, from_value(py, value)?)?;
    }
    let compiler = py.import(COMPILER)?;
    match compiler.call_method1("made", (text, shown, &law.class, &parameters)) {
        Ok(made) => {
            interpreted::keep(law, || {
                let module = py.import(INTERPRETER)?;
                Ok(module.call_method1("Interpreter", (text, shown, &law.class, &parameters))?.unbind())
            })?;
            let (image, code) = made.extract::<(Bound<'_, PyBytes>, Option<Code<'_>>)>()?;
            // Where the system gives no memory that can be run, the byte code does the same.
            Ok(Ok((image.as_bytes().to_vec(), code.and_then(|code| native(code).ok()))))
        }
        Err(error) if error.is_instance(py, &compiler.getattr("LawError")?) => {
            let value = error.value(py);
            Ok(Err(Refused {
                parameter: value.getattr("parameter")?.extract()?,
                message: value.getattr("place_and_message")?.extract()?,
                remedy: value.getattr("remedy")?.extract()?,
            }))
        }
        Err(error) => Err(error),
    }
}

/// Machine code, and where its answers begin.
type Code<'py> = (Bound<'py, PyBytes>, [Option<u32>; ENTRIES]);

#[allow(unsafe_code, reason = "the code comes from our compiler")]
fn native((code, entries): Code<'_>) -> io::Result<Native> {
    // SAFETY: `dumbbell.own.native` has compiled it, or has read what it has compiled and knows by its digest.
    unsafe { Native::load(code.as_bytes(), entries) }
}

/// Where the structs of the contract have their fields, a line each: name, offset, size.
#[pyfunction]
pub fn law_layout() -> String {
    dumbbell_cc::header::layout()
}

/// The names of instructions, signals, fields of a segment that leaves, and of a control: each in the order of their numbers.
#[pyfunction]
pub fn law_codes()
-> (Vec<&'static str>, &'static [&'static str], &'static [&'static str], &'static [&'static str]) {
    (Op::ALL.iter().map(|op| op.name()).collect(), SIGNALS, SENT, CONTROL)
}

/// The events, in the order of their numbers, as C names them.
#[pyfunction]
pub fn law_events() -> Vec<String> {
    Event::ALL.iter().map(|event| format!("{event:?}").to_lowercase()).collect()
}

/// What a controller may need of its transport, in the order of the bits.
#[pyfunction]
pub fn law_needs() -> Vec<&'static str> {
    Needs::ALL.iter().map(|(name, ..)| *name).collect()
}

/// Returns the count of impossible windows that laws of this process have set since the previous call.
#[pyfunction]
pub fn absurd_windows() -> u64 {
    dumbbell_proto::absurd_windows()
}

/// A story's number, the law that broke in it, the event, and the window and the threshold before and after.
type BrokenLaw = (u64, &'static str, String, [u64; 4]);

/// The first law of its class that a law as byte code breaks in so many drawn connections: the number of the connection, the law,
/// the event, and the window and the threshold before and after.
#[pyfunction]
pub fn law_broken(image: &[u8], stories: u64) -> PyResult<Option<BrokenLaw>> {
    let program = Program::read(image).map_err(|unfit| PyValueError::new_err(unfit.0))?;
    let law = Compiled::new(program, None);
    let found = laws::judge(&|| laws::Subject::compiled(&law), 0..stories);
    Ok(found.err().map(|(story, broken)| {
        let event = broken
            .turn
            .as_ref()
            .map_or(String::new(), |turn| format!("{:?}", turn.signals.event).to_lowercase());
        let windows = broken.turn.as_ref().map_or([0; 4], |turn| {
            let (before, after) = (turn.before, turn.after);
            [before.window, after.window, before.threshold, after.threshold]
        });
        (story, broken.law, event, windows)
    }))
}

fn signals(numbers: &[u64]) -> Option<Signals> {
    let &[
        now,
        acked,
        flight,
        in_recovery,
        window_limited,
        growth_limit,
        mss,
        initial_window,
        delivered,
        rtt,
        smoothed_rtt,
        min_rtt,
        feedback,
        lost,
        marked,
        round,
        repeated,
        event,
        rate,
        interval,
        rate_delivered,
        prior_delivered,
        rate_lost,
        in_flight,
        packets_in_flight,
        app_limited,
        held,
        departs_at,
    ] = numbers
    else {
        return None;
    };
    Some(Signals {
        now: Time::from_nanos(now),
        initial_window,
        growth_limit,
        acked,
        flight,
        delivered,
        held,
        departs_at: Time::from_nanos(departs_at),
        rtt: Duration::from_nanos(rtt),
        smoothed_rtt: Duration::from_nanos(smoothed_rtt),
        min_rtt: Duration::from_nanos(min_rtt),
        feedback: feedback.cast_signed(),
        lost,
        marked,
        round,
        rate: RateSample {
            rate: Rate::from_raw(rate),
            interval: Duration::from_nanos(interval),
            delivered: rate_delivered,
            prior_delivered,
            lost: rate_lost,
            in_flight,
            packets_in_flight: packets_in_flight as u32,
            app_limited: app_limited != 0,
            reserved: [0; 3],
        },
        mss: mss as u32,
        event: Event::of(event as u8)?,
        in_recovery: in_recovery != 0,
        window_limited: window_limited != 0,
        repeated: repeated != 0,
    })
}

fn sent(numbers: &[u64]) -> Option<Sent> {
    let &[now, flight, bytes, again] = numbers else { return None };
    Some(Sent {
        now: Time::from_nanos(now),
        flight,
        bytes: bytes as u32,
        again: again != 0,
        reserved: [0; 3],
    })
}

/// A connection under a law, driven event by event.
#[pyclass(module = "dumbbell._native")]
pub struct LawMachine {
    governed: Governed,
    control: Control,
}

#[pymethods]
impl LawMachine {
    /// A new connection of an image, with a random stream and a control; as machine code if it is given.
    #[new]
    #[pyo3(signature = (image, random, control, code = None))]
    fn new(
        image: &[u8],
        random: [u64; 4],
        control: [u64; 6],
        code: Option<Code<'_>>,
    ) -> PyResult<LawMachine> {
        let program = Program::read(image).map_err(|unfit| PyValueError::new_err(unfit.0))?;
        let mut governed = Compiled::new(program, code.map(native).transpose()?).build();
        governed.start(Random::of_state(random));
        Ok(LawMachine { governed, control: control_of(control) })
    }

    /// Answers events, each the numbers of its signals or of a segment that leaves. Returns the control after each.
    fn tell(&mut self, events: Vec<Vec<u64>>) -> PyResult<Vec<[u64; 6]>> {
        let control = &mut self.control;
        let mut answers = Vec::with_capacity(events.len());
        for numbers in events {
            if let Some(sent) = sent(&numbers) {
                self.governed.on_sent(&sent, control);
            } else if let Some(signals) = signals(&numbers) {
                self.governed.on(&signals, control);
            } else {
                return Err(PyValueError::new_err("an event has the numbers of its signals"));
            }
            answers.push(numbers_of(control));
        }
        Ok(answers)
    }

    /// The words, in the order of the image.
    fn words(&self) -> Vec<i64> {
        self.governed.words().to_vec()
    }
}
