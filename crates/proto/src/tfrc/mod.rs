//! TFRC: data at the rate that a TCP would have on the same path, but smoother (RFC 5348). Nothing is sent again.

mod equation;
mod history;
mod listener;
mod pace;

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Ecn, FlowTag, Frame, Packet, Stage, Time, Validate, config};
use dumbbell_header::{TfrcHeader, TfrcKind};

pub(crate) use self::history::History;
pub use self::listener::{HEADER, Listener, REPORT};
pub use self::pace::Pace;
use crate::transport::{Opening, ReceiveEnd, ReceiverReport, SendEnd, SenderReport, SenderState, Transport};

config! {
    /// Packets of TFRC.
    pub struct Packets {
        /// Payload of a packet in bytes, never more than the path's MTU allows; absent: what the MTU allows.
        payload: Option<u32> as "bytes" = (), "RFC 5348 section 4.1: a fixed segment size; the MTU less 36 bytes";
        /// Explicit congestion notification: a mark counts as a loss.
        ecn: bool = false, "RFC 5348 section 5.1: where packets are ECN-capable";
    }
}

impl Validate for Packets {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.payload == Some(0) {
            return Err(at.key("payload").error("packets without payload carry nothing", "give 1 or more"));
        }
        Ok(())
    }
}

impl Packets {
    /// Payload of a full packet on a path whose largest packet is `mtu` bytes.
    pub fn segment(&self, mtu: u32) -> u32 {
        let largest = mtu.min(u32::from(u16::MAX)).saturating_sub(HEADER).max(1);
        self.payload.map_or(largest, |payload| payload.min(largest))
    }

    /// Refuses a path that takes no packet with data.
    ///
    /// # Errors
    /// What does not fit, and the remedy.
    pub fn fits(&self, mtu: u32) -> Result<(), String> {
        if mtu <= HEADER {
            return Err(format!("headers of {HEADER} B do not fit the path's MTU of {mtu} B; raise the MTU"));
        }
        Ok(())
    }

    /// A data packet.
    pub fn data(&self, header: &TfrcHeader, flow: FlowTag, payload: u32) -> Packet {
        let ecn = if self.ecn { Ecn::Ect0 } else { Ecn::NotEct };
        Packet::of(*header, flow, (HEADER + payload) as u16, ecn)
    }
}

config! {
    /// TCP-Friendly Rate Control: the sender follows the equation of TCP's throughput, with the loss event rate that
    /// the receiver reports once a round-trip time. Nothing is sent again: an object of which a packet was lost never
    /// is complete.
    pub struct Params {
        ..packets: Packets {}
    }
}

impl Validate for Params {}

impl Algorithm for Params {
    const NAME: &'static str = "tfrc";
    const TITLE: &'static str = "TCP-Friendly Rate Control over datagrams";
    const REFERENCE: &'static str = "RFC 5348";
}

impl Transport for Params {
    // In boxes: they would make the flows of every transport larger.
    type Sender = Box<Sender>;
    type Receiver = Box<Receiver>;

    fn open(&self, opening: Opening) -> (Box<Sender>, Box<Receiver>) {
        let segment = self.packets.segment(opening.mtu);
        let sender = Sender {
            packets: self.packets.clone(),
            segment,
            pace: Pace::new(segment, segment + HEADER, opening.access),
            flow: opening.flow,
            number: 0,
            left: opening.size.unwrap_or(u64::MAX),
            opened: false,
        };
        (Box::new(sender), Box::new(Receiver::new(&opening)))
    }

    fn wire_bytes(&self, payload: u64, mtu: u32) -> u64 {
        payload + u64::from(HEADER) * payload.div_ceil(u64::from(self.packets.segment(mtu)))
    }

    fn fits(&self, mtu: u32) -> Result<(), String> {
        self.packets.fits(mtu)
    }
}

/// The sending end.
#[derive(Debug)]
pub struct Sender {
    packets: Packets,
    segment: u32,
    pace: Pace,
    flow: FlowTag,
    number: u64,
    /// Application bytes still to send; `u64::MAX` if unlimited.
    left: u64,
    opened: bool,
}

impl Stage for Sender {
    fn push(&mut self, now: Time, packet: &Packet) {
        if let Some(header) = packet.read::<TfrcHeader>().filter(|header| header.kind == TfrcKind::Feedback) {
            self.pace.heard(now, &header, self.number);
        }
    }

    fn pull(&mut self, now: Time) -> Option<Packet> {
        if now < self.pace.next_at() {
            return None;
        }
        let payload = self.left.min(self.segment.into());
        if self.left != u64::MAX {
            self.left -= payload;
        }
        let header =
            TfrcHeader { number: self.number, sent: now, delay: self.pace.rtt(), ..TfrcHeader::default() };
        self.number += 1;
        self.pace.sent(now);
        if self.left == 0 {
            self.pace.rest();
        }
        Some(self.packets.data(&header, self.flow, payload as u32))
    }

    fn wake(&mut self, now: Time) {
        if !self.opened {
            self.opened = true;
            self.pace.resume(now);
        } else if now >= self.pace.timer_at() {
            self.pace.expire(now);
        }
    }

    fn wake_at(&self) -> Time {
        self.pace.next_at().min(self.pace.timer_at())
    }
}

impl SendEnd for Sender {
    fn report(&self) -> SenderReport {
        self.pace.report(self.number)
    }

    fn state(&self) -> SenderState {
        self.pace.state()
    }

    fn ignored(&self) -> u64 {
        self.pace.ignored
    }

    fn is_closed(&self) -> bool {
        self.opened && self.left == 0
    }
}

/// The receiving end.
#[derive(Debug)]
pub struct Receiver {
    listener: Listener,
    flow: FlowTag,
    size: u64,
}

impl Receiver {
    fn new(opening: &Opening) -> Receiver {
        Receiver { listener: Listener::default(), flow: opening.flow, size: opening.size.unwrap_or(u64::MAX) }
    }
}

impl Stage for Receiver {
    fn push(&mut self, now: Time, packet: &Packet) {
        let Some((_, payload, new)) = self.listener.push(now, packet) else { return };
        if new {
            self.listener.got.delivered += u64::from(payload);
        }
        if self.listener.got.delivered >= self.size && self.listener.got.finished.is_none() {
            self.listener.got.finished = Some(now);
        }
    }

    fn pull(&mut self, now: Time) -> Option<Packet> {
        self.listener.pull(now, self.flow, None)
    }

    fn wake(&mut self, now: Time) {
        self.listener.wake(now);
    }

    fn wake_at(&self) -> Time {
        self.listener.wake_at()
    }
}

impl ReceiveEnd for Receiver {
    fn report(&self) -> ReceiverReport {
        ReceiverReport { received: self.listener.got.delivered, ..self.listener.got }
    }

    fn departed(&self, packet: &Packet) -> Option<Time> {
        packet.read::<TfrcHeader>().filter(|header| header.kind == TfrcKind::Data).map(|header| header.sent)
    }

    fn ignored(&self) -> u64 {
        self.listener.ignored
    }

    fn is_closed(&self) -> bool {
        self.listener.wake_at() == Time::NEVER
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::{BitRate, Duration, Way};

    use super::*;
    use crate::testing::{Fate, Pipe, ms, opening, read};

    fn pipe(
        text: &str,
        size: Option<u64>,
        fate: impl FnMut(u64) -> Fate + 'static,
    ) -> Pipe<Box<Sender>, Box<Receiver>> {
        let params: Params = read(text);
        let mut fate = fate;
        let script = move |way: Way, packet: &Packet, _: usize| match way {
            Way::Forward => fate(packet.body[0]),
            Way::Reverse => Fate::Pass,
        };
        Pipe::new(params.open(opening(size)), script)
    }

    /// Bits of payload a second that left between two times, in seconds.
    fn sent(pipe: &Pipe<Box<Sender>, Box<Receiver>>, from: f64, to: f64) -> f64 {
        let between = |(at, _): &&(Time, Packet)| (ms(from * 1e3)..ms(to * 1e3)).contains(at);
        let bytes: u32 = pipe.forward.iter().filter(between).map(|(_, p)| u32::from(p.size) - HEADER).sum();
        f64::from(bytes) * 8.0 / (to - from)
    }

    #[test]
    fn at_one_percent_loss_the_rate_is_that_of_the_equation() {
        // 1460 bytes, 50 ms, p = 1 %: 2.62 Mbit/s. Losses a round trip or more apart are events of their own.
        let fate = |n: u64| if n % 100 == 99 { Fate::Drop } else { Fate::Pass };
        let mut pipe = pipe(r#"{"payload": 1460}"#, None, fate);
        pipe.until(|pipe| pipe.now > ms(60_000.0));
        let rate = sent(&pipe, 20.0, 60.0);
        assert!((rate / 2.624e6 - 1.0).abs() < 0.02, "{rate}");
        let rtt = pipe.sender.report().smoothed_rtt;
        assert!((rtt.as_secs_f64() - 0.05).abs() < 1e-6, "{rtt}");
    }

    #[test]
    fn marks_count_as_losses_where_packets_are_capable() {
        let fate = |n: u64| if n % 100 == 99 { Fate::Mark } else { Fate::Pass };
        let mut pipe = pipe(r#"{"payload": 1460, "ecn": true}"#, None, fate);
        pipe.until(|pipe| pipe.now > ms(60_000.0));
        let rate = sent(&pipe, 20.0, 60.0);
        assert!((rate / 2.624e6 - 1.0).abs() < 0.02, "{rate}");
        assert!(pipe.receiver.report().marks > 0);
    }

    #[test]
    fn a_bottleneck_is_filled_and_shared_with_its_queue() {
        let mut pipe = pipe("{}", None, |_| Fate::Pass)
            .shaped(Some(BitRate::from_bps(10_000_000)), Duration::from_millis(50))
            .buffered(42);
        pipe.until(|pipe| pipe.now > ms(60_000.0));
        let delivered = pipe.receiver.report().delivered as f64 * 8.0 / 60.0;
        assert!(delivered > 0.8 * 9.76e6, "{delivered}");
        assert!(!pipe.overflowed.is_empty(), "slow start finds the end of the queue");
    }

    #[test]
    fn a_rate_of_less_than_a_packet_in_a_round_trip_is_reported_too() {
        // Of three packets one arrives: the equation gives a packet in several round trips.
        let mut pipe = pipe("{}", None, |n| if n % 3 == 0 { Fate::Pass } else { Fate::Drop });
        pipe.until(|pipe| pipe.now > ms(120_000.0));
        let rate = sent(&pipe, 60.0, 120.0);
        let (p, rtt) = (1.0 / 3.0, 0.05);
        let expected = equation::rate(1464.0, rtt, p) * 8.0;
        assert!(expected < 1464.0 * 8.0 / rtt, "less than a packet in a round trip");
        assert!((0.5..2.0).contains(&(rate / expected)), "{rate}, and {expected} expected");
    }

    #[test]
    fn an_object_is_complete_when_all_of_it_has_arrived() {
        for (lost, finished) in [(u64::MAX, true), (50, false)] {
            let fate = move |n: u64| if n == lost { Fate::Drop } else { Fate::Pass };
            let mut pipe = pipe("{}", Some(100 * 1464), fate);
            pipe.finish();
            assert!(pipe.sender.is_closed() && pipe.receiver.is_closed());
            assert_eq!(pipe.receiver.report().finished.is_some(), finished);
            assert_eq!(pipe.forward.len(), 100, "nothing is sent again");
        }
    }

    #[test]
    fn the_receiver_reports_once_a_round_trip_and_after_a_loss() {
        let mut pipe = pipe("{}", None, |n| if n == 500 { Fate::Drop } else { Fate::Pass });
        pipe.until(|pipe| pipe.now > ms(2_000.0));
        let reports: Vec<f64> = pipe.reverse.iter().map(|(at, _)| at.as_secs_f64()).collect();
        let loss = |p: &Packet| p.read::<TfrcHeader>().unwrap().loss;
        let at_loss = pipe.reverse.iter().position(|(_, p)| loss(p) > 0.0).unwrap();
        for (i, pair) in reports.windows(2).enumerate().skip(1) {
            let gap = pair[1] - pair[0];
            assert!(i + 1 == at_loss || (0.049..0.08).contains(&gap), "{i}: {gap}");
        }
        let shown =
            pipe.forward.iter().find(|(_, p)| p.body[0] == 503).unwrap().0 + Duration::from_millis(25);
        assert_eq!(pipe.reverse[at_loss].0, shown, "three packets behind the loss");
    }
}
