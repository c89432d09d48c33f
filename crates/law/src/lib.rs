//! Congestion controllers as byte code.
//!
//! The front end in Python compiles a class of the user to an image. [`Program::read`] treats an image as hostile: what it accepts
//! cannot read or write outside its own words, and ends. A [`Machine`] is one connection under a program; it answers the events of
//! [`dumbbell_cc`] as any controller does.
//!
//! The machine has words of 64 bits. State, parameters, constants and locals are all words, so that most instructions name three
//! words and nothing else. Arithmetic wraps, division by zero gives zero ([`math`]).

#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod code;
mod image;
mod machine;
pub mod math;

pub use code::{CONTROL, Op, SENT, SIGNALS, sent_numbers, signal_numbers};
pub use image::{Program, Unfit};
pub use machine::Machine;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
