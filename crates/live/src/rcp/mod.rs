//! RCP end points over UDP: the state machines of the simulator, driven by a socket and a clock.
//!
//! [`Senders`] and [`Receivers`] use neither: datagrams and times are arguments, so that tests can fuzz and replay them.
//! [`run`] moves datagrams between them and a [`socket`]. Sizes are those of IP packets: the 48 bytes of the header of RCP
//! ([`dumbbell_header::rcp`]), the payload, and the headers of UDP and IP.

pub mod events;
mod receive;
pub mod replay;
pub mod run;
mod send;
mod socket;
#[cfg(test)]
mod tests;

pub use receive::Receivers;
pub use send::Senders;

/// The UDP port that receivers listen at without another; in the range that IANA leaves to private use.
pub const PORT: u16 = 52_430;

/// Bytes of the headers of a packet over IPv4: those of IPv4 (RFC 791) and UDP (RFC 768), and that of RCP.
pub const HEADERS: u32 = 28 + dumbbell_header::RcpHeader::LENGTH as u32;

/// What came and was not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct Counts {
    /// Datagrams without a whole header of RCP.
    pub malformed: u64,
    /// Headers that belong to no flow.
    pub stray: u64,
    /// Headers that made no sense to the state machine of their flow.
    pub ignored: u64,
    /// Flows that found no room.
    pub refused: u64,
    /// Datagrams that the kernel did not take.
    pub unsent: u64,
}
