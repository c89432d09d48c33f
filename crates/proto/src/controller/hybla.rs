//! TCP Hybla: over a long round-trip time the window grows in a second as that of a short one would.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Duration, Validate, config};

use super::avoidance::{Avoidance, Avoiding};
use super::growth::reduced;
use super::{Build, Control, Signals};

config! {
    /// With rho, the round-trip time over `reference_rtt` and one at least, each segment acknowledged adds 2^rho - 1 segments in
    /// slow start and rho^2 over the window in congestion avoidance. So the rate is that of a standard TCP whose round-trip time is
    /// `reference_rtt`. It wants SACK, and routers or a pacer that can take its bursts.
    pub struct Params {
        /// The round-trip time whose growth it has: RTT_0.
        reference_rtt: Duration = "25ms", "Caini & Firrincieli, International Journal of Satellite Communications and Networking 22(5), 2004: RTT_0";
        /// Rho at most, in slow start, where it is an exponent.
        most_doublings: f64 as "dimensionless" = 16.0, "choice: Linux 6.1 net/ipv4/tcp_hybla.c; the paper has no limit";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.reference_rtt.is_zero() {
            let message = "0 s is no round-trip time";
            return Err(at.key("reference_rtt").error(message, "give more"));
        }
        super::avoidance::within(at, "most_doublings", self.most_doublings, &(1.0..=16.0))
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "hybla";
    const TITLE: &'static str = "TCP Hybla: satellite paths grow as fast as short ones";
    const REFERENCE: &'static str = "Caini & Firrincieli, TCP Hybla, IJSCN 22(5), 2004";
}

impl Build for Params {
    type Controller = Avoiding<Hybla>;
    #[cfg(test)]
    const LIMITED_START: bool = false;

    fn build(&self) -> Avoiding<Hybla> {
        Avoiding::by(Hybla { params: self.clone() })
    }
}

/// The laws of the window.
#[derive(Clone, Debug)]
pub struct Hybla {
    params: Params,
}

impl Hybla {
    /// How many times as long as the reference the round trip is without queues: rho.
    fn rho(&self, signals: &Signals) -> f64 {
        (signals.min_rtt.as_secs_f64() / self.params.reference_rtt.as_secs_f64()).max(1.0)
    }
}

impl Avoidance for Hybla {
    fn slow_start(&self, signals: &Signals, control: &Control) -> u64 {
        let acked = signals.acked.min(signals.growth_limit);
        let rho = self.rho(signals);
        if rho <= 1.0 {
            return acked;
        }
        let grown = (acked as f64 * (rho.min(self.params.most_doublings).exp2() - 1.0)) as u64;
        // Steps are so large that the threshold would mean nothing if the last of them passed it.
        grown.min(control.threshold - control.window)
    }

    fn increase(&mut self, signals: &Signals, _window: f64) -> f64 {
        self.rho(signals).powi(2)
    }

    fn threshold(&mut self, signals: &Signals, _control: &Control) -> u64 {
        reduced(signals, 0.5)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Event;
    use super::super::avoidance::tests::Run;
    use super::*;

    fn run(window: u64, rtt: u64) -> Run<Avoiding<Hybla>> {
        let mut run = Run::at(Params::default().build(), window);
        (run.rtt, run.min_rtt) = (Duration::from_millis(rtt), Duration::from_millis(rtt));
        run
    }

    #[test]
    fn the_rate_grows_in_a_second_as_that_of_the_reference_does() {
        // Congestion avoidance: windows over round-trip times, in segments a second.
        let rate = |rtt: u64| {
            let mut run = run(40 * rtt, rtt);
            let before = run.window();
            run.rounds(1600 / rtt as u32);
            (run.window() - before) / run.rtt.as_secs_f64()
        };
        // One segment in each of 64 round trips of 25 ms.
        let reference = rate(25);
        assert!((reference * 0.025 / 64.0 - 1.0).abs() < 0.01, "{reference}");
        for rtt in [50, 100, 400] {
            assert!((rate(rtt) / reference - 1.0).abs() < 0.02, "{} at {rtt} ms", rate(rtt));
        }
        let short = rate(10);
        assert!((short * 0.01 / 160.0 - 1.0).abs() < 0.02, "below the reference it is standard TCP: {short}");
    }

    #[test]
    fn slow_start_multiplies_by_two_to_rho_in_a_round_trip_and_stops_at_the_threshold() {
        for (rtt, factor) in [(25, 2.0), (27, 2.114), (50, 4.0), (75, 8.0), (62, 5.58)] {
            let mut run = run(20, rtt);
            run.control.threshold = 1_000_000;
            run.round();
            assert!((run.window() / 20.0 - factor).abs() < 0.01, "{} at {rtt} ms", run.window());
        }
        let mut run = run(20, 500);
        run.control.threshold = 500_000;
        let ack = super::super::growth::tests::signals(Event::Ack, run.now, 1000, 19_000);
        let ack = Signals { min_rtt: run.min_rtt, ..ack };
        super::super::Controller::on(&mut run.controller, &ack, &mut run.control);
        assert_eq!(run.control.window, 500_000);
    }

    #[test]
    fn a_loss_halves_the_window() {
        assert_eq!(run(100, 500).congested(Event::Loss), 0.5);
    }
}
