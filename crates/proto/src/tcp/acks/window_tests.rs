//! How the windows of receivers grow.

use super::tests::{NEWS, single_acknowledgements};
use super::*;
use crate::tcp::tests::params;
use crate::testing::ms;

/// Linux 6.1 in virtual time (`--draw 320 --seed 172092878`, nearly all cells): the window does not grow, as half of the buffer is window
/// and a segment of it is kept back, so that 16 are all.
#[test]
fn the_first_window_of_linux_6_1_does_not_grow() {
    assert_eq!(single_acknowledgements("linux-6.1"), 16);
}

/// Linux 6.12 in virtual time (`--draw 36 --seed 9002`, cell 7): a segment of 872 bytes takes as much memory as a full one, 2304 bytes, and
/// with it 1440 bytes of the window that the next acknowledgement tells. One of 64 bytes takes 768, a third.
#[test]
fn a_short_segment_takes_the_memory_of_its_slab() {
    let params = params(r#"{"profile": "linux"}"#);
    let room = |bytes: u64| {
        let mut acks = Acks::new(&params, 1448, false);
        acks.quick = 16;
        acks.in_order(ms(10.0), (1448, 0), 1, (false, false, false), &params);
        acks.in_order(ms(20.0), (1448 + bytes, 0), 1, (false, false, false), &params);
        acks.clamp - acks.room
    };
    assert_eq!([1448, 872, 64].map(room), [1440, 1440, 480]);
}

/// By hand, from tcp_rcv_space_adjust of Linux 6.1: 21,720 bytes after 14,480 ask for 2 * (43,440 + 23,168), 91 segments and a part;
/// each gets 2,920 bytes of memory, of which half is window. The segment that was kept back is free then. 1,448 bytes less, and the
/// buffer stays as it is.
#[test]
fn a_buffer_of_linux_6_1_grows_by_whole_segments() {
    let grown = |read| {
        let mut acks = Acks::new(&params(r#"{"profile": "linux-6.1"}"#), 1448, false);
        acks.arrived = read;
        acks.end_round(ms(20.0), 1448);
        (acks.clamp, acks.keeps, acks.window)
    };
    assert_eq!(grown(21_720), (92 * 1_460, false, 65_536 - 1_448));
    assert_eq!(grown(14_480), (65_536, true, 65_536 - 1_448));
}

/// A hole of one segment with 30 behind it: the acknowledgement that closes it leaves before the application reads.
#[test]
fn an_acknowledgement_that_closes_a_hole_promises_no_more() {
    const SEGMENT: u64 = 1448;
    let params = params(r#"{"profile": "linux"}"#);
    let mut acks = Acks::new(&params, SEGMENT, false);
    let at = |i: u64| Time::from_nanos(i * 1_000_000);
    let told = |acks: &mut Acks, at: Time, next: u64| {
        acks.sent(at, next);
        next + (u64::from(acks.advertise(0, next)) << acks.scale)
    };
    let promised = (1..=30).map(|i| {
        acks.unexpected(at(i), (i * SEGMENT, (i + 1) * SEGMENT), (0, i * SEGMENT), NEWS);
        told(&mut acks, at(i), 0)
    });
    let promised: Vec<u64> = promised.collect();
    let edge = *promised.last().expect("thirty");
    acks.in_order(at(50), (31 * SEGMENT, 0), 1, (true, false, false), &params);
    assert!(told(&mut acks, at(50), 31 * SEGMENT) <= edge.max(31 * SEGMENT + 38_000), "{edge}");
    acks.in_order(at(51), (32 * SEGMENT, 0), 1, (false, false, false), &params);
    assert!(told(&mut acks, at(51), 32 * SEGMENT) > 31 * SEGMENT + 60_000);
}

/// A flow in slow start over 10 Mbit/s and 20 ms, as the receiver of Linux 6.18 saw it: times in milliseconds.
#[test]
fn a_round_lasts_as_long_as_round_trips_take() {
    const SEGMENT: u64 = 1448;
    let params = params(r#"{"profile": "linux"}"#);
    let at = |ms: f64| Time::from_nanos((ms * 1e6) as u64);
    let arrival =
        |i: u64| at(if i <= 10 { 33.0 + 1.2 * (i - 1) as f64 } else { 54.2 + 1.2 * (i - 11) as f64 });
    let mut acks = Acks::new(&params, SEGMENT, false);
    acks.answered(at(10.0));
    acks.heard(at(31.0));
    let first = 65_536 * 160 / 128;
    for i in 1..=32 {
        let now = arrival(i);
        // The acknowledgement of segment k let 2k + 9 and 2k + 10 leave.
        acks.echoed(now, (i.saturating_sub(9) / 2) as u16);
        acks.in_order(now, (i * SEGMENT, 0), 1, (false, false, false), &params);
        acks.sent(now, i * SEGMENT);
        assert!(i > 30 || acks.clamp == first, "segment {i}: {}", acks.clamp);
    }
    // Measured: 151 to 171 kB, by a kernel that keeps no cushion of 16 segments; with it, by hand, 20 segments after 11 give
    // 81,088 + 2 * 81,088 * 9 / 11 bytes. A round as long as when it began would end at segment 29.
    assert!((213_000..214_000).contains(&acks.clamp), "{}", acks.clamp);
}

/// Linux net/ipv4/tcp_input.c: tcp_event_data_recv.
#[test]
fn a_segment_of_fewer_than_128_bytes_opens_no_window() {
    let params = params(r#"{"profile": "linux"}"#);
    let opened = [127, 128].map(|bytes| {
        let mut acks = Acks::new(&params, 1448, false);
        acks.in_order(Time::ZERO, (1448, 0), 1, (false, false, false), &params);
        let before = acks.window;
        acks.in_order(Time::ZERO, (1448 + bytes, 0), 1, (false, false, false), &params);
        acks.window - before
    });
    assert_eq!(opened, [0, 2 * 1448]);
}

/// Where the round-trip time is less than a tick, a window of data shows it.
#[test]
fn a_window_of_data_shows_a_short_round_trip() {
    const SEGMENT: u64 = 1448;
    let params = params(r#"{"profile": "linux"}"#);
    let mut acks = Acks::new(&params, SEGMENT, false);
    for i in 1..=120 {
        acks.in_order(Time::from_nanos(2_000 * i), (i * SEGMENT, 0), 1, (false, false, false), &params);
        acks.sent(Time::from_nanos(2_000 * i), i * SEGMENT);
        acks.advertise(0, i * SEGMENT);
    }
    // 65,160 bytes are 45 segments, in 90 us.
    assert_eq!(acks.data_rtt, 8 * 90);
    assert!(acks.clamp > 65_536 * 160 / 128, "{}", acks.clamp);
}

/// Linux net/ipv4/tcp_input.c: the clocks of tcp_rcv_rtt_measure and tcp_rcv_space_adjust. From 1.9 us to 12.1 us eleven
/// microseconds pass, and as many from 2.9 us to 13.0 us; an eighth of a microsecond is lost to the mean.
#[test]
fn round_trips_of_data_last_whole_microseconds() {
    let at = |ns| Time::from_nanos(ns);
    let mut acks = Acks::new(&params(r#"{"profile": "linux"}"#), 1448, false);
    acks.window_began = at(1_900);
    acks.end_window(at(12_100));
    assert_eq!(acks.data_rtt, 8 * 11);
    acks.begin_round(at(2_900));
    let ends = [12_999, 13_000].map(|now| {
        acks.arrived = 1;
        acks.review(at(now), 0);
        acks.arrived == 0
    });
    assert_eq!(ends, [false, true]);
    acks.show_rtt(Duration::from_micros(12), true);
    assert_eq!(acks.data_rtt, 8 * 11 - 11 + 12);
}

/// Segments of 8948 bytes: by hand from tcp_select_initial_window, tcp_init_buffer_space and tcp_measure_rcv_mss. Of 65,536 bytes
/// seven segments are advertised, and one is kept back; a packet takes 12,544 bytes of memory.
#[test]
fn jumbo_segments_open_the_window_in_the_first_round() {
    const SEGMENT: u64 = 8_948;
    let params = params(r#"{"profile": "linux"}"#);
    let mut acks = Acks::new(&params, SEGMENT, false);
    assert_eq!((acks.window, acks.space), (56_588, 56_588));
    let at = |ms: u64| Time::ZERO + Duration::from_millis(ms);
    acks.answered(at(0));
    acks.sent(at(0), 0);
    acks.heard(at(40));
    // Seven segments, and in the next round ten: more than the measure.
    for i in 1..=17 {
        let now = at(if i <= 7 { 40 } else { 80 });
        acks.echoed(now, if i <= 7 { 0 } else { 1 });
        acks.in_order(now, (i * SEGMENT, 0), 1, (false, false, false), &params);
        acks.sent(now, i * SEGMENT);
        if i == 7 {
            assert_eq!(acks.clamp, 131_072 * (256 * SEGMENT / 12_544) / 256);
        }
    }
    // Eight segments by the first of the second round: 2 * 71,584 and 16 * 8948, and 2 * 14,996 / 56,588 of that more.
    assert_eq!(acks.clamp, 286_336 + 2 * (286_336 * 14_996 / 56_588));
}

/// A segment of 500 bytes takes 1280 of memory, and changes nothing; one of 536 does.
#[test]
fn segments_below_536_bytes_show_no_memory() {
    for (segment, clamp) in [(500, 65_536), (536, 65_536 * (536 * 256 / 1_280) / 128)] {
        let params = params(r#"{"profile": "linux"}"#);
        let mut acks = Acks::new(&params, segment, false);
        acks.in_order(Time::ZERO, (segment, 0), 1, (false, false, false), &params);
        assert_eq!(acks.clamp, clamp, "{segment}");
    }
}

/// The first two segments show the time of a round trip: then the buffer follows what was read in it.
#[test]
fn a_buffer_of_a_segment_grows_when_data_is_read() {
    for (first, segment) in [("0B", 1_448), ("1B", 536)] {
        let params = params(&format!(r#"{{"profile": "linux", "initial_receive_window": "{first}"}}"#));
        let mut acks = Acks::new(&params, segment, false);
        let at = |ms: u64| Time::ZERO + Duration::from_millis(ms);
        acks.answered(at(0));
        acks.sent(at(0), 0);
        acks.heard(at(40));
        assert_eq!(acks.buffer(), Some(segment), "at first");
        for i in 1..=2 {
            acks.echoed(at(40 * i), 0);
            acks.in_order(at(40 * i), (i * segment, 0), 1, (false, false, false), &params);
            assert!(
                acks.buffer() >= Some(segment),
                "it shrinks by the memory that segments take, and keeps room for one"
            );
        }
        assert!(acks.clamp > 18 * segment, "{}", acks.clamp);
    }
}

/// An acknowledgement that leaves at once finds the buffer full; the answer to a probe finds it read.
#[test]
fn a_probe_finds_the_buffer_read() {
    let params = params(r#"{"profile": "linux", "initial_receive_window": "1448B"}"#);
    let mut acks = Acks::new(&params, 1_448, false);
    // 1448 bytes are promised, of which 157 parts of 128 are the buffer.
    let verdict = acks.in_order(ms(1.0), (1_448, 0), 1, (true, false, false), &params);
    assert_eq!((verdict, acks.advertise(0, 1_448)), (Verdict::Now, 1));
    acks.in_order(ms(2.0), (2_896, 0), 1, (true, false, false), &params);
    let before = acks.advertise(0, 2_896);
    acks.probed(0);
    assert!(acks.advertise(0, 2_896) > before, "{before}");
}

/// The window grows because the application reads, and it reads after the acknowledgement.
#[test]
fn a_larger_buffer_counts_from_the_next_segment() {
    const SEGMENT: u64 = 1448;
    let params = params(r#"{"profile": "linux"}"#);
    let at = |ms: f64| Time::from_nanos((ms * 1e6) as u64);
    let mut acks = Acks::new(&params, SEGMENT, false);
    acks.answered(at(0.0));
    acks.sent(at(0.0), 0);
    acks.heard(at(50.0));
    let (mut waiting, mut told) = (0, Vec::new());
    // Ten segments a round trip, then twenty, as in slow start.
    for i in 1..=33_u64 {
        let now = at(if i <= 10 { 50.0 + 0.5 * i as f64 } else { 100.4 + 2.5 * (i - 10) as f64 });
        acks.echoed(now, (i.saturating_sub(9) / 2) as u16);
        waiting += 1;
        if acks.in_order(now, (i * SEGMENT, 0), waiting, (false, false, false), &params) == Verdict::Now {
            acks.sent(now, i * SEGMENT);
            told.push(i);
            waiting = 0;
        }
    }
    let grew = acks.clamp > 65_536 * 160 / 128;
    assert!(grew, "the second round trip brought twice as much");
    // Measured on Linux 6.12 (`--draw 26 --seed 1`, cell 2): 22, 24, 26, 28, 30, 32, 33.
    assert_eq!(told[21..], [22, 24, 26, 28, 30, 32, 33]);
}

/// Linux net/ipv4/tcp.c: the end of __tcp_cleanup_rbuf. A hole is filled, and 40 of 55 segments of the buffer wait to be read: the window
/// is 15 segments, and then 55, or 45 while ten wait beyond another hole. Of 25 segments the window does not become twice as large.
#[test]
fn a_window_that_is_twice_as_large_is_told_at_once() {
    let params = params(r#"{"profile": "linux"}"#);
    let filled = |segments: u64, held: u64, window: u64| {
        let mut acks = Acks::new(&params, 1448, false);
        acks.in_order(ms(1.0), (1448, 0), 1, (false, false, false), &params);
        (acks.window, acks.promised) = (window, 0);
        let next = (1 + segments) * 1448;
        acks.in_order(ms(2.0), (next, held * 1448), 1, (true, false, false), &params);
        acks.advertise(0, next);
        (acks.reopens(next, held * 1448), acks.reopens(next, 0), acks.room)
    };
    assert_eq!(filled(40, 0, 81_920), (true, false, 81_920));
    assert_eq!(filled(40, 10, 81_920), (true, false, 81_920 - 10 * 1440));
    assert_eq!(filled(20, 0, 81_920), (false, false, 81_920 - 20 * 1440));
    // Of 30 segments the buffer would have room, but the window has opened to 60,000 bytes only: less than twice 38,720.
    assert_eq!(filled(30, 0, 60_000), (false, false, 81_920 - 30 * 1440));
}

/// 2304 bytes of memory, of which 160 parts of 256 are window.
#[test]
fn a_full_segment_takes_1440_bytes_of_the_window() {
    const SEGMENT: u64 = 1448;
    let params = params(r#"{"profile": "linux"}"#);
    let mut acks = Acks::new(&params, SEGMENT, false);
    acks.in_order(ms(1.0), (SEGMENT, 4 * SEGMENT), 1, (true, false, false), &params);
    assert_eq!(acks.clamp - acks.room, 5 * 1440);
    acks.unexpected(ms(2.0), (9 * SEGMENT, 10 * SEGMENT), (SEGMENT, 5 * SEGMENT), NEWS);
    assert_eq!(acks.clamp - acks.room, 5 * 1440);
}
