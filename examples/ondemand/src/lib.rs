//! The ondemand governor of Linux, for a port.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Duration, Time, Validate, config};

use dumbbell_net::power::policy::{Policy, PolicyParams, Setting, Target, View};

config! {
    /// Once a period, sets the lowest rate of which the arrivals since the last decision take no more than a share.
    pub struct Params {
        /// Time from each decision to the next.
        period: Duration = "20ms", "choice: above the guard of 16 ms";
        /// Share of a rate that arrivals may take.
        threshold: f64 as "dimensionless" = 0.8, "Pallipadi & Starikovskiy, Ottawa Linux Symposium 2006: up_threshold";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.period < Duration::from_micros(10) {
            let message = format!("decisions every {} are too many", self.period);
            return Err(at.key("period").error(message, "give 10us or more"));
        }
        if !(self.threshold > 0.0 && self.threshold <= 1.0) {
            let message = format!("{} is not a share", self.threshold);
            return Err(at.key("threshold").error(message, "give a number above 0, at most 1"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "ondemand";
    const TITLE: &'static str = "The lowest rate that the latest arrivals leave room in";
    const REFERENCE: &'static str = "Pallipadi & Starikovskiy, Ottawa Linux Symposium 2006";
}

impl PolicyParams for Params {
    type Machine = OnDemand;

    fn build(&self, setting: Setting) -> OnDemand {
        OnDemand {
            period: self.period,
            threshold: self.threshold,
            level: setting.level,
            bytes: 0,
            since: Time::ZERO,
        }
    }
}

/// The policy.
#[derive(Clone, Debug)]
pub struct OnDemand {
    period: Duration,
    threshold: f64,
    /// What it wants.
    level: usize,
    /// Bytes that arrived since the last decision, and when that was.
    bytes: u64,
    since: Time,
}

impl Policy for OnDemand {
    fn arrived(&mut self, _now: Time, size: u32, _accepted: bool) {
        self.bytes += u64::from(size);
    }

    fn decide(&mut self, now: Time, view: &View<'_>) -> Target {
        if now >= self.since + self.period {
            let arrived = 8.0 * self.bytes as f64 / now.since(self.since).as_secs_f64();
            let enough = view.rates.iter().position(|rate| arrived <= self.threshold * rate);
            self.level = enough.unwrap_or(view.rates.len() - 1);
            (self.bytes, self.since) = (0, now);
        }
        Target::Level(self.level)
    }

    fn wake_at(&self, _now: Time, _view: &View<'_>) -> Time {
        self.since + self.period
    }
}
