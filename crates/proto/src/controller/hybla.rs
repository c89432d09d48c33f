//! TCP Hybla: over a long round-trip time the window grows in a second as that of a short one would.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Duration, Validate, config};

use super::growth::{self, Growth, Whole};
use super::hystart::Pace;
use super::states::{State, States};
use super::{Build, Class, Control, Controller, Event, Needs, Signals};

config! {
    /// With rho, the smallest smoothed round-trip time over `reference_rtt` and one at least, each acknowledgement adds 2^rho - 1 segments
    /// in slow start and rho^2 over the window in congestion avoidance. So the rate is that of a standard TCP whose round-trip time
    /// is `reference_rtt`, where each segment is acknowledged alone. While losses are repaired it is standard TCP. It wants SACK, and
    /// routers or a pacer that can take its bursts.
    pub struct Params {
        /// The round-trip time whose growth it has: RTT_0.
        reference_rtt: Duration = "25ms", "Caini & Firrincieli, International Journal of Satellite Communications and Networking 22(5), 2004: RTT_0";
        /// Rho at most, in slow start, where it is an exponent.
        most_doublings: f64 as "dimensionless" = 16.0, "choice: Linux 6.1 net/ipv4/tcp_hybla.c; the paper has no limit";
        /// The window begins with rho segments, rounded down, and not with the initial window of the transport.
        starts_with_rho: bool = false, "Caini & Firrincieli 2004 (Linux net/ipv4/tcp_hybla.c: hybla_init)";
        /// Steps count in whole 128ths of a segment; where that is none, the window grows by a segment for as many acknowledgements as it
        /// has segments.
        whole_parts: bool = false, "Caini & Firrincieli 2004: exact (Linux net/ipv4/tcp_hybla.c: snd_cwnd_cents)";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.reference_rtt.is_zero() {
            let message = "0 s is no round-trip time";
            return Err(at.key("reference_rtt").error(message, "give more"));
        }
        super::avoidance::within(at, "most_doublings", self.most_doublings, &(1.0..=16.0))
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "hybla";
    const TITLE: &'static str = "TCP Hybla: satellite paths grow as fast as short ones";
    const REFERENCE: &'static str = "Caini & Firrincieli, TCP Hybla, IJSCN 22(5), 2004";
}

impl Build for Params {
    type Controller = Box<Hybla>;
    fn build(&self) -> Box<Hybla> {
        Box::new(Hybla {
            params: self.clone(),
            shortest: Duration::MAX,
            credit: 0.0,
            repairs: false,
            states: States::default(),
            growth: Growth::default(),
            whole: Whole::default(),
        })
    }

    #[cfg(test)]
    fn limited_start(&self) -> bool {
        false
    }
}

/// The controller.
#[derive(Clone, Debug)]
pub struct Hybla {
    params: Params,
    /// The smallest smoothed round-trip time.
    shortest: Duration,
    /// The part of a segment by which the window has yet to grow.
    credit: f64,
    /// Losses are being repaired, or something is out of order.
    repairs: bool,
    states: States,
    /// Of standard TCP, in bytes, and with `whole_parts` in whole segments.
    growth: Growth,
    whole: Whole,
}

/// Steps of the window are counted in these parts of a segment.
const PARTS: f64 = 128.0;

impl Hybla {
    /// How many times as long as the reference the round trip is without queues, in eighths of it: rho.
    // Linux net/ipv4/tcp_hybla.c: what hybla_recalc_param computes.
    fn rho(&self) -> f64 {
        if self.shortest == Duration::MAX {
            return 1.0;
        }
        let eighths = self.shortest.as_nanos() * 8 / self.params.reference_rtt.as_nanos();
        (eighths.max(8)) as f64 / 8.0
    }

    /// What an acknowledgement adds in congestion avoidance, in whole parts of a segment, or a segment if it is the last of so many that
    /// add nothing as the window has segments.
    // Linux net/ipv4/tcp_hybla.c: what hybla_cong_avoid adds.
    fn parts(&mut self, rho: f64, window: u64) -> f64 {
        let parts = (rho * rho * PARTS / window as f64).floor();
        self.whole.counted += u64::from(parts < PARTS);
        if parts == 0.0 && self.whole.counted >= window {
            self.whole.counted = 0;
            return 1.0;
        }
        parts / PARTS
    }

    fn grow(&mut self, signals: &Signals, control: &mut Control) {
        if signals.in_recovery || !signals.window_limited {
            return;
        }
        if self.repairs && self.params.whole_parts {
            return self.whole.ack(signals, control);
        }
        if self.repairs {
            return self.growth.ack(signals, control, |_| Pace::Full, || u64::from(signals.mss));
        }
        let (mss, rho) = (u64::from(signals.mss), self.rho());
        let slow_start = control.window < control.threshold;
        let added = match (slow_start, self.params.whole_parts) {
            (true, false) => rho.min(self.params.most_doublings).exp2() - 1.0,
            (false, false) => rho * rho * mss as f64 / control.window as f64,
            (true, true) => {
                let rho = rho.min(self.params.most_doublings);
                rho.floor().exp2() * (rho.fract().exp2() * PARTS).floor() / PARTS - 1.0
            }
            (false, true) => self.parts(rho, control.window / mss),
        };
        self.credit += added;
        let whole = self.credit.floor();
        self.credit -= whole;
        if whole > added.floor() {
            self.whole.counted = 0;
        }
        // Steps are so large that the threshold would mean nothing if the last of them passed it.
        let room = if slow_start { control.threshold - control.window } else { u64::MAX };
        control.window += (whole as u64 * mss).min(room);
    }
}

impl Controller for Hybla {
    const CLASS: Class = Class::Window;
    const NEEDS: Needs = Needs::REPAIRS;

    fn on(&mut self, signals: &Signals, control: &mut Control) {
        // Linux net/ipv4/tcp_hybla.c: hybla_cong_avoid looks at it where the window may grow.
        if !signals.smoothed_rtt.is_zero() && !signals.in_recovery {
            self.shortest = self.shortest.min(signals.smoothed_rtt);
        }
        match signals.event {
            Event::Start if self.params.starts_with_rho => {
                control.window = self.rho() as u64 * u64::from(signals.mss);
            }
            Event::Ack => {
                self.repairs = self.states.acknowledged(signals).after != State::Open;
                self.grow(signals, control);
            }
            Event::Loss | Event::Ecn => {
                self.growth.cut(signals, control, 0.5);
            }
            Event::Timeout => {
                self.growth.timeout(signals, control, 0.5);
            }
            Event::Idle => growth::restart(signals, control),
            _ => {}
        }
        if signals.event != Event::Ack {
            self.states.told(signals);
        }
        if matches!(signals.event, Event::Loss | Event::Ecn | Event::Timeout) {
            self.whole = Whole::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::avoidance::tests::Run;
    use super::super::growth::tests::signals;
    use super::*;

    fn run(window: u64, rtt: u64) -> Run<Box<Hybla>> {
        let mut run = Run::at(Params::default().build(), window);
        (run.rtt, run.min_rtt) = (Duration::from_millis(rtt), Duration::from_millis(rtt));
        run
    }

    #[test]
    fn the_rate_grows_in_a_second_as_that_of_the_reference_does() {
        // Congestion avoidance: windows over round-trip times, in segments a second.
        let rate = |rtt: u64| {
            let mut run = run(40 * rtt, rtt);
            let before = run.window();
            run.rounds(1600 / rtt as u32);
            (run.window() - before) / run.rtt.as_secs_f64()
        };
        // One segment in each of 64 round trips of 25 ms.
        let reference = rate(25);
        assert!((reference * 0.025 / 64.0 - 1.0).abs() < 0.02, "{reference}");
        for rtt in [50, 100, 400] {
            assert!((rate(rtt) / reference - 1.0).abs() < 0.03, "{} at {rtt} ms", rate(rtt));
        }
        let short = rate(10);
        assert!((short * 0.01 / 160.0 - 1.0).abs() < 0.02, "below the reference it is standard TCP: {short}");
    }

    #[test]
    fn slow_start_multiplies_by_two_to_rho() {
        // Rho counts in eighths.
        for (rtt, factor) in [(25, 2.0), (27, 2.0), (29, 2.181), (50, 4.0), (75, 8.0), (62, 5.187)] {
            let mut run = run(20, rtt);
            run.control.threshold = 1_000_000;
            run.round();
            assert!((run.window() / 20.0 - factor).abs() < 0.05, "{} at {rtt} ms", run.window());
        }
        let mut run = run(20, 500);
        run.control.threshold = 500_000;
        let ack = signals(Event::Ack, run.now, 1000, 19_000);
        let ack = Signals { smoothed_rtt: run.min_rtt, ..ack };
        run.controller.on(&ack, &mut run.control);
        assert_eq!(run.control.window, 500_000);
    }

    #[test]
    fn an_acknowledgement_counts_once_whatever_it_acknowledges() {
        let mut run = run(20, 50);
        run.control.threshold = 1_000_000;
        let ack = signals(Event::Ack, run.now, 2000, 18_000);
        let ack = Signals { smoothed_rtt: run.min_rtt, ..ack };
        run.controller.on(&ack, &mut run.control);
        assert_eq!(run.control.window, 23_000);
    }

    /// Linux net/ipv4/tcp_hybla.c: hybla_init, with the round-trip time of the handshake.
    #[test]
    fn linux_begins_with_rho_segments() {
        for (rtt, window) in [(5, 1000), (49, 1000), (50, 2000), (184, 7000)] {
            let mut control = Control { window: 10_000, ..Control::default() };
            let smoothed_rtt = Duration::from_millis(rtt);
            let start = Signals { smoothed_rtt, ..signals(Event::Start, dumbbell_core::Time::ZERO, 0, 0) };
            super::super::avoidance::tests::linux("hybla").on(&start, &mut control);
            assert_eq!(control.window, window, "{rtt} ms");
        }
    }

    /// Linux net/ipv4/tcp_hybla.c, by hand: 16 x 128 / 300 are 6 parts, 256 of 300 acknowledgements 12 segments; 128 / 300 are none, and
    /// 300 acknowledgements a segment.
    #[test]
    fn linux_counts_parts_of_a_segment() {
        for (rtt, grown) in [(100, 14.0), (25, 1.0)] {
            let mut control = Control { window: 300_000, threshold: 2000, ..Control::default() };
            let mut hybla = super::super::avoidance::tests::linux("hybla");
            let smoothed_rtt = Duration::from_millis(rtt);
            for _ in 0..300 {
                let ack = Signals { smoothed_rtt, ..signals(Event::Ack, dumbbell_core::Time::ZERO, 1000, 0) };
                hybla.on(&ack, &mut control);
            }
            assert_eq!(control.window as f64 / 1000.0 - 300.0, grown, "{rtt} ms");
        }
    }

    #[test]
    fn a_loss_halves_the_window_as_in_standard_tcp() {
        let mut run = run(100, 500);
        assert_eq!(run.congested(Event::Loss), 0.5);
        run.congested(Event::Timeout);
        (run.control.window, run.control.threshold) = (50_000, 10_000);
        let grown = run.rounds(1);
        assert!((0.9..1.1).contains(&grown), "{grown}");
        run.congested(Event::Recovered);
        // The test tells of 100 ms once.
        assert!(run.rounds(1) > 10.0, "rho is 4");
    }

    /// Linux net/ipv4/tcp_hybla.c: hybla_state. A loss that a probe repaired has no repair of which an event tells.
    #[test]
    fn out_of_order_it_is_standard_tcp() {
        let mut run = run(50, 500);
        run.congested(Event::Loss);
        (run.control.window, run.control.threshold) = (50_000, 10_000);
        assert!(run.rounds(1) > 10.0, "rho is 20");
        let before = run.window();
        run.held = 1000;
        run.rounds(1);
        run.held = 0;
        assert_eq!(run.window(), before);
        assert!(run.controller.repairs);
        run.rounds(1);
        assert!(!run.controller.repairs);
    }

    /// Linux net/ipv4/tcp_hybla.c counts acknowledgements in snd_cwnd_cnt, as tcp_cong_avoid_ai counts segments. Of nine acknowledgements
    /// in order and two segments out of order a window of eleven grows.
    #[test]
    fn it_counts_on_where_standard_tcp_begins() {
        let grown = |in_order: usize| {
            let mut hybla = super::super::avoidance::tests::linux("hybla");
            let mut control = Control { window: 11_000, threshold: 2000, ..Control::default() };
            let smoothed_rtt = Duration::from_millis(25);
            let ack = Signals { smoothed_rtt, ..signals(Event::Ack, dumbbell_core::Time::ZERO, 1000, 9000) };
            // 128/11 parts of a segment each, fewer than a segment.
            for _ in 0..in_order {
                hybla.on(&ack, &mut control);
            }
            hybla.on(&Signals { acked: 2000, held: 1000, ..ack }, &mut control);
            control.window - 11_000
        };
        assert_eq!([8, 9].map(grown), [0, 1000]);
    }
}
