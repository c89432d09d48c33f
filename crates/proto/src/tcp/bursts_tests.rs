//! Segments that leave together, and pacing.

use dumbbell_core::{BitRate, Duration, Packet, Time, Way};
use dumbbell_header::TcpHeader;

use super::tests::{MSS, params, pass};
use super::{Receiver, Sender};
use crate::testing::{Fate, Pipe, ms, opening};
use crate::transport::{SendEnd, Transport};

fn bare(more: &str, segments: u64) -> (Sender, Receiver) {
    let text = format!(
        r#"{{"profile": "rfc", "handshake": false, "fin": false, "loss_detection": "rack", "controller": "newreno", {more}}}"#
    );
    params(&text).open(opening(Some(segments * MSS)))
}

/// When segments left after `from`, and how many at a time.
fn bursts(pipe: &Pipe<Sender, Receiver>, from: Time) -> Vec<(Time, usize)> {
    let mut found: Vec<(Time, usize)> = Vec::new();
    for (at, _) in pipe.forward.iter().filter(|(at, _)| *at >= from) {
        match found.last_mut().filter(|(last, _)| last == at) {
            Some((_, count)) => *count += 1,
            None => found.push((*at, 1)),
        }
    }
    found
}

/// The bursts between 2 s and 3 s of a window of `window` segments on a path of 48 ms.
fn steady(more: &str, rate: u64, window: u32) -> Vec<(Time, usize)> {
    let more = format!(r#"{more} "ack_every": 1, "max_window": {window}, "initial_window": 10"#);
    let mut pipe = Pipe::new(bare(&more, 1 << 20), pass)
        .shaped(Some(BitRate::from_bps(rate)), Duration::from_millis(48));
    pipe.until(|p| p.now > ms(3_000.0));
    bursts(&pipe, ms(2_000.0))
}

#[test]
fn segments_wait_for_a_burst_of_a_millisecond_of_the_rate() {
    // 500 segments of 1460 bytes in 60 ms, one acknowledgement in 0.12 ms. 1.2 windows in a round trip are 14.6 MB/s; of that
    // 1/1024 holds 9 segments.
    let alone = steady("", 100_000_000, 500);
    assert!(alone.iter().all(|(_, count)| *count == 1), "without, each acknowledgement lets one segment out");
    let together = steady(r#""segmentation_offload": "linux","#, 100_000_000, 500);
    // What is written waits in pieces of 64 kB, 44 segments, and the last part of a piece leaves as soon as it may.
    let counts: Vec<usize> = together.iter().map(|(_, count)| *count).collect();
    let first = counts.iter().position(|count| *count == 8).expect("the last part of a piece") + 1;
    assert!(counts[first..].chunks_exact(5).all(|piece| piece == [9, 9, 9, 9, 8]), "{:?}", &counts[..30]);
    let sent = |bursts: &[(Time, usize)]| bursts.iter().map(|(_, count)| count).sum::<usize>();
    assert!(sent(&alone).abs_diff(sent(&together)) <= 18, "the rate is the same");
}

#[test]
fn the_last_segment_of_a_burst_pushes() {
    // Bursts of nine segments and of eight, as above; without offload single segments, of which none pushes.
    let pushes = |more: &str| {
        let more = format!(r#"{more} "ack_every": 1, "max_window": 500, "initial_window": 10"#);
        let mut pipe = Pipe::new(bare(&more, 1 << 20), pass)
            .shaped(Some(BitRate::from_bps(100_000_000)), Duration::from_millis(48));
        pipe.until(|p| p.now > ms(2_100.0));
        let late = pipe.forward.iter().filter(|(at, _)| *at >= ms(2_000.0));
        late.map(|(at, packet)| (*at, packet.flags & TcpHeader::PSH != 0)).collect::<Vec<_>>()
    };
    let together = pushes(r#""segmentation_offload": "linux","#);
    for pair in together.windows(2) {
        assert_eq!(pair[0].1, pair[0].0 != pair[1].0, "{pair:?}");
    }
    assert!(pushes("").iter().all(|(_, push)| !push));
}

/// What is written waits in pieces of 44 segments. Behind a window of 31 packets hold two: since Linux 6.10 also two of two pieces, before
/// it the last of a piece leaves alone, and does not push.
#[test]
fn packets_of_linux_6_1_hold_no_more_than_a_piece() {
    let pushes = |offload: &str| {
        let more = format!(r#""segmentation_offload": "{offload}", "ack_every": 31, "initial_window": 31"#);
        let mut pipe = Pipe::new(bare(&more, 200), pass);
        pipe.until(|p| p.now > ms(90.0));
        let pushes = pipe.forward.iter().filter(|(_, packet)| packet.flags & TcpHeader::PSH != 0);
        pushes.map(|(_, packet)| packet.body[0] / MSS + 1).collect::<Vec<_>>()
    };
    assert_eq!(pushes("linux")[2..10], [33, 35, 37, 39, 41, 43, 45, 47]);
    assert_eq!(pushes("pieces")[2..10], [33, 35, 37, 39, 41, 43, 46, 48]);
}

/// Of eleven segments the last goes with the FIN, though the window holds ten. It stands alone in its packet: of twelve, two would go.
#[test]
fn the_last_segment_of_linux_6_1_does_not_ask_for_the_window() {
    let first_flight = |offload: &str, segments: u64| {
        let text = format!(
            r#"{{"profile": "rfc", "handshake": false, "loss_detection": "rack", "controller": "newreno", "initial_window": 10,
            "segmentation_offload": "{offload}"}}"#
        );
        let mut pipe = Pipe::new(params(&text).open(opening(Some(segments * MSS))), pass);
        pipe.until(|p| p.now > ms(1.0));
        pipe.forward.len()
    };
    assert_eq!(["linux", "pieces"].map(|offload| first_flight(offload, 11)), [10, 11]);
    assert_eq!(["linux", "pieces"].map(|offload| first_flight(offload, 12)), [10, 10]);
}

/// Of a window of 40 segments some are lost. Those of one packet for which the window has room leave as one again, and the last pushes. What leaves alone pushes only if the application pushed it.
#[test]
fn what_is_sent_again_together_pushes() {
    let resent = |lost: std::ops::Range<u64>| {
        let mut dropped = std::collections::BTreeSet::new();
        let script = move |way, packet: &Packet, _: usize| {
            let number = packet.body[0];
            let drops = way == Way::Forward && lost.contains(&(number / MSS)) && dropped.insert(number);
            if drops { Fate::Drop } else { Fate::Pass }
        };
        let more = r#""segmentation_offload": "linux", "ack_every": 1, "initial_window": 40, "initial_threshold": 40"#;
        let mut pipe = Pipe::new(bare(more, 200), script)
            .shaped(Some(BitRate::from_bps(20_000_000)), Duration::from_millis(48));
        pipe.until(|p| p.now > ms(1_000.0));
        let mut seen = std::collections::BTreeSet::new();
        let again = pipe.forward.iter().filter(|(_, packet)| !seen.insert(packet.body[0]));
        again
            .map(|(_, packet)| (packet.body[0] / MSS, packet.flags & TcpHeader::PSH != 0))
            .collect::<Vec<_>>()
    };
    // One packet of 40 segments. Of the acknowledgements that follow the repair of the first, one lets two out.
    let again = resent(2..40);
    assert_eq!(again[..3], [(2, false), (3, false), (4, true)]);
    assert!(again[3..].iter().all(|(_, pushes)| !pushes), "{again:?}");
    assert_eq!(resent(39..40), [(39, false)]);
}

#[test]
fn nothing_waits_where_the_next_ack_is_far_away() {
    // One packet takes 1.2 ms.
    let [with, without] =
        [r#""segmentation_offload": "linux","#, ""].map(|more| steady(more, 10_000_000, 40));
    assert_eq!(with, without);
}

#[test]
fn the_last_segments_of_a_stream_do_not_wait() {
    for segments in 1..40 {
        let ends = bare(r#""segmentation_offload": "linux""#, segments);
        let mut pipe =
            Pipe::new(ends, pass).shaped(Some(BitRate::from_bps(100_000_000)), Duration::from_millis(10));
        pipe.finish();
        let report = pipe.sender.report();
        assert_eq!((report.retransmissions, report.timeouts), (0, 0), "{segments} segments");
        assert!(
            report.finished.is_some_and(|at| at < ms(80.0)),
            "{segments} segments: {:?}",
            report.finished
        );
    }
}

#[test]
fn ten_segments_leave_at_once_and_the_rest_at_the_rate() {
    // 1 Mbit/s: 1460 bytes in 11.68 ms. The tenth begins a pause that is over long before the first acknowledgement at 50 ms; that
    // halves the next one.
    let more = r#""pacing": "linux", "max_pacing_rate": "1Mbit/s", "ack_every": 1"#;
    let mut pipe = Pipe::new(bare(more, 100), pass);
    pipe.until(|p| p.now > ms(120.0));
    let times: Vec<f64> = bursts(&pipe, Time::ZERO).iter().map(|(at, _)| at.as_secs_f64() * 1e3).collect();
    let counts: Vec<usize> = bursts(&pipe, Time::ZERO).iter().map(|(_, count)| *count).collect();
    assert_eq!(counts[..6], [10, 1, 1, 1, 1, 1]);
    let expected = [0.0, 50.0, 55.84, 67.52, 79.2, 90.88];
    assert!(times.iter().zip(expected).all(|(at, expected)| (at - expected).abs() < 0.001), "{times:?}");
}

#[test]
fn a_window_is_spread_over_five_sixths_of_a_round_trip() {
    // 20 segments in 40 ms at 1.2 times that: 1.667 ms each; as one packet of two segments 3.333 ms.
    for (offload, count, gap) in [("off", 1, 40.0 / 24.0), ("linux", 2, 40.0 / 12.0)] {
        let more = format!(
            r#""pacing": "linux", "segmentation_offload": "{offload}", "max_window": 20, "initial_threshold": 20,
            "ack_every": {count}"#
        );
        let mut pipe = Pipe::new(bare(&more, 10_000), pass).shaped(None, Duration::from_millis(40));
        pipe.until(|p| p.now > ms(2_000.0));
        let bursts = bursts(&pipe, ms(1_000.0));
        let spaced = bursts.windows(2).filter(|pair| {
            let pause = pair[1].0.since(pair[0].0).as_secs_f64() * 1e3;
            (pause - gap).abs() < 0.01 && pair[1].1 == count
        });
        let spaced = spaced.count();
        assert!(spaced * 10 >= bursts.len() * 7, "{offload}: {spaced} of {}", bursts.len());
    }
}

/// Linux net/ipv4/tcp_output.c: tcp_update_skb_after_send paces from the tenth segment on; tcp_bbr.c: bbr_min_tso_segs is 2 from
/// 1.2 Mbit/s on.
#[test]
fn bbr_sends_ten_segments_at_once_and_then_pairs() {
    for (rate, count) in [(12_000_000, 2), (1_000_000, 1)] {
        let ends = params(r#"{"profile": "linux", "controller": "bbr"}"#).open(opening(None));
        let mut pipe = Pipe::new(ends, pass).shaped(Some(BitRate::from_bps(rate)), Duration::from_millis(40));
        pipe.until(|p| p.now > ms(6_000.0));
        pipe.forward.retain(|(_, packet)| packet.size > 100);
        assert_eq!(bursts(&pipe, Time::ZERO)[0].1, 10, "{rate}");
        let later = bursts(&pipe, ms(3_000.0));
        let equal = later.iter().filter(|(_, found)| *found == count).count();
        assert!(equal * 100 >= later.len() * 95, "{rate}: {equal} of {}", later.len());
        // A pair takes the time of two segments at 0.99 of the rate.
        let gap = later.windows(2).map(|pair| pair[1].0.since(pair[0].0)).min();
        let segments = count as f64 * 1500.0 * 8.0 / rate as f64;
        assert!(gap.is_some_and(|gap| gap.as_secs_f64() > 0.75 * segments), "{rate}: {gap:?}");
    }
}

#[test]
fn what_is_lost_is_paced_too() {
    let more = r#""pacing": "linux", "max_pacing_rate": "10Mbit/s", "initial_window": 40"#;
    let mut pipe = Pipe::new(bare(more, 60), super::tests::lose(&[12, 13, 14, 15]));
    pipe.finish();
    let again: Vec<Time> = (12..16)
        .map(|n| pipe.forward.iter().filter(|(_, p)| p.body[0] == n * MSS).nth(1).expect("sent twice").0)
        .collect();
    let gaps: Vec<f64> = again.windows(2).map(|pair| pair[1].since(pair[0]).as_secs_f64() * 1e3).collect();
    assert!(gaps.iter().all(|gap| *gap > 0.58), "half of 1.168 ms at least: {gaps:?}");
    assert_eq!(pipe.sender.report().timeouts, 0);
}

#[test]
fn a_largest_rate_without_pacing_is_refused() {
    for (text, told) in [
        (r#"{"max_pacing_rate": "1Mbit/s"}"#, "nothing is paced"),
        (r#"{"pacing": "linux", "max_pacing_rate": "0bit/s"}"#, "sends nothing"),
    ] {
        let value = dumbbell_core::json::from_str(text).unwrap();
        let at = dumbbell_core::config::At::root("test");
        let error = <super::Params as dumbbell_core::Config>::from_value(&value, &at).unwrap_err();
        assert!(error.to_string().contains(told), "{error}");
    }
}

/// Linux net/ipv4/tcp_output.c: tcp_tso_should_defer asks how long ago the next packet might have left (tcp_wstamp_ns), not when the
/// last one did. Segments are acknowledged each 0.4 ms, and a packet has room for four: it
/// takes more than a millisecond until there is room for it, and at the rate of pacing less.
#[test]
fn paced_packets_wait_for_a_millisecond_after_their_turn() {
    let more = r#""segmentation_offload": "linux", "pacing": "linux", "ack_every": 1, "max_window": 60"#;
    let mut pipe = Pipe::new(bare(more, 1 << 20), pass)
        .shaped(Some(BitRate::from_bps(30_000_000)), Duration::from_millis(20));
    pipe.until(|p| p.now > ms(3_000.0));
    // After 1.2 ms three segments would leave.
    assert!(bursts(&pipe, ms(2_000.0)).iter().all(|(_, count)| *count == 4));
}

/// Linux net/ipv4/tcp_output.c: tcp_update_skb_after_send divides whole numbers. 1460 bytes at 3 MB/s take 486,666.67 ns.
#[test]
fn a_pause_is_whole_nanoseconds_rounded_down() {
    let more = r#""pacing": "linux", "max_pacing_rate": "24Mbit/s", "initial_window": 40"#;
    let mut pipe = Pipe::new(bare(more, 40), pass).shaped(None, Duration::from_millis(40));
    pipe.until(|p| p.now > ms(30.0));
    let bursts = bursts(&pipe, Time::ZERO);
    let gaps: Vec<u64> = bursts.windows(2).map(|pair| pair[1].0.since(pair[0].0).as_nanos()).collect();
    assert_eq!(gaps, [486_666; 30]);
}
