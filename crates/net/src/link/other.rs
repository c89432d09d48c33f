//! The links that are no [`FifoLink`](super::FifoLink), told apart behind one test. See [`super::Link`] for what each function does.

use dumbbell_core::{Packet, Time};

use super::{Abilities, Ahead, Incidents, LazyLink, LinkConfig, Meter, Order, QueuedLink, TappedLink};
use crate::queue::QueueSpec;
use crate::router::AgentSpec;

/// A link of another form. They lie in a box of this, so that none of them needs one of its own.
#[allow(clippy::large_enum_variant, reason = "see above: the large form is the common one")]
#[derive(Clone, Debug)]
pub(super) enum Other {
    /// DropTail at a constant rate, with a router that looks into it: one event per hop.
    Tapped(TappedLink),
    /// Any other discipline at a constant rate: one event per hop, or none.
    Lazy(LazyLink),
    /// The same with a router of XCP: one event per hop.
    Routed(LazyLink<true>),
    /// Anything else: two events per hop.
    Queued(QueuedLink<Packet>),
}

macro_rules! each {
    ($self:ident, $link:ident => $body:expr) => {
        match $self {
            Other::Tapped($link) => $body,
            Other::Lazy($link) => $body,
            Other::Routed($link) => $body,
            Other::Queued($link) => $body,
        }
    };
}

impl Other {
    pub fn new(config: &LinkConfig) -> Other {
        match (&config.direction.queue, &config.direction.router) {
            (QueueSpec::DropTail(queue), Some(AgentSpec::Rcp(router)))
                if config.is_plain() && !config.inspected =>
            {
                Other::Tapped(TappedLink::stamped(config, queue, router))
            }
            (QueueSpec::DropTail(queue), None) if config.is_plain() && !config.watched => {
                Other::Tapped(TappedLink::inspected(config, queue))
            }
            (_, None) if config.may_be_late() => Other::Lazy(LazyLink::new(config, None)),
            (_, Some(AgentSpec::Xcp(router))) if config.may_be_late() => {
                Other::Routed(LazyLink::new(config, Some(router)))
            }
            _ => Other::Queued(QueuedLink::new(config)),
        }
    }

    pub fn abilities(&self) -> Abilities {
        match self {
            Other::Tapped(_) => Abilities { forgets_arrivals: true, puts_off: true, ..Abilities::default() },
            Other::Lazy(link) => {
                Abilities { hands_on: link.can_hand_on(), puts_off: true, ..Abilities::default() }
            }
            Other::Routed(_) => Abilities { puts_off: true, ..Abilities::default() },
            Other::Queued(link) => Abilities { hands_on: link.can_hand_on(), ..Abilities::default() },
        }
    }

    // Two kinds of loop call this and `take` for every packet: the compiler would not inline them.
    #[inline(always)]
    pub fn push(&mut self, now: Time, packet: &Packet, hop: u32, incidents: &mut Incidents) -> bool {
        match self {
            Other::Tapped(link) => link.push(now, packet, hop, incidents),
            Other::Lazy(link) => link.push(now, packet, hop, incidents),
            Other::Routed(link) => link.push(now, packet, hop, incidents),
            Other::Queued(link) => link.push(now, Packet { hop, ..*packet }, incidents),
        }
    }

    #[inline]
    pub fn ahead(&mut self) -> Option<Ahead<'_>> {
        match self {
            Other::Lazy(link) => link.ahead(),
            Other::Tapped(_) | Other::Routed(_) | Other::Queued(_) => None,
        }
    }

    #[inline(always)]
    pub fn take(&mut self, now: Time, incidents: &mut Incidents) -> Option<Packet> {
        each!(self, link => if link.advance(now, incidents) { link.pop() } else { None })
    }

    #[inline(always)]
    pub fn wake_at(&self) -> Time {
        each!(self, link => link.wake_at())
    }

    pub fn read(&mut self) -> &mut dyn Meter {
        each!(self, link => link)
    }

    pub fn arm(&mut self, order: Order) {
        match (self, order) {
            (Other::Lazy(link), Order::HandOn) => link.hand_on(),
            (Other::Lazy(_) | Other::Routed(_), Order::KeepNotes) => {
                unreachable!("a watched link is never late")
            }
            (Other::Queued(link), Order::HandOn) => link.hand_on(),
            (Other::Queued(link), Order::KeepNotes) => link.keep_notes(),
            (Other::Queued(link), Order::Pause { at, begins }) => link.expect_pause(at, begins),
            (Other::Tapped(_) | Other::Lazy(_) | Other::Routed(_), _) => {}
        }
    }
}
