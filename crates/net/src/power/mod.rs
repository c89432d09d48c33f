//! Power control of a port: which rate it is set to, and when it sleeps.
//!
//! A policy decides; the [`Port`] does what every policy has in common: the pause of a transition, the guard between two,
//! the packet in transmission, waking, and the exact account of time in each state. Both are sans-IO state machines.

mod description;
mod ledger;
mod model;
pub mod policy;
mod port;
pub mod predictor;
mod rates;
mod shaper;

#[cfg(test)]
mod laws;

pub use description::{GuardFrom, InService, Power, Start};
pub use ledger::{Ledger, Span, State};
pub use model::{Below, Model, PausePower, Scaling};
pub use policy::{Placement, PolicySpec};
pub use port::{Moment, Port};
pub use rates::{Grid, Rates, Spacing};
pub use shaper::Shaper;
