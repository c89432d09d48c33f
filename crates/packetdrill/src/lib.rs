//! The library that packetdrill loads in place of a kernel (`--so_filename`): sockets over the TCP of `dumbbell`, in virtual
//! time. `abi` is the table of functions that packetdrill calls; all else is safe code that knows no pointers.

mod abi;
mod connection;
mod info;
mod push;
mod settings;
pub mod stack;
#[cfg(test)]
mod tests;
pub mod wire;
