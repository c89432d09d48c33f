//! FRED: random early detection that looks at what each flow has in the queue.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{
    BitRate, Bytes, DropReason, Frame, Probability, QueueLimit, Time, Validate, VerdictSink, config,
};
use rand::RngExt;

use super::at_arrival::{Decision, Signals};
use super::present::Present;
use super::{Discipline, Fifo, Level, Limit, QueueParams, Setting, Threshold};

config! {
    /// Random early detection for flows that differ. A flow may have `min_flow` packets in the queue whatever the average, below `max_threshold`. One
    /// that has much more than others, again and again, is held to what they have. All lengths are in packets.
    pub struct Params {
        /// Average below which nothing is dropped at random; also the most that a flow may have in the queue.
        min_threshold: u32 as "packets" = 15, "choice: a quarter of the default limit, as Lin & Morris 1997, section 4, set it";
        /// Average from which an arrival is dropped.
        max_threshold: u32 as "packets" = 30, "Lin & Morris, SIGCOMM 1997, section 4: twice min_threshold";
        /// Probability just below `max_threshold`.
        max_probability: Probability = 0.02, "Lin & Morris, SIGCOMM 1997, figure 6";
        /// Weight of a new packet in the average.
        weight: f64 as "dimensionless" = 0.002, "Lin & Morris, SIGCOMM 1997, figure 6";
        /// Packets that a flow may have in the queue before arrivals of it are dropped at random.
        min_flow: u32 as "packets" = 2, "Lin & Morris, SIGCOMM 1997, section 4: 2 for small buffers, 4 for large ones";
        /// From `max_threshold` on each flow may still have two packets in the queue, for routers with very many flows.
        many_flows: bool = false, "Lin & Morris, SIGCOMM 1997, section 5: an extension";
        /// Bytes of a packet of mean size: tells how many could have been sent in an idle time.
        mean_packet: Bytes = "500B", "ns-2.35, ns-default.tcl: mean_pktsize_";
        /// Packets or bytes that may wait.
        limit: QueueLimit = "60pkt", "choice: twice `max_threshold`";
        /// Mark ECN-capable packets instead of dropping them at random.
        ecn: bool = true, "RFC 3168 section 5";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.min_threshold == 0 {
            let message = "a flow could have no packet in the queue";
            return Err(at.key("min_threshold").error(message, "give 1 or more"));
        }
        if self.max_threshold <= self.min_threshold {
            let message =
                format!("{} is not above `min_threshold`, {}", self.max_threshold, self.min_threshold);
            return Err(at.key("max_threshold").error(message, "give more"));
        }
        at.above_zero("weight", self.weight, 1.0)?;
        if self.mean_packet.get() == 0 {
            return Err(at.key("mean_packet").error("a packet has bytes", "give a size such as \"500B\""));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "fred";
    const TITLE: &'static str = "RED that looks at what each flow has in the queue";
    const REFERENCE: &'static str = "Lin & Morris, Dynamics of random early detection, SIGCOMM 1997";
}

impl QueueParams for Params {
    type Machine<P: Frame> = Fred<P>;

    fn build<P: Frame>(&self, setting: Setting) -> Fred<P> {
        Fred::new(self, setting)
    }

    fn draws(&self) -> bool {
        true
    }

    fn limit(&self, bdp: u64, mtu: u32) -> Limit {
        Limit::resolve(self.limit, bdp, mtu)
    }

    fn thresholds(&self, _rate: BitRate) -> Vec<Threshold> {
        let at = |name, packets: u32| Threshold::new(name, Level::Packets(packets.into()));
        vec![at("min_threshold", self.min_threshold), at("max_threshold", self.max_threshold)]
    }
}

/// What decides on packets.
#[derive(Clone, Debug)]
struct Control {
    params: Params,
    limit: Limit,
    rate: BitRate,
    /// The average length of the queue.
    average: f64,
    /// Packets since the last random drop; -1 if the first counts as 0.
    count: i64,
    /// How often each flow in the queue had too many packets there: its strikes.
    flows: Present<u32>,
    /// While nothing waits, when the link has sent its last packet.
    idle_since: Time,
    rng: Stream,
}

impl Control {
    /// Packets of an average flow in the queue: avgcq of the paper.
    fn mean_of_flows(&self) -> f64 {
        (self.average / self.flows.flows().max(1) as f64).max(1.0)
    }

    /// The queue changes, and has had so many packets.
    fn measure(&mut self, length: usize) {
        self.average += self.params.weight * (length as f64 - self.average);
    }

    /// A packet arrives at an empty queue.
    fn measure_idle(&mut self, now: Time) {
        let sent = self.rate.as_bps() as f64 / 8.0 * now.since(self.idle_since).as_secs_f64()
            / self.params.mean_packet.get() as f64;
        self.average *= (1.0 - self.params.weight).powi((sent as i32).saturating_add(1));
        self.idle_since = self.idle_since.max(now);
    }

    /// True if the flow has too many packets in the queue for what others have.
    fn is_too_many(&mut self, hash: u64, packets: u32, strikes: u32) -> bool {
        let (held, mean) = (f64::from(packets), self.mean_of_flows());
        let many = self.params.many_flows && self.average >= f64::from(self.params.max_threshold);
        let most = if many { 2 } else { self.params.min_threshold };
        let too_many = packets >= most
            || self.average >= f64::from(self.params.max_threshold) && held > 2.0 * mean
            || held >= mean && strikes > 1;
        if too_many && let Some(strikes) = self.flows.kept(hash) {
            *strikes = strikes.saturating_add(1);
        }
        too_many
    }

    /// What random early detection does with an arrival of a flow with so many packets in the queue.
    fn chooses(&mut self, held: u32) -> Decision {
        let [min, max] = [self.params.min_threshold, self.params.max_threshold].map(f64::from);
        if self.average < min {
            self.count = -1;
            return Decision::Pass;
        }
        self.count += 1;
        if f64::from(held) < self.mean_of_flows().max(self.params.min_flow.into()) {
            return Decision::Pass;
        }
        let p = self.params.max_probability.get() * (self.average - min) / (max - min);
        let spaced = 1.0 - self.count as f64 * p;
        if spaced <= 0.0 || self.rng.random::<f64>() < p / spaced {
            self.count = 0;
            return Decision::Signal;
        }
        Decision::Pass
    }
}

/// The discipline.
#[derive(Clone, Debug)]
pub struct Fred<P> {
    waiting: Fifo<P>,
    /// In a box: a link has room for any discipline.
    control: Box<Control>,
}

impl<P: Frame> Fred<P> {
    /// An empty queue.
    pub fn new(params: &Params, setting: Setting) -> Fred<P> {
        let control = Control {
            limit: params.limit(setting.bdp, setting.mtu),
            rate: setting.rate,
            average: 0.0,
            count: -1,
            flows: Present::default(),
            idle_since: Time::ZERO,
            rng: setting.rng(),
            params: params.clone(),
        };
        Fred { waiting: Fifo::default(), control: Box::new(control) }
    }
}

impl<P: Frame> Discipline<P> for Fred<P> {
    #[inline(never)]
    fn enqueue(&mut self, now: Time, mut packet: P, sink: &mut impl VerdictSink<P>) {
        let (control, hash) = (&mut *self.control, packet.flow_hash());
        if self.waiting.is_empty() {
            control.measure_idle(now);
        }
        let (held, strikes) = control.flows.look(hash);
        if control.is_too_many(hash, held, strikes) {
            return sink.dropped(packet, DropReason::Law);
        }
        if control.average < f64::from(control.params.max_threshold) {
            let decision = control.chooses(held);
            if !Signals::by(control.params.ecn).keeps(&mut packet, decision, sink) {
                return sink.dropped(packet, DropReason::Law);
            }
        } else if !control.params.many_flows {
            control.count = 0;
            return sink.dropped(packet, DropReason::Law);
        }
        if !control.limit.admits(self.waiting.len() as u64, self.waiting.bytes(), packet.size()) {
            return sink.dropped(packet, DropReason::Overflow);
        }
        if !self.waiting.is_empty() {
            control.measure(self.waiting.len());
        }
        control.flows.enters(hash);
        self.waiting.push(now, packet);
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Time, _sink: &mut impl VerdictSink<P>) -> Option<P> {
        let (_, packet) = self.waiting.pop()?;
        let (control, hash) = (&mut *self.control, packet.flow_hash());
        // The average moves when a packet leaves too, so that a long queue that loses its load is seen to become short.
        control.measure(self.waiting.len());
        control.flows.leaves(hash);
        if self.waiting.is_empty() {
            control.idle_since = now + control.rate.time_to_send(packet.size().into());
        }
        Some(packet)
    }

    #[inline]
    fn next_size(&self) -> Option<u32> {
        self.waiting.front().map(Frame::size)
    }

    #[inline]
    fn len(&self) -> usize {
        self.waiting.len()
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.waiting.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::super::AnyDiscipline;
    use super::super::laws::{Log, TestFrame, described, setting};
    use super::*;

    /// A packet of a flow: the hash of a test packet is its number modulo 7.
    fn packet(flow: u64) -> TestFrame {
        TestFrame::new(1000, false).numbered(7 + flow)
    }

    fn build(params: Params) -> Fred<TestFrame> {
        Fred::new(&params, setting())
    }

    fn send(queue: &mut Fred<TestFrame>, flow: u64, packets: usize) -> usize {
        let mut log = Log::default();
        (0..packets).for_each(|_| queue.enqueue(Time::ZERO, packet(flow), &mut log));
        log.dropped.len()
    }

    #[test]
    fn a_flow_may_have_as_many_packets_as_the_lower_threshold() {
        let mut queue = build(Params::default());
        assert_eq!((send(&mut queue, 1, 20), queue.len()), (5, 15));
        // That was too many five times: from now on the flow may have what an average flow has. Others are not held to that.
        assert_eq!(queue.control.flows.look(1).1, 5);
        assert_eq!(send(&mut queue, 2, 3), 0);
        while queue.len() > 4 {
            queue.dequeue(Time::ZERO, &mut Log::default());
        }
        assert_eq!(queue.control.flows.look(1).0, 1);
        assert_eq!(send(&mut queue, 1, 3), 3);
        // Once it has nothing in the queue, it is as good as new.
        while queue.dequeue(Time::ZERO, &mut Log::default()).is_some() {}
        assert!(queue.control.flows.flows() == 0);
        assert_eq!(send(&mut queue, 1, 15), 0);
    }

    #[test]
    fn an_idle_queue_lowers_the_average_by_what_could_have_left() {
        // Lin & Morris, SIGCOMM 1997, follow RED: avg (1 - w)^m, m the packets of mean size that the link could have sent, and
        // one for the arrival. The last packet of 1000 bytes takes 0.8 ms, a packet of mean size 0.4 ms.
        let params = Params { weight: 0.1, mean_packet: Bytes::new(500), ..Params::default() };
        let mut queue = build(params);
        let at = |micros| Time::ZERO + dumbbell_core::Duration::from_micros(micros);
        queue.enqueue(at(0), packet(1), &mut Log::default());
        queue.dequeue(at(1000), &mut Log::default());
        queue.control.average = 10.0;
        queue.enqueue(at(1800 + 3 * 400 + 200), packet(1), &mut Log::default());
        let expected = 10.0 * 0.9_f64.powi(4);
        assert!((queue.control.average - expected).abs() < 1e-9, "{} {expected}", queue.control.average);
    }

    #[test]
    fn flows_of_few_packets_are_spared_below_the_upper_threshold() {
        // Between the thresholds, with probabilities near 1: only flows with two packets or more lose any.
        let mut queue = match described(r#"{"kind": "fred", "max_probability": 1.0}"#).build(setting()) {
            AnyDiscipline::Fred(queue) => queue,
            other => panic!("{other:?}"),
        };
        queue.control.average = 29.0;
        for flow in 1..7 {
            assert_eq!(send(&mut queue, flow, 1), 0);
            queue.control.average = 29.0;
            // 29 packets of six flows are about five each.
            let held = queue.control.flows.flows() as f64;
            let mean = queue.control.mean_of_flows();
            assert!((mean - 29.0 / held).abs() < 1e-9);
        }
        queue.control.average = 16.0;
        assert_eq!(send(&mut queue, 1, 1), 0);
        queue.control.average = 29.0;
        (0..3).for_each(|_| queue.control.flows.enters(1));
        assert_eq!(send(&mut queue, 1, 5), 5);
        // From the upper threshold on, all arrivals are dropped, unless there are many flows.
        queue.control.average = 31.0;
        assert_eq!(send(&mut queue, 2, 1), 1);
        queue.control.params.many_flows = true;
        assert_eq!(send(&mut queue, 2, 2), 1);
    }

    #[test]
    fn the_average_moves_on_departures_too() {
        let mut queue = build(Params { weight: 0.5, ..Params::default() });
        send(&mut queue, 1, 3);
        // 0, then half of 1, then half of 2 more.
        assert_eq!(queue.control.average, 1.25);
        queue.dequeue(Time::ZERO, &mut Log::default());
        assert_eq!(queue.control.average, 1.625);
    }
}
