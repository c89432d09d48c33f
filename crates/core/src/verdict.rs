//! Verdicts: what a queue did to a packet, and the reason. The queue decides, and the link counts.

use crate::packet::Frame;

/// Why a packet was dropped.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum DropReason {
    /// The queue's limit was reached.
    Overflow,
    /// A control law (CoDel, PIE, RED) chose the packet.
    Law,
    /// The link corrupts or loses packets at random.
    RandomLoss,
    /// A script named the packet (tests, forced losses).
    Scripted,
    /// Larger than the link's MTU.
    TooBig,
}

/// Why a packet was marked "congestion experienced".
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum MarkReason {
    /// A control law chose the packet and it was ECN-capable.
    Law,
    /// A step threshold was exceeded.
    Threshold,
}

impl DropReason {
    /// Every reason, in the order of their codes.
    pub const ALL: [DropReason; 5] = [
        DropReason::Overflow,
        DropReason::Law,
        DropReason::RandomLoss,
        DropReason::Scripted,
        DropReason::TooBig,
    ];

    /// The name in tables and reports.
    pub const fn name(self) -> &'static str {
        match self {
            DropReason::Overflow => "overflow",
            DropReason::Law => "law",
            DropReason::RandomLoss => "random-loss",
            DropReason::Scripted => "scripted",
            DropReason::TooBig => "too-big",
        }
    }
}

/// Receives every packet that a queue gives up, by value, and every mark of a queue or a router agent.
pub trait VerdictSink<P> {
    /// `packet` will not be sent.
    fn dropped(&mut self, packet: P, reason: DropReason);
    /// `packet` was marked and stays in the queue or is about to be sent. Called by [`VerdictSink::mark`].
    fn marked(&mut self, packet: &P, reason: MarkReason);

    /// Marks `packet`, which is ECN-capable: the one way to do so, so that no mark goes uncounted.
    #[inline]
    fn mark(&mut self, packet: &mut P, reason: MarkReason)
    where
        P: Frame,
    {
        packet.mark_ce();
        self.marked(packet, reason);
    }
}
