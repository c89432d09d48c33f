//! When a receiver acknowledges, as Linux decides it: each segment at once at first, then every second one, with a delay that
//! follows the gaps between segments; fewer acknowledgements while SACK blocks grow; a window that grows as data is read.

#[cfg(test)]
mod tests;
mod window;
#[cfg(test)]
mod window_tests;

use std::collections::VecDeque;

use dumbbell_core::{Duration, Packet, Time};
use dumbbell_header::TcpHeader;

use super::cheat::Cheating;
use super::params::{DelayedAcks, Params, WindowShare};
use super::rtt::{EIGHTH, passed};
use super::stamps::{STAMP, stamp};
use crate::wheel;

// Linux include/net/tcp.h and net/ipv4/tcp_input.c: TCP_MAX_QUICKACKS, TCP_ATO_MIN, TCP_DELACK_MAX, TCP_FASTRETRANS_THRESH, and
// net.ipv4.tcp_comp_sack_nr, tcp_comp_sack_delay_ns.
const QUICK: u8 = 16;
const LEAST_DELAY: Duration = Duration::from_millis(40);
const MOST_DELAY: Duration = Duration::from_millis(200);
const AT_ONCE: u8 = 3;
const COMPRESSED: u8 = 44;
/// Blocks that acknowledgements surely show, beside the one that changes: TCP_SACK_BLOCKS_EXPECTED.
pub const SHOWN: usize = 2;
/// A segment in order opens the window if it has so many bytes.
// Linux net/ipv4/tcp_input.c: tcp_event_data_recv.
const OPENS: u64 = 128;
const COMPRESSED_FOR: Duration = Duration::from_millis(1);
/// The delay before anything was measured: TCP_TIMEOUT_INIT.
const FIRST_TIMEOUT: Duration = Duration::from_secs(1);
/// Acknowledgements remembered until data answers them; of more, some are passed over.
const REMEMBERED: usize = 1024;

/// An acknowledgement, in eight bytes, since idle connections keep some: how much had arrived, in segments, modulo 2^16, and when
/// it was sent, in nanoseconds modulo 2^48.
#[derive(Clone, Copy, Debug)]
struct Sent(u64);

impl Sent {
    fn new(now: Time, segments: u16) -> Sent {
        Sent(now.as_nanos() << 16 | u64::from(segments))
    }

    fn segments(self) -> u16 {
        self.0 as u16
    }

    /// Time since it was sent, as timestamps show it: in whole milliseconds of both clocks. It is less than the 78 hours after
    /// which the clock wraps.
    fn sample(self, now: Time) -> Duration {
        stamp(now).since(self.stamp(now))
    }

    /// The timestamp that it carried.
    fn stamp(self, now: Time) -> Time {
        stamp(Time::from_nanos(now.as_nanos() - self.age(now).as_nanos()))
    }

    /// Time since it was sent.
    fn age(self, now: Time) -> Duration {
        Duration::from_nanos((now.as_nanos() << 16).wrapping_sub(self.0 & !0xffff) >> 16)
    }
}

/// The answer of a buffer that counts memory to a segment. It replaces the window of `Acks`: sockets of packetdrill have such a
/// buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pressure {
    /// Segments that are acknowledged at once at first, and after a pause: at least 2, at most 16 of them count.
    pub quick: u8,
    /// The window has grown with this segment: one more acknowledgement leaves at once.
    pub grew: bool,
    /// More than a full segment waits for an acknowledgement.
    pub many: bool,
    /// The window would be smaller than it was.
    pub shrinks: bool,
    /// Less than half of the buffer is free: nothing is acknowledged at once for being early.
    pub pressed: bool,
}

/// A number of bytes in half the memory. Windows are smaller than 4 GB.
fn word(bytes: u64) -> u32 {
    bytes.try_into().unwrap_or(u32::MAX)
}

/// What to do about a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Acknowledge now.
    Now,
    /// Acknowledge at this time at the latest.
    By(Time),
}

/// The state of one receiver.
#[derive(Clone, Debug)]
pub struct Acks {
    pub linux: bool,
    compresses: bool,
    /// How much later than its delay a timer of compression ends, in nanoseconds.
    slack: u32,
    segment: u16,
    /// What a full segment takes of the window; at most a segment.
    charge: u16,
    /// Bytes of the headers of a packet; zero once data has shown how much of the buffer it takes.
    headers: u8,
    /// Segments that are still acknowledged one by one.
    quick: u8,
    /// The delay of acknowledgements; zero before the first segment.
    delay: Duration,
    latest: Time,
    /// When the timer of delayed acknowledgements ends, or ended. It runs on when the acknowledgement has left.
    pub timer: Time,
    /// When the SYN-ACK was sent, if it was not answered yet, and the round-trip time that its answer showed.
    answered: Time,
    rtt: Duration,
    /// The round-trip time that data shows, which follows queues: the smallest at once, an eighth of what is above it. In eighths of
    /// a microsecond.
    data_rtt: u32,
    /// The timestamp of the acknowledgement that showed it last, modulo 2^16.
    echo: u16,
    /// A window of data takes a round trip at least: up to where it goes, and when it began; never before the first.
    window_end: u64,
    window_began: Time,
    /// Acknowledgements that no data has answered yet.
    unanswered: VecDeque<Sent>,
    /// How much had arrived when the latest acknowledgement was sent, in segments.
    remembered: u16,
    /// Something is held above what is missing.
    hole: bool,
    /// Duplicates sent for the segment that is missing, and those held back since.
    duplicates: u8,
    held_back: u8,
    /// The number of that segment, modulo 2^32.
    missing: u32,
    /// What arrived twice, if the sender shall know (RFC 2883).
    tells: bool,
    pub twice: Option<(u64, u64)>,
    /// The window, if it grows: what may be advertised now, the most that the buffer allows, and the most of all.
    pub window: u64,
    clamp: u64,
    most: u64,
    grows: bool,
    /// Half of the memory is window. While the buffer has not grown, a segment of it is kept back.
    half: bool,
    keeps: bool,
    /// The highest number that acknowledgements have promised to take, and the latest window, shifted.
    promised: u64,
    told: u16,
    /// What the buffer has room for when the next acknowledgement leaves.
    room: u64,
    scale: u8,
    /// Everything below has arrived.
    next: u64,
    /// Data that arrived in order in the round trip that began at `reviewed`, a whole microsecond, and the most in one before. The
    /// round trip is over at `round_ends`.
    arrived: u32,
    space: u32,
    reviewed: Time,
    round_ends: Time,
    /// Data that the application has not read, if it reads later than data arrives.
    unread: Option<u32>,
    /// What a buffer elsewhere says of the segment in hand.
    pressure: Option<Pressure>,
    /// How the receiver misbehaves, if it does.
    pub(super) cheating: Option<Box<Cheating>>,
    /// The latest segment in order showed that a full one may take the [short way](Acks::full_in_order).
    steady: Steady,
}

/// What the latest segment in order says of the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Steady {
    /// Nothing.
    No,
    /// A full one may take the short way.
    Yes,
    /// It filled a hole, and the application reads after its acknowledgement.
    Fills,
}

impl Acks {
    /// True if the parameters ask for more than a fixed delay.
    pub fn are_wanted(params: &Params, hosted: bool) -> bool {
        let grows = params.initial_receive_window < params.receive_window && !hosted;
        let more = params.dsack || params.sack_compression || params.cheat.is_some();
        params.delayed_acks != DelayedAcks::Fixed || grows || more
    }

    /// What the parameters ask for, with segments of so many bytes. Where the host sets windows (`hosted`) they do not grow by
    /// themselves.
    pub fn new(params: &Params, segment: u64, hosted: bool) -> Box<Acks> {
        let most = params.receive_window.get();
        let first = Acks::first_window(params, segment).filter(|_| !hosted);
        let clamp = Acks::first_buffer(params, segment);
        // Linux net/ipv4/tcp_input.c: what tcp_init_buffer_space keeps back, and begins with.
        let open =
            if first.is_some() { clamp.saturating_sub(segment).max(clamp.min(2 * segment)) } else { clamp };
        let window = open.min(first.unwrap_or(open));
        Box::new(Acks {
            linux: params.delayed_acks == DelayedAcks::Linux,
            // Linux net/ipv4/tcp_input.c: __tcp_ack_snd_check holds nothing back without SACK.
            compresses: params.sack_compression && params.sack,
            slack: params.sack_compression_slack.as_nanos() as u32,
            segment: segment as u16,
            charge: segment as u16,
            headers: params.header() as u8,
            quick: 0,
            delay: Duration::ZERO,
            latest: Time::ZERO,
            timer: Time::ZERO,
            answered: Time::NEVER,
            rtt: Duration::ZERO,
            data_rtt: 0,
            echo: u16::MAX,
            window_end: 0,
            window_began: Time::NEVER,
            unanswered: VecDeque::with_capacity(QUICK as usize),
            remembered: u16::MAX,
            hole: false,
            duplicates: 0,
            held_back: 0,
            missing: 0,
            tells: params.dsack,
            twice: None,
            window,
            clamp,
            most,
            grows: first.is_some(),
            half: params.window_share == WindowShare::Half,
            keeps: params.window_share == WindowShare::Half,
            promised: first.unwrap_or(0),
            told: (first.unwrap_or(0) >> params.scale(most)) as u16,
            room: clamp,
            scale: params.scale(most),
            next: 0,
            arrived: 0,
            space: Acks::first_space(window, segment),
            reviewed: Time::ZERO,
            round_ends: Time::NEVER,
            unread: None,
            pressure: None,
            cheating: params.cheat.as_ref().map(Cheating::new),
            steady: Steady::No,
        })
    }

    /// Sets the answer of a buffer elsewhere to the segment that comes next.
    pub fn set_pressure(&mut self, pressure: Pressure) {
        self.pressure = Some(pressure);
        self.steady = Steady::No;
    }

    /// A SYN-ACK leaves.
    pub fn answered(&mut self, now: Time) {
        self.answered = now;
    }

    /// Something arrived: what answers the SYN-ACK shows the round-trip time, and begins the first round of the window.
    pub fn heard(&mut self, now: Time) {
        let at = std::mem::replace(&mut self.answered, Time::NEVER);
        if at.is_finite() {
            self.rtt = passed(at, now);
            self.begin_round(now);
            // Linux net/ipv4/tcp_minisocks.c: tcp_create_openreq_child sets lrcvtime.
            self.latest = now;
        }
    }

    /// Data arrived whose sender knew of so many segments that they had arrived, modulo 2^16. That tells which acknowledgement was
    /// its latest. (Linux reads the same off the timestamp that data echoes; here data travels one way, and its one timestamp is
    /// its own.)
    // Linux net/ipv4/tcp_input.c: tcp_replace_ts_recent keeps the timestamp of the latest acknowledgement, duplicates too.
    #[inline]
    pub fn echoed(&mut self, now: Time, segments: u16) {
        if self.unanswered.front().is_some_and(|first| segments.wrapping_sub(first.segments()) < 1 << 15) {
            self.take_echo(now, segments);
        }
    }

    #[inline(never)]
    fn take_echo(&mut self, now: Time, segments: u16) {
        // Data that comes instead of a lost acknowledgement of the SYN-ACK shows nothing.
        // Linux net/ipv4/tcp_input.c: tcp_rcv_state_process does not call tcp_rcv_rtt_measure_ts.
        if self.linux && self.answered.is_finite() {
            return;
        }
        let mut sent = None;
        while let Some(first) = self.unanswered.front()
            && segments.wrapping_sub(first.segments()) < 1 << 15
        {
            sent = self.unanswered.pop_front();
        }
        let Some(sent) = sent else { return };
        // Acknowledgements of one tick show one round-trip time.
        let (echo, sample) = ((sent.stamp(now).as_nanos() / STAMP.as_nanos()) as u16, sent.sample(now));
        if std::mem::replace(&mut self.echo, echo) != echo && !sample.is_zero() {
            self.show_rtt(sample, true);
        }
    }

    /// What [`Acks::echoed`], [`Acks::begins`] and [`Acks::in_order`] do about a full segment from `number` that leaves no hole, where
    /// nothing but its time changes what they do. None if there is more to it.
    #[inline(always)]
    pub fn full_in_order(
        &mut self,
        now: Time,
        number: u64,
        next: u64,
        waiting: u32,
        packet: &Packet,
    ) -> Option<Verdict> {
        let segment = u64::from(self.segment);
        let is_short = self.steady == Steady::Yes
            && number == self.next
            && next - number == segment
            && next < self.window_end
            && now.since(self.latest) <= LEAST_DELAY / 2
            && self.window + u64::from(self.charge) >= self.clamp;
        if !is_short {
            return None;
        }
        debug_assert!(!self.hole, "there is no hole");
        self.echoed(now, packet.aux);
        self.next = next;
        self.latest = now;
        self.delay = self.delay / 2 + LEAST_DELAY / 2;
        self.room = self.clamp.saturating_sub(self.charge.into());
        self.arrived = self.arrived.saturating_add(self.segment.into());
        self.review(now, 0);
        if self.quick > 0 || waiting >= 2 {
            return Some(Verdict::Now);
        }
        self.room = self.clamp;
        self.timer = now + self.longest_delay(Duration::ZERO);
        if packet.flags & TcpHeader::PSH != 0 {
            return Some(Verdict::Now);
        }
        Some(Verdict::By(self.timer))
    }

    /// True if the window is all that an acknowledgement needs of this.
    #[inline]
    pub fn is_steady(&self) -> bool {
        self.steady == Steady::Yes && self.twice.is_none()
    }

    /// How long the delayed acknowledgement of Linux takes.
    // Linux net/ipv4/tcp_output.c: what tcp_send_delayed_ack and tcp_delack_max compute.
    #[inline]
    fn longest_delay(&self, tick: Duration) -> Duration {
        let most = if self.delay > LEAST_DELAY && !self.rtt.is_zero() {
            self.rtt.max(LEAST_DELAY).min(MOST_DELAY - tick)
        } else {
            MOST_DELAY - tick
        };
        self.delay.min(most)
    }

    /// Everything below `next` has arrived, and `held` bytes above a hole; `waiting` segments are not acknowledged, this one
    /// counted. Acknowledges `at_once` if the receiver says so; the window `shrinks` if it would be smaller than it was. A segment that
    /// is `pushed`, or not full, is acknowledged when the application has read all there is.
    pub fn in_order(
        &mut self,
        now: Time,
        (next, held): (u64, u64),
        waiting: u32,
        (at_once, shrinks, pushed): (bool, bool, bool),
        params: &Params,
    ) -> Verdict {
        self.heard(now);
        let bytes = next - std::mem::replace(&mut self.next, next);
        self.hole = held > 0;
        if self.linux {
            self.follow(wheel::latest(now, params.timer_tick), params.timer_tick);
        }
        if self.grows && next >= self.window_end {
            self.end_window(now);
        }
        // A window that grows asks for one more acknowledgement than `follow` has granted.
        let weight = if bytes < self.segment.into() { self.weight(bytes, params) } else { bytes };
        if bytes >= OPENS {
            self.grow(self.unread.map_or(weight, u64::from) + held);
        }
        let (mut many, mut shrinks) = (waiting >= 2, shrinks);
        if let Some(pressure) = self.pressure {
            (many, shrinks) = (pressure.many, pressure.shrinks);
            self.press(pressure);
        }
        // The application reads after that: an acknowledgement that leaves at once does not know of it.
        self.room = self.clamp.saturating_sub(self.taken(held + weight));
        if self.grows && (many || bytes > self.segment.into()) {
            self.slow_down();
        }
        let many = many && !shrinks;
        let verdict = if at_once { Verdict::Now } else { self.judge(now, waiting, many, params) };
        let reads = self.linux && self.unread.is_none() && self.pressure.is_none();
        if reads
            && self.grows
            && !at_once
            && verdict == Verdict::Now
            && self.quick == 0
            && self.would_shrink()
        {
            // It leaves when the application has read. The timer of the segment before it goes on.
            // Linux net/ipv4/tcp_input.c: the first question of __tcp_ack_snd_check; net/ipv4/tcp.c: __tcp_cleanup_rbuf.
            self.room = self.clamp.saturating_sub(self.taken(held));
        }
        if held > 0 && self.linux && self.compresses {
            self.fill_in_part(many || self.pressure.is_none() && bytes > u64::from(self.segment));
        }
        if self.unread.is_none() {
            self.read_at_once(now, bytes);
        }
        self.steady = if !(reads && self.grows) {
            Steady::No
        } else if at_once {
            Steady::Fills
        } else if self.cheating.is_none() && params.timer_tick.is_zero() {
            Steady::Yes
        } else {
            Steady::No
        };
        let Verdict::By(at) = verdict else { return verdict };
        self.room = self.clamp.saturating_sub(self.taken(held));
        // Linux net/ipv4/tcp_input.c: tcp_measure_rcv_mss takes what is not full for the end of a write, as it does PSH;
        // net/ipv4/tcp.c: what __tcp_cleanup_rbuf does about ICSK_ACK_PUSHED.
        let pushed = pushed || bytes < u64::from(self.segment);
        if self.linux {
            self.timer = at;
        }
        // The timer has begun before the application reads.
        if pushed && held == 0 && reads { Verdict::Now } else { verdict }
    }

    /// A segment filled a hole and left another, and is acknowledged at once. It counts as the first duplicate for what is missing
    /// now, unless it leaves early for another reason: early acknowledgements are not used up, or there are `many` segments and the
    /// window does not shrink.
    // Linux net/ipv4/tcp_input.c: the order of questions in __tcp_ack_snd_check.
    #[cold]
    fn fill_in_part(&mut self, many: bool) {
        let shrinks = self.grows && self.would_shrink();
        if self.quick > 0 || many && !shrinks || self.held_back >= COMPRESSED {
            return;
        }
        (self.missing, self.duplicates, self.held_back) = (self.next as u32, 1, 0);
    }

    /// True if an acknowledgement now would advertise a smaller window than the latest.
    fn would_shrink(&self) -> bool {
        let window = self.room.min(self.window).next_multiple_of(1 << self.scale);
        window < u64::from(self.told) << self.scale
    }

    /// A delayed acknowledgement that is due up to then leaves when another segment would be delayed.
    // Linux net/ipv4/tcp_output.c: tcp_send_delayed_ack compares with a quarter of the delay.
    #[cold]
    pub fn soon(&self, now: Time, tick: Duration) -> Time {
        // The timer ends a tick after the time for which it was set.
        wheel::latest(wheel::latest(now, tick) + self.longest_delay(tick) / 4, tick) + tick
    }

    /// Acknowledges a segment in order now, or later: now if there are `many` and the window does not shrink.
    fn judge(&self, now: Time, waiting: u32, many: bool, params: &Params) -> Verdict {
        if !self.linux {
            let now_due = waiting >= params.ack_every;
            return if now_due { Verdict::Now } else { Verdict::By(Acks::delayed(now, params)) };
        }
        if self.quick > 0 || many {
            return Verdict::Now;
        }
        Verdict::By(wheel::due(now, self.longest_delay(params.timer_tick), params.timer_tick))
    }

    /// Acknowledgements leave at once or wait, as the buffer elsewhere has it.
    #[cold]
    fn press(&mut self, pressure: Pressure) {
        self.quick |= u8::from(pressure.grew);
        if pressure.many && pressure.pressed {
            self.quick = 0;
        }
    }

    /// A segment in order begins at `number`, which may lie below what is expected.
    #[inline]
    pub fn begins(&mut self, number: u64) {
        if number < self.next && self.tells {
            self.twice = Some((number, self.next));
        }
    }

    /// Another segment arrives: the sender does not hear any more of what arrived twice before it.
    // Linux net/ipv4/tcp_input.c: tcp_data_queue clears `dsack` first.
    #[inline]
    pub fn forget_twice(&mut self) {
        if self.linux {
            self.twice = None;
        }
    }

    /// Data arrived that was there: the sender hears of the first range of it, and of what touches that (RFC 2883).
    // Linux net/ipv4/tcp_input.c: what tcp_dsack_extend does.
    #[cold]
    pub fn repeat(&mut self, (start, end): (u64, u64)) {
        if !self.tells {
            return;
        }
        match &mut self.twice {
            None => self.twice = Some((start, end)),
            Some(twice) if start <= twice.1 && twice.0 <= end => {
                *twice = (twice.0.min(start), twice.1.max(end));
            }
            Some(_) => {}
        }
    }

    /// When a segment that arrives now is acknowledged at the latest, in a host other than Linux.
    fn delayed(now: Time, params: &Params) -> Time {
        let delay = params.ack_delay;
        // Acknowledgements that wait leave together.
        if params.delayed_acks != DelayedAcks::Ticks || delay.is_zero() {
            return now + delay;
        }
        Time::ZERO + delay * (now.as_nanos() / delay.as_nanos() + 1)
    }

    /// The delay follows the gap before a segment. It is held in whole ticks.
    // Linux net/ipv4/tcp_input.c: what tcp_event_data_recv computes.
    fn follow(&mut self, now: Time, tick: Duration) {
        let gap = now.since(self.latest);
        self.latest = now;
        let half = wheel::latest(Time::ZERO + self.delay / 2, tick).since(Time::ZERO);
        if self.delay.is_zero() {
            self.quicken(QUICK);
            self.delay = LEAST_DELAY;
        } else if gap <= LEAST_DELAY / 2 {
            self.delay = half + LEAST_DELAY / 2;
        } else if gap < self.delay {
            self.delay = (half + gap).min(MOST_DELAY);
        } else if gap > self.timeout(tick) {
            self.quicken(QUICK);
        }
    }

    /// Up to so many acknowledgements leave at once, if the window takes twice as many segments.
    // Linux net/ipv4/tcp_input.c: what tcp_incr_quickack computes.
    fn quicken(&mut self, most: u8) {
        let own = || (self.window / (2 * u64::from(self.segment))).min(QUICK.into()) as u8;
        let quick = self.pressure.map_or_else(own, |pressure| pressure.quick);
        self.quick = self.quick.max(if quick == 0 { 2 } else { quick }.min(most));
    }

    /// A mark arrived, or a segment that cannot be marked: two acknowledgements leave at once, since the window of the sender may be
    /// small.
    // Linux net/ipv4/tcp_input.c: __tcp_ecn_check_ce and tcp_enter_quickack_mode.
    #[cold]
    pub fn marked(&mut self) {
        if self.linux {
            self.quicken(2);
            // The first data sets it.
            self.delay = self.delay.min(LEAST_DELAY);
        }
    }

    /// The timeout of this end's retransmissions, which bounds delays: it has measured the handshake.
    // Linux net/ipv4/tcp_input.c: tcp_rtt_estimator takes twice the first time for its deviation, and 200 ms at least.
    fn timeout(&self, tick: Duration) -> Duration {
        let measured = self.rtt + (self.rtt * 2).max(MOST_DELAY);
        wheel::rounded_up(if self.rtt.is_zero() { FIRST_TIMEOUT } else { measured }, tick)
    }

    /// A segment arrived that is not the next, `number` to `end`, while `next` is expected; the receiver holds it already if
    /// `known`, and has `held` bytes above the hole with it. It `pushes_out` a block that no acknowledgement may have shown if it
    /// changes none of the latest: then, with Linux, an acknowledgement of what was before it leaves, and `held` is without it. Says
    /// when to acknowledge; now, if the segment asks for that `at_once`, and then it is no duplicate.
    // Linux net/ipv4/tcp_input.c: the first question of __tcp_ack_snd_check.
    pub fn unexpected(
        &mut self,
        now: Time,
        (number, end): (u64, u64),
        (next, held): (u64, u64),
        (known, pushes_out, at_once): (bool, bool, bool),
    ) -> Verdict {
        self.heard(now);
        let old = number < next;
        if self.tells && (old || known) {
            self.twice = Some((number, if old { end.min(next) } else { end }));
        }
        if old || known && !self.linux {
            if self.linux {
                // Linux net/ipv4/tcp_input.c: tcp_enter_quickack_mode, for what tcp_data_queue finds old.
                self.quicken(QUICK);
                self.delay = self.delay.min(LEAST_DELAY);
            }
            return Verdict::Now;
        }
        self.hole = true;
        self.room = self.clamp.saturating_sub(self.taken(held));
        if self.linux && pushes_out {
            // Linux net/ipv4/tcp_input.c: tcp_sack_new_ofo_skb sends it before the window grows. Then nothing is due, and
            // tcp_ack_snd_check does not look at the segment.
            return Verdict::Now;
        }
        // The window opens here, too, and asks for one more acknowledgement at once. The segment takes no room yet.
        // Linux net/ipv4/tcp_input.c: tcp_data_queue_ofo charges it after tcp_grow_window.
        if !known {
            self.grow(self.unread.map_or(0, u64::from) + held.saturating_sub(end - number));
        }
        if !self.compresses || self.linux && (self.quick > 0 || at_once) {
            return Verdict::Now;
        }
        if self.missing != next as u32 {
            self.missing = next as u32;
            (self.duplicates, self.held_back) = (0, 0);
        }
        if self.duplicates < AT_ONCE {
            self.duplicates += 1;
            return Verdict::Now;
        }
        self.held_back += 1;
        if self.held_back > COMPRESSED || pushes_out && self.held_back > 1 {
            return Verdict::Now;
        }
        // Before data shows a round-trip time, Linux takes it for zero.
        let data_rtt = Duration::from_nanos(u64::from(self.data_rtt) * EIGHTH);
        let measured = if self.rtt.is_zero() { data_rtt } else { data_rtt.min(self.rtt) };
        let rtt = if self.linux { measured } else { data_rtt.min(self.rtt) };
        let unknown = rtt.is_zero() && !self.linux;
        let pause = if unknown { COMPRESSED_FOR } else { COMPRESSED_FOR.min(rtt / 20) };
        Verdict::By(now + pause + Duration::from_nanos(self.slack.into()))
    }

    /// True if acknowledgements are held back.
    pub fn holds_back(&self) -> bool {
        self.held_back > 0
    }

    /// An acknowledgement leaves with the timestamp `now`, when so many bytes have `arrived`, in order or above a hole.
    #[inline]
    pub fn sent(&mut self, now: Time, arrived: u64) {
        let segments = (arrived / u64::from(self.segment)) as u16;
        // Data that answers duplicates without news cannot tell which: the first one counts.
        let repeats = std::mem::replace(&mut self.remembered, segments) == segments && self.hole;
        if self.linux && !repeats && self.unanswered.len() < REMEMBERED {
            self.unanswered.push_back(Sent::new(now, segments));
        }
        self.held_back = 0;
        if self.quick > 0 {
            self.quick -= 1;
            if self.quick == 0 {
                self.delay = LEAST_DELAY;
            }
        }
    }

    /// A delayed acknowledgement had to leave without a second segment: the next waits longer.
    // Linux net/ipv4/tcp_timer.c: what tcp_delack_timer_handler does about `ato`.
    pub fn expired(&mut self, tick: Duration) {
        if self.linux {
            self.delay = (self.delay * 2).min(self.timeout(tick)).min(MOST_DELAY);
        }
    }
}
