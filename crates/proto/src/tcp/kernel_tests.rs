//! What Linux does, as drawn cells of `dumbbell compare-real --draw` showed.

use dumbbell_core::{BitRate, Duration, Ecn, Packet, Stage};
use dumbbell_header::{SackBlock, TcpHeader};

use super::tests::{MSS, lose, params, pass};
use super::{Receiver, Sender};
use crate::controller::probe::Probe;
use crate::controller::{AnyController, Event, Needs};
use crate::testing::{Pipe, ms, opening};
use crate::transport::Transport;

fn bare(more: &str, bytes: u64) -> (Sender, Receiver) {
    let text = format!(
        r#"{{"profile": "rfc", "handshake": false, "fin": false, "loss_detection": "rack", "controller": "newreno", {more}}}"#
    );
    params(&text).open(opening(Some(bytes)))
}

/// `Signals::held` is what SACK has acknowledged beyond a hole: nothing before the loss of segment 3 and after its repair.
#[test]
fn a_controller_hears_of_what_is_held() {
    let probe = Probe::new(|_, control| control.window = 20 * MSS);
    let heard = probe.heard.clone();
    let text = r#"{"handshake": false, "fin": false, "ack_every": 1, "loss_detection": "rack"}"#;
    let ends = super::probed(
        AnyController::Own(Box::new(probe)),
        Needs::RATES,
        params(text),
        &opening(Some(40 * MSS)),
    );
    Pipe::new(ends, lose(&[3])).shaped(None, Duration::from_millis(20)).finish();
    let heard = heard.lock().unwrap();
    let held: Vec<u64> = heard.iter().filter(|s| s.event == Event::Ack).map(|s| s.held / MSS).collect();
    assert_eq!(held[..6], [0, 0, 0, 1, 2, 3]);
    assert_eq!(held.last(), Some(&0));
}

/// Linux net/ipv4/tcp_input.c: tcp_clean_rtx_queue. A receiver that acknowledges a segment in two parts gains nothing.
#[test]
fn a_part_of_a_segment_counts_when_the_rest_is_acknowledged() {
    let mut sender = bare(r#""initial_window": 10"#, 100 * MSS).0;
    sender.wake(ms(0.0));
    while sender.pull(ms(0.0)).is_some() {}
    let mut windows = Vec::new();
    for number in [700, MSS, MSS + 700, 3 * MSS] {
        let header = TcpHeader { flags: TcpHeader::ACK, window: u16::MAX, number, ..TcpHeader::default() };
        sender.push(ms(20.0), &Packet::of(header, 7, 52, Ecn::NotEct));
        windows.push(sender.control().window);
    }
    assert_eq!(windows, [10, 11, 11, 13].map(|segments| segments * MSS));
}

/// The same behind a hole: segment 2 is held, and 0 is acknowledged in two parts.
#[test]
fn a_part_of_a_segment_is_not_in_order() {
    let probe = Probe::new(|_, control| control.window = 20 * MSS);
    let heard = probe.heard.clone();
    let text = r#"{"handshake": false, "fin": false, "loss_detection": "rack"}"#;
    let controller = AnyController::Own(Box::new(probe));
    let mut sender = super::probed(controller, Needs::RATES, params(text), &opening(Some(40 * MSS))).0;
    sender.wake(ms(0.0));
    while sender.pull(ms(0.0)).is_some() {}
    for number in [0, 700, MSS] {
        let block = SackBlock { start: (2 * MSS - number) as u32, end: (3 * MSS - number) as u32 };
        let sack = [block, SackBlock::default(), SackBlock::default()];
        let header =
            TcpHeader { flags: TcpHeader::ACK, window: u16::MAX, number, sack, ..TcpHeader::default() };
        sender.push(ms(20.0), &Packet::of(header, 7, 52, Ecn::NotEct));
    }
    let heard = heard.lock().unwrap();
    let acks = heard.iter().filter(|s| s.event == Event::Ack);
    assert_eq!(
        acks.map(|s| (s.delivered, s.held)).collect::<Vec<_>>(),
        [(MSS, MSS), (MSS, MSS), (2 * MSS, MSS)]
    );
}

/// Linux net/ipv4/tcp_output.c: tcp_ecn_send. Only what is new tells of the smaller window.
#[test]
fn dctcp_of_linux_sends_again_what_can_be_marked() {
    let resent = |controller: &str| {
        let text = format!(
            r#"{{"profile": "linux", "handshake": false, "fin": false, "controller": "{controller}", "ecn": "classic"}}"#
        );
        let mut pipe = Pipe::new(params(&text).open(opening(Some(100 * 1448))), lose(&[5]))
            .shaped(None, Duration::from_millis(20));
        pipe.finish();
        let again = pipe.forward.windows(2).filter(|pair| pair[1].1.body[0] < pair[0].1.body[0]);
        again.map(|pair| (pair[1].1.ecn, pair[1].1.flags & TcpHeader::CWR != 0)).next()
    };
    assert_eq!(resent("dctcp"), Some((Ecn::Ect0, false)));
    assert_eq!(resent("newreno"), Some((Ecn::NotEct, false)));
}

/// A piece has 44 segments. Behind a window that ends with a part of a segment, Linux 6.1 ends the piece with a part; later versions fill
/// that with the next piece.
#[test]
fn a_piece_of_linux_6_1_ends_with_a_part() {
    let lengths_at_ends = |offload: &str| {
        let more =
            format!(r#""segmentation_offload": "{offload}", "initial_window": 60, "receive_window": "20kB""#);
        let mut pipe = Pipe::new(bare(&more, 200 * MSS), pass).shaped(None, Duration::from_millis(20));
        pipe.finish();
        let packets = pipe.forward.iter().map(|(_, packet)| (packet.body[0], u64::from(packet.size) - 40));
        let ends = packets.filter(|(number, length)| (number + length).is_multiple_of(44 * MSS));
        ends.map(|(_, length)| length).collect::<Vec<_>>()
    };
    let parts = lengths_at_ends("pieces");
    assert!(parts.len() == 4 && parts.iter().all(|length| (1..MSS).contains(length)), "{parts:?}");
    assert!(lengths_at_ends("linux").is_empty());
}

/// Linux net/ipv4/tcp_output.c: tcp_cwnd_validate remembers a full window until all that was out then is acknowledged, and anew each
/// time. tcp_tso_should_defer calls a window full only if it is smaller than that of the receiver.
#[test]
fn a_full_window_is_remembered_for_a_round_trip() {
    let probe = Probe::new(|signals, control| {
        // 10 segments after the first acknowledgement, and then far more than the receiver lets through.
        control.window = [4, 10, 60][(signals.delivered / MSS).min(2) as usize] * MSS;
    });
    let heard = probe.heard.clone();
    let text = r#"{"handshake": false, "fin": false, "ack_every": 1, "delayed_acks": "fixed", "loss_detection": "rack",
        "initial_window": 4, "segmentation_offload": "linux", "receive_window": "29200B"}"#;
    let ends = super::probed(
        AnyController::Own(Box::new(probe)),
        Needs::RATES,
        params(text),
        &opening(Some(400 * MSS)),
    );
    let rate = BitRate::from_bps(20_000_000);
    let mut pipe = Pipe::new(ends, pass).shaped(Some(rate), Duration::from_millis(100));
    pipe.until(|p| p.now > ms(580.0));
    let heard = heard.lock().unwrap();
    let found: Vec<bool> = heard.iter().filter(|s| s.event == Event::Ack).map(|s| s.window_limited).collect();
    let first = found.iter().take_while(|limited| **limited).count();
    assert_eq!((first, found[first..].contains(&true)), (11, false), "{found:?}");
}
