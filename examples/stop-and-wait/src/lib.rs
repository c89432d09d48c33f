//! Stop and wait: one datagram at a time, sent again until the receiver has answered.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Duration, Ecn, FlowTag, Packet, Stage, Time, Validate, config};
use dumbbell_header::UdpHeader;
use dumbbell_proto::transport::{Opening, ReceiveEnd, ReceiverReport, SendEnd, SenderReport, Transport};

/// IPv4 and UDP headers without options, in bytes (RFC 791 section 3.1, RFC 768); an answer has nothing else.
const HEADER: u16 = 28;

config! {
    /// Sends a datagram, waits for its answer, and sends the next; without an answer it sends the same again.
    pub struct Params {
        /// Bytes of a full datagram on the wire, headers included.
        packet_size: u16 as "bytes" = 1500, "RFC 894: the MTU of Ethernet";
        /// Time without an answer after which a datagram is sent again.
        timeout: Duration = "1s", "RFC 6298 section 2.1: the first timeout of TCP";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.packet_size <= HEADER {
            let message = format!("{} B leave no payload", self.packet_size);
            return Err(at.key("packet_size").error(message, "give more than 28 bytes"));
        }
        if self.timeout.is_zero() {
            return Err(at.key("timeout").error("must be above zero", "give a time such as \"1s\""));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "stop-and-wait";
    const TITLE: &'static str = "Stop and wait: one datagram a round trip";
    const REFERENCE: &'static str = "Tanenbaum & Wetherall, Computer Networks, 5th ed., section 3.3.2";
}

impl Transport for Params {
    type Sender = Sender;
    type Receiver = Receiver;

    fn open(&self, opening: Opening) -> (Sender, Receiver) {
        let sender = Sender {
            params: self.clone(),
            flow: opening.flow,
            left: opening.size.unwrap_or(u64::MAX),
            number: 0,
            due: false,
            timer: Time::NEVER,
            report: SenderReport::default(),
        };
        let size = opening.size.unwrap_or(u64::MAX);
        (sender, Receiver { flow: opening.flow, size, answer: None, report: ReceiverReport::default() })
    }

    fn wire_bytes(&self, payload: u64, _mtu: u32) -> u64 {
        let most = u64::from(self.packet_size - HEADER);
        payload + payload.div_ceil(most) * u64::from(HEADER)
    }

    fn fits(&self, mtu: u32) -> Result<(), String> {
        if u32::from(self.packet_size) > mtu {
            return Err(format!(
                "datagrams of {} B do not fit the path's MTU of {mtu} B; lower `packet_size`",
                self.packet_size
            ));
        }
        Ok(())
    }
}

/// The end that sends.
#[derive(Debug)]
pub struct Sender {
    params: Params,
    flow: FlowTag,
    /// Application bytes that the receiver has not answered.
    left: u64,
    /// The datagram that is sent until it is answered.
    number: u64,
    /// True if it is to be sent now.
    due: bool,
    /// When it is sent again; never before the start and after the end.
    timer: Time,
    report: SenderReport,
}

impl Sender {
    fn payload(&self) -> u64 {
        self.left.min(u64::from(self.params.packet_size - HEADER))
    }
}

impl Stage for Sender {
    fn push(&mut self, now: Time, packet: &Packet) {
        // The words of a `UdpHeader`.
        let [number, ..] = packet.body;
        if number != self.number || self.timer == Time::NEVER {
            return;
        }
        if self.left != u64::MAX {
            self.left -= self.payload();
        }
        self.number += 1;
        self.due = self.left > 0;
        if !self.due {
            self.timer = Time::NEVER;
            self.report.finished = Some(now);
        }
    }

    fn pull(&mut self, now: Time) -> Option<Packet> {
        if !std::mem::take(&mut self.due) {
            return None;
        }
        self.timer = now + self.params.timeout;
        self.report.packets_sent += 1;
        let header = UdpHeader { number: self.number, sent: now };
        Some(Packet::of(header, self.flow, self.payload() as u16 + HEADER, Ecn::NotEct))
    }

    fn wake(&mut self, now: Time) {
        let opens = self.timer == Time::NEVER && self.report.packets_sent == 0;
        if opens || now >= self.timer {
            self.due = true;
            self.report.retransmissions += u64::from(!opens);
            self.report.timeouts += u32::from(!opens);
        }
    }

    fn wake_at(&self) -> Time {
        self.timer
    }
}

impl SendEnd for Sender {
    fn report(&self) -> SenderReport {
        self.report
    }

    fn is_closed(&self) -> bool {
        self.report.finished.is_some()
    }
}

/// The end that answers.
#[derive(Debug)]
pub struct Receiver {
    flow: FlowTag,
    size: u64,
    /// The number of the datagram to answer, and when it was sent.
    answer: Option<UdpHeader>,
    report: ReceiverReport,
}

impl Stage for Receiver {
    fn push(&mut self, now: Time, packet: &Packet) {
        let [number, ..] = packet.body;
        let report = &mut self.report;
        let is_next = number == report.packets - report.out_of_order;
        report.packets += 1;
        if is_next {
            let payload = u64::from(packet.size - HEADER);
            (report.delivered, report.received) = (report.delivered + payload, report.received + payload);
            if report.delivered >= self.size {
                report.finished = Some(now);
            }
        } else {
            report.out_of_order += 1;
        }
        self.answer = Some(UdpHeader { number, sent: now });
    }

    fn pull(&mut self, _now: Time) -> Option<Packet> {
        let header = self.answer.take()?;
        Some(Packet::of(header, self.flow, HEADER, Ecn::NotEct))
    }

    fn wake(&mut self, _now: Time) {}

    fn wake_at(&self) -> Time {
        Time::NEVER
    }
}

impl ReceiveEnd for Receiver {
    fn report(&self) -> ReceiverReport {
        self.report
    }

    fn is_closed(&self) -> bool {
        self.answer.is_none()
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::rng::stream;

    use super::*;

    fn ends(size: u64) -> (Sender, Receiver) {
        Params::default().open(Opening {
            flow: 1.into(),
            size: Some(size),
            mtu: 1500,
            access: None,
            rng: stream(1, "flow"),
            replay: None,
            granted: None,
            application: None,
            reader: None,
        })
    }

    #[test]
    fn one_datagram_is_out_at_a_time() {
        let (mut sender, mut receiver) = ends(3000);
        let now = Time::ZERO;
        sender.wake(now);
        for size in [1500, 1500, 3000 - 2 * 1472 + 28] {
            let packet = sender.pull(now).expect("a datagram");
            assert_eq!((packet.size, sender.pull(now)), (size, None));
            receiver.push(now, &packet);
            sender.push(now, &receiver.pull(now).expect("an answer"));
        }
        assert!(sender.is_closed() && receiver.is_closed());
        assert_eq!((sender.report().finished, receiver.report().delivered), (Some(now), 3000));
    }

    #[test]
    fn what_is_not_answered_is_sent_again_and_counted_once() {
        let (mut sender, mut receiver) = ends(1000);
        sender.wake(Time::ZERO);
        let first = sender.pull(Time::ZERO).expect("a datagram");
        let later = sender.wake_at();
        assert_eq!(later, Time::ZERO + Duration::from_secs(1));
        sender.wake(later);
        let again = sender.pull(later).expect("the same");
        receiver.push(later, &first);
        receiver.push(later, &again);
        let report = receiver.report();
        assert_eq!((report.delivered, report.out_of_order), (1000, 1));
        assert_eq!(sender.report().timeouts, 1);
    }
}
