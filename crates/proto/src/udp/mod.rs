//! Datagram sources and their sink. A source is a [`Schedule`] of departures; everything else is shared.

pub mod cbr;
pub mod on_off;
pub mod poisson;
pub mod replay;

use dumbbell_core::rng::Stream;
use dumbbell_core::{Duration, Ecn, FlowTag, Frame, Packet, Stage, Time};
use dumbbell_header::UdpHeader;

use crate::deviation::Deviation;
use crate::transport::{Opening, ReceiveEnd, ReceiverReport, SendEnd, SenderReport};

/// IPv4 and UDP headers without options, in bytes (RFC 791 section 3.1, RFC 768).
pub const HEADER: u32 = 28;

/// When datagrams leave and how large they are.
pub trait Schedule: std::fmt::Debug + Send {
    /// The next departure, as time since the previous one (for the first: since the flow's start) and bytes on the
    /// wire, headers included; `None` after the last.
    fn next(&mut self, rng: &mut Stream) -> Option<(Duration, u16)>;
}

/// Sends datagrams as a [`Schedule`] says, until the flow's size is reached.
#[derive(Debug)]
pub struct Source<S> {
    schedule: S,
    rng: Stream,
    flow: FlowTag,
    /// Departure and bytes on the wire of the next datagram; [`Time::NEVER`] before the start and after the end.
    next_at: Time,
    next_size: u16,
    opened: bool,
    number: u64,
    /// Application bytes still to send; `u64::MAX` if unlimited.
    left: u64,
}

impl<S: Schedule> Source<S> {
    fn new(schedule: S, opening: Opening) -> Source<S> {
        Source {
            schedule,
            rng: opening.rng,
            flow: opening.flow,
            next_at: Time::NEVER,
            next_size: 0,
            opened: false,
            number: 0,
            left: opening.size.unwrap_or(u64::MAX),
        }
    }

    fn plan_after(&mut self, previous: Time) {
        let next = if self.left == 0 { None } else { self.schedule.next(&mut self.rng) };
        (self.next_at, self.next_size) = match next {
            Some((gap, size)) => (previous + gap, size),
            None => (Time::NEVER, 0),
        };
    }
}

impl<S: Schedule> Stage for Source<S> {
    fn push(&mut self, _now: Time, _packet: &Packet) {}

    // Called from two places on the path of every packet: the compiler would make it a call.
    #[inline(always)]
    fn pull(&mut self, now: Time) -> Option<Packet> {
        if now < self.next_at {
            return None;
        }
        let mut size = self.next_size;
        if self.left != u64::MAX {
            let payload = self.left.min(u64::from(size).saturating_sub(u64::from(HEADER)));
            self.left -= payload;
            size = size.min(payload as u16 + HEADER as u16);
        }
        let header = UdpHeader { number: self.number, sent: now };
        self.number += 1;
        self.plan_after(self.next_at);
        Some(Packet::of(header, self.flow, size, Ecn::NotEct))
    }

    fn wake(&mut self, now: Time) {
        if !self.opened {
            self.opened = true;
            self.plan_after(now);
        }
    }

    fn wake_at(&self) -> Time {
        self.next_at
    }
}

impl<S: Schedule> SendEnd for Source<S> {
    fn report(&self) -> SenderReport {
        SenderReport { packets_sent: self.number, ..SenderReport::default() }
    }

    fn is_closed(&self) -> bool {
        self.opened && self.next_at == Time::NEVER
    }
}

/// Counts what arrives.
#[derive(Debug)]
pub struct Sink {
    size: u64,
    expected: u64,
    /// Which of the last numbers before `expected` have arrived, the latest in the lowest bit: a copy counts no bytes. One
    /// that is further behind counts as the first of its number (as in RFC 4303 section 3.4.3, but for that).
    seen: u64,
    delays: Deviation,
    report: ReceiverReport,
    ignored: u64,
}

impl Sink {
    fn new(opening: &Opening) -> Sink {
        Sink {
            size: opening.size.unwrap_or(u64::MAX),
            expected: 0,
            seen: 0,
            delays: Deviation::default(),
            report: ReceiverReport::default(),
            ignored: 0,
        }
    }
}

impl Stage for Sink {
    fn push(&mut self, now: Time, packet: &Packet) {
        // The words of a `UdpHeader`.
        let [number, sent, ..] = packet.body;
        // No source comes to the last number.
        let Some(next) = number.checked_add(1) else {
            self.ignored += 1;
            return;
        };
        let report = &mut self.report;
        report.packets += 1;
        report.marks += u64::from(packet.ecn == Ecn::Ce);
        self.delays.add(now.since(Time::from_nanos(sent)).as_secs_f64());
        let mut is_copy = false;
        if number < self.expected {
            report.out_of_order += 1;
            let bit = u32::try_from(self.expected - 1 - number).ok().and_then(|n| 1_u64.checked_shl(n));
            let bit = bit.unwrap_or(0);
            is_copy = self.seen & bit != 0;
            self.seen |= bit;
        } else {
            let ahead = u32::try_from(next - self.expected).ok();
            self.seen = ahead.and_then(|n| self.seen.checked_shl(n)).unwrap_or(0) | 1;
            self.expected = next;
        }
        if !is_copy {
            report.delivered += u64::from(packet.size).saturating_sub(u64::from(HEADER));
        }
        if report.delivered >= self.size && report.finished.is_none() {
            report.finished = Some(now);
        }
    }

    fn pull(&mut self, _now: Time) -> Option<Packet> {
        None
    }

    fn wake(&mut self, _now: Time) {}

    fn wake_at(&self) -> Time {
        Time::NEVER
    }
}

impl ReceiveEnd for Sink {
    fn report(&self) -> ReceiverReport {
        ReceiverReport { received: self.report.delivered, delay: self.delays.spread(), ..self.report }
    }

    fn departed(&self, packet: &Packet) -> Option<Time> {
        Some(packet.read::<UdpHeader>()?.sent)
    }

    fn ignored(&self) -> u64 {
        self.ignored
    }

    fn is_closed(&self) -> bool {
        true
    }
}

/// Bytes on the wire of one object cut into datagrams of at most `packet_size` bytes.
fn wire_bytes(payload: u64, packet_size: u16) -> u64 {
    payload + u64::from(HEADER) * payload.div_ceil(u64::from(packet_size) - u64::from(HEADER))
}

/// Refuses datagrams that the path would drop.
fn fits(packet_size: u16, mtu: u32) -> Result<(), String> {
    if u32::from(packet_size) > mtu {
        return Err(format!(
            "packets of {packet_size} B do not fit the path's MTU of {mtu} B; lower `packet_size` or raise the MTU"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use dumbbell_core::Frame;

    use super::*;
    use crate::deviation::Spread;
    use crate::testing::{opening, read};
    use crate::transport::Transport;
    use crate::transports::TransportSpec;

    /// Departures in nanoseconds and sizes, of a flow that starts at 1 s, up to `end` nanoseconds later.
    fn departures<T: Transport>(transport: &T, opening: Opening, end: u64) -> Vec<(u64, u16)> {
        let (mut sender, _) = transport.open(opening);
        let start = Time::from_nanos(1_000_000_000);
        assert!(!sender.is_closed());
        sender.wake(start);
        let mut sent = Vec::new();
        let mut now = start;
        loop {
            while let Some(packet) = sender.pull(now) {
                sent.push((now.since(start).as_nanos(), packet.size));
            }
            now = sender.wake_at();
            if now.since(start).as_nanos() > end {
                return sent;
            }
            sender.wake(now);
        }
    }

    #[test]
    fn a_constant_rate_never_drifts() {
        // 1000 bytes at 3 Mbit/s: 2666666.67 ns.
        let params: cbr::Params = read(r#"{"rate": "3Mbit/s", "packet_size": 1000}"#);
        let sent = departures(&params, opening(None), 3_000_000_000);
        let expected: Vec<(u64, u16)> = (0..=1125).map(|n| (n * 8_000_000 / 3, 1000)).collect();
        assert_eq!(sent, expected);
    }

    #[test]
    fn a_source_stops_after_its_size_with_what_is_left() {
        let params: cbr::Params = read(r#"{"rate": "8Mbit/s", "packet_size": 1028}"#);
        let sent = departures(&params, opening(Some(2500)), 1_000_000_000);
        assert_eq!(sent.iter().map(|s| s.1).collect::<Vec<_>>(), [1028, 1028, 528]);
        let spec = TransportSpec::Cbr(params);
        assert_eq!(spec.wire_bytes(2500, 1500), 2500 + 3 * 28);
        assert_eq!(spec.fits(1000).unwrap_err().split(';').count(), 2);
    }

    #[test]
    fn a_recorded_list_is_reproduced_to_the_nanosecond() {
        let list = [(0, 40), (1, 1500), (1, 1500), (999_999_937, 576), (5_000_000_001, 28)];
        let replay: Arc<[(Duration, u32)]> =
            list.iter().map(|&(t, size)| (Duration::from_nanos(t), size)).collect();
        let opening = Opening { replay: Some(replay), ..opening(None) };
        let sent = departures(&replay::Params {}, opening, u64::MAX / 2);
        assert_eq!(sent, list.map(|(t, size)| (t, size as u16)));
    }

    #[test]
    fn poisson_gaps_have_mean_and_deviation_of_the_exponential() {
        let params: poisson::Params = read(r#"{"rate": "8Mbit/s", "packet_size": 1000}"#);
        let sent = departures(&params, opening(None), 200_000_000_000);
        let gaps: Vec<f64> = sent.windows(2).map(|w| (w[1].0 - w[0].0) as f64 / 1e6).collect();
        let n = gaps.len() as f64;
        let mean = gaps.iter().sum::<f64>() / n;
        let deviation = (gaps.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / n).sqrt();
        // Five standard errors of 200,000 gaps of 1 ms: 0.0112 for the mean, 0.0158 for the deviation.
        assert!((mean - 1.0).abs() < 0.0112, "{mean}");
        assert!((deviation - 1.0).abs() < 0.0158, "{deviation}");
    }

    #[test]
    fn fixed_bursts_and_silences_alternate() {
        // 1 ms per packet, 3.5 ms on, 10 ms off: the half packet of one burst is finished in the next.
        let params: on_off::Params = read(
            r#"{"rate": "8Mbit/s", "packet_size": 1000, "mean_on": "3500us", "mean_off": "10ms", "periods": "fixed"}"#,
        );
        let sent = departures(&params, opening(None), 30_000_000);
        let times: Vec<f64> = sent.iter().map(|s| s.0 as f64 / 1e6).collect();
        assert_eq!(times, [0.0, 1.0, 2.0, 3.0, 14.0, 15.0, 16.0, 17.0, 28.0, 29.0, 30.0]);
    }

    #[test]
    fn random_bursts_keep_the_mean_rate() {
        let params: on_off::Params =
            read(r#"{"rate": "8Mbit/s", "packet_size": 1000, "mean_on": "20ms", "mean_off": "60ms"}"#);
        let sent = departures(&params, opening(None), 1_000_000_000_000);
        let rate = sent.len() as f64 / 1000.0;
        // 250 packets per second; 12,500 cycles, each with a deviation of sqrt(20^2 15^2 + 60^2 5^2)/20 packets.
        assert!((rate / 250.0 - 1.0).abs() < 0.05, "{rate}");
    }

    #[test]
    fn the_sink_counts_what_arrives() {
        let params: cbr::Params = read("{}");
        let (mut sender, mut sink) = params.open(opening(Some(3 * 1472)));
        sender.wake(Time::ZERO);
        let mut packets = Vec::new();
        while sender.wake_at() != Time::NEVER {
            packets.extend(sender.pull(sender.wake_at()));
        }
        packets[2].ecn = Ecn::Ce;
        // The datagrams leave every 12 ms and are on their way for 20, 30 and 40 ms.
        for (i, way) in [(0, 20), (2, 30), (1, 52)] {
            let sent = packets[i].read::<UdpHeader>().unwrap().sent;
            sink.push(sent + Duration::from_millis(way), &packets[i]);
        }
        let report = sink.report();
        assert_eq!((report.packets, report.delivered, report.marks, report.out_of_order), (3, 4416, 1, 1));
        assert_eq!(report.finished, Some(Time::ZERO + Duration::from_millis(64)));
        let Spread { mean, sd } = report.delay.unwrap();
        let expected = (34e-3, (f64::from(14 * 14 + 4 * 4 + 18 * 18) / 3.0).sqrt() * 1e-3);
        assert!((mean - expected.0).abs() < 1e-12 && (sd - expected.1).abs() < 1e-12, "{mean} {sd}");
        assert!(sender.is_closed() && sink.is_closed());
    }

    #[test]
    fn the_last_number_there_is_comes_from_no_source() {
        let mut sink = Sink::new(&opening(None));
        for (number, packets, ignored) in [(u64::MAX, 0, 1), (u64::MAX - 1, 1, 1), (u64::MAX, 1, 2)] {
            let header = UdpHeader { number, sent: Time::ZERO };
            sink.push(Time::ZERO, &Packet::of(header, 7, 128, Ecn::NotEct));
            assert_eq!((sink.report().packets, sink.ignored()), (packets, ignored));
        }
    }

    #[test]
    fn the_sink_counts_copies_once_within_64_numbers() {
        use rand::RngExt;
        let mut random = crate::testing::stream();
        let (mut sink, mut seen, mut late) = (Sink::new(&opening(None)), Vec::new(), 0);
        let mut highest = 0_u64;
        for _ in 0..3000 {
            let gap = if random.random_range(0..50) == 0 { 70 } else { 3 };
            let number = (highest + random.random_range(0..gap)).saturating_sub(random.random_range(0..40));
            late += u64::from(!seen.is_empty() && number <= highest);
            highest = highest.max(number);
            seen.push(number);
            let header = UdpHeader { number, sent: Time::ZERO };
            sink.push(Time::ZERO, &Packet::of(header, 7, 128, Ecn::NotEct));
        }
        seen.sort_unstable();
        seen.dedup();
        let report = sink.report();
        assert_eq!((report.delivered, report.out_of_order), (100 * seen.len() as u64, late));
    }

    #[test]
    fn sizes_that_leave_no_payload_are_refused() {
        let value = dumbbell_core::json::from_str(r#"{"kind": "cbr", "packet_size": 28}"#).unwrap();
        let error = <TransportSpec as dumbbell_core::Config>::from_value(
            &value,
            &dumbbell_core::config::At::root("x"),
        );
        assert_eq!(
            error.unwrap_err().to_string(),
            "x.packet_size: 28 B leave no payload; give more than 28 bytes"
        );
    }
}
