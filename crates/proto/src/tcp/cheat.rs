//! Receivers that misbehave: they acknowledge what has not arrived, acknowledge in pieces, or hide marks.

use dumbbell_core::config::At;
use dumbbell_core::{ConfigError, Ecn, Packet, Validate, config};

config! {
    /// How a receiver cheats, to get more than an honest one. What it does not repair it does not count as delivered.
    pub struct Cheat {
        /// Acknowledges so much of the sender's window more than has arrived: 0.5 is half of it. Losses are hidden as well, since
        /// nobody sends again what was acknowledged.
        ahead: f64 as "dimensionless" = 0.0, "choice: none (Savage et al., CCR 29(5), 1999, section 2.3: optimistic acknowledgements)";
        /// Acknowledges over holes, as if nothing was lost.
        hide_losses: bool = false, "choice: no (Savage et al., CCR 29(5), 1999, section 2.3: it conceals losses)";
        /// Acknowledgements that it sends instead of one, each for a part of the same bytes.
        split: u32 as "acknowledgements" = 1, "choice: one (Savage et al., CCR 29(5), 1999, section 2.1: as many as it likes)";
        /// Reports no marks of congestion.
        hide_marks: bool = false, "choice: no (RFC 3540 section 1: a receiver may conceal marks)";
    }
}

/// The most acknowledgements instead of one: a segment has not many more bytes.
const MOST_PARTS: u32 = 1_000;

impl Validate for Cheat {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        at.within("ahead", self.ahead, 0.0..=1.0)?;
        at.within("split", self.split, 1..=MOST_PARTS)?;
        if self.ahead == 0.0 && self.split == 1 && !self.hide_losses && !self.hide_marks {
            return Err(
                at.error("an honest receiver", "give `ahead`, `hide_losses`, `split` or `hide_marks`")
            );
        }
        Ok(())
    }
}

/// A receiver's state.
#[derive(Clone, Debug)]
pub struct Cheating {
    how: Cheat,
    /// Bytes that the sender had outstanding when it sent the latest segment, that one included.
    flight: u64,
    /// Everything below has been acknowledged as it arrived.
    known: u64,
    /// The acknowledgement in hand: what was acknowledged before it, up to where it goes, and how many of its parts have left.
    from: u64,
    to: u64,
    parts: u32,
    /// Bytes that never arrived, and were acknowledged.
    pub skipped: u64,
}

impl Cheating {
    /// As a receiver's parameters have it.
    pub fn new(how: &Cheat) -> Box<Cheating> {
        let how = how.clone();
        Box::new(Cheating { parts: how.split, how, flight: 0, known: 0, from: 0, to: 0, skipped: 0 })
    }

    /// True if losses are hidden.
    pub fn hides_losses(&self) -> bool {
        self.how.hide_losses || self.how.ahead > 0.0
    }

    /// What it says it saw.
    pub fn seen(&self, ecn: Ecn) -> Ecn {
        if self.how.hide_marks && ecn == Ecn::Ce { Ecn::Ect0 } else { ecn }
    }

    /// A segment has arrived in order, or as if it was, of a sender with segments of so many bytes.
    pub fn arrived(&mut self, packet: &Packet, segment: u64) {
        // The segment says how many segments its sender knew to be acknowledged. (A real one finds this by timestamps.)
        let outstanding = ((packet.body[0] / segment) as u16).wrapping_sub(packet.aux);
        self.flight = (u64::from(outstanding) + 1) * segment;
    }

    /// An acknowledgement leaves, when everything below `next` has arrived of `size` bytes. Returns true if another part of it has
    /// to follow.
    pub fn alter(&mut self, packet: &mut Packet, (next, size, segment): (u64, u64, u64)) -> bool {
        if next > self.known {
            let ahead = (self.how.ahead * self.flight as f64) as u64 / segment * segment;
            (self.from, self.known) = (self.to.max(self.known), next);
            // What nobody has sent cannot be acknowledged: after such an attempt the next one is honest.
            self.to = if self.how.ahead > 0.0 { (next + ahead).min(size.max(next)) } else { next };
            self.parts = if packet.body[2] == 0 && self.from < self.to { 0 } else { self.how.split };
        } else if self.parts >= self.how.split {
            // Nothing new: what has arrived, and no more. Perhaps the sender did not believe the last one.
            packet.body[0] = next;
            return false;
        }
        if self.parts >= self.how.split {
            packet.body[0] = self.to;
            return false;
        }
        self.parts += 1;
        let bytes = self.to - self.from;
        packet.body[0] = self.from + bytes * u64::from(self.parts) / u64::from(self.how.split);
        self.parts < self.how.split
    }
}
