//! The library that packetdrill loads instead of a kernel (`--so_filename`): sockets over the TCP of `dumbbell`, in virtual
//! time. `abi` is the table of functions that packetdrill calls; all else is safe code that knows no pointers.
//!
//! Numbers of errors and options are those of Linux, as in the scripts: elsewhere it is empty.

#![cfg(target_os = "linux")]

mod abi;
mod accurate;
mod connection;
mod epoll;
mod inbox;
mod info;
mod lacks;
mod messages;
mod options;
mod push;
mod room;
mod settings;
pub mod stack;
pub mod stream;
#[cfg(test)]
mod tests;
pub mod wire;
