//! Which segments carry PSH. Linux keeps what is written in packets of several segments, cuts them as they leave, and sets PSH on
//! each that holds more than one segment; our sender makes single segments, so that what would have been one packet is found here.

use std::collections::VecDeque;

use dumbbell_proto::tcp::Info;

use crate::settings::Settings;
use crate::stream::How;
use crate::wire::{Segment, flag};

/// The largest packet that the devices below take, in bytes.
const LARGEST: u64 = 65_536;
/// The same less the headers of all layers (MAX_TCP_HEADER).
const LARGEST_WRITTEN: u64 = 65_215;
/// A window up to this size is not halved (TCP_MSS_DEFAULT).
const SMALL_WINDOW: u64 = 536;

/// Segments in a packet: what is sent in a millisecond, at least `tcp_min_tso_segs`, at most half the window.
// Linux net/ipv4/tcp_output.c: what tcp_tso_autosize and tcp_cwnd_test compute.
pub fn group(info: &Info, settings: &Settings) -> u32 {
    let mss = u64::from(info.mss);
    let share = LARGEST.checked_shr((info.min_rtt.as_nanos() / 512_000) as u32).unwrap_or(0);
    let bytes = rate(info, settings) / 1024 + share;
    let least = settings.number("tcp_min_tso_segs", 2).max(1);
    let segments = (bytes / mss).max(least).min(LARGEST / mss);
    (segments as u32).min(info.window / 2).max(1)
}

/// The pacing rate in bytes a second; 0 before a round-trip time is known.
// Linux net/ipv4/tcp_input.c: what tcp_update_pacing_rate computes.
fn rate(info: &Info, settings: &Settings) -> u64 {
    let starting = info.threshold.is_none_or(|threshold| info.window < threshold / 2);
    let percent = if starting {
        settings.number("tcp_pacing_ss_ratio", 200)
    } else {
        settings.number("tcp_pacing_ca_ratio", 120)
    };
    let bytes = u64::from(info.window.max(info.out)) * u64::from(info.mss) * percent / 100;
    (bytes * 1_000_000_000).checked_div(info.smoothed.as_nanos()).unwrap_or(0)
}

/// What may leave while a program still writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaves {
    /// All that the window allows.
    All,
    /// One packet.
    One,
    /// Nothing.
    Nothing,
}

/// A packet that was written or sent: where it ends, and whether it carries PSH as the end of something written.
#[derive(Clone, Copy, Debug)]
struct Piece {
    end: u64,
    push: bool,
    /// Nothing is added to it: MSG_EOR.
    record: bool,
}

/// What a program has written, in the packets in which Linux keeps it.
// Linux net/ipv4/tcp.c, tcp_output.c: what tcp_sendmsg_locked, tcp_xmit_size_goal, tso_fragment and tcp_grow_skb do.
#[derive(Debug, Default)]
pub struct Written {
    /// Packets that have left and are not acknowledged, and those that have not left altogether.
    sent: VecDeque<Piece>,
    waiting: VecDeque<Piece>,
    /// Where the stream ends that was written, where it ended when PSH was set last, and where that begins which has not left.
    end: u64,
    pushed: u64,
    next: u64,
    /// The largest window of the peer.
    window: u64,
}

impl Written {
    /// The peer has announced a window.
    pub fn heard(&mut self, window: u64) {
        self.window = self.window.max(window);
    }

    /// The peer has all bytes below.
    pub fn forget(&mut self, acknowledged: u64) {
        while self.sent.front().is_some_and(|piece| piece.end <= acknowledged) {
            self.sent.pop_front();
        }
    }

    /// The most that one packet takes: whole segments, in half of the largest window.
    fn most(&self, mss: u64) -> u64 {
        let half = if self.window > SMALL_WINDOW { self.window / 2 } else { self.window };
        (LARGEST_WRITTEN.min(half) / mss).max(1) * mss
    }

    /// Copies up to `bytes` into one packet, the first of this call of write if `first`. Returns how many, and what may leave then.
    pub fn copy(&mut self, bytes: u64, mss: u64, first: bool, how: How) -> (u64, Leaves) {
        let most = self.most(mss);
        let begin = self.waiting.len().checked_sub(2).map_or(self.next, |i| self.waiting[i].end);
        let open = self.waiting.back().filter(|last| !last.record);
        let room = open.map_or(0, |last| most.saturating_sub(last.end - begin));
        let copied = if room == 0 { most } else { room }.min(bytes);
        self.end += copied;
        match self.waiting.back_mut().filter(|_| room > 0) {
            Some(last) => *last = Piece { end: self.end, push: last.push && !first, record: false },
            None => self.waiting.push_back(Piece { end: self.end, push: false, record: false }),
        }
        if copied == bytes {
            if !how.more || self.end > self.pushed + self.window / 2 {
                self.push();
            }
            if let Some(last) = self.waiting.back_mut() {
                last.record = how.ends_record;
            }
            return (copied, Leaves::All);
        }
        let leaves = if self.end > self.pushed + self.window / 2 {
            self.push();
            Leaves::All
        } else if self.waiting.len() == 1 {
            Leaves::One
        } else {
            Leaves::Nothing
        };
        (copied, leaves)
    }

    /// What was written last ends with PSH.
    pub fn push(&mut self) {
        self.pushed = self.end;
        if let Some(last) = self.waiting.back_mut() {
            last.push = true;
        }
    }

    /// A packet leaves that ends at `end`: true if it carries PSH as the end of something written.
    fn leave(&mut self, end: u64) -> bool {
        let mut push = false;
        while let Some(piece) = self.waiting.front().filter(|piece| piece.end <= end) {
            push |= piece.push;
            self.waiting.pop_front();
        }
        self.next = end;
        self.sent.push_back(Piece { end, push, record: false });
        push
    }

    /// The packet in which a segment that ends at `end` left first.
    fn packet_of(&self, end: u64) -> Option<Piece> {
        self.sent.get(self.sent.partition_point(|piece| piece.end < end)).copied()
    }

    /// Sets PSH on segments that leave in packets of up to `group`: on the last of each packet that holds two or more, or that ends
    /// something written. What was sent before leaves in packets that hold nothing of two such packets of then.
    pub fn mark(&mut self, leaving: &mut [(u64, &mut Segment)], group: u32) {
        let mut rest = leaving;
        while !rest.is_empty() {
            let again = self.packet_of(rest[0].0);
            let together = (1..rest.len().min(group as usize))
                .take_while(|&i| {
                    let (before, (end, segment)) = (rest[i - 1].0, &rest[i]);
                    let follows = before + segment.payload.len() as u64 == *end;
                    let same = again.map_or(self.next <= before, |piece| *end <= piece.end);
                    let record = self.waiting.iter().any(|piece| piece.record && piece.end == before);
                    follows && same && !record
                })
                .count();
            let (packet, others) = rest.split_at_mut(together + 1);
            let (end, last) = &mut packet[together];
            let ends_something = match again {
                Some(piece) => piece.push && piece.end == *end,
                None => self.leave(*end),
            };
            if (ends_something || together > 0) && !last.payload.is_empty() {
                last.flags |= flag::PSH;
            }
            rest = others;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    /// Which of the segments of 1000 bytes that end at `ends` carry PSH, in packets of up to `group`.
    fn marked(written: &mut Written, ends: &[u64], group: u32) -> Vec<u64> {
        let blank = || Segment { payload: vec![0; MSS as usize], ..Segment::default() };
        let mut segments: Vec<Segment> = ends.iter().map(|_| blank()).collect();
        written.mark(&mut ends.iter().copied().zip(&mut segments).collect::<Vec<_>>(), group);
        ends.iter()
            .zip(&segments)
            .filter(|(_, segment)| segment.has(flag::PSH))
            .map(|(end, _)| *end)
            .collect()
    }

    fn with_window(window: u64) -> Written {
        let mut written = Written::default();
        written.heard(window);
        written
    }

    #[test]
    fn a_long_write_pushes_at_half_of_the_largest_window() {
        // As in packetdrill's cubic-rto-ss-ca-cwnd-bump: a window of 32896, packets of 16000 bytes.
        let mut written = with_window(32_896);
        assert_eq!(written.copy(200_000, MSS, true, How::default()), (16_000, Leaves::One));
        assert!(marked(&mut written, &[1_000], 1).is_empty());
        // A segment has left: its place is filled, and now more than half a window is there.
        assert_eq!(written.copy(184_000, MSS, false, How::default()), (1_000, Leaves::All));
        assert!(marked(&mut written, &[2_000], 1).is_empty());
        assert_eq!(written.copy(183_000, MSS, false, How::default()), (1_000, Leaves::One));
        assert_eq!(written.copy(182_000, MSS, false, How::default()), (16_000, Leaves::All));
        let singles: Vec<u64> = (3..=34).map(|n| n * MSS).collect();
        assert_eq!(marked(&mut written, &singles, 1), [18_000, 34_000]);
    }

    #[test]
    fn writes_that_wait_together_push_where_the_last_ends() {
        let mut written = with_window(32_896);
        assert_eq!(written.copy(1_000, MSS, true, How::default()), (1_000, Leaves::All));
        assert_eq!(written.copy(2_000, MSS, true, How::default()), (2_000, Leaves::All));
        assert_eq!(marked(&mut written, &[1_000, 2_000, 3_000], 1), [3_000]);
        assert_eq!(written.copy(1_000, MSS, true, How::default()), (1_000, Leaves::All));
        assert_eq!(marked(&mut written, &[4_000], 1), [4_000]);
    }

    #[test]
    fn what_is_sent_again_leaves_in_the_packets_of_the_first_time() {
        // As in packetdrill's sack-route-refresh-ip-tos: packets of two segments, of which the first is acknowledged in part.
        let mut written = with_window(65_535);
        written.copy(10_000, MSS, true, How::default());
        let all: Vec<u64> = (1..=10).map(|n| n * MSS).collect();
        assert_eq!(marked(&mut written, &all, 2), [2_000, 4_000, 6_000, 8_000, 10_000]);
        written.forget(1_000);
        assert_eq!(marked(&mut written, &[2_000, 3_000, 5_000, 6_000], 2), [6_000]);
        assert_eq!(marked(&mut written, &[10_000], 2), [10_000], "the end of the write");
    }
}
