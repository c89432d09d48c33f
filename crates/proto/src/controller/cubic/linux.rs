//! CUBIC as Linux computes it: whole segments, times in milliseconds, a growth of 5 % a round trip before the first loss, the
//! smallest round-trip time where RFC 9438 has the smoothed one, Reno's growth at 0.53 segments for good.

use dumbbell_core::{Duration, Time};

use super::super::contract::{Control, Event, Signals};
use super::super::hystart::{HyStart, LIMIT, Pace};
use super::params::{Params, factor};
use crate::wheel::{latest, rounded_up};

/// How often the target is computed, at most, where the clock is exact: a tick of a kernel with `HZ=1000`.
const TICK: Duration = Duration::from_millis(1);
/// How long it stays while the window does not change: `HZ/32`.
const STALE: Duration = Duration::from_micros(31_250);
/// After the beginning of a stage, round-trip times say nothing about the path for so long.
const SETTLING: Duration = Duration::from_secs(1);
/// Segments acknowledged for one segment of growth before the first loss, at most: 5 % a round trip.
const FIRST: u64 = 20;

/// Linux reckons with shares in 1024ths.
fn in_1024ths(share: f64) -> u64 {
    (share * 1024.0).round() as u64
}

/// The controller. Windows in segments.
#[derive(Clone, Debug)]
pub struct Linux {
    params: Params,
    /// C, in segments per second cubed, and what a loss leaves, in 1024ths.
    scale: f64,
    decrease: u64,
    hystart: HyStart,
    /// Segments acknowledged for one segment of growth.
    per_segment: u64,
    /// Segments acknowledged since the window grew.
    credit: u64,
    /// The window before the last cut, less what fast convergence gave up; zero without one.
    last_max: u64,
    last_window: u64,
    last_time: Time,
    epoch: Option<Time>,
    origin: u64,
    /// Seconds to the plateau: K.
    k: f64,
    delay_min: Duration,
    /// Segments acknowledged since Reno's window last grew, and that window.
    acked: u64,
    reno: u64,
    latest: Time,
    /// When slow start was cut, and its window; zero without one.
    cut_from: (Time, u64),
}

impl Linux {
    pub fn new(params: &Params) -> Linux {
        Linux {
            // Linux reckons C = 0.4 in 1024ths: bic_scale * 10 / 1024 is 410 / 1024.
            scale: (params.scale * 1024.0).ceil() / 1024.0,
            decrease: in_1024ths(params.decrease),
            params: params.clone(),
            hystart: HyStart::new(params.hystart),
            per_segment: 0,
            credit: 0,
            last_max: 0,
            last_window: 0,
            last_time: Time::ZERO,
            epoch: None,
            origin: 0,
            k: 0.0,
            delay_min: Duration::ZERO,
            acked: 0,
            reno: 0,
            latest: Time::ZERO,
            cut_from: (Time::ZERO, 0),
        }
    }

    /// Answers an event.
    #[inline]
    pub fn on(&mut self, signals: &Signals, control: &mut Control) {
        match signals.event {
            Event::Ack | Event::Recovered => self.ack(signals, control),
            Event::Loss | Event::Ecn => self.cut(signals, control),
            Event::Timeout => {
                if !signals.repeated {
                    self.cut(signals, control);
                }
                self.reset();
                control.window = u64::from(signals.mss);
            }
            Event::Idle => {
                // The stage stands still while nothing is sent.
                let now = self.clock(signals.now);
                let idle = now.since(self.clock(self.latest));
                self.epoch = self.epoch.map(|epoch| (epoch + idle).min(now));
                control.window = control.window.min(signals.initial_window);
            }
            _ => {}
        }
    }

    fn ack(&mut self, signals: &Signals, control: &mut Control) {
        self.latest = signals.now;
        let mss = u64::from(signals.mss);
        let slow_start = control.window < control.threshold;
        let mut pace = Pace::Full;
        let settled = self.epoch.is_none_or(|epoch| self.clock(signals.now).since(epoch) >= SETTLING);
        if !signals.rtt.is_zero() && settled {
            if self.delay_min.is_zero() || signals.rtt < self.delay_min {
                self.delay_min = signals.rtt;
            }
            let (cut_at, window) = std::mem::take(&mut self.cut_from);
            if slow_start {
                pace = self.hystart.ack(signals, control, self.delay_min);
            } else if window > 0 && cut_at == signals.now {
                // Linux net/ipv4/tcp_input.c: tcp_ack calls pkts_acked before it finds losses.
                let mut before = Control { window, ..*control };
                self.hystart.ack(signals, &mut before, self.delay_min);
            }
        }
        let mut acked = signals.acked.div_ceil(mss);
        if signals.in_recovery || !signals.window_limited {
            return;
        }
        let mut window = control.window / mss;
        if control.window < control.threshold {
            if let Pace::Quarter = pace {
                self.grow(&mut window, 4, acked.min(LIMIT));
                control.window = window * mss;
                return;
            }
            if let Pace::Limited = pace {
                acked = acked.min(LIMIT);
            }
            let most = (control.threshold / mss).saturating_sub(window);
            let added = acked.min(most);
            window += added;
            acked -= added;
            control.window = window * mss;
            if acked == 0 {
                return;
            }
        }
        self.update(self.clock(signals.now), window, acked);
        let per_segment = self.per_segment;
        self.grow(&mut window, per_segment, acked);
        control.window = window * mss;
    }

    /// The clock by which the window grows.
    #[inline]
    fn clock(&self, now: Time) -> Time {
        latest(now, self.params.tick)
    }

    /// One segment more for so many acknowledged.
    fn grow(&mut self, window: &mut u64, per_segment: u64, acked: u64) {
        if self.credit >= per_segment {
            self.credit = 0;
            *window += 1;
        }
        self.credit += acked;
        if self.credit >= per_segment {
            *window += self.credit / per_segment;
            self.credit %= per_segment;
        }
    }

    /// Computes for how many segments acknowledged the window grows by one.
    fn update(&mut self, now: Time, window: u64, acked: u64) {
        self.acked += acked;
        let since = now.since(self.last_time);
        if self.last_window == window && since <= STALE {
            return;
        }
        if self.epoch.is_none() || since >= if self.params.tick.is_zero() { TICK } else { self.params.tick } {
            (self.last_window, self.last_time) = (window, now);
            self.aim(now, window, acked);
        }
        if self.params.reno_friendly {
            // 8 (1 + b) / (3 (1 - b)) eighths of a window for one segment; in whole numbers 15 for b = 0.7.
            let eighths = 8 * (1024 + self.decrease) / 3 / (1024 - self.decrease);
            let per_segment = ((window * eighths) >> 3).max(1);
            if self.acked > per_segment {
                let grown = (self.acked - 1) / per_segment;
                self.acked -= grown * per_segment;
                self.reno += grown;
            }
            if self.reno > window {
                self.per_segment = self.per_segment.min(window / (self.reno - window));
            }
        }
        // Half a segment for each acknowledged at most.
        self.per_segment = self.per_segment.max(2);
    }

    /// The cubic function, one smallest round-trip time ahead.
    fn aim(&mut self, now: Time, window: u64, acked: u64) {
        let epoch = match self.epoch {
            Some(epoch) => epoch,
            None => {
                (self.acked, self.reno) = (acked, window);
                self.origin = self.last_max.max(window);
                self.k = ((self.origin - window) as f64 / self.scale).cbrt();
                *self.epoch.insert(now)
            }
        };
        let ahead = rounded_up(self.delay_min, self.params.tick);
        let distance = (now.since(epoch) + ahead).as_secs_f64() - self.k;
        let change = (self.scale * distance.abs().powi(3)) as u64;
        let target = if distance < 0.0 { self.origin.saturating_sub(change) } else { self.origin + change };
        self.per_segment = if target > window { window / (target - window) } else { 100 * window };
        if self.last_max == 0 {
            self.per_segment = self.per_segment.min(FIRST);
        }
    }

    fn cut(&mut self, signals: &Signals, control: &mut Control) {
        let mss = u64::from(signals.mss);
        let window = control.window / mss;
        let slow_start = control.window < control.threshold;
        self.cut_from = (signals.now, if slow_start { control.window } else { 0 });
        self.last_max = if self.params.fast_convergence && window < self.last_max {
            window * (1024 + self.decrease) / 2048
        } else {
            window
        };
        self.epoch = None;
        self.credit = 0;
        self.hystart.cut();
        let left =
            in_1024ths(factor((self.params.decrease, self.params.ecn_decrease), signals.event, control));
        control.threshold = (signals.flight / mss * left / 1024).max(2) * mss;
        control.window = control.threshold;
    }

    fn reset(&mut self) {
        self.hystart.reset();
        (self.per_segment, self.credit, self.last_max, self.last_window) = (0, 0, 0, 0);
        (self.epoch, self.delay_min) = (None, Duration::ZERO);
        (self.origin, self.k, self.acked, self.reno) = (0, 0.0, 0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::growth::tests::signals;
    use super::*;

    /// Linux measures before it finds losses: the acknowledgement that cuts the window is the last of slow start.
    #[test]
    fn the_acknowledgement_that_cuts_the_window_counts_for_hystart() {
        for late in [8, 9] {
            let mut cubic = Linux::new(&Params::default());
            let mut control = Control { window: 40_000, ..Control::default() };
            let tell = |cubic: &mut Linux, control: &mut Control, n: u64, event, rtt| {
                let now = Time::ZERO + Duration::from_millis(10 * n);
                let mut told = signals(event, now, 1000, 40_000);
                (told.delivered, told.rtt) = (1000, Duration::from_millis(rtt));
                told.in_recovery = n >= late;
                cubic.on(&told, control);
            };
            tell(&mut cubic, &mut control, 0, Event::Ack, 100);
            // Nine times late end slow start; the smallest of the round is the first.
            cubic.hystart = HyStart::new(cubic.params.hystart);
            (1..late).for_each(|n| tell(&mut cubic, &mut control, n, Event::Ack, 200));
            assert_eq!(control.threshold, Control::UNLIMITED);
            tell(&mut cubic, &mut control, late, Event::Loss, 0);
            tell(&mut cubic, &mut control, late, Event::Ack, 200);
            // In the repair, a window below the threshold is one of slow start again.
            let threshold = control.threshold;
            control.window = threshold - 2000;
            tell(&mut cubic, &mut control, late + 1, Event::Ack, 200);
            let ended_again = control.threshold < threshold;
            assert_eq!(ended_again, late == 8, "{late} acknowledgements of slow start, with that of the cut");
        }
    }
}
