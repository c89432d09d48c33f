//! Queue disciplines, router agents and links. A discipline decides; the link counts.

pub mod impairment;
pub mod link;
pub mod power;
pub mod queue;
pub mod ring;
pub mod router;
