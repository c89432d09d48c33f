//! HPCC: the window follows the use of the busiest link, which routers write into packets.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{BitRate, Bytes, ConfigError, Duration, Validate, config};
use dumbbell_header::{Exchange, HpccHeader};

use super::rate::{self, Bounds};
use super::{Build, Class, Control, Controller, Estimate, Event, FEEDBACK_UNIT, Needs, Rate, Signals};

config! {
    /// Every data segment brings back the highest use of a link on its path: what it sends and what waits, as a part of what it
    /// could send in a round trip. The window is the window of a round trip ago, divided by how much that use exceeds `utilisation`, plus
    /// `additive`. It starts with `line_rate` for a round trip, and is paced. The forward links need `router = "hpcc"`.
    pub struct Params {
        /// The use of links to keep: eta.
        utilisation: f64 as "dimensionless" = 0.95, "Li et al., SIGCOMM 2019 (published HPCC simulator: the same)";
        /// Round trips of additive increase, after which the window follows the use at once: maxStage.
        stages: u32 as "round trips" = 5, "Li et al., SIGCOMM 2019 (published HPCC simulator: 5, its sample: 0)";
        /// What a round trip adds to the window: W_AI.
        additive: Bytes = "80B", "Li et al., SIGCOMM 2019 (published HPCC simulator: 50 Mbit/s for 13 us)";
        /// The round-trip time of the empty network, the same for all flows: T; absent: the smallest that the flow has measured.
        rtt: Option<Duration> = (), "choice: the paper sets one for the network (13 us in its simulations)";
        /// The rate at the start, and the largest.
        line_rate: BitRate = "100Gbit/s", "Li et al., SIGCOMM 2019: the links of hosts in simulations";
        /// The smallest rate.
        min_rate: BitRate = "10Mbit/s", "choice: the paper gives none (published HPCC simulator: 100 Mbit/s)";
        /// Share of the window that a loss leaves.
        loss_decrease: f64 as "dimensionless" = 0.5, "choice: the paper assumes a fabric without losses (priority flow control); 1 does nothing";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        rate::check_bounds(self.min_rate, self.line_rate, at)?;
        at.above_zero("utilisation", self.utilisation, 1.0)?;
        at.above_zero("loss_decrease", self.loss_decrease, 1.0)?;
        if self.rtt.is_some_and(Duration::is_zero) {
            return Err(at.key("rtt").error("is no round-trip time", "give a time above 0, or remove it"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "hpcc";
    const TITLE: &'static str = "HPCC: the window follows the use of links, which routers tell";
    const REFERENCE: &'static str =
        "Li et al., SIGCOMM 2019; telemetry in one number as in PINT, Ben Basat et al., SIGCOMM 2020";
}

impl Build for Params {
    type Controller = Box<Hpcc>;
    fn build(&self) -> Box<Hpcc> {
        Box::new(Hpcc {
            bounds: Bounds::new(self.min_rate, self.line_rate),
            params: self.clone(),
            window: 0.0,
            reference: 0.0,
            stage: 0,
            round_end: 0,
        })
    }

    fn exchange(&self) -> Option<&'static Exchange> {
        Some(const { &Exchange::of::<HpccHeader>() })
    }
}

/// The controller. Windows are bytes.
#[derive(Clone, Debug)]
pub struct Hpcc {
    params: Params,
    bounds: Bounds,
    /// W.
    window: f64,
    /// W_c: the window of a round trip ago; 0 before a round-trip time is known.
    reference: f64,
    stage: u32,
    /// The reference changes when more than this is delivered.
    round_end: u64,
}

impl Hpcc {
    /// T in seconds; 0 if unknown.
    fn rtt(&self, signals: &Signals) -> f64 {
        self.params.rtt.unwrap_or(signals.min_rtt).as_secs_f64()
    }

    /// Takes in the use of the busiest link (Li et al., algorithm 1: `ComputeWind` and `NewAck`).
    fn acknowledged(&mut self, signals: &Signals, rtt: f64) {
        let load = signals.feedback as f64 / FEEDBACK_UNIT / self.params.utilisation;
        // Without telemetry there is nothing to follow.
        if !(load > 0.0 && load.is_finite()) {
            return;
        }
        let additive = self.params.additive.get() as f64;
        let follows = load >= 1.0 || self.stage >= self.params.stages;
        let base = if follows { self.reference / load } else { self.reference };
        self.window = (base + additive).clamp(self.bounds.least * rtt, self.bounds.most * rtt);
        if signals.delivered > self.round_end {
            self.round_end = signals.delivered + signals.flight;
            self.reference = self.window;
            self.stage = if follows { 0 } else { self.stage + 1 };
        }
    }
}

impl Controller for Hpcc {
    const CLASS: Class = Class::Rate;
    const NEEDS: Needs = Needs::PACING.and(Needs::ROUTERS);

    fn on(&mut self, signals: &Signals, control: &mut Control) {
        let rtt = self.rtt(signals);
        if rtt == 0.0 {
            // Paced from the first segment on, although no round trip is known.
            control.pacing = Rate::from_f64(self.bounds.most);
            return;
        }
        if self.reference == 0.0 {
            (self.window, self.reference) = (self.bounds.most * rtt, self.bounds.most * rtt);
        }
        match signals.event {
            Event::Ack | Event::Recovered => self.acknowledged(signals, rtt),
            Event::Loss | Event::Timeout => {
                self.window = (self.window * self.params.loss_decrease).max(self.bounds.least * rtt);
                self.reference = self.window;
            }
            Event::Start
            | Event::Ecn
            | Event::Idle
            | Event::Wake
            | Event::Lost
            | Event::Undone
            | Event::Restart => {}
        }
        control.window = self.window as u64;
        control.pacing = Rate::from_f64(self.window / rtt);
        control.request = (rtt * 1e9) as i64;
    }

    fn estimates(&self, tell: &mut dyn FnMut(Estimate)) {
        tell(Estimate { name: "W_c", unit: "B", value: self.reference });
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::Time;

    use super::super::growth::tests::signals;
    use super::*;

    /// A sender at 8 Gbit/s with a round trip of 10 us: 10,000 bytes.
    fn started() -> (Box<Hpcc>, Control) {
        let params = Params {
            line_rate: BitRate::from_bps(8_000_000_000),
            rtt: Some(Duration::from_micros(10)),
            ..Params::default()
        };
        let mut hpcc = params.build();
        let mut control = Control { window: 4000, ..Control::default() };
        hpcc.on(&signals(Event::Start, Time::ZERO, 0, 0), &mut control);
        assert_eq!((control.window, control.request), (10_000, 10_000));
        assert!((control.pacing.as_f64() - 1e9).abs() < 1.0, "{control:?}");
        (hpcc, control)
    }

    /// An acknowledgement with the use of a link; the window that follows.
    fn ack(hpcc: &mut Hpcc, delivered: u64, flight: u64, feedback: f64) -> u64 {
        let mut control = Control::default();
        let ack = signals(Event::Ack, Time::ZERO, 1000, flight);
        let feedback = (feedback * FEEDBACK_UNIT) as i64;
        hpcc.on(&Signals { delivered, feedback, ..ack }, &mut control);
        assert!((control.pacing.as_f64() * 1e-5 - control.window as f64).abs() < 1.0, "{control:?}");
        control.window
    }

    #[test]
    fn a_busy_link_divides_the_window_of_a_round_trip_ago() {
        let (mut hpcc, _) = started();
        // The first acknowledgement begins a round.
        assert_eq!(ack(&mut hpcc, 1000, 9000, 1.9), 5080);
        // Within the round all answers refer to the same window: the second does not divide again.
        assert_eq!(ack(&mut hpcc, 2000, 8000, 1.9), 2620);
        assert_eq!(ack(&mut hpcc, 3000, 7000, 1.9), 2620);
        assert_eq!(ack(&mut hpcc, 9000, 1000, 0.95), 5160);
        assert_eq!(ack(&mut hpcc, 11_000, 5000, 1.9), 2620, "a round is over");
        assert_eq!(ack(&mut hpcc, 12_000, 4000, 1.9), 1390);
    }

    #[test]
    fn an_idle_link_adds_for_five_round_trips() {
        let (mut hpcc, _) = started();
        (hpcc.window, hpcc.reference) = (1000.0, 1000.0);
        let mut found = Vec::new();
        for round in 1..=7 {
            found.push(ack(&mut hpcc, 1000 * round, 500, 0.19));
        }
        // The sixth divides by 0.19 / 0.95 = 1/5; then five more rounds add.
        assert_eq!(found, [1080, 1160, 1240, 1320, 1400, 7080, 7160]);
        assert_eq!(ack(&mut hpcc, 1_000_000, 1000, f64::NAN), 7160, "no telemetry, no change");
    }

    #[test]
    fn windows_stay_between_the_least_and_the_line_rate() {
        let (mut hpcc, _) = started();
        assert_eq!(ack(&mut hpcc, 1000, 9000, 1e9), 80);
        assert_eq!(ack(&mut hpcc, 2000, 8000, 1e-5), 160);
        (hpcc.stage, hpcc.reference) = (5, 1000.0);
        assert_eq!(ack(&mut hpcc, 3000, 7000, 1e-5), 10_000);
    }

    #[test]
    fn a_loss_halves_the_window() {
        let (mut hpcc, mut control) = started();
        hpcc.on(&signals(Event::Loss, Time::ZERO, 0, 0), &mut control);
        assert_eq!(control.window, 5000);
    }
}
