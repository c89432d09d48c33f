//! DCQCN: the rate is cut by how often marks come, and climbs back in steps of time and of bytes.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{BitRate, Bytes, ConfigError, Duration, Time, Validate, config};

use super::rate::{self, Bounds};
use super::{Build, Class, Control, Controller, Estimate, Event, Needs, Signals};

config! {
    /// The sender starts at `line_rate`. Marks that come back count as one congestion notification in each `notification_interval`.
    /// A notification cuts the rate by half of alpha, the estimate of congestion. Without one, the rate returns half way to the
    /// rate before the cut with each step of a timer or of a byte counter; after `fast_steps` steps of one of them, that
    /// target grows too. It needs `ecn = true`, and a queue that marks, such as `ramp`.
    pub struct Params {
        /// Shortest time from one notification to the next of a flow.
        notification_interval: Duration = "50us", "Zhu et al., SIGCOMM 2015: at most one CNP in 50 us";
        /// Weight of the latest notification, and of the latest interval without one: g.
        gain: f64 as "dimensionless" = 0.00390625, "Zhu et al., SIGCOMM 2015: 1/256 (published HPCC simulator: 1/16, its sample: 1/256)";
        /// Time without a notification after which alpha shrinks: K.
        alpha_interval: Duration = "55us", "Zhu et al., SIGCOMM 2015: longer than the notification interval";
        /// Steps of the timer: T.
        timer: Duration = "55us", "Zhu et al., SIGCOMM 2015 (published HPCC simulator: 1500 us, its sample: 900 us)";
        /// Steps of the byte counter: B. Bytes count when they are acknowledged.
        byte_counter: Bytes = "10MB", "Zhu et al., SIGCOMM 2015";
        /// Steps of fast recovery, in which the target stands: F.
        fast_steps: u32 as "steps" = 5, "Zhu et al., SIGCOMM 2015";
        /// What a step adds to the target after fast recovery of one of the two: R_AI.
        additive_rate: BitRate = "40Mbit/s", "Zhu et al., SIGCOMM 2015 (published HPCC simulator: 5 Mbit/s, its sample: 50)";
        /// What a step adds to the target after fast recovery of both: R_HAI.
        hyper_rate: BitRate = "400Mbit/s", "choice: ten times `additive_rate`, as in the published HPCC simulator; the paper gives no number";
        /// The rate at the start, and the largest.
        line_rate: BitRate = "40Gbit/s", "Zhu et al., SIGCOMM 2015: the links of the testbed";
        /// The smallest rate.
        min_rate: BitRate = "10Mbit/s", "choice: the paper gives none (published HPCC simulator: 100 Mbit/s)";
        /// Share of the rate that a loss leaves.
        loss_decrease: f64 as "dimensionless" = 0.5, "choice: the paper assumes a fabric without losses (priority flow control); 1 does nothing";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        rate::check_bounds(self.min_rate, self.line_rate, at)?;
        at.above_zero("gain", self.gain, 1.0)?;
        at.above_zero("loss_decrease", self.loss_decrease, 1.0)?;
        for (key, time) in [("alpha_interval", self.alpha_interval), ("timer", self.timer)] {
            if time < SHORTEST {
                return Err(at.key(key).error("is too short", format!("give {SHORTEST} or more")));
            }
        }
        if self.byte_counter.get() == 0 {
            return Err(at.key("byte_counter").error("0 never ends", "give a size above 0"));
        }
        if self.fast_steps > MOST_STEPS {
            let message = format!("{} is out of range", self.fast_steps);
            return Err(at.key("fast_steps").error(message, format!("give a number up to {MOST_STEPS}")));
        }
        Ok(())
    }
}

/// The shortest interval of a timer.
const SHORTEST: Duration = Duration::from_micros(1);
/// The most steps of fast recovery: after so many halvings a rate is its target.
const MOST_STEPS: u32 = 64;

impl Algorithm for Params {
    const NAME: &'static str = "dcqcn";
    const TITLE: &'static str = "DCQCN: a rate for RDMA, cut by marks, that climbs back by time and by bytes";
    const REFERENCE: &'static str = "Zhu et al., SIGCOMM 2015";
}

impl Build for Params {
    type Controller = Box<Dcqcn>;

    fn build(&self) -> Box<Dcqcn> {
        let bounds = Bounds::new(self.min_rate, self.line_rate);
        Box::new(Dcqcn {
            params: self.clone(),
            bounds,
            rate: bounds.most,
            target: bounds.most,
            alpha: 1.0,
            alpha_at: Time::NEVER,
            timer_at: Time::NEVER,
            counter_at: u64::MAX,
            timer_steps: 0,
            counter_steps: 0,
            notified: None,
        })
    }
}

/// The controller: the reaction point, and the notification point's limit. Rates are bytes a second.
#[derive(Clone, Debug)]
pub struct Dcqcn {
    params: Params,
    bounds: Bounds,
    /// R_C.
    rate: f64,
    /// R_T.
    target: f64,
    alpha: f64,
    /// When alpha shrinks next, and when the timer has its next step; never before the first notification.
    alpha_at: Time,
    timer_at: Time,
    /// The byte counter has its next step when so much is delivered.
    counter_at: u64,
    /// Steps since the latest cut.
    timer_steps: u32,
    counter_steps: u32,
    /// The latest notification.
    notified: Option<Time>,
}

impl Dcqcn {
    /// A notification, unless one came just before (Zhu et al., the cut of the reaction point).
    fn notify(&mut self, now: Time, delivered: u64) {
        if self.notified.is_some_and(|last| now.since(last) < self.params.notification_interval) {
            return;
        }
        self.notified = Some(now);
        let factor = 1.0 - self.alpha / 2.0;
        self.alpha = (1.0 - self.params.gain) * self.alpha + self.params.gain;
        self.alpha_at = now + self.params.alpha_interval;
        self.cut(now, delivered, factor);
    }

    /// Leaves `factor` of the rate, and begins fast recovery.
    fn cut(&mut self, now: Time, delivered: u64, factor: f64) {
        self.target = self.rate;
        self.rate = self.bounds.clamp(self.rate * factor);
        (self.timer_steps, self.counter_steps) = (0, 0);
        self.timer_at = now + self.params.timer;
        self.counter_at = delivered.saturating_add(self.params.byte_counter.get());
    }

    /// A step of the timer or of the byte counter (Zhu et al., the increase of the reaction point).
    fn step(&mut self) {
        let fast = self.params.fast_steps;
        if self.timer_steps > fast && self.counter_steps > fast {
            self.target += rate::bytes(self.params.hyper_rate);
        } else if self.timer_steps > fast || self.counter_steps > fast {
            self.target += rate::bytes(self.params.additive_rate);
        }
        self.target = self.bounds.clamp(self.target);
        self.rate = f64::midpoint(self.rate, self.target);
    }

    /// Makes up for what was due until now.
    fn advance(&mut self, now: Time, delivered: u64) {
        if self.alpha_at <= now {
            let interval = self.params.alpha_interval;
            let intervals = now.since(self.alpha_at).as_nanos() / interval.as_nanos() + 1;
            self.alpha *= (1.0 - self.params.gain).powf(intervals as f64);
            self.alpha_at += interval * intervals;
        }
        while self.counter_at <= delivered {
            self.counter_at += self.params.byte_counter.get();
            self.counter_steps = self.counter_steps.saturating_add(1);
            self.step();
        }
        while self.timer_at <= now {
            if self.is_back() {
                // Steps change nothing until the next cut.
                self.timer_at = Time::NEVER;
                break;
            }
            self.timer_at += self.params.timer;
            self.timer_steps = self.timer_steps.saturating_add(1);
            self.step();
        }
    }

    /// True if the sender has its line rate again, to the last byte a second.
    fn is_back(&self) -> bool {
        self.rate >= self.bounds.most - 1.0
    }
}

impl Controller for Dcqcn {
    const CLASS: Class = Class::Rate;
    const NEEDS: Needs = Needs::ECHOES.and(Needs::PACING).and(Needs::WAKE);

    fn on(&mut self, signals: &Signals, control: &mut Control) {
        let (now, delivered) = (signals.now, signals.delivered);
        match signals.event {
            Event::Ack | Event::Recovered | Event::Wake => {
                self.advance(now, delivered);
                if signals.marked > 0 {
                    self.notify(now, delivered);
                }
            }
            Event::Ecn => self.notify(now, delivered),
            Event::Loss | Event::Timeout => self.cut(now, delivered, self.params.loss_decrease),
            Event::Start | Event::Idle | Event::Lost | Event::Undone | Event::Restart => {}
        }
        rate::send_at(self.rate, control);
        let due = if self.is_back() { Time::NEVER } else { self.timer_at };
        control.wake_at = if due > now { due.min(Control::NEVER) } else { Control::NEVER };
    }

    fn estimates(&self, tell: &mut dyn FnMut(Estimate)) {
        tell(Estimate { name: "alpha", unit: "", value: self.alpha });
        tell(Estimate { name: "R_C", unit: "bit/s", value: self.rate * 8.0 });
        tell(Estimate { name: "R_T", unit: "bit/s", value: self.target * 8.0 });
    }
}

#[cfg(test)]
mod tests {
    use super::super::growth::tests::signals;
    use super::*;

    const MARK: u64 = 1000;

    fn us(micros: u64) -> Time {
        Time::ZERO + Duration::from_micros(micros)
    }

    /// An acknowledgement at so many microseconds; the rate in Gbit/s that follows.
    fn told(dcqcn: &mut Dcqcn, at: u64, marked: u64, delivered: u64) -> f64 {
        let mut control = Control::default();
        let ack = signals(Event::Ack, us(at), 1000, 0);
        dcqcn.on(&Signals { delivered, marked, ..ack }, &mut control);
        control.pacing.as_f64() * 8.0 / 1e9
    }

    #[test]
    fn the_first_notification_halves_the_rate() {
        let mut dcqcn = Params::default().build();
        assert_eq!(told(&mut dcqcn, 0, 0, 0), 40.0);
        assert_eq!(told(&mut dcqcn, 10, MARK, 0), 20.0);
        assert_eq!(dcqcn.target * 8.0 / 1e9, 40.0);
        // Within 1/32 of the target after five steps of 55 us.
        let rates: Vec<f64> = (1..=5).map(|n| told(&mut dcqcn, 10 + 55 * n, 0, 0)).collect();
        assert_eq!(rates, [30.0, 35.0, 37.5, 38.75, 39.375]);
    }

    #[test]
    fn one_notification_counts_in_fifty_microseconds() {
        let mut dcqcn = Params::default().build();
        assert_eq!(told(&mut dcqcn, 0, MARK, 0), 20.0);
        assert_eq!(told(&mut dcqcn, 20, MARK, 0), 20.0);
        assert_eq!(told(&mut dcqcn, 49, MARK, 0), 20.0);
        assert!(told(&mut dcqcn, 50, MARK, 0) < 10.1);
    }

    #[test]
    fn alpha_shrinks_by_a_256th_in_each_interval() {
        let mut dcqcn = Params::default().build();
        told(&mut dcqcn, 0, MARK, 0);
        assert_eq!(dcqcn.alpha, 1.0, "a notification moves alpha towards 1");
        told(&mut dcqcn, 54, 0, 0);
        assert_eq!(dcqcn.alpha, 1.0);
        told(&mut dcqcn, 55 * 100, 0, 0);
        assert!((dcqcn.alpha - (255.0_f64 / 256.0).powi(100)).abs() < 1e-12, "{}", dcqcn.alpha);
    }

    #[test]
    fn the_target_grows_after_fast_recovery() {
        let mut dcqcn = Params::default().build();
        // Cut deeply, so that the line rate is far away.
        dcqcn.rate = 1e9 / 8.0;
        told(&mut dcqcn, 0, MARK, 0);
        let target = |dcqcn: &Dcqcn| (dcqcn.target * 8.0 / 1e6).round();
        for n in 1..=5 {
            told(&mut dcqcn, 55 * n, 0, 0);
            assert_eq!(target(&dcqcn), 1000.0, "step {n}");
        }
        told(&mut dcqcn, 55 * 6, 0, 0);
        assert_eq!(target(&dcqcn), 1040.0);
        // The byte counter: five steps of fast recovery pass, during which the timer counts.
        for n in 1..=5 {
            told(&mut dcqcn, 55 * 6, 0, n * 10_000_000);
        }
        assert_eq!(target(&dcqcn), 1240.0);
        told(&mut dcqcn, 55 * 6, 0, 60_000_000);
        assert_eq!(target(&dcqcn), 1640.0);
    }

    #[test]
    fn a_long_silence_ends_at_the_line_rate() {
        let mut dcqcn = Params::default().build();
        told(&mut dcqcn, 0, MARK, 0);
        let mut control = Control::default();
        dcqcn.on(&signals(Event::Wake, us(100_000_000), 0, 0), &mut control);
        assert!((control.pacing.as_f64() * 8.0 - 40e9).abs() < 10.0, "{control:?}");
        assert_eq!(control.wake_at, Control::NEVER);
    }
}
