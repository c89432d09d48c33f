//! Conformance of the two ends together, over a pipe with scripted losses and marks.

use std::sync::Arc;

use dumbbell_core::config::At;
use dumbbell_core::testing::lengths;
use dumbbell_core::{BitRate, Config, Duration, Ecn, Header, Packet, Stage, Time, Value, Way};
use dumbbell_header::TcpHeader;
use proptest::prelude::*;
use rand::RngExt;

use super::{Params, Receiver, Sender};
use crate::testing::{Fate, Pipe, ms, opening, stream};
use crate::transport::{Failure, ReceiveEnd, SendEnd, Transport};

pub(super) const MSS: u64 = 1460;

/// Parameters under the profile `rfc`, whose rules most of these tests follow, unless the text names another one.
pub(super) fn params(text: &str) -> Arc<Params> {
    let mut value: Value = dumbbell_core::json::from_str(text).unwrap();
    if value.get("profile").is_none() {
        value.insert("profile", "rfc".into());
    }
    Arc::new(Params::from_value(&value, &At::root("test")).unwrap_or_else(|e| panic!("{e}")))
}

/// A connection without handshake and FIN, with every acknowledgement sent at once, and `more` parameters.
fn bare(more: &str, segments: u64) -> (Sender, Receiver) {
    let text = format!(r#"{{"handshake": false, "fin": false, "ack_every": 1, {more}}}"#);
    params(&text).open(opening(Some(segments * MSS)))
}

/// Loses the first transmission of each of these segments, counted from 0.
pub(super) fn lose(segments: &'static [u64]) -> impl FnMut(Way, &Packet, usize) -> Fate {
    let mut left = segments.to_vec();
    move |way, packet, _| {
        let segment = packet.body[0] / MSS;
        match left.iter().position(|s| *s == segment) {
            Some(i) if way == Way::Forward && packet.size > 40 => {
                left.remove(i);
                Fate::Drop
            }
            _ => Fate::Pass,
        }
    }
}

pub(super) fn pass(_: Way, _: &Packet, _: usize) -> Fate {
    Fate::Pass
}

/// One line per packet: time, direction, flags, number, payload or blocks.
fn trace<S: Stage, R: Stage>(pipe: &Pipe<S, R>, header: u16) -> String {
    let mut lines: Vec<(Time, String)> = Vec::new();
    for (arrow, log) in [("->", &pipe.forward), ("<-", &pipe.reverse)] {
        for (at, packet) in log {
            let h = TcpHeader::unpack(&packet.words());
            let flags: String = [('S', TcpHeader::SYN), ('F', TcpHeader::FIN), ('.', TcpHeader::ACK)]
                .iter()
                .filter(|(_, bit)| h.has(*bit))
                .map(|(name, _)| *name)
                .collect();
            let blocks: String = h
                .sack
                .iter()
                .filter(|b| b.end != 0)
                .map(|b| format!(" {}-{}", h.number + u64::from(b.start), h.number + u64::from(b.end)))
                .collect();
            let payload = if arrow == "->" { packet.size.saturating_sub(header) } else { 0 };
            let ms = at.as_nanos() as f64 / 1e6;
            lines.push((*at, format!("{ms} {arrow} {flags} {} {payload}{blocks}\n", h.number)));
        }
    }
    lines.sort_by_key(|l| l.0);
    lines.into_iter().map(|l| l.1).collect()
}

#[test]
fn a_whole_connection_with_one_loss_packet_by_packet() {
    let ends = params(r#"{"initial_window": 4, "ack_every": 1}"#).open(opening(Some(5 * MSS + 100)));
    let mut pipe = Pipe::new(ends, lose(&[1]));
    pipe.finish();
    assert_eq!(
        trace(&pipe, 40),
        "0 -> S 0 0\n\
         25 <- S. 0 0\n\
         50 -> . 0 0\n\
         50 -> . 0 1460\n\
         50 -> . 1460 1460\n\
         50 -> . 2920 1460\n\
         50 -> . 4380 1460\n\
         75 <- . 1460 0\n\
         75 <- . 1460 0 2920-4380\n\
         75 <- . 1460 0 2920-5840\n\
         100 -> . 5840 1460\n\
         100 -> F. 7300 100\n\
         125 <- . 1460 0 2920-7300\n\
         125 <- . 1460 0 2920-7401\n\
         150 -> . 1460 1460\n\
         175 <- F. 7401 0\n\
         200 -> . 7401 0\n"
    );
    assert_eq!(pipe.receiver.report().finished, Some(ms(175.0)));
    assert_eq!(pipe.sender.report().finished, Some(ms(200.0)));
    assert!(pipe.sender.is_closed() && pipe.receiver.is_closed());
    assert_eq!(pipe.sender.report().retransmissions, 1);
    assert_eq!(pipe.sender.report().timeouts, 0);
}

#[test]
fn slow_start_takes_the_time_computed_by_hand() {
    // 10 Mbit/s: 1.2 ms per segment. One RTT of handshake, with 0.032 ms for each 40-byte packet; 10 segments; the
    // first acknowledgement lets 20 more go, back to back, so that the link never rests again.
    let ends = params(r#"{"ack_every": 1}"#).open(opening(Some(30 * MSS)));
    let rate = BitRate::from_bps(10_000_000);
    let mut pipe = Pipe::new(ends, pass).shaped(Some(rate), Duration::from_millis(50));
    pipe.finish();
    // SYN 0.032 ms on the link, ACK 0.032 ms before the data, first data at the receiver 76.264 ms, its
    // acknowledgement at 101.264 ms; each acknowledgement sends two segments while one leaves, so 20 go without rest.
    let expected = ms(101.264 + 20.0 * 1.2 + 25.0);
    assert_eq!(pipe.receiver.report().finished, Some(expected));
}

#[test]
fn the_first_data_leaves_when_the_application_writes() {
    let text = r#"{"initial_window": 2, "first_write": "80us"}"#;
    let mut pipe = Pipe::new(params(text).open(opening(Some(3 * MSS))), pass);
    pipe.finish();
    assert_eq!(
        trace(&pipe, 40).lines().skip(2).take(4).collect::<Vec<_>>(),
        ["50 -> . 0 0", "50.08 -> . 0 1460", "50.08 -> . 1460 1460", "75.08 <- . 2920 0"]
    );
    assert!(pipe.sender.is_closed() && pipe.receiver.is_closed());
}

#[test]
fn a_syn_is_as_long_as_its_options_and_brings_no_data() {
    for (more, syn, answer) in [
        (r#""profile": "linux", "syn_options": true"#, 60, 60),
        (r#""profile": "linux""#, 40, 52),
        (r#""syn_options": true"#, 52, 52),
        (r#""syn_options": true, "sack": false"#, 48, 48),
    ] {
        // The first is lost, and the answer to the second: the third one meets an end that is open.
        let mut lost = 2;
        let mut pipe =
            Pipe::new(params(&format!("{{{more}}}")).open(opening(Some(5_000))), move |way, packet, _| {
                let hit =
                    packet.flags & TcpHeader::SYN != 0 && lost == if way == Way::Forward { 2 } else { 1 };
                lost -= i32::from(hit);
                if hit { Fate::Drop } else { Fate::Pass }
            });
        pipe.finish();
        let sizes = |packets: &[(Time, Packet)]| -> Vec<u16> {
            packets.iter().filter(|(_, p)| p.flags & TcpHeader::SYN != 0).map(|(_, p)| p.size).collect()
        };
        assert_eq!((sizes(&pipe.forward), sizes(&pipe.reverse)), (vec![syn; 3], vec![answer; 2]), "{more}");
        assert_eq!(pipe.receiver.report().delivered, 5_000, "{more}");
    }
}

#[test]
fn the_initial_window_is_what_the_first_round_sends() {
    for window in [1, 3, 10] {
        let mut pipe = Pipe::new(bare(&format!(r#""initial_window": {window}"#), 50), pass);
        pipe.until(|p| p.now > Time::ZERO);
        assert_eq!(pipe.forward.iter().filter(|f| f.0 == Time::ZERO).count(), window);
    }
}

#[test]
fn limited_transmit_saves_a_small_window_from_the_timeout() {
    for (sack, limited, timeouts) in [(false, true, 0), (true, true, 0), (false, false, 1)] {
        let text = format!(
            r#""controller": "newreno", "initial_window": 3, "initial_threshold": 3, "sack": {sack},
               "limited_transmit": {limited}"#
        );
        let mut pipe = Pipe::new(bare(&text, 20), lose(&[0]));
        pipe.finish();
        assert_eq!(pipe.sender.report().timeouts, timeouts, "sack {sack}, limited transmit {limited}");
        assert_eq!(pipe.receiver.report().delivered, 20 * MSS);
    }
}

#[test]
fn the_last_of_eleven_acknowledgements_waits_for_the_timer() {
    let text = r#"{"handshake": false, "fin": false, "initial_window": 11}"#;
    let mut pipe = Pipe::new(params(text).open(opening(Some(11 * MSS))), pass);
    pipe.finish();
    let times: Vec<f64> = pipe.reverse.iter().map(|(at, _)| at.as_secs_f64() * 1e3).collect();
    assert_eq!(times, [25.0, 25.0, 25.0, 25.0, 25.0, 65.0]);
    assert_eq!(pipe.receiver.report().finished, Some(ms(25.0)));
}

#[test]
fn segments_around_a_gap_are_acknowledged_at_once() {
    let text = r#"{"handshake": false, "fin": false, "initial_window": 4}"#;
    let mut pipe = Pipe::new(params(text).open(opening(Some(4 * MSS))), |way, packet, _| {
        let second = way == Way::Forward && packet.body[0] == MSS;
        if second { Fate::Delay(Duration::from_millis(1)) } else { Fate::Pass }
    });
    pipe.finish();
    let acks: Vec<(f64, u64)> =
        pipe.reverse.iter().map(|(at, p)| (at.as_secs_f64() * 1e3, p.body[0] / MSS)).collect();
    // Segment 0 waits for company until segment 2 comes too early.
    assert_eq!(acks, [(25.0, 1), (25.0, 1), (26.0, 4)]);
}

#[test]
fn a_stretch_acknowledgement_adds_two_segments_in_slow_start() {
    for (counting, grown) in [(1, 9), (2, 10), (8, 16)] {
        let text = format!(
            r#"{{"handshake": false, "fin": false, "initial_window": 8, "ack_every": 8,
                 "byte_counting": {counting}}}"#
        );
        let mut pipe = Pipe::new(params(&text).open(opening(Some(100 * MSS))), pass);
        pipe.until(|p| p.sender.una() > 0);
        assert_eq!(pipe.sender.una(), 8 * MSS);
        assert_eq!(pipe.sender.control().window, grown * MSS);
    }
}

#[test]
fn a_segment_with_an_old_timestamp_is_dropped_and_acknowledged() {
    let (_, mut receiver) =
        params(r#"{"handshake": false, "timestamps": true, "ack_every": 1}"#).open(opening(Some(100 * 1448)));
    let segment = |number: u64, timestamp: u64| {
        Packet::of(
            TcpHeader { flags: TcpHeader::ACK, number, timestamp, ..TcpHeader::default() },
            7,
            1500,
            Ecn::NotEct,
        )
    };
    receiver.push(ms(1.0), &segment(0, 500));
    assert_eq!(receiver.pull(ms(1.0)).map(|p| (p.body[0], p.body[1])), Some((1448, 500)));
    receiver.push(ms(2.0), &segment(1448, 499));
    assert_eq!(receiver.pull(ms(2.0)).map(|p| (p.body[0], p.body[1])), Some((1448, 500)));
    assert_eq!(receiver.report().delivered, 1448);
    receiver.push(ms(3.0), &segment(1448, 501));
    assert_eq!(receiver.report().delivered, 2 * 1448);
}

#[test]
fn timestamps_measure_with_every_acknowledgement() {
    // The first segment arrives at the second attempt: its acknowledgement measures nothing without timestamps.
    for (timestamps, rtt) in [(true, 50.0), (false, 0.0)] {
        let text = format!(r#""timestamps": {timestamps}, "initial_window": 1"#);
        let mut pipe = Pipe::new(bare(&text, 1), |_, _, i| if i == 0 { Fate::Drop } else { Fate::Pass });
        pipe.until(|p| p.sender.report().finished.is_some());
        assert_eq!(Time::ZERO + pipe.sender.report().smoothed_rtt, ms(rtt));
    }
}

#[test]
fn the_timer_backs_off_until_a_segment_sent_once_is_measured() {
    let mut pipe = Pipe::new(bare(r#""initial_window": 1"#, 3), |way, _, i| {
        if way == Way::Forward && i < 4 { Fate::Drop } else { Fate::Pass }
    });
    pipe.finish();
    let sent: Vec<f64> = pipe.forward.iter().map(|(at, _)| at.as_secs_f64()).collect();
    assert_eq!(sent[..5], [0.0, 1.0, 3.0, 7.0, 15.0]);
    assert_eq!(pipe.sender.report().timeouts, 4);
    assert_eq!(pipe.sender.rtt().timeout(), Duration::from_millis(200));
}

#[test]
fn a_lost_syn_is_sent_again_and_data_starts_slowly() {
    let mut pipe = Pipe::new(params("{}").open(opening(Some(20 * MSS))), |way, _, i| {
        if way == Way::Forward && i < 2 { Fate::Drop } else { Fate::Pass }
    });
    pipe.until(|p| p.forward.iter().any(|(_, packet)| packet.size > 40));
    let sent: Vec<(f64, u16)> = pipe.forward.iter().map(|(at, p)| (at.as_secs_f64(), p.size)).collect();
    assert_eq!(sent, [(0.0, 40), (1.0, 40), (3.0, 40), (3.05, 40), (3.05, 1500)]);
    assert_eq!(pipe.sender.rtt().timeout(), Duration::from_secs(3));
    pipe.finish();
    assert!(pipe.sender.is_closed() && pipe.receiver.is_closed());
}

#[test]
fn linux_forgives_one_lost_syn_and_measures_by_timestamps() {
    for (lost, syns, window) in [(1, vec![0.0, 1_000.0], 2), (2, vec![0.0, 1_000.0, 2_000.0], 1)] {
        let text = r#"{"profile": "linux", "initial_window": 2, "rto_floor": "timeout"}"#;
        let mut left = lost;
        let fate = move |way, packet: &Packet, _| {
            let lost = way == Way::Forward && packet.flags & TcpHeader::SYN != 0 && left > 0;
            left -= u32::from(lost);
            if lost { Fate::Drop } else { Fate::Pass }
        };
        let mut pipe = Pipe::new(params(text).open(opening(Some(2 * 1448))), fate);
        pipe.finish();
        let of_syns = pipe.forward.iter().filter(|(_, p)| p.flags & TcpHeader::SYN != 0);
        assert_eq!(
            of_syns.map(|(at, _)| *at).collect::<Vec<_>>(),
            syns.iter().map(|at| ms(*at)).collect::<Vec<_>>()
        );
        let opened = ms(syns.last().copied().unwrap_or(0.0) + 50.0);
        let first = pipe.forward.iter().filter(|(at, p)| *at == opened && p.size > 52);
        assert_eq!(first.count(), window, "{lost}");
        assert_eq!(pipe.sender.info().min_rtt, Duration::from_millis(50));
        assert_eq!(pipe.sender.report().timeouts, lost);
    }
}

#[test]
fn the_fifth_timeout_of_a_syn_of_linux_is_the_first_to_double() {
    let timeouts = |profile: &str| {
        let mut sender = params(&format!(r#"{{"profile": "{profile}"}}"#)).open(opening(None)).0;
        sender.wake(ms(0.0));
        [(); 8].map(|()| {
            let at = sender.wake_at();
            sender.wake(at);
            at.as_secs_f64()
        })
    };
    assert_eq!(timeouts("linux"), [1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 11.0, 19.0]);
    assert_eq!(timeouts("linux-6.1")[..6], [1.0, 3.0, 7.0, 15.0, 31.0, 63.0]);
}

#[test]
fn a_connection_without_answer_ends_with_a_reason() {
    let unanswered = |text: &str, script: fn(Way, &Packet, usize) -> Fate| {
        let mut pipe = Pipe::new(params(text).open(opening(Some(20 * MSS))), script);
        pipe.finish();
        assert!(pipe.sender.is_closed() && pipe.receiver.is_closed());
        (pipe.sender.report().failure, pipe.sender.report().timeouts)
    };
    assert_eq!(unanswered(r#"{"retries": 3}"#, |_, _, _| Fate::Drop), (Some(Failure::Unanswered), 4));
    let data_lost = |_, packet: &Packet, _| if packet.size > 100 { Fate::Drop } else { Fate::Pass };
    assert_eq!(unanswered(r#"{"retries": 3}"#, data_lost), (Some(Failure::TimedOut), 4));
    assert_eq!(unanswered(r#"{"retries": 3}"#, pass), (None, 0));
}

#[test]
fn a_lost_last_acknowledgement_is_repaired_by_the_fin() {
    // The sender's last packet is lost twice; the receiver sends its FIN again until it is acknowledged.
    let mut lost = 0;
    let mut pipe = Pipe::new(params("{}").open(opening(Some(MSS))), move |way, packet, i| {
        let last = way == Way::Forward && packet.size == 40 && i > 2;
        lost += u32::from(last);
        if last && lost <= 2 { Fate::Drop } else { Fate::Pass }
    });
    pipe.until(|p| p.receiver.report().finished.is_some());
    assert!(!pipe.receiver.is_closed());
    pipe.finish();
    assert!(pipe.sender.is_closed() && pipe.receiver.is_closed());
    let fins = pipe.reverse.iter().filter(|(_, p)| p.flags & TcpHeader::FIN != 0).count();
    assert_eq!(fins, 3);
}

#[test]
fn a_receiver_that_was_told_no_size_knows_it_by_the_fin() {
    // The FIN arrives in order; then above a hole, and what fills the hole ends the object.
    for lost in [None, Some(3)] {
        let (sender, _) = params("{}").open(opening(Some(5 * MSS + 7)));
        let (_, receiver) = params("{}").open(opening(None));
        let mut pipe = Pipe::new((sender, receiver), move |way, _, i| {
            if way == Way::Forward && Some(i) == lost { Fate::Drop } else { Fate::Pass }
        });
        pipe.until(|p| p.receiver.report().finished.is_some());
        assert_eq!(pipe.receiver.report().delivered, 5 * MSS + 7);
        pipe.finish();
        assert!(pipe.sender.is_closed() && pipe.receiver.is_closed());
        assert_eq!(pipe.receiver.report().delivered, 5 * MSS + 7, "the FIN is no byte");
    }
}

#[test]
fn an_empty_object_is_opened_and_closed() {
    let mut pipe = Pipe::new(params("{}").open(opening(Some(0))), pass);
    pipe.finish();
    assert!(pipe.sender.is_closed() && pipe.receiver.is_closed());
    assert_eq!(pipe.sender.report().finished, Some(ms(100.0)));
    assert_eq!(pipe.sender.report().packets_sent, 4, "SYN, ACK, FIN, ACK");
}

#[test]
fn as_many_duplicates_as_the_threshold_show_a_loss() {
    for (sack, threshold) in [false, true].into_iter().flat_map(|sack| [1, 2, 3, 5].map(|n| (sack, n))) {
        let text = format!(r#""sack": {sack}, "duplicate_threshold": {threshold}, "initial_window": 20"#);
        let mut pipe = Pipe::new(bare(&text, 20), lose(&[0]));
        pipe.until(|p| p.sender.retransmissions() > 0);
        assert_eq!(pipe.sender.duplicates(), threshold, "SACK {sack}");
        pipe.finish();
        assert_eq!(pipe.sender.report().timeouts, 0, "SACK {sack}, {threshold}");
    }
}

#[test]
fn tahoe_closes_the_window_once() {
    let text =
        r#""controller": "tahoe", "initial_window": 20, "initial_threshold": 20, "limited_transmit": false"#;
    let mut pipe = Pipe::new(bare(text, 200), lose(&[0]));
    pipe.until(|p| p.sender.duplicates() == 2);
    assert_eq!(pipe.sender.control().window, 20 * MSS);
    pipe.until(|p| p.sender.duplicates() == 3);
    assert_eq!((pipe.sender.control().window, pipe.sender.control().threshold), (MSS, 10 * MSS));
    pipe.until(|p| p.sender.duplicates() == 19);
    assert_eq!((pipe.sender.control().window, pipe.sender.control().threshold), (MSS, 10 * MSS));
    assert_eq!(pipe.forward.len(), 20 + 1, "only the lost segment is sent again");
    pipe.until(|p| p.sender.una() > 0);
    assert_eq!(pipe.sender.una(), 20 * MSS);
    pipe.finish();
    assert_eq!((pipe.sender.report().cuts, pipe.sender.report().timeouts), (1, 0));
}

#[test]
fn reno_leaves_recovery_at_the_first_partial_acknowledgement() {
    let text = r#""controller": "reno", "sack": false, "initial_window": 30, "initial_threshold": 30"#;
    let mut pipe = Pipe::new(bare(text, 300), lose(&[20, 22]));
    pipe.until(|p| p.sender.recovering());
    pipe.until(|p| !p.sender.recovering());
    assert_eq!(pipe.sender.una(), 22 * MSS);
    assert!(pipe.sender.inflation() == 0 && pipe.sender.control().window == pipe.sender.control().threshold);
    pipe.finish();
    let report = pipe.sender.report();
    assert!(report.cuts + report.timeouts >= 2, "{report:?}");
    assert_eq!(pipe.receiver.report().delivered, 300 * MSS);
}

#[test]
fn reno_inflates_by_three_and_by_one_per_duplicate() {
    let text = r#""controller": "reno", "sack": false, "initial_window": 20, "initial_threshold": 20"#;
    let mut pipe = Pipe::new(bare(text, 300), lose(&[0]));
    pipe.until(|p| p.sender.duplicates() == 3);
    // Limited transmit has sent two segments, which do not count as outstanding (RFC 5681 section 3.2).
    assert_eq!(pipe.sender.nxt(), 22 * MSS);
    assert_eq!((pipe.sender.control().window, pipe.sender.inflation()), (10 * MSS, 3 * MSS.cast_signed()));
    pipe.until(|p| p.sender.duplicates() == 19);
    assert_eq!((pipe.sender.control().window, pipe.sender.inflation()), (10 * MSS, 19 * MSS.cast_signed()));
    assert_eq!(pipe.sender.nxt(), 29 * MSS, "as far as window and inflation allow");
}

#[test]
fn newreno_repairs_four_losses_in_four_round_trips() {
    let text = r#""controller": "newreno", "sack": false, "initial_window": 40, "initial_threshold": 40"#;
    let mut pipe = Pipe::new(bare(text, 400), lose(&[3, 9, 17, 30]));
    pipe.until(|p| p.sender.recovering());
    let (begun, threshold) = (pipe.now, pipe.sender.control().threshold);
    assert_eq!(threshold, 20 * MSS);
    pipe.until(|p| !p.sender.recovering());
    assert_eq!(pipe.now.since(begun), Duration::from_millis(4 * 50));
    assert!(pipe.sender.control().window <= threshold);
    pipe.finish();
    let report = pipe.sender.report();
    assert_eq!((report.cuts, report.timeouts, report.retransmissions), (1, 0, 4));
}

#[test]
fn a_partial_acknowledgement_restarts_the_timer_only_once() {
    let text = r#""controller": "newreno", "sack": false, "initial_window": 20, "initial_threshold": 20"#;
    let mut pipe = Pipe::new(bare(text, 400), lose(&[3, 9, 15]));
    pipe.until(|p| p.sender.una() == 9 * MSS);
    let deadline = pipe.sender.rto_at();
    assert_eq!(deadline, pipe.now + pipe.sender.rtt().timeout());
    pipe.until(|p| p.sender.una() == 15 * MSS);
    assert_eq!(pipe.sender.rto_at(), deadline);
}

#[test]
fn a_timeout_in_recovery_ignores_inflation() {
    // Twelve losses take longer than the timer, which only the first partial acknowledgement restarts.
    let text = r#""controller": "newreno", "sack": false, "initial_window": 40, "initial_threshold": 40"#;
    let mut pipe = Pipe::new(bare(text, 400), lose(&[1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 34]));
    pipe.until(|p| p.sender.report().timeouts == 1);
    assert_eq!(pipe.sender.control().threshold, 10 * MSS);
    pipe.finish();
    assert_eq!(pipe.receiver.report().delivered, 400 * MSS);
}

#[test]
fn duplicates_after_a_timeout_start_no_fast_retransmit() {
    // Everything after segment 0 arrives; the acknowledgements are lost, so that the sender goes back.
    for controller in ["tahoe", "reno", "newreno"] {
        let text = format!(r#""controller": "{controller}", "sack": false, "initial_window": 12"#);
        let mut pipe = Pipe::new(bare(&text, 40), |way, _, i| {
            let lost = (way == Way::Forward && i == 0) || (way == Way::Reverse && i < 11);
            if lost { Fate::Drop } else { Fate::Pass }
        });
        pipe.finish();
        let report = pipe.sender.report();
        assert_eq!((report.cuts, report.timeouts), (0, 1), "{controller}");
        assert_eq!(pipe.receiver.report().delivered, 40 * MSS);
    }
}

#[test]
fn go_back_sends_again_from_the_first_hole_in_slow_start() {
    // Segments 0 to 7 of 8 are lost: without SACK everything is sent again, 1, 2, 4 at a time.
    let text = r#""controller": "newreno", "sack": false, "initial_window": 8"#;
    let mut pipe = Pipe::new(bare(text, 8), lose(&[0, 1, 2, 3, 4, 5, 6, 7]));
    pipe.finish();
    let sent: Vec<(f64, u64)> =
        pipe.forward[8..].iter().map(|(at, p)| (at.as_secs_f64(), p.body[0] / MSS)).collect();
    let expected = [(1.0, 0), (1.05, 1), (1.05, 2), (1.1, 3), (1.1, 4), (1.1, 5), (1.1, 6), (1.15, 7)];
    assert_eq!(sent, expected);
    assert_eq!(pipe.sender.control().threshold, 4 * MSS);
}

#[test]
fn sack_repairs_five_spread_losses_in_two_round_trips() {
    for controller in ["reno", "newreno", "cubic"] {
        let text = format!(r#""controller": "{controller}", "initial_window": 40, "initial_threshold": 40"#);
        let mut pipe = Pipe::new(bare(&text, 400), lose(&[2, 9, 16, 25, 33]));
        pipe.until(|p| p.sender.recovering());
        let begun = pipe.now;
        let mut largest = 0;
        pipe.until(|p| {
            let (pipe, window) =
                (p.sender.board().pipe(p.sender.una(), p.sender.max()), p.sender.control().window);
            largest = largest.max(pipe.saturating_sub(window));
            // At the start of recovery the pipe is larger than the halved window, and nothing more is sent.
            assert!(pipe <= window || p.sender.una() == 2 * MSS);
            !p.sender.recovering()
        });
        assert!(pipe.now.since(begun) <= Duration::from_millis(100), "{controller}");
        pipe.finish();
        let report = pipe.sender.report();
        assert_eq!((report.cuts, report.timeouts, report.retransmissions), (1, 0, 5), "{controller}");
    }
}

#[test]
fn sack_retransmits_only_what_is_missing_after_a_timeout() {
    // Seven of ten segments arrive, but so late that the timer expires: SACK keeps them from being sent again.
    let mut pipe =
        Pipe::new(bare(r#""initial_window": 10, "limited_transmit": false"#, 10), |way, packet, i| {
            let lost = match way {
                Way::Forward => i < 10 && matches!(packet.body[0] / MSS, 7..=9),
                Way::Reverse => false,
            };
            if lost { Fate::Drop } else { Fate::Pass }
        });
    pipe.finish();
    assert_eq!(pipe.sender.report().retransmissions, 3);
    assert_eq!(pipe.sender.report().timeouts, 1);
    assert_eq!(pipe.receiver.report().delivered, 10 * MSS);
}

#[test]
fn acknowledgements_report_three_blocks_the_latest_first() {
    let (_, mut receiver) = params(r#"{"handshake": false}"#).open(opening(None));
    let segment = |n: u64| {
        Packet::of(
            TcpHeader { flags: TcpHeader::ACK, number: n * MSS, ..TcpHeader::default() },
            7,
            1500,
            Ecn::NotEct,
        )
    };
    let mut blocks = |n: u64| {
        receiver.push(ms(1.0), &segment(n));
        let packet = receiver.pull(ms(1.0)).unwrap();
        let header = TcpHeader::unpack(&packet.words());
        let blocks: Vec<(u64, u64)> = header
            .sack
            .iter()
            .filter(|b| b.end != 0)
            .map(|b| ((header.number + u64::from(b.start)) / MSS, (header.number + u64::from(b.end)) / MSS))
            .collect();
        (packet.size, blocks)
    };
    // RFC 2018 section 4, with four holes.
    assert_eq!(blocks(2), (52, vec![(2, 3)]));
    assert_eq!(blocks(4), (60, vec![(4, 5), (2, 3)]));
    assert_eq!(blocks(6), (68, vec![(6, 7), (4, 5), (2, 3)]));
    assert_eq!(blocks(8), (68, vec![(8, 9), (6, 7), (4, 5)]));
    assert_eq!(blocks(3), (68, vec![(2, 5), (8, 9), (6, 7)]));
    assert_eq!(blocks(0), (68, vec![(2, 5), (8, 9), (6, 7)]));
    assert_eq!(blocks(1), (60, vec![(8, 9), (6, 7)]));
}

#[test]
fn five_marks_in_one_window_halve_it_once() {
    let text = r#""controller": "newreno", "ecn": true, "initial_window": 20, "initial_threshold": 20"#;
    let mut pipe = Pipe::new(bare(text, 300), |way, _, i| {
        if way == Way::Forward && (3..8).contains(&i) { Fate::Mark } else { Fate::Pass }
    });
    pipe.until(|p| p.sender.report().cuts == 1);
    assert_eq!(pipe.sender.control().window, 10 * MSS);
    pipe.until(|p| p.now > ms(120.0));
    let report = pipe.sender.report();
    assert_eq!((report.cuts, report.retransmissions), (1, 0));
    assert_eq!(pipe.receiver.report().marks, 5);
    let cwr: Vec<usize> = pipe
        .forward
        .iter()
        .enumerate()
        .filter(|(_, (_, p))| p.flags & TcpHeader::CWR != 0)
        .map(|(i, _)| i)
        .collect();
    assert_eq!(cwr.len(), 1, "one segment tells of the cut");
    let echoes: Vec<bool> = pipe.reverse.iter().map(|(_, p)| p.flags & TcpHeader::ECE != 0).collect();
    let expected: Vec<bool> = (0..echoes.len()).map(|i| (3..cwr[0]).contains(&i)).collect();
    assert_eq!(echoes, expected, "echoed from the first mark until the segment that tells of the cut");
    pipe.finish();
    assert_eq!(pipe.sender.report().cuts, 1);
}

#[test]
fn a_loss_in_the_window_of_a_mark_brings_no_second_cut() {
    let text = r#""controller": "newreno", "ecn": true, "initial_window": 20, "initial_threshold": 20"#;
    let mut pipe = Pipe::new(bare(text, 300), |way, _, i| match (way, i) {
        (Way::Forward, 3) => Fate::Mark,
        (Way::Forward, 8) => Fate::Drop,
        _ => Fate::Pass,
    });
    pipe.finish();
    let report = pipe.sender.report();
    assert_eq!((report.cuts, report.timeouts, report.retransmissions), (1, 0, 1));
    let resent = pipe.forward.iter().filter(|(_, p)| p.body[0] == 8 * MSS).map(|(_, p)| p.ecn);
    assert_eq!(resent.collect::<Vec<_>>(), [Ecn::Ect0, Ecn::NotEct], "RFC 3168 section 6.1.5");
}

#[test]
fn receive_and_largest_windows_limit_the_sender() {
    for (text, segments) in [(r#""receive_window": "8000B""#, 5), (r#""max_window": 7"#, 7)] {
        let mut pipe = Pipe::new(bare(text, 300), pass);
        pipe.until(|p| {
            assert!(p.sender.nxt() - p.sender.una() <= segments * MSS);
            p.now > ms(400.0)
        });
        assert_eq!(pipe.sender.nxt() - pipe.sender.una(), segments * MSS);
        assert_eq!(pipe.sender.control().window, 10 * MSS, "a window that is not used does not grow");
    }
}

#[test]
fn an_idle_connection_restarts_from_the_initial_window() {
    let text = r#""controller": "newreno", "initial_window": 4, "ack_delay": "1ms""#;
    let mut pipe = Pipe::new(bare(text, 60), pass);
    pipe.finish();
    let grown = pipe.sender.control().window;
    assert!(grown > 30 * MSS);
    for (pause, window) in [(100.0, grown), (300.0, 4 * MSS)] {
        let now = pipe.now + Duration::from_secs_f64(pause / 1e3);
        pipe.sender.write(100 * MSS);
        pipe.receiver.expect(100 * MSS);
        pipe.now = now;
        let sent = pipe.forward.len();
        assert!(pipe.sender.pull(now).is_some());
        assert_eq!(pipe.sender.control().window, window, "after {pause} ms");
        pipe.until(|p| p.forward.len() > sent + 2);
        // The segment pulled by hand never arrived: let the connection repair it and come to rest.
        pipe.finish();
        let delivered = pipe.receiver.report().delivered;
        assert_eq!(delivered, pipe.sender.una());
    }
}

#[test]
fn a_paced_sender_leaves_the_time_of_one_packet_between_two() {
    let mut pipe = Pipe::new(bare(r#""initial_window": 10"#, 10), pass);
    pipe.sender.control_mut().pacing = crate::controller::Rate::from_bytes_per_second(MSS * 1000);
    pipe.sender.need();
    pipe.finish();
    let sent: Vec<Time> = pipe.forward.iter().map(|f| f.0).collect();
    let expected: Vec<Time> = (0..10).map(|n| ms(f64::from(n))).collect();
    assert_eq!(sent, expected);
    assert!(pipe.sender.report().finished.is_some());
}

/// Goodput under random loss, in bytes per second.
fn goodput(p: f64, seconds: f64) -> f64 {
    let mut rng = stream();
    let text = r#"{"controller": "reno", "handshake": false, "ack_every": 1}"#;
    let mut pipe = Pipe::new(params(text).open(opening(None)), move |way, _, _| {
        let lost = way == Way::Forward && rng.random_bool(p);
        if lost { Fate::Drop } else { Fate::Pass }
    });
    let end = Time::ZERO + Duration::from_secs_f64(seconds);
    pipe.until(|p| p.now >= end);
    pipe.receiver.report().delivered as f64 / seconds
}

#[test]
fn throughput_under_random_loss_follows_the_square_root_law() {
    // Mathis, Semke, Mahdavi, Ott 1997: 1.22 MSS / (RTT sqrt p), without delayed acknowledgements.
    for (p, seconds) in [(0.001_f64, 4000.0), (0.01, 1000.0)] {
        let expected = 1.22 * MSS as f64 / (0.05 * p.sqrt());
        let ratio = goodput(p, seconds) / expected;
        assert!((0.8..=1.2).contains(&ratio), "p = {p}: {ratio} of the law");
    }
}

#[derive(Clone, Debug)]
pub(super) struct Case {
    pub text: String,
    pub size: u64,
    pub forward: Vec<Fate>,
    pub reverse: Vec<Fate>,
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        10 => Just(Fate::Pass),
        3 => Just(Fate::Drop),
        1 => Just(Fate::Mark),
        2 => (1_u64..200).prop_map(|n| Fate::Delay(Duration::from_millis(n))),
        1 => Just(Fate::Twice),
    ]
}

prop_compose! {
    pub(super) fn case()(
        controller in 0..crate::ControllerSpec::descriptors().len(),
        flags in any::<[bool; 10]>(),
        ecn in prop::sample::select(vec!["off", "classic", "accurate"]),
        window in 1_u32..12,
        size in 0_u64..4000,
        forward in prop::collection::vec(fate(), lengths(0..120)),
        reverse in prop::collection::vec(fate(), lengths(0..120)),
    ) -> Case {
        let controller = crate::ControllerSpec::descriptors()[controller].name;
        let [handshake, fin, sack, timestamps, limited, delayed, rack, linux, bursts, paced] = flags;
        let marks = params(&format!(r#"{{"controller": "{controller}", "ecn": true}}"#)).controller.needs().any(crate::Needs::ECHOES);
        let ecn = if marks && ecn == "off" { "classic" } else { ecn };
        let how = |on: bool| if on { "linux" } else { "off" };
        let (bursts, paced) = (how(bursts), how(paced));
        let policy = if linux {
            r#""delayed_acks": "linux", "dsack": true, "sack_compression": true, "initial_receive_window": "2kB","#
        } else {
            ""
        };
        let detection = if rack { "rack" } else { "duplicates" };
        Case {
            text: format!(
                r#"{{{policy} "controller": "{controller}", "handshake": {handshake}, "fin": {fin}, "sack": {sack},
                "timestamps": {timestamps}, "ecn": "{ecn}", "limited_transmit": {limited}, "retries": 1000,
                "loss_detection": "{detection}", "segmentation_offload": "{bursts}", "pacing": "{paced}",
                 "ack_every": {}, "initial_window": {window}, "mss": 100}}"#,
                1 + u32::from(delayed)),
            size,
            forward,
            reverse,
        }
    }
}

proptest! {
    /// Whatever is lost, delayed, doubled or marked: everything arrives in order, and both ends come to rest.
    #[test]
    fn everything_is_delivered(case in case()) {
        let Case { text, size, forward, reverse } = case;
        let mut pipe = Pipe::new(params(&text).open(opening(Some(size))), move |way, packet, i| {
            let list = if way == Way::Forward { &forward } else { &reverse };
            match list.get(i) {
                Some(Fate::Mark) if !packet.ecn.is_capable() => Fate::Pass,
                Some(fate) => *fate,
                None => Fate::Pass,
            }
        });
        let mut delivered = 0;
        loop {
            let s = &pipe.sender;
            let mss = u64::from(s.mss());
            prop_assert!(s.una() <= s.nxt() && s.nxt() <= s.max() && s.max() <= s.stop());
            prop_assert!(s.una() == 0 && s.max() == 0 || s.control().window >= mss);
            prop_assert!(s.una() <= pipe.receiver.report().delivered + 1);
            let pipe_size = s.board().pipe(s.una(), s.max());
            prop_assert!(pipe_size <= 2 * (s.max() - s.una()));
            prop_assert!(!s.quiet() || pipe_size == s.max() - s.una());
            let now_delivered = pipe.receiver.report().delivered;
            prop_assert!(now_delivered >= delivered);
            delivered = now_delivered;
            prop_assert!(pipe.forward.len() < 20_000, "never ends");
            if !pipe.step() {
                break;
            }
        }
        prop_assert_eq!(delivered, size);
        prop_assert!(pipe.sender.report().finished.is_some());
        prop_assert!(pipe.sender.is_closed() && pipe.receiver.is_closed());
        prop_assert_eq!(pipe.sender.report().failure, None);
    }
}

#[test]
fn a_segment_beyond_the_window_is_dropped_and_acknowledged() {
    // 65,535 bytes are the largest window without scaling.
    let (_, mut receiver) =
        params(r#"{"handshake": false, "receive_window": "65535B"}"#).open(opening(Some(1_000_000)));
    for (i, number) in [65_536, u64::MAX].into_iter().enumerate() {
        let header = TcpHeader { flags: TcpHeader::ACK, number, ..TcpHeader::default() };
        receiver.push(ms(0.0), &Packet::of(header, 7, 1500, Ecn::NotEct));
        let answer = TcpHeader::unpack(&receiver.pull(ms(0.0)).unwrap().words());
        assert_eq!((answer.number, answer.sack[0].end, receiver.ignored()), (0, 0, i as u64 + 1));
        assert_eq!(receiver.report().received, 0);
    }
    let header = TcpHeader { flags: TcpHeader::ACK, number: 65_535, ..TcpHeader::default() };
    receiver.push(ms(0.0), &Packet::of(header, 7, 1500, Ecn::NotEct));
    assert!(receiver.ignored() == 2 && receiver.report().received > 0);
}
