//! First-in first-out storage that grows by a quarter, not by doubling: a queue of packets stays below
//! 100 bytes per packet.

use std::collections::VecDeque;

use dumbbell_core::memory;

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
