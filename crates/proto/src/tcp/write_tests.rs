//! What an application writes while the connection lives: segments of any size, at any place of the stream.

use std::collections::VecDeque;

use dumbbell_core::{Duration, Packet, Stage, Time, Way};
use proptest::prelude::*;

use super::contract_tests::erratic;
use super::tests::{Case, MSS, case, lose, params};
use super::{Receiver, Sender};
use crate::controller::probe::Probe;
use crate::controller::{AnyController, Needs};
use crate::testing::{Fate, Pipe, ms, opening};
use crate::transport::{ReceiveEnd, SendEnd, Transport};

fn write(pipe: &mut Pipe<Sender, Receiver>, bytes: u64) {
    pipe.sender.write(bytes);
    pipe.receiver.expect(bytes);
}

/// A connection without handshake that stays open.
fn kept(more: &str, size: u64) -> (Sender, Receiver) {
    let text = format!(r#"{{"handshake": false, "fin": false, "ack_every": 1, {more}}}"#);
    params(&text).open(opening(Some(size)))
}

#[test]
fn the_rescue_behind_a_short_segment_sends_the_last_segment_again() {
    // 100 bytes, then twelve segments, of which the fourth and the last are lost: only the rescue finds the last in time.
    let mut pipe = Pipe::new(kept(r#""initial_window": 20"#, 100), lose(&[4, 11]));
    pipe.until(|pipe| pipe.now > ms(0.0));
    write(&mut pipe, 12 * MSS);
    pipe.finish();
    let report = pipe.sender.report();
    assert_eq!((pipe.receiver.report().delivered, report.retransmissions), (100 + 12 * MSS, 2));
    assert_eq!(report.timeouts, 0, "the rescue came in time");
}

#[test]
fn short_segments_count_as_segments_where_the_window_does() {
    let mut sender = kept(r#""profile": "linux""#, 0).0;
    sender.wake(ms(0.0));
    let sent = |sender: &mut Sender| std::iter::from_fn(|| sender.pull(ms(1.0))).count();
    let all = (0..30).map(|_| {
        sender.write(100);
        sent(&mut sender)
    });
    assert_eq!(all.sum::<usize>(), 10, "the initial window");
}

proptest! {
    /// Whatever is written and when, whatever is lost, delayed or doubled, and whatever the controller wants: everything
    /// arrives, and nothing is acknowledged that was not sent.
    #[test]
    fn what_is_written_in_pieces_is_delivered(
        case in case(),
        needs in prop::option::of(any::<[bool; 4]>()),
        writes in prop::collection::vec((0_u64..400, 1_u64..700), 1..12),
    ) {
        let Case { text, size, forward, reverse } = case;
        let text = text.replace(r#""fin": true"#, r#""fin": false"#);
        let opening = opening(Some(size));
        let ends = match needs {
            None => params(&text).open(opening),
            Some([rates, echoes, pacing, wake]) => {
                let needs = Needs { rates, echoes, pacing, wake, exchange: None };
                super::probed(AnyController::Probe(Probe::new(erratic())), needs, params(&text), &opening)
            }
        };
        let mut pipe = Pipe::new(ends, move |way, packet: &Packet, i| {
            let list = if way == Way::Forward { &forward } else { &reverse };
            match list.get(i) {
                Some(Fate::Mark) if !packet.ecn.is_capable() => Fate::Pass,
                Some(fate) => *fate,
                None => Fate::Pass,
            }
        });
        let total = size + writes.iter().map(|w| w.1).sum::<u64>();
        let mut writes: VecDeque<(u64, u64)> = writes.into();
        let mut next = Time::ZERO;
        loop {
            let moves = pipe.step();
            if let Some(&(after, bytes)) = writes.front().filter(|_| !moves || pipe.now >= next) {
                writes.pop_front();
                pipe.now = pipe.now.max(next);
                next = pipe.now + Duration::from_millis(after);
                write(&mut pipe, bytes);
            } else if !moves {
                break;
            }
            let s = &pipe.sender;
            prop_assert!(s.una <= s.nxt && s.nxt <= s.max && s.max <= s.stop);
            prop_assert!(pipe.forward.len() < 20_000, "never ends");
        }
        prop_assert_eq!(pipe.receiver.report().delivered, total);
        prop_assert!(pipe.sender.report().finished.is_some());
        prop_assert!(pipe.sender.is_closed() && pipe.receiver.is_closed());
        let sent = pipe.forward.iter().map(|(_, p)| p.body[0]).max();
        prop_assert!(sent.is_none_or(|number| number <= total));
    }
}
