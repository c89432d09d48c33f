//! Where end points are woken: by the timers of the run, or by those of the region at turn.

use dumbbell_core::Time;

use super::Engine;
use super::observer::Observer;
use super::share::Share;

impl<O: Observer, S: Share> Engine<O, S> {
    // All three are on the path of every packet.
    #[inline(always)]
    pub(super) fn arm_timer(&mut self, endpoint: u32, at: Time) {
        if let Some(regions) = self.network.share.regions() {
            regions.arm_endpoint(endpoint, at);
        } else if self.timers.arm(endpoint, at) {
            self.network.tree.set(self.owners.timers, at);
        }
    }

    #[inline(always)]
    pub(super) fn take_timer(&mut self, now: Time) -> Option<u32> {
        match self.network.share.regions() {
            Some(regions) => regions.take_timer(now),
            None => self.timers.take(now),
        }
    }

    #[inline(always)]
    pub(super) fn rearm_timers(&mut self) {
        match self.network.share.regions() {
            Some(regions) => regions.rearm_timers(),
            None => self.network.tree.set(self.owners.timers, self.timers.first()),
        }
    }
}
