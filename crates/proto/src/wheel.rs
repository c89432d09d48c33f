//! Timers of a host that count in ticks, as those of Linux do: each ends on a tick, and none ends early.

use dumbbell_core::{Duration, Time};

/// A level of the wheel holds timers of up to 63 of its granules; each level's granule is eight of the one below.
// Linux kernel/time/timer.c: LVL_SIZE, LVL_CLK_SHIFT, LVL_DEPTH.
const PLACES: u64 = 63;
const SHIFT: u32 = 3;
const HIGHEST: u32 = 8;
/// Timers of one tick come up in turn: this part of their wait late, and so late at most; those of the lowest level after all others.
/// (Choice: far less than any packet takes.)
const AGES: u64 = 1 << 21;
const LATEST: Duration = Duration::from_nanos(120);
/// By then all timers of a tick have come up. What one of them arms finds the wheel at the next tick.
// Linux kernel/time/timer.c: __run_timers turns the wheel on before it calls.
const IN_TURN: u64 = 250;

/// When a timer ends that is armed at `now` for the time `wait`; at once after it where `tick` is zero.
#[inline(always)]
pub fn due(now: Time, wait: Duration, tick: Duration) -> Time {
    if tick.is_zero() { now + wait } else { on_tick(now, wait, tick) }
}

/// The wait is rounded up to ticks, and counts from the latest tick. The end is put off to the next granule of the timer's level.
// Linux kernel/time/timer.c: calc_index.
#[cold]
#[inline(never)]
fn on_tick(now: Time, wait: Duration, tick: Duration) -> Time {
    let wait = wait.as_nanos().div_ceil(tick.as_nanos());
    let end = now.as_nanos() / tick.as_nanos() + wait;
    let ahead = wait - u64::from(now.as_nanos() % tick.as_nanos() < IN_TURN).min(wait);
    let mut shift = 0;
    while shift < SHIFT * HIGHEST && ahead >= PLACES << shift {
        shift += SHIFT;
    }
    Time::ZERO + tick * (((end >> shift) + 1) << shift)
}

/// The same a little later, in the order in which timers of one tick come up: first those of higher levels, and of one level the latest
/// armed.
// Linux kernel/time/timer.c: enqueue_timer adds to the head of a list, __run_timers takes the highest list first.
#[inline(always)]
pub fn due_in_turn(now: Time, wait: Duration, tick: Duration) -> Time {
    let end = due(now, wait, tick);
    if tick.is_zero() {
        return end;
    }
    let age = end.since(now);
    if wait <= tick * (PLACES - 1) { end + LATEST + age / AGES } else { end + (age / (8 * AGES)).min(LATEST) }
}

/// A time in whole ticks, rounded up; the time itself where `tick` is zero.
pub fn rounded_up(time: Duration, tick: Duration) -> Duration {
    if tick.is_zero() { time } else { tick * time.as_nanos().div_ceil(tick.as_nanos()) }
}

/// The tick that a moment belongs to; the moment itself where `tick` is zero.
#[inline(always)]
pub fn latest(now: Time, tick: Duration) -> Time {
    if tick.is_zero() { now } else { Time::ZERO + tick * (now.as_nanos() / tick.as_nanos()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK: Duration = Duration::from_millis(4);

    fn ends(now_us: u64, wait_us: u64) -> u64 {
        let now = Time::ZERO + Duration::from_micros(now_us);
        due(now, Duration::from_micros(wait_us), TICK).as_nanos() / 1000
    }

    /// By hand from Linux kernel/time/timer.c with HZ = 250: 1 tick ends between one and two ticks later, 63 ticks end on multiples
    /// of 8.
    #[test]
    fn a_timer_ends_on_a_tick_and_never_early() {
        assert_eq!(ends(1, 1), 8000);
        assert_eq!(ends(3999, 4000), 8000);
        assert_eq!(ends(4001, 4001), 16_000);
        // 62 ticks are the most of the lowest level; then a granule is 32 ms.
        assert_eq!(ends(1, 248_000), 252_000);
        assert_eq!(ends(8001, 252_000), 288_000);
        assert_eq!(ends(1, 256_000), 288_000);
        assert_eq!(ends(1, 63 * 8 * 4000), 2_048_000);
    }

    /// Linux 6.12 in virtual time (`--draw 165 --seed 990179021`, cell 159): the timer of a probe arms one for 252 ms at 2.552 s.
    #[test]
    fn a_timer_that_a_timer_arms_is_one_tick_nearer() {
        assert_eq!(ends(2_552_000, 252_000), 2_808_000);
        assert_eq!(ends(2_552_001, 252_000), 2_816_000);
    }

    /// Four timers that end at one tick, from the latest armed to the earliest: of the lowest level, and of the next. All are due within a
    /// quarter of a microsecond.
    #[test]
    fn timers_of_one_tick_come_up_in_turn() {
        let due = |now_ms: u64, wait_ms: u64| {
            due_in_turn(Time::ZERO + Duration::from_millis(now_ms), Duration::from_millis(wait_ms), TICK)
        };
        let timers = [due(1024, 252), due(768, 508), due(1256, 20), due(1224, 52)];
        let tick = Time::ZERO + Duration::from_millis(1280);
        assert!(timers.is_sorted() && timers.iter().all(|at| at.since(tick).as_nanos() < 250), "{timers:?}");
        assert!(timers.windows(2).all(|pair| pair[0] < pair[1]), "{timers:?}");
        assert_eq!(due_in_turn(tick, TICK, Duration::ZERO), tick + TICK);
    }

    #[test]
    fn without_ticks_times_are_exact() {
        let now = Time::ZERO + Duration::from_micros(17);
        assert_eq!(due(now, Duration::from_micros(5), Duration::ZERO), now + Duration::from_micros(5));
        assert_eq!(latest(now, Duration::ZERO), now);
        assert_eq!(rounded_up(Duration::from_micros(5), Duration::ZERO), Duration::from_micros(5));
        assert_eq!(rounded_up(Duration::from_micros(4001), TICK), TICK * 2);
        assert_eq!(latest(now, TICK), Time::ZERO);
    }
}
