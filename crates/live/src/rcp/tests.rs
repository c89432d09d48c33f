//! The end points without a network: on any input they neither panic nor grow, and their logs can be replayed.

use std::path::Path;

use dumbbell_core::{Duration, Time};
use dumbbell_header::{RcpHeader, RcpKind};
use dumbbell_sim::{Plan, Scenario};
use proptest::prelude::*;

use super::replay::replay;
use super::{Receivers, Senders};

const HEADER: u16 = 76;

fn plan(flows: u32) -> Plan {
    let text = format!(
        r#"
        duration = "1000s"
        transport = "rcp"
        [topology]
        kind = "chain"
        link = {{ rate = "10Mbit/s", router = "rcp" }}
        [[flows]]
        from = "node0"
        to = "node1"
        count = {flows}
        stagger = "3ms"
        size = "40kB"
    "#
    );
    Plan::new(&Scenario::from_toml(&text).unwrap(), Path::new(".")).unwrap()
}

/// A datagram: noise, or a header that is plausible but wrong in places.
fn any_datagram() -> impl Strategy<Value = Vec<u8>> {
    let noise = prop::collection::vec(any::<u8>(), 0..80);
    let small = prop_oneof![0..4_u32, 20..40_u32, any::<u32>()];
    let rates = prop_oneof![Just(0), Just(1), Just(1_000_000), Just(RcpHeader::NO_LIMIT), any::<u64>()];
    let header = (0..=8_u8, any::<u8>(), 0..6_u32, small.clone(), small.clone(), rates, small, any::<u64>())
        .prop_map(|(kind, flags, flow, seq, cum_ack, rate, total, sack)| {
            let kind = RcpKind::of(kind);
            let ts = sack >> 30;
            RcpHeader { kind, flags, seq, cum_ack, rate, rtt: 0, total, ts, sack }.encode(flow).to_vec()
        });
    prop_oneof![1 => noise, 3 => header]
}

proptest! {
    #[test]
    fn senders_take_anything(steps in prop::collection::vec((any_datagram(), 0..200_000_000_u64), 1..120)) {
        let plan = plan(3);
        let mut senders = Senders::new(&plan, Time::ZERO, (1500, HEADER), None).unwrap();
        let mut now = Time::ZERO;
        for (datagram, pause) in &steps {
            now += Duration::from_nanos(*pause);
            senders.take(now, datagram, datagram.len());
            senders.wake(now);
            // Whatever rate was offered, a turn ends: at most what the flows have, sent again at most.
            for _ in 0..64 {
                let Some(packet) = senders.pull(now) else { break };
                prop_assert!(usize::from(packet.payload) <= 1500 - usize::from(HEADER));
            }
        }
        let came = steps.len() as u64;
        let (flows, counts) = senders.finish().unwrap();
        prop_assert!(flows.len() <= 3);
        prop_assert!(counts.malformed + counts.stray + counts.ignored <= came);
    }

    #[test]
    fn receivers_take_anything(steps in prop::collection::vec((any_datagram(), 0..3_u8, 0..20_000_000_000_u64), 1..200)) {
        let mut receivers = Receivers::new(HEADER, None).unwrap();
        let mut now = Time::ZERO;
        for (datagram, from, pause) in &steps {
            now += Duration::from_nanos(*pause);
            let answer = receivers.take(now, *from, datagram, datagram.len());
            // Never more than one answer, never to what is no question.
            if let Some((flow, answer)) = answer {
                let (asked, header) = RcpHeader::decode(datagram).unwrap();
                prop_assert_eq!((flow, Some(answer.kind)), (asked, header.kind.answer()));
                prop_assert_eq!((answer.ts, answer.rate), (header.ts, header.rate));
            }
            receivers.sweep(now);
        }
        let (flows, counts) = receivers.finish().unwrap();
        prop_assert!(flows.len() + counts.malformed as usize + counts.stray as usize <= steps.len());
    }

    #[test]
    fn a_log_of_any_exchange_replays(
        seed in any::<u64>(), delay in 100_000..30_000_000_u64, rates in prop::collection::vec(0..2_000_000_u64, 1..20),
    ) {
        let plan = Plan { seed, ..plan(4) };
        let folder = tempfile::tempdir().unwrap();
        let [sent, received] = ["sent", "received"].map(|name| folder.path().join(name));
        let mut senders = Senders::new(&plan, Time::ZERO, (1500, HEADER), Some(&sent)).unwrap();
        let mut receivers = Receivers::new(HEADER, Some(&received)).unwrap();
        // A path of constant delay whose router writes one rate after the other, and loses every seventh packet.
        let mut there: Vec<(Time, Vec<u8>)> = Vec::new();
        let mut back: Vec<(Time, Vec<u8>)> = Vec::new();
        let (mut now, mut passed) = (Time::ZERO, 0_usize);
        while !senders.is_done() && passed < 3_000 {
            senders.wake(now);
            while let Some(packet) = senders.pull(now) {
                passed += 1;
                if passed % 7 == 0 {
                    continue;
                }
                let rate = rates[passed / 10 % rates.len()];
                let mut datagram = RcpHeader { rate, ..packet.header }.encode(packet.flow).to_vec();
                datagram.resize(datagram.len() + usize::from(packet.payload), 0);
                there.push((now + Duration::from_nanos(delay), datagram));
            }
            for (at, datagram) in there.extract_if(.., |d| d.0 <= now) {
                if let Some((flow, answer)) = receivers.take(at, 0_u8, &datagram, datagram.len()) {
                    back.push((at + Duration::from_nanos(delay), answer.encode(flow).to_vec()));
                }
            }
            for (_, datagram) in back.extract_if(.., |d| d.0 <= now) {
                senders.take(now, &datagram, datagram.len());
            }
            let arrivals = there.iter().chain(&back).map(|d| d.0).min().unwrap_or(Time::NEVER);
            let next = senders.wake_at().min(arrivals);
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

#[test]
fn a_log_that_was_changed_differs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let mut receivers = Receivers::new(HEADER, Some(&path)).unwrap();
    let syn = RcpHeader { kind: RcpKind::Syn, rate: 5, total: 1, ..Default::default() };
    receivers.take(Time::from_nanos(7), 0_u8, &syn.encode(3), 48).unwrap();
    receivers.finish().unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(replay(&text, None).unwrap().difference, None);
    // The rate of the answer: eight bytes from the sixteenth.
    let at = text.rfind("52431200").unwrap() + 32;
    let changed = format!("{}{}{}", &text[..at], "0000000000000006", &text[at + 16..]);
    let difference = replay(&changed, None).unwrap().difference.unwrap();
    assert!(difference.starts_with("line 4: ") && difference.contains("rate: 6"), "{difference}");
    assert!(replay("nothing", None).is_err());
}

#[test]
fn a_flood_of_flows_fills_no_memory() {
    let mut receivers = Receivers::new(HEADER, None).unwrap();
    let syn = |flow| RcpHeader { kind: RcpKind::Syn, ..Default::default() }.encode(flow);
    for flow in 0..100_000 {
        receivers.take(Time::from_nanos(flow.into()), 0_u8, &syn(flow), 48);
    }
    assert_eq!(receivers.counts.refused, 100_000 - 65_536);
    // What was silent makes room.
    receivers.sweep(Time::from_nanos(200_000_000_000));
    assert!(receivers.take(Time::from_nanos(200_000_000_000), 0, &syn(99_999), 48).is_some());
}
