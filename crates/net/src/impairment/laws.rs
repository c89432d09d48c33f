//! Laws of every impairment on a link, over generated arrivals, and cases computed by hand.

use std::sync::Arc;

use dumbbell_core::config::At;
use dumbbell_core::testing::lengths;
use dumbbell_core::{Config, Duration, Ecn, Packet, Time, Value};
use dumbbell_header::TcpHeader;
use proptest::prelude::*;

use super::ImpairmentSpec;
use crate::link::laws::{config_of, described};
use crate::link::{Incident, Incidents, Link, LinkConfig};

/// A packet takes 1 ms to send.
const SIZE: u16 = 1250;

fn config(delay: &str, impairments: &str) -> LinkConfig {
    let text = format!(
        r#"{{"rate": "10Mbit/s", "delay": "{delay}", "queue": {{"kind": "droptail", "limit": "9pkt"}}, "loss": 0.1,
            "impairments": {impairments}}}"#
    );
    config_of(described(&text))
}

/// The same without loss.
fn lossless(delay: &str, impairments: &str) -> LinkConfig {
    let mut config = config(delay, impairments);
    Arc::make_mut(&mut config.direction).loss = Default::default();
    config
}

/// What came out, as time in microseconds and number, and what happened beside.
struct Run {
    out: Vec<(u64, u64)>,
    incidents: Incidents,
    link: Link,
}

/// Offers numbered packets with these gaps in microseconds, and checks after each that none vanished.
fn run(config: &LinkConfig, gaps: &[u64]) -> Run {
    let mut run = Run { out: Vec::new(), incidents: Vec::new(), link: Link::new(config) };
    let mut now = Time::ZERO;
    for (number, gap) in (0..).zip(gaps) {
        now += Duration::from_micros(*gap);
        run.until(now);
        let header = TcpHeader { number, ..TcpHeader::default() };
        run.link.push(now, &Packet::of(header, 0, SIZE, Ecn::NotEct), 0, &mut run.incidents);
        assert_eq!(
            number + 1 + run.copies(),
            run.out.len() as u64 + run.dropped() + run.link.read().inside()
        );
    }
    run.until(Time::ZERO + Duration::from_secs(1_000));
    assert_eq!(run.link.read().inside(), 0);
    run
}

impl Run {
    fn until(&mut self, until: Time) {
        while self.link.wake_at() <= until {
            let now = self.link.wake_at();
            if let Some(Packet { at, body, .. }) = self.link.take(now, &mut self.incidents) {
                assert_eq!(at, now, "a packet comes out at its time");
                self.out.push((now.as_nanos() / 1000, body[0]));
            }
        }
    }

    fn copies(&self) -> u64 {
        self.incidents.iter().filter(|(_, what)| *what == Incident::Duplicated).count() as u64
    }

    fn dropped(&self) -> u64 {
        self.incidents.len() as u64 - self.copies()
    }

    fn numbers(&self) -> Vec<u64> {
        self.out.iter().map(|(_, number)| *number).collect()
    }
}

/// Every registered impairment, with parameters that do much; one that has defaults for all needs none here.
fn examples() -> Vec<String> {
    let examples = [
        r#"{"kind": "jitter", "spread": "4ms", "keep_order": false}"#,
        r#"{"kind": "jitter", "spread": "4ms", "distribution": "exponential", "keep_order": false}"#,
        r#"{"kind": "reordering", "probability": 0.2, "delay": "3ms"}"#,
        r#"{"kind": "reordering", "probability": 0.2, "packets": 3, "longest": "20ms"}"#,
        r#"{"kind": "reordering", "probability": 0.2, "packets": 3, "place": "ahead"}"#,
        r#"{"kind": "reordering", "probability": 0.2, "delay": "1ms", "place": "ahead"}"#,
        r#"{"kind": "duplication", "probability": 0.3}"#,
        r#"{"kind": "delay-list", "packets": [7, 3, 40], "delay": "3ms"}"#,
        r#"{"kind": "delay-steps", "steps": [{"at": "9ms", "extra": "4ms"}, {"at": "30ms", "extra": "0s"}], "every": "50ms"}"#,
        r#"{"kind": "jitter", "spread": "4ms", "distribution": "normal"}"#,
    ];
    let mut examples = examples.map(str::to_owned).to_vec();
    for descriptor in ImpairmentSpec::descriptors() {
        let kind = format!("\"kind\": {:?}", descriptor.name);
        if !examples.iter().any(|text| text.contains(&kind)) {
            let required = descriptor.fields.iter().any(|field| field.default.is_none());
            assert!(!required, "{} needs an example", descriptor.name);
            // A normal jitter leaves no delay that could be shortened.
            examples.insert(0, format!("{{{kind}}}"));
        }
    }
    examples
}

fn spec(text: &str) -> Result<ImpairmentSpec, String> {
    let v: Value = dumbbell_core::json::from_str(text).unwrap();
    ImpairmentSpec::from_value(&v, &At::root("impairment")).map_err(|e| e.to_string())
}

proptest! {
    #[test]
    fn packets_are_neither_lost_nor_invented(
        gaps in prop::collection::vec(0..3_000u64, lengths(1..200)), chosen in prop::sample::subsequence(examples(), 1..=3),
    ) {
        let config = config("20ms", &format!("[{}]", chosen.join(", ")));
        let first = run(&config, &gaps);
        let counted = first.link.clone().read().progress(Time::NEVER);
        prop_assert_eq!((counted.duplicated, counted.dropped_total()), (first.copies(), first.dropped()));
        prop_assert_eq!(counted.arrived, gaps.len() as u64);
        prop_assert_eq!(&run(&config, &gaps).out, &first.out, "the same seed, the same packets");
        // What comes out after one with a higher number was overtaken; copies come out together.
        let numbers = first.numbers();
        let late = (0..numbers.len()).filter(|i| numbers[..*i].iter().any(|n| *n > numbers[*i])).count();
        prop_assert_eq!(counted.reordered, late as u64);
    }

    #[test]
    fn one_impairment_never_changes_what_another_draws(gaps in prop::collection::vec(1_000..3_000u64, lengths(1..200))) {
        let double = r#"{"kind": "duplication", "probability": 0.3}"#;
        let jitter = r#"{"kind": "jitter", "spread": "4ms"}"#;
        let doubled = |list: &str| {
            let run = run(&lossless("20ms", list), &gaps);
            run.incidents.iter().map(|(packet, _)| packet.body[0]).collect::<Vec<_>>()
        };
        prop_assert_eq!(doubled(&format!("[{double}]")), doubled(&format!("[{jitter}, {double}]")));
    }

    #[test]
    fn jitter_that_keeps_the_order_keeps_it(gaps in prop::collection::vec(0..3_000u64, lengths(1..200)), shape in 0..3usize) {
        let shape = ["uniform", "normal", "exponential"][shape];
        let list = format!(r#"[{{"kind": "jitter", "spread": "15ms", "distribution": "{shape}"}}]"#);
        let run = run(&config("20ms", &list), &gaps);
        prop_assert!(run.numbers().is_sorted());
        prop_assert!(gaps.len() < 50 || run.out.windows(2).any(|w| w[1].0 - w[0].0 != 1_000), "it is no constant");
    }
}

#[test]
fn a_link_with_jitter_and_one_without_send_the_same_packets() {
    let gaps = vec![900; 500];
    let jitter = run(&lossless("20ms", r#"[{"kind": "jitter", "spread": "4ms"}]"#), &gaps);
    let plain = run(&lossless("20ms", "[]"), &gaps);
    assert!(plain.dropped() > 0, "the case must be worth checking");
    assert_eq!(jitter.numbers(), plain.numbers());
    let apart: Vec<i64> =
        jitter.out.iter().zip(&plain.out).map(|(a, b)| a.0.cast_signed() - b.0.cast_signed()).collect();
    assert!(apart.iter().all(|d| d.abs() <= 4_000), "{apart:?}");
    assert!(apart.iter().any(|d| *d < -1_000) && apart.iter().any(|d| *d > 1_000));
}

#[test]
fn a_packet_held_back_comes_when_so_many_have_passed_it() {
    // All of ten packets are chosen, but none can pass another that waits: only what comes behind unchosen ones passes.
    let back = r#"[{"kind": "reordering", "probability": 1.0, "packets": 2, "longest": "7ms"}]"#;
    let alone = run(&lossless("5ms", back), &[0, 20_000]);
    assert_eq!(alone.out, [(13_000, 0), (33_000, 1)], "sent in 1 ms, on its way for 5, waiting for 7");
    let some = r#"[{"kind": "reordering", "probability": 0.1, "packets": 2}]"#;
    let run = run(&lossless("5ms", some), &vec![1_000; 2_000]);
    let numbers = run.numbers();
    let mut displaced = 0;
    for (i, number) in numbers.iter().enumerate() {
        if numbers[..i].iter().any(|n| n > number) {
            displaced += 1;
            let passed = numbers[..i].iter().filter(|n| *n > number).count();
            assert!(passed >= 2, "packet {number}: {passed}");
        }
    }
    // Binomial(2000, 0.1): standard deviation 13.4. A chosen one may wait behind others that wait.
    assert!((140..=260).contains(&displaced), "{displaced}");
}

#[test]
fn a_packet_sent_ahead_overtakes_so_many() {
    let ahead = r#"[{"kind": "reordering", "probability": 0.05, "packets": 3, "place": "ahead"}]"#;
    let mut run = run(&lossless("10ms", ahead), &vec![1_000; 2_000]);
    let numbers = run.numbers();
    let mut moved = 0;
    for (i, number) in numbers.iter().enumerate() {
        // The next one in order comes later by as many places as were overtaken.
        let overtaken = numbers[i..].iter().filter(|n| *n < number).count();
        if overtaken > 0 {
            moved += 1;
            assert!(overtaken <= 3, "packet {number} overtook {overtaken}");
        }
    }
    // Binomial(2000, 0.05): standard deviation 9.7.
    assert!((60..=140).contains(&moved), "{moved}");
    let counted = run.link.read().progress(Time::NEVER);
    assert!(counted.reordered >= 3 * 60 && counted.reordered <= 3 * moved, "{counted:?}");
}

#[test]
fn the_packets_of_a_list_come_later_and_no_others() {
    let list = r#"[{"kind": "delay-list", "packets": [5, 2], "delay": "2500us"}]"#;
    let run = run(&lossless("10ms", list), &[1_000; 8]);
    assert_eq!(run.numbers(), [0, 1, 3, 4, 2, 6, 7, 5]);
    assert_eq!(run.out[4], (16_500, 2), "sent from 3 to 4 ms, on its way for 10, and 2.5 more");
    assert_eq!(
        spec(r#"{"kind": "delay-list", "packets": [5, 2, 5], "delay": "1ms"}"#).unwrap_err(),
        "impairment.packets: packet 5 stands there twice; name it once"
    );
}

#[test]
fn a_time_ahead_or_back_moves_the_arrival_by_it() {
    let arrival = |text: &str| run(&lossless("10ms", &format!("[{text}]")), &[0]).out[0].0;
    assert_eq!(arrival(r#"{"kind": "reordering", "probability": 1.0, "delay": "4ms"}"#), 15_000);
    assert_eq!(
        arrival(r#"{"kind": "reordering", "probability": 1.0, "delay": "4ms", "place": "ahead"}"#),
        7_000
    );
}

#[test]
fn copies_follow_their_packet_and_are_lost_one_by_one() {
    let double = r#"[{"kind": "duplication", "probability": 1.0}]"#;
    let mut both = run(&lossless("5ms", double), &[0, 0, 9_000]);
    assert_eq!(both.numbers(), [0, 0, 1, 1, 2, 2]);
    assert_eq!((both.copies(), both.link.read().progress(Time::NEVER).sent), (3, 3));
    let lossy = run(&config("5ms", double), &vec![1_500; 5_000]);
    let once = lossy.numbers().chunk_by(|a, b| a == b).filter(|same| same.len() == 1).count();
    // Each of two is lost with probability 0.1: one of them in 18 % of cases; standard deviation 27.
    assert!((790..=1_010).contains(&once), "{once}");
}

#[test]
fn an_impairment_that_would_make_a_delay_negative_is_refused() {
    let refused = |text: &str, least: u64| {
        let spec = spec(text).unwrap();
        spec.check(Duration::from_millis(least), &At::root("impairments").index(0)).map_err(|e| e.to_string())
    };
    assert_eq!(
        refused(r#"{"kind": "jitter", "spread": "6ms"}"#, 5).unwrap_err(),
        "impairments[0].spread: 6ms less than a delay of 5ms would be negative; lower it or raise the link's `delay`"
    );
    assert_eq!(
        refused(r#"{"kind": "jitter", "spread": "6ms", "distribution": "normal"}"#, 5),
        Ok(Duration::ZERO)
    );
    assert_eq!(
        refused(r#"{"kind": "reordering", "probability": 0.1, "delay": "6ms", "place": "ahead"}"#, 5)
            .unwrap_err(),
        "impairments[0].delay: 6ms less than a delay of 5ms would be negative; lower it or raise the link's `delay`"
    );
    assert_eq!(
        spec(r#"{"kind": "reordering", "probability": 0.1}"#).unwrap_err(),
        "impairment.delay: nothing says how far packets move; give `delay`, or `packets` in its place"
    );
    assert_eq!(
        spec(r#"{"kind": "reordering", "probability": 0.1, "delay": "1ms", "packets": 2}"#).unwrap_err(),
        "impairment.packets: `delay` says already how far packets move; \
         leave out one of them; `longest` bounds the wait for packets"
    );
}
