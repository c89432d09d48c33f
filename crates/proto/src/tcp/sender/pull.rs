//! What leaves a sender: the next segment of the stream, or what is due before it.

use dumbbell_core::{Duration, Ecn, Packet, Time};
use dumbbell_header::{Asking, SackBlock, TcpHeader};

use super::todo::{self, Repaired};
use super::{Sender, UNTIMED};
use crate::controller::{Class, Event, Needs};
use crate::tcp::accurate::put_first;
use crate::tcp::params::{HEADER, Nagle};

impl Sender {
    /// A segment of the stream: `len` bytes from `number`, and perhaps the FIN.
    #[inline]
    fn segment(&mut self, now: Time, number: u64, len: u64, fin: bool, fresh: bool) -> Packet {
        let mut flags = TcpHeader::ACK;
        if fin {
            flags |= TcpHeader::FIN;
        }
        let mut ecn = Ecn::NotEct;
        if self.ecn && (fresh || self.needs.any(Needs::SCALABLE)) {
            // What is sent again is not ECN-capable (RFC 3168 section 6.1.5), but for scalable controllers (RFC 9331 section 4.1).
            ecn = if self.needs.any(Needs::SCALABLE) { Ecn::Ect1 } else { Ecn::Ect0 };
            if self.tell_cut {
                self.tell_cut = false;
                flags |= TcpHeader::CWR;
            }
        }
        if self.rto_at == Time::NEVER {
            self.rto_at = now + self.rtt.timeout();
        }
        self.sent_at = now;
        self.packet(now, flags, number, self.header + len as u32, ecn)
    }

    #[inline]
    fn packet(&mut self, now: Time, flags: u8, number: u64, size: u32, ecn: Ecn) -> Packet {
        self.packets += 1;
        Packet::of(
            TcpHeader {
                flags,
                window: 0,
                number,
                timestamp: now.as_nanos(),
                sack: [SackBlock::default(); 3],
            },
            self.flow,
            size as u16,
            ecn,
        )
    }

    /// A segment that was sent before. Its acknowledgement says nothing about the round-trip time (Karn's algorithm).
    pub(super) fn resend(&mut self, now: Time, number: u64, len: u64) -> Packet {
        self.timed_by = UNTIMED;
        self.retransmissions += 1;
        let fin = self.after(number, len) > number + len;
        self.segment(now, number, len, fin, false)
    }

    /// Payload of the segment at `number`.
    #[inline]
    pub(super) fn length(&self, number: u64) -> u64 {
        u64::from(self.mss).min(self.end.saturating_sub(number))
    }

    /// Payload of a segment that was sent from `number`: nothing new goes with it.
    pub(super) fn sent_length(&self, number: u64) -> u64 {
        u64::from(self.mss).min(self.max.min(self.end).saturating_sub(number))
    }

    /// Where the last segment sent begins. The FIN never travels alone, but for an empty stream.
    pub(super) fn last_segment(&self) -> u64 {
        let (mss, end) = (u64::from(self.mss), self.max.min(self.end));
        if end == self.short.1 {
            return self.short.0;
        }
        // Behind the latest short segment all are full.
        self.short.1 + (end - 1 - self.short.1) / mss * mss
    }

    /// The number after a segment of `len` bytes from `number`: the FIN has a number of its own.
    #[inline]
    pub(super) fn after(&self, number: u64, len: u64) -> u64 {
        let last = number + len;
        if last == self.end { self.stop } else { last }
    }

    /// Sends the next segment of the stream.
    // Out of line the packet would be copied.
    #[inline(always)]
    pub(super) fn next(&mut self, now: Time) -> Option<Packet> {
        let (number, mss) = (self.nxt, u64::from(self.mss));
        let after = number + mss;
        if after >= self.end {
            if number >= self.stop && self.writer.is_none() {
                self.window_limited = false;
                return None;
            }
            return self.next_at_end(now);
        }
        if after > self.limit {
            self.window_limited = !self.capped;
            return None;
        }
        Some(self.emit(now, number, mss, after))
    }

    /// The same where the stream ends, or is written no further.
    #[cold]
    #[inline(never)]
    fn next_at_end(&mut self, now: Time) -> Option<Packet> {
        if self.top_up() {
            return self.next(now);
        }
        let number = self.nxt;
        if number >= self.stop {
            self.window_limited = false;
            return None;
        }
        let (len, mss) = (self.length(number), u64::from(self.mss));
        if number + len > self.limit {
            self.window_limited = !self.capped;
            return None;
        }
        if len < mss && self.is_held_back() {
            self.window_limited = false;
            return None;
        }
        Some(self.send_at_end(now, len))
    }

    /// Sends the next segment of the stream again, as it was or as full as it can be, if the window has room. The first of all may
    /// go whatever the receiver says: its window may have shrunk (RFC 9293 section 3.8.6).
    fn next_again(&mut self, now: Time) -> Option<Packet> {
        let number = self.nxt;
        let len = self.sent_length(number);
        if number + len > self.limit && number > self.una {
            self.window_limited = !self.capped;
            return None;
        }
        self.nxt = self.after(number, len);
        Some(self.resend(now, number, len))
    }

    /// True if a segment that is not full has to wait until there is more, or until others are acknowledged.
    #[cold]
    fn is_held_back(&self) -> bool {
        // The FIN frees it.
        if self.stop > self.end {
            return false;
        }
        match self.params.nagle {
            Nagle::Off => false,
            Nagle::Classic => self.una < self.max,
            Nagle::Minshall => self.una < self.short.1,
        }
    }

    /// Sends the next `len` bytes, and with the last the FIN, if there is one.
    pub(super) fn send_at_end(&mut self, now: Time, len: u64) -> Packet {
        let number = self.nxt;
        if len < u64::from(self.mss) {
            self.short = (number, number + len);
        }
        self.plan_copies(number + len);
        self.emit(now, number, len, self.after(number, len))
    }

    /// Sends `len` bytes from `number`, the next, for the first time, and with them all numbers below `after`.
    #[inline]
    fn emit(&mut self, now: Time, number: u64, len: u64, after: u64) -> Packet {
        self.nxt = after;
        self.max = after;
        // While holes are repaired, the acknowledgement of this segment would wait for them.
        if self.timed_by == UNTIMED && self.quiet && !self.timestamps {
            self.timed_by = after;
            self.timed_at = now;
        }
        self.segment(now, number, len, after > number + len, true)
    }

    /// What is due besides the next segment of the stream, then that.
    #[cold]
    pub(super) fn pull_due(&mut self, now: Time) -> Option<Packet> {
        match self.todo {
            todo::TIMED => self.pull_plain(now),
            todo::NEEDS | todo::TIMED_NEEDS if self.is_plainly_paced() => {
                if self.is_early(now) {
                    None
                } else {
                    self.pull_accounted(now)
                }
            }
            _ => self.pull_first(now),
        }
    }

    #[inline(never)]
    pub(super) fn pull_first(&mut self, now: Time) -> Option<Packet> {
        if self.todo & todo::SYN != 0 {
            self.todo &= !todo::SYN;
            self.timed_at = now;
            return Some(self.packet(now, TcpHeader::SYN | self.ecn_asked(), 0, HEADER, Ecn::NotEct));
        }
        if self.todo & todo::ACK != 0 {
            self.todo &= !todo::ACK;
            let flags = TcpHeader::ACK | self.ecn_confirmed();
            return Some(self.packet(now, flags, self.bare_number(), self.header, Ecn::NotEct));
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
        if self.una == self.max && self.una < self.stop {
            // While there was nothing to send, the time that the controller named may have passed without a call.
            self.wake_controller(now);
        }
        // Pacing may have held a segment back until the receiver's window closed, by an answer that came late.
        let rests = self.todo & todo::IDLE != 0 || self.una == self.max && self.max > 0;
        if rests && self.nxt < self.stop && self.rack.is_none() && !self.fits(self.nxt) {
            self.todo |= todo::IDLE;
            return self.probe_window(now);
        }
        if self.todo & todo::IDLE != 0 && self.nxt < self.stop && self.fits(self.nxt) {
            self.todo &= !todo::IDLE;
            if std::mem::take(&mut self.probes) > 0 {
                self.rto_at = Time::NEVER;
            }
            let idle = now.since(self.sent_at);
            if self.needs.any(Needs::RESTARTS) {
                self.decide(now, Event::Restart, self.delivered, 0, Duration::ZERO);
                self.update_limit();
            }
            if self.rack.is_some() && self.class == Class::Window {
                self.restarted(now, idle);
            } else if idle > self.rtt.timeout() && self.params.slow_start_after_idle {
                self.decide(now, Event::Idle, self.delivered, 0, Duration::ZERO);
                self.update_limit();
            }
        }
        if self.max > 0 && self.is_early(now) {
            return None;
        }
        let sent_again = self.retransmissions;
        let timed = self.rack.is_some();
        let repaired = if timed { self.pull_in_time(now) } else { self.pull_repair(now) };
        let mut packet = match repaired {
            Repaired::Packet(packet) => packet,
            Repaired::Blocked => return None,
            Repaired::Nothing if self.todo & todo::OVERHEAD != 0 && self.is_processing(now) => return None,
            Repaired::Nothing => {
                if self.nxt >= self.max {
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
            if self.accurate.is_some() {
                put_first(&mut packet);
            }
            let bytes = u32::from(packet.size) - self.header;
            self.note_sent(now, packet.body[0], bytes, self.retransmissions > sent_again);
        }
        if self.needs.any(Needs::ROUTERS)
            && let Some(exchange) = self.params.controller.exchange()
        {
            let request = self.control.request;
            let rtt = self.rtt.smoothed().as_secs_f64();
            let window = self.control.window as f64 / f64::from(self.mss);
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
        let due = self.probes > 0 && now >= self.rto_at;
        if self.probes > 0 && !due {
            return None;
        }
        self.rto_at = now + self.persist(self.probes);
        self.probes += 1;
        if !due {
            return None;
        }
        self.expired += 1;
        if self.expired > self.params.retries {
            self.give_up();
            return None;
        }
        let room = (self.una + self.receive_window).saturating_sub(self.nxt);
        if room == 0 {
            return Some(self.packet(
                now,
                TcpHeader::ACK,
                self.nxt.saturating_sub(1),
                self.header,
                Ecn::NotEct,
            ));
        }
        self.probes = 0;
        self.todo &= !todo::IDLE;
        Some(self.send_at_end(now, room))
    }

    /// How long a closed window is waited for after so many probes.
    pub(super) fn persist(&self, probes: u32) -> Duration {
        (self.rtt.timeout() * (1 << probes.min(16))).min(self.params.rto_max)
    }

    /// True if the next segment may be sent but for the time that its processing takes.
    #[cold]
    fn is_processing(&mut self, now: Time) -> bool {
        let due = self.nxt < self.stop && self.nxt + self.length(self.nxt) <= self.limit;
        let Some(overhead) = self.overhead.as_mut().filter(|_| due) else { return false };
        let ready = overhead.ready(now);
        if ready > now {
            self.pace_wake = ready;
            self.arm_call();
            return true;
        }
        overhead.sent();
        false
    }
}
