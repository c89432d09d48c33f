//! Random processing time before each segment, against phase effects: flows whose packets always meet a full DropTail
//! queue at the same point of its cycle (Floyd & Jacobson, Internetworking: Research and Experience 3(3), 1992; ns-2.35
//! tcp/tcp.cc: `overhead_`).

use dumbbell_core::rng::Stream;
use dumbbell_core::{Duration, Time};
use rand::RngExt;

/// The processing time of a sender's segments.
#[derive(Debug)]
pub(super) struct Overhead {
    longest: Duration,
    rng: Stream,
    /// When the segment in hand is ready; `None` if none is in hand.
    ready: Option<Time>,
}

impl Overhead {
    /// No overhead if the longest is zero.
    pub fn new(longest: Duration, rng: &Stream) -> Option<Box<Overhead>> {
        (!longest.is_zero()).then(|| Box::new(Overhead { longest, rng: rng.clone(), ready: None }))
    }

    /// When the next segment may leave that could leave at `now`: draws its time if it is not in hand yet.
    pub fn ready(&mut self, now: Time) -> Time {
        *self.ready.get_or_insert_with(|| now + self.longest.mul_f64(self.rng.random()))
    }

    /// The segment in hand has left.
    pub fn sent(&mut self) {
        self.ready = None;
    }
}
