//! TCP Westwood+: Westwood with one sample of the bandwidth a round trip, which acknowledgements that come in bunches do not
//! raise.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Duration, Time, Validate, config};

use super::avoidance::{Avoiding, Rounds, within};
use super::westwood::{Estimate, Westwood};
use super::{Build, Signals};

config! {
    /// Grows as Reno. Each round trip is a sample of the bandwidth: what was acknowledged in it over its length. The estimate is their
    /// exponential average. A loss sets the threshold to the estimate times the shortest round-trip time, and the window to the
    /// threshold if it is larger.
    pub struct Params {
        /// Weight of the estimate beside a new sample.
        memory: f64 as "dimensionless" = 0.9, "Grieco & Mascolo, CCR 34(2), 2004, section 2 (Linux net/ipv4/tcp_westwood.c: 7/8, twice)";
        /// A sample takes so long at least.
        shortest_sample: Duration = "50ms", "Linux net/ipv4/tcp_westwood.c: TCP_WESTWOOD_RTT_MIN";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        within(at, "memory", self.memory, &(0.0..=0.999))
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "westwood-plus";
    const TITLE: &'static str = "TCP Westwood+: Westwood with one sample of the bandwidth a round trip";
    const REFERENCE: &'static str = "Grieco & Mascolo, Westwood+, New Reno, and Vegas, CCR 34(2), 2004";
}

impl Build for Params {
    type Controller = Avoiding<Westwood<Average>>;
    #[cfg(test)]
    const REMEMBERS_PATH: bool = true;

    fn build(&self) -> Self::Controller {
        Westwood::with(Average {
            params: self.clone(),
            rounds: Rounds::default(),
            began: (Time::ZERO, 0),
            bandwidth: 0.0,
        })
    }
}

/// An exponential average of the rates of round trips.
#[derive(Clone, Debug)]
pub struct Average {
    params: Params,
    rounds: Rounds,
    /// When the sample began, and the bytes delivered by then.
    began: (Time, u64),
    /// The estimate in bytes a second.
    bandwidth: f64,
}

impl Estimate for Average {
    fn acknowledged(&mut self, signals: &Signals) {
        let (since, delivered) = self.began;
        let took = signals.now.since(since);
        if !self.rounds.ends(signals) || took < self.params.shortest_sample.max(signals.min_rtt) {
            return;
        }
        self.began = (signals.now, signals.delivered);
        if delivered == 0 || took.is_zero() {
            // The first window comes back in a burst.
            return;
        }
        let sample = (signals.delivered - delivered) as f64 / took.as_secs_f64();
        let memory = if self.bandwidth == 0.0 { 0.0 } else { self.params.memory };
        self.bandwidth = memory * self.bandwidth + (1.0 - memory) * sample;
    }

    fn bandwidth(&self) -> f64 {
        self.bandwidth
    }
}

#[cfg(test)]
mod tests {
    use super::super::growth::tests::signals;
    use super::super::westwood::tests::keeps_the_pipe_full;
    use super::super::{Control, Controller, Event};
    use super::*;

    #[test]
    fn a_loss_leaves_what_the_path_holds_without_a_queue() {
        keeps_the_pipe_full(|| Params::default().build());
    }

    #[test]
    fn acknowledgements_in_bunches_do_not_raise_the_estimate() {
        // 10 segments each 100 ms, of which the acknowledgements come within 1 ms at the end of the round trip.
        let mut plus = Params::default().build();
        let mut told = signals(Event::Ack, Time::ZERO, 1000, 9000);
        let mut control = Control { window: 10_000, threshold: 2000, ..Control::default() };
        for _ in 0..100 {
            told.now += Duration::from_millis(99);
            for _ in 0..10 {
                told.now += Duration::from_micros(100);
                told.delivered += 1000;
                control.window = 10_000;
                plus.on(&told, &mut control);
            }
        }
        plus.on(&Signals { event: Event::Loss, acked: 0, flight: 10_000, ..told }, &mut control);
        assert!(control.threshold.abs_diff(10_000) < 500, "{}", control.threshold);
    }
}
