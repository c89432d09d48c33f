//! The opening of a connection: the handshake, what a lost SYN means, and the application's first write.

use dumbbell_core::{Duration, Time};
use dumbbell_header::TcpHeader;

use super::{Phase, Sender, todo};
use crate::controller::{Control, Event, Needs};
use crate::tcp::account::FAST;
use crate::tcp::params::LostSyn;
use crate::tcp::stamps::round_trip;
use crate::transport::Failure;

/// Timeouts of the SYN before they get longer (Linux net.ipv4.tcp_syn_linear_timeouts).
const LINEAR: u32 = 4;

impl Sender {
    /// The flow starts.
    pub(super) fn open(&mut self, now: Time) {
        if !self.params.handshake {
            return self.established(now);
        }
        self.phase = Phase::Connecting;
        self.send_syn(now);
    }

    fn send_syn(&mut self, now: Time) {
        self.todo |= todo::SYN;
        self.timers.rto_at = self.due(now, self.timers.rtt.timeout());
    }

    /// No answer to the SYN came.
    pub(super) fn unanswered(&mut self, now: Time) {
        self.timers.expired += 1;
        self.timers.timeouts += 1;
        if self.timers.expired > self.params.retries {
            return self.fail(Failure::Unanswered);
        }
        if self.params.lost_syn != LostSyn::Linux || self.timers.expired > LINEAR {
            self.timers.rtt.back_off(&self.params);
        }
        self.send_syn(now);
    }

    /// The SYN-ACK has come.
    pub(super) fn answered(&mut self, now: Time, header: &TcpHeader) {
        self.timers.rto_at = Time::NEVER;
        self.stream.ecn_capable = self.echo.answered(&self.params, header.flags);
        self.stream.receive_window = self.stream.shifted(header.window);
        if self.timers.expired == 0 {
            self.timers.sample(&self.params, now, now.since(self.timers.timed_at), 0);
        } else if self.params.lost_syn != LostSyn::Restart && self.params.timestamps {
            self.timers.rtt.measure(round_trip(Time::from_nanos(header.timestamp), now), 0, &self.params);
        } else {
            self.timers.rtt.restart(&self.params);
        }
        self.todo |= todo::ACK;
        self.established(now);
        if !self.params.first_write.is_zero() {
            self.todo |= todo::HOLD;
            self.timers.pace_wake = now + self.params.first_write;
            self.arm_call();
        }
    }

    fn established(&mut self, now: Time) {
        self.phase = Phase::Established;
        let advertised = self.stream.receive_window >> self.stream.scale;
        self.stream.largest_window = u16::try_from(advertised).unwrap_or(u16::MAX);
        self.todo &= !todo::HOLD;
        if self.todo & todo::TIMED != 0 {
            self.begin_in_time();
        }
        let mss = u64::from(self.stream.mss);
        let forgiven = u32::from(self.params.lost_syn != LostSyn::Restart);
        let segments = if self.timers.expired > forgiven { 1 } else { u64::from(self.params.initial_window) };
        let segments = segments.min(self.params.unit_window.map_or(u64::MAX, u64::from));
        self.gate.control.window = segments * mss;
        self.gate.control.threshold =
            self.params.initial_threshold.map_or(Control::UNLIMITED, |t| u64::from(t) * mss);
        self.timers.expired = 0;
        if self.is_paced() && !self.gate.needs.any(Needs::PACING) && self.repair.rack.is_some() {
            // At a rate that is not known before a round-trip time is.
            self.gate.control.pacing = FAST;
        }
        self.decide(now, Event::Start, 0, 0, Duration::ZERO);
        self.update_limit();
        if self.stream.receive_window < mss && self.repair.rack.is_none() {
            // The first segment may not fit: the window is probed, as when it closes.
            self.timers.sent_at = now;
            self.todo |= todo::IDLE;
        }
        if self.stream.stop == 0 && self.stream.is_written() {
            self.timers.finished = now;
        }
    }
}
