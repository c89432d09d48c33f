//! The header of HPCC, which rides on the data segments of TCP.

use dumbbell_core::header::Words;
use dumbbell_core::{Header, HeaderKind, Registered};

use crate::exchange::{Asking, Feedback};
use crate::tcp::TcpHeader;

/// In-band telemetry of the busiest link on the way. The paper writes a record for each hop, from which the sender computes the use
/// of each; here routers compute it, and the header has the largest (PINT, Ben Basat et al., SIGCOMM 2020).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HpccHeader {
    /// The round-trip time of the empty network in seconds, which the sender knows; 0 if unknown.
    pub rtt: f64,
    /// The highest use of a link so far: what it sends and what waits, as a part of what it could send in that time.
    pub utilisation: f64,
}

impl Header for HpccHeader {
    const NAME: &'static str = "HPCC";
    const ON: Option<HeaderKind> = Some(TcpHeader::KIND);

    #[inline]
    fn unpack(words: &Words) -> HpccHeader {
        let [_, _, rtt, utilisation, _] = words.body.map(f64::from_bits);
        HpccHeader { rtt, utilisation }
    }

    #[inline]
    fn pack(&self, words: &mut Words) {
        words.body[2] = self.rtt.to_bits();
        words.body[3] = self.utilisation.to_bits();
    }
}

impl Feedback for HpccHeader {
    /// The controller asks with the round-trip time of the empty network, in nanoseconds.
    fn ask(asking: &Asking) -> HpccHeader {
        HpccHeader { rtt: asking.request as f64 / 1e9, utilisation: 0.0 }
    }

    /// The acknowledgement returns what the latest segment brings.
    fn gather(&self, _so_far: Option<f64>) -> f64 {
        self.utilisation
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use dumbbell_core::{Ecn, Frame, Packet};
    use proptest::num::f64::ANY;
    use proptest::prelude::*;

    use super::*;
    use crate::Exchange;

    pub(crate) fn any() -> impl Strategy<Value = HpccHeader> {
        (ANY, ANY).prop_map(|(rtt, utilisation)| HpccHeader { rtt, utilisation })
    }

    #[test]
    fn it_asks_with_a_round_trip_time_and_the_latest_answer_counts() {
        let mut segment = Packet::of(TcpHeader::default(), 0, 1000, Ecn::NotEct);
        let exchange = Exchange::of::<HpccHeader>();
        exchange.ask(&Asking { request: 10_000, rtt: 0.1, window: 100.0 }, &mut segment);
        assert_eq!(segment.read(), Some(HpccHeader { rtt: 1e-5, utilisation: 0.0 }));
        segment.write(&HpccHeader { rtt: 1e-5, utilisation: 0.7 });
        assert_eq!(exchange.gather(&segment, Some(1.9)), Some(0.7));
    }
}
