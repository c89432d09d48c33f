//! What of a network the loop of an engine runs: the whole, or one part of it. The loop is compiled for either, so that a run in
//! one loop pays nothing for parts.

use dumbbell_core::{Packet, Time};

use super::regions::Regions;

/// Tables to which single events add rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rows {
    /// Dropped packets.
    Drops,
    /// States of controllers.
    States,
    /// Values that controllers go by.
    Estimates,
}

/// The share of a loop in a run.
pub trait Share {
    /// True if the loop runs one part of the network, and other loops the rest: see `engine/parts`.
    const IS_PART: bool;

    /// True if this part of the run handles what happens at a node.
    fn has_node(&self, node: u32) -> bool;

    /// True if packets enter a link in this part of the run.
    fn has_link(&self, link: u32) -> bool;

    /// True if what enters a link in this part of the run comes out in another.
    fn leads_out(&self, link: u32) -> bool;

    /// Takes a packet that has entered such a link.
    fn carry(&mut self, link: u32, packet: &Packet);

    /// The events of this part of the run, which are then not in the tree of the network.
    fn regions(&mut self) -> Option<&mut Regions>;

    /// The event of this owner begins at `now`; of the timers, that of this end point.
    fn begin(&mut self, now: Time, owner: u32, endpoint: u32);

    /// True if flows end in this run, and parts find out together which have.
    fn has_ends(&self) -> bool;

    /// A flow opens in a slot.
    fn open(&mut self, slot: u32);

    /// Takes note of an event of the flow in a slot, with which it may be over; `ended` if its sender has closed.
    fn touch(&mut self, slot: u32, ended: bool);

    /// The event at hand has added rows to a table, which has so many now.
    fn wrote(&mut self, table: Rows, rows: usize);
}

/// All of it.
#[derive(Debug)]
pub struct Whole;

impl Share for Whole {
    const IS_PART: bool = false;

    #[inline]
    fn has_node(&self, _: u32) -> bool {
        true
    }
    #[inline]
    fn has_link(&self, _: u32) -> bool {
        true
    }
    #[inline]
    fn leads_out(&self, _: u32) -> bool {
        false
    }
    #[inline]
    fn carry(&mut self, _: u32, _: &Packet) {}
    #[inline]
    fn regions(&mut self) -> Option<&mut Regions> {
        None
    }
    #[inline]
    fn begin(&mut self, _: Time, _: u32, _: u32) {}
    #[inline]
    fn has_ends(&self) -> bool {
        false
    }
    #[inline]
    fn open(&mut self, _: u32) {}
    #[inline]
    fn touch(&mut self, _: u32, _: bool) {}
    #[inline]
    fn wrote(&mut self, _: Rows, _: usize) {}
}
