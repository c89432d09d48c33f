//! Verdicts: what a queue did to a packet, and the reason. The queue decides, and the link counts.

use crate::packet::Frame;

crate::labels! {
    /// Why a packet was dropped.
    pub enum DropReason {
        /// The queue's limit was reached.
        Overflow = "overflow",
        /// A control law (CoDel, PIE, RED) chose the packet.
        Law = "law",
        /// The link corrupts or loses packets at random.
        RandomLoss = "random-loss",
        /// A script named the packet (tests, forced losses).
        Scripted = "scripted",
        /// Larger than the link's MTU.
        TooBig = "too-big",
        /// The buffer that the ports of the node share had no room for this port.
        SharedBuffer = "shared-buffer",
    }
}

crate::labels! {
    /// Why a packet was marked "congestion experienced".
    pub enum MarkReason {
        /// A control law chose the packet and it was ECN-capable.
        Law = "law",
        /// A step threshold was exceeded.
        Threshold = "threshold",
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

impl<P, S: VerdictSink<P> + ?Sized> VerdictSink<P> for &mut S {
    fn dropped(&mut self, packet: P, reason: DropReason) {
        (**self).dropped(packet, reason);
    }
    fn marked(&mut self, packet: &P, reason: MarkReason) {
        (**self).marked(packet, reason);
    }
}
