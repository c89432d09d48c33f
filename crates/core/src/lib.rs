//! The vocabulary of `dumbbell`: the types that all other crates share.
//!
//! Time, quantities and their units, packets, verdicts, random streams, the configuration schema
//! and the declarations of the result tables. This crate has no clock and no simulator, and no input
//! or output outside `testing`.

pub mod class;
pub mod config;
pub mod ends;
pub mod header;
pub mod memory;
pub mod packet;
pub mod quantity;
pub mod registry;
pub mod results;
pub mod rng;
pub mod series;
pub mod stage;
pub mod statistics;
pub mod table;
#[doc(hidden)]
pub mod testing;
pub mod times;
pub mod value;
pub mod verdict;

/// `serde_json`, re-exported for the code that [`config!`] and [`registry!`] expand to.
pub use serde_json as json;

pub use class::{ClassSet, TrafficClass};
pub use config::{Config, ConfigError, Validate};
pub use dumbbell_cc::{Duration, Time};
pub use ends::FlowEnds;
pub use header::{Header, HeaderKind, Registered};
pub use packet::{Ecn, FlowTag, Frame, Packet, Way};
pub use quantity::{BitRate, Bytes, Probability, QueueLimit};
pub use results::Results;
pub use stage::Stage;
pub use statistics::Statistics;
pub use times::Times;
pub use value::Value;
pub use verdict::{DropReason, MarkReason, VerdictSink};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
