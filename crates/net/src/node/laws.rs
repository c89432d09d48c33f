//! Laws that every registered node agent obeys, over generated sequences.

use dumbbell_core::rng::stream;
use dumbbell_core::testing::lengths;
use dumbbell_core::{BitRate, DropReason, Duration, Ecn, Frame, MarkReason, Packet, Time, VerdictSink, Way};
use dumbbell_header::TcpHeader;
use proptest::prelude::*;

use super::{FlowId, NodeAgent, NodeAgentSpec, Outbox, Passage, Port, PortView, Setting};
use crate::link::Counters;
use crate::router::QueueView;

const PORTS: u32 = 3;

/// Writes down what became of packets.
#[derive(Default)]
struct Log {
    dropped: Vec<Packet>,
}

impl VerdictSink<Packet> for Log {
    fn dropped(&mut self, packet: Packet, _reason: DropReason) {
        self.dropped.push(packet);
    }
    fn marked(&mut self, packet: &Packet, _reason: MarkReason) {
        assert_eq!(packet.ecn(), Ecn::Ce);
    }
}

/// A packet passes: nanoseconds after the last, flow, which of its slots, port in, packets waiting, size, and whether it is
/// data, capable of marks, and originated.
type Step = (u64, u32, u32, u32, u64, u16, bool, bool, bool);

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (
        0..200_000_000_u64,
        0..40_u32,
        0..5_u32,
        0..PORTS,
        0..60_u64,
        40..1500_u16,
        any::<bool>(),
        any::<bool>(),
        prop::bool::weighted(0.1),
    );
    prop::collection::vec(step, lengths(1..200))
}

fn view(packets: u64) -> PortView {
    let queue = QueueView { packets, bytes: 1500 * packets, rate: BitRate::from_bps(10_000_000) };
    let counters = Counters { arrived: packets, ..Counters::default() };
    PortView { queue, counters, backlog: packets }
}

fn agent(spec: &NodeAgentSpec) -> Box<dyn NodeAgent> {
    let port = Port { rate: BitRate::from_bps(10_000_000), mtu: 1500 };
    spec.build(Setting { router: 1, ports: vec![port; PORTS as usize], rng: stream(1, "laws") })
}

/// Drives an agent as an engine would; returns what it originated, and its state in the end.
fn drive(spec: &NodeAgentSpec, steps: &[Step]) -> Result<String, TestCaseError> {
    let mut agent = agent(spec);
    let (mut log, mut outbox, mut sent) = (Log::default(), Outbox::default(), Vec::new());
    let mut now = Time::ZERO;
    let mut seen: Vec<FlowId> = Vec::new();
    for &(after, number, index, port, waiting, size, data, capable, originated) in steps {
        let next = now + Duration::from_nanos(after);
        let mut wakes = 0;
        while agent.wake_at() < next {
            let at = agent.wake_at();
            prop_assert!(at >= now, "woken in the past");
            now = at;
            agent.wake(now, &[view(waiting); PORTS as usize], &mut outbox);
            prop_assert!(agent.wake_at() > now, "woken again at once");
            wakes += 1;
            prop_assert!(wakes < 100_000, "no end of wake-ups");
        }
        now = next;
        let flow = FlowId { index, number };
        seen.push(flow);
        let passage = Passage {
            flow,
            way: if data { Way::Forward } else { Way::Reverse },
            originated,
            entered: port,
            leaves: (port + 1) % PORTS,
        };
        let ecn = if capable { Ecn::Ect0 } else { Ecn::NotEct };
        let packet = Packet::of(TcpHeader::default(), index, size, ecn);
        let dropped = log.dropped.len();
        let onward = agent.passing(now, packet, &passage, &view(waiting), &mut log, &mut outbox);
        prop_assert_eq!(log.dropped.len() - dropped, usize::from(onward.is_none()), "passed on or given up");
        let after = onward.unwrap_or_else(|| log.dropped[dropped]);
        prop_assert_eq!((after.flow, after.size), (packet.flow, packet.size));
        prop_assert!(after.ecn == ecn || capable, "marked a packet that does not understand marks");
        for (flow, way, packet) in outbox.drain() {
            prop_assert!(seen.contains(&flow), "a flow that it never saw");
            prop_assert!(packet.size >= 20, "an IP header at least");
            sent.push((now, flow, way, packet));
        }
    }
    let state = format!("{agent:?} {sent:?}");
    prop_assert!(!state.contains("NaN"), "{}", state);
    Ok(state)
}

proptest! {
    #[test]
    fn packets_pass_or_go_and_answers_repeat(steps in steps()) {
        for spec in NodeAgentSpec::all_defaults() {
            prop_assert_eq!(drive(&spec, &steps)?, drive(&spec, &steps)?);
        }
    }
}

#[test]
fn quenches_are_for_data_in_long_queues_and_spaced() {
    let mut agent = agent(&NodeAgentSpec::SourceQuench(Default::default()));
    let mut quenched = |ms: u64, waiting: u64, way, originated| {
        let passage =
            Passage { flow: FlowId { index: 0, number: 7 }, way, originated, entered: 0, leaves: 1 };
        let packet = Packet::of(TcpHeader::default(), 0, 1500, Ecn::NotEct);
        let mut outbox = Outbox::default();
        agent.passing(
            Time::ZERO + Duration::from_millis(ms),
            packet,
            &passage,
            &view(waiting),
            &mut Log::default(),
            &mut outbox,
        );
        outbox.drain().map(|(flow, way, packet)| (flow.number, way, packet.size)).next()
    };
    let quench = Some((7, Way::Reverse, 56));
    assert_eq!(quenched(0, 19, Way::Forward, false), None, "the queue is short");
    assert_eq!(quenched(0, 30, Way::Reverse, false), None, "acknowledgements");
    assert_eq!(quenched(0, 30, Way::Forward, true), None, "another router's packet");
    assert_eq!(quenched(1, 20, Way::Forward, false), quench);
    assert_eq!(quenched(100, 20, Way::Forward, false), None, "too soon");
    assert_eq!(quenched(101, 20, Way::Forward, false), quench);
}
