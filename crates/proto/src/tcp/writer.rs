//! What the application has to write still: it waits for its time, or for room in the send buffer.
//!
//! Where a buffer limits, the application is one that writes when it is told that there is room (`EPOLLOUT`), in pieces of
//! [`PIECE`]. What it has written makes no difference before the sender comes to the end of what was there; so nothing is reckoned
//! before that.

use dumbbell_core::Time;
use dumbbell_core::rng::Stream;

use super::send_buffer::Buffer;
use crate::schedule::{Planned, Schedule};

/// Bytes that the application writes at once, if there is room.
// Choice: what the program of `dumbbell compare-real` writes.
const PIECE: u64 = 1 << 18;

/// An application that has something to write.
#[derive(Debug)]
pub struct Writer {
    /// Bytes for which there was no room.
    waiting: u64,
    buffer: Option<Buffer>,
    /// In a box: most writers have none.
    program: Option<Box<Program>>,
    /// Until the sender has sent so much it finds nothing written, if all it does is send. Zero after anything else.
    pub full_below: u64,
}

/// An application that writes when its schedule says so.
#[derive(Debug)]
struct Program {
    schedule: Box<dyn Schedule>,
    rng: Stream,
    /// Bytes that it has yet to write.
    left: u64,
    /// When it writes next, and how much.
    due: Time,
    bytes: u64,
}

impl Program {
    /// Plans what comes after something at a time. False if nothing does.
    fn plan(&mut self, before: Time) -> bool {
        let next = if self.left == 0 { None } else { self.schedule.next(&mut self.rng) };
        let Some((gap, bytes)) = next else { return false };
        (self.due, self.bytes) = (before + gap, bytes.min(self.left));
        true
    }
}

impl Writer {
    /// An application with so many bytes to write into a buffer that holds `held`; `None` if they find room at once.
    pub fn new(held: u64, bytes: u64, buffer: Option<Buffer>) -> Option<Box<Writer>> {
        let buffer = buffer.filter(|buffer| held.saturating_add(bytes) > buffer.room())?;
        Some(Box::new(Writer { waiting: bytes, buffer: Some(buffer), program: None, full_below: 0 }))
    }

    /// An application that writes so many bytes by a schedule.
    pub fn scheduled(planned: &Planned, bytes: u64, buffer: Option<Buffer>) -> Box<Writer> {
        let schedule = planned.schedule.build();
        let program = Program { schedule, rng: planned.rng.clone(), left: bytes, due: Time::NEVER, bytes: 0 };
        Box::new(Writer { waiting: 0, buffer, program: Some(Box::new(program)), full_below: 0 })
    }

    /// True if the application waits for room.
    pub fn waits(&self) -> bool {
        self.waiting > 0
    }

    /// True if the application has written all.
    pub fn is_done(&self) -> bool {
        self.waiting == 0 && self.program.is_none()
    }

    /// When the application writes next.
    pub fn due(&self) -> Time {
        self.program.as_ref().map_or(Time::NEVER, |program| program.due)
    }

    /// More to write.
    pub fn add(&mut self, bytes: u64) {
        self.waiting = self.waiting.saturating_add(bytes);
    }

    /// The schedule starts.
    pub fn start(&mut self, now: Time) {
        if !self.program.as_mut().is_some_and(|program| program.plan(now)) {
            self.program = None;
        }
    }

    /// Lets the application have its say, if it is time.
    pub fn run(&mut self, now: Time) {
        while let Some(program) = self.program.as_mut().filter(|program| program.due <= now) {
            self.waiting = self.waiting.saturating_add(program.bytes);
            self.full_below = 0;
            program.left -= program.bytes;
            if !program.plan(program.due) {
                self.program = None;
            }
        }
    }

    /// What the application writes while `unsent` bytes wait, and `out` have left in packets of so many bytes as `packet` says. Notes
    /// whether it would write once more of these have left and nothing else has happened: the packets are of one size up to `same`,
    /// counted from the first byte that is out. The window is of `window` bytes.
    pub fn write(
        &mut self,
        unsent: u64,
        out: u64,
        (window, same): (u64, u64),
        packet: impl FnOnce() -> u64,
    ) -> u64 {
        self.full_below = 0;
        let Some(buffer) = &self.buffer else { return std::mem::take(&mut self.waiting) };
        let stays = u64::from(buffer.has_grown_below) > window;
        if !buffer.may_have_room(unsent + out) {
            self.full_below = if stays { unsent + out } else { 0 };
            return 0;
        }
        let packet = packet();
        let mut written = 0;
        while self.waiting > 0
            && let Some(room) = buffer.free(unsent + written, out, packet)
        {
            let piece = PIECE.min(self.waiting).min(room);
            written += piece;
            self.waiting -= piece;
        }
        if written == 0 && stays && buffer.stays_full(unsent, out, packet) {
            self.full_below = same.min(unsent + out);
        }
        written
    }

    /// The buffer grows so that it holds two windows of so many bytes.
    #[inline]
    pub fn grow(&mut self, window: u64) {
        if let Some(buffer) =
            self.buffer.as_mut().filter(|buffer| u64::from(buffer.has_grown_below) <= window)
        {
            buffer.grow(window);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::send_buffer::SendBuffer;
    use super::*;
    use crate::testing::read;

    #[test]
    fn an_application_waits_while_its_buffer_has_no_room() {
        let buffer = read::<SendBuffer>(r#""10kB""#).open(1448);
        let room = buffer.unwrap().room();
        assert!(Writer::new(0, room, buffer).is_none(), "it has written all");
        let mut writer = Writer::new(0, room + 1, buffer).unwrap();
        assert!(writer.waits() && !writer.is_done());
        assert_eq!(writer.write(0, 0, (0, 0), || 1448), room);
        assert!(writer.waits() && !writer.is_done());
        assert_eq!(writer.write(0, 0, (0, 0), || 1448), 1);
        assert!(!writer.waits() && writer.is_done());
    }
}
