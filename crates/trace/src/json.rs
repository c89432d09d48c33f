//! Events as lines of JSON.

use std::io::{self, Write};

use dumbbell_core::{Time, Way};
use serde_json::{Map, Value, json};

use crate::event::{Event, Network, What};
use crate::fields::Feedback;
use crate::sink::Sink;

/// Writes one JSON object on a line for each event, those of flows and their states too. Times are in seconds, sizes in
/// bytes, rates in bits a second.
pub struct JsonLines<W> {
    out: W,
}

impl<W: Write> JsonLines<W> {
    /// Lines that go to `out`.
    pub fn new(out: W) -> JsonLines<W> {
        JsonLines { out }
    }
}

impl<W: Write> Sink for JsonLines<W> {
    fn begin(&mut self, _network: &Network) -> io::Result<()> {
        Ok(())
    }

    fn event(&mut self, network: &Network, event: &Event<'_>) -> io::Result<()> {
        let mut line = Map::new();
        let mut put = |key: &str, value: Value| line.insert(key.to_owned(), value);
        put("time", json!(event.time.as_secs_f64()));
        put("flow", json!(event.flow.number));
        let node = |index: u32| network.nodes.get(index as usize);
        match event.what {
            What::Opened => {
                put("event", json!("opened"));
                put("group", json!(event.flow.group));
                put("source", json!(node(event.flow.source)));
                put("destination", json!(node(event.flow.destination)));
                put("transport", json!(event.flow.transport));
                put("controller", json!(event.flow.controller));
                put("size", json!(event.flow.size));
            }
            What::Closed => {
                put("event", json!("closed"));
            }
            What::State(state) => {
                put("event", json!("state"));
                put("cwnd", json!(state.window));
                put("ssthresh", json!(state.threshold));
                put("in_flight", json!(state.in_flight));
                put("srtt", json!(state.smoothed_rtt.as_secs_f64()));
                put("min_rtt", json!(state.min_rtt.as_secs_f64()));
                put("pacing", json!(state.pacing));
                put("phase", json!(state.phase));
            }
            What::Packet(happened, seen) => {
                put("event", json!(happened.name()));
                put("place", json!(event.place(network)));
                put("packet", json!(seen.number));
                put("way", json!(if seen.way == Way::Forward { "forward" } else { "reverse" }));
                let fields = seen.fields;
                put("protocol", json!(fields.protocol.name()));
                put("kind", json!(fields.kind()));
                put("bytes", json!(fields.size));
                put("seq", json!(fields.number));
                put("len", json!(fields.payload));
                put("ecn", json!(fields.ecn.bits()));
                put("class", json!(fields.class));
                if let Some(ack) = fields.ack {
                    put("ack", json!(ack));
                }
                if let Some(window) = fields.window {
                    put("win", json!(window));
                }
                if !fields.sack.is_empty() {
                    put("sack", json!(fields.sack));
                }
                if let Some(rate) = fields.rate {
                    put("rate", json!(rate));
                }
                match fields.feedback {
                    Some(Feedback::Ask(asked)) => drop(put("delta", json!(asked.delta))),
                    Some(Feedback::Answer(answer)) => drop(put("answer", json!(answer))),
                    None => {}
                }
                if let Some(reason) = happened.reason() {
                    put("reason", json!(reason.name()));
                }
            }
        }
        serde_json::to_writer(&mut self.out, &line)?;
        self.out.write_all(b"\n")
    }

    fn end(&mut self, _network: &Network, _now: Time) -> io::Result<()> {
        self.out.flush()
    }
}
