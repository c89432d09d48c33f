//! Optimal sleeping: how long a port could sleep at most, had it known its arrivals.
//!
//! A port that sends at one rate or sleeps may hold packets as long as each has left within a delay B of its arrival.
//! It sleeps in the gaps between its busy periods, less the time that waking takes. Which release schedule sleeps most?
//!
//! A gap g costs min(g, wake) of sleep. As that is concave, an optimal schedule has each busy period as early as its
//! arrivals or as late as its deadlines allow, or next to another one: otherwise moving it one of the two ways costs no
//! more. So the times at which a packet can begin to be sent after a gap are few, and a search over the packets in order
//! (dynamic programming), which keeps for each the end times worth keeping and what each has cost, is exact.

use dumbbell_core::{BitRate, Duration};

use crate::arrivals::{Arrival, Scale, TheoryError, check_order, refuse, smallest_delay};

/// An end of transmission of the latest packet, and the sleep lost to gaps before it, in units of [`Scale`].
#[derive(Clone, Copy, Debug)]
struct State {
    end: i128,
    lost: i128,
}

/// The most time asleep, in seconds, of all schedules that send recorded packets at one rate, first in, first out, each
/// gone within `delay` of its arrival: the sum over gaps between busy periods of max(0, gap - wake).
///
/// The gap before the first packet starts at time zero; that after the last, up to `horizon`, needs no waking at its
/// end.
///
/// # Errors
/// If the arrivals are not in order of time, the rate is zero or too low to keep the delay, or the horizon ends before
/// the last deadline.
pub fn longest_sleep(
    arrivals: &[Arrival],
    rate: BitRate,
    delay: Duration,
    wake: Duration,
    horizon: Duration,
) -> Result<f64, TheoryError> {
    check_order(arrivals)?;
    let scale = Scale::new(rate)?;
    let needed = smallest_delay(arrivals, rate)?;
    if needed > delay {
        return refuse(format!(
            "at {rate} some packet needs {needed}, more than the delay of {delay}; raise it"
        ));
    }
    let last = arrivals.last().map_or(0, |arrival| arrival.time.as_nanos() + delay.as_nanos());
    if horizon.as_nanos() < last {
        return refuse(format!(
            "the horizon of {horizon} ends before the last deadline at {}; raise it, or leave out the last arrivals",
            Duration::from_nanos(last)
        ));
    }
    let jobs: Vec<Job> = arrivals.iter().map(|arrival| Job::new(arrival, scale, delay)).collect();
    let wake = scale.nanos(wake.as_nanos());
    let mut states = vec![State { end: 0, lost: 0 }];
    let mut starts = Vec::new();
    for (index, job) in jobs.iter().enumerate() {
        fresh_starts(&jobs[index..], &mut starts);
        states = step(&states, job, &starts, wake);
    }
    let lost = states.iter().map(|state| state.lost).min().expect("the delay can be kept");
    let busy: i128 = jobs.iter().map(|job| job.length).sum();
    Ok(scale.seconds(scale.nanos(horizon.as_nanos()) - busy - lost))
}

/// A packet to send.
struct Job {
    release: i128,
    deadline: i128,
    length: i128,
}

impl Job {
    fn new(arrival: &Arrival, scale: Scale, delay: Duration) -> Job {
        let release = scale.nanos(arrival.time.as_nanos());
        Job {
            release,
            deadline: release + scale.nanos(delay.as_nanos()),
            length: scale.transmission(arrival.bytes),
        }
    }
}

/// When a busy period that begins with the first of these jobs can begin, at an extreme: so that some job in it begins
/// at its release, or ends at its deadline, and none before it breaks its own.
fn fresh_starts(jobs: &[Job], starts: &mut Vec<i128>) {
    starts.clear();
    let (mut earliest, mut latest, mut before) = (i128::MIN, i128::MAX, 0);
    for job in jobs {
        let from = job.release - before;
        before += job.length;
        let to = job.deadline - before;
        if from.max(earliest) > to.min(latest) {
            break;
        }
        if from > earliest {
            earliest = from;
            starts.push(from);
        }
        if to < latest {
            latest = to;
            starts.push(to);
        }
    }
    starts.sort_unstable();
    starts.dedup();
}

/// From where the packet before may have ended to where this one may end.
fn step(states: &[State], job: &Job, starts: &[i128], wake: i128) -> Vec<State> {
    let mut found = Vec::with_capacity(states.len() + starts.len());
    let mut add = |start: i128, lost: i128| {
        if start >= job.release && start + job.length <= job.deadline {
            found.push(State { end: start + job.length, lost });
        }
    };
    for state in states {
        add(state.end, state.lost);
    }
    // Over the states that end by the start: the least cost, and the least cost less the end.
    let mut reach = states.iter().peekable();
    let (mut asleep, mut awake) = (None, None);
    for &start in starts {
        while let Some(state) = reach.next_if(|state| state.end <= start) {
            let (slept, stayed) = (state.lost + wake, state.lost - state.end);
            asleep = Some(asleep.map_or(slept, |best: i128| best.min(slept)));
            awake = Some(awake.map_or(stayed, |best: i128| best.min(stayed)));
        }
        if let (Some(slept), Some(stayed)) = (asleep, awake) {
            add(start, slept.min(stayed + start));
        }
    }
    found.sort_unstable_by_key(|state| (state.end, state.lost));
    keep_best(&mut found, wake);
    found
}

/// Drops each state that an earlier end can stand in for, at the cost of the longer gap.
fn keep_best(states: &mut Vec<State>, wake: i128) {
    let (mut asleep, mut awake) = (i128::MAX, i128::MAX);
    states.retain(|state| {
        let kept = state.lost < asleep && state.lost - state.end < awake;
        if kept {
            asleep = asleep.min(state.lost + wake);
            awake = awake.min(state.lost - state.end);
        }
        kept
    });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::arrivals::tests::{byte_per_ns, list};

    fn sleep(pairs: &[(u64, u64)], delay: u64, wake: u64, horizon: u64) -> Result<f64, TheoryError> {
        let nanos = Duration::from_nanos;
        longest_sleep(&list(pairs), byte_per_ns(), nanos(delay), nanos(wake), nanos(horizon))
            .map(|seconds| (seconds * 1e9 * 1e3).round() / 1e3)
    }

    #[test]
    fn packets_that_can_wait_for_each_other_share_one_waking() {
        // Both in one busy period, from 20 to 24: one waking of 5.
        assert_eq!(sleep(&[(10, 2), (20, 2)], 20, 5, 100), Ok(91.0));
        // The first can wait until 18 only: a gap of 2, too short to sleep.
        assert_eq!(sleep(&[(10, 2), (20, 2)], 8, 5, 100), Ok(89.0));
        // Until 14: two wakings.
        assert_eq!(sleep(&[(10, 2), (20, 2)], 4, 5, 100), Ok(86.0));
    }

    #[test]
    fn a_gap_shorter_than_waking_is_no_sleep() {
        // One waking at the start; then the gap of 8 (12 to 20) or less, as packet one can be held until 15.
        assert_eq!(sleep(&[(10, 2), (20, 2)], 5, 10, 100), Ok(100.0 - 4.0 - 10.0 - 5.0));
    }

    #[test]
    fn no_packets_no_waking() {
        assert_eq!(sleep(&[], 5, 10, 100), Ok(100.0));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let slow = sleep(&[(0, 10), (0, 10)], 15, 1, 100).unwrap_err().to_string();
        assert_eq!(slow, "at 8Gbit/s some packet needs 20ns, more than the delay of 15ns; raise it");
        let short = sleep(&[(90, 1)], 15, 1, 100).unwrap_err().to_string();
        assert!(short.starts_with("the horizon of 100ns ends before the last deadline at 105ns"), "{short}");
    }

    /// Tries every start of every packet on the nanosecond.
    fn by_trying_all(pairs: &[(u64, u64)], delay: u64, wake: u64, horizon: u64) -> Option<u64> {
        fn lost(pairs: &[(u64, u64)], end: u64, delay: u64, wake: u64) -> Option<u64> {
            let Some((&(arrived, length), rest)) = pairs.split_first() else { return Some(0) };
            let latest = (arrived + delay).checked_sub(length)?;
            (arrived.max(end)..=latest)
                .filter_map(|start| Some((start - end).min(wake) + lost(rest, start + length, delay, wake)?))
                .min()
        }
        let lost = lost(pairs, 0, delay, wake)?;
        Some(horizon - pairs.iter().map(|pair| pair.1).sum::<u64>() - lost)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// The search finds what trying everything finds.
        #[test]
        fn nothing_sleeps_longer(
            gaps in prop::collection::vec((0u64..9, 1u64..5), 1..7), delay in 1u64..11, wake in 0u64..12,
        ) {
            let mut time = 0;
            let pairs: Vec<_> = gaps.iter().map(|&(gap, length)| { time += gap; (time, length) }).collect();
            let horizon = time + delay + 7;
            let all = by_trying_all(&pairs, delay, wake, horizon).map(|slept| slept as f64);
            prop_assert_eq!(sleep(&pairs, delay, wake, horizon).ok(), all);
        }

        /// More delay, or faster waking, never means less sleep.
        #[test]
        fn patience_pays(
            gaps in prop::collection::vec((0u64..40, 1u64..6), 1..60), delay in 30u64..90, wake in 1u64..30,
        ) {
            let mut time = 0;
            let pairs: Vec<_> = gaps.iter().map(|&(gap, length)| { time += gap; (time, length) }).collect();
            let horizon = time + 1000;
            if let Ok(slept) = sleep(&pairs, delay, wake, horizon) {
                prop_assert!(slept <= sleep(&pairs, delay + 1, wake, horizon).unwrap());
                prop_assert!(slept <= sleep(&pairs, delay, wake - 1, horizon).unwrap());
            }
        }
    }
}
