//! TRUMP on the wire: headers decoded from any bytes, which pass an RBCC router and reach both end points at any time.
//!
//! Input: the form of the flow and of the router, and records of 52 bytes. The number of the flow in a header says which flow
//! of the router it is of.

#![no_main]

mod ends;

use std::sync::{Arc, LazyLock};

use dumbbell_core::config::At;
use dumbbell_core::rng::stream;
use dumbbell_core::{
    BitRate, Config, DropReason, Duration, Ecn, Frame, MarkReason, Packet, Stage, Time, VerdictSink, Way,
    json,
};
use dumbbell_header::{DatagramHeader, TrumpHeader};
use dumbbell_net::link::Counters;
use dumbbell_net::node::rbcc;
use dumbbell_net::node::{FlowId, NodeAgent, NodeAgentParams, Outbox, Passage, Port, PortView, Setting};
use dumbbell_net::router::QueueView;
use dumbbell_proto::transport::ReceiveEnd;
use dumbbell_proto::trump::{Params, Receiver, Sender};
use libfuzzer_sys::fuzz_target;

use ends::{RECORD, TO_RECEIVER, run};

/// Bits a second of the router's two ports.
const RATE: u64 = 10_000_000;

fn read<P: Config>(text: &str) -> P {
    let value = json::from_str(text).expect("JSON");
    P::from_value(&value, &At::root("fuzz")).expect("parameters")
}

static PARAMS: LazyLock<[Arc<Params>; 2]> = LazyLock::new(|| {
    let several = r#"{"selacksize": 5, "ack_delay": "20ms", "reordering": 3, "desired": "1Mbit/s"}"#;
    [r"{}", several].map(|text| Arc::new(read(text)))
});

static ROUTERS: LazyLock<[rbcc::Params; 2]> =
    LazyLock::new(|| [r"{}", r#"{"quench": true, "revupdates": true, "idle": "100ms"}"#].map(read));

struct Nobody;

impl VerdictSink<Packet> for Nobody {
    fn dropped(&mut self, _packet: Packet, _reason: DropReason) {}
    fn marked(&mut self, _packet: &Packet, _reason: MarkReason) {}
}

fn view(backlog: u64) -> PortView {
    let queue = QueueView { packets: backlog, bytes: 1500 * backlog, rate: BitRate::from_bps(RATE) };
    PortView { queue, counters: Counters::default(), backlog }
}

/// The header of a packet as it leaves the router; no rate that it writes is beyond that of its port.
fn through(
    agent: &mut dyn NodeAgent,
    now: Time,
    flow: u32,
    backlog: u64,
    header: TrumpHeader,
) -> TrumpHeader {
    let (mut outbox, way) = (Outbox::default(), header.way().expect("the kind tells"));
    let index = flow % 8;
    let leaves = u32::from(way == Way::Forward);
    let flow = FlowId { index, number: flow };
    let passage = Passage { flow, way, originated: false, entered: 1 - leaves, leaves };
    let packet = Packet::of(header, index, 1000, Ecn::NotEct);
    let onward = agent.passing(now, packet, &passage, &view(backlog), &mut Nobody, &mut outbox);
    let onward = onward.and_then(|packet| packet.read::<TrumpHeader>()).expect("RBCC gives no packet up");
    assert!(
        onward.rate >= 0.0
            && (onward.rate == header.rate || onward.rate <= RATE as f32 || onward.bottleneck != 1)
    );
    assert_eq!(TrumpHeader { rate: header.rate, bottleneck: header.bottleneck, ..onward }, header);
    for (_, way, packet) in outbox.drain() {
        let quench = packet.read::<TrumpHeader>().expect("a quench");
        assert!(way == Way::Reverse && (0.0..=RATE as f32).contains(&quench.return_rate));
    }
    onward
}

fuzz_target!(|data: &[u8]| {
    let Some((form, data)) = data.split_first() else { return };
    let params = &PARAMS[usize::from(form & 1)];
    let port = Port { rate: BitRate::from_bps(RATE), mtu: 1000 };
    let setting = Setting { router: 1, ports: vec![port; 2], rng: stream(1, "fuzz") };
    let mut agent = ROUTERS[usize::from(form >> 1 & 1)].build(setting);
    let mut sender = Sender::new(params.clone(), ends::opening(form >> 2));
    let mut receiver = Receiver::new(1, params, 1000);
    let mut now = Time::ZERO;
    sender.wake(now);
    for record in data.chunks_exact(RECORD) {
        now = run(&mut sender, &mut receiver, now, now + ends::pause(record));
        while agent.wake_at() <= now {
            let (at, mut outbox) = (agent.wake_at(), Outbox::default());
            agent.wake(at, &[view(0), view(0)], &mut outbox);
            assert!(agent.wake_at() > at, "a timer stands still");
        }
        let bytes = ends::header(record, now, [0x54, 0x52], 40);
        let Some((flow, header)) = TrumpHeader::decode(&bytes) else { continue };
        // The byte that means nothing is not kept.
        assert_eq!(header.encode(flow)[4..], bytes[4..], "what is read is what was written");
        let header = through(&mut *agent, now, flow, u64::from(record[3]) % 16, header);
        if record[2] & TO_RECEIVER == 0 {
            sender.take(now, &header);
        } else {
            let before = receiver.report();
            receiver.take(now, &header, u16::from(record[3]) * 4);
            let after = receiver.report();
            assert!(before.packets <= after.packets && before.out_of_order <= after.out_of_order);
            assert!(before.finished.is_none() || before.finished == after.finished);
        }
    }
    run(&mut sender, &mut receiver, now, now + Duration::from_millis(100));
});
