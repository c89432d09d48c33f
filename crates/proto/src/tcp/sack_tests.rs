//! What a sender learns from the blocks of one acknowledgement.

use dumbbell_core::{Ecn, Packet, Stage};
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
        let known = sender.rack.as_ref().map_or(sender.board().held(), |rack| rack.segments.held().into());
        assert_eq!(known, held, "{detection}");
    }
}
