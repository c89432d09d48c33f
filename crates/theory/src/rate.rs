//! Optimal rate adaptation: the schedule that sends recorded arrivals within a delay at the least energy.
//!
//! With A(t) the bytes that have arrived by t, S(t) the bytes sent, and a delay d, a schedule is feasible if
//! A(t - d) <= S(t) <= A(t). Of all feasible schedules the taut string, the shortest curve between the two bounds,
//! has the least energy for every convex function from rate to power at once, and the least peak rate (Nedevschi et
//! al., Reducing Network Energy Consumption via Sleeping and Rate-Adaptation, NSDI 2008; the same geometry in Yao,
//! Demers & Shenker, A Scheduling Model for Reduced CPU Energy, FOCS 1995).
//!
//! Packets arrive whole, so A is a staircase and S, which is continuous, has to stay below the tread on the left of
//! each step: S(t_i) <= A_(i-1), and above it a delay later: S(t_i + d) >= A_i. The string bends at such points only,
//! which are whole nanoseconds and bytes: the result is exact.

use std::cmp::Ordering;

use dumbbell_core::{Duration, Time};

use crate::arrivals::{Arrival, TheoryError, check_order, refuse};

/// A point of a schedule: so many bytes are sent by then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knot {
    /// When.
    pub time: Time,
    /// Bytes sent since the start.
    pub sent: u64,
}

/// A piece of a schedule at constant rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// How long, in seconds.
    pub duration: f64,
    /// At what rate, in bit/s.
    pub rate: f64,
}

/// Bytes sent over time, piecewise linear between knots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// At least two, in order of time.
    pub knots: Vec<Knot>,
}

impl Schedule {
    /// The pieces at constant rate.
    pub fn pieces(&self) -> impl Iterator<Item = Piece> {
        self.knots.windows(2).map(|ends| {
            let nanos = ends[1].time.since(ends[0].time).as_nanos() as f64;
            Piece { duration: nanos / 1e9, rate: (ends[1].sent - ends[0].sent) as f64 * 8e9 / nanos }
        })
    }

    /// The largest rate, in bit/s.
    pub fn peak(&self) -> f64 {
        self.pieces().map(|piece| piece.rate).fold(0.0, f64::max)
    }

    /// The integral of power, a function of the rate in bit/s, from the first knot to the last.
    pub fn energy(&self, power: impl Fn(f64) -> f64) -> f64 {
        self.pieces().map(|piece| piece.duration * power(piece.rate)).sum()
    }
}

/// The schedule of least energy that sends every byte within `delay` of its packet's arrival, in O(n).
///
/// It starts with the first arrival and ends `delay` after the last. Its peak is the smallest that any feasible
/// schedule has: where that exceeds the rate of a link, the link cannot keep the delay at all.
///
/// # Errors
/// If there are no arrivals, they are not in order of time, or the delay is zero.
pub fn taut_string(arrivals: &[Arrival], delay: Duration) -> Result<Schedule, TheoryError> {
    check_order(arrivals)?;
    if delay.is_zero() {
        return refuse("a delay of zero lets nothing be sent in time; give one above zero".into());
    }
    let Some(first) = arrivals.first() else {
        return refuse("there are no arrivals; give at least one".into());
    };
    let mut funnel = Funnel::new(Knot { time: first.time, sent: 0 });
    // The two bounds, each in order of time: below `A_(i-1)` at `t_i`, above `A_i` at `t_i + delay`.
    let steps = arrivals.chunk_by(|a, b| a.time == b.time).scan(0, |total, together| {
        let before = *total;
        *total += together.iter().map(|arrival| arrival.bytes).sum::<u64>();
        Some((together[0].time, before, *total))
    });
    let mut ceilings = steps.clone().skip(1).map(|(time, before, _)| Knot { time, sent: before }).peekable();
    for (time, _, after) in steps {
        let floor = Knot { time: time + delay, sent: after };
        while let Some(ceiling) = ceilings.next_if(|ceiling| ceiling.time < floor.time) {
            funnel.below(ceiling);
        }
        funnel.above(floor);
    }
    Ok(Schedule { knots: funnel.end() })
}

/// The region that shortest curves from the last sure knot can reach: between a chain of bends around the floors, with
/// falling slopes, and one around the ceilings, with rising slopes (Lee & Preparata, Networks 14(3), 1984).
struct Funnel {
    sure: Vec<Knot>,
    floors: Chain,
    ceilings: Chain,
}

/// Bends, of which those before `first` are spent. Starts at the apex of the funnel.
#[derive(Default)]
struct Chain {
    bends: Vec<Knot>,
    first: usize,
}

impl Chain {
    fn ahead(&self) -> &[Knot] {
        &self.bends[self.first..]
    }

    fn restart(&mut self, apex: Knot) {
        self.bends.clear();
        self.bends.push(apex);
        self.first = 0;
    }

    /// Adds a bend and takes back those before it that no longer bend the chain the right way.
    fn push(&mut self, knot: Knot, right_way: Ordering) {
        while let [.., before, last] = self.ahead()
            && slopes(*before, *last, knot) != right_way
        {
            self.bends.pop();
        }
        self.bends.push(knot);
    }
}

impl Funnel {
    fn new(apex: Knot) -> Funnel {
        let mut funnel = Funnel { sure: vec![apex], floors: Chain::default(), ceilings: Chain::default() };
        funnel.floors.restart(apex);
        funnel.ceilings.restart(apex);
        funnel
    }

    fn above(&mut self, floor: Knot) {
        add(floor, Ordering::Less, &mut self.floors, &mut self.ceilings, &mut self.sure);
    }

    fn below(&mut self, ceiling: Knot) {
        add(ceiling, Ordering::Greater, &mut self.ceilings, &mut self.floors, &mut self.sure);
    }

    /// The knots when the last bound was a floor that the curve ends on.
    fn end(mut self) -> Vec<Knot> {
        self.sure.extend_from_slice(&self.floors.ahead()[1..]);
        self.sure
    }
}

/// Adds a bound to its own chain, whose slopes change in the direction `bend`; where it shuts the funnel, the apex moves
/// along the other chain.
fn add(bound: Knot, bend: Ordering, own: &mut Chain, other: &mut Chain, sure: &mut Vec<Knot>) {
    own.push(bound, bend);
    if own.ahead().len() > 2 {
        return;
    }
    let mut apex = own.ahead()[0];
    while let [_, next, ..] = other.ahead()
        && slopes(apex, *next, bound) == bend.reverse()
    {
        apex = *next;
        other.first += 1;
        sure.push(apex);
    }
    if own.ahead()[0] != apex {
        own.restart(apex);
        own.bends.push(bound);
    }
}

/// How the slope from `b` to `c` compares with that from `a` to `b`.
fn slopes(a: Knot, b: Knot, c: Knot) -> Ordering {
    let rise = |from: Knot, to: Knot| i128::from(to.sent) - i128::from(from.sent);
    let run = |from: Knot, to: Knot| i128::from(to.time.since(from.time).as_nanos());
    (rise(b, c) * run(a, b)).cmp(&(rise(a, b) * run(b, c)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::arrivals::tests::list;

    fn string(pairs: &[(u64, u64)], delay: u64) -> Vec<(u64, u64)> {
        let schedule = taut_string(&list(pairs), Duration::from_nanos(delay)).unwrap();
        schedule.knots.iter().map(|knot| (knot.time.as_nanos(), knot.sent)).collect()
    }

    /// Floor and ceiling of S at each whole nanosecond, by definition.
    fn bounds(pairs: &[(u64, u64)], delay: u64) -> Vec<(u64, u64)> {
        let (start, end) = (pairs[0].0, pairs[pairs.len() - 1].0 + delay);
        let arrived = |keep: &dyn Fn(u64) -> bool| pairs.iter().filter(|p| keep(p.0)).map(|p| p.1).sum();
        (start..=end).map(|t| (arrived(&|at| at + delay <= t), arrived(&|at| at < t))).collect()
    }

    /// S at each whole nanosecond.
    fn sampled(knots: &[(u64, u64)]) -> Vec<f64> {
        let mut values = vec![knots[0].1 as f64];
        for ends in knots.windows(2) {
            let ((from, low), (to, high)) = (ends[0], ends[1]);
            let slope = (high - low) as f64 / (to - from) as f64;
            values.extend((1..=to - from).map(|step| low as f64 + slope * step as f64));
        }
        values
    }

    fn cost(values: &[f64], f: impl Fn(f64) -> f64) -> f64 {
        values.windows(2).map(|ends| f(ends[1] - ends[0])).sum()
    }

    #[test]
    fn one_packet_is_spread_over_its_delay() {
        assert_eq!(string(&[(100, 7)], 40), [(100, 0), (140, 7)]);
    }

    #[test]
    fn even_arrivals_are_sent_evenly() {
        // The string runs straight from the start to the end: both bounds are farther away.
        assert_eq!(string(&[(0, 10), (10, 10), (20, 10), (30, 10)], 10), [(0, 0), (40, 40)]);
    }

    #[test]
    fn a_burst_after_a_lull_bends_the_string_at_its_foot() {
        // Nothing of the burst can go before it comes; at its foot all the rest must be gone.
        assert_eq!(string(&[(0, 10), (50, 500)], 50), [(0, 0), (50, 10), (100, 510)]);
        // And a lull after a burst bends it at the burst's deadline.
        assert_eq!(string(&[(0, 500), (50, 10)], 50), [(0, 0), (50, 500), (100, 510)]);
    }

    #[test]
    fn packets_of_one_instant_are_one() {
        assert_eq!(string(&[(5, 3), (5, 4), (9, 1), (9, 0)], 6), string(&[(5, 7), (9, 1)], 6));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert!(taut_string(&[], Duration::from_nanos(1)).is_err());
        assert!(taut_string(&list(&[(0, 1)]), Duration::ZERO).is_err());
        assert!(taut_string(&list(&[(2, 1), (1, 1)]), Duration::from_nanos(1)).is_err());
    }

    #[test]
    fn energy_is_duration_times_power() {
        let arrivals = list(&[(0, 10), (50, 500)]);
        let schedule = taut_string(&arrivals, Duration::from_nanos(50)).unwrap();
        // 1.6 and 80 bit/ns for 50 ns each.
        let energy = schedule.energy(|rate| rate * rate);
        assert!((energy / (50e-9 * (1.6e9 * 1.6e9 + 80e9 * 80e9)) - 1.0).abs() < 1e-12);
        assert!((schedule.peak() - 80e9).abs() < 1.0);
    }

    prop_compose! {
        fn traffic(packets: usize)(
            gaps in prop::collection::vec(0u64..12, 1..packets),
            sizes in prop::collection::vec(0u64..30, packets),
            delay in 1u64..20,
        ) -> (Vec<(u64, u64)>, u64) {
            let mut time = 3;
            let pairs = gaps.iter().zip(sizes).map(|(gap, size)| { time += gap; (time, size) }).collect();
            (pairs, delay)
        }
    }

    proptest! {
        /// Sufficient for the least cost under every convex function: feasible, and bent upwards at ceilings only,
        /// downwards at floors only (the Karush-Kuhn-Tucker conditions).
        #[test]
        fn the_string_is_feasible_and_taut((pairs, delay) in traffic(40)) {
            let knots = string(&pairs, delay);
            let (start, bounds) = (pairs[0].0, bounds(&pairs, delay));
            for ((floor, ceiling), value) in bounds.iter().zip(sampled(&knots)) {
                prop_assert!(*floor as f64 <= value + 1e-9 && value <= *ceiling as f64 + 1e-9);
            }
            let total: u64 = pairs.iter().map(|pair| pair.1).sum();
            prop_assert_eq!(knots[0], (start, 0));
            prop_assert_eq!(knots[knots.len() - 1], (pairs[pairs.len() - 1].0 + delay, total));
            for bend in knots.windows(3) {
                let knot = |i: usize| Knot { time: Time::from_nanos(bend[i].0), sent: bend[i].1 };
                let (floor, ceiling) = bounds[(bend[1].0 - start) as usize];
                match slopes(knot(0), knot(1), knot(2)) {
                    Ordering::Greater => prop_assert_eq!(bend[1].1, ceiling),
                    Ordering::Less => prop_assert_eq!(bend[1].1, floor),
                    // A bound on a straight piece may be a knot.
                    Ordering::Equal => {}
                }
            }
        }

        /// No feasible schedule costs less, for a square, a cube, a hinge and the peak.
        #[test]
        fn no_feasible_schedule_costs_less(
            (pairs, delay) in traffic(25), shares in prop::collection::vec(0.0f64..1.0, 400),
        ) {
            let mut value = 0.0;
            let other: Vec<f64> = bounds(&pairs, delay)
                .iter()
                .zip(shares.iter().cycle())
                .map(|(&(floor, ceiling), share)| {
                    let least = f64::max(value, floor as f64);
                    value = least + share * (ceiling as f64 - least);
                    value
                })
                .collect();
            let best = sampled(&string(&pairs, delay));
            let functions: [fn(f64) -> f64; 3] = [|x| x * x, |x| x.powi(3), |x| f64::max(0.0, x - 2.0)];
            for f in functions {
                prop_assert!(cost(&best, f) <= cost(&other, f) * (1.0 + 1e-12) + 1e-9);
            }
            let peak = |values: &[f64]| values.windows(2).map(|e| e[1] - e[0]).fold(0.0, f64::max);
            prop_assert!(peak(&best) <= peak(&other) + 1e-9);
        }

        /// The least cost over all schedules on a grid is that of the string, within what the grid can resolve.
        #[test]
        fn a_search_over_all_schedules_finds_the_same((pairs, delay) in traffic(6)) {
            const PARTS: u64 = 8;
            let bounds = bounds(&pairs, delay);
            let square = |from: u64, to: u64| ((to - from) as f64 / PARTS as f64).powi(2);
            // Least cost up to each grid value of S, nanosecond by nanosecond.
            let mut reached = vec![(0u64, 0.0f64)];
            for &(floor, ceiling) in &bounds[1..] {
                reached = (floor * PARTS..=ceiling * PARTS)
                    .map(|to| {
                        let below = reached.iter().filter(|&&(from, _)| from <= to);
                        let least = below.map(|&(from, c)| c + square(from, to)).fold(f64::INFINITY, f64::min);
                        (to, least)
                    })
                    .collect();
            }
            let found = reached[0].1;
            let best = sampled(&string(&pairs, delay));
            let least = cost(&best, |x| x * x);
            // Rounding S to the grid changes each step by at most one part.
            let part = 1.0 / PARTS as f64;
            let slack = cost(&best, |x| 2.0 * x * part + part * part);
            prop_assert!(least <= found + 1e-9 && found <= least + slack + 1e-9, "{least} {found} {slack}");
        }
    }
}
