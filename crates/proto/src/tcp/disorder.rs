//! What a receiver holds out of order, and what its acknowledgements show of that (RFC 2018).

use dumbbell_core::Time;
use dumbbell_header::SackBlock;

use super::acks::SHOWN;
use crate::ranges::Ranges;

/// The SACK option: 2 bytes, 2 of padding, 8 per block (RFC 2018 section 3).
pub const SACK_OPTION: u16 = 4;
pub const SACK_BLOCK: u16 = 8;

/// Blocks that Linux remembers (include/linux/tcp.h: `selective_acks`; include/net/tcp.h: TCP_NUM_SACKS).
const LISTED: usize = 4;

/// What is known of segments that were not the next. In a box, from the first of them on.
#[derive(Clone, Debug, Default)]
pub struct Disorder {
    /// What arrived above a hole.
    pub held: Ranges,
    /// Positions in the blocks that changed last, the latest first (RFC 2018 section 4).
    recent: [u64; 3],
    /// Segments that were not the next.
    pub arrivals: u64,
    list: List,
    /// When the latest acknowledgement was held back, and the timestamp of the next one, if it is that.
    held_at: Time,
    stamp: Option<Time>,
}

/// The blocks as Linux lists them, the one that changed last first. It forgets a fifth.
#[derive(Clone, Debug, Default)]
struct List {
    blocks: [(u64, u64); LISTED],
    count: u8,
    /// A segment that joins the list when the next acknowledgement has left.
    late: Option<(u64, u64)>,
    /// Bytes of it that this acknowledgement does not show.
    hidden: u32,
}

impl List {
    fn listed(&self) -> &[(u64, u64)] {
        &self.blocks[..self.count.into()]
    }

    /// The first block that a segment touches: it takes it in.
    // Linux net/ipv4/tcp_input.c: tcp_sack_extend.
    fn extend(&mut self, start: u64, end: u64) -> Option<usize> {
        let place = self.listed().iter().position(|b| start <= b.1 && b.0 <= end)?;
        let block = &mut self.blocks[place];
        *block = (block.0.min(start), block.1.max(end));
        Some(place)
    }

    /// Lists a segment: its block goes first, with the blocks that it touches, or it is a new one and the last is forgotten.
    // Linux net/ipv4/tcp_input.c: tcp_sack_new_ofo_skb, tcp_sack_maybe_coalesce.
    fn add(&mut self, start: u64, end: u64) {
        let Some(place) = self.extend(start, end) else {
            self.count = (self.count + 1).min(LISTED as u8);
            self.blocks.copy_within(..LISTED - 1, 1);
            self.blocks[0] = (start, end);
            return;
        };
        self.blocks[..=place].rotate_right(1);
        let mut first = self.blocks[0];
        let mut kept = 1;
        for i in 1..self.count.into() {
            let block = self.blocks[i];
            if block.0 <= first.1 && first.0 <= block.1 {
                first = (first.0.min(block.0), first.1.max(block.1));
            } else {
                self.blocks[kept] = block;
                kept += 1;
            }
        }
        (self.blocks[0], self.count) = (first, kept as u8);
    }

    /// Everything below `next` has arrived.
    // Linux net/ipv4/tcp_input.c: tcp_sack_remove.
    fn remove_below(&mut self, next: u64) {
        let mut kept = 0;
        for i in 0..self.count.into() {
            if self.blocks[i].0 > next {
                self.blocks[kept] = self.blocks[i];
                kept += 1;
            }
        }
        self.count = kept as u8;
    }
}

impl Disorder {
    /// Holds `[start, end)`. Returns the place that its block had among those that changed last.
    pub fn hold(&mut self, start: u64, end: u64) -> Option<usize> {
        self.held.insert(start, end, |_, _| {});
        let block = self.held.containing(start);
        let place = self.recent.iter().position(|p| block.is_some_and(|b| (b.0..b.1).contains(p)));
        let slot = place.unwrap_or(self.recent.len() - 1);
        self.recent.copy_within(..slot, 1);
        self.recent[0] = start;
        place
    }

    /// Holds `[start, end)`, and lists it as Linux does. True if an acknowledgement that `waits` leaves first, so that no block is
    /// pushed out unseen: then the list shows the segment after that.
    // Linux net/ipv4/tcp_input.c: tcp_sack_new_ofo_skb calls tcp_sack_compress_send_ack before it moves blocks.
    pub fn hold_as_linux(&mut self, start: u64, end: u64, waits: bool) -> bool {
        self.catch_up();
        let before = self.held.bytes();
        self.held.insert(start, end, |_, _| {});
        if !waits {
            self.list.add(start, end);
            return false;
        }
        let place = self.list.extend(start, end);
        if place.unwrap_or(self.list.count.into()) < SHOWN {
            self.list.add(start, end);
            return false;
        }
        self.list.late = Some((start, end));
        self.list.hidden = if place == Some(SHOWN) { 0 } else { (self.held.bytes() - before) as u32 };
        true
    }

    /// A segment that waits for an acknowledgement to leave joins the list.
    fn catch_up(&mut self) {
        self.list.hidden = 0;
        if let Some((start, end)) = self.list.late.take() {
            self.list.add(start, end);
        }
    }

    /// An acknowledgement is held back, or one leaves.
    pub fn hold_back(&mut self, now: Time, held_back: bool) {
        self.stamp = None;
        if held_back {
            self.held_at = now;
        }
    }

    /// The acknowledgement held back leaves by its own timer: it carries the time of the latest arrival.
    // Linux net/ipv4/tcp_timer.c: tcp_compressed_ack_kick does not call tcp_mstamp_refresh.
    pub fn kick(&mut self) {
        self.stamp = Some(self.held_at);
    }

    /// The timestamp of an acknowledgement that leaves, and the bytes above the hole that its receiver knows of then.
    pub fn leaves(&mut self, now: Time) -> (Time, u64) {
        let shown = self.held.bytes() - u64::from(std::mem::take(&mut self.list.hidden));
        (self.stamp.take().unwrap_or(now), shown)
    }

    /// Everything below `next` has arrived, and what is held may continue it: returns the end of that, and forgets it. What was
    /// sent again may reach into several blocks of it.
    pub fn fill(&mut self, next: u64) -> u64 {
        self.held.remove_below(next);
        let end = self.held.first().filter(|held| held.0 == next).map_or(next, |held| held.1);
        self.held.remove_below(end);
        self.catch_up();
        self.list.remove_below(if self.held.is_empty() { u64::MAX } else { end });
        end
    }

    /// The blocks to report, as offsets above the acknowledgement `next`, and the bytes that they take: those that changed
    /// last, then the highest.
    pub fn blocks(&self, next: u64) -> ([SackBlock; 3], u16) {
        let mut found = [(0, 0); 3];
        let (mut n, all) = (0, self.held.count().min(3));
        let recent = self.recent.iter().filter_map(|p| self.held.containing(*p));
        for range in recent.chain(self.held.iter().rev().take(3)) {
            if n == all {
                break;
            }
            if !found[..n].contains(&range) {
                found[n] = range;
                n += 1;
            }
        }
        written(next, &found[..n])
    }

    /// The blocks that Linux reports, in the order of its list.
    pub fn blocks_of_linux(&mut self, next: u64) -> ([SackBlock; 3], u16) {
        let listed = self.list.listed();
        let shown = written(next, &listed[..listed.len().min(3)]);
        if let Some((start, end)) = self.list.late.take() {
            self.list.add(start, end);
        }
        shown
    }
}

/// Blocks as offsets above `next`, and the bytes that they take.
fn written(next: u64, found: &[(u64, u64)]) -> ([SackBlock; 3], u16) {
    let mut blocks = [SackBlock::default(); 3];
    for (block, (start, end)) in blocks.iter_mut().zip(found) {
        *block = SackBlock { start: (start - next) as u32, end: (end - next) as u32 };
    }
    let n = found.len() as u16;
    (blocks, if n == 0 { 0 } else { SACK_OPTION + SACK_BLOCK * n })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The blocks shown, in the numbers of segments.
    fn shown(disorder: &mut Disorder) -> Vec<(u32, u32)> {
        let blocks = disorder.blocks_of_linux(0).0;
        blocks.iter().filter(|b| **b != SackBlock::default()).map(|b| (b.start, b.end)).collect()
    }

    fn hold(disorder: &mut Disorder, numbers: &[u64]) {
        numbers.iter().for_each(|&n| assert!(!disorder.hold_as_linux(n, n + 1, false)));
    }

    #[test]
    fn linux_forgets_a_fifth_block() {
        let mut disorder = Disorder::default();
        hold(&mut disorder, &[2, 4, 6, 8, 10]);
        assert_eq!(shown(&mut disorder), [(10, 11), (8, 9), (6, 7)]);
        // Segments 3 to 9 fill all holes. The block of segment 2 is forgotten: the one that grows begins with segment 3.
        hold(&mut disorder, &[9, 7, 5]);
        assert_eq!(shown(&mut disorder), [(4, 11)]);
        hold(&mut disorder, &[3]);
        assert_eq!(shown(&mut disorder), [(3, 11)]);
        assert_eq!(disorder.held.first(), Some((2, 11)));
    }

    #[test]
    fn a_segment_beside_a_forgotten_block_is_a_block() {
        let mut disorder = Disorder::default();
        hold(&mut disorder, &[2, 20, 30, 40, 50, 3]);
        assert_eq!(shown(&mut disorder), [(3, 4), (50, 51), (40, 41)]);
    }

    #[test]
    fn blocks_leave_the_list_when_holes_close() {
        let mut disorder = Disorder::default();
        hold(&mut disorder, &[2, 4, 6]);
        assert_eq!(disorder.fill(2), 3);
        let offsets = disorder.blocks_of_linux(3).0;
        assert_eq!(offsets, [(3, 4), (1, 2), (0, 0)].map(|(start, end)| SackBlock { start, end }));
        assert_eq!(disorder.fill(7), 7);
        assert_eq!(shown(&mut disorder), []);
    }

    /// A block that grows at the third place was shown there; it goes first with the acknowledgement after that.
    #[test]
    fn a_waiting_ack_leaves_before_blocks_move() {
        let mut disorder = Disorder::default();
        hold(&mut disorder, &[2, 4, 6]);
        assert!(!disorder.hold_as_linux(5, 6, true), "the second place and the first");
        assert_eq!(shown(&mut disorder), [(4, 7), (2, 3)]);
        assert!(disorder.hold_as_linux(9, 10, true), "a new block");
        assert_eq!(disorder.leaves(Time::ZERO).1, 4, "the sender does not learn of it");
        assert_eq!(shown(&mut disorder), [(4, 7), (2, 3)]);
        assert_eq!(shown(&mut disorder), [(9, 10), (4, 7), (2, 3)]);
        assert!(disorder.hold_as_linux(1, 2, true), "the third place");
        assert_eq!(shown(&mut disorder), [(9, 10), (4, 7), (1, 3)]);
        assert_eq!(shown(&mut disorder), [(1, 3), (9, 10), (4, 7)]);
    }
}
