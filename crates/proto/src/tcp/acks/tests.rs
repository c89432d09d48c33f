//! When receivers acknowledge.

use dumbbell_core::testing::lengths;
use dumbbell_core::{Ecn, Header, Stage};
use dumbbell_header::SackBlock;
use proptest::prelude::*;

use super::*;
use crate::schedule::{Planned, ScheduleSpec};
use crate::tcp::tests::{params, pass};
use crate::testing::{Pipe, ms, opening, read, stream};
use crate::transport::{Opening, ReceiveEnd, SendEnd, Transport};

/// A segment beyond a hole that the receiver did not have, and that asks for nothing.
pub(super) const NEWS: (bool, bool, bool) = (false, false, false);

#[test]
fn the_age_of_an_ack_survives_a_wrapping_clock() {
    for at in [0, 1, (1 << 48) - 5, (1 << 50) + 7] {
        let sent = Sent::new(Time::from_nanos(at), 65_535);
        assert_eq!(sent.segments(), 65_535);
        assert_eq!(sent.age(Time::from_nanos(at + 100_000_000_001)), Duration::from_nanos(100_000_000_001));
    }
}

/// Four duplicates go for a segment that is missing. Data that their sender sends has no number but that of the first.
#[test]
fn duplicates_show_no_short_round_trip() {
    let at = |ms| Time::ZERO + Duration::from_millis(ms);
    let mut acks = Acks::new(&params(r#"{"profile": "linux"}"#), 1448, false);
    acks.hole = true;
    (0..5).for_each(|i| acks.sent(at(10 + i), 5 * 1448));
    acks.echoed(at(30), 5);
    assert_eq!(acks.data_rtt, 8 * 20_000);
    (0..5).for_each(|i| acks.sent(at(30 + i), 5 * 1448));
    acks.echoed(at(35), 5);
    assert_eq!(acks.data_rtt, 8 * 20_000);
}

/// Linux 6.18 acknowledges segments 1 to 22 one by one, then every second one: its window grows with each of the first six,
/// then 16 are granted.
#[test]
fn the_first_sixteen_acknowledgements_leave_at_once() {
    assert_eq!(single_acknowledgements("linux"), 22);
}

/// How many segments are acknowledged one by one.
pub(super) fn single_acknowledgements(profile: &str) -> u64 {
    const SEGMENT: u64 = 1448;
    let params = params(&format!(r#"{{"profile": "{profile}"}}"#));
    let mut acks = Acks::new(&params, SEGMENT, false);
    let (mut waiting, mut single) = (0, 0);
    for i in 1..=30 {
        let now = Time::from_nanos(1_200_000 * i);
        waiting += 1;
        if acks.in_order(now, (i * SEGMENT, 0), waiting, (false, false, false), &params) == Verdict::Now {
            acks.sent(now, i * SEGMENT);
            single = if waiting == 1 { i } else { single };
            waiting = 0;
        }
    }
    single
}

proptest! {
    /// Full segments in order, with gaps below and above those that move the delay, of which some push and some are short; each
    /// acknowledgement is answered by the segments after it.
    #[test]
    fn a_full_segment_in_order_takes_no_other_way(
        gaps in prop::collection::vec((0..60_000_u64, 0..8_u8), lengths(1..200)),
        receive in prop_oneof![Just("128kB"), Just("6MB")],
    ) {
        const SEGMENT: u64 = 1448;
        let text = format!(r#"{{"profile": "linux", "receive_window": "{receive}"}}"#);
        let params = params(&text);
        let mut short = Acks::new(&params, SEGMENT, false);
        let mut long = short.clone();
        let (mut now, mut next, mut waiting, mut taken) = (Time::ZERO, 0, 0, 0);
        for (gap, kind) in gaps {
            now += Duration::from_micros(gap);
            let (number, pushed) = (next, kind == 0);
            next += if kind == 1 { SEGMENT / 2 } else { SEGMENT };
            waiting += 1;
            let mut packet = Packet::of(TcpHeader::default(), 0, 1500, Ecn::NotEct);
            packet.aux = (number / SEGMENT) as u16;
            packet.flags = if pushed { TcpHeader::PSH } else { 0 };
            let slow = |acks: &mut Acks| {
                acks.echoed(now, packet.aux);
                acks.begins(number);
                acks.in_order(now, (next, 0), waiting, (false, false, pushed), &params)
            };
            let quick = short.full_in_order(now, number, next, waiting, &packet);
            taken += u32::from(quick.is_some());
            let verdict = quick.unwrap_or_else(|| slow(&mut short));
            prop_assert_eq!(verdict, slow(&mut long));
            if verdict == Verdict::Now {
                let windows = [&mut short, &mut long].map(|acks| {
                    acks.sent(now, next);
                    acks.advertise(0, next)
                });
                prop_assert_eq!(windows[0], windows[1]);
                waiting = 0;
            }
            prop_assert_eq!(format!("{short:?}"), format!("{long:?}"));
        }
        prop_assume!(next > 100 * SEGMENT);
        prop_assert!(taken > 0, "none took the short way");
    }
}

#[test]
fn the_delay_follows_the_gaps_between_segments() {
    // Linux net/ipv4/tcp_input.c: tcp_event_data_recv, with TCP_ATO_MIN of 40 ms.
    for (before, gap, after) in
        [(100, 20, 70), (100, 21, 71), (100, 30, 80), (100, 99, 149), (100, 100, 100), (40, 10, 40)]
    {
        let mut acks = Acks::new(&params(r#"{"profile": "linux"}"#), 1448, false);
        let at = |ms| Time::ZERO + Duration::from_millis(ms);
        (acks.delay, acks.latest) = (Duration::from_millis(before), at(1000));
        acks.follow(at(1000 + gap), Duration::ZERO);
        assert_eq!(acks.delay, Duration::from_millis(after), "{before} ms, then {gap}");
        assert_eq!(acks.latest, at(1000 + gap));
    }
}

/// Segments of a flow as they arrived at the receiver of Linux 6.12 in virtual time (`--draw 26 --seed 1`, cell 12, Westwood+
/// over CoDel, 1.14 Mbit/s and 29 ms), one each 10.526 ms: 0 to 10 in order, 11 lost, 12 to 27 out of order.
#[test]
fn quick_acknowledgements_come_before_sack_compression() {
    const SEGMENT: u64 = 1448;
    let params = params(r#"{"profile": "linux"}"#);
    let at = |ms: f64| Time::from_nanos((ms * 1e6) as u64);
    let arrival = |i: u64| 55.384 + 10.526_316 * i as f64;
    let mut acks = Acks::new(&params, SEGMENT, false);
    acks.answered(at(14.972));
    acks.sent(at(14.972), 0);
    acks.heard(at(44.858));
    for i in 0..11 {
        let now = at(arrival(i));
        acks.echoed(now, i.saturating_sub(9) as u16);
        let verdict = acks.in_order(now, ((i + 1) * SEGMENT, 0), 1, (false, false, false), &params);
        assert_eq!(verdict, Verdict::Now, "segment {i}");
        acks.sent(now, (i + 1) * SEGMENT);
    }
    let late: Vec<f64> = (12..28)
        .map(|i| {
            let now = at(arrival(i - 1));
            let (next, held) = (11 * SEGMENT, (i - 11) * SEGMENT);
            let (from, to) = (i * SEGMENT, (i + 1) * SEGMENT);
            let verdict = acks.unexpected(now, (from, to), (next, held), NEWS);
            acks.sent(now, next);
            match verdict {
                Verdict::Now => 0.0,
                Verdict::By(then) => then.since(now).as_secs_f64() * 1e3,
            }
        })
        .collect();
    // 22 in all are quick, 3 are duplicates, and the others wait for 1.1 ms.
    assert_eq!(late[..14], [0.0; 14]);
    assert_eq!(late[14..], [1.1; 2]);
}

/// net.ipv4.tcp_comp_sack_slack_ns. The last of many waits for a twentieth of 10 ms.
#[test]
fn compressed_acknowledgements_wait_for_the_slack_too() {
    const MSS: u64 = 1448;
    for (slack, wait) in [("100us", 600), ("0s", 500), ("1s", 1_000_500)] {
        let text = format!(r#"{{"profile": "linux", "sack_compression_slack": "{slack}"}}"#);
        let mut acks = Acks::new(&params(&text), MSS, false);
        acks.show_rtt(Duration::from_millis(10), true);
        let verdicts: Vec<Verdict> = (1..25)
            .map(|i| {
                let verdict = acks.unexpected(Time::ZERO, (i * MSS, (i + 1) * MSS), (0, i * MSS), NEWS);
                acks.sent(Time::ZERO, 0);
                verdict
            })
            .collect();
        let due = Time::ZERO + Duration::from_micros(wait);
        assert_eq!(verdicts.last(), Some(&Verdict::By(due)), "{slack}");
    }
}

/// Linux 6.12 in virtual time (`--draw 27 --seed 26112633`, cell 9): the window lacks a segment, which the one that is being taken
/// in may fill. So four duplicates leave at once, one since the window grew.
#[test]
fn a_segment_above_a_hole_takes_no_room_yet() {
    const SEGMENT: u64 = 1448;
    let mut acks = Acks::new(&params(r#"{"profile": "linux"}"#), SEGMENT, false);
    (acks.headers, acks.clamp, acks.window, acks.quick) = (0, 80_512, 80_512 - SEGMENT, 0);
    let at_once = (1..8).take_while(|i| {
        let now = Time::from_nanos(i * 10_000_000);
        let verdict = acks.unexpected(now, (i * SEGMENT, (i + 1) * SEGMENT), (0, i * SEGMENT), NEWS);
        acks.sent(now, 0);
        verdict == Verdict::Now
    });
    assert_eq!(at_once.count(), 4);
}

/// Acknowledgements of one tick carry one timestamp: of the round-trip times that their echoes show, the first counts. Linux 6.12
/// in virtual time (`--draw 48 --seed 20261125`, cell 36, 66.7 Mbit/s and 18.2 ms): the window opens from segment 31 on, since
/// the samples of the second round, in which the queue grows, are four instead of twenty.
#[test]
fn echoes_of_one_tick_show_one_round_trip() {
    const SEGMENT: u64 = 1448;
    let mut acks = Acks::new(&params(r#"{"profile": "linux"}"#), SEGMENT, false);
    let at = |ms: f64| Time::from_nanos((ms * 1e6) as u64);
    for i in 0..4 {
        acks.sent(at(10.0 + 0.2 * i as f64), i * SEGMENT);
    }
    let shown = [30.0, 39.0, 48.0, 57.0].map(|ms| {
        acks.echoed(at(ms), ((ms - 30.0) / 9.0) as u16);
        acks.data_rtt
    });
    assert_eq!(shown, [8 * 20_000; 4]);
}

/// Linux net/ipv4/tcp_output.c: __tcp_select_window sets icsk_ack.quick to zero where less than half of the buffer is free.
#[test]
fn who_asks_for_a_small_window_ends_quick_acknowledgements() {
    let left = |room| {
        let mut acks = Acks::new(&params(r#"{"profile": "linux"}"#), 1448, false);
        (acks.quick, acks.clamp, acks.room) = (5, 80_000, room);
        acks.advertise(0, 1448);
        acks.quick
    };
    assert_eq!([left(39_999), left(40_000)], [0, 5]);
}

/// A request that fits into one segment is the end of a write: its sender, which Nagle's algorithm may hold back, does not wait for
/// the delay of acknowledgements.
#[test]
fn what_is_not_full_is_acknowledged_at_once() {
    const SEGMENT: u64 = 1448;
    let params = params(r#"{"profile": "linux"}"#);
    let mut acks = Acks::new(&params, SEGMENT, false);
    let at = |i: u64| Time::ZERO + Duration::from_millis(8 * i);
    let mut next = 0;
    for i in 1..=2 * u64::from(QUICK) {
        next += 64;
        let verdict = acks.in_order(at(i), (next, 0), 1, (false, false, false), &params);
        assert_eq!(verdict, Verdict::Now, "request {i}");
        acks.sent(at(i), next);
    }
}

/// Buffers too small for a segment hold one, and windows below one do not stop a connection: it asks until they open.
#[test]
fn a_transfer_ends_whatever_the_buffer_is() {
    let rate = r#"{"kind": "rate", "rate": "800kbit/s", "piece": "1kB"}"#;
    for profile in ["linux", "rfc", "bsd"] {
        for (first, most) in
            [("0B", "32MiB"), ("1B", "1448B"), ("700B", "2kB"), ("1449B", "10kB"), ("1B", "100B")]
        {
            for (segment, reads) in [(100, false), (536, true), (1_460, false), (1_460, true)] {
                let text = format!(
                    r#"{{"profile": "{profile}", "initial_receive_window": "{first}", "receive_window": "{most}",
                         "mss": {segment}}}"#
                );
                let reader =
                    reads.then(|| Planned { schedule: read::<ScheduleSpec>(rate).into(), rng: stream() });
                let opening = Opening { reader, ..opening(Some(20_000)) };
                let mut pipe = Pipe::new(params(&text).open(opening), pass);
                pipe.until(|pipe| pipe.now > ms(600e3));
                let finished = pipe.receiver.report().finished;
                assert!(finished.is_some(), "{text}, reads {reads}: {:?}", pipe.receiver.report());
                assert!(pipe.sender.is_closed() && pipe.receiver.is_closed(), "{text}, reads {reads}");
            }
        }
    }
}

/// A burst of five segments in the middle of a connection, as Linux 6.12 acknowledges it: two, two, and the pushed one.
#[test]
fn what_is_pushed_is_acknowledged_at_once() {
    const SEGMENT: u64 = 1448;
    let params = params(r#"{"profile": "linux"}"#);
    let mut acks = Acks::new(&params, SEGMENT, false);
    let mut told = Vec::new();
    let mut waiting = 0;
    for i in 1..=40 {
        let now = Time::from_nanos(1_000_000 * i);
        waiting += 1;
        let pushed = i % 5 == 0;
        let verdict = acks.in_order(now, (i * SEGMENT, 0), waiting, (false, false, pushed), &params);
        if verdict == Verdict::Now {
            acks.sent(now, i * SEGMENT);
            (waiting, ()) = (0, told.push(i));
        }
    }
    assert_eq!(told[21..], [22, 24, 25, 27, 29, 30, 32, 34, 35, 37, 39, 40]);
}

/// Each duplicate shows one more segment above the hole; data that answers one counts them.
#[test]
fn data_shows_which_duplicate_it_answers() {
    let at = |ms| Time::ZERO + Duration::from_millis(ms);
    let mut acks = Acks::new(&params(r#"{"profile": "linux"}"#), 1448, false);
    acks.hole = true;
    (0..5).for_each(|i| acks.sent(at(10 + i), (5 + i) * 1448));
    acks.echoed(at(34), 8);
    assert_eq!(acks.data_rtt, 8 * 21_000);
    assert_eq!(acks.unanswered.len(), 1);
}

#[test]
fn data_counts_what_its_sender_knows_to_be_held() {
    const MSS: u64 = 1460;
    let text = r#"{"profile": "linux", "timestamps": false, "handshake": false, "initial_window": 10}"#;
    let (mut sender, _) = params(text).open(opening(Some(20 * MSS)));
    sender.wake(ms(0.0));
    while sender.pull(ms(0.0)).is_some() {}
    let held = SackBlock { start: MSS as u32, end: 4 * MSS as u32 };
    let sack = [held, SackBlock::default(), SackBlock::default()];
    let header = TcpHeader { flags: TcpHeader::ACK, window: u16::MAX, sack, ..TcpHeader::default() };
    sender.push(ms(50.0), &Packet::of(header, 7, 52, Ecn::NotEct));
    let answer = sender.pull(ms(50.0)).expect("segment 0");
    assert_eq!((answer.body[0], answer.aux), (0, 3));
}

/// After a segment that fills a hole in part, two more duplicates leave at once.
#[test]
fn a_part_of_a_hole_filled_counts_as_a_duplicate() {
    const SEGMENT: u64 = 1448;
    let params = params(r#"{"profile": "linux"}"#);
    let mut acks = Acks::new(&params, SEGMENT, false);
    acks.in_order(ms(1.0), (SEGMENT, 0), 1, (false, false, false), &params);
    acks.advertise(0, SEGMENT);
    (acks.quick, acks.window) = (0, acks.clamp);
    acks.show_rtt(Duration::from_millis(40), true);
    // Segments 1 and 3 are missing, and 1 arrives.
    acks.unexpected(ms(2.0), (2 * SEGMENT, 3 * SEGMENT), (SEGMENT, SEGMENT), NEWS);
    acks.sent(ms(2.0), 2 * SEGMENT);
    acks.in_order(ms(3.0), (2 * SEGMENT, SEGMENT), 1, (true, false, false), &params);
    acks.sent(ms(3.0), 3 * SEGMENT);
    let verdicts = [5, 6, 7].map(|i| {
        acks.unexpected(ms(4.0), (i * SEGMENT, (i + 1) * SEGMENT), (2 * SEGMENT, i * SEGMENT), NEWS)
    });
    assert_eq!(verdicts[..2], [Verdict::Now; 2]);
    assert_ne!(verdicts[2], Verdict::Now);
}

/// Linux net/ipv4/tcp_input.c: tcp_ecn_accept_cwr. What is acknowledged for CWR is no duplicate: three more leave at once.
#[test]
fn a_cut_is_acknowledged_at_once_and_counts_for_no_duplicate() {
    const SEGMENT: u64 = 1448;
    let params = params(r#"{"profile": "linux"}"#);
    let mut acks = Acks::new(&params, SEGMENT, false);
    acks.in_order(ms(1.0), (SEGMENT, 0), 1, (false, false, false), &params);
    (acks.quick, acks.window) = (0, acks.clamp);
    acks.show_rtt(Duration::from_millis(40), true);
    let mut verdict = |i: u64, told| {
        acks.unexpected(ms(4.0), (i * SEGMENT, (i + 1) * SEGMENT), (SEGMENT, i * SEGMENT), told)
    };
    let cut = (false, false, true);
    let verdicts = [(2, NEWS), (3, cut), (4, NEWS), (5, NEWS), (6, NEWS), (7, cut)]
        .map(|(i, told)| verdict(i, told) == Verdict::Now);
    assert_eq!(verdicts, [true, true, true, true, false, true]);
}

/// Linux net/ipv4/tcp.c: __tcp_cleanup_rbuf acknowledges what is pushed after tcp_send_delayed_ack has set its timer, which goes on.
#[test]
fn a_timer_goes_on_behind_what_is_pushed() {
    let params = params(r#"{"profile": "linux"}"#);
    let mut acks = Acks::new(&params, 1448, false);
    acks.in_order(ms(1.0), (1448, 0), 1, (false, false, false), &params);
    (acks.quick, acks.window, acks.timer) = (0, acks.clamp, Time::ZERO);
    let verdict = acks.in_order(ms(10.0), (2 * 1448, 0), 1, (false, false, true), &params);
    assert_eq!((verdict, acks.timer), (Verdict::Now, ms(50.0)));
}

/// Linux net/ipv4/tcp_input.c: the first question of __tcp_ack_snd_check. The latest window was that behind a short segment of 480 bytes,
/// 81,121 bytes; with a full one unread it would be smaller. Once that is read, it is the same.
#[test]
fn an_acknowledgement_that_would_shrink_the_window_waits_for_the_application() {
    let params = params(r#"{"profile": "linux"}"#);
    let mut acks = Acks::new(&params, 1448, false);
    acks.in_order(ms(1.0), (1448, 0), 1, (false, false, false), &params);
    (acks.window, acks.quick) = (acks.clamp, 1);
    acks.in_order(ms(2.0), (1448 + 480, 0), 2, (false, false, false), &params);
    acks.advertise(0, 1448 + 480);
    assert_eq!(acks.room, 81_920 - 800);
    acks.quick = 0;
    acks.in_order(ms(3.0), (2 * 1448 + 480, 0), 1, (false, false, false), &params);
    let verdict = acks.in_order(ms(4.0), (3 * 1448 + 480, 0), 2, (false, false, false), &params);
    assert_eq!((verdict, acks.room), (Verdict::Now, 81_920));
    // Where the window stays as large, the application reads later.
    acks.told = 0;
    acks.in_order(ms(5.0), (5 * 1448 + 480, 0), 2, (false, false, false), &params);
    assert_eq!(acks.room, 81_920 - 2 * 1440);
}

/// Linux net/ipv4/tcp_input.c: tcp_rcv_state_process. The acknowledgement of the SYN-ACK is lost, and data comes in its place.
#[test]
fn data_in_place_of_the_handshake_shows_no_round_trip() {
    let mut acks = Acks::new(&params(r#"{"profile": "linux"}"#), 1448, false);
    acks.answered(ms(10.0));
    acks.sent(ms(10.0), 0);
    acks.echoed(ms(16.0), 0);
    acks.heard(ms(16.0));
    assert_eq!(acks.data_rtt, 0);
    acks.echoed(ms(17.0), 0);
    assert_eq!(acks.data_rtt, 8 * 7_000);
}

/// Linux with HZ = 250: of 15 ticks half is 7.
#[test]
fn delays_are_held_in_whole_ticks() {
    let tick = Duration::from_millis(4);
    let mut acks = Acks::new(&params(r#"{"profile": "linux"}"#), 1448, false);
    let at = |ms| Time::ZERO + Duration::from_millis(ms);
    (acks.delay, acks.latest) = (Duration::from_millis(60), at(1000));
    acks.follow(at(1024), tick);
    assert_eq!(acks.delay, Duration::from_millis(52));
    // 200 ms less one tick are the most.
    acks.delay = Duration::from_millis(200);
    assert_eq!(acks.longest_delay(tick), Duration::from_millis(196));
}

/// The handshake took 150 ms: the timeout is three times that, and 1 s before it was measured.
#[test]
fn a_pause_beyond_the_timeout_is_acknowledged_quickly() {
    let at = |ms| Time::ZERO + Duration::from_millis(ms);
    for (rtt, timeout) in [(0, 1000), (50, 250), (150, 450)] {
        for (gap, quick) in [(timeout, 0), (timeout + 1, QUICK)] {
            let mut acks = Acks::new(&params(r#"{"profile": "linux"}"#), 1448, false);
            (acks.rtt, acks.delay) = (Duration::from_millis(rtt), LEAST_DELAY);
            acks.follow(at(gap), Duration::ZERO);
            assert_eq!(acks.quick, quick, "{rtt} ms, then {gap}");
        }
    }
}

/// A receiver of the Linux profile that gets a segment each millisecond, over 20 ms.
struct Fed {
    receiver: crate::tcp::Receiver,
    now: f64,
}

impl Fed {
    const SEGMENT: u64 = 1448;

    fn new(more: &str) -> Fed {
        let text = format!(
            r#"{{"profile": "linux", "handshake": false, "mss": 1460, "receive_window": "70kB" {more}}}"#
        );
        let (_, receiver) = params(&text).open(opening(None));
        Fed { receiver, now: 0.0 }
    }

    /// A segment arrives. Returns the acknowledgement, if one leaves.
    fn feed(&mut self, number: u64, ecn: Ecn, flags: u8) -> Option<Packet> {
        self.now += 1.0;
        let header = TcpHeader {
            flags: TcpHeader::ACK | flags,
            number: number * Fed::SEGMENT,
            timestamp: ms(self.now).as_nanos(),
            ..TcpHeader::default()
        };
        let mut packet = Packet::of(header, 7, 0, ecn);
        packet.size = Fed::SEGMENT as u16 + 52;
        packet.aux = number.saturating_sub(20) as u16;
        self.receiver.push(ms(self.now), &packet);
        self.receiver.pull(ms(self.now))
    }

    /// Segments arrive in order until an acknowledgement waits for a second one. Returns the next.
    fn until_delayed(&mut self, ecn: Ecn) -> u64 {
        (0..40).find(|n| self.feed(*n, ecn, 0).is_none()).expect("one waits") + 1
    }
}

#[test]
fn a_segment_with_cwr_is_acknowledged_at_once() {
    let mut fed = Fed::new(r#", "ecn": "classic", "ecn_answer": "classic""#);
    let next = fed.until_delayed(Ecn::Ect0);
    assert!(fed.feed(next, Ecn::Ect0, 0).is_some(), "the second");
    assert!(fed.feed(next + 1, Ecn::Ect0, TcpHeader::CWR).is_some(), "the first, with CWR");
    assert!(fed.feed(next + 2, Ecn::Ect0, 0).is_none());
}

#[test]
fn the_first_mark_is_acknowledged_at_once() {
    for (ecn, first) in [(Ecn::Ce, true), (Ecn::NotEct, false)] {
        let mut fed = Fed::new(r#", "ecn": "classic", "ecn_answer": "classic""#);
        let next = fed.until_delayed(Ecn::Ect0);
        assert!(fed.feed(next, Ecn::Ect0, 0).is_some(), "the second");
        assert!(fed.feed(next + 1, ecn, 0).is_some(), "{ecn:?}");
        assert!(fed.feed(next + 2, ecn, 0).is_some(), "{ecn:?}: two are quick");
        assert_eq!(fed.feed(next + 3, ecn, 0).is_none(), first, "{ecn:?}: marks are echoed by now");
    }
}

/// A delayed acknowledgement has left with a second segment; its timer ends when one is held back.
#[test]
fn an_old_timer_lets_a_held_ack_go() {
    let mut fed = Fed::new("");
    let next = fed.until_delayed(Ecn::NotEct);
    let timer = fed.receiver.wake_at();
    assert_eq!(timer, ms(fed.now + 40.0));
    assert!(fed.feed(next, Ecn::NotEct, 0).is_some(), "the second");
    fed.now += 33.9;
    let held = (2..9).find(|n| fed.feed(next + n, Ecn::NotEct, 0).is_none());
    assert_eq!((held, fed.receiver.wake_at()), (Some(6), timer), "by itself 1.1 ms later");
    fed.receiver.wake(timer);
    assert!(fed.receiver.pull(timer).is_some());
}

/// Four blocks, and an acknowledgement held back: a segment elsewhere lets it go as it was, and is not acknowledged itself.
#[test]
fn a_held_ack_leaves_before_a_new_block() {
    let mut fed = Fed::new("");
    let next = fed.until_delayed(Ecn::NotEct);
    fed.feed(next, Ecn::NotEct, 0);
    let blocks = |packet: &Packet| {
        let header = TcpHeader::unpack(&packet.words());
        header.sack.map(|block| u64::from(block.start) / Fed::SEGMENT)
    };
    // The window grows with the first, and three are duplicates.
    let latest = [2, 4, 6, 8, 9].map(|n| fed.feed(next + n, Ecn::NotEct, 0).is_some());
    assert_eq!(latest, [true, true, true, true, false]);
    let early = fed.feed(next + 11, Ecn::NotEct, 0).expect("the one held back");
    assert_eq!(blocks(&early), [7, 5, 3]);
    assert!(fed.receiver.pull(ms(fed.now)).is_none() && fed.receiver.wake_at() == Time::NEVER);
    let later = fed.feed(next + 11, Ecn::NotEct, 0);
    assert!(later.is_none(), "what is there is held back, too");
    fed.receiver.wake(fed.receiver.wake_at());
    let packet = fed.receiver.pull(ms(fed.now + 1.1)).expect("by its timer");
    assert_eq!(blocks(&packet), [10, 10, 7], "what arrived twice goes first");
}

#[test]
fn an_ack_of_its_own_timer_has_the_time_of_arrival() {
    let mut disorder = crate::tcp::disorder::Disorder::default();
    for at in [1.0, 1.5] {
        disorder.hold_back(ms(at), true);
    }
    disorder.kick();
    assert_eq!(disorder.leaves(ms(2.1)).0, ms(1.5));
    disorder.hold_back(ms(3.0), true);
    assert_eq!(disorder.leaves(ms(3.5)).0, ms(3.5), "another cause");
}
