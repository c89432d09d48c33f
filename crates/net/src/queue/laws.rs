//! Laws that every registered discipline obeys, over generated sequences.

use std::sync::LazyLock;

use dumbbell_core::rng::{self, Streams};
use dumbbell_core::testing::lengths;
use dumbbell_core::{BitRate, DropReason, Ecn, FlowEnds, Frame, MarkReason, Time, TrafficClass, VerdictSink};
use proptest::prelude::*;

use super::{AnyDiscipline, Discipline, QueueSpec, Setting, Threshold};

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

    pub fn numbered(self, id: u64) -> TestFrame {
        TestFrame { id, ..self }
    }

    pub fn with_ecn(self, ecn: Ecn) -> TestFrame {
        TestFrame { ecn, ..self }
    }

    pub fn of_class(class: u8, size: u32) -> TestFrame {
        TestFrame { class, ..TestFrame::new(size, false) }
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

pub fn setting() -> Setting {
    Setting {
        rate: BitRate::from_bps(10_000_000),
        mtu: 1500,
        bdp: 62_500,
        streams: Streams::new(1, "laws"),
        name: "queue".to_owned(),
        first_class: 0,
        ends: FlowEnds::default(),
    }
}

#[derive(Clone, Debug)]
enum Step {
    Enqueue { size: u32, ecn: bool, class: u8 },
    Dequeue,
    Wait(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (40..=1500u32, any::<bool>(), 0..8u8).prop_map(|(size, ecn, class)| Step::Enqueue { size, ecn, class }),
        3 => Just(Step::Dequeue),
        1 => (0..50_000_000u64).prop_map(Step::Wait),
    ];
    prop::collection::vec(step, lengths(0..400))
}

/// Runs the steps and checks after each that nothing is lost, invented or miscounted; and that whoever draws says so.
fn obey(spec: &QueueSpec, steps: &[Step]) {
    let drawn = rng::drawn();
    let mut queue: AnyDiscipline<TestFrame> = spec.build(setting());
    let mut log = Log::default();
    let mut now = Time::ZERO;
    let mut ready = false;
    let (mut entered, mut left, mut entered_bytes, mut left_bytes) = (0, Vec::new(), 0, 0);
    for step in steps.iter().cloned().chain(std::iter::repeat_n(Step::Dequeue, 2 * steps.len())) {
        match step {
            Step::Enqueue { size, ecn, class } => {
                let frame = TestFrame { id: entered, class, ..TestFrame::new(size, ecn) };
                entered += 1;
                entered_bytes += u64::from(size);
                queue.enqueue(now, frame, &mut log);
            }
            Step::Dequeue => {
                let (waiting, announced, before) = (queue.len(), queue.next_size(), log.dropped.len());
                let packet = queue.dequeue(now, &mut log);
                if let Some(announced) = announced {
                    let first = log.dropped.get(before).or(packet.as_ref()).map(|packet| packet.size);
                    assert!(first.is_none_or(|size| size == announced), "{}: the next size", spec.name());
                    assert!(waiting > 0, "{}: a size of nothing", spec.name());
                }
                if packet.is_none() && !queue.is_empty() {
                    // Work conservation: an offer to transmit is declined only by a queue that is, or has become, empty, or
                    // that says that it may hold packets back, and until when.
                    assert!(spec.laziness().holds_back, "{} idles over {waiting} packets", spec.name());
                    assert!(queue.ready_at() > now && queue.ready_at().is_finite(), "{}", spec.name());
                    assert!(
                        queue.clone().dequeue(just_before(queue.ready_at()), &mut Log::default()).is_none()
                    );
                    now = queue.ready_at();
                    ready = true;
                } else {
                    assert!(packet.is_some() || !ready, "{} was not ready when it said", spec.name());
                    ready = false;
                }
                if let Some(packet) = packet {
                    left_bytes += u64::from(packet.size);
                    left.push((packet.id, packet.class));
                }
            }
            Step::Wait(_) if ready => {}
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
    let mut ids: Vec<u64> = left.iter().map(|(id, _)| *id).chain(log.dropped.iter().map(|p| p.id)).collect();
    ids.sort_unstable();
    assert!(ids.iter().copied().eq(0..entered), "{}: a packet was lost or doubled", spec.name());
    for (flow, class) in (0..7).flat_map(|flow| (0..8).map(move |class| (flow, class))) {
        let order = left.iter().filter(|(id, of)| id % 7 == flow && *of == class);
        assert!(order.is_sorted(), "{} reorders a class of a flow", spec.name());
    }
    // Of a queue that looks at no classes, the whole flow.
    for flow in (0..7).filter(|_| spec.classes() == 1) {
        assert!(left.iter().filter(|(id, _)| id % 7 == flow).is_sorted(), "{} reorders a flow", spec.name());
    }
    assert!(spec.draws() || rng::drawn() == drawn, "{} draws random numbers: say so in `draws`", spec.name());
}

/// Runs the steps on a queue, and on one to which some packets are passed through when it is empty: they decide alike, and are
/// alike at the end.
fn pass_alike(spec: &QueueSpec, steps: &[Step]) {
    let mut queue: AnyDiscipline<TestFrame> = spec.build(setting());
    let mut passing = queue.clone();
    let (mut log, mut of_passing) = (Log::default(), Log::default());
    let mut now = Time::ZERO;
    for (id, step) in (0..).zip(steps.iter().cloned()) {
        match step {
            Step::Enqueue { size, ecn, class } => {
                let mut frame = TestFrame { id, class, ..TestFrame::new(size, ecn) };
                queue.enqueue(now, frame.clone(), &mut log);
                if passing.is_empty() && !size.is_multiple_of(3) {
                    let passes = passing.pass_through(now, &mut frame, &mut of_passing);
                    assert_eq!(queue.dequeue(now, &mut log), passes.then_some(frame), "{}", spec.name());
                } else {
                    passing.enqueue(now, frame, &mut of_passing);
                }
            }
            Step::Dequeue => {
                assert_eq!(queue.dequeue(now, &mut log), passing.dequeue(now, &mut of_passing));
            }
            Step::Wait(nanos) => now += dumbbell_core::Duration::from_nanos(nanos),
        }
        assert_eq!((&log.dropped, log.marked), (&of_passing.dropped, of_passing.marked), "{}", spec.name());
    }
    // An empty queue lists no flow once it has been asked again; before that, its latest flow may stand in a list.
    assert_eq!(queue.dequeue(now, &mut log), passing.dequeue(now, &mut of_passing), "{}", spec.name());
    assert_eq!(format!("{queue:?}"), format!("{passing:?}"), "{}", spec.name());
}

fn just_before(time: Time) -> Time {
    Time::from_nanos(time.as_nanos() - 1)
}

/// A discipline in JSON.
pub fn described(text: &str) -> QueueSpec {
    use dumbbell_core::{Config, Value, config::At};
    let value: Value = dumbbell_core::json::from_str(text).unwrap();
    QueueSpec::from_value(&value, &At::root("queue")).unwrap()
}

/// Every discipline by its defaults, and some within others. Read once: reading takes longer than a short sequence.
static SPECS: LazyLock<Vec<QueueSpec>> = LazyLock::new(|| {
    let nested = [
        r#"{"kind": "strict-priority", "classes": ["codel", {"kind": "droptail", "limit": "3pkt"}, "codel"], "first": "highest"}"#,
        r#"{"kind": "drr", "weights": [1, 3], "classes": [{"kind": "codel", "limit": "9pkt"}, {"kind": "strict-priority"}]}"#,
        r#"{"kind": "strict-priority", "classes": [{"kind": "token-bucket-filter", "burst": "1500B", "queue": "codel"}, "droptail"]}"#,
        r#"{"kind": "drr", "classes": [{"kind": "token-bucket-filter"}, "droptail", {"kind": "token-bucket-filter", "rate": "77kbit/s"}]}"#,
        r#"{"kind": "strict-priority", "classes": [{"kind": "rio", "weight": 0.1}, "codel"], "caps": [{"queue": 0, "rate": "1Mbit/s"}]}"#,
        r#"{"kind": "wrr", "weights": [3, 1], "interleaved": true, "classes": [{"kind": "red", "adaptive": {}, "weight": 0.2, "spacing": "wait"}, "codel"]}"#,
        r#"{"kind": "wrr", "classes": [{"kind": "token-bucket-filter"}, {"kind": "wred", "weight": 1.0, "limit_first": true}]}"#,
        r#"{"kind": "red", "min_threshold": "2kB", "max_threshold": "9kB", "weight": 0.5, "gentle": true, "by_size": true, "first_passes": true, "least_waiting": 2}"#,
        r#"{"kind": "rio", "averages": "decoupled", "weight": 0.5, "resets": "less-protected", "limit": "9pkt", "ecn_above_max": true}"#,
        r#"{"kind": "threshold", "threshold": "3pkt", "drop_others": true, "limit": "9kB"}"#,
        r#"{"kind": "ramp", "min_threshold": "1kB", "max_threshold": "9kB", "max_probability": 1.0, "drop_others": true}"#,
        r#"{"kind": "choke", "min_threshold": "1pkt", "max_threshold": "9pkt", "weight": 0.5, "candidates": 3, "gentle": true}"#,
        r#"{"kind": "choke", "min_threshold": "1kB", "max_threshold": "20kB", "weight": 1.0, "limit": "9kB"}"#,
        r#"{"kind": "fred", "min_threshold": 2, "max_threshold": 4, "weight": 0.5, "many_flows": true, "limit": "9pkt", "min_flow": 1}"#,
        r#"{"kind": "blue", "limit": "3pkt", "increment": 0.3, "decrement": 0.1, "freeze": "1ms"}"#,
        r#"{"kind": "sfb", "levels": 2, "bins": 3, "bin_size": 1, "bin_max": 4, "increment": 0.4, "rehash": "20ms", "warmup": "9ms"}"#,
        r#"{"kind": "rem", "target": 1.0, "gain": 0.5, "base": 2.0}"#,
        r#"{"kind": "pi", "target": 1.0, "gain_present": 0.02, "gain_previous": 0.01}"#,
        r#"{"kind": "pie", "burst": "0s", "alpha": 10.0, "beta": 30.0, "limit": "9kB"}"#,
        r#"{"kind": "sfq", "buckets": 3, "limit": "9pkt", "perturb": "5ms", "quantum": "64B"}"#,
        r#"{"kind": "sfq", "buckets": 3, "limit": "9pkt", "overflow": "share"}"#,
        r#"{"kind": "fq-codel", "flows": 3, "target": "1ms", "interval": "5ms", "quantum": "300B", "limit": "9kB"}"#,
        r#"{"kind": "fq-pie", "flows": 2, "burst": "0s", "alpha": 10.0, "limit": "9pkt", "drop_batch": 1}"#,
        r#"{"kind": "dualpi2", "alpha": 10.0, "beta": 30.0, "limit": "9pkt"}"#,
        r#"{"kind": "cobalt", "limit": "3pkt", "target": "1ms", "interval": "5ms", "increment": 0.3}"#,
        r#"{"kind": "cake", "limit": "9kB"}"#,
        r#"{"kind": "cake", "limit": "5pkt", "flows": 8, "rate": "3Mbit/s"}"#,
        r#"{"kind": "token-bucket-filter", "rate": "3Mbit/s", "queue": "fq-codel"}"#,
        r#"{"kind": "drr", "classes": ["sfq", "fq-pie", "choke"]}"#,
        r#"{"kind": "push-out", "limit": "4kB", "victim": "random"}"#,
        r#"{"kind": "push-out", "limit": "5pkt", "victim": "decongest-first"}"#,
        r#"{"kind": "token-bucket-filter", "rate": "3Mbit/s", "queue": {"kind": "push-out", "victim": "decongest-last"}}"#,
        r#"{"kind": "token-bucket-filter", "rate": "333kbit/s", "queue": {"kind": "strict-priority", "classes": ["droptail", "drr"]}}"#,
    ];
    QueueSpec::all_defaults().into_iter().chain(nested.map(described)).collect()
});

proptest! {
    #[test]
    fn every_discipline_conserves_packets_and_order(steps in steps()) {
        for spec in &*SPECS {
            obey(spec, &steps);
        }
    }

    #[test]
    fn to_pass_through_is_to_enter_and_to_leave(steps in steps()) {
        for spec in SPECS.iter().filter(|spec| !spec.laziness().holds_back) {
            pass_alike(spec, &steps);
        }
    }
}

#[test]
fn a_burst_into_an_idle_port_drops_the_last_ones() {
    // Limit 42 and a burst of 47: one packet is in transmission, so 4 are dropped; 5 where that one counts.
    for (count_in_service, drops) in [(false, 4), (true, 5)] {
        let text =
            format!(r#"{{"kind": "droptail", "limit": "42pkt", "count_in_service": {count_in_service}}}"#);
        let mut queue = described(&text).build(setting());
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

#[test]
fn disciplines_that_drop_on_dequeue_declare_it() {
    for spec in QueueSpec::all_defaults() {
        let mut queue: AnyDiscipline<TestFrame> = spec.build(setting());
        let mut dropped = 0;
        // Full packets at twice the speed at which they leave: every law has something to decide.
        for i in 0..40_000_u64 {
            let now = Time::from_nanos(i * 1_000_000);
            queue.enqueue(now, TestFrame::new(1500, false).numbered(i), &mut Log::default());
            if i % 2 == 1 {
                let mut log = Log::default();
                queue.dequeue(now, &mut log);
                dropped += log.dropped.len();
            }
        }
        assert_eq!(dropped > 0, spec.laziness().drops_late, "{}", spec.name());
    }
}

/// A parameter that a figure of the queue should show is one of the thresholds, by its name.
#[test]
fn disciplines_tell_the_thresholds_among_their_parameters() {
    let telling = ["target", "step", "threshold", "min_threshold", "max_threshold"];
    let rate = BitRate::from_bps(10_000_000);
    for (spec, about) in QueueSpec::all_defaults().into_iter().zip(QueueSpec::descriptors()) {
        let fields: Vec<_> = about.fields.iter().flat_map(|f| std::iter::once(f).chain(&f.nested)).collect();
        let wanted: Vec<&str> =
            telling.into_iter().filter(|name| fields.iter().any(|f| f.name == *name)).collect();
        let told = spec.thresholds(rate);
        let words =
            |threshold: &Threshold| threshold.name.split([' ', ':']).map(str::to_owned).collect::<Vec<_>>();
        for name in &wanted {
            assert!(
                told.iter().any(|t| words(t).iter().any(|w| w == name)),
                "{}: {name}: {told:?}",
                about.name
            );
        }
        assert_eq!(told.is_empty(), wanted.is_empty(), "{}", about.name);
        for threshold in told {
            let packets = threshold.level.packets(rate, 62_500, 1500);
            assert!(packets.is_finite() && packets > 0.0, "{}: {threshold:?}", about.name);
        }
    }
}

#[test]
fn thresholds_lie_where_the_parameters_say() {
    let packets = |text: &str| -> Vec<(String, f64)> {
        let rate = BitRate::from_bps(12_000_000);
        let of = |t: Threshold| (t.name, t.level.packets(rate, 150_000, 1500));
        described(text).thresholds(rate).into_iter().map(of).collect()
    };
    let named = |list: &[(&str, f64)]| list.iter().map(|(n, p)| ((*n).to_owned(), *p)).collect::<Vec<_>>();
    // A packet of 1500 bytes takes a millisecond.
    assert_eq!(packets(r#"{"kind": "codel"}"#), named(&[("target", 5.0)]));
    assert_eq!(packets(r#"{"kind": "token-bucket-filter", "queue": "pie"}"#), named(&[("target", 15.0)]));
    assert_eq!(packets(r#"{"kind": "threshold", "threshold": "30kB"}"#), named(&[("threshold", 20.0)]));
    assert_eq!(packets(r#"{"kind": "threshold", "threshold": "0.1bdp"}"#), named(&[("threshold", 10.0)]));
    // Half of 5 ms in packets of 500 bytes, and three times that.
    assert_eq!(
        packets(r#"{"kind": "red", "adaptive": {}}"#),
        named(&[("min_threshold", 7.5), ("max_threshold", 22.5)])
    );
    assert_eq!(packets(r#"{"kind": "wrr", "classes": ["codel", "red"]}"#), named(&[]));
    let rio = packets(r#"{"kind": "rio"}"#);
    assert_eq!((rio[0].clone(), rio.len()), (("class 0: min_threshold".to_owned(), 40.0), 4));
}
