//! The application that reads, and what that does to the receive window: what it has not read takes room in the buffer.

use dumbbell_core::Time;
use dumbbell_core::rng::Stream;

use crate::schedule::{Planned, Schedule};

/// How large windows are, and when a reader's progress is worth a packet of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rules {
    /// RFC 9293 section 3.8.6.2.2; updates as in 4.4BSD-Lite.
    Rfc,
    /// Linux net/ipv4/tcp_output.c: what __tcp_select_window computes, and net/ipv4/tcp.c: what __tcp_cleanup_rbuf decides.
    Linux,
}

/// An application that reads when its schedule says so; after its end all that comes, at once.
#[derive(Debug)]
pub struct Reading {
    schedule: Option<Box<dyn Schedule>>,
    rng: Stream,
    started: bool,
    /// When it reads next, and how much.
    due: Time,
    bytes: u64,
    /// Everything below was read.
    read: u64,
    rules: Rules,
}

/// What a window is reckoned from.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// The buffer.
    pub buffer: u64,
    /// What is left of what was promised, and the window advertised last.
    pub promised: u64,
    pub latest: u64,
    /// A full segment.
    pub segment: u64,
    /// The step in which windows are advertised.
    pub step: u64,
}

impl Reading {
    /// Before anything has arrived.
    pub fn new(planned: &Planned, rules: Rules) -> Reading {
        let schedule = Some(planned.schedule.build());
        let (started, due, bytes, read) = (false, Time::NEVER, 0, 0);
        Reading { schedule, rng: planned.rng.clone(), started, due, bytes, read, rules }
    }

    /// Bytes that wait to be read of those below `next`.
    pub fn unread(&self, next: u64) -> u64 {
        next.saturating_sub(self.read)
    }

    /// When the application reads next of what lies below `next`; never if nothing does.
    pub fn due(&self, next: u64) -> Time {
        if self.read < next { self.due } else { Time::NEVER }
    }

    /// Everything below `next` has arrived, or it is time: the application reads. Returns the bytes. Its schedule counts from the
    /// first data; times at which there was nothing to read have passed.
    pub fn read(&mut self, now: Time, next: u64) -> u64 {
        if !self.started {
            self.started = true;
            self.plan(now);
        }
        let before = self.read;
        while self.due < now {
            self.plan(self.due);
        }
        while self.due <= now && self.read < next {
            self.read = self.read.saturating_add(self.bytes).min(next);
            self.plan(self.due);
        }
        if self.schedule.is_none() {
            self.read = next;
        }
        self.read - before
    }

    /// Plans what comes after a time.
    fn plan(&mut self, before: Time) {
        let next = self.schedule.as_mut().and_then(|schedule| schedule.next(&mut self.rng));
        if let Some((gap, bytes)) = next {
            (self.due, self.bytes) = (before + gap, bytes);
        } else {
            (self.schedule, self.due) = (None, Time::NEVER);
        }
    }

    /// The window to advertise when everything below `next` has arrived.
    pub fn window(&self, next: u64, room: &Room) -> u64 {
        let free = room.buffer.saturating_sub(self.unread(next));
        match self.rules {
            Rules::Rfc if free.saturating_sub(room.promised) >= room.segment.min(room.buffer / 2) => free,
            Rules::Rfc => room.promised,
            Rules::Linux => {
                let free = if free < room.buffer / 2 { free / room.step * room.step } else { free };
                let segment = room.segment.min(room.buffer);
                if free < segment.max(room.buffer / 16) {
                    0
                } else if room.step > 1 {
                    free
                } else {
                    Reading::in_segments(free, segment, room)
                }
            }
        }
    }

    /// Where windows are not scaled, Linux advertises whole segments, and keeps the window until there is room for one more.
    fn in_segments(free: u64, segment: u64, room: &Room) -> u64 {
        if room.latest + segment <= free || room.latest > free {
            free / segment * segment
        } else if segment == room.buffer && free > room.latest + room.buffer / 2 {
            free
        } else {
            room.latest
        }
    }

    /// True if the sender should hear of a window at once.
    pub fn tells(&self, window: u64, room: &Room) -> bool {
        match self.rules {
            // 4.4BSD-Lite sys/netinet/tcp_output.c: two segments, or half of the buffer.
            Rules::Rfc => window.saturating_sub(room.promised) >= (2 * room.segment).min(room.buffer / 2),
            Rules::Linux => 2 * room.promised <= room.buffer && window > 0 && window >= 2 * room.promised,
        }
    }
}
