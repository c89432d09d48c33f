//! Real packets through the simulator's links: the only crate with a clock and with input and output.

pub mod checksum;
pub mod clock;
pub mod device;
pub mod emulator;
pub mod frame;
pub mod lateness;
pub mod log;
pub mod namespace;
mod nest;
pub mod path;
mod port;
mod precise;
pub mod rcp;
pub mod shell;
pub mod waiting;

pub use frame::IpFrame;
