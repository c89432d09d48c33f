//! What a sender that paces its packets makes up for when its driver wakes it late. A simulation never does.

use dumbbell_core::{Duration, Time};

/// So many packets, and no more than so long.
const PACKETS: u64 = 4;
const TIME: Duration = Duration::from_millis(1);

/// When a packet that was due at `due`, and leaves at `now`, counts as having left; packets are `interval` apart.
#[inline]
pub fn departure(now: Time, due: Time, interval: Duration) -> Time {
    let late = (interval * PACKETS).min(TIME);
    due.max(Time::ZERO + now.since(Time::ZERO + late))
}
