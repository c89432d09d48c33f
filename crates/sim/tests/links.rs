//! The memory of a link that no packet enters, measured. Alone in its process: what counts is the process's peak.

use std::ops::ControlFlow;
use std::path::Path;

use dumbbell_sim::{Plan, Scenario};

/// Largest resident set of this process so far, in bytes; `None` where Linux does not count it.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? * 1024)
}

#[test]
fn a_link_takes_at_most_a_kilobyte_and_a_quarter() {
    // Each pair of hosts is joined by four directed links.
    let run = |pairs: u64| {
        let text = format!(
            r#"
            duration = "1us"
            topology = {{ kind = "dumbbell", pairs = {pairs} }}
            flows = [{{ from = "senders", to = "receivers", count = 1 }}]
            record = {{ samples = false, queues = "none" }}
            "#
        );
        let plan = Plan::new(&Scenario::from_toml(&text).unwrap(), Path::new(".")).unwrap();
        let results = dumbbell_sim::run(&plan, u64::MAX, |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(results.links.rows() as u64, 4 * pairs + 2);
    };
    let (few, many) = (1000, 21_000);
    run(few);
    let Some(before) = peak() else { return };
    run(many);
    let bytes = (peak().unwrap() - before) / (4 * (many - few));
    assert!((500..=1280).contains(&bytes), "{bytes} bytes");
}
