//! The header of NADA: what a packet of media says for the receiver's measurements, and the receiver's report
//! (RFC 8698 section 5.3).

use dumbbell_core::header::Words;
use dumbbell_core::{Duration, Header, Time};

/// What a packet of NADA is for. A report gives the mode in which the sender shall set its rate (RFC 8698 section 4.2: rmode).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum NadaKind {
    /// Media.
    #[default]
    Media = 0,
    /// A report from a path without losses and without a queue: accelerated ramp-up.
    RampUp = 1,
    /// A report that asks for gradual changes.
    Gradual = 2,
}

impl NadaKind {
    /// The kind of this number; media for a number that means nothing.
    pub const fn of(number: u8) -> NadaKind {
        match number {
            1 => NadaKind::RampUp,
            2 => NadaKind::Gradual,
            _ => NadaKind::Media,
        }
    }
}

/// A header of NADA.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct NadaHeader {
    /// What the packet is for.
    pub kind: NadaKind,
    /// The number of the packet of media in its flow, from 0. In reports: that of the last that arrived.
    pub number: u64,
    /// When that packet left.
    pub sent: Time,
    /// In reports: time since that packet arrived.
    pub delay: Duration,
    /// In reports: the rate at which media arrived, in bits a second (`r_recv`).
    pub received: f64,
    /// In reports: the aggregate congestion signal, in milliseconds (`x_curr`).
    pub congestion: f64,
}

impl Header for NadaHeader {
    const NAME: &'static str = "NADA";

    #[inline]
    fn unpack(words: &Words) -> NadaHeader {
        let [number, sent, delay, received, congestion] = words.body;
        NadaHeader {
            kind: NadaKind::of(words.flags),
            number,
            sent: Time::from_nanos(sent),
            delay: Duration::from_nanos(delay),
            received: f64::from_bits(received),
            congestion: f64::from_bits(congestion),
        }
    }

    #[inline]
    fn pack(&self, words: &mut Words) {
        words.flags = self.kind as u8;
        words.body = [
            self.number,
            self.sent.as_nanos(),
            self.delay.as_nanos(),
            self.received.to_bits(),
            self.congestion.to_bits(),
        ];
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(crate) fn any() -> impl Strategy<Value = NadaHeader> {
        (0..3_u8, proptest::prelude::any::<(u64, u64, u64, f64, f64)>()).prop_map(
            |(kind, (number, sent, delay, received, congestion))| NadaHeader {
                kind: NadaKind::of(kind),
                number,
                sent: Time::from_nanos(sent),
                delay: Duration::from_nanos(delay),
                received,
                congestion,
            },
        )
    }
}
