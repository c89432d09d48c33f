//! Real packets as whoever watches hands them over: every sink writes them down, and a capture stays whole.
//!
//! Input: two bytes say what happens to the packet and which way it goes; the rest is the packet.

#![no_main]

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use dumbbell_core::{DropReason, Time, Way};
use dumbbell_trace::{
    Capture, Content, Flow, Happened, JsonLines, Lines, Link, Network, Pcapng, Perfetto, Qlog, Sink, Trace,
};
use libfuzzer_sys::fuzz_target;

/// A file that is read when the sink is done with it.
#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&[events, way], packet)) = data.split_first_chunk() else { return };
    let way = if way & 1 == 0 { Way::Forward } else { Way::Reverse };
    let capture = Shared::default();
    let sinks: Vec<(String, Box<dyn Sink>)> = vec![
        (String::new(), Box::new(Lines::new(io::sink()))),
        (String::new(), Box::new(JsonLines::new(io::sink()))),
        (String::new(), Box::new(Qlog::new(io::sink()))),
        (String::new(), Box::new(Perfetto::new(io::sink()))),
        (String::new(), Box::new(Pcapng::new(capture.clone(), Capture::Links(vec![0])))),
    ];
    let mut trace = Trace::begin(network(), sinks).expect("memory");
    trace.opened(Time::ZERO, flow()).expect("memory");
    let all = [
        Happened::Sent,
        Happened::Arrived(0),
        Happened::Marked(0),
        Happened::Duplicated(1),
        Happened::Left(0),
        Happened::Dropped(0, DropReason::Overflow),
        Happened::Delivered,
        Happened::Returned,
    ];
    let mut captured = 0;
    for (bit, happened) in all.into_iter().enumerate().filter(|(bit, _)| events >> bit & 1 != 0) {
        captured += usize::from(happened == Happened::Arrived(0));
        let now = Time::from_nanos(bit as u64);
        trace.packet(now, 0, way, happened, Content::Real(packet)).expect("memory");
    }
    trace.end(Time::from_nanos(8)).expect("memory");
    assert_eq!(packets(&capture.0.borrow(), packet), captured);
});

/// Counts the packets of a capture; each holds the bytes that were put in.
fn packets(mut file: &[u8], packet: &[u8]) -> usize {
    let mut found = 0;
    while !file.is_empty() {
        let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().expect("four bytes")) as usize;
        let length = word(4);
        assert_eq!((length % 4, word(length - 4)), (0, length), "a block is as long as it says, twice");
        if word(0) == 6 {
            found += 1;
            assert_eq!(&file[28..28 + word(20)], packet);
        }
        file = &file[length..];
    }
    found
}

fn network() -> Network {
    let link = |from, to| Link { name: "link".to_owned(), from, to };
    Network { nodes: vec!["a".to_owned(), "b".to_owned()], links: vec![link(0, 1), link(1, 0)], epoch: 1 }
}

fn flow() -> Flow {
    Flow {
        number: 0,
        group: String::new(),
        source: 0,
        destination: 1,
        transport: "tcp".to_owned(),
        controller: String::new(),
        size: None,
        header: 0,
        connection: None,
    }
}
