//! Losses found by forward acknowledgement: `loss_detection = "fack"`.

use super::tests::{MSS, lose, params};
use super::{Receiver, Sender};
use crate::testing::{Pipe, opening};
use crate::transport::{SendEnd, Transport};

/// A connection with ten segments in its first window, which has no other trouble than what a test makes.
fn ten(detection: &str, segments: u64) -> (Sender, Receiver) {
    let text = format!(
        r#"{{"profile": "rfc", "controller": "newreno", "handshake": false, "fin": false, "ack_every": 1, "initial_window": 10,
             "initial_threshold": 10, "limited_transmit": false, "loss_detection": "{detection}"}}"#
    );
    params(&text).open(opening(Some(segments * MSS)))
}

#[test]
fn recovery_begins_three_segments_above_the_first_hole() {
    // Segments 1 to 4 of 10 are lost: the first duplicate holds the fifth, five above. RFC 6675 waits for three of them.
    for (detection, lost, duplicates) in [
        ("fack", &[0, 1, 2, 3][..], 1),
        ("duplicates", &[0, 1, 2, 3], 3),
        ("fack", &[0, 1], 2),
        ("fack", &[0], 3),
        ("fack", &[0, 2, 4, 6], 2),
    ] {
        let mut pipe = Pipe::new(ten(detection, 40), lose(lost));
        pipe.until(|p| p.sender.recovering());
        assert_eq!(pipe.sender.duplicates(), duplicates, "{detection}, {lost:?} lost");
        pipe.finish();
        let report = pipe.sender.report();
        let expected = (1, 0, lost.len() as u64);
        assert_eq!((report.cuts, report.timeouts, report.retransmissions), expected, "{detection}, {lost:?}");
    }
}

#[test]
fn in_recovery_every_hole_has_left_the_network() {
    let mut pipe = Pipe::new(ten("fack", 40), lose(&[0, 1, 2, 3, 6]));
    pipe.until(|p| p.sender.recovering());
    // Ten were sent, the fifth is held, the four below are lost, and the first is sent again: awnd = snd.nxt - snd.fack + retran.
    assert_eq!(pipe.sender.board().pipe(0, 10 * MSS), 6 * MSS);
    pipe.until(|p| p.sender.board().held() == 3 * MSS);
    assert!(pipe.sender.board().is_lost(6 * MSS), "one segment above it is enough");
}
