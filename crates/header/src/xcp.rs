//! The header of XCP, which rides on the data segments of TCP.

use dumbbell_core::header::Words;
use dumbbell_core::{Header, HeaderKind, Registered};

use crate::exchange::{Asking, Feedback};
use crate::tcp::TcpHeader;

/// What a data segment tells the routers on its way, and what they answer. Fields as in ns-2.35 (`xcp-end-sys.h`), which
/// states feedback as a change of rate where the paper states a change of window.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct XcpHeader {
    /// The sender's time between packets, in seconds: round-trip time by packets in the window.
    pub spacing: f64,
    /// The sender's round-trip time in seconds; 0 if unknown.
    pub rtt: f64,
    /// The change of rate in bytes a second: what the sender asks for, and the least that a router on the way granted.
    pub delta: f64,
}

impl Header for XcpHeader {
    const NAME: &'static str = "XCP";
    const ON: Option<HeaderKind> = Some(TcpHeader::KIND);

    #[inline]
    fn unpack(words: &Words) -> XcpHeader {
        let [_, _, spacing, rtt, delta] = words.body.map(f64::from_bits);
        XcpHeader { spacing, rtt, delta }
    }

    #[inline]
    fn pack(&self, words: &mut Words) {
        words.body[2] = self.spacing.to_bits();
        words.body[3] = self.rtt.to_bits();
        words.body[4] = self.delta.to_bits();
    }
}

/// More than any router grants (ns-2.35 xcp-end-sys.cc: the request of a sender that is never satisfied), in bytes a second.
const UNLIMITED: f64 = 1e24;

impl Feedback for XcpHeader {
    fn ask(asking: &Asking) -> XcpHeader {
        let delta = if asking.request == i64::MAX { UNLIMITED } else { asking.request as f64 };
        XcpHeader { spacing: asking.rtt / asking.window, rtt: asking.rtt, delta }
    }

    /// What was granted to the segments of one acknowledgement adds up.
    fn gather(&self, so_far: Option<f64>) -> f64 {
        so_far.unwrap_or(0.0) + self.delta
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use dumbbell_core::{Ecn, Frame, Packet};
    use proptest::num::f64::ANY;
    use proptest::prelude::*;

    use super::*;
    use crate::{Exchange, SackBlock};

    pub(crate) fn any() -> impl Strategy<Value = XcpHeader> {
        (ANY, ANY, ANY).prop_map(|(spacing, rtt, delta)| XcpHeader { spacing, rtt, delta })
    }

    #[test]
    fn it_rides_on_segments_and_grants_add_up() {
        let tcp = TcpHeader {
            number: 7,
            timestamp: 9,
            sack: [SackBlock { start: 1, end: 2 }; 3],
            ..TcpHeader::default()
        };
        let mut segment = Packet::of(tcp, 0, 1000, Ecn::NotEct);
        let exchange = Exchange::of::<XcpHeader>();
        exchange.ask(&Asking { request: i64::MAX, rtt: 0.1, window: 100.0 }, &mut segment);
        assert_eq!(segment.read(), Some(XcpHeader { spacing: 1e-3, rtt: 0.1, delta: 1e24 }));
        assert_eq!(segment.read(), Some(TcpHeader { sack: Default::default(), ..tcp }));
        segment.write(&XcpHeader { spacing: 1e-3, rtt: 0.1, delta: -3.0 });
        assert_eq!(exchange.gather(&segment, None), Some(-3.0));
        assert_eq!(exchange.gather(&segment, Some(5.0)), Some(2.0));
        assert_eq!(exchange.gather(&Packet::of(tcp, 0, 1000, Ecn::NotEct), None), None);
    }
}
