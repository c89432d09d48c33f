//! Shells in Python: real packets through the link of a scenario.

use std::ffi::{CString, OsString};
use std::fs::File;
use std::io::BufWriter;
use std::net::{IpAddr, SocketAddr};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStringExt;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::SystemTime;

use dumbbell_core::{ConfigError, Duration, Results};
use dumbbell_live::emulator::path::{Group, Path};
use dumbbell_live::emulator::recorder::Tracing;
use dumbbell_live::emulator::unmet::Unmet;
use dumbbell_live::endpoint::run::{self, Endpoint, Until};
use dumbbell_live::shell::{Ended, Report, Shell};
use dumbbell_sim::Plan;
use dumbbell_trace::Capture;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Serialize;

use crate::convert::{refuse, to_python};
use crate::desk::{Desk, visit};
use crate::outcome::provenance;
use crate::scenario::Scenario;
use crate::table::Table;
use crate::trace::{BUFFER, os_error, sink};

/// Between two looks at signals while the emulator has another thread.
const LOOK: std::time::Duration = std::time::Duration::from_millis(20);

/// What a shell returns: exit status, tables, how true the emulation was, how the trace went.
type Returned<'py> = (u8, Vec<Table>, Bound<'py, PyAny>, Traced);

/// Events of a trace; or why there is none.
type Traced = (Option<u64>, Option<String>);

/// Runs `command` in a namespace whose traffic passes through a link of the scenario.
///
/// A signal handler that raises ends the run. With a desk, the emulator has a thread of its own.
#[pyfunction]
#[pyo3(signature = (scenario, command, server, environment, at, network_administration, keep_priority, controller, logs, traces, capture, most, desk=None))]
#[allow(clippy::too_many_arguments, reason = "by keyword in Python")]
pub fn shell<'py>(
    py: Python<'py>,
    scenario: &Scenario,
    command: Vec<OsString>,
    server: Vec<OsString>,
    environment: Vec<OsString>,
    at: Option<String>,
    network_administration: bool,
    keep_priority: bool,
    controller: Option<String>,
    logs: (Option<PathBuf>, Option<PathBuf>),
    traces: Vec<(String, String, PathBuf)>,
    capture: &str,
    most: u64,
    desk: Option<&Desk>,
) -> PyResult<Returned<'py>> {
    let tracing = if traces.is_empty() {
        None
    } else {
        let capture = if capture == "sources" { Capture::Sources } else { Capture::Destinations };
        Some(tracing(traces, capture, most)?)
    };
    #[expect(clippy::disallowed_methods, reason = "the date, for the head of a log")]
    let unix = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |t| t.as_millis() as u64);
    let shell = Shell {
        command: c_strings(command)?,
        server: c_strings(server)?,
        environment: c_strings(environment)?,
        at,
        network_administration,
        keep_priority,
        controller,
        logs: [logs.0, logs.1],
        unix,
    };
    let mut raised = None;
    let ended = match desk {
        Some(desk) => {
            desk.begin(Path::of(&scenario.plan, shell.at.as_deref()).map_err(refuse)?);
            let ended = py.detach(|| watched(&shell, &scenario.plan, tracing, desk, &mut raised));
            desk.end();
            ended
        }
        None => py.detach(|| {
            shell.run(&scenario.plan, tracing, |_, _| match Python::attach(|py| py.check_signals()) {
                Ok(()) => ControlFlow::Continue(()),
                Err(e) => {
                    raised = Some(e);
                    ControlFlow::Break(())
                }
            })
        }),
    };
    match ended {
        Ok(report) => {
            let traced = match report.traced {
                None => (None, None),
                Some(Ok(events)) => (Some(events), None),
                Some(Err(reason)) => (None, Some(reason)),
            };
            let fidelity = to_python(py, &report.fidelity)?;
            Ok((report.status, tables(&scenario.plan, report.results), fidelity, traced))
        }
        Err(Ended::Refused(error)) => Err(refuse(error)),
        Err(Ended::Interrupted) => Err(raised.expect("only an exception interrupts a shell")),
    }
}

/// Runs a shell in a thread of its own, which tells the desk; this one looks at signals.
fn watched(
    shell: &Shell,
    plan: &Plan,
    tracing: Option<Tracing>,
    desk: &Desk,
    raised: &mut Option<PyErr>,
) -> Result<Report, Ended> {
    let (stop, shared) = (AtomicBool::new(false), desk.shared());
    thread::scope(|scope| {
        let (over, ended) = mpsc::channel::<()>();
        let emulator = scope.spawn(|| {
            let _over = over;
            shell.run(plan, tracing, |now, links| {
                visit(&shared, now, links);
                if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
        });
        while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            if raised.is_none()
                && let Err(e) = Python::attach(|py| py.check_signals())
            {
                *raised = Some(e);
                stop.store(true, Ordering::Relaxed);
            }
        }
        emulator.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// A trace of real packets, in files of these forms, names and paths; with at most so many events.
fn tracing(places: Vec<(String, String, PathBuf)>, capture: Capture, most: u64) -> PyResult<Tracing> {
    let mut files = Vec::new();
    for (form, name, path) in places {
        let file = File::options().write(true).open(path);
        let file = file.map_err(|error| os_error(error.raw_os_error(), &error, &name))?;
        files.push((form, name, BufWriter::with_capacity(BUFFER, file)));
    }
    let sinks = move || {
        files.into_iter().map(|(form, name, out)| (name, sink(&form, out, capture.clone()))).collect()
    };
    Ok(Tracing { sinks: Box::new(sinks), most })
}

/// What a shell makes of the link `at` of a scenario.
#[derive(Serialize)]
pub struct Emulated {
    /// Its name.
    link: String,
    /// The name of the link that carries the way back.
    back: String,
    /// How much earlier than in a simulation packets meet its queue (s).
    ahead: f64,
    /// Of each address of the client, the pairs: the names of their nodes.
    addresses: Vec<Vec<(String, String)>>,
    /// What the scenario says of other links, and real packets do not meet.
    unmet: Vec<String>,
}

/// The link that [`shell`] emulates, and which address of the client stands for which pairs.
#[pyfunction]
#[pyo3(signature = (scenario, at))]
pub fn emulated<'py>(py: Python<'py>, scenario: &Scenario, at: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    let plan = &scenario.plan;
    let path = Path::of(plan, at).map_err(refuse)?;
    let name = |node: u32| plan.nodes[node as usize].to_string();
    let names = |group: &Group| group.pairs.iter().map(|(from, to)| (name(*from), name(*to))).collect();
    let found = Emulated {
        link: path.uplink.name.to_string(),
        back: path.downlink.name.to_string(),
        ahead: path.ahead.as_secs_f64(),
        addresses: path.groups.iter().map(names).collect(),
        unmet: path.unmet.iter().map(Unmet::text).collect(),
    };
    to_python(py, &found)
}

/// Actions of one application at most: a program in Python keeps up with no more.
const MOST_ACTIONS: usize = 100_000;

/// What applications do, flow by flow in order of start: what writes, and what reads. Each is a list of times since the flow's
/// start, or its first data (s), and bytes, within the duration of the scenario; `None` acts at once.
#[pyfunction]
pub fn applications<'py>(py: Python<'py>, scenario: &Scenario) -> PyResult<Bound<'py, PyAny>> {
    let plan = &scenario.plan;
    let mut started = vec![0_u64; plan.groups.len()];
    let mut found = Vec::new();
    for flow in plan.arrivals() {
        let group = &plan.groups[flow.group as usize];
        let number = &mut started[flow.group as usize];
        let name = format!("flow {number} of {}", group.name);
        *number += 1;
        let mut lists = [None, None];
        for (list, planned) in lists.iter_mut().zip(group.applications(plan.seed, &name)) {
            let Some(planned) = planned else { continue };
            let actions = planned.actions(plan.duration, MOST_ACTIONS).ok_or_else(|| {
                let message = format!("an application acts more than {MOST_ACTIONS} times");
                refuse(ConfigError::new("flows", message, "give larger pieces, or a shorter duration"))
            })?;
            *list = Some(actions.iter().map(|(at, bytes)| (at.as_secs_f64(), *bytes)).collect::<Vec<_>>());
        }
        found.push(lists);
    }
    to_python(py, &found)
}

/// The tables of an emulation, with where they come from.
fn tables(plan: &Plan, results: Results) -> Vec<Table> {
    Table::all(results.into_tables(), provenance(plan))
}

/// What an end point returns: tables, when it began (s, by the monotonic clock), what it did not take, how late its timers fired,
/// what it took of a processor.
type Ends<'py> = (Vec<Table>, f64, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);

fn returned<'py>(py: Python<'py>, plan: &Plan, ends: Endpoint) -> PyResult<Ends<'py>> {
    let began = ends.began.as_secs_f64();
    let (counts, late) = (to_python(py, &ends.counts)?, to_python(py, &ends.late)?);
    Ok((tables(plan, ends.results), began, counts, late, to_python(py, &ends.spent)?))
}

/// Sends the flows of the scenario over UDP; ends when `stopped()` is true. As long as nobody answers, calls `unanswered(seconds)`.
#[pyfunction]
#[pyo3(signature = (scenario, address, port, events, stopped, unanswered))]
pub fn send<'py>(
    py: Python<'py>,
    scenario: &Scenario,
    address: &str,
    port: u16,
    events: Option<PathBuf>,
    stopped: Py<PyAny>,
    unanswered: Py<PyAny>,
) -> PyResult<Ends<'py>> {
    let address: IpAddr = address.parse().map_err(|_| PyValueError::new_err("no address"))?;
    let to = SocketAddr::new(address, port);
    let asked = |py: Python<'_>, silence: Option<Duration>| {
        if let Some(silence) = silence {
            unanswered.call1(py, (silence.as_secs_f64(),))?;
        }
        stopped.call0(py)?.extract::<bool>(py)
    };
    let ends = with_tick(py, asked, |tick| run::send(&scenario.plan, to, events.as_deref(), tick))?;
    returned(py, &scenario.plan, ends)
}

/// Receives flows of the transport of the scenario over UDP; ends when `stopped()` is true, or after `flows` of them.
#[pyfunction]
#[pyo3(signature = (scenario, port, flows, same_clock, events, stopped))]
pub fn receive<'py>(
    py: Python<'py>,
    scenario: &Scenario,
    port: u16,
    flows: Option<u64>,
    same_clock: bool,
    events: Option<PathBuf>,
    stopped: Py<PyAny>,
) -> PyResult<Ends<'py>> {
    let until = Until { flows, same_clock };
    let asked = |py: Python<'_>, ()| stopped.call0(py)?.extract::<bool>(py);
    let ends = with_tick(py, asked, |tick| {
        run::receive(&scenario.plan, port, until, events.as_deref(), || tick(()))
    })?;
    returned(py, &scenario.plan, ends)
}

/// Runs an end point without the interpreter lock, until `asked` is true. What that or a signal handler raises ends it and is
/// passed on.
fn with_tick<T>(
    py: Python<'_>,
    asked: impl Fn(Python<'_>, T) -> PyResult<bool> + Sync,
    run: impl FnOnce(&mut dyn FnMut(T) -> ControlFlow<()>) -> Result<Endpoint, Ended> + Send,
) -> PyResult<Endpoint> {
    let mut raised = None;
    let ended = py.detach(|| {
        run(&mut |news| {
            let end = Python::attach(|py| {
                py.check_signals()?;
                asked(py, news)
            });
            match end {
                Ok(false) => ControlFlow::Continue(()),
                Ok(true) => ControlFlow::Break(()),
                Err(e) => {
                    raised = Some(e);
                    ControlFlow::Break(())
                }
            }
        })
    });
    match (raised, ended) {
        (Some(e), _) => Err(e),
        (None, Ok(ends)) => Ok(ends),
        (None, Err(Ended::Refused(error))) => Err(refuse(error)),
        (None, Err(Ended::Interrupted)) => Err(PyValueError::new_err("interrupted")),
    }
}

/// Feeds the log of a live end point to the state machines of the simulator: events, packets, flows, first difference.
#[pyfunction]
#[pyo3(signature = (text, scenario))]
pub fn replay<'py>(py: Python<'py>, text: &str, scenario: Option<&Scenario>) -> PyResult<Bound<'py, PyAny>> {
    let found = dumbbell_live::endpoint::replay::replay(text, scenario.map(|s| &*s.plan)).map_err(refuse)?;
    to_python(py, &found)
}

/// Makes a namespace with a device and takes it down again; what the machine refuses, or `None`.
#[pyfunction]
pub fn probe(py: Python<'_>) -> Option<String> {
    py.detach(|| dumbbell_live::shell::probe().err().map(|error| error.message))
}

/// True in a kernel in virtual time.
#[pyfunction]
pub fn is_virtual() -> bool {
    dumbbell_live::clock::is_virtual()
}

/// Words of a command line or an environment: any bytes but NUL, not UTF-8 alone.
fn c_strings(texts: Vec<OsString>) -> PyResult<Vec<CString>> {
    let convert =
        |text: OsString| CString::new(text.into_vec()).map_err(|e| PyValueError::new_err(e.to_string()));
    texts.into_iter().map(convert).collect()
}
