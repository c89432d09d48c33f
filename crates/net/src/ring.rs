//! First-in first-out storage that grows by a quarter, not by doubling: a queue of packets stays below
//! 100 bytes per packet.

use std::collections::VecDeque;

use dumbbell_core::memory;

/// Items whose room is not worth giving back.
const FEW: usize = 1 << 12;

/// A growable ring buffer.
#[derive(Clone, Debug)]
pub struct Ring<T>(VecDeque<T>);

impl<T> Default for Ring<T> {
    fn default() -> Self {
        Ring(VecDeque::new())
    }
}

impl<T> Ring<T> {
    /// Items held.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if nothing is held.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Appends an item and returns where it stands.
    #[inline]
    pub fn push(&mut self, item: T) -> &mut T {
        if self.0.len() == self.0.capacity() {
            self.grow();
        }
        self.0.push_back_mut(item)
    }

    #[cold]
    fn grow(&mut self) {
        let len = self.0.len();
        memory::grow(len, len / 4, size_of::<T>(), |more| self.0.try_reserve_exact(more));
    }

    /// Takes the oldest item.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.0.pop_front()
    }

    /// Takes the oldest item of a store that is emptied, and gives room back as it becomes free.
    pub fn drain_one(&mut self) -> Option<T> {
        let (len, room) = (self.0.len(), self.0.capacity());
        if room > FEW && len < room - room / 4 {
            self.0.shrink_to_fit();
        }
        self.0.pop_front()
    }

    /// Takes the item `i` places behind the oldest.
    pub fn remove(&mut self, i: usize) -> Option<T> {
        self.0.remove(i)
    }

    /// Removes the oldest item unread.
    #[inline]
    pub fn discard(&mut self) {
        self.0.pop_front();
    }

    /// The oldest item.
    #[inline]
    pub fn front(&self) -> Option<&T> {
        self.0.front()
    }

    /// The item `i` places behind the oldest.
    #[inline]
    pub fn get(&self, i: usize) -> Option<&T> {
        self.0.get(i)
    }

    /// The item that `behind` items follow.
    #[inline]
    pub fn from_back(&mut self, behind: usize) -> Option<&mut T> {
        let i = self.0.len().checked_sub(behind + 1)?;
        self.0.get_mut(i)
    }

    /// All items, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter()
    }

    /// Items from the `i`-th on, oldest first.
    pub fn iter_from(&self, i: usize) -> impl Iterator<Item = &T> {
        self.0.range(i..)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_grows_by_a_quarter() {
        let mut ring = Ring::default();
        for i in 0..10_000_u64 {
            ring.push(i);
            let room = ring.0.capacity();
            assert!(room <= (i as usize + 1) * 5 / 4 + 8, "room for {room} of {i}");
        }
    }

    #[test]
    fn a_small_store_keeps_its_room() {
        let mut ring = Ring::default();
        (0..FEW / 2).for_each(|i| {
            ring.push(i);
        });
        let room = ring.0.capacity();
        while ring.drain_one().is_some() {}
        assert_eq!((ring.0.capacity(), ring.is_empty()), (room, true));
    }

    #[test]
    fn a_store_counts_from_both_ends() {
        let mut ring = Ring::default();
        (0..5).for_each(|i| {
            ring.push(i);
        });
        assert_eq!((ring.get(1).copied(), ring.from_back(1).copied()), (Some(1), Some(3)));
        assert!(ring.from_back(4).is_some() && ring.from_back(5).is_none());
        assert_eq!(ring.iter_from(3).copied().collect::<Vec<_>>(), [3, 4]);
        assert_eq!((ring.remove(2), ring.pop(), ring.len()), (Some(2), Some(0), 3));
    }

    #[test]
    fn a_store_that_is_emptied_gives_room_back() {
        let mut ring = Ring::default();
        for i in 0..100_000_u64 {
            ring.push(i);
        }
        for i in 0..90_000 {
            assert_eq!(ring.drain_one(), Some(i));
        }
        assert!(ring.0.capacity() < 20_000, "{}", ring.0.capacity());
        assert_eq!((ring.len(), ring.drain_one()), (10_000, Some(90_000)));
    }
}
