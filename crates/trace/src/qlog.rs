//! Traces as qlog (draft-ietf-quic-qlog-main-schema, sequential files; draft-ietf-quic-qlog-quic-events).
//!
//! The events of QUIC that hold for any transport are used as they are: the metrics and the states of congestion
//! control. qlog defines no packets but those of QUIC and HTTP/3, so what happens to packets is in a namespace of its
//! own, `dumbbell`.

use std::collections::HashMap;
use std::io::{self, Write};

use dumbbell_core::{Duration, Ecn, Time, Way};
use serde_json::{Map, Value, json};

use crate::event::{Event, Happened, Network, Seen, State, What};
use crate::fields::{Fields, Protocol};
use crate::sink::Sink;

/// Separates the records (RFC 7464 section 2.2).
const RECORD: u8 = 0x1e;
/// What the events of QUIC mean.
const QUIC: &str = "urn:ietf:params:qlog:events:quic";
/// What the others mean. No schema of the IETF has a name of this form.
const OURS: &str = "urn:x-dumbbell:qlog:events:packets";

/// Writes events as a sequential qlog file. Times are in milliseconds; the group of an event is the number of its flow.
pub struct Qlog<W> {
    out: W,
    /// By flow: what was told last.
    told: HashMap<u32, State>,
}

impl<W: Write> Qlog<W> {
    /// A file that goes to `out`.
    pub fn new(out: W) -> Qlog<W> {
        Qlog { out, told: HashMap::new() }
    }

    fn record(&mut self, value: &Value) -> io::Result<()> {
        self.out.write_all(&[RECORD])?;
        serde_json::to_writer(&mut self.out, value)?;
        self.out.write_all(b"\n")
    }

    fn tell(&mut self, event: &Event<'_>, name: &str, data: Value) -> io::Result<()> {
        let time = event.time.as_nanos() as f64 / 1e6;
        let group = event.flow.number.to_string();
        self.record(&json!({"time": time, "name": name, "group_id": group, "data": data}))
    }

    /// What has changed since it was told last.
    fn state(&mut self, event: &Event<'_>, state: &State) -> io::Result<()> {
        let before = self.told.insert(event.flow.number, *state);
        let metrics = changed(before.as_ref(), state);
        if !metrics.is_empty() {
            self.tell(event, "quic:recovery_metrics_updated", metrics.into())?;
        }
        let old = before.and_then(|state| state.phase);
        if let Some(new) = state.phase.filter(|_| state.phase != old) {
            let mut data = Map::new();
            if let Some(old) = old {
                data.insert("old".to_owned(), word(old).into());
            }
            data.insert("new".to_owned(), word(new).into());
            self.tell(event, "quic:congestion_state_updated", data.into())?;
        }
        Ok(())
    }
}

impl<W: Write> Sink for Qlog<W> {
    fn begin(&mut self, network: &Network) -> io::Result<()> {
        let world = if network.epoch == 0 { "simulated" } else { "real" };
        self.record(&json!({
            "file_schema": "urn:ietf:params:qlog:file:sequential",
            "serialization_format": "application/qlog+json-seq",
            "title": format!("{world} packets"),
            "description": concat!("written by dumbbell ", env!("CARGO_PKG_VERSION")),
            "trace": {
                "common_fields": {
                    "time_format": "relative_to_epoch",
                    "reference_time": {"clock_type": "monotonic", "epoch": "unknown"},
                },
                "vantage_point": {"name": "both ends of flows, and links", "type": "network", "flow": "client"},
                "event_schemas": [QUIC, OURS],
            },
        }))
    }

    fn event(&mut self, network: &Network, event: &Event<'_>) -> io::Result<()> {
        match event.what {
            What::Opened => {
                let flow = event.flow;
                let node = |index: u32| network.nodes.get(index as usize).map_or("", String::as_str);
                let mut data = json!({
                    "source": node(flow.source),
                    "destination": node(flow.destination),
                    "group": flow.group,
                    "transport": flow.transport,
                    "controller": flow.controller,
                });
                if let Some(size) = flow.size {
                    data["size"] = size.into();
                }
                self.tell(event, "dumbbell:flow_opened", data)
            }
            What::Closed => {
                self.told.remove(&event.flow.number);
                self.tell(event, "dumbbell:flow_closed", json!({}))
            }
            What::State(state) => self.state(event, state),
            What::Packet(happened, seen) => {
                let name = match happened {
                    Happened::Sent => "dumbbell:packet_sent",
                    Happened::Delivered | Happened::Returned => "dumbbell:packet_received",
                    Happened::Dropped(..) => "dumbbell:packet_dropped",
                    Happened::Marked(_) => "dumbbell:packet_marked",
                    Happened::Duplicated(_) => "dumbbell:packet_duplicated",
                    Happened::Originated => "dumbbell:packet_originated",
                    Happened::Arrived(_) => "dumbbell:packet_queued",
                    Happened::Left(_) => "dumbbell:packet_transmitted",
                    Happened::Passed(_) => "dumbbell:packet_passed",
                };
                self.tell(event, name, packet(network, event, happened, seen))
            }
        }
    }

    fn end(&mut self, _network: &Network, _now: Time) -> io::Result<()> {
        self.out.flush()
    }
}

/// The name of a state, in the style of qlog.
fn word(phase: &str) -> String {
    phase.replace('-', "_")
}

fn millis(duration: Duration) -> f64 {
    duration.as_nanos() as f64 / 1e6
}

/// The fields of `recovery_metrics_updated` that are new.
fn changed(before: Option<&State>, state: &State) -> Map<String, Value> {
    fn put<T: PartialEq>(
        metrics: &mut Map<String, Value>,
        name: &str,
        values: (Option<T>, Option<T>),
        write: fn(T) -> Value,
    ) {
        let (old, new) = values;
        if let Some(new) = new.filter(|new| old.as_ref() != Some(new)) {
            metrics.insert(name.to_owned(), write(new));
        }
    }
    let known = |rtt: Duration| Some(rtt).filter(|rtt| !rtt.is_zero());
    let mut metrics = Map::new();
    let values = |of: fn(&State) -> Option<u64>| (before.and_then(of), of(state));
    put(&mut metrics, "congestion_window", values(|s| Some(s.window)), Value::from);
    put(&mut metrics, "ssthresh", values(|s| s.threshold), Value::from);
    put(&mut metrics, "bytes_in_flight", values(|s| Some(s.in_flight)), Value::from);
    put(&mut metrics, "pacing_rate", values(|s| s.pacing.map(|rate| rate as u64)), Value::from);
    let times = |of: fn(&State) -> Duration| (before.and_then(|s| known(of(s))), known(of(state)));
    put(&mut metrics, "min_rtt", times(|s| s.min_rtt), |rtt| millis(rtt).into());
    put(&mut metrics, "smoothed_rtt", times(|s| s.smoothed_rtt), |rtt| millis(rtt).into());
    metrics
}

fn packet(network: &Network, event: &Event<'_>, happened: Happened, seen: &Seen<'_>) -> Value {
    let fields = seen.fields;
    let mut data = Map::new();
    let mut put = |key: &str, value: Value| data.insert(key.to_owned(), value);
    put("header", header(seen.number, fields));
    put("raw", json!({"length": fields.size, "payload_length": fields.payload}));
    put("direction", if seen.way == Way::Forward { "forward" } else { "reverse" }.into());
    put(if happened.link().is_some() { "link" } else { "node" }, event.place(network).into());
    let ecn = match fields.ecn {
        Ecn::Ect1 => "ECT(1)",
        Ecn::Ect0 => "ECT(0)",
        Ecn::Ce => "CE",
        _ => "Not-ECT",
    };
    put("ecn", ecn.into());
    if fields.class > 0 {
        put("traffic_class", fields.class.into());
    }
    if let Some(reason) = happened.reason() {
        put("trigger", reason.name().replace('-', "_").into());
    }
    data.into()
}

/// The fields of a header, those that it has.
fn header(number: u64, fields: &Fields) -> Value {
    let mut header = Map::new();
    let mut put = |key: &str, value: Value| header.insert(key.to_owned(), value);
    put("packet_type", fields.protocol.name().into());
    put("packet_number", number.into());
    match fields.protocol {
        Protocol::Tcp => {
            put("flags", fields.kind().into());
            put("sequence_number", fields.number.into());
        }
        Protocol::Quench | Protocol::Other => {}
        Protocol::Udp => {
            put("number", fields.number.into());
        }
        Protocol::Rcp | Protocol::Trump | Protocol::Tfrc | Protocol::Nada => {
            put("kind", fields.kind().into());
            put("number", fields.number.into());
        }
    }
    if let Some(ack) = fields.ack {
        put("acknowledgment_number", ack.into());
    }
    if let Some(window) = fields.window {
        put("window", window.into());
    }
    if !fields.sack.is_empty() {
        put("sack_ranges", json!(fields.sack));
    }
    if let Some(rate) = fields.rate {
        put("rate", json!(rate));
    }
    header.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Trace;
    use crate::tests::{Shared, flow, network, written};

    /// The records of a file. Each begins with a separator and ends with a line feed.
    fn records(bytes: &[u8]) -> Vec<Value> {
        let (first, rest) = bytes.split_first().unwrap();
        assert_eq!((*first, rest.last()), (RECORD, Some(&b'\n')));
        rest.split(|byte| *byte == RECORD).map(|text| serde_json::from_slice(text).unwrap()).collect()
    }

    /// Names of types in the schema, and which fields must be there.
    fn check(value: &Value, must: &[&str], may: &[&str]) {
        let fields = value.as_object().unwrap();
        assert!(must.iter().all(|field| fields.contains_key(*field)), "{must:?} in {value}");
        let known = |field: &String| must.contains(&field.as_str()) || may.contains(&field.as_str());
        assert!(fields.keys().all(known), "{value}");
    }

    #[test]
    fn the_file_has_the_fields_of_the_schema() {
        let records = records(&written(|out| Box::new(Qlog::new(out))));
        let head = &records[0];
        check(head, &["file_schema", "serialization_format", "trace"], &["title", "description"]);
        assert_eq!(head["file_schema"], "urn:ietf:params:qlog:file:sequential");
        assert_eq!(head["serialization_format"], "application/qlog+json-seq");
        let trace = &head["trace"];
        check(trace, &["event_schemas"], &["title", "description", "common_fields", "vantage_point"]);
        assert!(!trace["event_schemas"].as_array().unwrap().is_empty());
        check(&trace["vantage_point"], &["type"], &["name", "flow"]);
        assert!(
            ["client", "server", "network", "unknown"]
                .contains(&trace["vantage_point"]["type"].as_str().unwrap())
        );
        check(&trace["common_fields"], &[], &["time_format", "reference_time", "group_id"]);
        // A monotonic clock has no epoch that is known.
        let clock = &trace["common_fields"]["reference_time"];
        assert_eq!((&clock["clock_type"], &clock["epoch"]), (&"monotonic".into(), &"unknown".into()));
        let mut latest = 0.0;
        for event in &records[1..] {
            check(event, &["time", "name", "data"], &["group_id"]);
            let time = event["time"].as_f64().unwrap();
            assert!(time >= latest, "in the order of time");
            latest = time;
            assert_eq!(event["group_id"], "3");
            let (space, name) = event["name"].as_str().unwrap().split_once(':').unwrap();
            assert!(space == "dumbbell" && !name.is_empty());
        }
        let named = |name: &str| records.iter().filter(|r| r["name"] == name).collect::<Vec<_>>();
        let dropped = named("dumbbell:packet_dropped");
        assert_eq!((dropped.len(), &dropped[0]["data"]["trigger"]), (1, &"overflow".into()));
        assert_eq!(dropped[0]["data"]["link"], "left->right");
        assert_eq!(named("dumbbell:packet_sent").len(), 6);
        assert_eq!(named("dumbbell:packet_received").len(), 5);
        let header = &named("dumbbell:packet_received")[3]["data"]["header"];
        assert_eq!(
            (&header["acknowledgment_number"], &header["sack_ranges"]),
            (&1.into(), &json!([[1449, 2897]]))
        );
    }

    #[test]
    fn metrics_are_written_when_they_change() {
        let shared = Shared::default();
        let sink: Box<dyn Sink> = Box::new(Qlog::new(shared.clone()));
        let mut trace = Trace::begin(network(), vec![("memory".to_owned(), sink)]).unwrap();
        trace.opened(Time::ZERO, flow(3)).unwrap();
        let start = State { window: 14_480, phase: Some("slow-start"), ..State::default() };
        let later = State {
            threshold: Some(7_240),
            smoothed_rtt: Duration::from_micros(20_500),
            phase: Some("recovery"),
            ..start
        };
        for state in [&start, &start, &later] {
            trace.state(Time::ZERO, 3, state).unwrap();
        }
        trace.end(Time::ZERO).unwrap();
        let records = records(&shared.bytes());
        let told: Vec<(&str, &Value)> =
            records[2..].iter().map(|r| (r["name"].as_str().unwrap(), &r["data"])).collect();
        let (metrics, states) = ("quic:recovery_metrics_updated", "quic:congestion_state_updated");
        assert_eq!(
            told,
            [
                (metrics, &json!({"congestion_window": 14_480, "bytes_in_flight": 0})),
                (states, &json!({"new": "slow_start"})),
                (metrics, &json!({"ssthresh": 7_240, "smoothed_rtt": 20.5})),
                (states, &json!({"old": "slow_start", "new": "recovery"})),
            ]
        );
    }
}
