//! The one timer of a sender that detects losses by time, and what it sends.

use dumbbell_core::{Duration, Time};

use super::Sender;
use super::todo::{self, Repaired};
use crate::controller::{Event, Needs};
use crate::tcp::rack::{DUPLICATES, Probe, Rack, SLACK, State, Timer};

impl Sender {
    /// Arms the timer for retransmissions (RFC 6298 section 5.3).
    pub(super) fn rearm_in_time(&mut self, now: Time, rack: &mut Rack) {
        let before = std::mem::replace(&mut rack.timer, Timer::Retransmission);
        let Some(head) = rack.segments.first() else {
            if self.una >= self.stop {
                rack.segments.release();
            }
            return self.rearm(now);
        };
        let timeout = self.rtt.timeout();
        // A timer of another kind took its place: the head has had part of its time.
        let from = if before == Timer::Retransmission { now } else { head.sent_at };
        self.rto_at = (from + timeout).max(now + Duration::from_micros(1));
    }

    /// Arms the timer for a tail loss probe (RFC 8985 section 7.2). False if there is none to send. `advanced` after an
    /// acknowledgement, when a timeout would begin anew.
    pub(super) fn schedule_probe(&mut self, now: Time, rack: &mut Rack, advanced: bool) -> bool {
        let quiet = matches!(rack.state, State::Open | State::Reduced);
        if !self.params.tail_loss_probe || !quiet || rack.segments.out() == 0 || !self.params.sack {
            return false;
        }
        let smoothed = self.rtt.smoothed();
        let wait = if smoothed.is_zero() {
            self.params.rto_initial
        } else if rack.segments.out() == 1 {
            // The acknowledgement of a lone segment may be delayed.
            smoothed * 2 + self.params.rto_min
        } else {
            smoothed * 2 + SLACK
        };
        let timeout = match rack.segments.first() {
            Some(head) if !advanced => head.sent_at + self.rtt.timeout(),
            _ => now + self.rtt.timeout(),
        };
        let at = now + wait;
        self.rto_at = if timeout > now { at.min(timeout) } else { at };
        rack.timer = Timer::Probe;
        true
    }

    /// The timer has come up.
    pub(in crate::tcp) fn time_is_up(&mut self, now: Time) {
        let Some(mut rack) = self.rack.take() else { return };
        match rack.timer {
            Timer::Retransmission => self.timed_out(now, &mut rack),
            Timer::Reordering => self.looked_again(now, &mut rack),
            Timer::Persist => {
                rack.timeouts += 1;
                self.expired += 1;
                if self.expired > self.params.retries {
                    self.give_up();
                } else {
                    if self.una + self.receive_window > self.nxt {
                        rack.probe = Probe::Part;
                    } else {
                        self.todo |= todo::ACK;
                    }
                    self.wait_for_window(now, &mut rack);
                }
            }
            Timer::Probe => {
                if rack.probe_end > 0 {
                    self.rearm_in_time(now, &mut rack);
                } else {
                    rack.probe = Probe::Due;
                    rack.timer = Timer::Retransmission;
                    self.rto_at = now + self.rtt.timeout();
                }
            }
        }
        self.update_limit_in_time(&rack);
        self.rack = Some(rack);
    }

    /// Segments have become old enough to be lost (RFC 8985 section 6.3). The timer waited for all of them, so none is left to
    /// wait for: the timeout of the head is next.
    // Linux net/ipv4/tcp_recovery.c: tcp_rack_reo_timeout.
    fn looked_again(&mut self, now: Time, rack: &mut Rack) {
        let in_flight = rack.segments.in_flight();
        let window = rack.reordering_window(self.rtt.min(), self.rtt.smoothed());
        rack.detect(now, window, self.mss, &mut self.account);
        if rack.segments.in_flight() != in_flight {
            if rack.state != State::Recovery {
                self.enter_recovery(now, rack, false);
                if self.moves_window() {
                    let threshold = self.threshold_segments();
                    let window = rack.prr.window(threshold, rack.segments.in_flight(), 1, false);
                    self.set_window(window);
                }
            }
            rack.repairing = true;
            self.tell_losses_in_time(now, rack);
        }
        self.rearm_in_time(now, rack);
    }

    /// The retransmission timer expired (RFC 6298 sections 5.4 to 5.6; RFC 8985 section 6.3).
    fn timed_out(&mut self, now: Time, rack: &mut Rack) {
        self.expired += 1;
        self.timeouts += 1;
        if self.expired > self.params.retries {
            return self.give_up();
        }
        let new = rack.state < State::Recovery;
        self.note_timeout_in_time(now, rack);
        let cut = rack.state <= State::Disorder
            || rack.high <= self.una
            || rack.state == State::Loss && rack.timeouts == 0;
        self.lose_old(now, rack);
        let window = self.control.window;
        if cut {
            rack.undo.threshold = self.current_threshold();
            rack.undo.window = window;
            rack.keep_for_undo(self.una);
        }
        let base = self.cut_base(rack);
        // A second timeout of the same window cuts nothing more.
        let expired = std::mem::replace(&mut self.expired, if cut { 1 } else { 2 });
        self.decide(now, Event::Timeout, self.delivered, base, Duration::ZERO);
        self.expired = expired;
        self.tell_losses_in_time(now, rack);
        self.set_window(rack.segments.in_flight() + 1);
        self.tell_cut = true;
        if rack.state <= State::Disorder && rack.segments.held() >= rack.reordering {
            rack.reordering = rack.reordering.min(DUPLICATES);
        }
        rack.frto = self.params.frto && (new || rack.timeouts > 0);
        rack.state = State::Loss;
        rack.high = self.nxt;
        rack.probe_end = 0;
        rack.timeouts += 1;
        rack.repairing = true;
        self.rtt.back_off(&self.params);
        self.rto_at = now + self.rtt.timeout();
    }

    /// Tells the controller of each segment found lost, if it wants to hear of them.
    pub(super) fn tell_losses_in_time(&mut self, now: Time, rack: &Rack) {
        if self.needs.any(Needs::LOSSES) {
            self.tell_losses(now, u64::from(rack.segments.in_flight()) * u64::from(self.mss));
        }
    }

    /// Takes the head for lost, and all but those that were sent a short while ago.
    fn lose_old(&mut self, now: Time, rack: &mut Rack) {
        let mut head = true;
        for id in rack.segments.ids() {
            let young = now.since(rack.segments.get(id).sent_at) < rack.rtt;
            if std::mem::take(&mut head) || !young {
                rack.lose(id, self.mss, &mut self.account);
            }
        }
    }

    /// What comes before new data: a probe, or what is lost.
    pub(in crate::tcp) fn pull_in_time(&mut self, now: Time) -> Repaired {
        let Some(mut rack) = self.rack.take() else { return Repaired::Nothing };
        let mut answer = self.pull_with(now, &mut rack);
        if let Repaired::Packet(packet) = &mut answer {
            packet.aux = rack.acknowledged;
        }
        self.rack = Some(rack);
        answer
    }

    fn pull_with(&mut self, now: Time, rack: &mut Rack) -> Repaired {
        if rack.probe == Probe::Part {
            rack.probe = Probe::None;
            let start = self.nxt;
            let room = (self.una + self.receive_window).saturating_sub(start);
            let packet = self.send_at_end(now, room.min(self.length(start)));
            self.note_new(now, rack, start);
            self.update_limit_in_time(rack);
            return Repaired::Packet(packet);
        }
        if rack.probe == Probe::Due {
            rack.probe = Probe::None;
            let new = self.nxt < self.stop && self.fits(self.nxt);
            rack.probe_resent = !new;
            if new {
                // One segment, whatever the window.
                let start = self.nxt;
                let packet = self.send_at_end(now, self.length(start));
                self.note_new(now, rack, start);
                rack.probe_end = self.nxt;
                rack.sent_new = false;
                self.update_limit_in_time(rack);
                return Repaired::Packet(packet);
            }
            let Some(last) = rack.segments.ids().last() else { return Repaired::Nothing };
            rack.probe_end = self.nxt;
            return self.send_again(now, rack, last);
        }
        if !rack.repairing {
            return Repaired::Nothing;
        }
        let Some(id) = rack.segments.next_lost() else { return Repaired::Nothing };
        if rack.segments.in_flight() >= self.window_segments() {
            self.note_usage(now, rack, true);
            return Repaired::Blocked;
        }
        if self.paces_repair(now, rack) {
            return Repaired::Blocked;
        }
        let is_head = rack.segments.ids().next() == Some(id);
        let answer = self.send_again(now, rack, id);
        self.pace(now, rack, u64::from(self.mss));
        if rack.is_reducing() {
            rack.prr.sent();
        }
        if is_head && rack.timer != Timer::Reordering {
            rack.timer = Timer::Retransmission;
            self.rto_at = now + self.rtt.timeout();
        }
        answer
    }

    fn send_again(&mut self, now: Time, rack: &mut Rack, id: u32) -> Repaired {
        rack.segments.resend(now, id, rack.delivered);
        rack.undo.since.get_or_insert(now);
        rack.undo.resent = rack.undo.resent.max(0) + 1;
        let segment = rack.segments.get(id);
        // As it was: the stream may have gone on behind a short one. A FIN takes a number, and no byte.
        let (start, bytes) = (segment.start, segment.end.min(self.end) - segment.start);
        let packet = self.resend(now, start, bytes);
        self.update_limit_in_time(rack);
        Repaired::Packet(packet)
    }

    /// A new segment has left, which begins at `start`.
    #[inline(always)]
    pub(super) fn note_new(&mut self, now: Time, rack: &mut Rack, start: u64) {
        let first = rack.segments.out() == 0;
        rack.segments.push(now, start, self.nxt, rack.delivered);
        rack.sent_new = true;
        if rack.is_reducing() {
            rack.prr.sent();
        }
        if rack.timer == Timer::Persist {
            rack.timeouts = 0;
        }
        if first || rack.timer == Timer::Probe {
            rack.timer = Timer::Retransmission;
            self.rto_at = now + self.rtt.timeout();
        }
        if self.nxt - start < u64::from(self.mss) {
            self.sent_short(rack);
        }
    }

    /// A segment has left that is not full: the window counts segments, the limit bytes.
    #[cold]
    #[inline(never)]
    fn sent_short(&mut self, rack: &Rack) {
        self.update_limit_in_time(rack);
    }

    /// Nothing more leaves now. If segments are `held` back, it is for want of a window.
    #[inline]
    pub(super) fn paused(&mut self, now: Time, rack: &mut Rack, held: bool) {
        let full = held || rack.segments.in_flight() >= self.window_segments();
        let sent_new = std::mem::take(&mut rack.sent_new);
        // An acknowledgement that lets nothing out says nothing about what the window is used for.
        if sent_new || full {
            self.note_usage(now, rack, full);
        }
        if sent_new {
            self.schedule_probe(now, rack, false);
        }
        let closed = rack.segments.out() == 0 && self.nxt < self.stop && !self.fits(self.nxt);
        if closed && rack.timer != Timer::Persist {
            rack.timeouts = 0;
            self.wait_for_window(now, rack);
        }
    }

    /// True if the receiver's window has room for the segment at `number`.
    pub(super) fn fits(&self, number: u64) -> bool {
        number + self.length(number) <= self.una + self.receive_window
    }

    /// Arms the timer for a probe of a closed window, longer each time (RFC 9293 section 3.8.6.1).
    fn wait_for_window(&mut self, now: Time, rack: &mut Rack) {
        rack.timer = Timer::Persist;
        self.rto_at = now + self.persist(rack.timeouts);
    }

    /// The number of a segment without data: what comes next, or, to ask for the window, a byte that the receiver has: it answers.
    pub(super) fn bare_number(&self) -> u64 {
        let asks = self.rack.as_ref().is_some_and(|rack| rack.timer == Timer::Persist);
        self.nxt.saturating_sub(u64::from(asks))
    }

    /// True if the window, not the application, limits: it is full at times, or less than twice what is out in slow start.
    pub(super) fn is_window_limited(&self, rack: &Rack) -> bool {
        // The threshold of a model says nothing.
        let in_slow_start = self.control.window < self.control.threshold && self.moves_window();
        rack.usage.limited || in_slow_start && self.window_segments() < 2 * rack.usage.most
    }

    /// Notes whether the window is what limits, and lets one that is not used shrink (RFC 7661 section 4.4, in the form of
    /// RFC 2861 that Linux has).
    fn note_usage(&mut self, now: Time, rack: &mut Rack, full: bool) {
        let out = rack.segments.out();
        let usage = &mut rack.usage;
        if self.una >= usage.until || full && !usage.limited || !usage.limited && out > usage.most {
            (usage.limited, usage.most, usage.until) = (full, out, self.nxt);
        }
        if self.is_window_limited(rack) {
            (rack.usage.used, rack.usage.since) = (0, now);
            return;
        }
        let usage = &mut rack.usage;
        usage.used = usage.used.max(out);
        let idle = now.since(usage.since) >= self.rtt.timeout();
        let shrinks = idle && self.params.slow_start_after_idle && !self.is_starved();
        if shrinks && rack.state == State::Open && self.class == crate::controller::Class::Window {
            let window = self.window_segments();
            let used = usage.used.max(self.params.initial_window);
            (usage.used, usage.since) = (0, now);
            if used < window {
                self.control.threshold = self.current_threshold();
                self.set_window((window + used) / 2);
                self.update_limit_in_time(rack);
            }
        }
    }

    /// Sending begins again after an idle time: one halving for each timeout of it beyond the first (RFC 2861 section 3.1). The
    /// controller hears of every such time, but has no say about the window.
    pub(in crate::tcp) fn restarted(&mut self, now: Time, idle: Duration) {
        let before = (self.control.window, self.control.threshold);
        self.decide(now, Event::Idle, self.delivered, 0, Duration::ZERO);
        (self.control.window, self.control.threshold) = before;
        let timeout = self.rtt.timeout();
        if idle <= timeout || !self.params.slow_start_after_idle {
            return;
        }
        let least = self.window_segments().min(self.params.initial_window);
        self.control.threshold = self.current_threshold();
        let mut left = idle.saturating_sub(timeout);
        let mut window = self.window_segments();
        while !left.is_zero() && window > least {
            left = left.saturating_sub(timeout);
            window /= 2;
        }
        self.set_window(window.max(least));
        if let Some(rack) = self.rack.take() {
            self.update_limit_in_time(&rack);
            self.rack = Some(rack);
        }
    }
}
