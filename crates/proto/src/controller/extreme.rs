//! The smallest or largest value of a time that has just passed, in three samples.

use dumbbell_core::{Duration, Time};

/// Nichols' filter: the best sample, and the best of those that came after it, for when it is too old. Never allocates; the answer may
/// be that of a window a quarter longer than asked for.
#[derive(Clone, Copy, Debug)]
pub struct Extreme<const LARGEST: bool> {
    samples: [(Time, Duration); 3],
    is_empty: bool,
}

/// The smallest value of a time that has just passed.
pub type Least = Extreme<false>;
/// The largest.
pub type Most = Extreme<true>;

impl<const LARGEST: bool> Default for Extreme<LARGEST> {
    fn default() -> Self {
        Extreme { samples: [(Time::ZERO, Duration::ZERO); 3], is_empty: true }
    }
}

impl<const LARGEST: bool> Extreme<LARGEST> {
    fn is_as_good(a: Duration, b: Duration) -> bool {
        if LARGEST { a >= b } else { a <= b }
    }

    /// Takes in a value; returns the best of those of the last `window`.
    pub fn take(&mut self, now: Time, value: Duration, window: Duration) -> Duration {
        let new = (now, value);
        if self.is_empty
            || Self::is_as_good(value, self.samples[0].1)
            || now.since(self.samples[2].0) > window
        {
            self.is_empty = false;
            self.samples = [new; 3];
            return value;
        }
        if Self::is_as_good(value, self.samples[1].1) {
            (self.samples[1], self.samples[2]) = (new, new);
        } else if Self::is_as_good(value, self.samples[2].1) {
            self.samples[2] = new;
        }
        self.age(new, window);
        self.samples[0].1
    }

    /// Lets the best sample go when it is too old, and sees to it that those which follow are younger.
    fn age(&mut self, new: (Time, Duration), window: Duration) {
        for _ in 0..2 {
            if new.0.since(self.samples[0].0) <= window {
                break;
            }
            self.samples = [self.samples[1], self.samples[2], new];
        }
        let age = new.0.since(self.samples[0].0);
        if self.samples[1].0 == self.samples[0].0 && age > window / 4 {
            (self.samples[1], self.samples[2]) = (new, new);
        } else if self.samples[2].0 == self.samples[1].0 && age > window / 2 {
            self.samples[2] = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_expires_and_the_next_best_follows() {
        let ms = Duration::from_millis;
        let (mut least, mut most) = (Least::default(), Most::default());
        let (mut lowest, mut highest) = (Vec::new(), Vec::new());
        for i in 0..400_u64 {
            // One value of 5 and one of 500 among values from 50 to 59.
            let value = match i {
                100 => 5,
                101 => 500,
                _ => 50 + i * 7 % 10,
            };
            let now = Time::ZERO + ms(i);
            lowest.push(least.take(now, ms(value), ms(100)));
            highest.push(most.take(now, ms(value), ms(100)));
        }
        // Samples age at a quarter, a half and the whole of the window, and not at that very time.
        let times = |count| {
            let mut filter = Least::default();
            let mut told = |at, value| filter.take(Time::ZERO + ms(at), ms(value), ms(100));
            told(0, 1);
            for i in 0..count {
                told(25 + 25 * i, 10 + i);
            }
            filter.samples.map(|(at, _)| at.as_nanos() / 1_000_000)
        };
        assert_eq!(
            [0, 1, 2, 3, 4, 5].map(times),
            [[0, 0, 0], [0, 0, 0], [0, 50, 50], [0, 50, 75], [0, 50, 75], [50, 75, 125],]
        );
        let mut filter = Least::default();
        let third = [(0, 1), (26, 10), (50, 11), (51, 12)].map(|(at, value)| {
            filter.take(Time::ZERO + ms(at), ms(value), ms(100));
            filter.samples[2].0.as_nanos() / 1_000_000
        });
        assert_eq!(third, [0, 26, 26, 51]);
        let spans = |answers: &[Duration], value| answers.iter().filter(|v| **v == ms(value)).count();
        assert!((100..=126).contains(&spans(&lowest, 5)), "{}", spans(&lowest, 5));
        assert!((100..=126).contains(&spans(&highest, 500)), "{}", spans(&highest, 500));
        assert!(lowest[240..].iter().all(|v| *v < ms(53)) && highest[240..].iter().all(|v| *v > ms(56)));
    }
}
