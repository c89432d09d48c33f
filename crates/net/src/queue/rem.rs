//! REM: random exponential marking by a price: the demand beyond the capacity of the link.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{BitRate, Bytes, Duration, Frame, QueueLimit, Time, Validate, config};
use rand::RngExt;

use super::at_arrival::{ArrivalLaw, AtArrival, Decision, Signals, Waiting};
use super::ticks::{Ticks, check_interval};
use super::{Level, Limit, QueueParams, Setting, Threshold, check_factors};

config! {
    /// Drops, or marks, arrivals with a probability that grows exponentially with a price. The price rises while more arrives than the link can
    /// send, or more waits than `target`, and falls otherwise. So the price measures congestion, and the length of the queue does not.
    pub struct Params {
        /// What shall wait, in packets of the mean size. The packet in transmission does not count.
        target: f64 as "packets" = 20.0, "ns-2.35, ns-default.tcl: pbo_";
        /// Step of the price, for a packet that arrives beyond what the link can send in an interval.
        gain: f64 as "1/packet" = 0.001, "Athuraliya et al., IEEE Network 15(3), 2001, section 4: gamma";
        /// Weight of a packet that waits, against one that arrives.
        backlog_weight: f64 as "dimensionless" = 0.1, "Athuraliya et al., IEEE Network 15(3), 2001, section 4: alpha";
        /// The probability is 1 less `base` to the power of minus the price.
        base: f64 as "dimensionless" = 1.001, "Athuraliya et al., IEEE Network 15(3), 2001, section 4: phi";
        /// Time from one move of the price to the next.
        interval: Duration = "2ms", "ns-2.35, ns-default.tcl: pupdtime_";
        /// Bytes of a packet of mean size.
        mean_packet: Option<Bytes> = (), "absent: the MTU of the link; ns-2.35 has 1000B";
        /// Packets or bytes that may wait.
        limit: QueueLimit = "200pkt", "choice: ten times the target";
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = true, "Athuraliya et al., IEEE Network 15(3), 2001: marks";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_interval(self.interval, at)?;
        let factors = [("target", self.target), ("gain", self.gain), ("backlog_weight", self.backlog_weight)];
        check_factors(&factors, at)?;
        if !(self.base > 1.0 && self.base.is_finite()) {
            let message = format!("with {} the probability does not grow with the price", self.base);
            return Err(at.key("base").error(message, "give a number above 1, such as 1.001"));
        }
        if self.mean_packet.is_some_and(|size| size.get() == 0) {
            return Err(at.key("mean_packet").error("a packet has bytes", "give a size such as \"1000B\""));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "rem";
    const TITLE: &'static str =
        "Random exponential marking: by a price of the link, not by the length of its queue";
    const REFERENCE: &'static str =
        "Athuraliya, Li, Low & Yin, REM: active queue management, IEEE Network 15(3), 2001";
}

impl QueueParams for Params {
    type Machine<P: Frame> = Rem<P>;

    fn build<P: Frame>(&self, setting: Setting) -> Rem<P> {
        Rem::new(self, setting)
    }

    fn draws(&self) -> bool {
        true
    }

    fn limit(&self, bdp: u64, mtu: u32) -> Limit {
        Limit::resolve(self.limit, bdp, mtu)
    }

    fn thresholds(&self, _rate: BitRate) -> Vec<Threshold> {
        vec![Threshold::new("target", Level::Packets(self.target))]
    }
}

/// The price.
#[derive(Clone, Debug)]
pub struct Law {
    target: f64,
    gain: f64,
    backlog_weight: f64,
    /// The logarithm of the base.
    exponent: f64,
    mean_packet: f64,
    /// Packets that the link can send in an interval.
    capacity: f64,
    /// Bytes that have arrived since the last move.
    arrived: u64,
    price: f64,
    probability: f64,
    ticks: Ticks,
}

impl ArrivalLaw for Law {
    #[inline]
    fn advance(&mut self, now: Time, waiting: Waiting) {
        while self.ticks.due(now).is_some() {
            let arrived = std::mem::take(&mut self.arrived) as f64 / self.mean_packet;
            let backlog = waiting.bytes as f64 / self.mean_packet - self.target;
            let before = self.price;
            let excess = arrived + self.backlog_weight * backlog - self.capacity;
            self.price = (self.price + self.gain * excess).max(0.0);
            self.probability = -(-self.price * self.exponent).exp_m1();
            if arrived == 0.0 && self.price == before {
                self.ticks.skip(now);
            }
        }
    }

    #[inline]
    fn arrives(&mut self, _now: Time, size: u32, _waiting: Waiting, rng: &mut Stream) -> Decision {
        self.arrived += u64::from(size);
        if rng.random::<f64>() < self.probability { Decision::Signal } else { Decision::Pass }
    }

    fn overflows(&mut self, _now: Time, size: u32) {
        self.arrived += u64::from(size);
    }
}

/// The discipline.
pub type Rem<P> = AtArrival<P, Law>;

impl<P: Frame> Rem<P> {
    /// An empty queue.
    pub fn new(params: &Params, setting: Setting) -> Rem<P> {
        let mean_packet = params.mean_packet.map_or(u64::from(setting.mtu), Bytes::get) as f64;
        let per_second = setting.rate.as_bps() as f64 / 8.0 / mean_packet;
        let law = Law {
            target: params.target,
            gain: params.gain,
            backlog_weight: params.backlog_weight,
            exponent: params.base.ln(),
            mean_packet,
            capacity: per_second * params.interval.as_secs_f64(),
            arrived: 0,
            price: 0.0,
            probability: 0.0,
            ticks: Ticks::new(params.interval),
        };
        AtArrival::of(law, params.limit(setting.bdp, setting.mtu), Signals::by(params.ecn), &setting)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Discipline;
    use super::super::laws::{Log, TestFrame, setting};
    use super::*;

    #[test]
    fn the_price_moves_by_the_excess_of_arrivals_and_of_the_backlog() {
        // 10 Mbit/s are 2.5 packets of 1000 bytes in 2 ms.
        let params = Params { mean_packet: Some(Bytes::new(1000)), base: 2.0, ..Params::default() };
        let mut queue: Rem<TestFrame> = Rem::new(&params, setting());
        let at = |millis| Time::ZERO + Duration::from_millis(millis);
        let mut send = |now, packets| {
            (0..packets)
                .for_each(|_| queue.enqueue(at(now), TestFrame::new(1000, false), &mut Log::default()));
            (queue.law().price, queue.law().probability)
        };
        send(0, 30);
        // 30 + 0.1 * (30 - 20) - 2.5 thousandths; then only the backlog and the capacity.
        let (price, probability) = send(3, 1);
        assert!((price - 0.0285).abs() < 1e-12, "{price}");
        assert!((probability - (1.0 - 2.0_f64.powf(-0.0285))).abs() < 1e-12, "{probability}");
        let queued = queue.len() as f64;
        queue.enqueue(at(5), TestFrame::new(1000, false), &mut Log::default());
        let expected = price + 0.001 * (1.0 + 0.1 * (queued - 20.0) - 2.5);
        assert!((queue.law().price - expected).abs() < 1e-12);
        // A price never falls below nothing.
        while queue.dequeue(at(6), &mut Log::default()).is_some() {}
        queue.enqueue(at(10_000), TestFrame::new(1000, false), &mut Log::default());
        assert_eq!((queue.law().price, queue.law().probability), (0.0, 0.0));
    }
}
