//! What an observer sees of a run, and that it changes nothing.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use dumbbell_core::{Packet, Time, Way};
use dumbbell_proto::transport::SenderState;
use dumbbell_sim::{Event, Observer, Opened, Plan, Scenario, run, run_observed};

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

fn plan(text: &str) -> Arc<Plan> {
    let scenario = Scenario::from_toml(text).unwrap_or_else(|e| panic!("{e}"));
    Plan::new(&scenario, Path::new(".")).unwrap_or_else(|e| panic!("{e}"))
}

/// Scripted drops on a link that is entered ahead of time, marks, a link under power control, jitter behind it.
const VARIED: &str = r#"
duration = "20s"
transport = { kind = "tcp", ecn = "classic", ecn_answer = "classic" }
record = { drops = true }
[topology]
kind = "graph"
nodes = ["a", "b", "c", "d"]
[[topology.links]]
from = "a"
to = "b"
rate = "10Mbit/s"
delay = "5ms"
queue = { kind = "codel", ecn = true }
[[topology.links]]
from = "b"
to = "c"
rate = "100Mbit/s"
delay = "20ms"
drop_list = [100, 101]
[[topology.links]]
from = "c"
to = "d"
rate = "50Mbit/s"
delay = "1ms"
impairments = [{ kind = "jitter", spread = "1ms" }]
[[flows]]
from = "a"
to = "d"
size = "5MB"
"#;

#[derive(Default)]
struct Counts {
    events: BTreeMap<String, u64>,
    arrived: BTreeMap<u32, u64>,
    left: BTreeMap<u32, u64>,
    dropped: BTreeMap<u32, u64>,
    marked: BTreeMap<u32, u64>,
    open: i64,
    states: u64,
    clock: Time,
    ahead: u64,
    back: u64,
    drops: Vec<(f64, u32)>,
}

impl Observer for Counts {
    fn clock(&mut self, now: Time) {
        assert!(now >= self.clock);
        self.clock = now;
    }
    fn packet(&mut self, now: Time, packet: &Packet, way: Way, event: Event) {
        let known = match event {
            Event::Delivered => Some(Way::Forward),
            Event::Returned => Some(Way::Reverse),
            _ => (packet.size > 500).then_some(Way::Forward),
        };
        assert!(known.is_none_or(|known| known == way), "{event:?} {way:?}");
        self.back += u64::from(way == Way::Reverse && matches!(event, Event::Sent));
        assert!(now >= self.clock, "{event:?} at {now:?}, after {:?}", self.clock);
        self.ahead += u64::from(now > self.clock);
        let name = format!("{event:?}").split('(').next().unwrap().to_owned();
        *self.events.entry(name).or_default() += 1;
        match event {
            Event::Arrived(link) => *self.arrived.entry(link).or_default() += 1,
            Event::Left(link) => *self.left.entry(link).or_default() += 1,
            Event::Dropped(link, _) => {
                *self.dropped.entry(link).or_default() += 1;
                self.drops.push((now.as_secs_f64(), link));
            }
            Event::Marked(link, _) => *self.marked.entry(link).or_default() += 1,
            _ => {}
        }
    }
    fn state(&mut self, _now: Time, _slot: u32, state: SenderState) {
        assert!(state.phase.is_some(), "TCP has a congestion window");
        self.states += u64::from(state.window > 0 && state.limit > 0);
    }
    fn opened(&mut self, _now: Time, _opened: &Opened) {
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
        assert_eq!(counts.left.get(&i).copied().unwrap_or_default(), seen.links.sent[i as usize]);
    }
    assert_eq!(counts.open, 0);
    assert!(counts.back + of("Originated") + of("Duplicated") >= of("Returned"));
    assert!(counts.states >= of("Returned") && counts.ahead > 0);
    let alone = run(&plan, u64::MAX, |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(format!("{:?}", seen.into_tables()), format!("{:?}", alone.into_tables()));
}

#[test]
fn marks_and_drops_are_told_at_their_time_wherever_they_happen() {
    let plan = plan(VARIED);
    let mut counts = Counts::default();
    let seen = run_observed(&plan, u64::MAX, |_| ControlFlow::Continue(()), &mut counts).unwrap();
    let links = &seen.links;
    for i in 0..plan.links.len() as u32 {
        let of = |counts: &BTreeMap<u32, u64>| counts.get(&i).copied().unwrap_or_default();
        let counted = [of(&counts.arrived), of(&counts.left), of(&counts.dropped), of(&counts.marked)];
        let at = i as usize;
        let expected = [links.arrived[at], links.sent[at], links.dropped[at], links.marked[at]];
        assert_eq!(counted, expected, "{}", plan.links[at].name);
    }
    assert!(counts.marked[&0] > 0 && counts.ahead > 0);
    assert_eq!(counts.drops.len(), 2);
    for ((time, link), told) in counts.drops.iter().zip(&seen.drops.time) {
        assert!(*link == 2 && (time - told).abs() < 1e-9, "{time} {told}");
    }
    let alone = run(&plan, u64::MAX, |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(format!("{:?}", seen.into_tables()), format!("{:?}", alone.into_tables()));
}

#[test]
fn a_failing_test_prints_the_last_packet_events_of_its_run() {
    let failed = catch_unwind(AssertUnwindSafe(|| {
        let results = crate::traced::run(&plan(ROUGH));
        assert_eq!(results.runs.flows_completed[0], 7, "a test that fails: what follows is printed");
    }));
    assert!(failed.is_err());
    // What the hook has printed.
    let printed = crate::traced::latest();
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
