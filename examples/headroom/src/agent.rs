//! Headroom: writes down how much of the link's rate is to spare.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{
    ConfigError, Duration, Frame, HeaderKind, Registered, Time, Validate, VerdictSink, config,
};
use dumbbell_net::router::{Agent, AgentParams, QueueView, Setting};

use crate::header::HeadroomHeader;

config! {
    /// Writes into packets what the target leaves: less the share of the rate that arrivals took in the latest period, less
    /// the queue as a share of what the link sends in a round-trip time.
    pub struct Params {
        /// Share of the rate to be used.
        target: f64 as "dimensionless" = 0.95, "Li et al., HPCC, SIGCOMM 2019, from memory: eta";
        /// Time over which arrivals are counted.
        period: Duration = "10ms", "choice: some packets on a slow link";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if !(self.target > 0.0 && self.target <= 1.0) {
            let message = format!("{} is not a share", self.target);
            return Err(at.key("target").error(message, "give a number above 0, at most 1"));
        }
        if self.period < Duration::from_micros(10) {
            return Err(at.key("period").error("is too short", "give 10us or more"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "headroom";
    const TITLE: &'static str = "Headroom: in-band telemetry of load and queue";
    const REFERENCE: &'static str = "Li et al., HPCC, SIGCOMM 2019, section 3";
}

impl AgentParams for Params {
    type Machine = Headroom;

    fn build(&self, _setting: Setting) -> Headroom {
        Headroom { bytes: 0, since: Time::ZERO, spare: self.target, params: self.clone() }
    }

    fn headers(&self) -> &'static [HeaderKind] {
        &[HeadroomHeader::KIND]
    }
}

/// The agent.
#[derive(Clone, Debug)]
pub struct Headroom {
    params: Params,
    /// Bytes that arrived since the period began.
    bytes: u64,
    since: Time,
    /// What the latest period left of the target.
    spare: f64,
}

impl Agent for Headroom {
    fn arrived<P: Frame>(&mut self, _now: Time, packet: &P, _queue: &QueueView) {
        self.bytes += u64::from(packet.size());
    }

    fn leaving<P: Frame>(
        &mut self,
        _now: Time,
        packet: &mut P,
        queue: &QueueView,
        _sink: &mut impl VerdictSink<P>,
    ) {
        let Some(header) = packet.read::<HeadroomHeader>() else { return };
        let sent = queue.rate.as_bps() as f64 / 8.0 * header.rtt;
        let queued = if sent > 0.0 { queue.bytes as f64 / sent } else { 0.0 };
        packet.write(&HeadroomHeader { share: header.share.min(self.spare - queued), ..header });
    }

    fn wake(&mut self, now: Time, queue: &QueueView) {
        let most = queue.rate.as_bps() as f64 / 8.0 * now.since(self.since).as_secs_f64();
        self.spare = self.params.target - self.bytes as f64 / most;
        (self.bytes, self.since) = (0, now);
    }

    fn wake_at(&self) -> Time {
        self.since + self.params.period
    }

    fn offered(&self) -> Option<f64> {
        None
    }
}
