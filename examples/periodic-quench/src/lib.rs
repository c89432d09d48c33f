//! Periodic quench: at fixed times the router quenches the sources of all flows that feed a long queue.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{
    ConfigError, Duration, HeaderKind, Packet, Registered, Time, Validate, VerdictSink, Way, config,
};
use dumbbell_header::SourceQuench;

use dumbbell_net::node::{FlowId, NodeAgent, NodeAgentParams, Outbox, Passage, PortView, Setting};

/// Bytes of a quench (RFC 792).
const SIZE: u16 = 56;

config! {
    /// Once a period the router looks at its ports. It quenches the sources of all flows that sent data into a long queue
    /// since it last looked.
    pub struct Params {
        /// Packets waiting that make a queue long.
        threshold: u32 as "packets" = 20, "choice: a part of usual limits";
        /// Time from one look to the next.
        period: Duration = "100ms", "choice: a usual round-trip time";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.period < Duration::from_micros(10) {
            let message = format!("a router that looks every {} does nothing else", self.period);
            return Err(at.key("period").error(message, "give 10us or more"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "periodic-quench";
    const TITLE: &'static str = "Periodic quench: slows all sources of a long queue together";
    const REFERENCE: &'static str = "choice: an example of a timer";
}

impl NodeAgentParams for Params {
    fn build(&self, setting: Setting) -> Box<dyn NodeAgent> {
        Box::new(PeriodicQuench {
            threshold: self.threshold.into(),
            period: self.period,
            wake_at: Time::ZERO + self.period,
            senders: vec![Vec::new(); setting.ports.len()],
        })
    }

    fn headers(&self) -> &'static [HeaderKind] {
        &[SourceQuench::KIND]
    }
}

#[derive(Debug)]
struct PeriodicQuench {
    threshold: u64,
    period: Duration,
    wake_at: Time,
    /// By port: the flows that sent data out of it since the router last looked, each once.
    senders: Vec<Vec<FlowId>>,
}

impl NodeAgent for PeriodicQuench {
    fn passing(
        &mut self,
        _now: Time,
        packet: Packet,
        passage: &Passage,
        _port: &PortView,
        _sink: &mut dyn VerdictSink<Packet>,
        _outbox: &mut Outbox,
    ) -> Option<Packet> {
        let senders = &mut self.senders[passage.leaves as usize];
        let is_data = passage.way == Way::Forward && !passage.originated;
        if is_data && !senders.contains(&passage.flow) {
            senders.push(passage.flow);
        }
        Some(packet)
    }

    fn wake(&mut self, now: Time, ports: &[PortView], outbox: &mut Outbox) {
        for (senders, port) in self.senders.iter_mut().zip(ports) {
            for flow in senders.drain(..).filter(|_| port.queue.packets >= self.threshold) {
                outbox.send(flow, Way::Reverse, SIZE, SourceQuench);
            }
        }
        self.wake_at = now + self.period;
    }

    fn wake_at(&self) -> Time {
        self.wake_at
    }
}
