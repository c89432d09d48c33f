//! Offline optima and closed forms over NumPy arrays: times in seconds, sizes in bytes, rates in bit/s.

use dumbbell_core::{BitRate, Duration, Time};
use dumbbell_theory::envelope::Envelope;
use dumbbell_theory::max_min::{self, Elastic};
use dumbbell_theory::rate::taut_string;
use dumbbell_theory::sharing::{self, Job};
use dumbbell_theory::sleep::longest_sleep;
use dumbbell_theory::{Arrival, TheoryError, arrivals};
use numpy::{PyArray1, PyReadonlyArray1, ToPyArray};
use pyo3::prelude::*;

use crate::errors::TheoryError as Refused;

type Floats<'py> = Bound<'py, PyArray1<f64>>;
type Whole<'py> = Bound<'py, PyArray1<u64>>;

fn refuse(error: TheoryError) -> PyErr {
    Refused::new_err(error.to_string())
}

/// The recorded packets, each time to the nearest nanosecond.
fn packets(times: &PyReadonlyArray1<'_, f64>, sizes: &PyReadonlyArray1<'_, u64>) -> PyResult<Vec<Arrival>> {
    let (times, sizes) = (times.as_array(), sizes.as_array());
    if times.len() != sizes.len() {
        let message = format!("{} times and {} sizes; give as many of each", times.len(), sizes.len());
        return Err(Refused::new_err(message));
    }
    times
        .iter()
        .zip(sizes)
        .map(|(&time, &bytes)| Ok(Arrival { time: Time::ZERO + span("a time", time)?, bytes }))
        .collect()
}

/// Above this many seconds the arithmetic could overflow.
const LONGEST: f64 = 1e9;

fn span(what: &str, seconds: f64) -> PyResult<Duration> {
    if (0.0..=LONGEST).contains(&seconds) {
        return Ok(Duration::from_nanos((seconds * 1e9).round() as u64));
    }
    Err(Refused::new_err(format!("{what} of {seconds} s is out of range; give 0 to {LONGEST:e} s")))
}

fn bit_rate(rate: f64) -> PyResult<BitRate> {
    if (1.0..=1e15).contains(&rate) {
        return Ok(BitRate::from_bps(rate.round() as u64));
    }
    Err(Refused::new_err(format!("a rate of {rate} bit/s is out of range; give 1 to 1e15 bit/s")))
}

/// The taut string: times of its knots, bytes sent by then; durations and rates of the pieces between.
#[pyfunction]
pub fn optimal_rates<'py>(
    py: Python<'py>,
    times: PyReadonlyArray1<'py, f64>,
    sizes: PyReadonlyArray1<'py, u64>,
    delay: f64,
) -> PyResult<(Floats<'py>, Whole<'py>, Floats<'py>, Floats<'py>)> {
    let (packets, delay) = (packets(&times, &sizes)?, span("a delay", delay)?);
    let schedule = py.detach(|| taut_string(&packets, delay)).map_err(refuse)?;
    let knots = schedule.knots.iter();
    let times: Vec<f64> = knots.clone().map(|knot| knot.time.as_secs_f64()).collect();
    let sent: Vec<u64> = knots.map(|knot| knot.sent).collect();
    let (durations, rates): (Vec<f64>, Vec<f64>) =
        schedule.pieces().map(|piece| (piece.duration, piece.rate)).unzip();
    Ok((times.to_pyarray(py), sent.to_pyarray(py), durations.to_pyarray(py), rates.to_pyarray(py)))
}

/// The longest delay at a constant rate, first in, first out.
#[pyfunction]
pub fn smallest_delay<'py>(
    py: Python<'py>,
    times: PyReadonlyArray1<'py, f64>,
    sizes: PyReadonlyArray1<'py, u64>,
    rate: f64,
) -> PyResult<f64> {
    let (packets, rate) = (packets(&times, &sizes)?, bit_rate(rate)?);
    py.detach(|| arrivals::smallest_delay(&packets, rate)).map(Duration::as_secs_f64).map_err(refuse)
}

/// The most time asleep of all release schedules.
#[pyfunction]
pub fn longest_sleeping<'py>(
    py: Python<'py>,
    times: PyReadonlyArray1<'py, f64>,
    sizes: PyReadonlyArray1<'py, u64>,
    rate: f64,
    delay: f64,
    wake: f64,
    horizon: f64,
) -> PyResult<f64> {
    let (packets, rate) = (packets(&times, &sizes)?, bit_rate(rate)?);
    let (delay, wake) = (span("a delay", delay)?, span("a time to wake", wake)?);
    let horizon = span("a horizon", horizon)?;
    py.detach(|| longest_sleep(&packets, rate, delay, wake, horizon)).map_err(refuse)
}

/// The lower convex envelope of levels (rate, power), at rates.
#[pyfunction]
pub fn envelope<'py>(
    py: Python<'py>,
    rates: PyReadonlyArray1<'py, f64>,
    powers: PyReadonlyArray1<'py, f64>,
    at: PyReadonlyArray1<'py, f64>,
) -> PyResult<Floats<'py>> {
    let levels: Vec<(f64, f64)> =
        rates.as_array().iter().copied().zip(powers.as_array().iter().copied()).collect();
    let envelope = Envelope::new(&levels).map_err(refuse)?;
    Ok(PyArray1::from_iter(py, at.as_array().iter().map(|&rate| envelope.at(rate))))
}

/// Times in the system under processor sharing.
#[pyfunction]
#[pyo3(signature = (starts, work, capacity, cap=None))]
pub fn processor_sharing<'py>(
    py: Python<'py>,
    starts: PyReadonlyArray1<'py, f64>,
    work: PyReadonlyArray1<'py, f64>,
    capacity: f64,
    cap: Option<f64>,
) -> PyResult<Floats<'py>> {
    let (starts, work) = (starts.as_array(), work.as_array());
    if starts.len() != work.len() {
        let message =
            format!("{} starts and {} amounts of work; give as many of each", starts.len(), work.len());
        return Err(Refused::new_err(message));
    }
    let jobs: Vec<Job> = starts.iter().zip(work).map(|(&start, &work)| Job { start, work }).collect();
    let times = py.detach(|| sharing::processor_sharing(&jobs, capacity, cap)).map_err(refuse)?;
    Ok(times.to_pyarray(py))
}

/// Times of flows under max-min sharing; `classes` of the flows, and for each class the links that it crosses.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "Python's arguments")]
pub fn max_min_sharing<'py>(
    py: Python<'py>,
    starts: PyReadonlyArray1<'py, f64>,
    work: PyReadonlyArray1<'py, f64>,
    classes: Vec<usize>,
    paths: Vec<Vec<usize>>,
    capacities: Vec<f64>,
) -> PyResult<Floats<'py>> {
    let (starts, work) = (starts.as_array(), work.as_array());
    let (n, m, k) = (starts.len(), work.len(), classes.len());
    if n != m || n != k {
        return Err(Refused::new_err(format!("{n} starts, {m} works and {k} classes; give as many of each")));
    }
    let flows = starts.iter().zip(work).zip(classes);
    let flows: Vec<Elastic> = flows.map(|((&start, &work), class)| Elastic { start, work, class }).collect();
    let times = py.detach(|| max_min::max_min_sharing(&flows, &paths, &capacities)).map_err(refuse)?;
    Ok(times.to_pyarray(py))
}

/// The mean completion time under processor sharing, by size.
#[pyfunction]
pub fn sharing_line<'py>(
    py: Python<'py>,
    sizes: PyReadonlyArray1<'py, f64>,
    capacity: f64,
    load: f64,
    rtt: f64,
) -> Floats<'py> {
    let line = |&size: &f64| sharing::sharing_line(size, capacity, load, rtt);
    PyArray1::from_iter(py, sizes.as_array().iter().map(line))
}

/// The completion time in slow start, by size in packets.
#[pyfunction]
pub fn slow_start_line<'py>(
    py: Python<'py>,
    sizes: PyReadonlyArray1<'py, f64>,
    capacity: f64,
    rtt: f64,
) -> Floats<'py> {
    PyArray1::from_iter(
        py,
        sizes.as_array().iter().map(|&size| sharing::slow_start_line(size, capacity, rtt)),
    )
}
