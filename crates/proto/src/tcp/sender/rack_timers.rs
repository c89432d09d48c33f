//! The one timer of a sender that detects losses by time, and what it sends.

use dumbbell_core::{Duration, Time};
use dumbbell_header::TcpHeader;

use super::Sender;
use super::todo::{self, Repaired};
use crate::controller::{Class, Event, Needs};
use crate::tcp::rack::{DUPLICATES, Probe, Rack, SLACK, State, Timer};
use crate::wheel;

impl Sender {
    /// Arms the timer for retransmissions (RFC 6298 section 5.3).
    pub(super) fn rearm_in_time(&mut self, now: Time, rack: &mut Rack) {
        let before = std::mem::replace(&mut rack.timer, Timer::Retransmission);
        let Some(head) = rack.segments.first() else {
            if self.stream.una >= self.stream.stop {
                rack.segments.release();
            }
            return self.rearm(now);
        };
        let timeout = self.timers.rtt.timeout();
        // A timer of another kind took its place: the head has had part of its time.
        let from = if before == Timer::Retransmission { now } else { head.sent_at };
        let left = (from + timeout).max(now + Duration::from_micros(1)).since(now);
        self.timers.rto_at = self.due(now, left);
    }

    /// Arms the timer for a tail loss probe (RFC 8985 section 7.2). False if there is none to send. `advanced` after an
    /// acknowledgement, when a timeout would begin anew.
    pub(super) fn schedule_probe(&mut self, now: Time, rack: &mut Rack, advanced: bool) -> bool {
        let quiet = matches!(rack.state, State::Open | State::Reduced);
        if !self.params.tail_loss_probe || !quiet || rack.segments.out() == 0 || !self.params.sack {
            return false;
        }
        let smoothed = self.timers.rtt.smoothed();
        let wait = if smoothed.is_zero() {
            self.params.rto_initial
        } else if rack.segments.out() == 1 {
            // The acknowledgement of a lone segment may be delayed.
            smoothed * 2 + self.params.rto_min
        } else {
            smoothed * 2 + SLACK
        };
        let timeout = match rack.segments.first() {
            Some(head) if !advanced => head.sent_at + self.timers.rtt.timeout(),
            _ => now + self.timers.rtt.timeout(),
        };
        let wait = if timeout > now { wait.min(timeout.since(now)) } else { wait };
        self.timers.rto_at = self.due(now, wait);
        rack.timer = Timer::Probe;
        true
    }

    /// When a timer ends that is armed now.
    #[inline(always)]
    pub(super) fn due(&self, now: Time, wait: Duration) -> Time {
        wheel::due_in_turn(now, wait, self.params.timer_tick)
    }

    /// The timer has come up.
    pub(in crate::tcp) fn time_is_up(&mut self, now: Time) {
        let Some(mut rack) = self.repair.rack.take() else { return };
        match rack.timer {
            Timer::Retransmission => self.timed_out(now, &mut rack),
            Timer::Reordering => self.looked_again(now, &mut rack),
            Timer::Persist => {
                rack.timeouts += 1;
                self.timers.expired += 1;
                if self.timers.expired > self.params.retries {
                    self.give_up();
                } else {
                    if self.stream.una + self.stream.receive_window > self.stream.nxt {
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
                    self.timers.rto_at = self.due(now, self.timers.rtt.timeout());
                }
            }
        }
        self.update_limit_in_time(&rack);
        self.repair.rack = Some(rack);
    }

    /// Segments have become old enough to be lost (RFC 8985 section 6.3). The timer waited for all of them, so none is left to
    /// wait for: the timeout of the head is next.
    // Linux net/ipv4/tcp_recovery.c: tcp_rack_reo_timeout.
    fn looked_again(&mut self, now: Time, rack: &mut Rack) {
        let in_flight = rack.segments.in_flight();
        let window = rack.reordering_window(self.timers.rtt.min(), self.timers.rtt.smoothed());
        rack.detect(now, window, self.stream.mss.into(), &mut self.gate.account);
        if rack.segments.in_flight() != in_flight {
            if rack.state != State::Recovery {
                self.enter_recovery(now, rack, false);
                if self.gate.moves_window() {
                    let threshold = self.gate.threshold_segments();
                    let window = rack.prr.window(threshold, rack.segments.in_flight(), 1, false);
                    self.gate.set_window(window);
                }
            }
            rack.repairing = true;
            self.tell_losses_in_time(now, rack);
        }
        self.rearm_in_time(now, rack);
    }

    /// The retransmission timer expired (RFC 6298 sections 5.4 to 5.6; RFC 8985 section 6.3).
    fn timed_out(&mut self, now: Time, rack: &mut Rack) {
        self.timers.expired += 1;
        self.timers.timeouts += 1;
        if self.timers.expired > self.params.retries {
            return self.give_up();
        }
        let new = rack.state < State::Recovery;
        self.repair.note_timeout_in_time(now, &self.stream, rack);
        let cut = rack.state <= State::Disorder
            || rack.high <= self.stream.una
            || rack.state == State::Loss && rack.timeouts == 0;
        self.lose_old(now, rack);
        let window = self.gate.control.window;
        if cut {
            rack.undo.threshold = self.gate.current_threshold();
            rack.undo.window = window;
            rack.keep_for_undo(self.stream.una);
        }
        let base = self.cut_base(rack);
        // A second timeout of the same window cuts nothing more.
        let expired = std::mem::replace(&mut self.timers.expired, if cut { 1 } else { 2 });
        self.decide(now, Event::Timeout, self.gate.delivered, base, Duration::ZERO);
        self.gate.round_threshold();
        self.timers.expired = expired;
        self.tell_losses_in_time(now, rack);
        self.gate.set_window(rack.segments.in_flight() + 1);
        self.stream.tell_cut = true;
        if rack.state <= State::Disorder && rack.segments.held() >= rack.reordering {
            rack.reordering = rack.reordering.min(DUPLICATES);
        }
        rack.frto = self.params.frto && (new || rack.timeouts > 0);
        rack.state = State::Loss;
        rack.high = self.stream.nxt;
        rack.probe_end = 0;
        rack.timeouts += 1;
        rack.repairing = true;
        self.timers.rtt.back_off(&self.params);
        self.timers.rto_at = self.due(now, self.timers.rtt.timeout());
    }

    /// Tells the controller of each segment found lost, if it wants to hear of them.
    pub(super) fn tell_losses_in_time(&mut self, now: Time, rack: &Rack) {
        if self.gate.needs.any(Needs::LOSSES) {
            self.tell_losses(now, rack.flight(self.stream.mss.into()));
        }
    }

    /// Takes the head for lost, and all but those that were sent a short while ago.
    fn lose_old(&mut self, now: Time, rack: &mut Rack) {
        let mut head = true;
        for id in rack.segments.ids() {
            let young = now.since(rack.segments.get(id).sent_at) < rack.rtt;
            if std::mem::take(&mut head) || !young {
                rack.lose(id, self.stream.mss.into(), &mut self.gate.account);
            }
        }
    }

    /// What comes before new data: a probe, or what is lost.
    pub(in crate::tcp) fn pull_in_time(&mut self, now: Time) -> Repaired {
        let Some(mut rack) = self.repair.rack.take() else { return Repaired::Nothing };
        let mut answer = self.pull_with(now, &mut rack);
        if let Repaired::Packet(packet) = &mut answer {
            packet.aux = rack.arrived;
        }
        self.repair.rack = Some(rack);
        answer
    }

    fn pull_with(&mut self, now: Time, rack: &mut Rack) -> Repaired {
        if rack.probe == Probe::Part {
            rack.probe = Probe::None;
            let start = self.stream.nxt;
            let room = (self.stream.una + self.stream.receive_window).saturating_sub(start);
            let packet = self.send_at_end(now, room.min(self.stream.length(start)));
            self.note_new(now, rack, start, (true, false));
            self.update_limit_in_time(rack);
            return Repaired::Packet(packet);
        }
        if rack.probe == Probe::Due {
            rack.probe = Probe::None;
            let new = self.stream.nxt < self.stream.stop && self.stream.fits(self.stream.nxt);
            rack.probe_resent = !new;
            if new {
                // One segment, whatever the window.
                let start = self.stream.nxt;
                let packet = self.send_at_end(now, self.stream.length(start));
                self.note_new(now, rack, start, (true, false));
                rack.probe_end = self.stream.nxt;
                rack.sent_new = false;
                self.update_limit_in_time(rack);
                return Repaired::Packet(packet);
            }
            let Some(last) = rack.segments.ids().last() else { return Repaired::Nothing };
            rack.probe_end = self.stream.nxt;
            return self.send_again(now, rack, last);
        }
        if !rack.repairing {
            return Repaired::Nothing;
        }
        let Some(id) = rack.segments.next_lost() else { return Repaired::Nothing };
        let is_head = rack.segments.ids().next() == Some(id);
        let follows = rack.rest > 0 && !is_head && rack.segments.get(id.wrapping_sub(1)).sent_at == now;
        if !follows {
            let (window, out) = (self.gate.window_segments(), rack.segments.in_flight());
            if out >= window {
                self.note_usage(now, rack, true);
                return Repaired::Blocked;
            }
            if self.paces_repair(now) {
                return Repaired::Blocked;
            }
            let most = (window - out).min(self.largest_burst(rack));
            let count = rack.segments.together(id, most.min(u8::MAX.into()));
            rack.rest = count as u8;
            self.pace(now, u64::from(count) * u64::from(self.stream.mss));
        }
        rack.rest -= 1;
        let mut answer = self.send_again(now, rack, id);
        if rack.rest == 0 {
            rack.segments.end_packet(id);
            if let Repaired::Packet(packet) = &mut answer
                && follows
            {
                packet.flags |= TcpHeader::PSH;
            }
        }
        if rack.is_reducing() {
            rack.prr.sent();
        }
        if is_head && rack.timer != Timer::Reordering {
            rack.timer = Timer::Retransmission;
            self.timers.rto_at = self.due(now, self.timers.rtt.timeout());
        }
        answer
    }

    fn send_again(&mut self, now: Time, rack: &mut Rack, id: u32) -> Repaired {
        self.tell_beginning(now, rack);
        rack.segments.resend(now, id, rack.delivered);
        rack.undo.since.get_or_insert(now);
        rack.undo.resent = rack.undo.resent.max(0) + 1;
        let segment = rack.segments.get(id);
        // As it was: the stream may have gone on behind a short one. A FIN takes a number, and no byte.
        let (start, bytes) = (segment.start, segment.end.min(self.stream.end) - segment.start);
        let pushes = segment.pushes();
        let mut packet = self.resend(now, start, bytes);
        if pushes {
            packet.flags |= TcpHeader::PSH;
        }
        self.update_limit_in_time(rack);
        Repaired::Packet(packet)
    }

    /// A new segment has left, which begins at `start`, perhaps as the last of a packet, and one that pushes.
    #[inline(always)]
    pub(super) fn note_new(&mut self, now: Time, rack: &mut Rack, start: u64, last: (bool, bool)) {
        let first = rack.segments.out() == 0;
        rack.segments.push(now, (start, self.stream.nxt), rack.delivered, last);
        rack.sent_new = true;
        if rack.is_reducing() {
            rack.prr.sent();
        }
        if rack.timer == Timer::Persist {
            rack.timeouts = 0;
        }
        if first || rack.timer == Timer::Probe {
            rack.timer = Timer::Retransmission;
            self.timers.rto_at = self.due(now, self.timers.rtt.timeout());
        }
        if self.stream.nxt - start < u64::from(self.stream.mss) {
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
        let full = held || rack.segments.in_flight() >= self.gate.window_segments();
        let sent_new = std::mem::take(&mut rack.sent_new);
        // An acknowledgement that lets nothing out says nothing about what the window is used for.
        if sent_new || full {
            self.note_usage(now, rack, full);
        }
        if sent_new {
            self.schedule_probe(now, rack, false);
        }
        let closed = rack.segments.out() == 0
            && self.stream.nxt < self.stream.stop
            && !self.stream.fits(self.stream.nxt);
        if closed && rack.timer != Timer::Persist {
            rack.timeouts = 0;
            self.wait_for_window(now, rack);
        }
    }

    /// Arms the timer for a probe of a closed window, longer each time (RFC 9293 section 3.8.6.1).
    fn wait_for_window(&mut self, now: Time, rack: &mut Rack) {
        rack.timer = Timer::Persist;
        self.timers.rto_at = self.due(now, self.timers.persist(&self.params, rack.timeouts));
    }

    /// The number of a segment without data: what comes next, or, to ask for the window, a byte that the receiver has: it answers.
    pub(super) fn bare_number(&self) -> u64 {
        let asks = self.repair.rack.as_ref().is_some_and(|rack| rack.timer == Timer::Persist);
        self.stream.nxt.saturating_sub(u64::from(asks))
    }

    /// Notes whether the window is what limits, and lets one that is not used shrink (RFC 7661 section 4.4, in the form of
    /// RFC 2861 that Linux has).
    fn note_usage(&mut self, now: Time, rack: &mut Rack, full: bool) {
        let out = rack.segments.out();
        let usage = &mut rack.usage;
        if self.stream.una >= usage.until || full || !usage.limited && out > usage.most {
            (usage.limited, usage.most, usage.until) = (full, out, self.stream.nxt);
        }
        if self.gate.is_window_limited(rack) {
            (rack.usage.used, rack.usage.since) = (0, now);
            return;
        }
        let usage = &mut rack.usage;
        usage.used = usage.used.max(out);
        let idle = now.since(usage.since) >= self.timers.rtt.timeout();
        let shrinks = idle && self.params.slow_start_after_idle && !self.stream.is_starved();
        if shrinks && rack.state == State::Open && self.gate.class == Class::Window {
            let window = self.gate.window_segments();
            let used = usage.used.max(self.params.initial_window);
            (usage.used, usage.since) = (0, now);
            if used < window {
                self.gate.control.threshold = self.gate.current_threshold();
                self.gate.set_window((window + used) / 2);
                self.update_limit_in_time(rack);
            }
        }
    }
}
