//! Every queue discipline at a transmitter.

use dumbbell_core::config::At;
use dumbbell_core::rng::Streams;
use dumbbell_core::testing::{Record, rounded};
use dumbbell_core::{Config, Duration, Packet, Time, Value};

use super::traffic::{Shape, Source, ends};
use super::{Verdicts, each_once, named, optional, record, runs, table};
use crate::queue::{AnyDiscipline, Discipline, QueueSpec, Setting};

/// A discipline, its transmitter, and when that asks for a packet.
struct Port<'a> {
    queue: AnyDiscipline<Packet>,
    shape: Shape,
    free_at: Time,
    ask_at: Time,
    verdicts: Verdicts,
    source: Source,
    record: &'a mut Record,
}

impl Port<'_> {
    /// A packet is transmitted from `now` on.
    fn transmit(&mut self, now: Time, packet: &Packet) {
        let nanos = u64::from(packet.size) * 8_000_000_000 / self.shape.rate().as_bps();
        self.free_at = now + Duration::from_nanos(nanos);
        self.ask_at = self.free_at;
        self.verdicts.figures.left(packet.at, now);
        self.record.hash(now.as_nanos());
        self.record.hash(packet.body[0]);
        self.record.hash(packet.ecn.bits());
    }

    fn look(&mut self) {
        (0..self.verdicts.hash(self.record)).for_each(|_| self.source.congested());
        self.record.hash(self.queue.len() as u64);
        self.record.hash(self.queue.bytes());
        self.record.hash(self.queue.next_size().unwrap_or_default());
    }

    fn serve(&mut self, until: Time) {
        while self.ask_at <= until && self.ask_at.is_finite() {
            let now = self.ask_at;
            match self.queue.dequeue(now, &mut self.verdicts) {
                Some(packet) => self.transmit(now, &packet),
                None if self.queue.is_empty() => self.ask_at = Time::NEVER,
                None => {
                    self.ask_at = self.queue.ready_at();
                    assert!(self.ask_at > now, "asks again at once");
                }
            }
            self.look();
        }
    }

    fn arrive(&mut self, mut packet: Packet, passes: bool) {
        let now = packet.at;
        self.serve(now);
        self.verdicts.figures.entered += 1;
        if passes && self.free_at <= now && self.queue.is_empty() {
            if self.queue.pass_through(now, &mut packet, &mut self.verdicts) {
                self.transmit(now, &packet);
            }
        } else {
            self.queue.enqueue(now, packet, &mut self.verdicts);
            if self.free_at <= now {
                self.ask_at = now;
                self.serve(now);
            }
        }
        self.look();
    }
}

fn run(spec: &QueueSpec, shape: Shape, record: &mut Record) -> String {
    let setting = Setting {
        rate: shape.rate(),
        mtu: shape.mtu().into(),
        bdp: 62_500,
        streams: Streams::new(1, "records"),
        name: "queue".to_owned(),
        first_class: 0,
        ends: ends(),
    };
    let queue = spec.build(setting);
    let (source, verdicts) = (Source::new(shape), Verdicts::default());
    let mut port = Port { queue, shape, free_at: Time::ZERO, ask_at: Time::NEVER, verdicts, source, record };
    for n in 0..shape.packets() {
        let packet = port.source.next();
        // Every second packet that finds the queue empty passes through it.
        port.arrive(packet, n % 2 == 0 && !spec.laziness().holds_back);
    }
    port.serve(Time::NEVER);
    optional(port.record, port.queue.average());
    port.record.hash(port.queue.ready_at().as_nanos());
    port.verdicts.figures.text()
}

/// What a discipline says of itself.
fn announced(spec: &QueueSpec) -> String {
    let rate = Shape::Heavy.rate();
    let thresholds = spec.thresholds(rate).into_iter();
    let thresholds: Vec<String> =
        thresholds.map(|t| format!("{} {}", t.name, rounded(t.level.packets(rate, 62_500, 1500)))).collect();
    format!(
        "{:?} {:?} {thresholds:?} {} {} {:?} {:?}",
        spec.limit(62_500, 1500),
        spec.limit(1000, 9000),
        spec.depth(),
        spec.classes(),
        spec.known_classes(),
        [
            spec.laziness().holds_back,
            spec.laziness().drops_late,
            spec.laziness().notices_idle,
            spec.shares_between_hosts(),
            spec.draws(),
            spec.laziness().needs_marks
        ]
    )
}

/// Parameters that depend on each other, and lists.
const COMBINED: &[&str] = &[
    r#"{"kind": "strict-priority", "classes": ["codel", {"kind": "droptail", "limit": "3pkt"}, "codel"], "first": "highest"}"#,
    r#"{"kind": "strict-priority", "classes": ["droptail", "red", "codel"], "caps": [{"queue": 0, "rate": "3Mbit/s"}, {"queue": 2, "rate": "1Mbit/s", "burst": "9kB"}]}"#,
    r#"{"kind": "strict-priority", "classes": ["droptail", "red", "codel"], "caps": [{"queue": 2, "rate": "1Mbit/s"}, {"queue": 1, "rate": "3Mbit/s"}], "first": "highest"}"#,
    r#"{"kind": "drr", "weights": [1, 3, 2], "classes": [{"kind": "droptail", "limit": "20pkt"}, {"kind": "codel", "limit": "9pkt"}, {"kind": "droptail", "limit": "30kB"}]}"#,
    r#"{"kind": "drr", "quantum": "9kB", "classes": [{"kind": "token-bucket-filter"}, "droptail", {"kind": "token-bucket-filter", "rate": "77kbit/s"}]}"#,
    r#"{"kind": "wrr", "weights": [3, 1, 2], "interleaved": true, "classes": [{"kind": "red", "adaptive": {}}, "codel", {"kind": "droptail", "limit": "9pkt"}]}"#,
    r#"{"kind": "wrr", "weights": [3, 1, 2], "classes": [{"kind": "droptail", "limit": "20pkt"}, {"kind": "droptail", "limit": "9pkt"}, {"kind": "droptail", "limit": "9pkt"}]}"#,
    r#"{"kind": "red", "min_threshold": "2kB", "max_threshold": "9kB", "weight": 0.5, "gentle": true, "by_size": true, "first_passes": true, "least_waiting": 2}"#,
    r#"{"kind": "red", "min_threshold": "5pkt", "max_threshold": "15pkt", "max_probability": 0.1, "weight": 0.01}"#,
    r#"{"kind": "red", "min_threshold": "5pkt", "max_threshold": "15pkt", "weight": 0.01, "gentle": true, "ecn_above_max": true}"#,
    r#"{"kind": "red", "adaptive": {}, "ecn": false}"#,
    r#"{"kind": "red", "min_threshold": "1pkt", "max_threshold": "30pkt", "weight": 0.02, "max_probability": 0.5, "least_waiting": 3}"#,
    r#"{"kind": "red", "min_threshold": "1pkt", "max_threshold": "30pkt", "weight": 0.005, "max_probability": 0.5, "spacing": "independent"}"#,
    r#"{"kind": "wred", "weight": 0.05, "limit_first": true, "limit": "40pkt"}"#,
    r#"{"kind": "rio", "averages": "decoupled", "weight": 0.05, "resets": "less-protected", "limit": "30pkt", "ecn_above_max": true}"#,
    r#"{"kind": "rio", "weight": 0.02, "gentle": true}"#,
    r#"{"kind": "threshold", "threshold": "3pkt", "drop_others": true, "limit": "9kB", "when": "reaches"}"#,
    r#"{"kind": "ramp", "min_threshold": "1kB", "max_threshold": "9kB", "max_probability": 1.0, "drop_others": true}"#,
    r#"{"kind": "choke", "min_threshold": "5pkt", "max_threshold": "30pkt", "weight": 0.05, "candidates": 3, "gentle": true}"#,
    r#"{"kind": "choke", "min_threshold": "1kB", "max_threshold": "20kB", "weight": 1.0, "limit": "9kB"}"#,
    r#"{"kind": "fred", "min_threshold": 2, "max_threshold": 8, "weight": 0.05, "many_flows": true, "limit": "20pkt", "min_flow": 1}"#,
    r#"{"kind": "blue", "limit": "20pkt", "increment": 0.1, "decrement": 0.01, "freeze": "10ms"}"#,
    r#"{"kind": "sfb", "levels": 2, "bins": 5, "bin_size": 2, "bin_max": 6, "increment": 0.05, "decrement": 0.01, "rehash": "2s", "warmup": "900ms"}"#,
    r#"{"kind": "sfb", "bin_size": 2, "bin_max": 6, "increment": 0.1, "rehash": "20s", "warmup": "10s", "penalty_rate": 30, "penalty_burst": 3}"#,
    r#"{"kind": "rem", "target": 5.0, "gain": 0.01, "base": 1.05}"#,
    r#"{"kind": "pi", "target": 10.0, "gain_present": 0.002, "gain_previous": 0.0019}"#,
    r#"{"kind": "pie", "burst": "0s", "alpha": 1.0, "beta": 10.0, "limit": "90kB"}"#,
    r#"{"kind": "pie", "burst": "0s", "alpha": 10.0, "beta": 30.0, "ecn_limit": 1.0, "derandomize": false}"#,
    r#"{"kind": "sfq", "buckets": 3, "limit": "9pkt", "perturb": "500ms", "quantum": "640B"}"#,
    r#"{"kind": "sfq", "limit": "3pkt"}"#,
    r#"{"kind": "sfq", "buckets": 8, "limit": "20pkt", "overflow": "share"}"#,
    r#"{"kind": "fq-codel", "flows": 8, "target": "1ms", "interval": "20ms", "quantum": "300B", "limit": "30kB"}"#,
    r#"{"kind": "fq-codel", "flows": 8, "limit": "40pkt", "drop_batch": 3}"#,
    r#"{"kind": "fq-pie", "flows": 4, "burst": "0s", "alpha": 2.0, "beta": 10.0, "limit": "40pkt", "drop_batch": 1}"#,
    r#"{"kind": "dualpi2", "alpha": 1.0, "beta": 10.0, "limit": "60pkt", "classic_share": 0.3}"#,
    r#"{"kind": "dualpi2", "coupling": 1.0, "ecn": false, "step": "3ms", "step_queue": 5, "limit": "90kB"}"#,
    r#"{"kind": "cobalt", "limit": "20pkt", "target": "1ms", "interval": "20ms", "increment": 0.1, "decrement": 0.02}"#,
    r#"{"kind": "cake", "limit": "30kB"}"#,
    r#"{"kind": "cake", "limit": "40pkt", "flows": 8, "rate": "3Mbit/s"}"#,
    r#"{"kind": "cake", "rate": "8Mbit/s", "flows": 16, "isolation": "flows", "limit": "60kB"}"#,
    r#"{"kind": "cake", "flows": 32, "limit": "60kB", "isolation": "source"}"#,
    r#"{"kind": "token-bucket-filter", "rate": "3Mbit/s", "queue": "fq-codel"}"#,
    r#"{"kind": "token-bucket-filter", "rate": "8Mbit/s", "queue": {"kind": "push-out", "victim": "decongest-last"}}"#,
    r#"{"kind": "token-bucket-filter", "rate": "333kbit/s", "queue": {"kind": "strict-priority", "classes": ["droptail", "codel"]}}"#,
    r#"{"kind": "policer", "rate": "8Mbit/s", "burst": "20kB"}"#,
    r#"{"kind": "push-out", "limit": "20pkt", "victim": "random"}"#,
    r#"{"kind": "push-out", "limit": "15pkt", "victim": "decongest-first"}"#,
    r#"{"kind": "droptail", "limit": "12kB"}"#,
    r#"{"kind": "droptail", "limit": "0.5bdp", "count_in_service": true}"#,
    r#"{"kind": "codel", "target": "1ms", "interval": "10ms", "limit": "20pkt"}"#,
];

fn spec(table: &Value) -> Option<QueueSpec> {
    let spec = QueueSpec::from_value(table, &At::root("queue")).ok()?;
    spec.check(1500, &At::root("queue")).ok()?;
    Some(spec)
}

#[test]
fn disciplines_do_what_they_did() {
    let mut record = record("queues");
    for about in QueueSpec::descriptors() {
        let default = table(&format!(r#"{{"kind": "{}"}}"#, about.name));
        let spec_of_default = spec(&default).unwrap();
        record.text(&announced(&spec_of_default));
        for shape in Shape::ALL {
            let text = run(&spec_of_default, shape, &mut record);
            record.line(&format!("{} {shape:?}", about.name), &text);
        }
        let mut tables = runs(&default, &about.fields, COMBINED, &|table| spec(table).is_some());
        // One packet alone, in packets and in bytes.
        tables.extend(["1pkt", "1500B"].map(|limit| {
            let mut tight = default.clone();
            tight.insert("limit", limit.into());
            tight
        }));
        for table in each_once(tables).into_iter().filter(|table| spec(table).is_some()) {
            let spec = spec(&table).unwrap();
            record.text(&announced(&spec));
            // The figures of what tells most; the hash is over all that it can carry.
            let mut text = String::new();
            for shape in Shape::ALL {
                if spec.check(shape.mtu().into(), &At::root("queue")).is_ok() {
                    let figures = run(&spec, shape, &mut record);
                    text = if shape == Shape::Responsive { figures } else { text };
                }
            }
            record.line(&named(&table), &text);
        }
    }
    record.finish();
}
