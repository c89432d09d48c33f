//! The memory of a connection that waits, measured. Alone in its process: what counts is the process's peak.

use std::ops::ControlFlow;
use std::path::Path;

use dumbbell_sim::{Plan, Scenario, built_in, toml};

/// Largest resident set of this process so far, in bytes; `None` where Linux does not count it.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? * 1024)
}

#[test]
fn an_idle_connection_takes_at_most_a_kilobyte() {
    // So many connections lose their SYN and wait for their timers.
    let wait = |connections: u32| {
        let mut value = toml::parse(include_str!("../../../bench/idle.toml")).unwrap();
        for setting in [&format!("flows[0].count={connections}"), "transport={ kind = 'tcp' }"] {
            toml::apply_set(&mut value, setting, built_in()).unwrap();
        }
        let plan = Plan::new(&Scenario::from_value(&value, built_in()).unwrap(), Path::new(".")).unwrap();
        let results = dumbbell_sim::run(&plan, u64::MAX, |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(results.runs.flows_started[0], u64::from(connections));
    };
    let (few, many) = (1000, 61_000);
    wait(few);
    let Some(before) = peak() else { return };
    wait(many);
    let bytes = (peak().unwrap() - before) / u64::from(many - few);
    assert!((500..=1024).contains(&bytes), "{bytes} bytes");
}
