//! Source quench: the router tells a source that a queue is long.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{
    ConfigError, Duration, HeaderKind, Packet, Registered, Time, Validate, VerdictSink, Way, config,
};

use super::contract::{FlowId, NodeAgent, NodeAgentParams, Outbox, Passage, PortView, Setting};

/// Bytes of a quench: an IP header, 8 bytes of ICMP, and of the packet that it quotes the IP header and 8 bytes (RFC 792).
const SIZE: u16 = 56;

config! {
    /// A packet that finds a long queue goes on, and its source is sent a quench, not too often. Real routers must not do
    /// this any more (RFC 6633): it is here as the simplest agent that originates packets.
    pub struct Params {
        /// Packets waiting on the link out from which on sources are quenched.
        threshold: u32 as "packets" = 20, "choice: a part of usual limits; RFC 1016 section 1 has quenches sent before the limit is reached";
        /// Least time between two quenches to one source.
        min_interval: Duration = "100ms", "RFC 1812 section 4.3.2.8 asks for a limit; choice: a usual round-trip time";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.threshold == 0 {
            return Err(at.key("threshold").error("every packet would be answered", "give 1 or more"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "source-quench";
    const TITLE: &'static str = "Source quench: slows the sources of packets that find a long queue";
    const REFERENCE: &'static str = "RFC 792, RFC 1016; deprecated by RFC 6633";
}

impl NodeAgentParams for Params {
    fn build(&self, _setting: Setting) -> Box<dyn NodeAgent> {
        let threshold = self.threshold.into();
        Box::new(SourceQuench { threshold, min_interval: self.min_interval, quenched: Vec::new() })
    }

    fn headers(&self) -> &'static [HeaderKind] {
        &[dumbbell_header::SourceQuench::KIND]
    }
}

#[derive(Debug)]
struct SourceQuench {
    threshold: u64,
    min_interval: Duration,
    /// By the index of flows: which was quenched last, and from when on it may be again.
    quenched: Vec<Option<(FlowId, Time)>>,
}

impl SourceQuench {
    /// True if the flow may be quenched at `now`; then it may not again for a while.
    fn may_quench(&mut self, now: Time, flow: FlowId) -> bool {
        let index = flow.index as usize;
        if self.quenched.len() <= index {
            self.quenched.resize(index + 1, None);
        }
        if self.quenched[index].is_some_and(|(last, until)| last == flow && now < until) {
            return false;
        }
        self.quenched[index] = Some((flow, now + self.min_interval));
        true
    }
}

impl NodeAgent for SourceQuench {
    fn passing(
        &mut self,
        now: Time,
        packet: Packet,
        passage: &Passage,
        port: &PortView,
        _sink: &mut dyn VerdictSink<Packet>,
        outbox: &mut Outbox,
    ) -> Option<Packet> {
        // Neither acknowledgements nor what routers sent are quenched (RFC 1122 section 3.2.2).
        let is_data = passage.way == Way::Forward && !passage.originated;
        if is_data && port.queue.packets >= self.threshold && self.may_quench(now, passage.flow) {
            outbox.send(passage.flow, Way::Reverse, SIZE, dumbbell_header::SourceQuench);
        }
        Some(packet)
    }
}
