//! The send buffer of a connection: how much it may hold, and how it grows.

use std::collections::VecDeque;
use std::num::NonZeroU8;

use dumbbell_core::config::At;
use dumbbell_core::{Bytes, Config, ConfigError, Value, json};

use super::memory::{HEAD, HEADERS, SHARED};

/// What is written waits in pieces of whole segments up to this size: the largest packet less the headers of all layers.
// Linux net/ipv4/tcp.c: tcp_xmit_size_goal.
const PIECE: u64 = 65_215;
/// Receivers with less room than this get pieces of all of it.
// Linux include/net/tcp.h: TCP_MSS_DEFAULT; tcp_bound_to_half_wnd.
const SMALL_WINDOW: u64 = 536;
/// What the buffer grows by for each segment that it shall hold: the segment with its options, room for headers, and what describes
/// the data, in a power of two, and a header. A segment of 1448 bytes takes 2304: measured on Linux 6.18.
// Linux net/ipv4/tcp_input.c: what tcp_sndbuf_expand computes.
const BESIDE: u64 = 12 + HEADERS + SHARED;
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
    /// The buffer of a connection whose segments have `mss` bytes, for so many windows; `None` if it has room for everything. It has
    /// grown to hold so many segments before: none if it is new.
    pub fn open(self, mss: u32, windows: NonZeroU8, segments: u16) -> Option<Buffer> {
        let most = u32::try_from(self.0?.get().max(LEAST)).unwrap_or(u32::MAX);
        let mut buffer = Buffer { size: 0, most, windows, mss: mss as u16, has_grown_below: 0 };
        buffer.grow(u64::from(segments) * u64::from(mss));
        Some(buffer)
    }
}

/// The buffer of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    /// Its memory now, and the most.
    size: u32,
    most: u32,
    /// Windows that it shall hold.
    windows: NonZeroU8,
    /// Payload of a segment.
    mss: u16,
    /// For windows of fewer bytes it is large enough.
    has_grown_below: u32,
}

impl Buffer {
    /// The segments that it holds now, each in each of its windows.
    pub fn segments(&self) -> u16 {
        let each = reckoned(1, self.mss.into(), self.windows.get().into());
        u16::try_from(u64::from(self.size).div_ceil(each)).unwrap_or(u16::MAX)
    }

    /// True if the buffer takes no new piece when so much memory is in use. A piece that has begun may still be filled.
    // Linux net/ipv4/tcp.c: tcp_sendmsg_locked asks for memory before each piece.
    pub fn is_full(&self, taken: u64) -> bool {
        taken >= u64::from(self.size)
    }

    /// True if a third of the buffer is free: the application gets `EPOLLOUT`.
    // Linux net/core/stream.c: sk_stream_write_space.
    #[inline]
    pub fn has_room(&self, taken: u64) -> bool {
        taken + taken / 2 <= u64::from(self.size)
    }

    /// True if a window of so many bytes asks for a larger buffer.
    #[inline]
    pub fn grows(&self, window: u64) -> bool {
        u64::from(self.has_grown_below) <= window
    }

    /// Grows so that it holds its windows of so many bytes, in whole segments.
    #[cold]
    pub fn grow(&mut self, window: u64) {
        let mss = u64::from(self.mss);
        let segments = (window / mss).max(LEAST_SEGMENTS);
        let wanted = reckoned(segments, mss, self.windows.get().into()).min(self.most.into());
        self.size = self.size.max(wanted as u32);
        // A larger window asks again, unless the buffer has all that it may have.
        let next = if self.size == self.most { u64::MAX } else { (segments + 1) * mss };
        self.has_grown_below = u32::try_from(next).unwrap_or(u32::MAX);
    }
}

/// What is in the send buffer: written from `una` to `end`, of which all below `next` has left in so many packets. Each packet takes
/// `beside` bytes besides its payload, and so does each piece that waits.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    pub una: u64,
    pub next: u64,
    pub end: u64,
    pub packets: u64,
    pub beside: u64,
}

/// The pieces of data in the send buffer that have not all left. Each becomes one packet or more.
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    list: VecDeque<Piece>,
}

#[derive(Clone, Copy, Debug)]
struct Piece {
    end: u64,
    /// The application pushed what it had written when the piece ended here.
    pushed: bool,
}

impl Pieces {
    /// The size of a piece: half the largest window that the receiver has granted, in whole segments.
    // Linux net/ipv4/tcp.c: tcp_xmit_size_goal.
    pub fn goal(mss: u64, largest_window: u64) -> u64 {
        let half = if largest_window > SMALL_WINDOW { largest_window / 2 } else { largest_window };
        (PIECE.min(half) / mss).max(1) * mss
    }

    /// What [`Pieces::first`] returns for a stream that was written at once, up to `end`.
    pub fn first_of_one_write(mss: u64, next: u64, end: u64) -> (u64, bool) {
        let goal = Pieces::goal(mss, u64::MAX);
        let first = (next / goal + 1) * goal;
        (first.min(end).saturating_sub(next), first >= end)
    }

    /// Bytes of the piece that leaves next, of what is written from `next` on, and whether it is the last.
    pub fn first(&self, next: u64) -> (u64, bool) {
        let place = self.left(next);
        self.list.get(place).map_or((0, true), |piece| (piece.end - next, place + 1 == self.list.len()))
    }

    /// Pieces that have left when all below `next` has.
    fn left(&self, next: u64) -> usize {
        self.list.partition_point(|piece| piece.end <= next)
    }

    /// Bytes of the last piece that have not left; zero if all have.
    fn last(&self, next: u64) -> u64 {
        let before = self.list.len().checked_sub(2).map_or(0, |place| self.list[place].end);
        self.list.back().map_or(0, |piece| piece.end.saturating_sub(next.max(before)))
    }

    /// Memory of what is held.
    pub fn memory(&self, held: &Held) -> u64 {
        let waiting = self.list.len() - self.left(held.next);
        held.end - held.una + (held.packets + waiting as u64) * held.beside
    }

    /// Those of what was written at once and has not left, from `next` to `end`.
    pub fn of_one_write(next: u64, end: u64, goal: u64) -> Pieces {
        let ends = (next..end).step_by(goal as usize).map(|start| (start + goal).min(end));
        Pieces { list: ends.map(|end| Piece { end, pushed: false }).collect() }
    }

    /// Adds at most `most` bytes to the data from `next` to `end`: to the last piece if it is smaller than `goal`, else as a new piece.
    /// Returns how many, and whether that piece leaves next.
    pub fn add(&mut self, next: u64, end: u64, goal: u64, most: u64) -> (u64, bool) {
        self.list.drain(..self.left(next));
        let last = self.last(next);
        let begun = if last < goal { last } else { 0 };
        let bytes = most.min(goal - begun);
        match self.list.back_mut() {
            Some(piece) if begun > 0 => piece.end += bytes,
            _ => self.list.push_back(Piece { end: end + bytes, pushed: false }),
        }
        (bytes, self.list.len() == 1)
    }

    /// True if another piece has to be begun before more is written.
    pub fn are_full(&self, next: u64, goal: u64) -> bool {
        let last = self.last(next);
        last == 0 || last >= goal
    }

    /// The application pushes all that it has written, or writes on in the last piece.
    // Linux net/ipv4/tcp.c: tcp_mark_push sets TCPHDR_PSH, and tcp_sendmsg_locked takes it away.
    pub fn push(&mut self, pushed: bool) {
        if let Some(piece) = self.list.back_mut() {
            piece.pushed = pushed;
        }
    }

    /// True if the application pushed up to exactly this number.
    pub fn has_pushed(&self, end: u64) -> bool {
        self.list.binary_search_by_key(&end, |piece| piece.end).is_ok_and(|place| self.list[place].pushed)
    }
}

/// Memory of `windows` windows with `segments` segments of `mss` bytes.
fn reckoned(segments: u64, mss: u64, windows: u64) -> u64 {
    segments.saturating_mul(windows * ((mss + BESIDE).next_power_of_two() + HEAD))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MSS: u64 = 1448;

    /// By hand: 1448 + 588 bytes fit 2048, 8948 + 588 fit 16,384.
    #[test]
    fn a_buffer_grows_by_two_windows_whatever_the_segment() {
        assert_eq!(reckoned(10, 1448, 2), 20 * 2_304);
        assert_eq!(reckoned(10, 8_948, 2), 20 * 16_640);
    }

    proptest! {
        /// Beside a list of pieces: each is filled, then cut from the front.
        #[test]
        fn pieces_are_those_of_a_list(steps in prop::collection::vec((any::<bool>(), 1..60_u64, 1..200_u64), 1..60)) {
            let (mut pieces, mut list, mut next, mut end) = (Pieces::default(), Vec::<u64>::new(), 0, 0);
            for (place, (adds, segments, most)) in steps.into_iter().enumerate() {
                // The receiver grants more and more.
                let goal = Pieces::goal(MSS, 30_000 + 8_000 * place as u64);
                if adds {
                    let full = list.last().is_none_or(|last| *last >= goal);
                    prop_assert_eq!(pieces.are_full(next, goal), full);
                    let (bytes, is_first) = pieces.add(next, end, goal, most * MSS / 3);
                    end += bytes;
                    if full {
                        list.push(bytes);
                    } else if let Some(last) = list.last_mut() {
                        *last += bytes;
                    }
                    prop_assert_eq!(is_first, list.len() == 1);
                } else {
                    let mut left = (segments * MSS).min(end - next);
                    next += left;
                    while left > 0 {
                        let cut = left.min(list[0]);
                        (list[0], left) = (list[0] - cut, left - cut);
                        list.retain(|piece| *piece > 0);
                    }
                }
                let held = Held { una: 0, next, end, packets: 0, beside: 896 };
                prop_assert_eq!(pieces.memory(&held), end + list.len() as u64 * 896);
                let first = list.first().copied().unwrap_or(0);
                prop_assert_eq!(pieces.first(next), (first, list.len() <= 1));
            }
        }
    }
}
