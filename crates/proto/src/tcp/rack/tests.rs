//! Path P: 12 Mbit/s, 40 ms, a queue of one bandwidth-delay product; and single rules of Linux, each with what it makes visible.

use dumbbell_core::{BitRate, Duration, Ecn, Packet, Stage, Time, Way};
use dumbbell_header::TcpHeader;

use super::{KEPT_FOR, Rack, State, Timer};
use crate::tcp::tests::params;
use crate::tcp::{Receiver, Sender};
use crate::testing::{Fate, Pipe, kept, ms, opening};
use crate::transport::{ReceiveEnd, SendEnd, Transport};

/// What Linux has, with segments of 1448 bytes and acknowledgements for each.
const LINUX: &str = r#""loss_detection": "rack", "cut_from": "window", "rto_floor": "deviation", "byte_counting": 1000000,
    "timestamps": true, "rto_max": "120s""#;
const CUBIC: &str = r#""controller": {"kind": "cubic", "variant": "linux", "hystart": "linux"}"#;
const MSS: u64 = 1448;
const RATE: BitRate = BitRate::from_bps(12_000_000);

type Connection = Pipe<Sender, Receiver>;

fn connect(
    more: &str,
    bytes: Option<u64>,
    script: impl FnMut(Way, &Packet, usize) -> Fate + 'static,
) -> Connection {
    let text = format!("{{{LINUX}, {more}}}");
    Pipe::new(params(&text).open(opening(bytes)), script)
        .shaped(Some(RATE), Duration::from_millis(40))
        .buffered(41)
}

fn pass(_: Way, _: &Packet, _: usize) -> Fate {
    Fate::Pass
}

fn window(pipe: &Connection) -> u64 {
    pipe.sender.control().window / MSS
}

fn state(pipe: &Connection) -> State {
    pipe.sender.rack().map_or(State::Open, |rack| rack.state)
}

/// Loses the first transmission of each of these segments.
fn without(segments: &[u64]) -> impl FnMut(Way, &Packet, usize) -> Fate + use<> {
    let mut left = segments.to_vec();
    move |way, packet, _| {
        let data = way == Way::Forward && packet.size > 100;
        match left.iter().position(|s| data && packet.body[0] == s * MSS) {
            Some(i) => {
                left.remove(i);
                Fate::Drop
            }
            None => Fate::Pass,
        }
    }
}

/// The window at which slow start ended and when, the drops, and when all was there.
fn megabyte(more: &str) -> (u64, f64, usize, f64) {
    let mut pipe = connect(more, Some(1_000_000), pass);
    let mut ended = None;
    while pipe.step() {
        let control = pipe.sender.control();
        if ended.is_none() && control.window >= control.threshold {
            ended = Some((control.threshold.max(control.window) / MSS, pipe.now.as_nanos() as f64 / 1e6));
        }
    }
    let finished = pipe.receiver.finished().expect("all arrives").as_nanos() as f64 / 1e6;
    let (window, at) = ended.unwrap_or_default();
    (window, at, pipe.overflowed.len(), finished)
}

#[test]
fn a_megabyte_over_path_p_shows_who_ends_slow_start_and_when() {
    // The window at which slow start ends and when, the drops, the end: computed by hand for each generation of HyStart, with
    // acknowledgements for every segment and for every second one.
    for (acks, hystart, window, at, drops, end) in [
        (1, "linux", 62, 185.06, 5, 803.7),
        (1, "linux-6.6", 72, 195.06, 5, 803.7),
        (2, "linux", 62, 188.06, 5, 806.7),
        (2, "linux-6.6", 144, 272.06, 82, 806.7),
    ] {
        let more = format!(
            r#""ack_every": {acks}, "controller": {{"kind": "cubic", "variant": "linux", "hystart": "{hystart}"}}"#
        );
        let (w, t, n, e) = megabyte(&more);
        assert_eq!((w, n), (window, drops), "{hystart}, one acknowledgement for {acks}");
        assert!((t - at).abs() < 0.1 && (e - end).abs() < 0.1, "{hystart}, {acks}: {t} ms, {e} ms");
    }
    // Without it the window doubles until the queue overflows.
    let (window, _, drops, end) =
        megabyte(r#""ack_every": 1, "controller": {"kind": "cubic", "variant": "linux"}"#);
    assert!(window >= 158 && drops > 100 && end < 807.0, "{window} {drops} {end}");
}

#[test]
fn slow_start_ends_at_30_segments_as_in_linux() {
    // Linux 6.18: acknowledgement 21 ends it, 12.0 ms after the first of its round. Were segments 21 and 22 acknowledged together,
    // the gap would break the train, and slow start go on to 50 segments.
    let text = r#"{"profile": "linux", "first_write": "80us"}"#;
    let mut pipe = Pipe::new(params(text).open(opening(Some(1_000_000))), pass)
        .shaped(Some(BitRate::from_bps(10_000_000)), Duration::from_millis(20));
    pipe.until(|p| p.sender.control().window >= p.sender.control().threshold);
    assert_eq!(pipe.sender.control().threshold / 1448, 30);
    assert!(pipe.now > ms(74.0) && pipe.now < ms(76.0), "{:?}", pipe.now);
}

/// A connection in the middle of a long transfer over a path that drops nothing by itself.
fn long(more: &str, script: impl FnMut(Way, &Packet, usize) -> Fate + 'static) -> Connection {
    let text = format!("{{{LINUX}, {CUBIC}, \"ack_every\": 1, \"handshake\": false, \"fin\": false {more}}}");
    Pipe::new(params(&text).open(opening(Some(40 * MSS))), script)
        .shaped(Some(RATE), Duration::from_millis(40))
}

fn resent(pipe: &Connection) -> Vec<(f64, u64)> {
    let mut seen = std::collections::BTreeSet::new();
    let data = pipe.forward.iter().filter(|(_, p)| p.size > 100);
    let again = data.filter(|(_, p)| !seen.insert(p.body[0]));
    again.map(|(at, p)| (at.as_nanos() as f64 / 1e6, p.body[0] / MSS)).collect()
}

#[test]
fn three_held_segments_show_a_loss_at_once() {
    // Segments 0 to 9 leave at 0; acknowledgements come from 41 ms on, one a millisecond.
    let mut pipe = long("", without(&[5]));
    pipe.finish();
    assert_eq!(resent(&pipe), [(49.0, 5)], "the third above it");
    let mut pipe = long("", without(&[7]));
    pipe.until(|p| p.now > ms(70.0));
    // 7 is lost, 9 comes at 50 ms and took 50 ms: a quarter of 41 ms and 2 ms of slack later 7 is old enough.
    assert_eq!(resent(&pipe), [(62.25, 7)]);
    assert_eq!(pipe.sender.report().timeouts, 0);
}

#[test]
fn the_reordering_timer_lets_one_segment_out() {
    let mut pipe = long("", without(&[7]));
    let timer = |p: &Connection| p.sender.rack().map(|rack| rack.timer);
    pipe.until(|p| timer(p) == Some(Timer::Reordering) && p.now == ms(50.0));
    let before = window(&pipe);
    let now = pipe.sender.wake_at();
    pipe.sender.wake(now);
    let rack = pipe.sender.rack().unwrap();
    assert_eq!((now, rack.state, rack.timer), (ms(62.25), State::Recovery, Timer::Retransmission));
    assert_eq!(pipe.sender.control().threshold / MSS, before * 717 / 1024);
    assert_eq!(window(&pipe), u64::from(rack.segments.in_flight()) + 1);
    let head = rack.segments.first().unwrap();
    assert_eq!((head.start, pipe.sender.rto_at()), (7 * MSS, head.sent_at + pipe.sender.rtt().timeout()));
}

#[test]
fn what_was_sent_again_is_out_or_is_the_first_that_is_missing() {
    let mut rack = Rack::new();
    (0..3).for_each(|n| rack.segments.push(ms(0.0), (10 * n, 10 * n + 10), 0, (false, false)));
    assert!(!rack.has_resent());
    rack.lose(1, 10, &mut None);
    rack.segments.resend(ms(1.0), 1, 0);
    assert!(rack.has_resent(), "it is out");
    rack.lose(1, 10, &mut None);
    assert!(!rack.has_resent(), "it is lost, and another is the first");
    rack.segments.pop(10);
    assert!(rack.has_resent(), "it is the first");
}

/// Linux net/ipv4/tcp_recovery.c: tcp_rack_reo_wnd, tcp_rack_skb_timeout. By hand, a quarter of 10,934 us are 2733 us: a segment that was
/// sent at 1.9 us is old at 12,734 us, although 12,732.1 us have passed.
#[test]
fn segments_grow_old_by_a_clock_of_whole_microseconds() {
    let detected = |now| {
        let mut rack = Rack::new();
        let at = |ns| Time::from_nanos(ns);
        rack.segments.push(at(1_900), (0, MSS), 0, (true, false));
        rack.segments.push(at(5_000), (MSS, 2 * MSS), 0, (true, false));
        (rack.rtt, rack.point) = (Duration::from_millis(10), (at(5_000), 2 * MSS));
        let window = rack.reordering_window(Duration::from_micros(10_934), Duration::from_millis(20));
        (rack.detect(at(now), window, MSS as u32, &mut None), rack.found)
    };
    assert_eq!(detected(12_733_999), (Some(Duration::from_micros(1)), 0));
    assert_eq!(detected(12_734_000), (None, 1));
}

/// Linux net/ipv4/tcp_input.c: tcp_ack sets icsk_retransmits to zero, so that in tcp_enter_loss a second timeout of one repair is the
/// first since something was acknowledged. Ten segments and the probe are lost, and the two that F-RTO sends.
#[test]
fn a_timeout_after_news_cuts_anew_and_is_not_questioned() {
    let lost = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
    let mut pipe = long(r#", "frto": true"#, without(&lost));
    let mut found = Vec::new();
    for timeouts in 1..=2 {
        pipe.until(|p| p.sender.timeouts() == timeouts);
        found.push((pipe.sender.rack().unwrap().frto, pipe.sender.control().threshold / MSS));
    }
    assert_eq!(found, [(true, 7), (false, 2)]);
}

/// Linux net/ipv4/tcp_input.c: tcp_enter_recovery begins no reduction where a mark has begun one, and net/ipv4/tcp_dctcp.c: dctcp_state
/// cuts the window as it is then. A mark on segment 0 halves ten segments; segment 4 is lost while it is answered.
#[test]
fn a_loss_in_the_answer_to_a_mark_ends_with_it() {
    let text = format!(
        r#"{{{LINUX}, "controller": {{"kind": "dctcp", "law": "linux"}}, "ack_every": 1, "handshake": false, "fin": false}}"#
    );
    let mut pipe = Pipe::new(params(&text).open(opening(Some(40 * MSS))), |way, packet, i| match i {
        _ if way == Way::Reverse || packet.size < 100 => Fate::Pass,
        0 => Fate::Mark,
        4 => Fate::Drop,
        _ => Fate::Pass,
    })
    .shaped(Some(RATE), Duration::from_millis(40));
    pipe.until(|p| state(p) == State::Reduced);
    let (high, cut) = (pipe.sender.rack().unwrap().high, pipe.sender.control().threshold / MSS);
    let mut before = 0;
    pipe.until(|p| {
        let repairs = state(p) == State::Recovery;
        if !repairs {
            before = window(p);
        }
        repairs
    });
    assert_eq!(pipe.sender.rack().unwrap().high, high);
    assert_eq!((cut, pipe.sender.control().threshold / MSS), (5, before / 2));
    pipe.until(|p| state(p) == State::Open);
    let told = pipe.forward.iter().filter(|(_, packet)| packet.flags & TcpHeader::CWR != 0);
    assert_eq!(told.count(), 1, "the receiver hears of the mark alone");
}

#[test]
fn a_duplicate_widens_the_reordering_window() {
    // Segment 0 is lost. What left with it had nothing delivered before it, and says nothing.
    let mut pipe = long("", without(&[0]));
    pipe.until(|p| p.now > ms(40.0));
    pipe.sender.rack_mut().unwrap().duplicate_seen = true;
    let seen = |p: &Connection| {
        let rack = p.sender.rack().unwrap();
        (rack.delivered, rack.duplicate_seen, rack.steps, rack.kept_for)
    };
    pipe.until(|p| seen(p).0 == 9);
    assert_eq!(seen(&pipe), (9, true, 1, 0));
    pipe.until(|p| !seen(p).1);
    assert_eq!((seen(&pipe).2, seen(&pipe).3), (2, KEPT_FOR));
}

#[test]
fn a_lost_tail_is_probed_after_two_round_trips() {
    let mut pipe = long(r#", "initial_window": 40"#, without(&[38, 39]));
    pipe.finish();
    let times = resent(&pipe);
    let last_ack = 40.0 + 38.0;
    assert_eq!(times[0].1, 39, "the probe is the last segment: {times:?}");
    let smoothed = pipe.sender.report().smoothed_rtt.as_secs_f64() * 1e3;
    assert!(
        times[0].0 - last_ack > 2.0 * 41.0 && times[0].0 - last_ack < 2.0 * 80.0 + 2.0,
        "{times:?} {smoothed}"
    );
    // Its acknowledgement shows the other.
    assert_eq!(times[1].1, 38);
    assert_eq!((times.len(), pipe.sender.report().timeouts), (2, 0));
}

#[test]
fn a_lost_retransmission_is_sent_again_without_a_timeout() {
    let mut twice = 2;
    let mut pipe = long("", move |way, packet, _| {
        if way == Way::Forward && packet.size > 100 && packet.body[0] == 5 * MSS && twice > 0 {
            twice -= 1;
            return Fate::Drop;
        }
        Fate::Pass
    });
    pipe.finish();
    assert_eq!(pipe.sender.report().timeouts, 0);
    assert_eq!(resent(&pipe).iter().map(|r| r.1).collect::<Vec<_>>(), [5, 5]);
}

#[test]
fn a_cut_leaves_seven_tenths_and_prr_sends_in_proportion() {
    let mut pipe = connect(&format!("{CUBIC}, \"ack_every\": 1"), Some(1_000_000), pass);
    pipe.until(|p| state(p) == State::Recovery);
    let before = window(&pipe) + 2;
    let threshold = pipe.sender.control().threshold / MSS;
    assert_eq!(threshold, 86 * 717 / 1024, "{before}");
    let sent = pipe.forward.len();
    pipe.until(|p| state(p) == State::Open);
    assert_eq!(window(&pipe), 60);
    let during = pipe.forward.len() - sent;
    assert!((55..=75).contains(&during), "{during} sent in the recovery");
}

#[test]
fn a_stall_of_the_path_costs_one_segment_and_no_cut() {
    for timestamps in [true, false] {
        let text = format!(r#", "timestamps": {timestamps}, "dsack": true, "delayed_acks": "linux""#);
        // From 100 ms to 600 ms nothing arrives, and nothing is lost.
        let text = format!(
            "{{{}, {CUBIC}, \"ack_every\": 1, \"handshake\": false, \"fin\": false {text}}}",
            LINUX.replace("\"timestamps\": true, ", "")
        );
        let mut pipe =
            Pipe::new(params(&text).open(opening(None)), pass).shaped(Some(RATE), Duration::from_millis(40));
        pipe.stall(ms(100.0), ms(600.0));
        pipe.until(|p| p.now > ms(599.0));
        let report = pipe.sender.report();
        assert_eq!((report.timeouts, resent(&pipe).len()), (1, 1), "timestamps {timestamps}");
        pipe.until(|p| p.now > ms(700.0));
        assert_eq!(resent(&pipe).len(), 1, "timestamps {timestamps}");
        assert_eq!(state(&pipe), State::Open);
        assert!(pipe.sender.control().threshold > 1 << 50 || window(&pipe) >= 20, "{}", window(&pipe));
    }
}

#[test]
fn reordering_is_learnt_and_costs_no_retransmission() {
    // Segment 5 comes 3 ms late, behind three others.
    let late = |way, packet: &Packet, i| {
        if way == Way::Forward && packet.size > 100 && packet.body[0] == 5 * MSS && i < 10 {
            return Fate::Delay(Duration::from_micros(2500));
        }
        Fate::Pass
    };
    let mut pipe = long("", late);
    pipe.finish();
    assert!(resent(&pipe).is_empty(), "{:?}", resent(&pipe));
    assert!(pipe.sender.rack().is_some_and(|rack| rack.reorderings > 0));
}

#[test]
fn the_first_ack_above_a_hole_shows_no_reordering() {
    // Segment 2 waits for a second one. Segment 4 comes in its place, and one acknowledgement tells of both.
    let mut pipe = connect(&format!("{CUBIC}, \"ack_every\": 2"), Some(40 * MSS), without(&[3]));
    pipe.finish();
    assert_eq!(pipe.sender.rack().map(|rack| rack.reorderings), Some(0));
    // Sent again when the third above it is held: the handshake, a round trip, and segments 0 to 6.
    assert_eq!(resent(&pipe).first().map(|r| (r.1, r.0.round())), Some((3, 87.0)));
}

#[test]
fn the_timeout_is_the_smoothed_time_and_200_ms() {
    let mut pipe = long("", |way, packet: &Packet, _| {
        let lost = way == Way::Forward && packet.body[0] >= 30 * MSS;
        if lost { Fate::Drop } else { Fate::Pass }
    });
    pipe.until(|p| p.sender.report().timeouts == 1);
    let (smoothed, timeout) = (pipe.sender.rtt().smoothed(), pipe.sender.rtt().timeout());
    // It has doubled.
    assert!(
        timeout > (smoothed + Duration::from_millis(200)) * 2 - Duration::from_millis(20),
        "{smoothed} {timeout}"
    );
}

#[test]
fn compressed_acknowledgements_hide_no_block() {
    // Every second segment of a window of 60 is lost: each arrival makes a new block, twelve a millisecond.
    let lost: Vec<u64> = (20..60).step_by(2).collect();
    let text = format!(
        "{{{LINUX}, {CUBIC}, \"initial_window\": 80, \"sack_compression\": true, \"handshake\": false, \"fin\": false}}"
    );
    let mut pipe = Pipe::new(params(&text).open(opening(Some(100 * MSS))), without(&lost))
        .shaped(Some(BitRate::from_bps(144_000_000)), Duration::from_millis(40));
    pipe.finish();
    let mut again: Vec<u64> = resent(&pipe).iter().map(|r| r.1).collect();
    again.sort_unstable();
    assert_eq!(again, lost, "what was lost is sent again, and nothing else");
    // And they are compressed: forty blocks do not take forty acknowledgements.
    let during = pipe.reverse.iter().filter(|(at, _)| *at < ms(40.0)).count();
    assert!(during < 75, "{during} acknowledgements for 60 segments");
}

#[test]
fn a_short_segment_is_sent_again_as_it_was() {
    // One segment and 52 bytes; the short one is lost, and more is written while it is missing.
    let text = format!("{{{LINUX}, {CUBIC}, \"ack_every\": 1, \"handshake\": false, \"fin\": false}}");
    let mut pipe = Pipe::new(params(&text).open(opening(Some(MSS + 52))), without(&[1]))
        .shaped(Some(RATE), Duration::from_millis(40));
    pipe.until(|p| p.now > ms(10.0));
    pipe.sender.write(3 * MSS);
    pipe.receiver.expect(3 * MSS);
    pipe.finish();
    let short: Vec<u16> =
        pipe.forward.iter().filter(|(_, p)| p.body[0] == MSS).map(|(_, p)| p.size).collect();
    assert!(short.len() > 1 && short.iter().all(|size| *size == 52 + 52), "payload and headers: {short:?}");
    assert_eq!(pipe.receiver.report().delivered, 4 * MSS + 52);
}

#[test]
fn a_receiver_answers_a_probe_of_its_window() {
    let (_, mut receiver) = params("{}").open(opening(None));
    let segment =
        |number, size| Packet::of(TcpHeader { number, ..TcpHeader::default() }, 7, size, Ecn::NotEct);
    receiver.push(ms(1.0), &segment(0, 1500));
    receiver.push(ms(1.0), &segment(1460, 1500));
    while receiver.pull(ms(1.0)).is_some() {}
    // A bare segment that tells nothing new is answered; a bare acknowledgement is not.
    receiver.push(ms(2.0), &segment(2920, 40));
    assert!(receiver.pull(ms(2.0)).is_none());
    receiver.push(ms(3.0), &segment(2919, 40));
    assert_eq!(receiver.pull(ms(3.0)).map(|ack| ack.body[0]), Some(2920));
}

#[test]
fn a_waiting_connection_takes_no_memory_beyond_its_ends() {
    let (params, opening) = (params(r#"{"profile": "linux"}"#), opening(Some(1)));
    let (_ends, bytes) = kept(|| params.open(opening));
    assert_eq!(bytes, 0);
}

#[test]
fn an_idle_connection_keeps_room_for_its_first_window() {
    let params = params(r#"{"profile": "linux", "fin": false, "controller": "newreno"}"#);
    let ((_, receiver), bytes) = kept(|| {
        let mut pipe = Pipe::new(params.open(opening(Some(10 * MSS))), without(&[]))
            .shaped(Some(RATE), Duration::from_millis(40));
        pipe.finish();
        (pipe.sender, pipe.receiver)
    });
    assert_eq!(receiver.report().delivered, 10 * MSS);
    // Ten segments of 40 bytes and sixteen acknowledgements of eight, beside the state of both ends.
    assert!(bytes <= 1120, "{bytes}");
}

/// Linux net/ipv4/tcp_input.c: tcp_tsopt_ecr_before. What was sent again in the millisecond of its first sending may have been either.
#[test]
fn an_echo_of_the_same_millisecond_is_not_older() {
    let advanced = |echo: f64| {
        let mut rack = Rack::new();
        rack.segments.push(ms(echo), (0, 10), 0, (true, false));
        rack.segments.resend(ms(5.9), 0, 0);
        let segment = *rack.segments.get(0);
        rack.delivered_one(ms(20.0), &segment, ms(10.0).since(ms(0.0)), Some(ms(echo)));
        rack.advanced
    };
    assert_eq!([4.9, 5.1].map(advanced), [false, true]);
}
