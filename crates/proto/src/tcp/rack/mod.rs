//! Loss detection by time (RFC 8985: RACK and the tail loss probe), the states of a sender that repairs losses by it,
//! and what it takes back when a loss was none (Eifel, D-SACK, F-RTO), as Linux has them.

pub mod prr;
mod segments;
#[cfg(test)]
mod tests;

use dumbbell_core::{Duration, Packet, Time};
use dumbbell_header::TcpHeader;

use self::prr::Prr;
use self::segments::{Gone, Segments};
use super::account::Account;
use super::rtt::{microseconds, passed};
use super::stamps::stamp;

/// What is added to a time that a timer waits for, so that it does not come too early.
// Linux include/net/tcp.h: TCP_TIMEOUT_MIN, two ticks.
pub const SLACK: Duration = Duration::from_millis(2);
/// Segments held above a missing one that show a loss while no reordering was seen (RFC 8985 section 6.2 step 4: DupThresh).
pub const DUPLICATES: u32 = 3;
/// The largest distance, in segments, by which reordering is remembered.
// Linux net.ipv4.tcp_max_reordering.
const MOST_REORDERING: u32 = 300;
/// Recoveries for which a wider reordering window is kept (RFC 8985 section 6.2 step 4).
pub const KEPT_FOR: u8 = 16;

/// What a sender is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum State {
    /// Nothing is amiss.
    Open,
    /// The receiver holds segments above a missing one, or something sent again is out.
    Disorder,
    /// Marks of routers lower the window.
    Reduced,
    /// Losses are repaired.
    Recovery,
    /// The timer expired.
    Loss,
}

/// What the timer is for: there is one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Timer {
    /// Retransmission.
    Retransmission,
    /// Segments that become old enough to be lost.
    Reordering,
    /// A tail loss probe.
    Probe,
    /// A probe of a window that is closed.
    Persist,
}

/// What a probe sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Probe {
    None,
    /// Of the tail: new data, or what was sent last.
    Due,
    /// Of a window too small for a segment: what fits.
    Part,
}

/// What was cut, so that it can be taken back.
#[derive(Clone, Copy, Debug, Default)]
pub struct Undo {
    /// True if there is something to take back.
    pub possible: bool,
    /// The lowest number not acknowledged at the cut.
    pub marker: u64,
    /// Segments sent again that were not shown to be needless; negative before the first.
    pub resent: i64,
    /// Window and threshold before the cut, in bytes; a threshold of zero restores nothing.
    pub window: u64,
    pub threshold: u64,
    /// When the first segment of the episode was sent again; never if none was.
    pub since: Option<Time>,
}

/// When the window, rather than the application, limits the sender (RFC 7661 in the form that Linux gives it).
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    pub limited: bool,
    /// The most segments out in this window.
    pub most: u32,
    /// The window ends when this is acknowledged.
    pub until: u64,
    /// The same since the window last was the limit.
    pub used: u32,
    pub since: Time,
}

/// What loss detection by time keeps.
#[derive(Clone, Debug)]
pub struct Rack {
    pub segments: Segments,
    pub state: State,
    /// The end of what was sent when the state was entered.
    pub high: u64,
    /// When the segment was sent last that was sent last of those delivered, and its end (RFC 8985 section 5.2).
    pub point: (Time, u64),
    /// Its round-trip time.
    pub rtt: Duration,
    /// True if that is news.
    pub advanced: bool,
    /// Widens the reordering window: quarters of the smallest round-trip time.
    pub steps: u8,
    /// Recoveries for which that is kept.
    pub kept_for: u8,
    /// A D-SACK came.
    pub duplicate_seen: bool,
    /// Segments delivered when the window was last widened.
    pub widened_at: u32,
    /// How often reordering was seen.
    pub reorderings: u32,
    /// By how many segments.
    pub reordering: u32,
    /// One past the highest byte that the receiver holds.
    pub highest_held: u64,
    /// Segments delivered.
    pub delivered: u32,
    /// Segments found lost.
    pub found: u64,
    pub timer: Timer,
    pub probe: Probe,
    /// The end of what was sent when a probe left; 0 without a probe.
    pub probe_end: u64,
    /// True if the probe was old data.
    pub probe_resent: bool,
    pub prr: Prr,
    pub undo: Undo,
    /// F-RTO has yet to find whether the timeout was spurious (RFC 5682).
    pub frto: bool,
    /// Timeouts since something was acknowledged, or probes of a closed window.
    pub timeouts: u32,
    pub usage: Usage,
    /// Segments known to have arrived, modulo 2^16: what segments tell the receiver. See `Acks::echoed`.
    pub arrived: u16,
    /// New data left since the probe timer was last armed.
    pub sent_new: bool,
    /// What is lost may be sent again.
    pub repairing: bool,
    /// Segments of a packet of lost ones that have yet to leave with the first.
    pub rest: u8,
    /// Segments that arrived twice.
    pub duplicates_seen: u64,
    /// The deviation of round-trip times is reviewed when more than this is acknowledged.
    pub rtt_until: u64,
    /// The SACK blocks of the latest acknowledgement.
    pub blocks: [(u64, u64); 3],
}

impl Rack {
    /// True if an acknowledgement brings new data in order, and nothing is held, lost or probed for.
    #[inline]
    pub fn is_plain(&self, packet: &Packet) -> bool {
        self.state == State::Open
            && self.segments.are_plain()
            && self.probe_end == 0
            && packet.body[2] == 0
            && packet.flags & TcpHeader::ECE == 0
            && self.segments.first().is_some_and(|head| head.end <= packet.body[0])
    }

    /// Takes in a [plain](Rack::is_plain) acknowledgement: returns what it acknowledges.
    #[inline]
    pub fn advance(&mut self, now: Time, ack: u64, mss: u64) -> Option<Gone> {
        let gone = self.segments.pop_plain(ack)?;
        self.delivered += gone.count;
        self.advanced = true;
        self.rtt = passed(gone.last_sent_at, now);
        self.point = self.point.max((gone.last_sent_at, gone.end));
        if gone.start < self.highest_held {
            self.note_reordering(gone.start, mss);
        }
        self.highest_held = ack;
        Some(gone)
    }

    /// Bytes in the network, in segments of `mss` bytes.
    pub fn flight(&self, mss: u32) -> u64 {
        u64::from(self.segments.in_flight()) * u64::from(mss)
    }

    /// Segments that may be sent within a window of `window` segments.
    pub fn room(&self, window: u32) -> u32 {
        window.saturating_sub(self.segments.in_flight())
    }

    /// Before anything is sent.
    pub fn new() -> Rack {
        Rack {
            segments: Segments::default(),
            state: State::Open,
            high: 0,
            point: (Time::ZERO, 0),
            rtt: Duration::ZERO,
            advanced: false,
            steps: 1,
            kept_for: 0,
            duplicate_seen: false,
            widened_at: 0,
            reorderings: 0,
            reordering: DUPLICATES,
            highest_held: 0,
            delivered: 0,
            found: 0,
            timer: Timer::Retransmission,
            probe: Probe::None,
            probe_end: 0,
            probe_resent: false,
            prr: Prr::default(),
            undo: Undo::default(),
            frto: false,
            timeouts: 0,
            usage: Usage::default(),
            arrived: 0,
            sent_new: false,
            rest: 0,
            repairing: false,
            duplicates_seen: 0,
            rtt_until: 0,
            blocks: [(0, 0); 3],
        }
    }

    /// True if something that was sent again is out, or is the first that is missing.
    pub fn has_resent(&self) -> bool {
        self.segments.resent() > 0 || self.segments.first().is_some_and(|s| s.was_resent())
    }

    /// True while the transport, not the controller, moves the window.
    pub fn is_reducing(&self) -> bool {
        matches!(self.state, State::Reduced | State::Recovery)
    }

    /// A segment sent at `sent_at` was delivered at `now` (RFC 8985 section 6.2 step 2). What was sent again and comes back
    /// sooner than anything did belongs to the first sending, as does what echoes an older timestamp.
    #[inline]
    pub fn delivered_one(
        &mut self,
        now: Time,
        segment: &segments::Segment,
        min_rtt: Duration,
        echo: Option<Time>,
    ) {
        let rtt = passed(segment.sent_at, now);
        let old_echo = || echo.is_some_and(|echo| stamp(echo) < stamp(segment.sent_at));
        if segment.was_resent() && (rtt < min_rtt || old_echo()) {
            return;
        }
        self.advanced = true;
        self.rtt = rtt;
        self.point = self.point.max((segment.sent_at, segment.end));
    }

    /// How much later than others a segment may arrive (RFC 8985 section 6.2 step 4), in whole microseconds.
    // Linux net/ipv4/tcp_recovery.c: tcp_rack_reo_wnd.
    pub fn reordering_window(&self, min_rtt: Duration, smoothed: Duration) -> Duration {
        let repairs = self.state >= State::Recovery;
        if self.reorderings == 0 && (repairs || self.segments.held() >= self.reordering) {
            return Duration::ZERO;
        }
        let step = microseconds(min_rtt) / 4;
        Duration::from_micros((step * u64::from(self.steps)).min(microseconds(smoothed)))
    }

    /// Finds what is lost (RFC 8985 section 6.2 step 5) by a clock of whole microseconds, and notes it in the account. Returns how long
    /// the others may take.
    // Linux net/ipv4/tcp_recovery.c: tcp_rack_skb_timeout.
    pub fn detect(
        &mut self,
        now: Time,
        window: Duration,
        mss: u32,
        account: &mut Option<Box<Account>>,
    ) -> Option<Duration> {
        let now_us = now.as_nanos() / 1000;
        let limit = microseconds(self.rtt + window);
        // What was sent before this has taken the limit, or longer.
        let young = Time::from_nanos((now_us + 1).saturating_sub(limit) * 1000);
        let mut longest = None;
        let mut next = self.segments.first_sent();
        while let Some(id) = next {
            next = self.segments.sent_after(id);
            let segment = self.segments.get(id);
            if (segment.sent_at, segment.end) >= self.point {
                break;
            }
            if segment.sent_at < young {
                self.lose(id, mss, account);
            } else {
                let left = limit + segment.sent_at.as_nanos() / 1000 - now_us;
                longest = longest.max(Some(Duration::from_micros(left)));
            }
        }
        longest
    }

    /// Takes a segment for lost, and notes it in the account.
    pub fn lose(&mut self, id: u32, mss: u32, account: &mut Option<Box<Account>>) {
        if !self.segments.lose(id) {
            return;
        }
        self.found += 1;
        if let Some(account) = account {
            let segment = self.segments.get(id);
            account.found_lost((segment.start, segment.end), mss.into());
        }
    }

    /// Adapts the reordering window to D-SACKs, once a round trip (RFC 8985 section 6.2 step 4); `prior` are the segments
    /// delivered when the newest of those acknowledged was sent.
    pub fn adapt(&mut self, prior: u32) {
        if self.duplicate_seen && prior >= self.widened_at {
            self.duplicate_seen = false;
            self.steps = self.steps.saturating_add(1);
            self.widened_at = self.delivered;
            self.kept_for = KEPT_FOR;
        } else if self.kept_for == 0 {
            self.steps = 1;
        }
        if prior < self.widened_at {
            self.duplicate_seen = false;
        }
    }

    /// A segment that was sent once, beginning at `start`, arrived though higher ones were held: reordering
    /// (RFC 8985 section 6.2 step 3).
    pub fn note_reordering(&mut self, start: u64, mss: u64) {
        if start >= self.highest_held {
            return;
        }
        let distance = (self.highest_held - start).div_ceil(mss).min(u64::from(MOST_REORDERING)) as u32;
        self.reordering = self.reordering.max(distance);
        self.reorderings += 1;
    }

    /// Begins to keep what a cut may have to take back.
    pub fn keep_for_undo(&mut self, una: u64) {
        let probing = u32::from(self.probe_end > 0 && self.probe_resent);
        self.undo.possible = true;
        self.undo.marker = una;
        let resent = self.segments.resent().max(probing);
        self.undo.resent = if resent > 0 { i64::from(resent) } else { -1 };
    }

    /// True if the losses of the episode were none: all that was sent again arrived twice (RFC 3708), or an acknowledgement
    /// answers to what was sent before (RFC 3522).
    pub fn may_undo(&self, echo: Option<Time>) -> bool {
        self.undo.possible && (self.undo.resent == 0 || self.was_delayed(echo))
    }

    pub fn was_delayed(&self, echo: Option<Time>) -> bool {
        matches!((self.undo.since, echo), (Some(since), Some(echo)) if stamp(echo) < stamp(since))
    }
}
