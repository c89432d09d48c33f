//! The Python extension module `dumbbell._native`. It converts values and calls the other crates, and does nothing else.

mod convert;
#[cfg(target_os = "linux")]
mod desk;
mod errors;
mod fleet;
mod fluid;
mod interpreted;
mod language;
#[cfg(target_os = "linux")]
mod live;
mod memory;
mod metrics;
mod outcome;
mod own;
mod panics;
mod power;
mod rows;
mod run;
mod scenario;
mod stdout;
mod table;
mod theory;
mod trace;
mod watcher;

use pyo3::prelude::*;

/// The compiled part of dumbbell.
#[pymodule]
mod _native {
    use pyo3::prelude::*;

    #[cfg(target_os = "linux")]
    #[pymodule_export]
    use super::desk::Desk;
    #[pymodule_export]
    use super::fleet::Fleet;
    #[pymodule_export]
    use super::interpreted::{interpret_laws, interpreted_laws};
    #[pymodule_export]
    use super::language::{
        algorithms, aliases, check_name, controller_header, declarations, members, modules, read_report,
        read_study, registry, schema, study_schema, suggest, table, tables,
    };
    #[cfg(target_os = "linux")]
    #[pymodule_export]
    use super::live::{applications, emulated, is_virtual, probe, receive, replay, send, shell};
    #[pymodule_export]
    use super::metrics::Metrics;
    #[pymodule_export]
    use super::own::{LawMachine, absurd_windows, law_broken, law_codes, law_events, law_layout, law_needs};
    #[pymodule_export]
    use super::panics::{keep_panics, last_panic, panic_for_test};
    #[pymodule_export]
    use super::power::PowerModel;
    #[pymodule_export]
    use super::rows::{Rows, statistics};
    #[pymodule_export]
    use super::run::Run;
    #[pymodule_export]
    use super::scenario::{
        Scenario, check_quantity, parse_size, parse_time, parse_toml, read_file, trust_libraries, units,
    };
    #[pymodule_export]
    use super::table::{Table, read_parquet};
    #[pymodule_export]
    use super::theory::{
        envelope, longest_sleeping, max_min_sharing, optimal_rates, processor_sharing, sharing_line,
        slow_start_line, smallest_delay,
    };
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "the name in Python")]
    const version: &str = env!("CARGO_PKG_VERSION");
    #[pymodule_init]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::memory::end_in_one_line();
        super::own::install();
        Ok(())
    }
    /// The profile of Cargo.toml that this module is built with: `release`, unless a developer built it.
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "the name in Python")]
    const profile: &str = env!("DUMBBELL_PROFILE");
    /// The UDP port of receivers.
    #[cfg(target_os = "linux")]
    #[pymodule_export]
    const UDP_PORT: u16 = dumbbell_live::endpoint::PORT;
    /// Bytes of the headers of a packet over UDP and IPv4.
    #[cfg(target_os = "linux")]
    #[pymodule_export]
    const UDP_HEADERS: u32 = dumbbell_live::endpoint::HEADERS;
    /// The exact versions that this module is built from.
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "the name in Python")]
    const cargo_lock: &str = include_str!("../../../Cargo.lock");
}
