//! A sender under a controller that wants an account of what is sent, or that paces: acknowledgements, what the controller
//! receives, the pauses between segments. What every packet costs while nothing is lost has a short way.

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
        let echo = self.gate.note_marks(packet.flags & TcpHeader::ECE != 0, self.echo.accurate.is_some());
        let rtt = if ack > self.stream.una { self.measure(now, ack, packet) } else { Duration::ZERO };
        let in_order = ack > self.stream.una && self.repair.duplicates.quiet && packet.body[2] == 0 && !echo;
        let due = self.todo & (todo::REPAIR | todo::RESEND) != 0 || self.gate.needs.any(Needs::FINE_TIMEOUTS);
        if in_order && !due && self.gate.account.as_ref().is_some_and(|account| account.is_settled()) {
            return self.advance_accounted(now, ack, rtt, packet);
        }
        if let Some(account) = self.gate.account.as_mut().filter(|_| ack > self.stream.una) {
            account.acknowledged(self.stream.una, ack);
        }
        if echo {
            self.echoed(now, ack);
        }
        self.acknowledged_at_length(now, ack, rtt, packet);
    }

    /// The same for new data in order, with no loss in sight.
    #[inline]
    fn advance_accounted(&mut self, now: Time, ack: u64, rtt: Duration, packet: &Packet) {
        if let Some(board) = &mut self.repair.duplicates.board {
            board.advance(self.stream.una, ack);
        }
        if let Some(account) = &mut self.gate.account {
            account.advanced_in_order(ack);
        }
        self.stream.set_window(packet.aux);
        self.stream.advance(ack);
        self.timers.expired = 0;
        if self.repair.causes.is_some() {
            self.repair.judge_timeout(
                now,
                self.stream.timestamps.then(|| Time::from_nanos(packet.body[1])),
                self.timers.rtt.min(),
            );
        }
        self.decide_by_account(now, Event::Ack, (ack, 0), self.repair.outstanding(&self.stream), rtt);
        self.rearm(now);
        self.update_limit();
    }

    /// Lets the controller answer an event, with what the account adds to it.
    #[inline(never)]
    pub(super) fn decide_by_account(
        &mut self,
        now: Time,
        event: Event,
        arrived: (u64, u64),
        flight: u64,
        rtt: Duration,
    ) {
        let Some(account) = &mut self.gate.account else { return };
        let news = account.news(now, event, arrived.0, rtt, &mut self.timers.rtt);
        let (window, marked) = (self.gate.control.window, news.marked > 0);
        self.inform(now, event, arrived, flight, news);
        self.gate.cuts += u32::from(marked && self.gate.control.window < window);
        if self.gate.control.wake_at < Control::NEVER {
            self.gate.control.wake_at = self.gate.control.wake_at.max(now + SHORTEST_WAKE);
        }
        self.arm_call();
    }

    /// Tells the controller of each segment found lost, if it wants to hear of them.
    #[cold]
    pub(super) fn tell_losses(&mut self, now: Time, flight: u64) {
        while let Some(news) = self.gate.account.as_mut().and_then(|account| account.next_loss()) {
            let arrived = (self.gate.delivered, self.gate.delivered.saturating_sub(self.stream.una));
            self.inform(now, Event::Lost, arrived, flight, news);
        }
    }

    /// True if, with nothing to do but what the controller needs, its pacing is all that comes before the next segment. Probes and
    /// repairs are things to do.
    #[inline]
    pub(super) fn is_plainly_paced(&self) -> bool {
        #[cfg(test)]
        if self.gate.account.as_ref().is_some_and(|account| account.takes_long_way) {
            return false;
        }
        self.stream.una < self.stream.max && !self.gate.needs.any(Needs::ROUTERS)
    }

    /// The next segment of the stream where it is [plainly paced](Sender::is_plainly_paced), when its turn has come.
    #[inline(never)]
    pub(super) fn pull_accounted(&mut self, now: Time) -> Option<Packet> {
        let start = self.stream.nxt;
        let mut next = if self.todo & todo::TIMED != 0 { self.pull_plain(now) } else { self.next(now) };
        match &mut next {
            Some(packet) => {
                if self.echo.accurate.is_some() {
                    put_first(packet);
                }
                // Not asked of the packet, which would have to be in memory for that.
                let bytes = self.stream.nxt.min(self.stream.end) - start;
                self.note_sent(now, start, bytes as u32, false);
            }
            None => self.note_dry(),
        }
        next
    }

    /// True if pacing alone keeps a segment back. It is woken for when its turn comes.
    #[inline(always)]
    pub(super) fn is_early(&mut self, now: Time) -> bool {
        let (bytes, rate) = (self.gate.sent_bytes, self.gate.control.pacing);
        if rate == Control::UNPACED || u64::from(bytes) < self.gate.control.quantum || self.is_paced() {
            return false;
        }
        let pause = match &mut self.gate.account {
            Some(account) => account.pause(bytes, rate),
            None => pause(bytes.into(), rate),
        };
        // However slow the controller, something leaves within the largest timeout.
        let due = self.timers.sent_at + pause.min(self.params.rto_max);
        if now >= due || !self.may_send() {
            return false;
        }
        if self.timers.pace_wake != due {
            self.gate.departs_at = due;
            self.wait_until(due);
        }
        true
    }

    /// True if anything but pacing would let a segment leave.
    fn may_send(&self) -> bool {
        let new = self.stream.nxt < self.stream.stop
            && self.stream.nxt + self.stream.length(self.stream.nxt) <= self.stream.limit;
        new || self.todo & (todo::RESEND | todo::REPAIR | todo::TIMED) != 0
    }

    /// Nothing is due. If that is for want of data, rates will be those of the application.
    pub(super) fn note_dry(&mut self) {
        let in_flight = self.repair.outstanding(&self.stream);
        let dry = self.stream.nxt >= self.stream.stop && in_flight < self.gate.window_in_use();
        if let Some(account) = self.gate.account.as_mut().filter(|_| dry) {
            account.ran_dry(in_flight);
        }
    }

    /// A segment with `bytes` from `number` leaves under a controller that needs more than a window.
    pub(super) fn note_sent(&mut self, now: Time, number: u64, bytes: u32, again: bool) {
        // Without a quantum every segment is a burst of its own.
        let burst = if u64::from(self.gate.sent_bytes) < self.gate.control.quantum {
            self.gate.sent_bytes
        } else {
            0
        };
        self.gate.sent_bytes = burst.saturating_add(bytes);
        let in_flight = self.repair.outstanding(&self.stream);
        if let Some(account) = &mut self.gate.account {
            let end = number + u64::from(bytes);
            let end = if end == self.stream.end { self.stream.stop } else { end };
            account.sent(now, (number, end), in_flight, again);
        }
        if self.gate.needs.any(Needs::SENT) {
            self.tell_sent(&Sent { now, flight: in_flight, bytes, again, reserved: [0; 3] });
        }
    }

    /// Tells the controller of a segment that leaves.
    fn tell_sent(&mut self, sent: &Sent) {
        self.gate.controller.on_sent(sent, &mut self.gate.control);
        self.gate.hold_window();
        self.arm_call();
        self.update_limit();
    }
}
