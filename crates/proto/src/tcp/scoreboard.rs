//! The SACK scoreboard (RFC 6675): what the receiver holds, what is lost, what was sent again, and from these how
//! much is in the network. All counts are updated when the ranges change, so no count needs a walk over the ranges.

use crate::ranges::Ranges;

/// The board of a connection that has lost nothing.
pub static EMPTY: Scoreboard =
    Scoreboard { held: Ranges::new(), lost_below: 0, lost: 0, resent_below: 0, resent: 0 };

/// What the sender knows of the bytes above the cumulative acknowledgement.
#[derive(Clone, Debug, Default)]
pub struct Scoreboard {
    held: Ranges,
    /// Every byte below that is not held is lost.
    lost_below: u64,
    /// Bytes lost: not held, from the cumulative acknowledgement up to `lost_below`.
    lost: u64,
    /// Every byte below that is not held was sent again in this recovery (RFC 6675: HighRxt).
    resent_below: u64,
    /// Bytes sent again and not held.
    resent: u64,
}

impl Scoreboard {
    /// True if nothing is held and nothing is lost.
    #[inline]
    pub fn is_clear(&self) -> bool {
        self.held.is_empty() && self.lost == 0
    }

    /// Bytes the receiver holds above the cumulative acknowledgement.
    #[inline]
    pub fn held(&self) -> u64 {
        self.held.bytes()
    }

    /// True if the byte at `position` is lost (RFC 6675 section 4: IsLost), given that it is not held.
    pub fn is_lost(&self, position: u64) -> bool {
        position < self.lost_below
    }

    /// Every byte below is lost that is not held.
    pub fn lost_to(&self) -> u64 {
        self.lost_below
    }

    /// True if the byte at `position` was sent again in this recovery, given that it is not held.
    pub fn was_resent(&self, position: u64) -> bool {
        position < self.resent_below
    }

    /// Bytes in the network (RFC 6675 section 4: SetPipe), of those from `una` to `max`.
    pub fn pipe(&self, una: u64, max: u64) -> u64 {
        (max - una) - self.held.bytes() - self.lost + self.resent
    }

    /// Takes in a block above the cumulative acknowledgement and tells every part of it that was not known to be held;
    /// returns their bytes.
    pub fn add(&mut self, start: u64, end: u64, mut told: impl FnMut(u64, u64)) -> u64 {
        let Scoreboard { held, lost_below, lost, resent_below, resent } = self;
        let mut news = 0;
        held.insert(start, end, |a, b| {
            news += b - a;
            told(a, b);
            *lost -= b.min(*lost_below).saturating_sub(a);
            *resent -= b.min(*resent_below).saturating_sub(a);
        });
        news
    }

    /// Finds what the blocks held show to be lost of the bytes from `una` (RFC 6675 section 4: IsLost), `threshold` blocks above
    /// a byte or more than so many segments less one; returns the bytes that were not known to be.
    pub fn detect(&mut self, una: u64, mss: u64, threshold: u32) -> u64 {
        // Without losses the board is not told of acknowledgements.
        self.lost_below = self.lost_below.max(una);
        let mut bytes = 0;
        for (i, (start, end)) in self.held.iter().rev().enumerate() {
            bytes += end - start;
            if i + 1 >= threshold as usize || bytes > (u64::from(threshold) - 1) * mss {
                if start <= self.lost_below {
                    return 0;
                }
                let found = self.missing(self.lost_below, start);
                self.lost += found;
                self.lost_below = start;
                return found;
            }
        }
        0
    }

    /// Finds what forward acknowledgement shows to be lost: all holes below the highest block, if its end is more than `reach` bytes
    /// above `una` (Mathis & Mahdavi, SIGCOMM 1996, section 4.3); returns the bytes that were not known to be.
    pub fn detect_forward(&mut self, una: u64, reach: u64) -> u64 {
        self.lost_below = self.lost_below.max(una);
        let Some((start, end)) = self.held.last() else {
            return 0;
        };
        if end <= una + reach || start <= self.lost_below {
            return 0;
        }
        let found = self.missing(self.lost_below, start);
        self.lost += found;
        self.lost_below = start;
        found
    }

    /// Moves the cumulative acknowledgement from `una` to `ack`.
    pub fn advance(&mut self, una: u64, ack: u64) {
        if self.lost_below > una {
            self.lost -= self.missing(una, ack.min(self.lost_below));
        }
        if self.resent_below > una {
            self.resent -= self.missing(una, ack.min(self.resent_below));
        }
        self.lost_below = self.lost_below.max(ack);
        self.resent_below = self.resent_below.max(ack);
        self.held.remove_below(ack);
    }

    /// Begins to send again from `una`. False if that was sent again already, in a recovery that has just ended.
    pub fn begin(&mut self, una: u64) -> bool {
        self.resent_below = self.resent_below.max(una);
        self.resent_below == una
    }

    /// Declares everything from `una` to `max` lost that is not held: the timer expired. What is held is remembered
    /// (RFC 6675 section 5.1): receivers here never renege. Returns the bytes that were in the network until then.
    pub fn lose_all(&mut self, una: u64, max: u64) -> u64 {
        let found = self.pipe(una, max);
        self.resent_below = una;
        self.resent = 0;
        self.lost_below = max;
        self.lost = self.missing(una, max);
        found
    }

    /// Where the next hole to be sent again begins and ends: lost ones, or with `speculate` all below the highest
    /// block held (RFC 6675 section 4: rules 1 and 3 of NextSeg).
    pub fn hole(&self, speculate: bool) -> Option<(u64, u64)> {
        let end = if speculate { self.held.last()?.0 } else { self.lost_below };
        let (start, next) = self.held.gap(self.resent_below);
        (start < end).then(|| (start, next.map_or(end, |n| n.min(end))))
    }

    /// Notes that `[start, end)` of a hole was sent again.
    pub fn resend(&mut self, start: u64, end: u64) {
        self.resent_below = end;
        self.resent += end - start;
    }

    /// Where the part above the highest block held begins.
    pub fn tail(&self, una: u64) -> u64 {
        self.held.last().map_or(una, |r| r.1)
    }

    fn missing(&self, start: u64, end: u64) -> u64 {
        (end - start) - self.held.covered(start, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::testing::lengths;
    use proptest::prelude::*;

    const DUPLICATES: u32 = 3;

    #[test]
    fn three_blocks_or_two_segments_above_lose_a_byte() {
        let mut board = Scoreboard::default();
        for start in [10, 30] {
            board.add(start, start + 5, |_, _| {});
            board.detect(0, 1000, DUPLICATES);
            assert!(!board.is_lost(0));
        }
        board.add(50, 55, |_, _| {});
        board.detect(0, 1000, DUPLICATES);
        assert!(board.is_lost(9) && !board.is_lost(29), "three blocks above 9, two above 29");
        let mut board = Scoreboard::default();
        board.add(1000, 3000, |_, _| {});
        board.detect(0, 1000, DUPLICATES);
        assert!(!board.is_lost(0), "two segments are not more than two");
        board.add(3000, 3001, |_, _| {});
        board.detect(0, 1000, DUPLICATES);
        assert!(board.is_lost(0));
        assert_eq!(board.pipe(0, 5000), 5000 - 2001 - 1000);
    }

    #[test]
    fn fack_loses_all_holes_far_enough_below_a_block() {
        let mut board = Scoreboard::default();
        board.add(2000, 3000, |_, _| {});
        assert_eq!(board.detect_forward(0, 3000), 0, "three segments are not more than three");
        board.add(5000, 6000, |_, _| {});
        assert_eq!(board.detect_forward(0, 3000), 4000, "two holes of two segments");
        // What is in the network: above the highest block, and what was sent again.
        assert_eq!(board.pipe(0, 9000), 3000);
        board.add(7000, 8000, |_, _| {});
        assert_eq!((board.detect_forward(0, 0), board.pipe(0, 9000)), (1000, 1000));
    }

    /// The definitions of RFC 6675 section 4, byte by byte.
    #[derive(Default)]
    struct Bytes {
        held: Vec<bool>,
        lost: Vec<bool>,
        resent: Vec<bool>,
    }

    impl Bytes {
        fn pipe(&self, una: usize) -> u64 {
            (una..self.held.len())
                .filter(|&i| !self.held[i])
                .map(|i| u64::from(!self.lost[i]) + u64::from(self.resent[i]))
                .sum()
        }

        fn detect(&mut self, mss: usize) {
            for i in 0..self.held.len() {
                let above = &self.held[i..];
                let blocks = (1..above.len()).filter(|&j| above[j] && !above[j - 1]).count();
                let bytes = above.iter().filter(|h| **h).count();
                self.lost[i] |= !self.held[i]
                    && (blocks >= DUPLICATES as usize || bytes > (DUPLICATES as usize - 1) * mss);
            }
        }
    }

    #[derive(Clone, Debug)]
    enum Step {
        Sack(u64, u64),
        Ack(u64),
        Resend(bool),
        Timeout,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            6 => (0_u64..60, 1_u64..6).prop_map(|(s, n)| Step::Sack(s, n)),
            2 => (0_u64..20).prop_map(Step::Ack),
            4 => any::<bool>().prop_map(Step::Resend),
            1 => Just(Step::Timeout),
        ]
    }

    proptest! {
        #[test]
        fn counts_agree_with_the_definitions(steps in prop::collection::vec(step(), lengths(1..80))) {
            const MAX: usize = 64;
            const MSS: u64 = 3;
            let mut board = Scoreboard::default();
            let mut bytes = Bytes { held: vec![false; MAX], lost: vec![false; MAX], resent: vec![false; MAX] };
            let mut una = 0_u64;
            board.begin(una);
            for step in steps {
                match step {
                    Step::Sack(start, n) => {
                        let (start, end) = (start.max(una + 1), (start + n).min(MAX as u64));
                        if start < end {
                            board.add(start, end, |_, _| {});
                            board.detect(una, MSS, DUPLICATES);
                            bytes.held[start as usize..end as usize].fill(true);
                            bytes.detect(MSS as usize);
                        }
                    }
                    Step::Ack(n) => {
                        let mut ack = (una + n).min(MAX as u64);
                        // A cumulative acknowledgement covers every block it touches.
                        while ack < MAX as u64 && bytes.held[ack as usize] {
                            ack += 1;
                        }
                        board.advance(una, ack);
                        una = ack;
                    }
                    Step::Resend(speculate) => {
                        if let Some((start, end)) = board.hole(speculate) {
                            let end = end.min(start + MSS);
                            prop_assert!(bytes.held[start as usize..end as usize].iter().all(|h| !h));
                            board.resend(start, end);
                            bytes.resent[start as usize..end as usize].fill(true);
                        }
                    }
                    Step::Timeout => {
                        board.lose_all(una, MAX as u64);
                        bytes.lost.fill(true);
                        bytes.resent.fill(false);
                    }
                }
                prop_assert_eq!(board.pipe(una, MAX as u64), bytes.pipe(una as usize));
            }
        }
    }
}
