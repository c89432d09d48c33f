//! What hosts and routers ask of the two ends: receive windows that change, source quenches.

use dumbbell_core::{Ecn, Packet, Stage, Time, Way};
use dumbbell_header::{SourceQuench, TcpHeader};
use proptest::prelude::*;

use super::tests::{MSS, params, pass};
use super::{Receiver, Sender};
use crate::host::Grant;
use crate::testing::{Fate, Pipe, ms, opening};
use crate::transport::{Granted, Opening, ReceiveEnd, SendEnd, Transport};

fn hosted(text: &str, size: u64, first: u64, largest: u64) -> (Sender, Receiver) {
    let granted = Some(Granted { first, largest, by_credit: false });
    params(text).open(Opening { granted, ..opening(Some(size)) })
}

/// The right edges of the windows that the receiver advertised.
fn edges(packets: &[(Time, Packet)], scale: u32) -> Vec<u64> {
    packets.iter().map(|(_, p)| p.body[0] + (u64::from(p.aux) << scale)).collect()
}

#[test]
fn a_window_of_one_segment_waits_for_no_delayed_ack() {
    let mut pipe = Pipe::new(hosted("{}", 10 * MSS, 1, 10 * MSS), pass);
    while pipe.step() {
        pipe.receiver.hasten();
    }
    // The handshake, and a round trip of 50 ms for each segment; the last needs half of one.
    assert_eq!(pipe.receiver.report().finished, Some(ms(50.0 + 9.0 * 50.0 + 25.0)));
    assert_eq!(pipe.sender.report().retransmissions, 0);
}

#[test]
fn a_window_closes_as_data_arrives_and_opens_at_once() {
    let mut pipe =
        Pipe::new(hosted(r#"{"initial_window": 100, "ack_every": 1}"#, 100 * MSS, 20 * MSS, 20 * MSS), pass);
    while pipe.receiver.report().delivered < 20 * MSS && pipe.step() {
        pipe.receiver.grant(Grant::Window(2 * MSS));
    }
    let promised = edges(&pipe.reverse, 0);
    assert!(
        promised.iter().all(|edge| *edge == 20 * MSS || *edge == 21 * MSS || *edge == 22 * MSS),
        "{promised:?}"
    );
    pipe.receiver.grant(Grant::Window(20 * MSS));
    while pipe.step() {}
    assert_eq!(pipe.receiver.report().delivered, 100 * MSS);
}

proptest! {
    /// Whatever is granted, what was promised is never withdrawn, and everything arrives over a path that loses packets.
    #[test]
    fn what_was_promised_is_never_withdrawn(
        handshake: bool, ack_every in 1..4_u32, first in 0..100_000_u64, loss in 0..20_usize,
        grants in prop::collection::vec(0..100_000_u64, 1..50),
    ) {
        let text = format!(r#"{{"handshake": {handshake}, "ack_every": {ack_every}}}"#);
        let lose = move |_: Way, _: &Packet, i: usize| if i % 20 < loss / 10 { Fate::Drop } else { Fate::Pass };
        let mut pipe = Pipe::new(hosted(&text, 200 * MSS, first, 100_000), lose);
        let mut grants = grants.iter().cycle();
        while pipe.step() {
            pipe.receiver.grant(Grant::Window(*grants.next().unwrap()));
            prop_assert!(pipe.forward.len() < 20_000, "never ends");
        }
        prop_assert_eq!(pipe.receiver.report().delivered, 200 * MSS);
        // 100,000 bytes need one bit more than 16.
        let edges = edges(&pipe.reverse, 1);
        prop_assert!(edges.is_sorted(), "{:?}", edges);
        let highest = pipe.forward.iter().map(|(_, p)| p.body[0] + u64::from(p.size) - 40).max().unwrap();
        let promised = edges.iter().copied().max().unwrap().max(first + MSS);
        prop_assert!(highest <= promised, "sent up to {} of {}", highest, promised);
    }
}

#[test]
fn an_acknowledgement_without_promise_waits_for_credit() {
    let granted = Some(Granted { first: 0, largest: 10 * MSS, by_credit: true });
    let ends = params(r#"{"ack_every": 1}"#).open(Opening { granted, ..opening(Some(4 * MSS + 100)) });
    let mut pipe = Pipe::new(ends, pass);
    assert!(!pipe.receiver.grant(Grant::Credit(MSS)), "there is no connection to acknowledge on");
    pipe.until(|pipe| pipe.receiver.report().delivered == MSS);
    assert_eq!(
        edges(&pipe.reverse, 0),
        [MSS],
        "the SYN-ACK brought the credit, and the acknowledgement waits"
    );
    assert!(pipe.receiver.grant(Grant::Credit(1)), "a segment at least");
    pipe.until(|pipe| pipe.receiver.report().delivered == 2 * MSS);
    assert_eq!(edges(&pipe.reverse, 0), [MSS, 2 * MSS]);
    assert!(pipe.receiver.grant(Grant::Credit(10 * MSS)), "and never more than is expected");
    pipe.finish();
    let promised = edges(&pipe.reverse, 0);
    assert_eq!(promised.iter().copied().max(), Some(4 * MSS + 101), "the FIN has a number of its own");
    assert_eq!((pipe.receiver.report().delivered, pipe.sender.report().timeouts), (4 * MSS + 100, 0));
}

/// A connection with a window of ten segments in flight.
fn in_flight(more: &str) -> Sender {
    let (mut sender, _) = params(&format!(r#"{{"handshake": false{more}}}"#)).open(opening(None));
    sender.wake(Time::ZERO);
    while sender.pull(Time::ZERO).is_some() {}
    sender
}

fn quench(sender: &mut Sender) {
    sender.notice(ms(10.0), &Packet::of(SourceQuench, 7, 56, Ecn::NotEct));
}

#[test]
fn a_quench_is_answered_once_a_window_as_the_parameter_says() {
    for (answer, window) in [("slow-start", MSS), ("cut", 7 * MSS), ("ignore", 10 * MSS)] {
        let mut sender = in_flight(&format!(r#", "controller": "cubic", "quench": "{answer}""#));
        quench(&mut sender);
        assert_eq!(sender.report().window, window, "{answer}");
        quench(&mut sender);
        assert_eq!(sender.report().window, window, "{answer}: twice in a window");
        let cuts = u32::from(answer != "ignore");
        assert_eq!((sender.report().cuts, sender.report().timeouts), (cuts, 0));
        assert_eq!(sender.pull(ms(10.0)), None, "nothing is sent again");
    }
}

#[test]
fn what_is_no_quench_is_ignored_and_so_is_one_before_the_start() {
    let mut sender = in_flight("");
    let before = format!("{sender:?}");
    let header = TcpHeader { flags: TcpHeader::ACK, number: 5 * MSS, ..TcpHeader::default() };
    sender.notice(ms(10.0), &Packet::of(header, 7, 40, Ecn::NotEct));
    assert_eq!(format!("{sender:?}"), before);
    let (mut early, _) = params("{}").open(opening(None));
    let before = format!("{early:?}");
    quench(&mut early);
    assert_eq!(format!("{early:?}"), before);
}
