//! A sender that detects losses by time, while none is in sight: the next segment, and the acknowledgement of data in order.
//! What every packet costs is here; the rest is in `rack_ack` and `rack_timers`.

use dumbbell_core::{Packet, Time};
use dumbbell_header::TcpHeader;

use super::Sender;
use crate::controller::Event;
use crate::tcp::account::News;
use crate::tcp::rack::{Rack, Timer};
use crate::tcp::rtt::passed;

impl Sender {
    /// The handshake is over.
    #[cold]
    #[inline(never)]
    pub(super) fn begin_in_time(&mut self) {
        self.repair.rack = Some(Box::new(Rack::new()));
    }

    /// Sends the next segment of the stream.
    pub(super) fn pull_plain(&mut self, now: Time) -> Option<Packet> {
        let (start, mss) = (self.stream.nxt, u64::from(self.stream.mss));
        let after = start + mss;
        if after >= self.stream.end {
            return self.pull_at_end(now);
        }
        let out = self.repair.rack.as_ref()?.segments.out();
        if after > self.stream.limit {
            if start < self.stream.granted && self.stream.granted <= self.stream.limit {
                return self.pull_part(now);
            }
            self.gate.window_limited = !self.gate.capped;
            self.rest(now);
            return if self.may_write() { self.pull_written(now) } else { None };
        }
        if start >= self.stream.granted && !self.begins_full_burst(now, out) {
            return if self.may_write() { self.pull_written(now) } else { None };
        }
        if after > self.stream.granted {
            return self.pull_part(now);
        }
        let rack = self.repair.rack.as_deref_mut()?;
        self.stream.nxt = after;
        self.stream.max = after;
        let mut flags = TcpHeader::ACK;
        // Linux net/ipv4/tcp_output.c: __tcp_transmit_skb; net/ipv4/tcp.c: tcp_mark_push.
        let last = after >= self.stream.granted;
        let pushed = last && self.stream.is_pushed(after);
        if pushed || last && self.stream.pushes {
            flags |= TcpHeader::PSH;
        }
        rack.segments.push(now, (start, after), rack.delivered, (last, pushed));
        rack.sent_new = true;
        if rack.is_reducing() {
            rack.prr.sent();
        }
        if rack.timer == Timer::Persist {
            rack.timeouts = 0;
        }
        let aux = rack.arrived;
        if out == 0 || rack.timer == Timer::Probe {
            rack.timer = Timer::Retransmission;
            self.timers.rto_at = self.due(now, self.timers.rtt.timeout());
        }
        let mut packet = self.fresh(now, start, mss, flags);
        packet.aux = aux;
        Some(packet)
    }

    /// Nothing more leaves now.
    #[inline]
    fn rest(&mut self, now: Time) {
        if let Some(mut rack) = self.repair.rack.take() {
            self.paused(now, &mut rack, false);
            self.repair.rack = Some(rack);
        }
    }

    /// The part of a segment that ends a burst, up to the end of the receiver's window or of a piece.
    #[cold]
    #[inline(never)]
    fn pull_part(&mut self, now: Time) -> Option<Packet> {
        let mut rack = self.repair.rack.take()?;
        let start = self.stream.nxt;
        let mut packet = self.send_at_end(now, self.stream.granted - start);
        packet.aux = rack.arrived;
        let pushed = self.stream.is_pushed(self.stream.nxt);
        if pushed || self.stream.pushes {
            packet.flags |= TcpHeader::PSH;
        }
        self.note_new(now, &mut rack, start, (true, pushed));
        self.repair.rack = Some(rack);
        Some(packet)
    }

    /// The same where the stream ends, or is written no further.
    #[cold]
    #[inline(never)]
    fn pull_at_end(&mut self, now: Time) -> Option<Packet> {
        let next = self.pull_any(now);
        if next.is_some() || !self.may_write() { next } else { self.pull_written(now) }
    }

    /// Lets the application write, and sends the next segment of what it wrote.
    #[cold]
    #[inline(never)]
    fn pull_written(&mut self, now: Time) -> Option<Packet> {
        while self.write_more() {
            let next = self.pull_any(now);
            if next.is_some() {
                return next;
            }
            // Now or not at all.
            self.stream.at_once = false;
        }
        None
    }

    /// Sends the next segment, full or not.
    fn pull_any(&mut self, now: Time) -> Option<Packet> {
        let start = self.stream.nxt;
        let waits = start < self.stream.stop;
        if start >= self.stream.granted && self.room() > 0 && waits && !self.begins_burst(now) {
            return None;
        }
        let mut rack = self.repair.rack.take()?;
        let mut next = self.next(now);
        match &mut next {
            Some(packet) => {
                packet.aux = rack.arrived;
                let end = self.stream.nxt;
                let last = end >= self.stream.granted;
                let pushed = end >= self.stream.end || last && self.stream.is_pushed(end);
                if pushed || last && self.stream.pushes {
                    packet.flags |= TcpHeader::PSH;
                }
                self.note_new(now, &mut rack, start, (last, pushed));
            }
            None => self.paused(now, &mut rack, false),
        }
        self.repair.rack = Some(rack);
        next
    }

    /// What `work` does about a plain acknowledgement.
    #[inline]
    pub(super) fn advance_in_time(&mut self, now: Time, packet: &Packet, rack: &mut Rack) {
        let ack = packet.body[0];
        debug_assert!(ack <= self.stream.nxt, "nothing is acknowledged that was not sent");
        let Some(gone) = rack.advance(now, ack, u64::from(self.stream.mss)) else { return };
        self.stream.set_window(packet.aux);
        self.stream.una = ack;
        self.timers.expired = 0;
        let rtt = rack.rtt;
        self.time_round(rack, passed(gone.first_sent_at, now), rtt);
        if gone.delivered > 0 {
            rack.adapt(gone.delivered);
        }
        if !self.schedule_probe(now, rack, true) {
            self.rearm_in_time(now, rack);
        }
        self.repair.duplicates.recovering = false;
        self.gate.window_limited = self.gate.is_window_limited(rack);
        let in_flight = u64::from(rack.segments.out()) * u64::from(self.stream.mss);
        if let Some(account) = &mut self.gate.account {
            account.advanced_in_order(ack);
            self.gate.note_marks(false, self.echo.accurate.is_some());
            self.decide_by_account(now, Event::Ack, (ack.max(self.gate.delivered), 0), in_flight, rtt);
        } else if ack > self.gate.delivered {
            self.inform(now, Event::Ack, (ack, 0), in_flight, News::of_rtt(rtt));
        }
        rack.repairing = false;
    }
}
