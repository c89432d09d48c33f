//! Sending begins again, with nothing outstanding: what the controller hears of it, and what becomes of the window.

use dumbbell_core::{Duration, Time};

use super::Sender;
use crate::controller::{Class, Event, Needs};
use crate::tcp::rack::Rack;

impl Sender {
    /// Sending begins again. Of a time longer than the timeout every controller hears (RFC 5681 section 4.1); where losses are found
    /// by time, one with a window hears of every such time, but has no say about the window, as in Linux.
    #[cold]
    #[inline(never)]
    pub(super) fn begin_again(&mut self, now: Time) {
        let idle = now.since(self.timers.sent_at);
        if self.gate.needs.any(Needs::RESTARTS) {
            self.tell_restart(now);
            self.update_limit();
        }
        let in_time = self.repair.rack.is_some() && self.gate.class == Class::Window;
        let is_long =
            |sender: &Sender| idle > sender.timers.rtt.timeout() && sender.params.slow_start_after_idle;
        if !in_time && !is_long(self) {
            return;
        }
        let before = (self.gate.control.window, self.gate.control.threshold);
        self.decide(now, Event::Idle, self.gate.delivered, 0, Duration::ZERO);
        if !in_time {
            return self.update_limit();
        }
        (self.gate.control.window, self.gate.control.threshold) = before;
        if is_long(self) {
            self.shrink_after(idle);
        }
    }

    /// A segment leaves while others are outstanding. If all of them were found lost, it is a beginning, too.
    // Linux net/ipv4/tcp_output.c: tcp_event_data_sent.
    pub(super) fn tell_beginning(&mut self, now: Time, rack: &Rack) {
        if rack.segments.in_flight() == 0 && self.gate.needs.any(Needs::RESTARTS) {
            self.tell_restart(now);
        }
    }

    /// The first segment leaves where nothing is in the network.
    #[cold]
    #[inline(never)]
    fn tell_restart(&mut self, now: Time) {
        let outstanding = self.stream.nxt.saturating_sub(self.gate.delivered);
        self.decide(now, Event::Restart, self.gate.delivered, outstanding, Duration::ZERO);
    }

    /// One halving of the window for each timeout of an idle time beyond the first (RFC 2861 section 3.1).
    fn shrink_after(&mut self, idle: Duration) {
        let timeout = self.timers.rtt.timeout();
        let least = self.gate.window_segments().min(self.params.initial_window);
        self.gate.control.threshold = self.gate.current_threshold();
        let mut left = idle.saturating_sub(timeout);
        let mut window = self.gate.window_segments();
        while !left.is_zero() && window > least {
            left = left.saturating_sub(timeout);
            window /= 2;
        }
        self.gate.set_window(window.max(least));
        if let Some(rack) = self.repair.rack.take() {
            self.update_limit_in_time(&rack);
            self.repair.rack = Some(rack);
        }
    }
}
