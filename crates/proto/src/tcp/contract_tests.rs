//! What a controller is told, and how the sender obeys it.

use std::sync::{Arc, Mutex};

use dumbbell_core::{BitRate, Duration, Packet, Stage, Time, Way};
use dumbbell_header::TcpHeader;
use proptest::prelude::*;

use super::tests::{Case, MSS, case, lose, params, pass};
use super::{Receiver, Sender};
use crate::controller::probe::Probe;
use crate::controller::{ACCOUNT, AnyController, Control, Event, Needs, Random, Rate, RateSample, Signals};
use crate::testing::{Fate, Pipe, ms, opening};
use crate::transport::{ReceiveEnd, SendEnd, Transport};

/// A link of 12 Mbit/s: a segment takes a millisecond.
const RATE: BitRate = BitRate::from_bps(12_000_000);
/// What it carries of the stream, in bytes a second.
const GOODPUT: f64 = MSS as f64 / 1e-3;
const RATES: Needs = Needs::RATES.and(Needs::PACING);

type Heard = Arc<Mutex<Vec<Signals>>>;

/// A connection under a controller made by the test, and what that hears.
fn probed(
    needs: Needs,
    text: &str,
    size: Option<u64>,
    answer: impl FnMut(&Signals, &mut Control) + Send + 'static,
) -> ((Sender, Receiver), Heard) {
    let probe = Probe::new(answer);
    let heard = probe.heard.clone();
    (super::probed(AnyController::Own(Box::new(probe)), needs, params(text), &opening(size)), heard)
}

/// The same without handshake and FIN.
fn bare(
    needs: Needs,
    more: &str,
    segments: u64,
    answer: impl FnMut(&Signals, &mut Control) + Send + 'static,
) -> ((Sender, Receiver), Heard) {
    let text = format!(r#"{{"handshake": false, "fin": false, "ack_every": 1{more}}}"#);
    probed(needs, &text, Some(segments * MSS), answer)
}

/// Paces at a share of the goodput of the link, with a large window.
fn paced(share: f64) -> impl FnMut(&Signals, &mut Control) + Send {
    move |_, control| {
        (control.window, control.pacing) = (200 * MSS, Rate::from_f64(share * GOODPUT));
    }
}

/// The rate samples heard from `start` on.
fn samples(heard: &Heard, start: Time) -> Vec<RateSample> {
    heard
        .lock()
        .unwrap()
        .iter()
        .filter(|s| s.now >= start && s.rate.rate > Rate::ZERO)
        .map(|s| s.rate)
        .collect()
}

fn near(rate: f64, expected: f64) -> bool {
    (rate / expected - 1.0).abs() < 0.01
}

#[test]
fn samples_give_the_slower_of_sender_and_link() {
    for sack in [true, false] {
        for (paced_at, share) in [(0.5, 0.5), (1.0, 1.0), (2.0, 1.0)] {
            let (ends, heard) = bare(RATES, &format!(r#", "sack": {sack}"#), 2000, paced(paced_at));
            let mut pipe = Pipe::new(ends, pass).shaped(Some(RATE), Duration::from_millis(50));
            pipe.until(|p| p.now > ms(400.0));
            let samples = samples(&heard, ms(200.0));
            assert!(samples.len() > 90);
            for sample in samples {
                assert!(near(sample.rate.as_f64(), share * GOODPUT), "{paced_at}: {sample:?}");
                assert!(!sample.app_limited && sample.lost == 0);
            }
        }
    }
}

#[test]
fn a_sample_holds_the_flight_and_rounds_count_packets() {
    let (ends, heard) = bare(RATES, "", 2000, paced(1.0));
    let rtt = Duration::from_micros(49_500);
    let mut pipe = Pipe::new(ends, pass).shaped(None, rtt);
    pipe.until(|p| p.now > ms(501.0));
    let heard = heard.lock().unwrap();
    let last = heard.last().unwrap();
    // One segment a millisecond, acknowledged half a millisecond before the fiftieth after it leaves.
    assert_eq!((last.rate.packets_in_flight, last.rate.in_flight), (50, 50 * MSS));
    assert_eq!(last.rate.interval, Duration::from_millis(50));
    assert_eq!((last.rate.delivered, last.delivered - last.rate.prior_delivered), (50 * MSS, 50 * MSS));
    assert_eq!(last.round, 10);
    // A round-trip time with every acknowledgement.
    assert!(heard[1..].iter().all(|s| s.rtt == rtt));
}

#[test]
fn samples_of_a_sender_without_data_are_flagged() {
    let (ends, heard) = bare(RATES, "", 20, paced(1.0));
    let mut pipe = Pipe::new(ends, pass).shaped(None, Duration::from_micros(49_500));
    // The application writes again before everything is acknowledged: until then there was too little to send.
    pipe.until(|p| p.now >= ms(40.0));
    assert!(samples(&heard, Time::ZERO).is_empty());
    pipe.sender.write(200 * MSS);
    pipe.receiver.expect(200 * MSS);
    pipe.finish();
    let heard = heard.lock().unwrap();
    let flagged: Vec<u64> = heard.iter().filter(|s| s.rate.app_limited).map(|s| s.delivered / MSS).collect();
    // Segments 0 to 19 left before. Those of the next round-trip time left while these were all that was in flight.
    assert_eq!(flagged, (21..=70).collect::<Vec<u64>>());
}

#[test]
fn a_burst_of_losses_is_counted_and_does_not_raise_the_rate() {
    // Without SACK, more would take longer to repair than the timer allows.
    for (sack, losses) in [(true, [100, 101, 102, 103, 104].as_slice()), (false, &[100, 101])] {
        let count = losses.len() as u64 * MSS;
        let (ends, heard) = bare(RATES, &format!(r#", "sack": {sack}"#), 400, paced(1.0));
        let mut pipe = Pipe::new(ends, lose(losses));
        pipe.finish();
        assert_eq!(pipe.receiver.report().delivered, 400 * MSS);
        let samples = samples(&heard, ms(110.0));
        let largest = samples.iter().map(|s| s.rate.as_f64()).fold(0.0, f64::max);
        assert!(largest < 1.01 * GOODPUT, "SACK {sack}: {largest}");
        let heard = heard.lock().unwrap();
        assert_eq!(heard.iter().map(|s| s.lost).sum::<u64>(), count, "SACK {sack}");
        assert!(samples.iter().any(|s| s.lost == if sack { count } else { MSS }), "SACK {sack}");
        assert_eq!(heard.iter().map(|s| s.acked).sum::<u64>(), 400 * MSS, "SACK {sack}");
        assert_eq!(heard.iter().filter(|s| s.event == Event::Loss).count(), 1, "SACK {sack}");
    }
}

#[test]
fn acknowledgements_in_bunches_do_not_raise_the_rate() {
    let (ends, heard) = bare(RATES, "", 1000, paced(1.0));
    let mut pipe = Pipe::new(ends, |way, _, i| match way {
        Way::Forward => Fate::Pass,
        Way::Reverse => Fate::Delay(Duration::from_millis(9 - i as u64 % 10)),
    });
    pipe.until(|p| p.now > ms(800.0));
    let samples = samples(&heard, ms(200.0));
    for sample in &samples {
        assert!(sample.rate.as_f64() < 1.01 * GOODPUT && sample.rate.as_f64() > 0.8 * GOODPUT, "{sample:?}");
    }
    let mean = samples.iter().map(|s| s.rate.as_f64()).sum::<f64>() / samples.len() as f64;
    assert!(mean > 0.9 * GOODPUT, "{mean}");
}

#[test]
fn timeouts_are_counted_as_losses_of_everything_in_flight() {
    for sack in [true, false] {
        let (ends, heard) = bare(RATES, &format!(r#", "sack": {sack}, "initial_window": 4"#), 4, |_, _| {});
        let mut pipe = Pipe::new(ends, lose(&[0, 1, 2, 3]));
        pipe.finish();
        let heard = heard.lock().unwrap();
        let timeout = heard.iter().find(|s| s.event == Event::Timeout).unwrap();
        assert_eq!(timeout.lost, 4 * MSS, "SACK {sack}");
    }
}

#[test]
fn a_controller_receives_every_marked_byte_it_asks_for() {
    let needs = Needs::ECHOES;
    let cases =
        [("classic", "duplicates"), ("classic", "rack"), ("accurate", "duplicates"), ("accurate", "rack")];
    for (ack_every, (ecn, detection)) in [1, 2, 8].into_iter().flat_map(|n| cases.map(|case| (n, case))) {
        let text = format!(
            r#"{{"handshake": false, "fin": false, "ack_every": {ack_every}, "ecn": "{ecn}", "initial_window": 40,
            "loss_detection": "{detection}"}}"#
        );
        let (ends, heard) = probed(needs, &text, Some(400 * MSS), |_, _| {});
        let marked = |i: usize| matches!(i % 40, 3 | 7..=9 | 20..=33);
        let mut pipe =
            Pipe::new(
                ends,
                move |way, _, i| {
                    if way == Way::Forward && marked(i) { Fate::Mark } else { Fate::Pass }
                },
            );
        pipe.finish();
        let heard = heard.lock().unwrap();
        let expected = (0..400).filter(|i| marked(*i)).count() as u64 * MSS;
        let marked = heard.iter().map(|s| s.marked).sum::<u64>();
        assert_eq!(marked, expected, "one in {ack_every}, {ecn}, {detection}");
        assert_eq!(heard.iter().map(|s| s.acked).sum::<u64>(), 400 * MSS);
        assert!(heard.iter().all(|s| s.event != Event::Ecn && !s.in_recovery));
        assert!(pipe.forward.iter().all(|(_, p)| p.flags & TcpHeader::CWR == 0));
        // Delayed acknowledgements stay delayed where nothing changes.
        let acknowledgements = pipe.reverse.len();
        assert!(acknowledgements < 400 / ack_every + 130, "{acknowledgements}");
    }
}

#[test]
fn a_change_of_marks_is_acknowledged_first_under_the_old_state() {
    // RFC 8257 section 3.2, figure 1.
    let text = r#"{"handshake": false, "fin": false, "ack_every": 4, "ecn": true, "initial_window": 6}"#;
    let (ends, _) = probed(Needs::ECHOES, text, Some(6 * MSS), |_, _| {});
    let mut pipe =
        Pipe::new(
            ends,
            |way, _, i| {
                if way == Way::Forward && (2..4).contains(&i) { Fate::Mark } else { Fate::Pass }
            },
        );
    pipe.finish();
    let echoes: Vec<(u64, bool)> =
        pipe.reverse.iter().map(|(_, p)| (p.body[0] / MSS, p.flags & TcpHeader::ECE != 0)).collect();
    assert_eq!(echoes, [(2, false), (3, true), (4, true), (5, false), (6, false)]);
}

#[test]
fn a_controller_is_woken_until_everything_is_acknowledged() {
    let needs = Needs::WAKE;
    let (ends, heard) = bare(needs, r#", "initial_window": 1"#, 1, |signals, control| {
        if matches!(signals.event, Event::Start | Event::Wake) {
            control.wake_at = signals.now + Duration::from_millis(20);
        }
    });
    let mut pipe = Pipe::new(ends, pass);
    pipe.finish();
    let woken = |heard: &Heard| -> Vec<Time> {
        heard.lock().unwrap().iter().filter(|s| s.event == Event::Wake).map(|s| s.now).collect()
    };
    assert_eq!(woken(&heard), [20.0, 40.0].map(ms));
    // One that asks for the past is put off, not called for ever.
    let (ends, heard) = bare(needs, r#", "initial_window": 1"#, 1, |signals, control| {
        control.wake_at = signals.now;
    });
    let mut pipe = Pipe::new(ends, pass);
    pipe.until(|p| p.now > Time::from_nanos(10_500));
    assert_eq!(woken(&heard).len(), 11);
    // One that does not say that it needs it is not woken.
    let (ends, heard) = bare(RATES, "", 10, |signals, control| control.wake_at = signals.now);
    Pipe::new(ends, pass).finish();
    assert!(woken(&heard).is_empty());
}

#[test]
fn pacing_begins_with_the_initial_window() {
    let needs = Needs::PACING;
    // So slow at first that only the clamp lets the second segment leave; then a millisecond a segment.
    let (ends, _) = bare(needs, r#", "rto_max": "2s", "rto_initial": "1s""#, 6, |signals, control| {
        control.pacing = if signals.now < ms(1000.0) { Rate::ZERO } else { Rate::from_f64(GOODPUT) };
    });
    let mut pipe = Pipe::new(ends, pass);
    pipe.finish();
    let sent: Vec<Time> = pipe.forward.iter().map(|f| f.0).collect();
    assert_eq!(sent, [0.0, 2000.0, 2050.0, 2051.0, 2052.0, 2053.0].map(ms));
}

#[test]
fn what_finds_room_in_the_send_buffer_is_paced_too() {
    let needs = Needs::PACING;
    for detection in ["duplicates", "rack"] {
        let text = format!(r#", "send_buffer": "6kB", "loss_detection": "{detection}""#);
        let (ends, _) = bare(needs, &text, 60, paced(1.0));
        let mut pipe = Pipe::new(ends, pass);
        pipe.finish();
        assert_eq!(pipe.receiver.report().delivered, 60 * MSS);
        let gaps = pipe.forward.windows(2).map(|two| two[1].0.since(two[0].0));
        assert_eq!(gaps.min(), Some(Duration::from_millis(1)), "{detection}");
    }
}

#[test]
fn what_no_controller_asks_for_is_not_kept() {
    for descriptor in crate::ControllerSpec::descriptors() {
        let text = format!(r#"{{"controller": "{}"}}"#, descriptor.name);
        let params = params(&text);
        let asked = params.controller.needs().any(ACCOUNT);
        assert_eq!(params.open(opening(None)).0.account().is_some(), asked, "{text}");
    }
}

#[test]
fn each_lost_segment_is_reported_with_its_snapshot() {
    let needs = RATES.and(Needs::LOSSES);
    for detection in ["duplicates", "rack"] {
        let text = format!(r#", "loss_detection": "{detection}""#);
        let (ends, heard) = bare(needs, &text, 400, paced(1.0));
        // The last is lost again when it is sent again.
        let lost = [100, 101, 104];
        let mut pipe =
            Pipe::new(ends, lose(&[100, 101, 104, 104])).shaped(None, Duration::from_micros(49_500));
        pipe.finish();
        let heard = heard.lock().unwrap();
        let told: Vec<&Signals> = heard.iter().filter(|s| s.event == Event::Lost).collect();
        assert!(told.len() >= 4, "{detection}: {}", told.len());
        for (i, (signals, number)) in told.iter().zip(lost).enumerate() {
            let rate = &signals.rate;
            assert_eq!((signals.lost, rate.lost), (MSS, (i as u64 + 1) * MSS), "{detection}");
            assert_eq!(signals.repeated, number == 101, "{detection}: of the first range the second");
            let in_flight = signals.flight / MSS;
            assert!((40..=50).contains(&in_flight), "{detection}, {number}: {in_flight} segments");
            // A segment a millisecond; 50 are out.
            assert_eq!(
                (rate.prior_delivered / MSS, rate.packets_in_flight),
                (number - 49, 50),
                "{detection}, {number}"
            );
        }
        let first = heard.iter().position(|s| s.event == Event::Lost).unwrap();
        let cut = heard.iter().position(|s| s.event == Event::Loss).unwrap();
        assert!(cut < first, "{detection}: what the losses mean comes first");
        let lost: u64 = heard.iter().map(|s| s.lost).sum();
        assert_eq!(lost, told.len() as u64 * MSS, "{detection}: told once");
        assert_eq!(lost / MSS, pipe.sender.report().retransmissions, "{detection}");
    }
}

/// The events that are not acknowledgements.
fn events(heard: &Heard) -> Vec<Event> {
    heard.lock().unwrap().iter().map(|s| s.event).filter(|event| *event != Event::Ack).collect()
}

#[test]
fn a_controller_that_asks_hears_how_a_repair_ends() {
    let text = r#", "loss_detection": "rack", "timestamps": true, "tail_loss_probe": false"#;
    let late = |delay| {
        move |way, _: &Packet, i| match way {
            Way::Forward if i == 100 => Fate::Delay(Duration::from_millis(delay)),
            _ => Fate::Pass,
        }
    };
    for (repairs, lost, undone) in [
        (
            true,
            vec![Event::Start, Event::Loss, Event::Recovered],
            vec![Event::Start, Event::Loss, Event::Undone],
        ),
        (false, vec![Event::Start, Event::Loss], vec![Event::Start, Event::Loss]),
    ] {
        let needs = Needs::of(&[(true, RATES), (repairs, Needs::REPAIRS)]);
        let (ends, heard) = bare(needs, text, 400, paced(1.0));
        Pipe::new(ends, lose(&[100])).finish();
        assert_eq!(events(&heard), lost);
        // It arrives behind 30 others: nothing was lost.
        let (ends, heard) = bare(needs, text, 400, paced(1.0));
        Pipe::new(ends, late(30)).finish();
        assert_eq!(events(&heard), undone);
    }
    // Nothing arrives for a while, and the timer expires.
    let (ends, heard) = bare(RATES.and(Needs::REPAIRS), text, 100, paced(1.0));
    let mut pipe = Pipe::new(ends, pass);
    pipe.stall(ms(70.0), ms(600.0));
    pipe.finish();
    assert_eq!(events(&heard), [Event::Start, Event::Timeout, Event::Undone]);
}

#[test]
fn a_controller_that_asks_hears_that_sending_begins_again() {
    for (detection, restarts) in
        [("duplicates", true), ("rack", true), ("duplicates", false), ("rack", false)]
    {
        let text = format!(r#", "loss_detection": "{detection}", "slow_start_after_idle": false"#);
        let (ends, heard) =
            bare(Needs::of(&[(true, RATES), (restarts, Needs::RESTARTS)]), &text, 20, paced(1.0));
        let mut pipe = Pipe::new(ends, pass);
        pipe.finish();
        pipe.sender.write(5 * MSS);
        pipe.receiver.expect(5 * MSS);
        pipe.finish();
        let heard = heard.lock().unwrap();
        let told: Vec<_> = heard.iter().filter(|s| s.event == Event::Restart).collect();
        assert_eq!(told.len(), usize::from(restarts), "{detection}");
        assert!(told.iter().all(|s| s.rate.app_limited && s.flight == 0 && s.delivered == 20 * MSS));
    }
}

/// Linux net/ipv4/tcp_output.c: tcp_event_data_sent. A window of ten segments is lost, with the probe that is the eleventh. The first is
/// sent again at the timeout. Its acknowledgement lets the twelfth out where nothing is in the network, either.
#[test]
fn a_controller_hears_that_sending_begins_again_after_a_timeout() {
    let text = r#", "loss_detection": "rack", "tail_loss_probe": true, "frto": true"#;
    let needs = Needs::RATES.and(Needs::RESTARTS);
    let (ends, heard) = bare(needs, text, 12, |signals, control| match signals.event {
        Event::Start => control.window = 10 * MSS,
        Event::Timeout => control.window = MSS,
        _ => {}
    });
    let mut pipe = Pipe::new(ends, lose(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]));
    pipe.finish();
    let heard = heard.lock().unwrap();
    let told: Vec<_> = heard.iter().filter(|s| s.event == Event::Restart).collect();
    let found: Vec<_> = told.iter().map(|s| (s.flight / MSS, s.delivered / MSS)).collect();
    assert_eq!(found[..2], [(11, 0), (10, 1)]);
    let timeout = heard.iter().position(|s| s.event == Event::Timeout).expect("all was lost");
    assert_eq!(heard[timeout + 1].event, Event::Restart);
}

#[test]
fn a_controller_that_asks_gets_a_random_stream_of_its_own() {
    use rand::Rng;
    let first = |needs, seed| {
        let probe = Probe::new(|_, _| {});
        let random = probe.random.clone();
        let opening =
            crate::transport::Opening { rng: dumbbell_core::rng::stream(seed, "flow"), ..opening(None) };
        let text = r#"{"overhead": "1ms", "rto_spread": 0.5}"#;
        super::probed(AnyController::Own(Box::new(probe)), needs, params(text), &opening);
        random.lock().unwrap().as_mut().map(Random::draw)
    };
    let needs = Needs::RANDOM;
    assert_eq!(first(Needs::NOTHING, 1), None);
    assert_eq!(first(needs, 1), first(needs, 1));
    assert_ne!(first(needs, 1), first(needs, 2), "each flow has its own");
    let stream = dumbbell_core::rng::stream(1, "flow");
    for jumps in 0..2 {
        assert_ne!(
            first(needs, 1),
            Some(stream.clone().jumped(jumps).next_u64()),
            "nobody else draws from it"
        );
    }
}

/// Answers by numbers that look random, and checks what it hears.
pub(super) fn erratic() -> impl FnMut(&Signals, &mut Control) + Send {
    let (mut state, mut delivered, mut round, mut now) = (1_u64, 0, 0, Time::ZERO);
    move |signals, control| {
        assert!(
            signals.delivered == delivered + signals.acked && signals.round >= round && signals.now >= now
        );
        (delivered, round, now) = (signals.delivered, signals.round, signals.now);
        let rate = &signals.rate;
        assert!(signals.marked <= signals.acked && rate.rate < Rate::UNLIMITED, "{signals:?}");
        assert!(rate.prior_delivered + rate.delivered <= signals.delivered, "{signals:?}");
        assert!(
            rate.rate == Rate::ZERO || (rate.interval >= signals.min_rtt && rate.in_flight > 0),
            "{signals:?}"
        );
        state = (state ^ signals.now.as_nanos()).wrapping_mul(6_364_136_223_846_793_005).rotate_left(17);
        control.window = state % 6000;
        control.pacing = match state >> 60 {
            0 => Control::UNPACED,
            n => Rate::from_bytes_per_second(n * 50_000),
        };
        control.wake_at = signals.now + Duration::from_millis(state >> 56);
    }
}

proptest! {
    /// Whatever is lost, delayed, doubled or marked, and whatever the controller wants: everything arrives.
    #[test]
    fn everything_is_delivered_whatever_the_controller_wants(case in case(), needs in any::<[bool; 7]>()) {
        let Case { text, size, forward, reverse } = case;
        let [rates, echoes, pacing, wake, losses, repairs, restarts] = needs;
        let losses = losses && rates;
        let needs = Needs::of(&[(rates, Needs::RATES), (echoes, Needs::ECHOES), (pacing, Needs::PACING), (wake, Needs::WAKE), (losses, Needs::LOSSES), (repairs, Needs::REPAIRS), (restarts, Needs::RESTARTS)]);
        let (ends, heard) = probed(needs, &text, Some(size), erratic());
        let mut pipe = Pipe::new(ends, move |way, packet: &Packet, i| {
            let list = if way == Way::Forward { &forward } else { &reverse };
            match list.get(i) {
                Some(Fate::Mark) if !packet.ecn.is_capable() => Fate::Pass,
                Some(fate) => *fate,
                None => Fate::Pass,
            }
        });
        while pipe.step() {
            prop_assert!(pipe.forward.len() < 20_000, "never ends");
        }
        prop_assert_eq!(pipe.receiver.report().delivered, size);
        prop_assert!(pipe.sender.report().finished.is_some());
        prop_assert!(pipe.sender.is_closed() && pipe.receiver.is_closed());
        prop_assert_eq!(pipe.sender.wake_at(), Time::NEVER);
        let heard = heard.lock().unwrap();
        let stop = size + u64::from(pipe.sender.stop() > size);
        prop_assert_eq!(heard.iter().map(|s| s.acked).sum::<u64>(), stop);
        let sent: u64 = pipe.forward.iter().map(|(_, p)| u64::from(p.size)).sum();
        prop_assert!(heard.iter().map(|s| s.lost).sum::<u64>() <= 2 * sent);
    }
}

proptest! {
    /// Whatever happens on the way: the short ways of what is in order tell the controller, and send, what the long ones do.
    #[test]
    fn short_ways_do_what_long_ones_do(case in case(), needs in any::<[bool; 6]>()) {
        let Case { text, size, forward, reverse } = case;
        let [echoes, pacing, wake, losses, repairs, restarts] = needs;
        let needs = Needs::of(&[(true, Needs::RATES), (echoes, Needs::ECHOES), (pacing, Needs::PACING), (wake, Needs::WAKE), (losses, Needs::LOSSES), (repairs, Needs::REPAIRS), (restarts, Needs::RESTARTS)]);
        let run = |long: bool| {
            let (mut ends, heard) = probed(needs, &text, Some(size), erratic());
            ends.0.account().into_iter().for_each(|account| account.takes_long_way = long);
            let (forward, reverse) = (forward.clone(), reverse.clone());
            let mut pipe = Pipe::new(ends, move |way, packet: &Packet, i| {
                let list = if way == Way::Forward { &forward } else { &reverse };
                match list.get(i) {
                    Some(Fate::Mark) if !packet.ecn.is_capable() => Fate::Pass,
                    Some(fate) => *fate,
                    None => Fate::Pass,
                }
            });
            while pipe.step() && pipe.forward.len() < 20_000 {}
            let heard = heard.lock().unwrap();
            (format!("{heard:?}"), format!("{:?}", pipe.forward), pipe.sender.report())
        };
        let (long, short) = (run(true), run(false));
        prop_assert_eq!(long.2, short.2);
        prop_assert!(long.0 == short.0, "the controller hears the same");
        prop_assert!(long.1 == short.1, "the same is sent at the same times");
    }
}

#[test]
fn vegas_finds_an_old_loss_by_one_duplicate() {
    // Only one duplicate follows the loss of the last segment but one: others wait for the timeout.
    for (controller, timeouts) in [("reno", 1), ("vegas", 0)] {
        let text = format!(r#"{{"sack": false, "ack_every": 1, "controller": "{controller}"}}"#);
        let mut pipe = Pipe::new(params(&text).open(opening(Some(200 * MSS))), lose(&[198]));
        pipe.finish();
        let report = pipe.sender.report();
        assert_eq!((report.timeouts, report.retransmissions), (timeouts, 1), "{controller}");
    }
}

#[test]
fn vegas_finds_the_next_loss_after_a_retransmission() {
    // Reno ends recovery at the first new acknowledgement and waits for duplicates that do not come.
    for (controller, timeouts) in [("reno", 1), ("vegas", 0)] {
        let text = format!(
            r#"{{"sack": false, "ack_every": 1, "limited_transmit": false, "controller": "{controller}"}}"#
        );
        let mut pipe = Pipe::new(params(&text).open(opening(Some(200 * MSS))), lose(&[190, 191]));
        pipe.finish();
        let report = pipe.sender.report();
        assert_eq!((report.timeouts, report.retransmissions), (timeouts, 2), "{controller}");
    }
}
