//! Real packets through the simulator's links: the only crate with a clock and with input and output.
//!
//! Its namespaces, TUN devices and timers are those of Linux: elsewhere it is empty.

#![cfg(target_os = "linux")]

pub mod clock;
pub mod emulator;
pub mod endpoint;
pub mod frame;
pub mod namespace;
pub mod shell;

pub use frame::IpFrame;
