//! TCP Illinois: losses say when the window grows and shrinks, the queueing delay says by how much.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Duration, Validate, config};

use super::avoidance::{Avoidance, Avoiding, SEGMENTS, SHARE, Steps, within};
use super::growth::{less, reduced};
use super::{Build, Control, Needs, Signals};

config! {
    /// A round trip adds alpha segments, a loss takes the share beta. Both follow from da, the mean queueing delay of a round trip, as
    /// a part of dm, the largest that was seen: alpha falls from `alpha_max` to `alpha_min`, beta rises from `beta_min` to
    /// `beta_max`.
    pub struct Params {
        /// Segments a round trip adds without a queue.
        alpha_max: f64 as "segments" = 10.0, "Liu, Basar & Srikant, Performance Evaluation 65, 2008";
        /// Segments a round trip adds at the longest queue.
        alpha_min: f64 as "segments" = 0.3, "Liu, Basar & Srikant 2008; Linux net/ipv4/tcp_illinois.c";
        /// The share that a loss takes at short queues.
        beta_min: f64 as "dimensionless" = 0.125, "Liu, Basar & Srikant 2008";
        /// The share that a loss takes at long queues.
        beta_max: f64 as "dimensionless" = 0.5, "Liu, Basar & Srikant 2008";
        /// Below this window, in segments, it is standard TCP.
        window_threshold: f64 as "segments" = 15.0, "Liu, Basar & Srikant 2008: W_thresh";
        /// Up to this part of dm, alpha is `alpha_max`.
        eta1: f64 as "dimensionless" = 0.01, "Liu, Basar & Srikant 2008";
        /// Up to this part of dm, beta is `beta_min`.
        eta2: f64 as "dimensionless" = 0.1, "Liu, Basar & Srikant 2008";
        /// From this part of dm on, beta is `beta_max`.
        eta3: f64 as "dimensionless" = 0.8, "Liu, Basar & Srikant 2008";
        /// Round trips in a row with a delay of at most `eta1` after which alpha is `alpha_max` again.
        theta: u32 as "round trips" = 5, "Liu, Basar & Srikant 2008";
        /// dm is the largest queueing delay of a single segment, not of the mean of a round trip. The window counts whole segments, alpha
        /// 128ths of one, beta 64ths. Of the `theta` round trips, others may lie between.
        single_delays: bool = false, "Liu, Basar & Srikant 2008 (Linux net/ipv4/tcp_illinois.c: max_rtt)";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        within(at, "alpha_max", self.alpha_max, &SEGMENTS)?;
        within(at, "alpha_min", self.alpha_min, &(0.001..=self.alpha_max))?;
        within(at, "beta_max", self.beta_max, &SHARE)?;
        within(at, "beta_min", self.beta_min, &(0.001..=self.beta_max))?;
        within(at, "window_threshold", self.window_threshold, &SEGMENTS)?;
        within(at, "eta1", self.eta1, &(0.0..=0.999))?;
        within(at, "eta3", self.eta3, &SHARE)?;
        within(at, "eta2", self.eta2, &(0.0..=self.eta3))
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "illinois";
    const TITLE: &'static str = "TCP Illinois: losses give the direction, the queueing delay the step";
    const REFERENCE: &'static str =
        "Liu, Basar & Srikant, TCP-Illinois, Performance Evaluation 65(6-7), 2008";
}

impl Build for Params {
    type Controller = Avoiding<Illinois>;

    fn build(&self) -> Avoiding<Illinois> {
        Avoiding::by(Illinois {
            alpha: self.alpha_max,
            beta: self.beta_max,
            params: self.clone(),
            base: Duration::MAX,
            largest: 0.0,
            sum: Duration::ZERO,
            count: 0,
            round: 0,
            delayed: false,
            short: 0,
        })
    }
}

/// The laws of the window.
#[derive(Clone, Debug)]
pub struct Illinois {
    params: Params,
    /// Segments a round trip, and the share that a loss takes.
    alpha: f64,
    beta: f64,
    /// The shortest round-trip time of a segment with data.
    base: Duration,
    /// The largest queueing delay, of a mean of a round trip or of a segment, s: dm.
    largest: f64,
    /// The round-trip times of this round trip, and how many.
    sum: Duration,
    count: u32,
    round: u64,
    /// Whether the delay has passed `eta1` since alpha was `alpha_max`, and the round trips since in which it has not.
    delayed: bool,
    short: u32,
}

impl Illinois {
    /// A round trip is over.
    fn judge(&mut self, signals: &Signals, control: &Control) {
        let count = std::mem::take(&mut self.count);
        let sum = std::mem::take(&mut self.sum);
        if count == 0 {
            return;
        }
        let mean = sum.as_secs_f64() / f64::from(count);
        let delay = (mean - self.base.as_secs_f64()).max(0.0);
        self.largest = self.largest.max(delay);
        if (control.window as f64) < self.params.window_threshold * f64::from(signals.mss) {
            (self.alpha, self.beta) = (1.0, self.params.beta_max);
        } else {
            self.alpha = self.step(delay);
            self.beta = self.share(delay);
            if self.params.single_delays {
                // Linux net/ipv4/tcp_illinois.c: ALPHA_SHIFT, BETA_SHIFT.
                self.alpha = (self.alpha * 128.0).floor() / 128.0;
                self.beta = (self.beta * 64.0).floor() / 64.0;
            }
        }
    }

    /// f1: alpha at a queueing delay.
    fn step(&mut self, delay: f64) -> f64 {
        let Params { alpha_max, alpha_min, eta1, theta, .. } = self.params;
        let lowest = eta1 * self.largest;
        if delay <= lowest {
            self.short += 1;
            if self.delayed && self.short < theta {
                return self.alpha;
            }
            (self.delayed, self.short) = (false, 0);
            return alpha_max;
        }
        self.delayed = true;
        if !self.params.single_delays {
            self.short = 0;
        }
        // k1 / (k2 + da) is alpha_max at eta1 dm and alpha_min at dm.
        let part = (delay - lowest) / (self.largest - lowest);
        alpha_max / (1.0 + part * (alpha_max - alpha_min) / alpha_min)
    }

    /// f2: beta at a queueing delay.
    fn share(&self, delay: f64) -> f64 {
        let Params { beta_min, beta_max, eta2, eta3, .. } = self.params;
        let part = if self.largest > 0.0 { delay / self.largest } else { 0.0 };
        if part <= eta2 {
            beta_min
        } else if part >= eta3 {
            beta_max
        } else {
            beta_min + (beta_max - beta_min) * (part - eta2) / (eta3 - eta2)
        }
    }
}

impl Avoidance for Illinois {
    // A round-trip time with every acknowledgement.
    const NEEDS: Needs = Needs::RATES;

    fn observe(&mut self, signals: &Signals, control: &mut Control) {
        if !signals.rtt.is_zero() {
            self.sum += signals.rtt;
            self.count += 1;
            self.base = self.base.min(signals.rtt);
            if self.params.single_delays {
                self.largest = self.largest.max((signals.rtt - self.base).as_secs_f64());
            }
        }
        if signals.round > self.round {
            self.round = signals.round;
            self.judge(signals, control);
        }
    }

    fn steps(&self) -> Option<Steps> {
        self.params.single_delays.then_some(Steps::Dropped)
    }

    fn increase(&mut self, _signals: &Signals, _window: f64) -> f64 {
        self.alpha
    }

    fn threshold(&mut self, signals: &Signals, _control: &Control) -> u64 {
        if self.params.single_delays { less(signals, self.beta) } else { reduced(signals, 1.0 - self.beta) }
    }

    fn restart(&mut self) {
        (self.alpha, self.beta) = (1.0, self.params.beta_max);
        (self.delayed, self.short) = (false, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::avoidance::tests::Run;
    use super::super::growth::tests::signals;
    use super::super::{Controller, Event};
    use super::*;

    /// A connection that has seen a queueing delay of 100 ms on a path of 100 ms.
    fn run() -> Run<Avoiding<Illinois>> {
        of(Params::default())
    }

    fn of(params: Params) -> Run<Avoiding<Illinois>> {
        let mut run = Run::at(params.build(), 1000);
        run.rounds(1);
        run.rtt = Duration::from_millis(200);
        run.rounds(2);
        run.control.window = 1_000_000;
        run
    }

    #[test]
    fn the_largest_delay_may_be_that_of_a_single_segment() {
        for (single, left) in [(false, 0.5), (true, 1.0 - 0.218)] {
            let mut run = of(Params { single_delays: single, ..Params::default() });
            // One segment in 1000 waits for 300 ms: no mean shows it.
            let mut told = signals(Event::Ack, run.now, 1000, 999_000);
            (told.rtt, told.min_rtt) = (Duration::from_millis(400), run.min_rtt);
            Controller::on(&mut run.controller, &told, &mut run.control);
            run.rtt = Duration::from_millis(182);
            run.rounds(2);
            run.control.window = 1_000_000;
            let found = run.congested(Event::Loss);
            assert!((found - left).abs() < 0.02, "{single}: {found}, not {left}");
        }
    }

    #[test]
    fn the_step_falls_and_the_cut_rises_with_the_queueing_delay() {
        // With dm = 100 ms: alpha = 10 / (1 + (da - 1) / 99 * 9.7 / 0.3), beta = 1/8 + 3/8 (da - 10) / 70.
        for (delay, alpha, left) in [
            (100, 0.3, 0.5),
            (80, 0.373, 0.5),
            (50, 0.588, 1.0 - 0.339),
            (10, 2.538, 0.875),
            (2, 7.538, 0.875),
        ] {
            let mut run = run();
            run.rtt = Duration::from_millis(100 + delay);
            run.rounds(2);
            run.control.window = 1_000_000;
            let grown = run.rounds(1);
            assert!((grown - alpha).abs() < 0.01 * alpha + 0.002, "{delay} ms: {grown}, not {alpha}");
            run.control.window = 1_000_000;
            let found = run.congested(Event::Loss);
            assert!((found - left).abs() < 0.002, "{delay} ms: {found}, not {left}");
        }
    }

    #[test]
    fn the_largest_step_follows_five_rounds_without_a_queue() {
        let mut run = run();
        run.rtt = Duration::from_millis(100);
        let grown: Vec<f64> = (0..8).map(|_| run.rounds(1)).collect();
        // The first of them is judged when the second begins.
        assert!(grown[..5].iter().all(|g| *g < 1.0), "{grown:?}");
        assert!((grown[6] - 10.0).abs() < 0.2, "{grown:?}");
    }

    #[test]
    fn small_windows_are_those_of_standard_tcp() {
        let mut run = run();
        run.control.window = 14_000;
        run.rtt = Duration::from_millis(105);
        run.rounds(2);
        run.control.window = 14_000;
        let grown = run.rounds(1);
        assert!((0.9..1.01).contains(&grown), "{grown}");
        run.control.window = 14_000;
        assert_eq!(run.congested(Event::Loss), 0.5);
    }
}
