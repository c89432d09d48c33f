//! Small scripts without packetdrill: what it would inject, and what it would see.

use dumbbell_core::{Duration, Time};
use libc::{EAGAIN, IPPROTO_TCP, TCP_INFO};

use crate::stack::Stack;
use crate::stream::How;
use dumbbell_header::TcpOptions;

use crate::wire::{Endpoint, Segment, flag};

pub const LOCAL: Endpoint = Endpoint { address: [192, 168, 0, 1], port: 8080 };
pub const REMOTE: Endpoint = Endpoint { address: [192, 0, 2, 1], port: 50_000 };
const LISTENER: i32 = 1000;
const SOCKET: i32 = 1001;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// A segment from the peer; its window is shifted by 7.
pub fn peer(flags: u8, seq: u32, ack: u32) -> Segment {
    Segment { from: REMOTE, to: LOCAL, seq, ack, flags, window: 257, ..Segment::default() }
}

fn syn() -> Segment {
    let options =
        TcpOptions { mss: Some(1000), sack_permitted: true, scale: Some(7), ..TcpOptions::default() };
    Segment { window: 32_792, options, ..peer(flag::SYN, 0, 0) }
}

fn next(stack: &mut Stack) -> (Time, Segment) {
    let (at, bytes) = stack.receive().expect("a packet leaves");
    (at, Segment::parse(&bytes).expect("TCP over IPv4"))
}

/// A connection that the peer has opened, with a round-trip time of 100 ms.
fn opened() -> Stack {
    let mut stack = Stack::default();
    stack.open(LISTENER).unwrap();
    stack.bind(LISTENER, LOCAL).unwrap();
    stack.listen(LISTENER).unwrap();
    stack.deliver(&syn().to_bytes());
    let (_, answer) = next(&mut stack);
    assert_eq!((answer.flags, answer.ack), (flag::SYN | flag::ACK, 1));
    let agreed =
        TcpOptions { mss: Some(1460), sack_permitted: true, scale: Some(10), ..TcpOptions::default() };
    assert_eq!(answer.options, agreed);
    assert_eq!(stack.accept(LISTENER, SOCKET), Err(EAGAIN));
    stack.pass(ms(100));
    stack.deliver(&peer(flag::ACK, 1, 1).to_bytes());
    assert_eq!(stack.accept(LISTENER, SOCKET), Ok(REMOTE));
    stack
}

fn info(stack: &mut Stack, at: usize) -> u32 {
    let bytes = stack.option(SOCKET, IPPROTO_TCP, TCP_INFO, 280).unwrap();
    assert_eq!(bytes.len(), 280);
    u32::from_ne_bytes(bytes[at..at + 4].try_into().unwrap())
}

const CWND: usize = 80;
const UNACKED: usize = 24;
const RTT: usize = 68;

#[test]
fn a_write_ends_with_push_and_acks_open_the_window() {
    let mut stack = opened();
    assert_eq!((info(&mut stack, CWND), info(&mut stack, RTT)), (10, 100_000));
    assert_eq!(stack.write(SOCKET, 9_000, How::default()), Ok(9_000));
    let sent: Vec<Segment> = (0..9).map(|_| next(&mut stack).1).collect();
    assert!(sent.iter().enumerate().all(|(i, s)| s.seq == 1 + 1_000 * i as u32 && s.payload == [0; 1_000]));
    assert_eq!(sent.iter().map(|s| s.has(flag::PSH)).collect::<Vec<_>>()[6..], [false, true, true]);
    assert_eq!(info(&mut stack, UNACKED), 9);
    stack.pass(ms(100));
    stack.deliver(&peer(flag::ACK, 1, 2_001).to_bytes());
    assert_eq!((info(&mut stack, CWND), info(&mut stack, UNACKED)), (12, 7));
}

#[test]
fn a_joined_retransmission_carries_push() {
    let mut stack = opened();
    stack.write(SOCKET, 10_000, How::default()).unwrap();
    (0..10).for_each(|_| drop(next(&mut stack)));
    stack.pass(ms(100));
    // Packets of two segments: of the first one segment arrived, of the last three all.
    let options = TcpOptions { sack: vec![(4_001, 10_001)], ..TcpOptions::default() };
    stack.deliver(&Segment { options, ..peer(flag::ACK, 1, 1_001) }.to_bytes());
    let again: Vec<(u32, bool)> =
        (0..3).map(|_| next(&mut stack).1).map(|s| (s.seq, s.has(flag::PSH))).collect();
    assert_eq!(again, [(1_001, false), (2_001, false), (3_001, true)]);
}

#[test]
fn both_directions_close_and_data_of_the_peer_can_be_read() {
    let mut stack = opened();
    stack.deliver(&Segment { payload: b"hello".to_vec(), ..peer(flag::ACK, 1, 1) }.to_bytes());
    assert_eq!(next(&mut stack).1.ack, 6, "the first data is acknowledged at once");
    assert_eq!(stack.read(SOCKET, 100, true).as_deref(), Ok(b"hello".as_slice()));
    assert_eq!(stack.read(SOCKET, 100, false).as_deref(), Ok(b"hello".as_slice()));
    assert_eq!(stack.read(SOCKET, 100, false), Err(EAGAIN));
    stack.close(SOCKET).unwrap();
    let (_, fin) = next(&mut stack);
    assert_eq!((fin.flags, fin.seq, fin.payload.len()), (flag::FIN | flag::ACK, 1, 0));
    stack.deliver(&peer(flag::FIN | flag::ACK, 6, 2).to_bytes());
    let (_, last) = next(&mut stack);
    assert_eq!((last.flags, last.seq, last.ack), (flag::ACK, 2, 7));
    assert_eq!(stack.receive(), None, "nothing will ever come");
}

#[test]
fn a_connection_closed_by_the_peer_ends_with_our_fin() {
    let mut stack = opened();
    stack.deliver(&peer(flag::FIN | flag::ACK, 1, 1).to_bytes());
    assert_eq!(next(&mut stack).1.ack, 2);
    stack.close(SOCKET).unwrap();
    assert!(next(&mut stack).1.has(flag::FIN));
    stack.deliver(&peer(flag::ACK, 2, 2).to_bytes());
    assert_eq!(stack.receive(), None);
    stack.deliver(&peer(flag::ACK, 2, 2).to_bytes());
    let (_, reset) = next(&mut stack);
    assert_eq!((reset.flags, reset.seq), (flag::RST, 2));
}

#[test]
fn an_ack_of_unsent_data_changes_nothing() {
    let mut stack = opened();
    let hello = Segment { payload: b"hello".to_vec(), ..peer(flag::ACK, 1, 9_999) };
    stack.deliver(&hello.to_bytes());
    stack.deliver(&peer(flag::FIN | flag::ACK, 1, 9_999).to_bytes());
    assert_eq!((stack.read(SOCKET, 9, false), stack.receive()), (Err(EAGAIN), None));
    stack.deliver(&Segment { ack: 1, ..hello }.to_bytes());
    assert_eq!(next(&mut stack).1.ack, 6);
}

#[test]
fn time_passes_while_somebody_waits_or_reads_the_clock() {
    let mut stack = opened();
    stack.write(SOCKET, 1_000, How::default()).unwrap();
    let (sent, _) = next(&mut stack);
    // The probe waits no longer than the timeout: 300 ms at a round-trip time of 100 ms.
    let (probe, again) = next(&mut stack);
    assert_eq!((probe.since(sent), again.seq), (ms(300), 1));
    let (first, second) = (stack.look(), stack.look());
    assert_eq!(second.since(first), Duration::from_micros(1));
}

#[test]
fn a_shut_socket_takes_nothing_and_unread_data_resets() {
    let mut stack = opened();
    stack.shut_down(SOCKET, libc::SHUT_RD).unwrap();
    assert_eq!(stack.read(SOCKET, 9, false), Ok(Vec::new()));
    stack.shut_down(SOCKET, libc::SHUT_WR).unwrap();
    assert!(next(&mut stack).1.has(flag::FIN));
    assert_eq!(stack.write(SOCKET, 1, How::default()), Err(libc::EPIPE));

    let mut stack = opened();
    stack.deliver(&Segment { payload: vec![1; 9], ..peer(flag::ACK, 1, 1) }.to_bytes());
    next(&mut stack);
    stack.close(SOCKET).unwrap();
    assert!(next(&mut stack).1.has(flag::RST));
    stack.deliver(&peer(flag::ACK, 10, 1).to_bytes());
    assert_eq!((next(&mut stack).1.flags, stack.receive()), (flag::RST, None));
}

/// A peer that closes its window and falls silent: probes end, and what waits for more data to be whole never leaves.
#[test]
fn a_flush_ends_with_the_connection() {
    let (told, ended) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut stack = opened();
        stack.deliver(&Segment { window: 0, ..peer(flag::ACK, 1, 1) }.to_bytes());
        for how in [
            How { more: true, ends_record: true, copied: true },
            How { more: true, ends_record: true, copied: false },
        ] {
            stack.write(SOCKET, 20_464, how).unwrap();
        }
        let _ = told.send(std::iter::from_fn(|| stack.receive()).count());
    });
    let packets = ended.recv_timeout(std::time::Duration::from_secs(20)).expect("nothing will ever come");
    assert!(packets < 100, "{packets}");
}

#[test]
fn hostile_packets_change_nothing() {
    let mut stack = opened();
    for packet in [&[][..], &[0x45; 10], &[0; 60]] {
        stack.deliver(packet);
    }
    stack.deliver(&peer(flag::ACK, 1, 1 << 30).to_bytes());
    stack.deliver(&Segment { payload: vec![1; 9], ..peer(flag::ACK, 0x8000_0000, 1) }.to_bytes());
    assert_eq!((info(&mut stack, CWND), info(&mut stack, UNACKED)), (10, 0));
    assert_eq!(stack.read(SOCKET, 9, false), Err(EAGAIN));
    assert_eq!(stack.write(7, 1, How::default()), Err(libc::EBADF));
}
