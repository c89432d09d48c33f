//! A small connection, as sinks see it.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use dumbbell_core::{DropReason, Ecn, Packet, Time, Way};
use dumbbell_header::{SourceQuench, TcpHeader, XcpHeader};

use crate::{Connection, Content, Flow, Happened, JsonLines, Lines, Link, Network, Sink, Trace};

/// A file in memory that can be read while a sink has it.
#[derive(Clone, Default)]
pub struct Shared(Rc<RefCell<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Shared {
    /// What was written.
    pub fn bytes(&self) -> Vec<u8> {
        self.0.borrow().clone()
    }
}

/// Two nodes and a link each way.
pub fn network() -> Network {
    let link = |name: &str, from, to| Link { name: name.to_owned(), from, to };
    Network {
        nodes: vec!["left".to_owned(), "right".to_owned()],
        links: vec![link("left->right", 0, 1), link("right->left", 1, 0)],
        epoch: 0,
    }
}

/// A flow of TCP with timestamps.
pub fn flow(number: u32) -> Flow {
    Flow {
        number,
        group: "bulk".to_owned(),
        source: 0,
        destination: 1,
        transport: "tcp".to_owned(),
        controller: "reno".to_owned(),
        size: None,
        header: 52,
        connection: Some(Connection { segment: 1448, scale: 7, sack: true, timestamps: true }),
    }
}

fn millis(n: u64) -> Time {
    Time::from_nanos(n * 1_000_000)
}

fn segment(flags: u8, number: u64, size: u16) -> Packet {
    let header = TcpHeader { flags, number, ..TcpHeader::default() };
    Packet::of(header, 0, size, Ecn::NotEct)
}

/// A handshake, two segments of which the first is lost and sent again, and the acknowledgements.
pub fn tell(trace: &mut Trace<'_>) -> io::Result<()> {
    use Happened::{Arrived, Delivered, Dropped, Returned, Sent};
    let (syn, ack) = (TcpHeader::SYN, TcpHeader::ACK);
    trace.opened(Time::ZERO, flow(3))?;
    let mut at = |time, way, happened, packet: &Packet| {
        trace.packet(millis(time), 3, way, happened, Content::Simulated(packet))
    };
    let (forward, reverse) = (Way::Forward, Way::Reverse);
    let opening = segment(syn, 0, 40);
    at(0, forward, Sent, &opening)?;
    at(10, forward, Delivered, &opening)?;
    let mut answer = segment(syn | ack, 0, 52);
    answer.aux = 512;
    at(10, reverse, Sent, &answer)?;
    at(20, reverse, Returned, &answer)?;
    let data = [0, 1448].map(|number| segment(ack, number, 1500));
    for packet in &data {
        at(20, forward, Sent, packet)?;
        at(20, forward, Arrived(0), packet)?;
    }
    at(20, forward, Dropped(0, DropReason::Overflow), &data[0])?;
    at(30, forward, Delivered, &data[1])?;
    let mut duplicate = segment(ack, 0, 64);
    duplicate.body[2] = u64::from(1448_u32) << 32 | 2896;
    at(30, reverse, Sent, &duplicate)?;
    at(40, reverse, Returned, &duplicate)?;
    at(40, forward, Sent, &data[0])?;
    at(50, forward, Delivered, &data[0])?;
    trace.closed(millis(60), 3)
}

/// What a sink writes of it.
pub fn written(make: impl FnOnce(Shared) -> Box<dyn Sink>) -> Vec<u8> {
    let shared = Shared::default();
    let mut trace = Trace::begin(network(), vec![("memory".to_owned(), make(shared.clone()))]).unwrap();
    tell(&mut trace).unwrap();
    trace.end(millis(60)).unwrap();
    shared.bytes()
}

#[test]
fn lines_name_the_columns_and_the_fields() {
    let text = String::from_utf8(written(|out| Box::new(Lines::new(out)))).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].trim_start().starts_with("time_s event"), "{text}");
    let find = |words: &[&str]| {
        assert!(lines.iter().any(|line| words.iter().all(|word| line.contains(word))), "{words:?}\n{text}");
    };
    find(&["0.000000000 sent", "left", "[S] seq=0"]);
    find(&["0.010000000 sent", "right", "<-", "[S.] seq=0 ack=1 win=65536"]);
    find(&["0.020000000 dropped", "left->right", "seq=1 len=1448 ack=1", "reason=overflow"]);
    find(&["0.040000000 returned", "left", "ack=1", "sack=1449-2897"]);
    let column = lines[0].find("flow").unwrap();
    assert!(lines[1..].iter().all(|line| line[column..].starts_with("   3")), "aligned\n{text}");
}

#[test]
fn a_packet_sent_again_has_another_number() {
    let text = String::from_utf8(written(|out| Box::new(JsonLines::new(out)))).unwrap();
    let events: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&events[0]["event"], &events[0]["source"]), (&"opened".into(), &"left".into()));
    let numbers = |event: &str, seq: u64| -> Vec<u64> {
        let of = |value: &&serde_json::Value| {
            value["event"] == event && value["seq"] == seq && value["len"] == 1448
        };
        events.iter().filter(of).map(|value| value["packet"].as_u64().unwrap()).collect()
    };
    assert_eq!(numbers("sent", 1), [2, 5]);
    assert_eq!((numbers("dropped", 1), numbers("delivered", 1)), (vec![2], vec![5]));
    assert_eq!((numbers("sent", 1449), numbers("delivered", 1449)), (vec![3], vec![3]));
}

#[test]
fn an_error_names_the_sink() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let error =
        Trace::begin(network(), vec![("events.txt".to_owned(), Box::new(Lines::new(Full)))]).err().unwrap();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    assert_eq!(error.to_string(), "events.txt: no storage space");
}

#[test]
fn lines_of_other_protocols_are_aligned() {
    let shared = Shared::default();
    let sink: Box<dyn Sink> = Box::new(Lines::new(shared.clone()));
    let mut trace = Trace::begin(network(), vec![("memory".to_owned(), sink)]).unwrap();
    trace.opened(Time::ZERO, flow(3)).unwrap();
    let mut ask = segment(TcpHeader::ACK | TcpHeader::FEEDBACK, 0, 1500);
    ask.attach(&XcpHeader { spacing: 0.004, rtt: 0.04, delta: 250.5 });
    let mut answer = segment(TcpHeader::ACK, 1448, 52);
    TcpHeader::put_answer(&mut answer, -1.5);
    let quench = Packet::of(SourceQuench, 0, 56, Ecn::NotEct);
    let (forward, reverse) = (Way::Forward, Way::Reverse);
    for (way, packet) in [(forward, ask), (reverse, answer), (reverse, quench)] {
        trace.packet(Time::ZERO, 3, way, Happened::Originated, Content::Simulated(&packet)).unwrap();
    }
    trace.end(Time::ZERO).unwrap();
    let text = String::from_utf8(shared.bytes()).unwrap();
    let headers: Vec<&str> =
        text.lines().map(|line| line[text.find("header").unwrap()..].trim_start()).collect();
    let delta = "[.] seq=1 len=1448 ack=1 delta=250.5B/s";
    assert_eq!(headers, ["header", delta, "[.] seq=1 ack=1449 win=0 answer=-1.5", "[source quench]"]);
}
