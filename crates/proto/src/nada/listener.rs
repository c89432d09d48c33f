//! The receiver's measurements and reports (RFC 8698 sections 4.2 and 5.1).

use std::sync::Arc;

use dumbbell_core::{Duration, Ecn, FlowTag, Frame, Packet, Stage, Time};
use dumbbell_header::{NadaHeader, NadaKind};

use super::params::{HEADER, Params, REPORT, millis};
use super::window::{Seen, Window};
use crate::deviation::Deviation;
use crate::numbered::REACH;
use crate::tfrc::History;
use crate::transport::{Opening, ReceiveEnd, ReceiverReport};

/// Samples over which the smallest delay is taken (RFC 8698 section 5.1.1).
const TAPS: usize = 15;

/// The receiving end.
#[derive(Debug)]
pub struct Receiver {
    params: Arc<Params>,
    flow: FlowTag,
    size: u64,
    /// Losses by number; those within DELTA are one event (choice: a receiver of RTP knows no round-trip time).
    history: History,
    window: Window,
    /// The latest delays, by the number of their packet.
    ways: [Duration; TAPS],
    taken: usize,
    /// The smallest delay so far: `d_base`.
    base: Duration,
    /// Smoothed ratios: `p_loss` and `p_mark`.
    losses: f64,
    marks: f64,
    /// The header of the last packet, and when it arrived; `None` before the first.
    last: Option<(NadaHeader, Time)>,
    news: bool,
    due: bool,
    report_at: Time,
    delays: Deviation,
    got: ReceiverReport,
    ignored: u64,
}

impl Receiver {
    pub(super) fn new(params: Arc<Params>, opening: &Opening) -> Receiver {
        Receiver {
            window: Window::new(params.logwin),
            params,
            flow: opening.flow,
            size: opening.size.unwrap_or(u64::MAX),
            history: History::default(),
            ways: [Duration::ZERO; TAPS],
            taken: 0,
            base: Duration::MAX,
            losses: 0.0,
            marks: 0.0,
            last: None,
            news: false,
            due: false,
            report_at: Time::NEVER,
            delays: Deviation::default(),
            got: ReceiverReport::default(),
            ignored: 0,
        }
    }

    fn arrived(&mut self, now: Time, header: &NadaHeader, packet: &Packet) {
        let (way, marked) = (now.since(header.sent), packet.ecn == Ecn::Ce);
        let before = self.history.next();
        let new = self.history.arrived(now, header.number, false, self.params.delta);
        if self.history.lacks_first() {
            let since = self.history.since_loss().unwrap_or(0);
            self.history.set_first(self.history.next().saturating_sub(since) as f64);
        }
        self.got.packets += 1;
        self.got.marks += u64::from(marked);
        self.got.out_of_order += u64::from(header.number != before);
        self.delays.add(way.as_secs_f64());
        self.base = self.base.min(way);
        self.ways[self.taken % TAPS] = way;
        self.taken += 1;
        if !new {
            return;
        }
        self.got.delivered += u64::from(packet.size).saturating_sub(HEADER.into());
        if self.got.delivered >= self.size && self.got.finished.is_none() {
            self.got.finished = Some(now);
        }
        let missing = header.number.saturating_sub(before);
        let late = header.number < before;
        self.window.add(now, &Seen { bytes: packet.size.into(), way, marked, missing, late });
        // The first packet is reported at once: the sender learns the round-trip time (choice).
        self.due |= self.last.is_none();
        if self.last.is_none_or(|(last, _)| header.number >= last.number) {
            self.last = Some((*header, now));
        }
        self.news = true;
        if self.report_at == Time::NEVER {
            self.report_at = now + self.params.delta;
        }
    }

    /// Queueing delay: the smallest of the latest samples above the smallest of all.
    fn queueing(&self) -> Duration {
        let latest = &self.ways[..self.taken.min(TAPS)];
        latest.iter().min().map_or(Duration::ZERO, |way| way.saturating_sub(self.base))
    }

    /// True while the last loss counts (section 4.2: `loss_exp` is MULTILOSS mean loss intervals). The interval that goes on does
    /// not count (choice: by RFC 5348 section 5.4 it has at least a sixth of the weight, so no loss would ever expire).
    fn warps(&self) -> bool {
        let expires = self.params.multiloss * self.history.mean_closed();
        self.history.since_loss().is_some_and(|packets| (packets as f64) < expires)
    }

    /// The aggregate congestion signal in milliseconds (section 4.2, equation 2), XMAX at most.
    fn congestion(&self) -> f64 {
        let Params { qth, lambda, plrref, pmrref, dloss, dmark, xmax, .. } = *self.params;
        let queueing = millis(self.queueing());
        let delay = if self.warps() { warped(queueing, millis(qth), lambda) } else { queueing };
        let (loss, mark) = (self.losses / plrref, self.marks / pmrref);
        (delay + millis(dmark) * mark * mark + millis(dloss) * loss * loss).min(millis(xmax))
    }

    fn report(&mut self, now: Time) -> Option<NadaHeader> {
        let (last, arrived) = self.last.filter(|_| self.due)?;
        self.due = false;
        let Params { alpha, qeps, .. } = *self.params;
        let summary = self.window.summary(now);
        self.losses += alpha * (summary.lost - self.losses);
        self.marks += alpha * (summary.marked - self.marks);
        // A mark ends ramp-up as well (choice: section 4.2 names losses and delays).
        let clear =
            summary.lost == 0.0 && summary.marked == 0.0 && summary.longest.saturating_sub(self.base) < qeps;
        Some(NadaHeader {
            kind: if clear { NadaKind::RampUp } else { NadaKind::Gradual },
            number: last.number,
            sent: last.sent,
            delay: now.since(arrived),
            received: summary.rate,
            congestion: self.congestion(),
        })
    }
}

/// The delay that stands for `queueing` while packets are lost, all in milliseconds (section 4.2, equation 1).
fn warped(queueing: f64, threshold: f64, lambda: f64) -> f64 {
    if queueing < threshold {
        return queueing;
    }
    threshold * falling(lambda * (queueing - threshold) / threshold)
}

/// `exp(-x)` of `x` not below zero, by arithmetic alone: the same digits on every machine.
fn falling(x: f64) -> f64 {
    // The series of exp(-x / 1024) to its twelfth power, squared ten times; beyond 700 nothing is left.
    let part = x.min(700.0) / 1024.0;
    let mut sum = 1.0;
    for power in (1..=12).rev() {
        sum = 1.0 - part / f64::from(power) * sum;
    }
    (0..10).fold(sum, |power, _| power * power)
}

impl Stage for Receiver {
    fn push(&mut self, now: Time, packet: &Packet) {
        let Some(header) = packet.read::<NadaHeader>() else { return };
        let jump = header.number.saturating_sub(self.history.next());
        if header.kind != NadaKind::Media || jump > REACH.into() {
            self.ignored += 1;
            return;
        }
        self.arrived(now, &header, packet);
    }

    fn pull(&mut self, now: Time) -> Option<Packet> {
        let header = self.report(now)?;
        Some(Packet::of(header, self.flow, REPORT as u16, Ecn::NotEct))
    }

    fn wake(&mut self, now: Time) {
        if now >= self.report_at {
            self.due |= self.news;
            self.report_at = if self.news { now + self.params.delta } else { Time::NEVER };
            self.news = false;
        }
    }

    fn wake_at(&self) -> Time {
        self.report_at
    }
}

impl ReceiveEnd for Receiver {
    fn report(&self) -> ReceiverReport {
        ReceiverReport { received: self.got.delivered, delay: self.delays.spread(), ..self.got }
    }

    fn departed(&self, packet: &Packet) -> Option<Time> {
        packet.read::<NadaHeader>().filter(|header| header.kind == NadaKind::Media).map(|header| header.sent)
    }

    fn ignored(&self) -> u64 {
        self.ignored
    }

    fn is_closed(&self) -> bool {
        self.report_at == Time::NEVER
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ms, opening, read};

    fn receiver() -> Receiver {
        Receiver::new(Arc::new(read("{}")), &opening(None))
    }

    /// A packet of 1200 bytes that was `way` milliseconds on its way.
    fn push(receiver: &mut Receiver, at: f64, number: u64, way: f64, ecn: Ecn) {
        let header = NadaHeader { number, sent: ms(at - way), ..NadaHeader::default() };
        receiver.push(ms(at), &Packet::of(header, 7, 1200, ecn));
    }

    fn told(receiver: &mut Receiver, at: f64) -> NadaHeader {
        receiver.wake(ms(at));
        receiver.pull(ms(at)).unwrap().read::<NadaHeader>().unwrap()
    }

    #[test]
    fn the_exponential_is_that_of_the_library() {
        for x in [0.0, 1e-9, 0.1, 1.0, 2.5, 10.0, 100.0] {
            assert!((falling(x) / (-x).exp() - 1.0).abs() < 1e-12, "{x}");
        }
        assert!(falling(f64::INFINITY) < 1e-300);
    }

    #[test]
    fn delays_beyond_the_threshold_are_warped() {
        assert_eq!(warped(49.0, 50.0, 0.5), 49.0);
        assert_eq!(warped(50.0, 50.0, 0.5), 50.0);
        // 50 exp(-0.5 (300 - 50) / 50)
        assert!((warped(300.0, 50.0, 0.5) - 4.104_249_931).abs() < 1e-8);
    }

    #[test]
    fn a_report_gives_rate_delay_and_mode() {
        let mut receiver = receiver();
        // A packet every 10 ms, 960 kbit/s: first 50 ms each, then 5 ms and 20 ms more.
        for n in 0..100_u64 {
            let way = [50.0, 50.0, 55.0, 70.0][(n / 25) as usize];
            push(&mut receiver, 100.0 + 10.0 * n as f64, n, way, Ecn::NotEct);
        }
        let header = told(&mut receiver, 1095.0);
        assert_eq!((header.kind, header.number, header.sent), (NadaKind::Gradual, 99, ms(1020.0)));
        assert_eq!((header.delay, header.congestion), (Duration::from_millis(5), 20.0));
        assert!((header.received / 0.96e6 - 1.0).abs() < 0.03, "{}", header.received);
    }

    #[test]
    fn a_queue_or_a_loss_within_the_window_ends_ramp_up() {
        for (way, lost, kind) in [
            (50.0, false, NadaKind::RampUp),
            (59.0, false, NadaKind::RampUp),
            (61.0, false, NadaKind::Gradual),
            (50.0, true, NadaKind::Gradual),
        ] {
            let mut receiver = receiver();
            for n in (0..60_u64).filter(|n| !(lost && *n == 40)) {
                push(
                    &mut receiver,
                    100.0 + 10.0 * n as f64,
                    n,
                    if n == 45 { way } else { 50.0 },
                    Ecn::NotEct,
                );
            }
            assert_eq!(told(&mut receiver, 700.0).kind, kind, "{way} {lost}");
            // 600 ms later all that has left the window.
            for n in 60..120_u64 {
                push(&mut receiver, 100.0 + 10.0 * n as f64, n, 50.0, Ecn::NotEct);
            }
            assert_eq!(told(&mut receiver, 1300.0).kind, NadaKind::RampUp);
        }
    }

    #[test]
    fn marks_and_losses_cost_the_square_of_their_ratio() {
        // A tenth of the packets for 600 ms, smoothed once: 0.1 * 0.1 = PLRREF = PMRREF: 10 ms, and 2 ms.
        for (lossy, expected) in [(true, 10.0), (false, 2.0)] {
            let mut receiver = receiver();
            for n in 0..60_u64 {
                let hit = n % 10 == 5;
                if !(lossy && hit) {
                    let ecn = if hit { Ecn::Ce } else { Ecn::Ect0 };
                    push(&mut receiver, 100.0 + 10.0 * n as f64, n, 50.0, ecn);
                }
            }
            let header = told(&mut receiver, 699.0);
            assert!((header.congestion - expected).abs() < 0.05 * expected, "{}", header.congestion);
        }
    }

    #[test]
    fn the_signal_of_heavy_loss_is_bounded() {
        let mut receiver = receiver();
        for n in (0..60_u64).filter(|n| n % 2 == 0) {
            push(&mut receiver, 100.0 + 10.0 * n as f64, n, 50.0, Ecn::NotEct);
        }
        let reports: Vec<f64> = (0..5_u32)
            .map(|k| {
                push(&mut receiver, 701.0 + f64::from(k) * 100.0, 60 + u64::from(k), 50.0, Ecn::NotEct);
                told(&mut receiver, 800.0 + f64::from(k) * 100.0).congestion
            })
            .collect();
        assert_eq!(reports.iter().copied().fold(0.0, f64::max), 500.0, "{reports:?}");
    }

    #[test]
    fn a_loss_is_forgotten_after_seven_intervals() {
        let mut receiver = receiver();
        let (mut at, mut last) = (100.0, 0.0);
        for n in (0..2000_u64).filter(|n| *n != 100) {
            at += 1.0;
            // 100 packets before the loss, which are forgotten: the base is older. From there a queue of 100 ms.
            push(&mut receiver, at, n, if n < 100 { 50.0 } else { 150.0 }, Ecn::NotEct);
            let warps = receiver.warps();
            assert_eq!(warps, (103..799).contains(&n), "packet {n}");
            last = receiver.congestion();
        }
        assert_eq!(last, 100.0);
    }

    #[test]
    fn packets_in_disorder_and_copies_lose_nothing() {
        let mut receiver = receiver();
        for n in [0, 1, 3, 2, 4, 4, 6, 5, 7_u64] {
            push(&mut receiver, 100.0 + n as f64, n, 50.0, Ecn::NotEct);
        }
        let header = told(&mut receiver, 201.0);
        assert_eq!((header.kind, receiver.got.delivered), (NadaKind::RampUp, 8 * 1160));
    }

    #[test]
    fn nothing_is_reported_while_nothing_comes() {
        let mut receiver = receiver();
        push(&mut receiver, 100.0, 0, 50.0, Ecn::NotEct);
        assert_eq!(receiver.wake_at(), ms(200.0));
        told(&mut receiver, 200.0);
        receiver.wake(ms(300.0));
        assert!(receiver.pull(ms(300.0)).is_none() && receiver.is_closed());
    }

    #[test]
    fn reports_and_numbers_that_no_path_holds_are_no_media() {
        let mut receiver = receiver();
        push(&mut receiver, 100.0, 0, 50.0, Ecn::NotEct);
        for number in [u64::MAX, u64::from(REACH) + 2] {
            push(&mut receiver, 101.0, number, 50.0, Ecn::NotEct);
        }
        let report = NadaHeader { kind: NadaKind::Gradual, number: 1, ..NadaHeader::default() };
        receiver.push(ms(102.0), &Packet::of(report, 7, 48, Ecn::NotEct));
        assert_eq!((receiver.ignored, receiver.got.packets, receiver.history.next()), (3, 1, 1));
    }
}
