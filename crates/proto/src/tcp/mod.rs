//! TCP: the two ends of a connection that carries data one way.
//!
//! Sequence numbers are offsets into the stream of application bytes, 64 bits wide: they never wrap, and the first
//! byte has number 0. Only its flag shows a SYN; a FIN takes the number after the last byte. Segments are full, except the last of a write
//! and parts at the end of the receive window.

mod account;
mod accurate;
#[cfg(test)]
mod accurate_tests;
mod acks;
mod allowance;
#[cfg(test)]
mod bsd_tests;
#[cfg(test)]
mod bursts_tests;
mod causes;
mod cheat;
#[cfg(test)]
mod cheat_tests;
#[cfg(test)]
mod contract_tests;
mod disorder;
#[cfg(test)]
mod fack_tests;
#[cfg(test)]
mod kernel_tests;
mod memory;
#[cfg(test)]
mod node_tests;
mod overhead;
mod params;
#[cfg(test)]
mod params_tests;
mod profile;
mod rack;
mod reading;
#[cfg(test)]
mod reading_tests;
mod receiver;
mod rtt;
#[cfg(test)]
mod sack_tests;
mod scoreboard;
mod send_buffer;
mod sender;
mod spread;
mod stamps;
#[cfg(test)]
mod tests;
mod ticks;
#[cfg(test)]
mod write_tests;
mod writer;

use std::sync::Arc;

use dumbbell_core::HeaderKind;

pub use self::accurate::{Counted, Counts};
pub use self::acks::Pressure;
pub use self::memory::memory;
pub use self::params::{HEADER, Nagle, Params, TIMESTAMPS};
pub use self::rack::State;
pub use self::receiver::Receiver;
pub use self::sender::{Handshake, Info, Sender};
#[cfg(test)]
use crate::controller::AnyController;
use crate::controller::Needs;
use crate::transport::{Opening, Transport};

/// The two ends of a connection under a controller made by a test.
#[cfg(test)]
pub(crate) fn probed(
    controller: AnyController,
    needs: Needs,
    params: Arc<Params>,
    opening: &Opening,
) -> (Sender, Receiver) {
    let mut receiver = Receiver::new(params.clone(), opening);
    receiver.exact |= needs.any(Needs::ECHOES);
    (Sender::under(controller, needs, params, opening), receiver)
}

impl Transport for Arc<Params> {
    type Sender = Sender;
    type Receiver = Receiver;

    fn open(&self, opening: Opening) -> (Sender, Receiver) {
        (Sender::new(self.clone(), &opening), Receiver::new(self.clone(), &opening))
    }

    fn draws(&self) -> Vec<&'static str> {
        let all = [
            ("processing times", !self.overhead.is_zero()),
            ("clocks of timers", !self.rto_tick.is_zero()),
            ("delays of timeouts", self.rto_spread > 0.0),
            ("choices of the controller", self.controller.needs().any(Needs::RANDOM)),
        ];
        all.into_iter().filter(|(_, draws)| *draws).map(|(what, _)| what).collect()
    }

    fn controller(&self) -> Option<&'static str> {
        Some(self.controller.name())
    }

    fn wire_bytes(&self, payload: u64, mtu: u32) -> u64 {
        payload + u64::from(self.header()) * payload.div_ceil(u64::from(self.segment(mtu)))
    }

    fn asks_routers(&self) -> Option<HeaderKind> {
        self.controller.exchange().map(|exchange| exchange.kind())
    }

    fn serves_applications(&self) -> bool {
        true
    }

    fn fits(&self, mtu: u32) -> Result<(), String> {
        let header = self.header();
        if mtu <= header {
            return Err(format!("headers of {header} B do not fit the path's MTU of {mtu} B; raise the MTU"));
        }
        Ok(())
    }

    fn kept_open(&self) -> Option<Arc<Params>> {
        Some(Arc::new(Params { fin: false, ..Params::clone(self) }))
    }
}
