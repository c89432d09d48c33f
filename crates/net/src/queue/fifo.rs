//! Packets in order of arrival with the time each arrived: the storage under most disciplines.

use dumbbell_core::{Frame, Time};

use crate::ring::Ring;

/// A first-in first-out store that knows its bytes.
#[derive(Clone, Debug)]
pub struct Fifo<P> {
    packets: Ring<(Time, P)>,
    bytes: u64,
}

impl<P> Default for Fifo<P> {
    fn default() -> Self {
        Fifo { packets: Ring::default(), bytes: 0 }
    }
}

impl<P: Frame> Fifo<P> {
    /// Appends a packet that arrived at `now`.
    #[inline]
    pub fn push(&mut self, now: Time, packet: P) {
        self.bytes += u64::from(packet.size());
        self.packets.push((now, packet));
    }

    /// Takes the oldest packet and when it arrived.
    #[inline]
    pub fn pop(&mut self) -> Option<(Time, P)> {
        // Before it is taken: a packet that is looked into on its way is copied in pieces.
        self.bytes -= u64::from(self.front()?.size());
        self.packets.pop()
    }

    /// The packet `i` places behind the oldest.
    pub fn get(&self, i: usize) -> Option<&P> {
        self.packets.get(i).map(|(_, packet)| packet)
    }

    /// Takes the packet `i` places behind the oldest.
    pub fn remove(&mut self, i: usize) -> Option<P> {
        let (_, packet) = self.packets.remove(i)?;
        self.bytes -= u64::from(packet.size());
        Some(packet)
    }

    /// All packets, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &P> {
        self.packets.iter().map(|(_, packet)| packet)
    }

    /// The oldest packet.
    #[inline]
    pub fn front(&self) -> Option<&P> {
        self.packets.front().map(|(_, packet)| packet)
    }

    /// When the oldest packet arrived.
    pub fn oldest(&self) -> Option<Time> {
        self.packets.front().map(|(arrived, _)| *arrived)
    }

    /// Packets held.
    #[inline]
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// True if nothing is held.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Bytes held.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}
