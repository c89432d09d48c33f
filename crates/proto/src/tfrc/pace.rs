//! The sender's rate (RFC 5348 section 4).

use dumbbell_core::{BitRate, Duration, Time};
use dumbbell_header::TfrcHeader;

use super::equation;
use crate::transport::{SenderReport, SenderState};

/// The longest pause between two packets (RFC 5348 section 4.3: t_mbi).
const LONGEST_PAUSE: f64 = 64.0;
/// The no-feedback timer before the first feedback (RFC 5348 section 4.2).
const FIRST_TIMEOUT: Duration = Duration::from_secs(2);
/// Weight of the past in the round-trip time (RFC 5348 section 4.3, step 2: q).
const MEMORY: f64 = 0.9;
/// Receive rates that are kept (X_recv_set): those of the last two round trips, with feedback for loss events between.
const KEPT: usize = 4;

/// When packets may leave.
#[derive(Debug)]
pub struct Pace {
    /// Payload of a packet, in bytes: s.
    segment: f64,
    /// What the host's own link carries, in bytes of payload a second.
    access: f64,
    /// Bytes a second: X.
    rate: f64,
    /// Zero before the first feedback.
    rtt: Duration,
    shortest: Duration,
    loss: f64,
    /// Rates at which data arrived, the latest first, and when they were reported (X_recv_set).
    received: [(Time, f64); KEPT],
    known: usize,
    /// When the rate was doubled last: tld.
    doubled_at: Time,
    sent_at: Time,
    next_at: Time,
    timer_at: Time,
    /// Times that no feedback came.
    expired: u32,
    /// Reports that made no sense.
    pub ignored: u64,
}

impl Pace {
    /// An idle sender of packets of `size` bytes, `segment` of them payload. Packets leave no faster than the host's
    /// own link carries them, if that is known (choice: RFC 5348 limits the rate only by what arrives; a host's socket
    /// waits for its device).
    pub fn new(segment: u32, size: u32, access: Option<BitRate>) -> Pace {
        let segment = f64::from(segment);
        let carried = |link: BitRate| link.as_bps() as f64 / 8.0 * segment / f64::from(size);
        let access = access.map_or(f64::INFINITY, carried);
        Pace {
            segment,
            access,
            // One packet a second before the round-trip time is known (section 4.2).
            rate: segment,
            rtt: Duration::ZERO,
            shortest: Duration::ZERO,
            loss: 0.0,
            received: [(Time::ZERO, f64::INFINITY); KEPT],
            known: 1,
            doubled_at: Time::ZERO,
            sent_at: Time::ZERO,
            next_at: Time::NEVER,
            timer_at: Time::NEVER,
            expired: 0,
            ignored: 0,
        }
    }

    /// There is something to send from now on.
    pub fn resume(&mut self, now: Time) {
        self.next_at = if self.sent_at == Time::ZERO { now } else { (self.sent_at + self.gap()).max(now) };
        self.timer_at = now + self.timeout();
    }

    /// There is nothing to send any more. An idle sender keeps its rate: nothing tells it of another.
    pub fn rest(&mut self) {
        (self.next_at, self.timer_at) = (Time::NEVER, Time::NEVER);
    }

    /// When the next packet may leave; never while there is nothing to send.
    pub fn next_at(&self) -> Time {
        self.next_at
    }

    /// When `expire` is due.
    pub fn timer_at(&self) -> Time {
        self.timer_at
    }

    /// The round-trip time; zero before it is known.
    pub fn rtt(&self) -> Duration {
        self.rtt
    }

    /// What a sender of so many packets reports.
    pub fn report(&self, packets: u64) -> SenderReport {
        SenderReport {
            packets_sent: packets,
            timeouts: self.expired,
            min_rtt: self.shortest,
            smoothed_rtt: self.rtt,
            ..SenderReport::default()
        }
    }

    /// How the sender stands.
    pub fn state(&self) -> SenderState {
        let pacing = Some(self.rate * 8.0);
        SenderState { min_rtt: self.shortest, smoothed_rtt: self.rtt, pacing, ..SenderState::default() }
    }

    /// The rate, in bytes of payload a second.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// A packet leaves.
    pub fn sent(&mut self, now: Time) {
        self.sent_at = now;
        self.next_at = now + self.gap();
    }

    fn gap(&self) -> Duration {
        Duration::from_secs_f64(self.segment / self.rate.min(self.access)).max(Duration::from_nanos(1))
    }

    /// The smallest rate.
    fn least(&self) -> f64 {
        self.segment / LONGEST_PAUSE
    }

    /// The initial window in a round-trip time (section 4.2: W_init / R; RFC 3390).
    fn initial_rate(&self) -> f64 {
        let window = (4.0 * self.segment).min((2.0 * self.segment).max(4380.0));
        window / self.rtt.as_secs_f64()
    }

    fn timeout(&self) -> Duration {
        if self.rtt.is_zero() {
            return FIRST_TIMEOUT;
        }
        (self.rtt * 4).max(Duration::from_secs_f64(2.0 * self.segment / self.rate))
    }

    fn highest_received(&self) -> f64 {
        self.received[..self.known].iter().map(|(_, rate)| *rate).fold(0.0, f64::max)
    }

    /// Notes a receive rate; those older than two round trips go (section 4.3, Update X_recv_set).
    fn note_received(&mut self, now: Time, rate: f64) {
        let old = self.rtt * 2;
        let young = |(at, rate): &(Time, f64)| rate.is_finite() && now.since(*at) <= old;
        let kept = self.received[..self.known].iter().copied().filter(young);
        let mut noted = [(now, rate); KEPT];
        let mut known = 1;
        for entry in kept.take(KEPT - 1) {
            noted[known] = entry;
            known += 1;
        }
        (self.received, self.known) = (noted, known);
    }

    /// A report has come to a sender of `packets`. What no receiver of them would say is ignored.
    pub fn heard(&mut self, now: Time, feedback: &TfrcHeader, packets: u64) {
        let TfrcHeader { number, sent, received, loss, .. } = *feedback;
        let plausible = number < packets && sent <= now && (0.0..=1.0).contains(&loss);
        if plausible && received >= 0.0 && received.is_finite() {
            self.follow(now, feedback);
        } else {
            self.ignored += 1;
        }
    }

    /// The receiver's report has come (section 4.3).
    fn follow(&mut self, now: Time, feedback: &TfrcHeader) {
        let sample = now.since(feedback.sent).saturating_sub(feedback.delay).max(Duration::from_nanos(1));
        let first = self.rtt.is_zero();
        if first {
            (self.rtt, self.shortest) = (sample, sample);
            self.rate = self.initial_rate();
            self.doubled_at = now;
        } else {
            self.rtt = self.rtt.mul_f64(MEMORY) + sample.mul_f64(1.0 - MEMORY);
            self.shortest = self.shortest.min(sample);
        }
        // The limit of before the first report is infinite (section 4.2): that report covers one packet.
        if !first {
            self.note_received(now, feedback.received);
        }
        self.loss = feedback.loss;
        self.decide(now, 2.0 * self.highest_received());
        if self.next_at != Time::NEVER {
            self.next_at = (self.sent_at + self.gap()).max(now);
            self.timer_at = now + self.timeout();
        }
    }

    /// Sets the rate within the limit that the receiver's rate sets (section 4.3, step 4).
    fn decide(&mut self, now: Time, limit: f64) {
        if self.loss > 0.0 {
            let rtt = self.rtt.as_secs_f64();
            self.rate = equation::rate(self.segment, rtt, self.loss).min(limit).max(self.least());
        } else if now.since(self.doubled_at) >= self.rtt {
            self.rate = (2.0 * self.rate).min(limit).max(self.initial_rate());
            self.doubled_at = now;
        }
    }

    /// No feedback has come for the time of the timer (section 4.4).
    pub fn expire(&mut self, now: Time) {
        self.expired += 1;
        if self.rtt.is_zero() || self.loss == 0.0 {
            self.rate = (self.rate / 2.0).max(self.least());
        } else {
            let received = self.highest_received();
            let allowed = equation::rate(self.segment, self.rtt.as_secs_f64(), self.loss);
            let limit = if allowed > 2.0 * received { received } else { allowed / 2.0 };
            let limit = limit.max(self.least());
            (self.received[0], self.known) = ((now, limit / 2.0), 1);
            self.decide(now, limit);
        }
        self.timer_at = now + self.timeout();
        self.next_at = self.next_at.max(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Time {
        Time::from_nanos(n * 1_000_000)
    }

    fn report(sent: Time, received: f64, loss: f64) -> TfrcHeader {
        TfrcHeader { sent, received, loss, ..TfrcHeader::default() }
    }

    #[test]
    fn slow_start_doubles_once_a_round_trip() {
        let mut pace = Pace::new(1460, 1496, None);
        pace.resume(ms(0));
        assert_eq!((pace.next_at(), pace.timer_at()), (ms(0), ms(2000)));
        pace.sent(ms(0));
        assert_eq!(pace.next_at(), ms(1000), "a packet a second before the round-trip time is known");
        pace.follow(ms(100), &report(ms(0), 14_600.0, 0.0));
        // RFC 3390: three segments of 1460 bytes in 100 ms.
        assert_eq!((pace.rate(), pace.next_at()), (43_800.0, ms(100)));
        pace.follow(ms(150), &report(ms(50), 43_800.0, 0.0));
        assert_eq!(pace.rate(), 43_800.0, "not twice in a round trip");
        pace.follow(ms(200), &report(ms(100), 43_800.0, 0.0));
        assert_eq!(pace.rate(), 87_600.0);
        pace.follow(ms(300), &report(ms(200), 50_000.0, 0.0));
        assert_eq!(pace.rate(), 100_000.0);
        assert_eq!(pace.rtt(), Duration::from_millis(100));
    }

    #[test]
    fn packets_leave_no_faster_than_the_link_of_the_host() {
        let mut pace = Pace::new(1464, 1500, Some(BitRate::from_bps(12_000_000)));
        pace.resume(ms(0));
        pace.sent(ms(0));
        pace.follow(ms(1), &report(ms(0), 1e9, 0.0));
        assert!(pace.rate() > 1_464_000.0);
        pace.sent(ms(2));
        assert_eq!(pace.next_at(), ms(3), "1500 bytes in a millisecond");
    }

    #[test]
    fn reports_that_no_receiver_sends_change_nothing() {
        let mut pace = Pace::new(1460, 1496, None);
        pace.resume(ms(0));
        pace.heard(ms(100), &report(ms(0), 14_600.0, 0.0), 1);
        let before = (pace.rate(), pace.rtt(), pace.next_at());
        let late = TfrcHeader { number: 1, ..report(ms(0), 1e6, 0.0) };
        let mut forged = vec![late, report(ms(201), 1e6, 0.0)];
        forged.extend([f64::NAN, f64::INFINITY, -1.0].map(|received| report(ms(100), received, 0.0)));
        forged.extend([f64::NAN, 1.1, -0.1].map(|loss| report(ms(100), 1e6, loss)));
        for (i, feedback) in forged.iter().enumerate() {
            pace.heard(ms(200), feedback, 1);
            assert_eq!(((pace.rate(), pace.rtt(), pace.next_at()), pace.ignored), (before, i as u64 + 1));
        }
        pace.heard(ms(200), &report(ms(200), 1e6, 1.0), 1);
        assert_eq!(pace.ignored, 8, "all of that may be at its limits");
    }

    #[test]
    fn with_losses_the_rate_is_that_of_the_equation() {
        let mut pace = Pace::new(1460, 1496, None);
        pace.resume(ms(0));
        pace.follow(ms(50), &report(ms(0), 1e6, 0.0));
        pace.follow(ms(100), &report(ms(50), 1e6, 0.01));
        assert!((pace.rate() * 8.0 / 2.624e6 - 1.0).abs() < 1e-3, "{}", pace.rate());
        pace.follow(ms(250), &report(ms(200), 1e5, 0.01));
        assert_eq!(pace.rate(), 2e5, "twice what arrives");
    }

    #[test]
    fn the_rate_is_halved_while_no_feedback_comes() {
        let mut pace = Pace::new(1460, 1496, None);
        pace.resume(ms(0));
        pace.follow(ms(100), &report(ms(0), 14_600.0, 0.0));
        assert_eq!(pace.timer_at(), ms(500), "four round-trip times");
        pace.expire(ms(500));
        assert_eq!((pace.rate(), pace.expired), (21_900.0, 1));
        for _ in 0..30 {
            pace.expire(pace.timer_at());
        }
        assert_eq!(pace.rate(), 1460.0 / 64.0, "a packet in 64 seconds at least");
    }

    #[test]
    fn without_feedback_at_most_half_of_the_rate_is_left() {
        let mut pace = Pace::new(1460, 1496, None);
        pace.resume(ms(0));
        pace.follow(ms(50), &report(ms(0), 1e6, 0.0));
        pace.follow(ms(100), &report(ms(50), 1e6, 0.01));
        let before = pace.rate();
        pace.expire(pace.timer_at());
        assert!((pace.rate() / (before / 2.0) - 1.0).abs() < 1e-9, "{} of {before}", pace.rate());
    }
}
