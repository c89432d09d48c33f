//! The header of a datagram, as far as a simulation needs it.

use dumbbell_core::header::Words;
use dumbbell_core::{Header, Time};

/// A datagram's number and when it was sent, which stand in its payload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UdpHeader {
    /// The number of the datagram in its flow, from 0.
    pub number: u64,
    /// When it was sent.
    pub sent: Time,
}

impl Header for UdpHeader {
    const NAME: &'static str = "UDP";

    #[inline]
    fn unpack(words: &Words) -> UdpHeader {
        UdpHeader { number: words.body[0], sent: Time::from_nanos(words.body[1]) }
    }

    #[inline]
    fn pack(&self, words: &mut Words) {
        words.body[0] = self.number;
        words.body[1] = self.sent.as_nanos();
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(crate) fn any() -> impl Strategy<Value = UdpHeader> {
        (proptest::num::u64::ANY, 0..u64::MAX)
            .prop_map(|(number, sent)| UdpHeader { number, sent: Time::from_nanos(sent) })
    }
}
