//! The header of TFRC: what data packets and feedback packets say (RFC 5348 section 3.2), and which object they belong to.

use dumbbell_core::header::Words;
use dumbbell_core::{Duration, Header, Time};

/// What a packet of TFRC is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum TfrcKind {
    /// A data packet.
    #[default]
    Data = 0,
    /// The receiver's report.
    Feedback = 1,
    /// The receiver has all that it needs of an object.
    Stop = 2,
}

impl TfrcKind {
    /// The kind of this number; data for a number that means nothing.
    pub const fn of(number: u8) -> TfrcKind {
        match number {
            1 => TfrcKind::Feedback,
            2 => TfrcKind::Stop,
            _ => TfrcKind::Data,
        }
    }
}

/// A header of TFRC.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct TfrcHeader {
    /// What the packet is for.
    pub kind: TfrcKind,
    /// The object that it belongs to, modulo 2^16.
    pub object: u16,
    /// The number of the data packet in its flow, from 0.
    pub number: u64,
    /// In data: when it left. In feedback: that of the last data packet that arrived.
    pub sent: Time,
    /// In data: the sender's round-trip time, zero before it knows one. In feedback: time since that packet arrived.
    pub delay: Duration,
    /// In feedback: the rate at which data arrived, in bytes a second.
    pub received: f64,
    /// In feedback: the loss event rate.
    pub loss: f64,
}

impl Header for TfrcHeader {
    const NAME: &'static str = "TFRC";

    #[inline]
    fn unpack(words: &Words) -> TfrcHeader {
        let [number, sent, delay, received, loss] = words.body;
        TfrcHeader {
            kind: TfrcKind::of(words.flags),
            object: words.aux,
            number,
            sent: Time::from_nanos(sent),
            delay: Duration::from_nanos(delay),
            received: f64::from_bits(received),
            loss: f64::from_bits(loss),
        }
    }

    #[inline]
    fn pack(&self, words: &mut Words) {
        words.flags = self.kind as u8;
        words.aux = self.object;
        words.body = [
            self.number,
            self.sent.as_nanos(),
            self.delay.as_nanos(),
            self.received.to_bits(),
            self.loss.to_bits(),
        ];
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(crate) fn any() -> impl Strategy<Value = TfrcHeader> {
        (0..3_u8, proptest::prelude::any::<(u16, u64, u64, u64, f64, f64)>()).prop_map(
            |(kind, (object, number, sent, delay, received, loss))| TfrcHeader {
                kind: TfrcKind::of(kind),
                object,
                number,
                sent: Time::from_nanos(sent),
                delay: Duration::from_nanos(delay),
                received,
                loss,
            },
        )
    }
}
