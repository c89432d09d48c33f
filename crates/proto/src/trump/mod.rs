//! TRUMP end points: the source paces its packets at the rate that the routers on the way return.
//!
//! A set-up packet asks for the first rate, so data leaves one round-trip time after the start, at the full rate.
//! Packets are numbered from 0. The destination acknowledges one to sixteen of them at a time, each by name, and
//! returns the rate and the bottleneck of the newest. Error control and flow control are separate: losses are sent
//! again, and only routers change the rate.
//!
//! The state machines do not depend on the simulator: time is an argument and headers are [`TrumpHeader`], as on the
//! wire. Source: W. Toomey, A Rate-Based Congestion Control for Connectionless Packet-Switched Networks, UNSW, 1998.
//! What the parts that could be read leave open is a choice, marked where it is made.

mod params;
mod receiver;
mod sender;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use dumbbell_core::{HeaderKind, Registered};
use dumbbell_header::TrumpHeader;

pub use self::params::Params;
pub use self::receiver::Receiver;
pub use self::sender::Sender;
use crate::transport::{Opening, Transport};

impl Transport for Arc<Params> {
    type Sender = Sender;
    // In a box: it would make the flows of every transport larger.
    type Receiver = Box<Receiver>;

    fn open(&self, opening: Opening) -> (Sender, Box<Receiver>) {
        let receiver = Receiver::new(opening.flow, self, self.full(opening.mtu));
        (Sender::new(self.clone(), opening), Box::new(receiver))
    }

    fn wire_bytes(&self, payload: u64, mtu: u32) -> u64 {
        payload + u64::from(self.header) * payload.div_ceil(u64::from(self.segment(mtu)))
    }

    fn asks_routers(&self) -> Option<HeaderKind> {
        Some(TrumpHeader::KIND)
    }

    fn fits(&self, mtu: u32) -> Result<(), String> {
        let header = self.header;
        if mtu <= u32::from(header) {
            return Err(format!("headers of {header} B do not fit the path's MTU of {mtu} B; raise the MTU"));
        }
        Ok(())
    }
}
