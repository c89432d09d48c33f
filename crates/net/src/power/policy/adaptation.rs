//! The law of rate adaptation that practRA and its variants share.
//!
//! With backlog q, predicted arrival rate r, rates r_1 < ... < r_n, delay constraint d and pause delta (Panarello et al.,
//! e-Energy 2012, section 2, after Nedevschi et al., NSDI 2008): up from r_i iff q / r_i > d or
//! (delta r + q) / r_{i+1} > d - delta; down iff q = 0 and r < r_i. Up is tested before down (choice).

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{Duration, Time, words};

use super::{Policy, Setting, Target, View};
use crate::power::predictor::{AnyPredictor, Predictor, PredictorSpec};

words! {
    /// The condition on the predicted rate for a step down.
    pub enum Down {
        /// Below the present rate: Panarello et al., e-Energy 2012.
        Present = "P12",
        /// Below the next lower rate: Nedevschi et al., NSDI 2008.
        Lower = "N08",
    }
}

words! {
    /// Which packets the predictor counts.
    pub enum Counted { Arrived = "arrived", Accepted = "accepted" }
}

words! {
    /// What the law takes for the backlog q.
    pub enum Backlog {
        /// What waits, and the unsent rest of the packet in transmission.
        WithService = "with-service",
        /// What waits: the length of the queue as simulators have it.
        Waiting = "waiting",
    }
}

words! {
    /// When the law is applied.
    pub enum Decision {
        /// At arrivals, when the port empties, when a pause or the guard ends, when the prediction has fallen far enough.
        Event = "event",
        /// At fixed intervals.
        Periodic = "periodic",
    }
}

/// How far a change of the rate may go.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Reach {
    /// To the next rate.
    Single,
    /// Up to the first rate that meets the constraint; down to the next.
    Up,
    /// The same, and down to the first rate above the prediction by this share.
    Both(f64),
}

/// The parameters of the law.
#[derive(Clone, PartialEq, Debug)]
pub struct Law {
    /// Bound on the queueing delay.
    pub delay: Duration,
    /// The condition for a step down.
    pub down: Down,
    /// How the arrival rate is predicted.
    pub predictor: PredictorSpec,
    /// Which packets the predictor counts.
    pub counted: Counted,
    /// What counts as backlog.
    pub backlog: Backlog,
    /// When the law is applied.
    pub decision: Decision,
    /// The interval of periodic decisions.
    pub period: Duration,
}

/// Declares the parameters of a policy that applies the law, with any that only it has.
macro_rules! adaptation {
    (
        $(#[doc = $doc:literal])*
        pub struct Params {
            $( $(#[doc = $extra_doc:literal])+ $extra:ident : $type:ty $(as $unit:literal)? = $default:expr, $source:expr; )*
        }
    ) => {
        dumbbell_core::config! {
            $(#[doc = $doc])*
            pub struct Params {
                /// Bound on the queueing delay that the law tries to keep; longer than the port's pause.
                delay: dumbbell_core::Duration = "40ms", "Panarello et al., e-Energy 2012, section 3";
                /// A step down when the queue is empty and the predicted rate is below the present one (`P12`), or below the
                /// next lower one (`N08`).
                down: $crate::power::policy::adaptation::Down = "P12", "Panarello et al., e-Energy 2012, section 2";
                /// How the arrival rate is predicted.
                predictor: $crate::power::predictor::PredictorSpec = "ewma-tau", "choice: Panarello et al. say only that it is an exponential average";
                /// What the predictor counts: packets that `arrived`, or those that the queue `accepted`.
                counted: $crate::power::policy::adaptation::Counted = "arrived", "choice: a lost packet will come again";
                /// What the law takes for the backlog: what waits and the rest of the packet in transmission (`with-service`),
                /// or what waits alone (`waiting`).
                backlog: $crate::power::policy::adaptation::Backlog = "with-service", "choice: a packet in transmission delays those that wait";
                /// When the law is applied: at every `event` that can change its answer, or `periodic`.
                decision: $crate::power::policy::adaptation::Decision = "event", "choice: the law as stated has no clock";
                /// The interval of periodic decisions.
                period: dumbbell_core::Duration = "10ms", "choice: below the guard of 16 ms";
                $( $(#[doc = $extra_doc])+ $extra : $type $(as $unit)? = $default, $source; )*
            }
        }

        impl Params {
            fn law(&self) -> $crate::power::policy::adaptation::Law {
                $crate::power::policy::adaptation::Law {
                    delay: self.delay,
                    down: self.down,
                    predictor: self.predictor.clone(),
                    counted: self.counted,
                    backlog: self.backlog,
                    decision: self.decision,
                    period: self.period,
                }
            }
        }
    };
}

impl Law {
    /// Checks the law, whose parameters stand at `at`, against the port's pause.
    pub fn check(&self, pause: Duration, at: &At<'_>) -> Result<(), ConfigError> {
        if self.delay <= pause {
            return Err(at.key("delay").error(
                format!("{} is not longer than the pause of {pause}", self.delay),
                "make it longer, or shorten the port's `pause`",
            ));
        }
        if self.period < Duration::from_micros(10) {
            return Err(at
                .key("period")
                .error(format!("decisions every {} are too many", self.period), "give 10us or more"));
        }
        Ok(())
    }

    /// The law at work.
    pub fn build(&self, reach: Reach, setting: Setting) -> Adaptation {
        Adaptation {
            delay: self.delay.as_secs_f64(),
            pause: setting.timing.pause.as_secs_f64(),
            down: self.down,
            reach,
            predictor: self.predictor.build(setting.rate),
            accepted_only: self.counted == Counted::Accepted,
            waiting_only: self.backlog == Backlog::Waiting,
            period: self.period,
            next: (self.decision == Decision::Periodic).then_some(Time::ZERO + self.period),
        }
    }
}

/// The law at work.
#[derive(Clone, Debug)]
pub struct Adaptation {
    /// In seconds, as `pause`.
    delay: f64,
    pause: f64,
    down: Down,
    reach: Reach,
    predictor: AnyPredictor,
    accepted_only: bool,
    waiting_only: bool,
    period: Duration,
    /// The next decision, if they are periodic.
    next: Option<Time>,
}

impl Adaptation {
    /// The backlog in bits.
    fn backlog(&self, view: &View<'_>) -> f64 {
        if self.waiting_only { view.waiting } else { view.backlog }
    }

    /// True if there is no backlog.
    fn empty(&self, view: &View<'_>) -> bool {
        if self.waiting_only { view.waiting == 0.0 } else { view.empty }
    }

    /// True if `rate` meets the delay constraint for this backlog and prediction, after a pause.
    fn suffices(&self, rate: f64, backlog: f64, predicted: f64) -> bool {
        backlog / rate <= self.delay && (self.pause * predicted + backlog) / rate <= self.delay - self.pause
    }

    fn first_sufficient(&self, from: usize, view: &View<'_>, predicted: f64) -> usize {
        let rates = &view.rates[from..];
        let found = rates.iter().position(|&rate| self.suffices(rate, self.backlog(view), predicted));
        found.map_or(view.rates.len() - 1, |i| from + i)
    }

    /// The rate below which the prediction must be for a step down from `level`.
    fn threshold(&self, level: usize, rates: &[f64]) -> f64 {
        match self.down {
            Down::Present => rates[level],
            Down::Lower => rates[level - 1],
        }
    }

    /// The level that the law asks for now.
    fn level(&self, now: Time, view: &View<'_>) -> usize {
        let (i, q) = (view.level, self.backlog(view));
        let predicted = self.predictor.value(now);
        if let Some(&next) = view.rates.get(i + 1)
            && (q / view.rates[i] > self.delay
                || (self.pause * predicted + q) / next > self.delay - self.pause)
        {
            return match self.reach {
                Reach::Single => i + 1,
                Reach::Up | Reach::Both(_) => self.first_sufficient(i + 1, view, predicted),
            };
        }
        if i > 0 && self.empty(view) && predicted < self.threshold(i, view.rates) {
            return match self.reach {
                Reach::Single | Reach::Up => i - 1,
                Reach::Both(headroom) => {
                    let enough = view.rates[..i].iter().position(|&r| r >= (1.0 + headroom) * predicted);
                    enough.unwrap_or(i - 1)
                }
            };
        }
        i
    }

    /// The level to wake up to: the lowest that is not below the prediction and meets the constraint.
    pub fn level_on_waking(&self, now: Time, view: &View<'_>) -> usize {
        let predicted = self.predictor.value(now);
        let from = view.rates.iter().position(|&rate| rate >= predicted).unwrap_or(view.rates.len() - 1);
        self.first_sufficient(from, view, predicted)
    }
}

impl Policy for Adaptation {
    #[inline]
    fn arrived(&mut self, now: Time, size: u32, accepted: bool) {
        if accepted || !self.accepted_only {
            self.predictor.arrived(now, size);
        }
    }

    fn decide(&mut self, now: Time, view: &View<'_>) -> Target {
        if let Some(next) = &mut self.next {
            if now < *next {
                return Target::Level(view.level);
            }
            // A port that slept may have missed some.
            *next += self.period * (1 + now.since(*next).as_nanos() / self.period.as_nanos());
        }
        Target::Level(self.level(now, view))
    }

    fn wake_at(&self, now: Time, view: &View<'_>) -> Time {
        match self.next {
            Some(next) => next,
            None if self.empty(view) && view.level > 0 => {
                self.predictor.below(now, self.threshold(view.level, view.rates))
            }
            None => Time::NEVER,
        }
    }

    fn watches_departures(&self) -> bool {
        self.waiting_only
    }

    fn predicted(&self, now: Time) -> Option<f64> {
        Some(self.predictor.value(now))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::predictor::ewma_tau;
    use super::super::contract::Timing;
    use super::*;

    const RATES: [f64; 3] = [1e6, 2e6, 3e6];

    /// A law with a bound of 40 ms, a pause of 10 ms and a prediction, which an empty port follows down.
    fn law(reach: Reach, down: Down, predicted: f64) -> Adaptation {
        let law = Law {
            delay: Duration::from_millis(40),
            down,
            predictor: PredictorSpec::EwmaTau(ewma_tau::Params::default()),
            counted: Counted::Accepted,
            backlog: Backlog::WithService,
            decision: Decision::Event,
            period: Duration::from_millis(1),
        };
        let timing = Timing { pause: Duration::from_millis(10), wake: Duration::ZERO };
        law.build(reach, Setting { levels: 3, level: 0, rate: predicted, timing })
    }

    fn level(law: &Adaptation, level: usize, backlog: f64) -> usize {
        let empty = backlog == 0.0;
        let view =
            View { rates: &RATES, level, backlog, waiting: 0.0, empty, asleep: false, since: Time::ZERO };
        law.level(Time::ZERO, &view)
    }

    #[test]
    fn a_packet_in_transmission_need_not_be_backlog() {
        // 41,000 bits of which 12,000 are in transmission: above 40,000, or below.
        let seen = |waiting: f64| View {
            rates: &RATES,
            level: 0,
            backlog: waiting + 12_000.0,
            waiting,
            empty: false,
            asleep: false,
            since: Time::ZERO,
        };
        let whole = law(Reach::Single, Down::Present, 0.0);
        let waiting = Adaptation { waiting_only: true, ..whole.clone() };
        assert_eq!([&whole, &waiting].map(|law| law.level(Time::ZERO, &seen(29_000.0))), [1, 0]);
        assert_eq!([&whole, &waiting].map(|law| law.level(Time::ZERO, &seen(41_000.0))), [1, 1]);
        // Nothing waits: a step down, at the departure after which this is so.
        let last = View { level: 2, ..seen(0.0) };
        assert_eq!([&whole, &waiting].map(|law| law.level(Time::ZERO, &last)), [2, 1]);
        assert_eq!([&whole, &waiting].map(|law| law.watches_departures()), [false, true]);
    }

    #[test]
    fn a_step_up_keeps_the_delay_after_a_pause() {
        // Panarello et al., e-Energy 2012, section 2: up if q / r > D, or if (tau lambda + q) / r' > D - tau, which for 2 Mbit/s is
        // 60,000 bits.
        for (predicted, backlog, expected) in [
            (0.0, 40_000.0, 0),
            (0.0, 40_001.0, 1),
            (2e6, 39_999.0, 0),
            (2.1e6, 39_001.0, 1),
            (5e6, 9_999.0, 0),
            (5.1e6, 10_000.0, 1),
        ] {
            let law = law(Reach::Single, Down::Present, predicted);
            assert_eq!(level(&law, 0, backlog), expected, "{predicted} {backlog}");
        }
        // To the first rate that keeps it, 90,000 bits for 3 Mbit/s, or to the last.
        let far = law(Reach::Up, Down::Present, 1e6);
        assert_eq!(
            [39_000.0, 41_000.0, 51_000.0, 99_000.0].map(|backlog| level(&far, 0, backlog)),
            [0, 1, 2, 2]
        );
    }

    #[test]
    fn a_step_down_needs_an_empty_queue_and_a_low_prediction() {
        for (down, predicted, expected) in [
            (Down::Present, 2.9e6, 1),
            (Down::Present, 3e6, 2),
            (Down::Lower, 1.9e6, 1),
            (Down::Lower, 2e6, 2),
        ] {
            let law = law(Reach::Single, down, predicted);
            assert_eq!(level(&law, 2, 0.0), expected, "{predicted}");
            assert_eq!(level(&law, 2, 1.0), 2, "something waits");
        }
        assert_eq!(level(&law(Reach::Single, Down::Present, 0.0), 0, 0.0), 0, "there is none below");
        // With a headroom of a half, 1.2 Mbit/s take 2 and 0.6 take 1; what no lower rate holds goes one down.
        for (predicted, expected) in [(1.2e6, 1), (0.6e6, 0), (1.5e6, 1)] {
            let law = law(Reach::Both(0.5), Down::Present, predicted);
            assert_eq!(level(&law, 2, 0.0), expected, "{predicted}");
        }
    }
}
