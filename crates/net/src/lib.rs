//! Queue disciplines, router agents, link impairments, power policies and links. A discipline decides which packets to
//! drop; the link counts them.

pub mod buffer;
pub mod impairment;
pub mod link;
pub mod marker;
pub mod node;
mod own;
pub mod pause;
pub mod power;
pub mod queue;
#[cfg(test)]
mod records;
#[cfg(test)]
mod refusals;
pub mod ring;
pub mod router;
mod serializer;
mod token_bucket;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
