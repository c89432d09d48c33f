//! The receive buffer as Linux keeps it: it counts the memory of packets, not their bytes, and the window follows from what is free.
//!
//! The simulator's receiver reckons in segments; here a test sees single packets of any size, each with the memory that a packet
//! takes that comes from a TUN device, as in packetdrill's own runs.

use dumbbell_core::{Duration, Time};

use crate::settings::Settings;

// Linux include/net/tcp.h and net/sock.h: TCP_DEFAULT_SCALING_RATIO, TCP_MSS_DEFAULT, TCP_MIN_MSS, TCP_INIT_CWND, SOCK_MIN_RCVBUF.
const RATIO: u8 = 128;
const DEFAULT_SEGMENT: u32 = 536;
const LEAST_SEGMENT: u32 = 88;
const FIRST_SEGMENTS: u32 = 10;
pub const LEAST_BUFFER: u32 = 2_304;
/// The largest window that is not shifted, and the largest shift (RFC 7323 section 2.2).
const UNSCALED: u32 = 65_535;
const MOST_SCALE: u8 = 14;

/// What becomes of a segment before anybody looks at its data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fit {
    /// It fits, or nothing else waits.
    Fits,
    /// It lies beyond the window: it is dropped and acknowledged.
    Beyond,
    /// There is no memory: it is dropped, and the window is closed.
    Full,
}

/// The buffer of one connection. Windows and buffers are in bytes.
// Linux net/ipv4/tcp_input.c and tcp_output.c: what tcp_select_initial_window, tcp_init_buffer_space, tcp_measure_rcv_mss,
// tcp_grow_window, tcp_rcv_space_adjust, __tcp_select_window, tcp_select_window and __tcp_cleanup_rbuf compute (6.18).
#[derive(Clone, Debug)]
pub struct Room {
    /// Memory that packets may take, and that they take now.
    buffer: u32,
    taken: u64,
    /// The program has set it: it does not grow.
    locked: bool,
    grows: bool,
    shrinks: bool,
    most: u32,
    /// Data of a packet as part of its memory, in 256ths.
    ratio: u8,
    /// The largest window that the buffer allows, and the one that may be advertised now.
    clamp: u32,
    threshold: u32,
    /// The window advertised last, and the number from which it counts.
    window: u32,
    from: u64,
    /// The highest number that was ever within a window.
    reach: u64,
    pub scale: u8,
    /// The segment that this end advertises, and the largest that arrived.
    own_segment: u32,
    segment: u32,
    full: bool,
    /// Data read in a round trip, and where and when that began.
    space: u32,
    space_from: u64,
    space_at: Time,
    /// The round-trip time by the time that a window of data takes, and where and when that began.
    rtt: Duration,
    rtt_to: u64,
    rtt_at: Option<Time>,
    /// The latest window came from less than half the buffer: acknowledgements may wait.
    pub pressed: bool,
}

impl Room {
    /// Before the handshake; `set` is what the program has set, doubled.
    pub fn new(settings: &Settings, set: Option<u32>) -> Room {
        let [_, first, most] = settings.receive_buffers();
        let buffer = set.map_or(first, |set| set.max(LEAST_BUFFER));
        Room {
            buffer,
            taken: 0,
            locked: set.is_some(),
            grows: settings.is_on("tcp_moderate_rcvbuf"),
            shrinks: settings.number("tcp_shrink_window", 0) != 0,
            most,
            ratio: RATIO,
            clamp: 0,
            threshold: 0,
            window: 0,
            from: 0,
            reach: 0,
            scale: 0,
            own_segment: 0,
            segment: 0,
            full: false,
            space: 0,
            space_from: 0,
            space_at: Time::ZERO,
            rtt: Duration::ZERO,
            rtt_to: 0,
            rtt_at: None,
            pressed: false,
        }
    }

    /// Bytes of window that so much memory gives.
    fn worth(&self, memory: u64) -> u32 {
        ((memory * u64::from(self.ratio)) >> 8).min(u64::from(u32::MAX)) as u32
    }

    /// The first window, in whole segments of `segment` bytes, and the shift if both ends shift. The window of a SYN is not shifted.
    pub fn open(&mut self, segment: u32, scales: bool) -> u16 {
        self.own_segment = segment;
        let limit = UNSCALED << MOST_SCALE;
        let full = self.worth(self.buffer.into());
        let clamp = if self.locked { full.min(limit) } else { limit };
        let space = clamp.min(full);
        self.window = if space > segment { space / segment * segment } else { space };
        self.scale = if scales {
            let widest = space.max(self.most).min(clamp);
            (widest.max(1).ilog2() as u8).saturating_sub(15).min(MOST_SCALE)
        } else {
            0
        };
        self.clamp = clamp.min(UNSCALED << self.scale);
        self.threshold = self.window;
        self.window.min(UNSCALED) as u16
    }

    /// The other end does not shift.
    pub fn unscaled(&mut self) {
        self.scale = 0;
        self.clamp = self.clamp.min(UNSCALED);
    }

    /// The handshake is over; the peer takes segments of `segment` bytes.
    pub fn establish(&mut self, now: Time, segment: u32) {
        let (full, own) = (self.worth(self.buffer.into()), self.own_segment);
        self.clamp = self.clamp.min(full);
        if self.clamp > 2 * own && self.clamp + own > full {
            self.clamp = (full - own).max(2 * own);
        }
        self.threshold = self.threshold.min(self.clamp);
        self.space = self.threshold.min(self.window).min(FIRST_SEGMENTS * own);
        self.space_at = now;
        let hint = own.min(segment).min(self.window / 2).min(DEFAULT_SEGMENT);
        self.segment = hint.max(LEAST_SEGMENT);
        self.reach = u64::from(self.window);
    }

    /// The largest segment that has arrived.
    pub fn segment(&self) -> u32 {
        self.segment
    }

    /// Segments that are acknowledged at once at first.
    pub fn quick(&self) -> u8 {
        match self.window / (2 * self.segment).max(1) {
            0 => 2,
            n => n.min(u8::MAX.into()) as u8,
        }
    }

    /// True if more than a segment has arrived since the last acknowledgement.
    pub fn is_due(&self, next: u64) -> bool {
        next.saturating_sub(self.from) > u64::from(self.segment)
    }

    /// The window that may be advertised now.
    pub fn threshold(&self) -> u32 {
        self.threshold
    }

    /// The program has set the buffer, doubled.
    pub fn set(&mut self, buffer: u32) {
        (self.buffer, self.locked) = (buffer.max(LEAST_BUFFER), true);
    }

    /// What is left of the window when everything below `next` has arrived.
    fn left(&self, next: u64) -> u32 {
        (self.from + u64::from(self.window)).saturating_sub(next) as u32
    }

    /// Data from `start` to `end` arrives while `next` is expected and `waits` says whether anything is queued; `fin` if the last
    /// number is that of a FIN.
    pub fn fit(&mut self, (start, end, fin): (u64, u64, bool), next: u64, waits: bool) -> Fit {
        let limit = next + u64::from(self.left(next));
        let (reach, data) = (self.reach.max(limit), end - u64::from(fin));
        if start > reach || data > reach && waits {
            return Fit::Beyond;
        }
        // What is next may go beyond a window that shrank, but not into a closed one.
        if data > next && (if start <= next { limit == next } else { start >= limit }) {
            return Fit::Beyond;
        }
        if self.taken > u64::from(self.buffer) && data > next {
            self.relieve();
            if self.taken > u64::from(self.buffer) {
                self.full = true;
                return Fit::Full;
            }
        }
        Fit::Fits
    }

    /// More waits than the buffer takes: it grows to that, if it may.
    // Linux net/ipv4/tcp_input.c: what tcp_clamp_window does.
    fn relieve(&mut self) {
        if self.buffer < self.most && !self.locked {
            self.buffer = self.taken.min(self.most.into()) as u32;
        }
        if self.taken > u64::from(self.buffer) {
            self.threshold = self.threshold.min(self.clamp).min(2 * self.own_segment);
        }
    }

    /// True if the window is about to be closed for want of memory.
    pub fn is_closed(&self) -> bool {
        self.full
    }

    /// A packet with `len` bytes of data is kept that takes `memory`, in segments of `segment`. Returns true if the window grew.
    pub fn keep(
        &mut self,
        now: Time,
        next: u64,
        len: u32,
        memory: u64,
        segment: u32,
        in_order: bool,
    ) -> bool {
        if in_order {
            // Nothing waits, and it is still too large: it is the last.
            self.full = self.taken == 0 && memory > u64::from(self.buffer);
            self.taken += memory;
            self.measure(now, next);
        }
        self.learn(segment.min(len), len, memory);
        let grew = len >= 128 && self.grow(len, memory);
        if !in_order {
            self.taken += memory;
        }
        grew
    }

    /// A segment shows how much data there is to the memory of a packet.
    fn learn(&mut self, segment: u32, len: u32, memory: u64) {
        if segment < self.segment {
            return;
        }
        if segment != self.segment {
            let ratio = ((u64::from(len) << 8) / memory).clamp(1, 255) as u8;
            if std::mem::replace(&mut self.ratio, ratio) != ratio {
                self.set_clamp(self.worth(self.buffer.into()));
                self.space = self.space.min(self.clamp);
            }
        }
        self.segment = segment.min(self.own_segment);
    }

    fn set_clamp(&mut self, clamp: u32) {
        let before = std::mem::replace(&mut self.clamp, clamp.max(LEAST_BUFFER / 2));
        if self.clamp == before {
            return;
        }
        self.threshold = if self.clamp < before {
            self.threshold.min(self.clamp)
        } else {
            self.threshold.max(self.window.min(self.clamp))
        };
    }

    /// What may be advertised grows with each packet that brings much data for its memory.
    fn grow(&mut self, len: u32, memory: u64) -> bool {
        let room = self.clamp.min(self.space_left()).saturating_sub(self.threshold);
        if room == 0 {
            return false;
        }
        let more =
            if self.worth(memory) <= len { 2 * self.own_segment } else { self.grow_slowly(len, memory) };
        if more == 0 {
            return false;
        }
        self.threshold += room.min(more.max(2 * len));
        true
    }

    /// As much as segments like this one allow.
    // Linux net/ipv4/tcp_input.c: what __tcp_grow_window computes.
    fn grow_slowly(&self, len: u32, memory: u64) -> u32 {
        let mut size = self.worth(memory) >> 1;
        let mut window = self.worth(self.most.into()) >> 1;
        while self.threshold <= window {
            if size <= len {
                return 2 * self.segment;
            }
            size >>= 1;
            window >>= 1;
        }
        0
    }

    fn space_left(&self) -> u32 {
        self.worth(u64::from(self.buffer).saturating_sub(self.taken))
    }

    /// The round-trip time by the time that a window of data takes.
    fn measure(&mut self, now: Time, next: u64) {
        if let Some(at) = self.rtt_at {
            if next < self.rtt_to {
                return;
            }
            let sample = now.since(at).max(Duration::from_micros(1));
            self.rtt = if self.rtt.is_zero() { sample } else { self.rtt.min(sample) };
        }
        (self.rtt_to, self.rtt_at) = (next + u64::from(self.window), Some(now));
    }

    /// Data below `next` that took so much memory is not held any more: it was read up to `read`, `bytes` of it just now. True if
    /// the peer should hear of the window at once.
    pub fn release(&mut self, now: Time, memory: u64, bytes: u64, read: u64, next: u64) -> bool {
        self.taken -= memory.min(self.taken);
        self.adjust(now, read, next);
        let left = self.left(next);
        if bytes == 0 || 2 * u64::from(left) > u64::from(self.clamp) {
            return false;
        }
        let window = self.select();
        window > 0 && window >= 2 * left
    }

    /// Once a round trip, the buffer follows what was read in it: twice that, and more if it has grown.
    fn adjust(&mut self, now: Time, read: u64, next: u64) {
        if self.rtt.is_zero() || now.since(self.space_at) < self.rtt {
            return;
        }
        let copied = (read - self.space_from).saturating_sub(next - read).min(u64::from(u32::MAX) / 8) as u32;
        (self.space_from, self.space_at) = (read, now);
        if copied <= self.space {
            return;
        }
        let before = std::mem::replace(&mut self.space, copied);
        if !self.grows || self.locked {
            return;
        }
        let twice = 2 * u64::from(copied);
        let wanted = twice + 2 * (twice * u64::from(copied - before) / u64::from(before.max(1)));
        let buffer = ((wanted << 8) / u64::from(self.ratio)).min(self.most.into()) as u32;
        if buffer > self.buffer {
            self.buffer = buffer;
            self.clamp = self.worth(buffer.into());
        }
    }

    /// The window that the free memory allows.
    fn select(&mut self) -> u32 {
        let mut free = self.space_left();
        let allowed = free;
        let full = self.clamp.min(self.worth(self.buffer.into()));
        let segment = self.segment.min(full);
        let step = 1_u32 << self.scale;
        if segment == 0 {
            return 0;
        }
        let shrinks = self.shrinks && self.scale > 0;
        self.pressed = free < full / 2;
        if shrinks || self.pressed {
            free = free / step * step;
        }
        if self.pressed && (free < allowed / 16 || free < segment || shrinks && free < step) {
            return 0;
        }
        if free > self.threshold {
            free = self.threshold;
            if shrinks {
                return free.next_multiple_of(step);
            }
        }
        if shrinks {
            return free;
        }
        if self.scale > 0 {
            return free.next_multiple_of(step);
        }
        let window = self.window;
        if window <= free.saturating_sub(segment) || window > free {
            free / segment * segment
        } else if segment == full && free > window + full / 2 {
            free
        } else {
            window
        }
    }

    /// True if the window would be smaller than it was.
    pub fn is_shrinking(&mut self) -> bool {
        self.select() < self.window
    }

    /// The window to advertise when everything below `next` has arrived, shifted. What was promised stays.
    pub fn advertise(&mut self, next: u64) -> u16 {
        if std::mem::take(&mut self.full) {
            (self.window, self.from) = (0, next);
            return 0;
        }
        let (left, mut window) = (self.left(next), self.select());
        if window < left && !(self.shrinks && self.scale > 0) {
            window = left.next_multiple_of(1 << self.scale);
        }
        (self.window, self.from) = (window, next);
        self.reach = self.reach.max(next + u64::from(window));
        (window.min(UNSCALED << self.scale) >> self.scale) as u16
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_proto::tcp::memory;

    use super::*;

    const NOW: Time = Time::ZERO;

    /// After a handshake in which the peer takes segments of 1000 bytes.
    fn room(settings: &str, set: Option<u32>, scales: bool) -> (Room, u16) {
        let mut room = Room::new(&Settings::parse(settings), set);
        let first = room.open(1460, scales);
        room.establish(NOW, 1000);
        (room, first)
    }

    /// Takes a packet in order of `len` bytes, made of segments of 1000.
    fn take(room: &mut Room, next: &mut u64, len: u32) {
        assert_eq!(room.fit((*next, *next + u64::from(len), false), *next, *next > 0), Fit::Fits);
        *next += u64::from(len);
        room.keep(NOW, *next, len, memory(u64::from(len) + 40), 1000, true);
    }

    #[test]
    fn the_first_window_is_half_the_buffer_in_whole_segments() {
        // Linux tools/testing/selftests/net/packetdrill: tcp_rcv_toobig, tcp_rcv_wnd_shrink_nomem, tcp_ooo_rcv_mss.
        assert_eq!(room("", Some(40_000), true).1, 18_980);
        let (room_of_a_million, first) = room("", Some(2_000_000), true);
        assert_eq!((first, room_of_a_million.scale), (65_535, 4));
        assert_eq!(room("tcp_rmem=4096 131072 33554432", None, true).0.scale, 10);
        assert_eq!(room("tcp_rmem=4096 131072 33554432", None, false).0.scale, 0);
        assert_eq!(room("tcp_rmem=4096 131072 6291456", None, true).1, 64_240);
    }

    /// Linux net/ipv4/tcp_input.c: tcp_init_buffer_space, by hand. Half the buffer, 3650 and 2900 bytes, is more than two segments of
    /// 1460, or is not.
    #[test]
    fn a_segment_is_kept_back_where_two_are_left() {
        assert_eq!(room("", Some(7_300), true).0.clamp, 2 * 1460);
        assert_eq!(room("", Some(5_800), true).0.clamp, 2_900);
        assert_eq!(room("", Some(40_000), true).0.clamp, 20_000 - 1460);
    }

    /// tcp_clamp_window: 25,088 bytes of memory wait, and the program has set 20,000.
    #[test]
    fn a_full_buffer_leaves_two_segments() {
        let (mut room, _) = room("", Some(20_000), true);
        for _ in 0..2 {
            room.keep(NOW, 0, 9_000, memory(9_040), 1000, false);
        }
        assert!(room.threshold() > 2 * 1460);
        assert_eq!(room.fit((5_000, 6_000, false), 0, true), Fit::Full);
        assert!(room.is_closed());
        assert_eq!(room.threshold(), 2 * 1460);
    }

    /// tcp_event_data_recv: the window grows with packets of 128 bytes and more.
    #[test]
    fn small_packets_do_not_open_the_window() {
        let (mut room, _) = room("tcp_rmem=4096 131072 33554432", None, true);
        // A segment shows how much data there is to the memory of a packet, and makes room.
        assert!(room.keep(NOW, 0, 9_000, memory(9_040), 1000, false));
        assert!(!room.keep(NOW, 0, 127, memory(167), 127, false));
        assert!(room.keep(NOW, 0, 128, memory(168), 128, false));
    }

    #[test]
    fn the_window_follows_the_memory_that_is_free_and_never_shrinks() {
        // tcp_rcv_toobig: 20,000 bytes in 20,736 of 40,000; the buffer shrinks; what is read leaves the window.
        let (mut room, _) = room("", Some(40_000), true);
        let mut next = 0;
        take(&mut room, &mut next, 20_000);
        assert!(room.is_shrinking() && room.pressed);
        assert_eq!(room.advertise(next), 18_000);
        room.set(24_000);
        assert_eq!(room.fit((next, next + 60_000, false), next, true), Fit::Beyond);
        assert_eq!(room.advertise(next), 18_000);
        assert!(!room.release(NOW, memory(20_040), 20_000, next, next));
        assert_eq!(room.fit((next, next + 60_000, false), next, false), Fit::Fits);
        next += 60_000;
        room.keep(NOW, next, 60_000, memory(60_040), 1000, true);
        assert_eq!(room.advertise(next), 0);
    }

    #[test]
    fn a_window_without_shift_is_whole_segments() {
        // tcp_rcv_big_endseq: 4000 bytes take 8448 of 20,000.
        let (mut room, _) = room("", Some(20_000), true);
        let mut next = 0;
        take(&mut room, &mut next, 4_000);
        assert_eq!(room.advertise(next), 5_000);
        assert_eq!(room.fit((5_000, 55_000, false), next, true), Fit::Beyond);
        assert_eq!(room.fit((70_000, 80_000, false), next, false), Fit::Beyond);
    }

    #[test]
    fn a_window_grows_by_twice_what_arrives() {
        // tcp_ooo_rcv_mss: 64,240 and 18,000, rounded up to 1024.
        let (mut room, _) = room("tcp_rmem=4096 131072 33554432", None, true);
        assert!(room.keep(NOW, 0, 9_000, memory(9_040), 1000, false));
        assert_eq!(room.advertise(0), 81);
        room.keep(NOW, 0, 10_000, memory(10_040), 1000, false);
        assert_eq!(room.advertise(0), 81);
    }

    #[test]
    fn a_window_may_shrink_where_that_is_allowed() {
        // tcp_rcv_wnd_shrink_allowed.
        let text = "tcp_shrink_window=1\ntcp_rmem=4096 32768 33554432";
        let (mut room, _) = room(text, None, true);
        let mut next = 0;
        take(&mut room, &mut next, 10_000);
        assert_eq!(room.advertise(next), 15);
        take(&mut room, &mut next, 1_023);
        assert_eq!(room.advertise(next), 13);
        assert_eq!(room.fit((next, 25_361, false), next, true), Fit::Beyond);
        assert_eq!(room.fit((next, 25_360, false), next, true), Fit::Fits);
    }

    #[test]
    fn the_buffer_follows_what_is_read_in_a_round_trip() {
        let (mut room, _) = room("", None, true);
        let (mut next, before) = (0, room.buffer);
        for round in 0..2 {
            let now = Time::ZERO + Duration::from_millis(100) * round;
            for _ in 0..45 {
                next += 1_448;
                room.keep(now, next, 1_448, memory(1_500), 1_448, true);
                room.advertise(next);
                room.release(now, memory(1_500), 1_448, next, next);
            }
        }
        // 45 segments are a window; 14,600 bytes were the measure: the buffer is the largest.
        assert!(room.buffer > 2 * before, "{} {before}", room.buffer);
        let (mut room, before) = (Room { locked: true, ..room }, 40_000);
        room.buffer = before;
        room.release(Time::ZERO + Duration::from_secs(9), 0, 1, next, next);
        assert_eq!(room.buffer, before);
    }
}
