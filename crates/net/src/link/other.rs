//! The links that are no [`super::FifoLink`], told apart behind one test. See [`super::Link`] for what each function does.

use dumbbell_core::{Duration, Packet, Time};

use super::{
    Arrival, Counters, Incidents, InspectedLink, LazyLink, LinkConfig, Note, PerClass, QueuedLink,
    StampedLink,
};
use crate::power::{Ledger, Port};
use crate::queue::QueueSpec;
use crate::router::{Agent, AgentSpec};

/// A link of another form. They lie in a box of this, so that none of them needs one of its own.
#[allow(clippy::large_enum_variant, reason = "see above: the large form is the common one")]
#[derive(Clone, Debug)]
pub enum Other {
    /// DropTail at a constant rate, with a router of RCP: one event per hop.
    Stamped(StampedLink),
    /// DropTail at a constant rate, out of a router with an agent: one event per hop.
    Inspected(InspectedLink),
    /// Any other discipline at a constant rate: one event per hop, or none.
    Lazy(LazyLink),
    /// Anything else: two events per hop.
    Queued(QueuedLink<Packet>),
}

macro_rules! each {
    ($self:ident, $link:ident => $body:expr) => {
        match $self {
            Other::Stamped($link) => $body,
            Other::Inspected($link) => $body,
            Other::Lazy($link) => $body,
            Other::Queued($link) => $body,
        }
    };
}

impl Other {
    pub(super) fn new(config: &LinkConfig) -> Other {
        match (&config.direction.queue, &config.direction.router) {
            (QueueSpec::DropTail(queue), Some(AgentSpec::Rcp(router)))
                if config.is_plain() && !config.inspected =>
            {
                Other::Stamped(StampedLink::new(config, queue, router))
            }
            (QueueSpec::DropTail(queue), None) if config.is_plain() && !config.watched => {
                Other::Inspected(InspectedLink::new(config, queue))
            }
            (_, None) if config.may_be_late() => Other::Lazy(LazyLink::new(config)),
            _ => Other::Queued(QueuedLink::new(config)),
        }
    }

    // Two kinds of loop call this and `act` for every packet: the compiler would not inline them.
    #[inline(always)]
    pub(super) fn push(&mut self, now: Time, packet: &Packet, hop: u32, incidents: &mut Incidents) -> bool {
        match self {
            Other::Stamped(link) => link.push(now, packet, hop, incidents),
            Other::Inspected(link) => link.push(now, packet, hop, incidents),
            Other::Lazy(link) => link.push(now, packet, hop, incidents),
            Other::Queued(link) => link.push(now, Packet { hop, ..*packet }, incidents),
        }
    }

    pub(super) fn can_hand_on(&self) -> bool {
        match self {
            Other::Stamped(_) | Other::Inspected(_) => false,
            Other::Lazy(link) => link.can_hand_on(),
            Other::Queued(link) => link.can_hand_on(),
        }
    }

    pub(super) fn hand_on(&mut self) {
        match self {
            Other::Stamped(_) | Other::Inspected(_) => {}
            Other::Lazy(link) => link.hand_on(),
            Other::Queued(link) => link.hand_on(),
        }
    }

    #[inline]
    pub(super) fn gives_ahead(&self) -> bool {
        matches!(self, Other::Lazy(link) if link.hands_on())
    }

    pub(super) fn settle(&mut self, now: Time, incidents: &mut Incidents) -> bool {
        let Other::Lazy(link) = self else { return false };
        link.settle(now, incidents);
        true
    }

    #[inline(always)]
    pub(super) fn act(&mut self, now: Time, incidents: &mut Incidents) -> bool {
        each!(self, link => link.act(now, incidents))
    }

    #[inline]
    pub(super) fn head(&self) -> Option<&Packet> {
        each!(self, link => link.head())
    }

    #[inline]
    pub(super) fn pop(&mut self) {
        match self {
            Other::Stamped(link) => link.pop(),
            Other::Inspected(link) => link.pop(),
            Other::Lazy(link) => link.pop(),
            Other::Queued(link) => {
                link.pop();
            }
        }
    }

    #[inline]
    pub(super) fn wake_at(&self) -> Time {
        each!(self, link => link.wake_at())
    }

    pub(super) fn backlog(&mut self, now: Time) -> u64 {
        match self {
            Other::Stamped(link) => link.backlog(now),
            Other::Inspected(link) => link.backlog(now),
            Other::Lazy(link) => link.backlog(now),
            Other::Queued(link) => link.backlog(),
        }
    }

    pub(super) fn inside(&self) -> u64 {
        each!(self, link => link.inside())
    }

    pub(super) fn progress(&mut self, now: Time) -> Counters {
        match self {
            Other::Stamped(link) => link.progress(now),
            Other::Inspected(link) => link.progress(now),
            Other::Lazy(link) => link.counters(now),
            Other::Queued(link) => link.progress(),
        }
    }

    pub(super) fn counters(&mut self, now: Time) -> Counters {
        each!(self, link => link.counters(now))
    }

    pub(super) fn backlog_early(&mut self, now: Time) -> u64 {
        match self {
            Other::Stamped(link) => link.backlog_early(now),
            Other::Inspected(link) => link.backlog_early(now),
            Other::Lazy(link) => link.backlog(now),
            Other::Queued(link) => link.backlog(),
        }
    }

    pub(super) fn counters_early(&mut self, now: Time) -> Counters {
        match self {
            Other::Stamped(link) => link.counters_early(now),
            Other::Inspected(link) => link.counters_early(now),
            Other::Lazy(link) => link.counters(now),
            Other::Queued(link) => link.counters(now),
        }
    }

    pub(super) fn keep_notes(&mut self) {
        match self {
            Other::Stamped(_) | Other::Inspected(_) => {}
            Other::Lazy(_) => unreachable!("a watched link is never late"),
            Other::Queued(link) => link.keep_notes(),
        }
    }

    pub(super) fn take_notes(&mut self) -> impl Iterator<Item = (Packet, Note)> {
        let queued = if let Other::Queued(link) = self { Some(link) } else { None };
        queued.into_iter().flat_map(QueuedLink::take_notes)
    }

    pub(super) fn departure(&self) -> Option<Time> {
        match self {
            Other::Stamped(link) => Some(link.free_at()),
            Other::Inspected(_) | Other::Lazy(_) | Other::Queued(_) => None,
        }
    }

    pub(super) fn average(&self) -> Option<f64> {
        match self {
            Other::Stamped(_) | Other::Inspected(_) => None,
            Other::Lazy(link) => link.average(),
            Other::Queued(link) => link.average(),
        }
    }

    pub(super) fn offered(&mut self, now: Time) -> Option<f64> {
        match self {
            Other::Stamped(link) => link.offered(now),
            Other::Inspected(_) | Other::Lazy(_) => None,
            Other::Queued(link) => link.agent().and_then(Agent::offered),
        }
    }

    pub(super) fn next_arrival(&mut self) -> Option<Arrival> {
        each!(self, link => link.next_arrival())
    }

    pub(super) fn read_classes(&mut self, now: Time) -> Option<PerClass> {
        match self {
            Other::Stamped(_) | Other::Inspected(_) => None,
            Other::Lazy(link) => link.read_classes(now),
            Other::Queued(link) => link.read_classes(),
        }
    }

    pub(super) fn assert_conservation(&self) {
        match self {
            Other::Stamped(_) | Other::Inspected(_) => {}
            Other::Lazy(link) => link.assert_conservation(),
            Other::Queued(link) => link.assert_conservation(),
        }
    }

    pub(super) fn port(&self) -> Option<&Port> {
        match self {
            Other::Stamped(_) | Other::Inspected(_) | Other::Lazy(_) => None,
            Other::Queued(link) => link.port(),
        }
    }

    pub(super) fn expect_pause(&mut self, at: Time, begins: bool) {
        match self {
            Other::Stamped(_) | Other::Inspected(_) | Other::Lazy(_) => {}
            Other::Queued(link) => link.expect_pause(at, begins),
        }
    }

    pub(super) fn read_pause(&mut self, now: Time) -> Option<Duration> {
        match self {
            Other::Stamped(_) | Other::Inspected(_) | Other::Lazy(_) => None,
            Other::Queued(link) => link.read_pause(now),
        }
    }

    pub(super) fn read_port(&mut self, now: Time) -> Option<Ledger> {
        match self {
            Other::Stamped(_) | Other::Inspected(_) | Other::Lazy(_) => None,
            Other::Queued(link) => link.read_port(now),
        }
    }
}
