//! Equal distances at an exact rate, and bursts of them.

use dumbbell_core::rng::Stream;
use dumbbell_core::{BitRate, Duration, words};
use rand_distr::{Distribution, Exp1};

/// Departures of equal pieces at an exact rate: the fraction of a nanosecond that one gap cannot express is
/// carried to the next, so that the rate never drifts.
#[derive(Debug)]
pub struct Pacer {
    rate: u64,
    whole: u64,
    fraction: u64,
    carried: u64,
}

impl Pacer {
    /// Pieces of `size` bytes.
    pub fn new(rate: BitRate, size: u64) -> Pacer {
        let scaled = u128::from(size) * 8_000_000_000;
        let rate = rate.as_bps();
        Pacer {
            rate,
            whole: (scaled / u128::from(rate)).min(u128::from(u64::MAX / 2)) as u64,
            fraction: (scaled % u128::from(rate)) as u64,
            carried: 0,
        }
    }

    /// Time to the next piece.
    pub fn gap(&mut self) -> Duration {
        self.carried += self.fraction;
        let extra = u64::from(self.carried >= self.rate);
        self.carried -= extra * self.rate;
        Duration::from_nanos(self.whole + extra)
    }
}

/// Bursts that one piece may take: each is drawn.
pub const MOST_BURSTS: u64 = 10_000;

words! {
    /// How the lengths of bursts and silences are distributed.
    pub enum Periods { Exponential = "exponential", Fixed = "fixed" }
}

impl Periods {
    fn length(self, mean: Duration, rng: &mut Stream) -> Duration {
        match self {
            Periods::Fixed => mean,
            Periods::Exponential => {
                let unit: f64 = Exp1.sample(rng);
                mean.mul_f64(unit)
            }
        }
    }
}

/// Bursts and silences. The time between two pieces, counted in bursts alone, is that of the rate: it runs on over silences, so
/// that the mean rate is exactly `rate * mean_on / (mean_on + mean_off)`.
#[derive(Debug)]
pub struct Bursts {
    pacer: Pacer,
    mean_on: Duration,
    mean_off: Duration,
    periods: Periods,
    /// Time left of the burst after the latest piece; `None` before the first burst.
    left: Option<Duration>,
}

impl Bursts {
    /// Before the first burst.
    pub fn new(pacer: Pacer, mean_on: Duration, mean_off: Duration, periods: Periods) -> Bursts {
        Bursts { pacer, mean_on, mean_off, periods, left: None }
    }

    /// Time to the next piece; the first comes at once.
    pub fn gap(&mut self, rng: &mut Stream) -> Duration {
        let Some(mut left) = self.left else {
            self.left = Some(self.periods.length(self.mean_on, rng));
            return Duration::ZERO;
        };
        let mut burst = self.pacer.gap();
        let mut total = burst;
        while burst > left {
            burst -= left;
            total += self.periods.length(self.mean_off, rng);
            left = self.periods.length(self.mean_on, rng);
        }
        self.left = Some(left - burst);
        total
    }
}
