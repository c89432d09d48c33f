//! What an observer sees of a run, and that it changes nothing.

#![allow(clippy::unwrap_used)]

mod traced;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use dumbbell_core::{Packet, Time};
use dumbbell_sim::{Event, Observer, Plan, Scenario, run, run_observed};

/// Links that lose, drop and duplicate; one is entered ahead of time.
const ROUGH: &str = r#"
duration = "20s"
[topology]
kind = "dumbbell"
pairs = 2
access = { rate = "100Mbit/s", delay = "2ms", queue = "droptail" }
bottleneck = { rate = "10Mbit/s", delay = "10ms", loss = 0.001, impairments = [{ kind = "duplication", probability = 0.01 }] }
[[nodes]]
name = "left"
agent = { kind = "source-quench", threshold = 5 }
[[flows]]
from = "senders"
to = "receivers"
count = 6
size = "1MB"
stagger = "1s"
"#;

fn plan(text: &str) -> Plan {
    let scenario = Scenario::from_toml(text).unwrap_or_else(|e| panic!("{e}"));
    Plan::new(&scenario, Path::new(".")).unwrap_or_else(|e| panic!("{e}"))
}

#[derive(Default)]
struct Counts {
    events: BTreeMap<String, u64>,
    arrived: BTreeMap<u32, u64>,
    dropped: BTreeMap<u32, u64>,
    open: i64,
}

impl Observer for Counts {
    fn packet(&mut self, _now: Time, _packet: &Packet, event: Event) {
        let name = format!("{event:?}").split('(').next().unwrap().to_owned();
        *self.events.entry(name).or_default() += 1;
        match event {
            Event::Arrived(link) => *self.arrived.entry(link).or_default() += 1,
            Event::Dropped(link, _) => *self.dropped.entry(link).or_default() += 1,
            _ => {}
        }
    }
    fn opened(&mut self, _now: Time, _slot: u32, _number: u32) {
        self.open += 1;
    }
    fn closed(&mut self, _now: Time, _slot: u32) {
        self.open -= 1;
    }
}

#[test]
fn an_observer_sees_what_the_tables_count_and_changes_nothing() {
    let plan = plan(ROUGH);
    let mut counts = Counts::default();
    let seen = run_observed(&plan, u64::MAX, |_| ControlFlow::Continue(()), &mut counts).unwrap();
    let r = &seen.runs;
    assert_eq!(r.flows_completed[0], 6);
    let of = |name: &str| counts.events.get(name).copied().unwrap_or_default();
    assert_eq!(of("Sent"), r.total_sent[0]);
    assert_eq!(of("Originated"), r.total_originated[0]);
    assert_eq!(of("Duplicated"), r.total_duplicated[0]);
    assert_eq!(of("Delivered") + of("Returned"), r.total_delivered[0]);
    assert_eq!(of("Dropped"), r.total_dropped[0]);
    assert!(["Sent", "Originated", "Duplicated", "Dropped", "Passed"].iter().all(|name| of(name) > 0));
    for (i, _) in (0..).zip(&plan.links) {
        assert_eq!(counts.arrived.get(&i).copied().unwrap_or_default(), seen.links.arrived[i as usize]);
        assert_eq!(counts.dropped.get(&i).copied().unwrap_or_default(), seen.links.dropped[i as usize]);
    }
    assert_eq!(counts.open, 0);
    let alone = run(&plan, u64::MAX, |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(format!("{:?}", seen.into_tables()), format!("{:?}", alone.into_tables()));
}

#[test]
fn a_failing_test_prints_the_last_packet_events_of_its_run() {
    let failed = catch_unwind(AssertUnwindSafe(|| {
        let results = traced::run(&plan(ROUGH));
        assert_eq!(results.runs.flows_completed[0], 7, "a test that fails: what follows is printed");
    }));
    assert!(failed.is_err());
    // What the hook has printed.
    let printed = traced::latest();
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), 201, "{printed}");
    assert!(lines[0].starts_with("the last 200 packet events"));
    assert!(lines[1..].iter().all(|line| line.split(' ').count() == 7), "{printed}");
    // Six flows of 1 MB: the last acknowledgement comes back to the source, 52 bytes of class 0.
    let last: Vec<&str> = lines[200].split(' ').collect();
    assert_eq!(
        (last[1], last[2], last[4].len() > 5, last[5], last[6]),
        ("delivered", "-", true, "52", "0"),
        "{printed}"
    );
}
