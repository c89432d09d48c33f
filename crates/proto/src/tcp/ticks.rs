//! The retransmission timer of 4.4BSD: a clock that ticks every 500 ms, and whole numbers of its ticks.
//!
//! Wright & Stevens, TCP/IP Illustrated 2, 1995, sections 25.3 (the clock), 25.7 and 25.10 (the estimator in whole numbers), 25.9
//! (the timeouts in a row).

use dumbbell_core::rng::Stream;
use dumbbell_core::{Duration, Time};
use rand::RngExt;

use super::params::{MOST_TICKS, Params};

/// The smoothed round-trip time is kept in eighths of a tick, the deviation in quarters: four deviations are its number in ticks.
const EIGHTHS: u32 = 3;
const QUARTERS: u32 = 2;
/// Further bits behind the point, where the estimator is not that of whole numbers.
const FINE: u32 = 20;
/// The factor of a timeout grows up to this power of two.
const MOST_DOUBLINGS: u32 = 6;
/// From the next timeout in a row on, the smoothed round-trip time is estimated anew.
const TRUSTED: u32 = 3;

/// The clock of a sender's host, and what is estimated in its ticks.
#[derive(Clone, Debug)]
pub(super) struct Ticks {
    tick: Duration,
    /// How long before the time 0 the clock ticked last.
    offset: Duration,
    /// The smallest and the largest timeout.
    bounds: (i64, i64),
    /// Bits behind the point that `smoothed` and `variation` have beside their own.
    fine: u32,
    /// In eighths of a tick; zero before the first measurement.
    smoothed: i64,
    /// In quarters of a tick.
    variation: i64,
    /// Timeouts in a row without a measurement.
    backed_off: u32,
}

impl Ticks {
    /// Before any measurement; `None` if the timer is exact. The clock of each host began at a time of its own.
    pub fn new(params: &Params, rng: &Stream) -> Option<Box<Ticks>> {
        let tick = params.rto_tick;
        if tick.is_zero() {
            return None;
        }
        let mut rng = rng.clone();
        // Processing times come from the beginning of the stream, delays of the timer from behind the first jump.
        rng.jump();
        rng.jump();
        let whole = |time: Duration| time.as_nanos().div_ceil(tick.as_nanos()).cast_signed();
        let fine = if params.rtt_integers { 0 } else { FINE };
        Some(Box::new(Ticks {
            tick,
            offset: tick.mul_f64(rng.random()),
            // A timer of one tick could expire at once.
            bounds: (whole(params.rto_min).max(2), whole(params.rto_max).max(2)),
            fine,
            smoothed: 0,
            // The first timeout is a quarter of what follows it: 6 s, then 24 s.
            variation: (2 * whole(params.rto_initial)) << fine,
            backed_off: 0,
        }))
    }

    fn count(&self, at: Time) -> u64 {
        (at.since(Time::ZERO) + self.offset).as_nanos() / self.tick.as_nanos()
    }

    /// Takes in the round-trip time between two times: the ticks that fall into it.
    pub fn measure(&mut self, sent: Time, now: Time) {
        let ticks = (self.count(now) - self.count(sent)).min(MOST_TICKS).cast_signed();
        if self.smoothed == 0 {
            // A tick more: what lies between two ticks counts as one.
            self.smoothed = (ticks + 1) << (self.fine + EIGHTHS);
            self.variation = (ticks + 1) << (self.fine + QUARTERS - 1);
        } else {
            let error = (ticks << self.fine) - (self.smoothed >> EIGHTHS);
            self.smoothed = (self.smoothed + error).max(1);
            self.variation = (self.variation + error.abs() - (self.variation >> QUARTERS)).max(1);
        }
        self.backed_off = 0;
    }

    /// The timer has expired. Returns the next timeout, as [`Ticks::timeout`].
    pub fn back_off(&mut self) -> Duration {
        self.backed_off += 1;
        let timeout = self.timeout();
        if self.backed_off > TRUSTED {
            self.variation += self.smoothed >> EIGHTHS;
            self.smoothed = 0;
        }
        timeout
    }

    /// The least time in which the timer expires. That of k ticks expires at the k-th tick from now: after more than k - 1 ticks.
    pub fn timeout(&self) -> Duration {
        let ticks = ((self.smoothed >> EIGHTHS) + self.variation + (1 << self.fine) - 1) >> self.fine;
        self.least((ticks << self.backed_off.min(MOST_DOUBLINGS)).clamp(self.bounds.0, self.bounds.1))
    }

    /// The same before anything has happened.
    pub fn first(&self) -> Duration {
        self.least((self.variation >> self.fine) / 2)
    }

    fn least(&self, ticks: i64) -> Duration {
        self.tick * (ticks as u64 - 1) + Duration::from_nanos(1)
    }

    pub fn smoothed(&self) -> Duration {
        self.tick.mul_f64(self.smoothed as f64 / f64::from(1 << (self.fine + EIGHTHS)))
    }

    pub fn variation(&self) -> Duration {
        // The number is four deviations in ticks.
        self.tick.mul_f64(self.variation as f64 / f64::from(1 << (self.fine + QUARTERS)))
    }

    /// The next tick from `at` on.
    pub fn next(&self, at: Time) -> Time {
        let past = (at.since(Time::ZERO) + self.offset).as_nanos() % self.tick.as_nanos();
        if past == 0 { at } else { at + (self.tick - Duration::from_nanos(past)) }
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::rng;

    use super::super::tests::{MSS, lose, params};
    use super::*;
    use crate::testing::{Pipe, ms, opening, stream};
    use crate::transport::{Opening, SendEnd, Transport};

    fn ticks(more: &str) -> Ticks {
        let text = format!(r#"{{"profile": "bsd" {more}}}"#);
        let mut ticks = *Ticks::new(&params(&text), &stream()).unwrap();
        ticks.offset = Duration::ZERO;
        ticks
    }

    /// A timeout in ticks of 500 ms.
    fn whole(least: Duration) -> u64 {
        least.as_nanos() / 500_000_000 + 1
    }

    #[test]
    fn a_round_trip_is_as_many_ticks_as_fall_into_it() {
        let mut t = ticks("");
        assert_eq!(t.first().as_nanos(), 5_500_000_001);
        // 100 ms without a tick in it: one tick at first, and three times that is the timeout.
        t.measure(ms(100.0), ms(200.0));
        assert_eq!((t.smoothed, t.variation, whole(t.timeout())), (8, 2, 3));
        t.measure(ms(450.0), ms(550.0));
        assert_eq!((t.smoothed, t.variation), (8, 2));
        t.measure(ms(600.0), ms(700.0));
        assert_eq!((t.smoothed, t.variation), (7, 3));
        t.measure(ms(0.0), ms(5_000.0));
        assert_eq!((t.smoothed, t.variation, whole(t.timeout())), (17, 13, 15));
    }

    #[test]
    fn the_timeout_settles_at_the_least() {
        let mut t = ticks(r#", "rtt_integers": false"#);
        (0..100).for_each(|n| t.measure(ms(10.0 * f64::from(n)), ms(10.0 * f64::from(n) + 1.0)));
        assert_eq!(whole(t.timeout()), 2);
        let after: Vec<u64> = (0..9).map(|_| whole(t.back_off())).collect();
        // One tick times 2, 4, ..., 64, and 64 for ever; two ticks are the least.
        assert_eq!(after, [2, 4, 8, 16, 32, 64, 64, 64, 64]);
    }

    #[test]
    fn whole_numbers_stop_at_three_ticks() {
        let mut t = ticks("");
        (0..100).for_each(|n| t.measure(ms(10.0 * f64::from(n)), ms(10.0 * f64::from(n) + 1.0)));
        // A quarter of three quarters is nothing.
        assert_eq!((t.smoothed, t.variation, whole(t.timeout())), (7, 3, 3));
        let after: Vec<f64> = (0..8).map(|_| whole(t.back_off()) as f64 / 2.0).collect();
        // Stevens, TCP/IP Illustrated 1, 1994, figure 21.1: 1.5 s, and then these.
        assert_eq!(after, [3.0, 6.0, 12.0, 24.0, 48.0, 64.0, 64.0, 64.0]);
    }

    #[test]
    fn no_timeout_exceeds_the_largest_and_the_fourth_forgets() {
        let mut t = ticks("");
        (0..200).for_each(|n| t.measure(ms(10_000.0 * f64::from(n)), ms(10_000.0 * f64::from(n + 1))));
        assert_eq!((t.smoothed >> EIGHTHS, t.variation, whole(t.timeout())), (20, 3, 23));
        let after: Vec<u64> = (0..4).map(|_| whole(t.back_off())).collect();
        assert_eq!(after, [46, 92, 128, 128]);
        assert_eq!((t.smoothed, t.variation), (0, 23));
        t.measure(ms(100.0), ms(200.0));
        assert_eq!((t.smoothed, t.variation), (8, 2), "as the first");
    }

    /// How long after a segment left, whose acknowledgement stays away, it is sent again: once, and the time from then to the next.
    fn resent(more: &str, seed: u64) -> [f64; 2] {
        let text = format!(r#"{{"profile": "bsd", "fin": false, "timestamps": false {more}}}"#);
        let (mut sender, receiver) =
            params(&text).open(Opening { rng: rng::stream(seed, "flow"), ..opening(Some(200 * MSS)) });
        dumbbell_core::Stage::wake(&mut sender, ms(0.0));
        let mut pipe =
            Pipe::new((sender, receiver), lose(&[199, 199, 199])).shaped(None, Duration::from_micros(50));
        pipe.finish();
        assert_eq!(pipe.sender.report().timeouts, 3);
        let sent: Vec<_> = pipe.forward.iter().filter(|(_, p)| p.body[0] == 199 * MSS).collect();
        let gap = |n: usize| sent[n + 1].0.since(sent[n].0).as_secs_f64();
        [gap(0), gap(1)]
    }

    #[test]
    fn a_timer_of_k_ticks_expires_after_one_less_to_k() {
        for (more, ticks) in [(r#", "rtt_integers": false"#, 2.0), ("", 3.0)] {
            let most = 0.5 * ticks;
            let gaps: Vec<[f64; 2]> = (0..100).map(|seed| resent(more, seed)).collect();
            let first = || gaps.iter().map(|gap| gap[0]);
            assert!(first().all(|gap| (most - 0.5..=most).contains(&gap)), "{gaps:?}");
            assert!(first().fold(9.0, f64::min) < most - 0.45, "{gaps:?}");
            assert!(first().fold(0.0, f64::max) > most - 0.05, "{gaps:?}");
            // Hosts tick at times of their own; set at a tick, the timer has all of its ticks before it.
            let second = if ticks == 2.0 { 1.0 } else { 3.0 };
            assert!(gaps.iter().all(|gap| (gap[1] - second).abs() < 1e-6), "{gaps:?}");
        }
        let exact = resent(r#", "rto_tick": "0s", "rto_min": "200ms""#, 1);
        assert!(exact[0] < 0.25, "{exact:?}");
    }
}
