//! Flows of TRUMP over a pipe whose router is a script.

use dumbbell_core::testing::lengths;
use dumbbell_core::{BitRate, Frame, Packet, Stage, Time, Way};
use dumbbell_header::TrumpKind;
use proptest::prelude::*;

use super::*;
use crate::testing::{Fate, Pipe, kept, ms, opening, read};
use crate::transport::{Failure, ReceiveEnd, SendEnd};

/// Payload of a full packet.
const FULL: u64 = 1460;
/// A full packet takes a millisecond.
const MEGABYTES: f32 = 12e6;

fn header_of(packet: &Packet) -> TrumpHeader {
    packet.read().unwrap()
}

/// A router that allows a rate at each time.
fn allows(rate: impl Fn(Time) -> f32 + 'static) -> impl FnMut(Time, Way, &mut Packet) {
    move |now, way, packet| {
        let (header, rate) = (header_of(packet), rate(now));
        if way == Way::Forward {
            packet.write(&TrumpHeader { rate, bottleneck: 1, ..header });
        }
    }
}

/// Two ends, 25 ms apart, with a router that allows 12 Mbit/s, and losses.
fn pipe(
    params: &str,
    size: Option<u64>,
    script: impl FnMut(Way, &Packet, usize) -> Fate + 'static,
) -> Pipe<Sender, Box<Receiver>> {
    let params: Arc<Params> = Arc::new(read(params));
    let access = Some(BitRate::from_bps(100_000_000));
    Pipe::new(params.open(Opening { access, ..opening(size) }), script).routed(allows(|_| MEGABYTES))
}

fn sent(log: &[(Time, Packet)], kind: TrumpKind) -> Vec<(Time, TrumpHeader)> {
    log.iter().map(|(at, p)| (*at, header_of(p))).filter(|(_, h)| h.kind == kind).collect()
}

fn times(log: &[(Time, Packet)], kind: TrumpKind) -> Vec<Time> {
    sent(log, kind).into_iter().map(|(at, _)| at).collect()
}

#[test]
fn a_flow_takes_two_round_trips_and_its_packets_and_tears_down() {
    let mut pipe = pipe("{}", Some(20 * FULL), |_, _, _| Fate::Pass);
    pipe.finish();
    assert_eq!(times(&pipe.forward, TrumpKind::Setup), [ms(0.0)]);
    let data = sent(&pipe.forward, TrumpKind::Data);
    assert_eq!(
        data.iter().map(|d| d.0).collect::<Vec<_>>(),
        (0..20).map(|n| ms(50.0 + f64::from(n))).collect::<Vec<_>>()
    );
    assert!(data.iter().all(|(_, h)| h.rate == MEGABYTES && h.bottleneck == 1 && h.desired == f32::INFINITY));
    let acks = sent(&pipe.reverse, TrumpKind::Ack);
    assert_eq!(acks.len(), 20);
    // An acknowledgement is 40 bytes for 1500.
    assert!((acks[0].1.desired / (MEGABYTES * 40.0 / 1500.0) - 1.0).abs() < 1e-6);
    assert_eq!((acks[0].1.return_rate, acks[0].1.return_bottleneck), (MEGABYTES, 1));
    assert_eq!(times(&pipe.forward, TrumpKind::Teardown), [ms(119.0)]);
    assert_eq!(pipe.receiver.report().finished, Some(ms(94.0)));
    assert_eq!(pipe.sender.report().finished, Some(ms(119.0)));
    assert_eq!(pipe.receiver.report().delivered, 20 * FULL);
    assert_eq!(pipe.receiver.report().delay.map(|delay| delay.sd), Some(0.0));
    assert!(pipe.sender.is_closed() && pipe.receiver.is_closed());
}

#[test]
fn an_acknowledgement_waits_for_as_many_packets_as_it_reports() {
    for (size, each) in [(2, 2), (16, 16)] {
        let mut pipe = pipe(&format!(r#"{{"selacksize": {size}}}"#), Some(50 * FULL), |_, _, _| Fate::Pass);
        pipe.finish();
        let acks = sent(&pipe.reverse, TrumpKind::Ack);
        let counts: Vec<u32> = acks.iter().map(|(_, h)| h.mark.count_ones()).collect();
        let mut expected = vec![each; 50 / each as usize];
        expected.extend((50 % each > 0).then_some(50 % each));
        assert_eq!(counts, expected, "the last packet does not wait");
        assert!((acks[0].1.desired / (MEGABYTES * 40.0 / 1500.0 / size as f32) - 1.0).abs() < 1e-6);
        assert_eq!(pipe.sender.report().retransmissions, 0);
    }
    // A slow flow: what arrives waits a second at most.
    let mut slow = pipe(r#"{"selacksize": 16}"#, Some(12 * FULL), |_, _, _| Fate::Pass)
        .routed(allows(|_| 12_000.0 * 5.0));
    slow.finish();
    let acks = sent(&slow.reverse, TrumpKind::Ack);
    assert_eq!(acks.iter().map(|(_, h)| h.mark.count_ones()).collect::<Vec<_>>(), [6, 6]);
    assert_eq!(acks[0].0, ms(75.0 + 1000.0));
    assert_eq!(slow.sender.report().timeouts, 0);
}

#[test]
fn a_new_rate_moves_the_packet_that_waits() {
    // One packet each 100 ms, then one each millisecond: the next leaves at once, and there is no burst.
    let mut pipe = pipe("{}", Some(10 * FULL), |_, _, _| Fate::Pass)
        .routed(allows(|now| if now < ms(300.0) { 120_000.0 } else { MEGABYTES }));
    pipe.finish();
    let data = times(&pipe.forward, TrumpKind::Data);
    let slow = [50.0, 150.0, 250.0, 350.0].map(ms);
    assert_eq!(data[..4], slow);
    let fast: Vec<Time> = (0..6).map(|n| ms(400.0 + f64::from(n))).collect();
    assert_eq!(data[4..], fast);
}

#[test]
fn the_source_is_limited_by_its_link_and_its_desired_rate() {
    let spacing = |params: &str| {
        let mut pipe = pipe(params, Some(4 * FULL), |_, _, _| Fate::Pass).routed(allows(|_| f32::INFINITY));
        pipe.finish();
        let data = times(&pipe.forward, TrumpKind::Data);
        data[1].since(data[0]).as_nanos()
    };
    assert_eq!(spacing("{}"), 120_000, "1500 bytes at 100 Mbit/s");
    assert_eq!(spacing(r#"{"desired": "10Mbit/s"}"#), 1_200_000);
}

#[test]
fn a_loss_is_known_from_a_later_packet() {
    for (params, losses, resent) in [
        // Packet 5 leaves at 55 ms. Packet 6 is acknowledged at 106 ms, when another has just left.
        ("{}", vec![6], vec![107.0]),
        (r#"{"reordering": 3}"#, vec![6], vec![110.0]),
        // Sent again as the 58th packet behind the set-up, and lost again: known when the next is acknowledged.
        ("{}", vec![6, 58], vec![107.0, 159.0]),
    ] {
        let mut pipe = pipe(params, Some(200 * FULL), move |way, _, n| {
            if way == Way::Forward && losses.contains(&n) { Fate::Drop } else { Fate::Pass }
        });
        pipe.finish();
        let data = sent(&pipe.forward, TrumpKind::Data);
        let again: Vec<Time> = data.iter().filter(|(_, h)| h.number == 5).map(|d| d.0).collect();
        assert_eq!(again[1..], resent.iter().map(|t| ms(*t)).collect::<Vec<_>>());
        let spaced = data.windows(2).all(|d| d[1].0.since(d[0].0).as_nanos() == 1_000_000);
        assert!(spaced, "one packet each millisecond, whatever is lost");
        assert_eq!(pipe.receiver.report().delivered, 200 * FULL);
        assert_eq!(pipe.sender.report().timeouts, 0);
    }
}

#[test]
fn the_end_of_a_message_is_sent_again_after_a_second() {
    // The last two of ten packets are lost, and once more.
    let mut pipe = pipe("{}", Some(10 * FULL), |way, packet, n| {
        let last = way == Way::Forward && header_of(packet).number >= 8 && n < 13;
        if last { Fate::Drop } else { Fate::Pass }
    });
    pipe.finish();
    let data = times(&pipe.forward, TrumpKind::Data);
    // The eighth packet is acknowledged at 107 ms.
    assert_eq!(data[10..], [1107.0, 1108.0, 2108.0, 2109.0].map(ms));
    let report = pipe.sender.report();
    assert_eq!((report.timeouts, report.causes.tail, report.retransmissions), (2, 2, 4));
    assert_eq!(report.finished, Some(ms(2159.0)));
}

#[test]
fn set_up_is_repeated_each_second_and_given_up_after_thirty() {
    let mut late = pipe(
        "{}",
        Some(FULL),
        |way, _, n| {
            if way == Way::Forward && n < 2 { Fate::Drop } else { Fate::Pass }
        },
    );
    late.until(|pipe| pipe.forward.iter().any(|(_, p)| header_of(p).kind == TrumpKind::Data));
    assert_eq!(times(&late.forward, TrumpKind::Setup), [0.0, 1000.0, 2000.0].map(ms));
    let mut never = pipe("{}", Some(FULL), |_, _, _| Fate::Drop);
    never.finish();
    assert_eq!(never.forward.len(), 30);
    assert_eq!((never.now, never.sender.report().failure), (ms(30_000.0), Some(Failure::Unanswered)));
    assert!(never.sender.is_closed());
}

#[test]
fn a_source_gives_up_thirty_seconds_after_the_last_answer() {
    let mut pipe =
        pipe("{}", None, |way, _, n| if way == Way::Reverse && n >= 100 { Fate::Drop } else { Fate::Pass });
    pipe.until(|pipe| pipe.sender.is_closed());
    let last = pipe.reverse[99].0 + dumbbell_core::Duration::from_millis(25);
    assert_eq!(pipe.sender.report().failure, Some(Failure::TimedOut));
    assert_eq!(pipe.now.since(last).as_nanos() / 1_000_000, 30_000);
}

#[test]
fn a_quench_holds_until_packets_sent_after_it_are_acknowledged() {
    let mut pipe = pipe("{}", None, |_, _, _| Fate::Pass);
    pipe.until(|pipe| pipe.now >= ms(200.0));
    let quench = |rate| TrumpHeader {
        kind: TrumpKind::Quench,
        return_rate: rate,
        return_bottleneck: 9,
        ..Default::default()
    };
    pipe.sender.take(pipe.now, &quench(2.0 * MEGABYTES));
    assert_eq!(pipe.sender.report().cuts, 0, "no quench raises a rate");
    pipe.sender.take(pipe.now, &quench(MEGABYTES / 10.0));
    assert_eq!(pipe.sender.report().cuts, 1);
    let (from, count) = (pipe.now, pipe.forward.len());
    pipe.until(|pipe| pipe.now >= ms(400.0));
    let after = sent(&pipe.forward[count..], TrumpKind::Data);
    // Ten milliseconds apart, until the first of them is acknowledged.
    let raised = after[0].0 + dumbbell_core::Duration::from_millis(50);
    assert!(after[0].0.since(from).as_nanos() > 8_000_000, "at once");
    for pair in after.windows(2).take_while(|pair| pair[1].0 < raised) {
        assert_eq!(pair[1].0.since(pair[0].0).as_nanos(), 10_000_000);
        assert_eq!((pair[1].1.rate, pair[1].1.bottleneck), (MEGABYTES / 10.0, 9));
    }
    let fast = after.iter().filter(|(at, _)| *at >= raised).count();
    assert!(fast > 100, "then the routers' rate again: {fast}");
}

#[test]
fn answers_that_make_no_sense_are_ignored() {
    let mut pipe = pipe("{}", None, |_, _, _| Fate::Pass);
    pipe.until(|pipe| pipe.now >= ms(200.0));
    let ack = TrumpHeader { kind: TrumpKind::Ack, mark: 1, return_rate: 1.0, ..TrumpHeader::default() };
    for header in [
        TrumpHeader { number: u32::MAX, mark: u64::MAX, ..ack },
        TrumpHeader { number: 999, mark: 2, ..ack },
        TrumpHeader { transmission: 999, ..ack },
        TrumpHeader { mark: 0, ..ack },
        TrumpHeader { kind: TrumpKind::Data, ..ack },
        TrumpHeader { kind: TrumpKind::Other, ..ack },
    ] {
        let before = (pipe.sender.ignored(), pipe.sender.wake_at());
        pipe.sender.take(pipe.now, &header);
        assert_eq!((pipe.sender.ignored(), pipe.sender.wake_at()), (before.0 + 1, before.1), "{header:?}");
    }
}

proptest! {
    /// Whatever is lost or late, everything arrives, in packets of the size agreed.
    #[test]
    fn messages_arrive_whole(
        packets in 1..120_u64,
        odd in 1..FULL,
        selacksize in 1..=16_u32,
        reordering in prop::sample::select(vec![0_u32, 3]),
        fates in prop::collection::vec(0..20_u8, lengths(1..300)),
    ) {
        let size = (packets - 1) * FULL + odd;
        let params = format!(r#"{{"selacksize": {selacksize}, "reordering": {reordering}}}"#);
        let ((sender, got, ignored), bytes) = kept(|| {
            let mut pipe = pipe(&params, Some(size), move |way, _, n| {
                match fates.get(2 * n + usize::from(way == Way::Reverse)) {
                    Some(0) => Fate::Drop,
                    Some(1) => Fate::Delay(dumbbell_core::Duration::from_micros(3500)),
                    Some(2) => Fate::Twice,
                    _ => Fate::Pass,
                }
            });
            pipe.finish();
            let ignored = pipe.sender.ignored() + pipe.receiver.ignored();
            (pipe.sender, pipe.receiver.is_closed().then(|| pipe.receiver.report()), ignored)
        });
        prop_assert_eq!(got.map(|got| got.delivered), Some(size), "the receiver is closed and has all");
        prop_assert!(sender.is_closed() && sender.report().finished.is_some());
        // Its share of the parameters, and their two counts of owners.
        prop_assert!(bytes as usize <= size_of::<Params>() + 16, "{} bytes", bytes);
        prop_assert_eq!(ignored, 0);
    }

    /// Headers that anybody could send make neither end panic or grow without bound.
    #[test]
    fn hostile_headers_are_harmless(
        headers in prop::collection::vec((0..8_u8, any::<(u32, u32, u32, u64)>(), any::<(u32, u32)>()), lengths(1..200)),
        small in any::<bool>(),
    ) {
        let (_ends, bytes) = kept(|| {
            let mut pipe = pipe("{}", None, |_, _, _| Fate::Pass);
            pipe.until(|pipe| pipe.now >= ms(150.0));
            for (kind, (number, transmission, total, mark), (rate, bottleneck)) in headers {
                let fit = |n: u32| if small { n % 200 } else { n };
                let rate = f32::from_bits(rate);
                let header = TrumpHeader {
                    kind: TrumpKind::of(kind), desired: rate, rate, bottleneck, return_rate: rate,
                    return_bottleneck: bottleneck, number: fit(number), transmission: fit(transmission), total, mark,
                };
                pipe.sender.take(pipe.now, &header);
                pipe.receiver.take(pipe.now, &header, 1460);
                if !pipe.step() {
                    break;
                }
            }
            (pipe.sender, pipe.receiver)
        });
        prop_assert!(bytes < 1 << 20, "{} bytes", bytes);
    }
}

#[test]
fn no_more_is_sent_than_the_destination_takes_in() {
    // At a terabit a second, the highest rate that a header may tell, and without an answer.
    let params: Arc<Params> = Arc::new(read("{}"));
    let (mut sender, _) = params.open(opening(None));
    sender.wake(Time::ZERO);
    while sender.pull(Time::ZERO).is_some() {}
    let answer =
        TrumpHeader { kind: TrumpKind::SetupAck, return_rate: f32::INFINITY, ..TrumpHeader::default() };
    sender.push(Time::ZERO, &Packet::of(answer, 7, 40, dumbbell_core::Ecn::NotEct));
    let (mut highest, mut sent) = (0, 0);
    while sent < crate::numbered::REACH + 1000 && sender.wake_at() < ms(1000.0) {
        let now = sender.wake_at();
        sender.wake(now);
        while let Some(packet) = sender.pull(now) {
            highest = highest.max(header_of(&packet).number);
            sent += 1;
        }
    }
    assert_eq!(highest, crate::numbered::REACH - 1);
}
