//! Segments that leave together: what a host hands to its device at once (TCP segmentation offload), and when it may.
//!
//! A host hands several segments over as one packet, which the device cuts. Where the window opens by little at a time, Linux
//! waits until there is room for such a packet, if the next acknowledgement is near. Paced, one packet leaves at a time.

use dumbbell_core::{Duration, Time};

use super::{Sender, Stream};
use crate::controller::{Needs, Rate};
use crate::tcp::account::FAST;
use crate::tcp::params::Offload;
use crate::tcp::rack::{Rack, State};

// Linux include/net/sock.h, net/ipv4/tcp_output.c: sk_pacing_shift 10, sk_gso_max_size, tcp_min_tso_segs, tcp_tso_rtt_log 9,
// tcp_tso_win_divisor 3.
/// What a packet holds is what leaves in so many parts of a second, and more where the path is short.
const PARTS: u64 = 1024;
/// 64 kB less the headers (net/core/sock.c: sk_dst_gso_max_size; without wireless devices, as in user mode).
const LARGEST: u64 = 65_536 - 257;
const LEAST_SEGMENTS: u64 = 2;
// Linux net/ipv4/tcp_bbr.c: bbr_min_tso_rate 1.2 Mbit/s.
/// Below this rate a controller that paces hands single segments over.
const SLOW: Rate = Rate::from_bytes_per_second(150_000);
const SHORT: Duration = Duration::from_micros(512);
/// Where it is longer than this, nothing: so many halvings leave less than a byte.
const LONG: Duration = Duration::from_micros(512 * 17);
/// A packet leaves when there is room for this part of the window.
const WINDOW_PARTS: u64 = 3;
/// The next acknowledgement is near if it comes within this time, or within half a round trip. What has waited so long leaves.
const NEAR: Duration = Duration::from_millis(1);
// Linux net/ipv4/tcp_input.c, tcp_output.c: tcp_pacing_ss_ratio 200, tcp_pacing_ca_ratio 120, and the 10 segments not paced.
const IN_SLOW_START: u64 = 8_000_000 / 100 * 200;
const LATER: u64 = 8_000_000 / 100 * 120;
const UNPACED_SEGMENTS: u64 = 10;
/// In a second.
const NANOS: u64 = 1_000_000_000;

/// What may leave now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Burst {
    /// So many bytes.
    Of(u64),
    /// Nothing before this time.
    At(Time),
    /// Nothing until the next acknowledgement, though the window has room. It `is_full` if less of it is free than the packet needs.
    Held { is_full: bool },
}

impl Sender {
    /// The rate at which Linux spreads a window, in bytes of data a second; `u64::MAX` before a round trip was measured.
    // Linux net/ipv4/tcp_input.c: what tcp_update_pacing_rate computes.
    fn spread_rate(&self, window: u64, out: u64) -> u64 {
        let spread = window.max(out).saturating_mul(self.eighths_in_spread(window));
        let rate = spread.checked_div(self.timers.rtt.eighths()).unwrap_or(u64::MAX);
        self.params.max_pacing_rate.map_or(rate, |most| rate.min(most.as_bps() / 8))
    }

    /// Eighths of a microsecond in a second, times what the window is spread at in a smoothed round trip.
    #[inline(always)]
    fn eighths_in_spread(&self, window: u64) -> u64 {
        let after_two = 2 * (window + u64::from(self.stream.mss));
        if after_two <= self.gate.control.threshold { IN_SLOW_START } else { LATER }
    }

    /// The rate that decides about the size of packets: the one that the controller paces at, or that of the window.
    fn burst_rate(&self, window: u64, out: u64) -> u64 {
        if self.gate.needs.any(Needs::PACING) && self.is_paced() {
            return self.gate.control.pacing.bytes_per_second();
        }
        self.spread_rate(window, out)
    }

    /// Bytes of a packet at a rate: whole segments. A controller that paces may decide itself.
    fn packet_bytes(&self, rate: u64, window: u64) -> u64 {
        let mss = u64::from(self.stream.mss);
        if self.params.segmentation_offload == Offload::Off {
            return mss;
        }
        let mut least = LEAST_SEGMENTS;
        if self.gate.needs.any(Needs::PACING) {
            if self.gate.control.quantum > 0 {
                return self.gate.control.quantum.min(window).div_ceil(mss).max(1) * mss;
            }
            least = if self.gate.control.pacing < SLOW { 1 } else { LEAST_SEGMENTS };
        }
        let min = self.timers.rtt.min();
        let short = if min < LONG { LARGEST >> (min.as_nanos() / SHORT.as_nanos()) } else { 0 };
        let bytes = (rate / PARTS + short).min(LARGEST).max(least * mss).min(window / 2);
        (bytes / mss).max(1) * mss
    }

    /// Segments of the largest packet that what is lost leaves in.
    // Linux net/ipv4/tcp_output.c: tcp_tso_segs in tcp_xmit_retransmit_queue.
    pub(super) fn largest_burst(&self, rack: &Rack) -> u32 {
        let (mss, window) = (u64::from(self.stream.mss), self.gate.window_in_use());
        let rate = self.burst_rate(window, u64::from(rack.segments.out()) * mss);
        (self.packet_bytes(rate, u64::MAX) / mss) as u32
    }

    /// True if the next segment, a full one for which the window has room, may leave, now that all of the burst before has left.
    // What most bursts are costs no call.
    #[inline(always)]
    pub(super) fn begins_full_burst(&mut self, now: Time, out: u32) -> bool {
        self.grow_buffer();
        let (number, mss) = (self.stream.nxt, u64::from(self.stream.mss));
        let (window, least) = (self.gate.window_in_use(), LEAST_SEGMENTS * mss);
        let room = self.stream.limit - number;
        if room >= least
            && now.since(self.timers.sent_at) <= NEAR
            && self.sends_smallest(window, u64::from(out) * mss)
        {
            debug_assert_eq!(least, self.packet_bytes(self.burst_rate(window, u64::from(out) * mss), window));
            self.grant(least.min(self.stream.end - number));
            return true;
        }
        self.begins_other_burst(now, out)
    }

    /// The same for a burst of any size.
    #[inline(never)]
    fn begins_other_burst(&mut self, now: Time, out: u32) -> bool {
        let (number, mss) = (self.stream.nxt, u64::from(self.stream.mss));
        let room = self.stream.limit - number;
        if self.is_paced() {
            return self.begins_burst(now);
        }
        let window = self.gate.window_in_use();
        let packet = self.packet_bytes(self.burst_rate(window, u64::from(out) * mss), window);
        if room < packet {
            return self.begins_small_burst(now, room, packet);
        }
        self.grant(packet.min(self.ahead()));
        true
    }

    /// Bytes that the next packet may hold at most: all that is written, or its first piece.
    // Linux net/ipv4/tcp_output.c: tcp_grow_skb, since 6.10.
    fn ahead(&self) -> u64 {
        if self.params.segmentation_offload == Offload::Pieces {
            self.stream.first_piece().0
        } else {
            self.stream.end - self.stream.nxt
        }
    }

    /// Bytes that the windows have room for. In pieces, the segment that ends the stream, alone in its packet, does not ask the congestion
    /// window.
    // Linux 6.1 net/ipv4/tcp_output.c: tcp_cwnd_test.
    pub(super) fn room(&self) -> u64 {
        let Stream { nxt, end, stop, limit, .. } = self.stream;
        let left = end.saturating_sub(nxt);
        let is_free = self.params.segmentation_offload == Offload::Pieces
            && stop > end
            && (1..=u64::from(self.stream.mss)).contains(&left)
            && self.ahead() == left
            && self.stream.fits(nxt);
        if is_free { left } else { limit.saturating_sub(nxt) }
    }

    /// True if `packet_bytes` is sure to be the smallest packet at the rate of the window: found without a division. False tells
    /// nothing.
    #[inline(always)]
    fn sends_smallest(&self, window: u64, out: u64) -> bool {
        let mss = u64::from(self.stream.mss);
        let plain = !self.is_paced()
            && self.timers.rtt.min() >= LONG
            && window >= 2 * LEAST_SEGMENTS * mss
            && !self.gate.needs.any(Needs::PACING)
            && self.params.segmentation_offload == Offload::Linux;
        // With a segment more in a part of a second, the packet might have it too.
        let (fewer, parts) = ((LEAST_SEGMENTS + 1) * mss, PARTS);
        let spread = window.max(out) * self.eighths_in_spread(window);
        plain && spread < fewer * parts * self.timers.rtt.eighths().min(u32::MAX.into())
    }

    /// The same for less than a packet.
    fn begins_small_burst(&mut self, now: Time, room: u64, packet: u64) -> bool {
        let Some(mut rack) = self.repair.rack.take() else { return true };
        let waits = self.stream.held || self.is_worth_waiting(now, &rack, room, packet);
        self.stream.held = waits;
        if waits {
            let is_full = self.fills_window(&rack, packet);
            self.paused(now, &mut rack, is_full);
        } else {
            self.grant(self.whole(room.min(self.ahead())));
        }
        self.repair.rack = Some(rack);
        !waits
    }

    /// True if the next segment may leave, now that all of the burst before has left.
    #[cold]
    #[inline(never)]
    pub(super) fn begins_burst(&mut self, now: Time) -> bool {
        let (number, mss) = (self.stream.nxt, u64::from(self.stream.mss));
        let mut length = mss;
        if number + mss >= self.stream.end {
            // Whether there is anything to send is for others to find.
            if number >= self.stream.stop {
                return true;
            }
            length = self.stream.length(number);
        }
        let room = self.room();
        if room < length {
            return true;
        }
        self.grow_buffer();
        let Some(mut rack) = self.repair.rack.take() else { return true };
        let burst = self.burst(now, &mut rack, room);
        match burst {
            Burst::Of(bytes) => self.grant(bytes),
            Burst::At(time) => {
                self.wait_until(time);
                self.paused(now, &mut rack, false);
            }
            Burst::Held { is_full } => self.paused(now, &mut rack, is_full),
        }
        self.repair.rack = Some(rack);
        matches!(burst, Burst::Of(_))
    }

    /// Lets a burst of so many bytes leave.
    fn grant(&mut self, bytes: u64) {
        self.stream.at_once = false;
        self.stream.granted = self.stream.nxt + bytes;
        self.stream.pushes = bytes > u64::from(self.stream.mss);
    }

    /// Returns how many of `room` bytes leave: all that is written, a whole piece where packets hold no more, or whole segments. At the end
    /// of the receiver's window a part of a segment follows them, unless another part is out. A host grants whole segments, so rounded
    /// windows add no part.
    // Linux net/ipv4/tcp_output.c: tcp_mss_split_point.
    fn whole(&self, room: u64) -> u64 {
        let left = self.stream.end - self.stream.nxt;
        if room >= left {
            return left;
        }
        if self.params.segmentation_offload == Offload::Pieces && room == self.ahead() {
            return room;
        }
        let part = room % u64::from(self.stream.mss);
        let waits = part > 0 && (self.stream.hosted || !self.stream.at_once && self.holds_short());
        if waits { room - part } else { room }
    }

    /// Lets nothing leave before a time.
    pub(super) fn wait_until(&mut self, time: Time) {
        self.timers.pace_wake = time;
        self.arm_call();
    }

    fn burst(&mut self, now: Time, rack: &mut Rack, room: u64) -> Burst {
        if self.is_paced() && now < self.gate.departs_at {
            return Burst::At(self.gate.departs_at);
        }
        let window = self.gate.window_in_use();
        let rate = self.burst_rate(window, u64::from(rack.segments.out()) * u64::from(self.stream.mss));
        let packet = self.packet_bytes(rate, window);
        if room < packet && (self.stream.held || self.is_worth_waiting(now, rack, room, packet)) {
            self.stream.held = true;
            return Burst::Held { is_full: self.fills_window(rack, packet) };
        }
        let bytes = self.whole(room.min(packet).min(self.ahead()));
        if self.is_paced() {
            if !self.gate.needs.any(Needs::PACING) {
                self.gate.control.pacing = Rate::from_bytes_per_second(rate).min(FAST);
            }
            self.pace(now, bytes);
        }
        Burst::Of(bytes)
    }

    /// True if a packet of at most so many bytes should wait for the next acknowledgement, because the window has no room for all of it.
    /// The last piece waits for more data, unless it ends the stream. Any other piece leaves as soon as all of it may, and all that it
    /// takes of the next piece: what the congestion window has room for.
    // Linux net/ipv4/tcp_output.c: what tcp_tso_should_defer and tcp_grow_skb decide.
    fn is_worth_waiting(&self, now: Time, rack: &Rack, room: u64, packet: u64) -> bool {
        let (left, is_last) = self.stream.first_piece();
        let window = self.gate.window_in_use();
        let fits = if is_last {
            self.stream.stop > self.stream.end && room > left
        } else {
            room >= self.grown(left, self.free(rack), packet)
        };
        let smoothed = self.timers.rtt.smoothed();
        // Paced, the packet before has left when the next one may (tcp_wstamp_ns).
        let left_at = if self.is_paced() { self.gate.departs_at } else { self.timers.sent_at };
        now.since(left_at) <= NEAR
            && !self.stream.at_once
            && room < window.min(self.stream.receive_window) / WINDOW_PARTS
            && !fits
            && self.ahead() > u64::from(self.stream.mss)
            && rack.state < State::Recovery
            && rack
                .segments
                .first()
                .is_some_and(|head| (head.sent_at + smoothed).since(now) < NEAR.min(smoothed / 2))
    }

    /// What of the congestion window is free, in bytes.
    fn free(&self, rack: &Rack) -> u64 {
        let in_flight = u64::from(rack.segments.in_flight()) * u64::from(self.stream.mss);
        self.gate.window_in_use().saturating_sub(in_flight)
    }

    /// The length of a piece of which so many bytes are `left`, before others, when it has taken what the window has room for.
    // Linux net/ipv4/tcp_output.c: tcp_grow_skb, since 6.10.
    fn grown(&self, left: u64, free: u64, packet: u64) -> u64 {
        if self.params.segmentation_offload == Offload::Pieces { left } else { left.max(free.min(packet)) }
    }

    /// True if a packet that waits does so for the congestion window, not for that of the receiver or for more data.
    // Linux net/ipv4/tcp_output.c: how tcp_tso_should_defer sets is_cwnd_limited.
    fn fills_window(&self, rack: &Rack, packet: u64) -> bool {
        let Stream { una, nxt, receive_window, .. } = self.stream;
        let (free, (left, is_last)) = (self.free(rack), self.stream.first_piece());
        let length = if is_last { left } else { self.grown(left, free, packet) };
        nxt + free < una + receive_window && free <= length
    }

    /// True if packets leave with pauses between them as Linux has it, at the rate of a controller that models the path, or of the
    /// transport. Other controllers pace segment by segment.
    #[inline(always)]
    pub(super) fn is_paced(&self) -> bool {
        self.stream.paced
    }

    /// True if what is lost must wait for its turn before it is sent again.
    pub(super) fn paces_repair(&mut self, now: Time) -> bool {
        let waits = self.is_paced() && now < self.gate.departs_at;
        if waits {
            self.wait_until(self.gate.departs_at);
        }
        waits
    }

    /// `bytes` leave together, and nothing more for the time that they take at the pacing rate. Of that, a late start takes half
    /// at most.
    // Linux net/ipv4/tcp_output.c: what tcp_update_skb_after_send computes.
    pub(super) fn pace(&mut self, now: Time, bytes: u64) {
        if !self.is_paced() {
            return;
        }
        let late = now.since(self.gate.departs_at);
        self.gate.departs_at = self.gate.departs_at.max(now);
        let sent =
            (self.stream.max + bytes).div_ceil(u64::from(self.stream.mss)) + self.repair.retransmissions;
        if sent >= UNPACED_SEGMENTS {
            let (rate, nanos) = (self.gate.control.pacing, bytes.saturating_mul(NANOS));
            let whole = nanos.checked_div(rate.bytes_per_second()).unwrap_or(u64::MAX);
            let pause = Duration::from_nanos(if rate >= FAST { 0 } else { whole }).min(self.params.rto_max);
            self.gate.departs_at += pause - late.min(pause / 2);
        }
    }
}
