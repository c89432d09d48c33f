//! A sender under a controller that wants an account of what is sent, or that paces: acknowledgements, what the controller is
//! told, the pauses between segments. What every packet costs while nothing is lost has a short way.

use dumbbell_core::{Duration, Packet, Time};
use dumbbell_header::TcpHeader;

use super::{Sender, todo};
use crate::controller::{Control, Event, Needs, Sent};
use crate::tcp::account::pause;
use crate::tcp::accurate::put_first;

/// The shortest time from one wake-up that the controller asks for to the next.
const SHORTEST_WAKE: Duration = Duration::from_micros(1);

impl Sender {
    /// An acknowledgement under a controller that wants an account.
    pub(super) fn accounted(&mut self, now: Time, packet: &Packet) {
        let ack = packet.body[0];
        let echo = self.note_marks(packet.flags & TcpHeader::ECE != 0);
        let rtt = if ack > self.una { self.measure(now, ack, packet) } else { Duration::ZERO };
        let in_order = ack > self.una && self.quiet && packet.body[2] == 0 && !echo;
        let due = self.todo & (todo::REPAIR | todo::RESEND) != 0 || self.needs.any(Needs::FINE_TIMEOUTS);
        if in_order && !due && self.account.as_ref().is_some_and(|account| account.is_settled()) {
            return self.advance_accounted(now, ack, rtt, packet);
        }
        if let Some(account) = self.account.as_mut().filter(|_| ack > self.una) {
            account.acknowledged(self.una, ack);
        }
        if echo {
            self.echoed(now, ack);
        }
        self.acknowledged_at_length(now, ack, rtt, packet);
    }

    /// The same for new data in order, with no loss in sight.
    #[inline]
    fn advance_accounted(&mut self, now: Time, ack: u64, rtt: Duration, packet: &Packet) {
        if let Some(board) = &mut self.board {
            board.advance(self.una, ack);
        }
        if let Some(account) = &mut self.account {
            account.advanced_in_order(ack);
        }
        self.receive_window = self.shifted(packet.aux);
        self.una = ack;
        self.nxt = self.nxt.max(ack);
        self.expired = 0;
        if self.causes.is_some() {
            self.judge_timeout(now, self.timestamps.then(|| Time::from_nanos(packet.body[1])));
        }
        self.decide_by_account(now, Event::Ack, ack, self.outstanding(), rtt);
        self.rearm(now);
        self.update_limit();
    }

    /// Lets the controller answer an event, with what the account adds to it.
    #[inline(never)]
    pub(super) fn decide_by_account(
        &mut self,
        now: Time,
        event: Event,
        delivered: u64,
        flight: u64,
        rtt: Duration,
    ) {
        let Some(account) = &mut self.account else { return };
        let news = account.news(now, event, delivered, rtt, &mut self.rtt);
        let (window, marked) = (self.control.window, news.marked > 0);
        self.inform(now, event, delivered, flight, news);
        self.cuts += u32::from(marked && self.control.window < window);
        if self.control.wake_at < Control::NEVER {
            self.control.wake_at = self.control.wake_at.max(now + SHORTEST_WAKE);
        }
        self.arm_call();
    }

    /// Tells the controller of each segment found lost, if it wants to hear of them.
    #[cold]
    pub(super) fn tell_losses(&mut self, now: Time, flight: u64) {
        while let Some(news) = self.account.as_mut().and_then(|account| account.next_loss()) {
            self.inform(now, Event::Lost, self.delivered, flight, news);
        }
    }

    /// True if, with nothing to do but what the controller needs, its pacing is all that comes before the next segment. Probes and
    /// repairs are things to do.
    #[inline]
    pub(super) fn is_plainly_paced(&self) -> bool {
        #[cfg(test)]
        if self.account.as_ref().is_some_and(|account| account.takes_long_way) {
            return false;
        }
        self.una < self.max && self.writer.is_none() && !self.needs.any(Needs::ROUTERS)
    }

    /// The next segment of the stream where it is [plainly paced](Sender::is_plainly_paced), when its turn has come.
    #[inline(never)]
    pub(super) fn pull_accounted(&mut self, now: Time) -> Option<Packet> {
        let start = self.nxt;
        let mut next = if self.todo & todo::TIMED != 0 { self.pull_plain(now) } else { self.next(now) };
        match &mut next {
            Some(packet) => {
                if self.accurate.is_some() {
                    put_first(packet);
                }
                // Not asked of the packet, which would have to be in memory for that.
                let bytes = self.nxt.min(self.end) - start;
                self.note_sent(now, start, bytes as u32, false);
            }
            None => self.note_dry(),
        }
        next
    }

    /// True if pacing alone keeps a segment back. It is woken for when its turn comes.
    #[inline]
    pub(super) fn is_early(&mut self, now: Time) -> bool {
        let (bytes, rate) = (self.sent_bytes, self.control.pacing);
        if rate == Control::UNPACED || u64::from(bytes) < self.control.quantum || self.is_paced() {
            return false;
        }
        let pause = match &mut self.account {
            Some(account) => account.pause(bytes, rate),
            None => pause(bytes.into(), rate),
        };
        // However slow the controller, something leaves within the largest timeout.
        let due = self.sent_at + pause.min(self.params.rto_max);
        if now >= due || !self.may_send() {
            return false;
        }
        if self.pace_wake != due {
            self.wait_until(due);
        }
        true
    }

    /// True if anything but pacing would let a segment leave.
    fn may_send(&self) -> bool {
        let new = self.nxt < self.stop && self.nxt + self.length(self.nxt) <= self.limit;
        new || self.todo & (todo::RESEND | todo::REPAIR | todo::TIMED) != 0
    }

    /// Nothing is due. If that is for want of data, rates will be those of the application.
    pub(super) fn note_dry(&mut self) {
        let in_flight = self.outstanding();
        let dry = self.nxt >= self.stop && in_flight < self.window_in_use();
        if let Some(account) = self.account.as_mut().filter(|_| dry) {
            account.ran_dry(in_flight);
        }
    }

    /// A segment with `bytes` from `number` leaves under a controller that needs more than a window.
    pub(super) fn note_sent(&mut self, now: Time, number: u64, bytes: u32, again: bool) {
        // Without a quantum every segment is a burst of its own.
        let burst = if u64::from(self.sent_bytes) < self.control.quantum { self.sent_bytes } else { 0 };
        self.sent_bytes = burst.saturating_add(bytes);
        let in_flight = self.outstanding();
        if let Some(account) = &mut self.account {
            let end = number + u64::from(bytes);
            let end = if end == self.end { self.stop } else { end };
            account.sent(now, (number, end), in_flight, again);
        }
        if self.needs.any(Needs::SENT) {
            self.tell_sent(&Sent { now, flight: in_flight, bytes, again, reserved: [0; 3] });
        }
    }

    /// Tells the controller of a segment that leaves.
    fn tell_sent(&mut self, sent: &Sent) {
        self.controller.on_sent(sent, &mut self.control);
        self.hold_window();
        self.arm_call();
        self.update_limit();
    }
}
