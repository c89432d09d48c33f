//! Sockets over TCP, as packetdrill uses them: calls and packets in any order, at any time.
//!
//! Input: records of 28 bytes, each a call or a segment. The numbers of a segment count from those that the connection
//! sent last, so that inputs get past its window.

#![no_main]

use dumbbell_core::Duration;
use dumbbell_header::TcpOptions;
use dumbbell_packetdrill::stack::Stack;
use dumbbell_packetdrill::stream::How;
use dumbbell_packetdrill::wire::{Endpoint, Segment, flag};
use libfuzzer_sys::fuzz_target;

const RECORD: usize = 28;
/// Calls of one input, at most: each may let a second pass.
const CALLS: usize = 200;
/// Packets that leave after a call, at most: a timer may send for ever.
const BURST: usize = 4;
/// Bytes of data in a segment, less than.
const LONGEST: u16 = 1461;
const HERE: Endpoint = Endpoint { address: [192, 0, 2, 1], port: 8080 };
const THERE: Endpoint = Endpoint { address: [192, 0, 2, 2], port: 4000 };

fuzz_target!(|data: &[u8]| {
    let mut stack = Stack::default();
    let _ = stack.open(3);
    let mut last = Last::default();
    for record in data.as_chunks::<RECORD>().0.iter().take(CALLS) {
        let (fd, number) = (3 + i32::from(record[1] & 3), u16::from_be_bytes([record[2], record[3]]));
        match record[0] % 12 {
            0 => drop(stack.open(fd)),
            1 => drop(stack.bind(fd, HERE).and_then(|()| stack.listen(fd))),
            2 => drop(stack.accept(fd, fd ^ 1)),
            3 => drop(stack.connect(fd, HERE.address, THERE)),
            4 => {
                let has = |bit: u8| record[4] & bit != 0;
                let how = How { more: has(1), ends_record: has(2), copied: has(4) };
                let _ = stack.write(fd, u64::from(number) * 16, how);
            }
            5 => drop(stack.read(fd, usize::from(number), record[4] & 1 == 1)),
            6 => drop(stack.shut_down(fd, i32::from(record[4] & 3))),
            7 => drop(stack.close(fd)),
            8 => {
                let value = &record[6..if record[14] & 1 == 0 { 10 } else { 14 }];
                let _ = stack.set_option(fd, i32::from(record[4]), i32::from(record[5]), value);
            }
            9 => drop(stack.events(fd).and_then(|_| stack.queued(fd)).and_then(|_| stack.report(fd))),
            10 => stack.pass(Duration::from_micros(u64::from(number) * 16)),
            _ => stack.deliver(&last.packet(record)),
        }
        for (_, packet) in std::iter::from_fn(|| stack.receive()).take(BURST) {
            last.note(&packet);
        }
    }
});

/// Where the connection was when it sent last.
#[derive(Default)]
struct Last {
    port: u16,
    /// Of the segment after the one that left last.
    sequence: u32,
    acknowledged: u32,
}

impl Last {
    fn note(&mut self, packet: &[u8]) {
        let segment = Segment::parse(packet).expect("what leaves is a segment");
        let controls = u32::from(segment.has(flag::SYN)) + u32::from(segment.has(flag::FIN));
        self.port = segment.from.port;
        self.sequence = segment.seq.wrapping_add(segment.payload.len() as u32 + controls);
        self.acknowledged = segment.ack;
    }

    /// A segment of the peer.
    fn packet(&self, record: &[u8; RECORD]) -> Vec<u8> {
        let word = |at: usize| u16::from_be_bytes([record[at], record[at + 1]]);
        let near = |base: u32, at: usize| base.wrapping_add_signed(i32::from(word(at).cast_signed()));
        let has = |bit: u8| record[8] & bit != 0;
        let block = |at: usize| (near(self.sequence, at), near(self.sequence, at + 2));
        let options = TcpOptions {
            mss: has(1).then_some(word(14)),
            sack_permitted: has(2),
            scale: has(4).then_some(record[16]),
            timestamps: has(8).then_some((u32::from(word(16)), u32::from(word(18)))),
            sack: [(16, 20), (32, 24)]
                .iter()
                .filter(|(bit, _)| has(*bit))
                .map(|(_, at)| block(*at))
                .collect(),
            ..TcpOptions::default()
        };
        let to = Endpoint { port: if self.port == 0 { HERE.port } else { self.port }, ..HERE };
        Segment {
            from: THERE,
            to,
            seq: near(self.acknowledged, 4),
            ack: near(self.sequence, 6),
            flags: record[10],
            window: word(12),
            ecn: record[9] & 3,
            accurate: record[9] & 4 != 0,
            dscp: 0,
            options,
            payload: vec![0; usize::from(word(2) % LONGEST)],
        }
        .to_bytes()
    }
}
