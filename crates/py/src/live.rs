//! Shells in Python: real packets through the link of a scenario.

use std::ffi::CString;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::SystemTime;

use dumbbell_live::shell::{Ended, Shell};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::convert::{refuse, to_python};
use crate::scenario::Scenario;
use crate::table::Table;

/// What a shell returns: exit status, tables, how true the emulation was.
type Report<'py> = (u8, Vec<Table>, Bound<'py, PyAny>);

/// Runs `command` in a namespace whose traffic passes through a link of the scenario.
///
/// A signal handler that raises ends the run.
#[pyfunction]
#[pyo3(signature = (scenario, command, server, environment, at, network_administration, logs))]
#[allow(clippy::too_many_arguments, reason = "by keyword in Python")]
pub fn shell<'py>(
    py: Python<'py>,
    scenario: &Scenario,
    command: Vec<String>,
    server: Vec<String>,
    environment: Vec<String>,
    at: Option<String>,
    network_administration: bool,
    logs: (Option<PathBuf>, Option<PathBuf>),
) -> PyResult<Report<'py>> {
    #[expect(clippy::disallowed_methods, reason = "the date, for the head of a log")]
    let unix = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |t| t.as_millis() as u64);
    let shell = Shell {
        command: c_strings(command)?,
        server: c_strings(server)?,
        environment: c_strings(environment)?,
        at,
        network_administration,
        logs: [logs.0, logs.1],
        unix,
    };
    let mut raised = None;
    let ended = py.detach(|| {
        shell.run(&scenario.plan, || match Python::attach(|py| py.check_signals()) {
            Ok(()) => ControlFlow::Continue(()),
            Err(e) => {
                raised = Some(e);
                ControlFlow::Break(())
            }
        })
    });
    match ended {
        Ok(report) => Ok((report.status, scenario.tables(report.results), to_python(py, &report.fidelity)?)),
        Err(Ended::Refused(error)) => Err(refuse(error)),
        Err(Ended::Interrupted) => Err(raised.expect("only an exception interrupts a shell")),
    }
}

/// Makes a namespace with a device and takes it down again; what the machine refuses, or `None`.
#[pyfunction]
pub fn probe(py: Python<'_>) -> Option<String> {
    py.detach(|| dumbbell_live::shell::probe().err().map(|error| error.message))
}

fn c_strings(texts: Vec<String>) -> PyResult<Vec<CString>> {
    let convert = |text: String| CString::new(text).map_err(|e| PyValueError::new_err(e.to_string()));
    texts.into_iter().map(convert).collect()
}
