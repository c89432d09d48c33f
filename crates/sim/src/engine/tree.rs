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
        Tree { nodes, bits }
    }

    /// Arms `owner` at `time`, in place of what it had; a time beyond [`Tree::horizon`] disarms it.
    ///
    /// The choice at each level is a conditional move, not a jump: which of two events is earlier is a coin toss to a
    /// branch predictor.
    #[inline]
    pub fn set(&mut self, owner: u32, time: Time) {
        let mut i = 1 << self.bits | owner as usize;
        let mut winner = time.as_nanos().min(!0 >> self.bits) << self.bits | u64::from(owner);
        self.nodes[i] = winner;
        while i > 1 {
            winner = winner.min(self.nodes[i ^ 1]);
            i >>= 1;
            if self.nodes[i] == winner {
                break;
            }
            self.nodes[i] = winner;
        }
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
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_first_event_is_the_earliest_and_ties_go_to_the_lower_owner(
            owners in 1..40u32, sets in prop::collection::vec((0..40u32, prop::option::of(0..50u64), any::<bool>()), 1..200))
        {
            let mut tree = Tree::new(owners as usize);
            let mut model = vec![Time::NEVER; owners as usize];
            for (owner, time, at_the_latest) in sets {
                let (owner, time) = (owner % owners, time.map_or(Time::NEVER, Time::from_nanos));
                if at_the_latest {
                    tree.set_earlier(owner, time);
                    model[owner as usize] = time.min(model[owner as usize]);
                } else {
                    tree.set(owner, time);
                    model[owner as usize] = time;
                }
                let (want_time, want_owner) = model.iter().copied().zip(0u32..).min().unwrap();
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
