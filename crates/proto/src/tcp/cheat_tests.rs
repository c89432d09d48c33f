//! Receivers that misbehave, and what their senders make of it.

use dumbbell_core::config::At;
use dumbbell_core::{BitRate, Config, Duration, Packet, Way};
use rand::RngExt;

use super::tests::{MSS, lose, params, pass};
use super::{Params, Receiver, Sender};
use crate::testing::{Fate, Pipe, ms, opening, stream};
use crate::transport::{ReceiveEnd, SendEnd, Transport};

fn pipe(
    more: &str,
    segments: u64,
    script: impl FnMut(Way, &Packet, usize) -> Fate + 'static,
) -> Pipe<Sender, Receiver> {
    let text =
        format!(r#"{{"handshake": false, "fin": false, "ack_every": 1, "controller": "newreno", {more}}}"#);
    Pipe::new(params(&text).open(opening(Some(segments * MSS))), script)
}

/// The numbers of acknowledgements in order, in segments.
fn acks(pipe: &Pipe<Sender, Receiver>) -> Vec<f64> {
    pipe.reverse.iter().map(|(_, packet)| packet.body[0] as f64 / MSS as f64).collect()
}

#[test]
fn optimistic_acknowledgements_come_before_the_data() {
    let finished = |more: &str| {
        let mut pipe =
            pipe(more, 2_000, pass).shaped(Some(BitRate::from_bps(100_000_000)), Duration::from_millis(50));
        pipe.finish();
        assert_eq!(pipe.receiver.report().delivered, 2_000 * MSS);
        assert_eq!(pipe.sender.report().timeouts, 0, "{more}");
        let early = acks(&pipe).iter().zip(1..).any(|(number, i)| *number > f64::from(i) + 4.0);
        (pipe.sender.report().finished.expect("all is acknowledged"), early)
    };
    let (honest, early) = finished(r#""initial_window": 10"#);
    assert!(!early);
    let (cheated, early) = finished(r#""cheat": {"ahead": 0.5}"#);
    assert!(early && cheated < honest, "{cheated:?} {honest:?}");
}

#[test]
fn what_was_never_sent_may_be_acknowledged_in_vain() {
    for profile in ["rfc", "linux"] {
        let more = format!(r#""profile": "{profile}", "initial_window": 1, "cheat": {{"ahead": 1.0}}"#);
        let mut pipe = pipe(&more, 50, pass);
        pipe.until(|p| p.now > ms(2_000_000.0));
        assert_eq!(pipe.receiver.report().delivered, 50 * MSS, "{profile}");
        assert!(pipe.sender.report().finished.is_some(), "{profile}");
    }
}

#[test]
fn hidden_losses_cut_no_window_and_deliver_nothing() {
    for profile in ["rfc", "linux"] {
        let of = |cheat: &str| {
            let more = format!(r#""profile": "{profile}"{cheat}"#);
            let mut pipe = pipe(&more, 200, lose(&[20, 21, 50]));
            pipe.finish();
            let sent = pipe.sender.report();
            assert!(sent.finished.is_some() && pipe.receiver.finished().is_some(), "{profile}");
            let got = pipe.receiver.report();
            (sent.cuts + sent.timeouts > 0, sent.retransmissions, got.delivered / MSS, got.received / MSS)
        };
        let (cut, again, delivered, received) = of("");
        assert!(cut && again >= 3 && (delivered, received) == (200, 200), "{profile}");
        assert_eq!(of(r#", "cheat": {"hide_losses": true}"#), (false, 0, 197, 197), "{profile}");
    }
}

#[test]
fn one_acknowledgement_becomes_several() {
    let mut one = pipe(r#""cheat": {"split": 4}, "initial_window": 2"#, 2, pass);
    one.finish();
    assert_eq!(acks(&one), [0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0]);
    // A sender that counts acknowledgements falls for it; one that counts bytes does not (RFC 3465 section 2.2).
    let window = |counting: &str, cheat: &str| {
        let more = format!(
            r#""byte_counting": 1, "window_validation": false, {counting} "initial_window": 2{cheat}"#
        );
        let mut pipe = pipe(&more, 400, pass);
        pipe.until(|p| p.now > ms(210.0));
        pipe.sender.report().window / MSS
    };
    let (honest, split) = (window("", ""), window("", r#", "cheat": {"split": 8}"#));
    assert_eq!(honest, split, "bytes count");
    // Linux counts whole segments, in slow start and after a loss.
    let window = |cheat: &str| {
        let more = format!(r#""controller": "cubic", "profile": "linux"{cheat}"#);
        let mut pipe = pipe(&more, 4000, lose(&[400]));
        pipe.until(|p| p.now > ms(4000.0));
        pipe.sender.report().window / MSS
    };
    let (honest, split) = (window(""), window(r#", "cheat": {"split": 8}"#));
    assert!(split <= honest + 1, "{split} and {honest} segments");
}

#[test]
fn hidden_marks_are_counted_and_not_echoed() {
    let mark = |way, packet: &Packet, i: usize| {
        if way == Way::Forward && packet.ecn.is_capable() && i.is_multiple_of(3) {
            Fate::Mark
        } else {
            Fate::Pass
        }
    };
    for ecn in [
        r#""ecn": "classic""#,
        r#""ecn": "accurate""#,
        r#""controller": "dctcp""#,
        r#""controller": "prague""#,
    ] {
        let of = |cheat: &str| {
            let text = format!(r#"{{"handshake": false, "fin": false, "initial_window": 20, {ecn}{cheat}}}"#);
            let mut pipe = Pipe::new(params(&text).open(opening(Some(300 * MSS))), mark);
            pipe.finish();
            assert_eq!(pipe.receiver.report().delivered, 300 * MSS);
            (pipe.sender.report().cuts > 0, pipe.receiver.report().marks > 50)
        };
        assert_eq!(of(""), (true, true), "{ecn}");
        assert_eq!(of(r#", "cheat": {"hide_marks": true}"#), (false, true), "{ecn}");
    }
}

#[test]
fn no_cheat_stops_a_connection_or_confuses_a_sender() {
    let cheats = [
        r#"{"ahead": 0.5}"#,
        r#"{"ahead": 1.0, "split": 3, "hide_marks": true}"#,
        r#"{"hide_losses": true}"#,
        r#"{"split": 5}"#,
        r#"{"split": 1000}"#,
    ];
    let kinds = [
        r#""profile": "rfc""#,
        r#""profile": "rfc", "sack": false"#,
        r#""profile": "linux""#,
        r#""profile": "linux", "ecn": "accurate", "controller": "bbr3""#,
        r#""profile": "linux", "timestamps": false, "controller": "bbr""#,
        r#""profile": "bsd""#,
        r#""profile": "ns2""#,
    ];
    for (kind, cheat) in kinds.iter().flat_map(|kind| cheats.map(|cheat| (kind, cheat))) {
        let mut rng = stream();
        let script = move |_, _: &Packet, _| match rng.random_range(0..40) {
            0 => Fate::Drop,
            1 => Fate::Delay(Duration::from_millis(30)),
            2 => Fate::Twice,
            3 => Fate::Mark,
            _ => Fate::Pass,
        };
        let text = format!(r#"{{{kind}, "cheat": {cheat}}}"#);
        let mut pipe = Pipe::new(params(&text).open(opening(Some(300 * MSS + 77))), script);
        pipe.until(|p| p.now > ms(600_000.0));
        let (sent, got) = (pipe.sender.report(), pipe.receiver.report());
        assert!(sent.finished.is_some(), "{text}: {sent:?} {got:?}");
        assert!(got.delivered <= 300 * MSS + 77 && got.received >= got.delivered, "{text}: {got:?}");
        assert!(
            got.delivered == 300 * MSS + 77 || cheat.contains("ahead") || cheat.contains("losses"),
            "{text}"
        );
    }
}

#[test]
fn an_honest_cheat_is_refused() {
    let refused = |text: &str| {
        let value = dumbbell_core::json::from_str(&format!(r#"{{"cheat": {text}}}"#)).unwrap();
        Params::from_value(&value, &At::root("transport")).err().map(|error| error.to_string())
    };
    let honest = "transport.cheat: an honest receiver; give `ahead`, `hide_losses`, `split` or `hide_marks`";
    for text in ["{}", r#"{"split": 1}"#, r#"{"ahead": 0.0}"#] {
        assert_eq!(refused(text).as_deref(), Some(honest), "{text}");
    }
    for text in [r#"{"ahead": 1.1}"#, r#"{"ahead": -0.1}"#, r#"{"split": 0}"#, r#"{"split": 1001}"#] {
        assert!(refused(text).is_some(), "{text}");
    }
    assert_eq!(refused(r#"{"split": 1000, "ahead": 1.0}"#), None);
}
