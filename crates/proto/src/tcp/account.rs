//! What a sender keeps for a controller that needs more than sums: a record of every segment in flight, and from the
//! records the delivery rate (draft-cheng-iccrg-delivery-rate-estimation-02, the numbers of sections below).

use std::collections::VecDeque;

use dumbbell_core::{Duration, Time};

use super::rtt::{Rtt, passed};
use crate::controller::{Event, Needs, Rate, RateSample};

/// Segments for which there is room at first.
const FEW: usize = 4;

/// A segment in flight, as it stood when it was last sent (section 3.1.2: the per-packet state).
#[derive(Clone, Copy, Debug)]
struct Segment {
    /// One past its last number.
    end: u64,
    sent_at: Time,
    /// When the newest of the segments then acknowledged had been sent.
    first_sent_at: Time,
    /// Bytes that had been delivered, and when the last of them were.
    delivered: u64,
    delivered_at: Time,
    /// Bytes that had been found lost.
    lost: u64,
    /// Bytes in flight, with it.
    in_flight: u64,
    /// Its bytes.
    bytes: u32,
    app_limited: bool,
    /// It was sent before: its acknowledgement says nothing about the round-trip time (Karn's algorithm).
    again: bool,
    /// It was acknowledged.
    done: bool,
    /// It was found lost.
    lost_now: bool,
}

/// What an event adds to the signals of a controller.
#[derive(Clone, Copy, Debug)]
pub struct News {
    pub lost: u64,
    pub marked: u64,
    pub round: u64,
    pub rtt: Duration,
    pub rate: RateSample,
    /// With a loss: the segment had been sent again already. With a lost segment: so was the one before it, and they are one range.
    pub repeated: bool,
}

/// A segment that was found lost.
#[derive(Clone, Copy, Debug)]
struct Loss {
    segment: Segment,
    /// Bytes found lost, with it.
    lost: u64,
    /// The segment before it was found lost last.
    follows: bool,
}

impl News {
    /// Nothing but the round-trip time.
    #[inline]
    pub const fn of_rtt(rtt: Duration) -> News {
        News { lost: 0, marked: 0, round: 0, rtt, rate: RateSample::NONE, repeated: false }
    }
}

/// The account of one connection.
#[derive(Clone, Debug)]
pub struct Account {
    mss: u64,
    /// True if segments are recorded.
    rates: bool,
    /// True if the clock counts whole microseconds.
    in_microseconds: bool,
    /// True if every mark counts.
    echoes: bool,
    /// Bytes that arrived marked, of which the controller has not heard. An echo says so of all that it acknowledges.
    pub marked: u64,
    /// The segments in flight, in order.
    segments: VecDeque<Segment>,
    /// The end of the last of them.
    sent_end: u64,
    /// Bytes that duplicates show to have arrived without SACK: one segment each, none of them known.
    pub credit: u64,
    /// Bytes found lost, those lost again included.
    pub lost: u64,
    /// Bytes found lost that the controller was told of.
    told_lost: u64,
    /// Segments found lost that the controller has yet to hear of, if it wants to hear of each.
    losses: Option<VecDeque<Loss>>,
    /// The end of the segment found lost last.
    lost_end: u64,
    delivered: u64,
    delivered_at: Time,
    first_sent_at: Time,
    /// Segments are limited by the application until so many bytes are delivered; 0 if they are not.
    app_limited: u64,
    /// The segment sent last of those that the acknowledgement in hand covers.
    newest: Option<Segment>,
    round: u64,
    /// The round ends when something sent after so many bytes were delivered is acknowledged.
    round_end: u64,
    /// Exact timeouts, if the controller wants them.
    fine: Option<Fine>,
    /// The size and the rate that gave the latest pause.
    paced: (u32, Rate),
    pause: Duration,
    /// Nothing takes a short way.
    #[cfg(test)]
    pub takes_long_way: bool,
}

/// The rate of a transport that paces and has not yet measured a round-trip time: no pause at all.
pub const FAST: Rate = Rate::from_raw(Rate::UNLIMITED.raw() - 1);

/// The time that bytes take at a pacing rate.
pub fn pause(bytes: u64, rate: Rate) -> Duration {
    if rate >= FAST { Duration::ZERO } else { Duration::from_secs_f64(bytes as f64 / rate.as_f64()) }
}

/// A timeout from exact round-trip times, as Vegas has it.
// ns-2.35 tcp/tcp-vegas.cc: the mean and twice the mean deviation, gains of an eighth and a quarter, and no floor.
#[derive(Clone, Debug, Default)]
struct Fine {
    smoothed: Duration,
    variation: Duration,
    /// Acknowledgements still to come after a retransmission that are looked at.
    worries: u8,
}

impl Fine {
    fn measure(&mut self, rtt: Duration) {
        if self.smoothed.is_zero() {
            (self.smoothed, self.variation) = (rtt, rtt / 2);
            return;
        }
        let error = self.smoothed.max(rtt) - self.smoothed.min(rtt);
        self.variation = (self.variation * 3 + error) / 4;
        self.smoothed = (self.smoothed * 7 + rtt) / 8;
    }
}

impl Account {
    /// What the controller needs, before anything is sent, by a clock of nanoseconds, or of whole microseconds as in Linux.
    pub fn new(mss: u32, needs: Needs, in_microseconds: bool) -> Account {
        Account {
            mss: u64::from(mss),
            rates: needs.any(Needs::RATES),
            in_microseconds,
            echoes: needs.any(Needs::ECHOES),
            marked: 0,
            segments: VecDeque::new(),
            sent_end: 0,
            credit: 0,
            lost: 0,
            told_lost: 0,
            losses: needs.any(Needs::LOSSES).then(VecDeque::new),
            lost_end: u64::MAX,
            delivered: 0,
            delivered_at: Time::ZERO,
            first_sent_at: Time::ZERO,
            app_limited: 0,
            newest: None,
            round: 0,
            round_end: 0,
            fine: needs.any(Needs::FINE_TIMEOUTS).then(Fine::default),
            paced: (0, Rate::UNLIMITED),
            pause: Duration::ZERO,
            #[cfg(test)]
            takes_long_way: false,
        }
    }

    /// True if the first segment in flight is older than an exact timeout.
    pub fn first_is_late(&self, now: Time) -> bool {
        let (Some(fine), Some(first)) = (&self.fine, self.segments.front()) else { return false };
        !fine.smoothed.is_zero() && now >= first.sent_at + fine.smoothed + fine.variation * 2
    }

    /// The time that bytes take at a pacing rate. A rate holds for many segments.
    #[inline]
    pub fn pause(&mut self, bytes: u32, rate: Rate) -> Duration {
        if (bytes, rate) != self.paced {
            self.note_pace(bytes, rate);
        }
        self.pause
    }

    #[cold]
    #[inline(never)]
    fn note_pace(&mut self, bytes: u32, rate: Rate) {
        (self.paced, self.pause) = ((bytes, rate), pause(bytes.into(), rate));
    }

    /// A segment was found lost: the next two acknowledgements of new data may show another.
    pub fn worry(&mut self) {
        self.fine.iter_mut().for_each(|fine| fine.worries = 2);
    }

    /// New data was acknowledged: true if that shows that the segment behind it is lost.
    pub fn worries(&mut self, now: Time) -> bool {
        let Some(fine) = self.fine.as_mut().filter(|fine| fine.worries > 0) else { return false };
        fine.worries -= 1;
        self.first_is_late(now)
    }

    /// The segment from `number` to `end` leaves, and with it `in_flight` bytes are in the network (section 3.2:
    /// SendPacket).
    pub fn sent(&mut self, now: Time, (number, end): (u64, u64), in_flight: u64, again: bool) {
        if !self.rates {
            return;
        }
        // Nothing is outstanding: what is in flight is a guess.
        if self.segments.is_empty() {
            (self.first_sent_at, self.delivered_at) = (now, now);
        }
        let segment = Segment {
            end,
            sent_at: now,
            first_sent_at: self.first_sent_at,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            lost: self.lost,
            in_flight,
            bytes: (end - number) as u32,
            app_limited: self.app_limited > 0,
            again,
            done: false,
            lost_now: false,
        };
        if self.sent_end <= number || self.segments.is_empty() {
            self.sent_end = end;
            if self.segments.len() == self.segments.capacity() {
                self.grow();
            }
            self.segments.push_back(segment);
            return;
        }
        // What is sent again may cover parts of several, behind a short one.
        let (first, behind) = (self.from(number), self.segments.partition_point(|s| s.end < end) + 1);
        let covered = self.segments.iter_mut().take(behind).skip(first);
        covered.for_each(|slot| *slot = Segment { end: slot.end, bytes: slot.bytes, ..segment });
    }

    /// Makes room for more segments, by a quarter: what is in flight goes through all of it, and through the cache.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        self.segments.reserve_exact(self.segments.len() / 4 + FEW);
    }

    /// `bytes` of `[start, end)` were found lost. Segments that were known to be lost, and were not sent again, are no news.
    pub fn found_lost(&mut self, (start, end): (u64, u64), bytes: u64) {
        let from = self.from(start);
        let Some(losses) = &mut self.losses else {
            self.lost += bytes;
            return;
        };
        let covered = self.segments.iter_mut().skip(from).take_while(|s| s.end <= end);
        for segment in covered.filter(|s| !s.done && !s.lost_now) {
            segment.lost_now = true;
            self.lost += u64::from(segment.bytes);
            let follows = segment.end - u64::from(segment.bytes) == self.lost_end;
            self.lost_end = segment.end;
            losses.push_back(Loss { segment: *segment, lost: self.lost, follows });
        }
    }

    /// Nothing counts as lost any more.
    pub fn found_again(&mut self) {
        self.segments.iter_mut().for_each(|segment| segment.lost_now = false);
    }

    /// The next loss that the controller has not heard of.
    pub fn next_loss(&mut self) -> Option<News> {
        let Loss { segment, lost, follows } = self.losses.as_mut()?.pop_front()?;
        let rate = RateSample {
            prior_delivered: segment.delivered,
            lost: lost - segment.lost,
            in_flight: segment.in_flight,
            packets_in_flight: segment.in_flight.div_ceil(self.mss) as u32,
            app_limited: segment.app_limited,
            ..RateSample::NONE
        };
        Some(News {
            lost: segment.bytes.into(),
            round: self.round,
            rate,
            repeated: follows,
            ..News::of_rtt(Duration::ZERO)
        })
    }

    /// The place of the first segment that ends above a number.
    fn from(&self, number: u64) -> usize {
        let Some(first) = self.segments.front().filter(|first| first.end <= number) else { return 0 };
        // Where all are full.
        let place = ((number - first.end) / self.mss) as usize + 1;
        let is_it = self.segments.get(place - 1).is_some_and(|s| s.end <= number)
            && self.segments.get(place).is_none_or(|s| s.end > number);
        if is_it { place } else { self.segments.partition_point(|s| s.end <= number) }
    }

    /// The application has nothing to send, and the windows would let it: until what is in flight is delivered, rates
    /// are those of the application (section 3.4).
    pub fn ran_dry(&mut self, in_flight: u64) {
        self.app_limited = (self.delivered + in_flight).max(1);
    }

    /// `[start, end)` is acknowledged, cumulatively or selectively (section 3.3: UpdateRateSample).
    pub fn acknowledged(&mut self, start: u64, end: u64) {
        let from = self.from(start);
        let covered = self.segments.iter_mut().skip(from).take_while(|s| s.end <= end);
        for segment in covered.filter(|s| !s.done) {
            segment.done = true;
            // The one sent last; of those sent at once the last (IsNewestPacket).
            if self.newest.is_none_or(|newest| segment.sent_at >= newest.sent_at) {
                (self.newest, self.first_sent_at) = (Some(*segment), segment.sent_at);
            }
        }
    }

    /// True if an acknowledgement in order may take the short way: no duplicate was counted in its place.
    #[inline]
    pub fn is_settled(&self) -> bool {
        #[cfg(test)]
        if self.takes_long_way {
            return false;
        }
        self.credit == 0
    }

    /// Everything below `una` is acknowledged, and nothing above: [`Account::acknowledged`] and [`Account::advanced`] in one, where
    /// the account is settled.
    #[inline]
    pub fn advanced_in_order(&mut self, una: u64) {
        while let Some(segment) = self.segments.front().filter(|s| s.end <= una) {
            if !segment.done && self.newest.is_none_or(|newest| segment.sent_at >= newest.sent_at) {
                (self.newest, self.first_sent_at) = (Some(*segment), segment.sent_at);
            }
            self.segments.pop_front();
        }
    }

    /// Everything below `una` is acknowledged, `acked` bytes of it now; `left` bytes are not. Without SACK, duplicates have
    /// counted some of them already: all but the segment that was missing.
    pub fn advanced(&mut self, una: u64, acked: u64, left: u64) {
        self.credit = self.credit.saturating_sub(acked.saturating_sub(self.mss)).min(left);
        while self.segments.front().is_some_and(|s| s.end <= una) {
            self.segments.pop_front();
        }
    }

    /// A duplicate without SACK: another segment above the missing one has arrived, of `left` bytes that are
    /// not acknowledged.
    pub fn duplicate(&mut self, left: u64) {
        let most = left.saturating_sub(self.mss);
        self.credit = self.credit.max((self.credit + self.mss).min(most));
    }

    /// What an event adds, `acked` bytes of news among `delivered` in all.
    pub fn news(&mut self, now: Time, event: Event, delivered: u64, rtt: Duration, times: &mut Rtt) -> News {
        let mut news = News::of_rtt(rtt);
        if self.losses.is_none() {
            news.lost = self.lost - std::mem::replace(&mut self.told_lost, self.lost);
        }
        if matches!(event, Event::Ack | Event::Recovered) && delivered > self.delivered {
            if self.echoes {
                news.marked = self.marked.min(delivered - self.delivered);
                self.marked -= news.marked;
            }
            self.delivered = delivered;
            self.delivered_at = now;
            if self.app_limited > 0 && delivered > self.app_limited {
                self.app_limited = 0;
            }
            if let Some(newest) = self.newest.take() {
                if !newest.again {
                    news.rtt = if self.in_microseconds {
                        passed(newest.sent_at, now)
                    } else {
                        now.since(newest.sent_at)
                    };
                    times.lower(news.rtt);
                    self.fine.iter_mut().for_each(|fine| fine.measure(news.rtt));
                }
                if newest.delivered >= self.round_end {
                    self.round_end = delivered;
                    self.round += 1;
                }
                news.rate = self.sample(&newest, times.min());
            }
        }
        if event == Event::Restart {
            news.rate.app_limited = self.app_limited > 0;
        }
        news.round = self.round;
        news.repeated = event == Event::Loss && self.segments.front().is_some_and(|first| first.again);
        news
    }

    /// The time between two, as the clock shows it.
    fn between(&self, from: Time, to: Time) -> Duration {
        if self.in_microseconds {
            return Duration::from_micros((to.as_nanos() / 1000).saturating_sub(from.as_nanos() / 1000));
        }
        to.since(from)
    }

    /// The rate sample that the acknowledgement of a segment gives (section 3.3: GenerateRateSample).
    fn sample(&self, segment: &Segment, min_rtt: Duration) -> RateSample {
        let sending = self.between(segment.first_sent_at, segment.sent_at);
        let acknowledging = self.between(segment.delivered_at, self.delivered_at);
        let interval = sending.max(acknowledging);
        let delivered = self.delivered - segment.delivered;
        // Acknowledgements that come faster than light belong to an earlier transmission.
        let valid = interval >= min_rtt && !interval.is_zero();
        RateSample {
            rate: if valid { Rate::from_f64(delivered as f64 / interval.as_secs_f64()) } else { Rate::ZERO },
            interval,
            delivered,
            prior_delivered: segment.delivered,
            lost: self.lost - segment.lost,
            in_flight: segment.in_flight,
            packets_in_flight: segment.in_flight.div_ceil(self.mss) as u32,
            app_limited: segment.app_limited,
            reserved: [0; 3],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    fn at(nanos: u64) -> Time {
        Time::from_nanos(nanos)
    }

    /// The rate sample after the segment of number `n` was acknowledged at a time.
    fn acknowledge(account: &mut Account, now: Time, n: u64, delivered: u64) -> RateSample {
        let mut times = Rtt::new(&crate::testing::read(r#"{"profile": "linux"}"#));
        account.acknowledged(n * MSS, (n + 1) * MSS);
        account.news(now, Event::Ack, delivered * MSS, Duration::ZERO, &mut times).rate
    }

    /// Linux include/net/tcp.h: tcp_stamp_us_delta. From 1.9 us to 12.1 us its clock counts eleven microseconds.
    #[test]
    fn linux_measures_between_whole_microseconds() {
        for (in_microseconds, interval) in [(true, 11_000), (false, 10_200)] {
            let mut account = Account::new(MSS as u32, Needs::RATES, in_microseconds);
            account.sent(at(1_900), (0, MSS), MSS, false);
            assert_eq!(acknowledge(&mut account, at(12_100), 0, 1).interval.as_nanos(), interval);
        }
    }

    /// Linux net/ipv4/tcp_rate.c: tcp_rate_skb_sent asks for packets_out. All that is out may be lost, and nothing in flight.
    #[test]
    fn a_sample_begins_anew_when_nothing_is_outstanding() {
        let mut account = Account::new(MSS as u32, Needs::RATES, true);
        account.sent(at(0), (0, MSS), MSS, false);
        account.found_lost((0, MSS), MSS);
        account.sent(at(1_000_000), (0, MSS), MSS, true);
        assert_eq!(acknowledge(&mut account, at(3_000_000), 0, 1).interval.as_nanos(), 3_000_000);
        account.advanced(MSS, MSS, 0);
        account.sent(at(5_000_000), (MSS, 2 * MSS), MSS, false);
        assert_eq!(acknowledge(&mut account, at(6_000_000), 1, 2).interval.as_nanos(), 1_000_000);
    }

    /// Linux net/ipv4/tcp_rate.c: tcp_rate_skb_delivered sets first_tx_mstamp, also to an earlier time. A segment that was sent before
    /// the one acknowledged last is acknowledged alone; what is sent then counts from its time.
    #[test]
    fn sending_counts_from_the_latest_of_the_acknowledgement() {
        let mut account = Account::new(MSS as u32, Needs::RATES, true);
        for n in 0..3 {
            account.sent(at(n * 1_000_000), (n * MSS, (n + 1) * MSS), (n + 1) * MSS, false);
        }
        acknowledge(&mut account, at(10_000_000), 2, 1);
        acknowledge(&mut account, at(10_000_000), 0, 2);
        account.sent(at(10_000_000), (3 * MSS, 4 * MSS), 2 * MSS, false);
        assert_eq!(acknowledge(&mut account, at(10_500_000), 3, 3).interval.as_nanos(), 10_000_000);
    }
}
