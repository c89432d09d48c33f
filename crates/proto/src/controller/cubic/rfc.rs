//! CUBIC as RFC 9438 has it: windows in bytes, the target one smoothed round-trip time ahead.

use dumbbell_core::Time;

use super::super::contract::{Control, Event, Signals};
use super::super::growth::{self, reduced};
use super::super::hystart::{HyStart, Pace};
use super::params::{Params, factor};

/// One stage of congestion avoidance. Windows in segments.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    /// When the stage began, moved on by the time the window was not used in full (RFC 9438 section 4.2).
    start: Time,
    /// Seconds from the beginning to the plateau: K.
    k: f64,
    /// The window at the plateau.
    origin: f64,
    /// What Reno's window would be: W_est.
    reno: f64,
}

/// The controller. Windows in segments.
#[derive(Clone, Debug)]
pub struct Rfc {
    /// C, in segments per second cubed, and what a loss and an echo leave.
    scale: f64,
    decrease: f64,
    ecn_decrease: Option<f64>,
    fast_convergence: bool,
    reno_friendly: bool,
    /// What ends slow start before a loss, if anything does.
    hystart: Option<Box<HyStart>>,
    /// The window before the last cut, less what fast convergence gave up; zero if the stage follows no cut.
    w_max: f64,
    /// The window before the last cut.
    prior: f64,
    epoch: Option<Epoch>,
    /// The latest acknowledgement in congestion avoidance.
    last: Time,
    /// The part of a byte by which the window has yet to grow.
    credit: f64,
}

impl Rfc {
    pub fn new(params: &Params) -> Rfc {
        Rfc {
            scale: params.scale,
            decrease: params.decrease,
            ecn_decrease: params.ecn_decrease,
            fast_convergence: params.fast_convergence,
            reno_friendly: params.reno_friendly,
            hystart: HyStart::boxed(params.hystart),
            w_max: 0.0,
            prior: 0.0,
            epoch: None,
            last: Time::ZERO,
            credit: 0.0,
        }
    }

    fn ack(&mut self, signals: &Signals, control: &mut Control) {
        if signals.in_recovery {
            return;
        }
        if control.window < control.threshold {
            let hystart = self.hystart.as_mut();
            let pace = hystart.map_or(Pace::Full, |h| h.ack(signals, control, signals.min_rtt));
            if signals.window_limited {
                control.window += pace.growth(signals);
            }
            return;
        }
        let idle = signals.now.since(self.last);
        self.last = signals.now;
        let mss = f64::from(signals.mss);
        let window = control.window as f64 / mss;
        let epoch = match &mut self.epoch {
            Some(epoch) => epoch,
            None => {
                // Section 4.8: after a timeout, and before any loss, the plateau is where the stage begins.
                let origin = self.w_max.max(window);
                let k = ((origin - window) / self.scale).cbrt();
                self.epoch.insert(Epoch { start: signals.now, k, origin, reno: window })
            }
        };
        if !signals.window_limited {
            // Section 5.8: time in which the application limits the sender does not count.
            epoch.start += idle;
            return;
        }
        let segments = signals.acked as f64 / mss;
        let at = |t: f64| {
            let d = t - epoch.k;
            self.scale * d * d * d + epoch.origin
        };
        let t = signals.now.since(epoch.start).as_secs_f64();
        let mut grown = if self.reno_friendly {
            let b = self.decrease;
            let alpha = if epoch.reno >= self.prior { 1.0 } else { 3.0 * (1.0 - b) / (1.0 + b) };
            epoch.reno += alpha * segments / window;
            (at(t) < epoch.reno).then(|| epoch.reno.max(window))
        } else {
            None
        };
        let grown = *grown.get_or_insert_with(|| {
            let target = at(t + signals.smoothed_rtt.as_secs_f64()).clamp(window, 1.5 * window);
            window + (target - window) * segments / window
        });
        self.credit += (grown - window) * mss;
        let whole = self.credit as u64;
        self.credit -= whole as f64;
        control.window += whole;
    }

    /// Remembers the window that was too large and what to do until the next stage begins.
    fn cut(&mut self, signals: &Signals, control: &mut Control) {
        let window = control.window as f64 / f64::from(signals.mss);
        self.w_max = if self.fast_convergence && window < self.w_max {
            window * (1.0 + self.decrease) / 2.0
        } else {
            window
        };
        self.prior = window;
        self.epoch = None;
        self.credit = 0.0;
        self.hystart.iter_mut().for_each(|hystart| hystart.cut());
        control.threshold =
            reduced(signals, factor((self.decrease, self.ecn_decrease), signals.event, control));
        control.window = control.threshold;
    }
}

impl Rfc {
    /// Answers an event.
    #[inline]
    pub fn on(&mut self, signals: &Signals, control: &mut Control) {
        match signals.event {
            Event::Ack => self.ack(signals, control),
            Event::Loss | Event::Ecn => self.cut(signals, control),
            Event::Timeout => {
                if !signals.repeated {
                    self.cut(signals, control);
                }
                // Section 4.8: the first stage after a timeout has its plateau where it begins.
                self.w_max = 0.0;
                control.window = u64::from(signals.mss);
            }
            Event::Idle => {
                growth::restart(signals, control);
                self.epoch = None;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::Duration;

    use super::super::super::contract::{Build, Controller};
    use super::super::super::growth::tests::signals;
    use super::super::params::Variant;
    use super::*;

    /// A sender with a full window, acknowledged segment by segment. Times since the cut, windows in segments.
    struct Run {
        cubic: Rfc,
        control: Control,
        now: Time,
        rtt: Duration,
    }

    impl Run {
        /// Just after a cut at `window` segments.
        fn cut_at(window: u64, rtt: Duration, params: Params) -> Run {
            let control = Control { window: window * 1000, threshold: 1000, ..Control::default() };
            let mut run = Run { cubic: Rfc::new(&params), control, now: Time::ZERO, rtt };
            run.cut();
            run
        }

        fn cut(&mut self) {
            let flight = self.control.window;
            self.cubic.on(&signals(Event::Loss, self.now, 0, flight), &mut self.control);
        }

        fn window(&self) -> f64 {
            self.control.window as f64 / 1000.0
        }

        fn advance_to(&mut self, seconds: f64) {
            while self.now.as_secs_f64() < seconds {
                self.now += self.rtt / (self.control.window / 1000);
                let mut signals = signals(Event::Ack, self.now, 1000, 0);
                signals.smoothed_rtt = self.rtt;
                self.cubic.on(&signals, &mut self.control);
            }
        }
    }

    #[test]
    fn after_a_cut_at_100_segments_the_plateau_comes_4_22_s_later() {
        for rtt in [50, 200] {
            let params = Params { reno_friendly: false, ..Params::default() };
            let mut run = Run::cut_at(100, Duration::from_millis(rtt), params);
            assert_eq!(run.window(), 70.0);
            // W(t) = 0.4 (t - 4.217)^3 + 100
            for (t, expected) in [(1.0, 86.7), (2.1, 96.2), (4.22, 100.0), (5.2, 100.4), (6.22, 103.2)] {
                run.advance_to(t);
                assert!((run.window() - expected).abs() < 0.5, "{} at {t} s, RTT {rtt} ms", run.window());
            }
        }
        let mut run = Run::cut_at(100, Duration::from_millis(200), Params::default());
        run.advance_to(4.22);
        assert!((run.window() - 100.0).abs() < 0.5, "{}", run.window());
    }

    #[test]
    fn fast_convergence_gives_room() {
        for (fast_convergence, plateau) in [(true, 59.5), (false, 70.0)] {
            let params = Params { fast_convergence, ..Params::default() };
            let mut run = Run::cut_at(100, Duration::from_millis(100), params);
            run.cut();
            assert_eq!(run.window(), 49.0);
            assert_eq!(run.cubic.w_max, plateau);
        }
    }

    #[test]
    fn a_round_trip_adds_half_a_window_at_most() {
        // Ten minutes after the cut the function has left the window far below. RFC 9438 section 4.2: the target is 1.5 cwnd then;
        // Linux tcp_cubic.c: "The maximum rate of cwnd increase CUBIC allows is 1 packet per 2 packets ACKed".
        for variant in [Variant::Rfc9438, Variant::Linux] {
            let params = Params { variant, ..Params::default() };
            let mut cubic = params.build();
            let mut control = Control { window: 100_000, threshold: 1000, ..Control::default() };
            cubic.on(&signals(Event::Loss, Time::ZERO, 0, 100_000), &mut control);
            let mut ack = |seconds, acked| {
                let now = Time::ZERO + Duration::from_secs(seconds);
                cubic.on(&signals(Event::Ack, now, acked, 70_000), &mut control);
                control.window
            };
            let begun = ack(1, 1000);
            assert!(begun - 70_000 <= 1000, "{variant:?}: {begun}");
            let later = ack(600, 40_000);
            assert!(later.abs_diff(begun + 20_000) <= 1000, "{variant:?}: {begun} to {later}");
        }
    }

    #[test]
    fn a_mark_may_leave_more_than_a_loss_but_not_in_slow_start() {
        for (variant, share) in [(Variant::Rfc9438, 0.85), (Variant::Linux, 870.0 / 1024.0)] {
            let params = Params { variant, ecn_decrease: Some(0.85), ..Params::default() };
            for (event, threshold, left) in
                [(Event::Loss, 1000, 0.7), (Event::Ecn, 1000, share), (Event::Ecn, u64::MAX, 0.7)]
            {
                let mut control = Control { window: 1_000_000, threshold, ..Control::default() };
                params.build().on(&signals(event, Time::ZERO, 0, 1_000_000), &mut control);
                let window = (control.window as f64 / 1e6 - left).abs();
                assert!(window < 1e-3, "{variant:?}, {event:?} below {threshold}: {}", control.window);
            }
        }
    }

    #[test]
    fn small_windows_grow_as_reno_would() {
        // RTT 10 ms: 0.53 segments per RTT until the window before the cut, then one.
        let mut run = Run::cut_at(20, Duration::from_millis(10), Params::default());
        run.advance_to(0.1);
        assert!((run.window() - (14.0 + 10.0 * 0.53)).abs() < 0.5, "{}", run.window());
        run.advance_to(0.215);
        let at = run.window();
        run.advance_to(0.315);
        assert!((run.window() - (at + 10.0)).abs() < 1.0, "{} after {at}", run.window());
    }

    #[test]
    fn after_a_timeout_the_plateau_is_where_avoidance_begins() {
        let mut run = Run::cut_at(100, Duration::from_millis(200), Params::default());
        let timeout = signals(Event::Timeout, run.now, 0, 70_000);
        run.cubic.on(&timeout, &mut run.control);
        assert_eq!((run.control.window, run.control.threshold), (1000, 49_000));
        run.control.window = 49_000;
        run.advance_to(0.2);
        let epoch = run.cubic.epoch.expect("avoidance has begun");
        assert_eq!((epoch.k, epoch.origin), (0.0, 49.0));
    }

    #[test]
    fn time_in_which_the_window_is_not_used_does_not_count() {
        let mut run = Run::cut_at(100, Duration::from_millis(200), Params::default());
        run.advance_to(1.0);
        let window = run.control.window;
        let mut idle = signals(Event::Ack, run.now + Duration::from_secs(100), 1000, 0);
        idle.window_limited = false;
        run.cubic.on(&idle, &mut run.control);
        run.cubic.on(&signals(Event::Ack, idle.now, 1000, 0), &mut run.control);
        assert!(run.control.window < window + 1000, "{window} to {}", run.control.window);
    }
}
