//! PIE: a proportional-integral controller of the time that packets wait (RFC 8033).

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{BitRate, Duration, Frame, Probability, QueueLimit, Time, Validate, config};
use rand::RngExt;

use super::at_arrival::{ArrivalLaw, AtArrival, Decision, Signals, Waiting};
use super::ticks::{Ticks, check_interval};
use super::{Level, Limit, QueueParams, Setting, Threshold, check_factors, check_target};

config! {
    /// The controller of PIE.
    pub struct Controller {
        /// The time that packets shall wait.
        target: Duration = "15ms", "RFC 8033 section 4.2: QDELAY_REF";
        /// Time from one move of the probability to the next.
        interval: Duration = "15ms", "RFC 8033 section 4.2: T_UPDATE";
        /// Gain of the difference to the target, for each second.
        alpha: f64 as "1/s" = 0.125, "RFC 8033 section 4.2: 1/8";
        /// Gain of the change since the last move, for each second.
        beta: f64 as "1/s" = 1.25, "RFC 8033 section 4.2: 1 + 1/4";
        /// How long a burst into an empty queue passes.
        burst: Duration = "150ms", "RFC 8033 section 4.4: MAX_BURST";
        /// Drops keep a distance: none before the probabilities since the last add up to 0.85, one for sure from 8.5 on.
        derandomize: bool = true, "RFC 8033 section 5.4";
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = true, "RFC 8033 section 5.1";
        /// Above this probability they are dropped too.
        ecn_limit: Probability = 0.1, "RFC 8033 section 5.1: mark_ecnth";
    }
}

impl Validate for Controller {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_target(self.target, at)?;
        check_interval(self.interval, at)?;
        check_factors(&[("alpha", self.alpha), ("beta", self.beta)], at)
    }
}

config! {
    /// Drops, or marks, arrivals with a probability that a proportional-integral controller sets, so that packets wait for the `target`. The
    /// time that packets wait is measured when they leave.
    pub struct Params {
        /// Packets or bytes that may wait.
        limit: QueueLimit = "1000pkt", "choice: the default of the Linux queueing discipline";
        ..controller: Controller {}
    }
}

impl Validate for Params {}

impl Algorithm for Params {
    const NAME: &'static str = "pie";
    const TITLE: &'static str = "A proportional-integral controller of the time that packets wait";
    const REFERENCE: &'static str = "RFC 8033";
}

impl QueueParams for Params {
    type Machine<P: Frame> = Pie<P>;

    fn build<P: Frame>(&self, setting: Setting) -> Pie<P> {
        Pie::new(self, setting)
    }

    fn draws(&self) -> bool {
        true
    }

    fn limit(&self, bdp: u64, mtu: u32) -> Limit {
        Limit::resolve(self.limit, bdp, mtu)
    }

    fn thresholds(&self, _rate: BitRate) -> Vec<Threshold> {
        vec![Threshold::new("target", Level::Wait(self.controller.target))]
    }
}

/// The controller at work.
#[derive(Clone, Debug)]
pub struct Law {
    target: f64,
    alpha: f64,
    beta: f64,
    burst: Duration,
    interval: Duration,
    derandomize: bool,
    ecn_limit: f64,
    mtu: u64,
    probability: f64,
    /// Seconds that the packet waited which left last.
    delay: f64,
    /// The same, at the last move.
    previous: f64,
    /// What is left of the burst that passes.
    burst_left: Duration,
    /// The sum of probabilities since the last drop.
    accumulated: f64,
    ticks: Ticks,
}

impl Law {
    /// At the start.
    pub fn new(controller: &Controller, mtu: u32) -> Law {
        Law {
            target: controller.target.as_secs_f64(),
            alpha: controller.alpha,
            beta: controller.beta,
            burst: controller.burst,
            interval: controller.interval,
            derandomize: controller.derandomize,
            ecn_limit: controller.ecn_limit.get(),
            mtu: mtu.into(),
            probability: 0.0,
            delay: 0.0,
            previous: 0.0,
            burst_left: controller.burst,
            accumulated: 0.0,
            ticks: Ticks::new(controller.interval),
        }
    }

    /// RFC 8033 section 4.2: small probabilities move in small steps.
    fn scale(probability: f64) -> f64 {
        let steps = [
            (1e-6, 1.0 / 2048.0),
            (1e-5, 1.0 / 512.0),
            (1e-4, 1.0 / 128.0),
            (1e-3, 1.0 / 32.0),
            (1e-2, 1.0 / 8.0),
            (1e-1, 1.0 / 2.0),
        ];
        steps.iter().find(|(below, _)| probability < *below).map_or(1.0, |(_, scale)| *scale)
    }

    /// Moves the probability (RFC 8033 sections 4.2 and 4.4).
    fn update(&mut self) {
        let step = self.alpha * (self.delay - self.target) + self.beta * (self.delay - self.previous);
        let mut step = step * Law::scale(self.probability);
        if self.probability >= 0.1 {
            // RFC 8033 section 5.5.
            step = step.min(0.02);
        }
        self.probability += step;
        if self.delay == 0.0 && self.previous == 0.0 {
            self.probability *= 0.98;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        self.burst_left = self.burst_left.saturating_sub(self.interval);
        if self.probability == 0.0 && self.delay < self.target / 2.0 && self.previous < self.target / 2.0 {
            self.burst_left = self.burst;
        }
        self.previous = self.delay;
    }

    /// True if this packet is the one to drop (RFC 8033 sections 4.1 and 5.4).
    fn chooses(&mut self, rng: &mut Stream) -> bool {
        if self.probability == 0.0 {
            self.accumulated = 0.0;
            return false;
        }
        self.accumulated += self.probability;
        let chosen = match self.accumulated {
            few if self.derandomize && few < 0.85 => false,
            many if self.derandomize && many >= 8.5 => true,
            _ => rng.random::<f64>() < self.probability,
        };
        if chosen {
            self.accumulated = 0.0;
        }
        chosen
    }
}

impl ArrivalLaw for Law {
    #[inline]
    fn advance(&mut self, now: Time, waiting: Waiting) {
        while self.ticks.due(now).is_some() {
            if waiting.packets == 0 {
                self.delay = 0.0;
            }
            self.update();
            if self.probability == 0.0 && self.delay == 0.0 && self.previous == 0.0 {
                self.ticks.skip(now);
            }
        }
    }

    #[inline]
    fn arrives(&mut self, _now: Time, _size: u32, waiting: Waiting, rng: &mut Stream) -> Decision {
        let light = self.previous < self.target / 2.0 && self.probability < 0.2;
        let short = waiting.bytes <= 2 * self.mtu;
        if !self.burst_left.is_zero() || light || short || !self.chooses(rng) {
            Decision::Pass
        } else if self.probability <= self.ecn_limit {
            Decision::Signal
        } else {
            Decision::Drop
        }
    }

    #[inline]
    fn leaves(&mut self, _now: Time, _size: u32, waited: Duration, left: Waiting) {
        self.delay = if left.packets == 0 { 0.0 } else { waited.as_secs_f64() };
    }
}

/// The discipline.
pub type Pie<P> = AtArrival<P, Law>;

impl<P: Frame> Pie<P> {
    /// An empty queue.
    pub fn new(params: &Params, setting: Setting) -> Pie<P> {
        let law = Law::new(&params.controller, setting.mtu);
        let signals = Signals::by(params.controller.ecn);
        AtArrival::of(law, params.limit(setting.bdp, setting.mtu), signals, &setting)
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::rng::stream;

    use super::super::Discipline;
    use super::super::laws::{Log, TestFrame, setting};
    use super::*;

    fn law(more: Controller) -> Law {
        Law::new(&more, 1500)
    }

    #[test]
    fn the_probability_moves_by_both_gains_scaled_for_its_size() {
        // RFC 8033 section 4.2, from 15 to 30 ms: (0.015 / 8 + 0.015 * 5 / 4) / 2048.
        let mut first = law(Controller::default());
        (first.previous, first.delay) = (0.015, 0.030);
        first.update();
        assert!((first.probability - 0.020625 / 2048.0).abs() < 1e-15, "{}", first.probability);
        // Each size of the probability has its scale.
        let scales = [(5e-7, 2048.0), (5e-6, 512.0), (5e-5, 128.0), (5e-4, 32.0), (5e-3, 8.0), (5e-2, 2.0)];
        for (probability, divisor) in scales {
            let mut law = law(Controller::default());
            (law.probability, law.previous, law.delay) = (probability, 0.015, 0.016);
            law.update();
            let step = law.probability - probability;
            assert!((step - 0.001375 / divisor).abs() < 1e-12, "{probability}: {step}");
        }
        // From 0.1 on it rises by 0.02 at most, and falls as it is told.
        let mut capped = law(Controller::default());
        (capped.probability, capped.delay) = (0.1, 1.0);
        capped.update();
        assert!((capped.probability - 0.12).abs() < 1e-12);
        capped.delay = 0.5;
        capped.update();
        assert_eq!(capped.probability, 0.0);
    }

    #[test]
    fn without_any_delay_the_probability_decays() {
        let mut law = law(Controller { alpha: 0.0, beta: 0.0, ..Controller::default() });
        law.probability = 0.5;
        law.update();
        law.update();
        assert!((law.probability - 0.5 * 0.98 * 0.98).abs() < 1e-12);
    }

    /// Sends two packets in each millisecond to a link that takes one, and returns when packets were dropped, in milliseconds.
    fn overload(params: &Params, millis: u64) -> (Vec<u64>, usize) {
        let mut queue: Pie<TestFrame> = Pie::new(params, setting());
        let mut log = Log::default();
        let mut times = Vec::new();
        for t in 0..millis {
            let now = Time::ZERO + Duration::from_millis(t);
            let before = log.dropped.len();
            (0..2).for_each(|_| queue.enqueue(now, TestFrame::new(1250, true), &mut log));
            times.extend(vec![t; log.dropped.len() - before]);
            queue.dequeue(now, &mut log);
        }
        (times, log.marked)
    }

    #[test]
    fn a_burst_passes_and_what_persists_meets_the_target() {
        let params = |controller| Params { limit: QueueLimit::Packets(100_000), controller };
        let (drops, marked) = overload(&params(Controller { ecn: false, ..Controller::default() }), 20_000);
        assert!(drops[0] > 150 && marked == 0, "{drops:?}");
        // Two for one: one of two is dropped in the end.
        let late = drops.iter().filter(|t| **t >= 15_000).count();
        assert!((4_500..5_500).contains(&late), "{late}");
        // With gains that act at once, the burst alone holds the first drop back.
        let first = |burst| {
            let quick = Controller { alpha: 100.0, beta: 100.0, ecn: false, burst, ..Controller::default() };
            overload(&params(quick), 1_000).0[0]
        };
        let [none, default] = [Duration::ZERO, Duration::from_millis(150)].map(first);
        assert!(none < 100 && (150..300).contains(&default), "{none} {default}");
        // Marks up to a tenth, drops above.
        let (drops, marked) = overload(&params(Controller::default()), 20_000);
        assert!(marked > 0 && !drops.is_empty());
    }

    #[test]
    fn two_packets_may_wait_without_a_drop() {
        // RFC 8033 section 4.1: below or at 2 * MEAN_PKTSIZE a packet is queued whatever the probability.
        let params = Controller { burst: Duration::ZERO, derandomize: false, ..Controller::default() };
        let mut law = law(params);
        (law.probability, law.previous) = (1.0, 1.0);
        let mut at =
            |bytes| law.arrives(Time::ZERO, 1500, Waiting { packets: 2, bytes }, &mut stream(1, "pie"));
        assert_eq!([0, 3000, 3001].map(&mut at), [Decision::Pass, Decision::Pass, Decision::Drop]);
    }

    #[test]
    fn drops_keep_their_distance() {
        let mut rng = stream(1, "pie");
        let mut gaps = |derandomize| {
            let mut law = law(Controller { derandomize, ..Controller::default() });
            law.probability = 0.1;
            let mut gap = || 1 + (0..).take_while(|_| !law.chooses(&mut rng)).count();
            let gaps: Vec<usize> = (0..20_000).map(|_| gap()).collect();
            (*gaps.iter().min().unwrap(), *gaps.iter().max().unwrap())
        };
        let (least, most) = gaps(true);
        // 9 * 0.1 is the first sum that is 0.85 or more; 8.5 is reached at the 85th, in floating point perhaps one later.
        assert!(least == 9 && most <= 86, "{least} {most}");
        let (least, most) = gaps(false);
        assert!(least == 1 && most > 86, "{least} {most}");
    }
}
