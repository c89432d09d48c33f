use std::sync::Arc;

use dumbbell_core::BitRate;

use super::super::growth::tests::signals;
use super::super::{ControllerSpec, Rate, RateSample};
use super::*;
use crate::tcp;
use crate::testing::{Fate, Pipe, opening, read};
use crate::transport::{ReceiveEnd, SendEnd, Transport};

/// 10 Mbit/s, 50 ms, and so many packets of buffer; 42 are the bandwidth-delay product.
fn path(buffer: u64) -> Pipe<tcp::Sender, tcp::Receiver> {
    let params: Arc<tcp::Params> = Arc::new(read(r#"{"profile": "linux", "controller": "bbr"}"#));
    Pipe::new(params.open(opening(None)), |_, _, _| Fate::Pass)
        .shaped(Some(BitRate::from_bps(10_000_000)), Duration::from_millis(50))
        .buffered(buffer)
}

fn second(n: f64) -> Time {
    Time::ZERO + Duration::from_secs_f64(n)
}

#[test]
fn alone_it_fills_the_link_and_probes_every_ten_seconds() {
    let mut pipe = path(42);
    let (mut closed, mut delivered) = (Vec::new(), 0);
    pipe.until(|p| {
        let is_closed = p.now > second(1.0) && p.sender.report().window <= 4 * 1448;
        match closed.last_mut() {
            Some((_, until @ None)) if !is_closed => *until = Some(p.now),
            None | Some((_, Some(_))) if is_closed => closed.push((p.now, None)),
            _ => {}
        }
        if p.now < second(5.0) {
            delivered = p.receiver.report().delivered;
        }
        p.now >= second(61.0)
    });
    let share = (pipe.receiver.report().delivered - delivered) as f64 * 8.0 / 56.0 / (10e6 * 1448.0 / 1500.0);
    assert!(share > 0.95, "of the link: {share}");
    assert_eq!(closed.len(), 5, "{closed:?}");
    for pair in closed.windows(2) {
        let between = pair[1].0.since(pair[0].0).as_secs_f64();
        // Ten seconds from the end of the one before, which lasts until four segments are out, 200 ms and a round trip more.
        assert!((10.2..10.6).contains(&between), "{between}");
    }
    for (from, until) in closed {
        let lasted = until.unwrap().since(from).as_secs_f64();
        assert!((0.2..0.4).contains(&lasted), "{lasted}");
    }
}

#[test]
fn segments_leave_at_the_pacing_rate() {
    let mut pipe = path(42);
    pipe.until(|p| p.now >= second(9.0));
    let mut sent: Vec<Time> = pipe.forward.iter().map(|(at, _)| *at).filter(|at| *at > second(3.0)).collect();
    sent.dedup();
    // Two leave together.
    let rate = 10e6 / 8.0 / 1500.0 / 2.0;
    let shortest = sent.windows(2).map(|w| w[1].since(w[0]).as_secs_f64()).fold(1.0, f64::min);
    // At most a quarter above the rate of the link.
    assert!(shortest > 0.95 / (1.25 * rate), "{shortest}");
}

#[test]
fn startup_doubles_the_rate_and_drains_its_queue() {
    let mut pipe = path(400);
    let (mut longest, mut drained) = (Duration::ZERO, None);
    pipe.until(|p| {
        let smoothed = p.sender.report().smoothed_rtt;
        longest = longest.max(smoothed);
        if longest > Duration::from_millis(80) && smoothed < Duration::from_millis(60) {
            drained = drained.or(Some(p.now));
        }
        p.now >= second(3.0)
    });
    // A window of 2.885 bandwidth-delay products leaves a queue of 1.885, with room for bursts.
    assert!(longest > Duration::from_millis(110) && longest < Duration::from_millis(190), "{longest}");
    assert!(drained.is_some_and(|at| at < second(2.0)), "{drained:?}");
}

/// A rate in bytes a second, of segments of 1000 bytes.
fn bw(rate: u64) -> u64 {
    rate / 1000 * BW_UNIT / 1_000_000
}

/// A controller that receives one acknowledgement per round.
struct Told {
    bbr: Box<Bbr>,
    control: Control,
    signals: Signals,
}

impl Told {
    fn new() -> Told {
        let mut told = Told {
            bbr: Params::default().build(),
            control: Control { window: 10_000, ..Control::default() },
            signals: signals(Event::Start, Time::ZERO, 0, 0),
        };
        told.bbr.on(&told.signals, &mut told.control);
        told.signals.event = Event::Ack;
        told
    }

    /// A round trip of 100 ms at a rate, with so many bytes left in flight and so many lost.
    fn round(&mut self, rate: f64, flight: u64, lost: u64) {
        let s = &mut self.signals;
        s.now += Duration::from_millis(101);
        s.acked = (rate * 0.1) as u64;
        s.rate = RateSample {
            rate: Rate::from_f64(rate),
            prior_delivered: s.delivered,
            delivered: s.acked,
            interval: Duration::from_millis(100),
            in_flight: flight,
            ..RateSample::NONE
        };
        s.delivered += s.acked;
        (s.flight, s.lost) = (flight, lost);
        self.bbr.on(s, &mut self.control);
    }

    /// After startup and drain.
    fn steady() -> Told {
        let mut told = Told::new();
        for _ in 0..6 {
            told.round(1e6, 100_000, 0);
        }
        assert_eq!(told.bbr.state, State::ProbeBw);
        told
    }

    /// For long in the faster phase. 100 kB are the product; the next acknowledgement brings nothing, and begins no round.
    fn probing() -> Told {
        let mut told = Told::steady();
        while told.bbr.phase.0 != 0 {
            told.round(1e6, 100_000, 0);
        }
        told.signals.acked = 0;
        told.signals.rate.prior_delivered = 0;
        told.bbr.phase.1 = 0;
        told
    }
}

#[test]
fn startup_ends_after_three_rounds_without_growth() {
    let mut told = Told::new();
    let mut rounds = Vec::new();
    for rate in [1e5, 2e5, 4e5, 4.4e5, 4.8e5, 6e5, 6e5, 6e5, 6e5] {
        assert_eq!(told.bbr.state, State::Startup, "{rounds:?}");
        told.round(rate, 500_000, 0);
        rounds.push(told.bbr.plateau.rounds);
    }
    assert_eq!(rounds, [0, 0, 0, 1, 2, 0, 1, 2, 3]);
    assert_eq!(told.bbr.state, State::Drain);
    // Linux net/ipv4/tcp_bbr.c: bbr_drain_gain.
    let pacing = told.control.pacing.as_f64();
    assert!((pacing - 6e5 * 0.99 * 88.0 / 256.0).abs() < 200.0, "{pacing}");
}

#[test]
fn one_phase_of_eight_is_faster_and_the_next_slower() {
    let mut told = Told::steady();
    let mut gains = Vec::new();
    for _ in 0..16 {
        told.round(1e6, 130_000, 0);
        gains.push((told.control.pacing.as_f64() / 0.99 / 1e4).round());
    }
    let up = gains.iter().position(|g| *g == 125.0).unwrap();
    let cycle: Vec<f64> = (0..8).map(|i| gains[up + i]).collect();
    assert_eq!(cycle, [125.0, 75.0, 100.0, 100.0, 100.0, 100.0, 100.0, 100.0]);
}

#[test]
fn the_faster_phase_ends_with_enough_in_flight_or_a_loss() {
    for (flight, lost, gain) in [(0, 0, 320), (150_000, 0, 192), (0, 1000, 192)] {
        let mut told = Told::probing();
        told.signals.flight = flight;
        told.signals.lost = lost;
        told.bbr.on(&told.signals, &mut told.control);
        assert_eq!(told.bbr.pacing_gain, gain, "{flight} {lost}");
    }
}

#[test]
fn the_largest_rate_expires_after_ten_rounds() {
    let mut told = Told::steady();
    told.round(2e6, 100_000, 0);
    told.signals.rate.app_limited = true;
    for _ in 0..10 {
        told.round(1e6, 100_000, 0);
        assert_eq!(told.bbr.bw.largest(), bw(2_000_000));
    }
    told.round(1e6, 100_000, 0);
    assert_eq!(told.bbr.bw.largest(), bw(1_000_000));
}

#[test]
fn losses_leave_the_rate_and_the_window_returns() {
    let mut told = Told::steady();
    let (pacing, window) = (told.bbr.bw.largest(), told.control.window);
    let loss = Signals { event: Event::Loss, acked: 0, ..told.signals };
    told.bbr.on(&loss, &mut told.control);
    told.signals.in_recovery = true;
    told.round(1e6, 50_000, 3000);
    told.signals.in_recovery = false;
    assert_eq!(told.control.window, 150_000, "what is in flight and what was delivered");
    let over = Signals { event: Event::Recovered, acked: 0, lost: 0, ..told.signals };
    told.bbr.on(&over, &mut told.control);
    told.round(1e6, 50_000, 0);
    assert!(told.control.window >= window, "{}", told.control.window);
    assert_eq!(told.bbr.bw.largest(), pacing);
}

#[test]
fn a_policer_is_found_and_held_for_48_rounds() {
    for (lost, found) in [(15_000, false), (25_000, true)] {
        let mut told = Told::steady();
        for _ in 0..12 {
            told.round(1e6, 100_000, lost);
        }
        let rate = told.bbr.policer.rate();
        assert_eq!(rate.is_some(), found, "{lost}");
        if found {
            assert!(rate.unwrap().abs_diff(bw(1_000_000) * 100 / 101) < bw(10_000), "{rate:?}");
            let held = (0..100).take_while(|_| {
                told.round(1e6, 100_000, lost);
                told.bbr.policer.rate().is_some()
            });
            let held = held.count();
            assert!((40..=48).contains(&held), "{held}");
        }
    }
}

#[test]
fn bounds_of_parameters_are_told_where_they_stand() {
    let value = dumbbell_core::json::from_str(r#"{"kind": "bbr", "window_gain": 4}"#).unwrap();
    let error = <ControllerSpec as dumbbell_core::Config>::from_value(&value, &At::root("controller"));
    assert_eq!(
        error.unwrap_err().to_string(),
        "controller.window_gain: 4 is out of range; give a number from 1 to 2.89"
    );
}

#[test]
fn flows_begin_the_cycle_in_any_phase_but_the_slower_one() {
    let mut begun = [0; 8];
    for seed in 0..200 {
        let mut bbr = Params::default().build();
        bbr.start(dumbbell_core::rng::stream(seed, "test").into());
        bbr.begin_cycle(Time::ZERO);
        begun[bbr.phase.0] += 1;
    }
    assert_eq!(begun[1], 0);
    assert!(begun.iter().enumerate().all(|(i, n)| i == 1 || *n > 10), "{begun:?}");
}

/// Where twenty cycles begin.
fn begun(params: &Params) -> Vec<usize> {
    let mut bbr = params.build();
    bbr.start(dumbbell_core::rng::stream(1, "test").into());
    let mut begin = || {
        bbr.begin_cycle(Time::ZERO);
        bbr.phase.0
    };
    (0..20).map(|_| begin()).collect()
}

#[test]
fn other_numbers_are_drawn_for_each_number_of_draws() {
    let phases = |draws| begun(&Params { draws, ..Params::default() });
    let drawn = [0, 1, 2].map(phases);
    assert!(drawn[0] != drawn[1] && drawn[1] != drawn[2] && drawn[0] != drawn[2], "{drawn:?}");
    assert_eq!(phases(2), drawn[2]);
}

#[test]
fn cycles_begin_in_the_phases_that_are_known_and_then_where_they_would() {
    let phases = |phases: &[u32]| begun(&Params { phases: phases.to_vec(), ..Params::default() });
    let (drawn, known) = (phases(&[]), phases(&[7, 0, 3]));
    assert_eq!(known[..3], [7, 0, 3]);
    assert_eq!(known[3..], drawn[3..]);
    assert_ne!(known[..3], drawn[..3]);
    let refused = |phase| Params { phases: vec![2, phase], ..Params::default() }.validate(&At::root("bbr"));
    assert!([1, 8].into_iter().all(|phase| refused(phase).is_err()) && refused(7).is_ok());
}

#[test]
fn after_a_timeout_that_was_none_startup_looks_for_growth_again() {
    let mut told = Told::new();
    for _ in 0..3 {
        told.round(1e6, 500_000, 0);
    }
    assert_eq!(told.bbr.plateau.rounds, 2);
    let window = told.control.window;
    let event = |event| Signals { event, acked: 0, ..told.signals };
    let (timeout, undone) = (event(Event::Timeout), event(Event::Undone));
    told.bbr.on(&timeout, &mut told.control);
    assert_eq!(told.control.window, 1000);
    told.bbr.on(&undone, &mut told.control);
    assert_eq!(told.bbr.plateau.rounds, 0);
    told.round(1e6, 500_000, 0);
    assert!(told.control.window >= window, "{}", told.control.window);
}

#[test]
fn after_an_idle_time_it_paces_at_the_rate() {
    let mut told = Told::steady();
    told.signals.now += Duration::from_secs(20);
    let mut restart = Signals { event: Event::Restart, acked: 0, flight: 0, ..told.signals };
    restart.rate = RateSample { app_limited: true, ..RateSample::NONE };
    told.bbr.on(&restart, &mut told.control);
    assert!((told.control.pacing.as_f64() - 0.99e6).abs() < 200.0, "{:?}", told.control.pacing);
    told.signals.rate.app_limited = true;
    told.round(1e6, 10_000, 0);
    assert_eq!(told.bbr.state, State::ProbeBw);
}

#[test]
fn a_rate_that_the_application_held_down_counts_if_it_is_larger() {
    // draft-cardwell-iccrg-bbr-congestion-control-00 section 4.1.1.3.
    let mut bbr = Params::default().build();
    let mut told = signals(Event::Ack, Time::ZERO, 1000, 10_000);
    let mut take = |rate, app_limited| {
        let (delivered, interval) = (rate / 10, Duration::from_millis(100));
        let rate = Rate::from_bytes_per_second(rate);
        told.rate = RateSample { rate, delivered, interval, app_limited, ..RateSample::NONE };
        bbr.take_rate(&told);
        bbr.bw.largest()
    };
    let found = [take(1_000_000, false), take(500_000, true), take(2_000_000, true)];
    assert_eq!(found, [1_000_000, 1_000_000, 2_000_000].map(bw));
}

#[test]
fn the_first_rate_is_set_once() {
    // Section 4.2.1: the initial window in a round trip, as soon as one is known; in startup the rate does not fall.
    let mut bbr = Params::default().build();
    let told = signals(Event::Ack, Time::ZERO, 1000, 10_000);
    let mut control = Control { window: 10_000, pacing: Rate::ZERO, ..Control::default() };
    let mut set = |bbr: &mut Bbr, bw, gain, window| {
        control.window = window;
        bbr.set_pacing(bw, gain, &told, &mut control);
        control.pacing.bytes_per_second()
    };
    // Linux net/ipv4/tcp_bbr.c, by hand: 10 segments in 100 ms are 1677 parts of 2^24 of a segment in a microsecond, times 739 / 256, a
    // hundredth less.
    let first = 1677 * 1000 * 739 / 256 * 990_000 / (1 << 24);
    assert_eq!(set(&mut bbr, 0, 739, 10_000), first);
    assert_eq!(set(&mut bbr, 1000, 739, 20_000), first, "the pipe may not be full");
    bbr.plateau.reached = true;
    assert_eq!(set(&mut bbr, 1000, 320, 20_000), 1000 * 1000 * 320 / 256 * 990_000 / (1 << 24));
}

#[test]
fn an_old_round_trip_time_gives_way_to_one_that_was_not_delayed() {
    // Linux net/ipv4/tcp_bbr.c: bbr_update_min_rtt. After ten seconds a longer one counts, but not that of a lone short segment.
    for (now, rtt, bytes, kept) in [
        (10.0, 80, 10_000, 50),
        (10.1, 80, 999, 50),
        (10.1, 80, 1000, 80),
        (10.1, 0, 2000, 50),
        (1.0, 49, 9, 49),
    ] {
        let mut bbr = Params::default().build();
        (bbr.rtt, bbr.rtt_seen_at) = (Some(50_000), Time::ZERO);
        let mut told = signals(Event::Ack, second(now), bytes, 10_000);
        told.rtt = Duration::from_millis(rtt);
        told.rate = RateSample { in_flight: bytes, delivered: bytes, ..RateSample::NONE };
        bbr.take_rtt(&told, &mut Control::default(), false);
        assert_eq!(bbr.rtt, Some(kept * 1000), "{rtt} ms of {bytes} after {now} s");
    }
}

#[test]
fn gains_are_256ths() {
    // Linux net/ipv4/tcp_bbr.c: bbr_high_gain, bbr_drain_gain, bbr_cwnd_gain, bbr_pacing_gain.
    let gains = Gains::of(&Params::default());
    assert_eq!((gains.high, gains.drain, gains.window), (739, 88, 512));
    assert_eq!(CYCLE[..3], [320, 192, 256]);
}

#[test]
fn bursts_are_no_longer_than_a_piece() {
    // Linux net/ipv4/tcp_bbr.c: bbr_tso_segs_goal. 65,215 bytes, 45 segments of 1448.
    let told = Signals { mss: 1448, ..signals(Event::Ack, Time::ZERO, 0, 0) };
    for (rate, segments) in [(100_000, 1), (1_000_000, 2), (10_000_000, 6), (1_000_000_000, 45)] {
        let control = Control { pacing: Rate::from_bytes_per_second(rate), ..Control::default() };
        assert_eq!(Bbr::burst(&control, &told), segments, "{rate}");
    }
}

#[test]
fn a_loss_that_a_probe_repaired_conserves_nothing() {
    // Linux net/ipv4/tcp_input.c: tcp_process_tlp_ack passes CWR, not Recovery.
    let mut told = Told::steady();
    let window = told.control.window;
    let loss = Signals { event: Event::Loss, acked: 0, ..told.signals };
    told.bbr.on(&loss, &mut told.control);
    told.round(1e6, 1000, 0);
    assert!(!told.bbr.conserves && told.control.window >= window, "{}", told.control.window);
}

#[test]
fn the_syn_counts_among_the_first_segments() {
    // Linux net/ipv4/tcp_bbr.c: bbr_set_cwnd grows above the target while fewer than ten were delivered, with the SYN.
    for (delivered, grown) in [(8000, true), (9000, false)] {
        let mut told = Told::new();
        told.control.window = 50_000;
        told.signals.acked = 1000;
        told.signals.delivered = delivered;
        told.bbr.on(&told.signals, &mut told.control);
        assert_eq!(told.control.window > 50_000, grown, "{delivered}");
    }
}

#[test]
fn a_closed_window_keeps_the_larger_one_of_before() {
    // Linux net/ipv4/tcp_bbr.c: bbr_update_min_rtt calls bbr_save_cwnd when it is in BBR_PROBE_RTT already.
    let mut told = Told::steady();
    told.bbr.window_before = 700_000;
    told.signals.now += Duration::from_secs(11);
    told.round(1e6, 100_000, 0);
    assert_eq!((told.bbr.state, told.bbr.window_before), (State::ProbeRtt, 700_000));
}

/// Linux net/ipv4/tcp_bbr.c: bbr_packets_in_net_at_edt. At 1 MB/s, 20 segments arrive until the next packet departs.
#[test]
fn what_arrives_before_the_next_packet_departs_does_not_count() {
    let ends = |flight: u64, wait: u64| {
        let mut told = Told::probing();
        told.signals.flight = flight;
        told.signals.departs_at = told.signals.now + Duration::from_millis(wait);
        told.bbr.on(&told.signals, &mut told.control);
        told.bbr.pacing_gain == 192
    };
    assert!(ends(150_000, 0) && !ends(150_000, 20) && ends(170_000, 20));
}

/// Linux net/ipv4/tcp_input.c: tcp_ack counts what it marks as lost, whether recovery has begun or begins (rate_sample::losses).
#[test]
fn a_loss_that_begins_recovery_belongs_to_its_acknowledgement() {
    let samples = |timer: bool| {
        let mut told = Told::steady();
        let now = told.signals.now + Duration::from_millis(if timer { 50 } else { 101 });
        let loss = Signals { event: Event::Loss, acked: 0, lost: 1000, now, ..told.signals };
        told.bbr.on(&loss, &mut told.control);
        told.round(1e6, 50_000, 0);
        told.bbr.policer.samples()
    };
    assert!(samples(false), "found by an acknowledgement");
    assert!(!samples(true), "found by a timer");
}
