//! The send buffer of a connection: how much it may hold, and how it grows.

use dumbbell_core::config::At;
use dumbbell_core::{Bytes, Config, ConfigError, Value, json};

use super::memory::{HEAD, SHARED};

/// What is written waits in pieces of whole segments up to this size: the largest packet less the headers of all layers.
// Linux net/ipv4/tcp.c: tcp_xmit_size_goal.
const PIECE: u64 = 65_215;
/// What a packet takes of the buffer besides its payload: measured on Linux 6.18, where each of 45 segments in a packet takes 28 bytes
/// more than its payload. A piece is one packet until it leaves.
const BESIDE: u64 = 1260;
/// What the buffer grows by for each segment that it shall hold: the segment with its options, room for headers, and what describes
/// the data, in a power of two, and a header. A segment of 1448 bytes takes 2304: measured on Linux 6.18.
// Linux net/ipv4/tcp_input.c: what tcp_sndbuf_expand computes.
const HEADERS: u64 = 12 + 256 + SHARED;
// Linux include/net/sock.h: SOCK_MIN_SNDBUF.
const LEAST: u64 = 4_608;
/// The buffer grows for this many segments at least: the initial window of RFC 6928.
const LEAST_SEGMENTS: u64 = 10;

/// The largest size of a send buffer, if it has one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SendBuffer(Option<Bytes>);

impl Config for SendBuffer {
    const KIND: &'static str = "size";
    fn from_value(v: &Value, at: &At<'_>) -> Result<SendBuffer, ConfigError> {
        if *v == Value::from("unlimited") {
            return Ok(SendBuffer(None));
        }
        let most = Bytes::from_value(v, at)?;
        if most.get() == 0 {
            return Err(at.error("a sender without buffer sends nothing", "give a size, or \"unlimited\""));
        }
        Ok(SendBuffer(Some(most)))
    }
    fn to_value(&self) -> Value {
        self.0.map_or(Value::from("unlimited"), |most| most.to_value())
    }
    fn schema() -> json::Value {
        json::json!({ "anyOf": [Bytes::schema(), { "const": "unlimited" }] })
    }
}

impl SendBuffer {
    /// The buffer of a new connection whose segments have `mss` bytes; `None` if it has room for everything.
    pub fn open(self, mss: u32) -> Option<Buffer> {
        let most = self.0?.get().max(LEAST);
        let mut buffer = Buffer { size: 0, most, mss, has_grown_below: 0 };
        buffer.grow(0);
        Some(buffer)
    }
}

/// The buffer of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    /// Its memory now, and the most.
    size: u64,
    most: u64,
    /// Payload of a segment.
    mss: u32,
    /// For windows of fewer bytes it is large enough.
    pub has_grown_below: u32,
}

impl Buffer {
    /// Bytes of data that it takes while it is empty.
    pub fn room(&self) -> u64 {
        self.room_beside(0)
    }

    /// The same beside so many bytes of memory that are taken: a piece that was begun becomes full, though the memory ends within it.
    // Linux net/ipv4/tcp.c: tcp_sendmsg_locked asks for memory before each piece.
    fn room_beside(&self, taken: u64) -> u64 {
        let piece = piece(self.mss.into());
        self.size.saturating_sub(taken).div_ceil(piece + BESIDE) * piece
    }

    /// Memory that is taken by `unsent` bytes, and by `out` bytes that left in packets of `packet` bytes.
    fn taken(&self, unsent: u64, out: u64, packet: u64) -> u64 {
        let piece = piece(self.mss.into());
        // A piece is cut into packets and a rest. Where nothing waits, all packets are full.
        let packets = if unsent > 0 { out * piece.div_ceil(packet) / piece } else { out / packet };
        out + unsent + (unsent / piece + packets) * BESIDE
    }

    /// Bytes for which there is room beside what `taken` counts; `None` unless a third of the buffer is free.
    // Linux net/core/stream.c: sk_stream_write_space wakes the writer then.
    pub fn free(&self, unsent: u64, out: u64, packet: u64) -> Option<u64> {
        let taken = self.taken(unsent, out, packet);
        (taken <= self.size / 3 * 2).then(|| self.room_beside(taken))
    }

    /// False if there is no room beside so many bytes of data, in whatever packets.
    #[inline]
    pub fn may_have_room(&self, bytes: u64) -> bool {
        bytes <= self.size / 3 * 2
    }

    /// True if there is no room, however many of the bytes that wait leave in such packets. What is counted of pieces and packets is
    /// rounded: it may fall by one packet.
    pub fn stays_full(&self, unsent: u64, out: u64, packet: u64) -> bool {
        unsent > 0 && self.taken(unsent, out, packet) > self.size / 3 * 2 + BESIDE
    }

    /// Grows so that it holds two windows of so many bytes, in whole segments.
    #[cold]
    pub fn grow(&mut self, window: u64) {
        let mss = u64::from(self.mss);
        let segments = (window / mss).max(LEAST_SEGMENTS);
        self.size = self.size.max(reckoned(segments, mss).min(self.most));
        // A larger window asks again, and finds nothing to grow.
        self.has_grown_below = u32::try_from((segments + 1) * mss).unwrap_or(u32::MAX);
    }
}

/// Bytes of a piece of what is written.
pub fn piece(mss: u64) -> u64 {
    (PIECE / mss).max(1) * mss
}

/// Memory that two windows of so many segments of `mss` bytes are reckoned at.
fn reckoned(segments: u64, mss: u64) -> u64 {
    segments.saturating_mul(2 * ((mss + HEADERS).next_power_of_two() + HEAD))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Linux 6.12 in virtual time (`--draw 26 --seed 1`, cell 7): the segments of a flow that goes on are all full, though the first
    /// buffer has memory for 45,205 bytes.
    #[test]
    fn a_buffer_is_filled_in_whole_pieces() {
        const MSS: u64 = 1448;
        let size = reckoned(LEAST_SEGMENTS, MSS);
        let buffer = Buffer { size, most: 4 << 20, mss: 1448, has_grown_below: 0 };
        assert_eq!(buffer.room(), 45 * MSS);
        assert_eq!(buffer.free(0, 10 * MSS, MSS), Some(45 * MSS));
        assert_eq!(buffer.free(45 * MSS, 0, MSS), None);
        let large = Buffer { size: 4 << 20, ..buffer };
        assert_eq!(large.room() % (45 * MSS), 0);
        assert!((64..=65).contains(&(large.room() / (45 * MSS))), "4 MiB");
    }

    /// By hand: 1448 + 588 bytes fit 2048, 8948 + 588 fit 16,384.
    #[test]
    fn a_buffer_grows_by_two_windows_whatever_the_segment() {
        assert_eq!(reckoned(10, 1448), 20 * 2_304);
        assert_eq!(reckoned(10, 8_948), 20 * 16_640);
    }

    proptest! {
        #[test]
        fn what_stays_full_has_no_room_while_segments_leave(
            size in 4_608..4_000_000_u64, mss in 500..9000_u32, unsent in 1..3000_u64, out in 0..3000_u64, packet in 1..45_u64,
        ) {
            let buffer = Buffer { size, most: 4 << 20, mss, has_grown_below: 0 };
            let (unsent, out, packet) = (unsent * u64::from(mss), out * u64::from(mss), packet * u64::from(mss));
            prop_assume!(buffer.stays_full(unsent, out, packet));
            for left in (0..unsent).step_by(mss as usize) {
                prop_assert_eq!(buffer.free(unsent - left, out + left, packet), None, "{} left", left);
            }
        }
    }

    #[test]
    fn small_packets_fill_a_buffer_sooner() {
        // Segments in flight, segments that waited, and segments of a packet when a kernel 6.18 told its program to write again:
        // two NewReno flows over 100 Mbit/s and 100 ms, 4 MiB, one look a millisecond.
        const MSS: u64 = 1448;
        let buffer = Buffer { size: 4 << 20, most: 4 << 20, mss: 1448, has_grown_below: 0 };
        for (out, unsent, packet) in
            [(1591, 184, 10), (1484, 376, 25), (1880, 0, 31), (946, 912, 15), (795, 1006, 7)]
        {
            let held = out + unsent;
            let writes = |more: u64| {
                let (out, unsent) =
                    if unsent > 0 { (out, held * more / 1000 - out) } else { (out * more / 1000, 0) };
                buffer.free(unsent * MSS, out * MSS, packet * MSS).is_some()
            };
            assert!(writes(995) && !writes(1005), "{held} segments in packets of {packet}");
        }
    }
}
