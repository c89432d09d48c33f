//! What 4.4BSD-Lite does otherwise: the profile `bsd`. Its timer is tested in `ticks.rs`, its Reno in `controller/reno.rs`.

use dumbbell_core::{BitRate, Duration, Way};

use super::tests::{MSS, lose, params, pass};
use super::{Receiver, Sender};
use crate::testing::{Fate, Pipe, ms, opening};
use crate::transport::{SendEnd, Transport};

type Ends = Pipe<Sender, Receiver>;

/// A connection under the profile `bsd` without timestamps, for segments of 1460 bytes, handshake and FIN, and `more`.
fn bsd(more: &str, segments: u64) -> (Sender, Receiver) {
    let text = format!(
        r#"{{"profile": "bsd", "handshake": false, "fin": false, "timestamps": false, "receive_window": "64kB",
             "initial_receive_window": "64kB", {more}}}"#
    );
    params(&text).open(opening(Some(segments * MSS)))
}

/// Times of acknowledgements in ms.
fn acknowledged(pipe: &Ends) -> Vec<f64> {
    pipe.reverse.iter().map(|(at, _)| at.as_secs_f64() * 1e3).collect()
}

#[test]
fn delayed_acknowledgements_leave_at_ticks_of_200_ms() {
    for (delay, leaves) in [(0, 200.0), (100, 200.0), (174, 200.0), (175, 400.0), (190, 400.0)] {
        let late = move |way: Way, _: &_, _| {
            if way == Way::Forward { Fate::Delay(Duration::from_millis(delay)) } else { Fate::Pass }
        };
        let mut pipe = Pipe::new(bsd(r#""initial_window": 1"#, 1), late);
        pipe.finish();
        assert_eq!(acknowledged(&pipe), [leaves], "arrived {} ms after the start", 25 + delay);
    }
    let mut pipe = Pipe::new(bsd(r#""initial_window": 1, "delayed_acks": "fixed""#, 1), pass);
    pipe.finish();
    assert_eq!(acknowledged(&pipe), [225.0], "a delay of its own");
    let mut pipe = Pipe::new(bsd(r#""initial_window": 4"#, 4), pass);
    pipe.finish();
    assert_eq!(acknowledged(&pipe), [25.0, 25.0], "the second segment does not wait");
}

/// The window in segments after recovery from one loss that so many duplicates show, and the threshold.
fn after_recovery(more: &str, window: u64, segments: u64) -> (u64, u64) {
    let text = format!(r#""initial_window": {window}, "ack_every": 1 {more}"#);
    let mut pipe = Pipe::new(bsd(&text, segments), lose(&[0]));
    pipe.until(|p| p.sender.una() > 0);
    assert_eq!(pipe.sender.report().timeouts, 0);
    (pipe.sender.control().window / MSS, pipe.sender.control().threshold / MSS)
}

#[test]
fn exactly_three_duplicates_leave_the_window_inflated() {
    // Four segments and three duplicates: the threshold is 2, and 3 stay on top. The acknowledgement adds a share.
    assert_eq!(after_recovery("", 4, 4), (5, 2));
    assert_eq!(
        after_recovery(r#", "exit_inflation_fix": true"#, 4, 4),
        (3, 2),
        "2, and 1 for the acknowledgement"
    );
    // A fourth duplicate takes it all back.
    assert_eq!(after_recovery("", 5, 5), (3, 2));
}

#[test]
fn duplicates_that_a_needless_timeout_causes_show_a_loss_again() {
    // Eight segments wait at a slow link until the timer expires; what is sent again arrives twice.
    let cuts = |more: &str| {
        let text =
            format!(r#""initial_window": 8, "ack_every": 1, "rto_initial": "1s", "rto_min": "1s" {more}"#);
        let rate = BitRate::from_bps(10_000);
        let mut pipe = Pipe::new(bsd(&text, 16), pass).shaped(Some(rate), Duration::from_millis(10));
        pipe.until(|p| p.now > ms(20_000.0));
        let report = pipe.sender.report();
        assert!(report.timeouts > 0);
        report.cuts
    };
    assert!(cuts("") > 0);
    assert_eq!(cuts(r#", "single_fast_retransmit": true"#), 0);
}
