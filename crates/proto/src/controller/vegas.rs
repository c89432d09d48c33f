//! Vegas: the window follows the delay, so that a few segments wait in the network and no more.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Duration, Validate, config, words};

use super::growth;
use super::states::{Delays, States};
use super::{Build, Class, Control, Controller, Event, Needs, Repair, Signals};

words! {
    /// How what waits in the network is estimated, once a round trip. `x-sim`: what the window would give without queues, less the
    /// rate of delivery. `ns2`: what is outstanding instead of the window, what was sent in the round trip instead of what was
    /// delivered, and whole segments. `linux`: what of the window is more than the path holds at the smallest round-trip time of the round
    /// trip. Slow start doubles in every round trip and ends at what the path holds, losses halve, and repairs are those of Reno.
    pub enum Law { Ns2 = "ns2", XSim = "x-sim", Linux = "linux" }
}

config! {
    /// The estimate is (expected - actual rate) x smallest round-trip time, in segments. Below `alpha` the window grows by one segment
    /// a round trip, above `beta` it shrinks by one. In slow start it doubles every other round trip, until the estimate exceeds
    /// `gamma`. Without SACK, the first duplicate and the first two acknowledgements after a retransmission show a loss too, if
    /// the segment is older than a timeout of exact round-trip times.
    pub struct Params {
        /// Segments that should wait at least.
        alpha: f64 as "segments" = 1.0, "ns-2.35 tcl/lib/ns-default.tcl: v_alpha_ 1";
        /// Segments that should wait at most.
        beta: f64 as "segments" = 3.0, "ns-2.35 tcl/lib/ns-default.tcl: v_beta_ 3";
        /// Segments that wait when slow start ends.
        gamma: f64 as "segments" = 1.0, "ns-2.35 tcl/lib/ns-default.tcl: v_gamma_ 1";
        /// How the estimate is made.
        law: Law = "ns2", "choice: what most published comparisons ran";
        /// Share of the window that is left when slow start ends.
        exit_decrease: f64 as "dimensionless" = 0.875, "ns-2.35 tcp/tcp-vegas.cc: an eighth less";
        /// Share that is left after the loss of a segment.
        decrease: f64 as "dimensionless" = 0.75, "Brakmo & Peterson, IEEE JSAC 13(8), 1995; ns-2.35 tcp/tcp-vegas.cc";
        /// Share that is left if the segment had been sent twice.
        decrease_again: f64 as "dimensionless" = 0.5, "ns-2.35 tcp/tcp-vegas.cc";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        for (key, segments) in [("alpha", self.alpha), ("beta", self.beta), ("gamma", self.gamma)] {
            at.within(key, segments, 0.0..=1e6)?;
        }
        if self.beta < self.alpha {
            let message = format!("{} is below `alpha`, {}", self.beta, self.alpha);
            return Err(at.key("beta").error(message, "give more"));
        }
        let shares = [
            ("exit_decrease", self.exit_decrease),
            ("decrease", self.decrease),
            ("decrease_again", self.decrease_again),
        ];
        for (key, share) in shares {
            at.part(key, share)?;
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "vegas";
    const TITLE: &'static str = "TCP Vegas: keeps a few segments in queues, by the delay";
    const REFERENCE: &'static str = "Brakmo & Peterson, IEEE JSAC 13(8), 1995";
}

impl Build for Params {
    // In a box: it is larger than what most connections have.
    type Controller = Box<Vegas>;

    fn build(&self) -> Box<Vegas> {
        Box::new(Vegas {
            params: self.clone(),
            base: Duration::MAX,
            states: States::default(),
            delays: Delays::default(),
            measures: true,
            reno: growth::Whole::default(),
            sum: Duration::ZERO,
            count: 0,
            round: 0,
            sent_before: 0,
            slow: true,
            doubles: true,
            growth: Growth::Still,
            acked: 0,
            cut_until: 0,
        })
    }
}

/// What acknowledgements of the round trip in progress do to the window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Growth {
    Still,
    /// A segment more in the round trip.
    Linear,
    Double,
}

/// The controller.
#[derive(Clone, Debug)]
pub struct Vegas {
    params: Params,
    /// The smallest round-trip time.
    base: Duration,
    /// As Linux has it: the state, what is measured, whether that moves the window, and what moves it otherwise.
    states: States,
    delays: Delays,
    measures: bool,
    reno: growth::Whole,
    /// The round-trip times of this round trip, and how many.
    sum: Duration,
    count: u32,
    round: u64,
    /// Bytes that had been sent when it began.
    sent_before: u64,
    /// In slow start, which the threshold alone does not tell: the window may shrink below it.
    slow: bool,
    /// In slow start, whether this is one of the round trips in which the window doubles.
    doubles: bool,
    growth: Growth,
    /// Bytes acknowledged since the window grew.
    acked: u64,
    /// Losses of what was sent before so many bytes had been have been answered.
    cut_until: u64,
}

impl Vegas {
    fn is_slow(&self, control: &Control) -> bool {
        self.slow && control.window < control.threshold
    }

    /// A round trip is over: what the next one does to the window.
    fn judge(&mut self, signals: &Signals, control: &mut Control) {
        let sent = signals.delivered + signals.flight;
        let in_round = sent - self.sent_before.min(sent);
        self.sent_before = sent;
        if self.count == 0 {
            return;
        }
        let rtt = self.sum / u64::from(self.count);
        (self.sum, self.count) = (Duration::ZERO, 0);
        let mss = u64::from(signals.mss);
        let base = self.base.as_secs_f64();
        let waiting = match self.params.law {
            Law::Ns2 => {
                // ns-2.35 tcp/tcp-vegas.cc: t_seqno_ - last_ack_, one segment more than is outstanding, however many segments
                // the acknowledgement covers.
                let outstanding = (signals.flight + mss) as f64;
                let actual = in_round as f64 / rtt.as_secs_f64();
                let segments = (outstanding - actual * base) / mss as f64;
                (segments + 0.5).floor()
            }
            // Of Linux: `judge_as_linux`.
            Law::XSim | Law::Linux => {
                (control.window as f64 - signals.rate.rate.as_f64() * base) / mss as f64
            }
        };
        if self.is_slow(control) {
            self.doubles = !self.doubles;
            self.growth = if self.doubles { Growth::Double } else { Growth::Still };
            if waiting > self.params.gamma {
                let left = (control.window as f64 * self.params.exit_decrease) as u64;
                control.window = control.window.min(left.max(2 * mss));
                control.threshold = control.window.max(2 * mss);
                (self.slow, self.growth) = (false, Growth::Still);
            }
            return;
        }
        self.slow = false;
        self.growth = if waiting < self.params.alpha { Growth::Linear } else { Growth::Still };
        if waiting > self.params.beta {
            control.window = control.window.min((control.window - mss.min(control.window)).max(2 * mss));
        }
    }

    fn grow(&mut self, signals: &Signals, control: &mut Control) {
        match self.growth {
            Growth::Still => {}
            Growth::Double if self.is_slow(control) => {
                control.window += signals.acked.min(u64::from(signals.mss)).min(signals.growth_limit);
            }
            Growth::Double | Growth::Linear => {
                self.acked += signals.acked;
                if self.acked >= control.window {
                    self.acked = 0;
                    control.window += u64::from(signals.mss);
                }
            }
        }
    }

    fn cut(&mut self, signals: &Signals, control: &mut Control, factor: f64) {
        (self.slow, self.growth, self.acked) = (false, Growth::Still, 0);
        let least = 2 * u64::from(signals.mss);
        control.threshold = control.threshold.min(growth::reduced(signals, 1.0)).max(least);
        // What was sent before the latest cut was sent into a network that has been answered for.
        if signals.delivered >= self.cut_until {
            self.cut_until = signals.delivered + signals.flight;
            control.threshold = growth::reduced(signals, factor);
            control.window = control.threshold;
        }
    }
}

// Linux net/ipv4/tcp_vegas.c: what tcp_vegas_cong_avoid and vegas_enable compute.
impl Vegas {
    fn on_as_linux(&mut self, signals: &Signals, control: &mut Control) {
        match signals.event {
            Event::Ack => {
                self.delays.measure(signals);
                let step = self.states.acknowledged(signals);
                if step.opens {
                    self.measures = true;
                    self.delays.begin(signals);
                } else if step.after != step.before {
                    self.measures = false;
                }
                if !signals.in_recovery {
                    self.open_as_linux(signals, control);
                }
            }
            Event::Loss | Event::Ecn => {
                control.threshold = growth::reduced(signals, 0.5);
                control.window = control.threshold;
                (self.measures, self.reno.counted) = (false, 0);
            }
            Event::Timeout => {
                if !signals.repeated {
                    control.threshold = growth::reduced(signals, 0.5);
                }
                control.window = u64::from(signals.mss);
                (self.measures, self.reno.counted) = (false, 0);
            }
            Event::Recovered | Event::Undone => {
                self.measures = true;
                self.delays.begin(signals);
            }
            Event::Restart => {
                self.measures = true;
                self.delays.forget(signals);
            }
            Event::Idle => growth::restart(signals, control),
            _ => {}
        }
        self.states.told(signals);
    }

    /// Opens the window for an acknowledgement, whether or not it is used: only Reno, which takes its place at times, asks for that.
    fn open_as_linux(&mut self, signals: &Signals, control: &mut Control) {
        if !self.measures {
            return self.grow_as_reno(signals, control);
        }
        if !self.delays.ends(signals) {
            growth::slow_start(signals, control);
            return;
        }
        if self.delays.count >= Delays::FEWEST {
            self.judge_as_linux(signals, control);
        } else {
            self.grow_as_reno(signals, control);
        }
        self.delays.begin(signals);
    }

    fn grow_as_reno(&mut self, signals: &Signals, control: &mut Control) {
        if signals.window_limited {
            self.reno.ack(signals, control);
        }
    }

    /// A round trip is over.
    fn judge_as_linux(&self, signals: &Signals, control: &mut Control) {
        let mss = u64::from(signals.mss);
        let segments = control.window / mss;
        let (base, rtt) = (self.delays.base, self.delays.shortest);
        let waiting = (segments * (rtt - base) / base) as f64;
        if control.window < control.threshold {
            if waiting > self.params.gamma {
                control.window = control.window.min((segments * base / rtt + 1) * mss);
                control.threshold = control.threshold.min(control.window);
            } else {
                growth::slow_start(signals, control);
            }
        } else if waiting > self.params.beta {
            control.window -= mss.min(control.window);
            control.threshold = control.threshold.min(control.window);
        } else if waiting < self.params.alpha {
            control.window += mss;
        }
        control.window = control.window.max(2 * mss);
        // tcp_current_ssthresh
        let window = control.window / mss;
        control.threshold = control.threshold.max((window / 2 + window / 4) * mss);
    }
}

impl Controller for Vegas {
    const CLASS: Class = Class::Window;
    const NEEDS: Needs = Needs::RATES.and(Needs::FINE_TIMEOUTS).and(Needs::REPAIRS).and(Needs::RESTARTS);
    const REPAIR: Repair = Repair::FastRecovery;

    fn on(&mut self, signals: &Signals, control: &mut Control) {
        if self.params.law == Law::Linux {
            return self.on_as_linux(signals, control);
        }
        match signals.event {
            Event::Start => self.growth = Growth::Double,
            Event::Ack => {
                if !signals.rtt.is_zero() {
                    self.base = self.base.min(signals.rtt);
                    self.sum += signals.rtt;
                    self.count += 1;
                }
                if signals.round > self.round {
                    self.round = signals.round;
                    if !signals.in_recovery {
                        self.judge(signals, control);
                    }
                }
                if !signals.in_recovery && signals.window_limited {
                    self.grow(signals, control);
                }
            }
            Event::Loss => {
                let Params { decrease, decrease_again, .. } = self.params;
                self.cut(signals, control, if signals.repeated { decrease_again } else { decrease });
            }
            Event::Ecn => self.cut(signals, control, self.params.decrease),
            Event::Timeout => {
                if !signals.repeated {
                    control.threshold = growth::reduced(signals, 0.5);
                }
                control.window = u64::from(signals.mss);
                (self.slow, self.doubles, self.growth, self.acked) = (true, true, Growth::Double, 0);
                self.cut_until = signals.delivered + signals.flight;
            }
            Event::Idle => growth::restart(signals, control),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use dumbbell_core::{BitRate, Time};

    use super::super::growth::tests::signals;
    use super::super::{Rate, RateSample};
    use super::*;
    use crate::tcp;
    use crate::testing::{Fate, Pipe, opening, read};
    use crate::transport::{ReceiveEnd, Transport};

    /// With an acknowledgement for two segments and an odd window, a round trip sends a segment less than the window.
    #[test]
    fn alone_it_fills_the_link_despite_delayed_acks() {
        for profile in ["rfc", "linux"] {
            let text = format!(r#"{{"profile": "{profile}", "controller": "vegas"}}"#);
            let params: Arc<tcp::Params> = Arc::new(read(&text));
            let mut pipe = Pipe::new(params.open(opening(None)), |_, _, _| Fate::Pass)
                .shaped(Some(BitRate::from_bps(20_000_000)), Duration::from_millis(50));
            let second = |n| Time::ZERO + Duration::from_secs(n);
            pipe.until(|p| p.now >= second(20));
            let before = pipe.receiver.report().delivered;
            pipe.until(|p| p.now >= second(30));
            let share =
                (pipe.receiver.report().delivered - before) as f64 * 8.0 / 10.0 / (20e6 * 1448.0 / 1500.0);
            assert!(share > 0.95, "{profile}: {share}");
        }
    }

    /// A round trip of a sender with a full window of segments of 1000 bytes.
    fn round(vegas: &mut Vegas, control: &mut Control, told: &mut Signals, rtt: u64) {
        let segments = control.window / 1000;
        told.round += 1;
        for _ in 0..segments {
            told.rtt = Duration::from_millis(rtt);
            told.delivered += 1000;
            told.acked = 1000;
            told.flight = control.window - 1000;
            told.rate =
                RateSample { rate: Rate::from_f64(segments as f64 * 1e6 / rtt as f64), ..RateSample::NONE };
            vegas.on(told, control);
        }
    }

    fn started(law: Law) -> (Vegas, Control, Signals) {
        let mut vegas = Params { law, ..Params::default() }.build();
        let mut control = Control { window: 4000, ..Control::default() };
        let mut told = signals(Event::Start, Time::ZERO, 0, 0);
        vegas.on(&told, &mut control);
        told.event = Event::Ack;
        (*vegas, control, told)
    }

    #[test]
    fn slow_start_doubles_every_other_round_trip_until_gamma() {
        for law in [Law::Ns2, Law::XSim] {
            let (mut vegas, mut control, mut told) = started(law);
            let mut windows = Vec::new();
            for rtt in [100, 100, 100, 100, 100, 120, 120] {
                round(&mut vegas, &mut control, &mut told, rtt);
                windows.push(control.window / 1000);
            }
            assert!(
                windows[..5].windows(2).all(|w| w[1] == w[0] || w[1] == 2 * w[0]),
                "{law:?}: {windows:?}"
            );
            assert!(windows[4] >= 8 && windows[4] <= 16, "{law:?}: {windows:?}");
            assert!(!vegas.slow, "{law:?}: of {windows:?} segments a sixth waits");
            assert!(
                windows[6] < windows[5] || windows[5] < windows[4],
                "an eighth less, {law:?}: {windows:?}"
            );
        }
    }

    /// Linux net/ipv4/tcp_vegas.c, by hand: diff = cwnd (rtt - base) / base, of which 2 to 4 may wait.
    #[test]
    fn linux_doubles_each_round_trip_and_halves_after_a_loss() {
        let mut vegas = Params { law: Law::Linux, alpha: 2.0, beta: 4.0, ..Params::default() }.build();
        let mut control = Control { window: 10_000, ..Control::default() };
        let mut told = signals(Event::Ack, Time::ZERO, 1000, 0);
        let mut windows = Vec::new();
        for rtt in [100, 100, 100, 120] {
            round(&mut vegas, &mut control, &mut told, rtt);
            windows.push(control.window / 1000);
        }
        assert_eq!(windows[..3], [20, 40, 80]);
        round(&mut vegas, &mut control, &mut told, 120);
        // The path holds 100 / 120 of the window.
        assert!(control.window == control.threshold && control.window / 1000 > 60, "{control:?}");
        for (rtt, change) in [(100, 1), (103, 0), (106, -1)] {
            (control.window, control.threshold) = (100_000, 50_000);
            for _ in 0..2 {
                round(&mut vegas, &mut control, &mut told, rtt);
            }
            control.window = 100_000;
            round(&mut vegas, &mut control, &mut told, rtt);
            assert_eq!((control.window / 1000).cast_signed() - 100, change, "{rtt} ms");
        }
        (told.event, told.flight, told.acked) = (Event::Loss, 100_000, 0);
        control.window = 100_000;
        vegas.on(&told, &mut control);
        assert_eq!((control.window, control.threshold), (50_000, 50_000));
    }

    /// A controller as Linux has it in congestion avoidance, with ten segments of which two were acknowledged.
    fn of_linux() -> (Vegas, Control, Signals) {
        let mut vegas = Params { law: Law::Linux, alpha: 2.0, beta: 4.0, ..Params::default() }.build();
        let mut control = Control { window: 10_000, threshold: 10_000, ..Control::default() };
        let mut told = signals(Event::Ack, Time::ZERO, 1000, 9000);
        for _ in 0..2 {
            told.now += Duration::from_millis(1);
            told.delivered += 1000;
            vegas.on(&told, &mut control);
        }
        (*vegas, control, told)
    }

    /// Linux net/ipv4/tcp_vegas.c: vegas_enable, which tcp_vegas_state calls before the acknowledgement opens the window.
    #[test]
    fn linux_measures_from_the_end_of_a_repair() {
        let (mut vegas, mut control, mut told) = of_linux();
        vegas.on(&Signals { event: Event::Loss, ..told }, &mut control);
        assert!(!vegas.measures);
        told.now += Duration::from_millis(1);
        vegas.on(&Signals { event: Event::Recovered, acked: 0, rtt: Duration::ZERO, ..told }, &mut control);
        told.delivered += 1000;
        vegas.on(&told, &mut control);
        assert!(vegas.measures);
        assert_eq!(vegas.delays.count, 0, "what the end of the repair measures does not count");
        for (delivered, ends) in [(9000, false), (10_000, true)] {
            let ack = Signals { delivered: told.delivered + delivered, ..told };
            assert_eq!(vegas.delays.ends(&ack), ends, "{delivered}");
        }
    }

    /// Linux net/ipv4/tcp_vegas.c: tcp_vegas_state in Disorder, without a loss.
    #[test]
    fn linux_measures_nothing_out_of_order() {
        let (mut vegas, mut control, told) = of_linux();
        vegas.on(&Signals { in_recovery: true, held: 1000, ..told }, &mut control);
        assert!(!vegas.measures);
        vegas.on(&told, &mut control);
        assert!(vegas.measures && vegas.delays.count == 0);
    }

    /// Linux net/ipv4/tcp_vegas.c: tcp_vegas_init.
    #[test]
    fn linux_forgets_the_path_where_nothing_is_in_the_network() {
        for (restarts, base) in [(true, 300_001), (false, 100_001)] {
            let (mut vegas, mut control, mut told) = of_linux();
            vegas.on(&Signals { event: Event::Timeout, ..told }, &mut control);
            if restarts {
                vegas.on(&Signals { event: Event::Restart, ..told }, &mut control);
            }
            told.rtt = Duration::from_millis(300);
            told.now += told.rtt;
            vegas.on(&told, &mut control);
            assert_eq!((vegas.delays.base, vegas.measures), (base, restarts));
        }
    }

    /// Linux net/ipv4/tcp_vegas.c: tcp_vegas_cong_avoid does not ask whether the window is used, and ends with tcp_current_ssthresh.
    #[test]
    fn linux_opens_a_window_that_is_not_used() {
        let (mut vegas, mut control, mut told) = of_linux();
        told.window_limited = false;
        for _ in 0..10 {
            told.delivered += 1000;
            vegas.on(&told, &mut control);
        }
        assert_eq!(control.window, 11_000);
        control.threshold = 2000;
        for _ in 0..11 {
            told.delivered += 1000;
            vegas.on(&told, &mut control);
        }
        assert_eq!((control.window, control.threshold), (12_000, 9000));
    }

    #[test]
    fn the_window_is_kept_between_alpha_and_beta() {
        // Of 20 segments, rtt/base - 1 parts of what is delivered wait: 0, 2 and 5 segments.
        for (rtt, change) in [(100, 1_i64), (111, 0), (133, -1)] {
            for law in [Law::Ns2, Law::XSim] {
                let (mut vegas, mut control, mut told) = started(law);
                round(&mut vegas, &mut control, &mut told, 100);
                (control.window, control.threshold, vegas.slow) = (20_000, 10_000, false);
                round(&mut vegas, &mut control, &mut told, rtt);
                let before = control.window.cast_signed();
                round(&mut vegas, &mut control, &mut told, rtt);
                round(&mut vegas, &mut control, &mut told, rtt);
                let changed = control.window.cast_signed() - before;
                assert_eq!(changed.signum(), change, "{law:?} at {rtt} ms");
                // Brakmo & Peterson 1995, section 3.2: by a segment in a round trip.
                assert!(changed.abs() <= 2000, "{law:?} at {rtt} ms: {changed}");
            }
        }
    }

    /// With one segment nothing would be told of the path while its acknowledgement is delayed.
    #[test]
    fn delay_leaves_two_segments_at_least() {
        for law in [Law::Ns2, Law::XSim] {
            let mut vegas = Params { law, alpha: 0.0, beta: 1.0, gamma: 0.0, ..Params::default() }.build();
            let mut control = Control { window: 4000, ..Control::default() };
            let mut told = signals(Event::Start, Time::ZERO, 0, 0);
            vegas.on(&told, &mut control);
            told.event = Event::Ack;
            round(&mut vegas, &mut control, &mut told, 100);
            // A timeout leaves one segment: then at least the threshold is two.
            for (window, slow) in [(2000, true), (2000, false), (1000, true)] {
                (control.window, control.threshold, vegas.slow) = (window, u64::MAX, slow);
                for _ in 0..5 {
                    round(&mut vegas, &mut control, &mut told, 4000);
                }
                assert_eq!(control.window, window, "{law:?}");
                assert!(control.threshold >= 2000, "{law:?}: {}", control.threshold);
            }
        }
    }

    #[test]
    fn growth_by_a_segment_takes_the_window_to_the_byte() {
        let (mut vegas, mut control, told) = started(Law::Ns2);
        (vegas.growth, vegas.slow, control.window, control.threshold) = (Growth::Linear, false, 4000, 1000);
        for (acked, window) in [(3999, 4000), (1, 5000), (4999, 5000), (1, 6000)] {
            vegas.grow(&Signals { acked, ..told }, &mut control);
            assert_eq!(control.window, window);
        }
        // A cut begins anew.
        vegas.grow(&Signals { acked: 5000, ..told }, &mut control);
        vegas.cut(
            &Signals { delivered: 50_000, ..signals(Event::Loss, Time::ZERO, 0, 8000) },
            &mut control,
            0.75,
        );
        assert_eq!((vegas.acked, control.window), (0, 6000));
    }

    /// RFC 5681 equation 4: two segments at least, also of a path that was remembered.
    #[test]
    fn an_answered_loss_leaves_at_least_two_segments() {
        let (mut vegas, mut control, _) = started(Law::Ns2);
        control.threshold = 1;
        let mut told = Signals { repeated: true, ..signals(Event::Timeout, Time::ZERO, 0, 4000) };
        vegas.on(&told, &mut control);
        (told.event, told.repeated) = (Event::Loss, false);
        vegas.on(&told, &mut control);
        assert_eq!(control.threshold, 2000);
    }

    #[test]
    fn a_loss_leaves_three_quarters_and_is_answered_once() {
        for (repeated, left) in [(false, 15_000), (true, 10_000)] {
            let (mut vegas, mut control, _) = started(Law::Ns2);
            control.window = 20_000;
            let mut loss =
                Signals { repeated, delivered: 50_000, ..signals(Event::Loss, Time::ZERO, 0, 20_000) };
            vegas.on(&loss, &mut control);
            assert_eq!(control.window, left);
            // Another of the same window, then one of what was sent later.
            loss.delivered = 60_000;
            vegas.on(&loss, &mut control);
            assert_eq!(control.window, left);
            loss.delivered = 70_000;
            loss.flight = left;
            vegas.on(&loss, &mut control);
            assert!(control.window < left);
        }
    }
}
