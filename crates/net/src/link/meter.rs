//! How others sample, count and watch a link.

use dumbbell_core::{DropReason, Duration, MarkReason, Packet, Time, Times, VerdictSink};

use super::{Arrival, Counters, Incidents, Note, PerClass};
use crate::power::{Ledger, Port};
use crate::router::QueueView;

const NOT_INSPECTED: &str = "only a link that was made to be inspected is";

/// The reader of a link. Each form has one, and answers what it knows; the rest is `None` or nothing.
pub trait Meter<P = Packet> {
    /// Brings the link up to date at `now`, the present; call it before a reading. What else happened goes to `incidents`, and
    /// `wake_at` may change. Returns true if there may have been something to do.
    fn settle(&mut self, now: Time, incidents: &mut Incidents<P>) -> bool {
        let _ = (now, incidents);
        false
    }

    /// Packets waiting or in transmission at `now`.
    fn backlog(&mut self, now: Time) -> u64;

    /// Packets that the link holds: waiting, in transmission or in flight, here or on the links that passed them on.
    fn inside(&self) -> u64;

    /// What was counted up to `now`, but for the integral of the queue and the sum of sojourns: cheap enough for every sample.
    fn progress(&mut self, now: Time) -> Counters;

    /// What was counted up to `now`, the next of the times announced in [`super::LinkConfig::read_at`].
    fn counters(&mut self, now: Time) -> Counters;

    /// Packets waiting or in transmission at `now`, where a link that does not know them estimates them.
    fn backlog_early(&mut self, now: Time) -> u64 {
        self.backlog(now)
    }

    /// What was counted up to `now`, the present of a run that is cut short before the next of the times announced. A link that
    /// does not know its backlog estimates it.
    fn counters_early(&mut self, now: Time) -> Counters {
        self.counters(now)
    }

    /// The queue at `now`, the present. What happens up to then goes to `incidents`, and `wake_at` may change. Only for a link
    /// that is [`super::LinkConfig::inspected`].
    ///
    /// # Panics
    /// If it is not.
    fn queue(&mut self, now: Time, incidents: &mut Incidents<P>) -> QueueView {
        let _ = (now, incidents);
        unreachable!("{NOT_INSPECTED}")
    }

    /// A node agent has given `packet` up, which was about to arrive: it counts as having arrived.
    ///
    /// # Panics
    /// If the link is not [`super::LinkConfig::inspected`].
    fn give_up(&mut self, packet: P, reason: DropReason, incidents: &mut Incidents<P>) {
        let _ = (packet, reason, incidents);
        unreachable!("{NOT_INSPECTED}")
    }

    /// A node agent has marked `packet`, which is about to arrive.
    ///
    /// # Panics
    /// If the link is not [`super::LinkConfig::inspected`].
    fn mark(&mut self, packet: &P, reason: MarkReason) {
        let _ = (packet, reason);
        unreachable!("{NOT_INSPECTED}")
    }

    /// When the packet accepted last has left the transmitter, if the link knows that when a packet arrives.
    fn departure(&self) -> Option<Time> {
        None
    }

    /// The next of the arrivals noted, in order. A link that is fed ahead of time notes arrivals to come.
    fn next_arrival(&mut self) -> Option<Arrival>;

    /// What happened to packets since the notes were taken last, in order, as far as the link did not know it when they arrived
    /// ([`Meter::departure`]); `None` for a link that keeps no notes.
    fn notes(&mut self) -> Option<&mut Vec<(P, Note)>> {
        None
    }

    /// The largest average length that the queue decided by: see `Discipline::average`.
    fn average(&self) -> Option<f64> {
        None
    }

    /// The rate in bits per second that the router offers each flow at `now`, if it has one.
    fn offered(&mut self, now: Time) -> Option<f64> {
        let _ = now;
        None
    }

    /// What was counted of each traffic class since the last call, up to `now`, if the link tells them apart.
    fn read_classes(&mut self, now: Time) -> Option<PerClass> {
        let _ = now;
        None
    }

    /// How long the packets stayed that have left since the last call, if that is noted.
    fn read_sojourns(&mut self) -> Option<Times> {
        None
    }

    /// The time up to `now`, the present, in which pauses held the transmitter back, since the last call; `None` for a link that
    /// obeys none.
    fn read_pause(&mut self, now: Time) -> Option<Duration> {
        let _ = now;
        None
    }

    /// The port, if the link is under power control.
    fn port(&self) -> Option<&Port> {
        None
    }

    /// Closes the account of the port at `now`, the present, and opens an empty one.
    fn read_port(&mut self, now: Time) -> Option<Ledger> {
        let _ = now;
        None
    }

    /// Conservation by traffic class, if the link tells them apart; and of the bytes that it holds of a shared buffer.
    ///
    /// # Panics
    /// If a class gained or lost a packet, or the buffer a byte, which only a bug can do.
    fn assert_conservation(&self) {}
}

/// Where a node agent decides on a packet that is about to arrive: the link counts its marks and drops.
pub struct Entrance<'a, P = Packet> {
    /// The link.
    pub link: &'a mut dyn Meter<P>,
    /// What happens on it.
    pub incidents: &'a mut Incidents<P>,
}

impl<P> VerdictSink<P> for Entrance<'_, P> {
    #[cold]
    fn dropped(&mut self, packet: P, reason: DropReason) {
        self.link.give_up(packet, reason, self.incidents);
    }
    #[cold]
    fn marked(&mut self, packet: &P, reason: MarkReason) {
        self.link.mark(packet, reason);
    }
}
