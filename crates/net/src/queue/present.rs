//! The flows that have packets in a queue, and what a discipline keeps of each.

use dumbbell_core::memory;

/// A flow that is in the queue.
#[derive(Clone, Copy, Default, Debug)]
struct Entry<T> {
    hash: u64,
    /// Packets of it in the queue; a free place has none.
    packets: u32,
    kept: T,
}

/// A table of flows by [`dumbbell_core::Frame::flow_hash`], whose bits are even: a flow stands at the place that the low
/// bits name, or at the next free one behind it. It is at most half full, so that the search is short, and grows with the
/// flows that were in the queue at once: a packet costs no hash, and no memory but what a ring of as many would ask for.
#[derive(Clone, Default, Debug)]
pub struct Present<T> {
    /// Of a power of two.
    places: Vec<Entry<T>>,
    flows: usize,
}

impl<T: Copy + Default> Present<T> {
    /// Flows in the queue.
    #[inline]
    pub fn flows(&self) -> usize {
        self.flows
    }

    /// Packets of a flow in the queue, and what is kept of it: 0 and the default if it has none.
    #[inline]
    pub fn look(&self, hash: u64) -> (u32, T) {
        let entry = self.find(hash).map(|i| self.places[i]).unwrap_or_default();
        (entry.packets, entry.kept)
    }

    /// What is kept of a flow, if it has packets in the queue.
    #[inline]
    pub fn kept(&mut self, hash: u64) -> Option<&mut T> {
        let i = self.find(hash)?;
        Some(&mut self.places[i].kept)
    }

    /// A packet of a flow enters the queue.
    #[inline]
    pub fn enters(&mut self, hash: u64) {
        if 2 * (self.flows + 1) > self.places.len() {
            self.grow();
        }
        let i = self.place(hash);
        if self.places[i].packets == 0 {
            self.flows += 1;
            self.places[i].hash = hash;
        }
        self.places[i].packets += 1;
    }

    /// A packet of a flow leaves the queue. With its last one, the flow is forgotten.
    #[inline]
    pub fn leaves(&mut self, hash: u64) {
        let Some(i) = self.find(hash) else { return };
        self.places[i].packets -= 1;
        if self.places[i].packets == 0 {
            self.flows -= 1;
            self.close_gap(i);
        }
    }

    fn find(&self, hash: u64) -> Option<usize> {
        if self.flows == 0 {
            return None;
        }
        let i = self.place(hash);
        (self.places[i].packets > 0).then_some(i)
    }

    /// Where the flow stands, or would. There are free places.
    #[inline]
    fn place(&self, hash: u64) -> usize {
        let mask = self.places.len() - 1;
        let mut i = hash as usize & mask;
        while self.places[i].packets > 0 && self.places[i].hash != hash {
            i = (i + 1) & mask;
        }
        i
    }

    /// Moves those behind a place that has become free forward, as far as their own places: no search ends too early
    /// (Knuth, The Art of Computer Programming, volume 3, section 6.4, algorithm R).
    fn close_gap(&mut self, mut gap: usize) {
        let mask = self.places.len() - 1;
        let mut i = gap;
        loop {
            i = (i + 1) & mask;
            let entry = self.places[i];
            if entry.packets == 0 {
                break;
            }
            // Its own place is as far behind the entry as the gap is, or further.
            if i.wrapping_sub(entry.hash as usize) & mask >= i.wrapping_sub(gap) & mask {
                self.places[gap] = entry;
                gap = i;
            }
        }
        self.places[gap] = Entry::default();
    }

    #[cold]
    fn grow(&mut self) {
        let len = self.places.len();
        let size = (2 * len).max(16);
        let mut wider = Vec::new();
        memory::grow(len, size - len, size_of::<Entry<T>>(), |more| wider.try_reserve_exact(len + more));
        wider.resize(size, Entry::default());
        for entry in std::mem::replace(&mut self.places, wider).into_iter().filter(|entry| entry.packets > 0)
        {
            let i = self.place(entry.hash);
            self.places[i] = entry;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use dumbbell_core::testing::lengths;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Flows whose places collide, at the end of the table too.
        #[test]
        fn it_is_a_map_of_flows(steps in prop::collection::vec((0..12_u64, 0..4_u64, 0..3_u8), lengths(1..300))) {
            let mut present: Present<u32> = Present::default();
            let mut model: BTreeMap<u64, (u32, u32)> = BTreeMap::new();
            for (low, high, step) in steps {
                let hash = (low + 10) | high << 40;
                match step {
                    0 => present.leaves(hash),
                    1 => present.kept(hash).into_iter().for_each(|kept| *kept += 1),
                    _ => present.enters(hash),
                }
                match step {
                    0 => {
                        if let Some((packets, _)) = model.get_mut(&hash) {
                            *packets -= 1;
                        }
                        model.retain(|_, (packets, _)| *packets > 0);
                    }
                    1 => model.get_mut(&hash).into_iter().for_each(|(_, kept)| *kept += 1),
                    _ => model.entry(hash).or_default().0 += 1,
                }
                prop_assert_eq!(present.flows(), model.len());
                prop_assert_eq!(present.places.capacity(), present.places.len());
                for (low, high) in (0..12).flat_map(|low| (0..4).map(move |high| (low, high))) {
                    let hash = (low + 10) | high << 40;
                    prop_assert_eq!(present.look(hash), model.get(&hash).copied().unwrap_or_default());
                }
            }
        }
    }
}
