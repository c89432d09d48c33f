//! The timeouts of a connection by their causes: what is kept. How they are told apart is in `sender/causes.rs`.

use dumbbell_core::{Duration, Time};

use crate::transport::TimeoutCauses;

/// What one timeout was due to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// Nothing of a window was seen to arrive.
    FullWindow,
    /// What was missing was the end of a transfer.
    Tail,
    /// The first missing segment had been sent again.
    Resent,
    /// Something arrived behind the missing segment, in the middle of a transfer: too little for a fast retransmit.
    Other,
}

/// The timeouts of a connection by their causes. Made with the first timeout, or the first transfer that is added.
#[derive(Clone, Debug, Default)]
pub struct Causes {
    /// How many there were.
    pub counts: TimeoutCauses,
    /// Where the transfer in progress begins.
    pub began: u64,
    /// What the timer expired for is sent again up to here.
    pub repair_end: u64,
    /// The latest timeout, as long as it may turn out to be spurious.
    pub latest: Option<Cause>,
    /// When it was, until new data is acknowledged.
    pub at: Option<Time>,
    /// Those before it for which no new data was acknowledged, and when they were.
    pub before: Vec<(Cause, Time)>,
    /// Timeouts after which an acknowledgement came sooner than any before, and how soon.
    pub early: Vec<(Cause, Duration)>,
}

impl Cause {
    /// The number of timeouts of this cause.
    pub fn of(self, counts: &mut TimeoutCauses) -> &mut u32 {
        match self {
            Cause::FullWindow => &mut counts.full_window,
            Cause::Tail => &mut counts.tail,
            Cause::Resent => &mut counts.resent,
            Cause::Other => &mut counts.other,
        }
    }
}
