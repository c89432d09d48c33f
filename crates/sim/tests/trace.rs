//! What sinks are told of a run: everything, in the order of time, or what was selected.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use dumbbell_core::{Time, Way};
use dumbbell_sim::trace::{Cut, Limit, Output, Selection, Traced, trace};
use dumbbell_sim::{Plan, Scenario, run};
use dumbbell_trace::{Event, Happened, Network, Sink, What};

/// The access links are entered ahead of time; the bottleneck drops.
const TEXT: &str = r#"
duration = "5s"
transport = { kind = "tcp", controller = "newreno", profile = "rfc" }
[topology]
kind = "dumbbell"
pairs = 2
access = { rate = "100Mbit/s", delay = "2ms" }
bottleneck = { rate = "5Mbit/s", delay = "10ms", queue = { kind = "droptail", limit = "10pkt" } }
[[flows]]
from = "senders"
to = "receivers"
size = "200kB"
stagger = "500ms"
"#;

fn plan(text: &str) -> Arc<Plan> {
    let scenario = Scenario::from_toml(text).unwrap_or_else(|e| panic!("{e}"));
    Plan::new(&scenario, Path::new(".")).unwrap_or_else(|e| panic!("{e}"))
}

fn all() -> Selection {
    Selection { flows: None, links: None, from: Time::ZERO, until: Time::NEVER }
}

/// What was told: time, flow, packet, way, what happened.
type Told = Vec<(Time, u32, Option<(u64, Way, Happened)>)>;

#[derive(Clone, Default)]
struct Memory {
    told: Rc<RefCell<Told>>,
    ended: Rc<RefCell<Option<Time>>>,
}

impl Sink for Memory {
    fn begin(&mut self, _network: &Network) -> io::Result<()> {
        Ok(())
    }
    fn event(&mut self, _network: &Network, event: &Event<'_>) -> io::Result<()> {
        let packet = match event.what {
            What::Packet(happened, seen) => Some((seen.number, seen.way, happened)),
            _ => None,
        };
        self.told.borrow_mut().push((event.time, event.flow.number, packet));
        Ok(())
    }
    fn end(&mut self, _network: &Network, now: Time) -> io::Result<()> {
        *self.ended.borrow_mut() = Some(now);
        Ok(())
    }
}

fn traced(selection: &Selection) -> (Told, Time, Traced) {
    let memory = Memory::default();
    let sinks = vec![("memory".to_owned(), Output::Chosen(Box::new(memory.clone())))];
    let traced = trace(&plan(TEXT), u64::MAX, selection, sinks, |_| ControlFlow::Continue(())).unwrap();
    let ended = memory.ended.borrow().unwrap();
    (memory.told.take(), ended, traced)
}

#[test]
fn sinks_are_told_everything_in_the_order_of_time() {
    let (told, ended, traced) = traced(&all());
    assert!(told.is_sorted_by_key(|(time, ..)| *time));
    assert_eq!((traced.flows, traced.missing.len(), ended), (2, 0, Time::from_nanos(5_000_000_000)));
    let results = run(&plan(TEXT), u64::MAX, |_| ControlFlow::Continue(())).unwrap();
    let count = |name: &str| told.iter().filter(|(.., p)| p.is_some_and(|(.., h)| h.name() == name)).count();
    let (runs, links) = (&results.runs, &results.links);
    assert_eq!(count("sent") as u64, runs.total_sent[0]);
    assert_eq!((count("delivered") + count("returned")) as u64, runs.total_delivered[0]);
    assert!(count("dropped") > 0 && count("dropped") as u64 == runs.total_dropped[0]);
    assert_eq!(count("arrived") as u64, links.arrived.iter().sum::<u64>());
    assert_eq!(count("left") as u64, links.sent.iter().sum::<u64>());
    // A packet that is delivered arrives at three links in turn, and leaves each before it arrives at the next.
    let of = |number: u64| {
        told.iter().filter_map(move |(.., p)| p.filter(|(n, ..)| *n == number)).map(|p| p.2.name())
    };
    let delivered = told.iter().find_map(|(.., p)| p.filter(|p| p.2 == Happened::Delivered)).unwrap().0;
    let expected = ["sent", "arrived", "left", "arrived", "left", "arrived", "left", "delivered"];
    assert_eq!(of(delivered).collect::<Vec<_>>(), expected);
}

#[test]
fn a_selection_shows_what_it_names_and_the_run_stops_at_its_end() {
    let (everything, ..) = traced(&all());
    let time = |seconds: f64| Time::from_nanos((seconds * 1e9) as u64);
    let links: BTreeSet<u32> = [0].into();
    let (from, until) = (time(0.3), time(0.8));
    let selection = Selection { flows: Some([1, 7].into()), links: Some(links), from, until };
    let (told, ended, traced) = traced(&selection);
    assert_eq!((ended, traced.flows, traced.missing), (until, 2, vec![7]));
    let packets = |told: &Told| told.iter().filter(|(.., p)| p.is_some()).copied().collect::<Vec<_>>();
    let expected: Vec<_> = packets(&everything)
        .into_iter()
        .filter(|(time, flow, p)| {
            *flow == 1 && (from..=until).contains(time) && p.is_some_and(|p| p.2.link() == Some(0))
        })
        .map(|(time, flow, p)| (time, flow, p.unwrap().2))
        .collect();
    let shown: Vec<_> =
        packets(&told).into_iter().map(|(time, flow, p)| (time, flow, p.unwrap().2)).collect();
    assert!(!shown.is_empty());
    assert_eq!(shown, expected);
}

#[test]
fn a_limit_ends_the_run_and_an_error_is_that_of_the_sink() {
    let limit = Limit::new(100);
    let sinks = vec![("count".to_owned(), Output::Chosen(Box::new(limit.clone())))];
    let ended = trace(&plan(TEXT), u64::MAX, &all(), sinks, |_| ControlFlow::Continue(()));
    let Err(Cut::Sink(error)) = ended else { panic!("{ended:?}") };
    assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    assert_eq!(limit.counted().0, 101);
}
