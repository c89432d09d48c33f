//! Poisson departures.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{BitRate, ConfigError, Duration, Validate, config};
use rand_distr::{Distribution, Exp1};

use super::cbr::check_size;
use super::{Schedule, Sink, Source};
use crate::transport::{Opening, Transport};

config! {
    /// Equal datagrams at independent, exponentially distributed distances.
    pub struct Params {
        /// Mean rate on the wire, headers included.
        rate: BitRate = "1Mbit/s", "choice: a tenth of the 10 Mbit/s dumbbell";
        /// Bytes of one datagram on the wire, headers included (28 bytes).
        packet_size: u16 as "bytes" = 1500, "RFC 894: the MTU of Ethernet";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_size(self.packet_size, at)?;
        // Distances are whole nanoseconds: if nearly all were rounded to none, time would stand still.
        if self.mean_gap() < 1.0 {
            let message =
                format!("{} is more than a packet of {} B in a nanosecond", self.rate, self.packet_size);
            return Err(at.key("rate").error(message, "give a lower rate or larger packets"));
        }
        Ok(())
    }
}

impl Params {
    /// In nanoseconds.
    fn mean_gap(&self) -> f64 {
        f64::from(self.packet_size) * 8e9 / self.rate.as_bps() as f64
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "poisson";
    const TITLE: &'static str = "UDP source with Poisson departures";
    const REFERENCE: &'static str = "Kleinrock, Queueing Systems, volume 1, section 2.4";
}

/// The departures: memoryless, so that the first is one gap after the flow's start.
#[derive(Debug)]
pub struct Memoryless {
    /// Mean gap in nanoseconds.
    mean: f64,
    size: u16,
}

impl Schedule for Memoryless {
    fn next(&mut self, rng: &mut Stream) -> Option<(Duration, u16)> {
        let unit: f64 = Exp1.sample(rng);
        Some((Duration::from_nanos((unit * self.mean).round() as u64), self.size))
    }
}

impl Transport for Params {
    type Sender = Source<Memoryless>;
    type Receiver = Sink;

    fn open(&self, opening: Opening) -> (Source<Memoryless>, Sink) {
        let sink = Sink::new(&opening);
        (Source::new(Memoryless { mean: self.mean_gap(), size: self.packet_size }, opening), sink)
    }

    fn draws(&self) -> Vec<&'static str> {
        vec!["gaps"]
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
