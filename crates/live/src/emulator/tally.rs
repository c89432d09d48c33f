//! What happened in one direction of the emulated link.

use dumbbell_core::{DropReason, Time};
use dumbbell_net::link::{Counters, PerClass};
use dumbbell_net::power::Ledger;
use dumbbell_sim::histogram::Histogram;

use crate::clock::lateness::Lateness;

/// What happened in one direction.
#[derive(Debug, Default)]
pub struct Tally {
    /// How late each packet left.
    pub lateness: Lateness,
    /// How long each packet waited, at most, before it was read.
    pub unread: Lateness,
    /// Packets that came out of the link.
    pub delivered: u64,
    /// Those of the warm-up.
    pub delivered_before: u64,
    /// Packets that routers originated.
    pub originated: Originated,
    /// Those of the warm-up.
    pub originated_before: Originated,
    /// Packets that have come to the link and were neither delivered nor dropped at the end.
    pub inside: u64,
    /// Bytes handed to the far end.
    pub written_bytes: u64,
    /// Bytes that the link lost on the wire, as it is to do.
    pub lost_bytes: u64,
    /// Packets that the far end did not take.
    pub refused: u64,
    /// Input that was no packet, or too long for the path.
    pub malformed: u64,
    /// The queue in packets, sampled.
    pub queue: Histogram,
    /// Counters at the end of the warm-up.
    pub baseline: Counters,
    /// Counters at the end.
    pub total: Counters,
    /// What the link's port did after the warm-up, if it is under power control.
    pub account: Option<Ledger>,
    /// What was counted of each traffic class after the warm-up, if the link tells them apart.
    pub classes: Option<PerClass>,
    /// The largest average length that the queue decided by, if it decides so.
    pub average: Option<f64>,
    /// Samples, in order.
    pub samples: Vec<Sample>,
    /// Drops, in order.
    pub drops: Vec<Dropped>,
}

/// Packets that routers originated, in one direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Originated {
    /// Into the link.
    pub entered: u64,
    /// At its far end.
    pub behind: u64,
}

/// A packet that a link gave up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dropped {
    /// When.
    pub at: Time,
    /// Its traffic class.
    pub class: u8,
    /// Bytes, headers included.
    pub size: u32,
    /// Why.
    pub reason: DropReason,
}

/// One direction at one time; counts from the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sample {
    /// When.
    pub at: Time,
    /// Packets in the queue, the one in transmission included.
    pub backlog: u64,
    /// Bytes that the link has sent.
    pub sent_bytes: u64,
    /// Bytes that the far end has taken, and those that the link lost on the wire.
    pub arrived_bytes: u64,
    /// Packets dropped.
    pub dropped: u64,
}
