//! What happens to packets and flows, in a form that simulated and real packets share, and the sinks that write it
//! down.
//!
//! Whoever watches a run tells a [`Trace`] what happens, in the order of time. The trace numbers the packets, reads
//! their fields once, and hands an [`Event`] to each [`Sink`].

mod event;
mod fields;
mod json;
mod numbers;
mod pcapng;
mod perfetto;
mod qlog;
mod real;
mod simulated;
mod sink;
#[cfg(test)]
mod tests;
mod text;
mod trace;
mod wire;

pub use event::{Connection, Content, Event, Flow, Happened, Link, Network, Seen, State, What};
pub use fields::{Feedback, Fields, Protocol};
pub use json::JsonLines;
pub use pcapng::{Capture, Pcapng};
pub use perfetto::Perfetto;
pub use qlog::Qlog;
pub use real::Ends;
pub use sink::Sink;
pub use text::Lines;
pub use trace::Trace;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
