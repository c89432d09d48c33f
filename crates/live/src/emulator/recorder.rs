//! What happens to each packet, told to the sinks of a trace. A thread of its own writes, so a slow disk delays no packet.

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::{io, mem};

use dumbbell_core::{Time, Way};
use dumbbell_sim::trace::Limit;
use dumbbell_trace::{Content, Ends, Flow, Happened, Link, Network, Sink, Trace};

use super::path::{Path, UP};
use crate::clock::Clock;
use crate::frame::IpFrame;

/// Bytes of packets that go to the thread at once.
const BATCH: usize = 64 << 10;

/// Bytes that may wait for the thread. With more, the trace ends: the emulator goes on without.
pub const MOST_WAITING: u64 = 64 << 20;

/// Conversations at most: each stays in memory to the end.
pub const MOST_FLOWS: u32 = 1 << 16;

/// The nodes of the network.
const CLIENT: u32 = 0;
const SERVER: u32 = 1;

/// Sinks, each with the name that errors give it.
pub type Sinks = Vec<(String, Box<dyn Sink>)>;

/// What to write.
pub struct Tracing {
    /// Makes the sinks, in the thread that writes to them.
    pub sinks: Box<dyn FnOnce() -> Sinks + Send>,
    /// The most events of packets.
    pub most: u64,
}

/// Events that were written, or why there is no trace.
pub type Traced = Result<u64, String>;

/// Something that happened to a packet, whose bytes end at `end` of its batch and begin where those before it end.
#[derive(Clone, Copy, Debug)]
struct Note {
    at: Time,
    to: usize,
    happened: Happened,
    end: usize,
}

/// Some notes and the bytes of their packets. It counts as waiting until the last of them is written.
#[derive(Debug, Default)]
struct Batch {
    notes: Vec<Note>,
    bytes: Vec<u8>,
    size: u64,
    waiting: Arc<AtomicU64>,
}

impl Batch {
    fn note(&self, i: usize) -> (Note, &[u8]) {
        let start = i.checked_sub(1).map_or(0, |before| self.notes[before].end);
        (self.notes[i], &self.bytes[start..self.notes[i].end])
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.waiting.fetch_sub(self.size, Ordering::Relaxed);
    }
}

/// A message to the thread.
enum Told {
    Happened(Batch),
    /// Everything before this time has been sent.
    Until(Time),
    End(Time),
}

/// Tells the thread.
pub struct Recorder {
    batch: Batch,
    waiting: Arc<AtomicU64>,
    /// None once the trace has ended early.
    told: Option<Sender<Told>>,
    thread: JoinHandle<Traced>,
    /// True if the thread did not keep up.
    behind: bool,
}

impl Recorder {
    /// Begins a trace whose times are those of `clock`.
    ///
    /// # Errors
    /// If there can be no thread.
    pub fn begin(tracing: Tracing, path: &Path, clock: &Clock) -> io::Result<Recorder> {
        let link = |name: &str, from, to| Link { name: name.to_owned(), from, to };
        let network = Network {
            nodes: vec!["client".to_owned(), "server".to_owned()],
            links: vec![link(&path.uplink.name, CLIENT, SERVER), link(&path.downlink.name, SERVER, CLIENT)],
            epoch: clock.epoch(),
        };
        let (told, tellings) = channel();
        let thread = thread::Builder::new()
            .name("trace".to_owned())
            .spawn(move || write(&tellings, network, (tracing.sinks)(), tracing.most))?;
        let waiting = Arc::new(AtomicU64::new(0));
        Ok(Recorder { batch: Batch::default(), waiting, told: Some(told), thread, behind: false })
    }

    /// Something happened to a packet in a direction.
    pub fn note(&mut self, at: Time, to: usize, happened: Happened, frame: &IpFrame) {
        if self.told.is_none() {
            return;
        }
        self.batch.bytes.extend_from_slice(frame.bytes());
        self.batch.notes.push(Note { at, to, happened, end: self.batch.bytes.len() });
        if self.batch.bytes.len() >= BATCH {
            self.send();
        }
    }

    /// No event from before this time will be noted any more.
    pub fn known_until(&mut self, time: Time) {
        self.send();
        self.tell(Told::Until(time));
    }

    fn send(&mut self) {
        if self.batch.notes.is_empty() {
            return;
        }
        let mut batch = mem::take(&mut self.batch);
        batch.size = (batch.bytes.capacity() + batch.notes.capacity() * size_of::<Note>()) as u64;
        batch.waiting = self.waiting.clone();
        if self.waiting.fetch_add(batch.size, Ordering::Relaxed) + batch.size > MOST_WAITING {
            self.behind = true;
            self.told = None;
            return;
        }
        self.tell(Told::Happened(batch));
    }

    /// Drops the event if the thread has given up.
    fn tell(&mut self, what: Told) {
        self.told = self.told.take().filter(|told| told.send(what).is_ok());
    }

    /// Ends the trace, and waits until all is written.
    pub fn finish(mut self, now: Time) -> Traced {
        self.send();
        self.tell(Told::End(now));
        self.told = None;
        let written = self.thread.join().unwrap_or_else(|_| Err("the writer of the trace failed".to_owned()));
        match written {
            Err(ended) => Err(ended),
            Ok(_) if self.behind => Err(format!(
                "more than {} MB of packets wait to be written; write to a faster disk, or in fewer forms",
                MOST_WAITING >> 20
            )),
            Ok(events) => Ok(events),
        }
    }
}

/// Writes the events that it receives, in the order of time.
fn write(told: &Receiver<Told>, network: Network, mut sinks: Sinks, most: u64) -> Traced {
    let count = Limit::new(most);
    sinks.insert(0, (String::new(), Box::new(count.clone())));
    let refused = |error: &io::Error| {
        let (events, time) = count.counted();
        if events > most {
            let time = time.as_secs_f64();
            return format!(
                "more than {most} events, after {time:.3} s; give a higher limit, or run for a shorter time"
            );
        }
        error.to_string().split(" (os error").next().unwrap_or_default().to_owned()
    };
    let mut trace = Trace::begin(network, sinks).map_err(|e| refused(&e))?;
    let mut flows = Flows::default();
    // The departure of a packet is known when it reaches the far end.
    let mut ahead: BTreeMap<(Time, u64), (Rc<Batch>, usize)> = BTreeMap::new();
    let mut noted = 0;
    while let Ok(what) = told.recv() {
        let until = match what {
            Told::Happened(batch) => {
                let batch = Rc::new(batch);
                for i in 0..batch.notes.len() {
                    ahead.insert((batch.notes[i].at, noted), (batch.clone(), i));
                    noted += 1;
                }
                continue;
            }
            Told::Until(time) => time,
            Told::End(_) => Time::NEVER,
        };
        while let Some(first) = ahead.first_entry().filter(|entry| entry.key().0 < until) {
            let (batch, i) = first.remove();
            let (note, bytes) = batch.note(i);
            flows.tell(&mut trace, note, bytes)?.map_err(|e| refused(&e))?;
        }
        if let Told::End(now) = what {
            trace.end(now).map_err(|e| refused(&e))?;
            break;
        }
    }
    Ok(count.counted().0)
}

/// The conversations seen so far, by protocol and the addresses and ports of the client and the server.
#[derive(Default)]
struct Flows {
    known: HashMap<(u8, SocketAddr, SocketAddr), (u32, usize)>,
}

impl Flows {
    /// Tells of one event. The end that sends the first packet of a conversation is its source.
    ///
    /// # Errors
    /// If there are too many conversations. Inside, what a sink answered.
    fn tell(&mut self, trace: &mut Trace<'_>, note: Note, bytes: &[u8]) -> Result<io::Result<()>, String> {
        let Note { at, to, happened, .. } = note;
        let Some(ends) = Ends::of(bytes) else { return Ok(Ok(())) };
        let [client, server] =
            if to == UP { [ends.source, ends.destination] } else { [ends.destination, ends.source] };
        let next = self.known.len() as u32;
        let (number, first) = *self.known.entry((ends.protocol, client, server)).or_insert((next, to));
        if number == next {
            if next == MOST_FLOWS {
                return Err(format!(
                    "more than {MOST_FLOWS} conversations, after {:.3} s; run for a shorter time",
                    at.as_secs_f64()
                ));
            }
            let (source, destination) = if to == UP { (CLIENT, SERVER) } else { (SERVER, CLIENT) };
            let transport = ends.name().to_owned();
            let flow = Flow {
                number,
                group: format!("{transport} {}-{}", ends.source, ends.destination),
                source,
                destination,
                transport,
                controller: String::new(),
                size: None,
                header: 0,
                connection: None,
            };
            if let Err(error) = trace.opened(at, flow) {
                return Ok(Err(error));
            }
        }
        let way = if to == first { Way::Forward } else { Way::Reverse };
        let happened = match (happened, way) {
            (Happened::Delivered, Way::Reverse) => Happened::Returned,
            _ => happened,
        };
        Ok(trace.packet(at, number, way, happened, Content::Real(bytes)))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use dumbbell_sim::{Plan, Scenario};
    use dumbbell_trace::{Event, Lines};

    use super::*;
    use crate::emulator::path::DOWN;
    use crate::frame::tests::udp;

    /// A file in memory.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A disk that takes nothing until the test allows it.
    struct Stuck(Receiver<()>);

    impl Sink for Stuck {
        fn begin(&mut self, _network: &Network) -> io::Result<()> {
            let _ = self.0.recv();
            Ok(())
        }
        fn event(&mut self, _network: &Network, _event: &Event<'_>) -> io::Result<()> {
            Ok(())
        }
        fn end(&mut self, _network: &Network, _now: Time) -> io::Result<()> {
            Ok(())
        }
    }

    fn recorder(sink: impl Sink + Send + 'static, most: u64) -> Recorder {
        let text = "duration = '1s'\ntopology = 'dumbbell'\n[[flows]]\nfrom = 'senders'\nto = 'receivers'";
        let plan = Plan::new(&Scenario::from_toml(text).unwrap(), std::path::Path::new(".")).unwrap();
        let path = Path::of(&plan, None).unwrap();
        let sinks: Box<dyn FnOnce() -> Sinks + Send> =
            Box::new(move || vec![("file".to_owned(), Box::new(sink) as Box<dyn Sink>)]);
        Recorder::begin(Tracing { sinks, most }, &path, &Clock::start()).unwrap()
    }

    fn at(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    fn frame(ports: (u16, u16), payload: &[u8]) -> IpFrame {
        IpFrame::parse(at(0), udp(false, ports, 0, payload)).unwrap()
    }

    #[test]
    fn late_events_come_in_order_and_answers_find_their_flow() {
        let file = Written::default();
        let mut recorder = recorder(Lines::new(file.clone()), 100);
        let there = frame((5, 9), b"ask");
        let mut bytes = udp(false, (9, 5), 0, b"answer");
        // The two addresses change places.
        bytes[12..20].rotate_left(4);
        let back = IpFrame::parse(at(0), bytes).unwrap();
        recorder.note(at(1), UP, Happened::Sent, &there);
        recorder.note(at(1), UP, Happened::Arrived(0), &there);
        recorder.known_until(at(2));
        recorder.note(at(5), UP, Happened::Delivered, &there);
        recorder.note(at(2), UP, Happened::Left(0), &there);
        recorder.note(at(6), DOWN, Happened::Sent, &back);
        recorder.note(at(7), DOWN, Happened::Delivered, &back);
        assert_eq!(recorder.finish(at(8)), Ok(6));
        let text = String::from_utf8(file.0.lock().unwrap().clone()).unwrap();
        let words = |line: &str| line.split_whitespace().skip(1).take(4).collect::<Vec<_>>().join(" ");
        let found: Vec<String> = text.lines().skip(1).map(words).collect();
        let expected = [
            "sent client 0 ->",
            "arrived left->right 0 ->",
            "left left->right 0 ->",
            "delivered server 0 ->",
            "sent server 0 <-",
            "returned client 0 <-",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_disk_that_is_too_slow_ends_the_trace_and_holds_up_nobody() {
        let (go, wait) = channel();
        let mut recorder = recorder(Stuck(wait), u64::MAX);
        let big = frame((5, 9), &[0; 60_000]);
        for _ in 0..=MOST_WAITING / 60_000 {
            recorder.note(at(1), UP, Happened::Sent, &big);
        }
        assert!(recorder.behind);
        go.send(()).unwrap();
        let reason = recorder.finish(at(2)).unwrap_err();
        assert!(reason.starts_with("more than 64 MB of packets wait"), "{reason}");
    }

    #[test]
    fn more_events_or_conversations_than_allowed_end_the_trace() {
        let mut few = recorder(Lines::new(io::sink()), 2);
        (0..3).for_each(|_| few.note(at(1), UP, Happened::Sent, &frame((5, 9), b"")));
        let reason = few.finish(at(2)).unwrap_err();
        assert_eq!(
            reason,
            "more than 2 events, after 0.001 s; give a higher limit, or run for a shorter time"
        );
        let mut many = recorder(Lines::new(io::sink()), u64::MAX);
        for n in 0..=MOST_FLOWS {
            many.note(at(1), UP, Happened::Sent, &frame((n as u16, (n >> 16) as u16), b""));
        }
        let reason = many.finish(at(2)).unwrap_err();
        assert_eq!(reason, "more than 65536 conversations, after 0.001 s; run for a shorter time");
    }
}
