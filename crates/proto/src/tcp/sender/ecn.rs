//! Marks and other requests of routers to slow down: what is agreed about them, and how a sender answers them.

use dumbbell_core::{Duration, Packet, Time};
use dumbbell_header::TcpHeader;

use super::{EcnEcho, Gate, Sender, Stream};
use crate::controller::Event;
use crate::tcp::accurate::FIRST_FLAGS;
use crate::tcp::params::{EcnFeedback, Params, Quench};

impl EcnEcho {
    /// The flags of a SYN that ask for the feedback wanted (RFC 3168 section 6.1.1, RFC 9768 section 3.1.1).
    pub(super) fn asked(params: &Params) -> u8 {
        match params.ecn {
            EcnFeedback::Off => 0,
            EcnFeedback::Classic => TcpHeader::ECE | TcpHeader::CWR,
            EcnFeedback::Accurate => TcpHeader::AE | TcpHeader::ECE | TcpHeader::CWR,
        }
    }

    /// The receiver answers with its SYN-ACK what it agrees to. Returns true if segments are ECN-capable.
    pub(super) fn answered(&mut self, params: &Params, flags: u8) -> bool {
        let bits = [TcpHeader::AE, TcpHeader::CWR, TcpHeader::ECE].map(|bit| u8::from(flags & bit != 0));
        // RFC 9768 section 3.1.2, table 2; 101 is the nonce of RFC 3540.
        let agreed = match (params.ecn, bits) {
            (EcnFeedback::Accurate, [0, 1, _] | [1, _, 0]) => EcnFeedback::Accurate,
            (EcnFeedback::Accurate, [_, 0, 1]) | (EcnFeedback::Classic, [0, 0, 1]) => EcnFeedback::Classic,
            _ => EcnFeedback::Off,
        };
        if agreed != EcnFeedback::Accurate {
            self.accurate = None;
        }
        agreed != EcnFeedback::Off
    }

    /// The flags of an acknowledgement without data, when the highest number sent is `max`. The first tells that the SYN-ACK
    /// arrived as it left, not ECN-capable (RFC 9768 section 3.2.2.1, table 3); later ones count.
    pub(super) fn confirmed(&self, max: u64) -> u8 {
        match self.accurate {
            None => 0,
            Some(_) if max == 0 => TcpHeader::CWR,
            Some(_) => FIRST_FLAGS,
        }
    }

    /// Takes the counts of marks off an acknowledgement. It echoes a mark if they have grown.
    #[cold]
    #[inline(never)]
    pub(super) fn hear_counts(&mut self, packet: &Packet, stream: &Stream, gate: &mut Gate) -> Packet {
        let mut plain = *packet;
        let mss = u64::from(stream.mss);
        let segments = packet.body[0].saturating_sub(stream.una).div_ceil(mss).max(1);
        // One that another has overtaken tells nothing new (RFC 9768 appendix A.1).
        let late = packet.body[0] < stream.una;
        if let Some(heard) = self.accurate.as_mut() {
            let marks = heard.take(&mut plain, segments, mss, late);
            if let Some(account) = &mut gate.account {
                account.marked += marks.bytes;
            }
            if marks.packets > 0 {
                plain.flags |= TcpHeader::ECE;
            }
        }
        plain
    }
}

impl Sender {
    /// An echo of congestion with the acknowledgement `ack`: one cut per window (RFC 3168 section 6.1.2). Until the
    /// acknowledgement of something sent after the cut, the receiver may not have heard of it.
    #[cold]
    pub(super) fn echoed(&mut self, now: Time, ack: u64) {
        if ack <= self.repair.duplicates.recover.max(self.echo.cut_until) {
            return;
        }
        self.decide(
            now,
            Event::Ecn,
            self.gate.delivered,
            self.repair.flight(&self.stream, self.gate.control.window),
            Duration::ZERO,
        );
        self.gate.cuts += 1;
        self.echo.cut_until = self.stream.max;
        self.stream.tell_cut = true;
    }

    /// A router asks to slow down: like an echo of congestion, once a window.
    pub(super) fn quenched(&mut self, now: Time) {
        let event = match self.params.quench {
            Quench::SlowStart => Event::Timeout,
            Quench::Cut => Event::Ecn,
            Quench::Ignore => return,
        };
        if self.stream.una >= self.stream.max
            || self.repair.duplicates.recovering
            || self.stream.una < self.repair.duplicates.recover.max(self.echo.cut_until)
        {
            return;
        }
        self.decide(
            now,
            event,
            self.gate.delivered,
            self.repair.flight(&self.stream, self.gate.control.window),
            Duration::ZERO,
        );
        self.gate.cuts += 1;
        self.echo.cut_until = self.stream.max;
        self.update_limit();
    }
}
