//! LTTP: objects as fountain-coded datagrams at the rate of TFRC. Whoever has enough of them says stop.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, FlowTag, Frame, Packet, Stage, Time, Validate, config};
use dumbbell_header::{TfrcHeader, TfrcKind};

use crate::tfrc::{HEADER, Listener, Pace, Packets};
use crate::transport::{Opening, ReceiveEnd, ReceiverReport, SendEnd, SenderReport, SenderState, Transport};

config! {
    /// An object of k packets is sent as an endless stream of LT-coded packets, at the rate of TFRC. The receiver
    /// decodes any (1 + overhead) k of them, and tells the sender to stop. Decoding is a count here; the control
    /// channel, TCP in the paper, is the stop message, which every packet that comes too late is answered with.
    /// Connections carry one object after another; a fresh one knows no round-trip time, and sends a packet a second
    /// before its first report.
    pub struct Params {
        /// Coded packets needed beyond those of the object, as a share: epsilon.
        overhead: f64 as "dimensionless" = 0.05, "choice: LT codes of thousands of packets need about 5 % (Luby, FOCS 2002)";
        ..packets: Packets {}
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        at.within("overhead", self.overhead, 0.0..=10.0)
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "lttp";
    const TITLE: &'static str = "LTTP: fountain-coded datagrams at the rate of TFRC";
    const REFERENCE: &'static str =
        "Jiang, Li & Xu, LTTP: An LT-Code Based Transport Protocol, IEEE JSAC 32(1), 2014";
}

impl Params {
    /// Coded packets from which an object of `bytes` can be decoded, where packets carry `segment`.
    fn needed(&self, bytes: u64, segment: u32) -> u64 {
        let packets = bytes.div_ceil(segment.into());
        packets + (packets as f64 * self.overhead).ceil() as u64
    }
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
            object: 0,
            stopped_at: None,
            opened: false,
        };
        (Box::new(sender), Box::new(Receiver::new(self.clone(), &opening)))
    }

    fn wire_bytes(&self, payload: u64, mtu: u32) -> u64 {
        let segment = self.packets.segment(mtu);
        self.needed(payload, segment) * u64::from(segment + HEADER)
    }

    fn fits(&self, mtu: u32) -> Result<(), String> {
        self.packets.fits(mtu)
    }

    fn kept_open(&self) -> Option<Params> {
        Some(self.clone())
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
    object: u16,
    /// When the receiver had enough of the object; `None` until then.
    stopped_at: Option<Time>,
    opened: bool,
}

impl Stage for Sender {
    fn push(&mut self, now: Time, packet: &Packet) {
        let Some(header) = packet.read::<TfrcHeader>() else { return };
        match header.kind {
            TfrcKind::Feedback => self.pace.heard(now, &header, self.number),
            TfrcKind::Stop if header.object == self.object && self.stopped_at.is_none() => {
                self.stopped_at = Some(now);
                self.pace.rest();
            }
            TfrcKind::Stop | TfrcKind::Data => {}
        }
    }

    fn pull(&mut self, now: Time) -> Option<Packet> {
        if now < self.pace.next_at() {
            return None;
        }
        let header = TfrcHeader {
            object: self.object,
            number: self.number,
            sent: now,
            delay: self.pace.rtt(),
            ..TfrcHeader::default()
        };
        self.number += 1;
        self.pace.sent(now);
        Some(self.packets.data(&header, self.flow, self.segment))
    }

    fn wake(&mut self, now: Time) {
        if !self.opened {
            self.opened = true;
            self.pace.resume(now);
        } else if self.stopped_at.is_none() && self.pace.next_at() == Time::NEVER {
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
        SenderReport { finished: self.stopped_at, ..self.pace.report(self.number) }
    }

    fn state(&self) -> SenderState {
        self.pace.state()
    }

    fn ignored(&self) -> u64 {
        self.pace.ignored
    }

    fn is_closed(&self) -> bool {
        self.stopped_at.is_some()
    }

    fn write(&mut self, _bytes: u64) {
        self.object = self.object.wrapping_add(1);
        self.stopped_at = None;
    }
}

/// The receiving end.
#[derive(Debug)]
pub struct Receiver {
    params: Params,
    listener: Listener,
    flow: FlowTag,
    segment: u32,
    object: u16,
    /// Bytes of the object, and coded packets of it that are needed and that have come; no end if nobody knows the
    /// size.
    size: u64,
    needed: u64,
    come: u64,
    /// Bytes of objects before.
    before: u64,
    stop_due: bool,
}

impl Receiver {
    fn new(params: Params, opening: &Opening) -> Receiver {
        let segment = params.packets.segment(opening.mtu);
        let mut receiver = Receiver {
            params,
            listener: Listener::default(),
            flow: opening.flow,
            segment,
            object: 0,
            size: 0,
            needed: 0,
            come: 0,
            before: 0,
            stop_due: false,
        };
        receiver.begin(opening.size);
        receiver
    }

    fn begin(&mut self, size: Option<u64>) {
        self.size = size.unwrap_or(u64::MAX);
        self.needed = size.map_or(u64::MAX, |size| self.params.needed(size, self.segment));
        self.come = 0;
        self.listener.got.finished = None;
    }

    /// Application bytes that what has come of the object stands for.
    fn decoded(&self) -> u64 {
        if self.come >= self.needed {
            return self.size;
        }
        let packets = self.come as f64 / (1.0 + self.params.overhead);
        ((packets * f64::from(self.segment)) as u64).min(self.size.saturating_sub(1))
    }
}

impl Stage for Receiver {
    fn push(&mut self, now: Time, packet: &Packet) {
        let Some((header, _, new)) = self.listener.push(now, packet) else { return };
        if header.object != self.object {
            return;
        }
        if self.come >= self.needed {
            // The sender does not know yet.
            self.stop_due = true;
        } else if new {
            self.come += 1;
            self.listener.got.delivered = self.before + self.decoded();
            if self.come == self.needed {
                self.listener.got.finished = Some(now);
                self.stop_due = true;
            }
        }
    }

    fn pull(&mut self, now: Time) -> Option<Packet> {
        let stop = TfrcHeader { kind: TfrcKind::Stop, object: self.object, ..TfrcHeader::default() };
        let stop = std::mem::take(&mut self.stop_due).then_some(stop);
        self.listener.pull(now, self.flow, stop)
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

    fn expect(&mut self, bytes: u64) {
        self.before += self.size;
        self.object = self.object.wrapping_add(1);
        self.begin(Some(bytes));
    }

    fn is_closed(&self) -> bool {
        !self.stop_due && self.listener.wake_at() == Time::NEVER
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::Way;

    use super::*;
    use crate::testing::{Fate, Pipe, ms, opening, read};

    fn pipe(
        size: u64,
        script: impl FnMut(Way, u64, usize) -> Fate + 'static,
    ) -> Pipe<Box<Sender>, Box<Receiver>> {
        let params: Params = read(r#"{"payload": 1000}"#);
        let mut script = script;
        let fate = move |way: Way, packet: &Packet, i: usize| script(way, packet.body[0], i);
        Pipe::new(params.open(opening(Some(size))), fate)
    }

    #[test]
    fn five_percent_more_packets_complete_any_object() {
        // 1000 packets of 1000 bytes; every tenth is lost.
        let lose = |way: Way, number: u64, _: usize| match way {
            Way::Forward if number % 10 == 3 => Fate::Drop,
            _ => Fate::Pass,
        };
        let mut pipe = pipe(1_000_000, lose);
        pipe.until(|pipe| pipe.receiver.report().finished.is_some());
        let got = pipe.receiver.report();
        assert_eq!((got.packets, got.delivered), (1050, 1_000_000));
        let numbers: Vec<u64> = pipe.forward.iter().map(|(_, p)| p.body[0]).collect();
        assert!(numbers.windows(2).all(|pair| pair[1] == pair[0] + 1), "nothing is sent again");
        pipe.finish();
        assert!(pipe.sender.is_closed() && pipe.receiver.is_closed());
        let stopped = pipe.sender.report().finished.unwrap();
        assert_eq!(stopped.since(got.finished.unwrap()), dumbbell_core::Duration::from_millis(25));
    }

    #[test]
    fn packets_beyond_the_last_needed_are_stopped_again() {
        // The first stop message is lost. A report may share its instant.
        let mut stops = 0;
        let params: Params = read(r#"{"payload": 1000}"#);
        let script = move |way: Way, packet: &Packet, _: usize| {
            let is_stop = packet.read::<TfrcHeader>().unwrap().kind == TfrcKind::Stop;
            stops += u32::from(way == Way::Reverse && is_stop);
            if is_stop && stops == 1 { Fate::Drop } else { Fate::Pass }
        };
        let mut pipe = Pipe::new(params.open(opening(Some(100_000))), script);
        pipe.finish();
        assert!(pipe.sender.is_closed());
        let report = pipe.receiver.report();
        assert_eq!((report.delivered, report.finished.is_some()), (100_000, true));
    }

    #[test]
    fn packets_of_the_object_before_do_not_count() {
        let mut pipe = pipe(100_000, |_, _, _| Fate::Pass);
        pipe.until(|pipe| pipe.sender.is_closed());
        let (late, first) = (pipe.receiver.report().packets, pipe.now);
        assert!(late >= 105);
        pipe.sender.write(50_000);
        pipe.receiver.expect(50_000);
        pipe.sender.wake(pipe.now);
        pipe.until(|pipe| pipe.receiver.report().finished.is_some_and(|at| at > first));
        let report = pipe.receiver.report();
        assert_eq!(report.delivered, 150_000);
        let second: Vec<u16> =
            pipe.forward.iter().filter(|(at, _)| *at > first).map(|(_, p)| p.aux).collect();
        assert!(second.len() >= 53 && second.iter().all(|object| *object == 1), "{second:?}");
        pipe.finish();
        assert!(pipe.sender.is_closed() && pipe.receiver.is_closed());
        assert!(ms(0.0) < first);
    }
}
