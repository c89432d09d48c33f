//! RCP end points: the sender paces its packets at the rate that routers wrote into the answer to its latest packet.
//!
//! Packets are numbered from 0. A SYN asks for the first rate, so data leaves one round-trip time after the start, at the
//! full rate. Every packet that arrives is answered with a cumulative acknowledgement, 64 bits of selective ones and the
//! rate. If routers offer a sender no rate, it asks again at
//! growing intervals, and never stops without an error.
//!
//! The state machines do not depend on the simulator: time is an argument and headers are [`RcpHeader`], as on the wire.

mod params;
mod receiver;
mod sender;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use dumbbell_core::{HeaderKind, Registered};
use dumbbell_header::RcpHeader;

pub use self::params::{Compat, Params};
pub use self::receiver::Receiver;
pub use self::sender::Sender;
use crate::transport::{Opening, Transport};

impl Transport for Arc<Params> {
    type Sender = Sender;
    type Receiver = Receiver;

    fn open(&self, opening: Opening) -> (Sender, Receiver) {
        let receiver = Receiver::new(opening.flow, self.header);
        (Sender::new(self.clone(), opening), receiver)
    }

    fn draws(&self) -> Vec<&'static str> {
        vec!["times of probes"]
    }

    fn wire_bytes(&self, payload: u64, mtu: u32) -> u64 {
        payload + u64::from(self.header) * payload.div_ceil(u64::from(self.segment(mtu)))
    }

    fn asks_routers(&self) -> Option<HeaderKind> {
        self.desired.is_none().then_some(RcpHeader::KIND)
    }

    fn fits(&self, mtu: u32) -> Result<(), String> {
        let header = self.header;
        if mtu <= u32::from(header) {
            return Err(format!("headers of {header} B do not fit the path's MTU of {mtu} B; raise the MTU"));
        }
        Ok(())
    }
}
