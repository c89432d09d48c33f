//! Laws that every registered discipline obeys, over generated sequences.

use dumbbell_core::rng::stream;
use dumbbell_core::{BitRate, DropReason, Ecn, Frame, MarkReason, Time, TrafficClass, VerdictSink};
use proptest::prelude::*;

use super::{AnyDiscipline, Context, Discipline, QueueSpec};

/// A packet with an identity.
#[derive(Clone, Debug, PartialEq)]
pub struct TestFrame {
    pub id: u64,
    size: u32,
    ecn: Ecn,
    class: u8,
}

impl TestFrame {
    pub fn new(size: u32, ecn: bool) -> TestFrame {
        TestFrame { id: 0, size, ecn: if ecn { Ecn::Ect0 } else { Ecn::NotEct }, class: 0 }
    }
}

impl Frame for TestFrame {
    fn size(&self) -> u32 {
        self.size
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    fn mark_ce(&mut self) {
        assert!(self.ecn.is_capable(), "marked a packet that does not understand marks");
        self.ecn = Ecn::Ce;
    }
    fn flow_hash(&self) -> u64 {
        self.id % 7
    }
    fn class(&self) -> u8 {
        self.class
    }
    fn set_class(&mut self, class: TrafficClass) {
        self.class = class.number();
    }
}

/// Writes down every verdict.
#[derive(Default)]
pub struct Log {
    pub dropped: Vec<TestFrame>,
    pub marked: usize,
}

impl VerdictSink<TestFrame> for Log {
    fn dropped(&mut self, packet: TestFrame, _reason: DropReason) {
        self.dropped.push(packet);
    }
    fn marked(&mut self, packet: &TestFrame, _reason: MarkReason) {
        assert_eq!(packet.ecn, Ecn::Ce);
        self.marked += 1;
    }
}

pub fn context() -> Context {
    Context { rate: BitRate::from_bps(10_000_000), mtu: 1500, bdp: 62_500, rng: stream(1, "laws") }
}

#[derive(Clone, Debug)]
enum Step {
    Enqueue { size: u32, ecn: bool },
    Dequeue,
    Wait(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (40..=1500u32, any::<bool>()).prop_map(|(size, ecn)| Step::Enqueue { size, ecn }),
        3 => Just(Step::Dequeue),
        1 => (0..50_000_000u64).prop_map(Step::Wait),
    ];
    prop::collection::vec(step, 0..400)
}

/// Runs the steps and checks after each that nothing is lost, invented or miscounted.
fn obey(spec: &QueueSpec, steps: &[Step]) {
    let mut queue: AnyDiscipline<TestFrame> = spec.build(context());
    let mut log = Log::default();
    let mut now = Time::ZERO;
    let (mut entered, mut left, mut entered_bytes, mut left_bytes) = (0, Vec::new(), 0, 0);
    let drain = steps.iter().cloned().chain(std::iter::repeat_n(Step::Dequeue, steps.len()));
    for step in drain {
        match step {
            Step::Enqueue { size, ecn } => {
                let frame = TestFrame { id: entered, ..TestFrame::new(size, ecn) };
                entered += 1;
                entered_bytes += u64::from(size);
                queue.enqueue(now, frame, &mut log);
            }
            Step::Dequeue => {
                let waiting = queue.len();
                let packet = queue.dequeue(now, &mut log);
                // Work conservation: an offer to transmit is declined only by a queue that is, or has become, empty.
                assert!(packet.is_some() || queue.is_empty(), "{} idles over {waiting} packets", spec.name());
                if let Some(packet) = packet {
                    left_bytes += u64::from(packet.size);
                    left.push(packet.id);
                }
            }
            Step::Wait(nanos) => now += dumbbell_core::Duration::from_nanos(nanos),
        }
        let dropped_bytes: u64 = log.dropped.iter().map(|p| u64::from(p.size)).sum();
        assert_eq!(
            entered,
            (left.len() + log.dropped.len() + queue.len()) as u64,
            "{}: packets",
            spec.name()
        );
        assert_eq!(entered_bytes, left_bytes + dropped_bytes + queue.bytes(), "{}: bytes", spec.name());
    }
    assert!(queue.is_empty());
    let mut ids: Vec<u64> = left.iter().copied().chain(log.dropped.iter().map(|p| p.id)).collect();
    ids.sort_unstable();
    assert!(ids.iter().copied().eq(0..entered), "{}: a packet was lost or doubled", spec.name());
    for flow in 0..7 {
        let order: Vec<u64> = left.iter().copied().filter(|id| id % 7 == flow).collect();
        assert!(order.is_sorted(), "{} reorders a flow", spec.name());
    }
}

proptest! {
    #[test]
    fn every_discipline_conserves_packets_and_order(steps in steps()) {
        for spec in QueueSpec::all_defaults() {
            obey(&spec, &steps);
        }
    }
}

#[test]
fn a_burst_into_an_idle_port_drops_the_last_ones() {
    use dumbbell_core::{Config, Value, config::At};
    // Limit 42 and a burst of 47: one packet is in transmission, so 4 are dropped; 5 where that one counts.
    for (count_in_service, drops) in [(false, 4), (true, 5)] {
        let text =
            format!(r#"{{"kind": "droptail", "limit": "42pkt", "count_in_service": {count_in_service}}}"#);
        let value: Value = dumbbell_core::json::from_str(&text).unwrap();
        let spec = QueueSpec::from_value(&value, &At::root("queue")).unwrap();
        let mut queue = spec.build(context());
        let mut log = Log::default();
        let mut send = |id, queue: &mut AnyDiscipline<TestFrame>| {
            queue.enqueue(Time::ZERO, TestFrame { id, ..TestFrame::new(1500, false) }, &mut log);
        };
        send(0, &mut queue);
        let in_service = queue.dequeue(Time::ZERO, &mut Log::default());
        assert!(in_service.is_some());
        (1..47).for_each(|id| send(id, &mut queue));
        let dropped: Vec<u64> = log.dropped.iter().map(|p| p.id).collect();
        assert_eq!(dropped, (47 - drops..47).collect::<Vec<u64>>());
    }
}
