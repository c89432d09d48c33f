//! Slots of flows that are over, and when others get them.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use dumbbell_core::{Duration, Time};

use crate::plan::Plan;

/// Slots to be used again.
///
/// A slot rests until the epoch is over in which its flow ended, and the lowest comes first. So it does not matter in which order
/// flows end within an epoch: the parts of a run need to agree only between epochs. In plans that never run in parts, a slot is
/// free at once, and the last comes first.
#[derive(Debug)]
pub struct FreeSlots {
    epoch: Duration,
    free: BinaryHeap<Reverse<u32>>,
    /// Slots that rest, with the number of the epoch in which their flows ended.
    resting: VecDeque<(u64, u32)>,
    /// Without epochs: free slots.
    at_once: Vec<u32>,
}

impl FreeSlots {
    /// None so far.
    pub fn new(plan: &Plan) -> FreeSlots {
        FreeSlots {
            epoch: plan.epoch(),
            free: BinaryHeap::new(),
            resting: VecDeque::new(),
            at_once: Vec::new(),
        }
    }

    /// A slot for a flow that opens at `now`, if one is free. Calls come in order of time.
    pub fn take(&mut self, now: Time) -> Option<u32> {
        if self.epoch.is_zero() {
            return self.at_once.pop();
        }
        let epoch = self.number(now);
        while let Some((_, slot)) = self.resting.pop_front_if(|(ended, _)| *ended < epoch) {
            self.free.push(Reverse(slot));
        }
        self.free.pop().map(|Reverse(slot)| slot)
    }

    /// The flow in a slot ended at `now`. Calls come in order of epochs.
    pub fn add(&mut self, slot: u32, now: Time) {
        if self.epoch.is_zero() {
            self.at_once.push(slot);
        } else {
            self.resting.push_back((self.number(now), slot));
        }
    }

    fn number(&self, now: Time) -> u64 {
        now.as_nanos() / self.epoch.as_nanos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(epoch: Duration) -> FreeSlots {
        FreeSlots { epoch, free: BinaryHeap::new(), resting: VecDeque::new(), at_once: Vec::new() }
    }

    #[test]
    fn a_slot_rests_until_its_epoch_is_over() {
        let at = Time::from_nanos;
        let mut rest = slots(Duration::from_nanos(100));
        // Whatever the order in which flows end within an epoch, the lowest slot comes first.
        for (slot, now) in [(4, 110), (2, 150), (3, 199), (1, 200)] {
            rest.add(slot, at(now));
        }
        assert_eq!(rest.take(at(199)), None);
        assert_eq!([200, 201, 299].map(|now| rest.take(at(now))), [Some(2), Some(3), Some(4)]);
        assert_eq!((rest.take(at(299)), rest.take(at(300))), (None, Some(1)));
    }

    #[test]
    fn without_epochs_the_last_slot_comes_first() {
        let mut at_once = slots(Duration::ZERO);
        [4, 2].into_iter().for_each(|slot| at_once.add(slot, Time::ZERO));
        assert_eq!([0; 3].map(|_| at_once.take(Time::ZERO)), [Some(2), Some(4), None]);
    }
}
