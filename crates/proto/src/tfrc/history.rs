//! Which packets were lost, and how often: loss events and the intervals between them (RFC 5348 section 5).

use dumbbell_core::{Duration, Time};

/// Packets behind a missing one that show its loss (RFC 5348 section 5.1: NDUPACK).
const BEHIND: u32 = 3;
/// Weights of the intervals, the latest first (RFC 5348 section 5.4).
const WEIGHTS: [f64; 8] = [1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2];
/// Holes that may wait. A new one at the end comes with a packet behind all others, so that three wait; reordering
/// splits some.
const HOLES: usize = 8;
/// Events of a hole that are gone through. A header may tell of a wide hole and of a short round-trip time.
const MOST_EVENTS: f64 = 64.0;
/// In seconds: packets that are closer together belong to the same nanosecond.
const LEAST_TIME: f64 = 0.5e-9;

/// Numbers that have not arrived.
#[derive(Clone, Copy, Debug, Default)]
struct Hole {
    start: u64,
    end: u64,
    /// When the packets before and behind it arrived.
    before: Time,
    after: Time,
    /// Packets behind it that have arrived.
    behind: u32,
}

impl Hole {
    /// When a packet of the hole would have arrived (RFC 5348 section 5.2: T_loss).
    fn time_of(&self, number: u64) -> Time {
        let share = (number + 1 - self.start) as f64 / (self.end + 1 - self.start) as f64;
        self.before + self.after.since(self.before).mul_f64(share)
    }
}

/// What a receiver knows of losses.
#[derive(Debug, Default)]
pub struct History {
    /// One above the highest number that has arrived.
    next: u64,
    /// When that arrived.
    latest: Time,
    holes: [Hole; HOLES],
    waiting: usize,
    /// The first packet of the latest loss event, and when it would have arrived.
    event: Option<(u64, Time)>,
    /// Packets from each loss event to the next, the latest first.
    intervals: [f64; 8],
    known: usize,
    /// True if nobody has said yet how long the interval before the first event was.
    lacks_first: bool,
}

impl History {
    /// Packet `number` has arrived, `marked` or not, where round trips take `rtt`. True if none of this number was here
    /// before.
    pub fn arrived(&mut self, now: Time, number: u64, marked: bool, rtt: Duration) -> bool {
        let new = if number >= self.next {
            if number > self.next {
                let hole = Hole { start: self.next, end: number, before: self.latest, after: now, behind: 0 };
                self.add(hole, rtt);
            }
            (self.next, self.latest) = (number + 1, now);
            true
        } else {
            self.fill(number)
        };
        if new {
            let below = |hole: &&mut Hole| hole.end <= number;
            self.holes[..self.waiting].iter_mut().filter(below).for_each(|hole| hole.behind += 1);
            while self.waiting > 0 && self.holes[0].behind >= BEHIND {
                self.give_up_first(rtt);
            }
            if marked && self.is_new_event(now, rtt) {
                self.begin(number, now);
            }
        }
        new
    }

    /// The number behind the highest that has arrived.
    pub fn next(&self) -> u64 {
        self.next
    }

    fn add(&mut self, hole: Hole, rtt: Duration) {
        if self.waiting == HOLES {
            self.give_up_first(rtt);
        }
        self.holes[self.waiting] = hole;
        self.waiting += 1;
    }

    /// A packet of a hole has arrived late. False if it was here before.
    fn fill(&mut self, number: u64) -> bool {
        let within = |hole: &Hole| (hole.start..hole.end).contains(&number);
        let Some(i) = self.holes[..self.waiting].iter().position(within) else { return false };
        let whole = self.holes[i];
        let parts = [Hole { end: number, ..whole }, Hole { start: number + 1, ..whole }];
        let left: Vec<Hole> = parts.into_iter().filter(|part| part.start < part.end).collect();
        if self.waiting + left.len() - 1 > HOLES {
            return true;
        }
        self.holes.copy_within(i + 1..self.waiting, i);
        self.waiting -= 1;
        for part in left.into_iter().rev() {
            self.holes.copy_within(i..self.waiting, i + 1);
            self.holes[i] = part;
            self.waiting += 1;
        }
        true
    }

    /// The packets of the first hole are lost.
    fn give_up_first(&mut self, rtt: Duration) {
        let hole = self.holes[0];
        self.holes.copy_within(1..self.waiting, 0);
        self.waiting -= 1;
        let mut number = hole.start;
        let step = hole.after.since(hole.before).as_secs_f64() / (hole.end + 1 - hole.start) as f64;
        let stride = (rtt.max(Duration::from_nanos(1)).as_secs_f64() / step).max(1.0);
        while number < hole.end {
            let at = hole.time_of(number);
            if self.is_new_event(at, rtt) {
                self.begin(number, at);
            }
            // On to the first that a round-trip time separates from the event; the others belong to it.
            let event = self.event.map_or(at, |(_, at)| at);
            let ahead = (event + rtt).since(at).as_secs_f64().max(LEAST_TIME) / step;
            number = number
                .saturating_add(if ahead.is_finite() { ahead as u64 } else { u64::MAX })
                .saturating_add(1);
            // The intervals hold the last events only.
            let left = hole.end.saturating_sub(number) as f64 / stride;
            if left > MOST_EVENTS {
                number += ((left - MOST_EVENTS) * stride) as u64;
            }
        }
    }

    /// Losses within a round-trip time are one event (RFC 5348 section 5.2).
    fn is_new_event(&self, at: Time, rtt: Duration) -> bool {
        self.event.is_none_or(|(_, event)| at > event + rtt)
    }

    fn begin(&mut self, number: u64, at: Time) {
        match self.event {
            Some((before, _)) => {
                self.intervals.copy_within(..7, 1);
                self.intervals[0] = number.saturating_sub(before).max(1) as f64;
                self.known = (self.known + 1).min(8);
            }
            None => self.lacks_first = true,
        }
        self.event = Some((number, at));
    }

    /// True if there was a loss, and nobody has said how long the interval before it was: see [`History::set_first`].
    pub fn lacks_first(&self) -> bool {
        self.lacks_first
    }

    /// The length of the interval before the first loss (RFC 5348 section 6.3.1).
    pub fn set_first(&mut self, interval: f64) {
        self.lacks_first = false;
        if let Some(place) = self.intervals.get_mut(self.known) {
            *place = interval.max(1.0);
            self.known += 1;
        }
    }

    /// Packets since the first of the last loss event, that one counted; `None` before the first event.
    pub fn since_loss(&self) -> Option<u64> {
        self.event.map(|(event, _)| self.next.saturating_sub(event))
    }

    /// The loss event rate: the inverse of the mean interval (RFC 5348 section 5.4). The interval that goes on counts
    /// once it makes the rate smaller.
    pub fn loss(&self) -> f64 {
        let Some((event, _)) = self.event.filter(|_| self.known > 0) else { return 0.0 };
        let open = self.next.saturating_sub(event) as f64;
        let with = self.weighted(std::iter::once(open).chain(self.closed()));
        (self.weights() / self.weighted(self.closed()).max(with)).min(1.0)
    }

    /// The mean of the intervals that have ended, in packets; 0 before the first.
    pub fn mean_closed(&self) -> f64 {
        self.weighted(self.closed()) / self.weights().max(1.0)
    }

    fn closed(&self) -> impl Iterator<Item = f64> + '_ {
        self.intervals[..self.known].iter().copied()
    }

    fn weighted(&self, intervals: impl Iterator<Item = f64>) -> f64 {
        intervals.zip(WEIGHTS).take(self.known).map(|(interval, weight)| interval * weight).sum()
    }

    fn weights(&self) -> f64 {
        WEIGHTS[..self.known].iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Time {
        Time::from_nanos(n * 1_000_000)
    }

    const RTT: Duration = Duration::from_millis(50);

    /// A packet a millisecond; those for which `lost` holds are missing.
    fn run(packets: u64, lost: impl Fn(u64) -> bool) -> History {
        let mut history = History::default();
        for n in (0..packets).filter(|n| !lost(*n)) {
            assert!(history.arrived(ms(n), n, false, RTT));
            if history.lacks_first() {
                history.set_first(100.0);
            }
        }
        history
    }

    #[test]
    fn three_packets_behind_it_show_a_loss() {
        assert_eq!(run(103, |n| n == 100).loss(), 0.0);
        assert_eq!(run(104, |n| n == 100).loss(), 0.01);
        let mut history = run(103, |n| n == 100);
        assert!(history.arrived(ms(104), 100, false, RTT), "late");
        assert!(!history.arrived(ms(105), 100, false, RTT), "twice");
        assert!(history.arrived(ms(106), 103, false, RTT));
        assert_eq!(history.loss(), 0.0);
    }

    #[test]
    fn losses_in_a_round_trip_are_one_event() {
        // Events at 100 and 151: those at 120 and 150 belong to the first.
        let history = run(200, |n| [100, 120, 150, 151].contains(&n));
        assert_eq!((history.known, history.intervals[0], history.event.unwrap().0), (2, 51.0, 151));
    }

    #[test]
    fn an_outage_of_several_round_trips_is_several_events() {
        let history = run(1000, |n| (100..260).contains(&n));
        // The packets of 100 to 259 would have arrived a millisecond apart: events at 100, 151, 202 and 253.
        assert_eq!((history.known, history.event.unwrap().0), (4, 253));
        assert_eq!(history.intervals[..4], [51.0, 51.0, 51.0, 100.0]);
    }

    #[test]
    fn a_hole_of_any_width_takes_a_few_steps() {
        // A packet of the hole in every part of a nanosecond: 100 s have 10^11 of those, and 2000 round-trip times.
        for (rtt, events) in [(Duration::ZERO, 1e11), (RTT, 2000.0)] {
            let interval = (1_u64 << 62) as f64 / events;
            let mut history = History::default();
            history.arrived(ms(0), 0, false, rtt);
            for behind in 0..3 {
                history.arrived(ms(100_000) + Duration::from_nanos(behind), (1 << 62) + behind, false, rtt);
            }
            let found = history.intervals[0];
            assert!(history.known == 8 && (found / interval - 1.0).abs() < 1e-3, "{found} {interval}");
        }
    }

    #[test]
    fn the_mean_interval_is_weighted_as_in_section_5_4() {
        // One loss in 100 packets, ten times; then none: the open interval counts once it raises the mean.
        let losses = |n: u64| n % 100 == 99 && n < 1000;
        assert!((run(1010, losses).loss() - 0.01).abs() < 1e-12);
        // Open interval of 400: (400 + 100 + 100 + 100 + 80 + 60 + 40 + 20) / 6 = 150.
        let loss = run(999 + 400, losses).loss();
        assert!((1.0 / loss - 150.0).abs() < 1e-9, "{}", 1.0 / loss);
        // A short interval behind long ones: I_0 = 10 does not count, I_1 = 60.
        let loss = run(999 + 60 + 10, |n| losses(n) || n == 999 + 60).loss();
        let mean = (60.0 + 300.0 + 80.0 + 60.0 + 40.0 + 20.0) / 6.0;
        assert!((1.0 / loss - mean).abs() < 1e-9, "{}", 1.0 / loss);
    }

    #[test]
    fn the_next_packet_follows_the_highest() {
        let mut history = run(103, |n| n == 100);
        assert_eq!(history.next(), 103);
        history.arrived(ms(104), 100, false, RTT);
        assert_eq!(history.next(), 103, "a late one changes nothing");
    }

    #[test]
    fn a_mark_is_a_loss_event_of_its_own_packet() {
        let mut history = run(100, |_| false);
        history.arrived(ms(100), 100, true, RTT);
        history.set_first(100.0);
        history.arrived(ms(101), 101, true, RTT);
        assert_eq!((history.known, history.loss()), (1, 0.01));
    }
}
