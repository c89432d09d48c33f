//! XCP: the router gives each packet its share of the spare bandwidth, as a change of its flow's rate.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{
    ConfigError, Duration, Frame, HeaderKind, Registered, Time, Validate, VerdictSink, config,
};
use dumbbell_header::XcpHeader;
use rand_distr::{Distribution, StandardNormal};

use super::{Agent, AgentParams, QueueView, Setting};

config! {
    /// Once every mean round-trip time d the router sets phi = alpha (C - y) - beta q/d: C the rate of the link, y the rate
    /// at which bytes arrived, q the queue that was always there. Packets leave with shares of it: positive ones add
    /// the same rate to every flow, negative ones take in proportion to a flow's rate; some bandwidth changes hands always.
    pub struct Params {
        /// Gain of spare bandwidth.
        alpha: f64 as "dimensionless" = 0.4, "Katabi et al., SIGCOMM 2002, section 3.5; ns-2.35 xcpq.h: ALPHA_";
        /// Gain of the queue.
        beta: f64 as "dimensionless" = 0.226, "Katabi et al., SIGCOMM 2002, section 3.5; ns-2.35 xcpq.h: BETA_";
        /// Share of the traffic that changes hands in an interval although the link is in balance.
        gamma: f64 as "dimensionless" = 0.1, "Katabi et al., SIGCOMM 2002, section 3.5; ns-2.35 xcpq.h: GAMMA_";
        /// Length of intervals before a round-trip time is known.
        initial_interval: Duration = "50ms", "ns-2.35 xcpq.h: INITIAL_Te_VALUE";
        /// Shortest control interval.
        interval_min: Duration = "1ms", "ns-2.35 xcpq.cc";
        /// Shortest interval in which the least queue is found.
        queue_interval_min: Duration = "2ms", "ns-2.35 xcpq.cc";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        for (key, gain) in [("alpha", self.alpha), ("beta", self.beta), ("gamma", self.gamma)] {
            at.within(key, gain, 0.0..=10.0)?;
        }
        let times = [
            ("initial_interval", self.initial_interval),
            ("interval_min", self.interval_min),
            ("queue_interval_min", self.queue_interval_min),
        ];
        match times.iter().find(|(_, time)| *time < Duration::from_micros(1)) {
            Some((key, _)) => Err(at.key(key).error("is too short", "give 1us or more")),
            None => Ok(()),
        }
    }
}

impl AgentParams for Params {
    type Machine = XcpAgent;

    fn build(&self, mut setting: Setting) -> XcpAgent {
        let first = |rng: &mut Stream| {
            let unit: f64 = StandardNormal.sample(rng);
            let mean = self.initial_interval.as_secs_f64();
            Time::ZERO + Duration::from_secs_f64((mean * (1.0 + 0.2 * unit)).max(SHORTEST_FIRST))
        };
        XcpAgent {
            since: Time::ZERO,
            control_at: first(&mut setting.rng),
            queue_at: first(&mut setting.rng),
            rtt: self.initial_interval.as_secs_f64(),
            bytes: 0.0,
            spacing_sum: 0.0,
            rtt_sum: 0.0,
            to_give: 0.0,
            to_take: 0.0,
            give: 0.0,
            take: 0.0,
            standing: 0,
            least: 0,
            params: self.clone(),
        }
    }

    /// True: it draws when its first intervals end.
    fn draws(&self) -> bool {
        true
    }

    fn headers(&self) -> &'static [HeaderKind] {
        &[XcpHeader::KIND]
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "xcp";
    const TITLE: &'static str =
        "Explicit Control Protocol: routers tell each sender by how much to change its rate";
    const REFERENCE: &'static str = "Katabi, Handley & Rohrs, SIGCOMM 2002, in the form of ns-2.35 (xcpq.cc)";
}

/// Longest round-trip time that counts (ns-2.35 xcpq.h: MAX_RTT_), in seconds.
const LONGEST_RTT: f64 = 1.0;
/// Shortest first interval, in seconds.
const SHORTEST_FIRST: f64 = 0.004;

/// The router.
#[derive(Clone, Debug)]
pub struct XcpAgent {
    params: Params,
    /// When the control interval began and ends.
    since: Time,
    control_at: Time,
    /// When the interval ends in which the least queue is found.
    queue_at: Time,
    /// Mean round-trip time of the traffic, in seconds.
    rtt: f64,
    /// Bytes that arrived in the interval.
    bytes: f64,
    /// Sums over its packets of their spacing, and of spacing times round-trip time.
    spacing_sum: f64,
    rtt_sum: f64,
    /// Bandwidth still to be given and to be taken, in bytes a second.
    to_give: f64,
    to_take: f64,
    /// What a packet gets per second of its spacing, and what it loses per byte.
    give: f64,
    take: f64,
    /// The least queue of the last interval and of this one, in bytes.
    standing: u64,
    least: u64,
}

impl XcpAgent {
    /// The control interval is over: shares out the bandwidth of the next.
    fn control(&mut self, now: Time, capacity: f64) {
        let measured = self.rtt_sum / self.spacing_sum;
        self.rtt = if measured.is_finite() && measured > 0.0 {
            measured
        } else {
            self.params.initial_interval.as_secs_f64()
        };
        let arrival_rate = self.bytes / now.since(self.since).as_secs_f64();
        let (phi, shuffled) = if self.bytes > 0.0 {
            let phi = self.params.alpha * (capacity - arrival_rate)
                - self.params.beta * self.standing as f64 / self.rtt;
            (phi, (self.params.gamma * arrival_rate - phi.abs()).max(0.0))
        } else {
            (0.0, 0.0)
        };
        self.to_give = phi.max(0.0) + shuffled;
        self.to_take = (-phi).max(0.0) + shuffled;
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        self.give = share(self.to_give, self.spacing_sum);
        self.take = share(self.to_take, self.bytes);
        (self.bytes, self.spacing_sum, self.rtt_sum) = (0.0, 0.0, 0.0);
        self.since = now;
        self.control_at = now + Duration::from_secs_f64(self.rtt).max(self.params.interval_min);
    }

    /// What a packet of `bytes` bytes may change its flow's rate by, if it asks for `asked`.
    fn grant(&mut self, bytes: f64, spacing: f64, asked: f64) -> f64 {
        let mut give = self.to_give.min(self.give * spacing);
        let mut take = self.to_take.min(self.take * bytes);
        let granted = (give - take).min(asked);
        if granted < give - take {
            // A router before this one granted less: what is left over is for others.
            take = self.to_take.min(take + (give - take - asked));
            give = asked + take;
        }
        self.to_give = (self.to_give - give).max(0.0);
        self.to_take = (self.to_take - take).max(0.0);
        if self.to_give == 0.0 {
            self.give = 0.0;
        }
        if self.to_take == 0.0 {
            self.take = 0.0;
        }
        granted
    }
}

impl Agent for XcpAgent {
    fn arrived<P: Frame>(&mut self, _now: Time, packet: &P, _queue: &QueueView) {
        self.bytes += f64::from(packet.size());
        if let Some(header) = packet.read::<XcpHeader>().filter(|h| h.rtt > 0.0 && h.spacing > 0.0) {
            self.spacing_sum += header.spacing;
            self.rtt_sum += header.rtt.min(LONGEST_RTT) * header.spacing;
        }
    }

    fn leaving<P: Frame>(
        &mut self,
        _now: Time,
        packet: &mut P,
        queue: &QueueView,
        _sink: &mut impl VerdictSink<P>,
    ) {
        self.least = self.least.min(queue.bytes);
        let Some(header) = packet.read::<XcpHeader>() else { return };
        let known = header.rtt > 0.0 && header.spacing > 0.0;
        let size = f64::from(packet.size());
        let delta = if known { self.grant(size, header.spacing, header.delta) } else { 0.0 };
        packet.write(&XcpHeader { delta, ..header });
    }

    fn wake(&mut self, now: Time, queue: &QueueView) {
        let capacity = queue.rate.as_bps() as f64 / 8.0;
        if now >= self.queue_at {
            self.standing = self.least.min(queue.bytes);
            self.least = queue.bytes;
            let interval = Duration::from_secs_f64((self.rtt - queue.bytes as f64 / capacity) / 2.0);
            self.queue_at = now + interval.max(self.params.queue_interval_min);
        }
        if now >= self.control_at {
            self.control(now, capacity);
        }
    }

    fn wake_at(&self) -> Time {
        self.control_at.min(self.queue_at)
    }

    fn offered(&self) -> Option<f64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::rng::stream;
    use dumbbell_core::testing::lengths;
    use dumbbell_core::{BitRate, Ecn, Packet};
    use dumbbell_header::TcpHeader;
    use proptest::prelude::*;

    use super::*;
    use crate::router::tests::NoVerdicts;

    const RATE: BitRate = BitRate::from_bps(100_000_000);
    const CAPACITY: f64 = 12_500_000.0;

    fn router(params: &Params) -> XcpAgent {
        params.build(Setting { rate: RATE, mtu: 1500, rng: stream(1, "test") })
    }

    fn view(bytes: u64) -> QueueView {
        QueueView { packets: bytes / 1000, bytes, rate: RATE }
    }

    fn packet(header: XcpHeader) -> Packet {
        let mut packet = Packet::of(TcpHeader::default(), 0, 1000, Ecn::NotEct);
        packet.attach(&header);
        packet
    }

    fn delta_of(packet: &Packet) -> f64 {
        packet.read::<XcpHeader>().unwrap().delta
    }

    /// One interval of `packets` packets, then the same in the next: what each of them is granted.
    fn granted(router: &mut XcpAgent, packets: u32, header: XcpHeader, queue: u64) -> Vec<f64> {
        let one = packet(header);
        (0..packets).for_each(|_| router.arrived(router.since, &one, &view(queue)));
        (router.standing, router.least) = (queue, queue);
        router.control(router.control_at, CAPACITY);
        (0..packets)
            .map(|_| {
                let mut one = one;
                router.leaving(router.since, &mut one, &view(queue), &mut NoVerdicts);
                delta_of(&one)
            })
            .collect()
    }

    const ASKING: XcpHeader = XcpHeader { spacing: 1e-3, rtt: 0.1, delta: 1e24 };

    #[test]
    fn spare_bandwidth_is_given_out_once() {
        let mut router = router(&Params { gamma: 0.0, ..Params::default() });
        let interval = router.control_at.since(router.since).as_secs_f64();
        let given: f64 = granted(&mut router, 100, ASKING, 0).iter().sum();
        let spare = 0.4 * (CAPACITY - 100_000.0 / interval);
        assert!((given / spare - 1.0).abs() < 1e-9, "{given} of {spare}");
        let mut more = packet(ASKING);
        router.leaving(router.since, &mut more, &view(0), &mut NoVerdicts);
        assert!(delta_of(&more).abs() < 1e-3, "nothing is left");
    }

    #[test]
    fn a_standing_queue_takes_bandwidth_back() {
        let mut router = router(&Params::default());
        let all = granted(&mut router, 100, ASKING, 10_000_000);
        assert!(all.iter().all(|d| *d < 0.0));
    }

    #[test]
    fn a_grant_of_an_earlier_router_is_never_raised() {
        let mut router = router(&Params::default());
        assert!(granted(&mut router, 100, XcpHeader { delta: 3.0, ..ASKING }, 0).iter().all(|d| *d <= 3.0));
        let nothing = granted(&mut router, 100, XcpHeader { rtt: 0.0, spacing: 0.0, delta: 0.0 }, 0);
        assert!(nothing.iter().all(|d| *d == 0.0));
    }

    proptest! {
        #[test]
        fn grants_are_numbers_whatever_headers_say(
            fields in prop::collection::vec((prop::num::f64::ANY, prop::num::f64::ANY, -1e24..1e24_f64), lengths(1..60)),
        ) {
            let mut router = router(&Params::default());
            for (spacing, rtt, delta) in fields {
                let mut one = packet(XcpHeader { spacing, rtt, delta });
                router.arrived(router.since, &one, &view(0));
                router.wake(router.wake_at(), &view(0));
                router.leaving(router.since, &mut one, &view(0), &mut NoVerdicts);
                prop_assert!(delta_of(&one).is_finite());
                prop_assert!(delta_of(&one) <= delta.max(0.0));
            }
        }
    }
}
