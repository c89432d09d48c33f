//! HPCC: the router writes how busy its link is into the packets that leave.

use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Frame, HeaderKind, Registered, Time, Validate, VerdictSink, config};
use dumbbell_header::HpccHeader;

use super::{Agent, AgentParams, QueueView, Setting};

config! {
    /// The use of a link is its rate of transmission by its capacity, plus the part of a round trip that what waits would take; smoothed
    /// over the round-trip time that packets bring. A packet leaves with the highest use on its way. The sender's
    /// controller is `hpcc`.
    pub struct Params {}
}

impl Validate for Params {}

impl AgentParams for Params {
    type Machine = HpccAgent;

    fn build(&self, _setting: Setting) -> HpccAgent {
        HpccAgent { utilisation: 0.0, rtt: 0.0, left_at: Time::ZERO, sent: 0.0, waiting: 0 }
    }

    fn headers(&self) -> &'static [HeaderKind] {
        &[HpccHeader::KIND]
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "hpcc";
    const TITLE: &'static str = "HPCC: in-band telemetry, the use of the busiest link";
    const REFERENCE: &'static str =
        "Li et al., SIGCOMM 2019, computed at the router as in PINT, Ben Basat et al., SIGCOMM 2020";
}

/// The router.
#[derive(Clone, Debug)]
pub struct HpccAgent {
    /// U, smoothed.
    utilisation: f64,
    /// The round-trip time of the empty network in seconds, as the latest packet had it; 0 before the first.
    rtt: f64,
    /// When the packet before left, its size, and what then waited, in bytes.
    left_at: Time,
    sent: f64,
    waiting: u64,
}

impl HpccAgent {
    /// A packet of `size` bytes leaves (Li et al., algorithm 1, `MeasureInflight`, with a packet instead of the time between two
    /// acknowledgements).
    fn measure(&mut self, now: Time, size: u32, queue: &QueueView) {
        let capacity = queue.rate.as_bps() as f64 / 8.0;
        let full = capacity * self.rtt;
        if full > 0.0 {
            let weight = (now.since(self.left_at).as_secs_f64() / self.rtt).min(1.0);
            // The smaller of two lengths, so that a burst of one packet is no queue.
            let waiting = self.waiting.min(queue.bytes) as f64 / full;
            self.utilisation = (1.0 - weight) * self.utilisation + weight * waiting + self.sent / full;
        }
        (self.left_at, self.sent, self.waiting) = (now, f64::from(size), queue.bytes);
    }
}

impl Agent for HpccAgent {
    fn arrived<P: Frame>(&mut self, _now: Time, _packet: &P, _queue: &QueueView) {}

    fn leaving<P: Frame>(
        &mut self,
        now: Time,
        packet: &mut P,
        queue: &QueueView,
        _sink: &mut impl VerdictSink<P>,
    ) {
        let header = packet.read::<HpccHeader>();
        if let Some(rtt) = header.map(|h| h.rtt).filter(|rtt| rtt.is_finite() && *rtt > 0.0) {
            self.rtt = rtt;
        }
        self.measure(now, packet.size(), queue);
        if let Some(header) = header {
            // In this order a number that is none gives way.
            let utilisation = self.utilisation.max(header.utilisation);
            packet.write(&HpccHeader { utilisation, ..header });
        }
    }

    fn wake(&mut self, _now: Time, _queue: &QueueView) {}

    fn wake_at(&self) -> Time {
        Time::NEVER
    }

    fn offered(&self) -> Option<f64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::rng::stream;
    use dumbbell_core::{BitRate, Duration, Ecn, Packet};
    use dumbbell_header::TcpHeader;

    use super::*;
    use crate::router::tests::NoVerdicts;

    /// 1000 bytes in 1 us.
    const RATE: BitRate = BitRate::from_bps(8_000_000_000);

    /// Packets of 1000 bytes leave, one in each `gap` nanoseconds, while `waiting` bytes wait: what the last carries.
    fn told(packets: u64, gap: u64, waiting: u64, before: f64) -> f64 {
        let mut agent = Params {}.build(Setting { rate: RATE, mtu: 1500, rng: stream(1, "test") });
        let queue = QueueView { packets: waiting / 1000, bytes: waiting, rate: RATE };
        let mut last = 0.0;
        for n in 0..packets {
            let mut packet = Packet::of(TcpHeader::default(), 0, 1000, Ecn::NotEct);
            packet.attach(&HpccHeader { rtt: 1e-5, utilisation: before });
            let now = Time::ZERO + Duration::from_nanos(gap * n);
            agent.leaving(now, &mut packet, &queue, &mut NoVerdicts);
            last = packet.read::<HpccHeader>().unwrap().utilisation;
        }
        last
    }

    #[test]
    fn the_use_of_a_link_is_its_rate_and_its_queue_by_a_round_trip() {
        // The whole rate, half of it, and the whole with a queue of half of what a round trip of 10 us sends.
        for (gap, waiting, expected) in [(1000, 0, 1.0), (2000, 0, 0.5), (1000, 5000, 1.5), (1250, 0, 0.8)] {
            let found = told(1000, gap, waiting, 0.0);
            assert!((found - expected).abs() < 1e-3, "{gap} {waiting}: {found}");
        }
        // An idle link forgets within a round trip.
        assert!((told(1000, 100_000, 0, 0.0) - 0.1).abs() < 1e-9);
    }

    #[test]
    fn it_is_smoothed_over_a_round_trip() {
        // After ten packets, one round trip: 1 - (1 - 1/10)^9 of the rate, as the first has none before it.
        let found = told(10, 1000, 0, 0.0);
        assert!((found - (1.0 - 0.9_f64.powi(9))).abs() < 1e-9, "{found}");
    }

    #[test]
    fn a_packet_keeps_what_a_busier_link_has_written() {
        assert_eq!(told(3, 1000, 0, 1.7), 1.7);
        assert_eq!(told(1000, 1000, 0, f64::NAN).round(), 1.0);
    }
}
