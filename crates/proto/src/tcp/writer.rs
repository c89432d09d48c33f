//! The application that writes: it waits for its time, or for room in the send buffer.
//!
//! With a limited buffer, the application writes after `EPOLLOUT`, in calls of [`CALL`] bytes. Data waits in pieces. When the call
//! fills the piece that leaves next, that piece leaves at once, before the call returns.
// Linux net/ipv4/tcp.c: tcp_sendmsg_locked.

use dumbbell_core::Time;
use dumbbell_core::rng::Stream;

use super::send_buffer::{Buffer, Held, Pieces};
use crate::schedule::{Planned, Schedule};

/// Bytes that the application writes at once, if there is room.
// Choice: what the program of `dumbbell compare-real` writes.
const CALL: u32 = 1 << 18;
/// An application that writes no more than this never waits: it fits the first piece.
const AT_ONCE: u64 = 20_000;

/// An application that has something to write.
#[derive(Debug)]
pub struct Writer {
    /// Bytes for which there was no room.
    waiting: u64,
    /// Of them, those of the call that goes on.
    call: u32,
    /// The application has pushed everything below this number.
    pushed: u64,
    /// What it wrote piece by piece. In a box: most connections that wait have none, and should be small.
    pieces: Option<Box<Pieces>>,
    /// The application waits for `EPOLLOUT`.
    asleep: bool,
    buffer: Option<Buffer>,
    /// In a box: most writers have none.
    program: Option<Box<Program>>,
}

/// What the application has written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written {
    /// The stream ends here now.
    pub end: u64,
    /// The piece that leaves next became full. It leaves at once, even as a small packet.
    pub at_once: bool,
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
    /// An application with so many bytes to write into a buffer that holds `held`; `None` if nothing can make it wait.
    pub fn new(held: u64, bytes: u64, buffer: Option<Buffer>) -> Option<Box<Writer>> {
        let buffer = buffer.filter(|_| held > 0 || bytes > AT_ONCE)?;
        Some(Box::new(Writer { waiting: bytes, buffer: Some(buffer), ..Writer::idle() }))
    }

    fn idle() -> Writer {
        Writer { waiting: 0, call: 0, pushed: 0, pieces: None, asleep: false, buffer: None, program: None }
    }

    /// An application that writes so many bytes by a schedule.
    pub fn scheduled(planned: &Planned, bytes: u64, buffer: Option<Buffer>) -> Box<Writer> {
        let schedule = planned.schedule.build();
        let program = Program { schedule, rng: planned.rng.clone(), left: bytes, due: Time::NEVER, bytes: 0 };
        Box::new(Writer { buffer, program: Some(Box::new(program)), ..Writer::idle() })
    }

    /// True if the application waits for room.
    pub fn waits(&self) -> bool {
        self.asleep
    }

    /// True if the application may write into a buffer that holds so many bytes, or if a window of so many bytes enlarges the buffer.
    #[inline]
    pub fn may_write(&self, held: u64, window: u64) -> bool {
        match &self.buffer {
            Some(buffer) if self.asleep => buffer.has_room(held) || buffer.grows(window),
            _ => self.waiting > 0,
        }
    }

    /// True if there is not room for everything.
    pub fn has_buffer(&self) -> bool {
        self.buffer.is_some()
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

    /// The segments that the buffer has grown to hold; zero without one.
    pub fn segments(&self) -> u16 {
        self.buffer.as_ref().map_or(0, |buffer| buffer.segments())
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
            program.left -= program.bytes;
            if !program.plan(program.due) {
                self.program = None;
            }
        }
    }

    /// The pieces of what waits, if the application wrote it piece by piece.
    #[inline]
    pub fn pieces(&self) -> Option<&Pieces> {
        self.pieces.as_deref()
    }

    /// Lets the application write until a segment may leave, or until it waits for room. Returns `None` if it writes nothing. Segments
    /// have `mss` bytes; the receiver has granted `most` bytes at most.
    pub fn write(&mut self, held: Held, mss: u64, most: u64) -> Option<Written> {
        let (next, mut end) = (held.next, held.end);
        let Some(buffer) = &self.buffer else {
            end += std::mem::take(&mut self.waiting);
            return (end > held.end).then_some(Written { end, at_once: false });
        };
        self.asleep = false;
        let goal = Pieces::goal(mss, most);
        let pieces = self.pieces.get_or_insert_with(|| Box::new(Pieces::of_one_write(next, end, goal)));
        while self.waiting > 0 {
            let memory = pieces.memory(&Held { end, ..held });
            if self.call == 0 {
                if !buffer.has_room(memory) {
                    self.asleep = true;
                    break;
                }
                self.call = self.waiting.min(CALL.into()) as u32;
            }
            let is_full = pieces.are_full(next, goal);
            if is_full && buffer.is_full(memory) {
                (self.asleep, self.call, self.pushed) = (true, 0, end);
                pieces.push(true);
                break;
            }
            if end == held.end && !is_full {
                pieces.push(false);
            }
            let (bytes, is_first) = pieces.add(next, end, goal, self.call.into());
            end += bytes;
            self.waiting -= bytes;
            self.call -= bytes as u32;
            if self.call == 0 || end - self.pushed > most / 2 {
                self.pushed = end;
                pieces.push(true);
                break;
            }
            if is_first {
                return Some(Written { end, at_once: true });
            }
        }
        (end > held.end).then_some(Written { end, at_once: false })
    }

    /// Grows the buffer of an application that waits to its number of windows of so many bytes.
    #[inline]
    pub fn grow(&mut self, window: u64) {
        if self.asleep
            && let Some(buffer) = self.buffer.as_mut().filter(|buffer| buffer.grows(window))
        {
            buffer.grow(window);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU8;

    use super::super::send_buffer::SendBuffer;
    use super::*;
    use crate::testing::read;

    const MSS: u64 = 1448;

    fn writer(buffer: &str, bytes: u64) -> Writer {
        let buffer = read::<SendBuffer>(buffer).open(1448, NonZeroU8::new(2).unwrap(), 0);
        *Writer::new(0, bytes, buffer).expect("the buffer limits")
    }

    #[test]
    fn an_application_waits_while_a_third_of_its_buffer_is_not_free() {
        let mut writer = writer(r#""10kB""#, 100_000);
        let mut held = Held { una: 0, next: 0, end: 0, packets: 0, beside: 896 };
        let mut write = |una, next, packets| {
            (held.una, held.next, held.packets) = (una, next, packets);
            let written = writer.write(held, MSS, 4 * MSS);
            held.end = written.map_or(held.end, |written| written.end);
            written.map(|written| (written.end / MSS, written.at_once))
        };
        // Pieces of two segments of the 10,000 bytes: the last goes beyond them.
        assert_eq!(write(0, 0, 0), Some((2, true)));
        assert_eq!(write(0, 0, 0), Some((4, false)), "half of the window waits to be pushed");
        assert_eq!(write(0, 0, 0), Some((6, false)));
        assert_eq!(write(0, 0, 0), None);
        // A packet that leaves takes no more than the piece that it was.
        assert_eq!(write(0, 2 * MSS, 1), None);
        // Of 2 segments in a packet and 2 in a piece, 7,584 bytes, a third of the buffer is not free.
        assert_eq!(write(2 * MSS, 4 * MSS, 1), None);
        assert_eq!(write(3 * MSS, 4 * MSS, 1), Some((10, false)), "9928 bytes, and two more segments");
    }

    /// Linux 6.12 in virtual time: the first write takes 32 segments, of which ten leave in two packets.
    #[test]
    fn the_first_write_fills_what_its_packets_leave() {
        let mut writer = writer(r#""4MiB""#, 1 << 30);
        let mut held = Held { una: 0, next: 0, end: 0, packets: 0, beside: 896 };
        let mut ends = Vec::new();
        while let Some(written) = writer.write(held, MSS, 65_160) {
            held.end = written.end;
            ends.push((written.end / MSS, written.at_once));
            if held.packets < 2 {
                held.next += 5 * MSS;
                held.packets += 1;
            }
        }
        assert_eq!(ends, [(22, true), (27, false), (32, true)]);
        // It pushes when it waits. The piece that it pushed at 27 segments has grown since.
        let pushed = [22, 27, 32]
            .map(|segments| writer.pieces().is_some_and(|pieces| pieces.has_pushed(segments * MSS)));
        assert_eq!(pushed, [false, false, true]);
    }
}
