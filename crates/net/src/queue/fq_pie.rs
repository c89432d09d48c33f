//! FQ-PIE: fair queueing of flows, each under PIE.

use dumbbell_core::registry::Algorithm;
use dumbbell_core::{BitRate, Frame, Time, Validate, VerdictSink, config};

use super::at_arrival::{ArrivalLaw, Signals, Waiting};
use super::fair::{Fair, FlowLaw, Flows, Shared};
use super::pie::{Controller, Law};
use super::{Fifo, Laziness, Level, Limit, QueueParams, Setting, Threshold};

config! {
    /// Flows take turns, each from a queue of its own under PIE; new flows come first. Each flow has a probability by what its packets wait.
    pub struct Params {
        ..controller: Controller {}
        ..flows: Flows {}
    }
}

impl Validate for Params {}

impl Algorithm for Params {
    const NAME: &'static str = "fq-pie";
    const TITLE: &'static str = "Fair queueing of flows, each under PIE";
    const REFERENCE: &'static str = "RFC 8290 for the flows, RFC 8033 for each; Linux tc-fq_pie(8)";
}

impl QueueParams for Params {
    type Machine<P: Frame> = FqPie<P>;

    fn build<P: Frame>(&self, setting: Setting) -> FqPie<P> {
        FqPie::new(self, setting)
    }

    fn laziness(&self) -> Laziness {
        Laziness::NOTICES_IDLE
    }

    fn draws(&self) -> bool {
        true
    }

    fn limit(&self, bdp: u64, mtu: u32) -> Limit {
        self.flows.limit(bdp, mtu)
    }

    fn thresholds(&self, _rate: BitRate) -> Vec<Threshold> {
        vec![Threshold::new("target of each flow", Level::Wait(self.controller.target))]
    }
}

fn length<P: Frame>(waiting: &Fifo<P>) -> Waiting {
    Waiting { packets: waiting.len() as u64, bytes: waiting.bytes() }
}

/// PIE for one flow.
#[derive(Clone, Debug)]
pub struct Flow {
    law: Law,
    signals: Signals,
}

impl<P: Frame> FlowLaw<P> for Flow {
    #[inline]
    fn admits(
        &mut self,
        now: Time,
        packet: &mut P,
        waiting: &Fifo<P>,
        shared: &mut Shared,
        sink: &mut impl VerdictSink<P>,
    ) -> bool {
        let found = length(waiting);
        self.law.advance(now, found);
        let decision = self.law.arrives(now, packet.size(), found, &mut shared.rng);
        self.signals.keeps(packet, decision, sink)
    }

    #[inline]
    fn next(&mut self, now: Time, waiting: &mut Fifo<P>, _sink: &mut impl VerdictSink<P>) -> Option<P> {
        self.law.advance(now, length(waiting));
        let (arrived, packet) = waiting.pop()?;
        self.law.leaves(now, packet.size(), now.since(arrived), length(waiting));
        Some(packet)
    }
}

/// The discipline.
pub type FqPie<P> = Fair<P, Flow>;

impl<P: Frame> FqPie<P> {
    /// Empty queues.
    pub fn new(params: &Params, setting: Setting) -> FqPie<P> {
        let flow = Flow {
            law: Law::new(&params.controller, setting.mtu),
            signals: Signals::by(params.controller.ecn),
        };
        Fair::of(flow, &params.flows, &setting)
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::Duration;

    use super::super::Discipline;
    use super::super::laws::{Log, TestFrame, setting};
    use super::*;

    #[test]
    fn each_flow_has_a_probability_of_its_own() {
        // Flow 1 overloads the link, flow 2 sends a packet in ten milliseconds.
        let mut queue: FqPie<TestFrame> = FqPie::new(&Params::default(), setting());
        let mut log = Log::default();
        for t in 0..10_000 {
            let now = Time::ZERO + Duration::from_millis(t);
            let packet = |flow, i| TestFrame::new(1250, false).numbered(7 * (10 * t + i) + flow);
            (0..2).for_each(|i| queue.enqueue(now, packet(1, i), &mut log));
            if t % 10 == 0 {
                queue.enqueue(now, packet(2, 0), &mut log);
            }
            queue.dequeue(now, &mut log);
        }
        assert!(log.dropped.len() > 1000);
        assert!(log.dropped.iter().all(|packet| packet.id % 7 == 1));
    }
}
