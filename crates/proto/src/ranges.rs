//! Disjoint ranges of sequence numbers: what a receiver holds out of order, and what a sender knows of it.

use std::collections::VecDeque;

/// Disjoint, not touching, half-open ranges in ascending order.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    list: VecDeque<(u64, u64)>,
    bytes: u64,
}

impl Ranges {
    /// No ranges.
    pub const fn new() -> Ranges {
        Ranges { list: VecDeque::new(), bytes: 0 }
    }

    /// True if nothing is held.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many ranges.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Bytes held.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The ranges in ascending order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> + '_ {
        self.list.iter().copied()
    }

    /// The lowest range.
    #[inline]
    pub fn first(&self) -> Option<(u64, u64)> {
        self.list.front().copied()
    }

    /// The highest range.
    pub fn last(&self) -> Option<(u64, u64)> {
        self.list.back().copied()
    }

    /// Adds `[start, end)` and tells every part of it that was not held.
    pub fn insert(&mut self, start: u64, end: u64, mut added: impl FnMut(u64, u64)) {
        debug_assert!(start < end);
        // What arrives mostly goes on with the highest range, or is known.
        match self.list.back_mut() {
            Some(last) if start < last.0 => {}
            Some(last) if start <= last.1 => {
                if end > last.1 {
                    added(last.1, end);
                    self.bytes += end - last.1;
                    last.1 = end;
                }
                return;
            }
            _ => {
                added(start, end);
                self.bytes += end - start;
                self.list.push_back((start, end));
                return;
            }
        }
        let from = self.list.partition_point(|r| r.1 < start);
        if self.list.get(from).is_some_and(|r| r.0 <= start && end <= r.1) {
            return;
        }
        let to = from + self.list.range(from..).take_while(|r| r.0 <= end).count();
        let mut position = start;
        let mut merged = (start, end);
        for i in from..to {
            let range = self.list[i];
            if position < range.0 {
                added(position, range.0);
                self.bytes += range.0 - position;
            }
            position = position.max(range.1);
            merged = (merged.0.min(range.0), merged.1.max(range.1));
        }
        if position < end {
            added(position, end);
            self.bytes += end - position;
        }
        if from == to {
            self.list.insert(from, merged);
        } else {
            self.list[from] = merged;
            self.list.drain(from + 1..to);
        }
    }

    /// Forgets everything below `end`.
    pub fn remove_below(&mut self, end: u64) {
        while let Some(range) = self.list.front_mut() {
            if range.1 <= end {
                self.bytes -= range.1 - range.0;
                self.list.pop_front();
            } else {
                if range.0 < end {
                    self.bytes -= end - range.0;
                    range.0 = end;
                }
                break;
            }
        }
    }

    /// The first part of `[start, end)` that is held.
    pub fn overlap(&self, start: u64, end: u64) -> Option<(u64, u64)> {
        // What arrives mostly goes on with the highest range.
        if self.list.back().is_none_or(|last| last.1 <= start) {
            return None;
        }
        let from = self.list.partition_point(|range| range.1 <= start);
        let range = self.list.get(from).filter(|range| range.0 < end)?;
        Some((range.0.max(start), range.1.min(end)))
    }

    /// Bytes held of `[start, end)`.
    pub fn covered(&self, start: u64, end: u64) -> u64 {
        let from = self.list.partition_point(|r| r.1 <= start);
        self.list.range(from..).take_while(|r| r.0 < end).map(|r| r.1.min(end) - r.0.max(start)).sum()
    }

    /// The range that holds `position`.
    pub fn containing(&self, position: u64) -> Option<(u64, u64)> {
        let last = *self.list.back()?;
        if position >= last.0 {
            return (position < last.1).then_some(last);
        }
        let i = self.list.partition_point(|r| r.1 <= position);
        self.list.get(i).copied().filter(|r| r.0 <= position)
    }

    /// The first gap at or above `position`: where it begins and where the next range begins, if there is one.
    pub fn gap(&self, position: u64) -> (u64, Option<u64>) {
        let i = self.list.partition_point(|r| r.1 <= position);
        match self.list.get(i) {
            Some(range) if range.0 <= position => (range.1, self.list.get(i + 1).map(|r| r.0)),
            Some(range) => (position, Some(range.0)),
            None => (position, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Every operation agrees with a plain array of truth values.
        #[test]
        fn agrees_with_a_bitmap(
            operations in prop::collection::vec((0_u64..64, 1_u64..12, prop::bool::weighted(0.85)), 1..60),
            probe in 0_u64..80,
        ) {
            let mut ranges = Ranges::default();
            let mut held = [false; 96];
            for (start, length, add) in operations {
                if add {
                    let mut told = Vec::new();
                    ranges.insert(start, start + length, |a, b| told.extend(a..b));
                    let fresh: Vec<u64> = (start..start + length).filter(|i| !held[*i as usize]).collect();
                    prop_assert_eq!(told, fresh);
                    held[start as usize..(start + length) as usize].fill(true);
                } else {
                    ranges.remove_below(start);
                    held[..start as usize].fill(false);
                }
                prop_assert_eq!(ranges.bytes(), held.iter().filter(|h| **h).count() as u64);
                prop_assert!(ranges.iter().zip(ranges.iter().skip(1)).all(|(a, b)| a.1 < b.0));
                let covered = held[probe as usize..probe as usize + 10].iter().filter(|h| **h).count();
                prop_assert_eq!(ranges.covered(probe, probe + 10), covered as u64);
                prop_assert_eq!(ranges.containing(probe).is_some(), held[probe as usize]);
                let (gap, next) = ranges.gap(probe);
                prop_assert_eq!(Some(gap), (probe..).find(|i| !held.get(*i as usize).copied().unwrap_or(false)));
                prop_assert_eq!(next, (gap..96).find(|i| held[*i as usize]));
            }
        }
    }
}
