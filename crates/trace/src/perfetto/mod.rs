//! Traces that Perfetto (ui.perfetto.dev) shows: flows, queues and states as tracks.

mod message;
mod tracks;

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use dumbbell_core::{Time, Way};

use self::tracks::{Note, Track, Tracks, Unit};
use crate::event::{Event, Flow, Happened, Network, Seen, State, What};
use crate::fields::{Fields, Protocol};
use crate::sink::Sink;

/// Writes events as a trace of Perfetto.
///
/// A flow is a group of tracks: the phases of its congestion control as slices, its window and other quantities as
/// counters, and a slice for each packet on its way, data and acknowledgements apart. A link is a group too: the
/// packets in its queue as a counter, its drops and marks as instants.
pub struct Perfetto<W> {
    tracks: Tracks<W>,
    flows: HashMap<u32, FlowTracks>,
    links: HashMap<u32, LinkTracks>,
    /// By the number of the packet: the flow that it belongs to, and its lane.
    inside: HashMap<u64, Place>,
    /// The time of the latest event, and the links whose queues have changed at that time.
    now: Time,
    changed: Vec<u32>,
}

/// Where the slice of a packet stands.
#[derive(Clone, Copy)]
struct Place {
    flow: u32,
    way: usize,
    lane: usize,
}

/// The tracks of a flow.
struct FlowTracks {
    group: Track,
    phases: Option<Track>,
    phase: Option<&'static str>,
    counters: HashMap<&'static str, (Track, f64)>,
    /// Data and acknowledgements: slices of one track must not overlap, so each packet on its way has a lane of its
    /// own. A lane that is free is used again.
    lanes: [Vec<(Track, bool)>; 2],
}

/// The tracks of a link.
struct LinkTracks {
    queue: Track,
    events: Track,
    queued: HashSet<u64>,
}

impl<W: Write> Perfetto<W> {
    /// A trace that goes to `out`.
    pub fn new(out: W) -> Perfetto<W> {
        Perfetto {
            tracks: Tracks::new(out),
            flows: HashMap::new(),
            links: HashMap::new(),
            inside: HashMap::new(),
            now: Time::ZERO,
            changed: Vec::new(),
        }
    }

    /// Time passes. Only now is it known how long the queues were: what is dropped at once has arrived before.
    fn pass(&mut self, now: Time) -> io::Result<()> {
        if now > self.now {
            for link in self.changed.drain(..) {
                if let Some(tracks) = self.links.get(&link) {
                    self.tracks.count(self.now, tracks.queue, tracks.queued.len() as f64)?;
                }
            }
            self.now = now;
        }
        Ok(())
    }

    /// The tracks of a flow. They begin with the first event of it.
    fn open(&mut self, network: &Network, flow: &Flow) -> io::Result<()> {
        if self.flows.contains_key(&flow.number) {
            return Ok(());
        }
        let node = |index: u32| network.nodes.get(index as usize).map_or("?", String::as_str);
        let how = if flow.controller.is_empty() { &flow.transport } else { &flow.controller };
        let name =
            format!("flow {}: {} to {}, {how}", flow.number, node(flow.source), node(flow.destination));
        let group = self.tracks.track(&name, None, None)?;
        let tracks = FlowTracks {
            group,
            phases: None,
            phase: None,
            counters: HashMap::new(),
            lanes: [Vec::new(), Vec::new()],
        };
        self.flows.insert(flow.number, tracks);
        Ok(())
    }

    fn close(&mut self, now: Time, flow: u32) -> io::Result<()> {
        let Some(tracks) = self.flows.remove(&flow) else { return Ok(()) };
        if let (Some(phases), Some(_)) = (tracks.phases, tracks.phase) {
            self.tracks.end(now, phases, &[])?;
        }
        for (lane, busy) in tracks.lanes.into_iter().flatten() {
            if busy {
                self.tracks.end(now, lane, &[Note::Text("fate", "unknown")])?;
            }
        }
        self.inside.retain(|_, place| place.flow != flow);
        Ok(())
    }

    fn state(&mut self, now: Time, flow: u32, state: &State) -> io::Result<()> {
        let Some(tracks) = self.flows.get_mut(&flow) else { return Ok(()) };
        let rtt = state.smoothed_rtt.as_nanos();
        let counters = [
            ("congestion window", Unit::Bytes, Some(state.window as f64)),
            ("slow-start threshold", Unit::Bytes, state.threshold.map(|bytes| bytes as f64)),
            ("in flight", Unit::Bytes, Some(state.in_flight as f64)),
            ("smoothed round-trip time", Unit::Nanoseconds, (rtt > 0).then_some(rtt as f64)),
            ("pacing rate", Unit::BitRate, state.pacing),
        ];
        for (name, unit, value) in counters {
            let Some(value) = value else { continue };
            let before = tracks.counters.get(name).copied();
            if before.is_some_and(|(_, old)| old == value) {
                continue;
            }
            let track = match before {
                Some((track, _)) => track,
                None => self.tracks.track(name, Some(tracks.group), Some(unit))?,
            };
            tracks.counters.insert(name, (track, value));
            self.tracks.count(now, track, value)?;
        }
        if state.phase != tracks.phase {
            let phases = match tracks.phases {
                Some(phases) => phases,
                None => self.tracks.track("state", Some(tracks.group), None)?,
            };
            tracks.phases = Some(phases);
            if tracks.phase.is_some() {
                self.tracks.end(now, phases, &[])?;
            }
            if let Some(phase) = state.phase {
                self.tracks.slice(now, phases, phase, &[])?;
            }
            tracks.phase = state.phase;
        }
        Ok(())
    }

    /// The slice of a packet begins when it is sent.
    fn enter(&mut self, now: Time, flow: u32, seen: &Seen<'_>) -> io::Result<()> {
        let Some(tracks) = self.flows.get_mut(&flow) else { return Ok(()) };
        let way = usize::from(seen.way == Way::Reverse);
        let lanes = &mut tracks.lanes[way];
        let lane = match lanes.iter().position(|(_, busy)| !busy) {
            Some(lane) => lane,
            None => {
                let name = ["data", "acknowledgements"][way];
                lanes.push((self.tracks.track(name, Some(tracks.group), None)?, true));
                lanes.len() - 1
            }
        };
        lanes[lane].1 = true;
        let fields = seen.fields;
        let kind = fields.kind();
        let mut notes = vec![
            Note::Number("packet", seen.number),
            Note::Text("kind", &kind),
            Note::Number("bytes", fields.size.into()),
            Note::Number("seq", fields.number),
            Note::Number("len", fields.payload.into()),
        ];
        notes.extend(fields.ack.map(|ack| Note::Number("ack", ack)));
        notes.extend(fields.window.map(|window| Note::Number("win", window)));
        self.tracks.slice(now, lanes[lane].0, &title(fields), &notes)?;
        self.inside.insert(seen.number, Place { flow, way, lane });
        Ok(())
    }

    fn leave(&mut self, now: Time, number: u64, fate: &str) -> io::Result<()> {
        let Some(Place { flow, way, lane }) = self.inside.remove(&number) else { return Ok(()) };
        let Some(tracks) = self.flows.get_mut(&flow) else { return Ok(()) };
        let (track, busy) = &mut tracks.lanes[way][lane];
        *busy = false;
        self.tracks.end(now, *track, &[Note::Text("fate", fate)])
    }

    /// What happened at a link.
    fn at_link(
        &mut self,
        network: &Network,
        event: &Event<'_>,
        happened: Happened,
        seen: &Seen<'_>,
    ) -> io::Result<()> {
        let Some(link) = happened.link() else { return Ok(()) };
        if !self.links.contains_key(&link) {
            let name = network.links.get(link as usize).map_or("?", |link| link.name.as_str());
            let group = self.tracks.track(&format!("link {name}"), None, None)?;
            let queue = self.tracks.track("packets in the queue", Some(group), Some(Unit::Packets))?;
            let events = self.tracks.track("drops and marks", Some(group), None)?;
            self.links.insert(link, LinkTracks { queue, events, queued: HashSet::new() });
        }
        let Some(tracks) = self.links.get_mut(&link) else { return Ok(()) };
        let changed = match happened {
            Happened::Arrived(_) => tracks.queued.insert(seen.number),
            Happened::Left(_) | Happened::Dropped(..) => tracks.queued.remove(&seen.number),
            _ => false,
        };
        if changed && !self.changed.contains(&link) {
            self.changed.push(link);
        }
        let what = match happened {
            Happened::Dropped(_, reason) => format!("dropped: {}", reason.name()),
            Happened::Marked(_) => "marked".to_owned(),
            _ => return Ok(()),
        };
        let notes = [
            Note::Number("flow", event.flow.number.into()),
            Note::Number("packet", seen.number),
            Note::Number("seq", seen.fields.number),
        ];
        self.tracks.instant(event.time, tracks.events, &what, &notes)
    }
}

impl<W: Write> Sink for Perfetto<W> {
    fn begin(&mut self, network: &Network) -> io::Result<()> {
        self.tracks.begin(network.epoch)
    }

    fn event(&mut self, network: &Network, event: &Event<'_>) -> io::Result<()> {
        self.pass(event.time)?;
        let flow = event.flow.number;
        match event.what {
            What::Opened => self.open(network, event.flow),
            What::Closed => self.close(event.time, flow),
            What::State(state) => {
                self.open(network, event.flow)?;
                self.state(event.time, flow, state)
            }
            What::Packet(happened, seen) => {
                self.open(network, event.flow)?;
                // Where only links are shown, nobody tells when a packet has arrived.
                if matches!(happened, Happened::Sent | Happened::Originated | Happened::Duplicated(_)) {
                    self.enter(event.time, flow, seen)?;
                }
                self.at_link(network, event, happened, seen)?;
                match happened {
                    Happened::Dropped(_, reason) => {
                        let fate = format!("dropped at {}: {}", event.place(network), reason.name());
                        self.leave(event.time, seen.number, &fate)
                    }
                    _ if happened.is_last() => self.leave(event.time, seen.number, "arrived"),
                    _ => Ok(()),
                }
            }
        }
    }

    fn end(&mut self, _network: &Network, now: Time) -> io::Result<()> {
        self.pass(Time::NEVER)?;
        let mut open: Vec<u32> = self.flows.keys().copied().collect();
        open.sort_unstable();
        for flow in open {
            self.close(now, flow)?;
        }
        self.tracks.flush()
    }
}

/// What a slice is called.
fn title(fields: &Fields) -> String {
    let kind = fields.kind();
    match (fields.protocol, fields.ack) {
        (Protocol::Tcp, Some(ack)) if fields.payload == 0 => format!("{kind} ack {ack}"),
        (Protocol::Tcp, _) => format!("{kind} seq {}", fields.number),
        (Protocol::Quench, _) => kind,
        (Protocol::Other, _) => fields.protocol.name().to_owned(),
        _ => format!("{kind} {}", fields.number).trim_start().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::Duration;

    use super::*;
    use crate::Trace;
    use crate::tests::{Shared, flow, network, tell, written};

    /// A field of a message: its number, and a number or bytes.
    #[derive(Clone, PartialEq, Debug)]
    enum Value {
        Number(u64),
        Bytes(Vec<u8>),
    }

    fn varint(bytes: &mut &[u8]) -> u64 {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = bytes.split_first().unwrap();
            *bytes = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        value
    }

    fn fields(mut bytes: &[u8]) -> Vec<(u64, Value)> {
        let mut found = Vec::new();
        while !bytes.is_empty() {
            let key = varint(&mut bytes);
            let value = match key & 7 {
                0 => Value::Number(varint(&mut bytes)),
                1 => {
                    let (value, rest) = bytes.split_first_chunk().unwrap();
                    bytes = rest;
                    Value::Number(u64::from_le_bytes(*value))
                }
                2 => {
                    let length = varint(&mut bytes) as usize;
                    let (value, rest) = bytes.split_at(length);
                    bytes = rest;
                    Value::Bytes(value.to_vec())
                }
                other => panic!("wire type {other}"),
            };
            found.push((key >> 3, value));
        }
        found
    }

    fn number(fields: &[(u64, Value)], field: u64) -> Option<u64> {
        fields.iter().find_map(|(at, value)| match value {
            Value::Number(value) if *at == field => Some(*value),
            _ => None,
        })
    }

    fn bytes(fields: &[(u64, Value)], field: u64) -> Option<Vec<u8>> {
        fields.iter().find_map(|(at, value)| match value {
            Value::Bytes(value) if *at == field => Some(value.clone()),
            _ => None,
        })
    }

    fn text(fields: &[(u64, Value)], field: u64) -> String {
        String::from_utf8(bytes(fields, field).unwrap_or_default()).unwrap()
    }

    /// Lines `milliseconds track event`; checks that tracks are declared before they are used, that time never goes
    /// back, and that slices end once.
    fn read(file: &[u8]) -> Vec<String> {
        let mut names: HashMap<u64, String> = HashMap::new();
        let mut open: HashMap<u64, u32> = HashMap::new();
        let mut latest = 0;
        let mut lines = Vec::new();
        for (field, packet) in fields(file) {
            let (1, Value::Bytes(packet)) = (field, packet) else { panic!("no packet") };
            let packet = fields(&packet);
            assert_eq!(number(&packet, 10), Some(1), "one sequence");
            if let Some(track) = bytes(&packet, 60) {
                let track = fields(&track);
                let parent = number(&track, 5).map(|parent| format!("{}/", names[&parent]));
                let name = format!("{}{}", parent.unwrap_or_default(), text(&track, 2));
                assert!(names.insert(number(&track, 1).unwrap(), name).is_none());
            }
            let Some(event) = bytes(&packet, 11) else { continue };
            let event = fields(&event);
            let time = number(&packet, 8).unwrap();
            assert!(time >= latest);
            latest = time;
            let track = number(&event, 11).unwrap();
            let slices = open.entry(track).or_default();
            let what = match number(&event, 9).unwrap() {
                BEGIN => {
                    *slices += 1;
                    assert_eq!(*slices, 1, "slices do not overlap");
                    format!("[ {}", text(&event, 23))
                }
                END => {
                    *slices -= 1;
                    let note = fields(&bytes(&event, 4).unwrap_or_default());
                    format!("] {}", text(&note, 6))
                }
                COUNTER => format!("= {}", f64::from_bits(number(&event, 44).unwrap())),
                _ => format!("! {}", text(&event, 23)),
            };
            lines.push(format!("{} {} {}", time / 1_000_000, names[&track], what.trim()));
        }
        assert!(open.values().all(|slices| *slices == 0), "every slice ends");
        lines
    }

    const BEGIN: u64 = 1;
    const END: u64 = 2;
    const COUNTER: u64 = 4;

    #[test]
    fn packets_are_slices_and_drops_are_instants() {
        let lines = read(&written(|out| Box::new(Perfetto::new(out))));
        let flow = "flow 3: left to right, reno";
        assert_eq!(
            lines,
            [
                format!("0 {flow}/data [ S seq 0"),
                format!("10 {flow}/data ] arrived"),
                format!("10 {flow}/acknowledgements [ S. ack 1"),
                format!("20 {flow}/acknowledgements ] arrived"),
                format!("20 {flow}/data [ . seq 1"),
                format!("20 {flow}/data [ . seq 1449"),
                "20 link left->right/drops and marks ! dropped: overflow".to_owned(),
                format!("20 {flow}/data ] dropped at left->right: overflow"),
                "20 link left->right/packets in the queue = 1".to_owned(),
                format!("30 {flow}/data ] arrived"),
                format!("30 {flow}/acknowledgements [ . ack 1"),
                format!("40 {flow}/acknowledgements ] arrived"),
                format!("40 {flow}/data [ . seq 1"),
                format!("50 {flow}/data ] arrived"),
            ]
        );
    }

    #[test]
    fn states_are_slices_and_counters_and_what_is_open_is_closed() {
        let shared = Shared::default();
        let sink: Box<dyn Sink> = Box::new(Perfetto::new(shared.clone()));
        let mut trace = Trace::begin(network(), vec![("memory".to_owned(), sink)]).unwrap();
        tell(&mut trace).unwrap();
        trace.opened(Time::from_nanos(60_000_000), flow(4)).unwrap();
        let start = State { window: 10, phase: Some("slow-start"), ..State::default() };
        let later = State { smoothed_rtt: Duration::from_nanos(5), phase: Some("loss"), ..start };
        for state in [&start, &start, &later] {
            trace.state(Time::from_nanos(61_000_000), 4, state).unwrap();
        }
        trace.end(Time::from_nanos(70_000_000)).unwrap();
        let lines = read(&shared.bytes());
        let flow = "flow 4: left to right, reno";
        assert_eq!(
            lines[lines.len() - 7..],
            [
                format!("61 {flow}/congestion window = 10"),
                format!("61 {flow}/in flight = 0"),
                format!("61 {flow}/state [ slow-start"),
                format!("61 {flow}/smoothed round-trip time = 5"),
                format!("61 {flow}/state ]"),
                format!("61 {flow}/state [ loss"),
                format!("70 {flow}/state ]"),
            ]
        );
    }
}
