//! On-off: bursts of constant rate and silences.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{BitRate, ConfigError, Duration, Validate, config};

use super::cbr::check_size;
use super::{Schedule, Sink, Source};
use crate::pacer::{Bursts, MOST_BURSTS, Pacer, Periods};
use crate::transport::{Opening, Transport};

config! {
    /// Bursts of equal datagrams at equal distances, and silences.
    pub struct Params {
        /// Rate on the wire during a burst, headers included.
        rate: BitRate = "1Mbit/s", "choice: a tenth of the 10 Mbit/s dumbbell";
        /// Bytes of one datagram on the wire, headers included (28 bytes).
        packet_size: u16 as "bytes" = 1500, "RFC 894: the MTU of Ethernet";
        /// Mean length of a burst.
        mean_on: Duration = "500ms", "ns-2.35 tcl/lib/ns-default.tcl: burst_time_ of exponential traffic";
        /// Mean length of a silence.
        mean_off: Duration = "500ms", "ns-2.35 tcl/lib/ns-default.tcl: idle_time_ of exponential traffic";
        /// Distribution of both lengths: `exponential` or `fixed`.
        periods: Periods = "exponential", "choice: the memoryless model of talk spurts";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.mean_on < Duration::from_micros(1) {
            let message = format!("bursts of {} are shorter than any packet", self.mean_on);
            return Err(at.key("mean_on").error(message, "give a microsecond or more"));
        }
        check_size(self.packet_size, at)?;
        if self.mean_on * MOST_BURSTS < self.rate.time_to_send(self.packet_size.into()) {
            let message = format!(
                "bursts of {} at {} need more than {MOST_BURSTS} for a packet",
                self.mean_on, self.rate
            );
            return Err(at.key("mean_on").error(message, "give longer bursts or a higher rate"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "on-off";
    const TITLE: &'static str = "UDP source with bursts and silences";
    const REFERENCE: &'static str = "Brady, A model for generating on-off speech patterns, BSTJ 1969";
}

/// The departures.
#[derive(Debug)]
pub struct Datagrams {
    bursts: Bursts,
    size: u16,
}

impl Schedule for Datagrams {
    fn next(&mut self, rng: &mut Stream) -> Option<(Duration, u16)> {
        Some((self.bursts.gap(rng), self.size))
    }
}

impl Transport for Params {
    type Sender = Source<Datagrams>;
    type Receiver = Sink;

    fn open(&self, opening: Opening) -> (Source<Datagrams>, Sink) {
        let pacer = Pacer::new(self.rate, self.packet_size.into());
        let bursts = Bursts::new(pacer, self.mean_on, self.mean_off, self.periods);
        let sink = Sink::new(&opening);
        (Source::new(Datagrams { bursts, size: self.packet_size }, opening), sink)
    }

    fn draws(&self) -> Vec<&'static str> {
        if self.periods == Periods::Exponential { vec!["bursts"] } else { Vec::new() }
    }

    fn offered_rate(&self) -> Option<f64> {
        let (on, off) = (self.mean_on.as_secs_f64(), self.mean_off.as_secs_f64());
        Some(self.rate.as_bps() as f64 * on / (on + off))
    }

    fn wire_bytes(&self, payload: u64, _mtu: u32) -> u64 {
        super::wire_bytes(payload, self.packet_size)
    }

    fn fits(&self, mtu: u32) -> Result<(), String> {
        super::fits(self.packet_size, mtu)
    }
}
