//! Phantom queue: a counter that drains more slowly than the link, and marks.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Bytes, Frame, MarkReason, Time, Validate, VerdictSink, config};

use dumbbell_net::router::{Agent, AgentParams, QueueView, Setting};

config! {
    /// Marks packets that leave while a counter, which arrivals fill and a share of the link's rate drains, is above a
    /// threshold.
    pub struct Params {
        /// The share.
        share: f64 as "dimensionless" = 0.95, "Alizadeh et al., NSDI 2012, from memory";
        /// The threshold.
        threshold: Bytes = "30kB", "choice: twenty full packets";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if !(self.share > 0.0 && self.share <= 1.0) {
            let message = format!("{} is not a share", self.share);
            return Err(at.key("share").error(message, "give a number above 0, at most 1"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "phantom";
    const TITLE: &'static str = "Phantom queue: congestion marks before the queue fills";
    const REFERENCE: &'static str = "Alizadeh et al., Less is more, NSDI 2012";
}

impl AgentParams for Params {
    type Machine = Phantom;

    fn build(&self, _setting: Setting) -> Phantom {
        Phantom { share: self.share, threshold: self.threshold.get() as f64, bytes: 0.0, at: Time::ZERO }
    }
}

/// The agent.
#[derive(Clone, Debug)]
pub struct Phantom {
    share: f64,
    threshold: f64,
    /// Bytes in the counter at the time of the last arrival.
    bytes: f64,
    at: Time,
}

impl Agent for Phantom {
    fn arrived<P: Frame>(&mut self, now: Time, packet: &P, queue: &QueueView) {
        let drain = self.share * queue.rate.as_bps() as f64 / 8.0;
        self.bytes = (self.bytes - drain * now.since(self.at).as_secs_f64()).max(0.0);
        self.bytes += f64::from(packet.size());
        self.at = now;
    }

    fn leaving<P: Frame>(
        &mut self,
        _now: Time,
        packet: &mut P,
        _queue: &QueueView,
        sink: &mut impl VerdictSink<P>,
    ) {
        if self.bytes > self.threshold && packet.ecn().is_capable() {
            sink.mark(packet, MarkReason::Threshold);
        }
    }

    fn wake(&mut self, _now: Time, _queue: &QueueView) {}

    fn wake_at(&self) -> Time {
        Time::NEVER
    }

    fn offered(&self) -> Option<f64> {
        None
    }
}
