//! How a link serves: at a constant rate, at a rate that steps at given times, or by recorded opportunities.

use std::sync::Arc;

use dumbbell_core::{BitRate, Duration, Time};

use super::{RateChange, Serializer};

/// What transmits the packets of a link.
#[derive(Clone, Debug)]
pub enum Service {
    /// A constant rate.
    Constant(Serializer),
    /// A rate that changes at given times. The rest of a packet in transmission has the new rate: one that started in an
    /// outage would otherwise hold the link up after it.
    Steps {
        /// The rate now.
        serializer: Serializer,
        /// What is to come, the last change first.
        changes: Vec<RateChange>,
    },
    /// Recorded opportunities.
    Trace(Opportunities),
}

impl Service {
    /// A constant rate, or one that changes at the given times, sorted.
    pub fn at_rate(rate: BitRate, changes: &[RateChange]) -> Service {
        let serializer = Serializer::new(rate);
        if changes.is_empty() {
            return Service::Constant(serializer);
        }
        Service::Steps { serializer, changes: changes.iter().rev().cloned().collect() }
    }

    /// Accepts a packet of `size` bytes that may start at `now`. Returns when it has left.
    #[inline]
    pub fn depart(&mut self, now: Time, size: u16) -> Time {
        match self {
            Service::Constant(serializer) => serializer.depart(now, size),
            Service::Steps { serializer, changes } => {
                while let Some(change) = changes.last()
                    && change.time() <= now
                {
                    *serializer = Serializer::new(change.rate);
                    changes.pop();
                }
                let start = serializer.free_at().max(now);
                let mut end = serializer.depart(now, size);
                if changes.last().is_some_and(|change| change.time() < end) {
                    end = over_changes(serializer.rate(), changes, start, size);
                    *serializer = Serializer::free_from(serializer.rate(), end);
                }
                end
            }
            Service::Trace(opportunities) => opportunities.depart(now, u32::from(size)),
        }
    }

    /// Nothing waits at `now`.
    #[inline]
    pub fn idle(&mut self) {
        if let Service::Trace(opportunities) = self {
            opportunities.idle();
        }
    }

    /// The rate at which a packet that starts at `now` is served; of a trace, its mean.
    pub fn rate(&self, now: Time) -> BitRate {
        match self {
            Service::Constant(serializer) => serializer.rate(),
            Service::Steps { serializer, changes } => {
                let reached = changes.iter().find(|change| change.time() <= now);
                reached.map_or(serializer.rate(), |change| change.rate)
            }
            Service::Trace(opportunities) => opportunities.trace.mean_rate(),
        }
    }
}

/// When a packet of `size` bytes that starts at `start` has left. It is not over by the next change.
#[cold]
fn over_changes(rate: BitRate, changes: &[RateChange], start: Time, size: u16) -> Time {
    let (mut at, mut rate) = (start, rate.as_bps());
    // Bits and nanoseconds: what is left, times a second.
    let mut left = u64::from(size) * 8_000_000_000;
    for change in changes.iter().rev() {
        let sent = u128::from(change.time().since(at).as_nanos()) * u128::from(rate);
        if sent >= u128::from(left) {
            break;
        }
        left -= sent as u64;
        (at, rate) = (change.time(), change.rate.as_bps().max(1));
    }
    at + Duration::from_nanos(left.div_ceil(rate))
}

/// A recorded link: the times at which it could send, over and over.
///
/// The format and its reading are Mahimahi's (Netravali et al., USENIX ATC 2015; `mm-link(1)`): each line is a time in
/// milliseconds at which so many bytes may leave. The list starts again at its last time, so that a list from 0 to n has
/// n + 1 opportunities in n milliseconds.
#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    /// Times of the opportunities, not decreasing, the last above zero.
    pub times: Arc<[Time]>,
    /// Bytes that one opportunity lets pass.
    pub opportunity: u32,
    /// Bytes counted with each packet beside its own.
    pub overhead: u32,
}

impl Trace {
    /// When the list starts again.
    pub fn period(&self) -> Duration {
        self.times.last().map_or(Duration::ZERO, |t| t.since(Time::ZERO))
    }

    /// Bytes that the opportunities after `from` let pass, up to and with `until`.
    pub fn offered(&self, from: Time, until: Time) -> u64 {
        let period = self.period().as_nanos();
        let up_to = |time: Time| {
            let (rounds, rest) = (time.as_nanos() / period, time.as_nanos() % period);
            let in_round = self.times.partition_point(|t| t.as_nanos() <= rest);
            rounds * self.times.len() as u64 + in_round as u64
        };
        (up_to(until) - up_to(from)) * u64::from(self.opportunity)
    }

    /// Bits of packets in full opportunities after `from`, up to and with `until`, the overhead taken out.
    pub fn passed(&self, from: Time, until: Time) -> f64 {
        let payload = f64::from(self.opportunity.saturating_sub(self.overhead)) / f64::from(self.opportunity);
        self.offered(from, until) as f64 * payload * 8.0
    }

    /// Mean rate at which full opportunities pass packets of their size, the overhead taken out.
    pub fn mean_rate(&self) -> BitRate {
        let bytes = u128::from(self.opportunity.saturating_sub(self.overhead)) * self.times.len() as u128;
        let period = u128::from(self.period().as_nanos()).max(1);
        BitRate::from_bps((bytes * 8_000_000_000 / period) as u64)
    }
}

/// A reader of a [`Trace`].
///
/// Several packets share an opportunity and a packet may span several. What is left of an opportunity when nothing waits
/// is lost, and a packet that finds the queue empty waits for an opportunity after its arrival.
#[derive(Clone, Debug)]
pub struct Opportunities {
    trace: Trace,
    /// When the list began this time round.
    base: Duration,
    /// The next opportunity.
    next: usize,
    /// Bytes left of the opportunity in use.
    left: u32,
    /// True while packets follow one another without a pause.
    busy: bool,
}

impl Opportunities {
    /// A reader at the beginning of the list.
    pub fn new(trace: Trace) -> Opportunities {
        Opportunities { trace, base: Duration::ZERO, next: 0, left: 0, busy: false }
    }

    /// When the packet that stands at the head of the queue at `now` may start. It waits in the queue until then.
    pub fn ready_at(&mut self, now: Time) -> Time {
        if !self.busy {
            self.busy = true;
            self.skip(now);
        }
        if self.left > 0 { now } else { self.next_at().max(now) }
    }

    /// A packet starts at `now`, for which [`Opportunities::ready_at`] said that it may; when it has left.
    fn depart(&mut self, now: Time, size: u32) -> Time {
        let mut needed = size + self.trace.overhead;
        let mut at = now;
        while needed > self.left {
            needed -= self.left;
            at = self.take().max(now);
            self.left = self.trace.opportunity;
        }
        self.left -= needed;
        at
    }

    fn idle(&mut self) {
        self.busy = false;
        self.left = 0;
    }

    /// Lets all opportunities up to `now` pass unused.
    fn skip(&mut self, now: Time) {
        let period = self.trace.period();
        if now > self.next_at() {
            let rounds = now.since(self.next_at()).as_nanos() / period.as_nanos();
            self.base += period * rounds;
        }
        while self.next_at() <= now {
            self.take();
        }
    }

    /// Uses the next opportunity. Returns when it is.
    fn take(&mut self) -> Time {
        let at = self.next_at();
        self.next += 1;
        if self.next == self.trace.times.len() {
            self.next = 0;
            self.base += self.trace.period();
        }
        at
    }

    fn next_at(&self) -> Time {
        self.trace.times[self.next] + self.base
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opportunities(ms: &[u64]) -> Opportunities {
        let times = ms.iter().map(|t| Time::from_nanos(t * 1_000_000)).collect();
        Opportunities::new(Trace { times, opportunity: 1504, overhead: 4 })
    }

    fn ms(t: u64) -> Time {
        Time::from_nanos(t * 1_000_000)
    }

    /// A packet reaches the head of the queue at `now`; when it has left.
    fn sent(o: &mut Opportunities, now: Time, size: u32) -> Time {
        let start = o.ready_at(now);
        o.depart(start, size)
    }

    #[test]
    fn packets_share_an_opportunity_and_span_several() {
        let mut o = opportunities(&[5, 10, 15]);
        // Three of 496 + 4 fit into 1504 with 4 left; the next needs the rest of it and the next opportunity.
        let now = ms(1);
        assert_eq!(sent(&mut o, now, 496), ms(5));
        assert_eq!(sent(&mut o, ms(5), 496), ms(5));
        assert_eq!(sent(&mut o, ms(5), 496), ms(5));
        assert_eq!(sent(&mut o, ms(5), 1500), ms(10));
        assert_eq!(o.left, 4, "1504 = 4 + 1500, so 4 are left of the second");
        assert_eq!(sent(&mut o, ms(10), 1500), ms(15));
    }

    #[test]
    fn what_is_left_when_nothing_waits_is_lost() {
        let mut o = opportunities(&[5, 10]);
        assert_eq!(sent(&mut o, ms(1), 100), ms(5));
        o.idle();
        assert_eq!(sent(&mut o, ms(5), 100), ms(10));
    }

    #[test]
    fn the_list_starts_again_at_its_last_time() {
        let mut o = opportunities(&[0, 1, 2]);
        assert_eq!(o.trace.mean_rate(), BitRate::from_bps(18_000_000), "three in two milliseconds");
        let mut now = Time::ZERO;
        let out = [(); 7].map(|()| {
            now = sent(&mut o, now, 1500);
            now
        });
        // The one at 0 is not after the arrival; the second round begins at 2, the third at 4.
        assert_eq!(out, [1, 2, 2, 3, 4, 4, 5].map(ms));
        o.idle();
        assert_eq!(sent(&mut o, ms(1_000_001), 1500), ms(1_000_002), "after a long silence");
    }

    #[test]
    fn what_a_trace_offers_is_what_a_reader_takes() {
        for list in [&[0, 1, 2][..], &[5, 10], &[3, 3, 7], &[0, 0, 4]] {
            let mut reader = opportunities(list);
            let taken: Vec<Time> = (0..40).map(|_| reader.take()).collect();
            for (from, until) in [(0, 3), (0, 4), (1, 2), (2, 11), (4, 5), (5, 5), (3, 12)] {
                let between = taken.iter().filter(|t| ms(from) < **t && **t <= ms(until)).count() as u64;
                assert_eq!(
                    reader.trace.offered(ms(from), ms(until)),
                    between * 1504,
                    "{list:?} {from} {until}"
                );
            }
        }
    }

    #[test]
    fn a_rate_steps_when_its_time_has_come() {
        let rate = BitRate::from_bps;
        let change = |at, bps| RateChange { at: Duration::from_millis(at), rate: rate(bps) };
        let mut s = Service::at_rate(rate(12_000_000), &[change(10, 6_000_000), change(20, 12_000_000)]);
        assert_eq!(s.depart(ms(0), 1500), ms(1));
        assert_eq!(s.rate(ms(10)), rate(6_000_000));
        assert_eq!(s.depart(ms(10), 1500), ms(12));
        assert_eq!(s.rate(ms(25)), rate(12_000_000));
        assert_eq!(s.depart(ms(25), 1500), ms(26));
    }

    #[test]
    fn the_rest_of_a_packet_has_the_new_rate() {
        let change = |at, bps| RateChange { at: Duration::from_millis(at), rate: BitRate::from_bps(bps) };
        // An outage of a second in the middle of a packet of two milliseconds, then twice the rate.
        let changes = [change(11, 1), change(1011, 12_000_000)];
        let mut s = Service::at_rate(BitRate::from_bps(6_000_000), &changes);
        let end = s.depart(ms(10), 1500);
        assert!(end <= ms(1012) && end > Time::from_nanos(1_011_499_000), "half of it is left: {end:?}");
        assert_eq!(s.depart(ms(2000), 1500), ms(2001));
        // Two changes, and the end before a third.
        let changes = [change(1, 3_000_000), change(2, 6_000_000), change(50, 1)];
        let mut s = Service::at_rate(BitRate::from_bps(6_000_000), &changes);
        assert_eq!(s.depart(ms(0), 1500), Time::from_nanos(2_500_000));
        assert_eq!(s.depart(ms(48), 1500), ms(50), "a change at its end is none");
    }
}
