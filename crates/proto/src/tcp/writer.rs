//! What the application has to write still: it waits for room in the send buffer.
//!
//! The application is one that writes when it is told that there is room (`EPOLLOUT`), in pieces of [`PIECE`]. What it has written
//! makes no difference before the sender comes to the end of what was there; so nothing is reckoned before that.

use super::send_buffer::Buffer;

/// Bytes that the application writes at once.
// Choice: what the program of `dumbbell compare-real` writes.
const PIECE: u64 = 1 << 18;

/// An application that has something to write.
#[derive(Debug)]
pub struct Writer {
    /// Bytes for which there was no room.
    waiting: u64,
    buffer: Buffer,
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
    pub fn write(&mut self, held: u64) -> u64 {
        let room = self.buffer.room();
        let mut written = 0;
        while self.waiting > 0 && held + written <= room / 3 * 2 {
            let piece = PIECE.min(self.waiting).min(room - held - written);
            written += piece;
            self.waiting -= piece;
        }
        written
    }

    /// The buffer grows so that it holds two windows of so many segments.
    pub fn grow(&mut self, window: u64) {
        self.buffer.grow(window);
    }
}
