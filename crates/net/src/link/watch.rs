//! What follows each packet on a link with a queue: counters of its class, and notes for an observer of the run.

use dumbbell_core::{DropReason, Duration, MarkReason, Times};

use super::Carried;
use super::classes::{ClassAccount, PerClass};

/// What happened to a packet on a link, beside [`super::Incident`]s.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Note {
    /// Its last bit has left the transmitter.
    Left,
    /// It was marked "congestion experienced".
    Marked(MarkReason),
}

/// Watches the packets of a link. A link that nobody watches has none.
#[derive(Clone, Debug)]
pub(super) struct Watch<P> {
    classes: Option<ClassAccount>,
    /// How long packets stayed, since that was read last.
    sojourns: Option<Times>,
    /// In order, since they were taken last.
    notes: Option<Vec<(P, Note)>>,
}

impl<P: Carried> Watch<P> {
    /// One that counts by class and notes how long packets stay, if asked to, and keeps no notes of events.
    pub fn new(counts_classes: bool, timed: bool) -> Watch<P> {
        let (classes, sojourns) = (counts_classes.then(ClassAccount::default), timed.then(Times::default));
        Watch { classes, sojourns, notes: None }
    }

    /// Keeps notes from now on.
    pub fn keep_notes(&mut self) {
        self.notes = Some(Vec::new());
    }

    /// The notes since they were taken last, if it keeps any.
    pub fn notes(&mut self) -> Option<&mut Vec<(P, Note)>> {
        self.notes.as_mut()
    }

    /// The account of classes, if there is one.
    pub fn classes(&self) -> Option<&ClassAccount> {
        self.classes.as_ref()
    }

    /// The counts of each class since the last call, if the link counts classes. `early` is a packet that was counted as sent and
    /// is still in transmission: its class, bytes and sojourn in nanoseconds. The counts leave it out.
    pub fn read_classes_but(&mut self, early: Option<(u8, u64, u64)>) -> Option<PerClass> {
        self.classes.as_mut().map(|classes| classes.read_but(early))
    }

    /// How long the packets stayed that have left since the last call, if that is noted.
    pub fn read_sojourns(&mut self) -> Option<Times> {
        self.sojourns.as_mut().map(std::mem::take)
    }

    /// A packet has arrived.
    pub fn arrived(&mut self, packet: &P) {
        if let Some(classes) = &mut self.classes {
            classes.of(packet).arrived += 1;
        }
    }

    /// A packet has left the transmitter, so many nanoseconds after it arrived.
    pub fn left(&mut self, packet: &P, sojourn: u64) {
        if let Some(classes) = &mut self.classes {
            let class = classes.of(packet);
            class.sent += 1;
            class.sent_bytes += u64::from(packet.size());
            class.sojourn_sum += sojourn;
        }
        if let Some(sojourns) = &mut self.sojourns {
            sojourns.add(Duration::from_nanos(sojourn));
        }
        self.note(packet, Note::Left);
    }

    /// A packet was dropped.
    pub fn dropped(&mut self, packet: &P, reason: DropReason) {
        if let Some(classes) = &mut self.classes {
            classes.dropped(packet, reason);
        }
    }

    /// A packet was marked.
    pub fn marked(&mut self, packet: &P, reason: MarkReason) {
        if let Some(classes) = &mut self.classes {
            classes.of(packet).marked += 1;
        }
        self.note(packet, Note::Marked(reason));
    }

    fn note(&mut self, packet: &P, note: Note) {
        if let Some(notes) = &mut self.notes {
            notes.push((packet.clone(), note));
        }
    }
}
