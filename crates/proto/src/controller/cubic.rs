//! CUBIC: the window is a cubic function of the time since the last loss, whatever the round-trip time.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Time, Validate, config};

use super::growth::{self, reduced};
use super::{Build, Control, Controller, Event, Sample};

config! {
    /// Cubic window growth around the window of the last loss, never slower than Reno would be.
    pub struct Params {
        /// How fast the window grows, in segments per second cubed: `C`.
        scale: f64 = 0.4, "RFC 9438 section 5.1";
        /// What is left of the window after a loss or an ECN echo, as a part of what was outstanding: beta.
        decrease: f64 = 0.7, "RFC 9438 section 4.6";
        /// Gives up part of the last maximum when it was not reached again, to make room for new flows.
        fast_convergence: bool = true, "RFC 9438 section 4.7";
        /// Grows at least as fast as Reno.
        reno_friendly: bool = true, "RFC 9438 section 4.3";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if !(self.scale > 0.0 && self.scale <= 1e6) {
            let message = format!("{} is out of range", self.scale);
            return Err(at.key("scale").error(message, "give a number above 0 and up to 1e6"));
        }
        if !(self.decrease > 0.0 && self.decrease < 1.0) {
            let message = format!("{} is not a decrease", self.decrease);
            return Err(at.key("decrease").error(message, "give a number between 0 and 1"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "cubic";
    const TITLE: &'static str = "TCP CUBIC: window growth independent of the round-trip time";
    const REFERENCE: &'static str = "RFC 9438";
}

impl Build for Params {
    type Controller = Cubic;

    fn build(&self) -> Cubic {
        Cubic { params: self.clone(), w_max: 0.0, prior: 0.0, epoch: None, last: Time::ZERO, credit: 0.0 }
    }
}

/// One stage of congestion avoidance. Windows in segments.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    /// When the stage began, moved on by the time the window was not used in full (RFC 9438 section 4.2).
    start: Time,
    /// Seconds from the beginning to the plateau: K.
    k: f64,
    /// The window at the plateau.
    origin: f64,
    /// What Reno's window would be: W_est.
    reno: f64,
}

/// The controller. Windows in segments.
#[derive(Clone, Debug)]
pub struct Cubic {
    params: Params,
    /// The window before the last cut, less what fast convergence gave up; zero if the stage follows no cut.
    w_max: f64,
    /// The window before the last cut.
    prior: f64,
    epoch: Option<Epoch>,
    /// The latest acknowledgement in congestion avoidance.
    last: Time,
    /// The part of a byte by which the window has yet to grow.
    credit: f64,
}

impl Cubic {
    fn ack(&mut self, sample: &Sample, control: &mut Control) {
        if sample.in_recovery {
            return;
        }
        if control.window < control.threshold {
            if sample.window_limited {
                control.window += sample.acked.min(sample.growth_limit);
            }
            return;
        }
        let idle = sample.now.since(self.last);
        self.last = sample.now;
        let mss = f64::from(sample.mss);
        let window = control.window as f64 / mss;
        let epoch = match &mut self.epoch {
            Some(epoch) => epoch,
            None => {
                // Section 4.8: after a timeout, and before any loss, the plateau is where the stage begins.
                let origin = self.w_max.max(window);
                let k = ((origin - window) / self.params.scale).cbrt();
                self.epoch.insert(Epoch { start: sample.now, k, origin, reno: window })
            }
        };
        if !sample.window_limited {
            // Section 5.8: time in which the application limits the sender does not count.
            epoch.start += idle;
            return;
        }
        let segments = sample.acked as f64 / mss;
        let at = |t: f64| {
            let d = t - epoch.k;
            self.params.scale * d * d * d + epoch.origin
        };
        let t = sample.now.since(epoch.start).as_secs_f64();
        let mut grown = if self.params.reno_friendly {
            let b = self.params.decrease;
            let alpha = if epoch.reno >= self.prior { 1.0 } else { 3.0 * (1.0 - b) / (1.0 + b) };
            epoch.reno += alpha * segments / window;
            if at(t) < epoch.reno { Some(epoch.reno.max(window)) } else { None }
        } else {
            None
        };
        let grown = *grown.get_or_insert_with(|| {
            let target = at(t + sample.smoothed_rtt.as_secs_f64()).clamp(window, 1.5 * window);
            window + (target - window) * segments / window
        });
        self.credit += (grown - window) * mss;
        let whole = self.credit as u64;
        self.credit -= whole as f64;
        control.window += whole;
    }

    /// Remembers the window that was too large and what to do until the next stage begins.
    fn cut(&mut self, sample: &Sample, control: &mut Control) {
        let window = control.window as f64 / f64::from(sample.mss);
        self.w_max = if self.params.fast_convergence && window < self.w_max {
            window * (1.0 + self.params.decrease) / 2.0
        } else {
            window
        };
        self.prior = window;
        self.epoch = None;
        self.credit = 0.0;
        control.threshold = reduced(sample, self.params.decrease);
        control.window = control.threshold;
    }
}

impl Controller for Cubic {
    #[inline]
    fn on(&mut self, sample: &Sample, control: &mut Control) {
        match sample.event {
            Event::Ack => self.ack(sample, control),
            Event::Loss | Event::Ecn => self.cut(sample, control),
            Event::Timeout => {
                if !sample.repeated {
                    self.cut(sample, control);
                }
                // Section 4.8: the first stage after a timeout has its plateau where it begins.
                self.w_max = 0.0;
                control.window = u64::from(sample.mss);
            }
            Event::Idle => {
                growth::restart(sample, control);
                self.epoch = None;
            }
            Event::Start | Event::Recovered => {}
        }
    }
}

