//! Marks and other requests of routers to slow down: what is agreed about them, and how a sender answers them.

use dumbbell_core::{Duration, Packet, Time};
use dumbbell_header::TcpHeader;

use super::Sender;
use crate::controller::{Event, Needs};
use crate::tcp::accurate::FIRST_FLAGS;
use crate::tcp::params::{EcnFeedback, Quench};

impl Sender {
    /// The flags of a SYN that ask for the feedback wanted (RFC 3168 section 6.1.1, RFC 9768 section 3.1.1).
    pub(super) fn ecn_asked(&self) -> u8 {
        match self.params.ecn {
            EcnFeedback::Off => 0,
            EcnFeedback::Classic => TcpHeader::ECE | TcpHeader::CWR,
            EcnFeedback::Accurate => TcpHeader::AE | TcpHeader::ECE | TcpHeader::CWR,
        }
    }

    /// The receiver answers with its SYN-ACK what it agrees to.
    pub(super) fn ecn_answered(&mut self, flags: u8) {
        let bits = [TcpHeader::AE, TcpHeader::CWR, TcpHeader::ECE].map(|bit| u8::from(flags & bit != 0));
        // RFC 9768 section 3.1.2, table 2; 101 is the nonce of RFC 3540.
        let agreed = match (self.params.ecn, bits) {
            (EcnFeedback::Accurate, [0, 1, _] | [1, _, 0]) => EcnFeedback::Accurate,
            (EcnFeedback::Accurate, [_, 0, 1]) | (EcnFeedback::Classic, [0, 0, 1]) => EcnFeedback::Classic,
            _ => EcnFeedback::Off,
        };
        self.ecn = agreed != EcnFeedback::Off;
        if agreed != EcnFeedback::Accurate {
            self.accurate = None;
        }
    }

    /// The flags of an acknowledgement without data. The first tells that the SYN-ACK arrived as it left, not ECN-capable
    /// (RFC 9768 section 3.2.2.1, table 3); later ones count.
    pub(super) fn ecn_confirmed(&self) -> u8 {
        match self.accurate {
            None => 0,
            Some(_) if self.max == 0 => TcpHeader::CWR,
            Some(_) => FIRST_FLAGS,
        }
    }

    /// Takes the counts of marks off an acknowledgement. It echoes a mark if they have grown.
    #[cold]
    #[inline(never)]
    pub(super) fn hear_counts(&mut self, packet: &Packet) -> Packet {
        let mut plain = *packet;
        let mss = u64::from(self.mss);
        let segments = packet.body[0].saturating_sub(self.una).div_ceil(mss).max(1);
        // One that another has overtaken tells nothing new (RFC 9768 appendix A.1).
        let late = packet.body[0] < self.una;
        if let Some(heard) = self.accurate.as_mut() {
            let marks = heard.take(&mut plain, segments, mss, late);
            if let Some(account) = &mut self.account {
                account.marked += marks.bytes;
            }
            if marks.packets > 0 {
                plain.flags |= TcpHeader::ECE;
            }
        }
        plain
    }

    /// The acknowledgement in hand does or does not echo a mark. True if the window is to be cut for that: not if the controller
    /// counts the bytes itself.
    pub(super) fn note_marks(&mut self, echo: bool) -> bool {
        if !self.needs.any(Needs::ECHOES) {
            return echo;
        }
        if let Some(account) = self.account.as_mut().filter(|_| self.accurate.is_none()) {
            account.marked = if echo { u64::MAX } else { 0 };
        }
        false
    }

    /// An echo of congestion with the acknowledgement `ack`: one cut per window (RFC 3168 section 6.1.2). Until the
    /// acknowledgement of something sent after the cut, the receiver may not have heard of it.
    #[cold]
    pub(super) fn echoed(&mut self, now: Time, ack: u64) {
        if ack <= self.recover.max(self.cut_until) {
            return;
        }
        self.decide(now, Event::Ecn, self.delivered, self.flight(), Duration::ZERO);
        self.cuts += 1;
        self.cut_until = self.max;
        self.tell_cut = true;
    }

    /// A router asks to slow down: like an echo of congestion, once a window.
    pub(super) fn quenched(&mut self, now: Time) {
        let event = match self.params.quench {
            Quench::SlowStart => Event::Timeout,
            Quench::Cut => Event::Ecn,
            Quench::Ignore => return,
        };
        if self.una >= self.max || self.recovering || self.una < self.recover.max(self.cut_until) {
            return;
        }
        self.decide(now, event, self.delivered, self.flight(), Duration::ZERO);
        self.cuts += 1;
        self.cut_until = self.max;
        self.update_limit();
    }
}
