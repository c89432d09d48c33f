//! Protocols: congestion controllers, end points of TCP, RCP, TRUMP, TFRC, LTTP, NADA and UDP, policies of hosts. State machines only:
//! no clock, no network.

mod choice;
pub mod controller;
pub mod deviation;
#[cfg(test)]
mod forged;
pub mod host;
mod late;
pub mod laws;
pub mod lttp;
pub mod nada;
mod numbered;
mod pacer;
mod ranges;
pub mod rcp;
#[cfg(test)]
mod records;
#[cfg(test)]
mod refusals;
pub mod schedule;
pub mod tcp;
#[cfg(test)]
mod testing;
pub mod tfrc;
pub mod transport;
mod transports;
pub mod trump;
pub mod udp;
mod wheel;

pub use choice::{ControllerChoice, OwnLaw, interpret_with};
pub use controller::contract::Governs;
pub use controller::{
    AnyController, Class, Compiled, Control, Controller, ControllerSpec, ENTRIES, Entered, Estimate, Event,
    Governed, Library, Native, Needs, Rate, RateSample, Repair, Signals, Stand, absurd_windows, note_window,
};
pub use dumbbell_cc::header::text as controller_header;
pub use transport::{Failure, Granted, Opening, ReceiverReport, SenderReport};
pub use transports::{Receiver, Sender, TransportSpec};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
