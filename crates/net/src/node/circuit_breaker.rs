//! A network transport circuit breaker: it ends the traffic of a port on which persistent congestion is excessive.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{
    ConfigError, DropReason, Duration, Packet, Probability, Time, Validate, VerdictSink, config,
};

use super::contract::{NodeAgent, NodeAgentParams, Outbox, Passage, PortView, Setting};
use crate::link::Counters;

config! {
    /// Measures, port by port, which share of the packets that arrive at the link out is lost there. When that was too much in
    /// several intervals one after the other, it drops all packets out of the port from then on, for the reason `law`.
    pub struct Params {
        /// Length of a measurement.
        interval: Duration = "1s", "choice: many round trips (RFC 8084 section 4, requirements 4 and 8)";
        /// Share of the packets of an interval above which congestion is excessive.
        loss: Probability = 0.1, "RFC 8084 section 3.1, item 5: more than 10 % loss";
        /// Intervals one after the other with more than that, which open the breaker.
        intervals: u32 as "intervals" = 3, "RFC 8084 section 3.1, item 5: three successive measurements";
        /// Packets that an interval has at least. One with fewer tells nothing, and ends the row.
        packets: u32 as "packets" = 20, "choice: two lost packets of 20 are a tenth (RFC 8084 section 4, requirement 6)";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.interval < Duration::from_millis(1) {
            return Err(at.key("interval").error("is too short to see a loss answered", "give 1ms or more"));
        }
        for (key, value) in [("intervals", self.intervals), ("packets", self.packets)] {
            if value == 0 {
                return Err(at.key(key).error("the breaker would open at once", "give 1 or more"));
            }
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "circuit-breaker";
    const TITLE: &'static str = "Circuit breaker: a port whose loss stays excessive passes nothing any more";
    const REFERENCE: &'static str = "RFC 8084";
}

impl NodeAgentParams for Params {
    fn build(&self, setting: Setting) -> Box<dyn NodeAgent> {
        let ports = vec![Breaker::default(); setting.ports.len()];
        Box::new(CircuitBreaker { params: self.clone(), ports, next: Time::ZERO + self.interval })
    }
}

/// The breaker of one port.
#[derive(Clone, Copy, Debug, Default)]
struct Breaker {
    /// Packets that had arrived at the link and been lost on it when the interval began.
    arrived: u64,
    lost: u64,
    /// Intervals one after the other with too much loss.
    bad: u32,
    open: bool,
}

impl Breaker {
    /// An interval is over, at whose end the link has counted this.
    fn measure(&mut self, counters: &Counters, params: &Params) {
        let (arrived, lost) = (counters.arrived, counters.dropped_total());
        let of = arrived.saturating_sub(std::mem::replace(&mut self.arrived, arrived));
        let gone = lost.saturating_sub(std::mem::replace(&mut self.lost, lost));
        let bad = of >= params.packets.into() && gone as f64 > params.loss.get() * of as f64;
        self.bad = if bad { self.bad + 1 } else { 0 };
        self.open |= self.bad >= params.intervals;
    }
}

#[derive(Debug)]
struct CircuitBreaker {
    params: Params,
    ports: Vec<Breaker>,
    /// When the interval ends.
    next: Time,
}

impl NodeAgent for CircuitBreaker {
    fn passing(
        &mut self,
        _now: Time,
        packet: Packet,
        passage: &Passage,
        _port: &PortView,
        sink: &mut dyn VerdictSink<Packet>,
        _outbox: &mut Outbox,
    ) -> Option<Packet> {
        if self.ports[passage.leaves as usize].open {
            sink.dropped(packet, DropReason::Law);
            return None;
        }
        Some(packet)
    }

    fn wake(&mut self, now: Time, ports: &[PortView], _outbox: &mut Outbox) {
        for (breaker, port) in self.ports.iter_mut().zip(ports).filter(|(breaker, _)| !breaker.open) {
            breaker.measure(&port.counters, &self.params);
        }
        self.next = now + self.params.interval;
    }

    fn wake_at(&self) -> Time {
        self.next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The intervals after which the breaker is open, given the packets that arrive and are lost in each.
    fn opens(intervals: &[(u64, u64)]) -> Vec<bool> {
        let (mut breaker, mut counters) = (Breaker::default(), Counters::default());
        let interval = |(arrived, lost): &(u64, u64)| {
            counters.arrived += arrived;
            counters.dropped[DropReason::Overflow as usize] += lost;
            breaker.measure(&counters, &Params::default());
            breaker.open
        };
        intervals.iter().map(interval).collect()
    }

    #[test]
    fn three_bad_intervals_in_a_row_open_it() {
        assert_eq!(opens(&[(100, 11), (100, 11), (100, 11), (100, 0)]), [false, false, true, true]);
        assert_eq!(opens(&[(100, 11), (100, 11), (100, 10), (100, 11), (100, 11)]), [false; 5]);
    }

    #[test]
    fn few_packets_tell_nothing() {
        assert_eq!(opens(&[(19, 19); 4]), [false; 4]);
        assert_eq!(opens(&[(20, 3); 3]), [false, false, true]);
        assert_eq!(opens(&[(100, 50), (100, 50), (0, 0), (100, 50)]), [false; 4]);
    }
}
