//! Flows of RCP over a pipe whose router is a script.

use std::sync::Arc;

use dumbbell_core::{Duration, Frame, Packet, Stage, Time, Way};
use dumbbell_header::{RcpHeader, RcpKind};
use proptest::prelude::*;

use super::*;
use crate::testing::{ms, opening, read, stream};
use crate::transport::{Failure, ReceiveEnd, SendEnd};

fn header_of(packet: &Packet) -> RcpHeader {
    packet.read().unwrap()
}

/// Two ends, 25 ms apart, with a router that writes what `rate` says at that time, and losses.
struct Path {
    sender: Sender,
    receiver: Receiver,
    now: Time,
    /// Every packet on its way, by arrival.
    flying: Vec<(Time, usize, Way, Packet)>,
    sent: Vec<(Time, Packet)>,
    count: usize,
}

impl Path {
    fn new(params: &str, size: Option<u64>, seed: u64) -> Path {
        let params: Arc<Params> = Arc::new(read(params));
        let opening = Opening { mtu: 1000, rng: dumbbell_core::rng::stream(seed, "test"), ..opening(size) };
        let (mut sender, receiver) = params.open(opening);
        sender.wake(Time::ZERO);
        Path { sender, receiver, now: Time::ZERO, flying: Vec::new(), sent: Vec::new(), count: 0 }
    }

    /// Runs until nothing happens any more or `end` has come. `rate` is called for each forward packet, `lost` for every packet.
    fn run(
        &mut self,
        end: Time,
        mut rate: impl FnMut(Time) -> Option<u64>,
        mut lost: impl FnMut(Way, &Packet, usize) -> bool,
    ) {
        let mut woken = false;
        loop {
            while let Some(mut packet) = self.sender.pull(self.now) {
                self.sent.push((self.now, packet));
                let header = header_of(&packet);
                if let Some(rate) = rate(self.now).filter(|rate| header.kind.asks() && header.rate > *rate) {
                    packet.write(&RcpHeader {
                        rate,
                        flags: header.flags | RcpHeader::RATE_STAMPED,
                        ..header
                    });
                }
                self.carry(Way::Forward, packet, &mut lost);
            }
            while let Some(packet) = self.receiver.pull(self.now) {
                self.carry(Way::Reverse, packet, &mut lost);
            }
            let timer = self.sender.wake_at().min(self.receiver.wake_at());
            assert!(timer > self.now || !woken, "a timer stands still");
            let next = self.flying.iter().map(|f| (f.0, f.1)).min();
            let arrival = next.map_or(Time::NEVER, |n| n.0);
            let at = timer.min(arrival);
            if at > end || at == Time::NEVER {
                return;
            }
            self.now = at;
            woken = arrival > timer;
            if arrival <= timer {
                let i = self.flying.iter().position(|f| Some((f.0, f.1)) == next).unwrap();
                let (_, _, way, packet) = self.flying.swap_remove(i);
                match way {
                    Way::Forward => self.receiver.push(at, &packet),
                    Way::Reverse => self.sender.push(at, &packet),
                }
            } else {
                self.sender.wake(at);
            }
        }
    }

    fn carry(&mut self, way: Way, packet: Packet, lost: &mut impl FnMut(Way, &Packet, usize) -> bool) {
        self.count += 1;
        if !lost(way, &packet, self.count) {
            self.flying.push((self.now + Duration::from_millis(25), self.count, way, packet));
        }
    }

    fn kinds(&self, kind: RcpKind) -> Vec<Time> {
        self.sent.iter().filter(|(_, p)| header_of(p).kind == kind).map(|(t, _)| *t).collect()
    }
}

const FAR: Time = Time::from_nanos(1_000_000_000_000);

#[test]
fn a_flow_takes_two_round_trips_and_its_packets() {
    // 20 packets of 1000 bytes at 1 MB/s: one each millisecond.
    let mut path = Path::new("{}", Some(20 * 960), 1);
    path.run(FAR, |_| Some(1_000_000), |_, _, _| false);
    let data = path.kinds(RcpKind::Data);
    assert_eq!(data, (0..20).map(|n| ms(50.0 + f64::from(n))).collect::<Vec<_>>());
    assert_eq!(path.receiver.report().finished, Some(ms(94.0)));
    assert_eq!(path.sender.report().finished, Some(ms(119.0)));
    assert_eq!(path.receiver.report().delivered, 20 * 960);
    assert!(path.sender.is_closed() && path.receiver.is_closed());
    let last = header_of(&path.sent.last().unwrap().1);
    assert!(last.has(RcpHeader::LAST) && last.has(RcpHeader::RTT_VALID));
    assert_eq!((last.total, last.rtt), (20, 50_000), "the last packet is stamped like any other");
}

#[test]
fn a_new_rate_moves_the_packet_that_waits() {
    // 10 kB/s: a packet each 100 ms, longer than the round-trip time, so probes go out; then 1 MB/s.
    let mut path = Path::new("{}", Some(30 * 960), 1);
    path.run(FAR, |now| Some(if now < ms(300.0) { 10_000 } else { 1_000_000 }), |_, _, _| false);
    let probes = path.kinds(RcpKind::Ref);
    assert_eq!(
        probes,
        [100.0, 150.0, 200.0, 250.0, 300.0].map(ms),
        "one each round-trip time, until the rate suffices"
    );
    let data = path.kinds(RcpKind::Data);
    assert_eq!(data[..4], [50.0, 150.0, 250.0, 350.0].map(ms));
    assert_eq!(data[4], ms(351.0));
}

#[test]
fn flows_outlive_a_rate_of_zero_and_all_go_on() {
    // The router offers C/2 to 10 s, then 0 for 5 s, then C/2 again.
    let rate = |now: Time| Some(if (10.0..15.0).contains(&now.as_secs_f64()) { 0 } else { 50_000 });
    let bound = Duration::from_secs_f64(1.1 + 0.05);
    for seed in 0..50 {
        for size in [None, Some(960 * 2000)] {
            let mut path = Path::new("{}", size, seed);
            path.run(ms(20_000.0), rate, |_, _, _| false);
            let data = path.kinds(RcpKind::Data);
            let first = *data.iter().find(|t| **t >= ms(15_000.0)).unwrap();
            assert!(first.since(ms(15_000.0)) <= bound, "{first:?}");
            assert!(!data.iter().any(|t| (ms(10_060.0)..ms(15_000.0)).contains(t)), "nothing while paused");
            path.run(FAR.min(ms(60_000.0)), rate, |_, _, _| false);
            assert_eq!(path.sender.report().failure, None);
            assert_eq!(path.sender.report().finished.is_some(), size.is_some());
        }
        // A flow that starts into the outage.
        let mut path = Path::new("{}", Some(960 * 10), seed);
        path.run(FAR, |now| Some(if now < ms(5000.0) { 0 } else { 50_000 }), |_, _, _| false);
        let first = path.kinds(RcpKind::Data)[0];
        assert!(first >= ms(5000.0) && first.since(ms(5000.0)) <= bound);
        assert!(path.sender.report().finished.is_some());
    }
}

#[test]
fn the_published_sender_dies_at_a_rate_of_zero() {
    let rate = |now: Time| Some(if (10.0..15.0).contains(&now.as_secs_f64()) { 0 } else { 50_000 });
    let mut path = Path::new(r#"{"compat": "ns2"}"#, Some(960 * 2000), 1);
    path.run(FAR, rate, |_, _, _| false);
    assert_eq!(path.sender.report().finished, None, "nobody sends anything any more");
    assert!(!path.sender.is_closed() && path.sender.wake_at() == Time::NEVER);
    // Of those that start into the outage, a tenth quits; the others probe, and live.
    let ends: Vec<_> = (0..400)
        .map(|seed| {
            let mut path = Path::new(r#"{"compat": "ns2"}"#, Some(960 * 10), seed);
            path.run(FAR, |now| Some(if now < ms(5000.0) { 0 } else { 50_000 }), |_, _, _| false);
            (path.sender.report().failure, path.sender.report().finished.is_some())
        })
        .collect();
    let quit = ends.iter().filter(|e| e.0 == Some(Failure::Quit)).count();
    // Binomial(400, 0.1): standard deviation 6.
    assert!((16..=64).contains(&quit), "{quit}");
    assert!(ends.iter().all(|(failure, finished)| failure.is_some() != *finished));
}

#[test]
fn silence_ends_in_a_failure_with_its_reason() {
    let mut path = Path::new("{}", Some(960), 1);
    path.run(FAR, |_| None, |_, _, _| true);
    assert_eq!(path.sender.report().failure, Some(Failure::Unanswered));
    assert_eq!(path.kinds(RcpKind::Syn).len(), 9, "one and eight retries");

    let mut path = Path::new("{}", Some(960 * 100), 1);
    path.run(FAR, |_| Some(100_000), |_, p, _| header_of(p).kind == RcpKind::Data);
    assert_eq!(path.sender.report().failure, Some(Failure::TimedOut));

    let mut path = Path::new("{}", Some(960 * 100), 1);
    path.run(FAR, |_| Some(0), |way, p, _| way == Way::Reverse && header_of(p).kind == RcpKind::RefAck);
    assert_eq!(path.sender.report().failure, Some(Failure::ProbesUnanswered));

    let mut path = Path::new("{}", Some(960 * 100), 1);
    path.run(FAR, |_| None, |_, _, _| false);
    assert_eq!(path.sender.report().failure, Some(Failure::NoRate));
}

#[test]
fn a_source_with_a_rate_of_its_own_needs_no_router() {
    // 8 Mbit/s are 1 MB/s, so that packets of 1000 bytes leave each millisecond.
    let spacing = |router: Option<u64>| {
        let mut path = Path::new(r#"{"desired": "8Mbit/s"}"#, Some(960 * 20), 1);
        path.run(FAR, |_| router, |_, _, _| false);
        assert_eq!(path.receiver.report().delivered, 960 * 20);
        let data = path.kinds(RcpKind::Data);
        data[1].since(data[0])
    };
    assert_eq!(spacing(None), Duration::from_millis(1));
    assert_eq!(spacing(Some(5_000_000)), Duration::from_millis(1), "a router that offers more");
    assert_eq!(spacing(Some(500_000)), Duration::from_millis(2), "a router that offers less");
    let asks = |params: &str| Arc::new(read::<Params>(params)).asks_routers().is_some();
    assert!(asks("{}") && !asks(r#"{"desired": "8Mbit/s"}"#));
}

#[test]
fn headers_that_make_no_sense_change_nothing() {
    let mut path = Path::new("{}", Some(960 * 100), 1);
    path.run(ms(60.0), |_| Some(1_000_000), |_, _, _| false);
    let now = path.now;
    let before = path.sender.report();
    let good = RcpHeader {
        kind: RcpKind::Ack,
        seq: 3,
        cum_ack: 4,
        rate: 7,
        ts: now.as_nanos(),
        ..RcpHeader::default()
    };
    for bad in [
        RcpHeader { kind: RcpKind::Data, ..good },
        RcpHeader { kind: RcpKind::Other, ..good },
        RcpHeader { ts: now.as_nanos() + 1, ..good },
        RcpHeader { cum_ack: 5000, ..good },
    ] {
        path.sender.take(now, &bad);
    }
    assert_eq!((path.sender.report(), path.sender.ignored()), (before, 4));
    for bad in [
        RcpHeader { kind: RcpKind::Data, seq: 100, ..good },
        RcpHeader { kind: RcpKind::Data, seq: u32::MAX, flags: RcpHeader::LAST, ..good },
        RcpHeader { kind: RcpKind::Ack, ..good },
    ] {
        path.receiver.take(now, &bad, 960);
        assert_eq!(path.receiver.answer(), None);
    }
    assert_eq!(path.receiver.ignored(), 3);
    path.run(FAR, |_| Some(1_000_000), |_, _, _| false);
    assert!(path.sender.report().finished.is_some());
}

#[test]
fn only_the_last_packet_says_how_many_there_are() {
    for (flags, seq, total, complete) in [
        (RcpHeader::LAST, 2, 3, true),
        (0, 2, 3, false),
        (RcpHeader::LAST, 2, 4, false),
        (RcpHeader::LAST, 2, 2, false),
    ] {
        let mut receiver = Path::new("{}", None, 1).receiver;
        for header in [
            RcpHeader { kind: RcpKind::Data, seq: 0, ..RcpHeader::default() },
            RcpHeader { kind: RcpKind::Data, seq: 1, ..RcpHeader::default() },
            RcpHeader { kind: RcpKind::Data, flags, seq, total, ..RcpHeader::default() },
        ] {
            receiver.take(ms(1.0), &header, 960);
        }
        assert_eq!(receiver.is_complete(), complete, "{flags} {seq} {total}");
    }
}

#[test]
fn probes_spread_when_an_answer_claims_no_time() {
    // Seeds of which none quits at the first answer.
    for (compat, seed) in [("none", 1), ("ns2", 1), ("ns2", 2)] {
        let mut path = Path::new(&format!(r#"{{"compat": "{compat}"}}"#), None, seed);
        path.run(ms(10.0), |_| Some(0), |_, _, _| true);
        let answer = RcpHeader { kind: RcpKind::SynAck, ts: path.now.as_nanos(), ..RcpHeader::default() };
        path.sender.take(path.now, &answer);
        path.run(path.now + Duration::from_micros(100), |_| Some(0), |_, _, _| true);
        assert!(path.sender.report().failure.is_none() && path.kinds(RcpKind::Ref).len() <= 100, "{compat}");
    }
}

proptest! {
    /// Whatever is lost, a flow ends, its data arrives whole, and it never sends faster than it may.
    #[test]
    fn everything_is_delivered(
        size in 1_u64..200_000,
        loss in 0.0..0.3_f64,
        rates in prop::collection::vec(prop_oneof![1 => Just(0_u64), 6 => 1_000..5_000_000_u64], 1..20),
        seed in 0_u64..1000,
    ) {
        use rand::RngExt;
        let mut path = Path::new(r#"{"retries": 200}"#, Some(size), seed);
        let mut rng = stream();
        // Another rate each 100 ms; in the end there is one.
        let rate = |now: Time| {
            let i = (now.as_nanos() / 100_000_000) as usize;
            Some(rates.get(i).copied().unwrap_or(100_000))
        };
        path.run(FAR, rate, |_, _, _| rng.random::<f64>() < loss);
        prop_assert!(path.sender.report().finished.is_some(), "{:?}", path.sender);
        prop_assert_eq!(path.receiver.report().delivered, size);
        let most = rates.iter().copied().max().unwrap().max(100_000) as f64;
        let data: Vec<(Time, u16)> = path.sent.iter()
            .filter(|(_, p)| header_of(p).kind == RcpKind::Data).map(|(t, p)| (*t, p.size)).collect();
        for pair in data.windows(2) {
            let least = f64::from(pair[0].1) / most - 2e-9;
            prop_assert!(pair[1].0.since(pair[0].0).as_secs_f64() >= least);
        }
    }
}

#[test]
fn two_packets_never_leave_at_once_whatever_rate_a_header_tells() {
    for rate in [u64::MAX - 1, 1 << 63, 2_000_000_000_000] {
        let mut path = Path::new("{}", None, 1);
        let answer = RcpHeader { kind: RcpKind::SynAck, rate, ..RcpHeader::default() };
        while path.sender.pull(Time::ZERO).is_some() {}
        path.sender.push(ms(50.0), &Packet::of(answer, 7, 48, dumbbell_core::Ecn::NotEct));
        let now = path.sender.wake_at();
        assert!(path.sender.pull(now).is_some() && path.sender.pull(now).is_none(), "{rate}");
        assert_eq!(path.sender.wake_at(), now + Duration::from_nanos(1));
    }
}
