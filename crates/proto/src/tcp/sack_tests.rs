//! What a sender learns from the blocks of one acknowledgement.

use dumbbell_core::{Ecn, Header, Packet, Stage};
use dumbbell_header::{SackBlock, TcpHeader};

use super::tests::{MSS, params};
use crate::testing::{ms, opening};
use crate::transport::Transport;

#[test]
fn every_block_of_an_acknowledgement_counts() {
    // RFC 2018 section 4: blocks are repeated because acknowledgements get lost; the one that arrives then tells all of them.
    for (detection, held) in [("duplicates", 3 * MSS), ("fack", 3 * MSS), ("rack", 3)] {
        let text = format!(
            r#"{{"handshake": false, "fin": false, "initial_window": 10, "loss_detection": "{detection}"}}"#
        );
        let (mut sender, _) = params(&text).open(opening(Some(10 * MSS)));
        sender.wake(ms(0.0));
        while sender.pull(ms(0.0)).is_some() {}
        let sack = [8, 5, 2].map(|n| SackBlock { start: (n * MSS) as u32, end: ((n + 1) * MSS) as u32 });
        let header = TcpHeader { flags: TcpHeader::ACK, window: u16::MAX, sack, ..TcpHeader::default() };
        sender.push(ms(50.0), &Packet::of(header, 7, 68, Ecn::NotEct));
        let known = sender.rack().map_or(sender.board().held(), |rack| rack.segments.held().into());
        assert_eq!(known, held, "{detection}");
    }
}

#[test]
fn what_arrived_twice_is_the_first_block() {
    // RFC 2883 section 4: D-SACK comes before the blocks, and may lie below the acknowledgement.
    let text = r#"{"profile": "rfc", "handshake": false, "dsack": true, "ack_every": 1}"#;
    let (_, mut receiver) = params(text).open(opening(None));
    let mut blocks = |n: u64| {
        let header = TcpHeader { flags: TcpHeader::ACK, number: n * MSS, ..TcpHeader::default() };
        receiver.push(ms(1.0), &Packet::of(header, 7, 1500, Ecn::NotEct));
        let packet = receiver.pull(ms(1.0)).unwrap();
        let header = TcpHeader::unpack(&packet.words());
        let place =
            |offset: u32| (header.number.cast_signed() + i64::from(offset.cast_signed())) / MSS.cast_signed();
        let blocks = header.sack.iter().filter(|b| **b != SackBlock::default());
        (packet.size, blocks.map(|b| (place(b.start), place(b.end))).collect::<Vec<_>>())
    };
    assert_eq!(blocks(0), (40, vec![]));
    assert_eq!(blocks(2), (52, vec![(2, 3)]));
    assert_eq!(blocks(0), (60, vec![(0, 1), (2, 3)]));
    assert_eq!(blocks(2), (60, vec![(2, 3), (2, 3)]), "within a block: that follows");
    assert_eq!(blocks(4), (60, vec![(4, 5), (2, 3)]), "once");
    assert_eq!(blocks(0), (68, vec![(0, 1), (4, 5), (2, 3)]));
}

#[test]
fn of_data_that_arrives_twice_in_part_that_part_is_told() {
    // Linux tools/testing/selftests/net/packetdrill/tcp_dsack_mult.pkt, and overlaps above a hole.
    let text = r#"{"profile": "linux", "handshake": false, "timestamps": false, "mss": 1000}"#;
    let (_, mut receiver) = params(text).open(opening(None));
    let mut blocks = |start: u64, end: u64| {
        let header = TcpHeader { flags: TcpHeader::ACK, number: start, ..TcpHeader::default() };
        receiver.push(ms(1.0), &Packet::of(header, 7, (end - start) as u16 + 40, Ecn::NotEct));
        let header = TcpHeader::unpack(&receiver.pull(ms(1.0)).unwrap().words());
        let place = |offset: u32| header.number.wrapping_add_signed(offset.cast_signed().into());
        let blocks = header.sack.iter().filter(|b| **b != SackBlock::default());
        (header.number, blocks.map(|b| (place(b.start), place(b.end))).collect::<Vec<_>>())
    };
    assert_eq!(blocks(1_000, 3_000), (0, vec![(1_000, 3_000)]));
    assert_eq!(blocks(4_000, 5_000), (0, vec![(4_000, 5_000), (1_000, 3_000)]));
    assert_eq!(blocks(7_000, 8_000), (0, vec![(7_000, 8_000), (4_000, 5_000), (1_000, 3_000)]));
    assert_eq!(blocks(0, 6_000), (6_000, vec![(1_000, 3_000), (7_000, 8_000)]), "the first that it covers");
    assert_eq!(blocks(6_000, 8_000), (8_000, vec![(7_000, 8_000)]));
    assert_eq!(blocks(0, 1_000), (8_000, vec![(0, 1_000)]));
    assert_eq!(blocks(7_500, 8_500), (8_500, vec![(7_500, 8_000)]), "it begins below what is expected");
    assert_eq!(blocks(10_000, 12_000), (8_500, vec![(10_000, 12_000)]));
    assert_eq!(blocks(11_000, 13_000), (8_500, vec![(11_000, 12_000), (10_000, 13_000)]));
    assert_eq!(blocks(9_000, 10_500), (8_500, vec![(10_000, 10_500), (9_000, 13_000)]));
}
