//! On-off: bursts of constant rate and silences.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{BitRate, ConfigError, Duration, Validate, config, words};
use rand_distr::{Distribution, Exp1};

use super::cbr::check_size;
use super::{Pacer, Schedule, Sink, Source};
use crate::transport::{Opening, Transport};

words! {
    /// How the lengths of bursts and silences are distributed.
    pub enum Periods { Exponential = "exponential", Fixed = "fixed" }
}

config! {
    /// Bursts of equal datagrams at equal distances, and silences.
    pub struct Params {
        /// Rate on the wire during a burst, headers included.
        rate: BitRate = "1Mbit/s", "choice: a tenth of the 10 Mbit/s dumbbell";
        /// Bytes of one datagram on the wire, headers included (28 bytes).
        packet_size: u16 = 1500, "RFC 894: the MTU of Ethernet";
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

/// Bursts that one packet may take: each is drawn.
const MOST_BURSTS: u64 = 10_000;

impl Algorithm for Params {
    const NAME: &'static str = "on-off";
    const TITLE: &'static str = "UDP source with bursts and silences";
    const REFERENCE: &'static str = "Brady, A model for generating on-off speech patterns, BSTJ 1969";
}

/// The departures. The time between two, counted in bursts alone, is that of the rate: it runs on over silences, so
/// that the mean rate is exactly `rate * mean_on / (mean_on + mean_off)`.
#[derive(Debug)]
pub struct Bursts {
    pacer: Pacer,
    size: u16,
    mean_on: Duration,
    mean_off: Duration,
    periods: Periods,
    /// Time left of the burst after the latest departure; `None` before the first burst.
    left: Option<Duration>,
}

impl Bursts {
    fn length(&self, mean: Duration, rng: &mut Stream) -> Duration {
        match self.periods {
            Periods::Fixed => mean,
            Periods::Exponential => {
                let unit: f64 = Exp1.sample(rng);
                mean.mul_f64(unit)
            }
        }
    }
}

impl Schedule for Bursts {
    fn next(&mut self, rng: &mut Stream) -> Option<(Duration, u16)> {
        let Some(mut left) = self.left else {
            self.left = Some(self.length(self.mean_on, rng));
            return Some((Duration::ZERO, self.size));
        };
        let mut burst = self.pacer.gap();
        let mut total = burst;
        while burst > left {
            burst -= left;
            total += self.length(self.mean_off, rng);
            left = self.length(self.mean_on, rng);
        }
        self.left = Some(left - burst);
        Some((total, self.size))
    }
}

impl Transport for Params {
    type Sender = Source<Bursts>;
    type Receiver = Sink;

    fn open(&self, opening: Opening) -> (Source<Bursts>, Sink) {
        let bursts = Bursts {
            pacer: Pacer::new(self.rate, self.packet_size),
            size: self.packet_size,
            mean_on: self.mean_on,
            mean_off: self.mean_off,
            periods: self.periods,
            left: None,
        };
        let sink = Sink::new(&opening);
        (Source::new(bursts, opening), sink)
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
