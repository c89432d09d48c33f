//! Markers, impairments and node agents by themselves.

use dumbbell_core::config::At;
use dumbbell_core::rng::{Streams, stream};
use dumbbell_core::testing::Record;
use dumbbell_core::{
    BitRate, ClassSet, Config, Duration, Ecn, Packet, Registered, Time, TrafficClass, Value, Way,
};
use dumbbell_header::{TcpHeader, TrumpHeader, TrumpKind};
use rand::RngExt;

use super::traffic::{Shape, Source};
use super::{Verdicts, header_names, named, record, runs, table};
use crate::impairment::{self, Impairment, ImpairmentSpec};
use crate::link::Counters;
use crate::marker::{Marker, MarkerSpec};
use crate::node::{FlowId, NodeAgentSpec, Outbox, Passage, Port, PortView, Setting};
use crate::router::QueueView;

/// The table of an algorithm with what it requires; `None` if nobody says here what that is.
fn required<T>(name: &str, needed: &[(&str, &str)], parse: &dyn Fn(&Value) -> Option<T>) -> Option<Value> {
    let more = needed.iter().find(|(kind, _)| *kind == name).map_or("", |(_, more)| more);
    let table = table(&format!(r#"{{"kind": "{name}"{more}}}"#));
    if parse(&table).is_none() {
        println!("{name} requires parameters: it has no record");
        return None;
    }
    Some(table)
}

fn marker(table: &Value) -> Option<MarkerSpec> {
    let spec = MarkerSpec::from_value(table, &At::root("marker")).ok()?;
    spec.check(1500, &At::root("marker")).ok().map(|()| spec)
}

fn mark(spec: &MarkerSpec, record: &mut Record) -> String {
    record.text(&format!("{} {}", header_names(spec.headers()), spec.draws()));
    for arriving in [ClassSet::EMPTY, ClassSet::first(3), ClassSet::ALL] {
        record.text(&format!("{:?}", spec.classes(arriving)));
    }
    let mut counts = [0_u64; 8];
    for shape in [Shape::Light, Shape::Heavy, Shape::Bursts, Shape::Waves, Shape::Responsive] {
        let mut source = Source::new(shape);
        let mut marker = spec.build(stream(1, "marker"));
        for n in 0..shape.packets() {
            let packet = source.next();
            let number = packet.body[0] * 1460 + n % 7;
            let header = TcpHeader { number, ..TcpHeader::default() };
            let class = TrafficClass::new(packet.class).unwrap();
            let tag = dumbbell_core::FlowTag { slot: packet.flow, class };
            let segment = Packet::of(header, tag, packet.size, packet.ecn);
            let class = marker.class_for(packet.at, &segment).number();
            record.hash(class);
            counts[usize::from(class)] += 1;
        }
    }
    format!("packets of each class {counts:?}")
}

const MARKERS: [(&str, &str); 7] = [
    ("token-bucket", r#", "rate": "4Mbit/s", "in_class": 2, "out_class": 5"#),
    ("tsw2cm", r#", "rate": "4Mbit/s""#),
    ("srtcm", r#", "rate": "4Mbit/s""#),
    ("tsw3cm", r#", "rate": "4Mbit/s", "peak_rate": "8Mbit/s""#),
    ("trtcm", r#", "rate": "4Mbit/s", "peak_rate": "8Mbit/s""#),
    ("static", r#", "share": 0.5"#),
    ("head-tail", r#", "block": "64kB""#),
];

#[test]
fn markers_do_what_they_did() {
    let mut record = record("markers");
    for about in MarkerSpec::descriptors() {
        let Some(base) = required(about.name, &MARKERS, &marker) else { continue };
        let list = [
            r#"{"kind": "srtcm", "rate": "4Mbit/s", "colour_aware": true, "excess_burst": "20kB"}"#,
            r#"{"kind": "trtcm", "rate": "4Mbit/s", "peak_rate": "6Mbit/s", "colour_aware": true}"#,
            r#"{"kind": "head-tail", "block": "20kB", "packets": 3}"#,
            r#"{"kind": "static", "share": 1.0}"#,
            r#"{"kind": "static", "share": 0.0}"#,
        ];
        let more = runs(&base, &about.fields, &list, &|table| marker(table).is_some());
        for table in std::iter::once(base).chain(more) {
            let text = mark(&marker(&table).unwrap(), &mut record);
            record.line(&named(&table), &text);
        }
    }
    record.finish();
}

const IMPAIRMENTS: [(&str, &str); 5] = [
    ("jitter", r#", "spread": "3ms""#),
    ("reordering", r#", "probability": 0.2, "delay": "3ms""#),
    ("duplication", r#", "probability": 0.3"#),
    ("delay-list", r#", "packets": [7, 3, 40], "delay": "3ms""#),
    ("delay-steps", r#", "steps": [{"at": "100ms", "extra": "40ms"}, {"at": "2s", "extra": "3ms"}]"#),
];

#[test]
fn impairments_do_what_they_did() {
    let mut record = record("impairments");
    let parse = |table: &Value| ImpairmentSpec::from_value(table, &At::root("impairment")).ok();
    for about in ImpairmentSpec::descriptors() {
        let Some(base) = required(about.name, &IMPAIRMENTS, &parse) else { continue };
        let list = [
            r#"{"kind": "reordering", "probability": 0.2, "packets": 3, "longest": "20ms"}"#,
            r#"{"kind": "reordering", "probability": 0.2, "packets": 3, "place": "ahead"}"#,
            r#"{"kind": "reordering", "probability": 0.2, "delay": "1ms", "place": "ahead"}"#,
            r#"{"kind": "jitter", "spread": "3ms", "distribution": "normal", "keep_order": false}"#,
        ];
        let more = runs(&base, &about.fields, &list, &|table| parse(table).is_some());
        for table in std::iter::once(base).chain(more) {
            let spec = parse(&table).unwrap();
            let least = spec.check(Duration::from_millis(20), &At::root("impairment")).unwrap();
            record.hash(least.as_nanos());
            // The second of a kind draws on its own.
            let mut two = impairment::build(&[spec.clone(), spec.clone()], &Streams::new(1, "records"));
            let (mut now, mut rng) = (Time::ZERO, stream(1, "gaps"));
            let (mut lost, mut delays, mut copies) = (0, 0, 0);
            for _ in 0..2000 {
                now += Duration::from_micros(rng.random_range(0..3000));
                let delay = Duration::from_millis(20);
                let mut passage = impairment::Passage { delay, ..impairment::Passage::default() };
                two.iter_mut().for_each(|one| one.impair(now, &mut passage));
                record.hash(passage.delay.as_nanos());
                record.text(&format!("{} {} {:?}", passage.copies, passage.overtakes, passage.yields));
                lost += u64::from(passage.lost);
                copies += u64::from(passage.copies);
                delays += passage.delay.as_nanos();
            }
            let text = format!(
                "{}; least delay {least}, lost {lost}, copies {copies}, mean delay {} ns",
                spec.summary(),
                delays / 2000
            );
            record.line(&named(&table), &text);
        }
    }
    record.finish();
}

const PORTS: u32 = 3;

fn pass(spec: &NodeAgentSpec, record: &mut Record) -> String {
    let port = Port { rate: BitRate::from_bps(10_000_000), mtu: 1500 };
    let setting = Setting { router: 2, ports: vec![port; PORTS as usize], rng: stream(1, "records") };
    let mut agent = spec.build(setting);
    record.text(&format!("{} {}", header_names(spec.headers()), spec.draws()));
    let (mut verdicts, mut outbox) = (Verdicts::default(), Outbox::default());
    let mut rng = stream(1, "node");
    let trump = spec.headers().contains(&TrumpHeader::KIND);
    let mut originated = 0;
    for shape in [Shape::Responsive, Shape::Waves] {
        let mut source = Source::new(shape);
        let (mut waiting, mut served) = (0_u64, Time::ZERO);
        // The second run begins where the first has ended.
        let begin = Duration::from_secs(if shape == Shape::Waves { 100 } else { 0 });
        for n in 0..shape.packets() / 2 {
            let arrived = source.next();
            let now = arrived.at + begin;
            let view = |waiting: u64| {
                let queue = QueueView {
                    packets: waiting / 1500,
                    bytes: waiting,
                    rate: BitRate::from_bps(10_000_000),
                };
                let counters = Counters { arrived: n, sent_bytes: 1000 * n, ..Counters::default() };
                PortView { queue, counters, backlog: waiting / 1500 + 1 }
            };
            while agent.wake_at() < now {
                let at = agent.wake_at();
                agent.wake(at, &[view(waiting), view(waiting / 2), view(0)], &mut outbox);
                record.hash(at.as_nanos());
            }
            waiting = waiting.saturating_sub(now.since(served.max(Time::ZERO)).as_nanos() / 800);
            served = now;
            waiting += u64::from(arrived.size);
            if waiting > 60_000 {
                source.congested();
            }
            let flow = FlowId { index: arrived.flow % 12, number: arrived.flow };
            let reverse = rng.random_range(0..4) == 0;
            let passage = Passage {
                flow,
                way: if reverse { Way::Reverse } else { Way::Forward },
                originated: rng.random_range(0..30) == 0,
                entered: arrived.flow % PORTS,
                leaves: (arrived.flow + 1) % PORTS,
            };
            let rates = [f32::INFINITY, 1e5, 4e5, 8e5, 3e6, 2e7];
            let header = TrumpHeader {
                kind: TrumpKind::of(if reverse {
                    [2, 4, 4, 5][rng.random_range(0..4)]
                } else {
                    [1, 3, 3, 3, 3, 6][rng.random_range(0..6)]
                }),
                desired: rates[rng.random_range(0..6)],
                rate: rates[rng.random_range(0..6)],
                bottleneck: rng.random_range(0..4),
                return_rate: rates[rng.random_range(0..6)],
                return_bottleneck: rng.random_range(0..4),
                number: n as u32,
                ..TrumpHeader::default()
            };
            let packet =
                if trump { Packet::of(header, arrived.flow, arrived.size, Ecn::NotEct) } else { arrived };
            let onward = agent.passing(now, packet, &passage, &view(waiting), &mut verdicts, &mut outbox);
            verdicts.hash(record);
            for word in onward.iter().flat_map(|packet| packet.body) {
                record.hash(word);
            }
            for (flow, way, packet) in outbox.drain() {
                originated += 1;
                record.hash(flow.number);
                record.hash(u8::from(way == Way::Forward));
                record.hash(packet.size);
                packet.body.iter().for_each(|word| record.hash(*word));
            }
        }
        record.hash(agent.wake_at().as_nanos());
    }
    let sum = agent.allocated().iter().fold([0; 5], |sum, port| {
        let of = [port.hits, port.misses, port.updates, port.quenches, port.forgotten];
        std::array::from_fn(|i| sum[i] + of[i])
    });
    record.text(&format!("{:?}", agent.allocated()));
    let [hits, misses, updates, quenches, forgotten] = sum;
    format!(
        "originated {originated} hits {hits} misses {misses} updates {updates} quenches {quenches} forgotten {forgotten}"
    )
}

#[test]
fn node_agents_do_what_they_did() {
    let mut record = record("nodes");
    let parse = |table: &Value| NodeAgentSpec::from_value(table, &At::root("agent")).ok();
    for about in NodeAgentSpec::descriptors() {
        let Some(base) = required(about.name, &[], &parse) else { continue };
        let list = [
            r#"{"kind": "rbcc", "quench": true, "quench_scope": "own", "idle": "1s"}"#,
            r#"{"kind": "rbcc", "quench": true, "revupdates": true, "alpha": 0.4, "idle": "100ms", "sweep": "50ms"}"#,
            r#"{"kind": "source-quench", "threshold": 5, "min_interval": "10ms"}"#,
        ];
        let more = runs(&base, &about.fields, &list, &|table| parse(table).is_some());
        for table in std::iter::once(base).chain(more) {
            let text = pass(&parse(&table).unwrap(), &mut record);
            record.line(&named(&table), &text);
        }
    }
    record.finish();
}
