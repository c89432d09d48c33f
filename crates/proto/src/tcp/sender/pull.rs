//! What leaves a sender: the next segment of the stream, or what is due before it.

use dumbbell_core::{Ecn, Packet, Time};
use dumbbell_header::{Asking, TcpHeader};

use super::todo::{self, Repaired};
use super::{EcnEcho, Sender, UNTIMED};
use crate::controller::Needs;
use crate::tcp::accurate::put_first;
use crate::tcp::params::{LossDetection, Nagle};

impl Sender {
    /// A segment of the stream: `len` bytes from `number`, and perhaps the FIN.
    #[inline]
    fn segment(&mut self, now: Time, number: u64, len: u64, fin: bool, fresh: bool) -> Packet {
        let flags = if fin { TcpHeader::ACK | TcpHeader::FIN } else { TcpHeader::ACK };
        self.flagged(now, number, len, flags, fresh)
    }

    /// A segment that was not sent before, of a stream that goes on behind it.
    #[inline]
    pub(super) fn fresh(&mut self, now: Time, number: u64, len: u64, flags: u8) -> Packet {
        self.flagged(now, number, len, flags, true)
    }

    #[inline]
    fn flagged(&mut self, now: Time, number: u64, len: u64, mut flags: u8, fresh: bool) -> Packet {
        let mut ecn = Ecn::NotEct;
        if self.stream.ecn_capable && (fresh || self.resends_capable()) {
            ecn = if self.gate.needs.any(Needs::SCALABLE) { Ecn::Ect1 } else { Ecn::Ect0 };
            if fresh && self.stream.tell_cut {
                self.stream.tell_cut = false;
                flags |= TcpHeader::CWR;
            }
        }
        if self.timers.rto_at == Time::NEVER {
            self.timers.rto_at = now + self.timers.rtt.timeout();
        }
        self.timers.sent_at = now;
        self.stream.packet(now, flags, number, self.stream.header + len as u16, ecn)
    }

    /// True if what is sent again is ECN-capable. It is not (RFC 3168 section 6.1.5), but with scalable controllers (RFC 9331 section 4.1),
    /// and in Linux with DCTCP.
    // Linux net/ipv4/tcp_output.c: tcp_ecn_send.
    #[cold]
    fn resends_capable(&self) -> bool {
        let needs = self.gate.needs;
        needs.any(Needs::SCALABLE)
            || needs.any(Needs::ECHOES) && self.params.loss_detection == LossDetection::Rack
    }

    /// A segment that was sent before. Its acknowledgement says nothing about the round-trip time (Karn's algorithm).
    pub(super) fn resend(&mut self, now: Time, number: u64, len: u64) -> Packet {
        self.timers.timed_by = UNTIMED;
        self.repair.retransmissions += 1;
        let fin = self.stream.after(number, len) > number + len;
        self.segment(now, number, len, fin, false)
    }

    /// Sends the next segment of the stream.
    // Out of line the packet would be copied.
    #[inline(always)]
    pub(super) fn next(&mut self, now: Time) -> Option<Packet> {
        let (number, mss) = (self.stream.nxt, u64::from(self.stream.mss));
        let after = number + mss;
        if after >= self.stream.end {
            if number >= self.stream.stop && self.stream.is_written() {
                self.gate.window_limited = false;
                return None;
            }
            return self.next_at_end(now);
        }
        if after > self.stream.limit {
            self.gate.window_limited = !self.gate.capped;
            return None;
        }
        Some(self.emit(now, number, mss, after))
    }

    /// The same where the stream ends, or is written no further.
    #[cold]
    #[inline(never)]
    fn next_at_end(&mut self, now: Time) -> Option<Packet> {
        if self.todo & todo::TIMED == 0 && self.top_up() {
            return self.next(now);
        }
        let number = self.stream.nxt;
        if number >= self.stream.stop {
            self.gate.window_limited = false;
            return None;
        }
        let (len, mss) = (self.stream.length(number), u64::from(self.stream.mss));
        if self.room() < len {
            self.gate.window_limited = !self.gate.capped;
            return None;
        }
        if len < mss && self.is_held_back() {
            self.gate.window_limited = false;
            return None;
        }
        Some(self.send_at_end(now, len))
    }

    /// Sends the next segment of the stream again, as it was or as full as it can be, if the window has room. The first of all may
    /// go whatever the receiver says: its window may have shrunk (RFC 9293 section 3.8.6).
    fn next_again(&mut self, now: Time) -> Option<Packet> {
        let number = self.stream.nxt;
        let len = self.stream.sent_length(number);
        if number + len > self.stream.limit && number > self.stream.una {
            self.gate.window_limited = !self.gate.capped;
            return None;
        }
        self.stream.nxt = self.stream.after(number, len);
        Some(self.resend(now, number, len))
    }

    /// True if a segment that is not full has to wait until there is more, or until others are acknowledged.
    #[cold]
    fn is_held_back(&self) -> bool {
        // The FIN frees it.
        self.stream.stop == self.stream.end && self.holds_short()
    }

    /// True if no segment leaves that is not full, but for the last.
    pub(super) fn holds_short(&self) -> bool {
        match self.params.nagle {
            Nagle::Off => false,
            Nagle::Classic => self.stream.una < self.stream.max,
            Nagle::Minshall => self.stream.una < self.stream.short_end,
        }
    }

    /// Sends the next `len` bytes, and with the last the FIN, if there is one.
    pub(super) fn send_at_end(&mut self, now: Time, len: u64) -> Packet {
        let number = self.stream.nxt;
        if len < u64::from(self.stream.mss) {
            (self.stream.short_end, self.stream.short_length) = (number + len, len as u16);
        }
        self.plan_copies(number + len);
        self.emit(now, number, len, self.stream.after(number, len))
    }

    /// Sends `len` bytes from `number`, the next, for the first time, and with them all numbers below `after`.
    #[inline]
    fn emit(&mut self, now: Time, number: u64, len: u64, after: u64) -> Packet {
        self.stream.nxt = after;
        self.stream.max = after;
        // While holes are repaired, the acknowledgement of this segment would wait for them.
        if self.timers.timed_by == UNTIMED && self.repair.duplicates.quiet && !self.stream.timestamps {
            self.timers.timed_by = after;
            self.timers.timed_at = now;
        }
        self.segment(now, number, len, after > number + len, true)
    }

    /// What is due besides the next segment of the stream, then that.
    #[inline(never)]
    pub(super) fn pull_due(&mut self, now: Time) -> Option<Packet> {
        match self.todo {
            todo::NEEDS | todo::TIMED_NEEDS if self.is_plainly_paced() => {
                self.top_up();
                if self.is_early(now) { None } else { self.pull_accounted(now) }
            }
            _ => self.pull_first(now),
        }
    }

    #[inline(never)]
    pub(super) fn pull_first(&mut self, now: Time) -> Option<Packet> {
        if self.todo & todo::SYN != 0 {
            self.todo &= !todo::SYN;
            self.timers.timed_at = now;
            return Some(self.stream.packet(
                now,
                TcpHeader::SYN | EcnEcho::asked(&self.params),
                0,
                self.params.syn() as u16,
                Ecn::NotEct,
            ));
        }
        if self.todo & todo::ACK != 0 {
            self.todo &= !todo::ACK;
            let flags = TcpHeader::ACK | self.echo.confirmed(self.stream.max);
            return Some(self.stream.packet(now, flags, self.bare_number(), self.stream.header, Ecn::NotEct));
        }
        if self.todo & todo::HOLD != 0 {
            return None;
        }
        if self.todo & todo::COPIES != 0
            && let Some(copy) = self.pull_copy(now)
        {
            return Some(copy);
        }
        self.top_up();
        if self.stream.una == self.stream.max && self.stream.una < self.stream.stop {
            // While there was nothing to send, the time that the controller named may have passed without a call.
            self.wake_controller(now);
        }
        // Pacing may have held a segment back until the receiver's window closed, by an answer that came late.
        let rests = self.todo & todo::IDLE != 0 || self.stream.una == self.stream.max && self.stream.max > 0;
        if rests
            && self.stream.nxt < self.stream.stop
            && self.repair.rack.is_none()
            && !self.stream.fits(self.stream.nxt)
        {
            self.todo |= todo::IDLE;
            return self.probe_window(now);
        }
        if self.todo & todo::IDLE != 0
            && self.stream.nxt < self.stream.stop
            && self.stream.fits(self.stream.nxt)
        {
            self.todo &= !todo::IDLE;
            if std::mem::take(&mut self.gate.probes) > 0 {
                self.timers.rto_at = Time::NEVER;
            }
            self.begin_again(now);
        }
        if self.stream.max > 0 && self.is_early(now) {
            return None;
        }
        let sent_again = self.repair.retransmissions;
        let timed = self.repair.rack.is_some();
        let repaired = if timed { self.pull_in_time(now) } else { self.pull_repair(now) };
        let mut packet = match repaired {
            Repaired::Packet(packet) => packet,
            Repaired::Blocked => return None,
            Repaired::Nothing if self.todo & todo::OVERHEAD != 0 && self.is_processing(now) => return None,
            Repaired::Nothing => {
                if self.stream.nxt >= self.stream.max {
                    self.todo &= !todo::GO_BACK;
                }
                let next = if timed {
                    self.pull_plain(now)
                } else if self.todo & todo::GO_BACK != 0 {
                    self.next_again(now)
                } else {
                    self.next(now)
                };
                if next.is_none() {
                    self.note_dry();
                }
                next?
            }
        };
        if self.todo & todo::NEEDS != 0 {
            if self.echo.accurate.is_some() {
                put_first(&mut packet);
            }
            let bytes = u32::from(packet.size - self.stream.header);
            self.note_sent(now, packet.body[0], bytes, self.repair.retransmissions > sent_again);
        }
        if self.gate.needs.any(Needs::ROUTERS)
            && let Some(exchange) = self.params.controller.exchange()
        {
            let request = self.gate.control.request;
            let rtt = self.timers.rtt.smoothed().as_secs_f64();
            let window = self.gate.control.window as f64 / f64::from(self.stream.mss);
            exchange.ask(&Asking { request, rtt, window }, &mut packet);
            packet.flags |= TcpHeader::FEEDBACK;
        }
        Some(packet)
    }

    /// The receiver's window has no room for the next segment, and nothing is outstanding: it is asked, less often each time (RFC
    /// 9293 section 3.8.6.1), or gets what fits (section 3.8.6.2.1: the override timeout).
    #[cold]
    #[inline(never)]
    fn probe_window(&mut self, now: Time) -> Option<Packet> {
        let due = self.gate.probes > 0 && now >= self.timers.rto_at;
        if self.gate.probes > 0 && !due {
            return None;
        }
        self.timers.rto_at = now + self.timers.persist(&self.params, self.gate.probes);
        self.gate.probes += 1;
        if !due {
            return None;
        }
        self.timers.expired += 1;
        if self.timers.expired > self.params.retries {
            self.give_up();
            return None;
        }
        let room = (self.stream.una + self.stream.receive_window).saturating_sub(self.stream.nxt);
        if room == 0 {
            return Some(self.stream.packet(
                now,
                TcpHeader::ACK,
                self.stream.nxt.saturating_sub(1),
                self.stream.header,
                Ecn::NotEct,
            ));
        }
        self.gate.probes = 0;
        self.todo &= !todo::IDLE;
        Some(self.send_at_end(now, room))
    }

    /// True if the next segment may be sent but for the time that its processing takes.
    #[cold]
    fn is_processing(&mut self, now: Time) -> bool {
        let due = self.stream.nxt < self.stream.stop
            && self.stream.nxt + self.stream.length(self.stream.nxt) <= self.stream.limit;
        let Some(overhead) = self.timers.overhead.as_mut().filter(|_| due) else { return false };
        let ready = overhead.ready(now);
        if ready > now {
            self.timers.pace_wake = ready;
            self.arm_call();
            return true;
        }
        overhead.sent();
        false
    }
}
