use dumbbell_core::Way;

use super::*;
use crate::testing::{Fate, Pipe, ms, opening, read};
use crate::transport::ReceiveEnd;

type Ends = Pipe<Box<Sender>, Box<Receiver>>;

/// A path of 100 ms, and what happens to packets of media by their number.
fn pipe(text: &str, size: Option<u64>, fate: impl FnMut(u64) -> Fate + 'static) -> Ends {
    let params: Arc<Params> = Arc::new(read(text));
    let mut fate = fate;
    let script = move |way: Way, packet: &Packet, _: usize| match way {
        Way::Forward => fate(packet.body[0]),
        Way::Reverse => Fate::Pass,
    };
    Pipe::new(params.open(opening(size)), script).shaped(None, Duration::from_millis(100))
}

/// Bits a second that left between two times, in seconds.
fn sent(pipe: &Ends, from: f64, to: f64) -> f64 {
    let between = |(at, _): &&(Time, Packet)| (ms(from * 1e3)..ms(to * 1e3)).contains(at);
    let bytes: u64 = pipe.forward.iter().filter(between).map(|(_, packet)| u64::from(packet.size)).sum();
    bytes as f64 * 8.0 / (to - from)
}

/// Milliseconds that packets spent at a link of 1 Mbit/s above the shortest such time, on average from a time on, in seconds.
fn waited(pipe: &Ends, from: f64) -> f64 {
    let times = pipe.waits.iter().zip(&pipe.forward);
    let times: Vec<(Time, f64)> = times
        .map(|((at, wait), (_, packet))| (*at, wait.as_secs_f64() * 1e3 + f64::from(packet.size) * 8e-3))
        .collect();
    let least = times.iter().map(|(_, time)| *time).fold(f64::INFINITY, f64::min);
    let late: Vec<f64> =
        times.iter().filter(|(at, _)| *at > ms(from * 1e3)).map(|(_, time)| time - least).collect();
    late.iter().sum::<f64>() / late.len() as f64
}

#[test]
fn alone_it_fills_a_link_at_the_delay_of_the_rfc() {
    // Section 4.3 at rest: r_ref is the capacity and x_curr = PRIO XREF RMAX / r_ref.
    for (prio, delay) in [("1.0", 15.0), ("2.0", 30.0)] {
        let mut pipe = pipe(&format!(r#"{{"prio": {prio}}}"#), None, |_| Fate::Pass)
            .shaped(Some(BitRate::from_bps(1_000_000)), Duration::from_millis(100));
        pipe.until(|pipe| pipe.now > ms(120_000.0));
        let (rate, wait) = (sent(&pipe, 60.0, 120.0), waited(&pipe, 60.0));
        assert!((rate / 1e6 - 1.0).abs() < 0.01, "{rate}");
        assert!((pipe.sender.rate.congestion() - delay).abs() < 1.0, "{}", pipe.sender.rate.congestion());
        // The smallest of 15 delays is the signal; the mean lies above it by less than a packet, 9.6 ms.
        assert!((delay - 1.0..delay + 9.6).contains(&wait), "{wait}");
    }
}

#[test]
fn an_empty_link_is_taken_in_seconds_and_by_small_steps() {
    let mut pipe = pipe("{}", None, |_| Fate::Pass);
    let mut rates = vec![pipe.sender.rate.reference()];
    pipe.until(|pipe| {
        let rate = pipe.sender.rate.reference();
        if rate != rates[rates.len() - 1] {
            rates.push(rate);
        }
        pipe.now > ms(20_000.0)
    });
    assert_eq!(pipe.sender.rate.reference(), 1.5e6);
    // Equation 3 at a round trip of 100 ms: 50 / (100 + 100 + 120) above what arrives, which the window lags.
    let largest = rates.windows(2).map(|pair| pair[1] / pair[0]).fold(0.0, f64::max);
    assert!(largest <= 1.0 + 50.0 / 320.0 + 0.02, "{largest}");
    assert!((sent(&pipe, 15.0, 20.0) / 1.5e6 - 1.0).abs() < 0.01);
}

#[test]
fn losses_and_marks_lower_the_rate_to_their_penalty() {
    // x_curr = DLOSS (p / PLRREF)^2: at 2 %, 40 ms, so 10 * 15 / 40 = 3.75 Mbit/s; marks of 4 %: 2 * 16 = 32 ms, 4.69 Mbit/s.
    let lossy = pipe(r#"{"rmax": "15Mbit/s"}"#, None, |n| if n % 50 == 49 { Fate::Drop } else { Fate::Pass });
    let marked = pipe(r#"{"rmax": "15Mbit/s", "ecn": true}"#, None, |n| {
        if n % 25 == 24 { Fate::Mark } else { Fate::Pass }
    });
    for (mut pipe, expected) in [(lossy, 3.75e6), (marked, 4.69e6)] {
        pipe.until(|pipe| pipe.now > ms(300_000.0));
        let rate = sent(&pipe, 200.0, 300.0);
        assert!((rate / expected - 1.0).abs() < 0.1, "{rate}, and {expected} expected");
    }
}

#[test]
fn no_frames_come_in_a_pause_and_the_rate_is_kept() {
    let text = r#"{"pauses": [{"at": "40s", "lasts": "20s"}]}"#;
    let mut pipe = pipe(text, None, |_| Fate::Pass);
    pipe.until(|pipe| pipe.now > ms(70_000.0));
    assert_eq!(sent(&pipe, 40.2, 60.0), 0.0);
    assert!((sent(&pipe, 60.0, 61.0) / sent(&pipe, 38.0, 40.0) - 1.0).abs() < 0.05);
}

#[test]
fn reports_leave_every_100_ms() {
    let mut pipe = pipe("{}", None, |_| Fate::Pass);
    pipe.until(|pipe| pipe.now > ms(5_000.0));
    let gaps: Vec<Duration> = pipe.reverse.windows(2).map(|pair| pair[1].0.since(pair[0].0)).collect();
    assert!(gaps.len() > 40 && gaps.iter().all(|gap| *gap == Duration::from_millis(100)), "{gaps:?}");
}

#[test]
fn frames_of_the_lowest_rate_are_frames_of_its_size() {
    // 150 kbit/s at 30 frames a second: 625 bytes each, exactly.
    let mut pipe = pipe(r#"{"rmax": "150kbit/s"}"#, None, |_| Fate::Pass);
    pipe.until(|pipe| pipe.now > ms(9_990.0));
    assert_eq!(pipe.forward.len(), 300);
    assert!(pipe.forward.iter().all(|(_, packet)| packet.size == 625));
}

#[test]
fn an_object_is_complete_when_all_of_it_has_arrived() {
    for (lost, finished) in [(u64::MAX, true), (20, false)] {
        let fate = move |n: u64| if n == lost { Fate::Drop } else { Fate::Pass };
        let mut pipe = pipe("{}", Some(100_000), fate);
        pipe.finish();
        assert!(pipe.sender.is_closed() && pipe.receiver.is_closed());
        assert_eq!(pipe.receiver.report().finished.is_some(), finished);
    }
}
