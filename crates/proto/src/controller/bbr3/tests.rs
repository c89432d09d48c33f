//! Single steps of draft-ietf-ccwg-bbr, each by the sections named, with segments of 1000 bytes.

use dumbbell_core::{Duration, Time};

use super::super::growth::tests::signals;
use super::super::{Build, Control, Event, Rate, RateSample, Signals};
use super::params::Params;
use super::{AckPhase, Core, NONE, Sample, State};

const SECOND: Duration = Duration::from_secs(1);

fn at(millis: u64) -> Time {
    Time::ZERO + Duration::from_millis(millis)
}

/// A controller that has begun with a window of ten segments and a round-trip time of 100 ms.
fn core() -> (Core, Control, Signals) {
    let mut core = *Params::default().build().0;
    let mut control = Control { window: 10_000, ..Control::default() };
    let mut told = signals(Event::Start, Time::ZERO, 0, 0);
    core.start(&told, &mut control);
    told.event = Event::Ack;
    (core, control, told)
}

/// One with a full pipe, 1 MB/s over 100 ms: a bandwidth-delay product of 100 segments.
fn full() -> (Core, Control, Signals) {
    let (mut core, control, told) = core();
    (core.full_bw_reached, core.bw, core.max_bw, core.state) = (true, 1e6, 1e6, State::Cruise);
    (core, control, told)
}

fn sample(rate: f64) -> Sample {
    let rate =
        RateSample { rate: Rate::from_f64(rate), delivered: 10_000, in_flight: 10_000, ..RateSample::NONE };
    Sample { rate, has_data: true, app_limited: false }
}

#[test]
fn the_first_rate_is_the_initial_window_in_a_round_trip() {
    let (core, control, _) = core();
    // Section 5.6.2: StartupPacingGain, 2.77, of 10 segments in 100 ms.
    assert!((control.pacing.as_f64() - 2.77 * 10_000.0 / 0.1).abs() < 1.0, "{:?}", control.pacing);
    assert_eq!((core.mss, core.initial_cwnd, core.has_seen_rtt), (1000, 10_000, true));
    assert_eq!(core.min_rtt, Some(Duration::from_millis(100)));
}

#[test]
fn gains_follow_the_state() {
    let (mut core, _, _) = core();
    // Section 5.6.1, with the constants of sections 2.4 and 2.5.
    for (state, pacing, window) in [
        (State::Startup, 2.77, 2.0),
        (State::Drain, 0.5, 2.0),
        (State::Down, 0.9, 2.0),
        (State::Cruise, 1.0, 2.0),
        (State::Refill, 1.0, 2.0),
        (State::Up, 1.25, 2.25),
        (State::ProbeRtt, 1.0, 0.5),
    ] {
        core.state = state;
        assert_eq!((core.pacing_gain(), core.cwnd_gain()), (pacing, window), "{state:?}");
        assert_eq!(
            core.is_in_a_probe_bw_state(),
            (0.9..=1.25).contains(&pacing) && window >= 2.0,
            "{state:?}"
        );
    }
}

#[test]
fn the_pacing_rate_falls_only_with_a_full_pipe() {
    let (mut core, mut control, told) = core();
    let first = core.pacing_rate;
    core.bw = first / 10.0;
    core.set_pacing_rate(&told, &mut control);
    assert_eq!(control.pacing, Rate::from_f64(first), "in startup it does not fall (section 5.6.2)");
    core.full_bw_reached = true;
    core.set_pacing_rate_with_gain(1.0, &mut control);
    assert!((control.pacing.as_f64() - 0.99 * first / 10.0).abs() < 1e-6);
    core.bw = 0.0;
    core.set_pacing_rate_with_gain(1.0, &mut control);
    assert!(control.pacing > Rate::ZERO, "no rate was measured");
}

#[test]
fn what_leaves_together_lasts_a_millisecond_within_bounds() {
    // Section 5.6.3: two segments at least, 64 KB at most.
    for (rate, quantum) in [(1e6, 2000), (5e6, 5000), (1e9, 65_536)] {
        let (mut core, mut control, told) = full();
        (core.bw, core.pacing_rate) = (rate / 0.99, 0.0);
        core.set_pacing_rate(&told, &mut control);
        assert!(core.send_quantum.abs_diff(quantum) <= 1, "{rate}: {}", core.send_quantum);
    }
}

#[test]
fn the_window_grows_to_what_may_be_in_flight() {
    let (mut core, mut control, mut told) = core();
    // Section 5.6.4.6: before the pipe is full it grows with what is delivered, up to the bound or to the initial window.
    (told.acked, told.delivered) = (5000, 5000);
    core.bw = 1e6;
    for (window, delivered, grown) in [
        (199_000, 50_000, 204_000),
        (200_000, 50_000, 200_000),
        (300_000, 50_000, 300_000),
        (300_000, 9999, 305_000),
    ] {
        (control.window, told.delivered) = (window, delivered);
        core.set_cwnd(&told, &mut control);
        assert_eq!(control.window, grown, "{window} with {delivered}");
    }
    // Then never above: two products, what acknowledgements hold back, and in ProbeBW_UP a quarter and two segments more.
    let (mut core, mut control, mut told) = full();
    told.acked = 5000;
    for (state, extra, window, set) in [
        (State::Cruise, 0, 100_000, 105_000),
        (State::Cruise, 0, 199_000, 200_000),
        (State::Cruise, 30_000, 300_000, 230_000),
        (State::Up, 0, 300_000, 227_000),
        (State::ProbeRtt, 0, 300_000, 50_000),
        (State::Down, 0, 1000, 6000),
    ] {
        (core.state, core.extra_acked, control.window) = (state, extra, window);
        core.set_cwnd(&told, &mut control);
        assert_eq!(control.window, set, "{state:?} from {window}");
    }
    told.acked = 0;
    (core.state, control.window) = (State::Cruise, 1000);
    core.set_cwnd(&told, &mut control);
    assert_eq!(control.window, 4000, "section 2.6: BBR.MinPipeCwnd");
}

#[test]
fn the_window_keeps_to_the_bounds_of_the_model() {
    // Section 5.6.4.7; section 2.5: 15 % of headroom.
    for (state, longterm, shortterm, bound) in [
        (State::Down, 80_000, NONE, 80_000),
        (State::Up, 80_000, NONE, 80_000),
        (State::Refill, 80_000, NONE, 80_000),
        (State::Cruise, 80_000, NONE, 68_000),
        (State::Cruise, 80_000, 30_000, 30_000),
        (State::Cruise, NONE, NONE, 100_000),
        (State::Cruise, 80_000, 1000, 4000),
        (State::Startup, 80_000, NONE, 100_000),
    ] {
        let (mut core, mut control, told) = full();
        (core.state, core.inflight_longterm, core.inflight_shortterm) = (state, longterm, shortterm);
        control.window = 100_000;
        core.set_cwnd(&told, &mut control);
        assert_eq!(control.window, bound, "{state:?} {longterm} {shortterm}");
    }
}

#[test]
fn a_window_is_kept_and_comes_back() {
    let (mut core, mut control, _) = full();
    core.prior_cwnd = 90_000;
    core.save_cwnd(&control);
    assert_eq!(core.prior_cwnd, 10_000, "a new one");
    for (recovery, state) in [(true, State::Cruise), (false, State::ProbeRtt)] {
        (core.in_recovery, core.state, core.prior_cwnd) = (recovery, state, 90_000);
        core.save_cwnd(&control);
        assert_eq!(core.prior_cwnd, 90_000, "the larger");
    }
    core.restore_cwnd(&mut control);
    assert_eq!(control.window, 90_000);
    core.prior_cwnd = 1000;
    core.restore_cwnd(&mut control);
    assert_eq!(control.window, 90_000);
}

#[test]
fn three_rounds_without_a_quarter_more_show_a_full_pipe() {
    // Section 5.3.1.2.
    let (mut core, _, _) = core();
    core.round_start = true;
    let rates = [1e6, 1.25e6, 1.5e6, 1.5e6, 1.9e6, 2.3e6, 2.3e6, 2.3e6];
    let full: Vec<bool> = rates
        .map(|rate| {
            core.check_full_bw_reached(&sample(rate));
            core.full_bw_reached
        })
        .to_vec();
    assert_eq!(
        full,
        [false, false, false, false, false, false, false, true],
        "1.9 is a quarter above 1.25, 2.3 not above 1.9"
    );
    // Samples that the application limits, and those within a round, say nothing.
    for (round, app_limited) in [(false, false), (true, true)] {
        let (mut core, _, _) = self::core();
        core.round_start = round;
        (0..9).for_each(|_| core.check_full_bw_reached(&Sample { app_limited, ..sample(1e6) }));
        assert!(!core.full_bw_reached);
    }
}

#[test]
fn drain_ends_with_the_product_in_flight_or_after_three_rounds() {
    // Section 5.3.2.
    for (flight, rounds, done) in [(100_000, 0, true), (100_001, 3, false), (100_001, 4, true)] {
        let (mut core, _, mut told) = full();
        (core.state, core.drain_start_round, core.round_count) = (State::Drain, 7, 7 + rounds);
        told.flight = flight;
        core.check_drain_done(&told);
        assert_eq!(core.state == State::Down, done, "{flight} after {rounds}");
    }
}

#[test]
fn a_larger_rate_counts_though_the_application_limits_it() {
    // Section 5.5.5.
    let (mut core, control, told) = full();
    core.max_bw = core.max_bw_filter.update(0, 1e6);
    let mut take = |rate, app_limited| {
        core.update_congestion_signals(&told, &Sample { app_limited, ..sample(rate) }, &control);
        core.max_bw
    };
    assert_eq!([take(5e5, true), take(2e6, true), take(1e6, false)], [1e6, 2e6, 2e6]);
    core.bw_shortterm = 4e5;
    core.bound_bw_for_model();
    assert_eq!(core.bw, 4e5);
}

#[test]
fn the_excess_counts_from_where_acks_fell_behind() {
    // Section 5.5.9: 30 kB in 5 ms at 1 MB/s are 25 kB more than expected.
    let (mut core, mut control, mut told) = full();
    control.window = 100_000;
    core.extra_acked_interval_start = at(0);
    (told.now, told.acked) = (at(0), 10_000);
    core.update_ack_aggregation(&told, &control);
    (told.now, told.acked) = (at(5), 20_000);
    core.update_ack_aggregation(&told, &control);
    assert_eq!(core.extra_acked, 25_000);
    // It is no more than the window, and begins anew once it is made up for.
    control.window = 15_000;
    (told.now, told.acked) = (at(6), 10_000);
    core.update_ack_aggregation(&told, &control);
    assert_eq!(core.extra_acked_delivered, 40_000);
    (told.now, told.acked) = (at(46), 1000);
    core.update_ack_aggregation(&told, &control);
    assert_eq!((core.extra_acked_delivered, core.extra_acked_interval_start), (1000, at(46)));
}

#[test]
fn the_shortest_round_trip_time_lasts_ten_seconds() {
    // Section 5.3.4.3: MinRTTFilterLen, ProbeRTTInterval.
    let (mut core, _, mut told) = core();
    let mut see = |core: &mut Core, now, rtt| {
        (told.now, told.rtt) = (at(now), Duration::from_millis(rtt));
        core.update_min_rtt(&told);
        (core.min_rtt.unwrap().as_secs_f64() * 1e3, core.probe_rtt_expired)
    };
    assert_eq!(see(&mut core, 1000, 120), (100.0, false));
    assert_eq!(see(&mut core, 2000, 90), (90.0, false), "a shorter one at once");
    assert_eq!(see(&mut core, 7000, 95), (90.0, false), "five seconds after the shortest");
    assert_eq!(see(&mut core, 7001, 95), (90.0, true));
    assert_eq!(core.probe_rtt_min_delay, Some(Duration::from_millis(95)));
    assert_eq!(see(&mut core, 12_000, 99).0, 90.0);
    assert_eq!(see(&mut core, 12_001, 99).0, 95.0, "ten seconds after it");
    assert_eq!(see(&mut core, 30_000, 0).0, 95.0, "no round-trip time is none of zero");
}

#[test]
fn the_window_opens_200_ms_after_little_is_in_flight() {
    // Section 5.3.4.3: ProbeRTTDuration, and a round.
    let (mut core, mut control, mut told) = full();
    control.window = 80_000;
    core.probe_rtt_expired = true;
    told.flight = 50_001;
    core.check_probe_rtt(&told, &sample(1e6), &mut control);
    assert_eq!((core.state, core.prior_cwnd, core.probe_rtt_done_stamp), (State::ProbeRtt, 80_000, None));
    (told.now, told.flight) = (at(100), 4000);
    core.check_probe_rtt(&told, &sample(1e6), &mut control);
    assert_eq!(core.probe_rtt_done_stamp, Some(at(300)));
    control.window = 4000;
    for (now, round, state) in
        [(301, false, State::ProbeRtt), (300, true, State::ProbeRtt), (301, false, State::Cruise)]
    {
        (told.now, core.round_start) = (at(now), round);
        core.check_probe_rtt(&told, &sample(1e6), &mut control);
        assert_eq!(core.state, state, "{now}");
    }
    assert_eq!((control.window, core.probe_rtt_min_stamp), (80_000, at(301)));
    // It does not begin while sending begins again, until something is delivered.
    let (mut idle, mut control, told) = full();
    (idle.probe_rtt_expired, idle.idle_restart) = (true, true);
    idle.check_probe_rtt(&told, &sample(1e6), &mut control);
    assert_eq!((idle.state, idle.idle_restart), (State::Cruise, false));
}

#[test]
fn probes_wait_for_their_time_or_for_the_rounds_of_reno() {
    // Section 5.3.3.8.3: 63 rounds, or as many as the window has segments.
    for (waited, rounds, window, probes) in [
        (Duration::ZERO, 0, 100_000, false),
        (SECOND, 0, 100_000, false),
        (SECOND + Duration::from_nanos(1), 0, 100_000, true),
        (Duration::ZERO, 62, 100_000, false),
        (Duration::ZERO, 63, 100_000, true),
        (Duration::ZERO, 9, 10_000, false),
        (Duration::ZERO, 10, 10_000, true),
    ] {
        let (mut core, mut control, mut told) = full();
        (core.bdp, core.bw_probe_wait, core.rounds_since_probe_up) = (100_000, SECOND, rounds);
        (told.now, control.window) = (Time::ZERO + waited, window);
        core.update_probe_bw_cycle_phase(&told, &sample(1e6), &control);
        let expected = if probes { State::Refill } else { State::Cruise };
        assert_eq!(core.state, expected, "{waited} {rounds} {window}");
    }
}

#[test]
fn a_probe_raises_the_bound_twice_as_fast_in_each_round() {
    // Section 5.3.3.9, BBRRaiseInflightLongtermSlope: a segment a round, then two, then four.
    let (mut core, mut control, mut told) = full();
    (core.state, core.inflight_longterm, core.ack_phase) = (State::Up, 100_000, AckPhase::Feedback);
    (control.window, told.window_limited, core.round_start) = (100_000, true, true);
    (core.probe_up_acked_per_inc, told.acked) = (100_000, 100_000);
    for (bound, bytes_for_one) in [(101_000, 100_000), (102_000, 50_500), (103_000, 25_500)] {
        control.window = core.inflight_longterm;
        core.update_probe_bw_cycle_phase(&told, &sample(1e6), &control);
        assert_eq!((core.inflight_longterm, core.probe_up_acked_per_inc), (bound, bytes_for_one));
    }
    assert_eq!((core.bw_probe_up_rounds, core.bw_probe_up_acked), (3, 49_500), "the rest counts on");
    // A sender that the window does not limit learns nothing of it.
    let before = core.inflight_longterm;
    told.window_limited = false;
    core.update_probe_bw_cycle_phase(&told, &sample(1e6), &control);
    assert_eq!(core.inflight_longterm, before);
}

#[test]
fn more_than_the_threshold_is_too_much_and_no_less() {
    let (core, _, _) = full();
    // 2 % of 100,000 bytes.
    for (lost, too_high) in [(0, false), (1999, false), (2000, false), (2001, true)] {
        let rate = RateSample { lost, in_flight: 100_000, ..RateSample::NONE };
        assert_eq!(core.is_inflight_too_high(&rate), too_high, "{lost}");
    }
}

#[test]
fn a_startup_that_a_false_loss_has_ended_goes_on() {
    for (before, state, after) in [
        (Some(State::Startup), State::Drain, State::Startup),
        (Some(State::Startup), State::Startup, State::Startup),
        (Some(State::Startup), State::ProbeRtt, State::ProbeRtt),
        (Some(State::Up), State::Down, State::Refill),
        (Some(State::Up), State::Up, State::Up),
        (Some(State::Up), State::ProbeRtt, State::ProbeRtt),
        (Some(State::Cruise), State::Down, State::Down),
        (None, State::Drain, State::Drain),
    ] {
        let (mut core, mut control, told) = full();
        (core.state, core.undo.state) = (state, before);
        core.handle_spurious_loss_detection(&told, &mut control);
        assert_eq!((core.state, core.undo.state), (after, None), "{before:?} {state:?}");
        let begins_again = before == Some(State::Startup) && state != State::Startup;
        assert_eq!(core.full_bw_reached, !begins_again, "{before:?} {state:?}");
    }
}
