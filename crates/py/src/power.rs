//! Power models over arrays of states.

use dumbbell_core::config::At;
use dumbbell_core::{Config, Duration};
use dumbbell_net::power::{Model, Span, State};
use numpy::{PyArray1, PyReadonlyArray1, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::convert::{refuse, to_value};

/// A power model: the watts of a port in each of its states.
#[pyclass(frozen, module = "dumbbell._native")]
pub struct PowerModel(Model);

#[pymethods]
impl PowerModel {
    /// From a dictionary; absent keys have their defaults.
    #[new]
    fn new(values: &Bound<'_, PyAny>) -> PyResult<PowerModel> {
        let at = At::root("model");
        Model::from_value(&to_value(values, &at)?, &at).map(PowerModel).map_err(refuse)
    }

    /// Watts at the link's rate.
    #[getter]
    fn full_power(&self) -> f64 {
        self.0.full_power
    }

    /// The power in W of each row of the table of states, on a link of rate `top`; rates in bit/s.
    fn powers<'py>(
        &self,
        py: Python<'py>,
        states: Vec<String>,
        rates: PyReadonlyArray1<'py, f64>,
        previous: PyReadonlyArray1<'py, f64>,
        top: f64,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let rows = states.iter().zip(rates.as_array()).zip(previous.as_array());
        let powers = rows.map(|((name, &rate), &before)| {
            let state =
                State::named(name).ok_or_else(|| PyValueError::new_err(format!("{name:?} is no state")))?;
            let previous = (!before.is_nan()).then_some(before);
            Ok(self.0.power(&Span { state, rate, previous, time: Duration::ZERO }, top))
        });
        Ok(powers.collect::<PyResult<Vec<f64>>>()?.to_pyarray(py))
    }
}
