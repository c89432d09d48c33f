//! Fixed times at which a law moves, made up for when the next packet comes or goes.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{Duration, Time};

/// The least interval: a law that moves more often costs more than the packets.
const SHORTEST: Duration = Duration::from_micros(1);

/// Fixed times, an interval apart. A discipline has no timer and needs none: between two packets its queue does not change, so that a law
/// can move for all times that have passed when the next packet comes or goes.
#[derive(Clone, Debug)]
pub struct Ticks {
    interval: Duration,
    next: Time,
}

impl Ticks {
    /// The first time is one interval after the start.
    pub fn new(interval: Duration) -> Ticks {
        Ticks { interval, next: Time::ZERO + interval }
    }

    /// The first of the times up to `now` that nobody has asked for yet.
    #[inline]
    pub fn due(&mut self, now: Time) -> Option<Time> {
        if now < self.next {
            return None;
        }
        let due = self.next;
        self.next = due + self.interval;
        Some(due)
    }

    /// Leaves out all times up to `now`: nothing would move.
    pub fn skip(&mut self, now: Time) {
        if now >= self.next {
            let passed = now.since(self.next).as_nanos() / self.interval.as_nanos();
            self.next = self.next + self.interval * passed + self.interval;
        }
    }
}

/// Checks the interval under the key `interval` of the table at `at`.
///
/// # Errors
/// It is too short.
pub fn check_interval(interval: Duration, at: &At<'_>) -> Result<(), ConfigError> {
    if interval < SHORTEST {
        let message = format!("{interval} is below the shortest interval of {SHORTEST}");
        return Err(at.key("interval").error(message, "give a time such as \"15ms\""));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_time_comes_once_whether_it_is_made_up_for_or_left_out() {
        let at = |millis| Time::ZERO + Duration::from_millis(millis);
        let mut ticks = Ticks::new(Duration::from_millis(10));
        assert_eq!(ticks.due(at(9)), None);
        assert_eq!(
            [31, 31, 31, 31].map(|now| ticks.due(at(now))),
            [Some(at(10)), Some(at(20)), Some(at(30)), None]
        );
        ticks.skip(at(39));
        assert_eq!(ticks.due(at(40)), Some(at(40)));
        ticks.skip(at(75));
        assert_eq!([79, 80].map(|now| ticks.due(at(now))), [None, Some(at(80))]);
        ticks.skip(at(90));
        assert_eq!([99, 100].map(|now| ticks.due(at(now))), [None, Some(at(100))]);
    }
}
