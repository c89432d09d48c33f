//! The opening of a connection: the handshake, what a lost SYN means, and the application's first write.

use dumbbell_core::{Duration, Time};
use dumbbell_header::TcpHeader;

use super::{Phase, Sender, todo};
use crate::controller::{Control, Event, Needs};
use crate::tcp::account::FAST;
use crate::tcp::params::LostSyn;
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
        self.rto_at = now + self.rtt.timeout();
    }

    /// No answer to the SYN came.
    pub(super) fn unanswered(&mut self, now: Time) {
        self.expired += 1;
        self.timeouts += 1;
        if self.expired > self.params.retries {
            return self.fail(Failure::Unanswered);
        }
        if self.params.lost_syn == LostSyn::Restart || self.expired > LINEAR {
            self.rtt.back_off(&self.params);
        }
        self.send_syn(now);
    }

    /// The SYN-ACK has come.
    pub(super) fn answered(&mut self, now: Time, header: &TcpHeader) {
        self.rto_at = Time::NEVER;
        self.ecn_answered(header.flags);
        self.receive_window = self.shifted(header.window);
        if self.expired == 0 {
            self.sample(now, now.since(self.timed_at), 0);
        } else if self.params.lost_syn == LostSyn::Linux && self.params.timestamps {
            self.rtt.measure(now.since(Time::from_nanos(header.timestamp)), 0, &self.params);
        } else {
            self.rtt.restart(&self.params);
        }
        self.todo |= todo::ACK;
        self.established(now);
        if !self.params.first_write.is_zero() {
            self.todo |= todo::HOLD;
            self.pace_wake = now + self.params.first_write;
            self.arm_call();
        }
    }

    fn established(&mut self, now: Time) {
        self.phase = Phase::Established;
        self.todo &= !todo::HOLD;
        if self.todo & todo::TIMED != 0 {
            self.begin_in_time();
        }
        let mss = u64::from(self.mss);
        let forgiven = u32::from(self.params.lost_syn == LostSyn::Linux);
        let segments = if self.expired > forgiven { 1 } else { u64::from(self.params.initial_window) };
        let segments = segments.min(self.params.unit_window.map_or(u64::MAX, u64::from));
        self.control.window = segments * mss;
        self.control.threshold =
            self.params.initial_threshold.map_or(Control::UNLIMITED, |t| u64::from(t) * mss);
        self.expired = 0;
        if self.is_paced() && !self.needs.any(Needs::PACING) && self.rack.is_some() {
            // At a rate that is not known before a round-trip time is.
            self.control.pacing = FAST;
        }
        self.decide(now, Event::Start, 0, 0, Duration::ZERO);
        self.update_limit();
        if self.receive_window < mss && self.rack.is_none() {
            // The first segment may not fit: the window is probed, as when it closes.
            self.sent_at = now;
            self.todo |= todo::IDLE;
        }
        if self.stop == 0 && self.writer.is_none() {
            self.finished = now;
        }
    }
}
