//! What of a network the loop of an engine runs: the whole, or one part of it. The loop is compiled for either, so that a run in
//! one loop pays nothing for parts.

use dumbbell_core::Packet;

use super::regions::Regions;

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
}
