//! Real packets through the simulator's links: the only crate with a clock and with input and output.

pub mod clock;
pub mod emulator;
pub mod endpoint;
pub mod frame;
pub mod namespace;
pub mod shell;

pub use frame::IpFrame;
