//! What a receiver holds out of order, and what its acknowledgements show of that (RFC 2018).

use dumbbell_header::SackBlock;

use crate::ranges::Ranges;

/// The SACK option: 2 bytes, 2 of padding, 8 per block (RFC 2018 section 3).
pub const SACK_OPTION: u16 = 4;
pub const SACK_BLOCK: u16 = 8;

/// What is known of segments that were not the next. In a box, from the first of them on.
#[derive(Clone, Debug, Default)]
pub struct Disorder {
    /// What arrived above a hole.
    pub held: Ranges,
    /// Positions in the blocks that changed last, the latest first (RFC 2018 section 4).
    recent: [u64; 3],
    /// Segments that were not the next.
    pub arrivals: u64,
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

    /// Everything below `next` has arrived, and what is held may continue it: returns the end of that, and forgets it. What was
    /// sent again may reach into several blocks of it.
    pub fn fill(&mut self, next: u64) -> u64 {
        self.held.remove_below(next);
        let end = self.held.first().filter(|held| held.0 == next).map_or(next, |held| held.1);
        self.held.remove_below(end);
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
        let block =
            |(start, end): (u64, u64)| SackBlock { start: (start - next) as u32, end: (end - next) as u32 };
        let mut blocks = [SackBlock::default(); 3];
        for (block_out, range) in blocks.iter_mut().zip(&found[..n]) {
            *block_out = block(*range);
        }
        (blocks, SACK_OPTION + SACK_BLOCK * n as u16)
    }
}
