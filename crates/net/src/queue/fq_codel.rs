//! FQ-CoDel: fair queueing of flows, each under CoDel (RFC 8290).

use dumbbell_core::registry::Algorithm;
use dumbbell_core::{BitRate, Frame, Time, Validate, VerdictSink, config};

use super::codel::{Controller, Law};
use super::fair::{Fair, FlowLaw, Flows};
use super::{Fifo, Laziness, Level, Limit, QueueParams, Setting, Threshold};

config! {
    /// Flows take turns, each from a queue of its own under CoDel. A flow that has had nothing to send for a while comes before the others, so
    /// that flows of few packets hardly wait.
    pub struct Params {
        ..controller: Controller {}
        ..flows: Flows {}
    }
}

impl Validate for Params {}

impl Algorithm for Params {
    const NAME: &'static str = "fq-codel";
    const TITLE: &'static str = "Fair queueing of flows, each under CoDel";
    const REFERENCE: &'static str = "RFC 8290";
}

impl QueueParams for Params {
    type Machine<P: Frame> = FqCoDel<P>;

    fn build<P: Frame>(&self, setting: Setting) -> FqCoDel<P> {
        FqCoDel::new(self, setting)
    }

    fn laziness(&self) -> Laziness {
        Laziness::DROPS_LATE.and(Laziness::NOTICES_IDLE)
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

impl<P: Frame> FlowLaw<P> for Law {
    // The packet that left last had nothing behind it, and so ended what was going on (RFC 8289 section 5.5).
    const PASSES: bool = true;

    #[inline]
    fn rest(&mut self, _now: Time, _waiting: &mut Fifo<P>, _sink: &mut impl VerdictSink<P>) {
        Law::rest(self);
    }

    #[inline]
    fn next(&mut self, now: Time, waiting: &mut Fifo<P>, sink: &mut impl VerdictSink<P>) -> Option<P> {
        Law::next(self, now, waiting, sink)
    }
}

/// The discipline.
pub type FqCoDel<P> = Fair<P, Law>;

impl<P: Frame> FqCoDel<P> {
    /// Empty queues.
    pub fn new(params: &Params, setting: Setting) -> FqCoDel<P> {
        Fair::of(Law::new(&params.controller, setting.mtu), &params.flows, &setting)
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::{DropReason, Duration};

    use super::super::laws::{Log, TestFrame, described, setting};
    use super::super::{AnyDiscipline, Discipline};
    use super::*;

    /// A packet of a flow: the hash of a test packet is its number modulo 7.
    fn packet(flow: u64, position: u64, size: u32) -> TestFrame {
        TestFrame::new(size, false).numbered(7 * position + flow)
    }

    fn build(more: &str) -> AnyDiscipline<TestFrame> {
        described(&format!(r#"{{"kind": "fq-codel"{more}}}"#)).build(setting())
    }

    /// The flows of the packets in the order in which they leave.
    fn served(queue: &mut impl Discipline<TestFrame>) -> Vec<u64> {
        std::iter::from_fn(|| queue.dequeue(Time::ZERO, &mut Log::default())).map(|p| p.id % 7).collect()
    }

    #[test]
    fn flows_take_turns_by_bytes() {
        let mut queue = build("");
        for i in 0..4 {
            queue.enqueue(Time::ZERO, packet(1, i, 1514), &mut Log::default());
        }
        for i in 0..8 {
            queue.enqueue(Time::ZERO, packet(2, i, 757), &mut Log::default());
        }
        assert_eq!(served(&mut queue), [1, 2, 2, 1, 2, 2, 1, 2, 2, 1, 2, 2]);
    }

    #[test]
    fn a_flow_that_had_nothing_to_send_comes_first_and_only_once() {
        let mut queue = build("");
        let mut log = Log::default();
        for flow in [1, 2, 4] {
            (0..9).for_each(|i| queue.enqueue(Time::ZERO, packet(flow, i, 1514), &mut log));
        }
        let mut next =
            |queue: &mut _| Discipline::dequeue(queue, Time::ZERO, &mut log).map(|p: TestFrame| p.id % 7);
        assert_eq!([0; 4].map(|_| next(&mut queue)), [Some(1), Some(2), Some(4), Some(1)]);
        // It passes flow 2, whose turn it is.
        queue.enqueue(Time::ZERO, packet(3, 0, 100), &mut Log::default());
        assert_eq!([0; 2].map(|_| next(&mut queue)), [Some(3), Some(2)]);
        // It has run empty: it waits for the round, and is not new again.
        queue.enqueue(Time::ZERO, packet(3, 1, 100), &mut Log::default());
        assert_eq!([0; 2].map(|_| next(&mut queue)), [Some(4), Some(3)]);
    }

    #[test]
    fn overflow_takes_batches_from_the_head_of_the_fattest_flow() {
        struct Reasons(Vec<(u64, DropReason)>);
        impl VerdictSink<TestFrame> for Reasons {
            fn dropped(&mut self, packet: TestFrame, reason: DropReason) {
                self.0.push((packet.id, reason));
            }
            fn marked(&mut self, _packet: &TestFrame, _reason: dumbbell_core::MarkReason) {}
        }
        // Flow 2 has more packets, flow 1 more bytes: half of its ten go, but no more than the batch.
        for (batch, gone) in [(64, 5), (3, 3)] {
            let mut queue = build(&format!(r#", "limit": "30pkt", "drop_batch": {batch}"#));
            let mut sink = Reasons(Vec::new());
            (0..10).for_each(|i| queue.enqueue(Time::ZERO, packet(1, i, 1500), &mut sink));
            (0..20).for_each(|i| queue.enqueue(Time::ZERO, packet(2, i, 100), &mut sink));
            assert!(sink.0.is_empty());
            queue.enqueue(Time::ZERO, packet(2, 20, 100), &mut sink);
            let expected: Vec<_> = (0..gone).map(|i| (7 * i + 1, DropReason::Overflow)).collect();
            assert_eq!(sink.0, expected);
        }
    }

    #[test]
    fn each_flow_has_a_law_of_its_own() {
        // Flow 1 overloads the link; flow 2 sends a packet in ten milliseconds.
        let mut queue = build("");
        let mut log = Log::default();
        for t in 0..2_000 {
            let now = Time::ZERO + Duration::from_millis(t);
            (0..2).for_each(|i| queue.enqueue(now, packet(1, 10 * t + i, 1250), &mut log));
            if t % 10 == 0 {
                queue.enqueue(now, packet(2, 10 * t, 1250), &mut log);
            }
            queue.dequeue(now, &mut log);
        }
        assert!(log.dropped.len() > 50);
        assert!(log.dropped.iter().all(|packet| packet.id % 7 == 1));
    }
}
