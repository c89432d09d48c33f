//! Processor sharing: the exact system for a list of arrivals, and the lines that published figures compare with.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::arrivals::{TheoryError, refuse};

/// Work that arrives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Job {
    /// When, in seconds.
    pub start: f64,
    /// How much, in any unit.
    pub work: f64,
}

/// The time in the system of each job, in seconds, where all present share a capacity equally.
///
/// Virtual time V runs at the rate that each of the n jobs present gets, min(capacity / n, cap); a job that arrives at V
/// leaves at V plus its work (Parekh & Gallager, IEEE/ACM ToN 1(3), 1993). O(log n) for each job.
///
/// # Arguments
/// `jobs` in order of start; `capacity` in units of work per second; `cap` likewise, the most that one job gets.
///
/// # Errors
/// If a number is not finite, work is negative, jobs go back in time, or the capacity or cap is not above zero.
pub fn processor_sharing(jobs: &[Job], capacity: f64, cap: Option<f64>) -> Result<Vec<f64>, TheoryError> {
    check_rate("capacity", capacity)?;
    let cap = cap.map_or(Ok(f64::INFINITY), |cap| check_rate("cap", cap))?;
    check_jobs(jobs)?;
    let mut times = vec![0.0; jobs.len()];
    let mut present: BinaryHeap<Reverse<Departure>> = BinaryHeap::new();
    let (mut now, mut virtual_now) = (0.0, 0.0);
    let ends = jobs.iter().map(|job| job.start).chain([f64::INFINITY]);
    for (index, until) in ends.enumerate() {
        while let Some(Reverse(next)) = present.peek() {
            let rate = (capacity / present.len() as f64).min(cap);
            let at = now + (next.virtual_time - virtual_now) / rate;
            if at > until {
                virtual_now += (until - now) * rate;
                break;
            }
            (now, virtual_now) = (at, next.virtual_time);
            times[next.job] = now - jobs[next.job].start;
            present.pop();
        }
        if present.is_empty() {
            // Virtual time has no meaning across an idle period; from zero it is most exact.
            virtual_now = 0.0;
        }
        if let Some(job) = jobs.get(index) {
            now = job.start;
            present.push(Reverse(Departure { virtual_time: virtual_now + job.work, job: index }));
        }
    }
    Ok(times)
}

/// When a job leaves, in virtual time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Departure {
    pub virtual_time: f64,
    pub job: usize,
}

impl Eq for Departure {}

impl Ord for Departure {
    fn cmp(&self, other: &Self) -> Ordering {
        self.virtual_time.total_cmp(&other.virtual_time).then(self.job.cmp(&other.job))
    }
}

impl PartialOrd for Departure {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

pub(crate) fn check_rate(name: &str, value: f64) -> Result<f64, TheoryError> {
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    refuse(format!("a {name} of {value} serves nothing; give a finite number above zero"))
}

fn check_jobs(jobs: &[Job]) -> Result<(), TheoryError> {
    for (index, job) in jobs.iter().enumerate() {
        if !(job.start.is_finite() && job.work.is_finite() && job.work >= 0.0) {
            return refuse(format!(
                "job {index}: start {}, work {}; give finite numbers, work not negative",
                job.start, job.work
            ));
        }
    }
    check_order("job", jobs.iter().map(|job| job.start))
}

/// Refuses what begins before zero or before the one before it.
pub(crate) fn check_order(what: &str, starts: impl Iterator<Item = f64>) -> Result<(), TheoryError> {
    let mut last = 0.0;
    for (index, start) in starts.enumerate() {
        if start < last {
            return refuse(format!(
                "{what} {index} starts before the one before it or before zero; sort {what}s by start"
            ));
        }
        last = start;
    }
    Ok(())
}

/// The mean completion time of a flow under processor sharing: `1.5 rtt + size / (capacity (1 - load))`, in seconds.
///
/// A handshake and the way of the last packet, then the mean time in an M/G/1 processor-sharing queue, whatever the law
/// of sizes (Kleinrock, Queueing Systems, volume 2, section 4.4; Dukkipati et al., IWQoS 2005, p. 276).
pub fn sharing_line(size: f64, capacity: f64, load: f64, rtt: f64) -> f64 {
    1.5 * rtt + size / (capacity * (1.0 - load))
}

/// The completion time of a flow alone in slow start: `(log2(size + 1) + 0.5) rtt + size / capacity`, in seconds, for a
/// size in packets (Dukkipati & McKeown, Why Flow-Completion Time is the Right Metric, 2005, p. 2).
pub fn slow_start_line(size: f64, capacity: f64, rtt: f64) -> f64 {
    ((size + 1.0).log2() + 0.5) * rtt + size / capacity
}

#[cfg(test)]
mod tests {
    use dumbbell_core::rng::stream;
    use proptest::prelude::*;
    use rand::RngExt;
    use rand_distr::{Distribution, Exp1};

    use super::*;

    fn jobs(pairs: &[(f64, f64)]) -> Vec<Job> {
        pairs.iter().map(|&(start, work)| Job { start, work }).collect()
    }

    #[test]
    fn made_by_hand() {
        // Alone for 1 s; then each has 1 left at rate 1/2.
        assert_eq!(processor_sharing(&jobs(&[(0.0, 2.0), (1.0, 1.0)]), 1.0, None), Ok(vec![3.0, 2.0]));
        // At capacity 2, 3 jobs: 2/3 each until the small one leaves at 3; at 4.5 the next, at 6 the last.
        let three = jobs(&[(0.0, 2.0), (0.0, 3.5), (0.0, 6.5)]);
        assert_eq!(processor_sharing(&three, 2.0, None), Ok(vec![3.0, 4.5, 6.0]));
        // No job gets more than 1: at capacity 2 only the three are slowed down.
        assert_eq!(processor_sharing(&three, 2.0, Some(1.0)), Ok(vec![3.0, 4.5, 7.5]));
        // An idle period between, and work of nothing.
        let apart = jobs(&[(1.0, 4.0), (10.0, 4.0), (11.0, 0.0)]);
        assert_eq!(processor_sharing(&apart, 2.0, None), Ok(vec![2.0, 2.0, 0.0]));
        assert_eq!(processor_sharing(&[], 1.0, None), Ok(vec![]));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for (list, capacity, cap) in [
            (&[(1.0, 1.0), (0.5, 1.0)][..], 1.0, None),
            (&[(-1.0, 1.0)], 1.0, None),
            (&[(0.0, f64::NAN)], 1.0, None),
            (&[], 0.0, None),
            (&[], 1.0, Some(0.0)),
        ] {
            assert!(processor_sharing(&jobs(list), capacity, cap).is_err());
        }
    }

    /// From event to event, with the work that each job has left.
    fn step_by_step(jobs: &[Job], capacity: f64, cap: f64) -> Vec<f64> {
        let mut left: Vec<f64> = jobs.iter().map(|job| job.work).collect();
        let mut times = vec![f64::NAN; jobs.len()];
        let mut now = 0.0;
        while times.iter().any(|time| time.is_nan()) {
            let present: Vec<usize> =
                (0..jobs.len()).filter(|&i| times[i].is_nan() && jobs[i].start <= now).collect();
            let rate = (capacity / present.len() as f64).min(cap);
            let next =
                jobs.iter().map(|job| job.start).filter(|&start| start > now).fold(f64::INFINITY, f64::min);
            let least = present.iter().map(|&i| left[i]).fold(f64::INFINITY, f64::min);
            let leaves = now + least / rate;
            let until = leaves.min(next);
            for &i in &present {
                left[i] -= (until - now) * rate;
                if until == leaves && left[i] <= 1e-9 {
                    times[i] = until - jobs[i].start;
                }
            }
            now = until;
        }
        times
    }

    proptest! {
        #[test]
        fn virtual_time_is_the_same_as_step_by_step(
            list in prop::collection::vec((0.0f64..2.0, 0.0f64..5.0), 1..40),
            capacity in 0.5f64..4.0, cap in 0.1f64..5.0,
        ) {
            let mut start = 0.0;
            let list: Vec<_> = list.iter().map(|&(gap, work)| { start += gap; Job { start, work } }).collect();
            let slow = step_by_step(&list, capacity, cap);
            for (a, b) in processor_sharing(&list, capacity, Some(cap)).unwrap().iter().zip(slow) {
                prop_assert!((a - b).abs() < 1e-6, "{a} {b}");
            }
        }
    }

    /// Mean time in an M/G/1 processor-sharing queue at the load that came about, over all jobs and over the small and
    /// the large ones: in proportion to size, whatever the law.
    #[test]
    fn poisson_arrivals_meet_the_closed_form() {
        const JOBS: usize = 1_000_000;
        let mut rng = stream(1, "sharing");
        let mut start = 0.0;
        let list: Vec<Job> = (0..JOBS)
            .map(|_| {
                let (gap, size): (f64, f64) = (Exp1.sample(&mut rng), Exp1.sample(&mut rng));
                start += gap;
                // Nine in ten of mean 0.2, one of mean 4.2: mean 0.6, squared coefficient of variation 9.2.
                Job { start, work: size * if rng.random_bool(0.9) { 0.2 } else { 4.2 } }
            })
            .collect();
        let load = list.iter().map(|job| job.work).sum::<f64>() / start;
        let times = processor_sharing(&list, 1.0, None).unwrap();
        for (low, high) in [(0.0, f64::INFINITY), (0.0, 0.5), (2.0, f64::INFINITY)] {
            let (mut work, mut time) = (0.0, 0.0);
            for (job, spent) in list.iter().zip(&times).filter(|(job, _)| (low..high).contains(&job.work)) {
                work += job.work;
                time += spent;
            }
            let expected = work / (1.0 - load);
            assert!((time / expected - 1.0).abs() < 0.02, "{low} to {high}: {time} {expected}");
        }
    }

    /// The lines of the published figure, by hand: 300 kpackets/s, load 0.9, 100 ms.
    #[test]
    fn the_lines_of_the_published_figure() {
        for (size, sharing, slow_start) in [
            (5.0, 0.1502, 0.3085),
            (25.0, 0.1508, 0.5201),
            (100.0, 0.1533, 0.7162),
            (1e3, 0.1833, 1.0501),
            (1e4, 0.4833, 1.4121),
            (1e5, 3.4833, 2.0443),
        ] {
            assert!((sharing_line(size, 300e3, 0.9, 0.1) - sharing).abs() < 6e-5);
            assert!((slow_start_line(size, 300e3, 0.1) - slow_start).abs() < 6e-5);
        }
    }
}
