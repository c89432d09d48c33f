//! The destination: reports what has arrived, and returns the rate.

use dumbbell_core::{Duration, Ecn, FlowTag, Frame, Packet, Stage, Time};
use dumbbell_header::{TrumpHeader, TrumpKind};

use super::Params;
use crate::deviation::Deviation;
use crate::numbered::Numbered;
use crate::transport::{ReceiveEnd, ReceiverReport};

/// What the next acknowledgement will say.
#[derive(Clone, Copy, Debug, Default)]
struct Pending {
    /// The lowest packet that it reports, and the others above it: bit k stands for `lowest + k`.
    lowest: u32,
    arrived: u64,
    /// The latest of their transmissions.
    transmission: u32,
    /// What the newest packet brought.
    rate: f32,
    bottleneck: u32,
}

impl Pending {
    /// Adds a packet; false if it is too far from the others for one acknowledgement.
    fn add(&mut self, number: u32) -> bool {
        if self.arrived == 0 || number >= self.lowest {
            if self.arrived == 0 {
                self.lowest = number;
            }
            let place = number - self.lowest;
            if place < u64::BITS {
                self.arrived |= 1 << place;
            }
            place < u64::BITS
        } else {
            let shift = self.lowest - number;
            let room = shift <= self.arrived.leading_zeros();
            if room {
                (self.lowest, self.arrived) = (number, self.arrived << shift | 1);
            }
            room
        }
    }
}

/// The destination of a flow.
#[derive(Debug)]
pub struct Receiver {
    pending: Pending,
    /// When it is sent although it is not full; never if nothing is pending, in the past if it is due.
    due: Time,
    arrivals: Numbered,
    selacksize: u32,
    ack_delay: Duration,
    /// The rate of acknowledgements as a share of that of data.
    share: f32,
    flow: FlowTag,
    header: u16,
    ignored: u64,
    delays: Deviation,
    /// Answers that leave before what is pending.
    answers: [Option<TrumpHeader>; 2],
}

impl Receiver {
    /// The destination of packets of up to `full` bytes.
    pub fn new(flow: impl Into<FlowTag>, params: &Params, full: u16) -> Receiver {
        Receiver {
            pending: Pending::default(),
            due: Time::NEVER,
            arrivals: Numbered::default(),
            selacksize: params.selacksize,
            ack_delay: params.ack_delay,
            share: f32::from(params.header) / (f32::from(full) * params.selacksize as f32),
            flow: flow.into(),
            header: params.header,
            ignored: 0,
            delays: Deviation::default(),
            answers: [None; 2],
        }
    }

    /// Takes in a header that came with `payload` bytes of data, and decides on the answer.
    #[inline]
    pub fn take(&mut self, now: Time, header: &TrumpHeader, payload: u16) {
        match header.kind {
            TrumpKind::Data => self.data(now, header, payload),
            TrumpKind::Setup => {
                self.arrivals.learn_total(header.total);
                let answer = TrumpHeader { kind: TrumpKind::SetupAck, ..TrumpHeader::default() };
                self.answers[0] = Some(self.returning(header.rate, header.bottleneck, answer));
            }
            TrumpKind::Teardown => {}
            _ => self.ignored += 1,
        }
    }

    /// The answer to send now, if any.
    #[inline]
    pub fn answer(&mut self, now: Time) -> Option<TrumpHeader> {
        let waiting = self.answers.iter_mut().find_map(Option::take);
        if waiting.is_some() || self.due > now {
            return waiting;
        }
        Some(self.report_pending())
    }

    /// True once every packet of the message has arrived.
    #[inline]
    pub fn is_complete(&self) -> bool {
        self.arrivals.is_complete()
    }

    #[inline]
    fn data(&mut self, now: Time, header: &TrumpHeader, payload: u16) {
        if header.total > 0 {
            self.arrivals.learn_total(header.total);
        }
        let Some(fresh) = self.arrivals.take(now, header.number, payload) else {
            self.ignored += 1;
            return;
        };
        self.delays.add(now.since(Time::from_nanos(header.mark)).as_secs_f64());
        self.note(now, header, fresh);
    }

    /// Notes a packet for the next acknowledgement. Choice, for the text says only that information waits until an
    /// acknowledgement is full: a packet again, the last of the message and the one that completes it do not wait.
    #[inline]
    fn note(&mut self, now: Time, header: &TrumpHeader, fresh: bool) {
        if !self.pending.add(header.number) {
            self.answers[1] = Some(self.report_pending());
            self.pending.add(header.number);
        }
        let pending = &mut self.pending;
        pending.transmission = pending.transmission.max(header.transmission);
        (pending.rate, pending.bottleneck) = (header.rate, header.bottleneck);
        let full = pending.arrived.count_ones() >= self.selacksize;
        if full || !fresh || self.arrivals.is_last(header.number) || self.is_complete() {
            self.due = now;
        } else {
            self.due = self.due.min(now + self.ack_delay);
        }
    }

    #[inline]
    fn report_pending(&mut self) -> TrumpHeader {
        let Pending { lowest, arrived, transmission, rate, bottleneck } = std::mem::take(&mut self.pending);
        self.due = Time::NEVER;
        let kind = TrumpKind::Ack;
        let answer =
            TrumpHeader { kind, number: lowest, transmission, mark: arrived, ..TrumpHeader::default() };
        self.returning(rate, bottleneck, answer)
    }

    /// The answer with what it returns, and what it asks for itself: acknowledgements are flows too.
    #[inline]
    fn returning(&self, return_rate: f32, return_bottleneck: u32, answer: TrumpHeader) -> TrumpHeader {
        let desired = return_rate * self.share;
        TrumpHeader { desired, rate: desired, return_rate, return_bottleneck, ..answer }
    }
}

impl Stage for Receiver {
    #[inline]
    fn push(&mut self, now: Time, packet: &Packet) {
        if let Some(header) = packet.read() {
            self.take(now, &header, packet.size.saturating_sub(self.header));
        }
    }

    #[inline]
    fn pull(&mut self, now: Time) -> Option<Packet> {
        let answer = self.answer(now)?;
        Some(Packet::of(answer, self.flow, self.header, Ecn::NotEct))
    }

    fn wake(&mut self, _now: Time) {}

    #[inline]
    fn wake_at(&self) -> Time {
        self.due
    }
}

impl ReceiveEnd for Receiver {
    fn report(&self) -> ReceiverReport {
        ReceiverReport { delay: self.delays.spread(), ..self.arrivals.report() }
    }

    fn departed(&self, packet: &Packet) -> Option<Time> {
        let header = packet.read::<TrumpHeader>().filter(|header| header.kind == TrumpKind::Data)?;
        Some(Time::from_nanos(header.mark))
    }

    fn ignored(&self) -> u64 {
        self.ignored
    }

    #[inline]
    fn is_closed(&self) -> bool {
        self.pending.arrived == 0 && self.answers == [None; 2]
    }
}
