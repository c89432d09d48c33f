//! Applications that write and read when they want: windows that close and open, and connections that end all the same.

use dumbbell_core::{Packet, Stage, Time, Way};
use dumbbell_header::TcpHeader;
use proptest::prelude::*;

use super::reading::{Reading, Room, Rules};
use super::tests::{Case, case, params};
use super::{Receiver, Sender};
use crate::schedule::Planned;
use crate::testing::{Fate, Pipe, ms, opening, read, stream};
use crate::transport::{Opening, ReceiveEnd, SendEnd, Transport};

fn planned(text: &str) -> Planned {
    Planned { schedule: read::<crate::schedule::ScheduleSpec>(text).into(), rng: stream() }
}

/// Ends that send `size` bytes to an application that reads by a schedule.
fn read_by(schedule: &str, more: &str, size: u64) -> (Sender, Receiver) {
    let text = format!(r#"{{"handshake": false, {more}}}"#);
    params(&text).open(Opening { reader: Some(planned(schedule)), ..opening(Some(size)) })
}

/// What a packet to the sender says: acknowledgement and window in bytes.
fn said(packet: &Packet, scale: u8) -> (u64, u64) {
    (packet.body[0], u64::from(packet.aux) << scale)
}

/// Nothing is read for two seconds.
const PAUSE: &str = r#"{"kind": "listed", "actions": [{"at": "2s", "bytes": "1B"}]}"#;

#[test]
fn a_window_closes_while_nothing_is_read() {
    // 40 kB in segments of 1460 or 1448 bytes: of the textbook 27 fit; Linux shuts the window when less than a sixteenth of the
    // buffer, or than a segment, is free.
    for (profile, least, most) in [("rfc", 27 * 1460, 40_000), ("linux", 38_500, 40_000)] {
        let text = format!(r#""profile": "{profile}", "receive_window": "40000B""#);
        let mut pipe = Pipe::new(read_by(PAUSE, &text, 200_000), |_, _, _| Fate::Pass);
        pipe.until(|pipe| pipe.now >= ms(1_000.0));
        let unread = pipe.receiver.report().unread;
        assert!((least..=most).contains(&unread), "{profile}: {unread}");
        let window = pipe.sender.receive_window();
        assert!(window < 1460, "{profile}: {window}");
        pipe.finish();
        assert_eq!(pipe.receiver.report().delivered, 200_000, "{profile}");
        assert!(pipe.now < ms(3_000.0), "{profile}: {:?}", pipe.now);
        // The update is a packet of its own: 2 s after the first data, not at the next probe.
        let opened =
            pipe.reverse.iter().find(|(at, packet)| *at > ms(1_900.0) && said(packet, 0).1 >= 20_000);
        assert_eq!(opened.map(|(at, _)| *at), Some(ms(2_025.0)), "{profile}");
    }
}

#[test]
fn a_growing_buffer_begins_alike_whoever_reads() {
    // 64 KiB, and 157 parts of 128 of that once the first segment has shown what segments take of memory: `acks.rs`.
    let params =
        params(r#"{"profile": "linux", "initial_receive_window": "65536B", "receive_window": "4MB"}"#);
    for first in ["0s", "1500ms"] {
        let schedule = format!(
            r#"{{"kind": "listed", "actions": [{{"at": "{first}", "bytes": "1B"}}, {{"at": "9s", "bytes": "1B"}}]}}"#
        );
        let opening = Opening { reader: Some(planned(&schedule)), ..opening(Some(500_000)) };
        let mut pipe = Pipe::new(params.open(opening), |_, _, _| Fate::Pass);
        pipe.until(|pipe| pipe.now >= ms(1_000.0));
        let unread = pipe.receiver.report().unread;
        // 80,384, and up to 63 more with each acknowledgement: the scale rounds up.
        assert!((70_000..83_000).contains(&unread), "{first}: {unread}");
    }
}

#[test]
fn a_reader_of_a_constant_rate_sets_the_rate_of_the_connection() {
    for profile in ["rfc", "linux"] {
        let text =
            format!(r#""profile": "{profile}", "receive_window": "64kB", "initial_receive_window": "64kB""#);
        let schedule = r#"{"kind": "rate", "rate": "800kbit/s", "piece": "1kB"}"#;
        let mut pipe = Pipe::new(read_by(schedule, &text, 10_000_000), |_, _, _| Fate::Pass);
        pipe.until(|pipe| pipe.now >= ms(10_000.0));
        let report = pipe.receiver.report();
        // 100 kB a second are read, from 25 ms on; what is held beside them is less than the buffer.
        let read = (report.delivered - report.unread) / 1000;
        assert!((997..=1000).contains(&read), "{profile}: {read}");
        assert!(report.unread <= 64_000, "{profile}: {}", report.unread);
        assert_eq!(pipe.sender.report().retransmissions, 0);
        // Updates come when a segment or two fit, or when the window has doubled: no silly windows.
        let small = pipe.forward.iter().filter(|(_, packet)| packet.size > 60 && packet.size < 1000).count();
        assert!(small * 20 < pipe.forward.len(), "{profile}: {small} of {}", pipe.forward.len());
    }
}

#[test]
fn a_lost_update_of_a_closed_window_is_asked_for() {
    for profile in ["rfc", "linux"] {
        let text = format!(r#""profile": "{profile}", "receive_window": "40000B""#);
        // Nothing gets through to the sender from some time after 1 s to one after 3.5 s: the update is lost.
        let mut pipe = Pipe::new(read_by(PAUSE, &text, 100_000), |_, _, _| Fate::Pass);
        pipe.until(|pipe| pipe.now >= ms(1_000.0));
        let sent = pipe.forward.len();
        let mut pipe =
            pipe.with_script(|way, _, _| if way == Way::Reverse { Fate::Drop } else { Fate::Pass });
        pipe.until(|pipe| pipe.now >= ms(3_500.0));
        let probes: Vec<Time> = pipe.forward[sent..].iter().map(|(at, _)| *at).collect();
        let mut pipe = pipe.with_script(|_, _, _| Fate::Pass);
        pipe.finish();
        assert!(!probes.is_empty() && probes.len() < 4, "{profile}: {probes:?}");
        assert_eq!(pipe.receiver.report().delivered, 100_000, "{profile}");
        assert!(pipe.sender.is_closed() && pipe.receiver.is_closed(), "{profile}");
        assert_eq!(pipe.sender.report().timeouts, 0, "{profile}: probes are no timeouts");
    }
}

#[test]
fn a_small_window_gets_what_fits_when_the_timer_fires() {
    for profile in ["rfc", "linux"] {
        let text = format!(r#"{{"handshake": false, "profile": "{profile}", "receive_window": "1000B"}}"#);
        let mut pipe = Pipe::new(params(&text).open(opening(Some(2_500))), |_, _, _| Fate::Pass);
        pipe.finish();
        let header = params(&text).header() as u16;
        let data = pipe.forward.iter().filter(|(_, packet)| packet.size > header);
        let sent: Vec<u16> = data.map(|(_, packet)| packet.size - header).collect();
        assert_eq!(sent, [1000, 1000, 500], "{profile}");
        assert_eq!(pipe.receiver.report().delivered, 2_500, "{profile}");
        assert_eq!(pipe.sender.report().timeouts, 0, "{profile}");
    }
}

#[test]
fn probes_of_a_closed_window_become_rarer() {
    for profile in ["rfc", "linux"] {
        // Nothing is read for ten minutes, and the sender gives up after two probes without an answer.
        let schedule = r#"{"kind": "listed", "actions": [{"at": "600s", "bytes": "1B"}]}"#;
        let text =
            format!(r#""profile": "{profile}", "receive_window": "10000B", "retries": 2, "rto_max": "60s""#);
        let mut pipe = Pipe::new(read_by(schedule, &text, 50_000), |_, _, _| Fate::Pass);
        pipe.until(|pipe| pipe.now >= ms(599_000.0));
        let bare = pipe.forward.iter().filter(|(_, packet)| packet.size <= 52);
        let probes: Vec<f64> = bare.map(|(at, _)| at.as_secs_f64()).collect();
        let gaps: Vec<f64> = probes.windows(2).map(|w| w[1] - w[0]).collect();
        assert!(
            gaps.windows(2).all(|w| (w[1] / w[0] - 2.0).abs() < 0.01 || w[1] > 59.9),
            "{profile}: {gaps:?}"
        );
        assert!(probes.len() > 10, "{profile}: {probes:?}");
        pipe.finish();
        assert_eq!(pipe.receiver.report().delivered, 50_000, "{profile}");
        // Without an answer it does.
        let mut pipe = Pipe::new(read_by(schedule, &text, 50_000), |_, _, _| Fate::Pass);
        pipe.until(|pipe| pipe.now >= ms(5_000.0));
        let mut pipe = pipe.with_script(|_, _, _| Fate::Drop);
        pipe.until(|pipe| pipe.now >= ms(599_000.0));
        assert_eq!(
            pipe.sender.report().failure.map(|failure| failure.name()),
            Some("timed-out"),
            "{profile}"
        );
    }
}

#[test]
fn without_sack_updates_of_the_window_are_no_duplicates() {
    // The first segment of a window is lost; while it is missing, the application reads, and windows open.
    let text = r#""profile": "rfc", "controller": "newreno", "sack": false, "receive_window": "30kB", "ack_every": 1"#;
    let schedule = r#"{"kind": "rate", "rate": "8Mbit/s", "piece": "3kB"}"#;
    let mut pipe = Pipe::new(read_by(schedule, text, 300_000), |_, _, _| Fate::Pass);
    pipe.finish();
    let report = pipe.sender.report();
    assert_eq!((report.retransmissions, report.cuts, pipe.receiver.report().delivered), (0, 0, 300_000));
}

#[test]
fn an_old_acknowledgement_does_not_change_the_window() {
    let text = r#""profile": "rfc", "receive_window": "60kB""#;
    let (mut sender, _) = read_by(PAUSE, text, 100_000);
    sender.wake(ms(0.0));
    while sender.pull(ms(0.0)).is_some() {}
    let answer = |number: u64, window: u16| {
        let header = TcpHeader { flags: TcpHeader::ACK, window, number, ..TcpHeader::default() };
        Packet::of(header, 7, 40, dumbbell_core::Ecn::NotEct)
    };
    sender.push(ms(50.0), &answer(4380, 30_000));
    sender.push(ms(51.0), &answer(2920, 50_000));
    assert_eq!(sender.receive_window(), 30_000, "RFC 9293 section 3.10.7.4: SND.WL2");
}

#[test]
fn a_retransmission_in_pieces_joins_all_its_blocks() {
    let (_, mut receiver) = params(r#"{"handshake": false, "fin": false}"#).open(opening(Some(121)));
    let segment = |number: u64, size: u16| {
        let header = TcpHeader { flags: TcpHeader::ACK, number, ..TcpHeader::default() };
        Packet::of(header, 7, 40 + size, dumbbell_core::Ecn::NotEct)
    };
    for (number, size) in [(1, 1), (100, 21), (0, 100)] {
        receiver.push(ms(0.0), &segment(number, size));
    }
    assert_eq!(receiver.report().delivered, 121);
}

#[test]
fn an_application_writes_by_its_schedule() {
    let schedule = r#"{"kind": "listed", "actions": [
        {"at": "0s", "bytes": "2000B"}, {"at": "300ms", "bytes": "100B"}, {"at": "1s", "bytes": "5000B"}]}"#;
    for profile in ["rfc", "linux"] {
        let text = format!(r#"{{"handshake": false, "profile": "{profile}"}}"#);
        let opening = Opening { application: Some(planned(schedule)), ..opening(Some(7100)) };
        let mut pipe = Pipe::new(params(&text).open(opening), |_, _, _| Fate::Pass);
        pipe.until(|pipe| {
            assert!(!pipe.sender.is_closed() || pipe.now > ms(1_000.0), "{profile}");
            pipe.sender.report().finished.is_some()
        });
        let header = params(&text).header() as u16;
        let data = pipe.forward.iter().filter(|(_, packet)| packet.size > header);
        let sent: Vec<(f64, u64, bool)> = data
            .map(|(at, p)| (at.as_secs_f64(), u64::from(p.size - header), p.flags & TcpHeader::FIN != 0))
            .collect();
        let mss = 1500 - u64::from(header);
        assert_eq!(
            sent,
            [
                (0.0, mss, false),
                (0.0, 2000 - mss, false),
                (0.3, 100, false),
                (1.0, mss, false),
                (1.0, mss, false),
                (1.0, mss, false),
                (1.0, 5000 - 3 * mss, true)
            ],
            "{profile}"
        );
        pipe.finish();
        assert!(pipe.sender.is_closed() && pipe.receiver.is_closed());
    }
}

#[test]
fn an_application_of_constant_rate_is_kept_up_with() {
    // 80 kbit/s in pieces of 100 bytes: one every 10 ms, a fifth of a round trip.
    let schedule = r#"{"kind": "rate", "rate": "80kbit/s", "piece": "100B"}"#;
    for (nagle, largest) in [("off", 100), ("minshall", 500), ("classic", 500)] {
        let text = format!(
            r#"{{"handshake": false, "profile": "linux", "delayed_acks": "fixed", "ack_every": 1, "nagle": "{nagle}"}}"#
        );
        let opening = Opening { application: Some(planned(schedule)), ..opening(Some(100_000)) };
        let mut pipe = Pipe::new(params(&text).open(opening), |_, _, _| Fate::Pass);
        pipe.finish();
        assert_eq!(pipe.receiver.report().delivered, 100_000);
        let last = pipe.receiver.report().finished.map(|at| at.as_secs_f64()).unwrap();
        assert!((9.99..10.2).contains(&last), "{nagle}: {last}");
        let most = pipe.forward.iter().map(|(_, packet)| packet.size - 52).max();
        assert_eq!(most, Some(largest), "{nagle}");
    }
}

fn schedule() -> impl Strategy<Value = String> {
    let action = (0_u64..2000, 1_u64..900);
    prop_oneof![
        (1_u64..400, 1_u64..500).prop_map(|(rate, piece)| format!(
            r#"{{"kind": "rate", "rate": "{rate}kbit/s", "piece": "{piece}B"}}"#
        )),
        (1_u64..400, 1_u64..500, 1_u64..900, 0_u64..900).prop_map(|(rate, piece, on, off)| format!(
            r#"{{"kind": "on-off", "rate": "{rate}kbit/s", "piece": "{piece}B", "mean_on": "{on}ms", "mean_off": "{off}ms"}}"#
        )),
        prop::collection::vec(action, 1..10).prop_map(|mut actions| {
            actions.sort_unstable();
            let actions: Vec<String> =
                actions.iter().map(|(at, bytes)| format!(r#"{{"at": "{at}ms", "bytes": "{bytes}B"}}"#)).collect();
            format!(r#"{{"kind": "listed", "actions": [{}]}}"#, actions.join(","))
        }),
    ]
}

proptest! {
    /// Whatever is written and read and when, and whatever is lost: everything arrives, never beyond what the receiver has
    /// promised, and both ends come to rest.
    #[test]
    fn applications_that_take_their_time_get_everything(
        case in case(),
        writes in prop::option::of(schedule()),
        reads in schedule(),
        window in 100_u64..3000,
        buffer in prop::option::of(1_u32..9000),
    ) {
        let Case { text, size, forward, reverse } = case;
        let mut text = text.replacen('{', &format!(r#"{{"receive_window": "{window}B","#), 1);
        if let Some(bytes) = buffer {
            text = text.replacen('{', &format!(r#"{{"send_buffer": "{bytes}B","#), 1);
        }
        let application = writes.as_deref().map(planned);
        let total = application.as_ref().and_then(|planned| planned.schedule.total()).unwrap_or(size.max(1));
        let opening = Opening { application, reader: Some(planned(&reads)), ..opening(Some(total)) };
        let (params, scale) = (params(&text), super::params::scale_of(window));
        let mut pipe = Pipe::new(params.open(opening), move |way, packet: &Packet, i| {
            let list = if way == Way::Forward { &forward } else { &reverse };
            match list.get(i) {
                Some(Fate::Mark) if !packet.ecn.is_capable() => Fate::Pass,
                Some(fate) => *fate,
                None => Fate::Pass,
            }
        });
        let mut promised = window.max(100);
        let (mut answers, mut segments) = (0, 0);
        loop {
            for (_, packet) in &pipe.reverse[answers..] {
                let (number, window) = said(packet, scale);
                promised = promised.max(number + window);
            }
            answers = pipe.reverse.len();
            for (_, packet) in &pipe.forward[segments..] {
                let payload = u64::from(packet.size).saturating_sub(u64::from(params.header()));
                prop_assert!(packet.body[0] + payload <= promised, "{} + {payload} > {promised}", packet.body[0]);
            }
            segments = pipe.forward.len();
            prop_assert!(pipe.receiver.report().unread <= promised);
            prop_assert!(segments < 40_000, "never ends");
            if !pipe.step() {
                break;
            }
        }
        prop_assert_eq!(pipe.receiver.report().delivered, total);
        prop_assert!(pipe.sender.report().finished.is_some());
        prop_assert!(pipe.sender.is_closed() && pipe.receiver.is_closed());
        prop_assert_eq!(pipe.sender.report().failure, None);
    }
}

#[test]
fn the_sender_hears_of_a_window_that_has_grown_enough() {
    let tells = |rules, promised, buffer, window| {
        let room = Room { buffer, promised, latest: promised, segment: 1000, step: 1 };
        Reading::new(&planned(r#"{"kind": "rate", "rate": "1Mbit/s"}"#), rules).tells(window, &room)
    };
    // 4.4BSD-Lite sys/netinet/tcp_output.c: two segments more, or half of the buffer.
    assert!(!tells(Rules::Rfc, 500, 10_000, 2499) && tells(Rules::Rfc, 500, 10_000, 2500));
    assert!(!tells(Rules::Rfc, 500, 3000, 1999) && tells(Rules::Rfc, 500, 3000, 2000));
    // Linux net/ipv4/tcp.c: tcp_cleanup_rbuf tells of a window twice what was promised, if that was half the buffer at most.
    assert!(!tells(Rules::Linux, 500, 10_000, 999) && tells(Rules::Linux, 500, 10_000, 1000));
    assert!(!tells(Rules::Linux, 0, 10_000, 0) && tells(Rules::Linux, 0, 10_000, 1));
    assert!(tells(Rules::Linux, 5000, 10_000, 10_000) && !tells(Rules::Linux, 5001, 10_000, 10_002));
}

#[test]
fn a_single_byte_is_written_too() {
    let schedule = r#"{"kind": "listed", "actions": [{"at": "10ms", "bytes": "1B"}]}"#;
    for profile in ["rfc", "linux"] {
        let text = format!(r#"{{"handshake": false, "profile": "{profile}", "send_buffer": "64kB"}}"#);
        let opening = Opening { application: Some(planned(schedule)), ..opening(Some(1)) };
        let mut pipe = Pipe::new(params(&text).open(opening), |_, _, _| Fate::Pass);
        pipe.until(|pipe| pipe.now > ms(1_000.0) || pipe.receiver.report().delivered == 1);
        assert_eq!(pipe.receiver.report().delivered, 1, "{profile}");
    }
}

/// Nothing is sent while the application writes nothing, and the time that the controller named passes. It must not be due still
/// when pacing sets the next timer: the second of two segments, of 101 bytes with an MSS of 100, waits for 20 ns.
#[test]
fn controllers_wake_before_the_next_segment_after_a_pause() {
    let text = r#"{"receive_window": "303B", "controller": "dcqcn", "handshake": false, "fin": false, "sack": false,
        "timestamps": false, "ecn": "classic", "limited_transmit": false, "loss_detection": "duplicates",
        "segmentation_offload": "off", "pacing": "off", "ack_every": 1, "initial_window": 1, "mss": 100}"#;
    let opening = Opening {
        application: Some(planned(r#"{"kind": "rate", "rate": "8kbit/s", "piece": "101B"}"#)),
        reader: Some(planned(r#"{"kind": "rate", "rate": "1kbit/s", "piece": "1B"}"#)),
        ..opening(Some(695))
    };
    // A mark makes the rate climb again, with a timer.
    let mut pipe = Pipe::new(params(text).open(opening), |way, _, i| {
        if way == Way::Forward && i == 2 { Fate::Mark } else { Fate::Pass }
    });
    pipe.finish();
    assert_eq!(pipe.receiver.report().delivered, 695);
}

#[test]
fn windows_are_reckoned_from_the_buffer_to_the_byte() {
    let reading = |rules| Reading::new(&planned(r#"{"kind": "rate", "rate": "1Mbit/s"}"#), rules);
    let room = Room { buffer: 10_000, promised: 3000, latest: 3000, segment: 1000, step: 64 };
    // What is not read takes room: all below the number.
    let window = |rules, held| reading(rules).window(held, &room);
    // RFC 9293 section 3.8.6.2.2: news are a segment, or half of a small buffer.
    assert_eq!([5999, 6000, 6001].map(|held| window(Rules::Rfc, held)), [4001, 4000, 3000]);
    let small = Room { buffer: 1600, promised: 0, ..room };
    assert_eq!([799, 800, 801].map(|held| reading(Rules::Rfc).window(held, &small)), [801, 800, 0]);
    // Linux rounds below half of the buffer, and closes below a segment or a sixteenth of the buffer.
    assert_eq!([4999, 5000, 5001, 7000].map(|held| window(Rules::Linux, held)), [5001, 5000, 4992, 2944]);
    assert_eq!([8976, 8977, 9001].map(|held| window(Rules::Linux, held)), [1024, 0, 0]);
    let large = Room { buffer: 32_000, ..room };
    assert_eq!([29_952, 29_953, 31_000].map(|held| reading(Rules::Linux).window(held, &large)), [2048, 0, 0]);
    // Windows that are not scaled are whole segments: 3000 stays until 4000 fit, or until it does not fit any more.
    let whole = Room { step: 1, ..room };
    let found = [6000, 6001, 7000, 7001, 9001].map(|held| reading(Rules::Linux).window(held, &whole));
    assert_eq!(found, [4000, 3000, 3000, 2000, 0]);
    // Of a buffer without room for a segment, all or nothing is advertised; more than half of it is news.
    let tiny = [449, 450].map(|latest| Room { buffer: 900, promised: 0, latest, ..whole });
    assert_eq!(tiny.map(|room| reading(Rules::Linux).window(0, &room)), [900, 450]);
    assert_eq!(reading(Rules::Linux).window(1, &tiny[0]), 0);
}
