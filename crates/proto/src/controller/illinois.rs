//! TCP Illinois: losses say when the window grows and shrinks, the queueing delay says by how much.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Duration, Validate, config};

use super::avoidance::{Avoidance, Avoiding, SEGMENTS, SHARE, Steps, within};
use super::growth::{less, reduced};
use super::states::{Delays, InOrder};
use super::{Build, Control, Event, Needs, Signals};

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
            linux: self.single_delays.then(|| Linux::new(self)),
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
    /// With `single_delays`; nothing above but the parameters counts then.
    linux: Option<Linux>,
}

/// One, in the units of alpha and beta (Linux net/ipv4/tcp_illinois.c: ALPHA_SHIFT, BETA_SHIFT).
const STEP: u64 = 128;
const SHARES: u64 = 64;
/// Longer round-trip times count as this, in microseconds (RTT_MAX).
const LONGEST: u64 = 3_355_443;

/// Illinois as Linux has it: in whole numbers, times in microseconds.
// Linux net/ipv4/tcp_illinois.c.
#[derive(Clone, Debug)]
struct Linux {
    in_order: InOrder,
    delays: Delays,
    alpha: u64,
    beta: u64,
    /// The longest round-trip time, and the sum of those of this round trip.
    longest: u64,
    sum: u64,
    /// The delay has passed the least since alpha was the largest, and round trips in which it has not.
    above: bool,
    low: u32,
    /// Segments that count for the next acknowledgement, and those since the window grew.
    segments: u64,
    counted: u64,
}

impl Linux {
    fn new(params: &Params) -> Linux {
        Linux {
            in_order: InOrder::default(),
            delays: Delays::default(),
            alpha: (params.alpha_max * STEP as f64) as u64,
            beta: (params.beta_max * SHARES as f64) as u64,
            longest: 0,
            sum: 0,
            above: false,
            low: 0,
            segments: 0,
            counted: 0,
        }
    }

    fn begin(&mut self, signals: &Signals) {
        self.delays.begin(signals);
        self.sum = 0;
    }

    // tcp_illinois_acked, and the beginning of tcp_illinois_cong_avoid.
    fn measure(&mut self, params: &Params, signals: &Signals, window: u64) {
        self.segments = self.in_order.segments(signals);
        let rtt = (signals.rtt.as_nanos() / 1000).min(LONGEST);
        let signals = &Signals { rtt: Duration::from_micros(rtt), ..*signals };
        self.delays.measure(signals);
        if rtt > 0 {
            self.longest = self.longest.max(rtt);
            self.sum += rtt;
        }
        if !signals.in_recovery && self.delays.ends(signals) {
            self.judge(params, window);
            self.begin(signals);
        }
    }

    // update_params
    fn judge(&mut self, params: &Params, window: u64) {
        if (window as f64) < params.window_threshold {
            (self.alpha, self.beta) = (STEP, (params.beta_max * SHARES as f64) as u64);
        } else if self.delays.count > 0 {
            let base = self.delays.base - 1;
            let (mean, largest) = (self.sum / u64::from(self.delays.count) - base, self.longest - base);
            self.alpha = self.step(params, mean, largest);
            self.beta = share(params, mean, largest);
        }
    }

    // alpha
    fn step(&mut self, params: &Params, delay: u64, largest: u64) -> u64 {
        let (most, least) =
            ((params.alpha_max * STEP as f64) as u64, (params.alpha_min * STEP as f64) as u64);
        let lowest = (largest as f64 * params.eta1) as u64;
        if delay <= lowest {
            if self.above {
                self.low += 1;
                if self.low < params.theta {
                    return self.alpha;
                }
            }
            (self.low, self.above) = (0, false);
            return most;
        }
        self.above = true;
        let (largest, delay) = (largest - lowest, delay - lowest);
        largest * most / (largest + delay * (most - least) / least.max(1))
    }

    // tcp_illinois_cong_avoid, behind slow start
    fn grow(&mut self, window: u64) -> u64 {
        self.counted += std::mem::replace(&mut self.segments, 1);
        let grown = (self.counted * self.alpha / STEP) / window;
        if grown > 0 {
            self.counted = 0;
        }
        grown
    }

    fn told(&mut self, params: &Params, signals: &Signals) {
        match signals.event {
            Event::Loss | Event::Ecn => self.counted = 0,
            // tcp_illinois_state
            Event::Timeout => {
                (self.alpha, self.beta) = (STEP, (params.beta_max * SHARES as f64) as u64);
                (self.above, self.low, self.counted) = (false, 0, 0);
                self.begin(signals);
            }
            _ => {}
        }
    }
}

/// beta
fn share(params: &Params, delay: u64, largest: u64) -> u64 {
    let (least, most) = ((params.beta_min * SHARES as f64) as u64, (params.beta_max * SHARES as f64) as u64);
    let (low, high) = ((largest as f64 * params.eta2) as u64, (largest as f64 * params.eta3) as u64);
    if delay <= low {
        least
    } else if delay >= high || high <= low {
        most
    } else {
        (least * high + (most - least) * delay - most * low) / (high - low)
    }
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
        self.short = 0;
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
        if let Some(linux) = &mut self.linux {
            if signals.event == Event::Ack {
                linux.measure(&self.params, signals, control.window / u64::from(signals.mss));
            }
            return;
        }
        if !signals.rtt.is_zero() {
            self.sum += signals.rtt;
            self.count += 1;
            self.base = self.base.min(signals.rtt);
        }
        if signals.round > self.round {
            self.round = signals.round;
            self.judge(signals, control);
        }
    }

    fn steps(&self) -> Option<Steps> {
        self.params.single_delays.then_some(Steps::Own)
    }

    fn own_steps(&mut self, _signals: &Signals, window: u64) -> u64 {
        self.linux.as_mut().map_or(0, |linux| linux.grow(window))
    }

    fn told(&mut self, signals: &Signals, _control: &mut Control) {
        if let Some(linux) = &mut self.linux {
            linux.told(&self.params, signals);
        }
    }

    fn increase(&mut self, _signals: &Signals, _window: f64) -> f64 {
        self.alpha
    }

    fn threshold(&mut self, signals: &Signals, _control: &Control) -> u64 {
        if let Some(linux) = &self.linux {
            return less(signals, linux.beta as f64 / SHARES as f64);
        }
        reduced(signals, 1.0 - self.beta)
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

    /// Linux net/ipv4/tcp_illinois.c, by hand: with delays up to 100 ms and one of 50 ms, alpha is 99000 * 1280 / (99000 + 49000 * 1242 /
    /// 38) = 74 parts of 128, and beta (8 * 80000 + 24 * 50000 - 32 * 10000) / 70000 = 21 parts of 64.
    #[test]
    fn linux_reckons_steps_and_shares_in_parts() {
        let mut linux = Linux::new(&Params { alpha_min: 38.0 / 128.0, ..Params::default() });
        let params = Params { alpha_min: 38.0 / 128.0, ..Params::default() };
        linux.alpha = linux.step(&params, 50_000, 100_000);
        assert_eq!(linux.alpha, 74);
        assert_eq!(share(&params, 50_000, 100_000), 21);
        // Of the five round trips below a hundredth, others may lie between.
        let steps = [500, 500, 500, 50_000, 500, 500].map(|delay| {
            linux.alpha = linux.step(&params, delay, 100_000);
            linux.alpha
        });
        assert_eq!(steps, [74, 74, 74, 74, 74, 1280]);
        assert_eq!(linux.step(&params, 500, 100_000), 1280);
    }

    /// Linux net/ipv4/tcp_illinois.c: tcp_illinois_cong_avoid judges where the window may grow, not while losses are repaired.
    #[test]
    fn linux_judges_no_round_of_a_repair() {
        let mut run = Run::at(Params { single_delays: true, ..Params::default() }.build(), 10);
        let alpha = |run: &Run<Avoiding<Illinois>>| run.controller.laws().linux.as_ref().unwrap().alpha;
        run.held = 1000;
        run.rounds(3);
        assert_eq!(alpha(&run), 1280);
        run.held = 0;
        run.rounds(1);
        assert_eq!(alpha(&run), 128);
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
