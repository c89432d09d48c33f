//! Laws of every policy on a link, over generated arrivals, and cases computed by hand.

use dumbbell_core::config::At;
use dumbbell_core::testing::lengths;
use dumbbell_core::{BitRate, Config, Duration, Ecn, Packet, QueueLimit, Time, Value};
use dumbbell_header::TcpHeader;
use proptest::prelude::*;

use super::{GuardFrom, Ledger, PolicySpec, Power, Span, State};
use crate::link::laws::{config_of, described};
use crate::link::{Incidents, Meter, QueuedLink};
use crate::queue::{QueueSpec, droptail};

const LINK: BitRate = BitRate::from_bps(10_000_000);

/// A port of 10 Mb/s from JSON.
fn power(text: &str) -> Power {
    let v: Value = dumbbell_core::json::from_str(text).unwrap();
    let power = Power::from_value(&v, &At::root("power")).unwrap();
    power.check(LINK, &At::root("power")).unwrap();
    assert_eq!(Power::from_value(&power.to_value(), &At::root("")).unwrap(), power);
    power
}

fn us(t: u64) -> Time {
    Time::from_nanos(t * 1000)
}

/// What happened on a link under power control.
struct Run {
    link: QueuedLink<Packet>,
    now: Time,
    drops: Incidents,
    dropped_at: Vec<Time>,
    offered: u64,
    /// Time of departure, number, size.
    out: Vec<(Time, u64, u16)>,
    /// The state from each time on: state, rate, rate before.
    states: Vec<(Time, State, f64, Option<f64>)>,
    /// When the port was set to another rate while awake, with the rate.
    changes: Vec<(Time, f64)>,
}

impl Run {
    fn new(power: Power, limit: QueueLimit) -> Run {
        let mut direction = described(r#"{"rate": "10Mbit/s", "delay": "0s", "queue": "droptail"}"#);
        direction.queue = QueueSpec::DropTail(droptail::Params { limit, count_in_service: false });
        direction.power = Some(power);
        let mut run = Run {
            link: QueuedLink::new(&config_of(direction)),
            now: Time::ZERO,
            drops: Vec::new(),
            dropped_at: Vec::new(),
            offered: 0,
            out: Vec::new(),
            states: Vec::new(),
            changes: Vec::new(),
        };
        run.look(0.0);
        run
    }

    fn rate(&self) -> f64 {
        self.link.port().unwrap().level_rate().as_bps() as f64
    }

    fn look(&mut self, rate_before: f64) {
        let (state, rate, previous) = self.link.port().unwrap().state();
        // A port that wakes to another level does not change its rate, even if it falls asleep and wakes at one time.
        let asleep = state == State::Waking || self.states.last().is_some_and(|s| s.1 == State::Sleep);
        if rate_before != 0.0 && self.rate() != rate_before && !asleep {
            self.changes.push((self.now, self.rate()));
        }
        self.states.push((self.now, state, rate, previous));
        self.dropped_at.resize(self.drops.len(), self.now);
    }

    /// Lets everything happen up to `until`.
    fn until(&mut self, until: Time) {
        while self.link.wake_at() <= until {
            let before = self.rate();
            self.now = self.link.wake_at();
            if let Some(p) = self.link.take(self.now, &mut self.drops) {
                self.out.push((self.now, p.body[0], p.size));
            }
            self.look(before);
        }
        self.now = until;
    }

    fn offer(&mut self, at: Time, size: u16) {
        self.until(at);
        let header = TcpHeader { number: self.offered, ..TcpHeader::default() };
        let before = self.rate();
        self.offered += 1;
        self.link.push(at, Packet::of(header, 0, size, Ecn::NotEct), &mut self.drops);
        self.look(before);
    }

    /// Time in each state as seen from outside.
    fn spans_seen(&self) -> Vec<Span> {
        let ends = self.states[1..].iter().map(|s| s.0).chain([self.now]);
        let lasting = self.states.iter().zip(ends);
        lasting
            .map(|(&(from, state, rate, previous), end)| Span {
                state,
                rate,
                previous,
                time: end.since(from),
            })
            .collect()
    }

    /// The state just before `t`.
    fn state_before(&self, t: Time) -> State {
        self.states[self.states.partition_point(|s| s.0 < t) - 1].1
    }

    fn ledger(&mut self) -> Ledger {
        self.link.read_port(self.now).unwrap()
    }

    fn rates_set(&self) -> Vec<f64> {
        self.changes.iter().map(|c| c.1 / 1e6).collect()
    }
}

fn check_laws(power: &Power, arrivals: &[(u64, u16)]) -> Result<(), TestCaseError> {
    let mut run = Run::new(power.clone(), QueueLimit::Packets(42));
    let mut now = Time::ZERO;
    for &(gap, size) in arrivals {
        now += Duration::from_nanos(gap);
        run.offer(now, size);
        let inside = run.link.inside();
        prop_assert_eq!(run.offered, run.out.len() as u64 + run.drops.len() as u64 + inside);
    }
    run.until(now + Duration::from_secs(3));
    prop_assert_eq!(run.link.inside(), 0, "everything leaves in the end");
    prop_assert!(run.out.is_sorted_by_key(|o| o.1), "in order");

    // Never faster than the rates that were set, over any interval between two departures: what could have been sent and
    // was not never shrinks. Each rounding down and each change of the rate may cut off a nanosecond.
    let mut capacity = vec![0.0];
    for span in &run.spans_seen()[..run.states.len() - 1] {
        let rate = if span.state == State::Busy { span.rate } else { 0.0 };
        capacity.push(capacity[capacity.len() - 1] + rate * span.time.as_secs_f64());
    }
    let (mut sent, mut most_unused) = (0.0, 0.0_f64);
    let slack = 1e-9 * LINK.as_bps() as f64 * (2 * run.states.len()) as f64;
    for &(t, _, size) in &run.out {
        prop_assert_eq!(run.state_before(t), State::Busy, "sent at {} while not transmitting", t);
        sent += 8.0 * f64::from(size);
        let unused = capacity[run.states.partition_point(|s| s.0 < t)] - sent;
        prop_assert!(unused + slack >= most_unused, "faster than set at {}", t);
        most_unused = most_unused.max(unused);
    }

    // At most one change of the rate in a guard; every pause has its length.
    let guard = match power.guard_from {
        GuardFrom::Start => power.guard,
        GuardFrom::End => power.guard + power.pause,
    };
    for w in run.changes.windows(2) {
        prop_assert!(w[1].0.since(w[0].0) >= guard, "{} and {}", w[0].0, w[1].0);
    }
    // One pause may follow another at once, between other rates.
    let mut pause: Option<(f64, Option<f64>, Duration)> = None;
    for span in run.spans_seen() {
        let here = (span.state == State::Pause).then_some((span.rate, span.previous));
        match &mut pause {
            Some((rate, previous, time)) if here == Some((*rate, *previous)) => *time += span.time,
            _ => {
                let length = pause.map_or(power.pause, |p| p.2);
                prop_assert!(length == power.pause, "a pause of {}", length);
                pause = here.map(|(rate, previous)| (rate, previous, span.time));
            }
        }
    }

    // The account is what was seen from outside, to the nanosecond, and so is the energy.
    let seen = run.spans_seen();
    let changes = run.changes.len() as u64;
    let elapsed = run.now.since(Time::ZERO);
    let ledger = run.ledger();
    let spans = ledger.spans();
    let total = spans.iter().fold(Duration::ZERO, |sum, s| sum + s.time);
    prop_assert_eq!(total, elapsed);
    for span in &spans {
        let same = |s: &&Span| (s.state, s.rate, s.previous) == (span.state, span.rate, span.previous);
        let time = seen.iter().filter(same).fold(Duration::ZERO, |sum, s| sum + s.time);
        prop_assert_eq!(time, span.time, "{:?}", span);
    }
    prop_assert_eq!(ledger.transitions, changes);
    let top = LINK.as_bps() as f64;
    let integral: f64 = seen.iter().map(|s| power.model.power(s, top) * s.time.as_secs_f64()).sum();
    prop_assert!((power.model.energy(&spans, top) - integral).abs() < 1e-9 * elapsed.as_secs_f64());
    Ok(())
}

fn arrivals() -> impl Strategy<Value = Vec<(u64, u16)>> {
    let gap = prop_oneof![4 => 0..1_500_000u64, 2 => 0..20_000_000u64, 1 => 0..200_000_000u64];
    prop::collection::vec((gap, 40..=1500u16), lengths(1..300))
}

proptest! {
    #[test]
    fn every_policy_obeys_the_laws_of_the_port(
        arrivals in arrivals(),
        policy in 0..PolicySpec::all_defaults().len(),
        (pause, guard) in prop_oneof![Just((2000, 16000)), Just((0, 0)), Just((1, 1)), Just((3000, 3000)), Just((0, 5000))],
        wake in prop_oneof![Just(1000u64), Just(0)],
        (hold, from_end, lowest) in any::<(bool, bool, bool)>(),
    ) {
        let word = |choice, yes: &'static str, no: &'static str| if choice { yes } else { no };
        let power = Power {
            policy: PolicySpec::all_defaults().swap_remove(policy),
            ..power(&format!(
                r#"{{"pause": "{pause}us", "guard": "{guard}us", "wake": "{wake}us", "in_service": "{}",
                     "guard_from": "{}", "start": "{}", "model": {{"scaling": "dvs", "static_share": 0.3, "idle_share": 0.7}}}}"#,
                word(hold, "hold", "finish"), word(from_end, "end", "start"), word(lowest, "lowest", "highest"),
            ))
        };
        check_laws(&power, &arrivals)?;
    }

    #[test]
    fn variants_of_the_law_obey_the_laws_of_the_port(
        arrivals in arrivals(),
        policy in prop::sample::select(vec![
            r#"{"kind": "practra", "down": "N08"}"#,
            r#"{"kind": "practra", "decision": "periodic", "period": "7ms"}"#,
            r#"{"kind": "multi-both", "predictor": "ewma-window", "counted": "accepted"}"#,
            r#"{"kind": "sleep-and-scale", "decision": "periodic", "idle": "3ms"}"#,
            r#"{"kind": "buffer-and-burst", "placement": "upstream"}"#,
            r#"{"kind": "sleep-and-scale", "placement": "upstream", "hold": "5ms"}"#,
            r#"{"kind": "buffer-and-burst", "hold": "0s"}"#,
        ]),
    ) {
        check_laws(&power(&format!(r#"{{"policy": {policy}}}"#)), &arrivals)?;
    }

    #[test]
    fn held_back_packets_meet_the_bound_of_the_burst(arrivals in arrivals(), upstream: bool, hold in 1..20u64) {
        let placement = if upstream { "upstream" } else { "local" };
        let p = power(&format!(
            r#"{{"policy": {{"kind": "buffer-and-burst", "placement": "{placement}", "hold": "{hold}ms"}}}}"#
        ));
        let mut run = Run::new(p.clone(), QueueLimit::Unlimited);
        let mut now = Time::ZERO;
        for (gap, size) in arrivals {
            now += Duration::from_nanos(gap);
            run.offer(now, size);
        }
        run.until(now + Duration::from_secs(3));
        let (mut longest, mut burst) = (Duration::ZERO, Duration::ZERO);
        for span in run.spans_seen() {
            burst = if span.state == State::Busy { burst + span.time } else { Duration::ZERO };
            longest = longest.max(burst);
        }
        let bound = Duration::from_millis(hold) + p.wake + longest;
        let ledger = run.ledger();
        prop_assert!(ledger.longest_sojourn <= bound, "{} > {}", ledger.longest_sojourn, bound);
        prop_assert!(ledger.wakes > 0 && ledger.transitions == 0);
    }
}

/// Packets of `size` bytes at `rate` bits per second from `from` (in us) to `to`.
fn stream_of(run: &mut Run, size: u16, rate: u64, from: u64, to: u64) {
    let bits = u64::from(size) * 8;
    let mut n = 0;
    loop {
        let at = us(from) + Duration::from_nanos(n * bits * 1_000_000_000 / rate);
        if at >= us(to) {
            break;
        }
        run.offer(at, size);
        n += 1;
    }
    run.until(us(to));
}

/// Near-fluid arrivals at 10 Mb/s for 200 ms into an empty port of 1 to 10 Mb/s at 1 Mb/s, with 62.5 kB before it, and a
/// predictor that knows the rate after some milliseconds.
fn ramp(policy: &str) -> Run {
    let policy = format!(r#"{{"kind": "{policy}", "predictor": {{"kind": "ewma-tau", "tau": "1ms"}}}}"#);
    let power = power(&format!(r#"{{"start": "lowest", "policy": {policy}}}"#));
    let mut run = Run::new(power, QueueLimit::Bytes(62_500));
    stream_of(&mut run, 25, 10_000_000, 0, 200_000);
    run
}

#[test]
fn a_ramp_takes_nine_steps_and_loses_what_was_computed() {
    let mut run = ramp("practra");
    let first = run.changes[0].0;
    // The queue reaches 1 Mb/s times 40 ms at 9 Mb/s net: 4.444 ms. Packets of 25 B come every 20 us.
    assert!((first.as_secs_f64() - 0.004_444).abs() < 40e-6, "{first}");
    assert_eq!(run.rates_set(), [2., 3., 4., 5., 6., 7., 8., 9., 10.]);
    for (k, change) in (0..).zip(&run.changes) {
        assert_eq!(change.0, first + Duration::from_millis(16) * k);
    }
    // Until the last step 10 Mb/s arrive; 1 Mb/s is sent for 4.444 ms and k Mb/s for 14 ms each, k = 2..9; 62.5 kB wait.
    let top = run.changes[8].0;
    let fluid: f64 = (10e6 * 0.132_444 - 1e6 * 0.004_444 - 44e6 * 0.014) / 8.0 - 62_500.0;
    assert!((fluid - 25_500.0).abs() < 1.0);
    let lost = |until: Time| run.dropped_at.iter().filter(|t| **t < until).count() as f64 * 25.0;
    // A packet of 25 B for each step, and one for the start.
    assert!((lost(top) - fluid).abs() <= 250.0, "{} against {fluid}", lost(top));
    // The pause of the last step costs another 2 ms at 10 Mb/s.
    assert!((lost(Time::NEVER) - fluid - 2_500.0).abs() <= 275.0, "{}", lost(Time::NEVER));
    assert_eq!(run.ledger().transitions, 9);
}

#[test]
fn multi_up_rises_at_once_to_what_the_backlog_asks_for() {
    // On the ramp it acts at the first 5 kB, for which 2 Mb/s are enough, and meets a larger backlog after each guard:
    // (20 kbit + q) / 38 ms with q = 40, 172, 248, 296, 330 kbit.
    assert_eq!(ramp("multi-up").rates_set(), [2., 6., 8., 9., 10.]);
    // From 40 packets, first seen together, it takes one step to the highest rate, where practRA takes one to the next.
    for (policy, rate) in [("multi-up", 10.0), ("practra", 2.0)] {
        let policy = format!(r#"{{"kind": "{policy}", "decision": "periodic", "period": "10ms"}}"#);
        let power = power(&format!(r#"{{"start": "lowest", "policy": {policy}}}"#));
        let mut run = Run::new(power, QueueLimit::Bytes(62_500));
        (0..40).for_each(|_| run.offer(us(9_000), 1500));
        run.until(us(20_000));
        assert_eq!(run.rates_set(), [rate]);
    }
}

#[test]
fn a_step_up_begins_above_forty_milliseconds_of_backlog() {
    for (bytes, steps) in [(4999, 0), (5000, 0), (5001, 1)] {
        // What arrived is forgotten within microseconds, before the decision; the other term is 20 ms against 38 ms.
        let power = power(
            r#"{"start": "lowest", "rates": ["1Mbit/s", "2Mbit/s"], "policy": {"kind": "practra", "decision": "periodic",
                "period": "1ms", "predictor": {"kind": "ewma-tau", "tau": "1us"}}}"#,
        );
        let mut run = Run::new(power, QueueLimit::Unlimited);
        // In the 64 us before the decision 8 bytes leave.
        [1500, 1500, 1500, bytes + 8 - 4500].into_iter().for_each(|size| run.offer(us(936), size));
        run.until(us(1_000));
        assert!(run.link.port().unwrap().predicted(us(1_000)).unwrap() < 1e-9);
        assert_eq!(run.ledger().transitions, steps, "{bytes}");
    }
}

#[test]
fn at_a_constant_rate_one_rule_settles_and_the_other_hunts() {
    let late = |down: &str| {
        let policy = format!(r#"{{"policy": {{"kind": "practra", "down": "{down}"}}}}"#);
        let mut run = Run::new(power(&policy), QueueLimit::Bytes(62_500));
        stream_of(&mut run, 1500, 3_500_000, 0, 1_000_000);
        let settled = run.changes.len();
        stream_of(&mut run, 1500, 3_500_000, 1_000_000, 61_000_000);
        assert!(run.drops.is_empty());
        (run.rate() / 1e6, run.rates_set().split_off(settled))
    };
    assert_eq!(late("N08"), (4.0, vec![]));
    let (_, cycles) = late("P12");
    assert!(cycles.len() > 60, "{}", cycles.len());
    assert!(cycles.windows(2).all(|w| w == [3.0, 4.0] || w == [4.0, 3.0]), "{cycles:?}");
}

#[test]
fn the_port_asks_again_when_the_guard_ends_and_counts_refusals() {
    // Empty and with nothing predicted, the port comes down one step in each guard, without an arrival.
    let policy = r#"{"policy": {"kind": "practra", "predictor": {"kind": "ewma-tau", "tau": "1us"}}}"#;
    let mut run = Run::new(power(policy), QueueLimit::Unlimited);
    run.until(us(200_000));
    assert_eq!(run.rates_set(), [9., 8., 7., 6., 5., 4., 3., 2., 1.]);
    assert_eq!(run.changes[8].0.since(run.changes[0].0), Duration::from_millis(8 * 16));
    let ledger = run.ledger();
    // Each pause but the last ends with a wish that the guard refuses.
    assert_eq!((ledger.transitions, ledger.blocked), (9, 8));
}

#[test]
fn a_packet_in_transmission_is_finished_or_held() {
    // 1500 B at 1 Mb/s take 12 ms; 10 kB behind it ask for 2 Mb/s when they arrive, 2 ms later.
    let left = |rule: &str| {
        let p = power(&format!(r#"{{"start": "lowest", "in_service": "{rule}"}}"#));
        let mut run = Run::new(p, QueueLimit::Unlimited);
        run.offer(us(0), 1500);
        (0..7).for_each(|_| run.offer(us(2_000), 1500));
        run.until(us(16_000));
        run.out[0].0
    };
    // Finished at 1 Mb/s; or 2 ms at 1 Mb/s, a pause of 2 ms, and the other 10 kbit at 2 Mb/s.
    assert_eq!(left("finish"), us(12_000));
    assert_eq!(left("hold"), us(2_000 + 2_000 + 5_000));
}

#[test]
fn two_thresholds_use_two_rates() {
    let policy = r#"{"start": "lowest", "policy": {"kind": "alr", "low": "3kB", "high": "9kB"}}"#;
    let mut run = Run::new(power(policy), QueueLimit::Unlimited);
    (0..6).for_each(|_| run.offer(us(0), 1500));
    assert_eq!(run.rates_set(), [] as [f64; 0], "9 kB do not exceed 9 kB");
    run.offer(us(1), 1500);
    assert_eq!(run.rates_set(), [10.0]);
    run.until(us(100_000));
    assert_eq!(run.rates_set(), [10.0, 1.0]);
    // Five packets at 10 Mb/s behind the first at 1 Mb/s and the pause: 3 kB are left.
    assert_eq!(run.changes[1].0, us(12_000 + 2_000 + 4 * 1_200));
}
