//! The window of a receiver that grows as data is read, with the memory that packets take.

use dumbbell_core::{Duration, Time};

use super::{Acks, Steady, word};
use crate::tcp::memory::{HEAD, HEADERS, SHARED, memory};
use crate::tcp::params::Params;
use crate::tcp::rtt::{microseconds, passed};
use crate::wheel;

/// Data as a part of the memory that it takes, in 256ths, until the first segment shows it: TCP_DEFAULT_SCALING_RATIO. Segments
/// below TCP_MSS_DEFAULT show nothing.
const SHARE: u64 = 128;
const SHOWING: u64 = 536;
/// Where half of the memory is window, what a buffer grows by for a segment is raised in these steps.
const STEP: u64 = 128;
/// Data read in a round trip before the window first grows: ten segments.
const FIRST_SPACE: u64 = 10;
/// Segments for which the window has room beyond twice what was read in a round trip. (Linux up to 6.15; 6.18 has none.)
const CUSHION: u64 = 16;
/// The clock of Linux.
const MICROSECOND: Duration = Duration::from_micros(1);

impl Acks {
    /// The first buffer: a segment fits (Linux include/net/sock.h: SOCK_MIN_RCVBUF), unless that is more than the largest.
    pub(super) fn first_buffer(params: &Params, segment: u64) -> u64 {
        params.initial_receive_window.get().max(segment).min(params.receive_window.get())
    }

    /// What counts at first as read in a round trip.
    pub(super) fn first_space(window: u64, segment: u64) -> u32 {
        word(window.min(FIRST_SPACE * segment))
    }

    /// The first window, if windows grow: whole segments (RFC 9293 section 3.8.6.2.2).
    pub fn first_window(params: &Params, segment: u64) -> Option<u64> {
        let first = Acks::first_buffer(params, segment);
        (first < params.receive_window.get()).then(|| first / segment * segment)
    }

    /// The buffer that the window is reckoned from, if it grows.
    pub fn buffer(&self) -> Option<u64> {
        self.grows.then_some(self.clamp)
    }

    /// The application has read so many bytes, and `unread` wait. It may read later than data arrives.
    #[cold]
    pub fn read(&mut self, now: Time, bytes: u64, unread: u64) {
        self.unread = Some(word(unread));
        self.steady = Steady::No;
        if self.grows {
            self.arrived = self.arrived.saturating_add(word(bytes));
            self.review(now, unread);
        }
    }

    /// The bytes of a full segment that take as much memory as this short one.
    #[cold]
    pub(super) fn weight(&self, bytes: u64, params: &Params) -> u64 {
        let (segment, headers) = (u64::from(self.segment), u64::from(params.header()));
        if self.charge == self.segment {
            return bytes;
        }
        let charge = u64::from(self.charge);
        // Rounded up, so that what it takes of the window is what its memory does.
        (charge * memory(bytes + headers) / memory(segment + headers) * segment).div_ceil(charge)
    }

    /// Room in the window for so many bytes in full segments.
    // Linux include/net/tcp.h: tcp_space, with memory in whole packets and the ratio of tcp_measure_rcv_mss in 256ths.
    #[inline]
    pub(super) fn taken(&self, bytes: u64) -> u64 {
        if self.charge == self.segment {
            return bytes;
        }
        bytes * u64::from(self.charge) / u64::from(self.segment)
    }

    /// A window of data has arrived since the last one: where timestamps show nothing, that shows a round-trip time.
    // Linux net/ipv4/tcp_input.c: what tcp_rcv_rtt_measure takes.
    #[cold]
    #[inline(never)]
    pub(super) fn end_window(&mut self, now: Time) {
        self.window_end = self.next + (u64::from(self.told) << self.scale);
        let began = std::mem::replace(&mut self.window_began, now);
        if began.is_finite() {
            self.show_rtt(passed(began, now), false);
        }
    }

    /// A round trip took so long: less than any before, or one more for a mean that `follows`.
    // Linux net/ipv4/tcp_input.c: tcp_rcv_rtt_update.
    pub(super) fn show_rtt(&mut self, sample: Duration, follows: bool) {
        let sample = word(microseconds(sample));
        let eighths = sample.saturating_mul(8);
        if self.data_rtt == 0 || eighths < self.data_rtt {
            self.data_rtt = eighths;
        } else if follows {
            self.data_rtt = (self.data_rtt - self.data_rtt / 8).saturating_add(sample);
        }
        self.begin_round(self.reviewed);
    }

    /// The round trip of what is read begins, or began, at a time.
    pub(super) fn begin_round(&mut self, at: Time) {
        self.reviewed = wheel::latest(at, MICROSECOND);
        let lasts = MICROSECOND * u64::from(self.data_rtt / 8);
        self.round_ends = if self.data_rtt == 0 { Time::NEVER } else { self.reviewed + lasts };
    }

    /// The window opens with each segment, up to what the buffer has room for beside `taken` bytes that wait in it.
    // Linux net/ipv4/tcp_input.c: what tcp_grow_window computes, with segments that take less than twice their size of memory.
    #[inline]
    pub(super) fn grow(&mut self, taken: u64) {
        if !self.grows {
            return;
        }
        if self.headers > 0 {
            self.show_size();
        }
        let mut most = self.clamp.saturating_sub(self.taken(taken));
        if self.keeps {
            most = most.min(self.clamp.saturating_sub(self.segment.into()));
        }
        if self.window < most {
            self.window = (self.window + 2 * u64::from(self.segment)).min(most);
            self.quick |= 1;
        }
    }

    /// The first data shows how much of the buffer segments take.
    #[cold]
    #[inline(never)]
    fn show_size(&mut self) {
        let segment = u64::from(self.segment);
        let packet = memory(segment + u64::from(std::mem::take(&mut self.headers)));
        let share = if segment < SHOWING || self.half { SHARE } else { (segment << 8) / packet };
        if self.linux && segment >= SHOWING {
            // Of small packets, Linux puts several into the memory of one.
            self.charge = ((packet * share) >> 8).min(segment) as u16;
        }
        self.clamp = (self.clamp * share / SHARE).max(segment).min(self.most);
        self.space = self.space.min(word(self.clamp));
    }

    /// The buffer follows what is read in a round trip: twice that, and more if it has grown. The segment that closes a hole is read
    /// first, and while what was held waits it counts little.
    #[inline]
    pub(super) fn read_at_once(&mut self, now: Time, bytes: u64) {
        if self.grows {
            let rest = bytes.saturating_sub(self.segment.into());
            self.arrived = self.arrived.saturating_add(word(bytes - rest));
            self.review(now, rest);
            self.arrived = self.arrived.saturating_add(word(rest));
        }
    }

    /// Looks whether a round trip is over, by a clock of whole microseconds. It lasts as long as round trips take now: where a queue
    /// grows, longer than when it began.
    // Linux net/ipv4/tcp_input.c: the first question of tcp_rcv_space_adjust.
    #[inline]
    pub(super) fn review(&mut self, now: Time, unread: u64) {
        if now >= self.round_ends {
            self.end_round(now, unread);
        }
    }

    /// A round trip is over.
    #[inline(never)]
    pub(super) fn end_round(&mut self, now: Time, unread: u64) {
        let unread = if self.half { 0 } else { unread };
        let (read, before) = (u64::from(self.arrived).saturating_sub(unread), u64::from(self.space));
        if read > before {
            // Linux net/ipv4/tcp_input.c: what tcp_rcv_space_adjust computes.
            let steady = 2 * read + CUSHION * u64::from(self.segment);
            let mut wanted = steady + 2 * (steady * (read - before) / before);
            if self.half {
                wanted = wanted / u64::from(self.segment) * Acks::half_of_segment(self.segment.into());
            }
            self.keeps &= wanted <= self.clamp;
            self.clamp = self.clamp.max(wanted.min(self.most));
            self.space = word(read);
        }
        self.arrived = 0;
        self.begin_round(now);
    }

    /// Half the memory by which a buffer grows for a segment, which is at least a segment.
    // Linux 6.1 net/ipv4/tcp_input.c: what tcp_rcv_space_adjust takes for `rcvmem`.
    fn half_of_segment(segment: u64) -> u64 {
        let memory = segment + HEADERS + HEAD + SHARED;
        (memory + (2 * segment).saturating_sub(memory).next_multiple_of(STEP)) / 2
    }

    /// The application has read what filled a hole, now that this is acknowledged. True if the window is at least twice what was
    /// advertised, and the sender hears of it at once. `held` bytes wait beyond another hole.
    // Linux net/ipv4/tcp.c: the end of __tcp_cleanup_rbuf.
    pub fn reopens(&mut self, next: u64, held: u64) -> bool {
        if self.steady != Steady::Fills {
            return false;
        }
        self.steady = Steady::No;
        let room = self.clamp.saturating_sub(self.taken(held));
        let (now, window) = (self.promised.saturating_sub(next), room.min(self.window));
        let tells =
            window > 0 && 2 * now <= self.clamp && window.next_multiple_of(1 << self.scale) >= 2 * now;
        if tells {
            self.room = room;
        }
        tells
    }

    /// A probe asks for the window: by now the application has read what the latest acknowledgement did not know of.
    #[cold]
    pub fn probed(&mut self, held: u64) {
        self.room = self.clamp.saturating_sub(self.taken(held));
    }

    /// Ends quick acknowledgements if less than half of the buffer is free. It comes with each look at the window.
    // Linux net/ipv4/tcp_output.c: __tcp_select_window; net/ipv4/tcp_input.c: __tcp_ack_snd_check asks where two segments wait.
    pub(super) fn slow_down(&mut self) {
        if self.linux && self.room < self.clamp / 2 {
            self.quick = 0;
        }
    }

    /// The window to advertise, shifted, when everything below `next` has arrived; `last` if windows do not grow. It is what the
    /// buffer has room for, rounded up, and takes nothing back that was promised (RFC 7323 section 2.4).
    // Linux net/ipv4/tcp_output.c: what __tcp_select_window and tcp_select_window compute.
    #[inline]
    pub fn advertise(&mut self, last: u16, next: u64) -> u16 {
        if !self.grows {
            return last;
        }
        self.slow_down();
        self.promised = self.promised.max(next + self.room.min(self.window));
        let shifted = (self.promised - next + (1 << self.scale) - 1) >> self.scale;
        let shifted = shifted.min(u64::from(u16::MAX));
        self.promised = self.promised.max(next + (shifted << self.scale));
        self.told = shifted as u16;
        self.told
    }
}
