//! The contract of congestion controllers, for any transport and any language.
//!
//! A transport calls a controller at every [`Event`]. The controller reads [`Signals`] and writes a [`Control`]; it never sees the
//! connection. Everything is an integer, and every struct is a plain C struct: sizes are bytes, times nanoseconds, rates
//! [`Rate`]s in units of 2^-20 bytes a second. A controller in Rust implements [`Controller`]. One in another language is a [`Law`], a
//! table of functions that a library exports as `dumbbell_law`; `controller.h`, which is generated from this crate, declares it.
//!
//! The crate has no dependency and needs no standard library, but `alloc` for controllers in boxes.

#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod account;
mod contract;
mod declare;
pub mod header;
mod law;
mod needs;
mod random;
mod rate;
mod time;

pub use account::{ACCOUNT, Account, Quantity, Standing, Told};
pub use contract::{
    Class, Control, Controller, Entered, Estimate, Event, Exchange, RateSample, Repair, Sent, Signals, Stand,
};
pub use law::{ABI, Declared, Law, MAX_STATE, MOST_TOLD, Refusal, SYMBOL};
pub use needs::Needs;
pub use random::Random;
pub use rate::Rate;
pub use time::{Duration, Time};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
