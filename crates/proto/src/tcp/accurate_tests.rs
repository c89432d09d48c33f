//! Accurate ECN (RFC 9768), both ends together.

use dumbbell_core::{Duration, Ecn, Packet, Way};
use dumbbell_header::TcpHeader;

use super::tests::{MSS, params, pass};
use super::{Receiver, Sender, probed};
use crate::controller::{Event, Needs, Signals};
use crate::testing::{Fate, Pipe, ms, opening};
use crate::transport::{ReceiveEnd, SendEnd, Transport};

const BITS: [u8; 3] = [TcpHeader::AE, TcpHeader::CWR, TcpHeader::ECE];

fn bits(packet: &Packet) -> [u8; 3] {
    BITS.map(|bit| u8::from(packet.flags & bit != 0))
}

fn number(packet: &Packet) -> u8 {
    bits(packet).iter().fold(0, |number, bit| 2 * number + bit)
}

/// Marks the data segments of these numbers, in the order in which they are sent.
fn mark(marked: impl Fn(usize) -> bool + 'static) -> impl FnMut(Way, &Packet, usize) -> Fate {
    move |way, packet, i| {
        if way == Way::Forward && packet.ecn.is_capable() && marked(i) { Fate::Mark } else { Fate::Pass }
    }
}

fn bare(more: &str, segments: u64) -> (Sender, Receiver) {
    let text = format!(
        r#"{{"profile": "rfc", "handshake": false, "ack_every": 2, "ecn": "accurate", "controller": "newreno",
        "initial_window": 20, "initial_threshold": 20, {more}}}"#
    );
    params(&text).open(opening(Some(segments * MSS)))
}

#[test]
fn what_the_handshake_agrees_on_is_what_both_ends_can() {
    let (none, capable) = ([0, 0, 0], Ecn::Ect0);
    // What the sender asks for, what the receiver agrees to; the bits AE, CWR, ECE of SYN, SYN-ACK, the acknowledgement of that and
    // the first segment; its codepoint; the bits of its acknowledgement when it arrived marked.
    for (ecn, answer, syn, syn_ack, ack, data, codepoint, echo) in [
        ("accurate", "accurate", [1, 1, 1], [0, 1, 0], [0, 1, 0], [1, 0, 1], capable, [1, 1, 0]),
        ("accurate", "classic", [1, 1, 1], [0, 0, 1], none, none, capable, [0, 0, 1]),
        ("accurate", "off", [1, 1, 1], none, none, none, Ecn::NotEct, none),
        ("classic", "accurate", [0, 1, 1], [0, 0, 1], none, none, capable, [0, 0, 1]),
        ("classic", "off", [0, 1, 1], none, none, none, Ecn::NotEct, none),
        ("off", "accurate", none, none, none, none, Ecn::NotEct, none),
    ] {
        for rack in ["duplicates", "rack"] {
            let text = format!(
                r#"{{"profile": "rfc", "ecn": "{ecn}", "ecn_answer": "{answer}", "loss_detection": "{rack}", "ack_every": 1}}"#
            );
            let mut pipe = Pipe::new(params(&text).open(opening(Some(20 * MSS))), mark(|i| i == 2));
            pipe.finish();
            let seen =
                [&pipe.forward[0], &pipe.reverse[0], &pipe.forward[1], &pipe.forward[2], &pipe.reverse[1]];
            let seen = seen.map(|(_, packet)| bits(packet));
            assert_eq!(seen, [syn, syn_ack, ack, data, echo], "{ecn}, {answer}, {rack}");
            assert_eq!(pipe.forward[2].1.ecn, codepoint, "{ecn}, {answer}");
            assert_eq!(pipe.sender.report().cuts, u32::from(codepoint == capable), "{ecn}, {answer}, {rack}");
            assert_eq!(pipe.receiver.report().delivered, 20 * MSS);
        }
    }
}

#[test]
fn true_and_false_mean_what_they_meant() {
    for (text, word) in [("true", "classic"), ("false", "off"), (r#""accurate""#, "accurate")] {
        assert_eq!(params(&format!(r#"{{"ecn": {text}}}"#)).ecn.word(), word);
    }
}

#[test]
fn marked_packets_are_counted_modulo_eight() {
    // Segments 4 to 8 and 11 arrive marked; else every second one is acknowledged.
    let mut pipe = Pipe::new(bare(r#""fin": false"#, 20), mark(|i| (4..=8).contains(&i) || i == 11));
    pipe.until(|p| p.now > ms(60.0));
    let acks: Vec<(u64, u8, u16)> =
        pipe.reverse.iter().map(|(_, p)| (p.body[0] / MSS, number(p), p.size)).take(11).collect();
    let expected =
        [(2, 5), (4, 5), (5, 6), (7, 0), (9, 2), (11, 2), (12, 3), (14, 3), (16, 3), (18, 3), (20, 3)];
    assert_eq!(acks, expected.map(|(number, count)| (number, count, 48)), "40 bytes and the option");
}

#[test]
fn many_marks_in_one_window_cut_it_once_and_no_segment_says_so() {
    for rack in ["duplicates", "rack"] {
        let more = format!(r#""fin": false, "loss_detection": "{rack}""#);
        let mut pipe = Pipe::new(bare(&more, 300), mark(|i| (3..17).contains(&i)));
        pipe.until(|p| p.now > ms(60.0));
        assert_eq!(pipe.sender.report().cuts, 1, "{rack}");
        assert!(
            (9..=11).contains(&(pipe.sender.control().window / MSS)),
            "{rack}: {}",
            pipe.sender.control().window
        );
        assert_eq!(pipe.receiver.report().marks, 14);
        pipe.finish();
        let report = pipe.sender.report();
        assert_eq!((report.cuts, report.retransmissions), (1, 0), "{rack}");
        assert!(pipe.forward.iter().all(|(_, p)| number(p) == 5), "CWR is a part of the count");
    }
}

/// A connection whose controller counts marks, with segments 20 to 139 marked; `script` may do more. What it heard.
fn heard(more: &str, mut script: impl FnMut(Way, &Packet, usize) -> Fate + 'static) -> Vec<Signals> {
    let text = format!(
        r#"{{"profile": "rfc", "handshake": false, "fin": false, "ack_every": 2, "ecn": "accurate", "initial_window": 40{more}}}"#
    );
    let probe = crate::controller::probe::Probe::new(|signals, control| {
        if signals.event == Event::Start {
            control.window = 40 * MSS;
        }
    });
    let told = probe.heard.clone();
    let needs = Needs::ECHOES;
    let ends = probed(
        crate::controller::AnyController::Own(Box::new(probe)),
        needs,
        params(&text),
        &opening(Some(400 * MSS)),
    );
    let mut marks = mark(|i| (20..140).contains(&i));
    let mut pipe = Pipe::new(ends, move |way, packet, i| match script(way, packet, i) {
        Fate::Pass => marks(way, packet, i),
        fate => fate,
    });
    pipe.finish();
    let told = told.lock().unwrap();
    told.clone()
}

#[test]
fn bytes_are_counted_exactly_despite_lost_acks() {
    let marked = |heard: &[Signals]| heard.iter().map(|s| s.marked).sum::<u64>() / MSS;
    for rack in ["duplicates", "rack"] {
        let more = format!(r#", "loss_detection": "{rack}""#);
        assert_eq!(marked(&heard(&more, pass)), 120, "{rack}");
        // Runs of sixteen acknowledgements are lost: the counter of packets goes round more than once.
        let lossy = |way, _: &Packet, i: usize| match way {
            Way::Reverse if i % 20 >= 4 => Fate::Drop,
            _ => Fate::Pass,
        };
        assert_eq!(marked(&heard(&more, lossy)), 120, "{rack}");
        let late = |way, _: &Packet, i: usize| match way {
            Way::Reverse if i.is_multiple_of(3) => Fate::Delay(Duration::from_millis(3)),
            _ => Fate::Pass,
        };
        assert_eq!(marked(&heard(&more, late)), 120, "{rack}");
    }
}
