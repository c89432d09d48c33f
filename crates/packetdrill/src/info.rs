//! TCP_INFO (tcp(7)) as the kernel lays it out: offsets of `struct tcp_info` in Linux' include/uapi/linux/tcp.h.

use dumbbell_core::{Duration, Time};
use dumbbell_proto::tcp::State;

use crate::accurate::Feedback;
use crate::connection::{Connection, Phase};

/// The length of the structure: packetdrill wants all of it.
const LENGTH: usize = 280;
/// Option SO_MEMINFO of level SOL_SOCKET, and its length: nine numbers.
pub const SO_MEMINFO: i32 = 55;
pub const MEMINFO_LENGTH: usize = 36;
/// The slow-start threshold without one.
const INFINITE: u32 = 0x7fff_ffff;

// Bits of tcpi_options.
const TIMESTAMPS: u8 = 1;
const SACK: u8 = 2;
const WINDOW_SCALE: u8 = 4;
const ECN: u8 = 8;

// States of a connection.
const ESTABLISHED: u8 = 1;
const SYN_SENT: u8 = 2;
const SYN_RECEIVED: u8 = 3;
const CLOSED: u8 = 7;

/// The bytes of the structure; of a socket without a connection, they are zeros.
pub fn tcp_info(now: Time, connection: Option<&Connection>) -> Vec<u8> {
    let mut bytes = vec![0; LENGTH];
    bytes[0] = CLOSED;
    let Some(connection) = connection else { return bytes };
    bytes[0] = match connection.phase {
        Phase::SynSent => SYN_SENT,
        Phase::SynReceived => SYN_RECEIVED,
        Phase::Established => ESTABLISHED,
        Phase::Dead => CLOSED,
    };
    let agreed = connection.agreed();
    let (theirs, own) = connection.scales();
    bytes[5] = if agreed.timestamps { TIMESTAMPS } else { 0 }
        | if agreed.sack { SACK } else { 0 }
        | if theirs + own > 0 { WINDOW_SCALE } else { 0 }
        | if agreed.ecn == Feedback::Off { 0 } else { ECN };
    bytes[6] = theirs | own << 4;
    let Some(info) = connection.info() else { return bytes };
    bytes[1] = match info.state {
        State::Open => 0,
        State::Disorder => 1,
        State::Reduced => 2,
        State::Recovery => 3,
        State::Loss => 4,
    };
    bytes[2] = info.expired.min(255) as u8;
    let micros = |d: Duration| (d.as_nanos() / 1_000) as u32;
    let millis = |d: Duration| (d.as_nanos() / 1_000_000) as u32;
    let inbox = connection.inbox();
    let numbers = [
        (8, micros(info.timeout)),
        (16, info.mss),
        (20, inbox.room.segment()),
        (24, info.out),
        (28, info.held),
        (32, info.lost),
        (36, info.resent),
        (52, millis(now.since(inbox.latest))),
        (64, inbox.room.threshold()),
        (68, micros(info.smoothed)),
        (72, micros(info.variation)),
        (76, info.threshold.unwrap_or(INFINITE)),
        (80, info.window),
        (84, connection.own_segment()),
        (88, info.reordering),
        (144, connection.unsent() as u32),
        (148, micros(info.min_rtt)),
        (192, info.delivered),
        (196, info.marked),
        (220, info.reorderings),
    ];
    for (at, number) in numbers {
        bytes[at..at + 4].copy_from_slice(&number.to_ne_bytes());
    }
    let received = inbox.received().to_ne_bytes();
    bytes[128..128 + received.len()].copy_from_slice(&received);
    bytes
}
