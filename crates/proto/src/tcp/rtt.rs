//! Round-trip times and the retransmission timeout (RFC 6298).

use dumbbell_core::{Duration, Time};

use super::params::{Params, RtoFloor};
use super::ticks::Ticks;
use crate::wheel::rounded_up;

/// An eighth of a microsecond, in ns.
pub const EIGHTH: u64 = 125;

/// The estimator of one connection.
#[derive(Clone, Debug)]
pub struct Rtt {
    /// Smoothed round-trip time; zero before the first measurement.
    smoothed: Duration,
    /// Mean deviation.
    variation: Duration,
    /// Smallest measurement; zero before the first.
    min: Duration,
    /// Where the floor is under the deviation: four times the largest mean deviation of this round trip, and what the timeout
    /// adds to the smoothed round-trip time.
    most: Duration,
    added: Duration,
    /// The timeout, backed off if the timer has expired since the latest measurement.
    timeout: Duration,
    /// Where time is counted in ticks: the clock, and the estimator instead of this one.
    ticks: Option<Box<Ticks>>,
}

impl Rtt {
    /// Before any measurement.
    pub fn new(params: &Params) -> Rtt {
        Rtt {
            smoothed: Duration::ZERO,
            variation: Duration::ZERO,
            min: Duration::ZERO,
            most: Duration::ZERO,
            added: Duration::ZERO,
            timeout: params.rto_initial,
            ticks: None,
        }
    }

    /// The same by a clock that ticks, if there is one.
    #[must_use]
    pub fn by(mut self, ticks: Option<Box<Ticks>>) -> Rtt {
        if let Some(ticks) = &ticks {
            self.timeout = ticks.first();
        }
        self.ticks = ticks;
        self
    }

    /// Smoothed round-trip time; zero before the first measurement.
    #[inline]
    pub fn smoothed(&self) -> Duration {
        self.smoothed
    }

    /// The same in eighths of a microsecond.
    // Linux include/linux/tcp.h: srtt_us.
    #[inline]
    pub fn eighths(&self) -> u64 {
        self.smoothed.as_nanos() / EIGHTH
    }

    /// Mean deviation; zero before the first measurement.
    pub fn variation(&self) -> Duration {
        self.variation
    }

    /// Smallest measurement; zero before the first.
    #[inline]
    pub fn min(&self) -> Duration {
        self.min
    }

    /// The retransmission timeout.
    #[inline]
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Takes in a measurement. It is one of about `2^shift` in this round trip: the gains are lowered accordingly
    /// (RFC 7323 appendix G).
    #[inline]
    pub fn measure(&mut self, measured: Duration, shift: u32, params: &Params) {
        self.lower(measured);
        self.estimate(measured, shift, params);
    }

    /// The same for a measurement that cannot be the smallest.
    #[inline]
    pub fn estimate(&mut self, measured: Duration, shift: u32, params: &Params) {
        if params.rto_floor == RtoFloor::Deviation {
            self.measure_as_linux(measured, params);
        } else {
            self.measure_as_rfc(measured, shift, params);
        }
    }

    /// The estimator of RFC 6298, section 2.
    #[inline(never)]
    fn measure_as_rfc(&mut self, measured: Duration, shift: u32, params: &Params) {
        let measured = in_ticks(measured, params.rtt_tick).as_nanos().cast_signed();
        let (smoothed, variation) = if self.smoothed.is_zero() {
            (measured, measured / 2)
        } else {
            let smoothed = self.smoothed.as_nanos().cast_signed();
            let variation = self.variation.as_nanos().cast_signed();
            let error = measured - smoothed;
            // The deviation first: it uses the old mean (RFC 6298 section 2.3).
            (smoothed + (error >> (3 + shift)), variation + ((error.abs() - variation) >> (2 + shift)))
        };
        self.smoothed = Duration::from_nanos(smoothed as u64);
        self.variation = Duration::from_nanos(variation as u64);
        let timeout = self.smoothed + (self.variation * 4).max(params.rto_granularity);
        self.timeout = rounded_up(timeout.clamp(params.rto_min, params.rto_max), params.timer_tick);
    }

    /// Takes in a measurement that ends at `now` by the clock that ticks; false if there is none.
    #[inline]
    pub fn measure_in_ticks(&mut self, now: Time, measured: Duration) -> bool {
        let Some(ticks) = &mut self.ticks else { return false };
        ticks.measure(now - measured, now);
        (self.smoothed, self.variation, self.timeout) =
            (ticks.smoothed(), ticks.variation(), ticks.timeout());
        self.lower(measured);
        true
    }

    /// The tick at which the retransmission timer expires that may expire from `at` on.
    pub fn tick_from(&self, at: Time) -> Time {
        self.ticks.as_ref().map_or(at, |ticks| ticks.next(at))
    }

    /// The estimator of Linux: every measurement weighs an eighth, the deviation rises at once and falls slowly where round
    /// trips get shorter, and the smallest timeout is the least that it may add.
    // Linux net/ipv4/tcp_input.c: what tcp_rtt_estimator computes, in whole microseconds: the mean in eighths, four times the mean
    // deviation in whole ones.
    #[cold]
    #[inline(never)]
    fn measure_as_linux(&mut self, measured: Duration, params: &Params) {
        let measured = microseconds(in_ticks(measured, params.rtt_tick)).max(1).cast_signed();
        let mut deviation = measured * 2;
        let mut eighths = measured * 8;
        if self.smoothed.is_zero() {
            self.most = Duration::from_micros(deviation as u64).max(params.rto_min);
            self.added = self.most;
        } else {
            eighths = self.eighths().cast_signed();
            deviation = microseconds(self.variation * 4).cast_signed();
            let error = measured - eighths / 8;
            eighths += error;
            let mut change = error.abs() - deviation / 4;
            if error < 0 && change > 0 {
                change /= 8;
            }
            deviation += change;
            let deviation = Duration::from_micros(deviation as u64);
            if deviation > self.most {
                self.most = deviation;
                self.added = self.added.max(deviation);
            }
        }
        self.smoothed = Duration::from_nanos(eighths as u64 * EIGHTH);
        self.variation = Duration::from_micros(deviation as u64) / 4;
        self.expect(params);
    }

    /// Sets the timeout of Linux, which it keeps in ticks.
    // Linux net/ipv4/tcp_input.c: tcp_set_rto.
    fn expect(&mut self, params: &Params) {
        let smoothed = Duration::from_micros(microseconds(self.smoothed));
        self.timeout = rounded_up(smoothed + self.added, params.timer_tick).min(params.rto_max);
    }

    /// A round trip is over: what the timeout adds falls at once, by a quarter of what it had too much.
    pub fn end_round(&mut self, params: &Params) {
        if self.most < self.added {
            let fall = microseconds(self.added - self.most) / 4;
            self.added -= Duration::from_micros(fall);
            self.expect(params);
        }
        self.most = params.rto_min;
    }

    /// Takes in a measurement for the smallest round-trip time alone.
    #[inline]
    pub fn lower(&mut self, measured: Duration) {
        if self.min.is_zero() || measured < self.min {
            self.min = measured;
        }
    }

    /// Doubles the timeout (RFC 6298 section 5.5). It stays so until the next measurement, which Karn's algorithm
    /// takes only from data that was sent once.
    pub fn back_off(&mut self, params: &Params) {
        if let Some(ticks) = &mut self.ticks {
            self.timeout = ticks.back_off();
            return;
        }
        self.timeout = (self.timeout * 2).min(params.rto_max);
    }

    /// Sets the timeout that follows a lost SYN (RFC 6298 section 5.7).
    pub fn restart(&mut self, params: &Params) {
        if self.ticks.is_some() {
            // There, the timeout stays what it was backed off to.
            return;
        }
        self.timeout = params.rto_initial.max(Duration::from_secs(3)).min(params.rto_max);
    }
}

/// The round trip of what was sent, as a clock of whole microseconds has it; one at least.
// Linux include/net/tcp.h: tcp_stamp_us_delta.
#[inline]
pub fn passed(sent: Time, now: Time) -> Duration {
    Duration::from_micros((now.as_nanos() / 1000 - sent.as_nanos() / 1000).max(1))
}

/// Whole microseconds.
#[inline]
pub fn microseconds(time: Duration) -> u64 {
    time.as_nanos() / 1000
}

/// Rounds to the nearest tick, one at least; a tick of zero rounds nothing.
fn in_ticks(measured: Duration, tick: Duration) -> Duration {
    if tick.is_zero() {
        return measured;
    }
    tick * ((measured + tick / 2).as_nanos() / tick.as_nanos()).max(1)
}

#[cfg(test)]
mod tests {
    use super::super::tests::params;
    use super::*;

    fn ms(n: f64) -> Duration {
        Duration::from_secs_f64(n / 1e3)
    }

    fn rfc() -> Params {
        Params::clone(&params("{}"))
    }

    #[test]
    fn the_timeout_follows_rfc_6298() {
        let params = Params { rto_min: ms(1.0), ..rfc() };
        let mut rtt = Rtt::new(&params);
        assert_eq!(rtt.timeout(), Duration::from_secs(1));
        rtt.measure(ms(100.0), 0, &params);
        assert_eq!((rtt.smoothed, rtt.variation, rtt.timeout()), (ms(100.0), ms(50.0), ms(300.0)));
        rtt.measure(ms(100.0), 0, &params);
        assert_eq!((rtt.smoothed, rtt.variation), (ms(100.0), ms(37.5)));
        rtt.measure(ms(200.0), 0, &params);
        assert_eq!((rtt.smoothed, rtt.variation, rtt.timeout()), (ms(112.5), ms(53.125), ms(325.0)));
        assert_eq!(rtt.min(), ms(100.0));
    }

    #[test]
    fn the_timeout_is_bounded_doubles_and_returns() {
        let params = Params { rto_max: Duration::from_secs(2), ..rfc() };
        let mut rtt = Rtt::new(&params);
        rtt.measure(ms(1.0), 0, &params);
        assert_eq!(rtt.timeout(), ms(200.0), "rto_min");
        let backed_off: Vec<Duration> = (0..5)
            .map(|_| {
                rtt.back_off(&params);
                rtt.timeout()
            })
            .collect();
        assert_eq!(backed_off, [400.0, 800.0, 1600.0, 2000.0, 2000.0].map(ms));
        rtt.measure(ms(1.0), 0, &params);
        assert_eq!(rtt.timeout(), ms(200.0));
    }

    #[test]
    fn a_steady_round_trip_time_leaves_the_granularity() {
        let params = Params { rto_min: ms(1.0), rto_granularity: ms(10.0), ..rfc() };
        let mut rtt = Rtt::new(&params);
        for _ in 0..200 {
            rtt.measure(ms(50.0), 0, &params);
        }
        assert_eq!(rtt.timeout(), ms(60.0));
    }

    /// Linux net/ipv4/tcp_input.c, by hand: eight times the mean are 80,008 us, then 80,008 + 10,100 - 10,001 and 80,107 + 9,000 - 10,013.
    /// Four times the deviation are 20,002 us, then 20,002 + 99 - 5,000 and 15,101 + (1,013 - 3,775).
    #[test]
    fn linux_counts_whole_microseconds() {
        let params = params(r#"{"profile": "linux", "rto_min": "1ms"}"#);
        let mut rtt = Rtt::new(&params);
        let mut found = Vec::new();
        for ns in [10_001_700, 10_100_999, 9_000_000] {
            rtt.measure(Duration::from_nanos(ns), 0, &params);
            found.push((
                rtt.eighths(),
                rtt.variation().as_nanos() * 4 / 1000,
                rtt.timeout().as_nanos() / 1000,
            ));
        }
        assert_eq!(found, [(80_008, 20_002, 30_003), (80_107, 15_101, 30_015), (79_094, 12_339, 29_888)]);
        // Both ends of a round trip are cut to microseconds.
        let at = |ns| Time::from_nanos(ns);
        let shown =
            [(1_999, 5_000), (1_000, 5_999), (1_000, 1_500)].map(|(sent, now)| passed(at(sent), at(now)));
        assert_eq!(shown, [4, 4, 1].map(Duration::from_micros));
    }

    /// Linux net/ipv4/tcp_input.c: tcp_set_rto. 237.045 ms are 60 ticks of 4 ms, and back off to 120.
    #[test]
    fn linux_keeps_the_timeout_in_ticks() {
        let params = params(r#"{"profile": "linux", "timer_tick": "4ms"}"#);
        let mut rtt = Rtt::new(&params);
        rtt.measure(ms(37.045), 0, &params);
        assert_eq!(rtt.timeout(), ms(240.0));
        rtt.back_off(&params);
        assert_eq!(rtt.timeout(), ms(480.0));
    }

    #[test]
    fn ticks_round_to_the_nearest_and_never_to_zero() {
        let tick = ms(10.0);
        assert_eq!([1.0, 14.9, 15.0, 52.0].map(|m| in_ticks(ms(m), tick)), [10.0, 10.0, 20.0, 50.0].map(ms));
    }

    #[test]
    fn many_measurements_in_a_round_trip_weigh_as_much_as_one() {
        let params = rfc();
        let (mut one, mut sixteen) = (Rtt::new(&params), Rtt::new(&params));
        for rtt in [&mut one, &mut sixteen] {
            rtt.measure(ms(100.0), 0, &params);
        }
        one.measure(ms(200.0), 0, &params);
        (0..16).for_each(|_| sixteen.measure(ms(200.0), 4, &params));
        let difference = one.smoothed.abs_diff(sixteen.smoothed);
        assert!(difference < ms(1.0), "{} and {}", one.smoothed, sixteen.smoothed);
    }
}
