//! Prague: DCTCP for the Internet. Its segments tell routers that they are scalable (L4S), and its rate hardly depends on short round-trip
//! times.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Duration, Time, Validate, config};

use super::growth;
use super::{Build, Class, Control, Controller, Estimate, Event, Needs, Rate, Signals};

config! {
    /// The sender estimates the share of its bytes that arrive marked, and once a round trip cuts by half of that share. Its segments
    /// carry ECT(1), by which a queue such as `dualpi2` tells them from others. It is paced. A loss halves the window.
    pub struct Params {
        /// Weight of the latest round trip in the estimate: g.
        gain: f64 as "dimensionless" = 0.0625, "draft-briscoe-iccrg-prague-congestion-control-04 section 2.4.2: 1/16";
        /// The estimate before the first mark: alpha.
        initial_alpha: f64 as "dimensionless" = 1.0, "TCP Prague for Linux, net/ipv4/tcp_prague.c: PRAGUE_MAX_ALPHA until a mark is seen";
        /// Round-trip times below this count as this, in growth and in answers to marks. Zero: as they are.
        least_rtt: Duration = "25ms", "draft-briscoe-iccrg-prague-congestion-control-04 section 2.4.4";
        /// Round trips for which they count as they are first.
        transition: u32 as "round trips" = 500, "draft-briscoe-iccrg-prague-congestion-control-04 section 2.4.4: short flows shall not suffer";
        /// What is left of the window after a loss.
        decrease: f64 as "dimensionless" = 0.5, "RFC 9331 section 4.3, RFC 5681 equation 4: like Reno";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        at.above_zero("gain", self.gain, 1.0)?;
        at.within("initial_alpha", self.initial_alpha, 0.0..=1.0)?;
        if self.least_rtt > Duration::from_secs(10) {
            let message = format!("{} is no short round-trip time", self.least_rtt);
            return Err(at.key("least_rtt").error(message, "give a time from 0s to 10s"));
        }
        at.part("decrease", self.decrease)
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "prague";
    const TITLE: &'static str = "Prague: DCTCP for the Internet, with ECT(1) for queues of L4S";
    const REFERENCE: &'static str = "draft-briscoe-iccrg-prague-congestion-control-04, 2024; RFC 9331";
}

impl Build for Params {
    type Controller = Box<Prague>;

    fn build(&self) -> Box<Prague> {
        Box::new(Prague {
            alpha: self.initial_alpha,
            params: self.clone(),
            seen: false,
            acked: 0,
            marked: 0,
            window_end: 0,
            began: Time::ZERO,
            rounds: 0,
            cut_until: 0,
            cut_at: Time::ZERO,
            part: 0.0,
        })
    }
}

/// Pacing rate in slow start as a multiple of the window a round trip (TCP Prague for Linux: twice, as for all of TCP).
const SLOW_START_PACING: f64 = 2.0;

/// The controller. Numbers of bytes are those delivered since the start.
#[derive(Clone, Debug)]
pub struct Prague {
    params: Params,
    /// The estimate of the share of bytes that arrive marked, and whether a mark has been seen.
    alpha: f64,
    seen: bool,
    /// Bytes acknowledged in this round, and those of them that had been marked.
    acked: u64,
    marked: u64,
    /// This round ends when so much is delivered, and not before the least round-trip time has passed.
    window_end: u64,
    began: Time,
    /// Rounds after slow start.
    rounds: u32,
    /// Marks count again when so much is delivered, and not before the least round-trip time has passed.
    cut_until: u64,
    cut_at: Time,
    /// The part of a byte of the window.
    part: f64,
}

impl Prague {
    /// How long a round trip is taken to be.
    fn round_trip(&self, signals: &Signals) -> Duration {
        let late = self.rounds >= self.params.transition;
        if late { signals.smoothed_rtt.max(self.params.least_rtt) } else { signals.smoothed_rtt }
    }

    fn is_over(&self, signals: &Signals, end: u64, since: Time) -> bool {
        let round_trip = self.round_trip(signals);
        let stretched = round_trip > signals.smoothed_rtt;
        signals.delivered > end && (!stretched || signals.now.since(since) >= round_trip)
    }

    /// Takes in an acknowledgement (RFC 8257 section 3.3, once in the longer of the round-trip times). The estimate stands still until
    /// there is proof that a queue on the way marks.
    fn observe(&mut self, signals: &Signals, control: &Control) {
        self.acked += signals.acked;
        self.marked += signals.marked;
        self.seen |= signals.marked > 0;
        if self.acked == 0 || !self.is_over(signals, self.window_end, self.began) {
            return;
        }
        if self.seen {
            let share = self.marked as f64 / self.acked as f64;
            self.alpha += self.params.gain * (share - self.alpha);
        }
        (self.acked, self.marked) = (0, 0);
        (self.window_end, self.began) = (signals.delivered + signals.flight, signals.now);
        if control.window >= control.threshold {
            self.rounds = self.rounds.saturating_add(1);
        }
    }

    fn answered(&mut self, signals: &Signals) {
        (self.cut_until, self.cut_at) = (signals.delivered + signals.flight, signals.now);
    }

    fn acknowledged(&mut self, signals: &Signals, control: &mut Control) {
        self.observe(signals, control);
        let counts = signals.marked > 0 && !signals.in_recovery;
        if counts && self.is_over(signals, self.cut_until, self.cut_at) {
            let window = (control.window as f64 * (1.0 - self.alpha / 2.0)) as u64;
            control.window = window.max(2 * u64::from(signals.mss)).min(control.window);
            control.threshold = control.window;
            self.answered(signals);
        } else {
            self.grow(signals, control);
        }
    }

    /// What arrives unmarked opens the window: in slow start by as much, later by a segment in the longer of the round-trip times, so that
    /// rates become equal and not windows (section 2.4.4).
    fn grow(&mut self, signals: &Signals, control: &mut Control) {
        let unmarked = signals.acked - signals.marked.min(signals.acked);
        // What ends a recovery opens nothing: the window is the threshold (RFC 6582 section 3.2 step 3).
        if signals.in_recovery || !signals.window_limited || signals.event == Event::Recovered {
            return;
        }
        if control.window < control.threshold {
            control.window += unmarked.min(signals.growth_limit);
            return;
        }
        let shorter = signals.smoothed_rtt.as_secs_f64() / self.round_trip(signals).as_secs_f64();
        let shorter = if shorter.is_finite() { shorter } else { 1.0 };
        self.part += shorter * shorter * unmarked as f64 * f64::from(signals.mss) / control.window as f64;
        let whole = self.part.floor();
        self.part -= whole;
        control.window += whole as u64;
    }

    fn pace(signals: &Signals, control: &mut Control) {
        if !signals.smoothed_rtt.is_zero() {
            let slow = control.window < control.threshold;
            let rate = control.window as f64 / signals.smoothed_rtt.as_secs_f64();
            control.pacing = Rate::from_f64(if slow { SLOW_START_PACING * rate } else { rate });
        }
    }
}

impl Controller for Prague {
    const CLASS: Class = Class::Window;
    const NEEDS: Needs = Needs::ECHOES.and(Needs::PACING).and(Needs::SCALABLE);

    fn on(&mut self, signals: &Signals, control: &mut Control) {
        match signals.event {
            Event::Ack | Event::Recovered => self.acknowledged(signals, control),
            // Losses and marks that come without bytes.
            Event::Loss | Event::Ecn => {
                growth::Growth::default().cut(signals, control, self.params.decrease);
                self.answered(signals);
            }
            Event::Timeout => {
                growth::Growth::default().timeout(signals, control, self.params.decrease);
                self.answered(signals);
            }
            Event::Idle => growth::restart(signals, control),
            _ => {}
        }
        Prague::pace(signals, control);
    }

    fn estimates(&self, tell: &mut dyn FnMut(Estimate)) {
        tell(Estimate { name: "alpha", unit: "", value: self.alpha });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use dumbbell_core::{Ecn, Frame, Way};

    use super::super::growth::tests::signals;
    use super::*;
    use crate::tcp;
    use crate::testing::{Fate, Pipe, opening, read};
    use crate::transport::{SendEnd, Transport};

    #[test]
    fn every_segment_with_data_carries_ect_1_those_sent_again_too() {
        let params: Arc<tcp::Params> = Arc::new(read(r#"{"profile": "linux", "controller": "prague"}"#));
        let lose = |way, _: &_, index| {
            if way == Way::Forward && (30..34).contains(&index) { Fate::Drop } else { Fate::Pass }
        };
        let mut pipe = Pipe::new(params.open(opening(Some(200_000))), lose);
        pipe.finish();
        assert!(pipe.sender.report().retransmissions > 0);
        let data: Vec<Ecn> =
            pipe.forward.iter().filter(|(_, p)| p.size > 100).map(|(_, p)| p.ecn()).collect();
        assert!(data.len() > 138 && data.iter().all(|ecn| *ecn == Ecn::Ect1), "{data:?}");
    }

    struct Told {
        prague: Box<Prague>,
        control: Control,
        now: Time,
        delivered: u64,
        rtt: Duration,
    }

    impl Told {
        fn new(params: &Params, rtt: u64) -> Told {
            let control = Control { window: 20_000, threshold: 20_000, ..Control::default() };
            let rtt = Duration::from_millis(rtt);
            Told { prague: params.build(), control, now: Time::ZERO, delivered: 0, rtt }
        }

        /// A window is acknowledged, so many of its segments with marks.
        fn round(&mut self, marked: u64) {
            let segments = self.control.window / 1000;
            for i in 0..segments {
                self.now += self.rtt / segments;
                self.delivered += 1000;
                let mut ack = signals(Event::Ack, self.now, 1000, self.control.window - 1000);
                ack.delivered = self.delivered;
                ack.marked = if i < marked { 1000 } else { 0 };
                (ack.rtt, ack.smoothed_rtt) = (self.rtt, self.rtt);
                self.prague.on(&ack, &mut self.control);
            }
        }
    }

    #[test]
    fn the_estimate_waits_for_the_first_mark() {
        let mut told = Told::new(&Params { initial_alpha: 0.5, gain: 1e-9, ..Params::default() }, 100);
        for _ in 0..3 {
            told.round(0);
        }
        assert_eq!(told.prague.alpha, 0.5);
        assert_eq!(told.control.window / 1000, 22);
        let before = told.control.window as f64;
        told.round(8);
        let left = told.control.window as f64 / before;
        assert!((0.74..0.79).contains(&left), "{left}");
    }

    #[test]
    fn the_estimate_follows_the_share_of_marks_by_a_sixteenth() {
        let mut told = Told::new(&Params::default(), 100);
        told.round(20);
        let before = told.prague.alpha;
        told.round(0);
        told.round(0);
        let (one, two) = (before * 15.0 / 16.0, before * 225.0 / 256.0);
        assert!((two - 0.01..one + 0.01).contains(&told.prague.alpha), "{before} {}", told.prague.alpha);
    }

    #[test]
    fn after_500_round_trips_a_short_path_grows_as_if_it_took_25_ms() {
        // A fifth of 25 ms: a 25th of a segment in a round trip.
        let mut told = Told::new(&Params { initial_alpha: 0.1, ..Params::default() }, 5);
        told.prague.rounds = 400;
        told.round(0);
        assert!((told.control.window as f64 - 21_000.0).abs() < 100.0, "{}", told.control.window);
        told.prague.rounds = 500;
        let before = told.control.window;
        for _ in 0..25 {
            told.round(0);
        }
        let grown = told.control.window - before;
        assert!((900..1100).contains(&grown), "{grown}");
        // Marks in five round trips in a row are answered once.
        let cuts = (0..5).filter(|_| {
            let before = told.control.window;
            told.round(20);
            told.control.window < before - 500
        });
        assert_eq!(cuts.count(), 1);
    }

    #[test]
    fn a_loss_halves_the_window_and_a_timeout_closes_it() {
        let (mut prague, mut control) =
            (Params::default().build(), Control { window: 20_000, ..Control::default() });
        prague.on(&signals(Event::Loss, Time::ZERO, 0, 20_000), &mut control);
        assert_eq!((control.window, control.threshold), (10_000, 10_000));
        prague.on(&signals(Event::Timeout, Time::ZERO, 0, 10_000), &mut control);
        assert_eq!((control.window, control.threshold), (1000, 5000));
    }
}
