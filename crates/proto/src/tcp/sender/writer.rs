//! What the application has to write still: it waits for room in the send buffer.
//!
//! The application is one that writes when it is told that there is room (`EPOLLOUT`), in pieces of [`PIECE`]. What it has written
//! makes no difference before the sender comes to the end of what was there; so nothing is reckoned before that.

use dumbbell_core::Bytes;

use super::Sender;

/// Bytes that the application writes at once.
// Choice: what the program of `dumbbell compare-real` writes.
const PIECE: u64 = 1 << 18;
/// What a segment takes of the buffer besides its payload, where much is written at once: measured on Linux 6.18, where a segment of
/// 1448 bytes takes 1476.
const BESIDE: u64 = 28;
/// What the buffer grows by for each segment that it shall hold: measured on Linux 6.18 (2048 bytes and a header).
// Linux net/ipv4/tcp_input.c: what tcp_sndbuf_expand computes; include/net/sock.h: SOCK_MIN_SNDBUF is two of these.
const RECKONED: u64 = 2304;
/// The buffer grows for this many segments at least: the initial window of RFC 6928.
const LEAST_SEGMENTS: u64 = 10;

/// An application that has something to write.
#[derive(Debug)]
pub struct Writer {
    /// Bytes for which there was no room.
    waiting: u64,
    buffer: Buffer,
}

/// The send buffer.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    /// Its memory now, and the most.
    size: u64,
    most: u64,
    /// Payload of a segment.
    mss: u64,
}

impl Buffer {
    /// The buffer of a new connection.
    pub fn new(most: Bytes, mss: u32) -> Buffer {
        let most = most.get().max(2 * RECKONED);
        Buffer { size: reckoned(LEAST_SEGMENTS).min(most), most, mss: mss.into() }
    }

    /// Bytes of data for which it has memory.
    pub fn room(&self) -> u64 {
        let room = u128::from(self.size) * u128::from(self.mss) / u128::from(self.mss + BESIDE);
        room as u64
    }

    /// Grows so that it holds two windows.
    fn grow(&mut self, window: u64) {
        self.size = self.size.max(reckoned(window.max(LEAST_SEGMENTS)).min(self.most));
    }
}

/// Memory that two windows of so many segments are reckoned at.
fn reckoned(segments: u64) -> u64 {
    segments.saturating_mul(2 * RECKONED)
}

impl Writer {
    /// An application with so many bytes to write into a buffer that holds `held`; `None` if they find room at once.
    pub fn new(held: u64, bytes: u64, buffer: Option<Buffer>) -> Option<Box<Writer>> {
        let buffer = buffer.filter(|buffer| held.saturating_add(bytes) > buffer.room())?;
        Some(Box::new(Writer { waiting: bytes, buffer }))
    }

    /// True if the application waits for room.
    pub fn waits(&self) -> bool {
        self.waiting > 0
    }

    /// More to write.
    pub fn add(&mut self, bytes: u64) {
        self.waiting = self.waiting.saturating_add(bytes);
    }

    /// What the application writes while the buffer holds `held` bytes.
    // Linux net/core/stream.c: sk_stream_write_space wakes the writer when a third of the buffer is free.
    fn write(&mut self, held: u64) -> u64 {
        let room = self.buffer.room();
        let mut written = 0;
        while self.waiting > 0 && held + written <= room / 3 * 2 {
            let piece = PIECE.min(self.waiting).min(room - held - written);
            written += piece;
            self.waiting -= piece;
        }
        written
    }
}

impl Sender {
    /// Lets the application write what there is room for. True if it wrote.
    pub(super) fn top_up(&mut self) -> bool {
        let Some(mut writer) = self.writer.take() else { return false };
        if self.outstanding() < self.window_in_use() {
            writer.buffer.grow(self.window_in_use() / u64::from(self.mss));
        }
        let written = writer.write(self.end - self.una.min(self.end));
        self.end += written;
        self.stop = self.end;
        if writer.waits() {
            self.writer = Some(writer);
        } else {
            self.stop += u64::from(self.params.fin);
        }
        written > 0
    }

    /// True if the application has more than there is room for: the buffer limits the sender (RFC 7661 section 4.4.3).
    pub(super) fn is_starved(&self) -> bool {
        self.writer.as_ref().is_some_and(|writer| writer.waits())
    }
}
