//! Segments that leave together: what a host hands to its device at once (TCP segmentation offload), and when it may.
//!
//! A host hands several segments over as one packet, which the device cuts. Where the window opens by little at a time, Linux
//! waits until there is room for such a packet, if the next acknowledgement is near. Paced, one packet leaves at a time.

use dumbbell_core::{Duration, Time};

use super::Sender;
use crate::tcp::params::{Offload, Pacing};
use crate::tcp::rack::{Rack, State};

// Linux include/net/sock.h, net/ipv4/tcp_output.c: sk_pacing_shift 10, sk_gso_max_size, tcp_min_tso_segs, tcp_tso_rtt_log 9,
// tcp_tso_win_divisor 3.
/// What a packet holds is what leaves in so many parts of a second, and more where the path is short.
const PARTS: f64 = 1024.0;
const LARGEST: u64 = 65_536;
const LEAST_SEGMENTS: u64 = 2;
const SHORT: Duration = Duration::from_micros(512);
/// A packet leaves when there is room for this part of the window.
const WINDOW_PARTS: u64 = 3;
/// The next acknowledgement is near if it comes within this time, or within half a round trip. What has waited so long leaves.
const NEAR: Duration = Duration::from_millis(1);
// Linux net/ipv4/tcp_input.c, tcp_output.c: tcp_pacing_ss_ratio 200, tcp_pacing_ca_ratio 120, and the 10 segments not paced.
const FACTOR_IN_SLOW_START: f64 = 2.0;
const FACTOR: f64 = 1.2;
const UNPACED_SEGMENTS: u64 = 10;

/// What may leave now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Burst {
    /// Up to this number.
    To(u64),
    /// Nothing before this time.
    At(Time),
    /// Nothing until the next acknowledgement, though the window has room.
    Held,
}

impl Sender {
    /// The rate at which Linux spreads a window, in bytes of data a second; infinite before a round trip was measured.
    fn spread_rate(&self, rack: &Rack) -> f64 {
        let (window, out) = (self.window_segments(), rack.segments.out());
        let slow_start = u64::from(window) * u64::from(self.mss) * 2 < self.control.threshold;
        let factor = if slow_start { FACTOR_IN_SLOW_START } else { FACTOR };
        let rate =
            factor * f64::from(self.mss) * f64::from(window.max(out)) / self.rtt.smoothed().as_secs_f64();
        match self.params.max_pacing_rate {
            Some(most) => rate.min(most.as_bps() as f64 / 8.0),
            None => rate,
        }
    }

    /// Segments of a packet at a rate.
    fn packet_segments(&self, rate: f64, window: u32) -> u64 {
        if self.params.segmentation_offload == Offload::Off {
            return 1;
        }
        let halvings = self.rtt.min().as_nanos() / SHORT.as_nanos();
        let short = if halvings < 32 { LARGEST >> halvings } else { 0 };
        let bytes = ((rate / PARTS) as u64).saturating_add(short).min(LARGEST);
        (bytes / u64::from(self.mss)).max(LEAST_SEGMENTS).min(u64::from(window / 2)).max(1)
    }

    /// True if the next segment may leave, now that all of the burst before has left.
    #[cold]
    #[inline(never)]
    pub(super) fn begins_burst(&mut self, now: Time) -> bool {
        if self.nxt + u64::from(self.mss) >= self.end {
            self.top_up();
        }
        // Whether there is anything to send is for others to find.
        if self.nxt >= self.stop || self.nxt + self.length(self.nxt) > self.limit {
            return true;
        }
        let Some(mut rack) = self.rack.take() else { return true };
        let burst = self.burst(now, &mut rack);
        match burst {
            Burst::To(number) => self.granted = number,
            Burst::At(time) => {
                self.wait_until(time);
                self.paused(now, &mut rack, false);
            }
            Burst::Held => self.paused(now, &mut rack, true),
        }
        self.rack = Some(rack);
        matches!(burst, Burst::To(_))
    }

    /// Lets nothing leave before a time.
    pub(super) fn wait_until(&mut self, time: Time) {
        self.pace_wake = time;
        self.arm_call();
    }

    fn burst(&mut self, now: Time, rack: &mut Rack) -> Burst {
        if self.is_paced() && now < rack.pace_at {
            return Burst::At(rack.pace_at);
        }
        let mss = u64::from(self.mss);
        let rate = self.spread_rate(rack);
        if self.is_paced() && rate.is_finite() {
            self.control.pacing = rate;
        }
        let segments = self.packet_segments(rate, self.window_segments());
        let room = self.limit.saturating_sub(self.nxt);
        if room < segments * mss && self.is_worth_waiting(now, rack, room) {
            return Burst::Held;
        }
        let bytes = room.min(self.end - self.nxt).min(segments * mss);
        self.pace(now, rack, bytes);
        Burst::To(self.nxt + bytes)
    }

    /// True if a packet that the window has no room for does better to wait for the next acknowledgement.
    // Linux net/ipv4/tcp_output.c: what tcp_tso_should_defer decides. That its queue is cut into pieces of 64 kB, whose last part
    // does not wait, is left out.
    fn is_worth_waiting(&self, now: Time, rack: &Rack, room: u64) -> bool {
        let left = self.end.saturating_sub(self.nxt);
        let window = u64::from(self.window_segments()) * u64::from(self.mss);
        let smoothed = self.rtt.smoothed();
        let Some(head) = rack.segments.first() else { return false };
        left > u64::from(self.mss)
            && room < left
            && rack.state < State::Recovery
            && now.since(self.sent_at) < NEAR
            && room < window.min(self.receive_window) / WINDOW_PARTS
            && (head.sent_at + smoothed).since(now) < NEAR.min(smoothed / 2)
    }

    /// True if the transport paces. A controller that paces itself knows better.
    pub(super) fn is_paced(&self) -> bool {
        self.params.pacing == Pacing::Linux && !self.needs.pacing
    }

    /// True if what is lost must wait for its turn before it is sent again.
    pub(super) fn paces_repair(&mut self, now: Time, rack: &Rack) -> bool {
        let waits = self.is_paced() && now < rack.pace_at;
        if waits {
            self.wait_until(rack.pace_at);
        }
        waits
    }

    /// `bytes` leave together, and nothing more for the time that they take at the pacing rate. Of that, a late start takes half
    /// at most.
    // Linux net/ipv4/tcp_output.c: what tcp_update_skb_after_send computes.
    pub(super) fn pace(&mut self, now: Time, rack: &mut Rack, bytes: u64) {
        if !self.is_paced() {
            return;
        }
        let late = now.since(rack.pace_at);
        rack.pace_at = rack.pace_at.max(now);
        let sent = (self.max + bytes).div_ceil(u64::from(self.mss)) + self.retransmissions;
        if sent >= UNPACED_SEGMENTS {
            let pause = Duration::from_secs_f64(bytes as f64 / self.control.pacing).min(self.params.rto_max);
            rack.pace_at += pause - late.min(pause / 2);
        }
    }
}
