//! Copa: the window moves towards the rate at which a few packets wait, and follows losses where others fill the queue.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Duration, Time, Validate, config};

use super::extreme::{Least, Most};
use super::growth;
use super::{Build, Class, Control, Controller, Estimate, Event, Needs, Rate, Signals, Stand};

config! {
    /// The target rate is 1 / (delta x queueing delay) segments a second. Below it the window grows, above it the window shrinks, by
    /// velocity / delta segments a round trip; the velocity doubles while the direction stays the same. If the queue was never nearly
    /// empty for five round trips, others fill it: then 1 / delta grows by one a round trip, and a loss halves it.
    pub struct Params {
        /// Weight of the delay: alone, up to 2.5 / delta segments wait.
        delta: f64 as "1/segment" = 0.5, "Arun & Balakrishnan, NSDI 2018, section 2.1";
        /// Follows losses where others fill the queue. If false, the delay alone rules.
        competes: bool = true, "Arun & Balakrishnan, NSDI 2018, section 2.2";
        /// Length of the filter for the smallest round-trip time.
        rtt_window: Duration = "10s", "Arun & Balakrishnan, NSDI 2018, section 2.1";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        at.within("delta", self.delta, 0.001..=10.0)?;
        if self.rtt_window.is_zero() {
            return Err(at
                .key("rtt_window")
                .error("zero is no time to measure in", "give a time above zero"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "copa";
    const TITLE: &'static str =
        "Copa: a rate of 1 / (delta x queueing delay), and loss-based where others are";
    const REFERENCE: &'static str =
        "Arun & Balakrishnan, Copa: practical delay-based congestion control for the Internet, NSDI 2018";
}

impl Build for Params {
    type Controller = Box<Copa>;

    fn build(&self) -> Box<Copa> {
        Box::new(Copa {
            params: self.clone(),
            delta: self.delta,
            least: Least::default(),
            standing: Least::default(),
            most: Most::default(),
            slow: true,
            part: 0.0,
            velocity: 1.0,
            direction: Direction::default(),
            round: 0,
            empty_at: Time::ZERO,
            lost: false,
        })
    }
}

/// Round trips (section 2.2): the queue was nearly empty in the last five, if its delay was below a tenth of the range of round-trip
/// times of the last four.
const EMPTY_WITHIN: u64 = 5;
const RANGE_ROUNDS: u64 = 4;
const NEARLY: f64 = 0.1;
/// Or if its delay is below the target of the default mode and below this part of the round-trip time.
const SHORT: f64 = 0.08;
/// Section 2.1: the velocity doubles from the third round trip in one direction on.
const ROUNDS_BEFORE_DOUBLING: u32 = 3;
/// Section 2.1: pacing spreads a window over half a round trip.
const PACING: f64 = 2.0;

/// Where the window has gone, round trip by round trip.
#[derive(Clone, Copy, Debug, Default)]
struct Direction {
    window: u64,
    up: bool,
    rounds: u32,
}

/// The controller.
#[derive(Clone, Debug)]
pub struct Copa {
    params: Params,
    /// Delta in use: smaller where others fill the queue.
    delta: f64,
    /// Round-trip times: the smallest, the smallest of the last half round trip, and the largest of the last four.
    least: Least,
    standing: Least,
    most: Most,
    slow: bool,
    /// The part of a byte of the window.
    part: f64,
    velocity: f64,
    direction: Direction,
    round: u64,
    /// When the queue was last nearly empty.
    empty_at: Time,
    /// Something was lost in this round trip.
    lost: bool,
}

impl Copa {
    fn acknowledged(&mut self, signals: &Signals, control: &mut Control) {
        if signals.rtt.is_zero() {
            return;
        }
        let smoothed = signals.smoothed_rtt;
        let least = self.least.take(signals.now, signals.rtt, self.params.rtt_window);
        let standing = self.standing.take(signals.now, signals.rtt, smoothed / 2);
        let most = self.most.take(signals.now, signals.rtt, smoothed * RANGE_ROUNDS);
        let waiting = standing.saturating_sub(least).as_secs_f64();
        let window = control.window as f64 / f64::from(signals.mss);
        // Flows of Copa alone cross the target of the default mode once a cycle, and a tenth of their range is less than a segment: below
        // the target there is nothing to compete for. Others starve the window, which would raise the target: no more than what the
        // initial window makes of it counts, and no more than a small part of the round-trip time, which others soon exceed.
        let least_window = signals.initial_window as f64 / f64::from(signals.mss);
        let target = standing.as_secs_f64() / (window.max(least_window) * self.params.delta);
        let range = NEARLY * most.saturating_sub(least).as_secs_f64();
        if waiting <= range.max(target.min(SHORT * least.as_secs_f64())) {
            self.empty_at = signals.now;
        }
        if signals.round > self.round {
            self.round = signals.round;
            self.end_round(signals, control, smoothed);
        }
        let below = window * self.delta * waiting <= standing.as_secs_f64();
        self.move_window(signals, control, below);
        control.pacing = Rate::from_f64(PACING * control.window as f64 / standing.as_secs_f64());
    }

    /// A round trip is over: the mode, and the velocity.
    fn end_round(&mut self, signals: &Signals, control: &Control, smoothed: Duration) {
        let filled = signals.now.since(self.empty_at) > smoothed * EMPTY_WITHIN;
        if !(filled && self.params.competes) {
            self.delta = self.params.delta;
        } else if !std::mem::take(&mut self.lost) {
            self.delta = 1.0 / (1.0 / self.delta + 1.0);
        }
        self.lost = false;
        let up = control.window > self.direction.window;
        let rounds = if up == self.direction.up { self.direction.rounds + 1 } else { 0 };
        self.velocity = if rounds >= ROUNDS_BEFORE_DOUBLING { self.velocity * 2.0 } else { 1.0 };
        self.direction = Direction { window: control.window, up, rounds };
    }

    /// What shows that slow start is over was sent a round trip ago, with half of the window. More would overflow a buffer of one
    /// bandwidth-delay product in bursts, between which the queue is empty, so that the window stays.
    fn leave_slow_start(&mut self, signals: &Signals, control: &mut Control) {
        if std::mem::take(&mut self.slow) {
            control.window = (control.window / 2).max(signals.initial_window.min(control.window));
        }
    }

    fn move_window(&mut self, signals: &Signals, control: &mut Control, below: bool) {
        if self.slow && below {
            if signals.window_limited {
                control.window += signals.acked.min(signals.growth_limit);
            }
            return;
        }
        self.leave_slow_start(signals, control);
        let (mss, acked) = (f64::from(signals.mss), signals.acked as f64);
        let segments = control.window as f64 / mss;
        // No more than all of the window in a round trip, whatever the velocity.
        self.velocity = self.velocity.min((self.delta * segments).max(1.0));
        // A velocity gained in one direction is not for the other.
        if below != self.direction.up && self.velocity > 1.0 {
            self.velocity = 1.0;
            self.direction = Direction { window: control.window, up: below, rounds: 0 };
        }
        let change = (self.velocity / (self.delta * segments)).min(1.0) * acked;
        if below && signals.window_limited {
            self.part += change;
        } else if !below {
            self.part -= change;
        }
        let whole = self.part.floor();
        self.part -= whole;
        let least = 2 * u64::from(signals.mss);
        if whole > 0.0 {
            control.window += whole as u64;
        } else if whole < 0.0 && control.window > least {
            control.window = control.window.saturating_sub(-whole as u64).max(least);
        }
    }
}

impl Controller for Copa {
    const CLASS: Class = Class::Rate;
    const NEEDS: Needs = Needs::RATES.and(Needs::PACING);

    fn on(&mut self, signals: &Signals, control: &mut Control) {
        match signals.event {
            Event::Start => {
                self.empty_at = signals.now;
                if !signals.smoothed_rtt.is_zero() {
                    let rate = PACING * control.window as f64 / signals.smoothed_rtt.as_secs_f64();
                    control.pacing = Rate::from_f64(rate);
                }
            }
            Event::Ack => self.acknowledged(signals, control),
            // A loss moves delta, not the window (section 2.2); but it ends slow start.
            Event::Loss | Event::Ecn => {
                self.lost = true;
                self.leave_slow_start(signals, control);
                if self.delta < self.params.delta {
                    self.delta = (self.delta * 2.0).min(self.params.delta);
                }
            }
            Event::Timeout => {
                control.window = u64::from(signals.mss);
                (self.slow, self.velocity) = (true, 1.0);
            }
            Event::Idle => growth::restart(signals, control),
            _ => {}
        }
    }

    fn stand(&self) -> Option<Stand> {
        let competes = self.delta < self.params.delta;
        let state = if self.slow {
            "slow-start"
        } else if competes {
            "competitive"
        } else {
            "default"
        };
        Some(Stand { round: self.round, ..Stand::of(state) })
    }

    fn estimates(&self, tell: &mut dyn FnMut(Estimate)) {
        tell(Estimate { name: "delta", unit: "", value: self.delta });
        tell(Estimate { name: "velocity", unit: "", value: self.velocity });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use dumbbell_core::BitRate;

    use super::super::growth::tests::signals;
    use super::*;
    use crate::tcp;
    use crate::testing::{Fate, Pipe, opening, read};
    use crate::transport::{ReceiveEnd, Transport};

    #[test]
    fn alone_it_keeps_a_short_queue_that_empties_often() {
        let params: Arc<tcp::Params> = Arc::new(read(r#"{"profile": "rfc", "controller": "copa"}"#));
        let mut pipe = Pipe::new(params.open(opening(None)), |_, _, _| Fate::Pass)
            .shaped(Some(BitRate::from_bps(10_000_000)), Duration::from_millis(50))
            .buffered(168);
        let from = Time::ZERO + Duration::from_secs(5);
        pipe.until(|p| p.now >= from);
        let before = pipe.receiver.report().delivered;
        pipe.until(|p| p.now >= from + Duration::from_secs(25));
        let share =
            (pipe.receiver.report().delivered - before) as f64 * 8.0 / 25.0 / (10e6 * 1460.0 / 1500.0);
        assert!(share > 0.93, "{share}");
        // A packet takes 1.2 ms.
        let waits: Vec<(Time, f64)> =
            pipe.waits.iter().filter(|w| w.0 >= from).map(|w| (w.0, w.1.as_secs_f64() / 1.2e-3)).collect();
        let mean = waits.iter().map(|w| w.1).sum::<f64>() / waits.len() as f64;
        assert!((0.5..6.0).contains(&mean), "{mean} packets");
        let mut emptied = from;
        for (at, packets) in waits {
            if packets < 1.0 {
                emptied = at;
            }
            assert!(at.since(emptied) < Duration::from_millis(5 * 60), "not empty since {emptied}, at {at}");
        }
    }

    /// A round trip of so many milliseconds that began with 20 segments in the window.
    fn round(copa: &mut Box<Copa>, control: &mut Control, told: &mut Signals, rtt: u64) {
        told.round += 1;
        told.rtt = Duration::from_millis(rtt);
        told.smoothed_rtt = told.rtt;
        for _ in 0..20 {
            told.now += told.rtt / 20;
            copa.on(told, control);
        }
    }

    fn started() -> (Box<Copa>, Control, Signals) {
        let mut copa = Params::default().build();
        let mut control = Control { window: 20_000, threshold: 20_000, ..Control::default() };
        copa.on(&signals(Event::Start, Time::ZERO, 0, 0), &mut control);
        let mut told = signals(Event::Ack, Time::ZERO, 1000, 20_000);
        round(&mut copa, &mut control, &mut told, 100);
        copa.slow = false;
        control.window = 20_000;
        (copa, control, told)
    }

    #[test]
    fn the_window_moves_by_velocity_over_delta() {
        // With 20 segments and a delta of 0.5, the target is reached where a tenth of the round trip is queueing: 111 of 100 ms.
        for (rtt, change) in [(105, 2), (120, -2)] {
            let (mut copa, mut control, mut told) = started();
            // The smallest of half a round trip becomes this one.
            round(&mut copa, &mut control, &mut told, rtt);
            let before = control.window as f64;
            round(&mut copa, &mut control, &mut told, rtt);
            let segments = (control.window as f64 - before) / 1000.0;
            assert!((segments - f64::from(change)).abs() < 0.3, "{rtt} ms: {segments}");
        }
    }

    #[test]
    fn velocity_doubles_from_the_third_round_trip() {
        let (mut copa, mut control, mut told) = started();
        let mut velocities = Vec::new();
        for _ in 0..7 {
            round(&mut copa, &mut control, &mut told, 101);
            velocities.push(copa.velocity);
            control.window = control.window.max(20_000);
        }
        let first = velocities.iter().position(|v| *v == 2.0).unwrap();
        assert!((2..=4).contains(&first), "{velocities:?}");
        assert_eq!(velocities[first + 1], 4.0);
        round(&mut copa, &mut control, &mut told, 300);
        round(&mut copa, &mut control, &mut told, 300);
        assert_eq!(copa.velocity, 1.0);
    }

    /// What has been sent since the queue began to grow is half of the window; the initial window is no such thing.
    #[test]
    fn slow_start_takes_back_half() {
        for (window, left) in [(80_000, 40_000), (12_000, 10_000), (4000, 4000)] {
            let mut copa = Params::default().build();
            let mut control = Control { window, threshold: u64::MAX, ..Control::default() };
            let loss = signals(Event::Loss, Time::ZERO, 0, window);
            copa.on(&loss, &mut control);
            assert_eq!(control.window, left);
            copa.on(&loss, &mut control);
            assert_eq!(control.window, left, "section 2.2: a loss moves delta");
        }
        // Delay ends slow start as a loss does: one round trip of twice the time.
        let mut copa = Params::default().build();
        let mut control = Control { window: 80_000, threshold: u64::MAX, ..Control::default() };
        let mut told = signals(Event::Ack, Time::ZERO, 0, 80_000);
        round(&mut copa, &mut control, &mut told, 100);
        assert_eq!((control.window, copa.slow), (80_000, true));
        round(&mut copa, &mut control, &mut told, 200);
        assert_eq!((control.window, copa.slow), (40_000, false));
    }

    #[test]
    fn delta_falls_while_the_queue_never_empties() {
        for (competes, deltas) in [(false, [0.5; 3]), (true, [1.0 / 3.0, 0.25, 0.2])] {
            let mut copa = Params { competes, ..Params::default() }.build();
            let mut control = Control { window: 20_000, threshold: 20_000, ..Control::default() };
            let mut told = signals(Event::Ack, Time::ZERO, 1000, 20_000);
            round(&mut copa, &mut control, &mut told, 100);
            // Others keep between 40 and 60 ms in the queue; the mode changes after five round trips.
            for i in 0..5 {
                round(&mut copa, &mut control, &mut told, 150 + 10 * (i % 2));
            }
            assert_eq!(copa.delta, 0.5, "not before five round trips");
            let mut found = Vec::new();
            while found.len() < 3 && told.round < 20 {
                let before = copa.delta;
                round(&mut copa, &mut control, &mut told, 150);
                if copa.delta != before || !competes {
                    found.push(copa.delta);
                }
            }
            let near = found.iter().zip(deltas).all(|(a, b)| (a - b).abs() < 1e-9);
            assert!(near && found.len() == 3, "{found:?}");
            if competes {
                copa.on(&signals(Event::Loss, told.now, 0, 20_000), &mut control);
                assert!((copa.delta - 0.4).abs() < 1e-9, "{}", copa.delta);
                // The queue is empty again.
                round(&mut copa, &mut control, &mut told, 100);
                round(&mut copa, &mut control, &mut told, 100);
                assert_eq!(copa.delta, 0.5);
            }
        }
    }
}
