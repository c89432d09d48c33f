//! The event queue: a tournament over a fixed set of owners, each with at most one pending event.
//!
//! Owners are links, and a few sources of rarer events. The tree holds only the first packet in flight of each link, so it
//! has as many leaves as there are links and stays in the first-level cache. Re-arming an owner replays one path
//! to the root without branching on the times.

use dumbbell_core::Time;

/// Every owner's next event, and the earliest of all. Ties go to the lower owner: the total order of events.
///
/// A node is `time << bits | owner` in one word, with as many bits for the owner as there are owners to tell apart:
/// one comparison orders by time and settles ties.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: Vec<u64>,
    bits: u32,
    replay: Replay,
}

/// Writes the event of a leaf, and replays its path to the root.
type Replay = fn(nodes: &mut [u64], leaf: usize, event: u64);

/// By the bits of the owner, from one on. With the depth known, the compiler unrolls the path and proves all bounds.
const REPLAYS: [Replay; 16] = [
    replay::<1, 4>,
    replay::<2, 8>,
    replay::<3, 16>,
    replay::<4, 32>,
    replay::<5, 64>,
    replay::<6, 128>,
    replay::<7, 256>,
    replay::<8, 512>,
    replay::<9, 1024>,
    replay::<10, 2048>,
    replay::<11, 4096>,
    replay::<12, 8192>,
    replay::<13, 16384>,
    replay::<14, 32768>,
    replay::<15, 65536>,
    replay::<16, 131_072>,
];

/// The choice at each level is a conditional move, not a jump: which of two events is earlier is a coin toss to a
/// branch predictor.
fn replay<const BITS: u32, const NODES: usize>(nodes: &mut [u64], leaf: usize, event: u64) {
    const { assert!(NODES == 2 << BITS) };
    let Some(nodes) = nodes.first_chunk_mut::<NODES>() else { return };
    let mut i = leaf % NODES;
    let mut winner = event;
    nodes[i] = winner;
    for _ in 0..BITS {
        winner = winner.min(nodes[i ^ 1]);
        i >>= 1;
        if nodes[i] == winner {
            break;
        }
        nodes[i] = winner;
    }
}

/// The same in a tree of any depth.
fn replay_deep(nodes: &mut [u64], leaf: usize, event: u64) {
    let mut i = leaf;
    let mut winner = event;
    nodes[i] = winner;
    while i > 1 {
        winner = winner.min(nodes[i ^ 1]);
        i >>= 1;
        if nodes[i] == winner {
            break;
        }
        nodes[i] = winner;
    }
}

impl Tree {
    /// The latest time that a tree of `owners` owners can tell apart.
    pub fn horizon(owners: usize) -> Time {
        Time::from_nanos((u64::MAX >> Self::bits(owners)) - 1)
    }

    /// At least one bit, so that a tree has a root above its leaves.
    fn bits(owners: usize) -> u32 {
        owners.next_power_of_two().trailing_zeros().max(1)
    }

    /// A tree in which none of `owners` has a pending event.
    pub fn new(owners: usize) -> Tree {
        let bits = Self::bits(owners);
        let leaves = 1 << bits;
        let mut nodes = vec![u64::MAX; 2 * leaves];
        for i in (1..2 * leaves).rev() {
            nodes[i] = if i >= leaves {
                !0 << bits | (i - leaves) as u64
            } else {
                nodes[2 * i].min(nodes[2 * i + 1])
            };
        }
        let replay = REPLAYS.get(bits as usize - 1).copied().unwrap_or(replay_deep);
        Tree { nodes, bits, replay }
    }

    /// Arms `owner` at `time` and forgets its earlier time; a time beyond [`Tree::horizon`] disarms it.
    #[inline]
    pub fn set(&mut self, owner: u32, time: Time) {
        let leaf = 1 << self.bits | owner as usize;
        let event = time.as_nanos().min(!0 >> self.bits) << self.bits | u64::from(owner);
        (self.replay)(&mut self.nodes, leaf, event);
    }

    /// Arms `owner` at `time` at the latest: what is armed earlier stays. For an owner whose time moves later again and again, and
    /// that can be asked too early.
    #[inline]
    pub fn set_earlier(&mut self, owner: u32, time: Time) {
        let armed = self.nodes[1 << self.bits | owner as usize] >> self.bits;
        if time.as_nanos() < armed {
            self.set(owner, time);
        }
    }

    /// The earliest event and its owner. With nothing pending, the time is beyond the horizon.
    #[inline]
    pub fn first(&self) -> (Time, u32) {
        let winner = self.nodes[1];
        (Time::from_nanos(winner >> self.bits), winner as u32 & ((1 << self.bits) - 1))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use dumbbell_core::testing::lengths;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ties_of_events_go_to_the_lower_owner(
            // Trees of known depth and deeper ones.
            owners in prop_oneof![1..40u32, 1..16_384u32, 60_000..140_000u32],
            sets in prop::collection::vec((any::<u32>(), prop::option::of(0..50u64), any::<bool>()), lengths(1..200)))
        {
            let mut tree = Tree::new(owners as usize);
            let mut model = BTreeMap::new();
            for (owner, time, at_the_latest) in sets {
                let (owner, time) = (owner % owners, time.map_or(Time::NEVER, Time::from_nanos));
                if at_the_latest {
                    tree.set_earlier(owner, time);
                    model.entry(owner).and_modify(|armed: &mut Time| *armed = time.min(*armed)).or_insert(time);
                } else {
                    tree.set(owner, time);
                    model.insert(owner, time);
                }
                let (want_time, want_owner) = model.iter().map(|(owner, time)| (*time, *owner)).min().unwrap();
                let (time, first) = tree.first();
                if want_time.is_finite() {
                    prop_assert_eq!((time, first), (want_time, want_owner));
                } else {
                    prop_assert!(time > Tree::horizon(owners as usize));
                }
            }
        }
    }
}
