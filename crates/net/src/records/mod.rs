//! Records of behaviour: what every registered algorithm did in fixed runs, compared with the files in `records`.

mod limits;
mod links;
mod queues;
mod small;
mod traffic;

use std::path::Path;

use dumbbell_core::config::Field;
use dumbbell_core::testing::{Record, variants};
use dumbbell_core::{DropReason, HeaderKind, MarkReason, Packet, Time, Value, VerdictSink};

/// The record of a family.
fn record(family: &str) -> Record {
    Record::new(&Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("records/{family}.txt")))
}

/// A table in JSON.
fn table(text: &str) -> Value {
    dumbbell_core::json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The runs of an algorithm beside its default: one parameter changed at a time, then those of a list that are of its kind.
fn runs(
    default: &Value,
    fields: &[Field],
    list: &[&str],
    is_accepted: &dyn Fn(&Value) -> bool,
) -> Vec<Value> {
    let mut runs = variants(default, fields, is_accepted);
    for run in list.iter().map(|text| table(text)).filter(|run| run.get("kind") == default.get("kind")) {
        assert!(is_accepted(&run), "{run} is refused");
        runs.push(run);
    }
    each_once(runs)
}

/// The tables without those that stand there before.
fn each_once(tables: Vec<Value>) -> Vec<Value> {
    let is_new = |i: &usize| !tables[..*i].contains(&tables[*i]);
    (0..tables.len()).filter(is_new).map(|i| tables[i].clone()).collect()
}

/// The name of a run: the kind of an algorithm, and the other parameters.
fn named(table: &Value) -> String {
    let Value::Table(entries) = table else { return table.to_string() };
    let kind = entries.iter().find(|(key, _)| key == "kind");
    let mut words: Vec<String> = kind.iter().map(|(_, kind)| kind.to_string().replace('"', "")).collect();
    words
        .extend(entries.iter().filter(|(key, _)| key != "kind").map(|(key, value)| format!("{key}={value}")));
    words.join(" ")
}

/// The names of headers: a kind has another number once more are registered.
fn header_names(kinds: &[HeaderKind]) -> String {
    kinds.iter().map(|kind| dumbbell_header::info(*kind).name).collect::<Vec<_>>().join(" ")
}

/// Adds a number to the hash, or that there is none.
fn optional(record: &mut Record, number: Option<f64>) {
    match number {
        Some(number) => record.float(number),
        None => record.text("none"),
    }
}

/// What became of packets, in a few figures.
#[derive(Default)]
struct Figures {
    entered: u64,
    left: u64,
    dropped: [u64; DropReason::ALL.len()],
    marked: u64,
    /// Nanoseconds that packets waited, in all.
    waited: u64,
    /// When the last packet left.
    last: Time,
}

impl Figures {
    fn dropped(&mut self, reason: DropReason) {
        self.dropped[reason as usize] += 1;
    }

    fn left(&mut self, arrived: Time, now: Time) {
        self.left += 1;
        self.waited += now.since(arrived).as_nanos();
        self.last = now;
    }

    fn text(&self) -> String {
        let reasons = DropReason::ALL.iter().zip(self.dropped).filter(|(_, count)| *count > 0);
        let dropped: String = reasons.map(|(reason, count)| format!(" {} {count}", reason.name())).collect();
        let mean = self.waited / self.left.max(1);
        let (entered, left, marked, last) = (self.entered, self.left, self.marked, self.last.as_nanos());
        format!("entered {entered} left {left}{dropped} marked {marked} mean wait {mean} ns last {last} ns")
    }
}

/// Writes down verdicts for the hash.
#[derive(Default)]
struct Verdicts {
    /// Packet, what, and why.
    told: Vec<(u64, u8)>,
    figures: Figures,
}

impl VerdictSink<Packet> for Verdicts {
    fn dropped(&mut self, packet: Packet, reason: DropReason) {
        self.told.push((packet.body[0], reason as u8));
        self.figures.dropped(reason);
    }
    fn marked(&mut self, packet: &Packet, reason: MarkReason) {
        self.told.push((packet.body[0], 100 + reason as u8));
        self.figures.marked += 1;
    }
}

impl Verdicts {
    /// Adds the verdicts since the last call to the hash; returns how many there were.
    fn hash(&mut self, record: &mut Record) -> usize {
        let count = self.told.len();
        for (packet, what) in self.told.drain(..) {
            record.hash(packet);
            record.hash(what);
        }
        count
    }
}
