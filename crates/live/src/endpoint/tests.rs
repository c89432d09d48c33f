//! The end points without a network: on any input they neither panic nor grow, and their logs can be replayed.

use std::path::Path;
use std::sync::Arc;

use dumbbell_core::testing::lengths;
use dumbbell_core::{Duration, Time};
use dumbbell_header::datagram::LENGTH;
use dumbbell_header::{DatagramHeader, RcpHeader, RcpKind, SackBlock, TcpHeader, TrumpHeader, TrumpKind};
use dumbbell_sim::{Plan, Scenario};
use proptest::prelude::*;

use super::replay::replay;
use super::{Arrival, Outgoing, OverUdp, Receivers, Senders};

const HEADER: u16 = 76;

/// The transports, with parameters that make their ends do what they can.
const TRANSPORTS: [&str; 7] = [
    r#""rcp""#,
    r#""trump""#,
    r#"{ kind = "trump", selacksize = 5, ack_delay = "20ms" }"#,
    r#""tcp""#,
    r#"{ kind = "tcp", profile = "rfc", controller = "dctcp" }"#,
    r#"{ kind = "tcp", controller = "bbr3" }"#,
    r#"{ kind = "tcp", controller = "prague" }"#,
];

fn scenario(transport: &str, flows: u32, more: &str) -> Arc<Plan> {
    let text = format!(
        r#"
        duration = "1000s"
        transport = {transport}
        nodes = [{{ name = "node1", agent = "rbcc" }}]
        [topology]
        kind = "chain"
        hops = 2
        link = {{ rate = "10Mbit/s", router = "rcp" }}
        [[flows]]
        from = "node0"
        to = "node2"
        count = {flows}
        stagger = "3ms"
        size = "40kB"
        {more}
    "#
    );
    Plan::new(&Scenario::from_toml(&text).unwrap(), Path::new(".")).unwrap()
}

fn plan(transport: usize, flows: u32) -> Arc<Plan> {
    scenario(TRANSPORTS[transport], flows, "")
}

fn receivers(transport: usize, events: Option<&Path>) -> Receivers<u8> {
    let transport = OverUdp::of_receivers(&plan(transport, 1), HEADER).unwrap();
    Receivers::new(transport, HEADER, |_| 1500, events).unwrap()
}

/// A datagram: noise, or a header that is plausible but wrong in places.
fn any_datagram() -> impl Strategy<Value = Vec<u8>> {
    let noise = prop::collection::vec(any::<u8>(), 0..80);
    let small = prop_oneof![0..4_u32, 20..40_u32, any::<u32>()];
    let rates = prop_oneof![Just(0), Just(1), Just(1_000_000), Just(RcpHeader::NO_LIMIT), any::<u64>()];
    let rcp =
        (0..=8_u8, any::<u8>(), 0..6_u32, small.clone(), small.clone(), rates, small.clone(), any::<u64>())
            .prop_map(|(kind, flags, flow, seq, cum_ack, rate, total, sack)| {
                let kind = RcpKind::of(kind);
                let ts = sack >> 30;
                RcpHeader { kind, flags, seq, cum_ack, rate, rtt: 0, total, ts, sack }.encode(flow).to_vec()
            });
    let rates = prop_oneof![Just(0.0), Just(1e6), Just(f32::INFINITY), any::<f32>()];
    let trump =
        (0..=6_u8, 0..6_u32, (small.clone(), small.clone(), small), (rates.clone(), rates), any::<u64>())
            .prop_map(|(kind, flow, (number, transmission, total), (rate, return_rate), mark)| {
                let kind = TrumpKind::of(kind);
                let mark = mark >> (mark % 64);
                let header = TrumpHeader {
                    kind,
                    rate,
                    return_rate,
                    number,
                    transmission,
                    total,
                    mark,
                    ..Default::default()
                };
                header.encode(flow).to_vec()
            });
    let flags = prop_oneof![
        Just(TcpHeader::SYN),
        Just(TcpHeader::SYN | TcpHeader::ACK),
        Just(TcpHeader::ACK | TcpHeader::FIN),
        Just(TcpHeader::ACK),
        Just(TcpHeader::ACK),
        any::<u8>(),
    ];
    let numbers = prop_oneof![
        Just(0),
        0..40_001_u64,
        (0..30_u64).prop_map(|n| n * 1448),
        any::<u64>().prop_map(|n| n >> 16)
    ];
    let blocks = prop::array::uniform3(prop_oneof![
        2 => Just((0, 0)),
        2 => (0..10_u32, 1..10_u32).prop_map(|(start, n)| (start * 1448, (start + n) * 1448)),
        1 => any::<(u32, u32)>(),
    ]);
    let tcp = (flags, 0..6_u32, numbers, any::<(u16, u64)>(), blocks, 0..1_500_usize).prop_map(
        |(flags, flow, number, (window, timestamp), blocks, more)| {
            let sack = blocks.map(|(start, end)| SackBlock { start, end });
            let timestamp = timestamp >> (timestamp % 64);
            let mut bytes = TcpHeader { flags, window, number, timestamp, sack }.encode(flow).to_vec();
            bytes.resize(LENGTH + more * usize::from(flags & TcpHeader::SYN == 0), 0);
            bytes
        },
    );
    prop_oneof![1 => noise, 3 => rcp, 3 => trump, 5 => tcp]
}

/// A datagram as the ends receive it.
fn arrival(datagram: &[u8]) -> Arrival<'_> {
    let head = &datagram[..datagram.len().min(LENGTH)];
    Arrival { head, length: datagram.len(), traffic_class: 0b11 }
}

proptest! {
    #[test]
    fn senders_take_anything(
        transport in 0..TRANSPORTS.len(), steps in prop::collection::vec((any_datagram(), 0..200_000_000_u64), lengths(1..120)),
    ) {
        let plan = plan(transport, 3);
        let mut senders = Senders::new(&plan, Time::ZERO, (1500, HEADER), None).unwrap();
        let mut now = Time::ZERO;
        for (datagram, pause) in &steps {
            now += Duration::from_nanos(*pause);
            senders.take(now, arrival(datagram));
            senders.wake(now);
            // Whatever rate was offered, a turn ends: at most what the flows have, sent again at most.
            for _ in 0..64 {
                let Some(packet) = senders.pull(now) else { break };
                prop_assert!(packet.length <= 1500 - 28);
            }
        }
        let came = steps.len() as u64;
        let (flows, counts) = senders.finish().unwrap();
        prop_assert!(flows.len() <= 3);
        prop_assert!(counts.malformed + counts.stray + counts.ignored <= came);
    }

    #[test]
    fn receivers_take_anything(
        transport in 0..TRANSPORTS.len(),
        steps in prop::collection::vec((any_datagram(), 0..3_u8, 0..20_000_000_000_u64), lengths(1..200)),
    ) {
        let mut receivers = receivers(transport, None);
        let (mut now, mut answers) = (Time::ZERO, 0);
        for (datagram, from, pause) in &steps {
            now += Duration::from_nanos(*pause);
            receivers.wake(now);
            receivers.take(now, *from, arrival(datagram));
            while let Some((_, answer)) = receivers.pull(now) {
                prop_assert!(usize::from(answer.length) <= LENGTH + 4);
                answers += 1;
            }
            prop_assert!(receivers.wake_at() > now);
            receivers.sweep(now);
        }
        // An acknowledgement and what it leaves behind, at most, for each.
        prop_assert!(answers <= 2 * steps.len());
        let (flows, counts) = receivers.finish().unwrap();
        prop_assert!(flows.len() + counts.malformed as usize + counts.stray as usize <= steps.len());
    }

    #[test]
    fn rcp_answers_what_is_a_question_and_nothing_else(steps in prop::collection::vec(any_datagram(), lengths(1..100))) {
        let mut receivers = receivers(0, None);
        for datagram in &steps {
            receivers.take(Time::ZERO, 0, arrival(datagram));
            if let Some((_, answer)) = receivers.pull(Time::ZERO) {
                let (asked, question) = RcpHeader::decode(datagram).unwrap();
                let (flow, answer) = RcpHeader::decode(&answer.header).unwrap();
                prop_assert_eq!((flow, Some(answer.kind)), (asked, question.kind.answer()));
                prop_assert_eq!((answer.ts, answer.rate), (question.ts, question.rate));
            }
            prop_assert!(receivers.pull(Time::ZERO).is_none());
        }
    }

    #[test]
    fn a_log_of_any_exchange_replays(
        transport in 0..TRANSPORTS.len(),
        seed in any::<u64>(), delay in 100_000..30_000_000_u64, rates in prop::collection::vec(0..2_000_000_u64, 1..20),
    ) {
        let plan = Plan { seed, ..Arc::into_inner(plan(transport, 4)).unwrap() };
        let folder = tempfile::tempdir().unwrap();
        let [sent, received] = ["sent", "received"].map(|name| folder.path().join(name));
        let mut senders = Senders::new(&plan, Time::ZERO, (1500, HEADER), Some(&sent)).unwrap();
        let mut receivers = receivers(transport, Some(&received));
        // A path of constant delay whose router writes one rate after the other, and loses every seventh packet.
        let mut there: Vec<(Time, Outgoing)> = Vec::new();
        let mut back: Vec<(Time, Outgoing)> = Vec::new();
        let (mut now, mut passed) = (Time::ZERO, 0_usize);
        while !senders.is_done() && passed < 3_000 {
            senders.wake(now);
            // A receiver is asked after each event, as the driver does and the log takes for granted.
            receivers.wake(now);
            let mut answer = |receivers: &mut Receivers<u8>| {
                while let Some((_, answer)) = receivers.pull(now) {
                    back.push((now + Duration::from_nanos(delay), answer));
                }
            };
            answer(&mut receivers);
            while let Some(packet) = senders.pull(now) {
                passed += 1;
                if passed % 7 == 0 {
                    continue;
                }
                let rate = rates[passed / 10 % rates.len()];
                let header = stamped(&packet.header, rate);
                there.push((now + Duration::from_nanos(delay), Outgoing { header, ..packet }));
            }
            for (_, datagram) in there.extract_if(.., |d| d.0 <= now) {
                receivers.take(now, 0, datagram.arrival());
                answer(&mut receivers);
            }
            for (_, datagram) in back.extract_if(.., |d| d.0 <= now) {
                senders.take(now, datagram.arrival());
            }
            let arrivals = there.iter().chain(&back).map(|d| d.0).min().unwrap_or(Time::NEVER);
            let next = senders.wake_at().min(receivers.wake_at()).min(arrivals);
            if !next.is_finite() {
                break;
            }
            now = now.max(next);
        }
        let flows = senders.finish().unwrap().0.len() as u64;
        receivers.finish().unwrap();
        for (path, plan) in [(&sent, Some(&plan)), (&received, None)] {
            let found = replay(&std::fs::read_to_string(path).unwrap(), plan).unwrap();
            prop_assert_eq!(&found.difference, &None);
            prop_assert!(found.flows > 0 && found.flows <= flows && found.packets > 0);
        }
    }
}

/// A header with the rate that a router writes into it, in bytes a second, if it has a place for one.
fn stamped(header: &[u8; LENGTH], rate: u64) -> [u8; LENGTH] {
    match (RcpHeader::decode(header), TrumpHeader::decode(header)) {
        (Some((flow, header)), _) => RcpHeader { rate, ..header }.encode(flow),
        (_, Some((flow, header))) => {
            let rate = rate as f32 * 8.0;
            TrumpHeader { rate, bottleneck: 1, ..header }.encode(flow)
        }
        _ => *header,
    }
}

#[test]
fn a_log_that_was_changed_differs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let log = || {
        let mut receivers = receivers(0, Some(&path));
        let syn = RcpHeader { kind: RcpKind::Syn, rate: 5, total: 1, ..Default::default() };
        receivers.take(Time::from_nanos(7), 0_u8, arrival(&syn.encode(3)));
        receivers.pull(Time::from_nanos(7)).unwrap();
        receivers.finish().unwrap();
        std::fs::read_to_string(&path).unwrap()
    };
    let text = log();
    assert_eq!(replay(&text, None).unwrap().difference, None);
    // The rate of the answer: eight bytes from the sixteenth.
    let at = text.rfind("52431200").unwrap() + 32;
    let changed = format!("{}{}{}", &text[..at], "0000000000000006", &text[at + 16..]);
    let difference = replay(&changed, None).unwrap().difference.unwrap();
    assert!(difference.starts_with("line 4: ") && difference.contains("rate: 6"), "{difference}");
    // Without the answer.
    let (without, _) = text.trim_end().rsplit_once('\n').unwrap();
    let difference = replay(without, None).unwrap().difference.unwrap();
    assert!(difference.starts_with("line 4: at 7ns only the simulator sends"), "{difference}");
    assert!(replay("nothing", None).is_err());
    // Headers that no packet has.
    for header in ["0", "47", "75", "77", "65535", "65536"] {
        let other = text.replacen("header=76", &format!("header={header}"), 1);
        let refused = replay(&other, None).unwrap_err().to_string();
        assert!(refused.starts_with("line 1: this is no log of an end point"), "{header}: {refused}");
    }
    assert_eq!(replay(&text.replacen("header=76", "header=96", 1), None).unwrap().difference, None);
}

#[test]
fn a_flood_of_flows_fills_no_memory() {
    let mut receivers = receivers(0, None);
    let syn = |flow| RcpHeader { kind: RcpKind::Syn, ..Default::default() }.encode(flow);
    for flow in 0..100_000 {
        receivers.take(Time::from_nanos(flow.into()), 0, arrival(&syn(flow)));
    }
    assert_eq!(receivers.counts.refused, 100_000 - 65_536);
    // What was silent makes room.
    let later = Time::from_nanos(200_000_000_000);
    while receivers.pull(later).is_some() {}
    receivers.sweep(later);
    receivers.take(later, 0, arrival(&syn(99_999)));
    assert!(receivers.pull(later).is_some());
}

#[test]
fn plans_without_one_transport_over_udp_are_refused() {
    let refused = |transport: &str, more: &str| {
        let plan = scenario(
            transport,
            1,
            &format!("[[flows]]\nname = \"b\"\nfrom = \"node0\"\nto = \"node2\"\n{more}"),
        );
        OverUdp::of_receivers(&plan, HEADER).unwrap_err().to_string()
    };
    assert_eq!(
        refused(r#""trump""#, "transport = 'tfrc'"),
        "transport: the flows of \"b\" use \"tfrc\", which has no end points over UDP; give `transport = \"tcp\"`, \
         `transport = \"rcp\"` or `transport = \"trump\"`"
    );
    assert_eq!(
        refused(r#""trump""#, "transport = 'rcp'"),
        "transport: the flows of \"b\" use \"rcp\", and others \"trump\"; give `transport = \"tcp\"`, \
         `transport = \"rcp\"` or `transport = \"trump\"`"
    );
    assert_eq!(
        refused(r#""trump""#, "transport = { kind = 'trump', selacksize = 4 }"),
        "transport: receivers acknowledge all flows alike, and these groups ask for different acknowledgements; give all \
         flows the same `selacksize`, `ack_delay` and `payload`"
    );
}
