//! Results to compare simulations with: offline optima, exact processor sharing, closed forms. Pure functions.

pub mod arrivals;
pub mod envelope;
pub mod max_min;
pub mod rate;
pub mod sharing;
pub mod sleep;

pub use arrivals::{Arrival, TheoryError};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
