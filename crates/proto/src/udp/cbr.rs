//! Constant bit rate.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{BitRate, ConfigError, Duration, Validate, config};

use super::{HEADER, Schedule, Sink, Source};
use crate::pacer::Pacer;
use crate::transport::{Opening, Transport};

config! {
    /// Equal datagrams at equal distances.
    pub struct Params {
        /// Rate on the wire, headers included.
        rate: BitRate = "1Mbit/s", "choice: a tenth of the 10 Mbit/s dumbbell";
        /// Bytes of one datagram on the wire, headers included (28 bytes).
        packet_size: u16 as "bytes" = 1500, "RFC 894: the MTU of Ethernet";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_size(self.packet_size, at)
    }
}

/// Refuses datagrams without a payload.
pub(super) fn check_size(packet_size: u16, at: &At<'_>) -> Result<(), ConfigError> {
    if u32::from(packet_size) <= HEADER {
        let at = at.key("packet_size");
        return Err(at.error(format!("{packet_size} B leave no payload"), "give more than 28 bytes"));
    }
    Ok(())
}

impl Algorithm for Params {
    const NAME: &'static str = "cbr";
    const TITLE: &'static str = "UDP source of constant bit rate";
    const REFERENCE: &'static str = "RFC 768";
}

/// The departures: the first at the flow's start.
#[derive(Debug)]
pub struct Constant {
    pacer: Pacer,
    size: u16,
    started: bool,
}

impl Schedule for Constant {
    fn next(&mut self, _rng: &mut Stream) -> Option<(Duration, u16)> {
        let gap = if self.started { self.pacer.gap() } else { Duration::ZERO };
        self.started = true;
        Some((gap, self.size))
    }
}

impl Transport for Params {
    type Sender = Source<Constant>;
    type Receiver = Sink;

    fn open(&self, opening: Opening) -> (Source<Constant>, Sink) {
        let pacer = Pacer::new(self.rate, self.packet_size.into());
        let sink = Sink::new(&opening);
        (Source::new(Constant { pacer, size: self.packet_size, started: false }, opening), sink)
    }

    fn offered_rate(&self) -> Option<f64> {
        Some(self.rate.as_bps() as f64)
    }

    fn wire_bytes(&self, payload: u64, _mtu: u32) -> u64 {
        super::wire_bytes(payload, self.packet_size)
    }

    fn fits(&self, mtu: u32) -> Result<(), String> {
        super::fits(self.packet_size, mtu)
    }
}
