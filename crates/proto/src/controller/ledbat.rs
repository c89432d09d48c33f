//! LEDBAT: as much waits as takes a fixed time, and a queue that others fill makes it yield.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Duration, Time, Validate, config};

use super::growth;
use super::{Build, Class, Control, Controller, Event, Needs, Signals};

config! {
    /// The window grows while the delay of queues is below a target and shrinks while it is above, by `gain` segments a round trip at
    /// most. A loss halves it.
    pub struct Params {
        /// Delay of queues that it aims at.
        target: Duration = "100ms", "RFC 6817 section 2.5: 100 ms or less";
        /// Growth of an undisturbed window, in segments a round trip.
        gain: f64 as "segments" = 1.0, "RFC 6817 section 2.5: 1 or less";
        /// Smallest window, in segments.
        least_window: u32 as "segments" = 2, "RFC 6817 section 2.5: MIN_CWND";
        /// Segments by which the window may be larger than what is outstanding.
        allowed_increase: u32 as "segments" = 1, "RFC 6817 section 2.5: ALLOWED_INCREASE";
        /// Delays of which the smallest counts as that of now.
        current_delays: u32 as "delays" = 4, "RFC 6817 section 2.5: CURRENT_FILTER; choice of the number: libutp";
        /// Minutes after which a smallest delay is forgotten.
        base_minutes: u32 as "minutes" = 10, "RFC 6817 section 2.5: BASE_HISTORY";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.target.is_zero() || self.target > Duration::from_secs(10) {
            let message = format!("{} is no delay to aim at", self.target);
            return Err(at.key("target").error(message, "give a time above zero and up to 10s"));
        }
        at.above_zero("gain", self.gain, 100.0)?;
        let counts = [
            ("least_window", self.least_window, 1000),
            ("allowed_increase", self.allowed_increase, 1000),
            ("current_delays", self.current_delays, MOST as u32),
            ("base_minutes", self.base_minutes, MOST as u32),
        ];
        counts.into_iter().try_for_each(|(key, count, most)| at.within(key, count, 1..=most))
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "ledbat";
    const TITLE: &'static str =
        "LEDBAT: background transfers that wait for 100 ms at most and yield to others";
    const REFERENCE: &'static str = "RFC 6817";
}

impl Build for Params {
    type Controller = Box<Ledbat>;

    fn build(&self) -> Box<Ledbat> {
        Box::new(Ledbat {
            delays: Delays::new(self.current_delays, self.base_minutes),
            params: self.clone(),
            part: 0.0,
            cut_until: 0,
        })
    }
}

/// The most samples of a filter.
pub(super) const MOST: usize = 60;
const MINUTE: Duration = Duration::from_secs(60);

/// The filters for delays (RFC 6817 section 2.4.2): the smallest of the last samples, and the smallest of each of the last minutes.
#[derive(Clone, Debug)]
pub(super) struct Delays {
    current: [Duration; MOST],
    base: [Duration; MOST],
    lengths: (usize, usize),
    next: usize,
    minute: usize,
    minute_began: Time,
}

impl Delays {
    pub(super) fn new(current: u32, minutes: u32) -> Delays {
        Delays {
            current: [Duration::MAX; MOST],
            base: [Duration::MAX; MOST],
            lengths: (current as usize, minutes as usize),
            next: 0,
            minute: 0,
            minute_began: Time::ZERO,
        }
    }

    /// Takes in a delay.
    pub(super) fn take(&mut self, now: Time, delay: Duration) {
        self.current[self.next] = delay;
        self.next = (self.next + 1) % self.lengths.0;
        if now.since(self.minute_began) >= MINUTE {
            self.minute_began = now;
            self.minute = (self.minute + 1) % self.lengths.1;
            self.base[self.minute] = Duration::MAX;
        }
        self.base[self.minute] = self.base[self.minute].min(delay);
    }

    /// The smallest delay of the last minutes.
    pub(super) fn base(&self) -> Duration {
        self.base[..self.lengths.1].iter().copied().fold(Duration::MAX, Duration::min)
    }

    /// What the queues add to it now.
    pub(super) fn queueing(&self) -> Duration {
        let current = self.current[..self.lengths.0].iter().copied().fold(Duration::MAX, Duration::min);
        current.saturating_sub(self.base())
    }
}

/// The controller.
#[derive(Clone, Debug)]
pub struct Ledbat {
    params: Params,
    delays: Delays,
    /// The part of a byte of the window.
    part: f64,
    /// Losses of what was sent before so many bytes were delivered have been answered.
    cut_until: u64,
}

impl Ledbat {
    fn acknowledged(&mut self, signals: &Signals, control: &mut Control) {
        if !signals.rtt.is_zero() {
            self.delays.take(signals.now, signals.rtt);
        }
        if signals.in_recovery || signals.acked == 0 {
            return;
        }
        let mss = u64::from(signals.mss);
        let target = self.params.target.as_secs_f64();
        let off = (target - self.delays.queueing().as_secs_f64()) / target;
        let change = self.params.gain * off * signals.acked as f64 * mss as f64 / control.window as f64;
        let least = u64::from(self.params.least_window) * mss;
        if off > 0.0 {
            let outstanding = signals.flight + signals.acked;
            let most = outstanding + u64::from(self.params.allowed_increase) * mss;
            grow(control, &mut self.part, change, most.max(least), signals);
        } else {
            shrink(control, &mut self.part, -change, least);
        }
    }
}

/// Opens the window by some bytes, up to a limit, if it is what limits; keeps the part of a byte.
pub(super) fn grow(control: &mut Control, part: &mut f64, bytes: f64, most: u64, signals: &Signals) {
    if !signals.window_limited {
        return;
    }
    *part += bytes;
    let whole = part.max(0.0).floor();
    *part -= whole;
    let added = (whole as u64).min(signals.growth_limit.max(signals.acked));
    let added = if control.window < control.threshold { added.min(signals.growth_limit) } else { added };
    control.window = (control.window + added).min(most.max(control.window));
}

/// Closes the window by some bytes, down to a limit.
pub(super) fn shrink(control: &mut Control, part: &mut f64, bytes: f64, least: u64) {
    *part -= bytes;
    let whole = part.min(0.0).ceil();
    *part -= whole;
    let window = control.window.saturating_sub(-whole as u64).max(least);
    control.window = control.window.min(window);
    control.threshold = control.threshold.min(control.window.max(least));
}

impl Controller for Ledbat {
    const CLASS: Class = Class::Window;
    const NEEDS: Needs = Needs::RATES;

    fn on(&mut self, signals: &Signals, control: &mut Control) {
        match signals.event {
            // The RFC knows no slow start.
            Event::Start => {
                control.window =
                    control.window.min(u64::from(self.params.least_window) * u64::from(signals.mss));
                control.threshold = control.window;
            }
            Event::Ack => self.acknowledged(signals, control),
            // Once a round trip (RFC 6817 section 2.4.2).
            Event::Loss | Event::Ecn => {
                control.threshold =
                    control.threshold.clamp(growth::reduced(signals, 0.0), growth::reduced(signals, 1.0));
                if signals.delivered >= self.cut_until {
                    self.cut_until = signals.delivered + signals.flight;
                    growth::Growth::default().cut(signals, control, 0.5);
                }
            }
            Event::Timeout => {
                growth::Growth::default().timeout(signals, control, 0.5);
                self.cut_until = signals.delivered + signals.flight;
            }
            Event::Idle => growth::restart(signals, control),
            _ => {}
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;

    use dumbbell_core::BitRate;

    use super::super::growth::tests::signals;
    use super::super::{ControllerSpec, ledbat_plus_plus};
    use super::*;
    use crate::tcp;
    use crate::testing::{Fate, Pipe, opening, read};
    use crate::transport::{ReceiveEnd, Transport};

    /// Alone over 10 Mbit/s and 50 ms, with a buffer of 200 ms: the part of the link that is used, and how long packets wait, from the
    /// 30th second to the 60th.
    pub fn alone(controller: &str) -> (f64, Vec<(f64, f64)>) {
        let text = format!(r#"{{"profile": "linux", "controller": "{controller}"}}"#);
        let params: Arc<tcp::Params> = Arc::new(read(&text));
        let mut pipe = Pipe::new(params.open(opening(None)), |_, _, _| Fate::Pass)
            .shaped(Some(BitRate::from_bps(10_000_000)), Duration::from_millis(50))
            .buffered(168);
        let from = Time::ZERO + Duration::from_secs(30);
        pipe.until(|p| p.now >= from);
        let before = pipe.receiver.report().delivered;
        pipe.until(|p| p.now >= from + Duration::from_secs(30));
        let share =
            (pipe.receiver.report().delivered - before) as f64 * 8.0 / 30.0 / (10e6 * 1448.0 / 1500.0);
        let waits = pipe.waits.iter().filter(|w| w.0 >= from);
        (share, waits.map(|w| (w.0.since(Time::ZERO).as_secs_f64(), w.1.as_secs_f64())).collect())
    }

    #[test]
    fn alone_it_fills_the_link_and_as_much_waits_as_takes_100_ms() {
        let (share, waits) = alone("ledbat");
        assert!(share > 0.98, "{share}");
        assert!(waits.iter().all(|w| (0.09..0.11).contains(&w.1)), "{waits:?}");
    }

    #[test]
    fn the_window_changes_by_the_distance_to_the_target() {
        // Without queues a segment more; at a half of the target a half; at twice the target a segment less.
        for (queueing, change) in [(0, 1.0), (50, 0.5), (100, 0.0), (200, -1.0)] {
            let mut ledbat = Params::default().build();
            let mut control = Control { window: 20_000, threshold: 20_000, ..Control::default() };
            ledbat.delays.take(Time::ZERO, Duration::from_millis(100));
            for i in 0..24 {
                // The first four fill the filter.
                if i == 4 {
                    control.window = 20_000;
                    ledbat.part = 0.0;
                }
                let mut ack = signals(Event::Ack, Time::ZERO, 1000, 20_000);
                ack.rtt = Duration::from_millis(100 + queueing);
                ledbat.on(&ack, &mut control);
            }
            let segments = (control.window as f64 - 20_000.0) / 1000.0;
            assert!((segments - change).abs() < 0.05, "{queueing} ms: {segments}");
        }
    }

    #[test]
    fn the_window_grows_at_most_a_segment_beyond_the_flight() {
        let mut ledbat = Params::default().build();
        let mut control = Control { window: 20_000, threshold: 20_000, ..Control::default() };
        for _ in 0..100 {
            ledbat.on(&signals(Event::Ack, Time::ZERO, 1000, 19_000), &mut control);
        }
        assert_eq!(control.window, 21_000);
    }

    #[test]
    fn the_smallest_delay_is_forgotten_after_ten_minutes() {
        let mut delays = Delays::new(4, 10);
        let minute = |n| Time::ZERO + MINUTE * n;
        delays.take(minute(0), Duration::from_millis(10));
        for n in 1..10 {
            delays.take(minute(n), Duration::from_millis(30));
            assert_eq!(delays.base(), Duration::from_millis(10), "{n}");
        }
        assert_eq!(delays.queueing(), Duration::from_millis(20), "of the last four the smallest");
        delays.take(minute(10), Duration::from_millis(30));
        assert_eq!(delays.base(), Duration::from_millis(30));
    }

    #[test]
    fn a_loss_halves_the_window_once_a_round_trip() {
        for spec in [
            ControllerSpec::Ledbat(Params::default()),
            ControllerSpec::LedbatPlusPlus(ledbat_plus_plus::Params::default()),
        ] {
            let mut controller = spec.build();
            let mut control = Control { window: 20_000, ..Control::default() };
            let mut loss = Signals { delivered: 50_000, ..signals(Event::Loss, Time::ZERO, 0, 20_000) };
            controller.on(&loss, &mut control);
            assert_eq!(control.window, 10_000);
            loss.delivered = 60_000;
            controller.on(&loss, &mut control);
            assert_eq!(control.window, 10_000);
            (loss.delivered, loss.flight) = (70_000, 10_000);
            controller.on(&loss, &mut control);
            assert_eq!(control.window, 5000);
        }
    }
}
