//! A receive window that a host or an application that reads late changes.

use super::acks::Acks;
use super::reading::{Reading, Room};
use crate::host::Grant;

/// A receive window that changes. What was promised stays: its right edge never moves back (RFC 9293 section 3.8.6).
#[derive(Debug)]
pub struct Allowance {
    /// The window that the host grants, or the buffer.
    pub window: u64,
    /// A segment: with less, nothing would move.
    pub least: u64,
    /// The highest number promised, and the window advertised last.
    pub promised: u64,
    pub latest: u64,
    pub scale: u8,
    /// True if the host has a policy.
    pub hosted: bool,
    /// The application, if it reads later than data arrives.
    pub reading: Option<Reading>,
    /// What credits allow, where the host gives credit.
    pub credit: Option<Credit>,
}

/// What a host allows a sender, a credit at a time.
#[derive(Clone, Copy, Debug)]
pub struct Credit {
    /// Credits allow sending below this number.
    pub end: u64,
    /// True once there is a connection to acknowledge on.
    pub open: bool,
}

impl Allowance {
    /// True if credits allow less than a segment, and the sender waits for more: `left` is expected behind `next`.
    pub fn is_short(&self, end: u64, next: u64, left: u64) -> bool {
        end.saturating_sub(next) < self.least.min(left)
    }

    /// True if an acknowledgement would promise nothing, and the next credit will let it go.
    pub fn waits(&self, next: u64, left: u64) -> bool {
        self.credit
            .is_some_and(|credit| credit.open && self.is_short(credit.end.max(self.promised), next, left))
    }

    /// The host grants something. True if the sender waits for it.
    pub fn grant(&mut self, grant: Grant, next: u64, left: u64) -> bool {
        match (grant, &mut self.credit) {
            (Grant::Window(window), None) => {
                self.window = window.max(self.least);
                false
            }
            (Grant::Credit(bytes), Some(credit)) => {
                credit.end = credit.end.max(next.saturating_add(bytes.max(self.least).min(left)));
                credit.open && self.is_short(self.promised, next, left)
            }
            _ => unreachable!("a host gives windows or credit, never both"),
        }
    }

    /// Returns the window to advertise once everything below `next` has arrived, and the room that it comes from.
    pub fn window(&self, next: u64, acks: Option<&Acks>) -> (u64, Room) {
        let grown = acks.and_then(|acks| acks.buffer().map(|buffer| (buffer, acks.window)));
        let room = Room {
            buffer: grown.map_or(self.window, |(buffer, _)| buffer),
            promised: self.promised.saturating_sub(next),
            latest: self.latest,
            segment: self.least,
            step: 1 << self.scale,
        };
        let unlimited = if self.credit.is_some() { u64::MAX } else { self.window };
        let window = self.reading.as_ref().map_or(unlimited, |reading| reading.window(next, &room));
        let window = self.credit.map_or(window, |credit| window.min(credit.end.saturating_sub(next)));
        (window.min(grown.map_or(u64::MAX, |(_, window)| window)), room)
    }

    /// The window to advertise, shifted and rounded up, when everything below `next` has arrived.
    pub fn advertise(&mut self, next: u64, acks: Option<&Acks>) -> u16 {
        let (window, room) = self.window(next, acks);
        let window = window.max(room.promised);
        let shifted = window.div_ceil(room.step).min(u64::from(u16::MAX)) as u16;
        self.latest = u64::from(shifted) << self.scale;
        self.promised = self.promised.max(next + self.latest);
        shifted
    }
}
