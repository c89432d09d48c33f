//! Queue disciplines and links. A discipline decides; the link counts.

pub mod link;
pub mod queue;
pub mod ring;
