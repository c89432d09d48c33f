//! Tracks of Perfetto and what stands on them (perfetto.dev, TrackEvent; `protos/perfetto/trace`).

use std::io::{self, Write};

use dumbbell_core::Time;

use super::message::Message;

/// What a counter counts (`CounterDescriptor.Unit`), if Perfetto knows the unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unit {
    Nanoseconds,
    Packets,
    Bytes,
    BitRate,
}

impl Unit {
    fn descriptor(self) -> Message {
        let counter = Message::default();
        match self {
            Unit::Nanoseconds => counter.number(3, 1),
            Unit::Packets => counter.text(6, "packets"),
            Unit::Bytes => counter.number(3, 3),
            Unit::BitRate => counter.text(6, "bit/s"),
        }
    }
}

/// A track, by its number in the file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Track(u64);

/// Notes beside a slice: their names, and numbers or texts.
pub(crate) enum Note<'a> {
    Number(&'a str, u64),
    Text(&'a str, &'a str),
}

/// Types of events.
const BEGIN: u64 = 1;
const END: u64 = 2;
const INSTANT: u64 = 3;
const COUNTER: u64 = 4;

/// Writes tracks and events.
pub(crate) struct Tracks<W> {
    out: W,
    epoch: u64,
    tracks: u64,
}

impl<W: Write> Tracks<W> {
    /// Tracks that go to `out`.
    pub fn new(out: W) -> Tracks<W> {
        Tracks { out, epoch: 0, tracks: 0 }
    }

    /// Begins the file.
    pub fn begin(&mut self, epoch: u64) -> io::Result<()> {
        self.epoch = epoch;
        // Nothing that stands before refers to anything: SEQ_INCREMENTAL_STATE_CLEARED.
        self.packet(Message::default().number(13, 1))
    }

    /// A track below another one, or at the top. Perfetto shows tracks of one name below one track as one.
    pub fn track(&mut self, name: &str, parent: Option<Track>, counts: Option<Unit>) -> io::Result<Track> {
        self.tracks += 1;
        let mut track = Message::default().number(1, self.tracks).text(2, name);
        if let Some(parent) = parent {
            track = track.number(5, parent.0);
        }
        if let Some(unit) = counts {
            track = track.message(8, &unit.descriptor());
        }
        self.packet(Message::default().message(60, &track))?;
        Ok(Track(self.tracks))
    }

    /// A slice begins.
    pub fn slice(&mut self, now: Time, track: Track, name: &str, notes: &[Note<'_>]) -> io::Result<()> {
        self.event(now, track, BEGIN, |event| annotated(event.text(23, name), notes))
    }

    /// The latest slice of a track ends.
    pub fn end(&mut self, now: Time, track: Track, notes: &[Note<'_>]) -> io::Result<()> {
        self.event(now, track, END, |event| annotated(event, notes))
    }

    /// Something that takes no time.
    pub fn instant(&mut self, now: Time, track: Track, name: &str, notes: &[Note<'_>]) -> io::Result<()> {
        self.event(now, track, INSTANT, |event| annotated(event.text(23, name), notes))
    }

    /// The value of a counter from now on.
    pub fn count(&mut self, now: Time, track: Track, value: f64) -> io::Result<()> {
        self.event(now, track, COUNTER, |event| event.double(44, value))
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn event(
        &mut self,
        now: Time,
        track: Track,
        kind: u64,
        fill: impl FnOnce(Message) -> Message,
    ) -> io::Result<()> {
        let event = fill(Message::default().number(9, kind).number(11, track.0));
        let time = self.epoch.saturating_add(now.as_nanos());
        self.packet(Message::default().number(8, time).message(11, &event))
    }

    /// One of the packets that a trace consists of, all of one sequence.
    fn packet(&mut self, packet: Message) -> io::Result<()> {
        let packet = packet.number(10, 1);
        self.out.write_all(Message::default().message(1, &packet).as_bytes())
    }
}

fn annotated(event: Message, notes: &[Note<'_>]) -> Message {
    notes.iter().fold(event, |event, note| {
        let annotation = match note {
            Note::Number(name, value) => Message::default().text(10, name).number(3, *value),
            Note::Text(name, value) => Message::default().text(10, name).text(6, value),
        };
        event.message(4, &annotation)
    })
}
