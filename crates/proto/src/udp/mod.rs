//! Datagram sources and their sink. A source is a [`Schedule`] of departures; everything else is shared.

pub mod cbr;
pub mod on_off;
pub mod poisson;
pub mod replay;

use dumbbell_core::rng::Stream;
use dumbbell_core::{BitRate, Duration, Ecn, Header, Packet, Stage, Time};

use crate::transport::{Opening, ReceiveEnd, ReceiverReport, SendEnd, SenderReport};

/// IPv4 and UDP headers without options, in bytes (RFC 791 section 3.1, RFC 768).
pub const HEADER: u32 = 28;

/// When datagrams leave and how large they are.
pub trait Schedule: std::fmt::Debug {
    /// The next departure, as time since the previous one (for the first: since the flow's start) and bytes on the
    /// wire, headers included; `None` after the last.
    fn next(&mut self, rng: &mut Stream) -> Option<(Duration, u16)>;
}

/// Sends datagrams as a [`Schedule`] says, until the flow's size is reached.
#[derive(Debug)]
pub struct Source<S> {
    schedule: S,
    rng: Stream,
    flow: u32,
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
        let packet = Packet {
            at: Time::ZERO,
            flow: self.flow,
            hop: 0,
            size,
            aux: 0,
            flags: 0,
            ecn: Ecn::NotEct,
            class: 0,
            header: Header::Udp,
            body: [self.number, now.as_nanos(), 0, 0, 0],
        };
        self.number += 1;
        self.plan_after(self.next_at);
        Some(packet)
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
    report: ReceiverReport,
}

impl Sink {
    fn new(opening: &Opening) -> Sink {
        Sink { size: opening.size.unwrap_or(u64::MAX), expected: 0, report: ReceiverReport::default() }
    }
}

impl Stage for Sink {
    fn push(&mut self, now: Time, packet: &Packet) {
        let report = &mut self.report;
        report.packets += 1;
        report.marks += u64::from(packet.ecn == Ecn::Ce);
        report.delivered += u64::from(packet.size).saturating_sub(u64::from(HEADER));
        if packet.body[0] < self.expected {
            report.out_of_order += 1;
        } else {
            self.expected = packet.body[0] + 1;
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
        self.report
    }

    fn is_closed(&self) -> bool {
        true
    }
}

/// Departures of equal datagrams at an exact rate: the fraction of a nanosecond that one gap cannot express is
/// carried to the next, so that the rate never drifts.
#[derive(Debug)]
struct Pacer {
    rate: u64,
    whole: u64,
    fraction: u64,
    carried: u64,
}

impl Pacer {
    fn new(rate: BitRate, size: u16) -> Pacer {
        let scaled = u128::from(size) * 8_000_000_000;
        let rate = rate.as_bps();
        Pacer {
            rate,
            whole: (scaled / u128::from(rate)) as u64,
            fraction: (scaled % u128::from(rate)) as u64,
            carried: 0,
        }
    }

    fn gap(&mut self) -> Duration {
        self.carried += self.fraction;
        let extra = u64::from(self.carried >= self.rate);
        self.carried -= extra * self.rate;
        Duration::from_nanos(self.whole + extra)
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
