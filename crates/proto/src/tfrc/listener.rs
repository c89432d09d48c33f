//! The receiver's reports (RFC 5348 section 6).

use dumbbell_core::{Duration, Ecn, FlowTag, Frame, Packet, Time};
use dumbbell_header::{TfrcHeader, TfrcKind};

use super::equation;
use super::history::History;
use crate::numbered::REACH;
use crate::transport::ReceiverReport;

/// IPv4 and DCCP headers of every packet, in bytes (RFC 791 section 3.1; RFC 4340 section 5.1: 16 with long numbers).
pub const HEADER: u32 = 36;
/// A report: the headers, and the options of RFC 4342 section 8 with the acknowledged number, rounded up to whole
/// words.
pub const REPORT: u32 = 68;

/// What a receiver measures and reports.
#[derive(Debug)]
pub struct Listener {
    history: History,
    /// Payload of the largest packet so far, in bytes.
    segment: u32,
    /// The sender's round-trip time.
    rtt: Duration,
    /// The header of the last data packet, and when it arrived; `None` before the first.
    last: Option<(TfrcHeader, Time)>,
    /// Bytes that arrived since `since`, when the last report left or data came again.
    bytes: u64,
    since: Time,
    /// True if data has come since the last report.
    news: bool,
    /// The loss event rate that was reported last.
    reported: f64,
    due: bool,
    report_at: Time,
    /// What has arrived; the end point counts bytes.
    pub got: ReceiverReport,
    /// Packets that made no sense: reports, and numbers that no path holds (RFC 4340 section 7.5.1).
    pub ignored: u64,
}

impl Default for Listener {
    /// A receiver that nothing has reached.
    fn default() -> Listener {
        Listener {
            history: History::default(),
            segment: 1,
            rtt: Duration::ZERO,
            last: None,
            bytes: 0,
            since: Time::ZERO,
            news: false,
            reported: 0.0,
            due: false,
            report_at: Time::NEVER,
            got: ReceiverReport::default(),
            ignored: 0,
        }
    }
}

impl Listener {
    /// A packet has arrived: its header, its payload in bytes, and whether none of its number was here before.
    pub fn push(&mut self, now: Time, packet: &Packet) -> Option<(TfrcHeader, u32, bool)> {
        let header = packet.read::<TfrcHeader>()?;
        if header.kind != TfrcKind::Data || header.number.saturating_sub(self.history.next()) > REACH.into() {
            self.ignored += 1;
            return None;
        }
        let payload = u32::from(packet.size).saturating_sub(HEADER);
        let new = self.arrived(now, &header, payload, packet.ecn == Ecn::Ce);
        Some((header, payload, new))
    }

    /// The packet that is due now: what goes before reports, or a report.
    pub fn pull(&mut self, now: Time, flow: FlowTag, first: Option<TfrcHeader>) -> Option<Packet> {
        let header = first.or_else(|| self.report(now))?;
        Some(Packet::of(header, flow, REPORT as u16, Ecn::NotEct))
    }

    fn arrived(&mut self, now: Time, header: &TfrcHeader, payload: u32, marked: bool) -> bool {
        self.rtt = header.delay;
        self.segment = self.segment.max(payload);
        self.news = true;
        let first = self.last.is_none();
        self.got.packets += 1;
        self.got.marks += u64::from(marked);
        self.got.out_of_order += u64::from(header.number != self.history.next());
        let new = self.history.arrived(now, header.number, marked, self.rtt);
        if self.last.is_none_or(|(last, _)| header.number >= last.number) {
            self.last = Some((*header, now));
        }
        if self.report_at == Time::NEVER {
            // An idle time is not measured (choice: RFC 5348 section 4.3 lets the sender make up for it).
            (self.bytes, self.since) = (0, now);
            self.report_at = now + self.rtt.max(Duration::from_nanos(1));
        } else {
            self.bytes += u64::from(payload);
        }
        if self.history.lacks_first() {
            self.history.set_first(1.0 / self.loss_of_rate(now));
        }
        // The first packet, and a loss event that raises the rate (section 6.1).
        self.due |= first || self.history.loss() > self.reported;
        new
    }

    /// The loss event rate that the rate at which data arrives stands for (section 6.3.1).
    fn loss_of_rate(&self, now: Time) -> f64 {
        let rtt = self.rtt.max(Duration::from_nanos(1)).as_secs_f64();
        // Half a packet a round trip at least: nothing may have arrived yet.
        let received = self.received(now).max(f64::from(self.segment) / (2.0 * rtt));
        equation::loss_rate(self.segment.into(), rtt, received)
    }

    /// The rate at which data arrives, in bytes a second.
    fn received(&self, now: Time) -> f64 {
        let time = now.since(self.since).max(self.rtt).max(Duration::from_nanos(1)).as_secs_f64();
        self.bytes.max(self.segment.into()) as f64 / time
    }

    /// When `wake` is due.
    pub fn wake_at(&self) -> Time {
        self.report_at
    }

    /// A round-trip time has passed since the last report (section 6.2): another, unless nothing came.
    pub fn wake(&mut self, now: Time) {
        if now >= self.report_at {
            self.report_at = Time::NEVER;
            self.due |= self.news;
        }
    }

    /// The report that is due now.
    fn report(&mut self, now: Time) -> Option<TfrcHeader> {
        let (last, arrived) = self.last.filter(|_| self.due)?;
        (self.due, self.news) = (false, false);
        let received = self.received(now);
        (self.bytes, self.since) = (0, now);
        self.report_at = now + self.rtt.max(Duration::from_nanos(1));
        self.reported = self.history.loss();
        Some(TfrcHeader {
            kind: TfrcKind::Feedback,
            object: last.object,
            number: last.number,
            sent: last.sent,
            delay: now.since(arrived),
            received,
            loss: self.reported,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Data of a sender whose round trips take 100 ms.
    fn push(listener: &mut Listener, millis: u64, number: u64) {
        let header = TfrcHeader { number, delay: Duration::from_millis(100), ..TfrcHeader::default() };
        let packet = Packet::of(header, 7, (HEADER + 1000) as u16, Ecn::NotEct);
        listener.push(Time::ZERO + Duration::from_millis(millis), &packet);
    }

    #[test]
    fn reports_and_numbers_that_no_path_holds_are_no_data() {
        let mut listener = Listener::default();
        push(&mut listener, 0, 0);
        for number in [u64::MAX, u64::from(REACH) + 2] {
            push(&mut listener, 1, number);
        }
        let report = TfrcHeader { kind: TfrcKind::Feedback, number: 1, ..TfrcHeader::default() };
        assert_eq!(listener.push(Time::ZERO, &Packet::of(report, 7, 100, Ecn::NotEct)), None);
        assert_eq!((listener.got.packets, listener.ignored, listener.history.next()), (1, 3, 1));
        push(&mut listener, 2, u64::from(REACH) + 1);
        assert_eq!((listener.got.packets, listener.ignored), (2, 3));
    }

    /// Section 6.3.1: the loss event rate that the rate of arrival stands for, of half a packet in a round trip at least.
    #[test]
    fn the_first_interval_stands_for_the_rate_of_arrival() {
        // A packet a second is less than half a packet in 100 ms: 5000 bytes a second. Then four in 100 ms.
        for (step, rate) in [(1000, 5000.0), (20, 4000.0 / 0.1)] {
            let mut listener = Listener::default();
            for number in [0, 1, 3, 4] {
                push(&mut listener, number * step, number);
                listener.pull(Time::ZERO + Duration::from_millis(number * step), 7.into(), None);
            }
            push(&mut listener, 5 * step, 5);
            let told = listener.pull(Time::ZERO + Duration::from_millis(5 * step), 7.into(), None).unwrap();
            let expected = equation::loss_rate(1000.0, 0.1, rate);
            let loss = told.read::<TfrcHeader>().unwrap().loss;
            assert!((loss / expected - 1.0).abs() < 1e-9, "{step}: {loss} {expected}");
        }
    }
}
