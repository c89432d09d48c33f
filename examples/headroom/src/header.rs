//! Headroom: in-band telemetry. Data segments collect how much room the tightest link on their way has.

use dumbbell_core::header::Words;
use dumbbell_core::{Header, HeaderKind, Registered};

use dumbbell_header::{Asking, Feedback, TcpHeader};

/// What a data segment collects.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HeadroomHeader {
    /// The share of its rate that the tightest link so far has to spare; below zero if it has too much to do.
    pub share: f64,
    /// The sender's round-trip time in seconds; 0 if unknown.
    pub rtt: f64,
}

/// A number from 12 to 15: those below are the project's own.
impl Registered for HeadroomHeader {
    const KIND: HeaderKind = HeaderKind::new(12, HeadroomHeader::ON);
}

impl Header for HeadroomHeader {
    const NAME: &'static str = "headroom";
    const ON: Option<HeaderKind> = Some(TcpHeader::KIND);

    #[inline]
    fn unpack(words: &Words) -> HeadroomHeader {
        let [_, _, share, rtt, _] = words.body.map(f64::from_bits);
        HeadroomHeader { share, rtt }
    }

    #[inline]
    fn pack(&self, words: &mut Words) {
        words.body[2] = self.share.to_bits();
        words.body[3] = self.rtt.to_bits();
    }
}

impl Feedback for HeadroomHeader {
    fn ask(asking: &Asking) -> HeadroomHeader {
        HeadroomHeader { share: 1.0, rtt: asking.rtt }
    }

    fn gather(&self, so_far: Option<f64>) -> f64 {
        so_far.unwrap_or(self.share).min(self.share)
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::{Ecn, Frame, Packet};

    use super::*;

    #[test]
    fn it_rides_on_tcp_and_comes_back_the_same() {
        let mut packet = Packet::of(TcpHeader::default(), 1, 1500, Ecn::NotEct);
        packet.attach(&HeadroomHeader { share: -0.25, rtt: 0.05 });
        assert_eq!(packet.read(), Some(HeadroomHeader { share: -0.25, rtt: 0.05 }));
        assert_eq!(packet.read(), Some(TcpHeader::default()));
    }
}
